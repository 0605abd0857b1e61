"""The number of clusters: what is picked where it is known, corners against dense references, and what is refused."""

import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

import graphcore
from graphcore import CoresetSpectralClustering, Graph, GraphWarning, ParameterError, select_n_clusters
from graphcore.cluster import n_clusters as module
from graphcore.cluster.refine.problem import Problem

from ..oracles import cliques, planted, quick, shared_graph
from ..partitions import value_of
from ..strategies import linked_adjacencies

CAVEMEN = nx.connected_caveman_graph(6, 10)


def blocks(k, size, seed, inside=15, outside=5):
    """A planted partition; nodes have so many neighbours inside and outside their block in the mean."""
    return graphcore.datasets.planted_partition(
        k, size, inside / size, outside / (size * (k - 1)), random_state=seed
    ).graph


def quietly(*args, **parameters):
    with warnings.catch_warnings(action="ignore", category=GraphWarning):
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


@pytest.mark.slow
@pytest.mark.parametrize("dimensions", [2, 10])
def test_nothing_stands_out_in_one_cloud(dimensions):
    # No cloud of 100 others in two dimensions, and of 60 in ten, was called clear. With confidence 0.95, the
    # probability that a cloud is called clear is at most 0.03 (0.05), and that of two or more of ten at most 0.04
    # (0.09).
    X = [np.random.default_rng(seed).random((1500, dimensions)) for seed in range(10)]
    assert sum(quietly(x, random_state=0).clear for x in X) <= 1


def test_components_are_counted_and_isolated_nodes_are_not():
    for sizes in ([10] * 7, [40, 30, 30, 20], [20] * 30):
        found = select_n_clusters(Graph.from_scipy(cliques(sizes, loops=False)), random_state=0)
        assert (found.best, found.clear) == (len(sizes), True)
    grown = Graph.from_scipy(sp.block_diag([blocks(5, 100, 0).to_scipy(), sp.csr_array((50, 50))], format="csr"))
    found = select_n_clusters(grown, random_state=0)
    assert found.best == 5
    assert found.candidates[-1] == module.default_candidates(500)[-1]


@pytest.mark.slow
def test_ten_digits_within_a_fifth(shared_data):
    graph = Graph.from_scipy(shared_graph(shared_data, "pendigits-nn10")[0])
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


# -- scores ------------------------------------------------------------------------------------------------------------


curves = st.lists(st.floats(0, 1), min_size=1, max_size=25).map(lambda gains: np.concatenate([[0.0], np.cumsum(gains)]))


@quick
@given(curves, st.integers(0, 99))
def test_hull_is_the_largest_chord_above_each_point(information, seed):
    y = information + 0.1 * np.random.default_rng(seed).standard_normal(len(information))
    x = np.log(np.arange(1, len(y) + 1))
    kept = module.concave_hull(x, y)
    hull = np.interp(x, x[kept], y[kept])
    for i in range(len(y)):
        chords = [y[i]] + [
            y[a] + (y[b] - y[a]) * (x[i] - x[a]) / (x[b] - x[a]) for a in range(i) for b in range(i + 1, len(y))
        ]
        assert hull[i] == pytest.approx(max(chords), abs=1e-12)
    assert (np.diff(np.diff(y[kept]) / np.diff(x[kept])) < 1e-9).all()


def corners_of(information, costs, price):
    return module.information_corners(information, costs, price, np.arange(1, len(costs) + 1))


@quick
@given(curves, st.sampled_from([0.0, 0.1, 0.4]))
def test_a_score_is_the_range_of_prices_at_which_its_k_is_best(gains, price):
    n = len(gains)
    x = np.log(np.arange(1, n + 1))
    # Slopes between 0 and 1, as information has them but for noise.
    information = np.concatenate([[0.0], np.cumsum(np.diff(gains) * np.diff(x))])
    corners = corners_of(information, x, price)
    prices = price + (1 - price) * (np.arange(20_000) + 0.5) / 20_000
    best = np.argmax(information[:, None] - prices * x[:, None], axis=0)
    shares = (1 - price) * np.bincount(best, minlength=n) / 20_000
    if n > 1:
        assert corners.scores[0] == 0
        assert np.isnan(corners.scores[-1])
    np.testing.assert_allclose(corners.scores[1:-1], shares[1:-1], atol=2e-4)


