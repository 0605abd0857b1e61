"""Graphs and their sources."""
