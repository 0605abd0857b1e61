"""Cycles of local moving by groups: clusters are split into groups, groups into larger ones, and all are moved."""

from copy import deepcopy

import numpy as np

from .._threads import effective_jobs, map_items
from .._work import count
from ._subgroup_loops import join_subgroups
from .cluster_sums import cluster_sums
from .constraints import FREE
from .local_moving import move_locally
from .quotient import (
    apply_labels,
    compact_labels,
    estimated_entries,
    grouped,
    label_volumes,
    pick_labels,
    quotient,
)

__all__ = ["cluster_resolutions", "move_in_cycles", "subgroups"]

# A level of groups that leaves more than this share of what it groups, or of its entries, is not worth a level.
_MAX_SHARE = 0.9
# The objective still rises by more than this share of itself with each cycle, or they end; the same among groups.
_TOLERANCE, _INNER_TOLERANCE = 2.5e-3, 1e-3
# Cycles among the groups of nodes for each cycle of the nodes: they are much cheaper, and raise it nearly as far.
_INNER = 3
# Blocks of numbers that stay together when an order is drawn: what is near in memory is visited soon.
_BLOCK = 64
# Threads for less than so many entries take longer to begin than they save.
_LARGE = 1 << 18
_NO_STARTS, _NO_NODES = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int32)


def move_in_cycles(
    rows, labels, n_clusters, *, n_cycles, rng, objective="information", min_size=1, min_share=0.0, move_tolerance=1e-4,
    tolerance=_TOLERANCE, max_entries=None, constraints=FREE, n_jobs=None,
):  # fmt: skip
    """Raise the objective by moving groups of nodes, large ones first, then single nodes; again with other groups.

    Moving single nodes ends where no single one gains; a group of them that belongs elsewhere as a whole is stuck. Each
    cycle splits every cluster anew into groups, these into groups of groups (:func:`subgroups`), and moves the largest
    first; groups of nodes are moved so up to three times, with other groups of theirs. Ends after `n_cycles`, or when a
    cycle raises the objective by less than a share `tolerance`. `labels` (n,) int32, -1 stays, are changed in place,
    and never for the worse; limits are those of :func:`graphcore.partition.local_moving.move_locally`, and no graph
    between groups has many more than `max_entries`. Returns ClusterSums of the labels, but for the cut, and the
    objective after each cycle.

    References
    ----------
    Groups inside clusters are the refinement phase of Traag, Waltman, van Eck, "From Louvain to Leiden", Scientific
    Reports 9, 2019; here the number of clusters is given, and the objective is another.
    """
    limits = {"objective": objective, "min_size": min_size, "min_share": min_share, "tolerance": move_tolerance}
    sums = cluster_sums(rows, labels, n_clusters, n_jobs, counts=constraints.counts)
    values = []
    for _ in range(n_cycles):
        before, kept, moved = sums.value(objective), labels.copy(), deepcopy(sums)
        _cycle(rows, labels, n_clusters, moved, rng, max_entries, n_jobs, constraints, limits)
        value = moved.value(objective)
        if value <= before:  # also where there were no groups to move
            labels[:] = kept
            break
        sums = moved
        values.append(value)
        if not _is_worth_it(before, value, tolerance):
            break
    return sums, values


def _cycle(rows, labels, n_clusters, sums, rng, max_entries, n_jobs, constraints, limits, n_inner=_INNER):
    """One cycle; labels and their sums are changed in place. Those that it is made of are cycles among the groups."""
    most = int(_MAX_SHARE * len(rows.indices))
    most = most if max_entries is None else min(most, max_entries)
    groups, n_groups = subgroups(rows, labels, cluster_resolutions(sums), rng, most, n_jobs)
    if n_groups <= _MAX_SHARE * len(labels):
        between = quotient(rows, groups, n_groups, n_jobs)
        count("most links between groups", len(between.indices), most=True)
        clusters, asked = pick_labels(groups, n_groups, labels), constraints.of_groups(groups, n_groups)
        for _ in range(n_inner):
            before = sums.value(limits["objective"])
            _cycle(between, clusters, n_clusters, sums, rng, max_entries, n_jobs, asked, limits, n_inner=1)
            if not _is_worth_it(before, sums.value(limits["objective"])):
                break
        labels[:] = apply_labels(clusters, groups)
    move_locally(rows, labels, n_clusters, constraints=constraints, sums=sums, in_turns=True, n_jobs=n_jobs, **limits)


def _is_worth_it(before, value, tolerance=_INNER_TOLERANCE):
    """Whether a cycle raised the objective so much that another one may."""
    return value - before >= tolerance * abs(value)


def subgroups(rows, clusters, resolutions, rng, max_entries=None, n_jobs=None):
    """Groups of nodes that belong together inside their cluster: labels (n,) int32, -1 where `clusters` is, and number.

    `resolutions` (n_clusters,) float64 say how many times as dense as by chance a group is. The Generator `rng` draws
    the order of visits, so that every call gives other groups. Where the graph between the groups would have more than
    `max_entries`, by a sample, they are joined once more; if even then, there are no groups: every node is one.
    """
    groups, n_groups = _joined(rows, clusters, resolutions, rng, None, len(clusters), n_jobs)
    if max_entries is not None and estimated_entries(rows, groups, n_groups) > max_entries:
        joined, n_groups = _joined(rows, clusters, resolutions, rng, groups, n_groups, n_jobs)
        groups = apply_labels(joined, groups)
        if estimated_entries(rows, groups, n_groups) > max_entries:
            groups, n_groups = np.where(clusters >= 0, np.arange(len(clusters), dtype=np.int32), -1), len(clusters)
    return groups, n_groups


def _joined(rows, clusters, resolutions, rng, units, n_units, n_jobs):
    """Groups of units inside their clusters, labels (n_units,) int32, and their number; None: every node is a unit."""
    starts, members, of_node, volumes = _NO_STARTS, _NO_NODES, _NO_NODES, rows.degrees.copy()
    if units is not None:
        starts, members = grouped(units, n_units)
        of_node, volumes = units, label_volumes(units, rows.degrees, n_units)
        clusters = pick_labels(units, n_units, clusters)
    count("entries joined", len(rows.indices))
    groups = np.where(clusters >= 0, np.arange(n_units, dtype=np.int32), np.int32(-1))
    total = float(rows.degrees.sum())

    def join(order):
        join_subgroups(
            rows.indptr, rows.indices, rows.weights, total, clusters, resolutions, of_node, starts, members, order,
            groups, volumes,
        )  # fmt: skip

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
    """Numbers 0 to n - 1, blocks of them in random order."""
    starts = rng.permutation(-(-n // _BLOCK)).astype(np.int32) * _BLOCK
    order = (starts[:, None] + np.arange(_BLOCK, dtype=np.int32)).ravel()
    return order[order < n]


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
