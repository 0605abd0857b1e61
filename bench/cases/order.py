"""The numbering of nodes: time of a fit with a random one, and whether renumbering first saves time.

Labels of neighbours are looked up at random places, unless neighbours have close numbers. The last row of a graph, its
own clusters one after the other, is a bound for numberings made within a fit.
"""

import time

import numpy as np
import scipy.sparse as sp

import graphcore

from .. import harness, inputs
from ..report import Report, ratio, table

SEEDS = 3
GRAPHS = {"dblp": 100, "planted 250 x 1,000": 250, "planted 2,000 x 1,000, sparse": 50}
LARGE = ("planted 2,000 x 1,000, sparse",)


def run(options):
    """Measure four rows for each graph."""
    rows = []
    for name in harness.wanted(GRAPHS, options, LARGE):
        path = _path(name, options)
        if path is not None:
            rows += _measured(name, _matrix(path), GRAPHS[name], options)
    header = ["graph", "numbering", "CPU s of a fit", "of random", "CPU s to number", "CPU s to exchange rows"]
    text = table(header, rows)
    return Report(f"Numbering: least of {options.seeds} runs in one thread", [text], [], page=text if rows else "")


def _path(name, options):
    if name == "dblp":
        return inputs.real(name, options.data)
    if name.endswith("sparse"):
        return inputs.planted(2000, 1000, 8 / 999, 2 / 1_999_000)
    return inputs.planted(250, 1000, 0.04, 0.0001)


def _matrix(path):
    with np.load(path) as file:
        indptr, indices = file["indptr"], file["indices"]
    n = len(indptr) - 1
    return sp.csr_array((np.ones(len(indices), dtype=np.int8), indices, indptr), shape=(n, n))


def _measured(name, given, k, options):
    n = given.shape[0]
    shuffled = _numbered(given, np.random.default_rng(0).permutation(n))
    labels = []
    spent = {"as it comes": _fit(given, k, options), "random": _fit(shuffled, k, options, labels)}
    # Both are made of the random numbering, as a fit would have to.
    orders = {
        "breadth first": lambda: sp.csgraph.reverse_cuthill_mckee(shuffled, symmetric_mode=True),
        "its clusters": lambda: np.argsort(labels[0], kind="stable"),
    }
    made = {}
    for title, make in orders.items():
        order, to_make = _timed(make)
        graph, to_exchange = _timed(lambda order=order: _numbered(shuffled, order))
        made[title] = [to_make, to_exchange]
        spent[title] = _fit(graph, k, options)
    return [
        [name, title, seconds, ratio(seconds, spent["random"]), *made.get(title, [None, None])]
        for title, seconds in spent.items()
    ]


def _numbered(A, order):
    """Return the matrix with row `order[i]` in place i, columns likewise and in order."""
    place = np.empty(len(order), dtype=A.indices.dtype)
    place[order] = np.arange(len(order), dtype=place.dtype)
    rows = A[order]
    numbered = sp.csr_array((rows.data, place[rows.indices], rows.indptr), shape=A.shape)
    numbered.sort_indices()
    return numbered


def _fit(A, k, options, labels=None):
    graph, best = graphcore.Graph(A.indptr, A.indices), np.inf
    for seed in range(options.seeds):
        model, seconds = _timed(
            lambda seed=seed: graphcore.CoresetSpectralClustering(k, random_state=seed, n_jobs=1).fit(graph)
        )
        best = min(best, seconds)
        if labels is not None:
            labels.append(model.labels_)
    return best


def _timed(make):
    begun = time.process_time()
    made = make()
    return made, time.process_time() - begun
