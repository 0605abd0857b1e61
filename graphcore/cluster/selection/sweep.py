"""One pass over all numbers of clusters: the micro-clusters of a few coresets, merged down to one, level by level."""

from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from ...base.locks import cached_property
from ...base.streams import Streams
from ...base.threads import effective_jobs, map_items
from ...graphs.rows import GraphRows
from ...kernels.graph import GraphKernel
from ..coresets.coreset import sample_coreset
from ..partition.coreset_graph import settled_micro_clusters
from ..partition.local_moving import FEW_MOVES, block_sweep, move_locally
from ..partition.merge import MergeTree, agglomerate
from ..partition.objectives import OBJECTIVES
from ..partition.problem import Problem
from ..partition.quotient import apply_labels, compact_labels
from ..pipeline.drafts import FROM_SCRATCH, SELF_LOOP

_MIN_CORESET = 1000
# Micro-clusters for each of the most clusters looked at: what is merged has to be finer than what is asked about.
_CELLS_PER_CLUSTER = 2
# A level has so many times the clusters of the next one, and its nodes have so many passes of moves, which mend what
# merging got wrong of large and noisy clusters. Of 60 planted, LFR and neighbour graphs of 20,000 to 300,000 nodes,
# some with lognormal weights, a tree without moves chose exactly the right number for 15, levels for 44. With a ratio
# of 2 they take a quarter less time, but make corners of their own: of 8 choices for com-DBLP 2 were clear, at the
# number of a level.
_RATIO, _PASSES = 1.5, 3
# Entries that all coresets together go through, but for the first: more coresets average out what is random in a small
# graph. With one, 13 of 16 seeds saw the ten digits in MNIST's neighbour graph of a million entries, 3 nine or eleven.
_ENTRIES = 1 << 19
# Entropy is to rise with every cluster, also by one without volume.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class MicroClusterTree:
    """Clusters of all nodes and the tree that merges them, pair by pair, down to one."""

    micro_clusters: np.ndarray | None  # (n_nodes,) int32, -1 for isolated nodes
    rows: GraphRows  # the graph between the micro-clusters
    tree: MergeTree
    information: np.ndarray = field(repr=False)  # [k - 1]: the objective, in nats, of the partition into k clusters
    entropy: np.ndarray = field(repr=False)  # [k - 1]: of a cluster drawn by volume, in nats; it rises

    @classmethod
    def merged(cls, micro_clusters, rows, sizes):
        """Merge by the information."""
        _, children, losses = agglomerate(rows, sizes, 1, linkage=OBJECTIVES["information"].at())
        tree = MergeTree(children, np.maximum.accumulate(losses), sizes)
        shares = tree.summed(rows.degrees / rows.degrees.sum())
        terms = shares * np.log(np.maximum(shares, np.finfo(float).tiny))
        # One cluster has neither, and every union loses what it costs.
        gains = terms[tree.n_leaves :] - terms[children].sum(axis=1)
        entropy = np.concatenate([[0.0], np.cumsum(np.maximum(gains[::-1], _ROUNDING))])
        information = np.concatenate([[0.0], np.cumsum(losses[::-1])])
        return cls(micro_clusters, rows, tree, information, entropy)

    @property
    def n_micro_clusters(self):
        """Number of micro-clusters, the largest number of clusters that the tree knows."""
        return self.tree.n_leaves

    def labels_at(self, n_clusters):
        """Return labels of all nodes when `n_clusters` are left; -1 for isolated nodes."""
        return apply_labels(self.tree.labels_at(n_clusters), self.micro_clusters)


