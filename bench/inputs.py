"""The graphs that are measured: real ones from the data folder, generated ones from a cache of files."""

import os
from pathlib import Path

import numpy as np

from .harness import RESULTS, ROOT

CACHE = RESULTS / "inputs"


def default_data():
    """The folder of real data: GRAPHCORE_DATA, or the one beside the checkout."""
    given = os.environ.get("GRAPHCORE_DATA")
    return Path(given) if given else ROOT.parent / "shared" / "data"


def real(name, data):
    """Path of a real graph (``indptr``, ``indices`` and perhaps ``labels``), None if it is not there."""
    path = Path(data) / "graphs" / f"{name}.npz"
    return path if path.exists() else None


def shape(path):
    """Nodes and entries of a graph file."""
    with np.load(path) as file:
        indptr = file["indptr"]
    return len(indptr) - 1, int(indptr[-1])


def planted(n_blocks, size, p, q, seed=0):
    """Path of a planted partition: edges with probability `p` inside a block and `q` between blocks."""
    return _cached(f"planted-{n_blocks}x{size}", lambda: _planted(n_blocks, size, p, q, np.random.default_rng(seed)))


def rmat(scale, n_edges, seed=0):
    """Path of an R-MAT graph of ``2**scale`` nodes, without loops, repeats, directions and isolated nodes."""
    return _cached(f"rmat-{scale}-{n_edges}", lambda: _rmat(scale, n_edges, np.random.default_rng(seed)))


def _cached(name, make):
    path = CACHE / f"{name}.npz"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = CACHE / f"{name}.part.npz"
        np.savez(unfinished, **make())
        unfinished.replace(path)
    return path


def _planted(n_blocks, size, p, q, rng):
    import scipy.sparse as sp

    n = n_blocks * size
    columns, counts = [], []
    for block in range(n_blocks):
        upper = np.triu(rng.random((size, size), dtype=np.float32) < p, 1)
        row, column = np.nonzero(upper | upper.T)
        columns.append((column + block * size).astype(np.int32))
        counts.append(np.bincount(row, minlength=size))
    indices = np.concatenate(columns)
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    inside = sp.csr_array((np.ones(len(indices), dtype=bool), indices, indptr), shape=(n, n))
    n_pairs = n_blocks * (n_blocks - 1) // 2 * size**2
    # Pairs are drawn with repeats; at the densities in use a repeat hardly ever happens, and counts once.
    a, b = rng.integers(n, size=(2, rng.binomial(n_pairs, q) * n_blocks // max(n_blocks - 1, 1)))
    apart = a // size != b // size
    across = sp.coo_array((np.ones(apart.sum(), dtype=bool), (a[apart], b[apart])), shape=(n, n)).tocsr()
    total = (inside + across + across.T).tocsr()
    total.sort_indices()
    labels = np.repeat(np.arange(n_blocks), size)
    return {"indptr": total.indptr.astype(np.int64), "indices": total.indices.astype(np.int32), "labels": labels}


def _rmat(scale, n_edges, rng, chunk=1 << 22):
    """Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph mining", with (.57, .19, .19, .05)."""
    keys = []
    for first in range(0, n_edges, chunk):
        row, column = np.zeros((2, min(chunk, n_edges - first)), dtype=np.int64)
        for _ in range(scale):
            u = rng.random(len(row), dtype=np.float32)
            down = u >= 0.76
            right = ((u >= 0.57) & (u < 0.76)) | (u >= 0.95)
            row, column = 2 * row + down, 2 * column + right
        apart = row != column
        low, high = np.minimum(row, column)[apart], np.maximum(row, column)[apart]
        keys.append((low << scale) | high)
    keys = np.unique(np.concatenate(keys))
    low, high = keys >> scale, keys & ((1 << scale) - 1)
    used = np.unique(np.concatenate([low, high]))
    position = np.zeros(1 << scale, dtype=np.int64)
    position[used] = np.arange(len(used))
    low, high = position[low], position[high]
    both = np.sort(np.concatenate([(low << scale) | high, (high << scale) | low]))
    counts = np.bincount(both >> scale, minlength=len(used))
    return {
        "indptr": np.concatenate([[0], np.cumsum(counts)]),
        "indices": (both & ((1 << scale) - 1)).astype(np.int32),
    }
