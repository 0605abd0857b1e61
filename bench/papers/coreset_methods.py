"""The methods of the coreset paper's figures: the published algorithm, kernel k-means, and the authors' program.

Ours are called with a graph, k, a share of the nodes, a seed, threads and parameters, and return labels of all nodes,
those of the coreset, and its nodes.
"""

import tempfile
import warnings
from pathlib import Path

import numpy as np

import graphcore
from graphcore.kernel_methods.coreset_kernel_kmeans import coreset_kernel_kmeans

from .. import harness

AUTHORS = "the authors' program"


def published(graph, k, share, seed, threads, **params):
    """Run the published algorithm: the graph induced by a coreset that is drawn by importance."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", graphcore.GraphWarning)
        found = graphcore.coreset_spectral_clustering(
            graph, k, coreset_size=share, coreset_graph="induced", random_state=seed, n_jobs=threads, **params
        )
    return found.labels, found.coreset_labels, found.coreset.indices


def kernel_kmeans(graph, k, share, seed, threads, **params):
    """Run kernel k-means on a coreset drawn by importance, and assign all nodes to the nearest centroid."""
    size = max(k, round(share * graph.n_nodes))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", graphcore.GraphWarning)
        found = coreset_kernel_kmeans(graph, k, size=size, random_state=seed, n_jobs=threads, **params)
    return found.labels, found.on_coreset.labels, found.coreset.indices


def runs(indptr, indices, k, share, settings, usual, score):
    """Run coreset-sc, a row for each seed: scores of what ours return too, and processor seconds.

    None in quick runs, or where it is not installed.
    """
    if settings.quick:
        return
    options = harness.Options(
        settings.data, harness.PEERS_ENVIRONMENT / "bin" / "python", len(settings.seeds(usual)), settings.threads,
        settings.limit, 0,
    )  # fmt: skip
    method = harness.Method(AUTHORS, "coreset_sc", params={"size": share, "n_init": 10})
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "graph.npz"
        np.savez(path, indptr=indptr, indices=indices)
        outcome = harness.measure(
            method,
            "graph",
            path,
            k,
            options,
            score=lambda path, run, k, own_k: score(run["labels"], run["coreset_labels"], run["coreset"]),
        )
    for scores, seconds in zip(outcome.scores, outcome.cpu_seconds, strict=False):
        yield {"method": AUTHORS, "seconds": seconds, **scores}
