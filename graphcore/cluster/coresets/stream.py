"""Coresets of vectors that come in chunks, merged and reduced in a tree: memory of some coresets, not of all rows."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...base.streams import Streams
from ...base.threads import limited_libraries
from ...distributed.chunks import is_chunked, map_chunks
from ...kernels.functions import KernelFunction
from ...kernels.vectors import VectorKernel
from .coreset import Coreset
from .merge import merge_coresets


@dataclass(frozen=True, eq=False)
class CoresetTree:
    """Coresets of the chunks of a stream: at most one for each level of a tree, like the digits of a binary number.

    A coreset at level l stands for ``2^l`` chunks. Random numbers go by the places of chunks and merges in the stream.

    Bentley, Saxe, "Decomposable searching problems I", J. Algorithms 1980; Har-Peled, Mazumdar, "On coresets for
    k-means and k-median clustering", STOC 2004.
    """

    reduced: Callable  # of a Coreset and `random_state`, a smaller one: `reduce_coreset` with its other arguments
    function: KernelFunction
    precision: np.dtype  # of kernel values
    streams: Streams
    levels: tuple[Coreset | None, ...] = ()
    n_chunks: int = 0

    def with_chunks(self, X, weights=None):
        """Return the tree with the rows of X, one more chunk, or of a dask.array, whose chunks are drawn from in place.

        `weights` (n_rows,) float64 are ones if not given.
        """
        blocks = X if is_chunked(X) else [X]
        n_blocks = X.numblocks[0] if is_chunked(X) else 1
        streams = [self.streams.child("chunk", self.n_chunks + i) for i in range(n_blocks)]
        tree = self
        for coreset in map_chunks(_chunk_coreset, blocks, weights, self.reduced, self.function, self.precision,
                                  each=streams):  # fmt: skip
            tree = tree.with_coreset(coreset)
        return tree

    def with_coreset(self, coreset):
        """Return the tree with the coreset of one more chunk."""
        level = 0
        while level < len(self.levels) and (before := self.levels[level]) is not None:
            stream = self.streams.child(f"level {level}", self.n_chunks)
            coreset = self.reduced(merge_coresets(before, coreset), random_state=stream)
            level += 1
        levels = (None,) * level + (coreset,) + self.levels[level + 1 :]
        return replace(self, levels=levels, n_chunks=self.n_chunks + 1)

    def whole(self):
        """Return the coreset of all chunks."""
        merged = merge_coresets(*[coreset for coreset in reversed(self.levels) if coreset is not None])
        return self.reduced(merged, random_state=self.streams.child("whole", self.n_chunks))


def _chunk_coreset(rows, streams, weights, reduced, function, precision):
    """Draw the coreset of a chunk from all its rows that have weight, as from a coreset."""
    n, indices = rows.shape[0], np.arange(rows.shape[0])
    if weights is None:
        weights = np.ones(n)
    elif not weights.all():
        indices = np.flatnonzero(weights)
        rows, weights = rows[indices], weights[indices]
    kernel = VectorKernel(rows, function, precision)
    every = Coreset(indices, weights, "uniform", len(indices), kernel=kernel, n_points=n)
    with limited_libraries():
        return reduced(every, random_state=streams)
