"""Spectral partition of a (coreset) graph, and the k-means inside it."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from graphcore.cluster import spectral as partition
from graphcore.cluster.spectral import kmeans_labels, part_labels, spectral_partition

from ..oracles import EXAMPLES, example_adjacencies, planted

EIGEN_SOLVERS = ("power", "exact")


@pytest.mark.parametrize("eigen_solver", ["power", pytest.param("exact", marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", EXAMPLES)
def test_one_cluster_and_one_for_every_node(name, eigen_solver):
    A = example_adjacencies()[name]
    one = spectral_partition(sp.csr_array(A), 1, eigen_solver=eigen_solver, random_state=0)
    assert not one.any()
    full = spectral_partition(sp.csr_array(A), len(A), eigen_solver=eigen_solver, random_state=0)
    linked = A.sum(axis=1) > 0
    # Isolated nodes all stand at 0 and share a label; all others differ.
    assert len(np.unique(full[linked])) == linked.sum()
    assert len(np.unique(full[~linked])) == (1 if (~linked).any() else 0)


def test_pairs_of_nodes_apart_get_no_clusters_of_their_own():
    # Their rows are the longest. As they came, ARI of the blocks was 0 with every one of these seeds.
    blocks, truth = planted(3, 60, 0.5, 0.01, 1)
    pairs = sp.kron(sp.identity(6), [[0, 1], [1, 0]])
    A = sp.csr_array(sp.block_diag([blocks.to_scipy(), pairs]))
    labels = [spectral_partition(A, 3, random_state=seed)[: len(truth)] for seed in range(7)]
    assert np.median([adjusted_rand_score(truth, found) for found in labels]) > 0.95
    assert {found.dtype for found in labels} == {np.dtype(np.int32)}


def test_graph_without_edges_is_one_cluster():
    for eigen_solver in EIGEN_SOLVERS:
        for k in (2, 3):
            result = spectral_partition(sp.csr_array((6, 6)), k, eigen_solver=eigen_solver, random_state=0)
            assert len(np.unique(result)) == 1


@pytest.mark.parametrize("distances", [1 << 20, 100, 1])
def test_parts_are_the_rows_nearest_to_some_drawn_evenly_and_then_by_distance(distances, limits):
    X, rng = np.random.default_rng(0).normal(size=(300, 4)), np.random.default_rng(5)
    pairs = np.square(X[:, None] - X).sum(axis=2)
    drawn = rng.choice(300, 5, replace=False)
    chances = pairs[:, drawn].min(axis=1) + 1e-12
    chances[drawn] = 0.0
    drawn = np.append(drawn, rng.choice(300, 15, replace=False, p=chances / chances.sum()))
    limits(partition, _HELD_DISTANCES=distances)
    expected = pairs[:, drawn].argmin(axis=1)
    for n_jobs in (1, 2):
        labels = part_labels(X, 20, np.random.default_rng(5), n_jobs)
        assert labels.dtype == np.int32 and set(labels) == set(range(20))
        np.testing.assert_array_equal(labels, expected)


# -- k-means ----------------------------------------------------------------------------------------------------


def test_fewer_distinct_rows_than_clusters():
    X = np.repeat([[0.0, 0.0], [5.0, 1.0]], [7, 3], axis=0)
    with warnings.catch_warnings(action="error"):
        labels = kmeans_labels(X, 4, random_state=0)
    assert len(np.unique(labels[:7])) == len(np.unique(labels[7:])) == 1
    assert labels[0] != labels[7]
    assert labels.max() < 4


@pytest.mark.slow
def test_kmeans_costs_are_those_of_scikit_learn():
    X = np.random.default_rng(3).normal(size=(3000, 6)).astype(np.float32)
    one = kmeans_labels(X, 40, n_init=3, random_state=5)

    def cost(labels):
        return sum(((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum() for c in range(40))

    # The best of three starts each; over ten seeds the costs of scikit-learn's own lie within 2 % of each other.
    theirs = KMeans(40, n_init=3, random_state=0).fit(X.astype(np.float64))
    assert abs(cost(one) / theirs.inertia_ - 1) < 0.02
    # A fixed point: every row is nearest to the mean of its cluster, up to the tolerance at which k-means stops.
    means = np.array([X[one == c].mean(axis=0) for c in range(40)])
    assert np.mean(((X[:, None] - means) ** 2).sum(axis=2).argmin(axis=1) == one) > 0.99
