"""Cycles of local moving by groups: clusters are split into groups, groups into larger ones, and all are moved."""

from copy import deepcopy

import numpy as np

from ...base.progress import count
from ...base.threads import effective_jobs, map_items
from ._group_loops import join_subgroups
from .local_moving import FEW_MOVES, move_locally
from .merge import agglomerate
from .quotient import apply_labels, compact_labels, grouped, is_too_dense, label_volumes, matrix_of, pick_labels

# A level of groups that leaves more than this share of what it groups, or of its entries, is not worth a level.
_MAX_SHARE = 0.9
# Cycles end where one raises the objective by less than this share of itself; the same among groups.
_TOLERANCE = 2.5e-3
# Cycles among the groups of nodes for each cycle of the nodes: they are much cheaper, and raise it nearly as far.
_INNER = 3
# Blocks of numbers that stay together when an order is drawn: what is near in memory is visited soon.
_BLOCK = 64
# Threads for less than so many entries take longer to begin than they save.
_LARGE = 1 << 18
_NO_STARTS, _NO_NODES = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)


def move_in_cycles(problem, labels, rng, *, sums=None, n_jobs=None):
    """Raise the objective by moving groups of nodes, large ones first, then single nodes; again with other groups.

    Each cycle splits every cluster anew into groups, these into groups of groups (:func:`subgroups`), and moves the
    largest first, which the first cycle also merges anew, where that is better; groups of nodes are moved so up to
    three times, with other groups of theirs. `labels` (n,) int32, -1 stays, are changed in place, and never for the
    worse; `sums` are theirs, if at hand. Returns ClusterSums, but for the cut.

    Groups inside clusters are the refinement phase of Traag, Waltman, van Eck, "From Louvain to Leiden", Scientific
    Reports 9, 2019.
    """
    sums, merges = problem.sums(labels, n_jobs) if sums is None else sums, True
    while True:
        before, kept, moved = sums.value(problem.objective), labels.copy(), deepcopy(sums)
        _cycle(problem, labels, moved, rng, n_jobs, _INNER, merges)
        merges = False
        value = moved.value(problem.objective)
        if value <= before:  # also where there were no groups to move
            labels[:] = kept
            break
        sums = moved
        if not _is_worth_it(before, value):
            break
    return sums


def _cycle(problem, labels, sums, rng, n_jobs, n_inner, merges, of_groups=False):
    """One cycle; labels and their sums are changed in place. A cycle consists of cycles among the groups.

    The first one `merges` groups: on 85 graphs all but 1 % of what merging gains came of the first.
    """
    rows, most = problem.rows, min(int(_MAX_SHARE * len(problem.rows.indices)), problem.max_links)
    groups, n_groups = subgroups(rows, labels, resolutions_of(problem, sums), rng, most, n_jobs)
    if n_groups <= _MAX_SHARE * len(labels):
        between, clusters = problem.between(groups, n_groups, n_jobs), pick_labels(groups, n_groups, labels)
        count("most links between groups", len(between.rows.indices), most=True)
        for _ in range(n_inner):
            before = sums.value(problem.objective)
            _cycle(between, clusters, sums, rng, n_jobs, 1, merges, of_groups=True)
            merges = False
            if not _is_worth_it(before, sums.value(problem.objective)):
                break
        labels[:] = apply_labels(clusters, groups)
    elif merges and of_groups:
        _merge_anew(problem, labels, sums)
    move_locally(problem, labels, sums=sums, tolerance=FEW_MOVES, n_jobs=n_jobs)


def _merge_anew(problem, labels, sums):
    """Take what merging makes of the largest groups, in place, where that is better than the clusters they come from.

    Where two clusters are united and a third is cut, no single move mends both. As by moves, no cluster is made of
    parts without a link between them.
    """
    from scipy.sparse.csgraph import connected_components

    rows, k, counts = problem.rows, problem.n_clusters, problem.constraints.counts
    if not problem.min_size or not problem.constraints.is_free or len(labels) <= k:
        return
    merged, _, _ = agglomerate(rows, counts, k, linkage=problem.objective, min_size=problem.min_size)
    n_parts, parts = connected_components(matrix_of(rows), directed=False)
    found = problem.sums(merged)
    fits = found.size.min() >= problem.min_size and found.volume.min() >= problem.min_share * found.volume.mean()
    fits = fits and len(np.unique(merged.astype(np.int64) * n_parts + parts)) == k
    if fits and found.value(problem.objective) > sums.value(problem.objective):
        labels[:] = merged
        for kept, new in zip(sums.arrays, found.arrays, strict=True):
            kept[:] = new


