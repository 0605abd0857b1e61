"""Where Lloyd's iterations start: k-means++ (D2) draws in feature space, random points, or labels given."""

import numpy as np

from .._warn import warn_user
from ..coresets.seeding import Seeds
from ..exceptions import InputError
from ..kernels.rows_matrix import GraphMatrix

__all__ = ["STARTS", "centres_to_labels", "d2_draws", "definite_shift", "labels_of_few", "start_shift"]

STARTS = ("k-means++", "random")


def d2_draws(matrix, weights, n_seeds, rng, *, shift=0.0, initial=()):
    """Draw points one after the other, each with probability proportional to ``w(x) Delta(x, C)``.

    ``Delta(x, y) = K_xx + K_yy - 2 K_xy`` of ``K + shift W^-1``, and Delta(x, C) the least over the points C drawn so
    far. The first is drawn in proportion to the weights. One column of the matrix is read for each point.

    Parameters
    ----------
    matrix : KernelMatrix
    weights : ndarray of shape (n_points,), float64
        Points of weight 0 are never drawn.
    n_seeds : int
    rng : numpy Generator
    shift : float, default 0
    initial : sequence of int
        Points that are taken first, without drawing.

    Returns
    -------
    Seeds
        Fewer than `n_seeds` points, `exhausted` set, if no point of positive distance is left. Negative distances (of
        an indefinite kernel) count as 0.

    References
    ----------
    Arthur and Vassilvitskii, "k-means++", SODA 2007; Algorithm 1 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset
    Spectral Clustering".

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kernels.dense_matrix import DenseMatrix
    >>> from graphcore.kmeans.starts import d2_draws
    >>> x = np.array([0.0, 0.0, 9.0])
    >>> seeds = d2_draws(DenseMatrix(np.outer(x, x)), np.ones(3), 2, np.random.default_rng(0))
    >>> sorted(x[seeds.indices].tolist()), seeds.cost
    ([0.0, 9.0], 0.0)
    """
    n = matrix.n_points
    taking_part = weights > 0
    diagonal = _shifted_diagonal(matrix, weights, shift)
    contributions = np.where(taking_part, np.inf, 0.0)
    nearest = np.where(taking_part, 0, -1).astype(np.int32)
    seeds, n_negative = [], 0
    while len(seeds) < max(n_seeds, len(initial)):
        if len(seeds) < len(initial):
            y = int(initial[len(seeds)])
        else:
            y = _draw(contributions if seeds else np.where(taking_part, weights, 0.0), rng)
            if y < 0:
                break
        distances, negative = _distances(matrix, diagonal, y)
        n_negative += negative
        offered = weights * distances
        closer = taking_part & (offered < contributions)
        contributions[closer] = offered[closer]
        nearest[closer] = len(seeds)
        seeds.append(y)
    return Seeds(
        indices=np.array(seeds, dtype=np.int64),
        contributions=contributions,
        nearest=nearest,
        cost=float(contributions.sum()),
        exhausted=len(seeds) < n_seeds,
        n_negative=n_negative,
        counters={"columns": len(seeds), "entries": n * len(seeds)},
    )


def definite_shift(matrix, weights):
    """Shift from which on ``K + shift W^-1`` is positive semi-definite, by Gershgorin's circles: 1 for a graph."""
    return 1.0 if isinstance(matrix, GraphMatrix) else float(matrix.absolute_sums(weights).max())


def start_shift(matrix, weights, shift):
    """The shift that distances of the first partition are taken with.

    It is `shift`, but for kernels with ``K_xx = 0`` where K_xy is not: no inner product has that, and no distance of
    such a point to those it is most similar to would be positive. Distances then are those of a shifted kernel that is
    positive semi-definite. The shift is only for the start, as it would hinder the iterations.
    """
    bare = (weights > 0) & (matrix.diagonal == 0)
    if matrix.is_psd or not bare.any():
        return shift
    if isinstance(matrix, GraphMatrix):
        return max(shift, definite_shift(matrix, weights))
    sums = matrix.absolute_sums(weights)
    return max(shift, float(sums.max())) if sums[bare].any() else shift  # without sums, points at the origin


def centres_to_labels(matrix, weights, n_clusters, start, rng, shift):
    """Labels of the first partition: every point with the nearest of the points that are drawn as centres."""
    taking_part = np.flatnonzero(weights > 0)
    initial = ()
    if start == "random":
        initial = rng.choice(taking_part, min(n_clusters, len(taking_part)), replace=False)
    seeds = d2_draws(matrix, weights, n_clusters, rng, shift=shift, initial=initial)
    if not len(seeds.indices):
        raise InputError("all weights are 0: there is nothing to cluster")
    labels = seeds.nearest.copy()
    if (labels < 0).any() and not isinstance(matrix, GraphMatrix):
        labels[labels < 0] = 0  # points without weight: any cluster will do, the first step finds the nearest
    return labels, seeds


def labels_of_few(matrix, n_clusters, rng, remedy="ask for fewer clusters"):
    """Which points are equal, as labels and with a warning, if fewer than `n_clusters` are different; otherwise None.

    To k-means on eigenvectors, equal points differ by rounding: it would find all clusters.
    """
    seeds = d2_draws(matrix, np.ones(matrix.n_points), n_clusters, rng)
    if not seeds.exhausted or seeds.n_negative:
        return None
    warn_user(
        f"there are {len(seeds.indices)} clusters instead of n_clusters={n_clusters}: no more points are different "
        f"under this kernel; {remedy}"
    )
    return seeds.nearest


def _shifted_diagonal(matrix, weights, shift):
    diagonal = np.array(matrix.diagonal)
    if shift:
        diagonal += np.divide(shift, weights, out=np.zeros(len(weights)), where=weights > 0)
    return diagonal


def _distances(matrix, diagonal, y):
    """Squared distances of all points to point y, not negative, and how many were."""
    norms = diagonal + diagonal[y]
    distances = norms - 2.0 * matrix.column(y)
    negative = int(np.count_nonzero(distances < -matrix.noise * norms))
    distances[distances <= matrix.noise * norms] = 0.0
    distances[y] = 0.0
    return distances, negative


def _draw(values, rng):
    """A place drawn with probability in proportion to its value; -1 if all are 0."""
    ends = np.cumsum(values)
    if not ends[-1] > 0:
        return -1
    # The last place of a positive value also takes what rounding left over.
    place = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
    return min(place, int(np.flatnonzero(values)[-1]))
