"""The sampling tree: D2 seeds, and coreset nodes by importance."""

import math
from dataclasses import dataclass, field

import numpy as np

from ...base.arrays import read_at_random, read_only
from ...base.progress import count
from ...base.streams import Streams, draw_by_weight
from ...base.validation import check_choice
from ...exceptions import InputError, ParameterError, warn_user
from . import _loops
from .draws import Draws, importance_sample

SEEDING = ("auto", "fast", "naive")
_MANY = 2**62  # more than any graph has nodes


@dataclass(frozen=True, eq=False)
class Seeds:
    """Centres drawn by D2 sampling, and what every point pays to its nearest one.

    Attributes
    ----------
    indices : ndarray of shape (n_seeds,), int64
        The centres in the order drawn.
    contributions : ndarray of shape (n_points,), float64
        ``w(x) Delta(x, C)``, weight times squared distance to the nearest centre.
    nearest : ndarray of shape (n_points,), int32
        Place in `indices` of the nearest centre, -1 for points of weight 0.
    cost : float
        The sum of the contributions.
    exhausted : bool
        Whether drawing ended early because no point had a positive distance left.
    n_negative : int
        Negative squared distances that were met (an indefinite kernel), which count as 0.
    """

    indices: np.ndarray
    contributions: np.ndarray = field(repr=False)
    nearest: np.ndarray = field(repr=False)
    cost: float
    exhausted: bool
    n_negative: int


def d2_seeding(kernel, n_seeds, *, method="fast", weights=None, random_state=None, warn=True):
    """Draw centres one after the other, each with probability proportional to ``w(x) Delta(x, C)``.

    "fast" starts from x*, the point of smallest ``K_xx``, which it has beside `n_seeds` others, then one uniform draw,
    then D2 draws through a sampling tree: O(min(n_seeds, average degree) n log n) in all. "naive", for any kernel,
    starts from one uniform draw and visits all points for every centre: O(n n_seeds). "fast" takes sparse kernels
    without negative entries, those of graphs or precomputed: points that share no entry with a centre are nearest to
    that of smallest K_xx, and only rows of centres are read. `weights` (n_points,) are those of the kernel if not
    given.

    Returns Seeds; fewer than asked for, with a warning if `warn`, if the distances are used up before; an InputError if
    the kernel's diagonal is zero.

    Algorithm 1 (naive) and Algorithm 2 with 6, 7, 8 (fast) of Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral
    Clustering". The published box repairs the tree after x* and after every tree draw; it has to be repaired after the
    uniform draw as well.
    """
    method = check_seeding(kernel, method, "method")
    weights = kernel.point_weights if weights is None else weights
    taking_part = np.flatnonzero(weights > 0)
    diagonal = kernel.diagonal
    if not diagonal.any():
        raise InputError(
            "the kernel's diagonal is zero, so every squared distance is 0 or negative and D2 seeding cannot draw; "
            "use self_loop=1.0 (as published), or draw by 'degree' or 'uniform', which need no seeds"
        )
    rng = Streams(random_state).generator("seeding")
    uniform = taking_part[int(rng.integers(len(taking_part)))]
    first = taking_part[np.argmin(diagonal[taking_part])]
    initial = np.array([uniform] if method == "naive" or first == uniform else [first, uniform], dtype=np.int64)
    n_wanted = len(initial) + n_seeds - 1
    n_draws = min(n_seeds - 1, len(taking_part))  # as many draws find out that no more points are left
    seeds = draw_seeds(kernel, weights, len(initial) + n_draws, rng, method=method, initial=initial)
    if seeds.exhausted and warn:
        warn_user(
            f"D2 seeding stopped at {len(seeds.indices)} of {n_wanted} centres: no node has a positive distance left "
            "to them; they are used as they are"
        )
    return seeds


def check_seeding(kernel, seeding, name="seeding"):
    """Return which algorithm draws the D2 seeds of a kernel, "fast" or "naive"; refuse "fast" where it cannot."""
    is_fast = kernel.is_sparse and (len(kernel.values) == 0 or kernel.values.min() >= 0)
    if check_choice(name, seeding, SEEDING) == "fast" and not is_fast:
        raise ParameterError(
            f"{name}='fast' reads the rows of a graph, or of a sparse kernel matrix without negative entries; use "
            "'naive' (or 'auto') for other kernels"
        )
    return ("fast" if is_fast else "naive") if seeding == "auto" else seeding


