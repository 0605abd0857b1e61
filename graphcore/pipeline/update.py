"""A clustering of a graph becomes one of the graph after a change."""

from dataclasses import replace

import numpy as np

from .._progress import Stages
from .._random import Streams
from ..exceptions import InputError
from ..graphs.changed import change_graph
from ..graphs.magnitude import in_range
from ..metrics.cut import sums_and_shares
from ..partition.quotient import graph_rows
from ..partition.update import Update, describe_update, update_labels
from .cluster import leaves_of
from .run import limits, max_links

__all__ = ["update_clustering"]


def update_clustering(graph, clustering, unrest, added, removed, *, random_state=None, n_jobs=None, stages=None):
    """Change a graph and its Clustering; returns (graph, Clustering, Update, ClusterSums, outside shares of the nodes).

    `unrest` (n_clusters,) float64 is kept between updates, and changed in place.
    """
    stages = Stages() if stages is None else stages
    settings, k = clustering.settings, clustering.settings.n_clusters
    with stages("graph"):
        changed = change_graph(graph, added, removed)
        if changed.graph.n_entries == 0:
            raise InputError("removed: no edge is left, and a graph without edges has no clusters")
        n = changed.graph.n_nodes
        ranged = in_range(changed.graph)
        rows = graph_rows(ranged)
    before = _longer(clustering.labels, n, -1)
    labels = before.copy()
    with stages("moves"):
        formed = update_labels(
            rows, labels, k, changed.ends, np.ldexp(changed.change, -ranged._exponent), unrest,
            rng=Streams(random_state).generator("update"), max_entries=max_links(rows), n_jobs=n_jobs,
            **limits(settings),
        )  # fmt: skip
        moved, splits, unions = describe_update(before, labels, k)
        new = np.flatnonzero((before < 0) & (labels >= 0))
    with stages("tree"):
        n_groups = len(clustering.group_labels)
        groups = _longer(clustering.groups, n, -1)
        groups[new] = n_groups + labels[new]
        leaves = leaves_of(rows, groups, n_groups + k, labels, k, n_jobs)
    with stages("score"):
        sums, shares = sums_and_shares(changed.graph, labels, k, n_jobs)
    stability = clustering.node_stability
    if stability is not None:
        stability = _longer(stability, n, np.nan)
        stability[moved] = stability[new] = np.nan
    found = replace(clustering, labels=labels, **leaves, node_stability=stability)
    done = Update(changed.n_added, changed.n_removed, new, moved, splits, unions, formed, dict(stages.seconds))
    return changed.graph, found, done, sums, shares


def _longer(values, n, filling):
    """A copy with room for n nodes."""
    out = np.full(n, filling, dtype=values.dtype)
    out[: len(values)] = values
    return out
