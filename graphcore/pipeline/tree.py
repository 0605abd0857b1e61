"""The merge tree beneath a partition."""

from ..partition.merge import hierarchy
from ..partition.quotient import common_refinement, compact_labels, label_sizes, max_links, pick_labels, quotient


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
    linkage = settings.record if settings.overcluster is None else "average"
    return hierarchy(group_graph, sizes, table, n_used, linkage=linkage)
