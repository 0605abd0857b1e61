"""Labels of some sixty fits, as hashes: what a change of the code must leave alone, bit for bit.

``python -m bench.same_labels`` compares with `same_labels.json` and names what differs; ``--write`` records anew.
Fits of the data folder are left out where it is absent.
"""

import argparse
import hashlib
import json
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_digits

import graphcore
from graphcore import CoresetSpectralClustering

from .harness import default_data

RECORD = Path(__file__).with_suffix(".json")
REAL = {"email": 42, "har": 6, "pendigits-nn10": 10, "letter-nn10": 26, "fbpages": 4, "lfr-10000-0.3": 120}


def of_graph(**given):
    """Return a function of a graph that fits it."""
    at_fit = {name: given.pop(name) for name in ("labels", "initial_labels", "sample_weight") if name in given}
    return lambda graph: CoresetSpectralClustering(random_state=0, **given).fit(graph, **at_fit).labels_


def fits(folder):
    """Yield (name, function without arguments that returns labels)."""
    planted, truth = graphcore.datasets.planted_partition(10, 100, 0.2, 0.005, random_state=0)
    uneven, _ = graphcore.datasets.planted_partition(6, [400, 200, 100, 50, 25, 10], 0.2, 0.01, random_state=1)
    matrix = planted.to_scipy()
    rng = np.random.default_rng(0)
    weighted = sp.triu(matrix, format="coo")
    weighted.data = rng.lognormal(sigma=1.0, size=weighted.nnz)
    weighted = (weighted + weighted.T).tocsr()
    karate = graphcore.datasets.load_karate().graph
    known = np.where(rng.random(1000) < 0.1, truth, -1)
    weights = rng.integers(1, 4, size=1000)
    graphs = {"planted": (planted, 10), "weighted": (weighted, 10), "uneven": (uneven, 6), "karate": (karate, 2)}
    for name, (graph, k) in graphs.items():
        for objective in ("information", "ncut", "modularity"):
            yield f"{name} {objective}", lambda g=graph, k=k, o=objective: of_graph(n_clusters=k, objective=o)(g)
        yield f"{name} balance .3", lambda g=graph, k=k: of_graph(n_clusters=k, balance=0.3)(g)
        yield f"{name} auto", lambda g=graph: of_graph(n_clusters="auto")(g)
        yield f"{name} function", lambda g=graph, k=k: function(g, k)
    settings = {
        "levels": {"n_clusters": [2, 5, 10]}, "modularity free": {"n_clusters": None, "objective": "modularity"},
        "resolution": {"n_clusters": None, "resolution": 2.0}, "fast": {"n_clusters": 10, "effort": "fast"},
        "high": {"n_clusters": 10, "effort": "high"}, "six drafts": {"n_clusters": 10, "effort": 6},
        "max size": {"n_clusters": 10, "max_cluster_size": 105}, "min size": {"n_clusters": 10, "min_cluster_size": 95},
        "both sizes": {"n_clusters": 7, "min_cluster_size": 0.1, "max_cluster_size": 0.2},
        "given labels": {"n_clusters": 10, "labels": known},
        "initial labels": {"n_clusters": 10, "initial_labels": known},
        "weights of nodes": {"n_clusters": 10, "sample_weight": weights},
        "coreset of 200": {"n_clusters": 10, "coreset_size": 200}, "one cluster": {"n_clusters": 1},
        "coarser": {"n_clusters": 4, "objective": "ncut"}, "two threads": {"n_clusters": 10, "n_jobs": 2},
    }  # fmt: skip
    for name, given in settings.items():
        yield name, lambda given=given: of_graph(**given)(planted)
    for given in ({"eigen_solver": "exact"}, {"sampling": "degree"}, {"sampling": "uniform"}):
        yield f"function {next(iter(given.values()))}", lambda given=given: function(planted, 10, **given)
    yield "levels of uneven", lambda: of_graph(n_clusters=[2, 4])(uneven)
    yield "induced", lambda: function(planted, 10, coreset_graph="induced", coreset_size=400)
    yield (
        "induced exact",
        lambda: function(planted, 10, coreset_graph="induced", coreset_size=400, eigen_solver="exact"),
    )
    yield "shift and loops", lambda: function(planted, 10, shift=0.2, self_loop=2.0, coreset_size=300)
    yield "store", lambda: of_store(planted)
    X = load_digits().data
    yield "digits", lambda: of_graph(n_clusters=10)(X)
    yield "digits auto", lambda: of_graph(n_clusters="auto")(X)
    yield "digits cosine", lambda: of_graph(n_clusters=10, metric="cosine")(X)
    yield "digits outliers", lambda: of_graph(n_clusters=10, outliers=0.05)(X)
    yield "digits repeated", lambda: of_graph(n_clusters=10)(np.vstack([X[:900], X[:300]]))
    yield "digits predicted", lambda: CoresetSpectralClustering(10, random_state=0).fit(X[:1500]).predict(X[1500:])
    yield "graph predicted", lambda: predicted(matrix)
    yield "kernel k-means", lambda: graphcore.KernelKMeans(10, kernel="rbf", random_state=0).fit(X[:600]).labels_
    yield (
        "kernel k-means, coreset",
        lambda: graphcore.CoresetKernelKMeans(10, kernel="rbf", random_state=0).fit(X[:900]).labels_,
    )
    yield "nystrom", lambda: graphcore.NystromKernelKMeans(10, kernel="rbf", random_state=0).fit(X).labels_
    yield "sketch", lambda: graphcore.GaussianSketchKernelKMeans(10, kernel="rbf", random_state=0).fit(X).labels_
    yield "flats", lambda: graphcore.KFlats(3, 2, random_state=0).fit(X[:400]).labels_
    yield "kernel flats", lambda: graphcore.KernelKFlats(3, 2, kernel="rbf", random_state=0).fit(X[:300]).labels_
    for name, k in REAL.items():
        path = folder / "graphs" / f"{name}.npz"
        if path.exists():
            yield name, lambda p=path, k=k: of_graph(n_clusters=k)(real(p))
            yield f"{name} function", lambda p=path, k=k: function(real(p), k)


