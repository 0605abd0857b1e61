"""Rows of a chunked dask.array: passes over its blocks, which run where these lie.

A pass is a function of (block of rows, small arrays) with a small result. It runs on the workers of the current
`distributed.Client`, or in Dask's threads of this process where there is none. Data stay in Dask's task graph, from
which a lost worker's blocks are made again. A task costs some milliseconds: all blocks that a worker holds go into one,
and blocks that are not there yet are made inside few tasks, one after the other.
"""

import sys
from collections import Counter, defaultdict
from contextlib import contextmanager
from itertools import chain
from uuid import uuid4

import numpy as np

from ..base.progress import count
from ..exceptions import InputError
from .passes import INLINE_BYTES, batches, current_client, gathered


def _require_running(client):
    if client.status != "running":
        raise InputError(f"the Dask client is {client.status}; make a new distributed.Client, and what it held, again")


@contextmanager
def told_of_ends(client):
    """Turn errors that come of a closed client (None for none) into an InputError that names this reason."""
    try:
        yield
    except Exception as error:
        if client is not None:
            try:
                _require_running(client)
            except InputError as reason:
                raise reason from error
        raise


def require_reachable(X):
    """Raise an InputError if a dask.array has blocks that lay on the workers of a closed client."""
    if "distributed" in sys.modules:
        from distributed import futures_of

        for client in {future.client for future in futures_of(X)}:
            _require_running(client)


def block_type(X):
    """Return the type of the blocks of a dask.array that Dask assumes."""
    return type(X._meta)


def is_result(node):
    """Return whether a node of a task graph, optimised by Dask, holds a result and no work."""
    from dask._task_spec import DataNode

    return isinstance(node, DataNode)


def is_chunked(X):
    """Return whether X is a dask.array, without importing Dask."""
    module = sys.modules.get("dask.array")
    return module is not None and isinstance(X, module.Array)


def as_chunks(X):
    """Return a dask.array with blocks of whole rows of known length, none of them empty."""
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise InputError(f"X must be a matrix of real numbers, got a dask.array of shape {X.shape} and type {X.dtype}")
    if not issubclass(block_type(X), np.ndarray):
        raise InputError(
            f"the blocks of X are of type {block_type(X).__name__}; X.map_blocks(lambda block: block.toarray()) makes "
            "them dense"
        )
    require_reachable(X)
    if np.isnan(X.shape[0]):
        X = X.compute_chunk_sizes()
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    if min(X.shape) == 0:
        raise InputError(f"X has shape {X.shape}; at least one row and one column are needed")
    return X.rechunk({0: tuple(length for length in X.chunks[0] if length)}) if 0 in X.chunks[0] else X


def map_chunks(function, X, *shared, each=None, name=None):
    """Call `function(block, *shared)` for every block of rows, in their order, or `function(block, own, *shared)`.

    `each` holds the `own` value of every block, or is a dask.array with the same blocks of rows. X may be a list of
    arrays too, or a single one, to which `each` then belongs. Dask's dashboard shows tasks by `name`.
    """
    if not is_chunked(X):
        if not isinstance(X, list):
            X, each = [X], None if each is None else [each]
        own = [()] * len(X) if each is None else [(part,) for part in each]
        return [function(block, *part, *shared) for block, part in zip(X, own, strict=True)]
    import dask
    from dask.sizeof import sizeof

    name, size = name or _name(function), sizeof(shared)
    found, client = None, current_client()
    arrays = [X, each] if is_chunked(each) else [X]
    own = [()] * X.numblocks[0] if each is None or is_chunked(each) else [(part,) for part in each]
    with told_of_ends(client):
        if client is not None:
            found = _by_few_tasks(client, function, arrays, own, shared, size, name)
        if found is None:
            task, key = dask.delayed(function, pure=False), f"{name}-{uuid4().hex}"
            # Shared values stand in the task graph once, for all blocks.
            once = [dask.delayed(part, pure=False, traverse=False) for part in shared]
            blocks = zip(*(array.to_delayed().ravel() for array in arrays), own, strict=True)
            tasks = [task(*some, *part, *once, dask_key_name=f"{key}-{i}") for i, (*some, part) in enumerate(blocks)]
            found = list(dask.compute(*tasks))
    count("passes over chunks", 1)
    count(f"bytes to each worker, {name}", size)
    count(f"bytes back, {name}", sizeof(found))
    return found


def rows_at(X, points):
    """Return rows by their numbers, of an array, a list of arrays or a dask.array; an ndarray of the latter two."""
    if not (isinstance(X, list) or is_chunked(X)):
        return X[points]
    ends = np.cumsum([len(block) for block in X] if isinstance(X, list) else X.chunks[0])
    order = np.argsort(points, kind="stable")
    ascending = np.asarray(points)[order]
    needed, first = np.unique(np.searchsorted(ends, ascending, side="right"), return_index=True)
    starts = np.concatenate([[0], ends])[needed]
    places = [part - start for part, start in zip(np.split(ascending, first[1:]), starts, strict=True)]
    blocks = [X[i] for i in needed] if isinstance(X, list) else X.blocks[needed]
    found = np.concatenate(map_chunks(_pick, blocks, each=places))
    out = np.empty_like(found)
    out[order] = found
    return out


