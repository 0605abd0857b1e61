"""Kernel k-flats: affine flats in the feature space of a kernel; of dimension 0 it is kernel k-means."""

from .._random import Streams
from .._threads import limited_libraries
from .._validation import check_choice, check_integer
from ..exceptions import InputError, ParameterError
from ._checks import as_weights, check_n_clusters, check_policies, given_labels
from .alternation import alternate, best_of
from .kernel_problems import ArrayKernelFlats, SparseKernelFlats, VectorKernelFlats
from .kernel_view import check_psd, checked_kernel_matrix, held_matrix
from .results import KernelKFlatsResult
from .starts import random_labels, seed_cells

__all__ = ["kernel_k_flats"]

STARTS = ("k-means++", "farthest", "random", "k-means")


def kernel_k_flats(
    X,
    n_clusters,
    n_dims=1,
    *,
    kernel="precomputed",
    init="k-means++",
    n_init=10,
    max_iter=300,
    on_empty="farthest",
    short="reduce",
    max_restarts=10,
    sample_weight=None,
    allow_indefinite=False,
    random_state=None,
    n_jobs=None,
):
    """Cover points by affine flats in the feature space of a kernel.

    Parameters
    ----------
    X : array-like or sparse matrix
        Kernel matrix of shape (n_samples, n_samples), dense or sparse; or, with a `kernel`, vectors of shape
        (n_samples, n_features).
    n_clusters : int
    n_dims : int, default 1
        Dimension of the flats; 0 is kernel k-means, ``n_clusters=1`` kernel PCA.
    kernel : "precomputed" or KernelFunction, default "precomputed"
        See :func:`graphcore.kernels.functions.kernel_function`.
    init : {"k-means++", "farthest", "random", "k-means"} or ndarray of shape (n_samples,), default "k-means++"
        What the first labels are, in feature space; "k-means" is kernel k-means run to its end. Integers from 0 are
        taken as labels.
    n_init : int, default 10
        Starts, of which the best is kept; one for labels given.
    max_iter : int, default 300
    on_empty : {"farthest", "restart", "drop", "error"}, default "farthest"
        As in :func:`graphcore.flats.k_flats.k_flats`.
    short : {"reduce", "restart"}, default "reduce"
        What becomes of a cell of `n_dims` points or fewer: a flat of fewer dimensions, or a new start.
    max_restarts : int, default 10
    sample_weight : array-like of shape (n_samples,), optional
        Positive weights.
    allow_indefinite : bool, default False
        Whether kernels that are not positive semi-definite are worked on; a run whose objective rises then ends there.
    random_state : int, numpy Generator, RandomState or None, default None
    n_jobs : int or None, default None
        Threads: None is one, -1 is all. The result does not depend on it.

    Returns
    -------
    KernelKFlatsResult

    Raises
    ------
    InputError
        If the kernel cannot be used: not square, symmetric, finite, or positive semi-definite (told by its eigenvalues
        up to 1,000 points, by 20 Lanczos steps and negative squared distances beyond), and where :func:`k_flats` raises
        it.
    ParameterError
        If a parameter has a value that cannot be used.

    Notes
    -----
    Distances of all points to all flats come from two products with the kernel, O(n^2 n_dims) for each pass if dense
    and O(nnz n_dims) if sparse: flats that share no entry with a point differ in one number only. A dense kernel is
    centred once, since distances are differences of large sums. Vectors beyond 8,192 are never made into one matrix:
    the kernel is computed by blocks in every pass, and for each cell in a square block.

    References
    ----------
    El Ghazzal, "Learning data representation and piece-wise estimation", 2012, algorithm 5. Signs and scalings of the
    report were corrected; weights, sparse kernels and the factored distances are not in it.

    Examples
    --------
    >>> import graphcore
    >>> from graphcore.flats.kernel_k_flats import kernel_k_flats
    >>> from graphcore.kernels.vectors import kernel_function
    >>> points, truth = graphcore.datasets.circles(200, (1, 10), random_state=0)
    >>> result = kernel_k_flats(points, 2, 0, kernel=kernel_function("gaussian", bandwidth=3.0), random_state=0)
    >>> graphcore.metrics.agreement(truth, result.labels)["ari"]
    1.0
    """
    if isinstance(kernel, str):
        check_choice("kernel", kernel, ("precomputed",))
        K, view = checked_kernel_matrix(X)
        kernel = None
    else:
        K, view = held_matrix(X, kernel)
    n = view.n_points
    n_clusters = check_n_clusters(n_clusters, n)
    n_dims = check_integer("n_dims", n_dims, low=0, high=n - 1, why_high="the number of points less one")
    n_init = check_integer("n_init", n_init, low=1)
    max_iter = check_integer("max_iter", max_iter, low=1)
    max_restarts = check_integer("max_restarts", max_restarts, low=0)
    if short == "pad":
        raise ParameterError("short='pad' is for vectors only: feature space has no other directions to pad with")
    check_policies(on_empty, short, n, n_clusters, n_dims)
    weights = as_weights(sample_weight, n)
    check_psd(K, view, allow_indefinite)
    import scipy.linalg  # noqa: F401  loaded before its threads are limited

    with limited_libraries():
        if K is None:
            problem = VectorKernelFlats(kernel, view.vectors, weights, n_dims, n_jobs)
        else:
            flavour = SparseKernelFlats if hasattr(K, "tocsr") else ArrayKernelFlats
            problem = flavour(K, weights, n_dims, n_jobs)
        draw, repeatable = _starts(problem, init, n_clusters, on_empty, max_iter, Streams(random_state))
        run = best_of(
            problem,
            draw,
            n_clusters,
            n_init=n_init,
            max_restarts=max_restarts,
            repeatable=repeatable,
            max_iter=max_iter,
            on_empty=on_empty,
            min_size=n_dims + 1 if short == "restart" else 1,
        )
    lowest = float(run.own.min())
    if lowest < -view.rounding * problem.scale and not allow_indefinite:
        raise InputError(
            f"the kernel is not positive semi-definite: a squared distance came out as {lowest:.3g}; add to its "
            "diagonal (for a graph, raise shift), or give allow_indefinite=True"
        )
    return KernelKFlatsResult.from_run(run, weights, view, allow_indefinite)


def _starts(problem, init, n_clusters, on_empty, max_iter, streams):
    """A function that gives the labels of start number i, and whether all starts are the same."""
    if not isinstance(init, str):
        labels = given_labels(init, problem.n_points, n_clusters, on_empty)
        return lambda _: labels, True
    check_choice("init", init, STARTS)

    def draw(i):
        rng = streams.generator("start", i)
        if init == "random":
            return random_labels(problem.n_points, n_clusters, rng)
        labels = seed_cells(problem, n_clusters, rng, farthest=init == "farthest")[1]
        if init == "k-means":
            labels = alternate(problem.with_dims(0), labels, n_clusters, max_iter=max_iter).labels
        return labels

    return draw, n_clusters == 1
