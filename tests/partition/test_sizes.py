"""Small clusters grow to the least size."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.partition.constraints import grow_small_clusters

from ..oracles import cliques, quick
from ..strategies import problem_of
from .test_quotient import labelled


@quick
@given(labelled(max_nodes=16), st.integers(1, 6), st.booleans(), st.integers(0, 99))
def test_small_clusters_grow_and_no_other_becomes_small(case, min_size, counted, seed):
    graph, A, labels, k = case
    labels[A.sum(axis=1) == 0] = -1
    assume((labels >= 0).any())
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 4, len(A)) if counted else np.ones(len(A), dtype=np.int64)
    start = labels.copy()
    moved = grow_small_clusters(
        problem_of(graph, k, min_size=min_size, **{"counts": counts} if counted else {}), labels
    )
    inside = start >= 0
    np.testing.assert_array_equal(labels >= 0, inside)
    before = np.bincount(start[inside], weights=counts[inside], minlength=k)
    after = np.bincount(labels[inside], weights=counts[inside], minlength=k)
    assert (after >= np.minimum(before, min_size)).all()
    assert (moved > 0) == (labels != start).any()
    if before.min() >= min_size:
        assert moved == 0
    if min_size == 1:  # of nodes, which is no wish: a cluster may be empty
        assert moved == 0
    elif not counted and inside.sum() >= k * min_size:
        assert after.min() >= min_size
    elif counted:
        # What is still small could not be helped by any single group.
        for c in np.flatnonzero(after < min_size):
            assert not (inside & (labels != c) & (after[labels] - counts >= min_size)).any()


@quick
@given(labelled(max_nodes=16, weighted=True), st.integers(0, 4))
def test_one_small_cluster_grows_over_its_border_best_node_first(case, less):
    graph, A, labels, _ = case
    labels[A.sum(axis=1) == 0] = -1
    # Cluster 1 is one node, everything else is cluster 0, so there is one way to grow.
    inside = np.flatnonzero(labels >= 0)
    min_size = len(inside) // 2 - less
    assume(min_size >= 2)
    labels[inside] = 0
    labels[inside[0]] = 1
    start = labels.copy()
    grow_small_clusters(problem_of(graph, 2, min_size=min_size), labels)
    degrees, links = A.sum(axis=1), A - np.diag(np.diag(A))
    grown = start.copy()
    while (grown == 1).sum() < min_size:
        border = np.flatnonzero((grown == 0) & (links[:, grown == 1] > 0).any(axis=1))
        if len(border):
            surplus = links[border][:, grown == 1].sum(axis=1) - links[border][:, grown == 0].sum(axis=1)
            surplus /= degrees[border]
            best = border[surplus >= surplus.max() - 1e-9]
        else:
            free = np.flatnonzero(grown == 0)
            best = free[degrees[free] == degrees[free].min()]
        taken = best[labels[best] == 1]
        assert len(taken)
        grown[taken[0]] = 1
    assume(len(border) == 0 or len(best) == 1)
    np.testing.assert_array_equal(grown, labels)


def test_a_clique_is_taken_before_nodes_that_are_not_linked():
    # Two cliques of 6 joined by one edge; cluster 1 is one node of the second clique.
    A = cliques([6, 6], loops=False)
    A[0, 6] = A[6, 0] = 1.0
    labels = np.zeros(12, dtype=np.int32)
    labels[11] = 1
    assert grow_small_clusters(problem_of(Graph.from_scipy(A), 2, min_size=6), labels) == 5
    np.testing.assert_array_equal(labels, np.repeat([0, 1], 6))


def test_where_there_is_no_border_nodes_come_from_the_largest_cluster():
    A = cliques([3, 5, 8])
    labels = np.repeat([0, 1, 2], [3, 5, 8]).astype(np.int32)
    assert grow_small_clusters(problem_of(Graph.from_scipy(A), 3, min_size=5), labels) == 2
    np.testing.assert_array_equal(np.bincount(labels), [5, 5, 6])
    np.testing.assert_array_equal(np.bincount(labels[8:]), [2, 0, 6])
    # An empty cluster is filled too.
    labels = np.repeat([0, 2, 2], [3, 5, 8]).astype(np.int32)
    grow_small_clusters(problem_of(Graph.from_scipy(A), 3, min_size=3), labels)
    np.testing.assert_array_equal(np.bincount(labels), [3, 3, 10])
