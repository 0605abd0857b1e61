"""Vectors to search, for the choice between exact and approximate search in graphcore.neighbors.search.

Run ``python -m bench.neighbors``, which takes about ten minutes. CPU seconds of one thread, nothing compiled in them.
"""

import time

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from graphcore.neighbors.search import exact_neighbors, exact_plan, nearest_neighbors
from graphcore.neighbors.vectors import as_vectors


def measure(X, search):
    start = time.process_time()
    found = search(X)
    return time.process_time() - start, found


def with_graphcore(algorithm):
    return lambda X: nearest_neighbors(X, 10, algorithm=algorithm, random_state=0, n_jobs=1)


def with_pynndescent(X, **options):
    from pynndescent import NNDescent

    return NNDescent(X, n_neighbors=11, random_state=0, n_jobs=1, **options).neighbor_graph[1][:, 1:]


def recall(X, distances, n_rows=500):
    """Return the share of the neighbours listed for some rows that are as near as the true ones."""
    rows = np.random.default_rng(1).choice(X.shape[0], n_rows, replace=False)
    return np.mean(distances[rows] <= exact_neighbors(X, 10, "euclidean", 1, rows).distances[:, -1:] * (1 + 1e-5))


def manifold(n, d=128, n_dims=12, seed=0):
    """Draw 100 Gaussian clusters in twelve dimensions, bent into all columns, with noise, like embeddings."""
    rng = np.random.default_rng(seed)
    centres = 1.5 * rng.normal(size=(100, n_dims))
    bend, spread = rng.normal(size=(n_dims, 64)) / np.sqrt(n_dims), rng.normal(size=(64, d)) / 8
    out = np.empty((n, d), dtype=np.float32)
    for start in range(0, n, 100_000):
        part = out[start : start + 100_000]
        latent = centres[rng.integers(100, size=len(part))] + rng.normal(size=(len(part), n_dims))
        part[:] = np.tanh(latent @ bend) @ spread + 0.05 * rng.normal(size=part.shape)
    return out


def mixture(n, d=128, seed=0):
    """Draw clusters of 500 rows, Gaussian in all columns: all rows of one are almost equally far from each other."""
    rng = np.random.default_rng(seed)
    centres = 1.5 * rng.normal(size=(n // 500, d)).astype(np.float32)
    return rng.normal(size=(n, d)).astype(np.float32) + centres[rng.integers(len(centres), size=n)]


def uneven(n, d, n_clusters=300, tail=3, noise=0.1, apart=1.0, seed=0):
    """Draw clusters of lognormal sizes, each along 6 to 20 axes of its own, with coefficients of Student's t or normal.

    Returns rows and clusters, -1 for the share of `noise`. Axes and centres have a length of about sqrt(d).
    """
    rng = np.random.default_rng(seed)
    sizes = rng.lognormal(size=n_clusters)
    y = rng.choice(n_clusters, n, p=sizes / sizes.sum())
    X = (0.1 * rng.normal(size=(n, d))).astype(np.float32)
    for j in range(n_clusters):
        rows = np.flatnonzero(y == j)
        shape = len(rows), int(rng.integers(6, 21))
        coefficients = rng.normal(size=shape) if tail is None else rng.standard_t(tail, size=shape)
        X[rows] += apart * rng.normal(size=d) + coefficients @ rng.normal(size=(shape[1], d)) / np.sqrt(shape[1])
    far = rng.random(n) < noise
    X[far] = X.mean(axis=0) + X.std(axis=0) * rng.normal(size=(np.count_nonzero(far), d))
    return X, np.where(far, -1, y)


def uniform(n, d, seed=0):
    return np.random.default_rng(seed).random((n, d), dtype=np.float32)


def choice():
    print(f"{'data':24}{'planned':>18}{'exact':>8}{'approx.':>9}{'recall':>8}   CPU seconds")
    for n in (20_000, 60_000):
        for d in (2, 5, 8, 16, 64, 256):
            blobs = make_blobs(n, n_features=d, centers=20, random_state=0)[0].astype(np.float32)
            report(f"blobs {n} x {d}", blobs)
            report(f"uniform {n} x {d}", uniform(n, d))
    for n, d, per_row in ((20_000, 10_000, 20), (20_000, 10_000, 100)):
        matrix = sp.random_array((n, d), density=per_row / d, format="csr", dtype=np.float32, rng=0)
        report(f"sparse {n} x {per_row}", as_vectors(matrix))


def report(name, X):
    method, planned = exact_plan(X, "euclidean")
    exact_seconds, _ = measure(X, with_graphcore("exact"))
    seconds, found = measure(X, with_graphcore("approximate"))
    print(
        f"{name:24}{method:>10}{planned:8.2f}{exact_seconds:8.2f}{seconds:9.2f}{recall(X, found.distances):8.3f}",
        flush=True,
    )


if __name__ == "__main__":
    for search in (with_graphcore("exact"), with_graphcore("approximate")):
        search(manifold(3000))
    choice()
