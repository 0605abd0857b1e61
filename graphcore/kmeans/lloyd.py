"""Lloyd's iterations in feature space: every point to the nearest centroid, until nothing moves."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..exceptions import InputError

ON_EMPTY = ("farthest", "drop", "error")
# A cost that goes up by more than this share of the points' own norms did not do so by rounding.
_ROUNDING = 1e-9
_EQUAL = 1e-13


class Step(NamedTuple):
    """What one look at a partition finds; empty clusters have mass 0 and norm inf."""

    # (n_points,) int32: nearest centroid, of equals the lowest number; -1 for points that take no part
    labels: np.ndarray
    distances: np.ndarray  # (n_points,) float64: squared, to that centroid; an indefinite kernel may have negative ones
    own: np.ndarray  # (n_points,) float64: the same to the centroid of the point's present cluster
    masses: np.ndarray  # (n_clusters,) float64: weights of the clusters
    norms: np.ndarray  # (n_clusters,) float64: squared norms of their centroids


@dataclass(frozen=True, eq=False)
class LloydRun:
    """The best partition of one run of Lloyd's iterations."""

    labels: np.ndarray  # (n_points,) int32
    inertia: float  # its cost, ``sum_x w_x |phi(x) - c(x)|^2``
    step: Step = field(repr=False)  # distances, masses and norms of its centroids
    n_iter: int  # partitions looked at
    history: list = field(repr=False)  # costs of the partitions in turn
    # "converged": no point moves any more. "tolerance": the cost fell by less than `tol`. "cycle": a partition came
    # back, which only an indefinite kernel (or rounding) can do. "max_iter": the limit.
    stopped: str
    n_rises: int  # how often the cost went up; 0 for a positive semi-definite kernel


def centroid_step(kernel, labels, weights, n_clusters, *, shift=0.0, products=None, n_jobs=None):
    """Distances to the centroids of a partition, and the nearest centroid of every point: a Step.

    With ``W_j`` the weight of cluster j and ``S_xj = sum_{y in j} w_y K_xy``,
    ``|phi(x) - c_j|^2 = K_xx - 2 S_xj / W_j + sum_{x in j} w_x S_xj / W_j^2``; a shift adds
    ``shift / w_x + shift / W_j``, and takes ``2 shift / W_j`` off where x is in j. Points of label -1 take no part.
    `products` are the kernel's cluster_products of this partition, if they are at hand.
    """
    placed = np.flatnonzero(labels >= 0)
    masses = np.bincount(labels[placed], weights=weights[placed], minlength=n_clusters)
    filled = masses > 0
    divisors = np.where(filled, masses, np.inf)
    diagonal = kernel.diagonal
    if shift:
        diagonal = diagonal + np.divide(shift, weights, out=np.zeros(len(weights)), where=weights > 0)
    # A point without weight has no part in its cluster's centroid, so the shift does not bind it there.
    bonus = 2.0 * shift / divisors
    if products is None:
        products = kernel.cluster_products(labels, weights, n_clusters, n_jobs)
    inner = products.own
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
    nearest, distances = products.nearest(norms, divisors, bonus)
    distances += diagonal
    if kernel.leaves_out_isolated:
        isolated = weights == 0
        nearest[isolated], distances[isolated] = -1, 0.0
    return Step(nearest, distances, own, masses, norms)


def lloyd(
    kernel,
    labels,
    weights,
    n_clusters,
    *,
    shift=0.0,
    max_iter=300,
    tol=0.0,
    on_empty="farthest",
    n_jobs=None,
):
    """Iterate from a first partition until no point moves; `max_iter` and `tol` as for :func:`kernel_kmeans`.

    A cluster that lost all its points gets the point of greatest weighted distance to its centroid ("farthest", which
    never raises the cost), stays empty ("drop") or ends the run with an InputError ("error"). Of the partitions that
    were met the LloydRun has that of least cost: for a positive semi-definite kernel the last one.
    """
    labels = np.array(labels, dtype=np.int32)
    scale = float(np.abs(weights * kernel.diagonal).sum()) + abs(shift) * kernel.n_points
    history, seen, n_rises = [], set(), 0
    best = products = None
    stopped = "max_iter"
    for iteration in range(max_iter + 1):
        if products is None:
            products = kernel.cluster_products(labels, weights, n_clusters, n_jobs)
        else:
            products = products.updated(labels)
        step = centroid_step(kernel, labels, weights, n_clusters, shift=shift, products=products)
        inertia = float(weights @ step.own)
        n_rises += bool(history) and inertia > history[-1] + max(_ROUNDING, kernel.noise) * scale
        # Of equal costs the later one: its points are with their nearest centroids, equal points together.
        if best is None or inertia <= best[1] + _EQUAL * scale:
            best = labels, inertia, step
        fell_by = history[-1] - inertia if history else np.inf
        history.append(inertia)
        seen.add(hash(labels.tobytes()))
        following = _fill(kernel, step, weights, n_clusters, on_empty)
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


def _fill(kernel, step, weights, n_clusters, policy):
    """The step's labels, with something done about clusters without weight."""
    labels = step.labels
    weighing = np.flatnonzero((labels >= 0) & (weights > 0))
    sizes = np.bincount(labels[weighing], minlength=n_clusters)
    empty = np.flatnonzero(sizes == 0)
    if not len(empty) or policy == "drop":
        return labels
    if policy == "error":
        raise InputError(
            f"{len(empty)} of {n_clusters} clusters lost all their points; use on_empty='farthest' or 'drop', or "
            "ask for fewer clusters"
        )
    labels = labels.copy()
    floor = kernel.noise * float(np.abs(kernel.diagonal[weighing]).max())
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
