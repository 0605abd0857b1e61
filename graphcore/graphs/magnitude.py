"""Weights of extreme magnitude, brought to where no product or sum of the pipeline over- or underflows."""

import numpy as np

from .._warn import warn_user
from ..exceptions import InputError

__all__ = ["in_range"]

# Degrees from 2^-164 to 2^64 may be squared, their squares multiplied, and all of it added up. Weights that are normal
# numbers in single precision and not far from 1 stay so when they are scaled.
_LARGEST, _SMALLEST = 64, -100


def in_range(graph):
    """The graph itself, or one with scaled weights where these are so large or small that products would overflow.

    The scale is a power of two, which changes no digit, and is chosen by the largest degree alone: it is 2 to the minus
    `_exponent` of the result. Where a degree is less than 2^-100 of the largest, a warning says so, and weights below
    that count as much: they are lost in every sum that they are part of, but stay edges. Both take a copy of the
    weights; all other graphs, those without weights first, are returned as they are.
    """
    largest, smallest = _extremes(graph)
    if graph.weights is None or smallest == np.inf:
        return graph
    exponent = int(np.frexp(largest)[1])
    too_wide = smallest < np.ldexp(largest, _SMALLEST)
    if not too_wide and abs(exponent) <= _LARGEST:
        return graph
    weights = np.ldexp(graph.weights, -exponent)
    if too_wide:
        least = weights.dtype.type(2.0**_SMALLEST)
        n_lost = np.count_nonzero(weights < least)
        np.maximum(weights, least, out=weights)
        warn_user(
            f"weights differ by more than a factor of 2^{-_SMALLEST}: {n_lost} of {len(weights)} matrix entries are below "
            f"{np.ldexp(1.0, exponent + _SMALLEST):.3g} and count as that"
        )
    scaled = type(graph)(graph.indptr, graph.indices, weights, node_names=graph.node_names, check=False)
    scaled.__dict__["_exponent"] = exponent
    return scaled


def _extremes(graph):
    """The largest and the smallest degree of nodes that have an edge; refuses degrees that cannot be the rows' sums."""
    degrees = graph.degrees
    linked = graph.indptr[1:] > graph.indptr[:-1]
    largest = degrees.max()
    smallest = degrees.min(where=linked, initial=np.inf)
    if not (smallest > 0 and largest < np.inf) or np.count_nonzero(degrees) != np.count_nonzero(linked):
        i = int(np.argmin(np.isfinite(degrees) & ((degrees > 0) == linked)))
        raise InputError(
            f"node {i} has degree {degrees[i]} and {graph.indptr[i + 1] - graph.indptr[i]} edges: degrees must be the sums "
            "of positive weights; build the graph anew from its edges"
        )
    return largest, smallest
