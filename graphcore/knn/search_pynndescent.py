"""Approximate neighbours by distances for which there are no loops here: pynndescent has them."""

import warnings

import numpy as np

from .._locks import ModuleLock
from .._progress import note
from .._random import Streams
from .._threads import away
from .neighbor_lists import empty_neighbors, fill_block

METRICS_OF_PYNNDESCENT = ("correlation", "chebyshev", "canberra", "braycurtis")

# It finds more when it looks for more: with its own defaults of 10 and 10, recall on blobs is .94 instead of .99.
_LISTED, _CANDIDATES = 16, 32
# Its threads abort the process when two Python threads enter them at once.
_lock = ModuleLock()


def neighbors_by_pynndescent(X, n_neighbors, metric, random_state):
    """Nearest neighbour descent over dense vectors, in one thread: with several, its result depends on their number."""
    seed = Streams(random_state).integer("approximate neighbours")  # before the wait, which a wrong seed is not worth
    note("pynndescent compiles its search loops, once in every process: 20 to 40 seconds")
    n = len(X)
    # A copy, because for read-only arrays it would compile all once more.
    X = np.array(X, dtype=np.float32)
    listed = min(n, max(n_neighbors + 1, _LISTED))  # it counts the row itself

    def search():
        import numba
        from pynndescent import NNDescent

        with _lock, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Failed to correctly find n_neighbors")  # -1 in the lists tells of it
            before = numba.get_num_threads()
            try:
                index = NNDescent(
                    X, metric=metric, n_neighbors=listed, max_candidates=_CANDIDATES, random_state=seed, n_jobs=1
                )
            finally:
                numba.set_num_threads(before)
        return index.neighbor_graph

    indices, distances = away(search)
    out = empty_neighbors(n, n_neighbors)
    fill_block(out, 0, indices, distances)
    return out
