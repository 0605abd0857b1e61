"""State of a worker's process between passes: the graph that the process has opened, and a copy of the labels."""

import pickle
from collections import deque
from contextvars import copy_context

import numpy as np

from ..base.arrays import read_only, release
from ..base.locks import ModuleLock
from ..exceptions import InputError

# Graphs by their pickles, and labels by the fit that they belong to.
_opened: dict = {}
_held: dict = {}
_forgotten: deque = deque(maxlen=64)
_lock = ModuleLock()


def parts_of(reopen):
    """Return the numbers of the parts of a graph that this worker has."""
    with _lock:
        _rows(reopen)
        return _opened[reopen][1]


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
        # This import is late because a process that is no worker needs no stores for its passes.
        from ..files.store.parts import may_lack_parts

        try:
            within = copy_context()
            within.run(may_lack_parts.set, True)
            graph = within.run(pickle.loads, reopen)
        except OSError as error:
            raise InputError(
                f"a worker cannot open the graph ({error}): its folder must be there under the same path for the "
                "client and all workers"
            ) from error
        _opened[reopen] = graph.rows, graph.parts[1]
    return _opened[reopen][0]


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
