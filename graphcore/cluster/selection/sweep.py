"""One pass over all numbers of clusters: the micro-clusters of a few coresets, merged down to one."""

from dataclasses import dataclass, field

import numpy as np

from ...base.streams import Streams
from ...base.threads import effective_jobs, map_items
from ...graphs.rows import GraphRows
from ...kernels.graph import GraphKernel
from ..coresets.coreset import sample_coreset
from ..partition.coreset_graph import settled_micro_clusters
from ..partition.merge import MergeTree, agglomerate
from ..partition.objectives import OBJECTIVES
from ..partition.problem import Problem
from ..partition.quotient import apply_labels, label_sizes, quotient
from ..pipeline.drafts import FROM_SCRATCH, SELF_LOOP

_MIN_CORESET = 1000
# Fewer than in a fit of a huge graph: here all micro-clusters are merged one pair at a time.
_SHARE, _LARGEST_SHARE = 0.01, 10_000
# Micro-clusters for each of the most clusters looked at: what is merged has to be finer than what is asked about.
_CELLS_PER_CLUSTER = 10
# Passes of moves between micro-clusters. With two, 3 of 10 seeds were not sure that digits have ten clusters, with
# eight one, and on 80 sets .74 instead of .71 of the choices were within a quarter of the truth.
_PASSES = 8
# Entries that all coresets together go through, but for the first: a fit to more than a million makes one draft. With
# one coreset, 2 of 5 seeds saw 11 digits in MNIST's neighbour graph, of a million entries, with four none; on six
# planted graphs of one to two millions one and four chose alike, but for uneven blocks, of which neither was sure.
_ENTRIES = 1 << 22
# Entropy is to rise with every cluster, also by one without volume.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class MicroClusterTree:
    """Micro-clusters of one coreset and the tree that merges them, pair by pair, down to one cluster."""

    micro_clusters: np.ndarray  # (n_nodes,) int32, -1 for isolated nodes
    rows: GraphRows  # the graph between the micro-clusters
    tree: MergeTree
    information: np.ndarray = field(repr=False)  # [k - 1]: the objective, in nats, of the partition into k clusters
    entropy: np.ndarray = field(repr=False)  # [k - 1]: of a cluster drawn by volume, in nats; it rises

    @classmethod
    def merged(cls, micro_clusters, rows, sizes, price=0.0):
        """Merge by the information less each nat of entropy at its price."""
        record = OBJECTIVES["information"].at(price=price)
        _, children, losses = agglomerate(rows, sizes, 1, linkage=record)
        tree = MergeTree(children, np.maximum.accumulate(losses), sizes)
        shares = tree.summed(rows.degrees / rows.degrees.sum())
        terms = shares * np.log(np.maximum(shares, np.finfo(float).tiny))
        # One cluster has neither, and every union loses what it costs.
        gains = terms[tree.n_leaves :] - terms[children].sum(axis=1)
        entropy = np.concatenate([[0.0], np.cumsum(np.maximum(gains[::-1], _ROUNDING))])
        worth = np.concatenate([[0.0], np.cumsum(losses[::-1])])
        return cls(micro_clusters, rows, tree, worth + price * entropy, entropy)

    def at(self, price):
        """Merge these micro-clusters anew, at a price of entropy."""
        return self.merged(self.micro_clusters, self.rows, self.tree.leaf_sizes, price)

    @property
    def n_micro_clusters(self):
        """Number of micro-clusters, the largest number of clusters that the tree knows."""
        return self.tree.n_leaves

    def labels_at(self, n_clusters):
        """Return labels of all nodes when `n_clusters` are left; -1 for isolated nodes."""
        return apply_labels(self.tree.labels_at(n_clusters), self.micro_clusters)


def n_trees(graph):
    """Coresets that are swept over where what is chosen is read off their mean: as many as a fit draws, or fewer."""
    return min(FROM_SCRATCH, -(-_ENTRIES // max(1, graph.n_entries)))


def micro_cluster_trees(graph, n_clusters, *, n_coresets=1, random_state=None, n_jobs=None):
    """Draw coresets, give every node to a micro-cluster, and merge those of each down to one (MicroClusterTrees).

    One tree holds a partition for every number of clusters, and none of them is favoured. `n_clusters` is the most that
    will be asked about, at most the nodes that have an edge. The result does not depend on `n_jobs`.
    """
    n_linked = graph.n_nodes - graph.n_isolated
    share = min(round(_SHARE * n_linked), _LARGEST_SHARE)
    size = max(_MIN_CORESET, _CELLS_PER_CLUSTER * n_clusters, share)
    # At most half of the nodes, or all coresets of a small graph would be the same.
    size = max(n_clusters, min(size, n_linked // 2))
    streams, problem = Streams(random_state), Problem(graph.rows, n_clusters)
    inner_jobs = effective_jobs(n_jobs) if n_coresets == 1 else 1

    def tree(number):
        kernel = GraphKernel(graph, SELF_LOOP)
        coreset = sample_coreset(kernel, n_clusters, size=size, random_state=streams.child("coreset", number))
        labels, n_groups, _ = settled_micro_clusters(
            kernel.rows(coreset.indices), problem, n_passes=_PASSES, n_jobs=inner_jobs
        )
        between = quotient(problem.rows, labels, n_groups, inner_jobs)
        return MicroClusterTree.merged(labels, between, label_sizes(labels, n_groups))

    return map_items(tree, range(n_coresets), n_jobs)
