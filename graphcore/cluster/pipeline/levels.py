"""The merge tree of a fit, and nested levels: from its clusters to coarser ones, and back to finer ones inside them."""

from dataclasses import replace

import numpy as np

from ...base.arrays import read_only
from ...graphs.rows import GraphRows
from ..partition.improve import coarse_partition, improve
from ..partition.merge import hierarchy
from ..partition.quotient import (
    apply_labels,
    common_refinement,
    compact_labels,
    label_sizes,
    max_links,
    pick_labels,
    quotient,
)
from .drafts import Draft
from .loop import find_partition

# Coarse levels are made of the fit's clusters in so many parts each: whole ones fit no other level, and nodes would
# leave the finest level too little (k = 1,000 on an LFR graph: .945 of J instead of .982; 10 clusters .95 with wholes).
_PARTS = 4


def nested_levels(problem, labels, leaves, tree, counts, streams, n_jobs=None):
    """(the finest level as a Partition, for each coarser one the clusters of its clusters, (n_levels - 1, k) int32).

    `labels` are the finest level as found by itself, `leaves` groups with their clusters and graph, `tree` their
    MergeTree, and `counts` the numbers of clusters, ascending. The coarsest level is found on the graph between parts
    of the clusters, and each finer one inside the one before, the finest node by node.
    """
    n_units = min(_PARTS * counts[-1], tree.n_leaves)
    groups, group_labels, group_graph = leaves
    constraints = problem.constraints.of_groups(groups, len(group_labels))
    units = tree.labels_at(n_units)
    coarse = replace(problem, rows=group_graph, constraints=constraints).between(units, n_units, n_jobs)
    top = replace(coarse, n_clusters=counts[0])

    def make_draft(number, earlier, best, streams, n_jobs, stages):
        return Draft(coarse_partition(top, streams.generator("merging"), n_jobs=n_jobs))

    found = find_partition(top, make_draft, streams, max_drafts=2, n_jobs=n_jobs)
    levels, rng = [found.best.labels], streams.generator("levels")
    for k in counts[1:-1]:
        each = np.arange(n_units, dtype=np.int32)
        levels.append(_divided(replace(coarse, n_clusters=k), each, levels[-1], rng, n_jobs).labels)
    above = [apply_labels(level[units], groups) for level in levels]
    finest = _divided(problem, labels, above[-1], rng, n_jobs)
    return finest, np.array([pick_labels(finest.labels, counts[-1], level) for level in above])


def _divided(problem, labels, above, rng, n_jobs):
    """Partition into the clusters asked for, each inside one of those `above`, made of what these leave of `labels`.

    Moves see the edges inside clusters above alone, with the degrees of all: what lies inside nested clusters is the
    same, and no move leads out.
    """
    n_above = int(above.max()) + 1
    groups, n_groups = common_refinement([labels, above], max(int(labels.max()) + 1, n_above))
    between = problem.between(groups, n_groups, n_jobs)
    sizes = np.bincount(groups[groups >= 0], minlength=n_groups)
    tree = hierarchy(between.rows, sizes, pick_labels(groups, n_groups, above), n_above, linkage=problem.objective)
    inside = replace(problem, rows=_inside(problem.rows, above))
    return improve(inside, apply_labels(tree.labels_at(problem.n_clusters), groups), rng, n_jobs)


def _inside(rows, labels):
    """Return the rows without edges between different labels; degrees stay."""
    kept = np.repeat(labels, np.diff(rows.indptr)) == labels[rows.indices]
    indptr = np.concatenate([[0], np.cumsum(kept)])[rows.indptr].astype(rows.indptr.dtype)
    weights = rows.weights[kept] if len(rows.weights) else rows.weights
    return GraphRows(*map(read_only, (indptr, rows.indices[kept], weights, rows.degrees)))


def leaves_of(rows, cells, labels, n_clusters):
    """The cells (None: there are none), divided by the clusters: groups of the nodes, their clusters, their graph."""
    parts, most = ([], 0) if cells is None else ([cells], int(cells.max()) + 1)
    groups, n_groups = common_refinement([*parts, labels], max(most, n_clusters))
    return groups, pick_labels(groups, n_groups, labels), quotient(rows, groups, n_groups, max_entries=max_links(rows))


def merge_tree(settings, leaves, levels=None):
    """MergeTree over the leaves, through the clusters that hold nodes and the coarser `levels` of them."""
    groups, group_labels, group_graph = leaves
    table = group_labels.copy()
    n_used = compact_labels(table, settings.n_clusters)
    sizes = label_sizes(groups, len(table))
    linkage = "average" if settings.published else settings.record
    below, above = np.unique(group_labels), []  # a cluster of the fit in each of the level below
    for level in () if levels is None else levels[::-1]:
        _, first, clusters = np.unique(level[below], return_index=True, return_inverse=True)
        above.append((clusters.astype(np.int32), len(first)))
        below = below[first]
    return hierarchy(group_graph, sizes, table, n_used, linkage=linkage, above=above)
