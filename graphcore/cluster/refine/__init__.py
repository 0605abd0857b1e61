"""Raise the objective of a partition: moves, merging, cycles, recombination, limits of size."""
