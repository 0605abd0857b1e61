"""Weights of edges: checked, as floats, none where all are 1, and in a range that neither overflows nor underflows."""

import numpy as np

from ..base.arrays import read_only
from ..exceptions import InputError, warn_user

# An empty array stands for ones in compiled loops: float64, like the weights of quotient graphs, so that loops serve
# both with one compiled version.
NO_WEIGHTS = read_only(np.empty(0))
# Degrees from 2^-164 to 2^64 may be squared, their squares multiplied, and all of it added up. Scaled weights are
# normal numbers in single precision too.
_LARGEST, _SMALLEST = 64, -100
# New edges may be so much larger or smaller than those before.
_FARTHEST = 164


def as_float_weights(weights):
    """Return weights as float32 (if they are) or float64."""
    if weights.dtype in (np.float32, np.float64):
        return weights
    if weights.dtype.kind not in "biufO":
        raise InputError(f"weights must be real numbers, got {weights.dtype}")
    try:
        return weights.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"weights must be real numbers: {error}") from None


def counted(weights, n_edges, count_repeats):
    """Return ones where edges without weights (an array of length 0) are to be counted, and else the weights."""
    return np.ones(n_edges) if count_repeats and not len(weights) else weights


def edge_weights(weights, n_edges):
    """Return weights of edges as floats, checked; an array of length 0 for none."""
    if weights is None:
        return NO_WEIGHTS
    weights = np.asarray(weights)
    if weights.shape != (n_edges,):
        raise InputError(f"weights have shape {weights.shape}; {n_edges} edges need shape ({n_edges},)")
    weights = as_float_weights(weights)
    bad = first_bad_weight(weights)
    if bad >= 0:
        raise InputError(f"weights must be finite and not negative; edge {bad} has {weights[bad]}")
    return weights


def entry_weights(data):
    """Return weights of a matrix's entries; an array of length 0 for ones, seen before a conversion could copy them."""
    return NO_WEIGHTS if _all_ones(data) else as_float_weights(data)


def without_ones(weights):
    """None for an array of length 0 or of ones: an unweighted graph stores no weights."""
    return None if _all_ones(weights) else weights


def first_bad_weight(weights):
    """Position of the first weight that is negative, infinite or NaN; -1 if there is none."""
    start = 0
    for piece in _pieces(weights):
        good = np.isfinite(piece) & (piece >= 0)
        if not good.all():
            return start + int(np.argmin(good))
        start += len(piece)
    return -1


def _all_ones(weights):
    return all((piece == 1).all() for piece in _pieces(weights))


def _pieces(array):
    # By pieces, so that a difference at the start is seen at once and no mask of full length is made.
    size = 1 << 20
    return (array[start : start + size] for start in range(0, len(array), size))


def in_range(graph):
    """The graph itself, or one with scaled weights where these are so large or small that products would overflow.

    The scale is a power of two, which changes no digit, and is chosen by the largest degree alone: it is 2 to the minus
    `exponent` of the result. Where a degree is less than 2^-100 of the largest, a warning says so, and weights below
    that count as much: they are lost in every sum that they are part of, but stay edges. Both take a copy of the
    weights; all other graphs, those without weights first, are returned as they are.
    """
    largest, smallest = graph._extreme_degrees
    if graph.weights is None or smallest == np.inf:
        return graph
    exponent = int(np.frexp(largest)[1])
    too_wide = smallest < np.ldexp(largest, _SMALLEST)
    if not too_wide and abs(exponent) <= _LARGEST:
        return graph
    weights = np.ldexp(graph.weights, -exponent)
    # Also in rows whose sum is not too small, where such a weight is lost in rounding, no edge becomes a zero.
    least = weights.dtype.type(2.0**_SMALLEST) if too_wide else np.finfo(weights.dtype).tiny
    n_lost = np.count_nonzero(weights < least) if too_wide else 0
    np.maximum(weights, least, out=weights)
    if n_lost:
        warn_user(
            f"weights differ by more than a factor of 2^{-_SMALLEST}: {n_lost} of {len(weights)} matrix entries are "
            f"below {np.ldexp(1.0, exponent + _SMALLEST):.3g} and count as that"
        )
    return graph._mapped(graph.indptr, graph.indices, weights, graph.node_names, known={"exponent": exponent})


def given_unit(values, exponent):
    """Values from the unit of scaled weights to that of the weights given; what overflows is the largest number."""
    with np.errstate(over="ignore"):
        return np.minimum(np.ldexp(values, exponent), np.finfo(values.dtype).max)


def edges_in_range(X, exponent):
    """Return edges of new nodes to those of a graph, as a matrix, over 2 to the `exponent` of the graph's weights.

    Weights that then are less than 2^-164 count as that, which is nothing beside those of the graph; what is above
    2^164 is refused. X itself is returned where nothing has to be done.
    """
    data = X.data if hasattr(X, "tocsr") else X
    data = data if data.dtype in (np.float32, np.float64) else data.astype(np.float64)
    positive = data > 0
    largest, smallest = data.max(initial=0), data.min(where=positive, initial=np.inf)
    if np.frexp(largest)[1] - exponent > _FARTHEST:
        raise InputError(
            f"edges of new nodes weigh up to {largest:.3g}, and those of the nodes fitted about "
            f"{np.ldexp(1.0, exponent):.3g}: give them in the same unit"
        )
    if exponent == 0 and smallest >= 2.0**-_FARTHEST:
        return X
    scaled = np.ldexp(data.astype(np.float64), -exponent)
    np.maximum(scaled, 2.0**-_FARTHEST, out=scaled, where=positive)
    if not hasattr(X, "tocsr"):
        return scaled
    X = X.astype(np.float64)
    X.data = scaled
    return X


def extreme_degrees(graph):
    """The largest and the smallest degree of nodes that have an edge; refuses degrees that cannot be the rows' sums."""
    degrees = graph.degrees
    linked = graph.indptr[1:] > graph.indptr[:-1]
    largest = degrees.max()
    smallest = degrees.min(where=linked, initial=np.inf)
    if not (smallest > 0 and largest < np.inf) or np.count_nonzero(degrees) != np.count_nonzero(linked):
        i = int(np.argmin(np.isfinite(degrees) & ((degrees > 0) == linked)))
        raise InputError(
            f"node {i} has degree {degrees[i]} and {graph.indptr[i + 1] - graph.indptr[i]} edges: degrees must be the "
            "sums of positive weights; build the graph anew from its edges"
        )
    return largest, smallest
