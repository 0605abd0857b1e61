"""Importance sampling: its probabilities by the formula, its draws, and the rounds of Algorithm 4."""

import math
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphcore
from graphcore import Graph, GraphWarning
from graphcore.cluster import _coreset_loops as _loops
from graphcore.cluster import coreset as drawing
from graphcore.cluster._coreset_loops import FAN_OUT, level_offsets
from graphcore.kernels.graph import GraphKernel

from ..oracles import EXAMPLES, FAILURE, Z_LIMIT, chi_square_p, contributions, dense_kernel, example, quick, z_score


def dense_probabilities(K, w, seeds, cells=False):
    """Algorithm 5: sigma_x = w(x) Delta(x, C)/cost(C) + w(x)/w(C), or w(cell of x) in place of w(C); normalised."""
    share = contributions(K, w, seeds.indices)
    sigma = share / share.sum() if share.sum() > 0 else np.zeros(len(w))
    for cell in range(len(seeds.indices)):
        members = seeds.nearest == cell
        sigma[members] += w[members] / (w[members].sum() if cells else sum(w[x] for x in seeds.indices))
    return sigma / sigma.sum()


@pytest.mark.filterwarnings("ignore:D2 seeding stopped")
@pytest.mark.parametrize("method", ["fast", "naive"])
@pytest.mark.parametrize("self_loop", [0.5, 1.0])
@pytest.mark.parametrize("name", EXAMPLES)
def test_probabilities_follow_the_formula(name, self_loop, method):
    graph, A = example(name)
    K, w = dense_kernel(A, self_loop)
    kernel = GraphKernel(graph, self_loop)
    seeds = drawing.d2_seeding(kernel, 5, method=method, random_state=2)
    for cells in (False, True):
        p = drawing.importance_probabilities(kernel.point_weights, seeds, cells=cells)
        np.testing.assert_allclose(p, dense_probabilities(K, w, seeds, cells), rtol=1e-9, atol=1e-15)
        assert p.sum() == pytest.approx(1.0, abs=1e-12)
        assert ((p > 0) == (w > 0)).all()


def test_the_authors_program_draws_different_nodes_where_cells_draw_the_same_few():
    # Hubs and many nodes of one edge: cells of seeds give the few nodes beside a seed most of the draws.
    graph = graphcore.datasets.degree_corrected_partition(
        1, 10_000, mean_degree=18, exponent=2, degree_ratio=1e4, random_state=0
    ).graph
    kernel = GraphKernel(graph, 1.0)
    w, seeds = kernel.point_weights, drawing.d2_seeding(kernel, 40, random_state=0)
    found = {}
    for cells in (False, True):
        p = drawing.importance_probabilities(w, seeds, cells=cells)
        found[cells] = len(drawing.importance_sample(w, p, 1000, random_state=1).indices)
    by_degree = -np.expm1(1000 * np.log1p(-w / w.sum())).sum()
    assert found[False] > 0.95 * by_degree
    assert found[True] < 0.5 * by_degree


def test_size_by_the_papers_formula():
    assert drawing.importance_size(1_000_000, 10, 0.1) == 732_484
    assert drawing.importance_size(1000, 1, 0.1) == 1
    assert drawing.importance_size(1, 4, 1.0) >= 4
    for k in (1, 2, 50):  # its square is 0
        assert drawing.importance_size(1000, k, 1e-320) >= (k if k == 1 else 1000)
    expected = 9 * math.log(3) ** 2 * math.log(500) / 0.25
    assert drawing.importance_size(500, 3, 0.5) == round(expected)
    n = 1_000_000
    one, two, three = math.log(n), math.log(math.log(n)), math.log(math.log(math.log(n)))
    assert three < 1 < two
    assert drawing.round_eps(0.2, n, 1) == pytest.approx(0.2 / one**0.25)
    assert drawing.round_eps(0.2, n, 2) == pytest.approx(0.2 / two**0.25)
    assert drawing.round_eps(0.2, n, 3) == 0.2


def test_draws_follow_the_probabilities_and_carry_their_weights():
    # Chi-square of 20,000 draws: fails by chance with probability FAILURE for one choice of seeds.
    graph, _ = example("isolated nodes")
    kernel = GraphKernel(graph, 1.0)
    p = drawing.importance_probabilities(kernel.point_weights, drawing.d2_seeding(kernel, 4, random_state=0))
    size = 20_000
    draws = drawing.importance_sample(kernel.point_weights, p, size, random_state=1)
    counts = np.zeros(graph.n_nodes)
    counts[draws.indices] = draws.weights * p[draws.indices] * size / kernel.point_weights[draws.indices]
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-8)
    assert counts.sum() == pytest.approx(size)
    assert draws.n_draws == size
    assert (np.diff(draws.indices) > 0).all()
    assert chi_square_p(counts, p) > FAILURE


