"""Nearest centroids of new rows: the same in blocks, from dense and sparse rows, without n x k numbers."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

from graphcore.kmeans import assign


def fitted(n, k, seed=0):
    rng = np.random.default_rng(seed)
    labels, weights = rng.integers(k, size=n), rng.uniform(0.5, 2, n)
    return labels, weights, np.bincount(labels, weights, k), rng.uniform(0, 0.01, k)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_rows_by_blocks_against_numpy(monkeypatch, kind):
    A = sp.random_array((50, 30), density=0.2, rng=np.random.default_rng(1)).toarray()
    labels, weights, masses, norms = fitted(30, 4)
    Z = np.eye(4)[labels] * weights[:, None]
    values = norms - 2 * (A @ Z) / masses
    degrees = np.random.default_rng(2).uniform(0.3, 3, 30)
    own = A.sum(axis=1)
    scale = np.divide(1, own, out=np.zeros(50), where=own > 0)
    values_of_graph = norms - 2 * (A @ (Z / degrees[:, None])) * scale[:, None] / masses
    of_graph = np.where(own > 0, values_of_graph.argmin(axis=1), -1)
    for block_bytes in (1, 8 * 4 * 7, 1 << 26):
        monkeypatch.setattr(assign, "_BLOCK_BYTES", block_bytes)
        found, least = assign.assign_rows(kind(A), labels, weights, masses, norms)
        np.testing.assert_array_equal(found, values.argmin(axis=1))
        np.testing.assert_allclose(least, values.min(axis=1), rtol=1e-12, atol=1e-15)
        found, least = assign.assign_graph_rows(kind(A), own, degrees, labels, weights, masses, norms)
        np.testing.assert_array_equal(found, of_graph)
        np.testing.assert_allclose(least, values_of_graph.min(axis=1), rtol=1e-12, atol=1e-15)


def test_edges_to_a_large_graph_of_many_clusters_take_no_dense_memberships():
    n, k = 20_000, 2_000
    ring = np.arange(n)
    A = sp.csr_array((np.ones(n), (ring, (ring + 1) % n)), shape=(n, n))
    labels, weights, masses, norms = fitted(n, k)
    tracemalloc.start()
    try:
        assign.assign_graph_rows(A, np.ones(n), np.ones(n), labels, weights, masses, norms)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 8 * n * k  # which is 320 MB, and twice that with the sums of all rows at once
