"""Several labellings of the same nodes: their consensus, and how far they agree with it."""

from operator import itemgetter

import numpy as np

from .._threads import map_items
from .constraints import FREE, Constraints
from .heating import heated_groups
from .local_moving import move_locally
from .merge import agglomerate, merge_rounds
from .quotient import apply_labels, contingency, label_sizes, pick_labels, quotient
from .sizes import grow_small_clusters

__all__ = ["coarse_partition", "consensus", "match_clusters", "matched_clusters", "stability"]

# Merging goes down to this many clusters for each one asked for, then groups are moved, then merging goes on.
_HALFWAY = 8
# Share of the clusters united in a round while there are more than that: early pairs are safe.
_EARLY_SHARE = 0.6
# Moves of groups end when a pass moves a smaller share of them.
_TOLERANCE = 0.002
# The last moves of groups end at this share: moves of single nodes follow and do the rest.
_LAST_TOLERANCE = 1e-4
# Up to this many entries, merging one pair at a time costs next to nothing, and is tried as well.
_SMALL_ENTRIES = 1 << 18


def coarse_partition(rows, sizes, n_clusters, *, objective, min_size=1, min_share=0.0, rng=None, n_jobs=None):
    """Partition groups of nodes: merge, move groups, merge on, move groups again; returns labels (n,) int32.

    `rows` is the quotient graph of the groups, `sizes` (n,) int64 the nodes in each. Clusters of fewer than `min_size`
    nodes are merged before all others, and moves make none; moves leave every cluster at least `min_share` of the mean
    volume. The Generator `rng` draws the order of visits.
    """
    n = len(rows.degrees)
    halfway = _HALFWAY * n_clusters
    limits = {"objective": objective, "min_size": min_size, "min_share": min_share}
    # Stopping halfway to move micro-clusters keeps clusters of weight apart, which the pure cut does not look for.
    if halfway >= n or (objective == "ncut" and len(rows.indices) <= _SMALL_ENTRIES):
        labels = _merge(rows, sizes, n_clusters, **limits, n_jobs=n_jobs)
    else:
        early = {"objective": objective, "share": _EARLY_SHARE, "min_size": min_size}
        labels = merge_rounds(rows, sizes, halfway, **early, n_jobs=n_jobs)
        order = rng.permutation(n)
        moves = {"objective": objective, "min_share": min_share, "tolerance": _TOLERANCE}
        move_locally(rows, labels, halfway, order=order, n_passes=10, **moves)
        between = quotient(rows, labels, halfway, n_jobs)
        counts = np.bincount(labels, weights=sizes, minlength=halfway).astype(np.int64)
        labels = _merge(between, counts, n_clusters, **limits, n_jobs=n_jobs)[labels]
    grow_small_clusters(rows, labels, n_clusters, min_size, counts=sizes)
    order = rng.permutation(n)
    sums, _ = move_locally(
        rows, labels, n_clusters, order=order, n_passes=20, tolerance=_TOLERANCE, counts=sizes, **limits
    )
    # Found with the first groups, as a rule.
    has_inner = any(x in rows.indices[rows.indptr[x] : rows.indptr[x + 1]] for x in range(n))
    if objective == "information" and not has_inner:
        # Single nodes, whatever they count, have no weight inside, and on graphs where all weights are alike the first
        # unions then show nothing. What the normalised cut makes of them is tried too.
        other, _, _ = agglomerate(rows, sizes, n_clusters, linkage="ncut", min_size=min_size)
        grow_small_clusters(rows, other, n_clusters, min_size, counts=sizes)
        other_sums, _ = move_locally(rows, other, n_clusters, n_passes=20, tolerance=_TOLERANCE, counts=sizes, **limits)
        if other_sums.value(objective) > sums.value(objective):
            return other
    return labels


def _merge(rows, sizes, n_clusters, *, objective, min_size, min_share, n_jobs):
    """Merge in rounds, and on small graphs one pair at a time as well; move groups; return the better partition."""

    def start(in_rounds):
        if in_rounds:
            labels = merge_rounds(rows, sizes, n_clusters, objective=objective, min_size=min_size, n_jobs=n_jobs)
        else:
            labels = agglomerate(rows, sizes, n_clusters, linkage=objective, min_size=min_size)[0]
        limits = {"objective": objective, "min_size": min_size, "min_share": min_share}
        sums, _ = move_locally(rows, labels, n_clusters, n_passes=20, counts=sizes, **limits)
        return sums.value(objective), labels

    starts = (True, False) if len(rows.indices) <= _SMALL_ENTRIES else (True,)
    return max(map_items(start, starts, n_jobs), key=itemgetter(0))[1]


