"""First labels: random ones, and the clusters of seeds drawn by k-means++ or farthest first."""

import numpy as np

from .._validation import check_choice
from ..coresets.seeding import seeds_by_distance
from ..exceptions import InputError

INITS = ("k-means++", "farthest", "random", "k-means")


def label_draws(problem, init, n_clusters, streams, k_means):
    """A function that draws the labels of initialisation number i, and whether all are the same.

    `k_means` gives the labels of a finished k-means from first labels and a random generator, for ``init="k-means"``.
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
    """Uniform labels (n_points,) int32, each of which occurs."""
    labels = rng.integers(0, n_clusters, n_points, dtype=np.int32)
    labels[rng.permutation(n_points)[:n_clusters]] = np.arange(n_clusters)
    return labels


def seed_labels(problem, n_clusters, rng, *, farthest=False):
    """Seeds (n_clusters,) at different places, and the nearest seed of every point.

    The seeds are k-means++ as published, with one draw for each (Arthur, Vassilvitskii 2007); or, with `farthest`, each
    is the point farthest from all before, an epsilon-net.
    """

    def distances_to(point):
        return problem.distances_to_point(point), 0

    seeds = seeds_by_distance(distances_to, problem.weights, n_clusters, rng, farthest=farthest)
    if seeds.exhausted:
        found = len(seeds.indices)
        raise InputError(
            f"there are only {found} different points, fewer than n_clusters={n_clusters}; take n_clusters={found} or "
            "less, or init='random'"
        )
    return seeds.indices, seeds.nearest
