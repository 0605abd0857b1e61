"""select_n_clusters: what it picks where the number is known, what it accepts and refuses, and its picture."""

import re
import warnings

import matplotlib as mpl
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_blobs

import graphcore
from graphcore import Graph, GraphWarning, InputError, ParameterError, select_n_clusters
from graphcore.cluster.n_clusters import METHODS, _Reading, default_candidates, sweep_coresets

from ...oracles import cliques, planted, shared_graph

CAVEMEN = nx.connected_caveman_graph(6, 10)


def blocks(k, size, seed, inside=15, outside=5):
    """A planted partition; nodes have so many neighbours inside and outside their block in the mean."""
    return graphcore.datasets.planted_partition(
        k, size, inside / size, outside / (size * (k - 1)), random_state=seed
    ).graph


def quietly(*args, **parameters):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)
        return select_n_clusters(*args, **parameters)


# -- what is picked ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("k", "size"), [(5, 200), (20, 200), (100, 100)])
def test_planted_blocks_are_counted_exactly(k, size):
    # Of 150 other graphs (50 for k = 100) none was missed. So, with confidence 0.95, one is missed with a probability
    # of at most 0.02 (0.06), and two or more of ten with one of at most 0.02 (0.12).
    found = [select_n_clusters(blocks(k, size, seed), random_state=seed) for seed in range(10)]
    assert sum(choice.best == k for choice in found) >= 9
    assert sum(choice.clear for choice in found) >= 9


@pytest.mark.parametrize("method", ["description-length", "eigengap"])
def test_other_methods_count_planted_blocks(method):
    found = [select_n_clusters(blocks(20, 100, seed), method=method, random_state=seed).best for seed in range(5)]
    assert found.count(20) >= 4


def test_description_length_counts_uneven_clusters_that_have_no_corner():
    # Within 1.25 were 10 of 10 other graphs by the length, and 1 of 10 by information.
    sizes = np.geomspace(800, 50, 12).astype(int)
    inside, outside = 15 / sizes.mean(), 5 / (sizes.sum() * 11 / 12)
    for seed in range(3):
        graph, _ = graphcore.datasets.planted_partition(12, sizes.tolist(), inside, outside, random_state=seed)
        assert 10 <= select_n_clusters(graph, method="description-length", random_state=seed).best <= 15


def test_blocks_of_uneven_degrees_and_sizes():
    graph, _ = graphcore.datasets.degree_corrected_partition(10, 300, mean_degree=14, random_state=0)
    assert select_n_clusters(graph, random_state=0).best == 10
    sizes = [400, 300, 200, 200, 150, 150]
    graph, _ = graphcore.datasets.planted_partition(6, sizes, 0.1, 0.004, random_state=0)
    assert quietly(graph, random_state=0).best == 6  # but 3 has nearly as sharp a corner


def test_weights_count():
    # Without its weights the graph has no blocks.
    rng = np.random.default_rng(0)
    A = np.triu(rng.random((300, 300)) < 0.1, 1).astype(float)
    labels = np.arange(300) % 3
    A[labels[:, None] == labels] *= 20
    A = A + A.T
    assert select_n_clusters(Graph.from_scipy(A), random_state=0).best == 3
    assert quietly(Graph.from_scipy((A > 0).astype(float)), random_state=0).best == 1


@pytest.mark.slow
def test_a_random_graph_has_one_cluster():
    # 60 other graphs: always 1.
    for seed in range(5):
        graph, _ = graphcore.datasets.planted_partition(1, 1500, 0.01, 0, random_state=seed)
        with pytest.warns(GraphWarning, match="k = 1, the least of the candidates.*pays for its description"):
            found = select_n_clusters(graph, random_state=seed)
        assert (found.best, found.clear) == (1, False)


def test_the_best_of_the_divisions_that_do_not_pay_is_named():
    graph, _ = graphcore.datasets.planted_partition(4, 100, 0.04, 0.01, random_state=0)
    with pytest.warns(GraphWarning, match="k = 1, the least of the candidates") as caught:
        found = select_n_clusters(graph, random_state=0)
    (message,) = [str(warning.message) for warning in caught]
    best = r"best of them, k = (\d+), gains (\S+) nats for each edge where its labels cost (\S+); a fit of that number"
    k, gain, cost = re.search(best, message).groups()
    information = found.curves["information (nats)"]
    assert int(k) == 2 + np.argmax(information[1:] / np.log(found.candidates[1:]))
    assert float(gain) == pytest.approx(information[int(k) - 1], rel=0.05)
    price = graph.n_nodes / (graph.n_entries / 2)
    assert float(cost) == pytest.approx(price * np.log(int(k)), rel=0.05)
    assert 0 < float(gain) < float(cost)
    with pytest.warns(GraphWarning, match="pays for its description$"):
        select_n_clusters(graph, [1], random_state=0)


