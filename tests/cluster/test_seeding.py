"""D2 seeding: naive against fast, and both against dense distances."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph, GraphWarning
from graphcore.base.streams import Streams
from graphcore.cluster.coreset import d2_seeding, draw_seeds, fast_seeds
from graphcore.kernels.graph import GraphKernel

from .. import oracles
from ..strategies import linked_adjacencies

METHODS = ("fast", "naive")


def case(A, self_loop=1.0):
    """(kernel, K, w) of a dense matrix."""
    return GraphKernel(Graph.from_scipy(A), self_loop), *oracles.dense_kernel(A, self_loop)


def seeds_from(initial, kernel, n_seeds, method, seed=0):
    """Seeds of which the first are given: what d2_seeding calls, with the same random numbers for both methods."""
    rng = Streams(seed).generator("seeding")
    if method == "fast":
        return fast_seeds(
            kernel, np.array(initial), rng.random(n_seeds - len(initial)), kernel.point_weights, kernel.diagonal
        )
    return draw_seeds(kernel, kernel.point_weights, n_seeds, rng, initial=initial)


def least_diagonal(K, w):
    """x*, the first point of smallest K_xx among those that take part."""
    return int(np.argmin(np.where(w > 0, np.diag(K), np.inf)))


def check_against_dense(seeds, K, w):
    expected = oracles.contributions(K, w, seeds.indices)
    np.testing.assert_allclose(seeds.contributions, expected, rtol=1e-9, atol=1e-12 * expected.max())
    assert seeds.cost == pytest.approx(expected.sum(), rel=1e-12, abs=1e-12)
    assert len(np.unique(seeds.indices)) == len(seeds.indices)
    assert (w[seeds.indices] > 0).all()
    # The nearest centre is right up to ties: its distance is the smallest one.
    on = w > 0
    assert (seeds.nearest[~on] == -1).all()
    D = np.maximum(oracles.distances(K)[:, seeds.indices], 0.0)
    own = D[np.flatnonzero(on), seeds.nearest[on]]
    np.testing.assert_allclose(own, D[on].min(axis=1), rtol=1e-12, atol=1e-12 * np.diag(K).max())
    # Every centre is its own nearest, or a twin of it is.
    assert (D[seeds.indices, seeds.nearest[seeds.indices]] <= 1e-12 * np.diag(K).max()).all()


@pytest.mark.filterwarnings("ignore:D2 seeding stopped")
@oracles.quick
@given(linked_adjacencies(3, 16), st.sampled_from([0.5, 1.0, 2.0]), st.integers(1, 20), st.sampled_from(METHODS))
def test_contributions_equal_dense_on_random_graphs(drawn, self_loop, n_seeds, method):
    (kernel, K, w), rng = case(drawn[0], self_loop), drawn[1]
    seeds = d2_seeding(kernel, n_seeds, method=method, random_state=rng)
    check_against_dense(seeds, K, w)
    if method == "fast":
        assert np.diag(K)[seeds.indices[0]] == pytest.approx(np.diag(K)[w > 0].min(), rel=1e-14)
    if not seeds.exhausted:
        assert len(seeds.indices) - n_seeds in ((0, 1) if method == "fast" else (0,))
    if n_seeds >= len(K):
        # More than there are points: all distances are used up.
        assert seeds.cost == 0


# -- naive against fast, from the same {x*, x_1} -------------------------------------------------------------------


@pytest.mark.parametrize("self_loop", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("name", oracles.EXAMPLES)
def test_next_draw_probabilities_of_naive_and_fast_agree(name, self_loop):
    graph, A = oracles.example(name)
    K, w = oracles.dense_kernel(A, self_loop)
    kernel = GraphKernel(graph, self_loop)
    first = least_diagonal(K, w)
    for x1 in np.flatnonzero(w > 0)[:12]:
        if x1 == first:
            continue
        fast, naive = (seeds_from([first, x1], kernel, 2, method) for method in METHODS)
        assert fast.indices.tolist() == naive.indices.tolist() == [first, x1]
        if fast.cost == 0:
            assert naive.cost == 0
            continue
        np.testing.assert_allclose(
            fast.contributions / fast.cost, naive.contributions / naive.cost, rtol=1e-12, atol=1e-12
        )
        dense = oracles.contributions(K, w, [first, x1])
        np.testing.assert_allclose(fast.contributions / fast.cost, dense / dense.sum(), rtol=1e-9, atol=1e-12)


def exact_pairs(K, w, starts):
    """Probability of every (x_1, x_2): x_1 uniform, x_2 by D2 from starts + x_1; and the expected cost."""
    on = np.flatnonzero(w > 0)
    P = np.zeros((len(w), len(w)))
    cost = 0.0
    for x1 in on:
        before = oracles.contributions(K, w, [*starts, x1])
        P[x1] = before / before.sum() / len(on)
        cost += sum(P[x1, x2] * oracles.contributions(K, w, [*starts, x1, x2]).sum() for x2 in np.flatnonzero(P[x1]))
    return P, cost


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_distribution_of_centres_and_costs(method):
    # Chi-square over the pairs of centres and a z-test of the mean cost, 5,000 seeds: each fails by chance with
    # probability FAILURE for one choice of seeds.
    rng = np.random.default_rng(8)
    A = oracles.random_adjacency(9, 0.45, rng, weighted=True, isolated=1)
    kernel, K, w = case(A, 1.0)
    starts = [least_diagonal(K, w)] if method == "fast" else []
    expected, expected_cost = exact_pairs(K, w, starts)
    counts = np.zeros_like(expected)
    costs = []
    for seed in range(5000):
        seeds = d2_seeding(kernel, 2, method=method, random_state=seed)
        drawn = seeds.indices.tolist()
        if method == "fast":
            assert drawn[0] == starts[0]
            drawn = drawn if len(drawn) == 2 else drawn[1:]  # the uniform draw was x* itself
        counts[tuple(drawn)] += 1
        costs.append(seeds.cost)
    assert oracles.chi_square_p(counts.ravel(), expected.ravel()) > oracles.FAILURE
    assert abs(oracles.z_score(costs, expected_cost)) < oracles.Z_LIMIT


# -- nothing left to draw ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("loops", [True, False])
def test_three_cliques_stop_early(method, loops):
    # With self-loops all nodes of a clique are the same point: three centres, one per clique, cost nothing.
    kernel, K, w = case(oracles.cliques([6, 5, 4], loops=loops), 0.0 if loops else 1.0)
    for seed in range(20):
        with pytest.warns(GraphWarning, match="no node has a positive distance left"):
            seeds = d2_seeding(kernel, 12, method=method, random_state=seed)
        assert seeds.exhausted
        assert seeds.cost == 0
        assert not seeds.contributions.any()
        assert len(np.unique(np.searchsorted([6, 11, 15], seeds.indices, side="right"))) == 3
        # x* and the uniform draw may fall into one clique, all others are drawn by distance.
        assert len(seeds.indices) in ((3, 4) if method == "fast" else (3,))
        check_against_dense(seeds, K, w)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["barabasi-albert", "weighted", "disconnected", "weighted self-loops"])
def test_fast_seeding_reads_only_the_rows_of_its_seeds(name):
    # The weights in the rows of all other nodes are poisoned: whoever reads one gets a NaN or a wrong neighbour.
    graph, _ = oracles.example(name)
    kernel = GraphKernel(graph, 1.0)
    clean = d2_seeding(kernel, 5, random_state=3)
    seeds = d2_seeding(oracles.with_poisoned_rows(kernel, clean.indices), 5, random_state=3)
    assert np.array_equal(seeds.indices, clean.indices)
    assert np.array_equal(seeds.contributions, clean.contributions)
    assert np.array_equal(seeds.nearest, clean.nearest)


@pytest.mark.parametrize("method", METHODS)
def test_negative_distances_are_counted_and_clipped(method):
    # A heavy edge makes the kernel indefinite: its ends are at a negative squared distance.
    A = np.array([[0, 9, 1, 0, 0], [9, 0, 1, 0, 0], [1, 1, 0, 1, 0], [0, 0, 1, 0, 1], [0, 0, 0, 1, 0]], dtype=float)
    kernel, K, w = case(A, 1.0)
    D = oracles.distances(K)
    assert D[0, 1] < 0
    other = least_diagonal(K, w)
    assert other in (0, 1)
    seeds = seeds_from([other, 3], kernel, 2, method)
    assert seeds.n_negative == 1
    assert seeds.contributions[1 - other] == 0
    check_against_dense(seeds, K, w)
    plain, _, _ = case(np.array(A > 0, dtype=float), 1.0)
    assert d2_seeding(plain, 2, method=method, random_state=0).n_negative == 0
