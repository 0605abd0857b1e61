"""Choosing the number of clusters."""
