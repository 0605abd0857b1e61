"""Labels heated and cooled: those of nodes, and those of groups of nodes."""

import numpy as np

from .._threads import check_stopped
from ._heat_loops import heated_sweeps
from .cluster_sums import cluster_sums, objective_code
from .local_moving import move_locally

__all__ = ["heat", "heated_groups"]

# Proposals between two looks at the time.
_AT_ONCE = 1 << 16
# Groups are heated up to this share of the edge ends that a group has, and cooled to a hundredth of that, several
# times, by so many proposals each; too few sweeps do nothing.
_GROUP_HEAT, _GROUP_COOLING = 0.3, 100.0
_HEATINGS, _PROPOSALS, _LEAST_SWEEPS, _MOST_SWEEPS = 4, 1 << 15, 8, 500


def heat(rows, labels, n_clusters, temperatures, rng, is_over, constraints, limits):
    """A heated sweep for each temperature, in place, until `is_over()`.

    An edge more or less is worth 1 / volume of a cluster to the normalised cut: temperatures are `n_clusters` as high.
    """
    if limits["objective"] == "ncut":
        temperatures = n_clusters * temperatures
    sums = cluster_sums(rows, labels, n_clusters, counts=constraints.counts)
    total = float(sums.volume.sum())
    at_once = max(1, _AT_ONCE // len(labels))
    for first in range(0, len(temperatures), at_once):
        check_stopped()
        if is_over():
            break
        heated_sweeps(
            *rows, constraints.counts, objective_code(limits["objective"]), temperatures[first : first + at_once],
            max(1, limits["min_size"]), limits["min_share"] * total / n_clusters, constraints.max_size,
            constraints.max_volume(total, n_clusters), constraints.is_fixed, rng, sums.internal, sums.volume, sums.size,
            labels,
        )  # fmt: skip


def heated_groups(between, labels, n_clusters, rng, constraints, limits):
    """Labels of groups of nodes, heated and cooled as wholes several times: the best of all, (n_groups,) int32.

    `between` is the graph between the groups. A cluster is few of them, so that what would take moves of many nodes,
    the first of them for the worse, takes one. Where groups are many, labels stay as they are.
    """
    n_sweeps = min(_PROPOSALS // len(labels), _MOST_SWEEPS)
    if n_sweeps < _LEAST_SWEEPS:
        return labels
    hot = _GROUP_HEAT * len(between.indices) / len(labels)
    temperatures = np.geomspace(hot, hot / _GROUP_COOLING, n_sweeps)
    best = cluster_sums(between, labels, n_clusters).value(limits["objective"])
    for _ in range(_HEATINGS):
        trial = labels.copy()
        heat(between, trial, n_clusters, temperatures, rng, lambda: False, constraints, limits)
        sums, _ = move_locally(between, trial, n_clusters, constraints=constraints, **limits)
        if sums.value(limits["objective"]) > best:
            best, labels = sums.value(limits["objective"]), trial
    return labels
