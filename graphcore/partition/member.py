"""One of the partitions that a search improves, in rounds."""

import time
from dataclasses import dataclass

import numpy as np

from .._progress import note
from .._threads import check_stopped
from .cluster_sums import cluster_sums
from .consensus import consensus
from .constraints import Constraints
from .cycles import move_in_cycles
from .heating import heat
from .local_moving import move_locally
from .quotient import GraphRows, apply_labels, common_refinement
from .trials import COLD, HOT, form_anew, side_by_side

__all__ = ["Member", "Task"]

# Sweeps of the first heating, twice as many in each that follows, up to so many: on sparse graphs cooling twice as
# slowly finds more than cooling twice. With a time limit, no heating begins that would take more of what is left.
_FEW_SWEEPS, _MAX_SWEEPS = 125, 16_000
_MOST_OF_REST = 0.8
# So many clusters are dissolved at once, and so many times for each heating; every fourth time all of them are.
_MAX_DISSOLVED = 4
_DISSOLVINGS, _ALL_OF = 16, 4
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
        self._n_sweeps, self._sweep_seconds, self._told = _FEW_SWEEPS, 0.0, 0.0 if tells else np.inf
        sums = cluster_sums(task.rows, labels, task.n_clusters, counts=task.constraints.counts)
        self._smallest = min(int(sums.size.min()), max(1, task.limits["min_size"]))
        self.best, self.found = (sums.value(task.limits["objective"]), labels), []

    def work(self, done):
        """One round, after so many."""
        task, k = self._task, self._task.n_clusters
        self._heat()
        for i in range(_DISSOLVINGS if k > 1 and task.constraints.is_free else 0):
            check_stopped()
            if task.is_over():
                break
            self._tell(done + (1 + i) / (1 + _DISSOLVINGS))
            takes_all, n_chosen = i % _ALL_OF == 0, int(self._rng.integers(2, _MAX_DISSOLVED + 1))
            chosen = np.arange(k) if takes_all else side_by_side(task.rows, self.best[1], k, n_chosen, self._rng)
            formed = form_anew(
                task.rows, self.best[1], k, chosen, self._rng, task.max_entries, task.constraints, 1, task.limits
            )
            if not self.keep_if_better(formed) and takes_all and formed is not None:
                self.keep_if_better(self.crossed(formed))

    def _heat(self):
        """Heat the best labels and cool them, with as many sweeps as there is time for."""
        task, begun, labels = self._task, time.monotonic(), self.best[1].copy()
        n_sweeps = self._n_sweeps
        if self._sweep_seconds > 0.0 and task.time_limit is not None:
            n_sweeps = min(n_sweeps, int(_MOST_OF_REST * (task.time_limit - task.seconds()) / self._sweep_seconds))
        if n_sweeps < _FEW_SWEEPS:
            return
        temperatures = np.geomspace(HOT, COLD, n_sweeps)
        heat(task.rows, labels, task.n_clusters, temperatures, self._rng, task.is_over, task.constraints, task.limits)
        self._sweep_seconds = (time.monotonic() - begun) / n_sweeps
        self._n_sweeps = min(2 * n_sweeps, _MAX_SWEEPS)
        self.keep_if_better(labels)

    def crossed(self, other):
        """The consensus of the best labels and others; None if both are the same."""
        task = self._task
        groups, n_groups = common_refinement([self.best[1], other], task.n_clusters)
        if n_groups <= task.n_clusters:
            return None
        table, _ = consensus(
            task.rows, groups, n_groups, self.best[1], task.n_clusters, rng=self._rng, n_jobs=1,
            max_entries=task.max_entries, constraints=task.constraints, **task.limits,
        )  # fmt: skip
        return apply_labels(table, groups)

    def keep_if_better(self, trial):
        """Improve a trial, if there is one, and take it over if it is better than the best so far."""
        if trial is None:
            return False
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
