"""A sample of the edges between clusters, against the edges themselves."""

import numpy as np
import pytest
from graphcore.partition._sample_loops import is_sampled
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.partition import quotient as module
from graphcore.partition.quotient import graph_rows, quotient, sampled_links

from .. import strategies as own
from ..oracles import planted, quick


@st.composite
def labelled(draw):
    graph, A = draw(own.graphs())
    k = draw(st.integers(1, 5))
    return graph, A, draw(own.labellings(len(A), k, True)).astype(np.int32), k


def dense_sample(A, labels, k, scale):
    """Weights between clusters over the pairs of nodes that the hash keeps."""
    most = np.uint64(min(2.0**64 / scale, 2.0**64 - 2048))
    out = np.zeros((k, k))
    for x, z in np.argwhere(A):
        if labels[x] >= 0 and labels[z] >= 0 and is_sampled(x, z, most):
            out[labels[x], labels[z]] += A[x, z]
    return out


def to_dense(indptr, indices, weights, k):
    out = np.zeros((k, k))
    rows = np.repeat(np.arange(k), np.diff(indptr))
    np.add.at(out, (rows, indices), weights if len(weights) else 1.0)
    return out


@quick
@given(labelled(), st.integers(1, 40))
def test_a_sample_holds_both_entries_of_the_edges_that_the_hash_keeps(case, n_entries):
    graph, A, labels, k = case
    indptr, indices, weights, degrees, scale = sampled_links(graph_rows(graph), labels, k, n_entries)
    assert scale == max(1.0, graph.n_entries / n_entries)
    found = to_dense(indptr, indices, weights, k)
    np.testing.assert_allclose(found, dense_sample(A, labels, k, scale), rtol=1e-12)
    np.testing.assert_allclose(found, found.T, rtol=1e-12)
    np.testing.assert_allclose(degrees, found.sum(axis=1), rtol=1e-12)


def large_planted(weighted):
    graph, truth = planted(5, 80, 0.3, 0.1, 0)
    if weighted:
        A = graph.to_scipy()
        A.data = np.random.default_rng(0).random(len(A.data))
        graph = Graph.from_scipy(A + A.T)
    return graph, truth.astype(np.int32)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_sample_of_everything_is_the_graph_between_clusters(monkeypatch, weighted):
    graph, labels = large_planted(weighted)
    expected = graph_between(quotient(graph_rows(graph), labels, 5))
    monkeypatch.setattr(module, "_MANY_ENTRIES", 0)
    found = quotient(graph_rows(graph), labels, 5)
    np.testing.assert_allclose(graph_between(found), expected, rtol=1e-12)
    np.testing.assert_allclose(found.degrees, expected.sum(axis=1), rtol=1e-12)
    assert not any(array.flags.writeable for array in found)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_sample_estimates_the_graph_between_clusters(monkeypatch, weighted):
    """Each of 25 entries is off by more than 5 standard deviations with probability 1e-6, if the hash is random."""
    graph, labels = large_planted(weighted)
    A = graph.to_scipy()
    Z = np.zeros((graph.n_nodes, 5))
    Z[np.arange(graph.n_nodes), labels] = 1.0
    monkeypatch.setattr(module, "_MANY_ENTRIES", 0)
    monkeypatch.setattr(module, "_SAMPLED_ENTRIES", graph.n_entries // 10)
    found = quotient(graph_rows(graph), labels, 5)
    # Inside a cluster both entries of an edge stand in the same place, and come together.
    deviation = np.sqrt(9 * Z.T @ (A.multiply(A) @ Z) * (1 + np.eye(5)))
    assert (np.abs(graph_between(found) - Z.T @ (A @ Z)) < 5 * deviation).all()


def graph_between(rows):
    return to_dense(rows.indptr, rows.indices, rows.weights, len(rows.degrees))


@pytest.mark.parametrize("max_entries", [None, 0])
def test_threads_do_not_change_a_sample(monkeypatch, max_entries):
    monkeypatch.setattr(module, "_MANY_ENTRIES", 0)
    monkeypatch.setattr(module, "_SAMPLED_ENTRIES", 3000)
    monkeypatch.setattr("graphcore.distributed.passes._ENTRIES_PER_BLOCK", 500)
    graph, _ = large_planted(True)
    labels = np.random.default_rng(1).integers(-1, 90, graph.n_nodes).astype(np.int32)
    one = quotient(graph_rows(graph), labels, 90, 1, max_entries)
    for n_jobs in (2, 3):
        for ours, other in zip(one, quotient(graph_rows(graph), labels, 90, n_jobs, max_entries), strict=True):
            np.testing.assert_array_equal(ours, other)


def test_the_hash_keeps_its_share_of_edges():
    """On 40,000 pairs of nodes, those next to each other among them: 5 standard deviations, 1e-6 a share."""
    for share in (0.5, 0.1, 0.01):
        most = np.uint64(share * 2.0**64)
        for gap in (1, 2, 1000):
            kept = np.mean([is_sampled(x, x + gap, most) for x in range(40_000)])
            assert abs(kept - share) < 5 * np.sqrt(share * (1 - share) / 40_000)
