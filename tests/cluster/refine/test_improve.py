"""Improving and recombining labellings, coarse partitions, annealed moves against sums and law, and stability."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.cluster.pipeline import stability
from graphcore.cluster.refine import improve as module
from graphcore.cluster.refine._move_loops import annealing_sweeps, room
from graphcore.cluster.refine.improve import anneal, coarse_partition, improve, recombine
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.refine.problem import common_refinement

from ...oracles import planted, quick
from ...partitions import same_partition, value_of
from ...strategies import linked_adjacencies, objectives, priced_objectives, problem_of
from .test_quotient import linked
from .test_sizes import crowded, is_fixed, sizes_of


def partition_of(problem, labels):
    """A Partition of given labels."""
    labels = np.asarray(labels, dtype=np.int32)
    return problem.partition(labels, problem.sums(labels))


@st.composite
def two_labellings(draw):
    """(Graph, dense matrix, two labellings of all nodes with an edge into clusters all in use, their number)."""
    A, rng = draw(linked_adjacencies(4, 24))
    linked = np.flatnonzero(A.sum(axis=1) > 0)
    k = draw(st.integers(1, min(4, len(linked))))
    labellings = np.full((2, len(A)), -1, dtype=np.int32)
    for labels in labellings:
        labels[linked] = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, len(linked) - k)]))
    return Graph.from_scipy(A), A, labellings, k


# -- the two steps -----------------------------------------------------------------------------------------------------


@quick
@given(two_labellings(), objectives, st.sampled_from([0.0, 0.1, 0.5]), st.integers(1, 3), st.integers(0, 99))
def test_what_is_recombined_is_never_worse_than_either(case, objective, min_share, min_size, seed):
    graph, A, labellings, k = case
    problem = problem_of(graph, k, objective, min_size=min_size, min_share=min_share)
    given, improved = [partition_of(problem, labels) for labels in labellings.copy()], []

    def told(problem, labels, *rest):
        improved.append(labels.copy())
        return improve(problem, labels, *rest)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "improve", told)
        found = recombine(problem, *given, np.random.default_rng(seed))
    assert found.rank() >= max(each.rank() for each in given)
    assert found.value == pytest.approx(value_of(objective, A, found.labels, k), abs=1e-11)
    sizes = np.bincount(found.labels[found.labels >= 0], minlength=k)
    assert len(sizes) == k and sizes.min() >= 1 and found.fits == (sizes.min() >= min_size)
    for each, before in zip(given, labellings, strict=True):
        np.testing.assert_array_equal(each.labels, before)
        np.testing.assert_array_equal(found.labels < 0, before < 0)
    groups, n_groups = common_refinement(list(labellings), k)
    assert len(improved) == (n_groups > k)
    for labels in improved if min_size == 1 else ():  # groups on which both agree stay together
        assert len({*zip(groups.tolist(), labels.tolist(), strict=True)}) == len(set(groups.tolist()))


@quick
@given(linked(max_nodes=16), priced_objectives(), st.integers(0, 99))
def test_improving_only_ever_raises_the_objective_and_says_how_far(case, objective, seed):
    graph, A, labels, k = case
    start, told = labels.copy(), []
    found = improve(problem_of(graph, k, objective), labels, np.random.default_rng(seed), told=told)
    assert found.labels is labels
    assert [name for name, _ in told] == ["draft", "moves", "cycles"]
    values = [value for _, value in told]
    assert values[0] == pytest.approx(value_of(objective, A, start, k), abs=1e-11)
    assert values[2] == found.value == pytest.approx(value_of(objective, A, labels, k), abs=1e-11)
    assert values[0] - 1e-12 <= values[1] <= values[2]


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
def test_planted_clusters_come_out_of_noisy_labellings(objective):
    graph, truth = planted(6, 60, 0.3, 0.01, 0)
    problem, rng = problem_of(graph, 6, objective), np.random.default_rng(0)
    noisy = []
    for _ in range(4):
        # Every labelling splits one cluster in two and unites two others.
        labels = rng.permutation(6)[truth]
        first, second, third = rng.permutation(6)[:3]
        labels[labels == second] = first
        labels[(labels == third) & (rng.random(360) < 0.5)] = second
        noisy.append(partition_of(problem, labels))
    pairs = [recombine(problem, *noisy[i : i + 2], rng) for i in (0, 2)]
    found = recombine(problem, *pairs, rng)
    assert same_partition(found.labels, truth)
    assert recombine(problem, found, found, rng) is found


# -- groups as wholes --------------------------------------------------------------------------------------------------


@quick
@given(two_labellings(), objectives, st.integers(1, 4), st.integers(0, 99))
def test_coarse_partitions_have_all_clusters_and_the_least_size_where_groups_allow(case, objective, min_size, seed):
    graph, A, _, k = case
    used = A.sum(axis=1) > 0
    groups = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)
    problem = problem_of(graph, k, objective, min_size=min_size).between(groups, used.sum())
    labels = coarse_partition(problem, np.random.default_rng(seed))
    assert labels.dtype == np.int32
    counts = np.bincount(labels, minlength=k)
    assert len(counts) == k and counts.min() >= 1
    if k * min_size <= used.sum():
        assert counts.min() >= min_size


# -- simulated annealing -----------------------------------------------------------------------------------------------


def swept(problem, labels, temperatures, seed, sums=None):
    sums, rng = problem.sums(labels) if sums is None else sums, np.random.default_rng(seed)
    clusters, _ = room(problem.n_clusters)
    moved = annealing_sweeps(problem.task(sums), sums.arrays, labels, np.array(temperatures), rng, clusters)
    return sums, moved


@quick
@given(crowded(), priced_objectives(), st.integers(0, 3), st.integers(0, 2**31 - 1))
def test_heated_sweeps_against_their_dense_twin(case, objective, min_size, seed):
    graph, A, labels, k, asked = case
    problem, rng = problem_of(graph, k, objective, min_size=min_size, **asked), np.random.default_rng(seed)
    found, expected, moved = labels.copy(), labels.copy(), 0
    temperatures, n = [3.0, 1.0, 0.3], len(A)
    min_size, min_volume, max_size = problem.task(problem.sums(labels))[3]
    for temperature in np.repeat(temperatures, n):
        x = int(rng.random() * n)
        around = np.flatnonzero(A[x])
        if expected[x] < 0 or not len(around) or is_fixed(asked, x):
            continue
        a, b = expected[x], expected[around[int(rng.random() * len(around))]]
        if b in (a, -1):
            continue
        then = np.where(np.arange(n) == x, b, expected)
        (left, grown), rest = sizes_of(then, k, asked)[[a, b]], A[then == a].sum()
        if left < min_size or rest < max(min_volume, 0) or (left > 0 and rest < 1e-13 * A[x].sum()):
            continue
        if grown > max_size:
            continue
        gain = value_of(objective, A, then, k) - value_of(objective, A, expected, k)
        assume(abs(gain) > 1e-11)
        if gain > 0 or rng.random() < np.exp(gain / (2 * temperature / np.count_nonzero(A))):
            expected, moved = then, moved + 1
    assert swept(problem, found, temperatures, seed)[1] == moved
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(("objective", "factor"), [(OBJECTIVES["information"], 1), (OBJECTIVES["ncut"], 5)])
def test_annealing_goes_through_the_temperatures(objective, factor, limits):
    # A term of the cut is a share of its cluster's volume: an edge is worth as many times as much as there are
    # clusters.
    graph, truth = planted(5, 30, 0.3, 0.03, 1)
    problem, temperatures = problem_of(graph, 5, objective), np.geomspace(2, 0.4, 20)
    labels, expected = truth.astype(np.int32), truth.astype(np.int32)
    limits(module, _AT_ONCE=4 * len(truth))  # four sweeps between looks
    anneal(problem, labels, temperatures, np.random.default_rng(0))
    swept(problem, expected, factor * temperatures, 0)
    np.testing.assert_array_equal(labels, expected)
    assert (expected != truth).any()


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
def test_heated_moves_leave_no_cluster_without_volume(objective):
    # Beside an edge of weight 1 that of 1e-20 vanishes from the sums of a cluster: taken out of them, nothing is left.
    graph = Graph.from_edges([0, 1, 2, 3, 0], [1, 2, 3, 4, 4], [1e-20, 1.0, 1e-20, 1.0, 1e-20])
    problem = problem_of(graph, 3, objective)
    for seed in range(50):
        labels = np.arange(5, dtype=np.int32) % 3
        sums, _ = swept(problem, labels, [5.0], seed)
        assert (problem.sums(labels).volume > 0).all() and (sums.volume > 0).all(), seed


# -- stability ---------------------------------------------------------------------------------------------------------


@quick
@given(st.integers(1, 30), st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_stability_against_all_ways_to_match(n, k, n_labellings, seed):
    rng = np.random.default_rng(seed)
    outside = rng.random(n) < 0.2
    labels, *labellings = (
        np.where(outside, -1, rng.integers(0, k, n)).astype(np.int32) for _ in range(n_labellings + 1)
    )
    nodes, clusters = stability(labels, labellings, k)
    for one, other in zip((nodes, clusters), stability(labels, labellings, k, n_jobs=2), strict=True):
        np.testing.assert_array_equal(one, other)
    assert nodes.shape == (n,) and clusters.shape == (k,)
    assert ((nodes >= 0) & (nodes <= 1)).all() and ((clusters >= 0) & (clusters <= 1)).all()
    assert (nodes[outside] == 0).all()
    # As many nodes agree as under the best of all matchings.
    agreeing = sum(
        max(int((np.array(names)[other[~outside]] == labels[~outside]).sum()) for names in permutations(range(k)))
        for other in labellings
    )
    assert nodes.sum() * n_labellings == pytest.approx(agreeing, abs=1e-3)
    if n_labellings == 1 and not outside.any():
        # One matching serves nodes and clusters.
        for c in np.unique(labels):
            mine = labels == c
            kept = nodes[mine] == 1
            if kept.any():
                other = labellings[0] == labellings[0][np.flatnonzero(mine)[kept][0]]
                assert clusters[c] == pytest.approx((mine & other).sum() / (mine | other).sum())
