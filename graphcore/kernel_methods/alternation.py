"""The alternation behind kernel k-means, k-flats and kernel k-flats, and the labels that it begins with."""

from itertools import count, islice
from operator import length_hint
from typing import NamedTuple

import numpy as np

from ..base.progress import Stages
from ..base.validation import check_choice, check_integer, check_real
from ..cluster.coreset import seeds_by_distance
from ..exceptions import InputError, warn_user

INITS = ("k-means++", "farthest", "random", "k-means")
# In shares of what all points cost about the origin: an objective that goes up by more is no rounding, and objectives
# that differ by less are equal.
_RISE, _EQUAL = 1e-9, 1e-13


class Rules(NamedTuple):
    """The number of runs of the alternation, and the rules by which each ends; see `k_flats`."""

    n_clusters: int
    n_dims: int
    n_init: int = 10
    max_iter: int = 300
    tol: float = 0.0
    n_jobs: int | None = None
    verbose: int = 0

    def checked(self, weights, max_dims, why):
        """Check every value for points of these weights; `why` explains the bound on the dimension."""
        n = int(np.count_nonzero(weights))
        points = f"there are n_samples={n} points" if n == len(weights) else f"{n} of {len(weights)} have weight"
        return self._replace(
            n_clusters=check_integer("n_clusters", self.n_clusters, low=1, high=n, why_high=points),
            n_dims=check_integer("n_dims", self.n_dims, low=0, high=max_dims, why_high=why),
            n_init=check_integer("n_init", self.n_init, low=1),
            max_iter=check_integer("max_iter", self.max_iter, low=1),
            tol=check_real("tol", self.tol, low=0.0),
        )


class Look(NamedTuple):
    """Flats of a partition of n points, and distances to them."""

    labels: np.ndarray  # (n,) int32: where every point goes from here; -1 for points that take no part
    own: np.ndarray  # (n,) float64: squared distance of every point to the flat or centroid of its present cluster
    paid: np.ndarray  # (n,) float64: the largest of these fills an empty cluster; -inf for points that cannot
    fitted: object  # flats or centroids of the clusters


class FlatsProblem:
    """Interface of EuclideanFlats and KernelFlats, which fit flats and move points.

    Beside :meth:`look` it reads `weights`, `energy` (what all points cost about the origin), `noise` (rounding of
    distances), and whether a first partition may have empty clusters.
    """

    may_begin_empty = False
    noise = 0.0

    def look(self, labels, n_clusters):
        """Fit a flat to every cluster (none empty), and find the nearest flat of every point."""
        flats, own = self.fit(labels, n_clusters)
        return Look(self.reassign(flats, labels), own, own, flats)


class Run(NamedTuple):
    """The best partition of one run of the alternation on n points."""

    labels: np.ndarray  # (n,) int32
    look: Look  # the flats of this partition and distances to them
    objective: float  # weighted sum of its squared distances
    history: np.ndarray  # (n_iter,) float64: the objective of every partition that was looked at
    # "converged": no point moves any more. "tolerance": the objective fell by no more than `tol`. "cycle": a partition
    # came back, which only an indefinite kernel (or rounding) can do. "max_iter": the limit.
    stopped: str
    n_rises: int  # how often the objective went up; 0 for a positive semi-definite kernel

    @property
    def converged(self):
        """Whether the run came to rest, and not by the limit or a cycle."""
        return self.stopped in ("converged", "tolerance")


def alternate(problem, labels, n_clusters, *, max_iter=300, tol=0.0):
    """Fit and move in turn from the given labels until no point moves, in at most `max_iter` looks; a Run.

    It also ends where the objective falls by no more than `tol` times itself. Of the partitions that were met the one
    of the least objective is kept.
    """
    history, seen, n_rises, stopped = [], set(), 0, "max_iter"
    best = None
    labels = np.array(labels, dtype=np.int32)
    if not problem.may_begin_empty and not _sizes(problem, labels, n_clusters).all():
        present, compact = np.unique(labels, return_inverse=True)
        look = problem.look(compact.astype(np.int32), len(present))
        labels = _filled(problem, look._replace(labels=labels), n_clusters)
    for _ in range(max_iter):
        look = problem.look(labels, n_clusters)
        objective = float(problem.weights @ look.own)
        n_rises += bool(history) and objective > history[-1] + max(_RISE, problem.noise) * problem.energy
        # Of equal objectives the later one: its points are with their nearest centroids, equal points together.
        if best is None or objective <= best[2] + _EQUAL * problem.energy:
            best = labels, look, objective
        fell_by = history[-1] - objective if history else np.inf
        history.append(objective)
        seen.add(hash(labels.tobytes()))
        following = _filled(problem, look, n_clusters)
        if np.array_equal(following, labels):
            stopped = "converged"
        elif hash(following.tobytes()) in seen:
            stopped = "cycle"
        elif tol and 0 <= fell_by <= tol * abs(objective):
            stopped = "tolerance"
        else:
            labels = following
            continue
        break
    return Run(*best, np.array(history), stopped, n_rises)


