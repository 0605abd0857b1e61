"""Passes over the blocks of a chunked dask.array on workers, in few tasks.

A task costs some milliseconds. So all blocks that a worker holds go into one task, and blocks that are not there yet
are made inside few tasks, one after the other.
"""

from collections import Counter, defaultdict
from itertools import chain
from uuid import uuid4

from .cluster import INLINE_BYTES, batches


class _Source:
    """How a task makes a block: by the block's own part of Dask's graph, from blocks that are held, if from any.

    Like the next two it is a class, since Dask looks into lists and tuples but not into what it does not know.
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
        self.blocks, self.values = blocks, values  # for each block, its sources and what else is its own
        self.names = list(dict.fromkeys(name for sources in blocks for source in sources for name in source.names))


def map_sources(client, function, arrays, values, shared, size, name):
    """`function(*blocks, *values, *shared)` for the blocks of arrays with the same rows; results in block order.

    `values` holds a tuple for every block; `shared` are of so many bytes. Returns None, and does nothing, where blocks
    have work in common, as those of a new chunking have: their tasks are Dask's own.
    """
    found = [_sources_of(array) for array in arrays]
    if None in found:
        return None
    held = {name: future for _, futures in found for name, future in futures.items()}
    blocks = list(zip(*(sources for sources, _ in found), strict=True))
    what, key = _Pass(function, shared), f"{name}-{uuid4().hex}"
    if size > INLINE_BYTES:  # workers have it from each other, and it is made again where it is lost
        what = client.submit(_itself, what, key=f"shared-{key}", pure=False)
    places, futures = _places(blocks, held, client), []
    for i, (some, worker) in enumerate(places):
        task = _Task([blocks[j] for j in some], [values[j] for j in some])
        given = [held[name] for name in task.names]
        where = {"workers": worker, "allow_other_workers": worker is not None}
        futures.append(client.submit(_work, what, task, given, key=f"{key}-{i}", pure=False, **where))
    try:
        parts = client.gather(futures)
    except BaseException:
        client.cancel(futures)  # nobody waits for the others any more
        raise
    results = dict(zip(chain.from_iterable(some for some, _ in places), chain.from_iterable(parts), strict=True))
    return [results[i] for i in range(len(blocks))]


def _itself(what):
    return what


def _work(what, task, given):
    """A task: some blocks, each made when its turn comes."""
    held = dict(zip(task.names, given, strict=True))
    return [
        what.function(*(source.make(held) for source in sources), *own, *what.shared)
        for sources, own in zip(task.blocks, task.values, strict=True)
    ]


def _sources_of(X):
    """(sources of all blocks of rows, futures of the blocks that are held, by name), or None."""
    from dask._task_spec import DataNode
    from dask.core import flatten
    from dask.optimization import cull
    from distributed.client import futures_of

    held = {future.key: future for future in futures_of(X)}
    keys = list(flatten(X.__dask_keys__()))
    graph = dict(X.__dask_optimize__(X.__dask_graph__(), keys)) | dict.fromkeys(held)
    parts = [cull(graph, [key])[0] for key in keys]
    uses = Counter(chain(*parts))
    if any(n > 1 and not (name in held or isinstance(graph[name], DataNode)) for name, n in uses.items()):
        return None
    sources = [
        _Source({name: part[name] for name in part if name not in held}, key, [name for name in part if name in held])
        for key, part in zip(keys, parts, strict=True)
    ]
    return sources, held


def _places(blocks, held, client):
    """Which blocks each task goes through, and on which worker: [(numbers of blocks, worker or None)].

    A block goes where the first is that is held and that it needs.
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
