"""One coreset: from a sample of nodes to labels for all of them."""

from dataclasses import dataclass

import numpy as np

from ..coresets.coreset import Coreset, sample_coreset
from ..kernels.graph import GraphKernel
from ..kernels.walk import WalkKernel
from ..partition.blocks import move_in_blocks
from ..partition.cluster_sums import cluster_sums
from ..partition.consensus import coarse_partition
from ..partition.local_moving import move_locally
from ..partition.merge import agglomerate
from ..partition.micro_clusters import settled_micro_clusters, spread
from ..partition.nearest import label_all
from ..partition.quotient import GraphRows, apply_labels, compact_labels, graph_rows, is_huge, label_volumes, quotient
from ..partition.sizes import grow_small_clusters
from ..spectral.partition import spectral_partition

__all__ = [
    "CoresetRun",
    "grow_clusters",
    "limits",
    "max_links",
    "node_kernel",
    "refine_labels",
    "run_coreset",
    "run_start",
]

# Graphs between groups are exact up to this many entries, and up to this fraction of the graph's own.
_FEW_LINKS = 1 << 22
_MIN_COMPRESSION = 4
_MAX_LINKS = 1 << 25
# Refinement ends when a pass moves a smaller share of the nodes.
_TOLERANCE = 1e-4
# Moves leave every cluster this share of the mean volume: a cluster must not lose its nodes one by one over its border.
_MIN_SHARE = 0.1


@dataclass(eq=False)
class CoresetRun:
    """What one coreset leaves behind."""

    labels: np.ndarray
    value: float
    coreset: Coreset
    coreset_labels: np.ndarray | None
    n_unreached: int
    groups: np.ndarray | None
    group_labels: np.ndarray | None
    group_graph: GraphRows | None
    row_bytes: int
    history: list


def limits(settings):
    """What every merge and move has to respect."""
    return {
        "objective": settings.objective,
        "min_size": settings.min_cluster_size,
        # The pure normalised cut is left alone: its smallest clusters are its answer.
        "min_share": _MIN_SHARE if settings.objective == "information" else 0.0,
    }


def max_links(rows):
    """Entries that a graph between groups may have before only its strong links are kept."""
    return min(max(_FEW_LINKS, len(rows.indices) // _MIN_COMPRESSION), _MAX_LINKS)


def grow_clusters(rows, labels, settings, nodes):
    """Grow clusters that merging left below the least size, in place."""
    if settings.min_cluster_size > 1:  # by default a cluster may come out empty, and a warning says so
        grow_small_clusters(rows, labels, settings.n_clusters, settings.min_cluster_size, counts=nodes.counts)


def refine_labels(rows, labels, settings, nodes, sums, n_jobs=None, in_turns=True):
    """Move single nodes, in place, on large graphs `in_turns`; from the sums of the labels to the sums then."""
    options = {"tolerance": _TOLERANCE, "sums": sums, **limits(settings)}
    if is_huge(len(rows.indices)) and not len(nodes.counts):
        return move_in_blocks(rows, labels, settings.n_clusters, n_jobs=n_jobs, **options)[0]
    options |= {"in_turns": in_turns, "n_jobs": n_jobs}
    return move_locally(rows, labels, settings.n_clusters, counts=nodes.counts, **options)[0]


def node_kernel(graph, settings, n_jobs):
    """The kernel between nodes that the settings ask for."""
    if settings.walk_steps == 1:
        return GraphKernel(graph, settings.self_loop)
    return WalkKernel(
        graph, settings.walk_steps, laziness=settings.laziness, row_budget=settings.row_budget, n_jobs=n_jobs
    )


def run_coreset(graph, settings, streams, n_jobs, stages, nodes):
    """Cluster by way of one coreset; of the Constraints `nodes` only the counts are used."""
    k = settings.n_clusters
    plain = settings.walk_steps == 1
    kernel, coreset = _sampled(graph, settings, streams, n_jobs, stages)
    with stages("rows"):
        reach = kernel.reach(coreset.indices)
    rows = graph_rows(graph)
    if settings.overcluster is None:
        coreset_labels = None
        with stages("micro-clusters"):
            groups, n_groups, n_unreached = settled_micro_clusters(
                reach, rows, k, settings.objective if settings.refine else None, n_jobs
            )
    else:
        coreset_labels, groups, n_groups, n_unreached = _spectral(
            kernel, coreset, reach, rows, settings, streams, n_jobs, stages
        )
    history = []
    group_labels = between = None
    labels = groups
    if n_groups > k:
        with stages("merging"):
            between = quotient(rows, groups, n_groups, n_jobs, max_entries=max_links(rows))
            sizes = nodes.sizes(groups, n_groups)
            if settings.overcluster is None:
                group_labels = coarse_partition(
                    between, sizes, k, **limits(settings), rng=streams.generator("merging"), n_jobs=n_jobs
                )
            else:
                group_labels, _, _ = agglomerate(
                    between, sizes, k, linkage="average", min_size=settings.min_cluster_size
                )
            labels = apply_labels(group_labels, groups)
    labels = labels.copy() if labels is groups else labels
    grow_clusters(rows, labels, settings, nodes)
    value = np.nan
    if settings.refine:
        with stages("refinement"):
            sums = cluster_sums(rows, labels, k, n_jobs, counts=nodes.counts)
            history.append(("merging" if n_groups > k else "labelling", sums.value(settings.objective)))
            # Several coresets have a thread each, and turns read a little more.
            sums = refine_labels(rows, labels, settings, nodes, sums, n_jobs, in_turns=settings.n_coresets == 1)
            value = sums.value(settings.objective)
            history.append(("refinement", value))
    return CoresetRun(
        labels, value, coreset, coreset_labels, n_unreached, None if group_labels is None else groups, group_labels,
        between, 0 if plain else reach.nbytes, history,
    )  # fmt: skip


def run_start(graph, start, settings, streams, n_jobs, stages, nodes):
    """Improve labels to start from instead; those of -1 follow their neighbours. A coreset is drawn all the same."""
    k, rows, labels = settings.n_clusters, graph_rows(graph), start.copy()
    _, coreset = _sampled(graph, settings, streams, n_jobs, stages)
    with stages("start"):
        spread(rows, labels, k)
        for alone in range(k, labels.max() + 1):  # components without any label
            labels[labels == alone] = np.argmin(label_volumes(np.minimum(labels, k), rows.degrees, k + 1)[:k])
        grow_clusters(rows, labels, settings, nodes)
    sums = cluster_sums(rows, labels, k, n_jobs, counts=nodes.counts)
    history = [("start", sums.value(settings.objective))]
    if settings.refine:
        with stages("refinement"):
            sums = refine_labels(rows, labels, settings, nodes, sums, n_jobs)
        history.append(("refinement", sums.value(settings.objective)))
    return CoresetRun(labels, history[-1][1], coreset, None, 0, None, None, None, 0, history)


def _sampled(graph, settings, streams, n_jobs, stages):
    """The kernel between nodes, and a coreset."""
    with stages("coreset"):
        kernel = node_kernel(graph, settings, n_jobs)
        drawn = settings.walk_steps > 1 and settings.sampling == "importance"
        coreset = sample_coreset(
            GraphKernel(graph, settings.self_loop) if drawn else kernel, settings.n_clusters,
            size=None if settings.eps else settings.coreset_size, eps=settings.eps, method=settings.sampling,
            n_seeds=settings.n_seeds, random_state=streams,
        )  # fmt: skip
    return kernel, coreset


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
