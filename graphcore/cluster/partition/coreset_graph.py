"""The coreset graph: contracted, in which every edge of the graph counts, or induced by the coreset, as published."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...kernels.graph import GraphKernel
from ..coresets.coreset import Coreset
from .micro_clusters import settled_micro_clusters
from .nearest import label_all, nearest_centroids
from .problem import Problem
from .quotient import apply_labels, matrix_of


@dataclass(frozen=True, eq=False)
class ContractedGraph:
    """The graph between cells, one around each coreset node.

    A union of cells has the same inner weight, volume and cut here as in the graph, and so the same normalised cut. Its
    cost of kernel k-means is less by that of the cells, whatever the partition is.
    """

    whole: Problem = field(repr=False)  # of the nodes
    coreset: Coreset
    cells: np.ndarray = field(repr=False)  # (n_nodes,) int32: the cell of every node, -1 for isolated nodes
    problem: Problem = field(repr=False)  # the same of the cells: its rows are the coreset graph
    n_unreached: int  # nodes that no coreset node has an edge to

    @property
    def matrix(self):
        """The coreset graph, csr_array (n_cells, n_cells); the weight inside a cell, both directions, is its loop.

        Moves may have emptied cells, and a component without a coreset node is one.
        """
        return matrix_of(self.problem.rows)

    def coreset_labels(self, labels):
        """Labels of the coreset nodes, (n_coreset,) int32, from labels of the cells."""
        return labels[self.cells[self.coreset.indices]]

    def label_nodes(self, labels, n_clusters, n_jobs=None):
        """(Labels of all nodes by the nearest centroid of these clusters of cells (n_nodes,) int32, n_unreached)."""
        labels = nearest_centroids(self.whole.rows, apply_labels(labels, self.cells), n_clusters, n_jobs)
        return labels, self.n_unreached


def contract(kernel, coreset, problem, n_jobs=None):
    """Give every node to the coreset node nearest to it by the kernel, and contract these cells: a ContractedGraph.

    Nodes that no coreset node reaches follow their neighbours. One pass of moves of single nodes then settles the
    cells, by the objective of the Problem.
    """
    kernel_rows = kernel.rows(coreset.indices)
    cells, n_cells, n_unreached = settled_micro_clusters(kernel_rows, problem, n_jobs=n_jobs)
    between = problem.between(cells, n_cells, n_jobs, problem.max_links)
    return ContractedGraph(problem, coreset, cells, between, n_unreached)


@dataclass(frozen=True, eq=False)
class InducedGraph:
    """The graph ``W K W`` on the coreset nodes alone, with their weights W."""

    kernel: GraphKernel = field(repr=False)
    coreset: Coreset
    matrix: Any = field(repr=False)  # csr_array (n_coreset, n_coreset)
    cells = None

    def coreset_labels(self, labels):
        """Labels of the coreset nodes: as they are."""
        return labels

    def label_nodes(self, labels, n_clusters, n_jobs=None):
        """(Labels of all nodes by the nearest centroid of the weighted coreset nodes (n_nodes,) int32, unreached)."""
        labelling = label_all(
            self.kernel, self.coreset.indices, self.coreset.weights, labels, n_clusters, coreset_graph=self.matrix,
            n_jobs=n_jobs,
        )  # fmt: skip
        return labelling.labels, int(np.count_nonzero(labelling.unreached))


def induce(kernel, coreset, n_jobs=None):
    """The InducedGraph of a coreset."""
    return InducedGraph(kernel, coreset, kernel.weighted_submatrix(coreset.indices, coreset.weights, n_jobs=n_jobs))
