"""Limits of size and nodes that stay: moves keep to them, and clusters are brought within them."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.base.validation import read_only
from graphcore.cluster.refine._move_loops import move_for_sizes, size_gains
from graphcore.cluster.refine._objective_loops import places
from graphcore.cluster.refine.improve import anneal, keep_sizes, move_in_cycles
from graphcore.cluster.refine.problem import ANY_SIZE, NONE_FIXED

from ...oracles import planted, quick, random_adjacency
from ...strategies import problem_of
from .test_quotient import linked


@st.composite
def limits_of(draw, n):
    """Limits of a Problem that may bind on small graphs."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    limits = {"max_size": draw(st.sampled_from([ANY_SIZE, 3, 6]))}
    limits |= {"counts": read_only(rng.integers(1, 4, n))} if draw(st.booleans()) else {}
    return limits | ({"is_fixed": read_only(rng.random(n) < 0.3)} if draw(st.booleans()) else {})


@st.composite
def crowded(draw):
    """(Graph, dense matrix, labels of which few are -1, three clusters, limits that bind)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    A = random_adjacency(16, 0.4, rng, weighted=draw(st.booleans()), loops=0.2, isolated=1)
    labels = np.where(A.any(axis=1) & (rng.random(16) < 0.9), rng.choice(3, 16, p=[0.6, 0.2, 0.2]), -1).astype(np.int32)
    return Graph.from_scipy(A), A, labels, 3, draw(limits_of(16)) | {"max_size": draw(st.sampled_from([8, 10]))}


def counts_of(limits, n):
    """What nodes count."""
    return limits.get("counts", np.ones(n, dtype=np.int64))


def sizes_of(labels, k, limits):
    inside = labels >= 0
    return np.bincount(labels[inside], weights=counts_of(limits, len(labels))[inside], minlength=k)


def is_fixed(limits, x):
    return "is_fixed" in limits and limits["is_fixed"][x]


def target(A, labels, sizes, x, count, bounds):
    """(the cluster that takes x, gain, whether others are as good), densely; (-1, -inf, False) where none does."""
    least, most, grow = bounds
    links = np.array([(A[x] * (labels == c)).sum() - (labels[x] == c) * A[x, x] for c in range(len(sizes))])
    takes = (sizes + count <= most) & ((sizes < least) | (not grow)) & (np.arange(len(sizes)) != labels[x])
    takes &= (links > 0) | (np.arange(len(sizes)) == np.argmin(sizes))
    if not takes.any():
        return -1, -np.inf, False
    best = takes & (links >= links[takes].max() - 1e-9)
    return int(np.argmax(best)), (links[takes].max() - links[labels[x]]) / A[x].sum(), best.sum() > 1


@quick
@given(crowded(), st.sampled_from([(2, 8, False), (5, 20, True)]), st.sampled_from([0.5, 1.0]))
def test_moves_for_sizes_against_their_dense_twin(case, bounds, share):
    graph, A, labels, k, limits = case
    least, most, grow = bounds
    counts, sizes, n = counts_of(limits, 16), sizes_of(labels, k, limits), len(A)
    of_nodes = read_only(limits.get("counts", np.empty(0, np.int64))), read_only(limits.get("is_fixed", NONE_FIXED))
    gains, found_sizes = np.empty(n), sizes.astype(np.int64)
    size_gains(graph.rows[:], of_nodes, found_sizes, bounds, labels, places(k), gains)
    for x in range(n):
        expected = -np.inf
        if labels[x] >= 0 and not is_fixed(limits, x):
            may_go = sizes[labels[x]] - counts[x] >= least if grow else sizes[labels[x]] > most
            expected = target(A, labels, sizes, x, counts[x], bounds)[1] if may_go else -np.inf
        assert gains[x] == pytest.approx(expected, abs=1e-12)
    order = np.random.default_rng(0).permutation(np.flatnonzero(gains > -np.inf))
    found, expected = labels.copy(), labels.copy()
    wrong = np.maximum(0, least - sizes) if grow else np.maximum(0, sizes - most)
    goals = least - (1 - share) * wrong if grow else most + (1 - share) * wrong
    for x in order:
        a = expected[x]
        if sizes[a] - counts[x] < least if grow else sizes[a] <= goals[a]:
            continue
        assume(np.count_nonzero(sizes == sizes.min()) == 1)
        b, _, is_tied = target(A, expected, sizes, x, counts[x], bounds)
        assume(not is_tied)
        if b >= 0 and (not grow or sizes[b] < goals[b]):
            sizes[a] -= counts[x]
            sizes[b] += counts[x]
            expected[x] = b
    moved = move_for_sizes(graph.rows[:], of_nodes[0], found_sizes, bounds, found, order, share, places(k), np.empty(k))
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(found_sizes, sizes)
    assert moved >= (found != labels).sum()


@quick
@given(linked(max_nodes=16), st.integers(1, 5), st.data())
def test_sizes_are_kept_and_only_what_is_beyond_them_changes(case, min_size, data):
    graph, A, labels, k = case
    limits = data.draw(limits_of(len(A)))
    assume(min_size <= limits["max_size"])
    start, before = labels.copy(), sizes_of(labels, k, limits)
    done = keep_sizes(problem_of(graph, k, min_size=min_size, **limits), labels)
    after = sizes_of(labels, k, limits)
    is_small = (after < min_size) & (min_size > 1)
    assert done == (not is_small.any() and (after <= limits["max_size"]).all())
    np.testing.assert_array_equal(labels < 0, start < 0)
    assert not (limits.get("is_fixed", False) & (labels != start)).any()
    # None is brought beyond a limit that it kept to.
    assert (after <= np.maximum(before, limits["max_size"])).all()
    assert (after >= np.minimum(before, min_size)).all()
    has_room = k * min_size <= (start >= 0).sum() <= k * limits["max_size"]
    assert done or not has_room or {"counts", "is_fixed"} & set(limits)


def test_sizes_of_planted_clusters():
    graph, truth = planted(4, 50, 0.3, 0.02, 0)
    for most in (50, 51, 70):
        labels = np.minimum(truth, 1).astype(np.int32)
        assert keep_sizes(problem_of(graph, 4, max_size=most), labels)
        assert np.bincount(labels, minlength=4).max() <= most
    # Nodes go home: what is too much is in the wrong cluster.
    labels = truth.astype(np.int32)
    labels[:15] = 1
    assert keep_sizes(problem_of(graph, 4, max_size=50), labels)
    np.testing.assert_array_equal(labels, truth)
    labels[:15] = 1
    assert keep_sizes(problem_of(graph, 4, min_size=50), labels)
    np.testing.assert_array_equal(labels, truth)


def test_cycles_and_annealing_keep_to_limits():
    graph, truth = planted(5, 60, 0.2, 0.05, 0)
    rng = np.random.default_rng(0)
    fixed = read_only(rng.random(300) < 0.1)
    problem = problem_of(graph, 5, max_size=100, counts=read_only(rng.integers(1, 3, 300)), is_fixed=fixed)
    labels = truth.astype(np.int32)
    labels[fixed] = (truth[fixed] + 1) % 5  # labels that the graph alone would not give
    start = labels.copy()
    assert keep_sizes(problem, labels)
    move_in_cycles(problem, labels, rng, merges=False)
    annealed = labels.copy()
    anneal(problem, annealed, np.full(50, 2.0), rng)
    assert (labels != start).any() and (annealed != labels).any()
    for found in (labels, annealed):
        np.testing.assert_array_equal(found[fixed], start[fixed])
        assert problem.sums(found).size.max() <= 100
