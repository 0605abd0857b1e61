"""Spectral partition of a coreset graph, and k-means on the rows of an embedding, with any number of threads alike."""

import math
import warnings
from dataclasses import dataclass, field

import numpy as np

from ...base.streams import Streams
from ...base.threads import effective_jobs, limited_libraries, map_blocks
from ...base.validation import check_integer
from .exact import spectral_embedding, unit_rows
from .power import power_embedding

# Initialisations of k-means, as long as an iteration takes no more distances than this.
_INITIALISATIONS, _DISTANCES = 10, 1 << 24
# Several threads work where an iteration takes so many distances. They wait for each other busily: with fewer, and most
# of all on a busy machine, that takes longer than it saves.
_MANY_DISTANCES = 1 << 22
# Distances from rows to parts are held for so many pairs at a time.
_HELD_DISTANCES = 1 << 20
# Added to squared distances of rows of length 1, so that there are enough rows to draw where many are equal.
_LEAST_CHANCE = 1e-12


@dataclass(frozen=True, eq=False)
class SpectralPartition:
    """Labels of a graph's nodes and the embedding they were read from."""

    labels: np.ndarray  # (n,) int32
    embedding: np.ndarray = field(repr=False)  # (n, n_vectors) float64, rows of length 1 or 0
    n_clusters: int  # asked for; there may be fewer labels, where there are fewer distinct rows


