"""The default path on sparse graphs: merge tree, sizes, history, components."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from graphcore import Graph, open_graph, write_graph
from graphcore.cluster.pipeline import cluster_graph
from graphcore.cluster.refine import problem as quotient_module
from graphcore.cluster.refine.problem import apply_labels
from graphcore.cluster.settings import resolve_settings

from ...oracles import cliques, permuted, planted, quick, random_adjacency, with_weights
from ...partitions import same_partition, value_of

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*isolated:graphcore.GraphWarning"),
    pytest.mark.filterwarnings("ignore:only .* clusters hold nodes:graphcore.GraphWarning"),
]

SETTINGS = {
    "default": {},
    "one draft": {"effort": "fast"},
    "ncut": {"objective": "ncut"},
    "exact": {"eigen_solver": "exact"},
    "search": {"effort": 6},
}
names = pytest.mark.parametrize("name", sorted(SETTINGS))


def run(graph, k, seed=0, n_jobs=None, **options):
    return cluster_graph(graph, resolve_settings(graph, k, **options), random_state=seed, n_jobs=n_jobs)


@st.composite
def sparse_graphs(draw):
    """(Graph, dense matrix, number of nodes with an edge)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(3, 40))
    A = random_adjacency(n, draw(st.sampled_from([0.05, 0.1, 0.3])), rng, weighted=draw(st.booleans()), loops=0.2)
    assume(A.any())
    return Graph.from_scipy(A), A, int((A.sum(axis=1) > 0).sum())


# -- sizes, history, tree --------------------------------------------------------------------------------------------


