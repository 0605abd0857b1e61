"""One of the partitions that a search improves, in rounds."""

import time
from dataclasses import dataclass

import numpy as np

from .._progress import note
from .._threads import check_stopped
from .cluster_sums import cluster_sums
from .constraints import Constraints
from .cycles import move_in_cycles
from .local_moving import move_locally
from .quotient import GraphRows
from .trials import COLD, HOT, form_anew, heat, side_by_side

__all__ = ["Member", "Task"]

_FEW_SWEEPS, _MAX_SWEEPS = 125, 1000
# So many clusters are dissolved at once, and so many times for each heating.
_MAX_DISSOLVED = 4
_DISSOLVINGS = 16
# Single moves end when a pass moves a smaller share of the nodes; cycles, when one gains a smaller share.
_MOVE_TOLERANCE, _CYCLE_TOLERANCE = 1e-4, 1e-4
_MAX_CYCLES = 20
_BETWEEN_NOTES = 10.0  # seconds


@dataclass(frozen=True)
class Task:
    """What all members of a search work on."""

    rows: GraphRows
    n_clusters: int
    limits: dict
    max_entries: int | None
    constraints: Constraints
    n_rounds: int
    time_limit: float | None
    begun: float  # time.monotonic() then

    def seconds(self):
        """Since it began."""
        return time.monotonic() - self.begun

    def is_over(self):
        """Whether no more may begin."""
        return self.time_limit is not None and self.seconds() >= self.time_limit


class Member:
    """Labels, and how to find better ones: `best` is (objective, labels), `found` a list of (seconds, objective)."""

    def __init__(self, task, labels, rng, tells=False):
        self._task, self._rng = task, rng
        self._n_sweeps, self._told = _FEW_SWEEPS, 0.0 if tells else np.inf
        sums = cluster_sums(task.rows, labels, task.n_clusters, counts=task.constraints.counts)
        self._smallest = min(int(sums.size.min()), max(1, task.limits["min_size"]))
        self.best, self.found = (sums.value(task.limits["objective"]), labels), []

    def work(self, done):
        """One round, after so many."""
        task, k, labels = self._task, self._task.n_clusters, self.best[1].copy()
        temperatures = np.geomspace(HOT, COLD, self._n_sweeps)
        heat(task.rows, labels, k, temperatures, self._rng, task.is_over, task.constraints, task.limits)
        if not self.keep_if_better(labels):
            self._n_sweeps = min(2 * self._n_sweeps, _MAX_SWEEPS)
        for i in range(_DISSOLVINGS if k > 1 and task.constraints.is_free else 0):
            check_stopped()
            if task.is_over():
                break
            self._tell(done + (1 + i) / (1 + _DISSOLVINGS))
            chosen = side_by_side(task.rows, self.best[1], k, int(self._rng.integers(2, _MAX_DISSOLVED + 1)), self._rng)
            formed = form_anew(
                task.rows, self.best[1], k, chosen, self._rng, task.max_entries, task.constraints, 1, task.limits
            )
            if formed is not None:
                self.keep_if_better(formed)

    def keep_if_better(self, trial):
        """Improve a trial, and take it over if it is better than the best so far."""
        task = self._task
        move_locally(
            task.rows, trial, task.n_clusters, tolerance=_MOVE_TOLERANCE, constraints=task.constraints, **task.limits
        )
        sums, _ = move_in_cycles(
            task.rows, trial, task.n_clusters, n_cycles=_MAX_CYCLES, rng=self._rng, tolerance=_CYCLE_TOLERANCE,
            max_entries=task.max_entries, constraints=task.constraints, **task.limits,
        )  # fmt: skip
        value = sums.value(task.limits["objective"])
        if value <= self.best[0] or sums.size.min() < self._smallest:
            return False
        self.best = value, trial
        self.found.append((task.seconds(), value))
        return True

    def _tell(self, rounds):
        """Say now and then how long the rest may take, after so many rounds."""
        task, spent = self._task, self._task.seconds()
        if spent - self._told >= _BETWEEN_NOTES:
            self._told = spent
            left = spent * (task.n_rounds - rounds) / rounds
            note(f"about {left if task.time_limit is None else min(left, task.time_limit - spent):.0f} s left")
