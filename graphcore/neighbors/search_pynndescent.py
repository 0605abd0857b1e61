"""Neighbours that pynndescent finds: by the metrics that the own search lacks, where it is named, and of its indexes.

It is imported when it is used, which takes seconds, and compiles its loops once in every process.
"""

import warnings
from numbers import Integral

import numpy as np

from ..base.lazy import import_whole
from ..base.loops import away, effective_jobs, module_lock
from ..base.streams import Streams
from ..exceptions import InputError
from .neighbor_lists import neighbors_of
from .vectors import is_sparse

# Its metrics, so that a wrong name is refused before the import. Names for what has another name here come first.
ALIASES = {
    "l2": "euclidean", "l1": "manhattan", "taxicab": "manhattan", "linfinity": "chebyshev", "linfty": "chebyshev",
    "linf": "chebyshev", "sqeuclidean": "euclidean",
}  # fmt: skip
SPARSE = (
    "euclidean", "manhattan", "chebyshev", "minkowski", "canberra", "braycurtis", "cosine",
    "correlation", "hamming", "jaccard", "dice", "matching", "kulsinski", "rogerstanimoto", "russellrao",
    "sokalmichener", "sokalsneath", "wasserstein_1d", "wasserstein-1d", "kantorovich-1d", "hellinger", "jensen-shannon",
    "jensen_shannon", "symmetric-kl", "symmetric_kl", "symmetric_kullback_liebler",
)  # fmt: skip
METRICS = (
    *SPARSE, "direct_cosine", "haversine", "spearmanr", "tsss", "kantorovich_1d", "circular_kantorovich",
    "circular_wasserstein", "yule", "bit_hamming", "bit_jaccard",
)  # fmt: skip
# Its threads abort the process when two Python threads enter them at once.
_lock = module_lock()


def is_index(X):
    """Tell whether this is an NNDescent, or a PyNNDescentTransformer, which holds one that lists nothing."""
    names = [(kind.__module__.partition(".")[0], kind.__name__) for kind in type(X).__mro__]
    return ("pynndescent", "NNDescent") in names or ("pynndescent", "PyNNDescentTransformer") in names


def build_index(X, n_neighbors, metric, random_state, n_jobs):
    """Build the NNDescent of vectors, which counts each row as its own neighbour."""
    seed = random_state
    if seed is not None and not isinstance(seed, Integral):
        seed = Streams(seed).integer("pynndescent")

    def build():
        import numba

        NNDescent = import_whole("pynndescent").NNDescent
        n_threads = min(effective_jobs(n_jobs), numba.config.NUMBA_NUM_THREADS)
        return NNDescent(X, n_neighbors=n_neighbors, metric=metric, random_state=seed, n_jobs=n_threads)

    return _called(build, f"metric={metric!r}")


def index_neighbors(index):
    """Return the numbers and distances that an index lists, row by row, the row itself among them."""
    found = _called(lambda: index.neighbor_graph, "the index") if hasattr(index, "neighbor_graph") else None
    if found is None:
        raise InputError(
            "a PyNNDescentTransformer and a compressed NNDescent hold no lists of neighbours; give what the former's "
            "fit_transform(X) returns to affinity='precomputed_nearest_neighbors', or an NNDescent of X"
        )
    return found


def query(index, rows, n_neighbors):
    """Return numbers and distances of the nearest rows of an index to new ones."""
    if rows.shape[1] != index.dim:
        raise InputError(f"X has {rows.shape[1]} features, and the index has vectors of {index.dim}")
    rows = rows.astype(np.float32) if is_sparse(rows) else np.array(rows, dtype=index._input_dtype)
    return _called(lambda: index.query(rows, k=n_neighbors), "the index")


def neighbors_by_pynndescent(X, n_neighbors, metric, random_state, n_jobs):
    """Find Neighbors by nearest neighbour descent as pynndescent makes it; `n_jobs` may change them."""
    index = build_index(X, n_neighbors + 1, metric, random_state, n_jobs)
    return neighbors_of(index_neighbors(index), n_neighbors)


class IndexSearcher:
    """A searcher, see `exact_searcher`, by an index; `kept` are the numbers of its rows."""

    def __init__(self, index, n_neighbors, kept=None):
        self.index, self._n_neighbors, self._kept = index, n_neighbors, kept

    def kneighbors(self, rows):
        """Return distances and numbers of the nearest, nearest first; infinite and -1 where fewer were found."""
        numbers, distances = query(self.index, rows, self._n_neighbors)
        distances = np.where(numbers >= 0, distances, np.inf)
        return distances, numbers if self._kept is None else np.where(numbers >= 0, self._kept[numbers], -1)


def _called(function, what):
    """Call pynndescent, one thread at a time; its errors become an InputError, and -1 stands for its warning."""

    def call():
        with _lock, warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Failed to correctly find n_neighbors|Compressed indexes")
            return function()

    try:
        return away(call)
    except (ValueError, NotImplementedError) as error:
        raise InputError(f"pynndescent cannot use {what} here: {error}") from None