@pytest.mark.parametrize(
    ("turns", "doubt"),
    [
        ({10: 0.4}, None),
        ({10: 0.4, 20: 0.15}, None),
        ({10: 0.4, 20: 0.17}, "of 0.4, is at k = 10, and one of 0.17 at 20"),
        ({4: 0.17, 10: 0.4}, "of 0.4, is at k = 10, and one of 0.17 at 4"),
        ({8: 0.3, 10: 0.4, 12: 0.1}, None),  # within a quarter: the same number, about
        ({10: 0.02}, None),  # how sharp it is matters in comparison alone
        ({33: 0.4}, "is at k = 33, and little is known of larger ones"),
    ],
)
def test_a_corner_stands_out_if_no_other_number_has_one_nearly_as_sharp(turns, doubt):
    ks = np.arange(1, 41)
    slopes = 0.9 - sum(fall * (ks[1:] > k) for k, fall in turns.items())
    information = np.concatenate([[0.0], np.cumsum(slopes * np.diff(np.log(ks)))])
    corners = corners_of(information, np.log(ks), 0.01)
    assert {int(k): pytest.approx(corners.scores[k - 1]) for k in ks[:-1][corners.scores[:-1] > 0]} == turns
    assert corners.best == int(np.nanargmax(corners.scores)) + 1
    assert (corners.doubt is None) if doubt is None else (doubt in corners.doubt)


@pytest.mark.parametrize(("slope", "is_clear"), [(0.1002, False), (0.15, True)])
def test_a_tiny_corner_is_chance(slope, is_clear):
    """Two clusters, one of a few nodes, whose labels are worth hardly more than the price of 0.1."""
    costs = np.array([0.0, 1e-4, 0.5, 1.0, 1.5])
    information = np.append(0.0, slope * costs[1] + 0.05 * (costs[1:] - costs[1]))
    corners = corners_of(information, costs, 0.1)
    assert (corners.best, corners.doubt is None) == (2, is_clear)


def test_price_of_labels_is_nodes_over_edges_whatever_the_unit_of_weights():
    G = nx.barabasi_albert_graph(60, 3, seed=0)
    A = Graph.from_networkx(G).to_scipy()
    grown = sp.block_diag([A, sp.csr_array((3, 3))], format="csr")  # isolated nodes have no label
    for matrix in (A, 2.5 * A, grown):
        assert module.label_price(Graph.from_scipy(matrix)) == pytest.approx(60 / G.number_of_edges())
    weights = np.array([1.0, 2.0, 0.5, 4.0])
    for scale in (1.0, 1e-200, 1e200):
        graph = Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], weights=scale * weights)
        assert module.effective_edges(graph) == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


# -- the sweep ---------------------------------------------------------------------------------------------------------


@quick
@given(linked_adjacencies(3, 30), st.integers(0, 99))
def test_information_and_entropy_are_those_of_the_trees_partitions(drawn, seed):
    A, _ = drawn
    graph, linked = Graph.from_scipy(A, warn=False), A.sum(axis=1) > 0
    cells = np.where(linked, np.arange(len(A)), -1).astype(np.int32)
    tree, information, entropy = module._merged(Problem(graph.rows, 1).between(cells, len(A)))
    for k in range(1, np.count_nonzero(linked) + 1):
        labels = np.where(linked, tree.labels_at(k + np.count_nonzero(~linked)), -1)
        if len(np.unique(labels[linked])) != k:  # nodes without edges have merged before others
            continue
        labels[linked] = np.unique(labels[linked], return_inverse=True)[1]
        at = k + np.count_nonzero(~linked) - 1
        assert information[at] == pytest.approx(value_of("information", A, labels, k), abs=1e-9)
        shares = np.bincount(labels[linked], A.sum(axis=1)[linked]) / A.sum()
        assert entropy[at] == pytest.approx(-(shares * np.log(shares)).sum(), abs=1e-9)


