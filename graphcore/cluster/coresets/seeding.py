"""D2 seeding in kernel space: k-means++ over any kernel, and on a graph through the sampling tree."""

from dataclasses import dataclass, field

import numpy as np

from ...base.arrays import read_at_random
from ...base.streams import Streams, draw_by_weight
from ...base.warn import warn_user
from ...base.work import count
from ...exceptions import InputError, ParameterError
from . import _loops

SEEDING = ("auto", "fast", "naive")


@dataclass(frozen=True, eq=False)
class Seeds:
    """Centres drawn by D2 sampling, and what every point pays to its nearest one."""

    indices: np.ndarray  # (n_seeds,) int64: the centres in the order drawn
    # (n_points,) float64: ``w(x) Delta(x, C)``, weight times squared distance to the nearest centre
    contributions: np.ndarray = field(repr=False)
    nearest: np.ndarray = field(
        repr=False
    )  # (n_points,) int32: place in `indices` of the nearest centre, -1 for points of weight 0
    cost: float  # the sum of the contributions
    exhausted: bool  # whether drawing ended early because no point had a positive distance left
    n_negative: int  # negative squared distances that were met (an indefinite kernel), which count as 0


def d2_seeding(kernel, n_seeds, *, method="fast", random_state=None, warn=True):
    """Draw centres of a graph one after the other, each with probability proportional to ``w(x) Delta(x, C)``.

    "fast" starts from x*, the point of smallest ``K_xx``, which it has beside `n_seeds` others, then one uniform draw,
    then D2 draws through a sampling tree: O(min(n_seeds, average degree) n log n) in all. "naive", for any kernel,
    starts from one uniform draw and visits all points for every centre: O(n n_seeds). Returns Seeds; fewer than asked
    for, with a warning if `warn`, if the distances are used up before; an InputError if the kernel's diagonal is zero.

    Algorithm 1 (naive) and Algorithm 2 with 6, 7, 8 (fast) of Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral
    Clustering". The published box repairs the tree after x* and after every tree draw; it has to be repaired after the
    uniform draw as well.
    """
    if method == "fast" and not kernel.is_sparse:
        raise ParameterError(
            f"method='fast' reads the rows of a sparse kernel, and {type(kernel).__name__} has none; use 'naive'"
        )
    taking_part = np.flatnonzero(kernel.point_weights > 0)
    diagonal = kernel.diagonal
    if not diagonal.any():
        raise InputError(
            "the kernel's diagonal is zero, so every squared distance is 0 or negative and D2 seeding cannot draw; "
            "use self_loop=1.0 (as published), or sampling='degree' or 'uniform', which need no seeds"
        )
    rng = Streams(random_state).generator("seeding")
    uniform = taking_part[int(rng.integers(len(taking_part)))]
    first = taking_part[np.argmin(diagonal[taking_part])]
    initial = np.array([uniform] if method == "naive" or first == uniform else [first, uniform], dtype=np.int64)
    n_wanted = len(initial) + n_seeds - 1
    n_draws = min(n_seeds - 1, len(taking_part))  # as many draws find out that no more points are left
    if method == "fast":
        seeds = fast_seeds(kernel, initial, rng.random(n_draws))
    else:
        seeds = draw_seeds(kernel, kernel.point_weights, len(initial) + n_draws, rng, initial=initial)
        count("entries repaired", len(diagonal) * len(seeds.indices))
    if seeds.exhausted and warn:
        warn_user(
            f"D2 seeding stopped at {len(seeds.indices)} of {n_wanted} centres: no node has a positive distance left "
            "to them; they are used as they are"
        )
    return seeds


def draw_seeds(kernel, weights, n_seeds, rng, *, shift=0.0, initial=()):
    """Draw points one after the other, each with probability proportional to ``w(x) Delta(x, C)``; a Seeds.

    ``Delta(x, y) = K_xx + K_yy - 2 K_xy`` of ``K + shift W^-1``, and Delta(x, C) the least over the points C drawn so
    far. The first is drawn in proportion to the weights (n_points,), float64; points of weight 0 never are. Points of
    `initial` are taken first, without drawing. There are fewer than `n_seeds` if no point of positive distance is left.

    Arthur and Vassilvitskii, "k-means++", SODA 2007; Algorithm 1 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset
    Spectral Clustering".
    """
    diagonal = np.array(kernel.diagonal)
    if shift:
        diagonal += np.divide(shift, weights, out=np.zeros(len(weights)), where=weights > 0)

    def distances_to(y):
        norms = diagonal + diagonal[y]
        distances = norms - 2.0 * kernel.column(y)
        negative = int(np.count_nonzero(distances < -kernel.noise * norms))
        distances[distances <= kernel.noise * norms] = 0.0
        return distances, negative

    return seeds_by_distance(distances_to, weights, n_seeds, rng, initial=initial)


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


def fast_seeds(kernel, initial, uniforms):
    """Seeds through the sampling tree: the `initial` ones, and as many draws as there are uniform numbers."""
    n = kernel.n_points
    offsets = _loops.level_offsets(n)
    sums = np.zeros(offsets[-1])
    nearest = np.empty(n, dtype=np.int32)
    touched = np.empty(int(np.diff(kernel.indptr).max()) + 1, dtype=np.int64)
    counters = np.zeros(3, dtype=np.int64)
    seeds = np.empty(len(initial) + len(uniforms), dtype=np.int64)
    with read_at_random(kernel.indptr, kernel.indices, kernel.values):
        rows = kernel.indptr, kernel.indices, kernel.values, kernel.degrees
        points, tree = (kernel.diagonal, kernel.point_weights), (sums, offsets, touched)
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
