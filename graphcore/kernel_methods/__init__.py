"""Kernel k-means: features that approximate kernels, k-means on them, k-flats."""