@dataclass(frozen=True, eq=False)
class Sweep:
    """Partitions into every number of clusters, from the micro-clusters of one coreset.

    Each of the `trees`, fine to coarse, begins with clusters of the one before it, settled by moves of nodes, and says
    what is known of numbers of clusters down to the leaves of the next one.
    """

    trees: tuple

    @property
    def n_micro_clusters(self):
        """Number of micro-clusters, the largest number of clusters that the sweep knows."""
        return self.trees[0].n_micro_clusters

    def joined(self, curves):
        """Join curves [k - 1], one of each tree, into that of the sweep.

        The gain by moves before a tree begins is spread over the numbers before it, evenly in log k: a level is to make
        no corner of its own.
        """
        out = curves[0].copy()
        for finer, coarser in pairwise(curves):
            n, last = len(finer), len(coarser)
            share = np.log(n / np.arange(last + 1, n + 1)) / np.log(n / last)
            out[last:n] = finer[last:] + (coarser[-1] - finer[last - 1]) * share
            out[:last] = coarser
        return out

    @cached_property
    def information(self):
        """The objective [k - 1], in nats, of k clusters."""
        return self.joined([tree.information for tree in self.trees])

    @cached_property
    def entropy(self):
        """Entropy [k - 1] of a cluster drawn by volume, in nats; it rises."""
        entropy = np.maximum.accumulate(self.joined([tree.entropy for tree in self.trees]))
        return entropy + _ROUNDING * np.arange(len(entropy))


def n_sweeps(graph):
    """Coresets that are swept over where what is chosen is read off their mean: as many as a fit draws, or fewer."""
    return min(FROM_SCRATCH, -(-_ENTRIES // max(1, graph.n_entries)))


def sweep_coresets(graph, n_clusters, *, n_coresets=1, random_state=None, n_jobs=None):
    """Draw coresets, give every node to a micro-cluster, and merge those of each down to one (Sweeps).

    A sweep holds a partition for every number of clusters, and none of them is favoured. `n_clusters` is the most that
    will be asked about, at most the nodes that have an edge. The result does not depend on `n_jobs`.
    """
    n_linked = graph.n_nodes - graph.n_isolated
    size = max(_MIN_CORESET, _CELLS_PER_CLUSTER * n_clusters)
    # At most half of the nodes, or all coresets of a small graph would be the same.
    size = max(n_clusters, min(size, n_linked // 2))
    streams, problem = Streams(random_state), Problem(graph.rows, n_clusters)
    inner_jobs = effective_jobs(n_jobs) if n_coresets == 1 else 1

    def sweep(number):
        kernel = GraphKernel(graph, SELF_LOOP)
        coreset = sample_coreset(kernel, n_clusters, size=size, random_state=streams.child("coreset", number))
        labels, n_groups, _ = settled_micro_clusters(
            kernel.rows(coreset.indices), problem, n_passes=_PASSES, n_jobs=inner_jobs
        )
        # Levels of several coresets lie at different numbers, so that what is particular to a level averages out too.
        levels = _levels(problem, labels, n_groups, _RATIO ** ((number + 1) / n_coresets), inner_jobs)
        # Labels of all nodes are kept of the finest level alone.
        return Sweep((next(levels), *(replace(tree, micro_clusters=None) for tree in levels)))

    return map_items(sweep, range(n_coresets), n_jobs)


def _levels(problem, labels, n_groups, ratio, n_jobs):
    """Yield the MicroClusterTrees of micro-clusters, of what these are merged and moved to, and so on.

    `ratio` is that of the first two levels.
    """
    between = problem.between(labels, n_groups, n_jobs)
    while True:
        tree = MicroClusterTree.merged(labels, between.rows, between.constraints.counts)
        yield tree
        n_groups, ratio = int(n_groups / ratio), _RATIO
        if n_groups < 2:
            return
        table, moves = tree.tree.labels_at(n_groups), None
        labels, free = apply_labels(table, labels), problem.without_limits(n_groups)
        if problem.is_huge:
            block_sweep(free, labels, n_jobs)
        else:
            sums = between.without_limits(n_groups).sums(table)
            _, moves = move_locally(free, labels, n_passes=_PASSES, tolerance=FEW_MOVES, sums=sums, n_jobs=n_jobs)
        if moves == 0:  # a pass over the whole graph less
            between = between.between(table, n_groups)
        else:
            n_groups = compact_labels(labels, n_groups)
            between = problem.between(labels, n_groups, n_jobs)
