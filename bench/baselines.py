"""Baselines of kernel k-means: random Fourier features, spectral clustering of features, and an objective."""

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class FourierColumns:
    """Random Fourier features, computed for a block of rows on request."""

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
    """Return features whose inner products are those of the Gaussian kernel in mean, ``sqrt(2 / c) cos(X Omega + b)``.

    scikit-learn's RBFSampler, cut to `rank` leading directions in bounded memory, as the Nystrom factor is cut, with
    the random features for C and the identity for W.

    Returns
    -------
    ndarray of shape (n, rank), float32 where X is, otherwise float64

    References
    ----------
    Rahimi, Recht, "Random features for large-scale kernel machines", 2007. Wang, Gittens, Mahoney, "Scalable kernel
    k-means clustering with Nystrom approximation", JMLR 2019, section 5.
    """
    from sklearn.kernel_approximation import RBFSampler

    from graphcore.base.streams import Streams
    from graphcore.kernel_methods.nystrom import nystrom_factor

    dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
    seed = Streams(random_state).integer("frequencies")
    sampler = RBFSampler(gamma=0.5 / bandwidth**2, n_components=n_features, random_state=seed)
    sampler.fit(X[:1].astype(dtype))
    return nystrom_factor(FourierColumns(sampler, X, dtype), np.eye(n_features), rank, n_jobs=n_jobs).features


def factor_embedding(B, n_clusters):
    """Return the leading eigenvectors of ``D^-1/2 B B^T D^-1/2``, rows of norm 1 (or 0), and the eigenvalues.

    With ``d = B (B^T 1)`` and ``Q = D^-1/2 B`` the eigenvectors are the left singular vectors of Q: time O(n r^2),
    memory O(n r). None if a degree is not positive, which an approximation of a kernel without negative entries can
    have.
    """
    from graphcore.base.loops import limited_libraries

    B = np.asarray(B, dtype=np.float64)
    degrees = B @ B.sum(axis=0)
    if degrees.min() <= 0:
        return None
    Q = B / np.sqrt(degrees)[:, None]
    with limited_libraries():
        values, rotation = np.linalg.eigh(Q.T @ Q)
        values, rotation = values[::-1][:n_clusters], rotation[:, ::-1][:, :n_clusters]
        vectors = Q @ rotation
    # Directions outside the range of Q stay 0: division by their singular values would amplify rounding errors.
    kept = values > B.shape[1] * np.finfo(float).eps * values[0]
    vectors = np.where(kept, vectors / np.sqrt(np.where(kept, values, 1.0)), 0.0)
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0), values


def factor_spectral_clustering(B, n_clusters, *, n_init=10, random_state=None):
    """Return the normalised spectral clustering of ``B B^T``, which is never formed: Nystrom spectral clustering.

    Returns
    -------
    ndarray of shape (n,), int32, or None if a degree is not positive: the paper discards such draws

    References
    ----------
    Fowlkes, Belongie, Chung, Malik, "Spectral grouping using the Nystrom method", 2004. Wang, Gittens, Mahoney, JMLR
    2019, section 4.
    """
    from graphcore.base.streams import Streams
    from graphcore.cluster.spectral import kmeans_labels

    found = factor_embedding(B, n_clusters)
    if found is None:
        return None
    streams = Streams(random_state)
    labels = kmeans_labels(found[0], n_clusters, n_init=n_init, random_state=streams.child("k-means"))
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def partition_costs(K):
    """Return a function of labels that gives the cost of kernel k-means, and the mean squared distance of columns of K.

    The second is the objective that the experiments of Wang, Gittens and Mahoney report (equation 6). It is no kernel
    k-means cost: its points are the columns, not their images in feature space. K is a dense array, and both come from
    one product with it.
    """
    trace, squares = float(np.trace(K, dtype=np.float64)), float(np.einsum("ij,ij->", K, K, dtype=np.float64))

    def costs(labels):
        found, labels = np.unique(labels, return_inverse=True)
        membership = np.zeros((len(K), len(found)), K.dtype)
        membership[np.arange(len(K)), labels] = 1.0 / np.sqrt(np.bincount(labels))[labels]
        explained = K @ membership
        inside = np.einsum("ij,ij->", membership, explained, dtype=np.float64)
        along = np.square(explained, dtype=np.float64).sum()
        return (trace - float(inside)) / len(K), (squares - float(along)) / len(K)

    return costs
