"""Eigenvalues between micro-clusters, and agreement of partitions."""

import numpy as np
import pytest
from graphcore.selection.heuristics import agreement_at, laplacian_eigenvalues
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from graphcore import Graph
from graphcore.partition.quotient import graph_rows, quotient
from graphcore.selection.sweep import micro_cluster_trees

from ..oracles import planted, quick, random_adjacency


def laplacian_of(A):
    root = np.sqrt(A.sum(axis=1))
    return np.eye(len(A)) - A / np.outer(root, root)


@quick
@given(st.integers(4, 25), st.integers(2, 8), st.booleans(), st.integers(0, 2**32 - 1))
def test_eigenvalues_between_micro_clusters_are_ritz_values_of_the_graph(n, k, weighted, seed):
    rng = np.random.default_rng(seed)
    A = random_adjacency(n, 0.4, rng, weighted=weighted, loops=0.2)
    A[np.arange(n), (np.arange(n) + 1) % n] += 1.0
    A = np.maximum(A, A.T)
    k = min(k, n)
    labels = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, n - k)])).astype(np.int32)
    found = laplacian_eigenvalues(quotient(graph_rows(Graph.from_scipy(A)), labels, k), k, random_state=0)
    # Functions that are constant on micro-clusters, in the scalar product of the degrees.
    degrees = A.sum(axis=1)
    basis = np.zeros((n, k))
    basis[np.arange(n), labels] = np.sqrt(degrees)
    basis /= np.linalg.norm(basis, axis=0)
    np.testing.assert_allclose(found, np.linalg.eigvalsh(basis.T @ laplacian_of(A) @ basis), atol=1e-8)
    assert (found >= np.linalg.eigvalsh(laplacian_of(A))[:k] - 1e-8).all()


def test_agreement_is_the_mean_over_pairs_of_coresets():
    graph, _ = planted(5, 80, 0.2, 0.03, 1)
    trees = micro_cluster_trees(graph, 20, n_coresets=3, random_state=0)
    for k in (2, 5, 20):
        a, b, c = (tree.labels_at(k) for tree in trees)
        pairs = [adjusted_rand_score(x, y) for x, y in ((a, b), (a, c), (b, c))]
        assert agreement_at(trees, k) == pytest.approx(np.mean(pairs), abs=1e-12)