def draw_seeds(kernel, weights, n_seeds, rng, *, method="naive", shift=0.0, initial=()):
    """Draw points one after the other, each with probability proportional to ``w(x) Delta(x, C)``; a Seeds.

    ``Delta(x, y) = K_xx + K_yy - 2 K_xy`` of ``K + shift W^-1``, and Delta(x, C) the least over the points C drawn so
    far. The first is drawn in proportion to the weights (n_points,), float64; points of weight 0 never are. Points of
    `initial` are taken first, without drawing. There are fewer than `n_seeds` if no point of positive distance is left.
    The `method` is "fast", through the sampling tree, or "naive", see :func:`d2_seeding`; from the same random numbers
    both make the same draws.

    Arthur and Vassilvitskii, "k-means++", SODA 2007; Algorithm 1 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset
    Spectral Clustering".
    """
    diagonal = np.array(kernel.diagonal)
    if shift:
        diagonal += np.divide(shift, weights, out=np.zeros(len(weights)), where=weights > 0)
    if method == "fast":
        initial = initial if len(initial) else [draw_by_weight(weights, rng)]
        return fast_seeds(kernel, initial, rng.random(max(0, n_seeds - len(initial))), weights, diagonal=diagonal)

    def distances_to(y):
        norms = diagonal + diagonal[y]
        distances = norms - 2.0 * kernel.column(y)
        negative = int(np.count_nonzero(distances < -kernel.noise * norms))
        distances[distances <= kernel.noise * norms] = 0.0
        return distances, negative

    seeds = seeds_by_distance(distances_to, weights, n_seeds, rng, initial=initial)
    count("entries repaired", len(diagonal) * len(seeds.indices))
    return seeds


def seeds_by_distance(distances_to, weights, n_seeds, rng, *, initial=(), farthest=False):
    """:func:`draw_seeds` for whatever has squared distances.

    `distances_to` takes a point, and returns the squared distances of all points to it (a new array, not negative
    beyond rounding) and how many came out negative. With `farthest` the point farthest from all before is taken, in
    place of a draw.
    """
    taking_part = weights > 0
    contributions = np.where(taking_part, np.inf, 0.0)
    shortest = contributions.copy()
    nearest = np.where(taking_part, 0, -1).astype(np.int32)
    seeds: list[int] = []
    n_negative = 0
    while len(seeds) < max(n_seeds, len(initial)):
        if len(seeds) < len(initial):
            y = int(initial[len(seeds)])
        elif not seeds:
            y = draw_by_weight(weights, rng)
        elif farthest:
            y = int(np.argmax(shortest)) if contributions.any() else -1
        else:
            y = draw_by_weight(contributions, rng)
        if y < 0:
            break
        distances, negative = distances_to(y)
        distances[y] = 0.0  # rounding must leave no mass on a seed, or it could be drawn again
        n_negative += negative
        offered = weights * distances
        closer = taking_part & (offered < contributions)
        contributions[closer], shortest[closer] = offered[closer], distances[closer]
        nearest[closer] = len(seeds)
        seeds.append(y)
    return Seeds(
        indices=np.array(seeds, dtype=np.int64),
        contributions=contributions,
        nearest=nearest,
        cost=float(contributions.sum()),
        exhausted=len(seeds) < n_seeds,
        n_negative=n_negative,
    )


def fast_seeds(kernel, initial, uniforms, weights=None, *, diagonal=None):
    """Seeds through the sampling tree: the `initial` ones, and as many draws as there are uniform numbers."""
    diagonal = read_only(kernel.diagonal if diagonal is None else diagonal)
    initial = np.asarray(initial, dtype=np.int64)
    weights = kernel.point_weights if weights is None else read_only(weights, np.float64)
    n = kernel.n_points
    offsets = _loops.level_offsets(n)
    sums = np.zeros(offsets[-1])
    nearest = np.empty(n, dtype=np.int32)
    touched = np.empty(int(np.diff(kernel.indptr).max()) + 1, dtype=np.int64)
    counters = np.zeros(3, dtype=np.int64)
    seeds = np.empty(len(initial) + len(uniforms), dtype=np.int64)
    with read_at_random(kernel.indptr, kernel.indices, kernel.values):
        rows = kernel.indptr, kernel.indices, kernel.values, kernel.degrees
        points, tree = (diagonal, weights, kernel.noise), (sums, offsets, touched)
        n_seeds = _loops.seed_fast(rows, points, initial, uniforms, tree, nearest, counters, seeds)
    count("entries repaired", counters[0])
    count("sums updated", counters[1])
    return Seeds(
        indices=seeds[:n_seeds].copy(),
        contributions=sums[:n],
        nearest=nearest,
        cost=float(sums[:n].sum()),
        exhausted=n_seeds < len(seeds),
        n_negative=int(counters[2]),
    )


