"""The merge tree beneath a partition, and what becomes of clusters that are cut in halves by it and merged anew."""

from ..partition.cluster_sums import cluster_sums
from ..partition.local_moving import move_locally
from ..partition.merge import agglomerate, hierarchy
from ..partition.quotient import apply_labels, common_refinement, compact_labels, label_sizes, pick_labels, quotient
from .run import limits, max_links

__all__ = ["leaves_of", "merge_tree", "merged_from_halves"]

_TOLERANCE = 1e-3
_ROUNDS = 4


def leaves_of(rows, merged, labels, n_clusters):
    """What was merged (None: nothing), divided by the clusters: groups of the nodes, their clusters, their graph."""
    parts, most = ([], 0) if merged is None else ([merged], int(merged.max()) + 1)
    groups, n_groups = common_refinement([*parts, labels], max(most, n_clusters))
    return groups, pick_labels(groups, n_groups, labels), quotient(rows, groups, n_groups, max_entries=max_links(rows))


def merge_tree(settings, groups, group_labels, group_graph):
    """MergeTree over the leaves, through the clusters that hold nodes."""
    table = group_labels.copy()
    n_used = compact_labels(table, settings.n_clusters)
    sizes = label_sizes(groups, len(table))
    linkage = settings.objective if settings.overcluster is None else "average"
    return hierarchy(group_graph, sizes, table, n_used, linkage=linkage)


def merged_from_halves(rows, merged, labels, value, settings, constraints, n_jobs):
    """Labels and objective after clusters were cut in halves and merged anew; as they were if that raises nothing.

    Where one cluster is really two, and another one is made of what was left over, no move of nodes or of groups mends
    it. The merge tree tells the halves: that of `merged`, which the clusters were merged from, cut at twice as many.
    Of `constraints` only the counts are used.
    """
    k = settings.n_clusters
    moves = {"constraints": constraints, "tolerance": _TOLERANCE, "in_turns": True, "n_jobs": n_jobs}
    for _ in range(_ROUNDS):
        groups, group_labels, between = leaves_of(rows, merged, labels, k)
        tree = merge_tree(settings, groups, group_labels, between)
        n_halves = min(2 * k, tree.n_leaves)
        halves = apply_labels(tree.labels_at(n_halves), groups)
        move_locally(rows, halves, n_halves, objective=settings.objective, **moves)
        between, sizes = quotient(rows, halves, n_halves, n_jobs), constraints.sizes(halves, n_halves)
        table, _, _ = agglomerate(between, sizes, k, linkage=settings.objective, min_size=settings.min_cluster_size)
        if cluster_sums(between, table, k).value(settings.objective) <= value:
            break
        labels = apply_labels(table, halves)
        sums, _ = move_locally(rows, labels, k, **moves, **limits(settings))
        value = sums.value(settings.objective)
    return labels, value
