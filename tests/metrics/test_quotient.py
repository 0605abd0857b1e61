"""The quotient graph against Z^T A Z."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.metrics import cut_and_volume, quotient_graph
from graphcore.partition import quotient as partition_quotient
from tests.metrics import oracles
from tests.metrics.test_cut import labelled


@given(pair=labelled(), extra=st.integers(0, 3))
def test_quotient_graph(pair, extra):
    A, labels = pair
    inner = oracles.placed(A, labels)
    k = inner.max() + 1 + extra
    Z = (inner[:, None] == np.arange(k)).astype(float)
    Q = quotient_graph(A, labels, k or None)
    np.testing.assert_allclose(Q.toarray(), Z.T @ A @ Z, rtol=1e-12)
    np.testing.assert_array_equal(Q.toarray(), Q.toarray().T)
    assert Q.has_canonical_format
    assert Q.nnz == np.count_nonzero(Z.T @ A @ Z)
    assert Q.dtype == np.float64
    sums = cut_and_volume(A, labels, k or None)
    np.testing.assert_allclose(Q.diagonal(), sums.internal, rtol=1e-12)


@given(pair=labelled(weighted=False))
def test_one_cluster_per_node_gives_the_graph_back(pair):
    A, _ = pair
    Q = quotient_graph(A, np.arange(len(A)), len(A))
    np.testing.assert_array_equal(Q.toarray(), A)


def test_blocks_do_not_change_a_bit(monkeypatch):
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(*rng.integers(0, 3000, (2, 9000)), rng.random(9000), 3000, warn=False)
    labels = rng.integers(-1, 50, 3000)
    whole = quotient_graph(graph, labels, 55)
    monkeypatch.setattr(partition_quotient, "_MIN_ENTRIES_PER_BLOCK", 1000)
    blocks = quotient_graph(graph, labels, 55, n_jobs=2)
    np.testing.assert_array_equal(whole.indices, blocks.indices)
    np.testing.assert_array_equal(whole.data, blocks.data)


def test_a_quotient_graph_is_a_graph():
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(*rng.integers(0, 300, (2, 900)), rng.random(900), 300, warn=False)
    again = Graph.from_scipy(quotient_graph(graph, rng.integers(0, 20, 300)), symmetrize="error")
    assert again.n_nodes == 20
    assert again.volume == pytest.approx(graph.volume)
