"""One of the partitions that a search improves, in rounds."""

import time
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from .._progress import note
from .._threads import check_stopped
from .cluster_sums import cluster_sums
from .constraints import Constraints
from .cycles import move_in_cycles
from .heating import heat
from .local_moving import move_locally
from .quotient import GraphRows, apply_labels, common_refinement, pick_labels, quotient
from .trials import COLD, GROUP_HOT, HOT, form_anew, side_by_side

__all__ = ["Member", "Task"]

# Sweeps of the first heatings, and at most: twice as many after two rounds in which they gained anything. With a time
# limit, one takes no more than this share of it: it takes many newcomers to find the best.
_FEW_SWEEPS, _MAX_SWEEPS = 125, 16_000
_LONGER_AFTER = 2
_MAX_SHARE = 0.1
# In every fourth round the best labels are heated, in others all clusters are formed anew first. So often after that,
# up to so many clusters are dissolved.
_ANEW = 4
_DISSOLVINGS, _MAX_DISSOLVED = 3, 4
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
        self._n_sweeps, self._max_sweeps, self._told = _FEW_SWEEPS, _MAX_SWEEPS, 0.0 if tells else np.inf
        self._gained = False  # by heating
        self._waiting = []  # (rounds of the tournament, (objective, labels)), rounds falling
        sums = cluster_sums(task.rows, labels, task.n_clusters, counts=task.constraints.counts)
        self._smallest = min(int(sums.size.min()), max(1, task.limits["min_size"]))
        self.best, self.found = (sums.value(task.limits["objective"]), labels), []

    def work(self, done):
        """One round, after so many."""
        task, k, before = self._task, self._task.n_clusters, self.best[0]
        is_free = k > 1 and task.constraints.is_free
        anew = self._formed(np.arange(k)) if is_free and done % _ANEW else None
        if anew is None:
            newcomer = self._improved(self._heated(self.best[1].copy()))
        else:
            newcomer = self._join(self._improved(self._heated(self._improved(anew)[1].copy())))
        self.recombined(newcomer, self.best)
        self._gained |= self.best[0] > before
        for _ in range(_DISSOLVINGS if is_free else 0):
            check_stopped()
            if task.is_over():
                break
            n_chosen = int(self._rng.integers(2, _MAX_DISSOLVED + 1))
            formed = self._formed(side_by_side(task.rows, self.best[1], k, n_chosen, self._rng))
            if formed is not None:
                self._improved(formed)
        if (done + 1) % _LONGER_AFTER == 0:
            if self._gained:
                self._n_sweeps = min(2 * self._n_sweeps, self._max_sweeps)
            self._gained = False
        self._tell(done + 1)

    def _join(self, newcomer):
        """Recombine a newcomer with one like it, that with another such result, and so on as in a tournament.

        So what is recombined knows nothing of each other and is about as good; the best gain little from others.
        """
        n_rounds = 0
        while self._waiting and self._waiting[-1][0] == n_rounds and not self._task.is_over():
            newcomer, n_rounds = self.recombined(newcomer, self._waiting.pop()[1]), n_rounds + 1
        self._waiting.append((n_rounds, newcomer))
        return newcomer

    def _formed(self, chosen):
        """The best labels with some clusters dissolved and formed anew; None if that gives too few groups."""
        task = self._task
        return form_anew(
            task.rows, self.best[1], task.n_clusters, chosen, self._rng, task.max_entries, task.constraints, 1,
            task.limits,
        )  # fmt: skip

    def _heated(self, labels):
        """Labels heated and cooled, in place."""
        task, begun, n_sweeps = self._task, time.monotonic(), self._n_sweeps
        temperatures = np.geomspace(HOT, COLD, n_sweeps)
        heat(task.rows, labels, task.n_clusters, temperatures, self._rng, task.is_over, task.constraints, task.limits)
        if task.time_limit is not None:
            longest = _MAX_SHARE * task.time_limit / max(time.monotonic() - begun, 1e-9) * n_sweeps
            self._max_sweeps = int(np.clip(longest, _FEW_SWEEPS, _MAX_SWEEPS))
        return labels

    def recombined(self, *pair):
        """Two (objective, labels) recombined: the groups of nodes that are together in both are heated as wholes."""
        task, (lower, better) = self._task, sorted(pair, key=itemgetter(0))
        groups, n_groups = common_refinement([better[1], lower[1]], task.n_clusters)
        if n_groups <= task.n_clusters:
            return better
        between = quotient(task.rows, groups, n_groups, 1, task.max_entries)
        table, asked = pick_labels(groups, n_groups, better[1]), task.constraints.of_groups(groups, n_groups)
        # The unit of temperatures is the mean weight of an edge end between groups: here it is that of the graph.
        unit = len(between.indices) / len(task.rows.indices)
        temperatures = unit * np.geomspace(GROUP_HOT, COLD, 2 * self._n_sweeps)
        heat(between, table, task.n_clusters, temperatures, self._rng, task.is_over, asked, task.limits)
        return max(better, self._improved(apply_labels(table, groups)), key=itemgetter(0))

    def _improved(self, labels):
        """(Objective, labels) after moves, in place; from then on they are the best if no others are better."""
        task = self._task
        move_locally(
            task.rows, labels, task.n_clusters, tolerance=_MOVE_TOLERANCE, constraints=task.constraints, **task.limits
        )
        sums, _ = move_in_cycles(
            task.rows, labels, task.n_clusters, n_cycles=_MAX_CYCLES, rng=self._rng, tolerance=_CYCLE_TOLERANCE,
            max_entries=task.max_entries, constraints=task.constraints, **task.limits,
        )  # fmt: skip
        if sums.size.min() < self._smallest:
            return -np.inf, labels
        found = sums.value(task.limits["objective"]), labels
        if found[0] > self.best[0]:
            self.best = found
            self.found.append((task.seconds(), found[0]))
        return found

    def _tell(self, rounds):
        """Say now and then how long the rest may take, after so many rounds."""
        task, spent = self._task, self._task.seconds()
        if spent - self._told >= _BETWEEN_NOTES:
            self._told = spent
            left = spent * (task.n_rounds - rounds) / rounds
            note(
                f"about {left if task.time_limit is None else max(0.0, min(left, task.time_limit - spent)):.0f} s left"
            )
