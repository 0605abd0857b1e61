"""Drafts: functions from a Problem and random numbers to labels, which the loop improves and recombines."""

from dataclasses import dataclass, field

import numpy as np

from ..coresets.coreset import Coreset, sample_coreset
from ..kernels.graph import GraphKernel
from ..kernels.walk import WalkKernel
from ..partition.consensus import coarse_partition
from ..partition.merge import agglomerate
from ..partition.micro_clusters import settled_micro_clusters, spread
from ..partition.nearest import label_all
from ..partition.quotient import apply_labels, compact_labels, label_volumes
from ..spectral.partition import spectral_partition

__all__ = ["Draft", "coreset_draft", "given_draft", "node_kernel", "spectral_draft"]


@dataclass(frozen=True, eq=False)
class Draft:
    """Labels of all nodes, and what they were made from."""

    labels: np.ndarray = field(repr=False)  # (n,) int32, -1 for isolated nodes
    coreset: Coreset | None = None
    coreset_labels: np.ndarray | None = field(default=None, repr=False)  # of the published algorithm
    n_unreached: int = 0  # nodes that no row of the coreset reached
    groups: np.ndarray | None = field(default=None, repr=False)  # (n,) int32: what was merged; None if nothing was
    row_bytes: int = 0  # of the half-walk rows


def node_kernel(graph, settings, n_jobs):
    """The kernel between nodes that the settings ask for."""
    if settings.walk_steps == 1:
        return GraphKernel(graph, settings.self_loop)
    return WalkKernel(
        graph, settings.walk_steps, laziness=settings.laziness, row_budget=settings.row_budget, n_jobs=n_jobs
    )


def drawn_coreset(graph, kernel, settings, streams):
    """The coreset that the settings ask for."""
    drawn = settings.walk_steps > 1 and settings.sampling == "importance"
    return sample_coreset(
        GraphKernel(graph, settings.self_loop) if drawn else kernel, settings.n_clusters,
        size=None if settings.eps else settings.coreset_size, eps=settings.eps, method=settings.sampling,
        n_seeds=settings.n_seeds, random_state=streams,
    )  # fmt: skip


def coreset_draft(graph, problem, settings, streams, n_jobs, stages):
    """Nodes join the coreset node that a short walk reaches them from, and these micro-clusters are merged.

    As published, the coreset graph is partitioned by its spectrum instead, and nodes are labelled by kernel distances.
    """
    k, rows = problem.n_clusters, problem.rows
    with stages("coreset"):
        kernel = node_kernel(graph, settings, n_jobs)
        coreset = drawn_coreset(graph, kernel, settings, streams)
    with stages("rows"):
        reach = kernel.reach(coreset.indices)
    coreset_labels = None
    if settings.overcluster is None:
        with stages("micro-clusters"):
            groups, n_groups, n_unreached = settled_micro_clusters(
                reach, rows, k, problem.objective if settings.refine else None, n_jobs
            )
    else:
        coreset_labels, groups, n_groups, n_unreached = _spectral(
            kernel, coreset, reach, rows, settings, streams, n_jobs, stages
        )
    labels = groups
    if n_groups > k:
        with stages("merging"):
            coarse = problem.between(groups, n_groups, n_jobs)
            if settings.overcluster is None:
                table = coarse_partition(coarse, streams.generator("merging"), n_jobs)
            else:
                sizes = problem.constraints.sizes(groups, n_groups)
                table, _, _ = agglomerate(coarse.rows, sizes, k, linkage="average", min_size=problem.min_size)
            labels = apply_labels(table, groups)
    return Draft(
        problem.grown(labels.copy()), coreset, coreset_labels, n_unreached, groups if n_groups > k else None,
        0 if settings.walk_steps == 1 else reach.nbytes,
    )  # fmt: skip


def given_draft(graph, problem, settings, given, streams, stages):
    """Labels to start from; nodes of -1 follow their neighbours. A coreset is drawn all the same."""
    k, rows, labels = problem.n_clusters, problem.rows, given.copy()
    with stages("coreset"):
        coreset = drawn_coreset(graph, node_kernel(graph, settings, 1), settings, streams)
    with stages("start"):
        spread(rows, labels, k)
        for alone in range(k, labels.max() + 1):  # components without any label
            labels[labels == alone] = np.argmin(label_volumes(np.minimum(labels, k), rows.degrees, k + 1)[:k])
    return Draft(problem.grown(labels), coreset)
