"""The method: draft, improve, recombine, for as long as it pays."""

import time
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from .._arrays import read_only
from .._progress import Stages
from .._threads import map_items
from .._warn import warn_user
from ..partition.heating import heat
from ..partition.improve import improve, recombine
from ..partition.problem import Partition
from .drafts import Draft

__all__ = ["Found", "SearchSteps", "find_partition"]

# A round has as many drafts as there were before, at most so many.
_MOST_AT_ONCE = 16
# Drafts after the first four are heated, so many sweeps for each draft there was before, at most so many.
_UNHEATED, _SWEEPS, _MAX_SWEEPS = 4, 32, 16_000
# Temperatures of a heating: at the first most nodes of a sparse graph wander, at the last hardly any does.
_HOT, _COLD = 2.0, 0.4
# Sweeps over groups that are recombined: these at least, or twice those of their drafts.
_GROUP_SWEEPS = 100
# As many of the first drafts say how sure labels are.
_WITNESSES = 4


class SearchSteps(NamedTuple):
    """When the best partition was found, round by round."""

    seconds: np.ndarray  # (n_rounds,) float64: since the first draft began
    values: np.ndarray  # (n_rounds,) float64: the objective then
    n_drafts: int  # in all rounds


@dataclass(frozen=True, eq=False)
class Found:
    """What the loop leaves."""

    best: Partition
    first: Draft  # the first draft
    witnesses: list = field(repr=False)  # labels of the first drafts, improved but not recombined
    history: list = field(repr=False)  # of (str, float): the objective after each stage
    steps: SearchSteps


def find_partition(
    problem, make_draft, streams, *, max_drafts=None, price=0.0, time_limit=None, moves=True, n_jobs=None, stages=None
):
    """Draft, improve, recombine: drafts meet as in a tournament, and the winner of a round meets the best so far.

    ``make_draft(number, earlier, streams, n_jobs, stages)`` returns a Draft of the Problem; it may look at the labels
    of `earlier` rounds. The first round has two drafts, or one where a second does not pay; each later one as many as
    there were before. The loop ends after `max_drafts`; where a round has gained less of the objective than `price` for
    each draft of the next one and each entry of the graph; with the first step after `time_limit` seconds; or at
    Ctrl-C, with the best so far. Without `moves` drafts stay as they are. Labels do not depend on `n_jobs`; with a time
    limit they do on the speed of the machine.
    """
    stages = Stages() if stages is None else stages
    begun, price = time.monotonic(), price * len(problem.rows.indices)
    max_drafts = np.inf if max_drafts is None else max_drafts
    best: Any = None
    first: Any = None
    history: list = []
    witnesses: list = []
    steps: list = []
    n_drafts = 0
    spread = gain = problem.record.spread

    def is_over():
        return time_limit is not None and time.monotonic() - begun >= time_limit

    def newcomer(number, n_sweeps, n_jobs, stages):
        own = streams.child("draft", number)
        made, rng = make_draft(number, witnesses, own, n_jobs, stages), own.generator("moves")
        told: list = []
        if not moves:
            return made, problem.partition(made.labels, problem.sums(made.labels, n_jobs)), told
        with stages("moves"):
            improved = improve(problem, made.labels.copy(), rng, n_jobs, told)
        if n_sweeps and not is_over():
            with stages("heating"):
                labels, temperatures = improved.labels.copy(), np.geomspace(_HOT, _COLD, n_sweeps)
                heat(problem, labels, temperatures, rng, is_over)
                improved = max(improved, improve(problem, labels, rng, n_jobs), key=Partition.rank)
        return made, improved, told

    def recombined(pair, n_sweeps, n_jobs, stages):
        # Random numbers by what meets, whatever thread and turn it is in.
        rng = streams.generator("recombination", sum(number for number, _ in pair))
        with stages("recombining"):
            (number, one), (_, other) = pair
            return number, recombine(problem, one, other, rng, max(_GROUP_SWEEPS, 2 * n_sweeps), n_jobs)

    try:
        while not (best and is_over()):
            n_new = int(min(max(n_drafts, 2), _MOST_AT_ONCE, max_drafts - n_drafts))
            # Few drafts that are alike say little: there may be more to gain than they show.
            if max(gain, spread / max(1, n_drafts)) <= price * (n_new - (best is None)):
                n_new = 1 if best is None else 0
            if n_new == 0:
                break
            n_sweeps = min(_SWEEPS * n_drafts, _MAX_SWEEPS) if n_drafts >= _UNHEATED else 0
            numbers = range(n_drafts, n_drafts + n_new)
            drafts = _side_by_side(newcomer, numbers, n_sweeps, n_jobs, stages)
            if best is None:
                first, _, history = drafts[0]
            witnesses += [improved.labels for _, improved, _ in drafts[: _WITNESSES - len(witnesses)]]
            met = list(zip(numbers, (improved for _, improved, _ in drafts), strict=True))
            while len(met) > 1:
                pairs = list(zip(met[::2], met[1::2], strict=False))
                met = _side_by_side(recombined, pairs, n_sweeps, n_jobs, stages) + met[2 * len(pairs) :]
            before = np.mean([improved.value for _, improved, _ in drafts]) if best is None else best.value
            if best is not None:
                met = [recombined(((0, best), met[0]), n_sweeps, n_jobs, stages)]
            best, n_drafts = met[0][1], n_drafts + n_new
            gain = (best.value - before) / max(abs(best.value), np.finfo(float).tiny)
            steps.append((time.monotonic() - begun, best.value))
            if n_drafts > 1:
                history.append((f"{n_drafts} drafts recombined", best.value))
    except KeyboardInterrupt:
        if best is None:
            raise
        warn_user(f"interrupted after {n_drafts} drafts: the best labels so far are returned")
    seconds, values = map(read_only, np.array(steps).T)
    return Found(best, first, witnesses, history, SearchSteps(seconds, values, n_drafts))


def _side_by_side(work, items, n_sweeps, n_jobs, stages):
    """``work(item, n_sweeps, n_jobs, stages)`` of every item: one with all threads, several with a thread each."""
    if len(items) == 1:
        return [work(items[0], n_sweeps, n_jobs, stages)]
    clocks, context = [Stages() for _ in items], copy_context()
    with stages(f"{len(items)} at once", total=False):
        results = map_items(
            lambda i: context.copy().run(work, items[i], n_sweeps, 1, clocks[i]), range(len(items)), n_jobs
        )
    for clock in clocks:
        for name, seconds in clock.seconds.items():
            stages.seconds[name] = stages.seconds.get(name, 0.0) + seconds
    return results
