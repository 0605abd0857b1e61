"""Update a clustering after a change of its graph: labels move where the graph has changed, and from there on."""

from dataclasses import dataclass

import numpy as np

from ..base.progress import Stages
from ..base.streams import Streams
from ..cluster.coreset_graph import spread_all
from ..cluster.evidence import match_clusters
from ..cluster.pipeline import constrained_partition
from ..cluster.refine.improve import cycle_chosen, form_anew
from ..cluster.refine.limits import grow_small_clusters, relieve_full_clusters
from ..cluster.refine.moves import move_locally
from ..cluster.refine.problem import apply_labels, contingency, label_sizes
from ..cluster.settings import resized
from ..exceptions import InputError
from ..graphs.changed import change_graph
from ..graphs.weights import in_range
from ..metrics.cut import sums_and_shares
from ._contraction import Contraction

# The accumulated change of volume, as a share, beyond which a cluster is formed anew.
_MOST_CHANGED = 0.1
# A share of a cluster that went elsewhere is a part, and one that makes it a member of a union.
_PART, _MOST = 0.25, 0.5


@dataclass(frozen=True, eq=False)
class Update:
    """Changes of the clusters by a change of the graph.

    Attributes
    ----------
    n_added, n_removed : int
        Number of edges that were added and removed.
    new_nodes : ndarray, int64
        Nodes that had no cluster before: new nodes, and isolated nodes that got an edge.
    moved : ndarray, int64
        Nodes whose cluster has changed, nodes that are in no cluster now included.
    splits : dict of int to tuple of int
        Clusters that have split, at least a quarter of their nodes in each part, and the clusters of the parts.
    unions : dict of int to tuple of int
        Clusters that hold most nodes of several earlier clusters, and these clusters.
    formed_anew : tuple of int
        Clusters that had changed so much that they were dissolved and formed anew for a trial.
    seconds : dict
        Wall-clock seconds of every stage.
    """

    n_added: int
    n_removed: int
    new_nodes: np.ndarray
    moved: np.ndarray
    splits: dict
    unions: dict
    formed_anew: tuple
    seconds: dict

    def __repr__(self) -> str:
        """Return all that has changed, but for the numbers of the nodes."""
        return (
            f"Update(n_added={self.n_added}, n_removed={self.n_removed}, {len(self.new_nodes)} new_nodes, "
            f"{len(self.moved)} moved, splits={self.splits}, unions={self.unions}, formed_anew={self.formed_anew})"
        )


def update_clustering(
    graph, clustering, volume_changes, sizes, changes, *, kinds=None, random_state=None, n_jobs=None, stages=None
):
    """Change a graph and the labels of its Clustering; returns (graph, Clustering, Update, sums, outside shares).

    `changes` are the edges (added, removed). `volume_changes` (n_clusters,) float64 is kept between updates, and
    changed in place. `sizes` are the limits of clusters, as a user gave them: shares are of the nodes that there are
    now. Labels that stay do, also those of nodes that had no edge; raises a ParameterError where limits cannot be kept.
    Nodes of the same of `kinds` (n,) stay together, if they were.
    """
    stages = Stages() if stages is None else stages
    with stages("graph"):
        changed = change_graph(graph, *changes)
        if changed.graph.n_entries == 0:
            raise InputError("removed: no edge is left, and a graph without edges has no clusters")
        before = np.full(changed.graph.n_nodes, -1, dtype=np.int32)
        before[: len(clustering.labels)] = clustering.labels
        whole = clustering.known.among(changed.graph.degrees)
        drawn = Contraction.of(changed.graph, kinds, whole.fixed)
        if drawn.kinds is not None and (before != drawn.reduced(before)[drawn.kinds])[before >= 0].any():
            drawn = Contraction.of(changed.graph, None)  # they were apart
        ranged = in_range(drawn.graph)
        rows = ranged.rows
        settings = resized(clustering.settings, sizes, changed.graph)
    known = drawn.reduced_known(whole).among(rows.degrees)
    problem = known.problem(rows, settings)
    k, after, streams = settings.n_clusters, drawn.reduced(before).copy(), Streams(random_state)
    if known.fixed is not None:  # of nodes that had no edge
        after[known.fixed >= 0] = known.fixed[known.fixed >= 0]
    with stages("moves"):
        formed = update_labels(
            problem, after, drawn.kinds_at(changed.ends), np.ldexp(changed.change, -ranged.exponent), volume_changes,
            rng=streams.generator("update"), n_jobs=n_jobs,
        )  # fmt: skip
        sums = problem.sums(after, n_jobs)
        if problem.constraints.excess(sums) > 1.0 or problem.min_size > max(1, sums.size.min()):
            rng = streams.generator("constraints")
            after = constrained_partition(problem, after, rng, fixed=known.fixed, n_jobs=n_jobs).labels
    after = drawn.expanded(after)
    stability = None
    if clustering.node_stability is not None:  # not known of nodes that have moved
        stability = np.full(len(after), np.nan, dtype=np.float32)
        stability[: len(clustering.labels)] = clustering.node_stability
        stability[before != after] = np.nan
    result = clustering.changed(changed.graph, after, stability, settings)
    moved, splits, unions = describe_update(before, after, k)
    with stages("score"):
        sums, shares = sums_and_shares(changed.graph, after, k, n_jobs)
    new = np.flatnonzero((before < 0) & (after >= 0))
    done = Update(changed.n_added, changed.n_removed, new, moved, splits, unions, formed, dict(stages.seconds))
    return changed.graph, result, done, sums, shares


