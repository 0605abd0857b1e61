"""k-means on explicit features: by scikit-learn, on one thread so that labels repeat, or in passes over blocks of rows.

The blocks are those of a dask.array, or a list of arrays. Nothing but centres and sums leaves the place of a block.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from ...base.streams import Streams
from ...base.threads import limited_libraries
from ...base.validation import check_choice, check_integer, check_real
from ...distributed.chunks import is_chunked, map_chunks, rows_at, rows_of_chunks
from ...exceptions import ParameterError, warn_user
from ...kernels.bandwidths import mean_square_deviation
from ...kernels.base import membership_matrix

# k-means takes a copy of its data where that is no burden.
_COPY_BYTES = 1 << 29
# Of k-means||: rounds, and rows drawn in each for every cluster, as its authors found enough.
_ROUNDS, _OVERSAMPLING = 5, 2


@dataclass(frozen=True, eq=False)
class LinearKMeans:
    """Clusters of the rows of a matrix."""

    labels: np.ndarray  # (n,) int32, from 0 to the number of clusters less one; every cluster holds a row
    # (k, s) float64: centres of the last iteration, of which every row has the label of the nearest. They are the
    # weighted means of the clusters up to the tolerance.
    centers: np.ndarray
    cost: float  # weighted mean of the squared distances to the weighted means of the clusters
    n_iter: int


def linear_kmeans(
    B,
    n_clusters,
    *,
    sample_weight=None,
    solver="lloyd",
    init=None,
    n_init=10,
    max_iter=300,
    tol=1e-4,
    batch_size=1024,
    random_state=None,
):
    """Cluster rows by k-means, a LinearKMeans: k-means++ initialisations and Lloyd's iterations, or mini-batches.

    B (n, s) is float32 or float64, or a dask.array: of that labels are one too, and it starts from k-means|| (Bahmani
    and others, VLDB 2012), whose passes over the rows all starts share, and so do the passes of Lloyd's iterations.
    `init` (n_clusters, s) are centres to start from, once. The other parameters are as for
    :class:`graphcore.NystromKernelKMeans`. A GraphWarning says that there are fewer clusters than asked for, because so
    few rows are different.

    >>> import numpy as np
    >>> from graphcore.kernel_methods.kmeans.linear import linear_kmeans
    >>> linear_kmeans(np.array([[0.0], [0.0], [1.0], [1.2]]), 2, random_state=0).cost.__round__(6)
    0.005
    """
    from sklearn.cluster import KMeans, MiniBatchKMeans
    from sklearn.exceptions import ConvergenceWarning

    k = check_integer("n_clusters", n_clusters, low=1, high=len(B), why_high="the number of points")
    check_choice("solver", solver, ("lloyd", "minibatch"))
    n_init = check_integer("n_init", n_init, low=1)
    max_iter, tol = check_integer("max_iter", max_iter, low=1), check_real("tol", tol, low=0.0)
    if is_chunked(B):
        if sample_weight is not None or solver != "lloyd":
            given = "sample_weight" if sample_weight is not None else f"solver={solver!r}"
            raise ParameterError(
                f"{given} is not for a dask.array; leave it out, or give the rows as an array in memory"
            )
        starts = np.asarray(init)[None]
        if init is None:
            starts = scalable_starts(B, k, n_init, Streams(random_state).child("k-means"))
        centers, n_iter = lloyd_runs(B, starts, max_iter=max_iter, tol=tol)
        _warn_of_few(len(centers), k)
        labels = nearest_center(B, centers)[0].persist()
        return LinearKMeans(labels, centers, centers_and_cost(B, labels)[1], n_iter)
    init, n_init = ("k-means++", n_init) if init is None else (init, 1)
    seed = Streams(random_state).integer("k-means")
    common = {"init": init, "n_init": n_init, "max_iter": max_iter, "tol": tol, "random_state": seed}
    if solver == "lloyd":
        # Without a copy rows are moved by their mean and back, which changes last digits.
        model = KMeans(k, copy_x=B.nbytes <= _COPY_BYTES, **common)
    else:
        model = MiniBatchKMeans(k, batch_size=check_integer("batch_size", batch_size, low=1), **common)
    with limited_libraries(), warnings.catch_warnings():
        # Fewer distinct rows than clusters is said below, in terms of the caller.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = model.fit(B, sample_weight=sample_weight).labels_
        found, labels = np.unique(labels, return_inverse=True)
        labels = labels.astype(np.int32)
        _warn_of_few(len(found), k)
        cost = centers_and_cost(B, labels, sample_weight)[1]
    centers = np.asarray(model.cluster_centers_[found], dtype=np.float64)
    return LinearKMeans(labels, centers, cost, int(model.n_iter_))


def _warn_of_few(found, k):
    if found < k:
        warn_user(
            f"there are {found} clusters instead of n_clusters={k}: the points have so few different "
            "features; ask for fewer clusters, or take more landmarks or a narrower bandwidth"
        )


def nearest_center(B, centers):
    """Find the nearest centre of every row: its index and the squared distance, in float64 and by blocks.

    Of rows in a dask.array both are dask.arrays, not computed yet.
    """
    if is_chunked(B):
        found = rows_of_chunks(_pairs, B, 2, np.float64, centers)
        return found[:, 0].astype(np.int32), found[:, 1]
    from sklearn.metrics import pairwise_distances_argmin_min

    labels, distances = np.empty(len(B), dtype=np.int32), np.empty(len(B))
    step = max(1, (1 << 22) // max(1, B.shape[1] + len(centers)))
    with limited_libraries():
        for start in range(0, len(B), step):
            rows = np.asarray(B[start : start + step], dtype=np.float64)
            found = pairwise_distances_argmin_min(rows, centers, metric="sqeuclidean")
            labels[start : start + step], distances[start : start + step] = found
    return labels, distances


def _pairs(rows, centers):
    return np.column_stack(nearest_center(rows, centers))


def centers_and_cost(B, labels, sample_weight=None):
    """Compute weighted means of the clusters, and the weighted mean of squared distances to them, by blocks."""
    k = int(max(map_chunks(np.max, labels))) + 1
    sums, masses = _added(map_chunks(_label_sums, B, k, sample_weight, each=labels))
    centers = np.divide(sums, masses[:, None], out=np.zeros_like(sums), where=masses[:, None] > 0)
    total = sum(map_chunks(_label_cost, B, centers, sample_weight, each=labels))
    return centers, total / float(masses.sum())


def _label_sums(B, labels, k, sample_weight=None):
    """Sum the weighted rows of every label, and their weights."""
    w = np.ones(len(B)) if sample_weight is None else sample_weight
    sums = np.zeros((k, B.shape[1]))
    for span in _spans(B):
        sums += membership_matrix(labels[span], w[span], k) @ np.asarray(B[span], dtype=np.float64)
    return sums, np.bincount(labels, weights=w, minlength=k)


def _label_cost(B, labels, centers, sample_weight=None):
    """Sum the weighted squared distances of the rows to the centres of their labels."""
    w = np.ones(len(B)) if sample_weight is None else sample_weight
    total = 0.0
    for span in _spans(B):
        difference = np.asarray(B[span], dtype=np.float64) - centers[labels[span]]
        total += float(np.einsum("ij,ij->i", difference, difference) @ w[span])
    return total


def _spans(B):
    step = max(1, (1 << 22) // max(1, B.shape[1]))
    return [slice(start, start + step) for start in range(0, len(B), step)]


def scalable_starts(B, n_clusters, n_starts, streams):
    """Draw centres to start from, (n_starts, k, s), by k-means||.

    Rows are drawn in a few rounds, each by itself with a probability by its squared distance to those drawn before.
    They are weighted by the rows that are nearest to them and clustered by k-means++, once for each start: all share
    the rounds. Bahmani, Moseley, Vattani, Kumar, Vassilvitskii, "Scalable k-means++", VLDB 2012, Algorithm 2.
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
    """Run Lloyd's iterations from several starts (n_starts, k, s) at once: each iteration is one pass over B.

    A run ends by scikit-learn's rule, when its centres move by no more than `tol` times the mean variance of the
    columns. Returns the centres of the cheapest run (k, s), float64, that have a row, and its iterations.
    """
    threshold = tol * mean_square_deviation(B) / starts.shape[2]
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
    return centers[best][counts[best] > 0], int(n_iter[best])


