"""Times both neighbour searches: what the choice in graphcore.neighbors.search rests on.

Run ``python bench/neighbors.py [n_jobs]``; takes about ten minutes.
"""

import sys
import time

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from graphcore.neighbors.search import nearest_neighbors
from graphcore.neighbors.search_exact import exact_plan
from graphcore.neighbors.vectors import as_vectors


def measure(X, algorithm, n_jobs):
    start = time.perf_counter()
    found = nearest_neighbors(X, 10, algorithm=algorithm, random_state=0, n_jobs=n_jobs)
    return time.perf_counter() - start, found


def recall(found, exact):
    return np.mean([len(np.intersect1d(a, b)) for a, b in zip(found.indices, exact.indices, strict=True)]) / 10


def main(n_jobs):
    measure(np.random.default_rng(0).random((2000, 8), dtype=np.float32), "approximate", n_jobs)
    print(f"{'data':24}{'planned':>18}{'exact':>8}{'approx.':>9}{'recall':>8}   seconds, n_jobs={n_jobs}")
    for n in (20_000, 60_000):
        for d in (2, 5, 8, 16, 64, 256):
            blobs = make_blobs(n, n_features=d, centers=20, random_state=0)[0].astype(np.float32)
            report(f"blobs {n} x {d}", blobs, n_jobs)
            uniform = np.random.default_rng(0).random((n, d), dtype=np.float32)
            report(f"uniform {n} x {d}", uniform, n_jobs)
    for n, d, per_row in ((20_000, 10_000, 20), (20_000, 10_000, 100)):
        matrix = sp.random_array((n, d), density=per_row / d, format="csr", dtype=np.float32, rng=0)
        report(f"sparse {n} x {per_row}", as_vectors(matrix), n_jobs)


def report(name, X, n_jobs):
    method, planned = exact_plan(X, "euclidean")
    exact_seconds, exact = measure(X, "exact", n_jobs)
    approximate_seconds, approximate = measure(X, "approximate", n_jobs)
    print(
        f"{name:24}{method:>10}{planned:8.2f}{exact_seconds:8.2f}{approximate_seconds:9.2f}"
        f"{recall(approximate, exact):8.3f}",
        flush=True,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