def update_labels(problem, labels, ends, change, volume_changes, *, rng, n_jobs=None):
    """Update labels (n,) int32 in place, after changes of weights between `ends` (m, 2); -1 stands for new nodes.

    Nodes without a label join a neighbouring cluster; limits are kept as far as moves of single nodes can keep them;
    then nodes are moved, first nodes at changed edges, then neighbours of moved nodes. `volume_changes` (n_clusters,)
    float64 accumulates the changed share of each cluster's volume over updates. Where that share exceeds a tenth, the
    cluster is dissolved and formed anew, and the result is kept if the objective is higher; then groups of nodes of
    these clusters, and of the clusters that their nodes joined, are moved. Returns the clusters that were formed anew:
    none if upper limits or given labels are in the way.
    """
    rows, k = problem.rows, problem.n_clusters
    labels[rows.degrees == 0] = -1
    spread_all(rows, labels, k)
    placed = labels.copy()
    relieve_full_clusters(problem, labels)
    grow_small_clusters(problem, labels)
    sums = problem.sums(labels, n_jobs)
    of_ends, changed = labels[ends.T.ravel()], np.tile(np.abs(change), 2)
    changed = np.bincount(of_ends[of_ends >= 0], weights=changed[of_ends >= 0], minlength=k)
    volume_changes += np.divide(changed, sums.volume, out=np.ones(k), where=sums.volume > 0)
    active = labels != placed
    active[ends] = True
    move_locally(problem, labels, active=active, sums=sums)
    changed_much = np.flatnonzero(volume_changes > _MOST_CHANGED)
    if len(changed_much) == 0 or k == 1 or not problem.constraints.is_free:
        return ()
    volume_changes[changed_much] = 0.0
    trial = form_anew(problem, labels, changed_much, rng, n_jobs)
    if trial is None:
        return tuple(changed_much.tolist())
    trial = apply_labels(_numbers(trial, labels, k), trial)
    differs = trial != labels
    formed, _ = move_locally(problem, trial, active=(labels >= 0) & (np.isin(labels, changed_much) | differs))
    chosen = np.unique(np.concatenate([changed_much, labels[differs], trial[differs]]))
    if formed.value(problem.objective) > sums.value(problem.objective) and formed.size.min() >= min(
        sums.size.min(), problem.min_size
    ):
        labels[:] = trial
    # Whether formed anew or not: groups of nodes may belong to another cluster now.
    if not problem.is_huge:  # of which there are but samples
        kept = labels.copy()
        cycle_chosen(problem, labels, chosen, rng, n_jobs)
        labels[:] = apply_labels(_numbers(labels, kept, k), labels)
    return tuple(changed_much.tolist())


def _numbers(labels, before, n_clusters):
    """For every label the earlier one that has most of its nodes, each once."""
    return match_clusters(contingency(labels, before, n_clusters))


def describe_update(before, after, n_clusters):
    """(moved nodes, splits, unions) between two labellings; nodes without a label before are in neither."""
    moved = np.flatnonzero((before >= 0) & (before != after))
    sizes = label_sizes(before, n_clusters)
    was, now = before[moved].astype(np.int64), after[moved].astype(np.int64)
    pairs, counts = np.unique(was[now >= 0] * n_clusters + now[now >= 0], return_counts=True)
    left = sizes - np.bincount(was, minlength=n_clusters)
    parts = {int(c): [int(c)] for c in np.flatnonzero(left >= np.maximum(_PART * sizes, 1))}
    whole = {int(c): [int(c)] for c in np.flatnonzero(left > _MOST * sizes)}
    for pair, n in zip(pairs.tolist(), counts.tolist(), strict=True):
        a, b = divmod(pair, n_clusters)
        if n >= _PART * sizes[a]:
            parts.setdefault(a, []).append(b)
        if n > _MOST * sizes[a]:
            whole.setdefault(b, []).append(a)

    def several(found):
        return {c: tuple(sorted(each)) for c, each in sorted(found.items()) if len(each) > 1}

    return moved, several(parts), several(whole)
