"""``graphcore demo``: images and a network, clustered by graphcore and by scikit-learn."""

import time

import click

from .console import command, examples

_SCORES = "{ari:>6.3f} {normalized_cut:>7.4f} {seconds:>8.2f}"
_THEIRS, _OURS, _NCUT = "scikit-learn SpectralClustering", "graphcore", 'graphcore, objective="ncut"'


@command(
    short_help="Cluster two small data sets, beside scikit-learn.",
    epilog=examples(("a first try; nothing has to be downloaded", "graphcore demo")),
)
@click.option("--seed", "random_state", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="Random seed.")  # fmt: skip
def demo(console, random_state):
    """Cluster handwritten digits and a random network, and compare with scikit-learn's SpectralClustering.

    The digits are those of scikit-learn, as the graph of their 10 nearest neighbours. The network has 20 planted
    communities of 120 nodes, and two fifths of its edges ignore them.
    """
    from sklearn.datasets import load_digits

    from ..datasets import degree_corrected_partition
    from ..neighbors.neighbors import knn_graph

    with console.stages("data"):
        digits = load_digits()
        graph = knn_graph(digits.data, 10, random_state=random_state)
        network = degree_corrected_partition(20, 120, mixing=0.4, degree_ratio=10, random_state=random_state)
    _compare(console, graph, digits.target, 10, random_state)  # imports packages and compiles loops
    images = _compare(console, graph, digits.target, 10, random_state)
    people = _compare(console, *network, 20, random_state)
    tables = {
        "digits": (f"{graph.n_nodes:,} images, 10-NN graph with {graph.n_edges:,} edges, 10 clusters", images),
        "network": (f"{network.graph.n_nodes:,} nodes, {network.graph.n_edges:,} edges, 20 clusters", people),
    }
    lines = []
    for name, (title, rows) in tables.items():
        lines += [(name, title), ("", f"{'ARI':>6} {'NC':>7} {'seconds':>8}")]
        lines += [(row["method"], _SCORES.format(**row)) for row in rows]
    lines += [
        ("ARI", "adjusted Rand index with the true classes, 1 is perfect"),
        ("NC", 'normalised cut, lower is better; scikit-learn and objective="ncut" minimise it'),
        ("graphcore", "by default maximises the information that clusters hold about edges"),
    ]
    return {name: {"about": title, "methods": rows} for name, (title, rows) in tables.items()}, lines


def _compare(console, graph, truth, n_clusters, random_state):
    """Cluster a graph by each method; return a row of scores for each."""
    from sklearn.cluster import SpectralClustering

    from .. import CoresetSpectralClustering
    from ..metrics import agreement, normalized_cut

    theirs = SpectralClustering(
        n_clusters, affinity="precomputed", assign_labels="cluster_qr", random_state=random_state
    )
    methods = {
        _OURS: (CoresetSpectralClustering(n_clusters, random_state=random_state), graph),
        _NCUT: (CoresetSpectralClustering(n_clusters, objective="ncut", random_state=random_state), graph),
        _THEIRS: (theirs, graph.to_scipy()),
    }
    rows = []
    for name, (model, X) in methods.items():
        with console.stages(name):
            start = time.perf_counter()
            labels = model.fit_predict(X)
            seconds = time.perf_counter() - start
        ari, cut = agreement(labels, truth, graph)["ari"], normalized_cut(graph, labels, n_clusters)
        rows.append({"method": name, "ari": ari, "normalized_cut": cut, "seconds": seconds})
    return rows
