"""From a graph to labels: drafts, balance, search, limits, levels, threads, and awkward graphs."""

import warnings
from itertools import pairwise
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from graphcore import CoresetSpectralClustering, Graph, GraphWarning, ParameterError, knn_graph, open_graph, write_graph
from graphcore.base.streams import Streams
from graphcore.cluster import pipeline, spectral
from graphcore.cluster.refine import problem as problem_module
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.refine.problem import Partition, apply_labels, cluster_sums
from graphcore.cluster.settings import resolve_settings
from graphcore.datasets import planted_partition

from .. import strategies as own
from ..oracles import cliques, dense, planted, quick, random_adjacency, with_weights
from ..partitions import check_model, same_partition, value_of
from ..strategies import problem_of

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*isolated:graphcore.GraphWarning"),
    pytest.mark.filterwarnings("ignore:only .* clusters hold nodes:graphcore.GraphWarning"),
]

SETTINGS = {"default": {}, "one draft": {"effort": "fast"}, "ncut": {"objective": "ncut"}, "search": {"effort": 6}}
names = pytest.mark.parametrize("name", sorted(SETTINGS))


def run(graph, k, seed=0, n_jobs=None, **options):
    return pipeline.cluster_graph(graph, resolve_settings(graph, k, **options), random_state=seed, n_jobs=n_jobs)


def test_clusters_of_a_free_number_are_connected():
    graph = Graph.from_edges(range(7), range(1, 8))
    settings = resolve_settings(graph, None, objective="modularity")
    labels, k = pipeline.largest_first(graph.rows, np.array([0, 0, 1, 1, 1, 0, 2, 2], dtype=np.int32), settings)
    assert (labels.tolist(), k) == ([1, 1, 0, 0, 0, 3, 2, 2], 4)


