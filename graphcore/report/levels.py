"""Nested levels on the page: the clusters of each coarser level, and the clusters inside each."""

from dataclasses import dataclass, field

import numpy as np

from ..cluster.refine.problem import ClusterSums
from ..exceptions import InputError
from ..metrics.clusters import most_central
from ..metrics.cut import placed_labels, split_sums


@dataclass(frozen=True, eq=False)
class Measured:
    """Sums of clusters, and their measures."""

    sums: ClusterSums

    @property
    def normalized_cut(self) -> float:
        """Mean conductance; a missing cluster counts 1."""
        return float(self.sums.conductance.mean())

    @property
    def coverage(self) -> float:
        """Share of the whole edge weight that lies inside clusters."""
        volume = self.sums.volume.sum()
        return float(self.sums.internal.sum() / volume) if volume > 0 else 0.0

    @property
    def chance_cut(self) -> float:
        """Normalised cut to be expected of clusters of these volumes on a graph of these degrees, drawn at random."""
        return float((1 - self.sums.volume / max(self.sums.volume.sum(), 1e-300)).mean())

    @property
    def chance_coverage(self) -> float:
        """Share of the weight to be expected inside clusters of these volumes, as for `chance_cut`."""
        volume = self.sums.volume / max(float(self.sums.volume.sum()), 1e-300)
        return float(np.square(volume).sum())

    @property
    def modularity(self) -> float:
        """Newman's modularity."""
        volume = max(float(self.sums.volume.sum()), 1e-300)
        return float((self.sums.internal / volume - np.square(self.sums.volume / volume)).sum())


@dataclass(frozen=True, eq=False)
class LevelFacts(Measured):
    """One of nested levels."""

    labels: np.ndarray = field(repr=False)  # (n_nodes,) int32
    inside: np.ndarray = field(repr=False)  # (n_clusters,): cluster of the level above, -1 for none
    central: list = field(repr=False)  # names of the most central nodes of each cluster


def gather_levels(graph, levels, n_clusters, n_central, n_jobs):
    """Measure all `levels` (rows of labels, coarse to fine), the last of which has `n_clusters` (None: all used).

    Returns (Graph, list of LevelFacts, weight of every node's edges inside and outside its cluster of the last level).
    """
    found, above, splits = [], None, None
    for number, row in enumerate(levels, 1):
        graph, labels, k = placed_labels(graph, row, n_clusters if number == len(levels) else None)
        sums, *splits = split_sums(graph, labels, k, n_jobs)
        central = most_central(labels, *splits, k, n_central)
        names = [[str(name) for name in graph.names_of(nodes).tolist()] for nodes in central]
        found.append(LevelFacts(sums, labels, _holders(labels, above, k, number), names))
        above = labels
    return graph, found, splits


def _holders(labels, above, n_clusters, number):
    """Return the cluster above each cluster, which must be a single one."""
    inside = np.full(n_clusters, -1)
    if above is None:
        return inside
    placed = np.flatnonzero(labels >= 0)
    inside[labels[placed]] = above[placed]
    wrong = placed[inside[labels[placed]] != above[placed]]
    if len(wrong):
        cluster = labels[wrong[0]]
        both = sorted({int(inside[cluster]), int(above[wrong[0]])})
        raise InputError(
            f"labels: cluster {cluster} of level {number} has nodes in clusters {both[0]} and {both[1]} of level "
            f"{number - 1}; give nested levels, coarse to fine, or one column of labels"
        )
    return inside
