"""The peers' side of the bench. Every library is imported where it is used, so that one missing stops no other.

`prepare` makes the graph in the library's own format and is not counted; `run` is.
"""

import random
import warnings

import numpy as np
import scipy.sparse as sp


def matrix(indptr, indices, params):
    """Return scipy's CSR matrix with weights of 1."""
    n = len(indptr) - 1
    if indptr[-1] < 2**31:
        indptr = indptr.astype(np.int32)
    return sp.csr_matrix((np.ones(len(indices)), indices, indptr), shape=(n, n))


def metis_graph(indptr, indices, params):
    import pymetis

    return pymetis.CSRAdjacency(indptr.astype(np.int32), indices.astype(np.int32))


def metis(graph, k, seed, params, threads):
    import pymetis

    return pymetis.part_graph(k, graph, options=pymetis.Options(seed=seed)).vertex_part, {}, {}


def lists(indptr, indices, params):
    """Return borders and neighbours as lists."""
    return indptr.tolist(), indices.tolist()


def kahip(graph, k, seed, params, threads):
    """Run KaHIP's preset "eco"; parts may be larger than the mean by `imbalance`."""
    import kahip

    borders, neighbors = graph
    nodes, edges = [1] * (len(borders) - 1), [1] * len(neighbors)
    _, blocks = kahip.kaffpa(nodes, borders, edges, neighbors, k, params["imbalance"], True, seed, kahip.ECO)
    return blocks, {}, {}


def once_each(indptr, indices, params):
    """Return the number of nodes, and each edge once."""
    n = len(indptr) - 1
    rows = np.repeat(np.arange(n), np.diff(indptr))
    return n, np.column_stack([rows, indices])[rows < indices].tolist()


def mt_kahypar(graph, k, seed, params, threads):
    """Run Mt-KaHyPar, its preset "quality" if none is named, with the default imbalance of three per cent."""
    import mtkahypar

    n, edges = graph
    library = mtkahypar.initialize(threads, False)
    context = library.context_from_preset(getattr(mtkahypar.PresetType, params.get("preset", "QUALITY")))
    context.set_partitioning_parameters(k, 0.03, mtkahypar.Objective.CUT)
    context.logging = False
    mtkahypar.set_seed(seed)
    return library.create_graph(context, n, len(edges), edges).partition(context).get_partition(), {}, {}


def infomap(graph, k, seed, params, threads):
    from infomap import Infomap

    n, edges = graph
    model = Infomap(silent=True, two_level=True, seed=seed + 1)
    model.add_links(edges)
    model.run()
    labels = np.full(n, -1)
    for node, module in model.get_modules().items():
        labels[node] = module
    return labels, {}, {}


