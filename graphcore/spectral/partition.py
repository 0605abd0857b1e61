"""Spectral partition of a coreset graph."""

from dataclasses import dataclass, field

import numpy as np

from .._random import Streams
from .._validation import check_choice, check_integer
from .exact import spectral_embedding
from .power import power_embedding
from .rounding import kmeans_labels

EIGEN_SOLVERS = ("power", "exact")
# Initialisations of k-means, as long as an iteration takes no more distances than this.
_INITIALISATIONS, _DISTANCES = 10, 1 << 24


@dataclass(frozen=True, eq=False)
class SpectralPartition:
    """Labels of a graph's nodes and the embedding they were read from."""

    labels: np.ndarray  # (n,) int32
    embedding: np.ndarray = field(repr=False)  # (n, n_vectors), float64 or float32
    n_clusters: int  # asked for; there may be fewer labels, where there are fewer distinct rows


def spectral_partition(
    A, n_clusters, *, eigen_solver="power", degrees=None, n_init="auto", random_state=None, n_jobs=None
):
    """Cluster the nodes of a (coreset) graph by spectral clustering.

    Parameters
    ----------
    A : csr_array of shape (n, n)
        Symmetric, non-negative.
    n_clusters : int
    eigen_solver : {"power", "exact"}, default "power"
        "power" smooths log2(k) random vectors; "exact" takes k eigenvectors.
    degrees : ndarray of shape (n,), float64, optional
        What rows and columns are divided by the roots of, with "exact"; row sums by default.
    n_init : int or "auto", default "auto"
        Initialisations of k-means. "auto" is ten, or less where n times `n_clusters` is above 2^24, one from 10 x 2^24
        on: the more clusters there are, the less the costs of several differ, and the longer each one takes.
    random_state : int, Generator, RandomState or None
    n_jobs : int, optional

    Returns
    -------
    SpectralPartition

    Notes
    -----
    k-means takes the rows as they come, unweighted: with 250 planted clusters this gave ARI 0.795 for all nodes, rows
    scaled by ``D^-1/2`` and weighted 0.701.
    """
    check_choice("eigen_solver", eigen_solver, EIGEN_SOLVERS)
    n_clusters = check_integer("n_clusters", n_clusters, low=1, high=A.shape[0], why_high="the nodes of the graph")
    streams = Streams(random_state)
    if n_clusters == 1:
        return SpectralPartition(np.zeros(A.shape[0], dtype=np.int32), np.zeros((A.shape[0], 1)), 1)
    if eigen_solver == "power":
        embedding = power_embedding(A, n_clusters, random_state=streams, n_jobs=n_jobs)
    else:
        embedding, _ = spectral_embedding(A, n_clusters, degrees=degrees, random_state=streams)
    if isinstance(n_init, str):
        check_choice("n_init", n_init, ("auto",))
        n_init = min(_INITIALISATIONS, max(1, _INITIALISATIONS * _DISTANCES // (len(embedding) * n_clusters)))
    labels = kmeans_labels(embedding, n_clusters, n_init=n_init, random_state=streams, n_jobs=n_jobs)
    return SpectralPartition(labels, embedding, n_clusters)
