"""The sweep: micro-clusters, their tree, and the information of every partition in it, against dense sums."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.cluster.selection.sweep import micro_cluster_trees

from ...oracles import cliques, planted, quick
from ...partitions import value_of
from ...strategies import linked_adjacencies


@quick
@given(linked_adjacencies(3, 30), st.integers(1, 6), st.integers(0, 99), st.sampled_from([0.0, 0.3, 0.9]))
def test_information_and_entropy_are_those_of_the_trees_partitions(drawn, k, seed, price):
    A, _ = drawn
    graph = Graph.from_scipy(A, warn=False)
    linked = A.sum(axis=1) > 0
    k = min(k, int(linked.sum()))
    for tree in [tree.at(price) for tree in micro_cluster_trees(graph, k, n_coresets=2, random_state=seed)]:
        assert tree.n_micro_clusters >= k
        assert tree.information.shape == (tree.n_micro_clusters,)
        assert tree.tree.leaf_sizes.sum() == linked.sum()
        before = np.full(len(A), -1)
        for n_clusters in range(1, tree.n_micro_clusters + 1):
            labels = tree.labels_at(n_clusters)
            assert ((labels >= 0) == linked).all()
            assert len(np.unique(labels[linked])) == n_clusters
            assert tree.information[n_clusters - 1] == pytest.approx(
                value_of("information", A, labels, n_clusters), abs=1e-9
            )
            shares = np.bincount(labels[linked], A.sum(axis=1)[linked]) / A.sum()
            assert tree.entropy[n_clusters - 1] == pytest.approx(-(shares * np.log(shares)).sum(), abs=1e-9)
            # Every cluster lies within one of the partition before.
            assert len({*zip(labels[linked].tolist(), before[linked].tolist(), strict=True)}) == n_clusters
            before = labels


def test_the_sweep_does_not_depend_on_threads():
    graph, _ = planted(6, 150, 0.1, 0.01, 0)
    one = micro_cluster_trees(graph, 20, n_coresets=3, random_state=4)
    two = micro_cluster_trees(graph, 20, n_coresets=3, random_state=4, n_jobs=2)
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a.micro_clusters, b.micro_clusters)
        np.testing.assert_array_equal(a.tree.children, b.tree.children)
        np.testing.assert_array_equal(a.information, b.information)
    assert not np.array_equal(one[0].information, one[1].information)  # coresets differ


def test_disjoint_cliques_have_all_information_up_to_their_number():
    graph = Graph.from_scipy(cliques([12] * 8, loops=False))
    (tree,) = micro_cluster_trees(graph, 20, random_state=0)
    np.testing.assert_allclose(tree.information[[0, 1, 3, 7]], np.log([1, 2, 4, 8]), atol=1e-12)


@pytest.mark.parametrize("n_clusters", [1, 29, 30])
def test_there_are_as_many_cells_as_clusters_asked_about(n_clusters):
    graph = Graph.from_scipy(cliques([10, 10, 10], loops=False))
    (tree,) = micro_cluster_trees(graph, n_clusters, random_state=0)
    assert tree.n_micro_clusters >= n_clusters
