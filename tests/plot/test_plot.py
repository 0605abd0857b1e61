"""Pictures: what is drawn, and that it can be read."""

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse as sp
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from scipy.cluster import hierarchy
from sklearn.datasets import make_blobs

import graphcore
from graphcore import plot
from graphcore.cluster.refine.merging import MergeTree
from graphcore.exceptions import InputError
from graphcore.metrics import ClusterSums, cut_and_volume, quotient_graph
from graphcore.plot import _style, quotient

from .layout import assert_readable, texts_of


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


def random_sums(k, seed=0):
    rng = np.random.default_rng(seed)
    return sums_like(np.maximum(1, rng.lognormal(4, 1.5, k).astype(int)), rng.random(k))


def dots(ax):
    return np.concatenate([np.asarray(c.get_offsets()) for c in ax.collections])


# -- shades ------------------------------------------------------------------------------------------------------------


def test_shades_can_be_told_apart_in_grey():
    luminances = [np.dot([0.2126, 0.7152, 0.0722], np.array(to_rgb(shade)) ** 2.2) for shade in _style.STEPS]
    assert all(a > b + 0.02 for a, b in pairwise(luminances))
    # Clusters whose shades are alike in grey have another shape.
    assert len(set(_style.SHAPES)) == len(_style.SHADES) == len(_style.SHAPES)
    every = [_style.INK, _style.MIDDLE, _style.FAINT, _style.PAPER, *_style.SHADES, *_style.STEPS]
    assert len(set(every)) == len(every)  # the report finds each one by its text
    assert len({_style.cluster_style(rank)[:2] for rank in range(36)}) == 36
    assert _style.cluster_style(36) == _style.cluster_style(0)


def test_clusters_side_by_side_have_other_shades():
    across, down = np.meshgrid(np.arange(6), np.arange(5))
    middles = np.column_stack([across.ravel(), down.ravel()]).astype(float)
    places = np.concatenate([middles - 0.3, middles + 0.3])
    order = np.random.default_rng(0).permutation(30)
    weights = 30 - np.argsort(order)
    ranks = _style.cluster_ranks(places, np.tile(np.arange(30), 2), np.tile(weights, 2))
    assert list(ranks) == order.tolist()
    styles = {c: _style.cluster_style(rank) for c, rank in ranks.items()}
    assert len({style[:2] for style in styles.values()}) == 30
    shade = {c: style[0] for c, style in styles.items()}
    beside = [(c, c + 1) for c in range(30) if c % 6 < 5] + [(c, c + 6) for c in range(24)]
    assert sum(shade[a] == shade[b] for a, b in beside) == 0


# Machado, Oliveira, Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", 2009: linear
# RGB as seen without one kind of cones.
SEEN = {
    "all cones": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]],
}


