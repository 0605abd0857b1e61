"""A clustering problem: a graph, the objective, constraints on the clusters; and the sums over clusters."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...base.arrays import read_only
from ...base.progress import count
from ...base.types import Floats
from ...graphs.passes import map_passes, pass_spans
from ...graphs.rows import GraphRows
from ._objective_loops import add_cluster_sums, objective_value
from .constraints import FREE, Constraints
from .objectives import Objective, objective_of
from .quotient import compact_labels, is_huge, max_links, quotient


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
        """Return the objective that local moving raises, by its name or as it is; larger is better."""
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
    """Return the `internal` of :func:`cluster_sums` alone: clusters may be as many as the nodes of a block."""
    count("entries summed", len(rows.indices))
    spans = pass_spans(rows.indptr, few=True)
    parts = map_passes(_inner_part, rows, spans, read_only(labels), n_clusters, n_jobs=n_jobs)
    return sum(parts[1:], parts[0])


def _inner_part(rows, first, last, labels, n_clusters):
    return _sums_part(rows, first, last, labels, n_clusters, np.empty(0, dtype=np.int64), False)[0]


def _sums_part(rows, first, last, labels, n_clusters, counts, split):
    """Return the sums over some nodes, and each one's weight inside and outside of its cluster if they are split."""
    clusters = *(np.zeros(n_clusters) for _ in range(3)), np.zeros(n_clusters, dtype=np.int64)
    nodes = tuple(np.empty((2, last - first if split else 0)))
    add_cluster_sums(rows[:], read_only(counts), labels, first, last, clusters, nodes)
    return *clusters, *nodes


class Partition(NamedTuple):
    """Labels, and what they are worth."""

    fits: bool  # whether no cluster is smaller than the least size
    value: float  # the objective
    labels: np.ndarray  # (n,) int32, -1 for isolated nodes

    def rank(self):
        """Return the key by which partitions are compared."""
        return self[:2]


@dataclass(frozen=True, eq=False)
class Problem:
    """A graph to be divided into clusters, and what is asked of them; where rows are groups of nodes, all is of groups.

    No move shrinks a cluster below `min_size` (as the counts of the constraints count) or `min_share` of the mean
    volume. With a `min_size` of 0 clusters may be emptied and founded: how many there are is free, up to `n_clusters`.
    """

    rows: GraphRows
    n_clusters: int
    objective: str | Objective = "information"
    min_size: int = 1
    min_share: float = 0.0
    constraints: Constraints = FREE

    @property
    def code(self):
        """The objective's code, of compiled loops."""
        return self.record.code

    @property
    def record(self):
        """The Objective."""
        return objective_of(self.objective)

    @property
    def fewest(self):
        """Clusters that there have to be."""
        return self.n_clusters if self.min_size else 1

    @property
    def is_huge(self):
        """Whether the graph is gone through as rarely as can be, and in its own order."""
        return is_huge(len(self.rows.indices))

    @property
    def max_links(self):
        """Entries that a graph between groups may have before only its strong links are kept."""
        return max_links(self.rows)

    def limits(self, total):
        """(least size, least volume, largest size, largest volume) of a cluster, of a `total` volume."""
        most = self.constraints.max_size, self.constraints.max_volume(total, self.n_clusters)
        return self.min_size, self.min_share * total / self.n_clusters, *most

    def task(self, sums):
        """Return the arguments of compiled loops: rows, (counts, is_fixed), code, limits for labels with these sums."""
        return self.rows[:], self.constraints.of_nodes, self.code, self.limits(float(sums.volume.sum()))

    def sums(self, labels, n_jobs=None) -> ClusterSums:
        """Return ClusterSums of labels."""
        return cluster_sums(self.rows, labels, self.n_clusters, n_jobs, counts=self.constraints.counts)

    def partition(self, labels, sums) -> Partition:
        """Return labels as a Partition, by their sums; without empty clusters, in place, where their number is free."""
        if not self.min_size:
            compact_labels(labels, self.n_clusters)
        return Partition(bool(sums.size.min() >= self.min_size), sums.value(self.objective), labels)

    def spanning(self, *labellings, room=1):
        """Return the problem with as many clusters as labels have, times `room` for new ones, if k is free."""
        if self.min_size:
            return self
        return replace(self, n_clusters=room * (1 + max(int(each.max()) for each in labellings)))

    def without_limits(self, n_clusters):
        """Return the problem without constraints, for another number of clusters."""
        return replace(
            self,
            n_clusters=n_clusters,
            min_size=1,
            min_share=0.0,
            constraints=Constraints(counts=self.constraints.counts),
        )

    def between(self, groups, n_groups, n_jobs=None, max_links=None):
        """Return the problem on the graph between groups of nodes."""
        rows = quotient(self.rows, groups, n_groups, n_jobs, max_entries=max_links)
        return replace(self, rows=rows, constraints=self.constraints.of_groups(groups, n_groups))