@pytest.mark.parametrize(("slope", "is_clear"), [(0.1002, False), (0.15, True)])
def test_a_tiny_corner_is_chance(slope, is_clear):
    """Two clusters, one of a few nodes, whose labels are worth hardly more than the price of 0.1."""
    costs = np.array([0.0, 1e-4, 0.5, 1.0, 1.5])
    information = np.append(0.0, slope * costs[1] + 0.05 * (costs[1:] - costs[1]))
    reading = _Reading.of(information, costs, 0.1, np.arange(1, 6))
    assert (reading.best, reading.doubt is None) == (2, is_clear)


@pytest.mark.slow
def test_more_than_two_hundred_clusters_are_found():
    graph, _ = graphcore.datasets.planted_partition(300, 80, 12 / 80, 4 / 24_000, random_state=0)
    found = select_n_clusters(graph, random_state=0)
    assert (found.best, found.clear) == (300, True)
    assert select_n_clusters(graph, method="eigengap", random_state=0).candidates[-1] == 200  # or it takes too long


@pytest.mark.slow
@pytest.mark.parametrize("dimensions", [2, 10])
def test_nothing_stands_out_in_one_cloud(dimensions):
    # No cloud of 100 others in two dimensions, and of 60 in ten, was called clear. With confidence 0.95, the
    # probability that a cloud is called clear is at most 0.03 (0.05), and that of two or more of ten at most 0.04
    # (0.09).
    X = [np.random.default_rng(seed).random((1500, dimensions)) for seed in range(10)]
    assert sum(quietly(x, random_state=0).clear for x in X) <= 1


def test_components_are_counted():
    for sizes in ([10] * 7, [40, 30, 30, 20], [20] * 30):
        found = select_n_clusters(Graph.from_scipy(cliques(sizes, loops=False)), random_state=0)
        assert (found.best, found.clear) == (len(sizes), True)


def test_isolated_nodes_do_not_count():
    graph = blocks(5, 100, 0).to_scipy()
    grown = Graph.from_scipy(sp.block_diag([graph, sp.csr_array((50, 50))], format="csr"))
    found = select_n_clusters(grown, random_state=0)
    assert found.best == 5
    assert found.candidates[-1] == default_candidates(500)[-1]


@pytest.mark.slow
def test_digits():
    X = load_digits().data
    for seed in range(5):
        found = select_n_clusters(X, random_state=seed)
        assert 8 <= found.best <= 12
        assert found.clear


LARGER = [pytest.param(name, marks=pytest.mark.slow) for name in ("mnist-nn10", "pendigits-nn250")]


@pytest.mark.parametrize("name", ["pendigits-nn10", *LARGER])
def test_ten_digits_within_a_fifth(shared_data, name):
    graph = Graph.from_scipy(shared_graph(shared_data, name)[0])
    found = [select_n_clusters(graph, random_state=seed) for seed in range(4)]
    assert all(8 <= each.best <= 12 for each in found)
    assert sum(each.clear for each in found) >= 3


def test_even_growth_takes_the_last_candidate():
    # More blocks than are asked about: no corner is in reach.
    for graph in (blocks(64, 30, 0, inside=12, outside=2), Graph.from_scipy(cliques([6] * 64, loops=False))):
        with pytest.warns(GraphWarning, match="grows evenly up to k = 20"):
            found = select_n_clusters(graph, range(1, 21), random_state=0)
        assert (found.best, found.clear) == (20, False)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_parts_without_an_edge_between_them_are_counted_whatever_their_sizes(seed):
    # Of 60 other graphs, of 3 to 24 parts, none was missed.
    rng = np.random.default_rng(seed)
    sizes = np.maximum(30, 3000 * rng.dirichlet(np.full(15, 1.5))).astype(int)
    parts = [nx.random_regular_graph(8, int(n), seed=int(rng.integers(1 << 30))) for n in sizes]
    found = select_n_clusters(nx.disjoint_union_all(parts), random_state=seed)
    assert (found.best, found.clear) == (15, True)


@pytest.mark.slow
def test_uneven_clusters_are_counted_and_a_contradiction_is_told():
    # Of 20 such sets 10 to 12 were counted in 18. Against log k the sharpest corner of this one is at nine.
    rng = np.random.default_rng(4)
    shares = np.geomspace(1, 15, 12)
    sizes = (3000 * shares / shares.sum()).astype(int)
    X = np.concatenate([rng.normal(2 * rng.normal(size=8), 1.0, (size, 8)) for size in sizes])
    graph = graphcore.knn_graph(X, random_state=0)
    for seed in range(2):
        with pytest.warns(GraphWarning, match="at k = 12 if clusters may be uneven, and at 9 if they are of about one"):
            found = select_n_clusters(graph, random_state=seed)
        assert (found.best, found.clear) == (12, False)


