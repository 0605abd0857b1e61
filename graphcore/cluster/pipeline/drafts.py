"""Drafts: functions from a Problem and random numbers to labels, which the loop improves and recombines."""

from dataclasses import dataclass, field, replace

import numpy as np

from ...base.streams import draw_by_weight
from ...base.threads import limited_libraries
from ...kernels.graph import GraphKernel
from ..coresets.coreset import Coreset, sample_coreset
from ..partition.constraints import grow_small_clusters
from ..partition.evidence import stability
from ..partition.improve import coarse_partition, form_anew, side_by_side
from ..partition.merge import agglomerate
from ..partition.micro_clusters import settled_micro_clusters, spread, spread_all
from ..partition.nearest import label_all
from ..partition.quotient import apply_labels, compact_labels
from ..spectral.exact import bethe_hessian_embedding
from ..spectral.partition import spectral_partition
from .settings import EFFORTS

# The drafts of the default are made from scratch, and say how sure labels are; later ones begin with the best.
FROM_SCRATCH = EFFORTS["default"][0]
# Two drafts have settled a graph where they agree on more than this share of what they would not agree on by chance.
_SETTLED_SHARE = 2 / 3
# Eigenvectors are looked for where there are at most so many entries, and n k^2, which is what Lanczos iterations take.
_MAX_ENTRIES, _MAX_LANCZOS = 1 << 22, 1 << 23
_INITIALISATIONS, _ITERATIONS = 3, 20


@dataclass(frozen=True, eq=False)
class Draft:
    """Labels of all nodes, and what they were made from."""

    labels: np.ndarray = field(repr=False)  # (n,) int32, -1 for isolated nodes
    coreset: Coreset | None = None
    coreset_labels: np.ndarray | None = field(default=None, repr=False)  # of the published algorithm
    n_unreached: int = 0  # nodes that no row of the coreset reached
    groups: np.ndarray | None = field(default=None, repr=False)  # (n,) int32: what was merged; None if nothing was


def coreset_draft(graph, problem, settings, streams, n_jobs, stages):
    """Nodes join the coreset node that reaches them best, and these micro-clusters are merged.

    As published, the coreset graph is partitioned by its spectrum instead, and nodes are labelled by kernel distances.
    """
    (found, n_groups), table = coreset_groups(graph, problem, settings, streams, n_jobs, stages), None
    if n_groups > problem.fewest:
        with stages("merging"):
            coarse = problem.between(found.labels, n_groups, n_jobs, problem.max_links)
            if settings.overcluster is None:
                table = coarse_partition(coarse, streams.generator("merging"), n_jobs)
            else:
                sizes, least = coarse.constraints.counts, problem.min_size
                table, _, _ = agglomerate(coarse.rows, sizes, problem.fewest, linkage="average", min_size=least)
    return merged_draft(problem, found, table)


def merged_draft(problem, found, table=None):
    """The Draft that a table (n_groups,) int32 makes of one of groups; None if they stay as they are."""
    labels = found.labels.copy() if table is None else apply_labels(table, found.labels)
    grow_small_clusters(problem, labels)
    return replace(found, labels=labels, groups=None if table is None else found.labels)


def coreset_groups(graph, problem, settings, streams, n_jobs, stages):
    """(Draft whose labels are the groups that begin at the nodes of a coreset, the number of groups)."""
    with stages("coreset"):
        kernel = GraphKernel(graph, settings.self_loop)
        coreset = _drawn(kernel, settings, streams)
    reach = kernel.rows(coreset.indices)
    coreset_labels = None
    if settings.overcluster is None:
        with stages("micro-clusters"):
            groups, n_groups, n_unreached = settled_micro_clusters(reach, problem, int(settings.refine), n_jobs)
    else:
        coreset_labels, groups, n_groups, n_unreached = _spectral(
            kernel, coreset, reach, problem.rows, settings, streams, n_jobs, stages
        )
    return Draft(groups, coreset, coreset_labels, n_unreached), n_groups


