"""Nearest neighbours of vectors, and the graphs made of them."""
