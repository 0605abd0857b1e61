"""Labels that stay, labels to start from, and limits from above, from fit to labels."""

import numpy as np
import pytest

from graphcore import CoresetSpectralClustering, Graph, GraphWarning, InputError, ParameterError
from graphcore.datasets import degree_corrected_partition
from graphcore.metrics import agreement, cut_and_volume

from ...oracles import planted


@pytest.fixture(scope="module")
def uneven():
    """A graph whose clusters are of very different sizes, and of degrees."""
    graph, truth = degree_corrected_partition(4, [300, 100, 60, 40], mean_degree=16, mixing=0.1, random_state=0)[:2]
    return graph, truth


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.slow
@pytest.mark.parametrize("k", [2, 4, 7])
def test_limits_from_above_hold(uneven, k):
    graph, _ = uneven
    n = graph.n_nodes - graph.n_isolated
    most = -(-n // k)
    free = CoresetSpectralClustering(k, random_state=0).fit(graph).labels_
    for limits in ({"max_share": 1.03}, {"max_cluster_size": most}, {"max_share": 1.2, "max_cluster_size": 1.2 / k}):
        for more in ({}, {"effort": "fast"}, {"effort": 6}) if k == 4 else ({},):
            labels = CoresetSpectralClustering(k, random_state=0, **limits, **more).fit(graph).labels_
            sums = cut_and_volume(graph, labels, k)
            assert sums.volume.max() <= limits.get("max_share", np.inf) * sums.volume.mean() * (1 + 1e-9)
            size = limits.get("max_cluster_size", n)
            assert sums.size.max() <= (size if isinstance(size, int) else round(size * n)) and sums.size.sum() == n
            np.testing.assert_array_equal(labels < 0, graph.degrees == 0)
            assert sums.cut.sum() < 0.8 * graph.volume * (1 - 1 / k)  # far from what chance cuts
    loose = CoresetSpectralClustering(k, max_share=float(k), random_state=0).fit(graph).labels_
    assert agreement(loose, free)["ari"] > 0.8


@pytest.mark.slow
def test_balanced_parts_of_a_grid_are_compact():
    # Into 4 squares of 16 x 16 the grid of 32 x 32 is cut along 64 edges.
    place = np.arange(1024).reshape(32, 32)
    sources = np.concatenate([place[:, :-1].ravel(), place[:-1].ravel()])
    targets = np.concatenate([place[:, 1:].ravel(), place[1:].ravel()])
    graph = Graph.from_edges(sources, targets)
    model = CoresetSpectralClustering(4, max_cluster_size=260, random_state=0).fit(graph)
    again = CoresetSpectralClustering(4, max_cluster_size=260, random_state=0, n_jobs=2).fit(graph)
    np.testing.assert_array_equal(model.labels_, again.labels_)
    assert np.bincount(model.labels_).max() <= 260
    assert np.count_nonzero(model.labels_[sources] != model.labels_[targets]) <= 90


def test_limits_that_cannot_be_kept_are_refused():
    star = Graph.from_edges(np.zeros(30, dtype=int), np.arange(1, 31))
    with pytest.raises(ParameterError, match=r"n_clusters=3 clusters were found that keep to max_share=1\.1"):
        CoresetSpectralClustering(3, max_share=1.1, random_state=0).fit(star)  # its centre is half of the volume
    graph, _ = planted(3, 20, 0.5, 0.05, 0)
    with pytest.raises(ParameterError, match=r"max_cluster_size=25: .* too many are fixed"):
        CoresetSpectralClustering(3, max_cluster_size=25, random_state=0).fit(
            graph, np.where(np.arange(60) < 30, 0, -1)
        )


def test_labels_that_stay():
    graph, truth = planted(5, 80, 0.15, 0.03, 0)
    rng = np.random.default_rng(0)
    names = rng.permutation(5)[truth]
    known = rng.random(400) < 0.1
    y = np.where(known, names, -1)
    model = CoresetSpectralClustering(5, random_state=0).fit(graph, y)
    np.testing.assert_array_equal(model.labels_[known], y[known])
    np.testing.assert_array_equal(CoresetSpectralClustering(5, random_state=0).fit_predict(graph, y), model.labels_)
    assert (model.labels_ == names).mean() > 0.97
    y[np.flatnonzero(known)[:5]] = (names[np.flatnonzero(known)[:5]] + 1) % 5  # wrong ones stay as well
    model = CoresetSpectralClustering(5, random_state=0, effort=6, max_share=1.1).fit(graph, y)
    np.testing.assert_array_equal(model.labels_[y >= 0], y[y >= 0])
    # Of two classes that the graph does not tell apart, the labels do.
    halves = np.where(truth == 0, np.arange(400) % 2, truth + 1)
    y = np.where((rng.random(400) < 0.3) | (np.arange(400) % 100 == 0), halves, -1)
    model = CoresetSpectralClustering(6, random_state=0).fit(graph, y)
    np.testing.assert_array_equal(model.labels_[y >= 0], y[y >= 0])
    assert (model.labels_ == halves)[truth > 0].mean() > 0.95


def test_labels_of_some_clusters_alone():
    graph, truth = planted(4, 60, 0.2, 0.02, 0)
    y = np.full(240, -1)
    y[:10] = 3  # nodes of the first cluster
    model = CoresetSpectralClustering(4, random_state=0).fit(graph, y)
    assert (model.labels_[truth == 0] == 3).mean() > 0.95 and agreement(model.labels_, truth)["ari"] > 0.95


def test_a_start_keeps_its_numbers():
    graph, truth = planted(5, 60, 0.2, 0.02, 0)
    rng = np.random.default_rng(0)
    start = np.where(rng.random(300) < 0.2, -1, np.where(rng.random(300) < 0.2, rng.integers(0, 5, 300), 4 - truth))
    kept = start.copy()
    model = CoresetSpectralClustering(5, random_state=0).fit(graph, initial_labels=start)
    assert (model.labels_ == 4 - truth).mean() > 0.98
    np.testing.assert_array_equal(start, kept)
    assert (
        model.clustering_.history[0][0] == "draft"
        and model.clustering_.history[-1][1] >= model.clustering_.history[0][1]
    )
    assert model.stability_ is None
    assert agreement(model.tree_.labels_at(5), model.labels_)["ari"] == 1.0
    again = CoresetSpectralClustering(5, random_state=0).fit(graph, initial_labels=model.labels_)
    assert agreement(again.labels_, model.labels_)["ari"] > 0.97
    # A component without labels joins the smallest cluster.
    two = Graph.from_edges([0, 0, 1, 3, 3, 4, 6], [1, 2, 2, 4, 5, 5, 7])
    labels = CoresetSpectralClustering(2).fit(two, initial_labels=[0, 0, 0, 1, -1, -1, -1, -1]).labels_
    assert labels[:6].tolist() == [0, 0, 0, 1, 1, 1] and labels[6] == labels[7]


@pytest.mark.slow
def test_what_y_means():
    graph, _ = planted(3, 40, 0.3, 0.02, 0)
    free = CoresetSpectralClustering(3, random_state=0).fit(graph).labels_
    other = (free + 1) % 3
    marked, ragged = np.where(other > 0, other, -1).astype(float), [[1], [1, 2]]
    for ignored in (other, other.astype(float), other.astype(str), marked, ragged, None):
        np.testing.assert_array_equal(CoresetSpectralClustering(3, random_state=0).fit(graph, ignored).labels_, free)
    half = np.where(np.arange(120) % 2, other, -1)
    never = CoresetSpectralClustering(3, random_state=0).fit(graph, half, labels=np.full(120, -1))
    np.testing.assert_array_equal(never.labels_, free)
    for n_clusters, more in ((None, {"objective": "modularity"}), ([2, 3], {})):  # which keep to no labels
        model = CoresetSpectralClustering(n_clusters, random_state=0, **more)
        expected = model.fit(graph).labels_
        np.testing.assert_array_equal(model.fit(graph, half, labels=np.full(120, -1)).labels_, expected)
    for y, labels in ((half, None), (None, half), (free, other), (half.tolist(), None)):
        model = CoresetSpectralClustering(3, random_state=0).fit(graph, y, labels=labels)
        np.testing.assert_array_equal(model.labels_, other)


REFUSED = {
    "too large": ("y", np.append(3, np.full(119, -1)), ParameterError, "stay go up to 3; with n_clusters=3 they run"),
    "too short": ("y", np.array([0, -1]), InputError, r"labels that stay have shape \(2,\)"),
    "floats": ("labels", np.full(120, 0.5), InputError, "labels that stay must be integers"),
    "a start too large": ("initial_labels", np.arange(120), ParameterError, "initial_labels go up to 119"),
    "a start of nothing": ("initial_labels", np.full(120, -1), InputError, "initial_labels give no node"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_wrong_use_is_refused(case):
    name, given, error, message = REFUSED[case]
    graph, _ = planted(3, 40, 0.3, 0.02, 0)
    with pytest.raises(error, match=message):
        CoresetSpectralClustering(3).fit(graph, **{name: given})


def test_limits_where_there_is_one_group_to_merge():
    graph = Graph.from_edges([0, 1], [1, 2], n_nodes=5)
    with pytest.warns(GraphWarning, match="isolated"):
        model = CoresetSpectralClustering(1, max_share=1.3, random_state=0).fit(graph)
    assert model.labels_.tolist() == [0, 0, 0, -1, -1]