def real(path):
    """Return the adjacency matrix of a file of the data folder."""
    with np.load(path) as file:
        indptr, indices = file["indptr"], file["indices"]
    return sp.csr_array((np.ones(len(indices)), indices, indptr), shape=(len(indptr) - 1,) * 2)


def function(graph, k, **given):
    """Return labels of the pipeline's function."""
    return graphcore.coreset_spectral_clustering(graph, k, random_state=0, **given).labels


def predicted(matrix):
    """Return labels of the last 100 nodes by a fit of the others."""
    order = np.random.default_rng(1).permutation(matrix.shape[0])
    kept, new = order[:-100], order[-100:]
    model = CoresetSpectralClustering(10, random_state=0).fit(matrix[kept][:, kept])
    return model.predict(matrix[new][:, kept])


def of_store(graph):
    """Return labels of a graph in a store."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "planted.store"
        graphcore.write_graph(graph, path)
        return of_graph(n_clusters=10)(graphcore.open_graph(path))


def digest(labels):
    """Return twelve digits of labels."""
    return hashlib.sha256(np.ascontiguousarray(labels, dtype=np.int64).tobytes()).hexdigest()[:12]


def main():
    """Compare or record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="record the labels of today")
    parser.add_argument("names", nargs="*", help="only fits whose names hold one of these")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    before = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    now, failed = {}, 0
    for name, fit in fits(default_data()):
        if asked.names and not any(each in name for each in asked.names):
            continue
        try:
            now[name] = digest(fit())
        except Exception as error:
            now[name] = f"{type(error).__name__}: {str(error)[:150]}"
        if now[name] != before.get(name):
            failed += 1
            print(f"{name}: {before.get(name)} -> {now[name]}", flush=True)
    print(f"{len(now)} fits, {failed} with other labels")
    if asked.write:
        RECORD.write_text(json.dumps(before | now, indent=1) + "\n")
    return int(failed > 0 and not asked.write)


if __name__ == "__main__":
    sys.exit(main())