# -- the result --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@names
@quick
@given(case=own.linked_adjacencies(3, 40), seed=st.integers(0, 99), data=st.data())
def test_results_hold_together_on_random_graphs(name, case, seed, data):
    A, linked = case[0], case[0].sum(axis=1) > 0
    graph, n_linked = Graph.from_scipy(A), np.count_nonzero(linked)
    k = data.draw(st.integers(1, n_linked))
    least = data.draw(st.integers(1, n_linked // k))
    size = data.draw(st.integers(k, n_linked))
    result = run(graph, k, seed, min_cluster_size=least, **SETTINGS[name], coreset_size=size)
    np.testing.assert_array_equal(result.labels >= 0, linked)
    sizes = np.bincount(result.labels[linked], minlength=k)
    assert len(sizes) == k
    assert sizes.min() >= least
    assert result.history[-1][1] == pytest.approx(value_of(result.settings.record, A, result.labels, k), abs=1e-9)
    values = [value for _, value in result.history]
    assert values[1] >= values[0] - 1e-11
    if least == 1:
        # Growing clusters to a least size and filling empty ones may cost; moves and recombining never do.
        assert all(later >= earlier - 1e-11 for earlier, later in pairwise(values))
    tree = result.merge_tree
    assert np.isfinite(tree.heights).all()
    used = len(np.unique(result.leaves[1]))
    assert same_partition(tree.labels_at(used), result.leaves[1])
    np.testing.assert_array_equal(result.leaves[0] >= 0, linked)
    np.testing.assert_array_equal(tree.leaf_sizes, np.bincount(result.leaves[0][linked]))
    np.testing.assert_array_equal(apply_labels(result.leaves[1], result.leaves[0]), result.labels)


@pytest.mark.slow
def test_everything_but_time_is_the_same_for_any_number_of_threads():
    graph, _ = planted(5, 60, 0.2, 0.06, 0)
    one = run(graph, 5, 3, 1, coreset_size=60)
    assert "2 drafts recombined" in dict(one.history) and one.node_stability.min() < 1
    for n_jobs in (2, 3):
        other = run(graph, 5, 3, n_jobs, coreset_size=60)
        assert one.history == other.history
        for name in ("labels", "node_stability", "cluster_stability"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))
        for mine, others in zip(one.leaves[:2], other.leaves[:2], strict=True):
            np.testing.assert_array_equal(mine, others)
        np.testing.assert_array_equal(one.merge_tree.linkage(), other.merge_tree.linkage())
    assert not np.array_equal(one.labels, run(graph, 5, 4, coreset_size=60).labels)


@pytest.mark.slow
def test_more_effort_finds_more():
    graph, _ = planted(30, 15, 0.35, 0.02, 0)
    values = []
    for effort, n_drafts in (("fast", 1), (2, 2), ("default", 4), (10, 10)):
        result = run(graph, 30, effort=effort, coreset_size=100)
        assert result.n_drafts == n_drafts
        values.append(result.history[-1][1])
    assert sorted(values) == values and values[0] < values[-1]
    assert [name for name, _ in result.history] == [
        "draft", "moves", "cycles", *(f"{n} drafts recombined" for n in (2, 4, 8, 10)),
    ]  # fmt: skip


def test_stability_is_high_where_clusters_are_clear_and_low_where_there_are_none():
    graph, _ = planted(5, 60, 0.3, 0.005, 0)
    clear = run(graph, 5, coreset_size=100)
    assert clear.node_stability.min() == 1 and clear.cluster_stability.min() == 1
    # A random graph of the same degrees has no clusters; each draft finds its own.
    noise = run(Graph.from_networkx(nx.gnm_random_graph(300, graph.n_edges, seed=0)), 5, coreset_size=100)
    assert noise.node_stability.mean() < 0.9
    alone = run(graph, 5, effort="fast", coreset_size=100)
    assert alone.node_stability is None and alone.cluster_stability is None


# -- graphs that end badly elsewhere -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["information", "ncut"])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 6])
def test_three_cliques_with_fewer_as_many_and_more_clusters(objective, k):
    order = np.random.default_rng(k).permutation(60)
    A, truth = cliques([30, 20, 10], loops=False)[np.ix_(order, order)], np.repeat([0, 1, 2], [30, 20, 10])[order]
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


def test_a_small_coreset_still_gives_all_clusters():
    # As many coreset nodes as clusters: on a star the hub's row is as large at a leaf's place as the leaf's own.
    star = Graph.from_networkx(nx.star_graph(40))
    for seed in range(5):
        assert len(set(run(star, 12, seed, coreset_size=12).labels)) == 12


@pytest.mark.parametrize("across", [1.0, pytest.param(10.0, marks=pytest.mark.slow), 0.05])
def test_complete_graphs_with_two_halves(across):
    # All weights in a half are alike, so that no pair of nodes is better than another to begin with.
    for n in (12, 60):
        A = np.full((n, n), across)
        A[: n // 2, : n // 2] = A[n // 2 :, n // 2 :] = 50.0
        np.fill_diagonal(A, 0)
        for seed in range(2):
            assert same_partition(run(Graph.from_scipy(sp.csr_array(A)), 2, seed).labels, np.arange(n) < n // 2)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_a_graph_that_counts_as_huge_is_clustered_from_the_disk(tmp_path, limits, weighted):
    """One draft, rows of one step, one sweep, a third of the links: the blocks are found, for any threads."""
    graph, truth = planted(8, 250, 0.08, 0.002, 0)
    graph = with_weights(graph, 0.5, 1.5) if weighted else graph
    limits(problem_module, _MANY_ENTRIES=graph.n_entries - 1, _SAMPLED_ENTRIES=graph.n_entries // 3)
    limits("graphcore.graphs.rows", _ENTRIES_PER_BLOCK=5000)
    settings = resolve_settings(graph, 8, coreset_size=200)
    assert settings.max_drafts == 1
    write_graph(graph, tmp_path / "g.store")
    found = pipeline.cluster_graph(graph, settings, random_state=0)
    for n_jobs in (1, 2):
        stored = pipeline.cluster_graph(open_graph(tmp_path / "g.store"), settings, random_state=0, n_jobs=n_jobs)
        np.testing.assert_array_equal(stored.labels, found.labels)
    assert adjusted_rand_score(truth, found.labels) > 0.95
    assert [name for name, _ in found.history] == ["draft", "moves"]
    assert found.merge_tree.labels_at(8).max() == 7


@pytest.mark.slow
@pytest.mark.parametrize("most", [4, 8])
def test_clusters_are_found_where_only_strong_links_between_cells_are_kept(limits, most):
    # Sparse, so that hardly two links between cells are alike: with their whole volumes, missing links counted as cut,
    # and one cluster took everything.
    limits(problem_module, _FEW_LINKS=1, _MIN_COMPRESSION=100, _MAX_LINKS=most)
    graph, truth = planted(6, 2000, 8 / 2000, 3 / 10_000, 0)
    for seed in range(2):
        found = run(graph, 6, seed, effort="fast")
        on = found.labels >= 0
        assert adjusted_rand_score(truth[on], found.labels[on]) > 0.95


# -- parts and balance -------------------------------------------------------------------------------------------------


def problem_between(graph, k):
    """The Problem of a graph whose nodes are those of a coreset graph."""
    linked = graph.degrees > 0
    groups = np.where(linked, np.cumsum(linked) - 1, -1).astype(np.int32)
    return problem_of(graph, k).between(groups, np.count_nonzero(linked)), dense(graph)[np.ix_(linked, linked)]


@quick
@given(own.graphs(max_nodes=40), st.integers(1, 3), st.integers(0, 99))
def test_there_are_no_more_parts_than_promised_and_the_graph_is_between_them(pair, k, seed):
    assume(pair[1].any())
    problem, A = problem_between(pair[0], k)
    ((labels, between),) = pipeline.spectral_parts(problem, Streams(seed))
    n_parts = len(between.rows.degrees)
    assert labels.dtype == np.int32 and set(labels) == set(range(n_parts)) and between.n_clusters == k
    if k == 1 or pipeline.PARTS * k >= len(A):  # every node is one
        assert between is problem and np.array_equal(labels, np.arange(len(A)))
    else:
        n_components, components = connected_components(A)
        assert n_parts == len({*zip(labels, components, strict=True)}) <= pipeline.PARTS * k * n_components
    Z = np.eye(n_parts)[labels]
    B = np.zeros((n_parts, n_parts))
    B[np.repeat(np.arange(n_parts), np.diff(between.rows.indptr)), between.rows.indices] = between.rows.weights
    np.testing.assert_allclose(B, Z.T @ A @ Z, rtol=1e-9, atol=1e-12 * A.sum())
    np.testing.assert_array_equal(between.counts, Z.sum(axis=0))


def test_parts_lie_in_planted_clusters_and_do_not_depend_on_threads(limits):
    graph, truth = planted(6, 50, 0.3, 0.01, 0)
    problem, _ = problem_between(graph, 6)
    limits(spectral, _HELD_DISTANCES=500)
    one, two = (pipeline.spectral_parts(problem, Streams(1), n)[0][0] for n in (1, 2))
    np.testing.assert_array_equal(one, two)
    assert sum(np.bincount(truth[one == part]).max() for part in set(one)) > 0.95 * len(truth)


@pytest.mark.slow
def test_components_as_many_as_clusters_are_found_though_small_ones_could_be_united():
    X, truth = make_blobs([600, 300, 100, 30], centers=15 * np.eye(4), random_state=2)
    fits = [CoresetSpectralClustering(4, random_state=seed).fit(X) for seed in range(5)]
    assert [adjusted_rand_score(truth, model.labels_) for model in fits] == [1.0] * 5


@pytest.mark.slow
def test_a_large_cluster_stays_whole_and_what_was_tried_is_kept():
    rng, sizes = np.random.default_rng(1), [2000, 200, 100, 50, 30, 20]
    X = np.concatenate([rng.normal(4 * rng.normal(size=16), 1.0, (size, 16)) for size in sizes])
    truth = np.repeat(np.arange(6), sizes)
    fits = [CoresetSpectralClustering(6, random_state=seed).fit(X) for seed in range(3)]
    assert min(fitted.balance_ for fitted in fits) < 1.0
    for fitted in fits:
        assert adjusted_rand_score(truth, fitted.labels_) > 0.98
        check_model(fitted, new=X[:5])
        trials = fitted.clustering_.balances
        assert tuple(trial.balance for trial in trials) == pipeline.BALANCES
        assert fitted.balance_ == pipeline.most_stable(trials).balance
    price = (1 - fitted.balance_) * trials[0].information / trials[0].entropy
    assert fitted.clustering_.settings.entropy_price == pytest.approx(price)
    again = CoresetSpectralClustering(6, random_state=2, n_jobs=2).fit(X)
    np.testing.assert_array_equal(again.labels_, fitted.labels_)
    assert again.clustering_.balances == trials
    even = CoresetSpectralClustering(6, balance=1.0, random_state=0).fit(X)
    assert (even.balance_, even.clustering_.balances) == (1.0, ())


@quick
@given(own.graphs(max_nodes=25), st.integers(2, 3), st.integers(0, 99))
def test_trials_count_how_much_two_draws_of_parts_agree(pair, k, seed):
    assume(np.count_nonzero(pair[0].degrees) >= k)
    problem, A = problem_between(pair[0], k)
    settings, rng = resolve_settings(pair[0], k), np.random.default_rng(seed)
    both, parts = rng.integers(0, k, (2, len(A))).astype(np.int32), [np.arange(len(A))] * 2
    sums = cluster_sums(problem.rows, both[0], k)
    found = pipeline._trial(0.5, problem, both, parts, problem.counts)
    shares = sums.volume[sums.volume > 0] / sums.volume.sum()
    each = [np.repeat(labels, problem.counts) for labels in both]
    assert found.agreement == pytest.approx(normalized_mutual_info_score(*each), abs=1e-9)
    assert found.information == pytest.approx(sums.value(OBJECTIVES["information"]))
    assert found.entropy == pytest.approx(-(shares * np.log(shares)).sum(), abs=1e-12)
    assert pipeline._trial(0.5, problem, both[:1], parts[:1], problem.counts).agreement == pytest.approx(1.0)
    if k < len(A) <= pipeline.PARTS * k:  # every node is a part
        _, _, trials = pipeline.label_cells_in_balance(problem, settings, Streams(seed))
        assert [trial.agreement for trial in trials] == [1.0] * len(pipeline.BALANCES)


def test_the_balance_is_the_most_stable():
    def trial(balance, agreement, information=1.0, entropy=2.0):
        return pipeline.Trial(balance, information, entropy, agreement)

    assert (
        pipeline.most_stable([trial(1.0, 0.95), trial(0.7, 0.96, 0.9), trial(0.5, 0.9, 0.8)]).balance == 1.0
    )  # nearly
    assert pipeline.most_stable([trial(1.0, 0.8), trial(0.7, 0.9, 0.9), trial(0.5, 0.95, 0.8)]).balance == 0.5
    assert pipeline.most_stable([trial(1.0, 0.8), trial(0.7, 0.94, 0.9), trial(0.5, 0.95, 0.8)]).balance == 0.7
    assert (
        pipeline.most_stable([trial(each, 1.0) for each in pipeline.BALANCES]).balance == 0.5
    )  # one partition: the middle


@pytest.mark.slow
def test_a_balance_that_is_chosen_is_as_one_that_is_given():
    graph, _ = planted(6, 60, 0.3, 0.02, 0)
    for effort in ("fast", "default", 6):
        chosen = run(graph, 6, 3, balance="auto", effort=effort)
        given = run(graph, 6, 3, balance=chosen.settings.balance, effort=effort)
        assert (chosen.settings, chosen.history) == (given.settings, given.history)
        np.testing.assert_array_equal(chosen.labels, given.labels)
    for objective in ("ncut", "modularity"):  # where it has no part
        assert run(graph, 6, objective=objective).settings.balance == 1.0


# -- the search --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def case():
    return planted(5, 30, 0.3, 0.03, 1)


def random_draft(streams, n_jobs, stages):
    """Labels of 150 nodes by chance."""
    return streams.generator("draft").integers(0, 5, 150).astype(np.int32)


def found_in(case, objective=OBJECTIVES["information"], make_draft=random_draft, **options):
    problem, streams = problem_of(case[0], 5, objective, min_size=3), Streams(0)
    max_drafts = options.pop("max_drafts", None)
    first = make_draft(streams.child("draft", 0), None, None)
    names = "best", "drafts", "history", "n_drafts"
    found = pipeline.search(problem, first, make_draft, streams, max_drafts, **options)
    return problem, SimpleNamespace(**dict(zip(names, found, strict=True)))


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
def test_the_search_only_ever_raises_the_objective_whatever_the_threads(case, objective):
    problem, found = found_in(case, objective, max_drafts=7, n_jobs=1)
    best = found.best
    assert [name for name, _ in found.history] == [
        "draft", "moves", "cycles", "2 drafts recombined", "4 drafts recombined", "7 drafts recombined",
    ]  # fmt: skip
    values = [value for _, value in found.history]
    assert values == sorted(values) and (found.n_drafts, len(found.drafts)) == (7, 4)
    sums = problem.sums(best.labels)
    assert best.value == values[-1] == pytest.approx(sums.value(objective))
    assert best.fits and sums.size.min() >= 3
    for n_jobs in (2, 3):
        again = found_in(case, objective, max_drafts=7, n_jobs=n_jobs)[1]
        np.testing.assert_array_equal(again.best.labels, best.labels)
        assert again.history == found.history
        np.testing.assert_array_equal(again.drafts, found.drafts)


class Drafts:
    """Stands in for all the work: a draft's labels are its number, and each recombination raises the value."""

    def __init__(self, rise):
        self.met, self.drawn, self.rise, self.n_made = [], [], rise, 0

    def make(self, streams, n_jobs, stages):
        self.n_made += 1
        return np.full(150, self.n_made - 1, dtype=np.int32)

    def improve(self, problem, labels, *_):
        return Partition(True, 1.0, labels)

    def recombine(self, problem, one, other, rng, n_jobs):
        self.met.append((int(one.labels[0]), int(other.labels[0])))
        self.drawn.append(int(rng.integers(2**63)))
        better = max(one, other, key=Partition.rank)
        return better._replace(value=better.value * (1 + self.rise), labels=one.labels)


@pytest.fixture
def found_by(limits):
    """A function that has the search work with `Drafts`, and returns these and what was found."""

    def stand_in(case, objective=OBJECTIVES["information"], rise=0.0, **options):
        drafts = Drafts(rise)
        limits(pipeline, improve=drafts.improve, recombine=drafts.recombine)
        return drafts, found_in(case, objective, drafts.make, n_jobs=1, **options)[1]

    return stand_in


def test_drafts_meet_as_in_a_tournament(case, found_by):
    drafts, found = found_by(case, max_drafts=11)
    assert drafts.met == [
        (0, 1), (2, 3), (0, 2), (4, 5), (6, 7), (4, 6), (0, 4), (8, 9), (8, 10), (0, 8),
    ]  # fmt: skip
    assert found.n_drafts == 11
    drafts, found = found_by(case, max_drafts=50)
    assert [int(name.split()[0]) for name, _ in found.history] == [2, 4, 8, 16, 32, 48, 50]
    assert len(set(drafts.drawn)) == len(drafts.drawn) == 49
    # Without an end, it ends where rounds gain nothing.
    assert found_by(case, max_drafts=None, price=1e-300)[1].n_drafts == 16


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
@pytest.mark.parametrize(
    ("price", "rise", "n_drafts"),
    # In units of what drafts differ by as a rule, a share of which counts as a gain where there are few.
    [(1.0, 0.0, 1), (0.9, 0.0, 2), (0.2, 0.0, 4), (0.02, 0.0, 8), (0.9, 1.9, 4), (0.9, 1.7, 2), (0.2, 1.7, 16)],
)
def test_the_search_ends_where_a_round_gains_less_than_its_price(case, objective, price, rise, n_drafts, found_by):
    spread, entries = objective.spread, case[0].n_entries
    price, rise = price * spread / entries * (1 + 1e-9), rise * spread / (1 - rise * spread)
    assert found_by(case, objective, rise, price=price)[1].n_drafts == n_drafts


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_after_the_first_round_returns_the_best_where_it_is_kept(case, n_jobs):
    def interrupted_at(last):
        made = []

        def make(*given):
            made.append(1)
            if len(made) == last + 1:
                raise KeyboardInterrupt
            return random_draft(*given)

        return make

    for last, keeps_best in ((1, True), (7, False)):
        with pytest.raises(KeyboardInterrupt):
            found_in(case, make_draft=interrupted_at(last), max_drafts=8, keeps_best=keeps_best, n_jobs=n_jobs)
    best = found_in(case, max_drafts=4)[1].best
    with pytest.warns(GraphWarning, match="interrupted after 4 drafts: the best labels so far"):
        found = found_in(case, make_draft=interrupted_at(5), max_drafts=8, keeps_best=True, n_jobs=n_jobs)[1]
    np.testing.assert_array_equal(found.best.labels, best.labels)
    assert found.n_drafts == len(found.drafts) == 4


# -- limits, and labels that are given ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_labels_that_stay():
    graph, truth = planted(5, 80, 0.15, 0.03, 0)
    rng = np.random.default_rng(0)
    numbers = rng.permutation(5)[truth]
    known = rng.random(400) < 0.1
    y = np.where(known, numbers, -1)
    model = CoresetSpectralClustering(5, random_state=0).fit(graph, labels=y)
    np.testing.assert_array_equal(model.labels_[known], y[known])
    assert (model.labels_ == numbers).mean() > 0.97
    missing = CoresetSpectralClustering(5, random_state=0).fit(graph, labels=np.where(known, numbers, np.nan))
    np.testing.assert_array_equal(missing.labels_, model.labels_)
    y[np.flatnonzero(known)[:5]] = (numbers[np.flatnonzero(known)[:5]] + 1) % 5  # wrong ones stay as well
    model = CoresetSpectralClustering(5, random_state=0, effort=6, max_cluster_size=95).fit(graph, labels=y)
    np.testing.assert_array_equal(model.labels_[y >= 0], y[y >= 0])
    # Of two classes that the graph does not tell apart, the labels do.
    halves = np.where(truth == 0, np.arange(400) % 2, truth + 1)
    y = np.where((rng.random(400) < 0.3) | (np.arange(400) % 100 == 0), halves, -1)
    model = CoresetSpectralClustering(6, random_state=0).fit(graph, labels=y)
    np.testing.assert_array_equal(model.labels_[y >= 0], y[y >= 0])
    assert (model.labels_ == halves)[truth > 0].mean() > 0.95
    apart, blocks = planted(5, 40, 0.4, 0.0, 0)  # one cluster without known nodes has no number, then one of its own
    y = np.where(blocks < 4, blocks, -1)
    with pytest.warns(GraphWarning, match="40 nodes have the label of known nodes that no path .* larger n_clusters"):
        CoresetSpectralClustering(4, random_state=0).fit(apart, labels=y)
    assert (CoresetSpectralClustering(5, random_state=0).fit_predict(apart, labels=y) == blocks).all()
    alone = np.where(np.arange(400) < 10, 3, -1)  # of one cluster alone
    assert (CoresetSpectralClustering(5, random_state=0).fit_predict(graph, labels=alone)[truth == 0] == 3).mean() > 0.9


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_known_labels_part_two_clusters_that_edges_do_not(seed):
    """A free fit unites the two for which the labels alone speak: 68 to 94 % were right by the objective."""
    rng, centers = np.random.default_rng(seed), 12 * np.eye(6, 10)
    y = np.repeat(np.arange(6), [300, 250, 200, 100, 60, 40])
    centers[1] = centers[0] + 2.6 * np.eye(10)[9]
    X = centers[y] + rng.normal(size=(len(y), 10))
    known = np.where(rng.random(len(y)) < 0.05, y, -1)
    model = CoresetSpectralClustering(6, random_state=0).fit(knn_graph(X, 10), labels=known)
    assert (model.labels_ == y)[known < 0].mean() > 0.92
    assert all((model.labels_[y == c] == c).mean() > 0.8 for c in range(6))


def test_a_start_keeps_its_numbers():
    graph, truth = planted(5, 60, 0.2, 0.02, 0)
    rng = np.random.default_rng(0)
    start = np.where(rng.random(300) < 0.2, -1, np.where(rng.random(300) < 0.2, rng.integers(0, 5, 300), 4 - truth))
    kept = start.copy()
    model = CoresetSpectralClustering(5, random_state=0).fit(graph, initial_labels=start)
    assert (model.labels_ == 4 - truth).mean() > 0.98
    np.testing.assert_array_equal(start, kept)
    assert model.stability_ is None and model.coreset_graph_ is None
    assert same_partition(model.tree_.labels_at(5), model.labels_)
    # Of two clusters given as one, and one given as two, which moves of groups set right, the others keep theirs.
    graph, truth = planted(5, 30, 0.3, 0.02, 2)
    odd = np.where(truth == 4, 1, np.where((truth == 2) & (np.arange(150) % 30 < 15), 4, truth))
    with pytest.warns(GraphWarning, match="1 of the numbers of initial_labels are those of other.* divided: 4"):
        labels = CoresetSpectralClustering(5, random_state=0).fit_predict(graph, initial_labels=odd)
    assert (labels == odd).mean() > 0.65 and adjusted_rand_score(labels, truth) > 0.95
    # A number without nodes goes to what only the number parts, whether it had a wrong label or none.
    graph, truth = planted_partition(8, 60, 0.3, 0.01, random_state=0)
    for of_last in (1, -1):
        start = np.where(truth == 7, of_last, truth)
        labels = CoresetSpectralClustering(8, random_state=0).fit_predict(graph, initial_labels=start)
        assert same_partition(labels, truth) and (labels == truth)[(truth != 1) & (truth != 7)].all()
    # Two new communities found clusters of their own, however many numbers without nodes there are.
    for k, objective in ((9, "modularity"), (20, "modularity"), (20, "information"), (None, "modularity")):
        model = CoresetSpectralClustering(k, objective=objective, random_state=0)
        labels = model.fit_predict(graph, initial_labels=np.where(truth > 5, -1, truth))
        assert same_partition(labels, truth) and (labels == truth)[truth < 6].all() and model.n_clusters_ == (k or 8)
    # Where their number is free, new ones take numbers that the start lacks, and not those of clusters that are gone.
    free = CoresetSpectralClustering(None, objective="modularity", random_state=0)
    start = np.where(truth == 0, np.where(np.arange(480) % 3, 9, 1), np.where(truth < 7, truth + 2, -1))
    with warnings.catch_warnings(action="error"):
        labels = free.fit_predict(graph, initial_labels=start)
    np.testing.assert_array_equal(labels, np.array([9, 3, 4, 5, 6, 7, 8, 0])[truth])
    # A component without labels joins the smallest cluster, or is one if their number is free.
    two, start = Graph.from_edges([0, 0, 1, 3, 3, 4, 6], [1, 2, 2, 4, 5, 5, 7]), [0, 0, 0, 1, -1, -1, -1, -1]
    labels = CoresetSpectralClustering(2).fit(two, initial_labels=start).labels_
    assert labels[:6].tolist() == [0, 0, 0, 1, 1, 1] and labels[6] == labels[7]
    assert free.fit_predict(two, initial_labels=start).tolist() == [0, 0, 0, 1, 1, 1, 2, 2]


@pytest.mark.slow
def test_a_cluster_of_one_density_is_divided_where_the_resolution_asks_for_it():
    """Merging unites it and no single move divides it: modularity then was .984 of what Louvain finds."""
    rng, sizes, r = np.random.default_rng(5), 200 * np.array([6, 5, 4, 3, 2, 1]), 2.4
    X = 1.6 * np.repeat(rng.normal(size=(6, 30)), sizes, axis=0) + rng.normal(size=(sizes.sum(), 30))
    graph = knn_graph(X, 15, random_state=0)
    G = graph.to_networkx()
    louvain = nx.community.louvain_communities(G, resolution=r, seed=0, backend="networkx")
    for seed in range(3):
        model = CoresetSpectralClustering(None, objective="modularity", resolution=r, random_state=seed).fit(graph)
        communities = [np.flatnonzero(model.labels_ == c).tolist() for c in range(model.n_clusters_)]
        assert nx.community.modularity(G, communities, resolution=r) > nx.community.modularity(G, louvain, resolution=r)


# -- levels ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def nested():
    """Groups of 25 in five groups of four."""
    group = np.arange(500) // 25
    same, near = group[:, None] == group, group[:, None] // 4 == group // 4
    chances = np.select([same, near], [0.4, 0.06], 0.003)
    A = np.triu(np.random.default_rng(0).random((500, 500)) < chances, 1)
    return Graph.from_scipy((A | A.T).astype(float))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@quick
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.02, 0.1, 0.3]), st.booleans(), st.data())
def test_levels_are_nested_and_have_as_many_clusters_as_asked_for(seed, density, weighted, data):
    n = data.draw(st.integers(6, 40))
    A = random_adjacency(n, density, np.random.default_rng(seed), weighted=weighted, loops=0.1)
    A[0, 1] = A[1, 0] = A[2, 3] = A[3, 2] = A[4, 5] = A[5, 4] = 1.0
    graph = Graph.from_scipy(A)
    most = int((graph.degrees > 0).sum())
    counts = sorted(data.draw(st.sets(st.integers(1, most), min_size=1, max_size=4)))
    model = CoresetSpectralClustering(
        counts, objective=data.draw(st.sampled_from(tuple(OBJECTIVES))), random_state=seed
    ).fit(graph)
    levels = model.level_labels_
    assert [len(np.unique(each[each >= 0])) for each in levels] == counts
    for coarse, fine in pairwise(levels):  # a pair of labels for each of the finer level
        assert len(set(zip(coarse.tolist(), fine.tolist(), strict=True))) == len(np.unique(fine))
    assert (levels[:, graph.degrees == 0] == -1).all()
    np.testing.assert_array_equal(levels[-1], model.labels_)


@pytest.mark.slow
def test_every_level_is_about_as_good_as_a_fit_of_its_own_and_what_levels_do_not_keep_to_is_refused(nested):
    def information(labels):
        return cluster_sums(nested.rows, np.ascontiguousarray(labels), int(labels.max()) + 1).value(
            OBJECTIVES["information"]
        )

    counts = [5, 10, 20]
    model, again = (
        CoresetSpectralClustering(counts, balance=1, random_state=0, n_jobs=n).fit(nested) for n in (1, 2)
    )  # fmt: skip
    np.testing.assert_array_equal(again.level_labels_, model.level_labels_)
    for k, labels in zip(counts, model.level_labels_, strict=True):
        assert same_partition(model.tree_.labels_at(k), labels)
        own = CoresetSpectralClustering(k, balance=1, random_state=0).fit(nested).labels_
        assert information(labels) > 0.97 * information(own)
    # Ten clusters are arbitrary pairs of groups, whose borders hold some nodes back from the groups they belong to.
    for labels, size in ((model.level_labels_[0], 100), (model.labels_, 25)):
        assert adjusted_rand_score(labels, np.arange(500) // size) > 0.9
    for limit, known in (
        ({"min_cluster_size": 2}, {}), ({"max_cluster_size": 400}, {}),
        ({}, {"labels": np.where(np.arange(500) < 2, 0, -1)}), ({}, {"initial_labels": np.arange(500) // 50}),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=r"n_clusters=\[5, 10\].*give one number"):
            CoresetSpectralClustering([5, 10], **limit).fit(nested, **known)