def test_a_clear_number_is_clustered_at_balance_1_unless_another_is_given():
    graph, _ = planted(5, 60, 0.3, 0.01, 0)
    for given, used in (("auto", 1.0), (0.5, 0.5)):
        model = graphcore.CoresetSpectralClustering("auto", balance=given, random_state=0).fit(graph)
        assert (model.n_clusters_, model.selection_.clear, model.balance_) == (5, True, used)


# -- what the scores are -----------------------------------------------------------------------------------------------


def test_eigengaps_are_differences_of_eigenvalues():
    graph = blocks(5, 60, 0)
    found = select_n_clusters(graph, [2, 5, 8], method="eigengap", random_state=3)
    tree = sweep_coresets(graph, 9, random_state=3)[0].trees[0]
    A = np.zeros((tree.n_micro_clusters, tree.n_micro_clusters))
    for i in range(tree.n_micro_clusters):
        span = slice(tree.rows.indptr[i], tree.rows.indptr[i + 1])
        A[i, tree.rows.indices[span]] = tree.rows.weights[span]
    values = 1 - np.linalg.eigvalsh(A / np.sqrt(np.outer(A.sum(axis=0), A.sum(axis=0))))[::-1]
    np.testing.assert_allclose(found.scores, [values[k] - values[k - 1] for k in (2, 5, 8)], atol=1e-8)


def test_information_is_the_mean_over_coresets():
    graph = blocks(5, 100, 0)
    found = select_n_clusters(graph, range(1, 9), n_coresets=3, random_state=1)
    sweeps = sweep_coresets(graph, 9, n_coresets=3, random_state=1)
    expected = np.mean([sweep.information[:8] for sweep in sweeps], axis=0)
    np.testing.assert_allclose(found.curves["information (nats)"], expected)
    assert not np.array_equal(sweeps[0].information[:8], sweeps[1].information[:8])


@pytest.mark.filterwarnings("ignore:k = 1, the least:graphcore.GraphWarning")
def test_as_many_coresets_as_a_fit_takes_but_fewer_of_large_graphs(limits):
    graph = blocks(5, 100, 0)

    def scores(**parameters):
        return select_n_clusters(graph, range(1, 9), random_state=1, **parameters).scores

    for limit, n_coresets in ((1 << 22, 4), (2 * graph.n_entries, 2), (1, 1)):
        limits("graphcore.cluster.n_clusters", _ENTRIES=limit)
        np.testing.assert_array_equal(scores(), scores(n_coresets=n_coresets))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
def test_every_method_returns_one_of_the_candidates(method):
    candidates = [9, 3, 6, 6, 12]
    found = select_n_clusters(CAVEMEN, candidates, method=method, random_state=0)
    assert found.candidates.tolist() == [3, 6, 9, 12]
    assert found.best in (3, 6, 9, 12)
    assert found.method == method
    assert found.scores.shape == (4,)
    assert all(curve.shape == (4,) for curve in found.curves.values())
    if method != "information":
        assert found.clear is None
        assert found.best == found.candidates[np.nanargmax(found.scores)]
    again = select_n_clusters(CAVEMEN, candidates, method=method, random_state=0, n_jobs=2)
    np.testing.assert_array_equal(again.scores, found.scores)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("k", [1, 2, 60])
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
def test_a_single_candidate_is_picked(method, k):
    assert select_n_clusters(CAVEMEN, [k], method=method, random_state=0).best == k


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
def test_the_smallest_graphs(method):
    for edges in ([(0, 1)], [(0, 0)], [(0, 1), (2, 3)], [(0, 1), (1, 2)]):
        graph = Graph.from_edges(*zip(*edges, strict=True))
        assert 1 <= select_n_clusters(graph, method=method, random_state=0).best <= graph.n_nodes
    assert 1 <= select_n_clusters(np.array([[0.0], [1.0]]), method=method, random_state=0).best <= 2


def test_default_candidates():
    assert default_candidates(1).tolist() == [1]
    assert default_candidates(2).tolist() == [1, 2]
    assert default_candidates(100).tolist() == list(range(1, 21))
    assert default_candidates(1600).tolist() == list(range(1, 81))
    assert default_candidates(20_000).tolist() == list(range(1, 1001))
    assert default_candidates(10**7).tolist() == list(range(1, 2001))


# -- what goes in ------------------------------------------------------------------------------------------------------


def test_every_kind_of_graph_gives_the_same():
    graph = Graph.from_networkx(CAVEMEN)
    found = select_n_clusters(graph, random_state=0)
    assert found.best == 6
    for other in (CAVEMEN, graph.to_scipy(), sp.coo_matrix(graph.to_scipy())):
        np.testing.assert_array_equal(select_n_clusters(other, random_state=0).scores, found.scores)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, lambda X: X.tolist()])
