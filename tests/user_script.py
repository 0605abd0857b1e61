"""A script as users write them, which mypy checks with the rest: public names must be known to type checkers."""

import networkx as nx

import graphcore
from graphcore import CoresetSpectralClustering, Graph, InputError


def communities(graph: Graph, k: int) -> dict[object, int]:
    """Cluster of every node by name."""
    model = CoresetSpectralClustering(n_clusters=k, objective="ncut", random_state=0).fit(graph)
    names = range(graph.n_nodes) if graph.node_names is None else graph.node_names.tolist()
    return dict(zip(names, model.labels_.tolist(), strict=True))


def main() -> None:
    """Everything that a first script touches."""
    karate = graphcore.datasets.load_karate()
    clusters = communities(karate.graph, 2)
    print(len(clusters), graphcore.metrics.normalized_cut(karate.graph, list(clusters.values())))
    print(graphcore.networkx.coreset_spectral_communities(nx.karate_club_graph(), 2, seed=0))
    try:
        graphcore.knn_graph([[0.0]])
    except InputError as error:
        print(error)


if __name__ == "__main__":
    main()
