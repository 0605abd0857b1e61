"""Kernel k-means on a coreset: the few are clustered, the rest go to the nearest centroid."""

from dataclasses import dataclass, field

import numpy as np

from .._random import Streams
from .._validation import check_choice, check_integer
from .._warn import warn_user
from ..coresets.coreset import SAMPLING, Coreset, _distinct_sample, sample_coreset
from ..coresets.importance import importance_probabilities, importance_sample
from ..coresets.seeding import SEEDING, draw_seeds
from ..exceptions import InputError, ParameterError
from ..graphs.graph import Graph
from ..kernels.graph import GraphKernel
from ..partition.nearest import label_all
from .assign import assign_columns
from .exact import KernelKMeansResult, kernel_kmeans
from .inputs import kernel_and_weights

__all__ = ["CoresetKernelKMeansResult", "coreset_kernel_kmeans"]


@dataclass(frozen=True, eq=False)
class CoresetKernelKMeansResult:
    """A partition of all points by the centroids of a clustered coreset.

    Attributes
    ----------
    labels : ndarray of shape (n_points,), int32
        Nearest centroid of every point, the coreset's own included; -1 for isolated nodes of a graph.
    coreset : Coreset
    few : KernelKMeansResult
        Weighted kernel k-means on the coreset; its `cost` estimates that of all points.
    n_unreached : int
        Nodes of a graph that no coreset node is joined to: their label is that of the centroid of least norm, evidence
        for no cluster. 0 for other kernels.
    """

    labels: np.ndarray
    coreset: Coreset
    few: KernelKMeansResult
    n_unreached: int = field(default=0)


def coreset_kernel_kmeans(
    K,
    n_clusters,
    *,
    size,
    sampling="importance",
    seeding="auto",
    n_seeds="auto",
    self_loop=1.0,
    weights=None,
    init="k-means++",
    n_init=10,
    max_iter=300,
    tol=0.0,
    on_empty="farthest",
    on_indefinite="warn",
    random_state=None,
    n_jobs=None,
):
    """Kernel k-means on a coreset.

    Parameters
    ----------
    K : Kernel, Graph, or square array or sparse matrix of shape (n_points, n_points)
        As for :func:`graphcore.kmeans.exact.kernel_kmeans`.
    n_clusters : int
    size : int
        Draws ("importance"; repeats are merged) or different points ("uniform", "degree"). As many as there are points
        with weight are these points themselves, with their weights and without draws; nodes of a graph are drawn
        always, as published.
    sampling : {"importance", "uniform", "degree"}, default "importance"
        "importance" is the published scheme: D2 seeds, then draws by distance to the seeds and by the weight of the
        seeds' cells. "degree" is for graphs.
    seeding : {"auto", "fast", "naive"}, default "auto"
        How the seeds are drawn: "naive" looks at all points for every seed, "fast" goes through a sampling tree, for
        graphs only. "auto" is fast where that can be.
    n_seeds : int or "auto", default "auto"
        "auto" is ``2 * n_clusters``.
    self_loop : float, default 1
        Weight of a loop on every node, where K is a Graph, as published.
    weights : array-like of shape (n_points,), optional
        As for :func:`graphcore.kmeans.exact.kernel_kmeans`.
    init, n_init, max_iter, tol, on_empty, on_indefinite
        Of kernel k-means on the coreset; `init` is "k-means++" or "random".
    random_state : int, Generator, RandomState or None
    n_jobs : int, optional

    Returns
    -------
    CoresetKernelKMeansResult

    Raises
    ------
    InputError, ParameterError
        As for :func:`graphcore.kmeans.exact.kernel_kmeans` and :func:`graphcore.build_coreset`.

    Notes
    -----
    On a graph this finds local optima when there are many clusters: most pairs of coreset nodes share no edge, nearly
    all distances are the same, and Lloyd's iterations stop where they start. Spectral clustering of the same coreset
    does not (:class:`graphcore.CoresetSpectralClustering`).

    References
    ----------
    Jiang, Krauthgamer, Lou, Zhang, "Coresets for kernel clustering"; the baseline of Jourdan, Schwartzman, Macgregor,
    Sun, "Coreset Spectral Clustering", section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kmeans.coreset import coreset_kernel_kmeans
    >>> x = np.repeat([0.0, 10.0], 50) + np.linspace(0, 1, 100)
    >>> result = coreset_kernel_kmeans(np.outer(x, x), 2, size=20, random_state=0)
    >>> len(set(result.labels[:50])), len(set(result.labels[50:])), len(set(result.labels))
    (1, 1, 2)
    """
    kernel, weights = kernel_and_weights(GraphKernel(K, self_loop) if isinstance(K, Graph) else K, weights)
    check_choice("sampling", sampling, SAMPLING)
    check_choice("seeding", seeding, SEEDING)
    if not isinstance(init, str):
        raise ParameterError(
            "init of a coreset's clustering is 'k-means++' or 'random': its points are not known before"
        )
    n_clusters, size, n_seeds = _check_sizes(n_clusters, size, n_seeds, int(np.count_nonzero(weights > 0)))
    streams = Streams(random_state)
    if kernel.leaves_out_isolated:
        # The fast method reads the rows of a sparse kernel; a walk kernel makes its columns.
        fast = "fast" if kernel.is_sparse else "naive"
        seeding = fast if seeding == "auto" else seeding
        coreset = sample_coreset(
            kernel, n_clusters, size=size, method=sampling, n_seeds=n_seeds, seeding=seeding, random_state=streams
        )
    else:
        coreset = _sample(kernel, weights, n_clusters, size, sampling, seeding, n_seeds, streams)
    if len(coreset) < n_clusters:
        larger = "a larger coreset, or " if size < np.count_nonzero(weights > 0) else ""
        raise InputError(
            f"only {len(coreset)} different points were drawn for n_clusters={n_clusters}, in {size} draws; take "
            f"{larger}sampling='uniform', which repeats none"
        )
    few = kernel_kmeans(
        kernel.submatrix(coreset.indices, coreset.weights),
        n_clusters,
        init=init,
        n_init=n_init,
        max_iter=max_iter,
        tol=tol,
        on_empty=on_empty,
        on_indefinite=on_indefinite,
        random_state=streams.child("few"),
        n_jobs=n_jobs,
    )
    if kernel.leaves_out_isolated:
        found = label_all(kernel, coreset.indices, coreset.weights, few.labels, n_clusters, n_jobs=n_jobs)
        n_unreached = int(np.count_nonzero(found.unreached))
        return CoresetKernelKMeansResult(found.labels, coreset, few, n_unreached)
    columns = kernel.columns(coreset.indices)
    labels, _ = assign_columns(columns, few.labels, coreset.weights, few.masses, few.norms, n_jobs)
    return CoresetKernelKMeansResult(labels, coreset, few)


