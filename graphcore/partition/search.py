"""Search for a better partition for as long as wanted: clusters are heated, or dissolved and formed anew."""

import time
from contextlib import nullcontext
from dataclasses import dataclass
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from .._arrays import read_only
from .._progress import note
from .._threads import check_stopped, map_items
from .._warn import warn_user
from ._heat_loops import heated_sweep
from .cluster_sums import cluster_sums, objective_code
from .consensus import coarse_partition, consensus
from .constraints import FREE, Constraints
from .cycles import cluster_resolutions, move_in_cycles, subgroups
from .local_moving import move_locally
from .quotient import GraphRows, apply_labels, common_refinement, label_sizes, quotient

__all__ = ["SearchSteps", "form_anew", "heat_once", "search"]

# Temperatures of a heating: at the first most nodes of a sparse graph wander, at the last hardly any does.
_HOT, _COLD = 2.0, 0.3
_MAX_SWEEPS = 1000
# The few sweeps of the default begin colder: labels are improved, not left behind.
_WARM = 1.5
# A fixed number, so that labels do not depend on that of threads.
_MEMBERS = 2
# So many clusters are dissolved at once, and so many times for each heating.
_MAX_DISSOLVED = 4
_DISSOLVINGS = 16
# Single moves end when a pass moves a smaller share of the nodes; cycles, when one gains a smaller share.
_MOVE_TOLERANCE, _CYCLE_TOLERANCE = 1e-4, 1e-4
_MAX_CYCLES = 20
_BETWEEN_NOTES = 10.0  # seconds


class SearchSteps(NamedTuple):
    """What a search found on the way."""

    seconds: np.ndarray  # (n_steps,) float64: since the search began, when the objective rose
    values: np.ndarray  # (n_steps,) float64: the objective then; the first is that of the start, at 0
    n_rounds: int  # rounds that were finished


def search(
    rows, labels, n_clusters, *, n_rounds, rng, time_limit=None, objective="information", min_size=1, min_share=0.0,
    max_entries=None, constraints=FREE, n_jobs=None, announced=None,
):  # fmt: skip
    """Look for a partition of higher objective in rounds; `labels` (n,) int32, -1 stays, are changed in place.

    Two members begin with the same labels, each with random numbers of its own, and work side by side in two threads.
    In a round each of them heats its labels, with more sweeps in each round that found nothing better by it, and then
    dissolves 2 to 4 clusters that lie side by side 16 times: their nodes form groups without regard to the old borders,
    and these are merged anew. Whatever comes out is improved by cycles (:func:`move_in_cycles`), and kept if the
    objective is higher. Then the consensus of both members, which has what each has found in another place, takes the
    place of the worse one if it is better. Ends after `n_rounds`, or with the first step after `time_limit` seconds;
    Ctrl-C ends it with the best so far and a warning. Under `constraints` that are not free nothing is dissolved, and
    there is one member. `announced(number)` gives a context that each round runs in. With a time limit, labels depend
    on the speed of the machine; without one, not on `n_jobs`.

    Returns
    -------
    SearchSteps

    References
    ----------
    Members that are recombined by what they agree on: Sanders, Schulz, "Distributed evolutionary graph partitioning",
    ALENEX 2012.
    """
    limits = {"objective": objective, "min_size": min_size, "min_share": min_share}
    n_members = _MEMBERS if n_clusters > 1 and constraints.is_free else 1
    task = _Task(rows, n_clusters, limits, max_entries, constraints, n_rounds, time_limit, time.monotonic())
    value = cluster_sums(rows, labels, n_clusters, n_jobs, counts=constraints.counts).value(objective)
    members = [_Member(task, labels.copy(), value, own) for own in rng.spawn(n_members)]
    found, done = [(0.0, value)], 0
    try:
        while done < n_rounds and not task.is_over():
            with nullcontext() if announced is None else announced(done + 1):
                map_items(lambda member, done=done: member.work(done), members, n_jobs)
                if n_members > 1 and not task.is_over():
                    _recombine(members, rng, n_jobs)
            done += 1
    except KeyboardInterrupt:
        warn_user(f"interrupted in round {done + 1} of {n_rounds} of the search: the best labels so far are returned")
    best = max((member.best for member in members), key=itemgetter(0))
    labels[:] = best[1]
    for step in sorted(step for member in members for step in member.found):
        if step[1] > found[-1][1]:
            found.append(step)
    seconds, values = np.array(found).T
    return SearchSteps(read_only(seconds), read_only(values), done)


@dataclass(frozen=True)
class _Task:
    """What all members of a search work on."""

    rows: GraphRows
    n_clusters: int
    limits: dict
    max_entries: int | None
    constraints: Constraints
    n_rounds: int
    time_limit: float | None
    begun: float

    def seconds(self):
        return time.monotonic() - self.begun

    def is_over(self):
        return self.time_limit is not None and self.seconds() >= self.time_limit