def importance_size(n_points, n_clusters, eps):
    """Draws that one round of Algorithm 5 asks for: ``C k^2 log^2(k) log(n) / eps^2`` with C = 1.

    With the round's relative error `eps`. Rounded, and at least `n_clusters` (the formula is 0 for one cluster).
    """
    root = n_clusters * math.log(n_clusters) / eps  # infinite for the smallest eps, where its square vanishes
    return max(n_clusters, round(min(root * root * math.log(max(n_points, 2)), _MANY)))


def importance_probabilities(weights, seeds, *, cells=False):
    """Probabilities of Algorithm 5, in proportion to ``w(x) Delta(x, C)/cost(C) + w(x)/w(C)``: (n_points,) float64.

    w(C) is the weight of all seeds, as in the authors' program: on a sparse graph few nodes have a seed beside them,
    and nearly all are drawn by their weight. With `cells` it is the weight of the points with the same nearest seed as
    x, as in Jiang et al., whose proof needs it: for points that all lie beside a seed, and outliers that must be drawn.

    Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering"; Jiang, Krauthgamer, Lou, Zhang, "Coresets for
    kernel clustering", Machine Learning 2024.
    """
    masses = weights[seeds.indices].sum()
    if cells:
        masses = np.bincount(np.maximum(seeds.nearest, 0), weights=weights)[seeds.nearest]
    out = weights / masses
    if seeds.cost > 0.0:
        out += seeds.contributions / seeds.cost
    return out / np.cumsum(out)[-1]


def round_eps(eps, n_points, round_number):
    """Relative error that round 1, 2, ... of Algorithm 4 works with: ``eps / max(1, log^(i) n)^(1/4)``.

    ``log^(i)`` is the logarithm taken i times; it ends below 1, where the paper's formula has no value, so it is taken
    as 1 from there on.
    """
    iterated = float(n_points)
    for _ in range(round_number):
        iterated = math.log(iterated) if iterated > 1 else 0.0
    return eps / max(1.0, iterated) ** 0.25


def importance_rounds(kernel, n_clusters, eps, n_seeds, *, seeding="fast", random_state=None):
    """Algorithm 4: repeat importance sampling on its own result until the size stops falling.

    Round i works with :func:`round_eps` and draws :func:`importance_size` of the points that the round before has left.
    `eps` is the relative error of the cost, all rounds together, and `n_seeds` are the D2 seeds of every round. Returns
    the Draws of the last round that made the set smaller and left a point for each cluster.

    The published loop ends when a round leaves as many distinct points as the one before. Repeats make that number
    fall by chance for ever (from 18,063 draws wanted to 71 points on one graph), so a round is made here only if it
    draws fewer points than there are. The first one is always made, capped at the number of points.
    """
    streams = Streams(random_state)
    n_points = int(np.count_nonzero(kernel.point_weights > 0))
    indices = np.flatnonzero(kernel.point_weights > 0)
    best = Draws(indices, kernel.point_weights[indices].copy(), n_points)
    current = kernel
    round_number = 0
    while True:
        round_number += 1
        n_left = len(best.indices)
        size = importance_size(n_left, n_clusters, round_eps(eps, n_points, round_number))
        if size >= n_left and round_number > 1:
            return best
        if size > n_left:
            warn_user(
                f"eps={eps} with {n_clusters} clusters asks for {size} draws, and there are {n_points} nodes; "
                "the draws are capped at the node count: give a larger eps, or a size in its place"
            )
            size = n_left
        stream = streams.child("round", round_number)
        seeds = d2_seeding(current, n_seeds, method=seeding, random_state=stream)
        weights = current.point_weights
        draws = importance_sample(weights, importance_probabilities(weights, seeds), size, stream)
        if not n_clusters <= len(draws.indices) < n_left:
            return best
        kept = draws.indices if round_number == 1 else best.indices[draws.indices]
        best = Draws(kept, draws.weights, size)
        current = kernel.submatrix(best.indices, best.weights)