def _is_worth_it(before, value):
    """Return whether a cycle raised the objective so much that another one may."""
    return value - before >= _TOLERANCE * abs(value)


def subgroups(rows, clusters, resolutions, rng, max_entries=None, n_jobs=None):
    """Groups of nodes that belong together inside their cluster: labels (n,) int32, -1 where `clusters` is, and number.

    `resolutions` (n_clusters,) float64 say how many times as dense as by chance a group is. `rng` draws the order of
    visits. Where the graph between the groups would have more than `max_entries`, by a sample, they are joined once
    more; if even then, every node is a group.
    """
    groups, n_groups = _joined(rows, clusters, resolutions, rng, None, len(clusters), n_jobs)
    while is_too_dense(rows, groups, n_groups, max_entries):
        joined, n_joined = _joined(rows, clusters, resolutions, rng, groups, n_groups, n_jobs)
        if n_joined > _MAX_SHARE * n_groups:
            return np.where(clusters >= 0, np.arange(len(clusters), dtype=np.int32), -1), len(clusters)
        groups, n_groups = apply_labels(joined, groups), n_joined
    return groups, n_groups


def _joined(rows, clusters, resolutions, rng, units, n_units, n_jobs):
    """Groups of units inside their clusters, labels (n_units,) int32, and their number; None: every node is a unit."""
    if units is None:
        of_nodes, volumes = (_NO_NODES, _NO_STARTS, _NO_NODES), rows.degrees.copy()
    else:
        of_nodes, volumes = (units, *grouped(units, n_units)), label_volumes(units, rows.degrees, n_units)
        clusters = pick_labels(units, n_units, clusters)
    count("entries joined", len(rows.indices))
    groups = np.where(clusters >= 0, np.arange(n_units, dtype=np.int32), np.int32(-1))
    total = float(rows.degrees.sum())

    def join(order):
        join_subgroups(rows[:], total, clusters, resolutions, of_nodes, order, groups, volumes)

    n_threads = effective_jobs(n_jobs) if len(rows.indices) >= _LARGE else 1
    map_items(join, _split(_shuffled(n_units, rng), clusters, volumes, len(resolutions), n_threads), n_threads)
    return groups, compact_labels(groups, n_units)


def _split(order, clusters, volumes, n_clusters, n_threads):
    """The order as one for each thread, by clusters: what units do in one does not touch what those of others do."""
    if n_threads == 1:
        return [order]
    shares = label_volumes(clusters, volumes, n_clusters)
    shares /= shares.sum()
    thread = ((np.cumsum(shares) - shares / 2) * n_threads).astype(np.int32)
    threads = thread[clusters[order]]
    return [order[threads == t] for t in range(n_threads)]


def _shuffled(n, rng):
    """Return numbers 0 to n - 1, blocks of them in random order."""
    starts = rng.permutation(-(-n // _BLOCK)).astype(np.int32) * _BLOCK
    order = (starts[:, None] + np.arange(_BLOCK, dtype=np.int32)).ravel()
    return order[order < n]


def resolutions_of(problem, sums):
    """The resolution of modularity at which groups are formed in each cluster: the objective's own, or by the sums."""
    own = problem.record.resolution
    return cluster_resolutions(sums) if own is None else np.full(len(sums.volume), own)


def cluster_resolutions(sums):
    """The resolution of modularity at which two parts of a cluster are better together (Newman 2016, equation 10).

    Of a planted partition of these inner weights, as many times more likely inside (p) and between (q) as by chance:
    ``(p - q) / log(p / q)``.
    """
    total = sums.volume.sum()
    share, volume = sums.internal / total, sums.volume / total
    cut, apart = max(1.0 - share.sum(), 1e-12), max(1.0 - (volume**2).sum(), 1e-12)
    inside = np.divide(share, volume**2, out=np.ones_like(share), where=volume > 0)
    ratio = np.maximum(inside * apart / cut, 1.0 + 1e-9)
    return cut / apart * (ratio - 1.0) / np.log(ratio)
