"""Weighted kernel k-means on all points: the reference for every approximation."""

from dataclasses import dataclass, field
from itertools import count

import numpy as np

from ...base.streams import Streams
from ...base.threads import effective_jobs, limited_libraries
from ...base.validation import check_choice, check_labels, check_real
from ...cluster.coreset import check_seeding, draw_seeds
from ...exceptions import InputError, ParameterError, warn_user
from ...kernels.checks import check_diagonal
from ...kernels.definiteness import report_indefinite, semidefinite_shift, smallest_sampled_eigenvalue
from ..flats._checks import Rules
from ..flats.alternation import Run, runs_from
from ..flats.fit_kernel import kernel_and_weights
from .centroids import Centroids, KernelCentroids

# Treatments of clusters that lost all points, see graphcore.kernel_methods.flats.alternation.
ON_EMPTY = ("farthest", "drop", "error")
# The nearest of D2 draws in feature space, or of random points.
INITIALISATIONS = ("k-means++", "random")


@dataclass(frozen=True, eq=False)
class KernelKMeansResult:
    """A partition found by kernel k-means, with the run of the best initialisation."""

    cost: float  # ``sum_x w_x |phi(x) - c(x)|^2 / sum_x w_x``: the mean over points that the papers report
    inertia: float  # the sum itself
    # A point x is nearest to the cluster of least ``norms_j - 2 sum_{y in j} w_y K_xy / masses_j``, without the shift.
    centroids: Centroids = field(repr=False)
    shift: float  # the iterations worked with ``K + shift W^-1``; `cost` and `inertia` are those of K itself
    run: Run = field(repr=False)  # its history (sums with the shift), how it stopped, and how often the sum went up
    costs_of_initialisations: np.ndarray = field(repr=False)  # (n_init,) float64, as `cost`

    @property
    def labels(self):
        """Cluster of every point, (n_points,) int32; -1 for isolated nodes of a graph."""
        return self.centroids.labels


def kernel_kmeans(
    K,
    n_clusters,
    *,
    weights=None,
    init="k-means++",
    seeding="auto",
    shift=0.0,
    on_indefinite="warn",
    random_state=None,
    n_jobs=None,
    **rules,
):
    """Run weighted kernel k-means, Lloyd's iterations in feature space: a KernelKMeansResult.

    K is a Kernel, a Graph, which stands for its normalised-cut kernel ``D^-1 A D^-1``, or a precomputed square array or
    sparse matrix. `weights` (n_points,) are not negative: ones by default, node degrees for a graph, which takes no
    others. An array given as `init` is a first partition, tried once. Where K has zeros on its diagonal that no inner
    product has (an adjacency kernel), centres are drawn by the distances of a shifted kernel. All other parameters,
    those in `rules` (`n_init`, `max_iter`, `tol` and `on_empty`), errors and warnings are as for
    :class:`graphcore.KernelKMeans`.

    With a `shift` the work is done with ``K + shift W^-1`` (which is ``K + shift I`` for equal weights). The cost of
    every partition into k clusters grows by the same ``shift (n - k)``, but every point is bound more tightly to the
    cluster it is in, and Lloyd's iterations stop earlier. "psd" takes the least shift that makes the kernel positive
    semi-definite, so that the cost never rises.

    >>> import numpy as np
    >>> from graphcore.kernel_methods.kmeans.exact import kernel_kmeans
    >>> x = np.array([0.0, 1.0, 10.0, 11.0])
    >>> result = kernel_kmeans(np.outer(x, x), 2, random_state=0)
    >>> result.cost, bool(result.labels[0] == result.labels[1] != result.labels[2])
    (0.25, True)
    """
    kernel, weights = kernel_and_weights(K, weights, "weights")
    check_diagonal(kernel.diagonal)
    check_choice("on_empty", rules.get("on_empty", "farthest"), ON_EMPTY)
    rules = Rules(n_clusters, 0, **rules).checked(weights, 0, "")
    n_clusters = rules.n_clusters
    check_choice("on_indefinite", on_indefinite, ("warn", "error"))
    seeding = check_seeding(kernel, seeding)
    effective_jobs(n_jobs)  # refuses a wrong number of jobs, also where there is no work for two
    if isinstance(init, str) or init is None:
        check_choice("init", init, INITIALISATIONS)
    else:
        init = _check_init(kernel, init, n_clusters)
    streams = Streams(random_state)
    with limited_libraries():
        shift = _check_shift(kernel, weights, n_clusters, shift, on_indefinite, streams, n_jobs)
        problem = KernelCentroids(kernel, weights, shift, n_jobs)
        first = _first_partitions(problem, n_clusters, init, seeding, streams)
        runs = list(runs_from(problem, rules._replace(max_iter=rules.max_iter + 1), first))
    return _result(problem, runs, n_clusters, rules.on_empty)


