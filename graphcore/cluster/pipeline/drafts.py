"""Drafts: functions from a Problem and random numbers to labels, which the loop improves and recombines."""

from dataclasses import dataclass, field, replace

import numpy as np

from ...base.streams import draw_by_weight
from ...base.threads import limited_libraries
from ...kernels.graph import GraphKernel
from ..coresets.coreset import Coreset, sample_coreset
from ..partition.constraints import grow_small_clusters
from ..partition.coreset_graph import contract, spread_all
from ..partition.evidence import stability
from ..partition.improve import coarse_partition, form_anew, side_by_side
from ..partition.local_moving import move_locally
from ..partition.quotient import compact_labels, matrix_of
from ..spectral.exact import bethe_hessian_embedding
from ..spectral.partition import spectral_partition
from .settings import EFFORTS

# Parts for each cluster. With 2, a small cluster shares its part with a piece of a large one: ARI .80 on 33 sets of
# uneven clusters, and .88, .88, .89 and .87 with 3, 4, 6 and 8; J of 20 real graphs is within .04 % for all of them.
PARTS = 6
# Weight of the loop on every node inside the kernel, in mean weights, as published.
SELF_LOOP = 1.0
# The drafts of the default are made from scratch, and say how sure labels are; later ones begin with the best.
FROM_SCRATCH = EFFORTS["default"][0]
# Two drafts have settled a graph where they agree on more than this share of what they would not agree on by chance.
_SETTLED_SHARE = 2 / 3
# Eigenvectors are looked for where there are at most so many entries, and n k^2, which is what Lanczos iterations take.
_MAX_ENTRIES, _MAX_LANCZOS = 1 << 22, 1 << 23
_INITIALISATIONS, _ITERATIONS = 3, 20


def spectral_parts(problem, streams, *, eigen_solver="power", n_jobs=None):
    """Cut a coreset graph into six parts for each cluster: (labels (n,) int32, the Problem of the graph between them).

    The parts come from spectral clustering, and from one pass of moves of single nodes of the coreset graph that raise
    the objective. Every node is a part if there are no fewer parts than nodes, or fewer different rows than clusters.
    """
    n, k = len(problem.rows.degrees), problem.n_clusters
    n_parts, every_node = PARTS * k, (np.arange(n, dtype=np.int32), problem)
    if k == 1 or n_parts >= n:
        return every_node
    labels = spectral_partition(
        matrix_of(problem.rows), k, n_parts=n_parts, eigen_solver=eigen_solver, random_state=streams, n_jobs=n_jobs
    ).labels
    n_parts = compact_labels(labels, n_parts)
    if n_parts < k:
        return every_node
    free = replace(problem.without_limits(n_parts), min_share=problem.min_share)
    move_locally(free, labels, order=streams.generator("order").permutation(n), n_passes=1, n_jobs=n_jobs)
    return labels, replace(problem.between(labels, n_parts, n_jobs), n_clusters=k)


@dataclass(frozen=True, eq=False)
class Draft:
    """Labels of all nodes, and what they were made from."""

    labels: np.ndarray = field(repr=False)  # (n,) int32, -1 for isolated nodes
    coreset: Coreset | None = None
    coreset_labels: np.ndarray | None = field(default=None, repr=False)  # of the coreset nodes, on the coreset graph
    n_unreached: int = 0  # nodes that no row of the coreset reached
    cells: np.ndarray | None = field(default=None, repr=False)  # (n,) int32: nodes of the coreset graph


def coreset_draft(graph, problem, settings, streams, n_jobs, stages):
    """The stages of `coreset_spectral_clustering`, in which the coreset graph is cut into parts, and these are merged.

    Where the number of clusters is free there is no number of parts either: merging begins with the cells.
    """
    between, parts = coreset_graph_of(graph, problem, settings, streams, n_jobs, stages), None
    if problem.min_size:
        with stages("spectral partition"):
            parts = spectral_parts(between.problem, streams, eigen_solver=settings.eigen_solver, n_jobs=n_jobs)
    with stages("merging"):
        labels = coarse_partition(between.problem, streams.generator("merging"), parts, n_jobs)
    return labelled_draft(between, labels, n_jobs, stages)


def coreset_graph_of(graph, problem, settings, streams, n_jobs, stages):
    """Return the ContractedGraph of a coreset that is drawn for it."""
    with stages("coreset"):
        kernel = GraphKernel(graph, SELF_LOOP)
        coreset = _drawn(kernel, settings, streams)
    with stages("coreset graph"):
        return contract(kernel, coreset, problem, n_jobs)