def _check_sizes(n_clusters, size, n_seeds, n_points):
    n_clusters = check_integer("n_clusters", n_clusters, low=1, high=n_points, why_high="the points that have weight")
    size = check_integer("size", size, low=1, high=n_points, why_high="the points that have weight")
    if size < n_clusters:
        raise ParameterError(f"size={size} is less than n_clusters={n_clusters}; each cluster needs a point")
    auto = isinstance(n_seeds, str) and n_seeds == "auto"
    n_seeds = 2 * n_clusters if auto else check_integer("n_seeds", n_seeds, low=1)
    return n_clusters, size, n_seeds


def _sample(kernel, weights, n_clusters, size, sampling, seeding, n_seeds, streams):
    """A coreset of points that are no graph's nodes."""
    if sampling == "degree":
        raise ParameterError("sampling='degree' is for graphs; use 'importance' or 'uniform'")
    if seeding == "fast":
        raise ParameterError("seeding='fast' reads the rows of a graph; use 'naive' (or 'auto') for other kernels")
    if sampling == "uniform":
        draws = _distinct_sample(weights, size, "uniform", streams.generator("coreset"))
        return Coreset(draws.indices, draws.weights, "uniform", draws.n_draws)
    points = np.flatnonzero(weights > 0)
    # Draws would repeat some points and leave out others. A diagonal of zeros goes on to where it is refused.
    if size == len(points) and kernel.diagonal[points].any():
        return Coreset(points, weights[points], "importance", size)
    seeds = draw_seeds(kernel, weights, min(n_seeds, len(points)), streams.generator("seeding"))
    _refuse_negative(kernel, weights, n_clusters, seeds)
    if seeds.exhausted and len(seeds.indices) < n_clusters:
        warn_user(
            f"D2 seeding found {len(seeds.indices)} different points for n_clusters={n_clusters}: there are no more "
            "under this kernel; ask for fewer clusters"
        )
    draws = importance_sample(weights, importance_probabilities(weights, seeds), size, streams)
    return Coreset(draws.indices, draws.weights, "importance", draws.n_draws, seeds)


def _refuse_negative(kernel, weights, n_clusters, seeds):
    """Say why D2 seeding ended, where that is not for want of different points."""
    bare = not kernel.diagonal[weights > 0].any()
    if seeds.n_negative and (bare or len(seeds.indices) < n_clusters):
        why = "the kernel's diagonal is zero" if bare else "the kernel is not positive semi-definite"
        raise InputError(
            f"D2 seeding stopped at {len(seeds.indices)} centres for n_clusters={n_clusters}: {why}, and every squared "
            "distance to them is 0 or negative; add a multiple of the identity to the kernel matrix, use "
            "sampling='uniform', which needs no seeds, or KernelKMeans"
        )
