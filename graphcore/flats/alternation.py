"""The alternation behind k-means, k-flats and their kernel versions: fit flats to clusters, move points, repeat."""

from typing import NamedTuple

import numpy as np

from .._progress import Stages
from .._warn import warn_user
from ..exceptions import InputError

# An increase beyond this is no rounding: the kernel is indefinite.
_INCREASE = 1e-9


class Run(NamedTuple):
    """One run of the alternation on n points."""

    labels: np.ndarray  # (n,) int32
    flats: object  # what the problem's flat step gave for these labels
    own: np.ndarray  # (n,) float64: squared distance of every point to its own flat
    history: np.ndarray  # (n_iter,) float64: the objective (weighted sum of `own`) after each flat step
    converged: bool
    rose: bool = False  # stopped because the objective rose, as only an indefinite kernel makes it


class _Restart(Exception):
    """A cluster ran empty or too small for its flat, and the policy is to begin anew."""


def alternate(problem, labels, n_clusters, *, max_iter=300, on_empty="farthest", min_size=1):
    """Alternate flat steps and moves from the given labels until no point moves.

    `problem` is EuclideanFlats or KernelFlats. A cluster of fewer than `min_size` points counts as one to restart for
    (``on_degenerate="restart"``).
    """
    history, converged, kept = [], False, None
    labels = np.array(labels, dtype=np.int32)
    if np.bincount(labels, minlength=n_clusters).min() == 0:
        present, compact = np.unique(labels, return_inverse=True)
        own = problem.fit(compact.astype(np.int32), len(present))[1] if on_empty == "farthest" else None
        labels, n_clusters = _mend(labels, own, n_clusters, on_empty)
    for _ in range(max_iter):
        if np.bincount(labels, minlength=n_clusters).min() < min_size:
            raise _Restart("too small for its flat")
        flats, own = problem.fit(labels, n_clusters)
        objective = float(problem.weights @ own)
        if kept is not None and objective > history[-1] + _INCREASE * abs(history[0]):
            return Run(*kept, np.array(history), converged=False, rose=True)
        history.append(objective)
        kept = labels, flats, own
        moved = problem.reassign(flats, labels)
        if np.array_equal(moved, labels):
            converged = True
            break
        if np.bincount(moved, minlength=n_clusters).min() == 0:
            moved, n_clusters = _mend(moved, own, n_clusters, on_empty)
        labels = moved
    return Run(*kept, np.array(history), converged)


def best_of(problem, draw_labels, rules, *, repeatable=False, verbose=0):
    """The run of lowest objective from several initialisations.

    `draw_labels(i)` gives the labels of initialisation i. `repeatable`: all are the same, so that one run is enough and
    beginning anew is no use.
    """
    best, n_drawn, stages = None, 0, Stages(verbose=verbose)
    n_init, n_tries = (1, 1) if repeatable else (rules.n_init, rules.max_restarts + 1)
    how = {"max_iter": rules.max_iter, "on_empty": rules.on_empty, "min_size": rules.min_size}
    for number in range(n_init):
        for _ in range(n_tries):
            n_drawn += 1
            try:
                with stages(f"initialisation {number + 1} of {n_init}"):
                    run = alternate(problem, draw_labels(n_drawn - 1), rules.n_clusters, **how)
                break
            except _Restart as why:
                reason = str(why)
        else:
            raise InputError(
                f"all of {n_drawn} initialisations ended in a cluster that is {reason}; take fewer clusters "
                f"(n_clusters={rules.n_clusters}) or dimensions (n_dims={rules.n_dims}), or on_empty='farthest' and "
                "on_degenerate='reduce', which need no new ones"
            )
        if best is None or run.history[-1] < best.history[-1]:
            best = run
    if not best.converged:
        _warn_unsettled(best, rules.max_iter)
    return best


def _warn_unsettled(run, max_iter):
    from sklearn.exceptions import ConvergenceWarning

    why = f"points still moved after max_iter={max_iter} passes; raise it"
    if run.rose:
        why = (
            "the objective rose, so the kernel is not positive semi-definite: the best labels so far are kept; a "
            "larger shift makes the kernel so"
        )
    warn_user(why, ConvergenceWarning)


def fill_empty(labels, own, n_clusters):
    """Give every empty cluster the point that lies farthest from its flat, out of clusters that keep another point."""
    labels = labels.copy()
    sizes = np.bincount(labels, minlength=n_clusters)
    own = own.copy()
    for j in np.flatnonzero(sizes == 0):
        i = int(np.argmax(np.where(sizes[labels] > 1, own, -np.inf)))
        sizes[labels[i]] -= 1
        sizes[j] = 1
        labels[i] = j
        own[i] = 0.0
    return labels


def _mend(labels, own, n_clusters, on_empty):
    """Labels without empty clusters by the given policy, and their number."""
    if on_empty == "farthest":
        return fill_empty(labels, own, n_clusters), n_clusters
    if on_empty == "drop":
        present, labels = np.unique(labels, return_inverse=True)
        return labels.astype(np.int32), len(present)
    if on_empty == "restart":
        raise _Restart("empty")
    empty = np.flatnonzero(np.bincount(labels, minlength=n_clusters) == 0)
    raise InputError(f"cluster {empty[0]} ran empty; on_empty='farthest' or 'restart' goes on")