def sklearn_spectral(graph, k, seed, params, threads):
    from sklearn.cluster import SpectralClustering

    model = SpectralClustering(
        k, affinity="precomputed", assign_labels=params["assign_labels"], random_state=seed, n_jobs=threads
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Graph is not fully connected")
        return model.fit_predict(graph), {}, {}


def stag_graph(indptr, indices, params):
    import stag.graph

    return stag.graph.Graph(matrix(indptr, indices, params))


def stag_spectral(graph, k, seed, params, threads):
    import stag.cluster

    return stag.cluster.spectral_cluster(graph, k), {}, {}


def looped_matrix(indptr, indices, params):
    """Return the adjacency with a loop of 1 on every node, as coreset-sc needs."""
    A = matrix(indptr, indices, params)
    return (A + sp.identity(A.shape[0], format="csr")).tocsr()


def coreset_sc(graph, k, seed, params, threads):
    """Run coreset-sc; `size` is the share of the nodes that it draws, `n_init` the starts of its k-means."""
    import coreset_sc
    from sklearn.cluster import KMeans

    np.random.seed(seed)  # noqa: NPY002  its k-means uses numpy's global stream; its sampling cannot be seeded
    given = {"kmeans_alg": KMeans(k, n_init=params["n_init"])} if "n_init" in params else {}
    model = coreset_sc.CoresetSpectralClustering(k, coreset_ratio=params["size"], ignore_warnings=True, **given)
    labels = model.fit(graph).labels_.astype(np.int64)
    return labels, {}, {"coreset": model.coreset_indices_, "coreset_labels": model.coreset_labels_}


def vectors(X, params):
    """Return vectors, unchanged."""
    return X


def sklearn_vectors(X, k, seed, params, threads):
    """Run scikit-learn's own kNN graph and spectral clustering of it."""
    from sklearn.cluster import SpectralClustering

    model = SpectralClustering(
        k, affinity="nearest_neighbors", n_neighbors=params["n_neighbors"], assign_labels="cluster_qr",
        random_state=seed, n_jobs=threads,
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Graph is not fully connected")
        return model.fit_predict(X), {}, {}


def kmeans(X, k, seed, params, threads):
    from sklearn.cluster import KMeans

    return KMeans(k, n_init=10, random_state=seed).fit_predict(X), {}, {}


def _umap(X, seed):
    """Return UMAP with the values that its documentation gives for clustering."""
    from umap import UMAP

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a seed means one thread
        return UMAP(n_neighbors=30, min_dist=0.0, random_state=seed).fit_transform(X)


def umap_kmeans(X, k, seed, params, threads):
    return kmeans(_umap(X, seed), k, seed, params, threads)


def umap_hdbscan(X, k, seed, params, threads):
    return hdbscan(_umap(X, seed), k, seed, params, threads)


def hdbscan(X, k, seed, params, threads):
    """Run scikit-learn's HDBSCAN, with clusters of at least 1 % of the rows and not fewer than 10."""
    from sklearn.cluster import HDBSCAN

    return HDBSCAN(min_cluster_size=max(10, len(X) // 100), copy=True, n_jobs=threads).fit_predict(X), {}, {}


def fast_hdbscan(X, k, seed, params, threads):
    import fast_hdbscan

    return fast_hdbscan.HDBSCAN(min_cluster_size=max(10, len(X) // 100)).fit_predict(X), {}, {}


def evoc(X, k, seed, params, threads):
    from evoc import EVoC

    return EVoC(random_state=seed).fit_predict(X), {}, {}


def neighbors_leiden(X, k, seed, params, threads):
    """Run igraph's Leiden with modularity on the graph of pynndescent's 10 nearest neighbours."""
    from pynndescent import NNDescent

    found, _ = NNDescent(X, n_neighbors=11, random_state=seed, n_jobs=threads).neighbor_graph
    rows = np.repeat(np.arange(len(X)), 10)
    A = sp.csr_matrix((np.ones(len(rows)), (rows, found[:, 1:].ravel())), shape=(len(X), len(X)))
    A = (A + A.T).tocsr()
    return igraph_leiden(igraph_graph(A.indptr, A.indices, params), k, seed, {"n_iterations": -1}, threads)


def igraph_graph(indptr, indices, params):
    import igraph

    n = len(indptr) - 1
    rows = np.repeat(np.arange(n, dtype=np.int32), np.diff(indptr))
    upper = rows <= indices
    return igraph.Graph(n, np.column_stack([rows[upper], indices[upper]]))


def igraph_leiden(graph, k, seed, params, threads):
    random.seed(seed)  # igraph draws from Python's own generator
    found = graph.community_leiden(objective_function="modularity", n_iterations=params.get("n_iterations", 2))
    return found.membership, {}, {}


def leiden(graph, k, seed, params, threads):
    import leidenalg

    n_iterations = params.get("n_iterations", 2)
    found = leidenalg.find_partition(graph, leidenalg.ModularityVertexPartition, n_iterations=n_iterations, seed=seed)
    return found.membership, {}, {}


def networkit_graph(indptr, indices, params):
    import networkit

    rows = np.repeat(np.arange(len(indptr) - 1, dtype=np.int64), np.diff(indptr))
    upper = rows <= indices
    return networkit.GraphFromCoo((rows[upper], indices[upper].astype(np.int64)), n=len(indptr) - 1)


def _networkit(graph, method, seed, threads):
    import networkit

    networkit.setNumberOfThreads(threads)
    networkit.setSeed(seed, False)
    return method.run().getPartition().getVector(), {}, {}


def networkit_leiden(graph, k, seed, params, threads):
    import networkit

    return _networkit(
        graph, networkit.community.ParallelLeiden(graph, iterations=params["n_iterations"]), seed, threads
    )


def networkit_louvain(graph, k, seed, params, threads):
    import networkit

    return _networkit(graph, networkit.community.PLM(graph, refine=True), seed, threads)


def sknetwork_louvain(graph, k, seed, params, threads):
    from sknetwork.clustering import Louvain

    return Louvain(random_state=seed, shuffle_nodes=True).fit_predict(graph), {}, {}


METHODS = {
    "metis": (metis_graph, metis),
    "kahip": (lists, kahip),
    "mt_kahypar": (once_each, mt_kahypar),
    "infomap": (once_each, infomap),
    "sklearn": (matrix, sklearn_spectral),
    "stag": (stag_graph, stag_spectral),
    "coreset_sc": (looped_matrix, coreset_sc),
    "sklearn_vectors": (vectors, sklearn_vectors),
    "kmeans": (vectors, kmeans),
    "umap_kmeans": (vectors, umap_kmeans),
    "umap_hdbscan": (vectors, umap_hdbscan),
    "hdbscan": (vectors, hdbscan),
    "fast_hdbscan": (vectors, fast_hdbscan),
    "evoc": (vectors, evoc),
    "neighbors_leiden": (vectors, neighbors_leiden),
    "igraph_leiden": (igraph_graph, igraph_leiden),
    "leiden": (igraph_graph, leiden),
    "networkit_leiden": (networkit_graph, networkit_leiden),
    "networkit_louvain": (networkit_graph, networkit_louvain),
    "sknetwork_louvain": (matrix, sknetwork_louvain),
}