def partition_cost(K, labels, *, weights=None, n_jobs=None):
    """Compute the cost of a partition, with its own centroids: the mean over points of squared distances.

    ``sum_x w_x |phi(x) - c(x)|^2 / sum_x w_x``, for K and weights as for :func:`kernel_kmeans`; a label of -1 leaves a
    point out.

    >>> import numpy as np
    >>> from graphcore.kernel_methods.kmeans.exact import partition_cost
    >>> x = np.array([0.0, 1.0, 10.0, 11.0])
    >>> partition_cost(np.outer(x, x), [0, 0, 1, 1]), partition_cost(np.outer(x, x), [0, 0, 0, 0])
    (0.25, 25.25)
    """
    kernel, weights = kernel_and_weights(K, weights, "weights")
    check_diagonal(kernel.diagonal)
    labels = np.array(check_labels("labels", labels, kernel.n_points))
    if kernel.leaves_out_isolated:
        labels[weights == 0] = -1
    total = float(weights[labels >= 0].sum())
    if total <= 0:
        raise InputError("no point with weight has a label of 0 or more: there is no cost")
    look = KernelCentroids(kernel, weights, n_jobs=n_jobs).look(labels, int(labels.max()) + 1)
    return float(weights @ look.own) / total


def _check_init(kernel, labels, n_clusters):
    """Check labels of a first partition, and set those of isolated nodes to -1."""
    labels = np.array(check_labels("init", labels, kernel.n_points))
    isolated = kernel.point_weights == 0
    if labels.max() >= n_clusters or (labels[~isolated] < 0).any():
        raise ParameterError(
            f"init holds labels from {labels.min()} to {labels.max()}; with n_clusters={n_clusters} they run from 0 to "
            f"{n_clusters - 1}"
        )
    labels[isolated] = -1
    return labels


def initial_shift(kernel, weights, shift):
    """Choose the shift that distances of the first partition are taken with.

    It is `shift`, but for kernels with ``K_xx = 0`` where K_xy is not: no inner product has that. Distances then are
    those of a shifted kernel that is positive semi-definite, only for the start, as the shift would hinder the
    iterations.
    """
    bare = (weights > 0) & (kernel.diagonal == 0)
    if kernel.is_psd or not bare.any():
        return shift
    if kernel.leaves_out_isolated:
        return max(shift, kernel.definite_shift(weights))
    sums = kernel.absolute_sums(weights)
    return max(shift, float(sums.max())) if sums[bare].any() else shift  # without sums, points at the origin