def test_vectors_go_through_their_neighbour_graph(kind):
    X, _ = make_blobs(300, 3, centers=4, cluster_std=0.5, random_state=3)
    found = select_n_clusters(kind(X), n_neighbors=8, random_state=0)
    assert found.best == 4
    graph = graphcore.knn_graph(X, 8, random_state=0)
    np.testing.assert_array_equal(select_n_clusters(graph, random_state=0).scores, found.scores)


BAD = {
    "empty": ({"candidates": []}, r"candidates=\[\] is empty"),
    "an empty range": ({"candidates": range(5, 5)}, r"candidates=\[\] is empty"),
    "zero": ({"candidates": [0, 2]}, "candidates=0 must be at least 1"),
    "negative": ({"candidates": [-3]}, "candidates=-3 must be at least 1"),
    "above n": ({"candidates": [2, 61]}, r"candidates=61 must be at most 60 \(the nodes that have an edge\)"),
    "a float": ({"candidates": [2.5]}, "candidates=2.5 must be an integer, got float"),
    "a bool": ({"candidates": [True]}, "candidates=True must be an integer, got bool"),
    "a number": ({"candidates": 7}, "candidates=7 must be a sequence of integers"),
    "a word": ({"candidates": "23"}, "candidates='23' must be integers, such as range"),
    "method": ({"method": "elbow"}, "method='elbow' is not known; choose one of 'information'"),
    "method None": ({"method": None}, "method=None is not known"),
    "n_coresets": ({"n_coresets": 0}, "n_coresets=0 must be at least 1"),
    "random_state": ({"random_state": "seed"}, "random_state='seed'"),
    "n_jobs": ({"n_jobs": 0}, "n_jobs=0"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_parameters_are_named(case):
    parameters, message = BAD[case]
    with pytest.raises(ParameterError, match=message):
        select_n_clusters(CAVEMEN, **parameters)


@pytest.mark.parametrize(
    ("X", "parameters", "message"),
    [
        (sp.csr_array((5, 5)), {}, "all 5 nodes are isolated"),
        (sp.csr_array([[0, -1.0], [-1.0, 0]]), {}, "negative"),
        ([[0.0], [np.nan]], {}, "NaN"),
        (np.arange(3.0), {}, "vectors cannot be used.*2D"),
        ([[1.0]], {}, "minimum of 2"),
        ([["a"], ["b"]], {}, "cannot be used as vectors"),
        ({"a": 1}, {}, "an array or a graph is needed, got a dict"),
        (np.ones((4, 2)), {"n_neighbors": 0}, "n_neighbors=0 must be at least 1"),
        (np.ones((4, 2)), {"candidates": [5], "method": "penalty"}, r"candidates=5 must be at most 4 \(the vectors\)"),
    ],
)
def test_bad_input_is_refused(X, parameters, message):
    with pytest.raises(InputError, match=message):
        select_n_clusters(X, **parameters)


# -- the picture -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
def test_plot(method, tmp_path):
    found = select_n_clusters(CAVEMEN, range(1, 31), method=method, random_state=0)
    upper, lower = found.plot()
    for line, curve in zip(upper.lines, found.curves.values(), strict=False):
        np.testing.assert_array_equal(line.get_xdata(), found.candidates)
        np.testing.assert_array_equal(line.get_ydata(), curve)
    shown = np.isfinite(found.scores)
    np.testing.assert_array_equal(lower.lines[0].get_xdata(), found.candidates[shown])
    np.testing.assert_array_equal(lower.lines[0].get_ydata(), found.scores[shown])
    for ax, before in ((upper, len(found.curves)), (lower, 1)):
        assert len(ax.lines) == before + 1
        assert ax.lines[-1].get_xdata() == [found.best, found.best]
        assert ax.get_xscale() == "log"
    assert lower.get_xlabel() == "number of clusters k"
    assert method in lower.get_ylabel()
    assert upper.get_title() == f"k = {found.best}"
    names = [text.get_text() for text in upper.get_legend().get_texts()] if upper.get_legend() else [upper.get_ylabel()]
    assert names == list(found.curves)
    upper.figure.savefig(tmp_path / "choice.png")
    assert (tmp_path / "choice.png").stat().st_size > 1000


def test_plot_into_given_axes():
    found = select_n_clusters(CAVEMEN, range(1, 11), random_state=0)
    given = mpl.figure.Figure().subplots(2, 1)
    assert found.plot(given)[0] is given[0]
    assert given[0].get_xscale() == "linear"
    assert len(given[0].lines) == 3


def test_clear_corners_are_not_warned_about():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert select_n_clusters(planted(4, 100, 0.2, 0.01, 2)[0], random_state=0).clear
