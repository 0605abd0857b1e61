"""Lloyd's iterations in feature space: every point to the nearest centroid, until nothing moves."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from .._threads import map_blocks, row_blocks
from ..exceptions import InputError
from ..kernels import _matrix_loops
from ..kernels.rows_matrix import RowsMatrix

__all__ = ["EMPTY_CLUSTERS", "LloydRun", "Step", "centroid_step", "lloyd"]

EMPTY_CLUSTERS = ("farthest", "drop", "error")
_BLOCK_ENTRIES = 1 << 18
# A cost that goes up by more than this share of the points' own norms did not do so by rounding.
_ROUNDING = 1e-9
_EQUAL = 1e-13


class Step(NamedTuple):
    """What one look at a partition finds; empty clusters have mass 0 and norm inf.

    Attributes
    ----------
    labels : ndarray of shape (n_points,), int32
        Nearest centroid of every point, of equals the lowest number; -1 for points that take no part.
    distances, own : ndarray of shape (n_points,), float64
        Squared distances to that centroid and to the one of the point's present cluster; an indefinite kernel may have
        negative ones.
    masses, norms : ndarray of shape (n_clusters,), float64
        Weights of the clusters and squared norms of their centroids.
    """

    labels: np.ndarray
    distances: np.ndarray
    own: np.ndarray
    masses: np.ndarray
    norms: np.ndarray


@dataclass(frozen=True, eq=False)
class LloydRun:
    """The best partition of one run of Lloyd's iterations.

    Attributes
    ----------
    labels : ndarray of shape (n_points,), int32
    inertia : float
        Its cost, ``sum_x w_x |phi(x) - c(x)|^2``.
    step : Step
        Distances, masses and norms of its centroids.
    n_iter : int
        Partitions looked at.
    history : list of float
        Costs of the partitions in turn.
    stopped : str
        "converged": no point moves any more. "tolerance": the cost fell by less than `tol`. "cycle": a partition came
        back, which only an indefinite kernel (or rounding) can do. "max_iter": the limit.
    n_rises : int
        How often the cost went up; 0 for a positive semi-definite kernel.
    """

    labels: np.ndarray
    inertia: float
    step: Step = field(repr=False)
    n_iter: int
    history: list = field(repr=False)
    stopped: str
    n_rises: int


def centroid_step(matrix, labels, weights, n_clusters, *, shift=0.0, sums=None, n_jobs=None):
    """Distances to the centroids of a partition, and the nearest centroid of every point.

    With ``W_j`` the weight of cluster j and ``S_xj = sum_{y in j} w_y K_xy``,
    ``|phi(x) - c_j|^2 = K_xx - 2 S_xj / W_j + sum_{x in j} w_x S_xj / W_j^2``; a shift adds
    ``shift / w_x + shift / W_j``, and takes ``2 shift / W_j`` off where x is in j.

    Parameters
    ----------
    matrix : KernelMatrix
    labels : ndarray of shape (n_points,), int32
        -1 for points that take no part.
    weights : ndarray of shape (n_points,), float64
    n_clusters : int
    shift : float, default 0
        For ``K + shift W^-1``.
    sums : ndarray of shape (n_points, n_clusters), float64, optional
        ``S``, if it is at hand; sparse and graph kernels do not use it.
    n_jobs : int, optional

    Returns
    -------
    Step
    """
    placed = np.flatnonzero(labels >= 0)
    masses = np.bincount(labels[placed], weights=weights[placed], minlength=n_clusters)
    filled = masses > 0
    divisors = np.where(filled, masses, np.inf)
    diagonal = matrix.diagonal
    if shift:
        diagonal = diagonal + np.divide(shift, weights, out=np.zeros(len(weights)), where=weights > 0)
    # A point without weight has no part in its cluster's centroid, so the shift does not bind it there.
    bonus = 2.0 * shift / divisors
    if isinstance(matrix, RowsMatrix):
        inner = _own_sums(matrix, labels, weights, n_jobs)
    else:
        S = matrix.group_sums(labels, weights, n_clusters, n_jobs) if sums is None else sums
        inner = np.zeros(len(labels))
        inner[placed] = S[placed, labels[placed]]
    within = np.bincount(labels[placed], weights=(weights * inner)[placed], minlength=n_clusters)
    norms = np.where(filled, within / divisors**2 + shift / divisors, np.inf)
    own = np.zeros(len(labels))
    j = labels[placed]
    # A point without weight may sit in a cluster without mass.
    own[placed] = np.where(
        filled[j],
        diagonal[placed] + norms[j] - 2.0 * inner[placed] / divisors[j] - bonus[j] * (weights[placed] > 0),
        0.0,
    )
    if isinstance(matrix, RowsMatrix):
        nearest, distances = _nearest_in_rows(matrix, labels, weights, divisors, norms, bonus, n_jobs)
        taking_part = weights > 0 if matrix.leaves_out_isolated else np.ones(len(labels), dtype=bool)
        nearest[~taking_part] = -1
        distances = np.where(taking_part, distances + diagonal, 0.0)
    else:
        values = norms - 2.0 * S / divisors
        held = placed[weights[placed] > 0]
        values[held, labels[held]] -= bonus[labels[held]]
        nearest = values.argmin(axis=1).astype(np.int32)
        distances = diagonal + values[np.arange(len(labels)), nearest]
    return Step(nearest, distances, own, masses, norms)


def lloyd(
    matrix,
    labels,
    weights,
    n_clusters,
    *,
    shift=0.0,
    max_iter=300,
    tol=0.0,
    empty_clusters="farthest",
    n_jobs=None,
):
    """Iterate from a first partition until no point moves.

    Parameters
    ----------
    matrix : KernelMatrix
    labels : ndarray of shape (n_points,), int32
    weights : ndarray of shape (n_points,), float64
    n_clusters : int
    shift : float, default 0
        Work with ``K + shift W^-1``.
    max_iter : int, default 300
    tol : float, default 0
        Also stop when the cost falls by no more than this share of itself.
    empty_clusters : {"farthest", "drop", "error"}
        A cluster that lost all its points gets the point of greatest weighted distance to its centroid ("farthest",
        which never raises the cost), stays empty ("drop") or ends the run with an InputError ("error").
    n_jobs : int, optional

    Returns
    -------
    LloydRun
        The partition of least cost that was met: for a positive semi-definite kernel the last one.
    """
    labels = np.array(labels, dtype=np.int32)
    scale = float(np.abs(weights * matrix.diagonal).sum()) + abs(shift) * matrix.n_points
    history, seen, n_rises = [], set(), 0
    best = sums = before = None
    stopped = "max_iter"
    for iteration in range(max_iter + 1):
        if not isinstance(matrix, RowsMatrix):
            sums = (
                matrix.group_sums(labels, weights, n_clusters, n_jobs)
                if sums is None
                else matrix.updated_sums(sums, before, labels, weights, n_jobs)
            )
            before = labels
        step = centroid_step(matrix, labels, weights, n_clusters, shift=shift, sums=sums, n_jobs=n_jobs)
        inertia = float(weights @ step.own)
        n_rises += bool(history) and inertia > history[-1] + max(_ROUNDING, matrix.noise) * scale
        # Of equal costs the later one: its points are with their nearest centroids, equal points together.
        if best is None or inertia <= best[1] + _EQUAL * scale:
            best = labels, inertia, step
        fell_by = history[-1] - inertia if history else np.inf
        history.append(inertia)
        seen.add(hash(labels.tobytes()))
        following = _fill(matrix, step, weights, n_clusters, empty_clusters)
        if np.array_equal(following, labels):
            stopped = "converged"
            break
        if hash(following.tobytes()) in seen:
            stopped = "cycle"
            break
        if tol and 0 <= fell_by <= tol * abs(inertia):
            stopped = "tolerance"
            break
        if iteration < max_iter:
            labels = following
    return LloydRun(*best, n_iter=len(history), history=history, stopped=stopped, n_rises=n_rises)


def _own_sums(matrix, labels, weights, n_jobs):
    inner = weights * matrix.outer
    out = np.empty(matrix.n_points)
    map_blocks(
        lambda a, b: _matrix_loops.own_sums(
            matrix.indptr, matrix.indices, matrix.values, matrix.self_loop, inner, matrix.outer, labels, a, b, out
        ),
        row_blocks(matrix.indptr, _BLOCK_ENTRIES),
        n_jobs,
    )
    return out


def _nearest_in_rows(matrix, labels, weights, divisors, norms, bonus, n_jobs):
    inner = weights * matrix.outer
    by_norm = np.argsort(norms, kind="stable")
    n_clusters = len(norms)
    nearest = np.empty(matrix.n_points, dtype=np.int32)
    values = np.empty(matrix.n_points)

    def work(start, stop):
        _matrix_loops.nearest_centroids(
            matrix.indptr,
            matrix.indices,
            matrix.values,
            matrix.self_loop,
            inner,
            matrix.outer,
            labels,
            weights,
            norms,
            divisors,
            bonus,
            by_norm,
            start,
            stop,
            np.empty(n_clusters),
            np.full(n_clusters, -1, dtype=np.int64),
            np.empty(n_clusters, dtype=np.int64),
            nearest,
            values,
        )

    map_blocks(work, row_blocks(matrix.indptr, _BLOCK_ENTRIES), n_jobs)
    return nearest, values


def _fill(matrix, step, weights, n_clusters, policy):
    """The step's labels, with something done about clusters without weight."""
    labels = step.labels
    weighing = np.flatnonzero((labels >= 0) & (weights > 0))
    sizes = np.bincount(labels[weighing], minlength=n_clusters)
    empty = np.flatnonzero(sizes == 0)
    if not len(empty) or policy == "drop":
        return labels
    if policy == "error":
        raise InputError(
            f"{len(empty)} of {n_clusters} clusters lost all their points; use empty_clusters='farthest' or 'drop', or "
            "ask for fewer clusters"
        )
    labels = labels.copy()
    floor = matrix.noise * float(np.abs(matrix.diagonal[weighing]).max())
    paid = np.where((labels >= 0) & (step.distances > floor), weights * step.distances, 0.0)
    for cluster in empty:
        while True:
            x = int(np.argmax(paid))
            if not paid[x] > 0:
                return labels  # no point is left that differs from its centroid
            paid[x] = 0.0
            if sizes[labels[x]] > 1:
                break
        sizes[labels[x]] -= 1
        labels[x] = cluster
        sizes[cluster] = 1
    return labels
