"""Kernel k-flats: affine flats in the feature space of a kernel; of dimension 0 it is kernel k-means."""

from .._random import Streams
from .._threads import limited_libraries
from ..exceptions import InputError, ParameterError
from ..kernels.as_kernel import as_kernel
from ._checks import check_rules, given_labels
from .alternation import alternate, best_of
from .fit_kernel import check_definite, fit_kernel
from .initialisations import label_draws
from .kernel_problem import KernelFlats
from .results import KernelKFlatsResult


def kernel_k_flats(
    K,
    n_clusters,
    n_dims=1,
    *,
    shift=0.0,
    init="k-means++",
    n_init=10,
    max_iter=300,
    on_empty="farthest",
    on_degenerate="reduce",
    max_restarts=10,
    sample_weight=None,
    on_indefinite="error",
    random_state=None,
    n_jobs=None,
    verbose=0,
):
    """Cover points by affine flats in the feature space of a kernel.

    Parameters
    ----------
    K : Kernel, Graph, or square array or sparse matrix of shape (n_samples, n_samples)
        A graph stands for its normalised-cut kernel ``D^-1 A D^-1``, arrays are precomputed kernels; for vectors
        :class:`graphcore.kernels.vectors.VectorKernel`.
    n_clusters, n_dims, n_init, max_iter, on_empty, on_degenerate, max_restarts, random_state, n_jobs, verbose
        As for :class:`graphcore.KernelKFlats`.
    shift : float, default 0
        Work with ``K + shift W^-1``, as :func:`graphcore.kmeans.exact.kernel_kmeans` does; W holds the weights. From 1
        the kernel of a graph is positive semi-definite.
    init : {"k-means++", "farthest", "random", "k-means"} or ndarray of shape (n_samples,), default "k-means++"
        What the first labels are, in feature space; "k-means" is kernel k-means run to its end. Integers from 0 are
        taken as labels.
    sample_weight : array-like of shape (n_samples,), optional
        Not negative. Points of weight 0 take no part, and get the label of their nearest flat. A graph has its own
        weights, the degrees, and its isolated nodes are in no cluster.
    on_indefinite : {"error", "warn"}, default "error"
        What becomes of kernels that are not positive semi-definite. If they are worked on, a run whose objective rises
        ends there.

    Returns
    -------
    KernelKFlatsResult

    Raises
    ------
    InputError
        If the kernel cannot be used: not square, symmetric, finite, or positive semi-definite (checked by its
        eigenvalues up to 1,000 points, by a rough Lanczos run and negative squared distances beyond), and where
        :func:`k_flats` raises it.
    ParameterError
        If a parameter has a value that cannot be used.

    Notes
    -----
    Distances of all points to all flats come from two products with the kernel, O(n^2 n_dims) for each pass if dense
    and O(nnz n_dims) if sparse: flats that share no entry with a point differ in one number only. A dense kernel is
    centred once, since distances are differences of large sums; a sparse one, or that of a graph, is never made dense.
    Vectors beyond 8,192 are never made into one matrix: the kernel is computed by blocks in every pass, and for each
    cluster in a square block.

    References
    ----------
    El Ghazzal, "Learning data representation and piece-wise estimation", 2012, algorithm 5. Signs and scalings of the
    report were corrected; weights, sparse kernels and the factored distances are not in it.

    Examples
    --------
    >>> import graphcore
    >>> from graphcore.flats.kernel_k_flats import kernel_k_flats
    >>> from graphcore.kernels.functions import kernel_function
    >>> from graphcore.kernels.vectors import VectorKernel
    >>> from sklearn.datasets import make_circles
    >>> points, truth = make_circles(200, factor=0.1, random_state=0)
    >>> kernel = VectorKernel(points, kernel_function("gaussian", bandwidth=0.3))
    >>> result = kernel_k_flats(kernel, 2, 0, random_state=0)
    >>> graphcore.metrics.agreement(truth, result.labels)["ari"]
    1.0
    """
    given = as_kernel(K)
    fit = fit_kernel(given, sample_weight, shift)
    if on_degenerate == "pad":
        raise ParameterError(
            "on_degenerate='pad' is for vectors only: feature space has no other directions to pad with"
        )
    rules = check_rules(
        fit.all_weights,
        n_clusters,
        n_dims,
        (len(fit.weights) - 1, "the number of points less one"),
        n_init=n_init,
        max_iter=max_iter,
        on_empty=on_empty,
        on_degenerate=on_degenerate,
        max_restarts=max_restarts,
    )
    check_definite(fit, on_indefinite)
    import scipy.linalg  # noqa: F401  loaded before its threads are limited

    with limited_libraries():
        problem = KernelFlats(fit, rules.n_dims, n_jobs)
        draw, repeatable = _draws(problem, init, rules, fit.all_weights, Streams(random_state))
        run = best_of(problem, draw, rules, repeatable=repeatable, verbose=verbose)
        lowest = float(run.own.min())
        if lowest < -fit.rounding * problem.scale and on_indefinite == "error":
            raise InputError(
                f"the kernel is not positive semi-definite: a squared distance came out as {lowest:.3g}; raise "
                "shift=, which adds to its diagonal, or give on_indefinite='warn'"
            )
        return KernelKFlatsResult.from_run(run, fit, given, on_indefinite == "error")


def _draws(problem, init, rules, weights, streams):
    """A function that gives the labels of initialisation number i, and whether all are the same."""
    if not isinstance(init, str):
        labels = given_labels(init, weights, rules.n_clusters, rules.on_empty)
        return lambda _: labels, True

    def k_means(labels, _):
        return alternate(problem.with_dims(0), labels, rules.n_clusters, max_iter=rules.max_iter).labels

    return label_draws(problem, init, rules.n_clusters, streams, k_means)