@pytest.mark.slow
@names
@quick
@given(case=sparse_graphs(), seed=st.integers(0, 99), data=st.data())
def test_results_hold_together_on_random_graphs(name, case, seed, data):
    graph, A, n_linked = case
    k = data.draw(st.integers(1, n_linked))
    least = data.draw(st.integers(1, n_linked // k))
    size = data.draw(st.integers(k, n_linked))
    result = run(graph, k, seed, min_cluster_size=least, **SETTINGS[name], coreset_size=size)
    linked = A.sum(axis=1) > 0
    np.testing.assert_array_equal(result.labels >= 0, linked)
    sizes = np.bincount(result.labels[linked], minlength=k)
    assert len(sizes) == k
    assert sizes.min() >= least
    objective = result.settings.record if result.settings.entropy_price else result.settings.objective
    if result.history:
        assert result.history[-1][1] == pytest.approx(value_of(objective, A, result.labels, k), abs=1e-9)
        values = [value for _, value in result.history]
        assert values[1] >= values[0] - 1e-11
        if least == 1:
            # Growing clusters to a least size and filling empty ones may cost; moves and recombining never do.
            assert all(later >= earlier - 1e-11 for earlier, later in pairwise(values))
    tree = result.merge_tree
    assert np.isfinite(tree.heights).all()
    used = len(np.unique(result.group_labels))
    assert same_partition(tree.labels_at(used), result.group_labels)
    np.testing.assert_array_equal(result.groups >= 0, linked)
    np.testing.assert_array_equal(tree.leaf_sizes, np.bincount(result.groups[linked]))
    np.testing.assert_array_equal(apply_labels(result.group_labels, result.groups), result.labels)


@names
def test_the_merge_tree_passes_through_the_clusters(name):
    graph, truth = planted(5, 60, 0.3, 0.01, 0)
    result = run(graph, 5, **SETTINGS[name], coreset_size=100)
    tree = result.merge_tree
    assert same_partition(apply_labels(tree.labels_at(5), result.groups), result.labels)
    assert adjusted_rand_score(truth, result.labels) >= 0.8
    for k in range(1, min(40, tree.n_leaves)):
        assert len(np.unique(apply_labels(tree.labels_at(k), result.groups))) == k


@pytest.mark.slow
@names
@pytest.mark.parametrize("least", [10, 30, 60, 0.2])
def test_no_cluster_is_smaller_than_the_least_size(name, least):
    # Preferential attachment has no clusters of any size to offer, and the pure normalised cut wants whiskers.
    graph = Graph.from_networkx(nx.barabasi_albert_graph(300, 2, seed=1))
    labels = run(graph, 5, min_cluster_size=least, **SETTINGS[name], coreset_size=60).labels
    assert np.bincount(labels, minlength=5).min() >= (60 if least == 0.2 else least)


def test_everything_but_time_is_the_same_for_any_number_of_threads():
    graph, _ = planted(5, 60, 0.2, 0.06, 0)
    one = run(graph, 5, 3, 1, coreset_size=60)
    assert "2 drafts recombined" in dict(one.history) and one.node_stability.min() < 1
    for n_jobs in (2, 3):
        other = run(graph, 5, 3, n_jobs, coreset_size=60)
        assert one.history == other.history
        for name in ("labels", "groups", "group_labels", "node_stability", "cluster_stability"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        np.testing.assert_array_equal(one.merge_tree.linkage(), other.merge_tree.linkage())


def test_more_effort_finds_more_and_says_when():
    graph, _ = planted(30, 15, 0.35, 0.02, 0)
    values = []
    for effort, n_drafts in (("fast", 1), (2, 2), ("default", 4), (10, 10)):
        result = run(graph, 30, effort=effort, coreset_size=100)
        assert result.search.n_drafts == n_drafts
        assert result.history[-1][1] == result.search.values[-1]
        assert (np.diff(result.search.values) >= 0).all() and (np.diff(result.search.seconds) > 0).all()
        values.append(result.history[-1][1])
    assert sorted(values) == values and values[0] < values[-1]
    assert [name for name, _ in result.history] == [
        "draft", "moves", "cycles", *(f"{n} drafts recombined" for n in (2, 4, 8, 10)),
    ]  # fmt: skip
    limited = run(graph, 30, time_limit=0.0, coreset_size=100)
    assert limited.search.n_drafts == 2 and len(limited.search.values) == 1


def test_stability_is_high_where_clusters_are_clear_and_low_where_there_are_none():
    graph, _ = planted(5, 60, 0.3, 0.005, 0)
    clear = run(graph, 5, coreset_size=100)
    assert clear.node_stability.min() == 1 and clear.cluster_stability.min() == 1
    # A random graph of the same degrees has no clusters; each draft finds its own.
    noise = run(Graph.from_networkx(nx.gnm_random_graph(300, graph.n_edges, seed=0)), 5, coreset_size=100)
    assert noise.node_stability.mean() < 0.9
    alone = run(graph, 5, effort="fast", coreset_size=100)
    assert alone.node_stability is None and alone.cluster_stability is None


# -- components ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["information", "ncut"])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 6])
def test_three_cliques_with_fewer_as_many_and_more_clusters(objective, k):
    A, order = permuted(cliques([30, 20, 10], loops=False), np.random.default_rng(k))
    truth = np.repeat([0, 1, 2], [30, 20, 10])[order]
    for seed in range(3):
        labels = run(Graph.from_scipy(A), k, seed, objective=objective).labels
        assert set(labels) == set(range(k))
        if k < 3:  # cliques are united whole
            assert all(len(set(labels[truth == c])) == 1 for c in range(3))
        if k >= 3:  # no cluster reaches over two cliques
            assert all(len(set(truth[labels == c])) == 1 for c in range(k))
    if k == 2 and objective == "information":
        # The two small ones go together: that keeps most of what an edge tells.
        assert same_partition(labels, np.minimum(truth, 1))


def test_many_components_are_packed_whole():
    # 40 triangles and squares into 6 clusters: nothing needs to be cut, and the clusters come out even.
    sizes = [3, 4] * 20
    A = cliques(sizes, loops=False)
    component = np.repeat(np.arange(40), sizes)
    labels = run(Graph.from_scipy(A), 6).labels
    assert all(len(set(labels[component == c])) == 1 for c in range(40))
    volumes = np.bincount(labels, weights=A.sum(axis=1))
    assert volumes.max() <= 2 * volumes.min()


def test_a_small_coreset_still_gives_all_clusters():
    # As many coreset nodes as clusters: on a star the hub's row is as large at a leaf's place as the leaf's own.
    star = Graph.from_networkx(nx.star_graph(40))
    for seed in range(5):
        assert len(set(run(star, 12, seed, coreset_size=12).labels)) == 12


# -- what it takes, and graphs of all sizes ----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [12, 60])
@pytest.mark.parametrize(("inner", "across"), [(50.0, 1.0), (1.0, 0.2), (1.0, 1e-3)])
def test_complete_graphs_with_two_halves(n, inner, across):
    # All weights in a half are alike, so that no pair of nodes is better than another to begin with.
    A = np.full((n, n), across)
    A[: n // 2, : n // 2] = A[n // 2 :, n // 2 :] = inner
    np.fill_diagonal(A, 0)
    graph = Graph.from_scipy(sp.csr_array(A))
    for seed in range(3):
        labels = cluster_graph(graph, resolve_settings(graph, 2), random_state=seed).labels
        assert same_partition(labels, np.arange(n) < n // 2)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_a_graph_that_counts_as_huge_is_clustered_from_the_disk(tmp_path, limits, weighted):
    """One draft, rows of one step, one sweep, a third of the links: the blocks are found, for any threads."""
    graph, truth = planted(8, 250, 0.08, 0.002, 0)
    graph = with_weights(graph, 0.5, 1.5) if weighted else graph
    limits(quotient_module, _MANY_ENTRIES=graph.n_entries - 1, _SAMPLED_ENTRIES=graph.n_entries // 3)
    limits("graphcore.graphs.passes", _ENTRIES_PER_BLOCK=5000)
    settings = resolve_settings(graph, 8, coreset_size=200)
    assert settings.max_drafts == 1
    write_graph(graph, tmp_path / "g.store")
    found = cluster_graph(graph, settings, random_state=0)
    for n_jobs in (1, 2):
        stored = cluster_graph(open_graph(tmp_path / "g.store"), settings, random_state=0, n_jobs=n_jobs)
        np.testing.assert_array_equal(stored.labels, found.labels)
    assert adjusted_rand_score(truth, found.labels) > 0.95
    assert [name for name, _ in found.history] == ["draft", "moves"]
    assert found.merge_tree.labels_at(8).max() == 7


@pytest.mark.slow
@pytest.mark.parametrize("most", [4, 8])
def test_clusters_are_found_where_only_strong_links_between_micro_clusters_are_kept(limits, most):
    # Sparse, so that hardly two links between micro-clusters are alike: with their whole volumes, missing links counted
    # as cut, and one cluster took everything.
    limits(quotient_module, _FEW_LINKS=1, _MIN_COMPRESSION=100, _MAX_LINKS=most)
    graph, truth = planted(6, 2000, 8 / 2000, 3 / 10_000, 0)
    for seed in range(2):
        found = run(graph, 6, seed, effort="fast")
        on = found.labels >= 0
        assert adjusted_rand_score(truth[on], found.labels[on]) > 0.95
        assert found.settings.balance == 1.0
