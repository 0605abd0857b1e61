"""Sorted entries become the arrays of a store, bucket after bucket."""

import numpy as np

from ..graphs.ids import id_dtype
from . import _loops
from .arrays import ArrayWriter

_ROWS = 1 << 20
_ENTRIES = 1 << 20


class RowWriter:
    """Writes indptr, indices, weights (unless `weight_dtype` is None) and degrees of rows that come in ascending order.

    The last row stays open, because the next bucket may go on with it. `state` is {}, or from :meth:`checkpoint`.
    """

    def __init__(self, folder, n_nodes, weight_dtype, state):
        self._n_nodes = n_nodes
        self._row, self._count, self._sum = state.get("row", 0), state.get("count", 0), state.get("sum", 0.0)
        self._total, self.n_isolated = state.get("total", 0), state.get("n_isolated", 0)
        self.all_ones = state.get("all_ones", True)
        kinds = {"indptr": np.int64, "indices": id_dtype(n_nodes), "degrees": np.float64}
        if weight_dtype is not None:
            kinds["weights"] = weight_dtype
        there = state.get("arrays", {})
        self._writers = {name: ArrayWriter(folder, name, kind, *there.get(name, ())) for name, kind in kinds.items()}
        if not there:
            self._writers["indptr"].append(np.zeros(1, dtype=np.int64))

    def append(self, keys, weights):
        """Write merged entries (row << 31 | column)."""
        if len(keys) == 0:
            return
        if len(weights):
            # What is stored is what degrees are made of.
            weights = weights.astype(self._writers["weights"].dtype, copy=False).astype(np.float64, copy=False)
        indices, ids = self._writers["indices"], self._writers["indices"].dtype
        for start in range(0, len(keys), _ENTRIES):
            indices.append((keys[start : start + _ENTRIES] & 0x7FFFFFFF).astype(ids))
            if len(weights):
                piece = weights[start : start + _ENTRIES]
                self._writers["weights"].append(piece)
                self.all_ones = self.all_ones and bool((piece == 1).all())
        self._close_rows(keys, weights, int(keys[-1] >> 31))

    def finish(self):
        """Write the rows that are left; returns the ArrayFacts of all arrays."""
        nothing = np.empty(0, dtype=np.int64), np.empty(0)
        self._close_rows(*nothing, self._n_nodes)
        return {name: writer.close() for name, writer in self._writers.items()}

    def checkpoint(self):
        """Bring everything to the disk, and return the state from which a later RowWriter can go on."""
        for writer in self._writers.values():
            writer.sync()
        return {
            "row": self._row, "count": self._count, "sum": self._sum, "total": self._total,
            "n_isolated": self.n_isolated, "all_ones": self.all_ones,
            "arrays": {name: [writer.length, writer.crc32] for name, writer in self._writers.items()},
        }  # fmt: skip

    def abandon(self):
        """Close the files as they are."""
        for writer in self._writers.values():
            writer.abandon()

    def _close_rows(self, keys, weights, last):
        """Count the entries of all rows up to `last`, write the rows before it, and keep that one open."""
        entry = 0
        while True:
            n_rows = min(_ROWS, last + 1 - self._row)
            counts, sums = np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows)
            counts[0], sums[0] = self._count, self._sum
            entry = _loops.count_rows(keys, weights, entry, self._row, counts, sums)
            at_end = self._row + n_rows > last
            done = n_rows - 1 if at_end else n_rows
            self._write_rows(counts[:done], sums[:done])
            self._row += done
            self._count, self._sum = (int(counts[-1]), float(sums[-1])) if at_end else (0, 0.0)
            if at_end:
                return

    def _write_rows(self, counts, sums):
        degrees = sums if "weights" in self._writers else counts.astype(np.float64)
        self.n_isolated += int(np.count_nonzero(degrees == 0))
        self._writers["degrees"].append(degrees)
        ends = np.cumsum(counts) + self._total
        self._writers["indptr"].append(ends)
        self._total += int(counts.sum())
