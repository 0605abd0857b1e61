"""First labels: random ones, and the clusters of seeds drawn by k-means++ or farthest first."""

import numpy as np

from .._validation import check_choice
from ..exceptions import InputError

__all__ = ["INITS", "label_draws", "random_labels", "seed_labels"]

INITS = ("k-means++", "farthest", "random", "k-means")


def label_draws(problem, init, n_clusters, streams, k_means):
    """A function that draws the labels of initialisation number i, and whether all are the same.

    Parameters
    ----------
    problem : EuclideanFlats or KernelFlats
    init : {"k-means++", "farthest", "random", "k-means"}
    n_clusters : int
    streams : Streams
    k_means : callable
        Gives the labels of a finished k-means from first labels and a random generator, for "k-means".

    Returns
    -------
    draw : callable
    repeatable : bool
    """
    check_choice("init", init, INITS)

    def draw(i):
        rng = streams.generator("start", i)
        if init == "random":
            return random_labels(problem.n_points, n_clusters, rng)
        labels = seed_labels(problem, n_clusters, rng, farthest=init == "farthest")[1]
        return k_means(labels, rng) if init == "k-means" else labels

    return draw, n_clusters == 1


def random_labels(n_points, n_clusters, rng):
    """Uniform labels, each of which occurs.

    Parameters
    ----------
    n_points, n_clusters : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of shape (n_points,), int32
    """
    labels = rng.integers(0, n_clusters, n_points, dtype=np.int32)
    labels[rng.permutation(n_points)[:n_clusters]] = np.arange(n_clusters)
    return labels


def seed_labels(problem, n_clusters, rng, *, farthest=False):
    """Seeds at different places, and the nearest seed of every point.

    Parameters
    ----------
    problem : EuclideanFlats, DenseKernelFlats or SparseKernelFlats
        Gives squared distances to one point, and the weights of points.
    n_clusters : int
    rng : numpy.random.Generator
    farthest : bool
        The next seed is the point farthest from all before (an epsilon-net) instead of a draw with probability
        proportional to weight times squared distance (k-means++ as published, one draw for each seed).

    Returns
    -------
    seeds : ndarray of shape (n_clusters,), int64
    labels : ndarray of shape (n_points,), int32

    Raises
    ------
    InputError
        If there are fewer than `n_clusters` different points.

    References
    ----------
    Arthur, Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.
    """
    weights = problem.weights
    seeds = np.empty(n_clusters, dtype=np.int64)
    labels = np.zeros(problem.n_points, dtype=np.int32)
    nearest = None
    for j in range(n_clusters):
        if j == 0:
            seeds[j] = _draw(weights, rng)
        elif farthest:
            seeds[j] = np.argmax(nearest)
        else:
            seeds[j] = _draw(weights * nearest, rng)
        distances = problem.distances_to_point(seeds[j])
        # Rounding must leave no mass on a seed, or it could be drawn again.
        distances[seeds[j]] = 0.0
        if nearest is None:
            nearest = distances
        else:
            closer = distances < nearest
            labels[closer] = j
            np.minimum(nearest, distances, out=nearest)
        if j + 1 < n_clusters and not nearest.any():
            raise InputError(
                f"there are only {j + 1} different points, fewer than n_clusters={n_clusters}; take n_clusters="
                f"{j + 1} or less, or init='random'"
            )
    return seeds, labels


def _draw(masses, rng):
    """A place drawn with probability proportional to the masses, never one of mass 0."""
    edges = np.cumsum(masses)
    place = int(np.searchsorted(edges, rng.random() * edges[-1], side="right"))
    return min(place, int(np.flatnonzero(masses)[-1]))
