"""Clusters beside known classes."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..exceptions import InputError
from ..metrics import agreement


@dataclass(frozen=True, eq=False)
class Comparison:
    """How far clusters and known classes agree.

    Attributes
    ----------
    scores : dict
        Of :func:`graphcore.metrics.agreement`, over all nodes that have an edge and a known class.
    names : list of str
        Of the classes.
    counts : csr_array of shape (n_classes, n_clusters), int64
        Nodes of each class in each cluster.
    sizes : ndarray of shape (n_classes,), int64
        Nodes of each class that have an edge, also those without a cluster.
    """

    scores: dict
    names: list = field(repr=False)
    counts: Any = field(repr=False)
    sizes: np.ndarray = field(repr=False)


def compare_classes(graph, labels, truth, n_clusters):
    """Comparison of the clusters of all nodes with their classes; integers below 0 and "-1" are classes not known."""
    import scipy.sparse as sp

    truth = np.asarray(truth)
    if truth.shape != labels.shape:
        raise InputError(f"truth has shape {truth.shape}; one class for each of {len(labels)} nodes is needed")
    known = graph.degrees > 0
    known &= truth >= 0 if truth.dtype.kind in "iu" else truth != "-1"
    names, classes = np.unique(truth[known], return_inverse=True)
    numbers = np.full(len(truth), -1)
    numbers[known] = classes
    scores = agreement(labels, numbers, graph)
    labels = labels[known]
    placed = labels >= 0
    counts = sp.csr_array(
        (np.ones(np.count_nonzero(placed), dtype=np.int64), (classes[placed], labels[placed])),
        shape=(len(names), n_clusters),
    )
    counts.sum_duplicates()
    return Comparison(scores, [str(name) for name in names.tolist()], counts, np.bincount(classes))