# -- rounds -----------------------------------------------------------------------------------------------------


@pytest.fixture
def barabasi():
    return GraphKernel(Graph.from_networkx(nx.barabasi_albert_graph(3000, 4, seed=1)), 1.0)


def recorded_rounds(kernel, limits, *args, **options):
    """Result of importance_rounds, and (kernel, probabilities, size, draws, seeds) of every round."""
    rounds, draw_seeds, sample = [], drawing.d2_seeding, drawing.importance_sample

    def record_seeds(current, *args, **options):
        rounds.append([current, draw_seeds(current, *args, **options)])
        return rounds[-1][1]

    def record_draws(weights, probabilities, size, state):
        assert weights is rounds[-1][0].point_weights
        rounds[-1] += [probabilities, size, sample(weights, probabilities, size, state)]
        return rounds[-1][-1]

    limits(drawing, d2_seeding=record_seeds, importance_sample=record_draws)
    return drawing.importance_rounds(kernel, *args, **options), rounds


@pytest.mark.parametrize("seeding", ["fast", "naive"])
def test_every_round_works_on_what_the_round_before_left(seeding, limits):
    kernel = GraphKernel(Graph.from_networkx(nx.barabasi_albert_graph(800, 4, seed=1)), 1.0)
    K = kernel.block(slice(None), slice(None))
    n, k, eps = kernel.n_points, 2, 0.5
    result, rounds = recorded_rounds(kernel, limits, k, eps, 6, seeding=seeding, random_state=0)
    assert len(rounds) >= 2
    nodes, weights = np.arange(n), kernel.point_weights
    for number, (current, seeds, p, size, draws) in enumerate(rounds, start=1):
        assert size == drawing.importance_size(len(nodes), k, drawing.round_eps(eps, n, number)) < len(nodes)
        inner = K[np.ix_(nodes, nodes)]
        np.testing.assert_allclose(current.block(slice(None), slice(None)), inner, rtol=1e-12, atol=0)
        np.testing.assert_allclose(current.point_weights, weights, rtol=1e-12)
        np.testing.assert_allclose(p, dense_probabilities(inner, weights, seeds), rtol=1e-9, atol=1e-15)
        counts = draws.weights * p[draws.indices] * size / weights[draws.indices]
        np.testing.assert_allclose(counts, np.round(counts), atol=1e-8)
        assert round(counts.sum()) == size
        nodes, weights = nodes[draws.indices], draws.weights
    assert np.array_equal(result.indices, nodes)
    assert np.array_equal(result.weights, weights)
    assert result.n_draws == rounds[-1][3]
    # One more round would draw as many points as there are, or more.
    assert drawing.importance_size(len(nodes), k, drawing.round_eps(eps, n, len(rounds) + 1)) >= len(nodes)


def test_too_small_an_error_is_capped_with_a_warning(barabasi):
    # The formula wants more draws than there are nodes. One round of n draws is made, and no more: rounds repeated for
    # as long as repeats lower the number of nodes end with a handful.
    assert drawing.importance_size(3000, 10, 0.5) > 3000
    with pytest.warns(GraphWarning, match=r"asks for \d+ draws, and there are 3000 nodes; the draws are capped"):
        draws = drawing.importance_rounds(barabasi, 10, 0.5, 20, random_state=0)
    assert draws.n_draws == 3000
    p = drawing.importance_probabilities(barabasi.point_weights, drawing.d2_seeding(barabasi, 20, random_state=5))
    expected = (1 - (1 - p) ** 3000).sum()
    assert len(draws.indices) > 0.5 * expected


@pytest.mark.slow
@pytest.mark.filterwarnings("error::graphcore.GraphWarning")  # the draws are fewer than the nodes
def test_rounds_keep_sums_unbiased(barabasi):
    # Total weight, and the weight of the nodes of the largest and of the smallest degrees, over 400 seeds: each z-test
    # fails by chance with probability FAILURE for one choice of seeds.
    w = barabasi.point_weights
    groups = [np.ones(len(w), dtype=bool), w >= np.quantile(w, 0.9), w <= np.quantile(w, 0.3)]
    sums = []
    for seed in range(400):
        draws = drawing.importance_rounds(barabasi, 2, 0.5, 4, random_state=seed)
        assert draws.n_draws < drawing.importance_size(3000, 2, drawing.round_eps(0.5, 3000, 1)), "one round only"
        sums.append([draws.weights[group[draws.indices]].sum() for group in groups])
    for values, group in zip(np.transpose(sums), groups, strict=True):
        assert abs(z_score(values, w[group].sum())) < Z_LIMIT


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize("n_clusters", [2, 20, 30])
def test_a_coreset_of_a_given_error_has_a_point_for_each_cluster(n_clusters):
    karate = graphcore.datasets.load_karate().graph
    for seed in range(10):
        made = graphcore.build_coreset(karate, n_clusters, eps=0.9, sampling="importance", random_state=seed)
        assert n_clusters <= len(made.indices) <= made.n_draws and made.seeds is None


