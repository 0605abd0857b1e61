"""graphcore's side of the bench: the graph of each method, and one run of it."""

import warnings

import numpy as np

import graphcore

from .clocks import Clock, clocked


def prepare(indptr, indices, params):
    """Return the graph, checked by the constructor."""
    return graphcore.Graph(indptr, indices)


def cluster(graph, k, seed, params, threads):
    """Run the whole pipeline; `params` of the class."""
    found = clustering(graph, k, seed, params, threads)
    return found.labels, dict(found.seconds), {}


def clustering(graph, k, seed, params, threads):
    """Return the Clustering of the whole pipeline."""
    from graphcore.cluster.pipeline import cluster_graph
    from graphcore.cluster.settings import resolve_settings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", graphcore.GraphWarning)
        return cluster_graph(graph, resolve_settings(graph, k, **params), random_state=seed, n_jobs=threads)


def stages_alone(graph, k, seed, params, threads):
    """Run the function of the five stages, without moves; `params` are its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", graphcore.GraphWarning)
        found = graphcore.coreset_spectral_clustering(graph, k, random_state=seed, n_jobs=threads, **params)
    return found.labels, {}, {}


def modularity(graph, k, seed, params, threads):
    """Run the whole pipeline with modularity as objective and k free; `params` of the class."""
    model = graphcore.CoresetSpectralClustering(
        None, objective="modularity", random_state=seed, n_jobs=threads, **params
    )
    return model.fit(graph).labels_, {}, {}


def balanced(graph, k, seed, params, threads):
    """Run the whole pipeline under a limit: `params` are `kind`, "size" or "share" (of volume), and `most`, in means.

    The warm-up, on another graph than that of `n` nodes, keeps to a looser one.
    """
    most = params["most"] if graph.n_nodes == params["n"] else 1.2
    n_linked = graph.n_nodes - graph.n_isolated
    limits = {"max_share": most} if params["kind"] == "share" else {"max_cluster_size": int(most * n_linked / k + 1e-6)}
    found = clustering(graph, k, seed, limits, threads)
    return found.labels, dict(found.seconds), {}


def cluster_counted(graph, k, seed, params, threads):
    """Run the whole pipeline, and count the entries that it reads and stores."""
    from graphcore.base.progress import counted

    with counted() as work:
        found = clustering(graph, k, seed, params, threads)
    links = 0 if found.group_graph is None else len(found.group_graph.indices)
    return found.labels, {**found.seconds, **work, "links between cells": links}, {}


def construct(graph, k, seed, params, threads):
    """Run the published algorithm stage by stage, k-means timed apart.

    `params`: `size` (share of the nodes), `sampling`, `n_init` (restarts of k-means), `n_products` of the power method.
    """
    from graphcore.base.streams import Streams
    from graphcore.cluster.coreset import sample_coreset
    from graphcore.cluster.coreset_graph import label_all
    from graphcore.cluster.spectral import kmeans_labels, power_embedding, unit_rows
    from graphcore.kernels.graph import GraphKernel

    clock = Clock()
    streams = Streams(seed)
    kernel = GraphKernel(graph, self_loop=1.0)
    size = max(k, round(params["size"] * graph.n_nodes))
    coreset = sample_coreset(kernel, k, size=size, method=params["sampling"], random_state=streams)
    clock.lap("sampling")
    coreset_graph = kernel.weighted_submatrix(coreset.indices, coreset.weights, n_jobs=threads)
    clock.lap("coreset graph")
    embedding = power_embedding(
        coreset_graph, k, n_products=params.get("n_products"), random_state=streams, n_jobs=threads
    )
    clock.lap("embedding")
    embedding = unit_rows(embedding)
    coreset_labels = kmeans_labels(embedding, k, n_init=params["n_init"], random_state=streams, n_jobs=threads)
    clock.lap("k-means")
    labels = label_all(
        kernel, coreset.indices, coreset.weights, coreset_labels, k, coreset_graph=coreset_graph, n_jobs=threads
    ).labels
    clock.lap("labelling")
    arrays = {
        "coreset": coreset.indices,
        "weights": coreset.weights,
        "coreset_labels": coreset_labels,
        "coreset_graph_entries": np.array(coreset_graph.nnz),
    }
    return labels, clock.laps, arrays


def choose(graph, k, seed, params, threads):
    """Run select_n_clusters; `params` are its keywords. The known k is not used."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", graphcore.GraphWarning)
        found = graphcore.select_n_clusters(graph, random_state=seed, n_jobs=threads, **params)
    clear = -1 if found.clear is None else int(found.clear)
    return [], {}, {"best": np.array(found.best), "clear": np.array(clear)}


