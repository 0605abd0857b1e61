"""Approximate nearest neighbours by pynndescent."""

import threading
import warnings

import numpy as np

from .._progress import logger
from .._random import Streams
from .._threads import away, effective_jobs
from .neighbor_lists import empty_neighbors, fill_block
from .vectors import is_sparse

__all__ = ["approximate_neighbors"]

# Nearest neighbour descent finds more when it looks for more: with these, 0.996 of the 10 nearest on MNIST and 0.994 on
# Gaussian blobs (200,000 x 16) instead of 0.976 and 0.936 with pynndescent's defaults, in 1.5 times the time.
_LISTED, _CANDIDATES = 16, 32

_COPIED_BYTES = 1 << 28

# pynndescent's threads abort the process when two Python threads enter them at once.
_pynndescent_lock = threading.Lock()
_announced = []


def approximate_neighbors(X, n_neighbors, metric, random_state, n_jobs):
    """Nearest neighbour descent (Dong, Moses, Li 2011) by pynndescent.

    Its result depends on the number of threads: leaves are taken 64 per thread at a time, each thread draws candidates
    from a stream of its own for its n / threads rows, and updates are applied in the order of the threads. Hence one
    thread whenever a seed is given; on two cores that was no slower than two threads (bench/neighbors.py).
    """
    seed = Streams(random_state).integer("approximate neighbours")  # before the wait, which a wrong seed is not worth
    _announce()
    import numba
    from pynndescent import NNDescent

    n = X.shape[0]
    X, unit = _as_float32(X)
    threads = 1 if random_state is not None else min(effective_jobs(n_jobs), numba.config.NUMBA_NUM_THREADS)
    listed = min(n, max(n_neighbors + 1, _LISTED))  # it counts the row itself
    candidates = max(_CANDIDATES, min(60, listed))

    def search():
        with _pynndescent_lock, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Failed to correctly find n_neighbors")  # counted below
            before = numba.get_num_threads()
            try:
                index = NNDescent(
                    X, metric=metric, n_neighbors=listed, max_candidates=candidates, random_state=seed, n_jobs=threads
                )
            finally:
                numba.set_num_threads(before)
        return index.neighbor_graph

    indices, distances = away(search)
    if unit != 1:
        distances = distances * np.float32(unit)
    out = empty_neighbors(n, n_neighbors)
    for start in range(0, n, 1 << 16):
        stop = min(start + (1 << 16), n)
        fill_block(out, start, indices[start:stop], distances[start:stop])
    n_missing = int((out.indices < 0).sum())
    if n_missing:
        logger.info("the approximate search found %d neighbours fewer than asked for", n_missing)
    return out


def _announce():
    """Say once in a process why nothing happens for a while."""
    if not _announced:
        _announced.append(True)
        logger.info("pynndescent compiles its search loops, once in every process: 20 to 40 seconds")


def _as_float32(X):
    """Vectors as float32, with as many of float64's digits as differences need; returns (vectors, distance unit)."""
    if is_sparse(X):
        return X.astype(np.float32, copy=False), 1.0
    if X.dtype == np.float32:
        # For read-only arrays pynndescent would compile all once more. Large ones may be memory-mapped and stay.
        return (X.copy() if not X.flags.writeable and X.nbytes <= _COPIED_BYTES else X), 1.0
    # Distances do not feel a shift, but float32 does: 1,000,000.01 and 1,000,000.02 would be one number.
    centred = X - X.mean(axis=0)
    unit = float(np.abs(centred).max()) or 1.0
    centred /= unit
    return centred.astype(np.float32), unit
