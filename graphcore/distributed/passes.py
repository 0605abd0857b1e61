"""Dask as an executor of passes over a graph: workers open the graph themselves.

Each worker holds one copy of the labels, and after the first pass is sent only their changes. The client has its own
copy, from which the labels of a lost worker are sent again.
"""

import pickle
import time
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from itertools import chain
from uuid import uuid4

import numpy as np

from ..base.progress import count, note
from ..exceptions import InputError
from ..graphs.passes import executor
from .cluster import INLINE_BYTES, PATIENCE, batches, current_client, gathered, require_workers, told_of_ends
from .worker import forget, parts_of, run_blocks

# Times that a pass is begun again because workers were lost together with labels or parts that only they had.
_ATTEMPTS = 4
# The share of all labels above which these are sent anew, instead of more changes.
_SHARE = 1 / 3
# Seconds until a part of the graph that only lost workers had is given up.
_GIVEN_UP = 60


@contextmanager
def on_workers(graph):
    """Run passes over this graph on disk, within a block, on the workers of the current client, if there is one.

    After the block workers forget the graph and its labels.
    """
    client = current_client()
    if client is None or executor.get() is not None:
        yield
        return
    require_workers(client)
    workers = _Workers(client, graph)
    token = executor.set(workers)
    try:
        with told_of_ends(client):
            yield
    finally:
        executor.reset(token)
        workers.close()


class _Workers:
    """The workers of a client, a graph that they can open, and the labels that they have."""

    def __init__(self, client, graph):
        self.client, self.rows = client, graph.rows
        self._reopen = pickle.dumps(graph._by_names(None))  # workers need no names
        self._starts = graph.parts[0]
        self._token = f"graphcore-{uuid4().hex}"
        self._pass = ""
        self._known = None  # the labels that workers have been sent
        self._base, self._changes, self._recent = None, [], []
        self._n_changed = self._n_bases = 0
        self._small: dict = {}  # by the arrays' ids: the arrays, which keeps the ids theirs, and where they were sent

    def map(self, function, spans, labels, small):
        from distributed import KilledWorker

        attempts = 0
        while True:
            try:
                return self._map(function, spans, labels, small)
            except (CancelledError, KilledWorker, _PartLost) as error:
                attempts += 1
                if isinstance(error, KilledWorker) or attempts == _ATTEMPTS:
                    raise MemoryError(
                        f"workers died again and again in the pass {self._pass!r}, probably for want of memory: each "
                        "needs about 16 bytes for every node of the graph; give workers more memory, or fewer threads"
                    ) from error
                self._known, self._small = None, {}  # the last worker that had the labels is gone

    def _map(self, function, spans, labels, small):
        from dask.sizeof import sizeof

        name = function.__name__.strip("_")
        if name != self._pass:
            note(f"{name.removesuffix('_part')} on {len(self.client.nthreads())} workers")
        self._pass = name
        self._send(labels)
        small = self._sent(small)
        with_each = [part for part in (self._base, *small) if isinstance(part, np.ndarray)]
        tasks = self._tasks(spans)
        count(f"bytes with tasks, {self._pass}", len(tasks) * sizeof([with_each, self._recent]))
        name = f"{self._pass}-{uuid4().hex}"
        known, submit = (self._token, self._n_bases, self._base, self._changes, self._recent), self.client.submit
        futures = [
            submit(run_blocks, self._reopen, function, some, known, small, key=f"{name}-{i}", pure=False, workers=where)
            for i, (some, where) in enumerate(tasks)
        ]
        results = list(chain.from_iterable(gathered(self.client, futures, partial(self._look, tasks))))
        count(f"bytes back, {self._pass}", sizeof(results))
        return results

    def _tasks(self, spans):
        """Return (neighbouring blocks, workers that have their part of the graph, None for all) of every task."""
        threads = self.client.nthreads()
        if not self._starts:
            return [(some, None) for some in batches(spans, sum(threads.values()))]
        where = self._part_owners()
        parts = np.searchsorted(self._starts, [first for first, _ in spans], side="right") - 1
        ends = [*self._starts[1:], spans[-1][1]]
        if any(last > ends[part] for part, (_, last) in zip(parts, spans, strict=True)):
            raise InputError("a block of a pass needs two parts of the graph; build it again with this version")
        return [
            (some, where[part])
            for part in np.unique(parts).tolist()
            for some in batches(
                [span for span, own in zip(spans, parts, strict=True) if own == part],
                sum(threads.get(worker, 0) for worker in where[part]),
            )
        ]

    def _part_owners(self):
        """Return the workers that have each part."""
        end = time.monotonic() + _GIVEN_UP
        while True:
            here = self.client.run(parts_of, self._reopen, on_error="return")
            for error in here.values():
                if isinstance(error, InputError):
                    raise error
            here = {worker: parts for worker, parts in here.items() if isinstance(parts, list)}  # the others have died
            owners = [[worker for worker, parts in here.items() if p in parts] for p in range(len(self._starts))]
            if all(owners):
                return owners
            if time.monotonic() > end:
                part = f"part-{owners.index([])}"
                raise InputError(
                    f"no worker has {part} of the graph; put {part} into the graph's folder where a worker is, or "
                    "start a worker where it lies"
                )
            time.sleep(PATIENCE)

    def _look(self, tasks):
        """Raise an error if a worker is lost whose tasks no other may do."""
        there = set(self.client.nthreads())
        if not all(where is None or there.intersection(where) for _, where in tasks):
            raise _PartLost

    def _send(self, labels):
        """Send all labels, or their changes since the pass before."""
        if self._known is not None:
            changed = np.flatnonzero(labels != self._known)
            if self._n_changed + 3 * len(changed) <= _SHARE * len(labels):
                if len(changed):
                    narrow = changed.astype(np.int32 if len(labels) < 2**31 else np.int64)
                    self._note(narrow, labels[changed])
                    self._known[changed] = labels[changed]
                    self._n_changed += 3 * len(changed)
                return
        self._base, self._changes, self._recent = None, [], []  # workers free the old labels before they get new ones
        self._base = self._by_reference(labels)
        self._known, self._n_changed = labels.copy(), 0
        self._n_bases += 1

    def _note(self, positions, values):
        """Add a change: small ones go along with every task until, together, they are sent once to every worker."""
        self._recent.append((positions, values))
        if sum(values.nbytes for _, values in self._recent) > INLINE_BYTES:
            merged = tuple(np.concatenate(parts) for parts in zip(*self._recent, strict=True))
            self._changes.append((len(self._recent), self._scattered(merged)))
            self._recent = []

    def _sent(self, small):
        """Return small arrays, larger ones by reference; arrays of the pass before are not sent again."""
        sent = {}
        for part in small:
            if isinstance(part, np.ndarray):
                sent[id(part)] = self._small.get(id(part)) or (part, self._by_reference(part))
        self._small = sent
        return [sent[id(part)][1] if id(part) in sent else part for part in small]

    def _by_reference(self, array):
        return array if array.nbytes <= INLINE_BYTES else self._scattered([array])[0]

    def _scattered(self, parts):
        count(f"bytes to each worker, {self._pass}", sum(part.nbytes for part in parts))
        return self.client.scatter(list(parts), broadcast=True, hash=False)

    def close(self):
        """Let the workers forget graph and labels; workers that cannot be reached have nothing left."""
        self._base, self._changes, self._recent, self._small = None, [], [], {}
        if self.client.status == "running":
            self.client.run(forget, self._token, self._reopen, on_error="ignore")


class _PartLost(Exception):
    """The only worker that had a part of the graph is gone."""
