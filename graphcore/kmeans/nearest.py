"""The nearest of some centres, for every row of a matrix."""

import numpy as np

from .._threads import limited_libraries
from ..distributed.chunks import is_chunked, rows_of_chunks


def nearest_center(B, centers):
    """Index of the nearest centre of every row and the squared distance to it, in float64 and by blocks.

    Of rows in a dask.array both are dask.arrays, not computed yet.
    """
    if is_chunked(B):
        return rows_of_chunks(_labels, B, None, np.int32, centers), rows_of_chunks(_squares, B, None, float, centers)
    from sklearn.metrics import pairwise_distances_argmin_min

    labels, distances = np.empty(len(B), dtype=np.int32), np.empty(len(B))
    step = max(1, (1 << 22) // max(1, B.shape[1] + len(centers)))
    with limited_libraries():
        for start in range(0, len(B), step):
            rows = np.asarray(B[start : start + step], dtype=np.float64)
            found = pairwise_distances_argmin_min(rows, centers, metric="sqeuclidean")
            labels[start : start + step], distances[start : start + step] = found
    return labels, distances


def _labels(rows, centers):
    return nearest_center(rows, centers)[0]


def _squares(rows, centers):
    return nearest_center(rows, centers)[1]
