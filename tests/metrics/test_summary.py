"""The line about every cluster, and the part of a graph that a cluster is, against dense computations."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from graphcore import Graph
from graphcore.metrics import central_nodes, cluster_summary


@pytest.mark.parametrize("seed", range(6))
def test_the_summary_against_a_dense_computation(seed):
    rng = np.random.default_rng(seed)
    A = np.triu(rng.integers(1, 6, (30, 30)) * (rng.random((30, 30)) < 0.15)).astype(float)
    A = np.maximum(A, A.T)
    labels = np.random.default_rng(seed + 100).integers(-1, 4, len(A))
    graph = Graph.from_scipy(sp.csr_array(A))
    found = cluster_summary(graph, labels, 6, n_central=2)
    degrees = A.sum(axis=1)
    for c in range(6):
        inside = (labels == c) & (degrees > 0)
        volume, kept = degrees[inside].sum(), A[np.ix_(inside, inside)].sum()
        assert (found["cluster"][c], found["size"][c]) == (c, inside.sum())
        np.testing.assert_allclose(found["volume"][c], volume)
        np.testing.assert_allclose(found["conductance"][c], 1 - kept / volume if volume else 1.0)
        linked = sp.csr_array(A[np.ix_(inside, inside)])
        assert found["parts"][c] == (connected_components(linked)[0] if inside.any() else 0)
        towards = [0.0 if other == c else A[inside][:, labels == other].sum() for other in range(6)]
        assert found["nearest"][c] == (int(np.argmax(towards)) if max(towards) > 0 else -1)
    assert found["central"] == [nodes.tolist() for nodes in central_nodes(graph, labels, 6, count=2)]


def test_clusters_with_nothing_between_them_have_no_nearest():
    found = cluster_summary(Graph.from_edges(["a", "b"], ["c", "d"]), [0, 0, 1, 1])
    assert found["nearest"].tolist() == [-1, -1]
    assert found["central"] == [["a", "c"], ["b", "d"]]
    assert cluster_summary(Graph.from_edges([0, 1], [1, 2]), [0, 0, 0])["nearest"].tolist() == [-1]
