"""Weighted kernel k-means on all points: the reference for every approximation."""

from dataclasses import dataclass, field

import numpy as np

from .._random import Streams
from .._threads import effective_jobs, limited_libraries
from .._validation import check_choice, check_integer, check_labels, check_real
from .._warn import warn_user
from ..exceptions import InputError
from ..kernels.definiteness import report_indefinite, semidefinite_shift, smallest_sampled_eigenvalue
from .inputs import INITIALISATIONS, centres_to_labels, check_init, initial_shift, kernel_and_weights
from .lloyd import ON_EMPTY, centroid_step, lloyd


@dataclass(frozen=True, eq=False)
class KernelKMeansResult:
    """A partition found by kernel k-means.

    Attributes
    ----------
    labels : ndarray of shape (n_points,), int32
        -1 for isolated nodes of a graph.
    cost : float
        ``sum_x w_x |phi(x) - c(x)|^2 / sum_x w_x``: the mean over points that the papers report.
    inertia : float
        The sum itself.
    masses : ndarray of shape (n_clusters,), float64
        Weight of every cluster; 0 for empty ones.
    norms : ndarray of shape (n_clusters,), float64
        Squared norms of the centroids, inf for empty clusters, without the shift. A point x is nearest to the cluster
        of least ``norms_j - 2 sum_{y in j} w_y K_xy / masses_j``.
    shift : float
        The iterations worked with ``K + shift W^-1``; `cost` and `inertia` are those of K itself.
    history : list of float
        Sums that the iterations of the best initialisation went through, with the shift.
    n_iter : int
        Partitions looked at.
    stopped : str
        See :class:`graphcore.kmeans.lloyd.LloydRun`.
    n_rises : int
        How often the sum went up; 0 for a positive semi-definite kernel.
    costs_of_initialisations : ndarray of shape (n_init,), float64
        What every one came to, as `cost`.
    """

    labels: np.ndarray
    cost: float
    inertia: float
    masses: np.ndarray = field(repr=False)
    norms: np.ndarray = field(repr=False)
    shift: float
    history: list = field(repr=False)
    n_iter: int
    stopped: str
    n_rises: int
    costs_of_initialisations: np.ndarray = field(repr=False)

    @property
    def converged(self):
        """Whether the best initialisation came to rest, by the tolerance too, and not by `max_iter` or a cycle."""
        return self.stopped in ("converged", "tolerance")


def kernel_kmeans(
    K,
    n_clusters,
    *,
    weights=None,
    init="k-means++",
    n_init=10,
    max_iter=300,
    tol=0.0,
    shift=0.0,
    on_empty="farthest",
    on_indefinite="warn",
    random_state=None,
    n_jobs=None,
):
    """Weighted kernel k-means by Lloyd's iterations in feature space.

    Parameters
    ----------
    K : Kernel, Graph, or square array or sparse matrix of shape (n_points, n_points)
        A graph stands for its normalised-cut kernel ``D^-1 A D^-1``; arrays are precomputed kernels.
    n_clusters : int
    weights : array-like of shape (n_points,), optional
        Not negative. Default: ones; node degrees for a graph, which takes no others.
    init, n_init, max_iter, tol, on_empty, on_indefinite, random_state, n_jobs
        As for :class:`graphcore.KernelKMeans`. An array given as `init` is a first partition, tried once.
    shift : float or "psd", default 0
        Work with ``K + shift W^-1`` (which is ``K + shift I`` for equal weights). The cost of every partition into k
        clusters grows by the same ``shift (n - k)``, but every point is bound more tightly to the cluster it is in, and
        Lloyd's iterations stop earlier. "psd" takes the least shift that makes the kernel positive semi-definite, so
        that the cost never rises.

    Returns
    -------
    KernelKMeansResult

    Raises
    ------
    InputError
        If K is not symmetric, not finite or has a negative diagonal, or if the weights cannot be used.
    ParameterError
        If a parameter is out of range.

    Warns
    -----
    GraphWarning
        If K is not positive semi-definite (then the cost may rise on the way, and the best partition met is kept), if
        there are fewer different points than clusters or negative distances leave clusters without points, or if no
        initialisation converged.

    Notes
    -----
    Where K has zeros on its diagonal that no inner product has (an adjacency kernel), distances to the points drawn as
    centres are those of a shifted kernel, ``K + W^-1`` for a graph. The iterations work with K itself.

    An iteration takes O(n_points^2) for a dense kernel, O(entries) for a sparse one or a graph, and evaluates all
    n_points^2 values for vectors, unless these are held (see :class:`graphcore.kernels.vectors.VectorKernel`).

    References
    ----------
    Dhillon, Guan, Kulis, "Kernel k-means, spectral clustering and normalized cuts", KDD 2004; section 1.1 of Wang,
    Gittens, Mahoney, JMLR 2019.

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kmeans.exact import kernel_kmeans
    >>> x = np.array([0.0, 1.0, 10.0, 11.0])
    >>> result = kernel_kmeans(np.outer(x, x), 2, random_state=0)
    >>> result.cost, bool(result.labels[0] == result.labels[1] != result.labels[2])
    (0.25, True)
    """
    kernel, weights = kernel_and_weights(K, weights)
    n_points = int(np.count_nonzero(weights > 0))
    n_clusters = check_integer(
        "n_clusters", n_clusters, low=1, high=n_points, why_high="the points that have weight; ask for fewer clusters"
    )
    n_init, max_iter = check_integer("n_init", n_init, low=1), check_integer("max_iter", max_iter, low=1)
    tol = check_real("tol", tol, low=0.0)
    check_choice("on_empty", on_empty, ON_EMPTY)
    check_choice("on_indefinite", on_indefinite, ("warn", "error"))
    effective_jobs(n_jobs)  # refuses what is no number of jobs, also where there is no work for two
    given = None
    if isinstance(init, str) or init is None:
        check_choice("init", init, INITIALISATIONS)
    else:
        given, n_init = check_init(kernel, init, n_clusters), 1
    streams = Streams(random_state)
    with limited_libraries():
        shift = _check_shift(kernel, weights, shift, on_indefinite, streams, n_jobs)
        runs = []
        for labels, exhausted in _first_partitions(kernel, weights, n_clusters, given, init, n_init, shift, streams):
            run = lloyd(
                kernel,
                labels,
                weights,
                n_clusters,
                shift=shift,
                max_iter=max_iter,
                tol=tol,
                on_empty=on_empty,
                n_jobs=n_jobs,
            )
            runs.append(run)
            if exhausted:
                break  # centres at every different point: another one is the same partition
    return _result(kernel, runs, weights, n_clusters, shift, on_empty)