def labelled_draft(between, labels, n_jobs, stages):
    """Return the Draft that labels of the nodes of a ContractedGraph make, (n_cells,) int32."""
    with stages("kernel distances"):
        of_nodes, n_unreached = between.label_nodes(labels, int(labels.max()) + 1, n_jobs)
        grow_small_clusters(between.whole, of_nodes)
    return Draft(of_nodes, between.coreset, between.coreset_labels(labels), n_unreached, between.cells)


def given_draft(graph, problem, settings, given, streams, stages):
    """Return a Draft of given labels; nodes of -1 follow their neighbours. A coreset is drawn all the same."""
    k, rows, labels = problem.n_clusters, problem.rows, given.copy()
    with stages("coreset"):
        coreset = _drawn(GraphKernel(graph, SELF_LOOP), settings, streams)
    with stages("start"):
        spread_all(rows, labels, k)
        grow_small_clusters(problem, labels)
    return Draft(labels, coreset)


def eigenvector_draft(graph, problem, streams, stages):
    """Return labels from eigenvectors of the whole graph, or None where they would take long or show no clusters."""
    with stages("eigenvectors"):
        labels = _eigenvector_labels(graph, problem.n_clusters, streams)
        if labels is None:
            return None
        grow_small_clusters(problem, labels)
    return Draft(labels)


def anew_draft(problem, labels, streams, stages):
    """Form 2 to half of all clusters anew, which lie side by side, in the best labels so far; None if that cannot be.

    Their number is drawn evenly on a logarithmic scale: some seams are between two clusters, others between many.
    """
    problem, rng = problem.spanning(labels), streams.generator("anew")
    n_chosen = round(np.exp(rng.uniform(np.log(2.0), np.log(max(2.0, problem.n_clusters / 2)))))
    with stages("forming anew"):
        formed = form_anew(problem, labels, side_by_side(problem, labels, n_chosen, rng), rng)
    return None if formed is None else Draft(formed)


def disagree(labellings, n_clusters):
    """Return whether two labellings agree on so few nodes, beyond chance, that there may be more to find."""
    one, other = labellings
    agreement, chance = stability(one, [other], n_clusters)[0][one >= 0].mean(), 1.0 / n_clusters
    return n_clusters > 1 and agreement - chance <= _SETTLED_SHARE * (1.0 - chance)


def _drawn(kernel, settings, streams):
    """Return the coreset that the settings ask for."""
    return sample_coreset(
        kernel, max(1, settings.n_clusters), size=settings.coreset_size, method=settings.sampling, replace=False,
        random_state=streams,
    )  # fmt: skip


def _eigenvector_labels(graph, n_clusters, streams):
    """Return labels (n,) int32 from eigenvectors of the whole graph, -1 for isolated nodes.

    None where that would take long, and where there are fewer clusters in them.
    """
    n_linked = graph.n_nodes - graph.n_isolated
    if graph.n_entries > _MAX_ENTRIES or n_linked * n_clusters**2 > _MAX_LANCZOS or n_clusters >= n_linked:
        return None
    embedding = bethe_hessian_embedding(graph.to_scipy(), n_clusters, random_state=streams)
    if embedding is None:
        return None
    linked = graph.degrees > 0
    found = _grouped_rows(embedding[linked], n_clusters, streams.generator("k-means"))
    if found is None:
        return None
    labels = np.full(graph.n_nodes, -1, dtype=np.int32)
    labels[linked] = found
    return labels


def _grouped_rows(X, n_clusters, rng):
    """Return the best labels of several runs of k-means, or None if each leaves a cluster empty.

    By scipy: only directions are looked for, and a first import of scikit-learn's takes a second.
    """
    from scipy.cluster.vq import ClusterError, kmeans2

    best, lowest = None, np.inf
    with limited_libraries():
        for _ in range(_INITIALISATIONS):
            chosen, nearest = [int(rng.integers(len(X)))], np.full(len(X), np.inf)
            for _ in range(n_clusters - 1):  # far from all before: k-means++
                nearest = np.minimum(nearest, np.square(X - X[chosen[-1]]).sum(axis=1))
                chosen.append(draw_by_weight(nearest, rng))
            if chosen[-1] < 0:  # fewer different rows than clusters
                return None
            try:
                centers, labels = kmeans2(X, X[chosen], iter=_ITERATIONS, minit="matrix", missing="raise")
            except ClusterError:
                continue
            cost = np.square(X - centers[labels]).sum()
            if cost < lowest:
                best, lowest = labels, cost
    return best if best is not None and len(np.unique(best)) == n_clusters else None
