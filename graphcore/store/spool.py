"""The edges as they were read, in one file of blocks."""

import os

import numpy as np

from .arrays import cut_back


class Spool:
    """Blocks of edges on disk; `blocks` lists [number of edges, bytes of an id, bytes of a weight or 0] of each."""

    def __init__(self, path, blocks):
        self.path, self.blocks = path, blocks
        self._stream = None

    @property
    def n_edges(self):
        """Number of edges."""
        return sum(block[0] for block in self.blocks)

    def append(self, ends, weights):
        """Write a block: `ends` of shape (n_edges, 2), int32 or int64; weights of length 0 stand for none."""
        if self._stream is None:
            self._stream = open(self.path, "ab")  # noqa: SIM115 - closed by close()
            cut_back(self._stream, sum(_size(block) for block in self.blocks))
        for array in (ends, weights):
            self._stream.write(np.ascontiguousarray(array).view(np.uint8).data)
        self.blocks.append([len(ends), ends.itemsize, weights.itemsize if len(weights) else 0])

    def sync(self):
        """Bring all blocks to the disk."""
        if self._stream is not None:
            self._stream.flush()
            os.fsync(self._stream.fileno())

    def close(self):
        """Close the file."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def pieces(self, n_edges):
        """Yield (ends, weights) of at most `n_edges` edges each.

        Ends are int64 and flat, source and target by turns; weights are float64, of length 0 for none.
        """
        if not self.blocks:
            return
        with open(self.path, "rb") as stream:
            start = 0
            for count, id_size, weight_size in self.blocks:
                for first in range(0, count, n_edges):
                    length = min(n_edges, count - first)
                    yield self._read(stream, start, count, first, length, id_size, weight_size)
                start += _size((count, id_size, weight_size))

    def sample(self, n_edges, rng):
        """About `n_edges` random edges, flat."""
        rate = min(1.0, n_edges / self.n_edges)
        picked = []
        for ends, _ in self.pieces(1 << 20):
            pairs = ends.reshape(-1, 2)
            count = rng.binomial(len(pairs), rate)
            picked.append(pairs[rng.integers(len(pairs), size=count)].ravel())
        return np.concatenate(picked)

    @staticmethod
    def _read(stream, start, count, first, length, id_size, weight_size):
        ends = np.empty(2 * length, dtype=np.int32 if id_size == 4 else np.int64)
        weights = np.empty(length if weight_size else 0)
        _fill(stream, start + 2 * first * id_size, ends)
        _fill(stream, start + 2 * count * id_size + first * weight_size, weights)
        return ends.astype(np.int64, copy=False), weights


def _size(block):
    count, id_size, weight_size = block
    return count * (2 * id_size + weight_size)


def _fill(stream, start, array):
    if len(array):
        stream.seek(start)
        if stream.readinto(array.view(np.uint8).data) != array.nbytes:
            raise OSError(5, "a temporary file is cut off", stream.name)
