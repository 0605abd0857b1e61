"""Cycles of moves by groups: the loop against a dense twin, and what a cycle promises."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.cluster.refine import improve as cycles
from graphcore.cluster.refine._quotient_loops import join_parts
from graphcore.cluster.refine.improve import _merge_anew, inner_parts, move_in_cycles, move_locally, part_resolutions
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.refine.problem import apply_labels, cluster_sums, compact_labels, grouped, pick_labels, quotient
from graphcore.datasets import degree_corrected_partition
from graphcore.metrics import agreement

from ...oracles import planted
from ...partitions import same_partition
from ...strategies import objectives, problem_of
from .test_quotient import indicator, linked


def joined_densely(links, volumes, total, clusters, resolutions, order):
    """Groups of units by dense matrices: `links` (n, n) between units, their `volumes` out of `total`."""
    groups = np.where(clusters >= 0, np.arange(len(links)), -1)
    for u in order:
        if groups[u] < 0 or np.count_nonzero(groups == groups[u]) > 1:
            continue
        beside = (clusters == clusters[u]) & (links[u] > 0)
        beside[u] = False
        gains = {}
        for g in np.unique(groups[beside]).tolist():
            inside = groups == g
            gains[g] = links[u, inside].sum() - resolutions[clusters[u]] * volumes[u] * volumes[inside].sum() / total
        if gains and max(gains.values()) > 0:
            groups[u] = max(gains, key=gains.get)
    return groups


def compiled(rows, volumes, clusters, resolutions, order, units=None):
    n, none = len(clusters), np.empty(0, dtype=np.int32)
    of_nodes = (none, np.empty(0, dtype=np.int64), none) if units is None else (units, *grouped(units, n))
    groups, volumes = np.where(clusters >= 0, np.arange(n, dtype=np.int32), np.int32(-1)), volumes.copy()
    around = np.empty(n), np.full(n, -1, dtype=np.int32), np.empty(n, dtype=np.int32)
    total, own, is_alone = float(rows.degrees.sum()), volumes.copy(), np.ones(n, dtype=bool)
    join_parts(rows[:], total, clusters, resolutions, of_nodes, order, own, groups, volumes, is_alone, around)
    return groups, volumes


@given(linked(), st.integers(0, 2**31 - 1))
def test_groups_against_a_dense_twin(case, seed):
    graph, A, labels, k = case
    rng = np.random.default_rng(seed)
    # Random weights keep gains apart: which of two equal ones is taken depends on the order of the entries.
    A = np.triu(A * (1 + 0.01 * rng.random(A.shape)))
    A += np.triu(A, 1).T
    graph = Graph.from_scipy(sp.csr_array(A), warn=False)
    rows, order, resolutions = graph.rows, rng.permutation(len(labels)).astype(np.int32), rng.uniform(0.3, 3, k)
    degrees, total = rows.degrees, rows.degrees.sum()
    found, volumes = compiled(rows, degrees, labels, resolutions, order)
    np.testing.assert_array_equal(found, joined_densely(A, degrees, total, labels, resolutions, order))
    np.testing.assert_allclose(volumes[found[found >= 0]], (indicator(found, len(A)).T @ degrees)[found[found >= 0]])
    # The groups as units, as they are joined once more without the graph between them.
    n_units = compact_labels(found, len(A))
    Z = indicator(found, n_units)
    of_units, order = pick_labels(found, n_units, labels), rng.permutation(n_units).astype(np.int32)
    given_units = compiled(rows, Z.T @ degrees, of_units, resolutions, order, found)[0]
    expected = joined_densely(Z.T @ A @ Z, Z.T @ degrees, total, of_units, resolutions, order)
    np.testing.assert_array_equal(given_units, expected)


@given(linked(), objectives, st.integers(0, 3), st.integers(0, 2**31 - 1))
def test_cycles_never_lower_the_objective_and_keep_the_limits(case, objective, min_size, seed):
    graph, _, labels, k = case
    rows = graph.rows
    problem, start = problem_of(rows, k, objective, min_size=min_size), labels.copy()
    before, sums = problem.sums(labels), move_in_cycles(problem, labels, np.random.default_rng(seed))
    now = cluster_sums(rows, labels, k)
    np.testing.assert_array_equal(labels < 0, start < 0)
    np.testing.assert_array_equal(sums.size, now.size)
    np.testing.assert_allclose(sums.internal, now.internal, atol=1e-9)
    assert np.all(now.size >= np.minimum(before.size, min_size))  # with 0 they may be emptied
    assert now.value(objective) == pytest.approx(sums.value(objective))
    assert sums.value(objective) > before.value(objective) or np.array_equal(labels, start)


def test_groups_stay_inside_clusters_and_differ_from_call_to_call_but_not_with_threads(limits):
    rows, labels = planted(4, 100, 0.2, 0.02, 0)[0].rows, np.repeat(np.arange(4, dtype=np.int32), 100)
    resolutions = part_resolutions(OBJECTIVES["information"], cluster_sums(rows, labels, 4))
    rng = np.random.default_rng(0)
    (first, n_first), (second, _) = (inner_parts(rows, labels, resolutions, rng) for _ in range(2))
    assert 4 < n_first < 200
    np.testing.assert_array_equal(apply_labels(pick_labels(first, n_first, labels), first), labels)
    assert not np.array_equal(first, second)
    # Where the graph between them would be too large, groups are larger, and then there are none.
    limit = len(quotient(rows, first, n_first).indices) // 2
    larger, n_larger = inner_parts(rows, labels, resolutions, rng, max_entries=limit)
    assert 4 <= n_larger < n_first / 2
    assert len(quotient(rows, larger, n_larger).indices) <= limit
    none, n_none = inner_parts(rows, labels, resolutions, rng, max_entries=10)
    assert n_none == 400
    np.testing.assert_array_equal(none, np.arange(400))
    limits(cycles, _LARGE=0)
    labels[::50] = -1
    found = [inner_parts(rows, labels, resolutions, np.random.default_rng(0), 100, n_jobs) for n_jobs in (1, 2, 5)]
    for groups, n_groups in found[1:]:
        assert n_groups == found[0][1]
        np.testing.assert_array_equal(groups, found[0][0])


def test_resolutions_are_those_of_a_planted_partition():
    # p = .2 / mean and q = .02 / mean, as many times as likely as by chance.
    rows = planted(4, 200, 0.2, 0.02, 0)[0].rows
    mean = (0.2 + 3 * 0.02) / 4
    p, q = 0.2 / mean, 0.02 / mean
    found = part_resolutions(
        OBJECTIVES["information"], cluster_sums(rows, np.repeat(np.arange(4, dtype=np.int32), 200), 4)
    )
    np.testing.assert_allclose(found, (p - q) / np.log(p / q), rtol=0.05)
    # One cluster without an edge inside, and one of everything: finite all the same.
    ring = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0]).rows
    for labels in ([0, 1, 0, 1], [0, 0, 0, 0]):
        sums = cluster_sums(ring, np.array(labels, dtype=np.int32), 2)
        assert np.isfinite(part_resolutions(OBJECTIVES["information"], sums)).all()


def test_moves_of_groups_find_what_moves_of_nodes_do_not():
    # Small clusters, sparse: 100 communities of 40 nodes of mean degree 6, a quarter of it without regard to them.
    for seed in range(5):
        data = degree_corrected_partition(100, 40, mean_degree=6.0, mixing=0.25, random_state=seed)
        rows, truth = data.graph.rows, np.where(data.graph.degrees > 0, data.labels, -1).astype(np.int32)
        labels = np.random.default_rng(seed).integers(0, 100, len(truth)).astype(np.int32)
        labels[truth < 0] = -1
        alone, _ = move_locally(problem_of(rows, 100), labels)
        before = alone.value(OBJECTIVES["information"]), agreement(truth, labels)["ari"]
        sums = move_in_cycles(problem_of(rows, 100), labels, np.random.default_rng(seed))
        # On nine graphs of this kind: 0.26 to 0.44 and 0.13 to 0.29 more.
        assert sums.value(OBJECTIVES["information"]) > before[0] + 0.2
        assert agreement(truth, labels)["ari"] > before[1] + 0.1
        assert sums.value(OBJECTIVES["information"]) > cluster_sums(rows, truth, 100).value(OBJECTIVES["information"])


@given(st.integers(0, 2**31 - 1), objectives)
def test_merging_the_largest_groups_anew_mends_two_clusters_united_and_one_cut(seed, objective):
    # Six groups, of which four pairs belong together by any measure: {0, 1}, {2}, {3}, {4, 5}; k = 4.
    rng = np.random.default_rng(seed)
    A = np.diag(rng.uniform(8, 12, 6)) + rng.uniform(0.5, 1, (6, 6))
    A[0, 1] = A[4, 5] = 6.0
    A = np.triu(A) + np.triu(A, 1).T
    truth, labels = np.array([0, 0, 1, 2, 3, 3]), np.array([0, 1, 2, 2, 3, 3], dtype=np.int32)
    ones = np.ones(6, dtype=np.int64)
    problem = problem_of(Graph.from_scipy(A), 4, objective, counts=ones)
    sums = problem.sums(labels)
    _merge_anew(problem, labels, sums)
    assert same_partition(labels, truth)
    for kept, new in zip(sums.arrays, problem.sums(labels).arrays, strict=True):
        np.testing.assert_allclose(kept, new, rtol=1e-12)
    # Also where a cluster of little volume is best: {0, 1}, {2} and {3}, of a hundredth of it.
    small = np.diag([10.0, 10.0, 30.0, 0.6])
    small[[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]] = 9.0, 9.0, 0.1, 0.1, 0.1, 0.1
    parted = np.array([0, 1, 2, 2], dtype=np.int32)
    problem = problem_of(Graph.from_scipy(small), 3, OBJECTIVES["information"], counts=np.ones(4, dtype=np.int64))
    _merge_anew(replace(problem, min_share=0.1), parted, problem.sums(parted))
    assert same_partition(parted, np.array([0, 0, 1, 2]))
    # Not where that would be worse, or join what no link joins.
    best, problem = labels.copy(), problem_of(Graph.from_scipy(A), 4, objective, counts=ones)
    _merge_anew(problem, labels, sums)
    np.testing.assert_array_equal(labels, best)
    apart = np.kron(np.eye(3), np.full((2, 2), 2.0))
    halves = np.arange(6, dtype=np.int32) // 3
    problem = problem_of(Graph.from_scipy(apart), 2, objective, counts=ones)
    _merge_anew(problem, halves, problem.sums(halves))
    np.testing.assert_array_equal(halves, np.arange(6) // 3)