def _first_partitions(problem, n_clusters, init, seeding, streams):
    """Yield first partitions: the one given, or drawn ones; one is enough with a centre at every different point."""
    if not isinstance(init, str):
        yield init
        return
    kernel, weights = problem.kernel, problem.weights
    shift = initial_shift(kernel, weights, problem.shift)
    for number in count():
        rng = streams.generator("start", number)
        seeds = _draw_centres(kernel, weights, n_clusters, init, seeding, rng, shift)
        if seeds.exhausted and seeds.n_negative:
            # Points at negative distances are not equal: they differ with a shift.
            shift = max(shift, kernel.definite_shift(weights))
            seeds = _draw_centres(kernel, weights, n_clusters, init, seeding, rng, shift)
        # Points without weight: any cluster will do, the first step finds the nearest.
        yield seeds.nearest if kernel.leaves_out_isolated else np.maximum(seeds.nearest, 0)
        if seeds.exhausted:
            return


def _draw_centres(kernel, weights, n_clusters, init, seeding, rng, shift):
    initial = ()
    if init == "random":
        taking_part = np.flatnonzero(weights > 0)
        initial = rng.choice(taking_part, min(n_clusters, len(taking_part)), replace=False)
    return draw_seeds(kernel, weights, n_clusters, rng, method=seeding, shift=shift, initial=initial)


def _check_shift(kernel, weights, n_clusters, shift, on_indefinite, streams, n_jobs):
    if not isinstance(shift, str):
        shift = check_real("shift", shift, low=0.0)
    else:
        check_choice("shift", shift, ("psd",))
    may_be_indefinite = kernel.leaves_out_isolated
    if not kernel.is_psd and not kernel.leaves_out_isolated:
        smallest = smallest_sampled_eigenvalue(kernel, streams)
        may_be_indefinite = smallest < 0
        if smallest < 0 and shift == 0.0:
            report_indefinite(
                (smallest, 1.0),
                on_indefinite,
                where="in shares of the largest",
                remedy="shift='psd', or on_indefinite='warn' to go on",
                consequence="the cost may rise on the way, and the best partition met is kept; shift='psd' makes it "
                "fall, another kernel makes it a distance",
            )
    if shift == "psd":
        return semidefinite_shift(kernel, weights, random_state=streams, n_jobs=n_jobs)
    # As many clusters as points: a shift changes no cost, and one that makes all points different keeps them apart.
    as_many = n_clusters == np.count_nonzero(weights > 0)
    return max(shift, 2.0 * kernel.definite_shift(weights)) if may_be_indefinite and as_many else shift


def _result(problem, runs, n_clusters, on_empty):
    best, weights, shift = min(runs, key=lambda run: run.objective), problem.weights, problem.shift
    masses, norms = best.look.fitted.masses, best.look.fitted.norms.copy()
    filled = masses > 0
    n_found = int(filled.sum())
    # A shift adds the same to every partition into as many clusters: the weighted points less the clusters.
    extra = shift * (int(np.count_nonzero((weights > 0) & (best.labels >= 0))) - n_found)
    total = float(weights[best.labels >= 0].sum())
    norms[filled] -= shift / masses[filled]
    if n_found < n_clusters and on_empty != "drop":
        scale = float(problem.kernel.diagonal.max()) + shift / float(weights[weights > 0].min())
        why = "there are no more different points under this kernel; ask for fewer clusters"
        if best.look.fitted.distances.min() < -problem.noise * scale:
            why = (
                "the kernel is not positive semi-definite, squared distances are negative, and no point is far enough "
                "from its centroid to be a cluster of its own; add a multiple of the identity to the kernel "
                "(self_loop=1.0 for a graph), or use KernelKMeans with shift='psd'"
            )
        warn_user(f"only {n_found} of n_clusters={n_clusters} clusters hold points: {why}")
    if all(run.stopped == "max_iter" for run in runs):
        warn_user(f"no initialisation converged in max_iter={len(best.history) - 1} iterations; raise max_iter, or tol")
    return KernelKMeansResult(
        cost=(best.objective - extra) / total,
        inertia=best.objective - extra,
        centroids=Centroids(best.labels, weights, masses, norms),
        shift=shift,
        run=best,
        costs_of_initialisations=np.array([(run.objective - extra) / total for run in runs]),
    )