def _pick(block, places):
    return np.asarray(block[places])


def rows_of_chunks(function, X, width, dtype, *shared, name=None):
    """Return a dask.array, not computed yet, of `function(block, *shared)`: `width` numbers for each row of the block.

    With `width` None each row becomes one number.
    """
    import dask

    chunks = (X.chunks[0],) if width is None else (X.chunks[0], (width,))
    return X.map_blocks(
        _apply,
        function=function,
        shared=dask.delayed(shared, pure=False, traverse=False),
        token=name or _name(function),
        dtype=dtype,
        chunks=chunks,
        drop_axis=[1] if width is None else None,
        meta=np.empty((0,) * len(chunks), dtype=dtype),
    )


def _apply(block, *, function, shared):
    return function(block, *shared)


def _name(function):
    return function.__name__.strip("_")


class _Source:
    """The source of a block inside a task: the block's own part of Dask's graph, and names of held blocks in it.

    Like the next two it is a class, because Dask searches lists and tuples for tasks, but no objects of other classes.
    """

    def __init__(self, steps, key, names):
        self.steps, self.key, self.names = steps, key, names

    def make(self, held):
        import dask

        if self.key in held:
            return held[self.key]
        return dask.get(self.steps | {name: held[name] for name in self.names}, self.key)


class _Pass:
    def __init__(self, function, shared):
        self.function, self.shared = function, shared


class _Task:
    def __init__(self, blocks, values):
        self.blocks, self.values = blocks, values  # sources and own values of each block
        self.names = list(dict.fromkeys(name for sources in blocks for source in sources for name in source.names))


def _by_few_tasks(client, function, arrays, values, shared, size, name):
    """Call `function(*blocks, *values, *shared)` for the blocks of arrays with the same rows; return all results.

    Return None where blocks have work in common, as after a new chunking: their tasks are left to Dask.
    """
    found = [_sources_of(array) for array in arrays]
    if None in found:
        return None
    held = {name: future for _, futures in found for name, future in futures.items()}
    blocks = list(zip(*(sources for sources, _ in found), strict=True))
    what, key = _Pass(function, shared), f"{name}-{uuid4().hex}"
    if size > INLINE_BYTES:  # workers copy it from each other, and Dask makes it again where it is lost
        what = client.submit(_itself, what, key=f"shared-{key}", pure=False)
    places, futures = _places(blocks, held, client), []
    for i, (some, worker) in enumerate(places):
        task = _Task([blocks[j] for j in some], [values[j] for j in some])
        given = [held[name] for name in task.names]
        where = {"workers": worker, "allow_other_workers": worker is not None}
        futures.append(client.submit(_work, what, task, given, key=f"{key}-{i}", pure=False, **where))
    parts = gathered(client, futures)
    results = dict(zip(chain.from_iterable(some for some, _ in places), chain.from_iterable(parts), strict=True))
    return [results[i] for i in range(len(blocks))]


def _itself(what):
    return what


def _work(what, task, given):
    """Call the function of a pass for some blocks, each made when its turn comes."""
    held = dict(zip(task.names, given, strict=True))
    return [
        what.function(*(source.make(held) for source in sources), *own, *what.shared)
        for sources, own in zip(task.blocks, task.values, strict=True)
    ]


def _sources_of(X):
    """Return (sources of all blocks of rows, futures of the held blocks by name); None for blocks with common work."""
    from dask.core import flatten
    from dask.optimization import cull
    from distributed import futures_of

    held = {future.key: future for future in futures_of(X)}
    keys = list(flatten(X.__dask_keys__()))
    graph = dict(X.__dask_optimize__(X.__dask_graph__(), keys)) | dict.fromkeys(held)
    parts = [cull(graph, [key])[0] for key in keys]
    uses = Counter(chain(*parts))
    if any(n > 1 and not (name in held or is_result(graph[name])) for name, n in uses.items()):
        return None
    sources = [
        _Source({name: part[name] for name in part if name not in held}, key, [name for name in part if name in held])
        for key, part in zip(keys, parts, strict=True)
    ]
    return sources, held


def _places(blocks, held, client):
    """Return (numbers of blocks, worker or None) of every task.

    A block goes to a worker with the first held block that it needs.
    """
    threads = client.nthreads()
    firsts = [next((name for source in sources for name in source.names), None) for sources in blocks]
    where = client.who_has([held[name] for name in firsts if name is not None])
    places = defaultdict(list)
    for i, name in enumerate(firsts):
        workers = where.get(name, ())
        places[min(workers, key=lambda worker: len(places[worker])) if workers else None].append(i)
    anywhere = [(some, None) for some in batches(places.pop(None, []), sum(threads.values()))]
    return anywhere + [
        (some, worker) for worker, own in places.items() for some in batches(own, threads.get(worker, 1), 1)
    ]
