"""A clustering of a graph becomes one of the graph after a change."""

import numpy as np

from .._progress import Stages
from .._random import Streams
from ..exceptions import InputError
from ..graphs.derived import change_graph
from ..graphs.magnitude import in_range
from ..metrics.cut import sums_and_shares
from ..partition.quotient import graph_rows
from ..partition.update import Update, describe_update, update_labels
from .constrained import constrained_partition
from .settings import resized


def update_clustering(graph, clustering, unrest, sizes, added, removed, *, random_state=None, n_jobs=None, stages=None):
    """Change a graph and the labels of its Clustering; returns (graph, Clustering, Update, sums, outside shares).

    `unrest` (n_clusters,) float64 is kept between updates, and changed in place. `sizes` are the limits of clusters, as
    a user gave them: shares are of the nodes that there are now. Labels that stay do, also those of nodes that had no
    edge; raises a ParameterError where limits cannot be kept.
    """
    stages = Stages() if stages is None else stages
    with stages("graph"):
        changed = change_graph(graph, added, removed)
        if changed.graph.n_entries == 0:
            raise InputError("removed: no edge is left, and a graph without edges has no clusters")
        before = np.full(changed.graph.n_nodes, -1, dtype=np.int32)
        before[: len(clustering.labels)] = clustering.labels
        ranged = in_range(changed.graph)
        rows = graph_rows(ranged)
        asked = resized(clustering.settings, sizes, changed.graph)
    known = clustering.known.among(rows.degrees)
    problem = known.problem(rows, asked)
    k, after, streams = asked.n_clusters, before.copy(), Streams(random_state)
    if known.fixed is not None:  # of nodes that had no edge
        after[known.fixed >= 0] = known.fixed[known.fixed >= 0]
    with stages("moves"):
        formed = update_labels(
            problem, after, changed.ends, np.ldexp(changed.change, -ranged._exponent), unrest,
            rng=streams.generator("update"), n_jobs=n_jobs,
        )  # fmt: skip
        sums = problem.sums(after, n_jobs)
        if problem.constraints.excess(sums) > 1.0 or problem.min_size > max(1, sums.size.min()):
            rng = streams.generator("constraints")
            after = constrained_partition(problem, after, rng, fixed=known.fixed, n_jobs=n_jobs).labels
    stability = None
    if clustering.node_stability is not None:  # not known of nodes that have moved
        stability = np.full(len(after), np.nan, dtype=np.float32)
        stability[: len(clustering.labels)] = clustering.node_stability
        stability[before != after] = np.nan
    result = clustering.changed(changed.graph, after, stability, asked)
    moved, splits, unions = describe_update(before, after, k)
    with stages("score"):
        sums, shares = sums_and_shares(changed.graph, after, k, n_jobs)
    new = np.flatnonzero((before < 0) & (after >= 0))
    done = Update(changed.n_added, changed.n_removed, new, moved, splits, unions, formed, dict(stages.seconds))
    return changed.graph, result, done, sums, shares
