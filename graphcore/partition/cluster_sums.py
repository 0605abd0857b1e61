"""Sums over the clusters of a graph, and the objectives that they give."""

from dataclasses import dataclass

import numpy as np

from .._arrays import read_only
from .._threads import map_blocks, row_blocks
from .._typing import Floats
from .._validation import check_choice
from .._work import count
from . import _objective_loops
from ._sum_loops import add_cluster_sums

__all__ = ["OBJECTIVES", "ClusterSums", "cluster_sums", "objective_code"]

OBJECTIVES = ("information", "ncut")


def objective_code(objective):
    """Number by which compiled loops know an objective."""
    check_choice("objective", objective, OBJECTIVES)
    return {"information": _objective_loops.INFORMATION, "ncut": _objective_loops.NCUT}[objective]


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Sums over each cluster of a graph.

    Attributes
    ----------
    internal : ndarray of shape (n_clusters,), float64
        Sum of the matrix entries inside the cluster: twice the weight of its edges, once that of its self-loops.
    volume : ndarray of shape (n_clusters,), float64
        Sum of degrees.
    cut : ndarray of shape (n_clusters,), float64
        Weight of the edges that leave the cluster, to other clusters or to nodes of none. NaN where nodes have been
        moved since: only the other sums are kept up to date then.
    size : ndarray of shape (n_clusters,), int64
        Number of nodes; nodes of degree 0 are left out.
    """

    internal: np.ndarray
    volume: np.ndarray
    cut: np.ndarray
    size: np.ndarray

    @property
    def conductance(self) -> Floats:
        """``cut / volume``, and 1 for a cluster without volume."""
        return np.divide(self.cut, self.volume, out=np.ones(len(self.volume)), where=self.volume > 0)

    def value(self, objective: str) -> float:
        """The objective that local moving raises, "information" or "ncut"; larger is better."""
        return float(_objective_loops.objective_value(objective_code(objective), self.internal, self.volume))


def cluster_sums(rows, labels, n_clusters, n_jobs=None, counts=None, splits=None):
    """Add up weights and nodes of every cluster; `labels` (n,) int32, -1 for no cluster.

    Where rows are groups, `counts` (n,) int64 holds the nodes that each stands for. `splits`, two float64 arrays (n,),
    are filled with each node's weight inside and outside of its own cluster. The result does not depend on `n_jobs`.
    """
    counts = read_only(np.empty(0, dtype=np.int64) if counts is None else counts)
    labels = read_only(labels)
    inside, outside = (np.empty(0), np.empty(0)) if splits is None else splits

    def part(first, last):
        internal, volume, cut = np.zeros(n_clusters), np.zeros(n_clusters), np.zeros(n_clusters)
        size = np.zeros(n_clusters, dtype=np.int64)
        add_cluster_sums(*rows, counts, labels, first, last, internal, volume, cut, size, inside, outside)
        return internal, volume, cut, size

    count("entries summed", len(rows.indices))
    parts = map_blocks(part, row_blocks(rows.indptr, entries=1 << 20), n_jobs)
    # Block by block in order, so that sums of floats do not depend on the number of threads.
    return ClusterSums(*(sum(arrays[1:], arrays[0]) for arrays in zip(*parts, strict=True)))
