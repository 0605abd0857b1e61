"""Dask as an executor of passes over a graph: workers open the graph themselves.

Each worker holds one copy of the labels, and after the first pass is sent only their changes. The client has its own
copy, from which the labels of a lost worker are sent again.
"""

import pickle
import sys
import threading
from collections import deque
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import chain
from uuid import uuid4

import numpy as np

from .base.loops import release
from .base.progress import count, note
from .base.validation import read_only
from .exceptions import InputError
from .graphs.rows import executor

# Arrays of at most this number of bytes go along with every task; larger ones are sent once to every worker.
INLINE_BYTES = 1 << 14
# Tasks for each thread of a worker, few because a task costs the scheduler some milliseconds.
_TASKS_PER_THREAD = 4
# Seconds to wait for a worker, and between two looks at what has become of workers.
_SECONDS, _PATIENCE = 30, 2
# Times that a pass is begun again because workers were lost together with labels that only they had.
_ATTEMPTS = 4
# The share of all labels above which these are sent anew, instead of more changes.
_SHARE = 1 / 3


# -- the client --------------------------------------------------------------------------------------------------------


def current_client():
    """Return the current `distributed.Client` that can be used, or None; Dask's setting of a scheduler counts, too."""
    if "distributed" not in sys.modules:
        return None
    from dask.base import get_scheduler
    from distributed import Client, default_client

    try:
        client = getattr(get_scheduler(), "__self__", None)  # the scheduler of a client is its method
    except RuntimeError:  # Dask raises it if the client is asynchronous, or there is none where one is set
        try:
            client = default_client()
        except ValueError:
            return None
    if not isinstance(client, Client):
        return None
    if client.asynchronous:
        raise InputError(
            "the current Dask client is asynchronous, and fits wait for what they ask; make a distributed.Client "
            "without asynchronous=True, outside of coroutines"
        )
    if client.status != "running":
        raise InputError(f"the Dask client is {client.status}; make a new distributed.Client")
    return client


def _require_workers(client):
    """Wait for the first worker of a client; raise an InputError if there is none after a while."""
    try:
        client.wait_for_workers(1, timeout=_SECONDS)
    except TimeoutError as error:
        raise InputError(
            f"the Dask cluster has had no worker for {_SECONDS} seconds; start one (cluster.scale(2), or dask worker "
            "ADDRESS), or close the client to work without it"
        ) from error


def gathered(client, futures):
    """Return the results of tasks, which would wait forever where all workers have died and none is started again."""
    from distributed import wait

    try:
        while True:
            try:
                wait(futures, timeout=_PATIENCE)
            except TimeoutError:
                _require_workers(client)
            else:
                return client.gather(futures)
    except BaseException:
        client.cancel(futures)
        raise


# -- passes ------------------------------------------------------------------------------------------------------------


@contextmanager
def on_workers(graph):
    """Run passes over this graph on disk, within a block, on the workers of the current client, if there is one.

    After the block workers forget the graph and its labels.
    """
    client = current_client()
    if client is None or executor.get() is not None:
        yield
        return
    _require_workers(client)
    workers = _Workers(client, graph)
    token = executor.set(workers)
    try:
        yield
    finally:
        executor.reset(token)
        workers.close()


class _Workers:
    """The workers of a client, a graph that they can open, and the labels that they have."""

    def __init__(self, client, graph):
        self.client, self.rows = client, graph.rows
        self._reopen = pickle.dumps(graph._by_names(None))  # workers need no names
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
            except (CancelledError, KilledWorker) as error:
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
        n_tasks = min(len(spans), _TASKS_PER_THREAD * max(1, sum(self.client.nthreads().values())))
        tasks = [spans[i * len(spans) // n_tasks : (i + 1) * len(spans) // n_tasks] for i in range(n_tasks)]
        count(f"bytes with tasks, {self._pass}", len(tasks) * sizeof([with_each, self._recent]))
        name = f"{self._pass}-{uuid4().hex}"
        known, submit = (self._token, self._n_bases, self._base, self._changes, self._recent), self.client.submit
        futures = [
            submit(run_blocks, self._reopen, function, some, known, small, key=f"{name}-{i}", pure=False)
            for i, some in enumerate(tasks)
        ]
        results = list(chain.from_iterable(gathered(self.client, futures)))
        count(f"bytes back, {self._pass}", sizeof(results))
        return results

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


# -- in the process of a worker: the graph that it has opened, and a copy of the labels --------------------------------

# Graphs by their pickles, and labels by the fit that they belong to.
_opened: dict = {}
_held: dict = {}
_forgotten: deque = deque(maxlen=64)
_lock = threading.Lock()


def run_blocks(reopen, function, spans, known, small):
    """Call the function of a pass for some blocks, in a worker; `known` are the arguments of :func:`_labels`."""
    with _lock:
        if known[0] in _forgotten:  # a task of an interrupted fit cannot be stopped, but must not hold labels again
            return []
        rows, labels = _rows(reopen), _labels(*known)
    results = []
    for span in spans:
        try:
            results.append(function(rows, *span, labels, *small))
        finally:
            release(rows.indices, rows.weights)  # Dask counts what has been read as memory of the worker
    return results


def _rows(reopen):
    """Return the rows of a graph, which this process opens once."""
    if reopen not in _opened:
        try:
            _opened[reopen] = pickle.loads(reopen).rows
        except OSError as error:
            raise InputError(
                f"a worker cannot open the graph ({error}): its folder must be there under the same path for the "
                "client and all workers"
            ) from error
    return _opened[reopen]


def _labels(token, n_bases, base, changes, recent):
    """Apply changes to the copy of the labels in this process, and return it."""
    # Merged changes hold several, of which some may have come one by one.
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


def forget(token, reopen):
    """Forget a fit's labels and the graph."""
    with _lock:
        _forgotten.append(token)
        _held.pop(token, None)
        _opened.pop(reopen, None)