def given_draft(graph, problem, settings, given, streams, stages):
    """Labels to start from; nodes of -1 follow their neighbours. A coreset is drawn all the same."""
    k, rows, labels = problem.n_clusters, problem.rows, given.copy()
    with stages("coreset"):
        coreset = _drawn(GraphKernel(graph, settings.self_loop), settings, streams)
    with stages("start"):
        spread_all(rows, labels, k)
        grow_small_clusters(problem, labels)
    return Draft(labels, coreset)


def eigenvector_draft(graph, problem, streams, stages):
    """Labels from eigenvectors of the whole graph, or None where they would take long or show no clusters."""
    with stages("eigenvectors"):
        labels = _eigenvector_labels(graph, problem.n_clusters, streams)
        if labels is None:
            return None
        grow_small_clusters(problem, labels)
    return Draft(labels)


def anew_draft(problem, labels, streams, stages):
    """The best labels so far with some clusters formed anew, side by side and 2 to half of all; None where they cannot.

    How many is drawn evenly on a logarithmic scale: some seams are between two clusters, others between many.
    """
    problem, rng = problem.spanning(labels), streams.generator("anew")
    n_chosen = round(np.exp(rng.uniform(np.log(2.0), np.log(max(2.0, problem.n_clusters / 2)))))
    with stages("forming anew"):
        formed = form_anew(problem, labels, side_by_side(problem, labels, n_chosen, rng), rng)
    return None if formed is None else Draft(formed)


def disagree(labellings, n_clusters):
    """Whether two labellings agree on so few nodes, beyond chance, that there may be more to find."""
    one, other = labellings
    agreement, chance = stability(one, [other], n_clusters)[0][one >= 0].mean(), 1.0 / n_clusters
    return n_clusters > 1 and agreement - chance <= _SETTLED_SHARE * (1.0 - chance)


def _drawn(kernel, settings, streams):
    """The coreset that the settings ask for."""
    return sample_coreset(
        kernel, max(1, settings.n_clusters), size=None if settings.eps else settings.coreset_size, eps=settings.eps,
        method=settings.sampling, n_seeds=settings.n_seeds, random_state=streams,
    )  # fmt: skip


def _spectral(kernel, coreset, reach, rows, settings, streams, n_jobs, stages):
    """Spectral partition of the coreset graph, and labels for all nodes by kernel distance."""
    k = settings.n_clusters
    n_parts = min(max(k, round(settings.overcluster * k)), len(coreset))
    with stages("coreset graph"):
        coreset_graph = kernel.weighted_submatrix(coreset.indices, coreset.weights, n_jobs=n_jobs, reach=reach)
    with stages("spectral partition"):
        partition = spectral_partition(
            coreset_graph, n_parts, eigen_solver=settings.eigen_solver,
            degrees=coreset.weights if settings.coreset_degrees == "weights" else None, random_state=streams,
            n_jobs=n_jobs,
        )  # fmt: skip
    with stages("labelling"):
        n_labels = max(n_parts, k)
        labelling = label_all(
            kernel, coreset.indices, coreset.weights, partition.labels, n_labels, coreset_graph=coreset_graph,
            reach=reach, n_jobs=n_jobs,
        )  # fmt: skip
        labels = labelling.labels
        if settings.refine or n_parts > k:
            # A node that no row reaches carries no evidence: it follows its neighbours instead.
            labels[labelling.unreached] = -1
            n_labels = compact_labels(labels, spread(rows, labels, n_labels))
    return partition.labels, labels, n_labels, int(labelling.unreached.sum())


def _eigenvector_labels(graph, n_clusters, streams):
    """Labels (n,) int32 from eigenvectors of the whole graph, -1 for isolated nodes.

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
    """The best labels of several runs of k-means, or None if each leaves a cluster empty.

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
