"""Search for a better partition for as long as wanted: labels are formed anew, heated, and recombined with the best."""

import time
from contextlib import nullcontext
from contextvars import copy_context
from functools import partial
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from .._arrays import read_only
from .._threads import map_items
from .._warn import warn_user
from .constraints import FREE
from .member import Member, Task

__all__ = ["SearchSteps", "search"]

# A fixed number, so that labels do not depend on that of threads.
_MEMBERS = 2


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
    In a round each of them forms all clusters anew, without regard to the old borders (in every fourth it takes its
    best labels), heats them and cools them, and recombines them with its best: nodes that are together in both are
    heated and cooled as wholes. Then it dissolves 2 to 4 clusters that lie side by side, and forms these anew, three
    times. Whatever comes out is improved by cycles (:func:`graphcore.partition.cycles.move_in_cycles`), and kept if the
    objective is higher. As long as heating gains, cooling becomes slower. After each round the best
    labels of both members are recombined, in place of the worse ones. Ends after `n_rounds`, or with the first step
    after `time_limit` seconds; Ctrl-C ends it with the best so far and a warning. Under `constraints` that are not free
    nothing is dissolved, and there is one member. `announced(number)` gives a context that each round runs in. With a
    time limit, labels depend on the speed of the machine; without one they do not depend on `n_jobs`.

    Returns
    -------
    SearchSteps

    References
    ----------
    Members that are recombined by what they agree on: Sanders, Schulz, "Distributed evolutionary graph partitioning",
    ALENEX 2012.
    """
    limits = {"objective": objective, "min_size": min_size, "min_share": min_share}
    task = Task(rows, n_clusters, limits, max_entries, constraints, n_rounds, time_limit, time.monotonic())
    n_members = _MEMBERS if n_clusters > 1 and constraints.is_free else 1
    members = [Member(task, labels.copy(), own, tells=i == 0) for i, own in enumerate(rng.spawn(n_members))]
    found, done = [(0.0, members[0].best[0])], 0
    try:
        while done < n_rounds and not task.is_over():
            with nullcontext() if announced is None else announced(done + 1):
                rounds = [partial(copy_context().run, member.work, done) for member in members]  # they say how far
                map_items(lambda work: work(), rounds, n_jobs)
                if n_members > 1 and not task.is_over():
                    both = [member.best for member in members]
                    map_items(lambda member: member.recombined(*both), members, n_jobs)  # noqa: B023
            done += 1
    except KeyboardInterrupt:
        warn_user(f"interrupted in round {done + 1} of {n_rounds} of the search: the best labels so far are returned")
    value, labels[:] = max((member.best for member in members), key=itemgetter(0))
    for step in sorted(step for member in members for step in member.found):
        if found[-1][1] < step[1] <= value:  # what an interrupt left behind may still find more
            found.append(step)
    seconds, values = np.array(found).T
    return SearchSteps(read_only(seconds), read_only(values), done)
