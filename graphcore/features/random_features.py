"""Random Fourier features, cut to their leading directions: the baseline beside landmarks."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from .._random import Streams
from .._validation import check_integer, check_real
from ..exceptions import InputError
from .factor import nystrom_factor

__all__ = ["RandomFourierFeatures", "random_fourier_features"]


class RandomFourierFeatures(NamedTuple):
    """Random Fourier features of vectors and the map that made them.

    Attributes
    ----------
    features : ndarray of shape (n, rank), float32 or float64
    sampler : sklearn.kernel_approximation.RBFSampler
        The random map to `n_features` dimensions.
    rotation : ndarray of shape (n_features, rank), float64
        Leading right singular vectors of the random features.
    """

    features: np.ndarray
    sampler: Any
    rotation: np.ndarray

    def transform(self, X):
        """Features of other vectors, shape (n_rows, rank)."""
        return self.sampler.transform(X) @ self.rotation


@dataclass(frozen=True, eq=False)
class _FourierColumns:
    """The random features, made for a block of rows when it is asked for."""

    sampler: Any
    X: Any
    dtype: np.dtype

    @property
    def shape(self):
        return self.X.shape[0], self.sampler.n_components

    @property
    def row_bytes(self):
        width = 0 if hasattr(self.X, "tocsr") else self.X.shape[1]
        return 2 * (width + self.sampler.n_components) * self.dtype.itemsize

    def rows(self, start, stop):
        return self.sampler.transform(self.X[start:stop].astype(self.dtype, copy=False))


def random_fourier_features(X, n_features, *, bandwidth, rank=None, random_state=None, n_jobs=None):
    """Features whose inner products are those of the Gaussian kernel in mean, ``sqrt(2 / c) cos(X Omega + b)``.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n, n_columns)
        float32 is computed in float32, everything else in float64.
    n_features : int
        Random frequencies c.
    bandwidth : float
        Sigma of ``exp(-|x - y|^2 / (2 sigma^2))``.
    rank : int, optional
        Keep this many leading directions (right singular vectors) of the random features. Default: all.
    random_state : int, Generator, RandomState or None
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    RandomFourierFeatures

    Raises
    ------
    InputError
        If X is no matrix, or a parameter cannot be used.

    Notes
    -----
    The random map is scikit-learn's RBFSampler. What it does not have is the cut to leading directions in bounded
    memory; that is the one of the Nystrom factor, with the random features for C and the identity for W.

    References
    ----------
    Rahimi, Recht, "Random features for large-scale kernel machines", 2007. Wang, Gittens, Mahoney, "Scalable kernel
    k-means clustering with Nystrom approximation", JMLR 2019, section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.features.random_features import random_fourier_features
    >>> random_fourier_features(np.eye(4), 30, bandwidth=1.0, rank=2, random_state=0).features.shape
    (4, 2)
    """
    from sklearn.kernel_approximation import RBFSampler

    if getattr(X, "ndim", 0) != 2 or not X.shape[0]:
        raise InputError(f"vectors must be a matrix of at least one row, got shape {getattr(X, 'shape', None)}")
    c = check_integer("n_features", n_features, low=1)
    sigma = check_real("bandwidth", bandwidth, low=0, open_low=True)
    if rank is not None:
        rank = check_integer("rank", rank, low=1, high=c, why_high="n_features")
    dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
    seed = Streams(random_state).integer("frequencies")
    sampler = RBFSampler(gamma=0.5 / sigma**2, n_components=c, random_state=seed).fit(X[:1].astype(dtype))
    factor = nystrom_factor(_FourierColumns(sampler, X, dtype), np.eye(c), rank, n_jobs=n_jobs)
    return RandomFourierFeatures(factor.features, sampler, factor.projection)
