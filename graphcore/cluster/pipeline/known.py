"""Labels and weights of nodes that are given to a fit, and checks that its result keeps to them."""

from dataclasses import dataclass, field, replace

import numpy as np

from ...base.arrays import read_only
from ...base.validation import check_labels
from ...exceptions import InputError, ParameterError, warn_user
from ..partition.constraints import Constraints
from ..partition.problem import Problem
from ..partition.quotient import label_volumes

# Weights that are no whole numbers are counted in this part of the largest.
_PARTS = 1 << 30


@dataclass(frozen=True, eq=False)
class Known:
    """Given labels, initial labels and weights of the nodes of a graph; None where they are not given."""

    # (n,) int32: labels that stay, also of nodes that have no edge yet, -1 for all others; (m,) of the first m nodes.
    fixed: np.ndarray | None = field(default=None, repr=False)
    start: np.ndarray | None = field(default=None, repr=False)  # (n,) int32: labels to start from, -1 where unknown
    weights: np.ndarray | None = field(default=None, repr=False)  # (n,) float64: as how many each node counts

    def among(self, degrees):
        """Return the record without the given labels of isolated nodes."""
        if self.fixed is None:
            return self
        fixed = np.full(len(degrees), -1, dtype=np.int32)
        fixed[: len(self.fixed)] = self.fixed
        fixed[degrees == 0] = -1
        return replace(self, fixed=fixed if (fixed >= 0).any() else None)

    def check(self, labels, degrees, settings, *, tells_of_empty=True):
        """Check the labels of a model: raise an InputError if they break a limit, and warn of small clusters.

        Labels (n,) are 0 to n_clusters - 1, and -1 for nodes without an edge and for no others; those that stay have
        stayed; and no cluster is beyond its limits.
        """
        k, fixed = settings.n_clusters, self.among(degrees).fixed
        if ((labels >= 0) != (degrees > 0)).any() or labels.max() >= k:
            raise InputError(f"labels: nodes with an edge have a cluster, 0 to {k - 1}, and others -1")
        if fixed is not None and (moved := (labels != fixed) & (fixed >= 0)).any():
            x = int(np.argmax(moved))
            raise InputError(f"labels: node {x} was given the label {fixed[x]}, which stays, and has {labels[x]}")
        least, limits = self.limits(settings)
        sizes, volumes = limits.sizes(labels, k), label_volumes(labels, degrees, k)
        # Moves add volumes up in another order.
        if sizes.max() > limits.max_size or volumes.max() > limits.max_volume(volumes.sum(), k) * (1 + 1e-9):
            raise ParameterError(
                f"no n_clusters={k} clusters were found that keep to {limits}: some nodes are too large, or too many "
                "are fixed; allow more, or ask for fewer clusters"
            )
        if least > sizes.min() > 0:
            warn_user(
                f"{np.count_nonzero(sizes < least)} of n_clusters={k} clusters are smaller than "
                f"min_cluster_size={settings.min_cluster_size}, which the other limits leave no room for; ask for "
                "fewer clusters, or for less of each"
            )
        if (n_found := int(np.count_nonzero(sizes))) < k and tells_of_empty:
            warn_user(f"only {n_found} of n_clusters={k} clusters hold nodes; ask for fewer clusters")

    def limits(self, settings):
        """(least size, Constraints) of clusters, in what nodes of these weights count."""
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
        least = settings.min_cluster_size  # of which 1 only says that no cluster is empty
        return least if least <= 1 else round(least * unit), Constraints(**more)

    def problem(self, rows, settings):
        """Return the Problem of a graph with these settings."""
        least, constraints = self.limits(settings)
        record, k = settings.record, settings.n_clusters
        least, k = (least, k) if k else (0, len(rows.degrees))
        return Problem(rows, k, record, least, record.min_share, constraints)


NOTHING = Known()


def check_known(graph, n_clusters, labels=None, initial_labels=None, sample_weight=None):
    """Return Known of a graph, from what a user gave: labels that stay, labels to start from, checked weights."""
    if n_clusters == 0 and not (labels is None and initial_labels is None):
        raise ParameterError("labels that stay or to start from need a number of clusters: give n_clusters")
    fixed = None if labels is None else _labels("labels that stay", labels, graph, n_clusters)
    start = None if initial_labels is None else _labels("initial_labels", initial_labels, graph, n_clusters)
    if start is not None:
        start[graph.degrees == 0] = -1
        if not (start >= 0).any():
            raise InputError("initial_labels give no node with an edge a label; leave them out")
    return Known(fixed, start, sample_weight)


def _labels(name, labels, graph, n_clusters):
    labels = check_labels(name, labels, graph.n_nodes)
    if graph.n_nodes and labels.max() >= n_clusters:
        raise ParameterError(
            f"{name} go up to {labels.max()}; with n_clusters={n_clusters} they run from 0 to {n_clusters - 1}, and "
            "-1 is unknown"
        )
    return labels.copy()  # what comes in may change