def spectral_partition(
    A, n_clusters, *, n_parts=None, eigen_solver="power", degrees=None, n_init="auto", random_state=None, n_jobs=None
):
    """Cluster the nodes of a symmetric, non-negative (coreset) graph by spectral clustering: a SpectralPartition.

    "power" smooths random vectors; "exact" takes k eigenvectors, of the matrix whose rows and columns are divided by
    the roots of `degrees` (n,) float64, by default its row sums. `n_init` initialisations of k-means are made; "auto"
    is ten, or less where n times `n_clusters` is above 2^24, one from 10 x 2^24 on. With `n_parts` the embedding for
    `n_clusters` is cut into so many parts, to be merged, see `part_labels`.

    k-means takes rows of length 1. As they come, those of nodes with few neighbours are long, and clusters are spent on
    them: with 250 planted clusters and a coreset of 1 % the normalised cut of all nodes was 0.098, and 0.034 with rows
    of length 1; on graphs of 10 neighbours 0.460 and 0.412 (Letter), 0.630 and 0.623 (MNIST).

    Ng, Jordan, Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2001.
    """
    n_clusters = check_integer("n_clusters", n_clusters, low=1, high=A.shape[0], why_high="the nodes of the graph")
    streams = Streams(random_state)
    if n_clusters == 1:
        return SpectralPartition(np.zeros(A.shape[0], dtype=np.int32), np.zeros((A.shape[0], 1)), 1)
    if eigen_solver == "power":
        embedding = power_embedding(A, n_clusters, n_parts=n_parts, random_state=streams, n_jobs=n_jobs)
    else:
        embedding, _ = spectral_embedding(A, n_clusters, degrees=degrees, random_state=streams)
    embedding = unit_rows(embedding)
    if n_parts is not None:
        return SpectralPartition(
            part_labels(embedding, n_parts, streams.generator("parts"), n_jobs), embedding, n_parts
        )
    if n_init == "auto":
        n_init = min(_INITIALISATIONS, max(1, _INITIALISATIONS * _DISTANCES // (len(embedding) * n_clusters)))
    labels = kmeans_labels(embedding, n_clusters, n_init=n_init, random_state=streams, n_jobs=n_jobs)
    return SpectralPartition(labels, embedding, n_clusters)


def part_labels(X, n_parts, rng, n_jobs=None):
    """Cut rows into parts: each joins the nearest of `n_parts` rows that are drawn; returns labels (n,) int32.

    A quarter of these is drawn evenly, the others by the squared distance to that quarter, all at once: rows far from
    all others, as those of a small cluster, have a part of their own (of six clusters of 2,000 to 20 vectors all are
    found in 40 fits of 40, by even draws in 34). This is k-means before its first iteration. Moves of nodes follow, and
    1, 2 and 100 iterations led to the same J, to .05 % on 20 real graphs, and mean ARI, to .005 on 33 uneven sets.

    Bahmani, Moseley, Vattani, Kumar, Vassilvitskii, "Scalable k-means++", VLDB 2012, with one round.
    """
    n, X = len(X), X.astype(np.float32)
    borders = np.append(np.arange(0, n, max(1, _HELD_DISTANCES // n_parts)), n)

    def nearest(rows):
        centers = X[rows]
        halves = np.square(centers).sum(axis=1) / 2
        by_block = map_blocks(lambda a, b: (X[a:b] @ centers.T - halves).argmax(axis=1), borders, n_jobs)
        return np.concatenate(by_block)

    with limited_libraries():
        drawn = rng.choice(n, max(1, n_parts // 4), replace=False)
        chances = np.square(X - X[drawn[nearest(drawn)]]).sum(axis=1, dtype=np.float64) + _LEAST_CHANCE
        chances[drawn] = 0.0
        others = rng.choice(n, n_parts - len(drawn), replace=False, p=chances / chances.sum())
        return nearest(np.append(drawn, others)).astype(np.int32)


def kmeans_labels(X, n_clusters, *, n_init=10, random_state=None, n_jobs=None):
    """Cluster rows by scikit-learn's k-means, the best of `n_init` initialisations; returns labels (n,) int32.

    There are fewer than `n_clusters` different labels if there are fewer distinct rows. They do not depend on `n_jobs`.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    rows, weights = _summable(X)
    seeds = Streams(random_state).generator("k-means").integers(2**31 - 1, size=n_init)
    n_threads = effective_jobs(n_jobs) if len(X) * n_clusters >= _MANY_DISTANCES else 1
    best, lowest = None, np.inf
    # Warning filters belong to the whole process, as thread pools do: only one thread at a time may change them.
    with limited_libraries(openmp=n_threads), warnings.catch_warnings():
        # Fewer distinct rows than clusters is counted by the caller, who knows what it means.
        warnings.simplefilter("ignore", ConvergenceWarning)
        for seed in seeds.tolist():
            model = KMeans(n_clusters, n_init=1, random_state=seed, copy_x=False).fit(rows, sample_weight=weights)
            cost = 0.0  # a single one is the best
            if n_init > 1:  # scikit-learn's own sum of squares depends on the number of threads
                cost = np.square(rows[:-1] - model.cluster_centers_[model.labels_[:-1]]).sum()
            if cost < lowest:
                best, lowest = model.labels_, cost
    return best[:-1].astype(np.int32)


def _summable(X):
    """(rows, weights): `X`, shifted, scaled and rounded to integers so small that their sums have no rounding errors.

    Threads may then add them up in any order. scikit-learn subtracts the mean of the rows: it is made exactly 0, as the
    rows are shifted by integers, and one more row, of weight 0, takes what is left over. Rows that were equal stay
    equal. With 100,000 rows, numbers are rounded to 1e-10 of the largest difference from the first row.
    """
    n = len(X)
    # Sums of n + 1 numbers below twice 2^bits have to stay below 2^53.
    bits = 51 - math.ceil(math.log2(n + 1))
    rows = np.empty((n + 1, X.shape[1]))
    np.subtract(X, X[0], out=rows[:n], dtype=np.float64)
    exponent = math.frexp(float(np.abs(rows[:n]).max(initial=0.0)))[1]
    np.rint(np.ldexp(rows[:n], bits - exponent, out=rows[:n]), out=rows[:n])
    # A cluster that loses all its rows takes the one farthest from its centre, whatever its weight: this must not be
    # the row added here, so that lies beside one in the middle.
    rows[n] = rows[np.square(rows[:n] - rows[:n].mean(axis=0)).sum(axis=1).argmin()]
    rows -= np.floor(rows.sum(axis=0) / (n + 1))
    rows[n] -= rows.sum(axis=0)
    weights = np.ones(n + 1)
    weights[n] = 0.0
    return rows, weights