class _Member:
    """One of the partitions that a search improves."""

    def __init__(self, task, labels, value, rng):
        self._task, self._rng = task, rng
        self._n_sweeps, self._told = max(1, _MAX_SWEEPS // 8), 0.0
        self._n_dissolvings = _DISSOLVINGS if task.n_clusters > 1 and task.constraints.is_free else 0
        sizes = label_sizes(labels[labels >= 0], task.n_clusters)
        self._smallest = min(int(sizes.min()), max(1, task.limits["min_size"]))
        self.best, self.found = (value, labels), []

    def work(self, done):
        """One round, after so many."""
        task = self._task
        if not self.keep_if_better(self._heated()):
            self._n_sweeps = min(2 * self._n_sweeps, _MAX_SWEEPS)
        for i in range(self._n_dissolvings):
            if task.is_over():
                break
            check_stopped()
            self._tell(done + (1 + i) / (1 + self._n_dissolvings))
            formed = _formed_anew(
                task.rows, self.best[1], task.n_clusters, self._rng, task.max_entries, task.constraints, 1, task.limits
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

    def _heated(self):
        task, labels = self._task, self.best[1].copy()
        temperatures = np.geomspace(_HOT, _COLD, self._n_sweeps)
        _heat(task.rows, labels, task.n_clusters, temperatures, self._rng, task.is_over, task.constraints, task.limits)
        return labels

    def _tell(self, rounds):
        """Say now and then how long the rest may take, after so many rounds."""
        task, spent = self._task, self._task.seconds()
        if spent - self._told >= _BETWEEN_NOTES:
            self._told = spent
            left = spent * (task.n_rounds - rounds) / rounds
            note(f"about {left if task.time_limit is None else min(left, task.time_limit - spent):.0f} s left")


def _recombine(members, rng, n_jobs):
    """The consensus of two members takes the place of the worse one, if it is better."""
    task = members[0]._task
    better, worse = sorted(members, key=lambda member: -member.best[0])
    groups, n_groups = common_refinement([member.best[1] for member in members], task.n_clusters)
    if n_groups <= task.n_clusters:
        return
    table, _ = consensus(
        task.rows, groups, n_groups, better.best[1], task.n_clusters, rng=rng, n_jobs=n_jobs,
        max_entries=task.max_entries, constraints=task.constraints, **task.limits,
    )  # fmt: skip
    worse.keep_if_better(apply_labels(table, groups))


def heat_once(
    rows, labels, value, n_clusters, *, n_sweeps, n_cycles, rng, max_entries=None, constraints=FREE, n_jobs=None,
    **limits,
):  # fmt: skip
    """Heat labels a little, cool and improve them by cycles, in place if that raises the objective; returns it.

    `value` is the objective of `labels`; `limits` are those of :func:`search`.
    """
    trial = labels.copy()
    _heat(rows, trial, n_clusters, np.geomspace(_WARM, _COLD, n_sweeps), rng, lambda: False, constraints, limits)
    sums, _ = move_in_cycles(
        rows, trial, n_clusters, n_cycles=n_cycles, rng=rng, max_entries=max_entries, constraints=constraints,
        n_jobs=n_jobs, **limits,
    )  # fmt: skip
    if sums.value(limits["objective"]) <= value:
        return value
    labels[:] = trial
    return sums.value(limits["objective"])


def _heat(rows, labels, n_clusters, temperatures, rng, is_over, constraints, limits):
    """A heated sweep for each temperature, in place."""
    sums = cluster_sums(rows, labels, n_clusters, counts=constraints.counts)
    total = float(sums.volume.sum())
    for temperature in temperatures:
        check_stopped()
        if is_over():
            break
        heated_sweep(
            *rows, constraints.counts, objective_code(limits["objective"]), temperature, max(1, limits["min_size"]),
            limits["min_share"] * total / n_clusters, constraints.max_size, constraints.max_volume(total, n_clusters),
            constraints.is_fixed, rng, sums.internal, sums.volume, sums.size, labels,
        )  # fmt: skip


def _formed_anew(rows, labels, n_clusters, rng, max_entries, constraints, n_jobs, limits):
    """Labels with a few clusters that lie side by side dissolved and formed anew, or None."""
    chosen = _side_by_side(rows, labels, n_clusters, min(int(rng.integers(2, _MAX_DISSOLVED + 1)), n_clusters), rng)
    return form_anew(rows, labels, n_clusters, chosen, rng, max_entries, constraints, n_jobs, limits)


def form_anew(rows, labels, n_clusters, chosen, rng, max_entries, constraints, n_jobs, limits):
    """Labels with the `chosen` clusters dissolved and formed anew, or None if their nodes form too few groups."""
    sums = cluster_sums(rows, labels, n_clusters, n_jobs)
    is_chosen = np.zeros(n_clusters, dtype=bool)
    is_chosen[chosen] = True
    inside = (labels >= 0) & is_chosen[labels]
    resolution = np.array([np.median(cluster_resolutions(sums)[chosen])])
    groups, n_groups = subgroups(rows, np.where(inside, 0, -1).astype(np.int32), resolution, rng, max_entries)
    # Every other cluster is one group.
    others = np.flatnonzero(~is_chosen)
    numbers = np.full(n_clusters, -1, dtype=np.int32)
    numbers[others] = n_groups + np.arange(len(others))
    groups = np.where(inside | (labels < 0), groups, numbers[labels])
    n_groups += len(others)
    if n_groups <= n_clusters:
        return None
    between = quotient(rows, groups, n_groups, n_jobs, max_entries)
    table = coarse_partition(between, constraints.sizes(groups, n_groups), n_clusters, rng=rng, n_jobs=n_jobs, **limits)
    return apply_labels(table, groups)


def _side_by_side(rows, labels, n_clusters, n_chosen, rng):
    """A random cluster and others, each drawn by the links to those before: (at most n_chosen,) int64."""
    between = quotient(rows, labels, n_clusters)
    chosen, links = [int(rng.integers(n_clusters))], np.zeros(n_clusters)
    while len(chosen) < n_chosen:
        row = slice(between.indptr[chosen[-1]], between.indptr[chosen[-1] + 1])
        links[between.indices[row]] += between.weights[row]
        links[chosen] = 0.0
        if not links.any():
            break
        chosen.append(int(rng.choice(n_clusters, p=links / links.sum())))
    return np.array(chosen)
