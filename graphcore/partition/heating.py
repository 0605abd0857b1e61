"""Labels heated and cooled: nodes, or groups of nodes, also go to clusters where they belong less."""

from .._threads import check_stopped
from ._heat_loops import heated_sweeps

# Proposals between two looks at whether this is wanted any more.
_AT_ONCE = 1 << 16


def heat(problem, labels, temperatures, rng):
    """A heated sweep for each temperature, in place.

    An edge more or less is worth 1 / volume of a cluster to an objective of shares: temperatures are `n_clusters` as
    high.
    """
    if problem.record.is_per_cluster:
        temperatures = problem.n_clusters * temperatures
    limits, sums = problem.constraints, problem.sums(labels)
    total = float(sums.volume.sum())
    at_once = max(1, _AT_ONCE // len(labels))
    for first in range(0, len(temperatures), at_once):
        check_stopped()
        heated_sweeps(
            *problem.rows, limits.counts, problem.code, temperatures[first : first + at_once], *problem.least(total),
            limits.max_size, limits.max_volume(total, problem.n_clusters), limits.is_fixed, rng, sums.internal,
            sums.volume, sums.size, labels,
        )  # fmt: skip
