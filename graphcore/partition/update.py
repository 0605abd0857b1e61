"""Labels follow a graph that has changed: nodes are looked at where it did, and from there on."""

from dataclasses import dataclass, field

import numpy as np

from .cluster_sums import cluster_sums
from .consensus import match_clusters
from .constraints import FREE, relieve_full_clusters
from .local_moving import move_locally
from .predict import cluster_shares, predict_labels
from .quotient import apply_labels, contingency, is_huge, label_sizes
from .sizes import grow_small_clusters
from .trials import cycle_chosen, form_anew

__all__ = ["Update", "describe_update", "update_labels"]

# A cluster is formed anew when as large a share of its volume has changed since that was last tried.
_UNREST = 0.1
# A share of a cluster that went elsewhere is a part, and one that makes it a member of a union.
_PART, _MOST = 0.25, 0.5


@dataclass(frozen=True, eq=False)
class Update:
    """What a change of the graph did to the clusters.

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


def update_labels(
    rows, labels, n_clusters, ends, change, unrest, *, rng, n_cycles=0, max_entries=None,
    constraints=FREE, n_jobs=None, **limits,
):  # fmt: skip
    """Labels (n,) int32 for a graph, whose weights between `ends` (m, 2) have changed, in place; -1 for none so far.

    Nodes with an edge and without a label join a cluster around them; then nodes are moved one by one, first those at
    changed edges, then neighbours of what moved. `unrest` (n_clusters,) float64 adds up what share of each
    cluster's volume has changed, update by update; where that comes to a tenth, the cluster is dissolved and formed
    anew, and that is kept if the objective is higher. Then groups of nodes of these clusters, and of those that they
    went to, are moved. Clusters keep their numbers as far as they keep their nodes. Clusters beyond their limits give
    nodes away, and those below them get some, as far as single nodes go.
    Returns the clusters that were formed anew: none, where `constraints` limit them.
    """
    labels[rows.degrees == 0] = -1
    _place(rows, labels, n_clusters, limits["objective"])
    placed = labels.copy()
    relieve_full_clusters(rows, labels, n_clusters, constraints)
    if limits["min_size"] > 1:
        grow_small_clusters(rows, labels, n_clusters, limits["min_size"], is_fixed=constraints.is_fixed)
    sums = cluster_sums(rows, labels, n_clusters, n_jobs)
    of_ends, changed = labels[ends.T.ravel()], np.tile(np.abs(change), 2)
    changed = np.bincount(of_ends[of_ends >= 0], weights=changed[of_ends >= 0], minlength=n_clusters)
    unrest += np.divide(changed, sums.volume, out=np.ones(n_clusters), where=sums.volume > 0)
    active = labels != placed
    active[ends] = True
    move_locally(rows, labels, n_clusters, active=active, constraints=constraints, sums=sums, **limits)
    restless = np.flatnonzero(unrest > _UNREST)
    if len(restless) == 0 or n_clusters == 1 or not constraints.is_free:
        return ()
    unrest[restless] = 0.0
    trial = form_anew(rows, labels, n_clusters, restless, rng, max_entries, constraints, n_jobs, limits)
    if trial is None:
        return tuple(restless.tolist())
    trial = apply_labels(_numbers(trial, labels, n_clusters), trial)
    differs = trial != labels
    formed, _ = move_locally(
        rows, trial, n_clusters, active=(labels >= 0) & (np.isin(labels, restless) | differs), **limits
    )
    chosen = np.unique(np.concatenate([restless, labels[differs], trial[differs]]))
    if formed.value(limits["objective"]) > sums.value(limits["objective"]) and formed.size.min() >= min(
        sums.size.min(), limits["min_size"]
    ):
        labels[:] = trial
    # Whether formed anew or not: groups of nodes may belong to another cluster now.
    if n_cycles and not is_huge(len(rows.indices)):  # of which there are but samples
        kept = labels.copy()
        cycle_chosen(rows, labels, n_clusters, chosen, rng, n_cycles, max_entries, n_jobs, limits)
        labels[:] = apply_labels(_numbers(labels, kept, n_clusters), labels)
    return tuple(restless.tolist())


def _numbers(labels, before, n_clusters):
    """For every label the earlier one that has most of its nodes, each once."""
    return match_clusters(contingency(labels, before, n_clusters))


def _place(rows, labels, n_clusters, objective):
    """Give nodes with an edge and no label the cluster that gains most by them, in place, those next to one first."""
    import scipy.sparse as sp

    left = np.flatnonzero((labels < 0) & (rows.degrees > 0))
    if len(left) == 0:
        return
    sums = cluster_sums(rows, labels, n_clusters)
    ones = np.ones(len(rows.indices)) if len(rows.weights) == 0 else rows.weights
    links = sp.csr_array((ones, rows.indices, rows.indptr), shape=(len(labels),) * 2, copy=False)[left]
    while len(left):
        found = predict_labels(cluster_shares(links, labels, n_clusters), sums.internal, sums.volume, objective)
        reached = found >= 0
        if not reached.any():  # parts that nothing links to the rest
            found[0] = np.argmin(label_sizes(labels, n_clusters))
            reached = found >= 0
        labels[left[reached]] = found[reached]
        left, links = left[~reached], links[~reached]


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
