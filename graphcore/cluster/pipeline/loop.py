"""The method: draft, improve, recombine, for as long as it pays."""

import time
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from ...base.arrays import read_only
from ...base.progress import Stages
from ...base.threads import effective_jobs, map_items
from ...exceptions import warn_user
from ..partition.improve import improve, recombine
from ..partition.problem import Partition
from .drafts import FROM_SCRATCH, Draft

# A round has as many drafts as there were before, at most so many.
_MOST_AT_ONCE = 16
# Rounds in turn that gain nothing, rounding aside, after which another is not begun: on small graphs the best partition
# is found at once, and a price in proportion to the entries never ends the search.
_IDLE_ROUNDS, _ROUNDING = 4, 1e-12
# Seconds that a draft takes at least, where a clock shows none.
_INSTANT = 1e-6


class SearchSteps(NamedTuple):
    """When the best partition was found, round by round."""

    seconds: np.ndarray  # (n_rounds,) float64: since the first draft began
    values: np.ndarray  # (n_rounds,) float64: the objective then
    n_drafts: int  # in all rounds


@dataclass(frozen=True, eq=False)
class Found:
    """Result of the loop over drafts."""

    best: Partition
    first: Draft  # the first draft
    base_partitions: list = field(repr=False)  # labels of the first drafts, improved but not recombined
    history: list = field(repr=False)  # of (str, float): the objective after each stage
    steps: SearchSteps


def find_partition(
    problem, make_draft, streams, max_drafts=None, *, price=0.0, first_price=0.0, time_limit=None, keeps_best=False,
    n_jobs=None, stages=None,
):  # fmt: skip
    """Draft, improve, recombine: drafts meet as in a tournament, and the winner of a round meets the best so far.

    ``make_draft(number, earlier, best, streams, n_jobs, stages)`` returns a Draft of the Problem; it may look at the
    labels of the first drafts of `earlier` rounds, and at the `best`. The first round has two drafts, or one where a
    second does not pay (by `first_price`, if that is more than `price`); each later one as many as there were before.
    Rounds end at `max_drafts` drafts, when a round gains less than `price` for each of its drafts and each entry of the
    graph, without `max_drafts` when several in turn gain nothing, or where another would last longer than `time_limit`
    seconds, by the drafts before; with `keeps_best` also at Ctrl-C.
    """
    stages = Stages() if stages is None else stages
    begun, n_entries = time.monotonic(), len(problem.rows.indices)
    prices = max(price, first_price) * n_entries, price * n_entries  # of the first round and of later ones
    max_drafts = np.inf if max_drafts is None else max_drafts
    best: Any = None
    first: Any = None
    history: list = []
    base_partitions: list = []
    steps: list = []
    n_drafts = n_idle = 0
    spread = gain = problem.record.spread

    def drafted(number, n_jobs, stages):
        own, told = streams.child("draft", number), list[tuple[str, float]]()
        made = make_draft(number, base_partitions, best and best.labels, own, n_jobs, stages)
        with stages("moves"):
            return made, improve(problem, made.labels.copy(), own.generator("moves"), n_jobs, told), told

    def recombined(pair, n_jobs, stages):
        (number, one), (_, other) = pair
        # Random numbers by what meets, whatever thread and turn it is in.
        rng = streams.generator("recombination", sum(number for number, _ in pair))
        with stages("recombining"):
            return number, recombine(problem, one, other, rng, n_jobs)

    try:
        while best is None or max_drafts < np.inf or n_idle < _IDLE_ROUNDS:
            n_new = int(min(n_drafts or 2, _MOST_AT_ONCE, max_drafts - n_drafts))
            if best is not None and time_limit is not None:
                passed = time.monotonic() - begun
                n_new = int(min(n_new, drafts_within(time_limit, n_drafts, passed)))
            # Few drafts that are alike say little: there may be more to gain than they show.
            if max(gain, spread / max(1, n_drafts)) <= prices[best is not None] * (n_new - (best is None)):
                n_new = 1 if best is None else 0
            if n_new == 0:
                break
            numbers = range(n_drafts, n_drafts + n_new)
            drafts = _side_by_side(drafted, "drafts", numbers, n_jobs, stages)
            values = [improved.value for _, improved, _ in drafts]
            met = [(number, improved) for number, (_, improved, _) in zip(numbers, drafts, strict=True)]
            while len(met) > 1:
                pairs = list(zip(met[::2], met[1::2], strict=False))
                met = _side_by_side(recombined, "recombinations", pairs, n_jobs, stages) + met[2 * len(pairs) :]
            if best is None:
                (first, _, history), before = drafts[0], np.mean(values)
            else:
                before, met = best.value, [recombined(((n_drafts, best), met[0]), n_jobs, stages)]
            base_partitions += [improved.labels for _, improved, _ in drafts[: FROM_SCRATCH - len(base_partitions)]]
            ((_, best),), n_drafts = met, n_drafts + n_new
            gain = (best.value - before) / max(abs(best.value), np.finfo(float).tiny)
            n_idle = n_idle + 1 if abs(gain) <= _ROUNDING else 0
            steps.append((time.monotonic() - begun, best.value))
            if n_drafts > 1:
                history.append((f"{n_drafts} drafts recombined", best.value))
    except KeyboardInterrupt:
        if best is None or not keeps_best:
            raise
        warn_user(f"interrupted after {n_drafts} drafts: the best labels so far are returned")
    seconds, values = map(read_only, np.array(steps).T)
    return Found(best, first, base_partitions, history, SearchSteps(seconds, values, n_drafts))


def drafts_within(time_limit, n_drafts, seconds):
    """Return how many more drafts, as a float, end within the limit, if `n_drafts` took so many seconds."""
    return max(0.0, time_limit - seconds) * n_drafts / max(seconds, _INSTANT)


def _side_by_side(work, name, items, n_jobs, stages):
    """``work(item, n_jobs, stages)`` of every item: one with all threads, several with a share and a clock each."""
    if len(items) == 1:
        return [work(items[0], n_jobs, stages)]
    clocks, context = [Stages() for _ in items], copy_context()
    share = max(1, effective_jobs(n_jobs) // len(items))
    with stages(f"{len(items)} {name}", total=False):
        results = map_items(lambda i: context.copy().run(work, items[i], share, clocks[i]), range(len(items)), n_jobs)
    for clock in clocks:
        for stage, seconds in clock.seconds.items():
            stages.seconds[stage] = stages.seconds.get(stage, 0.0) + seconds
    return results