def consensus(
    rows, groups, n_groups, labels, n_clusters, *, objective, min_size=1, min_share=0.0, rng=None, n_jobs=None,
    max_entries=None, constraints=FREE,
):  # fmt: skip
    """Partition the common refinement of several labellings: the groups of nodes that are together in all of them.

    Two starts are tried, the best of the labellings (`labels`, whose clusters no group crosses) and a partition of the
    groups from scratch; both are improved by moving whole groups, and the better one is heated and cooled; one whose
    clusters have the least size is better than one with smaller or empty clusters. What is returned is never worse than
    the labelling given, if that has no such clusters. Returns the clusters of the groups, (n_groups,) int32, and the
    graph between the groups, which :func:`graphcore.partition.quotient.quotient` makes with `max_entries`. Of
    `constraints` only the counts are used.
    """
    between = quotient(rows, groups, n_groups, n_jobs, max_entries)
    sizes = constraints.sizes(groups, n_groups)
    limits = {"objective": objective, "min_size": min_size, "min_share": min_share}
    # Drawn before the starts are worked on side by side.
    orders = rng.permutation(n_groups), rng.permutation(n_groups)

    def improved(start):
        table = (
            pick_labels(groups, n_groups, labels)
            if start == 0
            else coarse_partition(between, sizes, n_clusters, rng=rng, n_jobs=n_jobs, **limits)
        )
        moves = {"order": orders[start], "tolerance": _LAST_TOLERANCE, "counts": sizes}
        sums, _ = move_locally(between, table, n_clusters, **moves, **limits)
        return (bool(sums.size.min() >= min_size), sums.value(objective)), table

    (kept, first), (scratch, second) = map_items(improved, range(2), n_jobs)
    better = first if kept >= scratch else second
    return heated_groups(between, better, n_clusters, rng, Constraints(counts=sizes), limits), between


def stability(labels, labellings, n_clusters, n_jobs=None):
    """How far several labellings agree with a final one (n,) int32, -1 for nodes outside.

    The clusters of each labelling are matched one to one to the final clusters, so that as many nodes as possible
    agree. Returns, for nodes (n,) float32, the share of the labellings that agree with the final label (0 for nodes
    outside), and for clusters (n_clusters,) float64 the mean Jaccard index of the final cluster with those matched to
    it.
    """
    sizes = label_sizes(labels, n_clusters)

    def agreement(other):
        common = contingency(labels, other, n_clusters)
        matched = match_clusters(common)
        shared = common[np.arange(n_clusters), matched]
        union = sizes + np.asarray(common.sum(axis=0))[matched] - shared
        jaccard = np.divide(shared, union, out=np.zeros(n_clusters), where=union > 0)
        return apply_labels(matched, labels) == other, jaccard

    nodes = np.zeros(len(labels), dtype=np.float32)
    clusters = np.zeros(n_clusters)
    for agree, jaccard in map_items(agreement, labellings, n_jobs):
        nodes += agree
        clusters += jaccard
    nodes[labels < 0] = 0.0
    nodes /= len(labellings)
    return nodes, clusters / len(labellings)


def matched_clusters(labels, others, n_clusters):
    """Labels with clusters renumbered so that as many nodes as possible have the label of `others` (-1: none)."""
    return apply_labels(match_clusters(contingency(labels, others, n_clusters)), labels)


def match_clusters(common):
    """For every row of a contingency table a column of its own, with as large a sum as possible."""
    import scipy.sparse as sp
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    n = common.shape[0]
    # A row may share nothing with any column that is left: it then takes a stand-in, worth less than any node.
    padded = sp.hstack([common.astype(np.float64), sp.diags_array(np.full(n, 0.5 / n))], format="csr")
    _, columns = min_weight_full_bipartite_matching(padded, maximize=True)
    alone = columns >= n
    matched = np.where(alone, -1, columns).astype(np.int32)
    matched[alone] = np.setdiff1d(np.arange(n), columns)[: np.count_nonzero(alone)]
    return matched
