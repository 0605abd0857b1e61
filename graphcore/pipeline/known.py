"""What is known of the nodes before they are clustered: labels that stay, labels to start from, weights."""

from dataclasses import dataclass, field, replace

import numpy as np

from .._arrays import read_only
from .._validation import check_labels
from ..exceptions import InputError, ParameterError
from ..partition.constraints import Constraints

__all__ = ["NOTHING", "Known", "check_known"]

# Weights that are no whole numbers are counted in this part of the largest.
_PARTS = 1 << 30


@dataclass(frozen=True, eq=False)
class Known:
    """What is known of the nodes of a graph; None stands for nothing."""

    fixed: np.ndarray | None = field(default=None, repr=False)  # (n,) int32: labels that stay, -1 for all other nodes
    start: np.ndarray | None = field(default=None, repr=False)  # (n,) int32: labels to start from, -1 where unknown
    weights: np.ndarray | None = field(default=None, repr=False)  # (n,) float64: as how many each node counts

    def limits(self, settings):
        """(Settings, Constraints) of a run whose sizes are counted as nodes of these weights count."""
        unit, more = 1, {}
        if self.weights is not None:
            whole = np.array_equal(self.weights, np.rint(self.weights)) and self.weights.sum() < 2.0**53
            unit = 1 if whole else _PARTS / self.weights.max()
            more["counts"] = read_only(np.rint(self.weights * unit).astype(np.int64))
        if settings.max_cluster_size is not None:
            more["max_size"] = int(settings.max_cluster_size * unit * (1 + 1e-9))
        if settings.max_share is not None:
            more["max_share"] = settings.max_share
        if self.fixed is not None:
            more["is_fixed"] = read_only(self.fixed >= 0)
        if settings.min_cluster_size > 1:  # 1 only says that no cluster is empty
            settings = replace(settings, min_cluster_size=round(settings.min_cluster_size * unit))
        return settings, Constraints(**more)


NOTHING = Known()


def check_known(graph, n_clusters, labels=None, initial_labels=None, sample_weight=None):
    """Known of a graph, from what a user gave: labels that stay, labels to start from, checked weights."""
    fixed = None if labels is None else _labels("labels that stay (y)", labels, graph, n_clusters)
    start = None if initial_labels is None else _labels("initial_labels", initial_labels, graph, n_clusters)
    if start is not None and not (start[graph.degrees > 0] >= 0).any():
        raise InputError("initial_labels give no node with an edge a label; leave them out")
    if fixed is not None and not (fixed >= 0).any():
        fixed = None
    return Known(fixed, start, sample_weight)


def _labels(name, labels, graph, n_clusters):
    labels = check_labels(name, labels, graph.n_nodes)
    if graph.n_nodes and labels.max() >= n_clusters:
        raise ParameterError(
            f"{name} go up to {labels.max()}; with n_clusters={n_clusters} they run from 0 to {n_clusters - 1}, and "
            "-1 is unknown"
        )
    # A copy: what comes in may change, and isolated nodes are in no cluster.
    return np.where(graph.degrees > 0, labels, np.int32(-1))
