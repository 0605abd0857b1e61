"""Compiled loop that walks from many nodes at once: sparse rows of powers of the lazy random walk."""

import numpy as np

from .._compile import compiled
from .._select import nth_largest


@compiled
def walk_rows(graph, points, first, last, numbers, out):
    """Rows of (laziness I + (1 - laziness) P)^n_steps for points[first:last], P = D^-1 A, cut and rescaled.

    From the second step on, a node that would send less than `min_share` along an average edge keeps its mass: a row
    costs at most 1 / min_share entries per step, so hubs and dense graphs cost no more than others. After every step
    the `cap` largest entries stay (of equals at the cut, the first met). At the end a row is scaled to sum 1, and
    kept[r] says what it summed to before. Row r is columns[r, :lengths[r]], values[r, :lengths[r]]; that of a point
    without an edge is empty. `graph` is (indptr, indices, weights, degrees), `numbers` are (n_steps, laziness, cap,
    min_share), `out` (columns, values, lengths, kept).
    """
    n_steps, laziness, cap, min_share = numbers
    indptr, indices, weights, degrees = graph
    columns, values, lengths, kept = out
    n = len(degrees)
    weighted = len(weights) > 0
    mass = np.zeros(n, dtype=np.float32)
    # The first step reaches the neighbours of the point. Later ones send at least `min_share` along each edge, and
    # all that is sent in a step sums to 1 - laziness at most, so 1 / min_share edges are more than enough.
    room = np.int64(1.0 / min_share) if min_share * n > 1.0 else np.int64(n)
    for r in range(first, last):
        room = max(room, indptr[points[r] + 1] - indptr[points[r]])
    room = min(room + cap + 1, n)
    touched = np.empty(room, dtype=indices.dtype)
    scratch = np.empty(room, dtype=np.float32)
    for r in range(first, last):
        lengths[r] = kept[r] = 0
        if degrees[points[r]] == 0.0:
            continue
        columns[r, 0] = points[r]
        values[r, 0] = 1.0
        length = 1
        for step in range(n_steps):
            n_touched = 0
            for i in range(length):
                x = columns[r, i]
                here = values[r, i]
                leaving = (1.0 - laziness) * here
                passed_on = step == 0 or leaving >= min_share * (indptr[x + 1] - indptr[x])
                staying = np.float32(laziness * here) if passed_on else here
                # A node is listed when its first mass arrives; what is too small for float32 does not arrive.
                if staying > 0.0:
                    if mass[x] == 0.0:
                        touched[n_touched] = x
                        n_touched += 1
                    mass[x] += staying
                if not passed_on or leaving == 0.0:
                    continue
                share = leaving / degrees[x]
                sent = np.float32(share)
                for e in range(indptr[x], indptr[x + 1]):
                    z = indices[e]
                    if weighted:
                        sent = np.float32(share * weights[e])
                        if sent == 0.0:
                            continue
                    if mass[z] == 0.0:
                        touched[n_touched] = z
                        n_touched += 1
                    mass[z] += sent
            cut = np.float32(0.0)
            if n_touched > cap:
                for i in range(n_touched):
                    scratch[i] = mass[touched[i]]
                cut = nth_largest(scratch, np.int64(n_touched), cap)  # a literal 0 would be compiled for as well
            length = 0
            for i in range(n_touched):
                z = touched[i]
                if mass[z] > cut:
                    columns[r, length] = z
                    values[r, length] = mass[z]
                    length += 1
            for i in range(n_touched):
                z = touched[i]
                if mass[z] == cut and length < cap:
                    columns[r, length] = z
                    values[r, length] = mass[z]
                    length += 1
                mass[z] = 0.0
        total = np.float32(0.0)
        for i in range(length):
            total += values[r, i]
        for i in range(length):
            values[r, i] /= total
        lengths[r] = length
        kept[r] = total
