"""Kernel k-means by every route: exact, with landmarks, with sketches, with random features."""
