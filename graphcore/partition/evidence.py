"""What an edge says about the cluster of its ends: what it says in the planted model, or less, where edges repeat."""

import numpy as np

from .quotient import is_huge

# Paths of two edges that are looked at, evenly spaced over all of them; fewer of a graph that may lie on a disk.
_PATHS, _FEW_PATHS = 20_000, 1_000
# Calibrated on generated graphs (docs/soft_labels.md): the share of an edge's evidence that counts, and by how much it
# shrinks with every neighbour that is one of another neighbour without the clusters being the reason.
_SHARE, _SHRINKAGE = 0.9, 4.0


def edge_evidence(rows, labels, sums, agreement=1.0):
    """Log odds that an edge is worth, in units of those that the planted model gives it: 0 to 0.9.

    In the planted model edges are independent, given the clusters. Elsewhere neighbours of a node are neighbours of
    each other more often than their clusters and degrees make them, by a share e of the pairs (by a sample): then an
    edge counts as ``1 / (1 + 4 e (d - 1))`` of one, with the mean degree d. `agreement` of independent clusterings
    multiplies it. `rows` have ascending columns; `sums` are the ClusterSums of `labels` (n,) int32.
    """
    lengths = np.diff(rows.indptr)
    pairs = np.cumsum(lengths.astype(np.float64) * (lengths - 1))
    if len(pairs) == 0 or pairs[-1] == 0:
        return _SHARE * agreement
    n_paths = _FEW_PATHS if is_huge(len(rows.indices)) else _PATHS
    places = (np.arange(n_paths) + 0.5) / n_paths * pairs[-1]
    middle = np.searchsorted(pairs, places, side="right")
    others = lengths[middle] - 1
    pair = (places - np.where(middle > 0, pairs[middle - 1], 0.0)).astype(np.int64)
    first, second = np.minimum(pair // others, others), pair % others
    second += second >= first
    first, second = (rows.indices[rows.indptr[middle] + step] for step in (first, second))
    inside = (labels[first] >= 0) & (labels[second] >= 0)  # not so for ends that are in no cluster
    first, second = first[inside], second[inside]
    total = sums.volume.sum()
    share, volume = sums.internal / total, sums.volume / total
    across = max(1.0 - share.sum(), 0.0) / max(1.0 - (volume**2).sum(), 1e-15)
    # Where the square of a share vanishes, so does what the rate would be multiplied with.
    within = np.divide(share, volume**2, out=np.zeros(len(volume)), where=volume**2 > np.finfo(float).tiny)
    rate = np.where(labels[first] == labels[second], within[labels[first]], across) * len(rows.indices)
    expected = np.minimum(1.0, rows.degrees[first] / total * (rows.degrees[second] / total) * rate)
    excess = _are_edges(rows, first, second).mean() - expected.mean() if len(first) else 0.0
    mean_degree = len(rows.indices) / np.count_nonzero(lengths)
    return float(_SHARE * agreement / (1.0 + _SHRINKAGE * max(0.0, excess) * (mean_degree - 1.0)))


def _are_edges(rows, sources, targets):
    """Whether there is an edge between each two nodes, by a binary search in the sources' rows."""
    low, stop = rows.indptr[sources], rows.indptr[sources + 1]
    high = stop.copy()
    while (low < high).any():
        middle = (low + high) // 2
        searching = low < high
        below = searching & (rows.indices[np.where(searching, middle, 0)] < targets)
        low, high = np.where(below, middle + 1, low), np.where(searching & ~below, middle, high)
    there = low < stop
    there[there] = rows.indices[low[there]] == targets[there]
    return there
