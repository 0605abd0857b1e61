"""Refinement: moves on the whole graph that never lower the objective."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from .._threads import map_blocks, row_blocks
from .._validation import check_choice
from .._work import count
from . import _objective_loops, _refine_loops

__all__ = ["OBJECTIVES", "ClusterSums", "batch_sweeps", "block_sweep", "cluster_sums", "objective_code", "refine"]

OBJECTIVES = ("information", "ncut")
_NATURAL = np.empty(0, dtype=np.int64)
_ONES = np.empty(0, dtype=np.int64)
# Blocks of a sweep one after the other, and parts of a block at the same time.
_SWEEP_BLOCKS, _SWEEP_PARTS = 64, 8


def objective_code(objective):
    """Number by which compiled loops know an objective."""
    check_choice("objective", objective, OBJECTIVES)
    return {"information": _objective_loops.INFORMATION, "ncut": _objective_loops.NCUT}[objective]


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Inner weights (both directions), volumes and node counts of the clusters of a partition."""

    inner: np.ndarray
    volumes: np.ndarray
    sizes: np.ndarray

    def value(self, objective):
        """The objective, larger is better."""
        return float(_objective_loops.objective_value(objective_code(objective), self.inner, self.volumes))


def cluster_sums(rows, labels, n_clusters, n_jobs=None, counts=None):
    """Inner weight, volume and size of every cluster.

    Parameters
    ----------
    rows : GraphRows
    labels : ndarray of shape (n,), int32
    n_clusters : int
    n_jobs : int, optional
    counts : ndarray of shape (n,), int64, optional
        Nodes that each row stands for, where rows are groups.

    Returns
    -------
    ClusterSums
    """

    def part(first, last):
        sums = np.zeros(n_clusters), np.zeros(n_clusters), np.zeros(n_clusters, dtype=np.int64)
        _refine_loops.cluster_sums(*rows, _ONES if counts is None else counts, labels, first, last, *sums)
        return sums

    count("entries summed", len(rows.indices))
    parts = map_blocks(part, row_blocks(rows.indptr, entries=1 << 20), n_jobs)
    # Block by block in order, so that sums of floats do not depend on the number of threads.
    return ClusterSums(*(sum(arrays[1:], arrays[0]) for arrays in zip(*parts, strict=True)))


def refine(
    rows,
    labels,
    n_clusters,
    *,
    objective="information",
    order=None,
    n_passes=50,
    tolerance=0.0,
    least_size=1,
    least_share=0.0,
    counts=None,
    sums=None,
):
    """Move single nodes, in place, while that raises the objective.

    Parameters
    ----------
    rows : GraphRows
    labels : ndarray of shape (n,), int32
        Changed in place; nodes of label -1 stay.
    n_clusters : int
    objective : {"information", "ncut"}
    order : ndarray of shape (n,), int64, optional
        Order of visits; default natural order.
    n_passes : int, default 50
    tolerance : float, default 0
        Share of nodes moved in a pass at or below which it is the last. With 0, a pass over all nodes confirms that no
        single move to a neighbouring cluster raises the objective (unless `n_passes` come first).
    least_size : int, default 1
        No cluster shrinks below this number of nodes.
    least_share : float, default 0
        No cluster shrinks below this share of the mean volume of a cluster.
    counts : ndarray of shape (n,), int64, optional
        Nodes that each row stands for, where rows are groups.
    sums : ClusterSums, optional
        Of `labels`, if at hand; changed in place.

    Returns
    -------
    sums : ClusterSums
        Of the labels as they are now.
    n_moves : int
    """
    if sums is None:
        sums = cluster_sums(rows, labels, n_clusters, counts=counts)
    moves, entries = _refine_loops.move_nodes(
        *rows,
        _ONES if counts is None else counts,
        objective_code(objective),
        _NATURAL if order is None else order,
        n_passes,
        float(tolerance),
        max(1, least_size),
        least_share * float(sums.volumes.sum()) / n_clusters,
        sums.inner,
        sums.volumes,
        sums.sizes,
        labels,
    )
    count("entries moved over", entries)
    return sums, int(moves)


def block_sweep(rows, labels, n_clusters, *, objective="information", n_jobs=None):
    """Move nodes a block at a time to the cluster of steepest ascent, in place, once over the graph.

    The slopes are those of the start; the labels are those that the blocks before have left. So it takes a third of the
    time of a pass of :func:`refine`, on any number of threads, but does not promise that the objective rises. From a
    poor start it rises further than by moving single nodes, and some small clusters are given up.

    Parameters
    ----------
    rows : GraphRows
    labels : ndarray of shape (n,), int32
        Changed in place; nodes of label -1 stay.
    n_clusters : int
    objective : {"information", "ncut"}
    n_jobs : int, optional
    """
    sums = cluster_sums(rows, labels, n_clusters, n_jobs)
    by_inner, by_volume = np.empty(n_clusters), np.empty(n_clusters)
    _objective_loops.slopes(objective_code(objective), sums.inner, sums.volumes, by_inner, by_volume)
    count("entries moved over", len(rows.indices))
    n = len(labels)
    borders = np.linspace(0, n, min(_SWEEP_BLOCKS, n) + 1).astype(np.int64)
    for first, last in pairwise(borders):
        moved = np.empty_like(labels[first:last])
        parts = np.linspace(first, last, min(_SWEEP_PARTS, last - first) + 1).astype(np.int64)
        map_blocks(
            lambda a, b, first=first, moved=moved: _refine_loops.batch_assign(
                *rows, by_inner, by_volume, a, b, labels, moved[a - first : b - first]
            ),
            parts,
            n_jobs,
        )
        labels[first:last] = moved


def batch_sweeps(rows, labels, n_clusters, *, objective="ncut", n_sweeps=10, least_size=1, n_jobs=None):
    """Move all nodes at once to the cluster of steepest ascent, as long as the objective rises.

    With ``objective="ncut"`` a sweep is one iteration of weighted kernel k-means with ``K = D^-1 A D^-1``. The kernel
    is indefinite, so a sweep may lower the objective; such a sweep is undone and ends the run.

    Parameters
    ----------
    rows : GraphRows
    labels : ndarray of shape (n,), int32
        Not changed.
    n_clusters : int
    objective : {"information", "ncut"}
    n_sweeps : int, default 10
    least_size : int, default 1
        A sweep that shrinks a cluster below this number of nodes is undone too.
    n_jobs : int, optional

    Returns
    -------
    labels : ndarray of shape (n,), int32
    values : list of float
        The objective at the start and after every sweep kept; it never falls.
    """
    code = objective_code(objective)
    sums = cluster_sums(rows, labels, n_clusters, n_jobs)
    values = [sums.value(objective)]
    by_inner, by_volume = np.empty(n_clusters), np.empty(n_clusters)
    borders = row_blocks(rows.indptr)
    for _ in range(n_sweeps):
        _objective_loops.slopes(code, sums.inner, sums.volumes, by_inner, by_volume)
        moved = np.empty_like(labels)
        changed = sum(
            map_blocks(
                lambda a, b, labels=labels, moved=moved: _refine_loops.batch_assign(
                    *rows, by_inner, by_volume, a, b, labels, moved[a:b]
                ),
                borders,
                n_jobs,
            )
        )
        if not changed:
            break
        moved_sums = cluster_sums(rows, moved, n_clusters, n_jobs)
        value = moved_sums.value(objective)
        if value <= values[-1] or (moved_sums.sizes < np.minimum(least_size, sums.sizes)).any():
            break
        labels, sums = moved, moved_sums
        values.append(value)
    return labels, values
