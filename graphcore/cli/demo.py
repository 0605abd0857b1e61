"""``graphcore demo``: the main job on real data that scikit-learn ships, beside scikit-learn's own answer."""

import os
import time

import click

from ..exceptions import InputError
from .console import command
from .files import OUTPUT

_N_CLUSTERS = 10
_PICTURES = (".png", ".svg", ".pdf")
_SCORES = "{ari:>6.3f} {nmi:>6.3f} {normalized_cut:>7.4f} {seconds:>8.2f}"
# The reason why the two methods differ.
_WHY = {
    "information": "they differ: graphcore maximises the information that clusters hold about edges; "
    "`graphcore demo --objective ncut` minimises NC, as scikit-learn does",
    "ncut": "both minimise NC here; graphcore's default maximises the information that clusters hold about edges",
}


@command(
    needs="estimators.coreset_spectral",
    short_help="Cluster handwritten digits, beside scikit-learn.",
    examples=[
        ("a first try; nothing has to be downloaded", "graphcore demo"),
        ("with a picture of the clusters", "graphcore demo --picture digits.png"),
        ("with scikit-learn's own objective", "graphcore demo --objective ncut"),
    ],
)
@click.option("--objective", type=click.Choice(["information", "ncut"]), default="information", show_default=True,
              help="What graphcore raises.")  # fmt: skip
@click.option(
    "--picture", type=OUTPUT, metavar="FILE", help="Draw the clusters (.png, .svg or .pdf; needs matplotlib)."
)
@click.option("--seed", "random_state", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="Random seed.")  # fmt: skip
def demo(console, objective, picture, random_state):
    """Cluster handwritten digits, beside scikit-learn's SpectralClustering."""
    if picture is not None:
        _check_picture(picture)
    from sklearn.cluster import SpectralClustering
    from sklearn.datasets import load_digits

    from ..estimators.coreset_spectral import CoresetSpectralClustering
    from ..metrics import agreement, normalized_cut
    from ..neighbors.neighbors import knn_graph

    with console.stages("neighbours"):
        digits = load_digits()
        graph = knn_graph(digits.data, 10, random_state=random_state)
    options = {"affinity": "precomputed", "assign_labels": "cluster_qr", "random_state": random_state}
    theirs = SpectralClustering(_N_CLUSTERS, **options)
    ours = CoresetSpectralClustering(_N_CLUSTERS, objective=objective, random_state=random_state)
    fits = {
        "scikit-learn SpectralClustering": lambda: theirs.fit_predict(graph.to_scipy()),
        "graphcore": lambda: ours.fit_predict(graph),
    }
    found: list[dict] = []
    for name, fit in fits.items():
        with console.stages(name):
            fit()  # imports and compiles
            start = time.perf_counter()
            labels = fit()
            seconds = time.perf_counter() - start
        scores, cut = agreement(labels, digits.target, graph), normalized_cut(graph, labels, _N_CLUSTERS)
        row = {"method": name, "ari": scores["ari"], "nmi": scores["nmi"], "normalized_cut": cut, "seconds": seconds}
        found.insert(0, row)
    lines = [
        ("digits of scikit-learn", f"{graph.n_nodes:,} images, 10-NN graph with {graph.n_edges:,} edges"),
        ("", f"{'ARI':>6} {'NMI':>6} {'NC':>7} {'seconds':>8}"),
        *((row["method"], _SCORES.format(**row)) for row in found),
        ("ARI, NMI", "agreement with the true digits, 1 is perfect"),
        ("NC", "normalised cut, lower is better"),
        ("seconds", "of a second run: the first compiles loops and imports packages"),
        ("objectives", _WHY[objective]),
    ]
    if picture is not None:
        with console.stages("picture"):
            _draw(picture, graph, labels, digits.target)
        lines.append(("picture", picture))
    return {"nodes": graph.n_nodes, "edges": graph.n_edges, "objective": objective, "methods": found}, lines


def _check_picture(path):
    """Check that a picture can be drawn and written to `path`."""
    from importlib.util import find_spec

    from ..files.atomic import check_writable
    from ..plot._style import NEEDED

    if find_spec("matplotlib") is None:
        raise InputError(NEEDED)
    if os.path.splitext(path)[1].lower() not in _PICTURES:
        raise InputError(f"{path}: the name of a picture ends in {', '.join(_PICTURES)}")
    check_writable(path)


def _draw(path, graph, labels, digits):
    """Draw the graph, each cluster with the digit that most of its images show."""
    import numpy as np
    from matplotlib.figure import Figure

    from ..files.atomic import atomic_output
    from ..plot import graph_drawing

    figure = Figure(figsize=(6.4, 4.6), layout="constrained")
    names = {c: f"{np.bincount(digits[labels == c]).argmax()}s" for c in np.unique(labels[labels >= 0]).tolist()}
    graph_drawing(graph, labels, names=names, ax=figure.subplots())
    with atomic_output(path) as stream:
        figure.savefig(stream, format=os.path.splitext(path)[1][1:].lower(), dpi=150)
