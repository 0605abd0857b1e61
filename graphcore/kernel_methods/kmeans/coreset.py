"""Kernel k-means on a coreset: the coreset is clustered, and all points go to the nearest centroid."""

from dataclasses import dataclass

import numpy as np

from ...base.streams import Streams
from ...base.validation import check_choice
from ...cluster.coreset import SAMPLING, Coreset, sample_coreset
from ...cluster.coreset_graph import label_all
from ...cluster.merge_coresets import CoresetTree
from ...exceptions import InputError, ParameterError, warn_user
from ...graphs.graph import Graph
from ...kernels.checks import check_diagonal
from ...kernels.graph import GraphKernel
from ...kernels.vectors import columns_of
from ..flats.fit_kernel import kernel_and_weights
from .centroids import nearest_centroid
from .exact import KernelKMeansResult, kernel_kmeans

# Share of the nodes of a graph that may have no edge to the coreset without a warning.
_MOST_UNREACHED = 0.1


@dataclass(frozen=True, eq=False)
class CoresetKernelKMeansResult:
    """A partition of all points by the centroids of a clustered coreset."""

    # (n_points,) int32: nearest centroid, the coreset's own included; -1 for isolated nodes. Of vectors in a dask.array
    # a dask.array, in a stream those of the last chunk.
    labels: np.ndarray
    coreset: Coreset
    on_coreset: KernelKMeansResult  # weighted kernel k-means on the coreset; its `cost` estimates that of all points
    # Nodes of a graph that no coreset node is joined to: their label is that of the centroid of least norm, evidence
    # for no cluster. 0 for other kernels.
    n_unreached: int = 0


def coreset_kernel_kmeans(
    K,
    n_clusters,
    *,
    size,
    self_loop=1.0,
    weights=None,
    random_state=None,
    n_jobs=None,
    sampling="importance",
    seeding="auto",
    n_seeds="auto",
    **options,
):
    """Run kernel k-means on a coreset, and label all points: a CoresetKernelKMeansResult.

    K and `weights` are as for `kernel_kmeans`; `self_loop` is the weight of a loop on every node, where K is a Graph,
    as a multiple of its mean weight. `size` counts draws ("importance"; repeats are merged) or different points
    ("uniform", "degree"): as many as there are points with weight are these points themselves, with their weights and
    without draws; nodes of a graph are drawn always, as published. `sampling`, `seeding` and `n_seeds` are as for
    :class:`graphcore.CoresetKernelKMeans`, and `options` are those of `kernel_kmeans` on the coreset: `init` (no
    array), `n_init`, `max_iter`, `tol`, `on_empty` and `on_indefinite`.

    >>> import numpy as np
    >>> from graphcore.kernel_methods.kmeans.coreset import coreset_kernel_kmeans
    >>> x = np.repeat([0.0, 10.0], 50) + np.linspace(0, 1, 100)
    >>> result = coreset_kernel_kmeans(np.outer(x, x), 2, size=20, random_state=0)
    >>> len(set(result.labels[:50])), len(set(result.labels[50:])), len(set(result.labels))
    (1, 1, 2)
    """
    kernel, weights = kernel_and_weights(GraphKernel(K, self_loop) if isinstance(K, Graph) else K, weights, "weights")
    check_diagonal(kernel.diagonal)
    check_choice("sampling", sampling, SAMPLING)
    _refuse_labels(options)
    streams = Streams(random_state)
    coreset = sample_coreset(
        kernel,
        n_clusters,
        weights=weights,
        size=size,
        method=sampling,
        n_seeds=n_seeds,
        seeding=seeding,
        random_state=streams,
    )
    if len(coreset) < n_clusters:
        larger = "a larger coreset, or " if coreset.n_draws < np.count_nonzero(weights > 0) else ""
        raise InputError(
            f"only {len(coreset)} different points were drawn for n_clusters={n_clusters}, in {coreset.n_draws} draws; "
            f"take {larger}sampling='uniform', which repeats none"
        )
    on_coreset = kernel_kmeans(
        kernel.submatrix(coreset.indices, coreset.weights),
        n_clusters,
        random_state=streams.child("few"),
        n_jobs=n_jobs,
        **options,
    )
    n_unreached = 0
    if kernel.leaves_out_isolated:
        found = label_all(kernel, coreset.indices, coreset.weights, on_coreset.labels, n_clusters, n_jobs=n_jobs)
        labels, n_unreached = found.labels, int(np.count_nonzero(found.unreached))
        if n_unreached > _MOST_UNREACHED * np.count_nonzero(weights > 0):
            warn_user(
                f"{n_unreached} nodes have no edge to the {len(coreset)} nodes of the coreset, and labels without "
                "evidence: the graph is too sparse for it; take a larger coreset_size, or CoresetSpectralClustering"
            )
    else:
        labels, _ = nearest_centroid(kernel.columns(coreset.indices), on_coreset.centroids, n_jobs)
    if n_clusters == np.count_nonzero(weights > 0):  # every point is a cluster, though another centroid may be nearer
        labels[coreset.indices] = on_coreset.labels
    on_few = np.unique(on_coreset.labels[on_coreset.labels >= 0])
    lost = np.setdiff1d(on_few, labels)
    if len(lost) and options.get("on_empty") != "drop":
        warn_user(
            f"only {len(on_few) - len(lost)} of n_clusters={n_clusters} clusters hold points: {len(lost)} hold some of "
            "the coreset, but all of these are as near to another centroid; ask for fewer clusters or a larger coreset"
        )
    return CoresetKernelKMeansResult(labels, coreset, on_coreset, n_unreached)


def _refuse_labels(options):
    if not isinstance(options.get("init", ""), str):
        raise ParameterError(
            "init of a coreset's clustering is 'k-means++' or 'random': its points are not known before"
        )


def stream_kernel_kmeans(tree: CoresetTree, X, n_clusters, *, n_jobs=None, **options):
    """Run kernel k-means on the coreset of a stream, and label the rows of X: a CoresetKernelKMeansResult.

    `tree` holds the chunks so far; X is the last of them, or a dask.array, whose labels are one too. `options` are as
    for :func:`coreset_kernel_kmeans`.
    """
    _refuse_labels(options)
    coreset = tree.whole()
    if len(coreset) < n_clusters:
        raise ParameterError(
            f"n_clusters={n_clusters} is above the {len(coreset)} points that have weight so far; give more in the "
            "first chunk, or ask for fewer clusters"
        )
    among = coreset.kernel.submatrix(np.arange(len(coreset)), coreset.weights)
    stream = tree.streams.child("few", tree.n_chunks)
    on_coreset = kernel_kmeans(among, n_clusters, random_state=stream, n_jobs=n_jobs, **options)
    columns = columns_of(tree.function, X, coreset.kernel.vectors(), tree.precision)
    return CoresetKernelKMeansResult(nearest_centroid(columns, on_coreset.centroids, n_jobs)[0], coreset, on_coreset)
