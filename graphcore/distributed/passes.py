"""Passes over the rows of a graph: in threads of this process, or on Dask's workers, which open the graph themselves.

A pass is a function ``(rows, first, last, labels, *small)`` of a block of rows: it reads the graph and the labels, and
returns something small. Blocks depend on the graph alone and results come in their order, so that it does not matter
where they were made.

On workers, labels are what travels. Each worker holds one copy of them, and after the first pass is only sent what has
changed since. The client has its own copy, from which whatever a lost worker had is sent again.
"""

import pickle
import sys
import threading
from collections import deque
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain, pairwise
from uuid import uuid4

import numpy as np

from .._arrays import read_only
from .._threads import map_items, row_spans
from .._work import count
from ..exceptions import InputError
from ..graphs.mapped import release

__all__ = ["current_client", "map_passes", "on_workers", "pass_spans"]

_ENTRIES_PER_BLOCK = 1 << 20
_workers: ContextVar = ContextVar("graphcore_workers", default=None)
# Times that a pass is begun again because workers were lost together with what only they had.
_ATTEMPTS = 4
# Changes are added to what workers hold until they are so large a share of it; then all is sent anew.
_SHARE = 1 / 3
# Arrays of so many bytes go along with every task; larger ones are sent once to every worker.
_INLINE = 1 << 14
# Blocks go out in so many tasks for each thread of a worker: a task costs the scheduler some milliseconds.
_TASKS_PER_THREAD = 4

# In a worker's process: graphs that it has opened, by their pickles, and labels by the fit that they belong to.
_opened: dict = {}
_held: dict = {}
_forgotten: deque = deque(maxlen=64)
_lock = threading.Lock()


