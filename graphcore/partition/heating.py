"""Labels heated and cooled: nodes, or groups of nodes, also go to clusters where they belong less."""

from .._threads import check_stopped
from ._heat_loops import heated_sweeps

__all__ = ["heat"]

# Proposals between two looks at the time.
_AT_ONCE = 1 << 16


def heat(problem, labels, temperatures, rng, is_over=lambda: False):
    """A heated sweep for each temperature, in place, until `is_over()`.

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
        if is_over():
            break
        heated_sweeps(
            *problem.rows, limits.counts, problem.code, temperatures[first : first + at_once], *problem.least(total),
            limits.max_size, limits.max_volume(total, problem.n_clusters), limits.is_fixed, rng, sums.internal,
            sums.volume, sums.size, labels,
        )  # fmt: skip