def coreset_kernel_kmeans(graph, k, seed, params, threads):
    """Run kernel k-means on a coreset drawn by importance, and assign all nodes to the nearest centroid.

    `params`: `size` (share of the nodes), `seeding`, `n_init` (starts of k-means).
    """
    from graphcore.kernel_methods.kmeans.coreset import coreset_kernel_kmeans as run

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", graphcore.GraphWarning)
        found = run(
            graph,
            k,
            size=max(k, round(params["size"] * graph.n_nodes)),
            seeding=params["seeding"],
            n_init=params["n_init"],
            random_state=seed,
            n_jobs=threads,
        )
    coreset = found.coreset
    arrays = {"coreset": coreset.indices, "weights": coreset.weights, "coreset_labels": found.on_coreset.labels}
    return found.labels, {}, arrays


def paths(source, target, params):
    """Return the paths of an edge list and of labels, unchanged."""
    return source, target


def cluster_file(files, k, seed, params, threads):
    """Cluster an edge list into a file of labels; `params`: `model`, keywords, and `n_init` of k-means."""
    from graphcore.cluster import spectral as partition

    def started(*args, **kwargs):
        return args, kwargs | ({"n_init": params["n_init"]} if "n_init" in params else {})

    source, target = files
    clock = Clock()
    graph = graphcore.read_graph(source)
    clock.lap("read")
    model = graphcore.CoresetSpectralClustering(k, random_state=seed, n_jobs=threads, **params["model"])
    with warnings.catch_warnings(), clocked(clock, partition, "kmeans_labels", "k-means", started):
        warnings.simplefilter("ignore", graphcore.GraphWarning)
        model.fit(graph)
    clock.lap("fit without k-means")
    graphcore.write_labels(model.labels_, target, graph)
    clock.lap("write")
    return model.labels_, clock.laps, {}


def vectors(X, params):
    """Return vectors, unchanged."""
    return X


def fit_vectors(X, k, seed, params, threads):
    """Fit the class to vectors; `params` are its own, such as another `n_clusters` than k."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", graphcore.GraphWarning)
        settings = {"n_clusters": k, "random_state": seed, "n_jobs": threads} | params
        return graphcore.CoresetSpectralClustering(**settings).fit(X).labels_, {}, {}


def cluster_vectors(X, k, seed, params, threads):
    """Cluster vectors; `params`: `n_neighbors` and `algorithm` of the search."""
    clock = Clock()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", graphcore.GraphWarning)
        graph = graphcore.knn_graph(
            X,
            params["n_neighbors"],
            algorithm=params["algorithm"],
            random_state=seed,
            n_jobs=threads,
        )
        clock.lap("neighbour graph")
        labels = graphcore.CoresetSpectralClustering(k, random_state=seed, n_jobs=threads).fit(graph).labels_
    clock.lap("clustering")
    return labels, clock.laps, {}


METHODS = {
    "cluster": (prepare, cluster),
    "stages_alone": (prepare, stages_alone),
    "modularity": (prepare, modularity),
    "balanced": (prepare, balanced),
    "cluster_counted": (prepare, cluster_counted),
    "construct": (prepare, construct),
    "choose": (prepare, choose),
    "cluster_file": (paths, cluster_file),
    "fit_vectors": (vectors, fit_vectors),
    "cluster_vectors": (vectors, cluster_vectors),
}
