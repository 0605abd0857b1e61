"""The penalised reconstruction error: complexity regularisation of k-means, as in the report."""

import numpy as np

from ..base.streams import Streams
from ..base.threads import limited_libraries
from ..base.validation import check_integer, check_real
from ..exceptions import InputError, ParameterError
from ..kernels.graph import GraphKernel
from .refine.problem import cluster_sums

_SLOPE = np.sqrt(18 * np.pi)
# Restarts of k-means++ for each k.
_N_INIT = 10


def penalty(k, n, radius=1.0):
    """Penalty of k means on n points in a ball: ``R^2 (sqrt(18 pi) k / sqrt(n) + 4 sqrt(log(k) / n))``, R its radius.

    The first constant is that of Maurer and Pontil's bound for k means in a Hilbert space, the second makes the sum
    over all k converge. For n <= 117 it always leads to k = 1, whatever the data, and to at most
    ``1 + sqrt(n) / 7.52`` for any n. k may be an array.

    El Ghazzal, "Learning data representation and piece-wise estimation", 2012, section 4.2.
    """
    n = check_integer("n", n, low=1)
    radius = check_real("radius", radius, low=0.0)
    k = np.asarray(k)
    if k.dtype.kind not in "iu" or (k.size and k.min() < 1):
        raise ParameterError(f"k={k.tolist()} must be integers of at least 1")
    out = radius * radius * (_SLOPE * k / np.sqrt(n) + 4.0 * np.sqrt(np.log(k) / n))
    return float(out) if out.ndim == 0 else out


def statistical_bound(k, n, delta):
    """With probability 1 - delta, how far training and expected error of any k means differ in the unit ball.

    ``k sqrt(18 pi) / sqrt(n) + sqrt(8 log(1 / delta) / n)``.

    Parameters
    ----------
    k, n : int
    delta : float
        Above 0, at most 1.

    Returns
    -------
    float

    References
    ----------
    Maurer, Pontil, "K-dimensional coding schemes in Hilbert spaces", IEEE Trans. Information Theory 56 (2010).

    Examples
    --------
    >>> from graphcore.cluster.penalty import statistical_bound
    >>> round(statistical_bound(1, 10_000, 0.05), 4)
    0.1242
    """
    k, n = check_integer("k", k, low=1), check_integer("n", n, low=1)
    delta = check_real("delta", delta, low=0.0, open_low=True, high=1)
    return float(k * _SLOPE / np.sqrt(n) + np.sqrt(8.0 * np.log(1.0 / delta) / n))


def penalised_curve(error_of, candidates, n, radius):
    """(errors, penalised errors) of ascending candidates, as far as one of them can still be the least.

    Both are NaN where the penalty alone is above the least sum before: errors are not negative, so no later candidate
    can win. `error_of(k)` is called with ascending numbers.
    """
    errors = np.full(len(candidates), np.nan)
    penalties = penalty(candidates, n, radius)
    best = np.inf
    for i, k in enumerate(candidates):
        if penalties[i] >= best:
            break
        errors[i] = error_of(int(k))
        best = min(best, errors[i] + penalties[i])
    return errors, errors + penalties


def radius_of(X):
    """Return largest distance of a row from the mean of the rows; X dense or sparse."""
    if hasattr(X, "tocsr"):
        centre = np.asarray(X.mean(axis=0)).ravel()
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() - 2.0 * (X @ centre) + centre @ centre
    else:
        squares = np.square(X - X.mean(axis=0)).sum(axis=1)
    return float(np.sqrt(max(squares.max(), 0.0)))


def kmeans_errors(X, random_state=None, n_init=_N_INIT):
    """The function from ascending k to the mean squared error of k-means on dense or sparse rows, by scikit-learn.

    It never rises: where all initialisations end above what fewer means have paid, it is that.
    """
    streams, least = Streams(random_state), np.inf

    def error_of(k):
        from sklearn.cluster import KMeans

        nonlocal least
        with limited_libraries():
            model = KMeans(k, n_init=n_init, random_state=streams.integer(f"k-means {k}")).fit(X)
        least = min(least, float(model.inertia_) / X.shape[0])
        return least

    return error_of


def kmeans_cost_of_graph(graph, micro_tree):
    """Mean error of weighted kernel k-means on a graph for the partitions of a tree, and the radius of the data.

    The kernel is ``K = D^-1 + D^-1 A D^-1`` with the degrees as weights: positive semi-definite, and its cost is
    normalised cut up to a constant. The error, a function of the number of clusters, is cost over total weight. The
    radius is the root of the largest K_ii: all points lie in the ball of that radius around 0.
    """
    degrees = graph.degrees
    linked = degrees > 0
    if not linked.any():
        raise InputError("no node has an edge: there is no kernel to choose by")
    # K_ii of the kernel with the shift: (A_ii / d + 1) / d.
    diagonal = GraphKernel(graph).diagonal[linked]
    degrees = degrees[linked]
    diagonal += 1.0 / degrees
    # tr(W K): what the points pay before anything is explained.
    whole = float(diagonal @ degrees)
    volume = float(degrees.sum())

    def error_of(k):
        joined = cluster_sums(micro_tree.rows, micro_tree.tree.labels_at(k), k).value("ncut")
        return max(0.0, whole - k - joined) / volume

    return error_of, float(np.sqrt(diagonal.max()))