def seen_lab(shades, matrix):
    """Compute CIELAB of shades as seen with these cones."""
    rgb = np.array([to_rgb(shade) for shade in shades])
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(linear @ np.transpose(matrix), 0, 1)
    xyz = linear @ np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]).T
    x, y, z = np.cbrt(xyz / [0.95047, 1, 1.08883]).T
    return np.column_stack([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eyes", SEEN)
@pytest.mark.parametrize("where", ["pictures", "light page", "dark page"])
def test_shades_can_be_told_apart_by_the_colour_blind(eyes, where):
    style = Path(graphcore.__file__).with_name("report").joinpath("page.css").read_text()
    found = re.findall(r"--shade\d: (#\w{6})", style)
    shades = {"pictures": _style.SHADES, "light page": found[:6], "dark page": found[6:]}[where]
    assert len(shades) == 6
    lab = seen_lab(shades, SEEN[eyes])
    apart = np.linalg.norm(lab[:, None] - lab[None], axis=-1)[np.triu_indices(6, 1)]
    assert apart.min() > 25  # about 2 can just be seen side by side


# -- sizes -------------------------------------------------------------------------------------------------------------


def test_sizes_shows_every_cluster_that_holds_nodes():
    sums = sums_like([5, 100, 0, 40], [0.5, 0.1, 1.0, 0.3])
    ax = plot.cluster_sizes(sums)
    assert sorted(map(tuple, dots(ax).tolist())) == [(5, 0.5), (40, 0.3), (100, 0.1)]
    assert ax.get_xscale() == "log"
    assert ax.get_xlabel() == "nodes in the cluster (1 empty clusters not shown)"
    assert {text.get_text() for text in ax.texts} == {"0", "1", "3"}
    assert_readable(ax.figure)


def test_sizes_shades_by_stability():
    sums = sums_like([10, 20, 30], [0.1, 0.2, 0.3])
    ax = plot.cluster_sizes(sums, stability=[0.0, 0.5, 1.0])
    shades = {tuple(c.get_facecolor()[0][:3].round(6)): c.get_offsets()[0][0] for c in ax.collections}
    expected = {_style.STEPS[0]: 10, _style.STEPS[2]: 20, _style.STEPS[4]: 30}
    assert shades == {tuple(np.round(to_rgb(shade), 6)): size for shade, size in expected.items()}
    legend = ax.get_legend()
    assert legend.get_title().get_text() == "stability"
    assert legend.get_texts()[0].get_text() == "0.0 to 0.2"
    assert_readable(ax.figure)


@pytest.mark.parametrize("k", [1, 10, 5000])
def test_sizes_can_be_read_for_any_number_of_clusters(k):
    sums = random_sums(k)
    ax = plot.cluster_sizes(sums, stability=np.linspace(0, 1, k))
    assert len(dots(ax)) == k
    low, high = ax.get_xlim()
    assert low < sums.size.min() and sums.size.max() < high
    assert ax.get_ylim()[0] <= sums.conductance.min() and sums.conductance.max() <= ax.get_ylim()[1]
    texts = assert_readable(ax.figure)
    assert str(int(np.argmax(sums.conductance))) in texts
    assert len(ax.texts) <= 8


def test_names_do_not_cover_dots():
    ax = plot.cluster_sizes(random_sums(60, seed=3), n_named=30)
    spots = ax.transData.transform(dots(ax))
    names = [box for text, box in texts_of(ax.figure) if text in ax.texts]
    assert len(names) > 8
    assert not any(box.contains(*spot) for box in names for spot in spots)


# -- quotient graph ----------------------------------------------------------------------------------------------------


def disks(ax):
    return [(np.array(p.center), p.radius) for p in ax.patches]


def random_quotient(k, seed=0, density=0.3):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.random((k, k)) * (rng.random((k, k)) < density), 1)
    return sp.csr_array(A + A.T + np.diag(rng.random(k) * 3)), np.maximum(1, rng.lognormal(4, 1.5, k).astype(int))


@pytest.mark.parametrize("k", [1, 2, 12, 300])
def test_quotient_disks_do_not_overlap_and_lie_on_the_page(k):
    Q, sizes = random_quotient(k)
    ax = plot.quotient_graph(Q, sizes)
    found = disks(ax)
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


def test_quotient_shades_by_conductance_and_draws_the_links(planted):
    graph, model = planted
    Q = quotient_graph(graph, model.labels_)
    sums = cut_and_volume(graph, model.labels_)
    ax = plot.quotient_graph(Q, sums.size, n_links=2)
    order = np.argsort(-sums.size, kind="stable")
    shades = [patch.get_facecolor()[:3] for patch in ax.patches]
    steps = np.clip((sums.conductance[order] * 5).astype(int), 0, 4)
    assert shades == [to_rgb(_style.STEPS[step]) for step in steps]
    # Two links for each of eight clusters, of which a pair may have chosen each other.
    assert 8 <= len(ax.collections[0].get_segments()) <= 16
    assert sorted(text.get_text() for text in ax.texts) == [str(c) for c in range(8)]
    assert_readable(ax.figure)


def test_quotient_without_links_with_empty_clusters_and_with_long_names():
    ax = plot.quotient_graph(sp.csr_array(np.diag([2.0, 4.0, 0.0])), [2, 4, 0], names=["a", "b", "c"])
    assert len(ax.patches) == 2
    assert not ax.collections
    assert [text.get_text() for text in ax.texts] == ["b", "a"]
    ax = plot.quotient_graph(*random_quotient(40), names=[f"a very long name {c}" for c in range(40)])
    assert_readable(ax.figure)
    said = {text.get_text() for text in ax.texts}
    assert len(said) == 40 and not said <= {f"a very long name {c}" for c in range(40)}
    assert said <= {f"a very long name {c}" for c in range(40)} | set(map(str, range(40)))  # of what does not fit


@pytest.mark.parametrize("sizes", [[335, 81, 60, 40, 31], [335, 81, 200, 11, 1, 1], [10_000, 5_000, 3], [7]])
def test_quotient_disks_are_as_large_as_clusters_beside_the_largest(sizes):
    radii = np.array([radius for _, radius in disks(plot.quotient_graph(np.eye(len(sizes)), sizes))])
    sizes = np.sort(sizes)[::-1]
    true = radii[0] * np.sqrt(sizes / sizes[0])
    assert radii == pytest.approx(np.maximum(true, quotient._MIN_RADIUS))
    assert quotient._MIN_RADIUS < radii[0] <= quotient._MAX_RADIUS


def test_quotient_of_a_model_and_of_its_graph(planted):
    graph, model = planted
    matrix = plot.quotient_graph(quotient_graph(graph, model.labels_), model.summary()["size"])
    volumes = quotient_graph(graph, model.labels_).sum(axis=1)
    for ax in (plot.quotient_graph(model), plot.quotient_graph(model.quotient_graph_, model.summary()["size"])):
        for (centre, radius), (other, other_radius) in zip(disks(ax), disks(matrix), strict=True):
            assert np.allclose(centre, other)
            assert radius == pytest.approx(other_radius)
    drawn = disks(plot.quotient_graph(model.quotient_graph_))
    assert [radius for _, radius in drawn] == pytest.approx(np.sort(quotient.disk_radii(volumes))[::-1])


# -- map of the coreset ------------------------------------------------------------------------------------------------


def test_coordinates_are_those_of_a_dense_computation(planted):
    graph, model = planted
    labels, nodes = model.labels_, model.clustering_.coreset.indices[:40]
    chosen, points = plot.coreset_coordinates(graph, nodes, labels)
    A = graph.to_scipy().toarray()
    H = np.eye(8)[labels]
    between = H.T @ A @ H
    np.fill_diagonal(between, 0)
    between += between.sum() / 64
    root = np.sqrt(between.sum(axis=1))
    values, vectors = np.linalg.eigh(between / np.outer(root, root))
    assert np.diff(values)[-3:].min() > 1e-6  # otherwise the vectors would not be determined
    places = vectors[:, [-2, -3]] / root[:, None]
    walk = 0.5 * np.eye(len(A)) + 0.5 * A / A.sum(axis=1, keepdims=True)
    expected = (walk @ walk @ H @ places)[nodes]
    signs = np.sign((expected * points).sum(axis=0))
    np.testing.assert_allclose(points, expected * signs, atol=1e-6)
    assert chosen.tolist() == list(range(40))


def test_coordinates_of_a_sample_repeat(planted):
    graph, model = planted
    runs = [
        plot.coreset_coordinates(graph, model.clustering_.coreset.indices, model.labels_, most=50, random_state=seed)
        for seed in (1, 1, 2)
    ]
    assert len(runs[0][0]) == 50
    assert (np.diff(runs[0][0]) > 0).all()
    assert np.array_equal(runs[0][0], runs[1][0]) and np.array_equal(runs[0][1], runs[1][1])
    assert not np.array_equal(runs[0][0], runs[2][0])


@pytest.mark.parametrize(("k", "spread", "least"), [(4, 1.5, 0.9), (8, 0.1, 1.0), (2, 0.1, 1.0), (1, 1.0, 1.0)])
def test_vectors_are_drawn_in_the_disks_of_their_clusters(k, spread, least):
    # Clusters far apart, which have no edges between them, are drawn as well as those that touch.
    X, _ = make_blobs(200, centers=k, cluster_std=spread, random_state=0)
    model = graphcore.CoresetSpectralClustering(n_clusters=k, random_state=0).fit(X)
    drawn = {int(c.get_gid().split()[1]): c.get_offsets() for c in plot.node_map(model).collections}
    assert {c: len(points) for c, points in drawn.items()} == dict(enumerate(np.bincount(model.labels_).tolist()))
    points, own = np.concatenate(list(drawn.values())), np.repeat(list(drawn), list(map(len, drawn.values())))
    middles = np.array([points[own == c].mean(axis=0) for c in range(k)])
    nearest = np.square(points[:, None] - middles).sum(axis=2).argmin(axis=1)
    assert len(np.unique(points, axis=0)) == 200
    assert (nearest == own).mean() >= least


@pytest.mark.slow
def test_maps_of_vectors_are_samples_and_tell_what_is_left_out():
    X, _ = make_blobs(200, centers=4, cluster_std=1.5, random_state=0)
    model = graphcore.CoresetSpectralClustering(n_clusters=4, random_state=0).fit(X)
    ax = plot.node_map(model, most=30)
    assert sum(len(c.get_offsets()) for c in ax.collections) == 30
    assert ax.get_title(loc="left") == ""
    ax = plot.node_map(model.set_params(outliers=0.1).fit(X))
    n_apart = np.count_nonzero(model.labels_ < 0)
    assert ax.get_title(loc="left") == f"left out: {n_apart} of 200, without a cluster"
    assert sum(len(c.get_offsets()) for c in ax.collections) == 200 - n_apart
    assert_readable(ax.figure)
    graph, _ = graphcore.datasets.planted_partition(160, 8, p_in=0.9, p_out=0.001, random_state=0)
    many = graphcore.CoresetSpectralClustering(n_clusters=160, random_state=0).fit(graph)
    shown = np.sort(np.bincount(many.labels_[many.labels_ >= 0]))[-150:].sum()
    title = f"left out: {1280 - shown} of 1,280, without a cluster or in a small one"
    assert plot.node_map(many, most=5000).get_title(loc="left") == title


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_a_legend_is_inside_the_figure_whoever_made_it(layout):
    figure, ax = plt.subplots(layout=layout)
    graphcore.plot.graph_drawing(*graphcore.datasets.load_karate()[:2], ax=ax)
    figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    assert (box.min >= 0).all()
    assert (box.max <= figure.bbox.max).all()


def test_map_of_few_clusters_has_shapes_and_a_legend():
    rng = np.random.default_rng(0)
    points, weights = rng.normal(size=(60, 2)), rng.random(60)
    labels = np.repeat([0, 1, 2, -1], 15)
    ax = plot.coreset_map(points, weights, labels, names={2: "third"})
    assert len(ax.collections) == 3
    assert sum(len(c.get_offsets()) for c in ax.collections) == 45
    shapes = {c.get_paths()[0].vertices.tobytes() for c in ax.collections}
    assert len(shapes) == 3
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    mass = np.bincount(labels[:45], weights=weights[:45])
    assert legend == [{2: "third"}.get(c, str(c)) for c in np.argsort(-mass)]
    assert_readable(ax.figure)


@pytest.mark.parametrize("n_clusters", [3, 12])
def test_map_shows_outliers_that_have_a_name(n_clusters):
    rng = np.random.default_rng(0)
    labels = np.append(np.arange(120) % n_clusters, np.full(30, -1))
    ax = plot.coreset_map(rng.normal(size=(150, 2)), rng.random(150), labels, names={-1: "outliers"})
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert sorted(legend[:-1]) == (["0", "1", "2"] if n_clusters == 3 else [])
    assert legend[-1] == "outliers"
    assert [len(c.get_offsets()) for c in ax.collections] == [30] + [120 // n_clusters] * n_clusters
    assert_readable(ax.figure)


def test_map_of_many_clusters_names_them_where_there_is_room():
    rng, labels = np.random.default_rng(0), np.arange(800) % 80
    points = rng.normal(0, 10, (80, 2))[labels] + rng.normal(size=(800, 2))
    ax = plot.coreset_map(points, np.ones(800), labels)
    assert ax.get_legend() is None
    assert len(ax.collections) == 80
    assert 10 < len(ax.texts) <= 80
    assert_readable(ax.figure)


def test_map_marks_grow_with_weight_and_far_off_points_do_not_press_the_rest_together():
    areas = plot.coreset_map(np.eye(4)[:, :2], [1.0, 2.0, 3.0, 4.0], [0, 0, 0, 0]).collections[0].get_sizes()
    np.testing.assert_allclose(areas, areas[0] * np.arange(1, 5))
    points = np.random.default_rng(0).normal(size=(1000, 2))
    points[0] = 1e6
    ax = plot.coreset_map(points, np.ones(1000), np.zeros(1000, dtype=int))
    assert ax.get_xlim()[1] < 10
    assert len(ax.collections[0].get_offsets()) == 1000  # it is drawn at the border


# -- dendrogram --------------------------------------------------------------------------------------------------------


def random_tree(n, seed=0):
    rng = np.random.default_rng(seed)
    live, children = list(range(n)), []
    for i in range(n - 1):
        a, b = (live.pop(int(rng.integers(len(live)))) for _ in range(2))
        children.append((a, b))
        live.append(n + i)
    return MergeTree(np.array(children), np.sort(rng.random(n - 1)), np.ones(n, dtype=np.int64)).linkage()


@pytest.mark.parametrize(("n", "n_leaves"), [(2, 30), (30, 30), (200, 2), (5000, 40)])
def test_dendrogram_leaves_stand_for_all_groups(n, n_leaves):
    ax = plot.dendrogram(random_tree(n), n_leaves, names=[f"n{i}" for i in range(n)])
    leaves = [label.get_text() for label in ax.get_yticklabels()]
    assert len(leaves) == min(n, n_leaves)
    assert sum(1 if text.startswith("n") else int(text.split()[0].replace(",", "")) for text in leaves) == n
    assert len(ax.lines) == len(leaves) - 1
    assert_readable(ax.figure)


def test_dendrogram_and_its_top_are_scipys():
    linkage = random_tree(12)
    ours, theirs = plot.dendrogram(linkage, 12), hierarchy.dendrogram(linkage, no_plot=True)
    assert [tuple(line.get_xdata()) for line in ours.lines] == [tuple(heights) for heights in theirs["dcoord"]]
    assert [label.get_text() for label in ours.get_yticklabels()] == [f"group {i}" for i in theirs["leaves"]]
    linkage, shown = random_tree(50, seed=4), 7
    texts = [label.get_text() for label in plot.dendrogram(linkage, shown).get_yticklabels()]
    counts = sorted(1 if text.startswith("group") else int(text.split()[0]) for text in texts)
    assert counts == sorted(np.bincount(hierarchy.fcluster(linkage, shown, "maxclust"))[1:])
    assert sum(counts) == 50


def test_dendrogram_marks_the_cut():
    linkage = random_tree(20)
    ax = plot.dendrogram(linkage, 20, n_clusters=6)
    (mark,) = [line for line in ax.lines if line.get_linestyle() == "--"]
    heights = linkage[:, 2]
    assert heights[20 - 6 - 1] < mark.get_xdata()[0] < heights[20 - 6]
    assert "6 clusters" in assert_readable(ax.figure)


# -- curves ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("values", [None, [1.0], [2.0, 2.0], [1e-9, 1.1e-9, 1.11e-9], [-3.0, 0.0, 12345.678]])
def test_history_shows_every_stage(planted, values):
    history = [(f"stage {i}", value) for i, value in enumerate(values or ())] or planted[1].clustering_.history
    ax = plot.objective_history(history)
    assert [label.get_text() for label in ax.get_yticklabels()] == [name for name, _ in history]
    assert ax.lines[0].get_xdata().tolist() == [value for _, value in history]
    assert_readable(ax.figure)


def test_k_sweep_draws_sorted_curves_with_names():
    scores = {"normalised cut": [0.3, 0.1, 0.2], "stability": [0.7, 0.9, np.nan]}
    ax = plot.k_sweep([8, 2, 4], scores, errors={"stability": [0.1, 0.1, 0.1]}, chosen=2, label="score")
    curves = {c.get_label(): c.lines[0] for c in ax.containers}
    assert curves["normalised cut"].get_xdata().tolist() == [2, 4, 8]
    assert curves["normalised cut"].get_ydata().tolist() == [0.1, 0.2, 0.3]
    assert np.isnan(curves["stability"].get_ydata()[1])
    assert [c.has_yerr for c in ax.containers] == [False, True]
    looks = {(line.get_marker(), line.get_linestyle()) for line in curves.values()}
    assert len(looks) == 2
    assert "k = 2" in assert_readable(ax.figure)
    ax = plot.k_sweep([2, 4], MappingProxyType({"a": [1, 2]}), errors={"a": np.array([0.1, 0.1])})
    assert ax.containers[0].has_yerr
    assert plot.k_sweep([2, 4], [1, 2], errors=np.array([0.1, 0.1])).containers[0].has_yerr
    with pytest.raises(InputError, match="errors are of 'b', and scores of 'a'"):
        plot.k_sweep([2, 4], {"a": [1, 2]}, errors={"b": [0.1, 0.1]})


@pytest.mark.parametrize("ks", [[3], [2, 3], range(2, 14), range(2, 60), [2, 5, 10, 20, 50, 100, 1000], range(1, 300)])
def test_k_sweep_ticks_can_be_read(ks):
    ax = plot.k_sweep(list(ks), np.linspace(0, 1, len(ks)), chosen=ks[len(ks) // 2])
    assert ax.get_legend() is None
    texts = assert_readable(ax.figure)
    if len(ks) <= 12 and ks[-1] <= 20 * ks[0]:
        assert {str(k) for k in ks} <= set(texts)


# -- graph drawing -----------------------------------------------------------------------------------------------------


def test_drawing_has_every_node_and_clusters_lie_apart(planted):
    graph, model = planted
    ax = plot.graph_drawing(graph, model.labels_)
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


@pytest.mark.parametrize("labels", [[0, 0, 0, 0, 0], [0, 1, 2, 3, 4], [0, 0, -1, 1, 1], [0, 0, 2, 2, 2]])
def test_drawing_of_the_smallest_clusters(labels):
    graph = graphcore.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
    ax = plot.graph_drawing(graph, labels, n_edges=2, names={0: "first"})
    points = dots(ax)
    assert len(points) == np.count_nonzero(np.asarray(labels) >= 0) and np.isfinite(points).all()
    assert_readable(ax.figure)


# -- what cannot be drawn ----------------------------------------------------------------------------------------------

Q3 = random_quotient(3)
PATH = graphcore.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])
REFUSED = [
    (r"cut_and_volume.*got ndarray", lambda: plot.cluster_sizes(np.array([0, 0, 1]))),
    ("no cluster holds a node", lambda: plot.cluster_sizes(sums_like([0, 0], [1, 1]))),
    (r"stability has shape \(3,\)", lambda: plot.cluster_sizes(sums_like([1, 2], [1, 1]), stability=[1, 1, 1])),
    (r"sizes have shape \(4,\)", lambda: plot.quotient_graph(Q3[0], [1, 2, 3, 4])),
    (r"the matrix has shape \(2,", lambda: plot.quotient_graph([1, 2])),
    (r"the matrix has shape \(2,", lambda: plot.quotient_graph(Q3[0][:2])),
    ("2 names for 3 clusters", lambda: plot.quotient_graph(*Q3, names=["a", "b"])),
    ("no cluster", lambda: plot.quotient_graph(Q3[0], [0, 0, 0])),
    ("n_links=0", lambda: plot.quotient_graph(*Q3, n_links=0)),
    ("do not fit together: two coordinates", lambda: plot.coreset_map([[0, 0]], [1, 2], [0])),
    ("draws a fitted CoresetSpectralClustering, got ndarray", lambda: plot.node_map(np.eye(3))),
    ("no coreset node has a cluster", lambda: plot.coreset_map([[0, 0]], [1], [-1])),
    ("dendrogram draws a merge tree", lambda: plot.dendrogram(object())),
    ("linkage must have shape", lambda: plot.dendrogram(np.empty((0, 4)))),
    ("2 names for the 5 groups", lambda: plot.dendrogram(random_tree(5), names=["a", "b"])),
    ("n_leaves=1", lambda: plot.dendrogram(random_tree(5), 1)),
    ("n_clusters=6", lambda: plot.dendrogram(random_tree(5), n_clusters=6)),
    ("no balance was tried", lambda: plot.balance_choice(())),
    ("history is empty", lambda: plot.objective_history([])),
    (r"scores of 'a' have shape \(2,\)", lambda: plot.k_sweep([1, 2, 3], {"a": [1, 2]})),
    ("one number per point", lambda: plot.k_sweep([], [])),
    ("2 clusters", lambda: plot.coreset_coordinates(PATH, [0], [0, 0, 1, 1, 1])),
    ("0 clusters", lambda: plot.coreset_coordinates(PATH, [0], [-1] * 5)),
    (
        "3 clusters with weight 0 between them",
        lambda: plot.coreset_coordinates(np.kron(np.eye(3), np.ones((2, 2))), [0], [0, 0, 1, 1, 2, 2]),
    ),
    ("must be nodes", lambda: plot.coreset_coordinates(PATH, [5], [0, 0, 1, 1, 2])),
    ("no coreset node", lambda: plot.coreset_coordinates(PATH, np.empty(0, dtype=int), [0, 0, 1, 1, 2])),
    (r"5 nodes are more than can be drawn \(most=4\)", lambda: plot.graph_drawing(PATH, [0] * 5, most=4)),
    ("nothing to draw", lambda: plot.graph_drawing(PATH, [-1] * 5)),
]


@pytest.mark.parametrize(("said", "draw"), REFUSED)
def test_what_cannot_be_drawn_is_refused(said, draw):
    with pytest.raises(InputError, match=said):
        draw()


# -- matplotlib --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_picture_is_drawn_into_the_axes_given(planted):
    graph, model = planted
    sums = cut_and_volume(graph, model.labels_)
    chosen, points = plot.coreset_coordinates(graph, model.clustering_.coreset.indices, model.labels_)
    nodes = model.clustering_.coreset.indices[chosen]
    drawings = (
        lambda ax: plot.cluster_sizes(sums, ax=ax),
        lambda ax: plot.quotient_graph(quotient_graph(graph, model.labels_), sums.size, ax=ax),
        lambda ax: plot.coreset_map(points, model.clustering_.coreset.weights[chosen], model.labels_[nodes], ax=ax),
        lambda ax: plot.node_map(model, ax=ax),
        lambda ax: plot.graph_drawing(graph, model.labels_, ax=ax),
        lambda ax: plot.dendrogram(model.tree_.to_linkage(), ax=ax),
        lambda ax: plot.objective_history(model.clustering_.history, ax=ax),
        lambda ax: plot.balance_choice(model.clustering_.balances, chosen=model.balance_, ax=ax),
        lambda ax: plot.k_sweep([2, 3], [1, 2], ax=ax),
    )
    for draw in drawings:
        figure = Figure(layout="constrained")  # that pyplot does not know
        ax = figure.add_subplot()
        assert draw(ax) is ax
        assert_readable(figure)
    assert plt.get_fignums() == []


@pytest.mark.slow
def test_matplotlib_is_imported_when_it_is_needed_and_missed_with_a_remedy(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(InputError, match=r"pip install matplotlib \(or '.\[plot\]'"):
        plot.k_sweep([1, 2], [1, 2])
    code = "import graphcore, sys; graphcore.plot.cluster_sizes; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout.strip() == "False"
