"""A clustering of a graph becomes one of the graph after a change."""

import numpy as np

from .._progress import Stages
from .._random import Streams
from ..exceptions import InputError
from ..graphs.changed import change_graph
from ..graphs.magnitude import in_range
from ..metrics.cut import sums_and_shares
from ..partition.quotient import graph_rows
from ..partition.update import Update, describe_update, update_labels
from .known import NOTHING
from .run import limits, max_links

__all__ = ["update_clustering"]


def update_clustering(graph, labels, unrest, settings, added, removed, *, random_state=None, n_jobs=None, stages=None):
    """Change a graph and its labels; returns (graph, labels, Update, ClusterSums, outside shares of the nodes).

    `unrest` (n_clusters,) float64 is kept between updates, and changed in place.
    """
    stages = Stages() if stages is None else stages
    with stages("graph"):
        changed = change_graph(graph, added, removed)
        if changed.graph.n_entries == 0:
            raise InputError("removed: no edge is left, and a graph without edges has no clusters")
        before = np.full(changed.graph.n_nodes, -1, dtype=np.int32)
        before[: len(labels)] = labels
        ranged = in_range(changed.graph)
        rows = graph_rows(ranged)
    after = before.copy()
    with stages("moves"):
        formed = update_labels(
            rows, after, settings.n_clusters, changed.ends, np.ldexp(changed.change, -ranged._exponent), unrest,
            rng=Streams(random_state).generator("update"), n_cycles=settings.n_cycles, max_entries=max_links(rows),
            constraints=NOTHING.limits(settings)[1], n_jobs=n_jobs, **limits(settings),
        )  # fmt: skip
        moved, splits, unions = describe_update(before, after, settings.n_clusters)
    with stages("score"):
        sums, shares = sums_and_shares(changed.graph, after, settings.n_clusters, n_jobs)
    new = np.flatnonzero((before < 0) & (after >= 0))
    done = Update(changed.n_added, changed.n_removed, new, moved, splits, unions, formed, dict(stages.seconds))
    return changed.graph, after, done, sums, shares
