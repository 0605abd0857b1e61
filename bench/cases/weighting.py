"""Weights of neighbour graphs: ARI, NMI and the objective of the default clustering, over numbers of neighbours.

J is the "information" objective of the labels on the binary graph of as many neighbours, so that it can be compared
across weights. ``--page docs/tables/weighting.md`` writes the table of the docs. MNIST is its first 10,000 images.
"""

import numpy as np
from sklearn.datasets import make_blobs, make_moons

import graphcore
from graphcore.cluster.refine.problem import cluster_sums
from graphcore.neighbors.neighbors import WEIGHTINGS, neighbor_graph
from graphcore.neighbors.search import nearest_neighbors
from graphcore.neighbors.vectors import as_vectors

from .. import vectors
from ..report import Report, table
from ..vectors import over_seeds

SEEDS = 3
ROOMS = ("base", "graphs", "neighbors", "kernels", "cluster")
NEIGHBORS = (5, 10, 15, 30)
MNIST_ROWS = 10_000
MEASURES = ("ari", "nmi", "j")


def run(options):
    """Measure every weighting on every set of vectors."""
    outcomes, cells, missing = [], {}, []
    for name, rows, truth in vectors.loaded(LOADERS, options, missing):
        X, k = as_vectors(rows), len(np.unique(truth))
        found = nearest_neighbors(X, NEIGHBORS[-1], random_state=0, n_jobs=options.threads)
        for n_neighbors in NEIGHBORS:
            lists = found._replace(indices=found.indices[:, :n_neighbors], distances=found.distances[:, :n_neighbors])
            plain = neighbor_graph(lists).rows
            for weighting in WEIGHTINGS:
                graph = neighbor_graph(lists, weighting=weighting)
                outcome = over_seeds(
                    f"{weighting}, {n_neighbors} neighbours", name,
                    lambda seed, graph=graph, k=k: _labels(graph, k, seed, options.threads),
                    lambda labels, truth=truth, plain=plain, k=k: _scores(labels, truth, plain, k), options.seeds,
                )  # fmt: skip
                outcomes.append(outcome)
                cells[name, n_neighbors, weighting] = [
                    float(np.mean([score[measure] for score in outcome.scores])) for measure in MEASURES
                ]
    sections = [_table(cells, place) for place in range(len(MEASURES))] if cells else []
    sections += options.absent(missing)
    return Report("Weights of neighbour graphs", sections, outcomes, ("ari",), page="\n\n".join(sections))


def _labels(graph, k, seed, threads):
    return graphcore.CoresetSpectralClustering(k, random_state=seed, n_jobs=threads).fit(graph).labels_


def _scores(labels, truth, rows, k):
    found = vectors.agreement(labels, truth)
    j = cluster_sums(rows, labels, k).value("information")
    return {"ari": found["ari"], "nmi": found["nmi"], "j": j}


def _table(cells, place):
    """Return one measure: a row for each set and number of neighbours, the mean, and the largest loss."""
    groups = list(dict.fromkeys((name, n_neighbors) for name, n_neighbors, _ in cells))
    values = np.array([[cells[(*group, weighting)][place] for weighting in WEIGHTINGS] for group in groups])
    shown = [[name, str(n), *(f"{value:.3f}" for value in row)] for (name, n), row in zip(groups, values, strict=True)]
    shown.append(["mean", "", *(f"{value:.3f}" for value in values.mean(axis=0))])
    worst = (values - values[:, :1]).min(axis=0)
    shown.append(["least gain over binary", "", *(f"{value:+.3f}" for value in worst)])
    return f"**{MEASURES[place].upper()}**\n\n" + table(["vectors", "neighbours", *WEIGHTINGS], shown)


def _mnist(data):
    found = vectors.mnist(data)
    return found and tuple(part[:MNIST_ROWS] for part in found)


def _digits(_):
    found = graphcore.datasets.load_digits()
    return found.data, found.labels


def _spreads(_):
    return make_blobs(3000, n_features=8, centers=12, cluster_std=np.linspace(0.5, 4, 12), random_state=0)


def _moons(_):
    return make_moons(2000, noise=0.15, random_state=0)


LOADERS = {
    "digits": _digits, "pendigits": vectors.pendigits, "letter": vectors.letter, "mnist": _mnist,
    "blobs of many spreads": _spreads, "moons": _moons,
}  # fmt: skip
