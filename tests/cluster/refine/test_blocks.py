"""Labels changed block by block: the compiled loops against plain numpy, and what the rounds promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.cluster.coreset_graph import spread_in_rounds
from graphcore.cluster.refine import _move_loops, _quotient_loops
from graphcore.cluster.refine import improve as module
from graphcore.cluster.refine._objective_loops import places
from graphcore.cluster.refine.improve import move_in_blocks
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.refine.problem import cluster_sums
from graphcore.graphs import rows as passes

from ...oracles import planted, quick, random_adjacency
from ...partitions import value_of
from ...strategies import objectives, problem_of


def case(seed, k=3):
    """A small weighted graph with loops, labels of which some are -1, and a block of its nodes."""
    rng = np.random.default_rng(seed)
    A = random_adjacency(12, 0.4, rng, weighted=True, loops=0.2, isolated=1)
    labels = rng.integers(-1, k, 12).astype(np.int32)
    first, last = np.sort(rng.choice(13, 2, replace=False))
    return Graph.from_scipy(A), A, labels, int(first), int(last)


@pytest.mark.slow
@quick
@given(st.integers(0, 10_000))
def test_offers_are_the_labels_with_most_weight_around(seed):
    graph, A, labels, first, last = case(seed)
    nodes, offers = np.empty(12, dtype=np.int64), np.empty(12, dtype=np.int32)
    found = _quotient_loops.offer_labels(graph.rows[:], labels, first, last, places(3), nodes, offers)
    around = np.array([A[:, labels == c].sum(axis=1) for c in range(3)]).T
    expected = [x for x in range(first, last) if labels[x] < 0 and around[x].any()]
    assert nodes[:found].tolist() == expected
    for x, c in zip(expected, offers, strict=False):
        assert around[x, c] == pytest.approx(around[x].max())


@pytest.mark.slow
@quick
@given(st.integers(0, 10_000), objectives, st.integers(1, 3))
def test_moves_of_a_block_raise_the_objective_and_keep_the_sums(seed, objective, min_size):
    graph, A, labels, first, last = case(seed)
    marked = np.random.default_rng(seed).random(12) < 0.3
    near = np.packbits(marked)[: 2 * (seed % 2)]
    labels = np.where(A.any(axis=1), np.maximum(labels, 0), -1).astype(np.int32)
    problem = problem_of(graph, 3, objective, min_size=min_size, min_share=0.1)
    sums = problem.sums(labels)
    own, inner, least = labels[first:last].copy(), np.empty(3), 0.1 * sums.volume.mean()
    room = _move_loops.room(3)
    moves = _move_loops.move_block(problem.task(sums), sums.arrays, labels, own, first, last, near, inner, room)
    moved = labels.copy()
    moved[first:last] = own
    after = cluster_sums(graph.rows, moved, 3)
    np.testing.assert_allclose(inner, after.internal, atol=1e-9 * A.sum())
    assert (moved == labels).all() or moves
    if len(near):
        assert A[np.flatnonzero(moved != labels)][:, marked].any(axis=1).all()
    # Node by node: each goes where the objective rises most, or stays where nothing raises it.
    replayed = labels.copy()
    for x in range(first, last):
        a, near_it = replayed[x], marked[A[x] > 0].any() or not len(near)
        others = (replayed == a) & (np.arange(12) != x)
        if a < 0 or not near_it or others.sum() < min_size or A[others].sum() < max(least, 1e-12):
            continue
        gains = {}
        for c in set(replayed[(A[x] > 0) & (np.arange(12) != x)].tolist()) - {-1, a}:
            then = np.where(np.arange(12) == x, c, replayed)
            gains[c] = value_of(objective, A, then, 3) - value_of(objective, A, replayed, 3)
        gained, best = gains.get(moved[x], 0.0), max(gains.values(), default=0.0)
        if objective == OBJECTIVES["information"]:
            # Candidates are compared to first order, and the winner weighed exactly.
            assert gained > 0.0 or moved[x] == a
        else:
            assert gained >= best - 1e-9 or (moved[x] == a and best <= 1e-9)
        replayed[x] = moved[x]
    np.testing.assert_array_equal(replayed, moved)
    if moves:
        assert value_of(objective, A, moved, 3) > value_of(objective, A, labels, 3)
        shrunk = after.volume < sums.volume - 1e-12
        assert (after.size[after.size < sums.size] >= min_size).all() and (after.volume[shrunk] >= least * 0.999).all()


@pytest.fixture
def small_blocks(limits):
    limits(passes, _ENTRIES_PER_BLOCK=400)


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
def test_rounds_find_planted_clusters_with_sums_that_are_true_for_any_threads(small_blocks, objective):
    graph, truth = planted(5, 60, 0.3, 0.02, 0)
    rows = graph.rows
    start = np.where(np.random.default_rng(0).random(300) < 0.35, np.arange(300) % 5, truth).astype(np.int32)
    results = []
    for n_jobs in (1, 2):
        labels = start.copy()
        sums, moves = move_in_blocks(problem_of(rows, 5, objective, min_share=0.1), labels, n_jobs=n_jobs)
        true = cluster_sums(rows, labels, 5)
        np.testing.assert_array_equal(sums.internal, true.internal)
        np.testing.assert_array_equal(sums.size, true.size)
        assert moves > 0 and true.value(objective) >= cluster_sums(rows, start, 5).value(objective)
        assert (labels == truth).mean() > 0.97
        results.append(labels)
    np.testing.assert_array_equal(*results)


def test_a_round_that_does_not_raise_the_objective_is_undone(limits):
    # Pairs of nodes joined by an edge, in blocks that move at the same time: each goes to where the other is.
    limits(passes, _ENTRIES_PER_BLOCK=2)
    limits(module, TURNS=1)
    x = np.arange(20)
    rows = Graph.from_edges(x, x + 20).rows
    labels = (np.arange(40) >= 20).astype(np.int32)
    labels[[0, 20]], start = 0, labels.copy()
    start[[0, 20]] = 0
    sums, moves = move_in_blocks(problem_of(rows, 2, OBJECTIVES["ncut"], min_size=2), labels)
    assert moves == 0
    np.testing.assert_array_equal(labels, start)
    np.testing.assert_array_equal(sums.internal, cluster_sums(rows, start, 2).internal)


def test_labels_spread_a_step_in_a_round_and_stay_within_components(small_blocks):
    path = Graph.from_edges(np.r_[0:6, 8], np.r_[1:7, 9], n_nodes=11, warn=False)
    labels = np.full(11, -1, dtype=np.int32)
    labels[[0, 6]] = 0, 1
    spread_in_rounds(path.rows, labels, 2)
    assert labels[:7].tolist() in ([0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1, 1])
    assert (labels[7:] == -1).all()
