"""What a search tries: labels heated and cooled, a few clusters dissolved and formed anew, groups of theirs moved."""

import numpy as np

from .._arrays import read_only
from .._random import draw_by_weight
from .cluster_sums import cluster_sums
from .consensus import coarse_partition
from .constraints import FREE, Constraints
from .cycles import cluster_resolutions, move_in_cycles, subgroups
from .heating import heat
from .quotient import apply_labels, label_sizes, quotient

__all__ = ["COLD", "GROUP_HOT", "HOT", "cycle_chosen", "form_anew", "heat_once", "side_by_side"]

# Temperatures of a heating: at the first most nodes of a sparse graph wander, at the last hardly any does. A few sweeps
# begin colder: labels are improved, not left behind.
HOT, COLD = 2.0, 0.4
# Groups are worth several edges each.
GROUP_HOT = 4.0
_WARM, _LEAST = 1.5, 0.3
_LIKELY, _SAMPLES = 1.25, 4


def heat_once(
    rows, labels, value, n_clusters, *, n_sweeps, n_cycles, rng, max_entries=None, constraints=FREE, n_jobs=None,
    **limits,
):  # fmt: skip
    """Heat labels a little, cool and improve them by cycles; (better labels, their objective, samples on the way).

    `value` is the objective of `labels`, which stay as they are; `limits` are those of
    :func:`graphcore.partition.search.search`. Samples are labels around temperature 1, at which a partition is as
    frequent as it is likely in the planted model: as many of their nodes agree with a partition as are right in it.
    """
    trial, samples = labels.copy(), []
    temperatures = np.geomspace(_WARM, _LEAST, n_sweeps)
    middle = np.searchsorted(-temperatures, -_LIKELY)
    for some in np.split(temperatures, np.arange(middle, middle + _SAMPLES)):
        heat(rows, trial, n_clusters, some, rng, lambda: False, constraints, limits)
        samples.append(trial.copy())
    sums, _ = move_in_cycles(
        rows, trial, n_clusters, n_cycles=n_cycles, rng=rng, max_entries=max_entries, constraints=constraints,
        n_jobs=n_jobs, **limits,
    )  # fmt: skip
    reached = sums.value(limits["objective"])
    return *((trial, reached) if reached > value else (labels, value)), samples[:-1]


def form_anew(rows, labels, n_clusters, chosen, rng, max_entries, constraints, n_jobs, limits):
    """Labels with the `chosen` clusters dissolved and formed anew, or None if their nodes form too few groups."""
    sums = cluster_sums(rows, labels, n_clusters, n_jobs)
    is_chosen = np.zeros(n_clusters, dtype=bool)
    is_chosen[chosen] = True
    inside = (labels >= 0) & is_chosen[labels]
    resolution = np.array([np.median(cluster_resolutions(sums)[chosen])])
    groups, n_groups = subgroups(rows, np.where(inside, 0, -1).astype(np.int32), resolution, rng, max_entries)
    groups, n_groups = _beside(groups, n_groups, labels, np.flatnonzero(~is_chosen), n_clusters)
    if n_groups <= n_clusters:
        return None
    between = quotient(rows, groups, n_groups, n_jobs, max_entries)
    table = coarse_partition(between, constraints.sizes(groups, n_groups), n_clusters, rng=rng, n_jobs=n_jobs, **limits)
    return apply_labels(table, groups)


def cycle_chosen(rows, labels, n_clusters, chosen, rng, n_cycles, max_entries, n_jobs, limits):
    """Move nodes of the `chosen` clusters, one by one and in groups, in place; every other cluster stays, as one node.

    What :func:`move_in_cycles` does, at a cost that goes by these clusters, but for a pass over the graph.
    """
    is_chosen = np.zeros(n_clusters, dtype=bool)
    is_chosen[chosen] = True
    nodes, others = np.flatnonzero((labels >= 0) & is_chosen[labels]), np.flatnonzero(~is_chosen)
    groups = np.full(len(labels), -1, dtype=np.int32)
    groups[nodes] = np.arange(len(nodes))
    groups, n_groups = _beside(groups, len(nodes), labels, others, n_clusters)
    clusters = np.concatenate([labels[nodes], others.astype(np.int32)])
    held = Constraints(counts=label_sizes(groups, n_groups), is_fixed=read_only(np.arange(n_groups) >= len(nodes)))
    move_in_cycles(
        quotient(rows, groups, n_groups, n_jobs), clusters, n_clusters, n_cycles=n_cycles, rng=rng,
        max_entries=max_entries, constraints=held, n_jobs=n_jobs, **limits,
    )  # fmt: skip
    labels[nodes] = clusters[: len(nodes)]


def _beside(groups, n_groups, labels, others, n_clusters):
    """Groups of nodes (n,) int32 with each of some `others` of the clusters as one more group; and their number."""
    numbers = np.full(n_clusters, -1, dtype=np.int32)
    numbers[others] = n_groups + np.arange(len(others))
    is_other = (labels >= 0) & (numbers[labels] >= 0)
    return np.where(is_other, numbers[labels], groups), n_groups + len(others)


def side_by_side(rows, labels, n_clusters, n_chosen, rng):
    """A random cluster and others, each drawn by the links to those before: (at most n_chosen,) int64."""
    between = quotient(rows, labels, n_clusters)
    n_chosen = min(n_chosen, n_clusters)
    chosen, links = [int(rng.integers(n_clusters))], np.zeros(n_clusters)
    while len(chosen) < n_chosen:
        row = slice(between.indptr[chosen[-1]], between.indptr[chosen[-1] + 1])
        links[between.indices[row]] += between.weights[row]
        links[chosen] = 0.0
        chosen.append(draw_by_weight(links, rng))
        if chosen[-1] < 0:
            return np.array(chosen[:-1])
    return np.array(chosen)
