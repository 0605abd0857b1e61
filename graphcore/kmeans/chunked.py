"""k-means on features that lie in blocks: k-means|| for the starts, Lloyd's sums added up in block order.

The blocks are those of a dask.array, or a list of arrays. Nothing but centres and sums leaves the place of a block.
"""

import warnings
from typing import NamedTuple

import numpy as np

from .._arrays import read_only
from .._threads import limited_libraries
from ..distributed.chunks import map_chunks, rows_at
from ._lloyd_loops import add_to_nearest
from .nearest import nearest_center

# Of k-means||: rounds, and rows drawn in each for every cluster, as its authors found enough.
_ROUNDS, _OVERSAMPLING = 5, 2


class LloydRuns(NamedTuple):
    """The cheapest of several runs: its centres (k, s) float64 that have a row, and its iterations."""

    centers: np.ndarray
    n_iter: int


def scalable_starts(B, n_clusters, n_starts, streams):
    """Centres to start from, (n_starts, k, s), by k-means||.

    Rows are drawn in a few rounds, each row by itself with a probability by its squared distance to the rows drawn
    before. They are weighted by the number of rows that are nearest to them and clustered by k-means++, once for each
    start: the rounds are passes over all rows, and all starts share them.

    Bahmani, Moseley, Vattani, Kumar, Vassilvitskii, "Scalable k-means++", VLDB 2012, Algorithm 2.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    n_drawn = _OVERSAMPLING * n_clusters
    n, n_blocks = (sum(map(len, B)), len(B)) if isinstance(B, list) else (len(B), B.numblocks[0])
    rng = streams.generator("k-means||")
    chosen = np.sort(rng.choice(n, min(n, n_clusters), replace=False))
    # Where so few rows are different that too few are drawn.
    spare = rows_at(B, chosen).astype(np.float64, copy=False)
    candidates = spare[rng.integers(len(spare))][None]
    for turn in range(_ROUNDS):
        seeds = [streams.child(f"k-means||, round {turn}", block) for block in range(n_blocks)]
        costs, rows, squares, luck = zip(*map_chunks(_draw, B, candidates, n_drawn, each=seeds), strict=True)
        cost = sum(costs)
        if cost == 0:
            break
        drawn = np.concatenate(luck) < n_drawn / cost * np.concatenate(squares)
        candidates = np.concatenate([candidates, np.concatenate(rows)[drawn]])
    if len(candidates) < n_clusters:
        candidates = np.concatenate([candidates, spare])
    weights = sum(map_chunks(_counts, B, candidates))
    starts = []
    with limited_libraries(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer different rows than clusters are told of later
        for start in range(n_starts):
            seed = streams.child("k-means|| start", start).integer("k-means++")
            few = KMeans(n_clusters, n_init=1, random_state=seed).fit(candidates, sample_weight=weights)
            starts.append(few.cluster_centers_)
    return np.array(starts, dtype=np.float64)


def lloyd_runs(B, starts, *, max_iter, tol):
    """Lloyd's iterations from several starts (n_starts, k, s) at the same time: each iteration is one pass over B.

    A run ends by scikit-learn's rule, when its centres move by no more than `tol` times the mean variance of the
    columns. A cluster that loses all rows gets the one farthest from its own centre.
    """
    moments = map_chunks(_moments, B)
    n = sum(count for count, _, _ in moments)
    mean = sum(total for _, total, _ in moments) / n
    variance = sum(spread + count * np.square(total / count - mean) for count, total, spread in moments) / n
    threshold = tol * float(variance.mean())
    centers = np.array(starts, dtype=np.float64)
    n_iter = np.zeros(len(centers), dtype=np.int64)
    running = np.arange(len(centers))
    for _ in range(max_iter):
        sums, counts, _ = _added(map_chunks(_lloyd_sums, B, centers[running]))
        left = []
        for place, run in enumerate(running):
            if (counts[place] == 0).any():
                _refill(B, centers[run], sums[place], counts[place])
            moved = np.divide(
                sums[place], counts[place][:, None], out=centers[run].copy(), where=counts[place][:, None] > 0
            )
            shift = float(np.square(moved - centers[run]).sum())
            centers[run] = moved
            n_iter[run] += 1
            if shift > threshold:
                left.append(run)
        running = np.array(left, dtype=np.int64)
        if not left:
            break
    _, counts, costs = _added(map_chunks(_lloyd_sums, B, centers))
    best = int(np.argmin(costs))
    return LloydRuns(centers[best][counts[best] > 0], int(n_iter[best]))


def _draw(rows, streams, centers, n_drawn):
    """Cost of a block, and of the rows that may be drawn: themselves, their squared distances and numbers by chance.

    A row is drawn if its number is below ``n_drawn / cost`` times its squared distance. The cost of all blocks is not
    known here, but no less than that of this one.
    """
    squares = nearest_center(rows, centers)[1]
    cost, luck = float(squares.sum()), streams.generator("rows").random(len(rows))
    some = np.flatnonzero(luck < n_drawn / cost * squares) if cost else np.empty(0, dtype=np.int64)
    return cost, np.asarray(rows[some], dtype=np.float64), squares[some], luck[some]


def _counts(rows, centers):
    return np.bincount(nearest_center(rows, centers)[0], minlength=len(centers))


def _moments(rows):
    """Number of rows, their sum, and the sum of squared distances from their mean, in every column."""
    rows = np.asarray(rows, dtype=np.float64)
    total = rows.sum(axis=0)
    return len(rows), total, np.square(rows - total / len(rows)).sum(axis=0)


def _lloyd_sums(rows, runs):
    """For centres of several runs (r, k, s): sums and numbers of the rows nearest to each, and the cost of each run."""
    n_runs, k, s = runs.shape
    sums, counts, costs = np.zeros((n_runs, k, s)), np.zeros((n_runs, k), dtype=np.int64), np.zeros(n_runs)
    step = max(1, (1 << 20) // s)
    with limited_libraries():
        for start in range(0, len(rows), step):
            part = read_only(rows[start : start + step], np.float64)
            for run, centers in enumerate(runs):
                norms = np.einsum("ij,ij->i", centers, centers)
                products = read_only(part @ centers.T), read_only(norms)
                costs[run] += add_to_nearest(part, *products, sums[run], counts[run])
    return sums, counts, costs


def _added(parts):
    return [sum(arrays[1:], arrays[0]) for arrays in zip(*parts, strict=True)]


def _refill(B, centers, sums, counts):
    """Give every cluster without a row the farthest of all rows, and take that from its own; in place."""
    empty = np.flatnonzero(counts == 0)
    found = map_chunks(_farthest, B, centers, len(empty))
    squares, labels, rows = (np.concatenate(arrays) for arrays in zip(*found, strict=True))
    order = np.argsort(-squares, kind="stable")[: len(empty)]
    for cluster, i in zip(empty, order, strict=False):
        if squares[i] == 0:
            break  # no more rows are different
        sums[labels[i]] -= rows[i]
        counts[labels[i]] -= 1
        sums[cluster], counts[cluster] = rows[i], 1


def _farthest(rows, centers, n_rows):
    labels, squares = nearest_center(rows, centers)
    order = np.argsort(-squares, kind="stable")[:n_rows]
    return squares[order], labels[order], np.asarray(rows[order], dtype=np.float64)
