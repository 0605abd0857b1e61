"""Kernel k-flats: affine flats in the feature space of a kernel; of dimension 0 it is kernel k-means."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from ...base.streams import Streams
from ...base.threads import limited_libraries
from ...exceptions import InputError, ParameterError
from ...kernels.checks import eigenvalue_noise
from ._checks import Rules, as_points
from .alternation import best_of, label_draws
from .euclidean import Codes
from .fit_kernel import NewRows, check_definite, fit_kernel, kernel_and_weights
from .k_flats import KFlatsResult, result_of
from .kernel_flats import KernelFlats

# Entries of a block of rows of the kernel.
_PART = 1 << 20


@dataclass(frozen=True, eq=False)
class KernelKFlatsResult(KFlatsResult):
    """Flats (a KernelFlatSet) fitted in feature space; errors for different kernels or bandwidths cannot be compared.

    Isolated nodes of a graph have label -1 and distance 0.
    """

    new: NewRows = field(repr=False)  # how kernel rows of new points are got

    def distances_to(self, X, diagonal=None):
        """Compute squared distances (n_rows, n_clusters) of points to every flat.

        X holds vectors, or rows of the kernel (n_rows, n). `diagonal` (n_rows,): kernel values of the points with
        themselves, where X is rows of the kernel; without it, all distances of a point lack one and the same number.
        """
        return self.new.map(lambda K, own: [self.flats.squared_distances(_dense(K), own)], X, diagonal)[0]

    def nearest(self, X, diagonal=None):
        """Find the nearest flat of points: labels (int32) and squared distances, less a diagonal that is not given.

        For sparse rows of a sparse kernel in time proportional to their entries.
        """
        return _nearest(self.flats, self.new, X, diagonal)

    def codes_of(self, X):
        """Write points (vectors, or rows of the kernel) as Codes: the nearest flat, and coordinates on it."""
        return Codes(*self.new.map(lambda K, _: self.flats.coordinates(_dense(K), self.flats.nearest(K)[0]), X))


def kernel_k_flats(
    K,
    n_clusters,
    n_dims=1,
    *,
    shift=0.0,
    init="k-means++",
    sample_weight=None,
    on_indefinite="error",
    random_state=None,
    **rules,
):
    """Cover points by affine flats in the feature space of a kernel, a KernelKFlatsResult.

    K is a Kernel, a Graph, which stands for its normalised-cut kernel ``D^-1 A D^-1``, or a precomputed square array or
    sparse matrix; for vectors it is a `VectorKernel`. A graph has its own weights, the degrees, and its isolated nodes
    are in no cluster. Work is done with ``K + shift W^-1``, as in `kernel_kmeans`. The other parameters, those in
    `rules` too (`n_init`, `max_iter`, `on_empty`, `on_degenerate`, `max_restarts`, `n_jobs`, `verbose`), are as for
    :class:`graphcore.KernelKFlats`, and so are errors: a kernel is looked at for negative eigenvalues by all of them up
    to 1,000 points, by a rough Lanczos run and negative squared distances beyond. With `on_indefinite` "warn" the
    objective may rise on the way, a run ends where a partition comes back, and the best one met is kept.

    A pass takes O(n^2 n_dims) if the kernel is dense and O(nnz n_dims) if it is sparse. A dense kernel is centred once,
    since distances are differences of large sums; a sparse one, or that of a graph, is never made dense. Vectors beyond
    8,192 are never made into one matrix: the kernel is computed by blocks in every pass, and for each cluster in a
    square block.

    >>> import graphcore
    >>> from graphcore.kernel_methods.flats.kernel_k_flats import kernel_k_flats
    >>> from graphcore.kernels.functions import kernel_function
    >>> from graphcore.kernels.vectors import VectorKernel
    >>> from sklearn.datasets import make_circles
    >>> points, truth = make_circles(200, factor=0.1, random_state=0)
    >>> kernel = VectorKernel(points, kernel_function("gaussian", bandwidth=0.3))
    >>> result = kernel_k_flats(kernel, 2, 0, random_state=0)
    >>> graphcore.metrics.agreement(truth, result.labels)["ari"]
    1.0
    """
    given, weights = kernel_and_weights(K, sample_weight)
    fit = fit_kernel(given, weights, shift)
    rules = Rules(n_clusters, n_dims, **rules)
    if rules.on_degenerate == "pad":
        raise ParameterError(
            "on_degenerate='pad' is for vectors only: feature space has no other directions to pad with"
        )
    rules = rules.checked(weights, len(fit.weights) - 1, "the number of points less one")
    check_definite(fit, on_indefinite)
    import scipy.linalg  # noqa: F401  loaded before its threads are limited

    with limited_libraries():
        problem = KernelFlats(fit, rules.n_dims, rules.n_jobs)
        run = best_of(problem, rules, label_draws(problem, init, rules, weights, Streams(random_state)))
        lowest, rounding = float(run.look.own.min()), eigenvalue_noise(fit.kernel.n_points, fit.precision)
        if lowest < -rounding * problem.scale and on_indefinite == "error":
            raise InputError(
                f"the kernel is not positive semi-definite: a squared distance came out as {lowest:.3g}; raise "
                "shift=, which adds to its diagonal, or give on_indefinite='warn'"
            )
        least = 0.0 if on_indefinite == "error" else -np.inf
        return result_of(run, weights, partial(_nearest_of, fit.new, given), KernelKFlatsResult, least, new=fit.new)


def _nearest(flats, new, X, diagonal=None):
    """See :meth:`KernelKFlatsResult.nearest`."""

    def nearest(K, own):
        labels, values = flats.nearest(K)
        return labels, values + own

    return new.map(nearest, X, diagonal)


def _nearest_of(new, given, flats, points):
    """Find the nearest flat of some points of the kernel; none for points of a graph, which are isolated."""
    if given.leaves_out_isolated:
        return np.full(len(points), -1, dtype=np.int32), np.zeros(len(points))
    if new.function is not None:
        return _nearest(flats, new, as_points(given.X, sparse=True)[points])
    parts = np.array_split(points, 1 + len(points) * given.n_points // _PART)
    found = [_nearest(flats, new, given.block(part, slice(None), np.float64), given.diagonal[part]) for part in parts]
    return [np.concatenate(arrays) for arrays in zip(*found, strict=True)]


def _dense(K):
    return K.toarray() if hasattr(K, "tocsr") else K
