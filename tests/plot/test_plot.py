"""Pictures: what is drawn, and that it can be read."""

import re
from itertools import pairwise

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from scipy.spatial.distance import pdist

import graphcore
from graphcore import metrics, plot
from graphcore.base.colors import COLORS
from graphcore.cluster.refine.merging import MergeTree
from graphcore.exceptions import InputError
from graphcore.metrics import ClusterSums
from graphcore.plot import _style

from .layout import assert_readable


@pytest.fixture(autouse=True)
def no_figures_left():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def planted():
    """A planted partition of 8 clusters, and its fit."""
    graph, _ = graphcore.datasets.planted_partition(8, 60, 0.3, 0.02, random_state=0)
    return graph, graphcore.CoresetSpectralClustering(8, random_state=0).fit(graph)


def sums_like(sizes, conductance):
    sizes, conductance = np.asarray(sizes), np.asarray(conductance, dtype=float)
    volume = 10.0 * sizes
    return ClusterSums((1 - conductance) * volume, volume, conductance * volume, sizes)


def dots(ax):
    return np.concatenate([np.asarray(c.get_offsets()) for c in ax.collections])


def test_clusters_differ_in_colour_or_shape_and_shades_in_grey():
    luminances = [np.dot([0.2126, 0.7152, 0.0722], np.array(to_rgb(shade)) ** 2.2) for shade in _style.STEPS]
    assert all(a > b + 0.02 for a, b in pairwise(luminances))
    assert len({_style.cluster_style(c) for c in range(120)}) == 120
    assert _style.cluster_style(120) == _style.cluster_style(0)
    every = [_style.INK, _style.MIDDLE, _style.PAPER, *COLORS, *_style.STEPS]
    assert len(set(every)) == len(every)  # the report finds each one by its text


def test_forty_colours_are_far_apart_for_the_eye_and_visible_on_any_paper():
    """In OKLab (Ottosson 2020), where neighbouring steps of a scale of greys with ten steps differ by .1."""
    linear = np.array([to_rgb(color) for color in COLORS]) ** 2.2
    cones = linear @ [[0.4122, 0.2119, 0.0883], [0.5363, 0.6807, 0.2817], [0.0514, 0.1074, 0.6300]]
    lab = np.cbrt(cones) @ [[0.2105, 1.9780, 0.0259], [0.7936, -2.4286, 0.7828], [-0.0041, 0.4506, -0.8087]]
    assert len(COLORS) == 40 and pdist(lab).min() > 0.09
    light = linear @ [0.2126, 0.7152, 0.0722]
    assert (1.05 / (light + 0.05)).min() > 1.5 and ((light + 0.05) / 0.059).min() > 2


def test_sizes_shows_every_cluster_that_holds_nodes():
    sums = sums_like([5, 100, 0, 40], [0.5, 0.1, 1.0, 0.3])
    ax = plot.cluster_sizes(sums)
    assert sorted(map(tuple, dots(ax).tolist())) == [(5, 0.5), (40, 0.3), (100, 0.1)]
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "nodes in the cluster (1 empty clusters not shown)"
    assert {text.get_text() for text in ax.texts} == {"0", "1", "3"}
    assert_readable(ax.figure)


@pytest.mark.parametrize("k", [1, pytest.param(10, marks=pytest.mark.slow), 5000])
def test_sizes_can_be_read_for_any_number_of_clusters(k):
    rng = np.random.default_rng(0)
    sums = sums_like(np.maximum(1, rng.lognormal(4, 1.5, k).astype(int)), rng.random(k))
    ax = plot.cluster_sizes(sums, stability=np.linspace(0, 1, k))
    assert len(dots(ax)) == k
    low, high = ax.get_xlim()
    assert low < sums.size.min() and sums.size.max() < high
    assert ax.get_ylim()[0] <= sums.conductance.min() and sums.conductance.max() <= ax.get_ylim()[1]
    texts = assert_readable(ax.figure)
    assert str(int(np.argmax(sums.conductance))) in texts
    assert len(ax.texts) <= 8


