"""Rows of a chunked dask.array: passes over its blocks, which run where these lie.

A pass is a function of (block of rows, small arrays) to something small. It runs on the workers of the current
`distributed.Client`, or in Dask's threads of this process where there is none. Everything is part of Dask's task graph,
so that whatever a lost worker had is made again from there.
"""

import sys
from uuid import uuid4

import numpy as np

from .._work import count
from ..exceptions import InputError
from .cluster import current_client, require_reachable, told_of_ends
from .sources import map_sources


def is_chunked(X):
    """Whether this is a dask.array; Dask is not imported for the question."""
    module = sys.modules.get("dask.array")
    return module is not None and isinstance(X, module.Array)


def as_chunks(X):
    """A dask.array as blocks of whole rows of known length, none of them empty.

    Raises
    ------
    InputError
        If it is no matrix of real numbers, or its blocks are no arrays of numpy.
    """
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise InputError(f"X must be a matrix of real numbers, got a dask.array of shape {X.shape} and type {X.dtype}")
    if not isinstance(X._meta, np.ndarray):
        raise InputError(
            f"the blocks of X are of type {type(X._meta).__name__}; X.map_blocks(lambda block: block.toarray()) makes "
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
    """`function(block, *shared)` for every block of rows, in their order; with `each`, `function(block, own, *shared)`.

    `each` holds one thing for every block, or is a dask.array with the same blocks of rows. X may be a list of arrays
    too, which are gone through one after the other, or a single array, of which `each` is then what belongs to it.
    Tasks go by `name` on Dask's dashboard, by default that of the function.
    """
    if not is_chunked(X):
        if not isinstance(X, list):
            X, each = [X], None if each is None else [each]
        own = [()] * len(X) if each is None else [(part,) for part in each]
        return [function(block, *part, *shared) for block, part in zip(X, own, strict=True)]
    from dask.sizeof import sizeof

    name, size = name or _name(function), sizeof(shared)
    found, client = None, current_client()
    arrays = [X, each] if is_chunked(each) else [X]
    with told_of_ends(client):
        if client is not None:
            values = [()] * X.numblocks[0] if each is None or is_chunked(each) else [(part,) for part in each]
            found = map_sources(client, function, arrays, values, shared, size, name)
        if found is None:
            each = each.to_delayed().ravel() if is_chunked(each) else each
            found = _by_dask(function, X, shared, each, name)
    count("passes over chunks", 1)
    count(f"bytes to each worker, {name}", size)
    count(f"bytes back, {name}", sizeof(found))
    return found


def _by_dask(function, X, shared, each, name):
    """The same in a task for every block, which Dask makes."""
    import dask

    task = dask.delayed(function, pure=False)
    # Once in the graph, for all blocks.
    shared = [dask.delayed(part, pure=False, traverse=False) for part in shared]
    blocks = X.to_delayed().ravel()
    own = [()] * len(blocks) if each is None else [(part,) for part in each]
    keys = f"{name}-{uuid4().hex}"
    tasks = [
        task(block, *part, *shared, dask_key_name=f"{keys}-{i}")
        for i, (block, part) in enumerate(zip(blocks, own, strict=True))
    ]
    return list(dask.compute(*tasks))


def rows_at(X, points):
    """Rows by their numbers, of an array, a list of arrays or a dask.array; an ndarray of the latter two."""
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
    """`function(block, *shared)`, one row of `width` numbers for each row of the block, as a dask.array.

    Nothing is computed yet. With `width` None each row becomes one number.
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
