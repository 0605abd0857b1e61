"""Sums over the clusters of a graph, and the objectives that they give."""

from dataclasses import dataclass

import numpy as np

from ...base.arrays import read_only
from ...base.types import Floats
from ...base.work import count
from ...graphs.passes import map_passes, pass_spans
from ._objective_loops import objective_value
from ._sum_loops import add_cluster_sums
from .objectives import Objective, objective_of


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Sums over each cluster of a graph, (n_clusters,) each."""

    internal: np.ndarray  # of the matrix entries inside: twice the weight of its edges, once that of its self-loops
    volume: np.ndarray  # of degrees
    cut: np.ndarray  # weight of the edges that leave it; NaN where nodes have been moved since
    size: np.ndarray  # int64: nodes, but for those of degree 0

    @property
    def arrays(self):
        """The arrays that moves update, for compiled loops: (internal, volume, size)."""
        return self.internal, self.volume, self.size

    @property
    def conductance(self) -> Floats:
        """``cut / volume``, and 1 for a cluster without volume."""
        return np.divide(self.cut, self.volume, out=np.ones(len(self.volume)), where=self.volume > 0)

    def value(self, objective: str | Objective) -> float:
        """The objective that local moving raises, by its name or as it is; larger is better."""
        return float(objective_value(objective_of(objective).code, self.internal, self.volume))


def cluster_sums(rows, labels, n_clusters, n_jobs=None, counts=None, splits=None):
    """Add up weights and nodes of every cluster; `labels` (n,) int32, -1 for no cluster.

    Where rows are groups, `counts` (n,) int64 holds the nodes that each stands for. `splits`, two float64 arrays (n,),
    are filled with each node's weight inside and outside of its own cluster.
    """
    counts = read_only(np.empty(0, dtype=np.int64) if counts is None else counts)
    count("entries summed", len(rows.indices))
    spans = pass_spans(rows.indptr, few=True)
    parts = map_passes(
        _sums_part, rows, spans, read_only(labels), n_clusters, counts, splits is not None, n_jobs=n_jobs
    )
    if splits is not None:
        for (first, last), (*_, inside, outside) in zip(spans, parts, strict=True):
            splits[0][first:last], splits[1][first:last] = inside, outside
    # Block by block in order, so that sums of floats do not depend on the number of threads.
    sums = zip(*(part[:4] for part in parts), strict=True)
    return ClusterSums(*(sum(arrays[1:], arrays[0]) for arrays in sums))


def inner_sums(rows, labels, n_clusters, n_jobs=None):
    """The `internal` of :func:`cluster_sums` alone: clusters may be as many as the nodes of a block."""
    count("entries summed", len(rows.indices))
    spans = pass_spans(rows.indptr, few=True)
    parts = map_passes(_inner_part, rows, spans, read_only(labels), n_clusters, n_jobs=n_jobs)
    return sum(parts[1:], parts[0])


def _inner_part(rows, first, last, labels, n_clusters):
    return _sums_part(rows, first, last, labels, n_clusters, np.empty(0, dtype=np.int64), False)[0]


def _sums_part(rows, first, last, labels, n_clusters, counts, split):
    """The sums over some nodes, and each one's weight inside and outside of its cluster if they are split."""
    clusters = *(np.zeros(n_clusters) for _ in range(3)), np.zeros(n_clusters, dtype=np.int64)
    nodes = tuple(np.empty((2, last - first if split else 0)))
    add_cluster_sums(rows[:], read_only(counts), labels, first, last, clusters, nodes)
    return *clusters, *nodes
