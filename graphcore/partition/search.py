"""Search for a better partition for as long as wanted: clusters are heated, or dissolved and formed anew."""

import time
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np

from .._arrays import read_only
from .._progress import note
from .._warn import warn_user
from ._heat_loops import heated_sweep
from .cluster_sums import cluster_sums, objective_code
from .consensus import coarse_partition
from .constraints import FREE, Constraints
from .cycles import cluster_resolutions, move_in_cycles, subgroups
from .local_moving import move_locally
from .quotient import apply_labels, label_sizes, quotient

__all__ = ["SearchSteps", "cycle_chosen", "form_anew", "search"]

# Temperatures of a heating: at the first most nodes of a sparse graph wander, at the last hardly any does.
_HOT, _COLD = 2.0, 0.3
_MAX_SWEEPS = 1000
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

    A round heats the best labels so far, with more sweeps in each round that found nothing better by it, and then
    dissolves 2 to 4 clusters that lie side by side 16 times: their nodes form groups without regard to the old borders,
    and these are merged anew. Whatever comes out is improved by cycles (:func:`move_in_cycles`), and kept if the
    objective is higher. Ends after `n_rounds`, or with the first step after `time_limit` seconds; Ctrl-C ends it with
    the best so far and a warning. Under `constraints` that are not free nothing is dissolved. `announced(number)` gives
    a context that each round runs in. With a time limit, labels depend on the speed of the machine.

    Returns
    -------
    SearchSteps
    """
    begun = time.monotonic()
    limits = {"objective": objective, "min_size": min_size, "min_share": min_share}
    sums = cluster_sums(rows, labels, n_clusters, n_jobs, counts=constraints.counts)
    best, smallest = sums.value(objective), min(int(sums.size.min()), max(1, min_size))
    found, n_sweeps, done, told = [(0.0, best)], max(1, _MAX_SWEEPS // 8), 0, 0.0
    n_dissolvings = _DISSOLVINGS if n_clusters > 1 and constraints.is_free else 0

    def is_over():
        return time_limit is not None and time.monotonic() - begun >= time_limit

    def tell(steps):
        """Say now and then how long the rest may take, after so many of a round's steps."""
        nonlocal told
        spent = time.monotonic() - begun
        if spent - told >= _BETWEEN_NOTES:
            told = spent
            rounds = done + steps / (1 + n_dissolvings)
            left = spent * (n_rounds - rounds) / rounds
            note(f"about {left if time_limit is None else min(left, time_limit - spent):.0f} s left")

    def keep_if_better(trial):
        """Improve a trial, and take it over if it is better than the best so far."""
        nonlocal best
        move_locally(rows, trial, n_clusters, tolerance=_MOVE_TOLERANCE, constraints=constraints, **limits)
        sums, _ = move_in_cycles(
            rows, trial, n_clusters, n_cycles=_MAX_CYCLES, rng=rng, tolerance=_CYCLE_TOLERANCE, max_entries=max_entries,
            constraints=constraints, n_jobs=n_jobs, **limits,
        )  # fmt: skip
        value = sums.value(objective)
        if value <= best or sums.size.min() < smallest:
            return False
        best = value
        labels[:] = trial
        found.append((time.monotonic() - begun, best))
        return True

    try:
        while done < n_rounds and not is_over():
            with nullcontext() if announced is None else announced(done + 1):
                heated = labels.copy()
                _heat(rows, heated, n_clusters, n_sweeps, rng, is_over, constraints, limits)
                if not keep_if_better(heated):
                    n_sweeps = min(2 * n_sweeps, _MAX_SWEEPS)
                for i in range(n_dissolvings):
                    if is_over():
                        break
                    tell(1 + i)
                    formed = _formed_anew(rows, labels, n_clusters, rng, max_entries, constraints, n_jobs, limits)
                    if formed is not None:
                        keep_if_better(formed)
            done += 1
    except KeyboardInterrupt:
        warn_user(f"interrupted in round {done + 1} of {n_rounds} of the search: the best labels so far are returned")
    seconds, values = np.array(found).T
    return SearchSteps(read_only(seconds), read_only(values), done)


def _heat(rows, labels, n_clusters, n_sweeps, rng, is_over, constraints, limits):
    """Heated sweeps from hot to cold, in place."""
    sums = cluster_sums(rows, labels, n_clusters, counts=constraints.counts)
    total = float(sums.volume.sum())
    for temperature in np.geomspace(_HOT, _COLD, n_sweeps):
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
    """Groups of nodes (n,) int32, -1 for others, with each of some `others` of the clusters as one more; and number."""
    numbers = np.full(n_clusters, -1, dtype=np.int32)
    numbers[others] = n_groups + np.arange(len(others))
    is_other = (labels >= 0) & (numbers[labels] >= 0)
    return np.where(is_other, numbers[labels], groups), n_groups + len(others)


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