def runs_from(problem, rules, draws):
    """Run the alternation from the labels of an iterator: as often as `rules` ask, or fewer where it has no more."""
    n_init = min(rules.n_init, length_hint(draws, rules.n_init))
    stages = Stages(verbose=rules.verbose)
    for number, labels in enumerate(islice(draws, n_init), 1):
        with stages(f"initialisation {number} of {n_init}"):
            run = alternate(problem, labels, rules.n_clusters, max_iter=rules.max_iter, tol=rules.tol)
        yield run


def best_of(problem, rules, draws):
    """Return the run of lowest objective of :func:`runs_from`, with a warning if it did not converge."""
    best = min(runs_from(problem, rules, draws), key=lambda run: run.objective)
    if not best.converged:
        from sklearn.exceptions import ConvergenceWarning

        why = f"points still moved after max_iter={rules.max_iter} passes; raise it"
        if best.n_rises or best.stopped == "cycle":
            why = (
                "the objective rose, so the kernel is not positive semi-definite: the best labels met are kept; add "
                "a multiple of the identity"
            )
        warn_user(why, ConvergenceWarning)
    return best


def _sizes(problem, labels, n_clusters):
    """Count the points with weight in every cluster."""
    return np.bincount(labels[problem.weights > 0], minlength=n_clusters)


def _filled(problem, look, n_clusters):
    """Return the labels of a look, with a point in every empty cluster."""
    sizes = _sizes(problem, look.labels, n_clusters)
    return look.labels if sizes.all() else fill_empty(look.labels, look.paid, sizes)


def fill_empty(labels, paid, sizes):
    """Give every empty cluster the point that pays most, out of clusters that keep another point."""
    labels, sizes = labels.copy(), sizes.copy()
    for j in np.flatnonzero(sizes == 0):
        offers = np.where(sizes[labels] > 1, paid, -np.inf)
        i = int(np.argmax(offers))
        if offers[i] == -np.inf:
            break  # no point is left that differs from its centroid
        sizes[labels[i]] -= 1
        sizes[j], labels[i] = 1, j
    return labels


def label_draws(problem, init, rules, weights, streams):
    """Draw labels to begin with, one after the other, or take those given."""
    n_clusters = rules.n_clusters
    if not isinstance(init, str):
        return iter([_given_labels(init, weights, n_clusters)])
    check_choice("init", init, INITS)

    def draw(i):
        rng = streams.generator("start", i)
        if init == "random":
            labels = rng.integers(0, n_clusters, len(problem.weights), dtype=np.int32)
            labels[rng.permutation(len(labels))[:n_clusters]] = np.arange(n_clusters)  # each occurs
            return labels
        labels = seed_labels(problem, n_clusters, rng, farthest=init == "farthest")[1]
        return problem.k_means(labels, n_clusters, rules.max_iter) if init == "k-means" else labels

    return iter([draw(0)]) if n_clusters == 1 else map(draw, count())


def seed_labels(problem, n_clusters, rng, *, farthest=False):
    """Draw seeds (n_clusters,) at different places, and label every point by its nearest seed.

    The seeds are k-means++ (Arthur, Vassilvitskii 2007), or with `farthest` each is the point farthest from all before.
    """
    seeds = seeds_by_distance(
        lambda point: (problem.distances_to_point(point), 0), problem.weights, n_clusters, rng, farthest=farthest
    )
    if seeds.exhausted:
        found = len(seeds.indices)
        raise InputError(
            f"there are only {found} different points, fewer than n_clusters={n_clusters}; take n_clusters={found} or "
            "less, or init='random'"
        )
    return seeds.indices, seeds.nearest


def _given_labels(labels, weights, n_clusters):
    """Check labels given as init, from 0 to n_clusters - 1; returns those of the points that have weight."""
    labels = np.asarray(labels)
    if labels.shape != weights.shape or labels.dtype.kind not in "iu":
        raise InputError(
            f"init holds {labels.dtype} of shape {labels.shape}; one integer for each of {len(weights)} points is "
            "needed"
        )
    labels = labels[weights > 0]
    if labels.min() < 0 or labels.max() >= n_clusters:
        raise InputError(
            f"the labels given as init must be 0 to n_clusters - 1 = {n_clusters - 1}; found {labels.min()} to "
            f"{labels.max()}"
        )
    return labels.astype(np.int32)
