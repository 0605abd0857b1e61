"""Rows of a chunked dask.array: passes over its blocks, which run where these lie.

A pass is a function of (block of rows, small arrays) to something small. The arrays are part of Dask's task graph, so
that whatever a lost worker had is made again from there. Dask decides where tasks run: on the workers of the current
`distributed.Client`, or in threads of this process where there is none.
"""

import sys
from uuid import uuid4

import numpy as np

from .._work import count
from ..exceptions import InputError

__all__ = ["as_chunks", "is_chunked", "map_chunks", "rows_of_chunks"]


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
    if np.isnan(X.shape[0]):
        X = X.compute_chunk_sizes()
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    if min(X.shape) == 0:
        raise InputError(f"X has shape {X.shape}; at least one row and one column are needed")
    return X.rechunk({0: tuple(length for length in X.chunks[0] if length)}) if 0 in X.chunks[0] else X


def map_chunks(function, X, *shared, each=None, name=None):
    """`function(block, *shared)` for every block of rows, in their order; with `each`, `function(block, own, *shared)`.

    `each` holds one thing for every block. X may be a list of arrays too, which are gone through one after the other.
    Tasks go by `name` on Dask's dashboard, by default that of the function.
    """
    if isinstance(X, list):
        own = [()] * len(X) if each is None else [(part,) for part in each]
        return [function(block, *part, *shared) for block, part in zip(X, own, strict=True)]
    import dask
    from dask.sizeof import sizeof

    task = dask.delayed(function, pure=False)
    name = name or _name(function)
    count("passes over chunks", 1)
    count(f"bytes to each worker, {name}", sizeof(shared))
    # Once in the graph, for all blocks.
    shared = [dask.delayed(part, pure=False, traverse=False) for part in shared]
    blocks = X.to_delayed().ravel()
    own = [()] * len(blocks) if each is None else [(part,) for part in each]
    keys = f"{name}-{uuid4().hex}"
    tasks = [
        task(block, *part, *shared, dask_key_name=f"{keys}-{i}")
        for i, (block, part) in enumerate(zip(blocks, own, strict=True))
    ]
    results = list(dask.compute(*tasks))
    count(f"bytes back, {name}", sizeof(results))
    return results


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
