"""Compiled loops that read kernel rows straight from a graph."""

from .._compile import compiled
from ..graphs._row_loops import own_entry


@compiled
def diagonal_entries(indptr, indices, weights, out):
    """out[i] = the entry (i, i) of a sparse matrix with sorted rows, 0 where there is none."""
    for i in range(len(indptr) - 1):
        entry = own_entry(indptr, indices, i)
        if entry < 0:
            out[i] = 0.0
        else:
            out[i] = weights[entry] if len(weights) > 0 else 1.0


@compiled
def submatrix_count(points, starts, stops, indices, degrees, self_loop, position, first, last, out_counts):
    """Entries per row of the sub-matrix on `points`; position[x] is x's place among the points or -1."""
    for i in range(first, last):
        count = 0
        has_diagonal = False
        for e in range(starts[i], stops[i]):
            if position[indices[e]] >= 0:
                count += 1
                has_diagonal |= indices[e] == points[i]
        # An isolated point has no loop.
        out_counts[i] = count + (self_loop > 0 and not has_diagonal) if degrees[points[i]] > 0 else 0


@compiled
def submatrix_fill(
    points,
    starts,
    stops,
    indices,
    values,
    scale,
    factors,
    self_loop,
    position,
    first,
    last,
    out_indptr,
    out_indices,
    out_values,
):
    """Fill ``W K(points, points) W`` row by row; columns ascend because `points` do.

    factors are the points' weights over their degrees. Isolated points (scale 0) get no entry.
    Each product is taken in the same order for (i, j) and (j, i), so the result is symmetric to the last bit.
    """
    weighted = len(values) > 0
    for i in range(first, last):
        at = out_indptr[i]
        own = points[i]
        if scale[i] == 0.0:
            continue
        own_factor = factors[i]
        pending = self_loop > 0
        for e in range(starts[i], stops[i]):
            x = indices[e]
            j = position[x]
            if j < 0:
                continue
            if pending and x > own:
                out_indices[at] = i
                out_values[at] = self_loop * (own_factor * own_factor)
                pending = False
                at += 1
            value = values[e] if weighted else 1.0
            if x == own and pending:
                value += self_loop
                pending = False
            out_indices[at] = j
            out_values[at] = value * (own_factor * factors[j])
            at += 1
        if pending:
            out_indices[at] = i
            out_values[at] = self_loop * (own_factor * own_factor)
