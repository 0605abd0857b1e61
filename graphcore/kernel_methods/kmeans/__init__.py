"""Kernel k-means by every route: exact, with coresets, and more."""
