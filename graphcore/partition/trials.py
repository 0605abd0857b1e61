"""Some clusters of a partition dissolved and formed anew, which ones that may be, and groups of theirs moved."""

from dataclasses import replace

import numpy as np

from .._arrays import read_only
from .._random import draw_by_weight
from .coarse import coarse_partition
from .constraints import Constraints
from .cycles import move_in_cycles, resolutions_of, subgroups
from .quotient import apply_labels, label_sizes, quotient


def form_anew(problem, labels, chosen, rng, n_jobs=None):
    """Labels with the `chosen` clusters dissolved and formed anew, or None if their nodes form too few groups."""
    k = problem.n_clusters
    is_chosen = np.zeros(k, dtype=bool)
    is_chosen[chosen] = True
    inside = (labels >= 0) & is_chosen[labels]
    resolution = np.array([np.median(resolutions_of(problem, problem.sums(labels, n_jobs))[chosen])])
    within = np.where(inside, 0, -1).astype(np.int32)
    groups, n_groups = subgroups(problem.rows, within, resolution, rng, problem.max_links)
    groups, n_groups = _beside(groups, n_groups, labels, np.flatnonzero(~is_chosen), k)
    if n_groups <= k:
        return None
    coarse = problem.between(groups, n_groups, n_jobs, problem.max_links)
    return apply_labels(coarse_partition(coarse, rng, n_jobs), groups)


def side_by_side(problem, labels, n_chosen, rng):
    """A random cluster and others, each drawn by the links to those before: (at most n_chosen,) int64."""
    k = problem.n_clusters
    between = quotient(problem.rows, labels, k)
    chosen, links = [int(rng.integers(k))], np.zeros(k)
    while len(chosen) < min(n_chosen, k):
        row = slice(between.indptr[chosen[-1]], between.indptr[chosen[-1] + 1])
        links[between.indices[row]] += between.weights[row]
        links[chosen] = 0.0
        following = draw_by_weight(links, rng)
        if following < 0:
            break
        chosen.append(following)
    return np.array(chosen)


def cycle_chosen(problem, labels, chosen, rng, n_jobs=None):
    """Move nodes of the `chosen` clusters, one by one and in groups, in place; every other cluster stays, as one node.

    What :func:`move_in_cycles` does, at a cost that goes by these clusters, but for a pass over the graph.
    """
    k = problem.n_clusters
    is_chosen = np.zeros(k, dtype=bool)
    is_chosen[chosen] = True
    nodes, others = np.flatnonzero((labels >= 0) & is_chosen[labels]), np.flatnonzero(~is_chosen)
    groups = np.full(len(labels), -1, dtype=np.int32)
    groups[nodes] = np.arange(len(nodes))
    groups, n_groups = _beside(groups, len(nodes), labels, others, k)
    clusters = np.concatenate([labels[nodes], others.astype(np.int32)])
    held = Constraints(counts=label_sizes(groups, n_groups), is_fixed=read_only(np.arange(n_groups) >= len(nodes)))
    move_in_cycles(replace(problem.between(groups, n_groups, n_jobs), constraints=held), clusters, rng, n_jobs=n_jobs)
    labels[nodes] = clusters[: len(nodes)]


def _beside(groups, n_groups, labels, others, n_clusters):
    """Groups of nodes (n,) int32 with each of some `others` of the clusters as one more group; and their number."""
    numbers = np.full(n_clusters, -1, dtype=np.int32)
    numbers[others] = n_groups + np.arange(len(others))
    is_other = (labels >= 0) & (numbers[labels] >= 0)
    return np.where(is_other, numbers[labels], groups), n_groups + len(others)
