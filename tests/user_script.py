"""A script as users write them, which mypy --strict checks with the rest: all public names have types."""

import os
import tempfile

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import graphcore
from graphcore import CoresetSpectralClustering, Graph, InputError
from graphcore.files import read_labels


def communities(graph: Graph, k: int) -> dict[object, int]:
    """Cluster of every node by name."""
    model = CoresetSpectralClustering(n_clusters=k, objective="ncut", random_state=0).fit(graph)
    names = range(graph.n_nodes) if graph.node_names is None else graph.node_names.tolist()
    return dict(zip(names, model.labels_.tolist(), strict=True))


def questions(graph: Graph) -> int:
    """Everything that a fitted clustering is asked."""
    model = CoresetSpectralClustering(None, resolution=3.0, random_state=np.random.default_rng(0)).fit(graph)
    labels: NDArray[np.int32] = model.labels_
    coarse: NDArray[np.int32] = model.tree_.labels_at(1)
    stability: NDArray[np.float32] | None = model.stability_
    central: list[NDArray[np.int64]] = graphcore.metrics.central_nodes(graph, labels, count=2)
    settings = model.clustering_.settings
    between: Graph = model.quotient_graph_
    part: Graph = model.subgraph(0)
    score: float = model.score(graph)
    chosen = model.selection_
    best: int = model.n_clusters_ if chosen is None else chosen.best
    tree = model.tree_
    text: str = tree.to_newick(nodes=True)
    levels: NDArray[np.int32] = tree.labels_at(resolution=tree.levels()["resolution_from"][-1])
    print(len(labels), len(coarse), stability is None, len(central), between.n_nodes, part.n_nodes)
    print(score, settings.coreset_size, model.seconds_["coreset"] >= 0, model.graph_.n_components, len(text))
    print(len(levels), model.predict(graph)[0], model.transform(graph).shape, model.summary()["size"])
    print(tree.to_networkx(), tree.to_linkage().shape)
    return best


def files(graph: Graph, folder: str) -> None:
    """Readers and writers."""
    path = os.path.join(folder, "karate.tsv")
    graphcore.write_graph(graph, path)
    again: Graph = graphcore.read_graph(path)
    graphcore.write_graph(again, os.path.join(folder, "karate.graphml"), attributes={"degree": again.degrees})
    graphcore.write_labels(np.zeros(again.n_nodes, dtype=int), os.path.join(folder, "labels.tsv"), again)
    labels = read_labels(os.path.join(folder, "labels.tsv"), again)
    facts = graphcore.report.write_report(os.path.join(folder, "page.html"), again, labels, pictures=False)
    print(facts.normalized_cut, facts.modularity, again.to_scipy().shape, again.volume, again.mean_weight)
    store: Graph = graphcore.build_store(path, os.path.join(folder, "karate.store"))
    print(store.n_edges, graphcore.open_graph(os.path.join(folder, "karate.store")).is_weighted)


def vectors() -> None:
    """Kernel k-means and its kin, on vectors."""
    X = np.random.default_rng(0).normal(size=(60, 2)) + 9 * np.repeat([[0, 0], [0, 1], [1, 0]], 20, axis=0)
    y = np.repeat([0, 1, 2], 20)
    graph = graphcore.knn_graph(X, 5)
    found = graphcore.KernelKMeans(3, kernel="linear", random_state=0).fit(X)
    score: float = found.score(X)
    print(graphcore.metrics.agreement(found.predict(X), y)["ari"], score, graph.n_edges)
    exact: NDArray[np.int32] = graphcore.CoresetKernelKMeans(3, kernel="linear", random_state=0).fit(X).labels_
    fast: NDArray[np.int32] = graphcore.NystromKernelKMeans(3, kernel="linear", random_state=0).fit(X).labels_
    flats: NDArray[np.int32] = graphcore.KFlats(3, random_state=0).fit(X).labels_
    features = graphcore.NystromFeatures(5, kernel="linear", random_state=0).fit(X).transform(X)
    print(len(exact), len(fast), len(flats), features.shape)
    choice = graphcore.select_n_clusters(X, range(2, 6), random_state=0)
    print(choice.best, choice.clear, choice.scores.shape)
    coreset = graphcore.build_coreset(graph, 3, size=20, random_state=0)
    cost = graphcore.metrics.coreset_cost(graph, coreset, y)
    print(len(coreset), cost.cost_error)


def again(graph: Graph, folder: str) -> None:
    """A model in a file, a fit that begins at its labels, and two kinds of nodes."""
    model = CoresetSpectralClustering(2, random_state=0).fit(graph)
    path = os.path.join(folder, "model.npz")
    model.save(path)
    labels: NDArray[np.int32] = graphcore.load(path).labels_
    print(CoresetSpectralClustering(2, random_state=0).fit(graph, initial_labels=labels).labels_.shape)
    known = np.where(np.arange(graph.n_nodes) < 3, 0, -1)
    soft = CoresetSpectralClustering(2, max_cluster_size=20, random_state=0).fit(graph, labels=known)
    shares: NDArray[np.float64] = soft.predict_proba(graph)
    print(soft.membership_.shape, shares.shape)
    bipartite = Graph.from_biadjacency(np.kron(np.eye(2), np.ones((20, 20))))
    both = CoresetSpectralClustering(2, random_state=0).fit(bipartite)
    rows, columns = both.labels_[:40], both.labels_[40:]
    print(len(rows), len(columns))


def main() -> None:
    """Everything that a first script touches, and a second."""
    karate = graphcore.datasets.load_karate()
    clusters = communities(karate.graph, 2)
    print(len(clusters), graphcore.metrics.normalized_cut(karate.graph, list(clusters.values())))
    print(graphcore.networkx.coreset_spectral_communities(nx.karate_club_graph(), 2, seed=0))
    questions(karate.graph)
    with tempfile.TemporaryDirectory() as folder:
        files(karate.graph, folder)
        again(karate.graph, folder)
    vectors()
    try:
        graphcore.knn_graph([[0.0]])
    except InputError as error:
        print(error)


if __name__ == "__main__":
    main()
