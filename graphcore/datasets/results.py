"""Results of generators and loaders: data with its known clusters."""

from typing import NamedTuple

import numpy as np

from ..base.types import Labels, csr_array
from ..graphs.graph import Graph


class LabeledGraph(NamedTuple):
    """A graph whose clusters are known.

    Attributes
    ----------
    graph : Graph
    labels : ndarray of shape (n_nodes,), int32
        Cluster of every node, from 0.
    """

    graph: Graph
    labels: np.ndarray


class LabeledVectors(NamedTuple):
    """Vectors whose clusters are known.

    Attributes
    ----------
    data : ndarray of shape (n_samples, n_features), float
    labels : ndarray of shape (n_samples,), int32
        Cluster of every row, from 0.
    """

    data: np.ndarray
    labels: np.ndarray


class LabeledMatrix(NamedTuple):
    """A sparse matrix whose blocks are known.

    Attributes
    ----------
    matrix : csr_array of shape (n_rows, n_columns), float64
    row_labels : ndarray of shape (n_rows,), int32
    column_labels : ndarray of shape (n_columns,), int32
        Block of every row and of every column, from 0.
    """

    matrix: csr_array
    row_labels: Labels
    column_labels: Labels
