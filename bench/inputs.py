"""The graphs that are measured: real ones from the data folder, generated ones from a cache of files."""

import warnings
from pathlib import Path

import numpy as np

import graphcore
from graphcore.base.streams import Streams
from graphcore.datasets.planted import graph_of_pairs

from . import vectors
from .harness import RESULTS
from .infinite_mnist import load_mnist

CACHE = RESULTS / "inputs"


def real(name, data):
    """Return the path of a real graph (``indptr``, ``indices`` and perhaps ``labels``), None if it is not there."""
    path = Path(data) / "graphs" / f"{name}.npz"
    return path if path.exists() else None


def lfr(name, data):
    """Return the path of an LFR graph of mean degree 5, such as lfr-100000-0.3, from its list; None if absent."""
    _, n, mixing = f"{name}--".split("-")[:3]
    path = Path(data) / "lfr" / f"LFR_N{n}_ad5_mc50_mu{mixing}.csv.gz"
    if not path.exists():
        return None

    def make():
        graph = graphcore.read_graph(path)
        return {"indptr": graph.indptr, "indices": graph.indices}

    return cached(name, make)


def web(name, data):
    """Return the path of a web graph (WebGraph's files), made undirected, without loops; None if absent."""
    path = Path(data) / "webgraph" / f"{name}.graph"
    if not path.exists():
        return None

    def make():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", graphcore.GraphWarning)  # that it is directed
            graph = graphcore.read_graph(path)
        rows = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
        kept = rows != graph.indices
        counts = np.bincount(rows[kept], minlength=graph.n_nodes)
        return {"indptr": np.concatenate([[0], np.cumsum(counts)]), "indices": graph.indices[kept]}

    return cached(name, make)


def shape(path):
    """Return the numbers of nodes and entries of a graph file."""
    with np.load(path) as file:
        indptr = file["indptr"]
    return len(indptr) - 1, int(indptr[-1])


def mnist_neighbors(data, n_neighbors):
    """Return the path of the exact kNN graph of MNIST's 70,000 images; None if the images are absent."""
    if not (Path(data) / "mnist").exists():
        return None

    def make():
        X, labels = (
            np.concatenate(parts) for parts in zip(*(load_mnist(data, p) for p in ("train", "t10k")), strict=True)
        )
        graph = graphcore.knn_graph(X.astype(np.float32), n_neighbors, algorithm="exact", n_jobs=-1)
        return {"indptr": graph.indptr, "indices": graph.indices, "labels": labels}

    return cached(f"mnist-nn{n_neighbors}", make)


def planted(n_clusters, cluster_size, p_in, p_out):
    """Return the path of a planted partition: probability `p_in` of an edge in a cluster, `p_out` between."""

    def make():
        graph, labels = graphcore.datasets.planted_partition(n_clusters, cluster_size, p_in, p_out, random_state=0)
        return {"indptr": graph.indptr, "indices": graph.indices, "labels": labels}

    return cached(f"planted-{n_clusters}x{cluster_size}-{p_in:.3g}-{p_out:.3g}", make)


def labelled_mnist(data):
    """Return the path of MNIST's 70,000 images as float32 vectors ``X``, and ``labels``; None if absent."""
    parts = [vectors.mnist(data, part) for part in ("train", "t10k")]
    if parts[0] is None:
        return None

    def make():
        X, labels = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return {"X": X.astype(np.float32), "labels": labels}

    return cached("mnist-vectors", make)


def rmat(scale, n_edges):
    """Return the path of an R-MAT graph (Chakrabarti, Zhan, Faloutsos 2004) of ``2**scale`` nodes, none isolated.

    Each edge falls into one of the quadrants of the matrix, by the probabilities of the Graph 500 benchmark, then into
    one of that quadrant's quadrants, and so on. Directions, repeats and loops are dropped.
    """

    def make():
        streams, powers = Streams(0).child("rmat"), 2 ** np.arange(scale)[::-1]
        ends = np.empty((n_edges, 2), dtype=np.int32)
        for start in range(0, n_edges, 1 << 20):
            generator = streams.generator("edges", start >> 20)
            for first in range(start, min(start + (1 << 20), n_edges), 1 << 16):
                u = generator.random((min(1 << 16, n_edges - first, start + (1 << 20) - first), scale))
                quadrants = np.searchsorted(np.cumsum([0.57, 0.19, 0.19]), u, side="right")
                ends[first : first + len(u)] = np.stack([quadrants // 2 @ powers, quadrants % 2 @ powers], axis=1)
        graph = graph_of_pairs(ends, 1 << scale)
        present = np.diff(graph.indptr) > 0
        numbers = np.cumsum(present, dtype=np.int32) - np.int32(1)
        return {"indptr": graph.indptr[np.append(True, present)], "indices": numbers[graph.indices]}

    return cached(f"rmat-{scale}-{n_edges}", make)


def cached(name, make):
    path = CACHE / f"{name}.npz"
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        unfinished = CACHE / f"{name}.part.npz"
        np.savez(unfinished, **make())
        unfinished.replace(path)
    return path
