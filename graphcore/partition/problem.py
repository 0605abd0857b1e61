"""What every step of a clustering works on, and the two steps that raise its objective: improve and recombine."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from .blocks import move_in_blocks
from .cluster_sums import ClusterSums, cluster_sums
from .consensus import coarse_partition
from .constraints import FREE, Constraints
from .cycles import move_in_cycles
from .heating import heat
from .local_moving import move_locally
from .objectives import OBJECTIVES
from .quotient import GraphRows, apply_labels, common_refinement, is_huge, pick_labels, quotient
from .sizes import grow_small_clusters

__all__ = ["Partition", "Problem", "improve", "recombine"]

# Graphs between groups are exact up to this many entries, and up to this fraction of the graph's own.
_FEW_LINKS, _MIN_COMPRESSION, _MAX_LINKS = 1 << 22, 4, 1 << 25
# Single moves end when a pass moves a smaller share of the nodes.
_MOVE_TOLERANCE = 1e-4
# Cycles of moves by groups, at most: one that gains little is the last before.
_CYCLES = 10
# Groups are heated to so many mean weights of an edge, or so much of the mean weight of a group if that is more, and
# cooled to so little.
_HOT, _HOT_SHARE, _COLD = 4.0, 0.3, 0.4


class Partition(NamedTuple):
    """Labels and what they are worth; of two, the greater is the better one by its first two fields."""

    fits: bool  # whether no cluster is smaller than the least size
    value: float  # the objective
    labels: np.ndarray  # (n,) int32, -1 for isolated nodes

    def rank(self):
        """What partitions are compared by."""
        return self[:2]


@dataclass(frozen=True, eq=False)
class Problem:
    """A graph to be divided into clusters, and what is asked of them."""

    rows: GraphRows
    n_clusters: int
    objective: str = "information"
    min_size: int = 1
    constraints: Constraints = FREE

    @property
    def limits(self):
        """What every merge and move has to respect."""
        share = OBJECTIVES[self.objective].min_share
        return {"objective": self.objective, "min_size": self.min_size, "min_share": share}

    @property
    def is_huge(self):
        """Whether the graph is gone through as rarely as can be, and in its own order."""
        return is_huge(len(self.rows.indices))

    @property
    def max_links(self):
        """Entries that a graph between groups may have before only its strong links are kept."""
        return min(max(_FEW_LINKS, len(self.rows.indices) // _MIN_COMPRESSION), _MAX_LINKS)

    def sums(self, labels, n_jobs=None) -> ClusterSums:
        """ClusterSums of labels."""
        return cluster_sums(self.rows, labels, self.n_clusters, n_jobs, counts=self.constraints.counts)

    def partition(self, labels, sums) -> Partition:
        """Labels as a Partition, from their sums."""
        return Partition(bool(sums.size.min() >= self.min_size), sums.value(self.objective), labels)

    def between(self, groups, n_groups, n_jobs=None):
        """The same problem for groups of nodes as wholes."""
        rows = quotient(self.rows, groups, n_groups, n_jobs, max_entries=self.max_links)
        return replace(self, rows=rows, constraints=self.constraints.of_groups(groups, n_groups))

    def grown(self, labels):
        """Labels whose clusters have grown to the least size, in place."""
        if self.min_size > 1:  # by default a cluster may come out empty, and a warning says so
            grow_small_clusters(self.rows, labels, self.n_clusters, self.min_size, counts=self.constraints.counts)
        return labels


def improve(problem, labels, rng, n_jobs=None, told=None):
    """Partition of labels, changed in place, after moves of single nodes, then of groups of nodes in cycles.

    (stage, objective) before and after each of the two is appended to the list `told`.
    """
    rows, k, sums = problem.rows, problem.n_clusters, problem.sums(labels, n_jobs)
    told = [] if told is None else told
    told.append(("draft", sums.value(problem.objective)))
    moves = {"tolerance": _MOVE_TOLERANCE, "sums": sums, "n_jobs": n_jobs, **problem.limits}
    if problem.is_huge and not len(problem.constraints.counts):
        sums, _ = move_in_blocks(rows, labels, k, **moves)
    else:
        sums, _ = move_locally(rows, labels, k, constraints=problem.constraints, in_turns=True, **moves)
    told.append(("moves", sums.value(problem.objective)))
    if not problem.is_huge:
        sums, _ = move_in_cycles(
            rows, labels, k, n_cycles=_CYCLES, rng=rng, max_entries=problem.max_links, sums=sums,
            constraints=problem.constraints, n_jobs=n_jobs, **problem.limits,
        )  # fmt: skip
        told.append(("cycles", sums.value(problem.objective)))
    return problem.partition(labels, sums)


def recombine(problem, first, second, rng, n_sweeps, n_jobs=None):
    """The better of two Partitions, or one that is better than both, made of what they agree on.

    Groups of nodes that are together in both are moved as wholes: once from the better one, once from what merging
    makes of them anew; heated and cooled, for few moves of groups do what would take moves of many nodes, the first of
    them for the worse. The better result is improved node by node.

    References
    ----------
    Sanders, Schulz, "Distributed evolutionary graph partitioning", ALENEX 2012: recombination by what is common.
    """
    better = max(second, first, key=Partition.rank)
    groups, n_groups = common_refinement([first.labels, second.labels], problem.n_clusters)
    if n_groups <= problem.n_clusters:
        return better
    coarse = problem.between(groups, n_groups, n_jobs)
    anew = coarse_partition(
        coarse.rows, coarse.constraints.sizes(np.arange(n_groups), n_groups), problem.n_clusters, rng=rng,
        n_jobs=n_jobs, **problem.limits,
    )  # fmt: skip
    # The unit of temperatures is the mean weight of an edge end between groups: here it is that of the graph.
    unit = len(coarse.rows.indices) / len(problem.rows.indices)
    hot = max(unit * _HOT, _HOT_SHARE * len(coarse.rows.indices) / n_groups)
    temperatures = np.geomspace(hot, unit * _COLD, n_sweeps)
    found = []
    for table in (pick_labels(groups, n_groups, better.labels), anew):
        heat(coarse, table, temperatures, rng)
        sums, _ = move_locally(
            coarse.rows, table, problem.n_clusters, constraints=coarse.constraints, **problem.limits
        )
        found.append(coarse.partition(table, sums))
    labels = apply_labels(max(found, key=Partition.rank).labels, groups)
    return max(better, improve(problem, problem.grown(labels), rng, n_jobs), key=Partition.rank)
