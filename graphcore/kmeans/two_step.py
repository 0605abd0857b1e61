"""Sample and assign: kernel k-means on a sample, all other points to the nearest centroid. A baseline."""

from typing import NamedTuple

import numpy as np

from .._random import Streams
from .._threads import limited_libraries
from .._validation import check_integer
from ..kernels.dense_matrix import DenseMatrix
from ..spectral.rounding import kmeans_labels
from .gram import as_gram, product
from .starts import labels_of_few

__all__ = ["TwoStep", "two_step_kernel_kmeans"]


class TwoStep(NamedTuple):
    """What two-step kernel k-means returns.

    Attributes
    ----------
    labels : ndarray of shape (n,), int32
        Cluster of every point, from 0.
    sample : ndarray of shape (n_sample,), int64
        The points that were clustered.
    sample_labels : ndarray of shape (n_sample,), int32
        Their clusters; where they are not nearest to the mean of their own, `labels` differ.
    """

    labels: np.ndarray
    sample: np.ndarray
    sample_labels: np.ndarray


def two_step_kernel_kmeans(K, n_clusters, n_sample, *, n_init=10, random_state=None, n_jobs=None):
    """Cluster a uniform sample by kernel k-means and assign every point to the nearest centroid in feature space.

    Parameters
    ----------
    K : Gram, or array-like or sparse matrix of shape (n, n)
        Kernel matrix; :class:`graphcore.kmeans.gram.VectorGram` for a kernel over vectors. Only the columns of the
        sample are used.
    n_clusters : int
    n_sample : int
        Points c in the sample, drawn without replacement; time grows like c^3 + n c.
    n_init : int, default 10
        Restarts of k-means.
    random_state : int, Generator, RandomState or None
    n_jobs : int, optional

    Returns
    -------
    TwoStep

    Raises
    ------
    InputError
        If K cannot be used, or ``n_clusters <= n_sample <= n`` does not hold.

    Warns
    -----
    GraphWarning
        If the sample has fewer different points than clusters: there are then as many clusters as different points.

    References
    ----------
    Chitta, Jin, Havens, Jain, "Approximate kernel k-means: solution to large scale kernel clustering", KDD 2011, where
    it is the baseline called two-step kernel k-means.

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kmeans.two_step import two_step_kernel_kmeans
    >>> found = two_step_kernel_kmeans(np.kron(np.eye(2), np.ones((3, 3))), 2, 6, random_state=0)
    >>> len(set(found.labels[:3])), len(set(found.labels))
    (1, 2)
    """
    gram = as_gram(K)
    n_sample = check_integer("n_sample", n_sample, low=1, high=gram.n, why_high="the points")
    n_clusters = check_integer("n_clusters", n_clusters, low=1, high=n_sample, why_high="the sample")
    streams = Streams(random_state)
    sample = np.sort(streams.generator("sample").choice(gram.n, n_sample, replace=False))
    block = gram.block(sample, sample)
    labels = labels_of_few(
        DenseMatrix(block.astype(gram.dtype, copy=False), check=False),
        n_clusters,
        streams.generator("different"),
        "ask for fewer clusters, or take a larger sample",
    )
    if labels is None:
        with limited_libraries():
            values, vectors = np.linalg.eigh(block)
        rows = vectors * np.sqrt(np.clip(values, 0, None))
        labels = kmeans_labels(rows, n_clusters, n_init=n_init, random_state=streams.child("k-means"), n_jobs=n_jobs)
        labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    # Centroid j is the mean of its sample points.
    members = np.eye(labels.max() + 1)[labels]
    means = members / members.sum(axis=0)
    norms = np.einsum("ij,ij->j", means, block @ means)
    scores = norms - 2 * product(gram.columns(sample), means, n_jobs=n_jobs)
    return TwoStep(scores.argmin(axis=1).astype(np.int32), sample, labels)
