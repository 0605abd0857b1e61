"""Compiled loops that carry labels from rows of some points to all points."""

from .._compile import compiled


@compiled
def label_by_centroids(
    points,
    starts,
    stops,
    indices,
    values,
    scale,
    degrees,
    self_loop,
    weights,
    order,
    borders,
    first,
    last,
    norms,
    masses,
    inner,
    stamps,
    touched,
    best,
    labels,
):
    """Offer every point the centroids first to last whose members' rows reach it.

    Clusters are taken one by one: their members (order[borders[j]:borders[j + 1]]) add their rows to `inner`, `touched`
    lists where, and `stamps` (-1 before) say for which cluster. A point takes the smallest
    ``norm - 2 <phi(x), c_j>``, and of equals the lowest label.
    """
    weighted = len(values) > 0
    for j in range(first, last):
        if masses[j] <= 0.0:
            continue
        n_touched = 0
        for t in range(borders[j], borders[j + 1]):
            i = order[t]
            factor = weights[i] * scale[i]
            if factor == 0.0:
                continue
            if self_loop > 0.0:
                x = points[i]
                if stamps[x] != j:
                    inner[x] = 0.0
                    stamps[x] = j
                    touched[n_touched] = x
                    n_touched += 1
                inner[x] += factor * self_loop
            for e in range(starts[i], stops[i]):
                x = indices[e]
                added = factor * (values[e] if weighted else 1.0)
                if added == 0.0:
                    continue
                if stamps[x] != j:
                    inner[x] = 0.0
                    stamps[x] = j
                    touched[n_touched] = x
                    n_touched += 1
                inner[x] += added
        for t in range(n_touched):
            x = touched[t]
            value = norms[j] - 2.0 * inner[x] / (degrees[x] * masses[j])
            if value < best[x] or (value == best[x] and j < labels[x]):
                best[x] = value
                labels[x] = j


@compiled
def merge_labels(best, labels, other_best, other_labels):
    """Take the other group's offer wherever it is better; of equals the lowest label."""
    for x in range(len(best)):
        if other_best[x] < best[x] or (other_best[x] == best[x] and other_labels[x] < labels[x]):
            best[x] = other_best[x]
            labels[x] = other_labels[x]
