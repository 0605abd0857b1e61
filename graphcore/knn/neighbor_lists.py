"""Lists of neighbours: what every neighbour search gives."""

from typing import NamedTuple

import numpy as np

__all__ = ["Neighbors", "empty_neighbors", "fill_block"]


class Neighbors(NamedTuple):
    """The neighbours found for every row, nearest first, the row itself never among them."""

    indices: np.ndarray  # (n_rows, n_neighbors) int32; -1 where the search found none (always at a row's end)
    distances: np.ndarray  # (n_rows, n_neighbors) float32, by the metric; infinite where none was found


def empty_neighbors(n_rows, n_neighbors):
    """Return lists to be filled by :func:`fill_block`."""
    shape = (n_rows, n_neighbors)
    return Neighbors(np.empty(shape, dtype=np.int32), np.empty(shape, dtype=np.float32))


def fill_block(out, start, indices, distances):
    """Write the nearest others of the rows from `start` on; a row itself may stand anywhere in its list, or not."""
    rows = np.arange(start, start + len(indices))
    unusable = (indices == rows[:, None]) | (indices < 0)
    distances = np.where(unusable, np.inf, distances)
    order = np.argsort(distances, axis=1, kind="stable")[:, : out.indices.shape[1]]
    block = slice(start, start + len(indices))
    out.indices[block] = np.take_along_axis(np.where(unusable, -1, indices), order, axis=1)
    out.distances[block] = np.take_along_axis(distances, order, axis=1)
