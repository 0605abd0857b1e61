"""Labels follow a graph that has changed: nodes are looked at where it did, and from there on."""

from dataclasses import dataclass, field

import numpy as np

from .constraints import grow_small_clusters, relieve_full_clusters
from .evidence import match_clusters
from .improve import cycle_chosen, form_anew
from .local_moving import move_locally
from .micro_clusters import spread_all
from .quotient import apply_labels, contingency, label_sizes

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
        Edges that are there now and were not, and that were taken out.
    new_nodes : ndarray, int64
        Nodes that have got a cluster and had none: new ones, and isolated ones that got an edge.
    moved : ndarray, int64
        Nodes whose cluster has changed; those that have none any more included.
    splits : dict of int to tuple of int
        Clusters of which two parts, a quarter of the nodes each at least, are in different clusters now: in which.
    unions : dict of int to tuple of int
        Clusters that hold most nodes of more than one earlier cluster: of which.
    formed_anew : tuple of int
        Clusters whose evidence had changed so far that they were dissolved for a trial.
    seconds : dict
        Wall-clock seconds of every stage.
    """

    n_added: int
    n_removed: int
    new_nodes: np.ndarray = field(repr=False)
    moved: np.ndarray = field(repr=False)
    splits: dict
    unions: dict
    formed_anew: tuple
    seconds: dict = field(repr=False)


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