def _draw(rows, streams, centers, n_drawn):
    """Draw candidates in a block; return its cost, and rows, squared distances and random numbers of candidates.

    A row is drawn if its number is below ``n_drawn / cost`` times its squared distance. The cost of all blocks is not
    known here, but is no less than that of this one.
    """
    squares = nearest_center(rows, centers)[1]
    cost, luck = float(squares.sum()), streams.generator("rows").random(len(rows))
    some = np.flatnonzero(luck < n_drawn / cost * squares) if cost else np.empty(0, dtype=np.int64)
    return cost, np.asarray(rows[some], dtype=np.float64), squares[some], luck[some]


def _counts(rows, centers):
    return np.bincount(nearest_center(rows, centers)[0], minlength=len(centers))


def _lloyd_sums(rows, runs):
    """Sum and count the rows nearest to each of the centres of several runs (r, k, s), and the cost of each run."""
    n_runs, k, s = runs.shape
    sums, counts, costs = np.zeros((n_runs, k, s)), np.zeros((n_runs, k), dtype=np.int64), np.zeros(n_runs)
    step = max(1, (1 << 20) // s)
    with limited_libraries():
        for start in range(0, len(rows), step):
            part = np.asarray(rows[start : start + step], dtype=np.float64)
            squares, ones = np.einsum("ij,ij->i", part, part), np.ones(len(part))
            for run, centers in enumerate(runs):
                values = part @ (-2.0 * centers.T)
                values += np.einsum("ij,ij->i", centers, centers)
                nearest = values.argmin(axis=1)
                sums[run] += membership_matrix(nearest, ones, k) @ part
                counts[run] += np.bincount(nearest, minlength=k)
                costs[run] += np.maximum(squares + values[np.arange(len(part)), nearest], 0.0).sum()
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