def pass_spans(rows, at_most=None):
    """Blocks of nodes for :func:`map_passes`, by the graph alone; with `at_most`, neighbouring ones are put together."""
    spans = row_spans(rows.indptr, _ENTRIES_PER_BLOCK)
    step = -(-len(spans) // (at_most or len(spans)))
    return [(part[0][0], part[-1][1]) for part in (spans[i : i + step] for i in range(0, len(spans), step))]


def map_passes(function, rows, spans, labels, *small, n_jobs=None):
    """`function(rows, first, last, labels, *small)` for every block of nodes in `spans`; results in their order.

    `rows` are the arrays of a graph and `labels` (n,) an array that is not changed meanwhile; small arrays are not
    changed before the pass after this one. In threads, or on workers where the graph was lent to them
    (:func:`on_workers`).
    """
    workers = _workers.get()
    if workers is not None and workers.rows.indices is rows.indices and workers.rows.degrees is rows.degrees:
        return workers.map(function, spans, labels, small)
    return map_items(lambda span: function(rows, *span, labels, *small), spans, n_jobs)


def current_client():
    """The current `distributed.Client`, or None; as for Dask's collections, their scheduler can be set to another."""
    if "distributed" not in sys.modules:
        return None
    from dask.base import get_scheduler
    from distributed import Client

    client = getattr(get_scheduler(), "__self__", None)
    return client if isinstance(client, Client) else None


@contextmanager
def on_workers(graph, rows_of):
    """Within, passes over this graph run on the workers of the current client.

    The graph is on disk; without a client nothing happens. `rows_of` gives the arrays of a graph. On the way out, by
    whatever way, workers forget the graph and its labels.
    """
    client = current_client()
    if client is None or _workers.get() is not None:
        yield
        return
    workers = _Workers(client, graph, rows_of)
    token = _workers.set(workers)
    try:
        yield
    finally:
        _workers.reset(token)
        workers.close()


class _Workers:
    """The workers of a client, a graph that they can open, and what they know of its labels."""

    def __init__(self, client, graph, rows_of):
        self.client, self.rows = client, rows_of(graph)
        self._reopen = pickle.dumps((graph, rows_of))
        self._token = f"graphcore-{uuid4().hex}"
        self._pass = ""
        self._known = None  # the labels that workers have been sent
        self._base, self._changes, self._recent = None, [], []
        self._n_changed = self._n_bases = 0
        self._small: dict = {}  # by the arrays' ids: the arrays, which keeps the ids theirs, and where they were sent

    def map(self, function, spans, labels, small):
        from distributed.client import FutureCancelledError
        from distributed.scheduler import KilledWorker

        attempts = 0
        while True:
            try:
                return self._map(function, spans, labels, small)
            except (FutureCancelledError, KilledWorker) as error:
                attempts += 1
                if isinstance(error, KilledWorker) or attempts == _ATTEMPTS:
                    raise MemoryError(
                        f"workers died again and again in the pass {self._pass!r}, probably for want of memory: each "
                        "needs about 16 bytes for every node of the graph; give workers more memory, or fewer threads"
                    ) from error
                self._known, self._small = None, {}  # the last worker that had the labels is gone

    def _map(self, function, spans, labels, small):
        from dask.sizeof import sizeof

        self._pass = function.__name__.strip("_")
        self._send(labels)
        small = self._sent(small)
        with_each = [part for part in (self._base, *small) if isinstance(part, np.ndarray)]
        n_tasks = min(len(spans), _TASKS_PER_THREAD * max(1, sum(self.client.nthreads().values())))
        borders = np.linspace(0, len(spans), n_tasks + 1).astype(int)
        count(f"bytes with tasks, {self._pass}", n_tasks * sizeof([with_each, self._recent]))
        name = f"{self._pass}-{uuid4().hex}"
        futures = [
            self.client.submit(
                _run, self._reopen, function, spans[start:stop], self._token, self._n_bases, self._base,
                self._changes, self._recent, small,
                key=f"{name}-{i}", pure=False,
            )
            for i, (start, stop) in enumerate(pairwise(borders.tolist()))
        ]  # fmt: skip
        try:
            results = list(chain.from_iterable(self.client.gather(futures)))
        except BaseException:
            self.client.cancel(futures)  # nobody waits for the others any more
            raise
        count(f"bytes back, {self._pass}", sizeof(results))
        return results

    def _send(self, labels):
        """Send all of the labels, or what has changed of them since the pass before."""
        if self._known is not None:
            changed = np.flatnonzero(labels != self._known)
            if self._n_changed + 3 * len(changed) <= _SHARE * len(labels):
                if len(changed):
                    narrow = changed.astype(np.int32 if len(labels) < 2**31 else np.int64)
                    self._note(narrow, labels[changed])
                    self._known[changed] = labels[changed]
                    self._n_changed += 3 * len(changed)
                return
        self._base, self._changes, self._recent = None, [], []  # workers let go of the old before they get the new
        self._base = self._by_reference(labels)
        self._known, self._n_changed = labels.copy(), 0
        self._n_bases += 1

    def _note(self, positions, values):
        """Add a change: few go along with every task, together they are sent once to every worker."""
        self._recent.append((positions, values))
        if sum(values.nbytes for _, values in self._recent) > _INLINE:
            merged = tuple(np.concatenate(parts) for parts in zip(*self._recent, strict=True))
            self._changes.append((len(self._recent), self._scattered(merged)))
            self._recent = []

    def _sent(self, small):
        """Small arrays, by reference where they are not so small; those of the pass before need not be sent again."""
        sent = {}
        for part in small:
            if isinstance(part, np.ndarray):
                sent[id(part)] = self._small.get(id(part)) or (part, self._by_reference(part))
        self._small = sent
        return [sent[id(part)][1] if id(part) in sent else part for part in small]

    def _by_reference(self, array):
        return array if array.nbytes <= _INLINE else self._scattered([array])[0]

    def _scattered(self, parts):
        count(f"bytes to each worker, {self._pass}", sum(part.nbytes for part in parts))
        return self.client.scatter(list(parts), broadcast=True, hash=False)

    def close(self):
        """Have the workers forget everything; those that cannot be reached have nothing left."""
        self._base, self._changes, self._recent = None, [], []
        self._small = {}
        if self.client.status == "running":
            self.client.run(_forget, self._token, self._reopen, on_error="ignore")


def _run(reopen, function, spans, token, n_bases, base, changes, recent, small):
    """Some blocks of a pass, in a worker."""
    with _lock:
        if token in _forgotten:  # what was interrupted cannot be stopped, but must not hold anything again
            return []
        rows, labels = _rows(reopen), _labels(token, n_bases, base, changes, recent)
    try:
        return [function(rows, *span, labels, *small) for span in spans]
    finally:
        release(rows.indices, rows.weights)  # Dask counts them as memory of the worker


def _rows(reopen):
    """The graph as this process has opened it."""
    if reopen not in _opened:
        try:
            graph, rows_of = pickle.loads(reopen)
        except OSError as error:
            raise InputError(
                f"a worker cannot open the graph ({error}): its folder must be there under the same path for the "
                "client and all workers"
            ) from error
        _opened[reopen] = rows_of(graph)
    return _opened[reopen]


def _labels(token, n_bases, base, changes, recent):
    """The copy of the labels in this process, brought up to date."""
    # Merged changes stand for several, of which some may have come one by one.
    parts = [*changes, *((1, change) for change in recent)]
    bases, applied, labels = _held.get(token, (0, 0, None))
    if bases != n_bases:
        _held.pop(token, None)
        applied, labels = 0, np.array(base)
    known = 0
    for n_merged, (positions, values) in parts:
        known += n_merged
        if known > applied:
            labels[positions] = values
    _held[token] = n_bases, known, labels
    return read_only(labels)


def _forget(token, reopen):
    with _lock:
        _forgotten.append(token)
        _held.pop(token, None)
        _opened.pop(reopen, None)