@pytest.mark.slow
def test_the_sweep_does_not_depend_on_threads_and_knows_as_many_clusters_as_are_asked_about(limits):
    graph, _ = planted(6, 150, 0.1, 0.01, 0)
    one, two = (module.sweep_coresets(graph, 20, 3, 4, n_jobs) for n_jobs in (None, 2))
    np.testing.assert_array_equal(one, two)
    assert len(one[0]) >= 20 and (np.diff(one[1]) > 0).all()
    limits("graphcore.cluster.refine.problem", _MANY_ENTRIES=1000)
    assert select_n_clusters(graph, random_state=0).best == 6
    information, _ = module.sweep_coresets(Graph.from_scipy(cliques([12] * 8, loops=False)), 20, random_state=0)
    np.testing.assert_allclose(information[[0, 1, 3, 7]], np.log([1, 2, 4, 8]), atol=1e-12)
    for n_clusters in (1, 29, 30):
        graph = Graph.from_scipy(cliques([10, 10, 10], loops=False))
        assert len(module.sweep_coresets(graph, n_clusters, random_state=0)[0]) >= n_clusters


# -- what goes in ------------------------------------------------------------------------------------------------------


def test_candidates():
    found = quietly(CAVEMEN, [9, 3, 6, 6, 12], random_state=0)
    assert found.candidates.tolist() == [3, 6, 9, 12]
    assert (found.best, found.method, found.scores.shape) == (6, "information", (4,))
    assert all(curve.shape == (4,) for curve in found.curves.values())
    for k in (1, 2, 60):
        assert quietly(CAVEMEN, [k], random_state=0).best == k
    # Six cliques: of numbers beside six the nearest is best, and stands out where no sharper corner is far from it.
    near = select_n_clusters(CAVEMEN, [2, 5, 9], random_state=0)
    assert (near.best, near.clear) == (5, True)
    with pytest.warns(GraphWarning, match=r"the sharpest corner, of 0\.\d+, is at k = 4, and one of 0\.\d+ at 6"):
        assert select_n_clusters(CAVEMEN, [4, 12], random_state=0).best == 4
    assert quietly(CAVEMEN, [4, 5, 6, 7, 8], random_state=0).best == 6
    for n, last in ((1, 1), (2, 2), (100, 20), (1600, 80), (20_000, 1000), (10**7, 2000)):
        assert module.default_candidates(n).tolist() == list(range(1, last + 1))
    for bad, said in (
        ([], r"candidates=\[\] is empty"), ("23", "candidates='23' must be integers, such as range"),
        ([2, 61], r"candidates=61 must be at most 60 \(the nodes that have an edge\)"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=said):
            select_n_clusters(CAVEMEN, bad)


def test_the_least_candidate_has_no_corner_for_being_the_least():
    x = np.log(np.arange(1, 41))
    corners = module.information_corners(x - x**2 / 8, x, 0.01, np.array([8, 10, 12, 14, 16]))
    assert corners.score < 0.1 and "at k = " in corners.doubt


@pytest.mark.slow
def test_every_kind_of_graph_gives_the_same_and_vectors_go_through_theirs():
    graph = Graph.from_networkx(CAVEMEN)
    found = select_n_clusters(graph, random_state=0)
    for other in (CAVEMEN, graph.to_scipy(), sp.coo_matrix(graph.to_scipy())):
        np.testing.assert_array_equal(select_n_clusters(other, random_state=0).scores, found.scores)
    X, _ = make_blobs(300, 3, centers=4, cluster_std=0.5, random_state=3)
    found = select_n_clusters(X, n_neighbors=8, random_state=0)
    assert found.best == 4
    graph = graphcore.knn_graph(X, 8, random_state=0)
    np.testing.assert_array_equal(select_n_clusters(graph, random_state=0).scores, found.scores)


# -- n_clusters="auto" of the class ------------------------------------------------------------------------------------


def test_auto_chooses_and_fits(limits):
    model = CoresetSpectralClustering("auto", random_state=0).fit(CAVEMEN)
    assert model.n_clusters_ == model.selection_.best == model.clustering_.settings.n_clusters == 6
    assert (model.selection_.clear, model.balance_) == (True, 1.0)  # a clear number is that of balance 1
    given = CoresetSpectralClustering(6, random_state=0).fit(CAVEMEN)
    np.testing.assert_array_equal(model.labels_, given.labels_)
    assert (given.n_clusters_, given.selection_) == (6, None)
    with pytest.warns(GraphWarning, match="k = 6 stands out without limits of size, and 6 clusters are as small or as"):
        model = CoresetSpectralClustering("auto", min_cluster_size=10, random_state=0).fit(CAVEMEN)
    assert (model.n_clusters_, model.selection_.clear) == (6, False)
    limits("graphcore.cluster.fit", _STEADY=1.01)
    with pytest.warns(GraphWarning, match=r"k = 6 stands out on its curve, .* \(stability 1\.00\); compare other"):
        model = CoresetSpectralClustering("auto", random_state=0).fit(CAVEMEN)
    assert (model.n_clusters_, model.selection_.clear) == (6, False)


@pytest.mark.slow
def test_a_number_whose_clusters_change_with_the_seed_is_not_clear():
    rng, n, k = np.random.default_rng(3), 20_000, 50  # a mean degree of 3
    sources = rng.integers(0, n, 30_000)
    others = rng.integers(0, n // k, len(sources)) * k + sources % k
    targets = np.where(rng.random(len(sources)) < 0.8, others, rng.integers(0, n, len(sources)))
    with pytest.warns(GraphWarning, match="stands out on its curve, and its clusters change with the seed"):
        model = CoresetSpectralClustering("auto", random_state=0).fit(Graph.from_edges(sources, targets, n_nodes=n))
    assert not model.selection_.clear and not 0.8 < model.n_clusters_ / k < 1.25


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize(
    ("parameters", "weight", "least", "most"),
    [
        ({"min_cluster_size": 20}, None, 1, 3),
        ({"min_cluster_size": 200}, 10.0, 1, 3),
        pytest.param({"max_cluster_size": 25, "min_cluster_size": 0.25}, None, 3, 4, marks=pytest.mark.slow),
        pytest.param({"max_cluster_size": 0.05}, 0.01, 20, 20, marks=pytest.mark.slow),
        ({"coreset_size": 4}, None, 1, 4),
        ({}, 0.01, 1, 15),
    ],
)
def test_other_parameters_bound_the_candidates(parameters, weight, least, most):
    weights = None if weight is None else np.full(60, weight)
    for chosen in ({"n_clusters": "auto"}, {"n_clusters": None, "resolution": 2}):
        model = CoresetSpectralClustering(random_state=0, **chosen, **parameters).fit(CAVEMEN, sample_weight=weights)
        assert model.selection_.candidates.tolist() == list(range(least, most + 1))
        assert least <= model.n_clusters_ <= most


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
def test_equal_rows_count_each_for_a_fit_that_chooses():
    rows = np.random.default_rng(0).normal(size=(40, 2)).repeat(3, axis=0)
    model = CoresetSpectralClustering("auto", min_cluster_size=50, random_state=0).fit(rows)
    assert model.selection_.candidates.tolist() == [1, 2]


@pytest.mark.slow
def test_the_number_of_modularity_is_taken_where_the_edges_support_no_division():
    G = nx.les_miserables_graph()
    with pytest.warns(GraphWarning, match="do not clearly support a division.*modularity gives 6, and k = 6 is"):
        model = CoresetSpectralClustering("auto", random_state=0).fit(G)
    chosen = model.selection_
    assert (chosen.best, chosen.method, chosen.clear, model.n_clusters_) == (6, "modularity", False, 6)
    with pytest.warns(GraphWarning, match="k = 1, the least of the candidates.*; modularity gives 6$"):
        assert select_n_clusters(G, random_state=0).best == 1
    with pytest.warns(GraphWarning, match="modularity gives 6, and k = 3 is taken"):
        assert CoresetSpectralClustering("auto", min_cluster_size=20, random_state=0).fit(G).n_clusters_ == 3
    with pytest.warns(GraphWarning, match="resolution=1 finds one cluster.*larger resolution.*objective="):
        assert CoresetSpectralClustering(None, resolution=1, random_state=0).fit(G).n_clusters_ == 1
