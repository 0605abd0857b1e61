"""Partitions of groups, the consensus of several labellings, and stability."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.partition.cluster_sums import OBJECTIVES
from graphcore.partition.consensus import coarse_partition, consensus, stability
from graphcore.partition.quotient import apply_labels, common_refinement, graph_rows, quotient

from ..oracles import cliques, planted, quick, random_adjacency
from .test_local_moving import value_of
from .test_merge import same_partition

objectives = st.sampled_from(OBJECTIVES)


@st.composite
def several_labellings(draw):
    """(Graph, dense matrix, labellings of all nodes with an edge into clusters all in use, number of clusters)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(4, 24))
    A = random_adjacency(n, draw(st.sampled_from([0.1, 0.3, 0.7])), rng, weighted=draw(st.booleans()), loops=0.2)
    A[0, 1] = A[1, 0] = 1.0
    linked = np.flatnonzero(A.sum(axis=1) > 0)
    k = draw(st.integers(1, min(4, len(linked))))
    labellings = []
    for _ in range(draw(st.integers(1, 4))):
        labels = np.full(n, -1, dtype=np.int32)
        labels[linked] = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, len(linked) - k)]))
        labellings.append(labels)
    return Graph.from_scipy(A), A, labellings, k


@quick
@given(several_labellings(), objectives, st.sampled_from([0.0, 0.1, 0.5]), st.integers(1, 3), st.integers(0, 99))
def test_the_consensus_is_never_worse_than_the_best_labelling(case, objective, min_share, min_size, seed):
    graph, A, labellings, k = case
    values = [value_of(objective, A, labels, k) for labels in labellings]
    best = labellings[int(np.argmax(values))]
    groups, n_groups = common_refinement(labellings, k)
    group_labels, between = consensus(
        graph_rows(graph),
        groups,
        n_groups,
        best,
        k,
        objective=objective,
        min_size=min_size,
        min_share=min_share,
        rng=np.random.default_rng(seed),
    )
    assert len(between.degrees) == n_groups
    labels = apply_labels(group_labels, groups)
    sizes = np.bincount(labels[labels >= 0], minlength=k)
    assert len(sizes) == k and sizes.min() >= 1
    given_sizes = np.bincount(best[best >= 0], minlength=k)
    if given_sizes.min() >= min_size:
        assert sizes.min() >= min_size
        assert sizes.min() < min_size or value_of(objective, A, labels, k) >= max(values) - 1e-11
    for labels_given in labellings:  # groups on which all agree stay together
        pairs = {*zip(groups.tolist(), labels_given.tolist(), strict=True)}
        assert len(pairs) == len(set(groups.tolist()))


@quick
@given(several_labellings(), objectives, st.integers(1, 4), st.integers(0, 99))
def test_coarse_partitions_have_all_clusters_and_the_least_size_where_groups_allow(case, objective, min_size, seed):
    graph, A, _, k = case
    rng = np.random.default_rng(seed)
    n = len(A)
    groups = np.where(A.sum(axis=1) > 0, np.arange(n), -1).astype(np.int32)
    rows, sizes = quotient(graph_rows(graph), groups, n), (groups >= 0).astype(np.int64)
    # Isolated nodes would be groups of nothing: leave them out.
    used = np.flatnonzero(sizes)
    groups[used] = np.arange(len(used))
    rows, sizes = quotient(graph_rows(graph), groups, len(used)), sizes[used]
    labels = coarse_partition(rows, sizes, k, objective=objective, min_size=min_size, rng=rng)
    assert labels.dtype == np.int32
    counts = np.bincount(labels, minlength=k)
    assert len(counts) == k and counts.min() >= 1
    if k * min_size <= len(used):
        assert counts.min() >= min_size


def test_the_least_size_also_holds_where_the_normalised_cut_gives_the_better_start():
    A = np.zeros((8, 8))
    for a, b in ((0, 1), (0, 7), (2, 4), (3, 4), (4, 7), (5, 6)):
        A[a, b] = A[b, a] = 1.0
    A[3, 3] = 1.0
    rows = quotient(graph_rows(Graph.from_scipy(A)), np.arange(8, dtype=np.int32), 8)
    sizes = np.ones(8, dtype=np.int64)
    for objective in OBJECTIVES:
        labels = coarse_partition(rows, sizes, 2, objective=objective, min_size=4, rng=np.random.default_rng(0))
        assert np.bincount(labels).tolist() == [4, 4]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_planted_clusters_come_out_of_noisy_labellings(objective):
    graph, truth = planted(6, 60, 0.3, 0.01, 0)
    rng = np.random.default_rng(0)
    labellings = []
    for _ in range(4):
        # Every labelling splits one cluster in two and unites two others.
        labels = rng.permutation(6)[truth]
        first, second, third = rng.permutation(6)[:3]
        labels[labels == second] = first
        labels[(labels == third) & (rng.random(360) < 0.5)] = second
        labellings.append(labels.astype(np.int32))
    A = graph.to_scipy().toarray()
    groups, n_groups = common_refinement(labellings, 6)
    best = max(labellings, key=lambda labels: value_of(objective, A, labels, 6))
    found, _ = consensus(graph_rows(graph), groups, n_groups, best, 6, objective=objective, rng=rng)
    assert same_partition(found[groups], truth)


def test_more_halfway_clusters_than_groups_and_rings_of_cliques():
    # A ring of 24 cliques of 5, every node a group: merging one pair at a time finds them exactly.
    A = cliques([5] * 24, loops=False)
    for c in range(24):
        a, b = 5 * c, (5 * c + 6) % 120
        A[a, b] = A[b, a] = 1.0
    rows = quotient(graph_rows(Graph.from_scipy(A)), np.arange(120, dtype=np.int32), 120)
    for k in (24, 3):
        labels = coarse_partition(
            rows, np.ones(120, dtype=np.int64), k, objective="information", rng=np.random.default_rng(0)
        )
        assert len(np.unique(labels)) == k
        # No clique is split.
        assert all(len(set(labels[5 * c : 5 * c + 5].tolist())) == 1 for c in range(24))


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
        # The same matching serves nodes and clusters.
        for c in np.unique(labels):
            mine = labels == c
            kept = nodes[mine] == 1
            if kept.any():
                other = labellings[0] == labellings[0][np.flatnonzero(mine)[kept][0]]
                assert clusters[c] == pytest.approx((mine & other).sum() / (mine | other).sum())


@quick
@given(st.integers(1, 30), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_labellings_equal_up_to_names_are_stable(n, k, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(-1, k, n).astype(np.int32)
    labellings = [np.where(labels >= 0, rng.permutation(k)[labels], -1) for _ in range(3)]
    nodes, clusters = stability(labels, labellings, k)
    np.testing.assert_array_equal(nodes, (labels >= 0).astype(np.float32))
    np.testing.assert_array_equal(clusters, np.isin(np.arange(k), labels).astype(float))
