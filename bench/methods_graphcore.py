"""graphcore's side of the bench: the graph of each method, and one run of it."""

import warnings

import graphcore


def prepare(indptr, indices, params):
    """Return the graph, checked by the constructor."""
    return graphcore.Graph(indptr, indices)


def cluster(graph, k, seed, params, threads):
    """Run the whole pipeline; `params` of the class."""
    from graphcore.cluster.pipeline import cluster_graph
    from graphcore.cluster.settings import resolve_settings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", graphcore.GraphWarning)
        found = cluster_graph(graph, resolve_settings(graph, k, **params), random_state=seed, n_jobs=threads)
    return found.labels, dict(found.seconds), {}


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


def vectors(X, params):
    """Return vectors, unchanged."""
    return X


def fit_vectors(X, k, seed, params, threads):
    """Fit the class to vectors; `params` are its own, such as another `n_clusters` than k."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", graphcore.GraphWarning)
        settings = {"n_clusters": k, "random_state": seed, "n_jobs": threads} | params
        return graphcore.CoresetSpectralClustering(**settings).fit(X).labels_, {}, {}


METHODS = {
    "cluster": (prepare, cluster),
    "stages_alone": (prepare, stages_alone),
    "modularity": (prepare, modularity),
    "fit_vectors": (vectors, fit_vectors),
}