def partition_cost(K, labels, *, weights=None, n_jobs=None):
    """Cost of a partition under a kernel, its own centroids taken: the mean over points of squared distances.

    Parameters
    ----------
    K : Kernel, Graph, or square array or sparse matrix of shape (n_points, n_points)
    labels : array-like of shape (n_points,), integer
        -1 leaves a point out.
    weights : array-like of shape (n_points,), optional
    n_jobs : int, optional

    Returns
    -------
    float
        ``sum_x w_x |phi(x) - c(x)|^2 / sum_x w_x``.

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kmeans.exact import partition_cost
    >>> x = np.array([0.0, 1.0, 10.0, 11.0])
    >>> partition_cost(np.outer(x, x), [0, 0, 1, 1]), partition_cost(np.outer(x, x), [0, 0, 0, 0])
    (0.25, 25.25)
    """
    kernel, weights = kernel_and_weights(K, weights)
    labels = np.array(check_labels("labels", labels, kernel.n_points))
    if kernel.leaves_out_isolated:
        labels[weights == 0] = -1
    total = float(weights[labels >= 0].sum())
    if total <= 0:
        raise InputError("no point with weight has a label of 0 or more: there is no cost")
    step = centroid_step(kernel, labels, weights, int(labels.max()) + 1, n_jobs=n_jobs)
    return float(weights @ step.own) / total


def _first_partitions(kernel, weights, n_clusters, given, init, n_init, shift, streams):
    """First partitions, and whether there was a centre at every different point."""
    if given is not None:
        yield given, False
        return
    shift = initial_shift(kernel, weights, shift)
    for number in range(n_init):
        rng = streams.generator("start", number)
        labels, seeds = centres_to_labels(kernel, weights, n_clusters, init, rng, shift)
        if seeds.exhausted and seeds.n_negative:
            # Points at negative distances are not equal: they differ with a shift.
            shift = max(shift, kernel.definite_shift(weights))
            labels, seeds = centres_to_labels(kernel, weights, n_clusters, init, rng, shift)
        yield labels, seeds.exhausted


def _check_shift(kernel, weights, shift, on_indefinite, streams, n_jobs):
    if not isinstance(shift, str):
        shift = check_real("shift", shift, low=0.0)
    else:
        check_choice("shift", shift, ("psd",))
    if not kernel.is_psd and not kernel.leaves_out_isolated:
        smallest = smallest_sampled_eigenvalue(kernel, streams)
        if smallest < 0 and shift == 0.0:
            report_indefinite(
                (smallest, 1.0),
                on_indefinite,
                where="in shares of the largest",
                remedy="shift='psd', or on_indefinite='warn' to go on",
                consequence="the cost may rise on the way, and the best partition met is kept; shift='psd' makes it "
                "fall, another kernel makes it a distance",
            )
    return semidefinite_shift(kernel, weights, random_state=streams, n_jobs=n_jobs) if shift == "psd" else shift


def _result(kernel, runs, weights, n_clusters, shift, on_empty):
    best = min(runs, key=lambda run: run.inertia)
    filled = best.step.masses > 0
    # A shift adds the same to every partition into as many clusters: the weighted points less the clusters.
    extra = shift * (int(np.count_nonzero((weights > 0) & (best.labels >= 0))) - int(filled.sum()))
    total = float(weights[best.labels >= 0].sum())
    norms = best.step.norms.copy()
    norms[filled] -= shift / best.step.masses[filled]
    n_found = int(filled.sum())
    if n_found < n_clusters and on_empty != "drop":
        why = _why_fewer(kernel, weights, shift, best)
        warn_user(f"only {n_found} of n_clusters={n_clusters} clusters hold points: {why}")
    if all(run.stopped == "max_iter" for run in runs):
        warn_user(f"no initialisation converged in max_iter={len(best.history) - 1} iterations; raise max_iter, or tol")
    return KernelKMeansResult(
        labels=best.labels,
        cost=(best.inertia - extra) / total,
        inertia=best.inertia - extra,
        masses=best.step.masses,
        norms=norms,
        shift=shift,
        history=best.history,
        n_iter=best.n_iter,
        stopped=best.stopped,
        n_rises=best.n_rises,
        costs_of_initialisations=np.array([(run.inertia - extra) / total for run in runs]),
    )


def _why_fewer(kernel, weights, shift, run):
    """Why clusters are left without points, and what to do."""
    scale = float(kernel.diagonal.max()) + shift / float(weights[weights > 0].min())
    if run.step.distances.min() < -kernel.noise * scale:
        return (
            "the kernel is not positive semi-definite, squared distances are negative, and no point is far enough from "
            "its centroid to be a cluster of its own; add a multiple of the identity to the kernel (self_loop=1.0 for "
            "a graph), or use KernelKMeans with shift='psd'"
        )
    return "there are no more different points under this kernel; ask for fewer clusters"
