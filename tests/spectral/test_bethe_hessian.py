"""Eigenvectors of the Bethe Hessian against numpy's, and the clusters that they show."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from graphcore.datasets import degree_corrected_partition
from graphcore.spectral import bethe_hessian as module
from graphcore.spectral.exact import bethe_hessian_embedding
from graphcore.spectral.partition import kmeans_labels

from ..oracles import planted, random_adjacency


def oracle(A, k):
    A = A / A[A > 0].mean()
    d = A.sum(axis=1)
    square = max(1.0, (d**2).sum() / d.sum() - 1)
    vectors = np.linalg.eigh((square - 1) * np.eye(len(A)) - np.sqrt(square) * A + np.diag(d))[1][:, :k]
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_space_is_that_of_the_smallest_eigenvalues(weighted, monkeypatch):
    monkeypatch.setattr(module, "_TOLERANCE", 1e-10)
    A = planted(4, 40, 0.3, 0.02, 0)[0].to_scipy().toarray()
    if weighted:
        A = A * random_adjacency(len(A), 1.0, np.random.default_rng(1), weighted=True)
    found, expected = bethe_hessian_embedding(sp.csr_array(A), 4, random_state=0), oracle(A, 4)
    # Inner products of the rows do not depend on the basis.
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-6)
    again = bethe_hessian_embedding(sp.csr_array(A * 2.0**-40), 4, random_state=0)
    np.testing.assert_array_equal(found, again)


def test_clusters_at_twice_the_threshold_are_seen():
    # Degree 8 and mixing 1 - (2 / 8)^(1/2): eigenvectors of the Laplacian are those of loose ends here.
    graph, truth = degree_corrected_partition(2, 1000, mixing=0.5, expected_degrees=np.full(2000, 8.0), random_state=0)[
        :2
    ]
    labels = kmeans_labels(bethe_hessian_embedding(graph.to_scipy(), 2, random_state=0), 2, random_state=0)
    assert adjusted_rand_score(truth, labels) > 0.35


def test_none_where_lanczos_iterations_end_too_early(monkeypatch):
    monkeypatch.setattr(module, "_MAX_RESTARTS", 1)
    monkeypatch.setattr(module, "_TOLERANCE", 1e-14)
    path = sp.diags_array([np.ones(499), np.ones(499)], offsets=[-1, 1]).tocsr()
    assert bethe_hessian_embedding(path, 3, random_state=0) is None
