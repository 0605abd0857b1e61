"""Vectors whose inner products are, or approximate, a kernel."""