def random_clusters(k):
    """Return a graph of k stars of many sizes, whose middles are linked at random, their labels, and the sizes."""
    rng = np.random.default_rng(0)
    sizes = np.maximum(2, rng.lognormal(4, 1.5, k).astype(int))
    labels = np.repeat(np.arange(k), sizes)
    middles = np.cumsum(sizes) - sizes
    A = np.triu(rng.random((k, k)) * (rng.random((k, k)) < 0.3), 1)
    a, b = np.nonzero(A)
    sources, targets = np.append(middles[labels], middles[a]), np.append(np.arange(len(labels)), middles[b])
    graph = graphcore.Graph.from_edges(sources, targets, np.append(np.ones(len(labels)), A[a, b]))
    return graph, labels, sizes


@pytest.mark.parametrize("k", [1, 2, 12, 300])
def test_quotient_disks_do_not_overlap_and_lie_on_the_page(k):
    graph, labels, sizes = random_clusters(k)
    ax = plot.quotient_graph(graph, labels)
    found = [(np.array(p.center), p.radius) for p in ax.patches]
    assert len(found) == min(k, 40)
    for i, (centre, radius) in enumerate(found):
        for other, other_radius in found[:i]:
            assert np.hypot(*(centre - other)) > radius + other_radius
        (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
        assert left <= centre[0] - radius and centre[0] + radius <= right
        assert low <= centre[1] - radius and centre[1] + radius <= high
    assert_readable(ax.figure)
    assert {text.get_text() for text in ax.texts} <= {str(c) for c in np.argsort(-sizes, kind="stable")[:40]}
    assert ax.get_title() == ("" if k <= 40 else "the 40 largest of 300 clusters")


@pytest.mark.slow
def test_quotient_draws_clusters_in_their_colours_the_links_and_labels_given_beside_a_model(planted):
    ax = plot.quotient_graph(planted[1])
    assert {patch.get_gid(): patch.get_facecolor()[:3] for patch in ax.patches} == {
        f"clusters {c}": to_rgb(COLORS[c]) for c in range(8)
    }
    # Three links for each of eight clusters, of which a pair may have chosen each other.
    assert 12 <= len(ax.collections[0].get_segments()) <= 24
    assert sorted(text.get_text() for text in ax.texts) == [str(c) for c in range(8)]
    assert_readable(ax.figure)
    model, labels = planted[1], np.arange(480) % 7
    assert len(plot.quotient_graph(model, labels).patches) == len(dots(plot.cluster_sizes(model, labels))) == 7
    assert len(plot.quotient_graph(nx.path_graph(3)).patches) == 3


def random_tree(n, seed=0):
    rng = np.random.default_rng(seed)
    live, children = list(range(n)), []
    for i in range(n - 1):
        a, b = (live.pop(int(rng.integers(len(live)))) for _ in range(2))
        children.append((a, b))
        live.append(n + i)
    return MergeTree(np.array(children), np.sort(rng.random(n - 1)), np.ones(n, dtype=np.int64)).linkage()


def test_leaves_of_a_dendrogram_stand_for_all_groups_and_the_cut_is_marked():
    ax = plot.dendrogram(random_tree(200), 7, names=[f"n{i}" for i in range(200)])
    leaves = [label.get_text() for label in ax.get_yticklabels()]
    assert len(leaves) == 7
    assert sum(1 if text.startswith("n") else int(text.split()[0]) for text in leaves) == 200
    assert_readable(ax.figure)
    texts = [label.get_text() for label in plot.dendrogram(random_tree(12), 12).get_yticklabels()]
    assert sorted(texts) == sorted(f"group {i}" for i in range(12))
    linkage = random_tree(20)
    ax = plot.dendrogram(linkage, 20, n_clusters=6)
    (mark,) = [line for line in ax.lines if line.get_linestyle() == "--"]
    heights = linkage[:, 2]
    assert heights[20 - 6 - 1] < mark.get_xdata()[0] < heights[20 - 6]
    assert "6 clusters" in assert_readable(ax.figure)


def test_leaves_of_a_model_are_its_clusters_by_name_or_unions_of_them(planted):
    graph, model = planted
    names = [label.get_text() for label in plot.dendrogram(model).get_yticklabels()]
    central = metrics.central_nodes(graph, model.labels_, count=2)
    assert sorted(names) == [f"{c} (60): {', '.join(map(str, nodes))}" for c, nodes in enumerate(central)]
    assert len(plot.dendrogram(model.tree_, 12).get_yticklabels()) == 12
    ax = plot.dendrogram(model, 3)
    found = [re.match(r"(\d+) clusters \(|\d+ \(", label.get_text())[1] for label in ax.get_yticklabels()]
    assert len(found) == 3 and sum(int(count or 1) for count in found) == 8
    assert_readable(ax.figure)


@pytest.mark.slow
def test_drawing_has_every_node_and_clusters_lie_apart(planted):
    graph, model = planted
    assert len(dots(plot.graph_drawing(model.subgraph(0)))) == np.count_nonzero(model.labels_ == 0)
    ax = plot.graph_drawing(model)
    assert len(dots(ax)) == graph.n_nodes
    by_cluster = {c.get_gid(): np.asarray(c.get_offsets()) for c in ax.collections}
    assert {gid: len(points) for gid, points in by_cluster.items()} == {
        f"clusters {c}": size for c, size in enumerate(np.bincount(model.labels_))
    }
    hulls = {patch.get_gid(): patch.get_path() for patch in ax.patches if patch.get_gid() in by_cluster}
    assert hulls.keys() == by_cluster.keys()
    for gid, hull in hulls.items():
        assert hull.contains_points(by_cluster[gid]).all()
        strangers = np.concatenate([points for other, points in by_cluster.items() if other != gid])
        assert hull.contains_points(strangers).mean() < 0.05
    assert {text.get_text() for text in ax.texts} <= set(map(str, range(8)))
    assert_readable(ax.figure)


PATH = graphcore.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
REFUSED = [
    ("no cluster holds a node", lambda: plot.cluster_sizes(sums_like([0, 0], [1, 1]))),
    ("no cluster", lambda: plot.quotient_graph(PATH, [-1] * 5)),
    ("is no fitted CoresetSpectralClustering", lambda: plot.dendrogram(graphcore.KernelKMeans(2))),
    ("n_clusters=6", lambda: plot.dendrogram(random_tree(5), n_clusters=6)),
    ("n_leaves=1 must be at least 2", lambda: plot.dendrogram(random_tree(5), 1)),
    ("names has 1 values for 5 groups", lambda: plot.dendrogram(random_tree(5), names=["a"])),
    ("names has 1 values for 2 clusters", lambda: plot.quotient_graph(PATH, [0, 0, 1, 1, 1], names=["a"])),
    ("stability has 1 values for 2 clusters", lambda: plot.cluster_sizes(PATH, [0, 0, 1, 1, 1], stability=[1.0])),
    ("one cluster has no tree", lambda: plot.dendrogram(np.empty((0, 4)))),
    (
        "3,001 nodes are more than",
        lambda: plot.graph_drawing(graphcore.Graph.from_edges(range(3000), range(1, 3001)), [0] * 3001),
    ),
    ("nothing to draw", lambda: plot.graph_drawing(PATH, [-1] * 5)),
]


@pytest.mark.parametrize(("said", "draw"), REFUSED)
def test_what_cannot_be_drawn_is_refused(said, draw):
    with pytest.raises(InputError, match=said):
        draw()


@pytest.mark.slow
def test_every_picture_is_drawn_into_the_axes_given(planted):
    graph, model = planted
    drawings = (
        lambda ax: plot.cluster_sizes(model, ax=ax),
        lambda ax: plot.quotient_graph(model, ax=ax),
        lambda ax: plot.graph_drawing(graph, model.labels_, ax=ax),
        lambda ax: plot.dendrogram(model, ax=ax),
    )
    for draw in drawings:
        figure = Figure(layout="constrained")  # that pyplot does not know
        ax = figure.add_subplot()
        assert draw(ax) is ax
        assert_readable(figure)
    assert plt.get_fignums() == []