# -- the sampling tree -------------------------------------------------------------------------------------------------


# One group, one level more, two levels more, and their neighbours.
SIZES = [1, 2, 7, 8, 9, 63, 64, 65, 511, 512, 513, 4097]


class Tree:
    """The tree over some values, by the loops that seeding goes through."""

    def __init__(self, values):
        self.offsets = level_offsets(len(values))
        self.sums = np.zeros(self.offsets[-1])
        self.values = self.sums[: len(values)]
        self.values[:] = values
        _loops.tree_build(self.sums, self.offsets)

    @property
    def total(self):
        return self.sums[-1]

    def update(self, indices, values):
        self.values[indices] = values
        touched = np.unique(np.asarray(indices, dtype=np.int64) % len(self.values))
        _loops.tree_update(self.sums, self.offsets, touched, len(touched))

    def sample(self, size, random_state):
        uniforms = np.random.default_rng(random_state).random(size)
        return np.array([_loops.tree_sample(self.sums, self.offsets, u) for u in uniforms])


def levels(tree):
    """The tree's levels as arrays, leaves first."""
    offsets = tree.offsets
    return [tree.sums[a:b] for a, b in pairwise(offsets)]


def check_sums(tree, values):
    """Every inner node is the sum of its children, and the padding is 0."""
    below = np.zeros(len(levels(tree)[0]))
    below[: len(values)] = values
    assert np.array_equal(levels(tree)[0], below)
    for level in levels(tree)[1:]:
        groups = below.reshape(-1, FAN_OUT).sum(axis=1)
        np.testing.assert_allclose(level[: len(groups)], groups, rtol=1e-14, atol=0)
        assert not level[len(groups) :].any()
        below = level
    assert len(below) == 1
    assert tree.total == pytest.approx(float(np.sum(values)), rel=1e-12)


@pytest.mark.parametrize("n", SIZES)
def test_sums_of_all_sizes(n):
    values = np.random.default_rng(n).random(n)
    tree = Tree(values)
    check_sums(tree, values)
    tree.update([0, n - 1], [3.0, 5.0])
    values[0], values[n - 1] = 3.0, 5.0
    check_sums(tree, values)


@st.composite
def histories(draw):
    """Start values and a list of updates (indices, values); indices repeat, values are often 0."""
    n = draw(st.integers(1, 150))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    numbers = np.array([0.0, 1.0, 1e-9, 1e9, 0.3])

    def some(size):
        return rng.choice(numbers, size) * (0.5 + rng.random(size))

    updates = [(rng.integers(-n, n, size), some(size)) for size in draw(st.lists(st.integers(0, 2 * n), max_size=5))]
    return some(n), updates


@quick
@given(histories(), st.integers(0, 2**32 - 1))
def test_sums_after_updates_and_no_draws_of_zeros(history, seed):
    values, updates = history
    tree = Tree(values)
    values = values.copy()
    for indices, new in updates:
        tree.update(indices, new)
        for index, value in zip(indices, new, strict=True):  # of repeated indices the last one holds
            values[index] = value
        check_sums(tree, values)
    # Sums are computed afresh, so a tree that reached these values by updates equals one built from them.
    assert np.array_equal(tree.sums, Tree(values).sums)
    if tree.total > 0:
        border = [_loops.tree_sample(tree.sums, tree.offsets, uniform) for uniform in (0.0, np.nextafter(1.0, 0.0))]
        assert (tree.values[[*tree.sample(200, random_state=seed), *border]] > 0).all()


def test_a_draw_inverts_the_cumulated_values():
    values = np.array([0.0, 0.25, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0])
    tree = Tree(values)
    for uniform, leaf in ((0.0, 1), (0.2499, 1), (0.25, 3), (0.7499, 3), (0.75, 9), (0.9999, 9)):
        assert _loops.tree_sample(tree.sums, tree.offsets, uniform) == leaf
