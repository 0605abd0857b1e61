"""The graphs that are measured: real ones from the data folder, generated ones from a cache of files."""

import gzip
import os
from pathlib import Path

import numpy as np

import graphcore

from . import vectors
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


def mnist_neighbors(data, n_neighbors):
    """Path of the exact kNN graph of MNIST's 70,000 images; None if the images are absent."""
    folder = Path(data) / "mnist"
    names = ("train-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte.gz")
    labels = ("train-labels-idx1-ubyte.gz", "t10k-labels-idx1-ubyte.gz")
    if not all((folder / name).exists() for name in (*names, *labels)):
        return None

    def make():
        X = np.concatenate([_idx(folder / name, 16).reshape(-1, 784) for name in names]).astype(np.float32)
        graph = graphcore.knn_graph(X, n_neighbors, algorithm="exact", n_jobs=-1)
        truth = np.concatenate([_idx(folder / name, 8) for name in labels])
        return {"indptr": graph.indptr, "indices": graph.indices, "labels": truth.astype(np.int64)}

    return _cached(f"mnist-nn{n_neighbors}", make)


def _idx(path, header):
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), dtype=np.uint8, offset=header)


def planted(n_clusters, cluster_size, p_in, p_out, *, name=""):
    """Path of a planted partition: edges with probability `p_in` inside a cluster and `p_out` between clusters.

    `name` tells files of the same sizes and other probabilities apart.
    """

    def make():
        graph, labels = graphcore.datasets.planted_partition(n_clusters, cluster_size, p_in, p_out, random_state=0)
        return {"indptr": graph.indptr, "indices": graph.indices, "labels": labels}

    return _cached(f"planted-{n_clusters}x{cluster_size}{name}", make)


def edge_list(path):
    """Path of a graph file's edges as text, each once: two node numbers with a tab between, and no heading."""
    text = path.with_suffix(".tsv")
    if not text.exists():
        with np.load(path) as file:
            indptr, indices = file["indptr"], file["indices"]
        rows = np.repeat(np.arange(len(indptr) - 1, dtype=np.int32), np.diff(indptr))
        upper = rows < indices
        rows, indices = rows[upper], indices[upper]
        unfinished = text.with_suffix(".part.tsv")
        with open(unfinished, "w") as file:
            for start in range(0, len(rows), 1 << 20):
                piece = slice(start, start + (1 << 20))
                ends = zip(rows[piece].tolist(), indices[piece].tolist(), strict=True)
                file.writelines(f"{a}\t{b}\n" for a, b in ends)
        unfinished.replace(text)
    return text


def labelled_vectors(name, data):
    """Path of vectors ``X``, float32, with ``labels``: "mnist" (70,000), "pendigits" or "digits"; None if absent."""
    if name == "digits":
        found = graphcore.datasets.load_digits()
        parts = [(found.data, found.labels)]
    elif name == "pendigits":
        parts = [vectors.pendigits(data)]
    else:
        parts = [vectors.mnist(data, part) for part in ("train", "t10k")]
    if parts[0] is None:
        return None

    def make():
        X, labels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return {"X": X.astype(np.float32), "labels": labels}

    return _cached(f"{name}-vectors", make)


def digits():
    """Path of the 10-NN graph of scikit-learn's handwritten digits."""

    def make():
        found = graphcore.datasets.load_digits()
        graph = graphcore.knn_graph(found.data, 10, random_state=0)
        return {"indptr": graph.indptr, "indices": graph.indices, "labels": found.labels}

    return _cached("digits-nn10", make)


def rmat(scale, n_edges):
    """Path of an R-MAT graph of ``2**scale`` nodes without the isolated ones."""

    def make():
        graph = graphcore.datasets.rmat(scale, n_edges, random_state=0, n_jobs=-1)
        return {"indptr": graph.indptr, "indices": graph.indices}

    return _cached(f"rmat-{scale}-{n_edges}", make)


def _cached(name, make):
    path = CACHE / f"{name}.npz"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = CACHE / f"{name}.part.npz"
        np.savez(unfinished, **make())
        unfinished.replace(path)
    return path
