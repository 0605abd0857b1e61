"""Nystrom features, and kernel k-means on them."""
