"""The quotient graph against Z^T A Z."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.metrics import cut_and_volume, quotient_graph
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


def test_a_quotient_graph_is_a_graph():
    rng = np.random.default_rng(1)
    graph = Graph.from_edges(*rng.integers(0, 300, (2, 900)), rng.random(900), 300, warn=False)
    again = Graph.from_scipy(quotient_graph(graph, rng.integers(0, 20, 300)), symmetrize="error")
    assert again.n_nodes == 20
    assert again.volume == pytest.approx(graph.volume)
