"""Cuts, volumes, conductance, normalised cut and the quotient graph against sums over dense matrices."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph, InputError, ParameterError
from graphcore.cluster.refine import problem as quotient
from graphcore.graphs import rows as passes
from graphcore.metrics import (
    conductance,
    cut_and_volume,
    kernel_kmeans_cost,
    modularity,
    normalized_cut,
    quotient_graph,
)
from tests.metrics import oracles
from tests.strategies import labellings, matrices


@st.composite
def labelled(draw, **options):
    A = draw(matrices(**options))
    return A, draw(labellings(len(A)))


def test_modularity_is_that_of_networkx():
    G = nx.les_miserables_graph()
    communities = nx.community.louvain_communities(G, seed=0)
    labels = [next(i for i, found in enumerate(communities) if node in found) for node in G]
    graph = Graph.from_networkx(G)
    for resolution in (1, 0.5):
        theirs = nx.community.modularity(G, communities, resolution=resolution)
        assert modularity(graph, labels, resolution=resolution) == pytest.approx(theirs, abs=1e-12)
    with pytest.raises(ParameterError, match="resolution=0"):
        modularity(graph, labels, resolution=0)


@given(labelled(), st.integers(0, 3), st.sampled_from([0.3, 1.0, 2.5]))
def test_sums_conductance_modularity_and_quotient_graph(pair, extra, resolution):
    A, labels = pair
    inner = oracles.placed(A, labels)
    k = inner.max() + 1 + extra
    sums = cut_and_volume(A, labels, k or None)
    members = inner == np.arange(k)[:, None]
    np.testing.assert_allclose(sums.volume, [A[m].sum() for m in members], rtol=1e-13)
    np.testing.assert_allclose(sums.internal, [A[m][:, m].sum() for m in members], rtol=1e-13)
    np.testing.assert_allclose(sums.cut, [A[m][:, ~m].sum() for m in members], rtol=1e-13)
    np.testing.assert_array_equal(sums.size, members.sum(axis=1))
    assert sums.size.dtype == np.int64
    expected = oracles.conductances(A, inner, k)
    np.testing.assert_allclose(conductance(A, labels, k or None), expected, rtol=1e-13)
    assert k == 0 or normalized_cut(A, labels, k) == pytest.approx(expected.mean(), abs=1e-12)
    volume = A[inner >= 0].sum()
    shares = [(A[m][:, m].sum() / volume, A[m].sum() / volume) for m in members[: k - extra]]
    expected = sum(inside - resolution * share**2 for inside, share in shares)
    assert modularity(A, labels, resolution=resolution) == pytest.approx(expected, abs=1e-12)
    Q, Z = quotient_graph(A, labels, k or None), members.T.astype(float)
    np.testing.assert_allclose(Q.toarray(), Z.T @ A @ Z, rtol=1e-12)
    np.testing.assert_array_equal(Q.toarray(), Q.toarray().T)
    assert (Q.nnz, Q.dtype, Q.has_canonical_format) == (np.count_nonzero(Z.T @ A @ Z), np.float64, True)


def test_no_cluster_at_all_and_separate_ones_whose_cut_is_exactly_zero():
    graph = nx.path_graph(3)
    assert conductance(graph, [-1, -1, -1]).shape == (0,)
    assert normalized_cut(graph, [-1, -1, -1], 2) == 1.0
    with pytest.raises(InputError, match="no cluster to measure"):
        normalized_cut(graph, [-1, -1, -1])
    with pytest.raises(InputError, match="no cluster to measure"):
        normalized_cut(nx.empty_graph(3), [0, 1, 2])
    for labels, k, cut in (([1, 1, 3], None, 2 / 3), ([1, 1, 3], 2, 2 / 3), ([0, 0, 1], 3, 7 / 9)):
        assert normalized_cut(graph, labels, k) == pytest.approx(cut), "what is missing counts only if it was asked for"
    # 1 - internal / volume would leave rounding errors here.
    rng = np.random.default_rng(0)
    A = np.kron(np.eye(3), np.ones((20, 20))) * 0.1 * (1 + rng.random((60, 60)))
    A = A + A.T
    assert normalized_cut(A, np.repeat([0, 1, 2], 20)) == 0.0


@pytest.mark.parametrize(
    ("measure", "names"),
    [(cut_and_volume, ("internal", "volume", "cut")), (quotient_graph, ("indptr", "indices", "data"))],
)
def test_threads_do_not_change_a_bit(measure, names, limits):
    # Small blocks, so that a small graph has many of them.
    limits(passes, _ENTRIES_PER_BLOCK=500)
    limits(quotient, _ENTRIES_PER_BLOCK=500)
    rng = np.random.default_rng(0)
    s, t = rng.integers(0, 2000, (2, 20_000))
    graph = Graph.from_edges(s, t, rng.random(20_000), 2000, warn=False)
    labels = rng.integers(-1, 400, 2000)
    one, *others = (measure(graph, labels, n_jobs=n_jobs) for n_jobs in (1, 2, 3))
    for other in others:
        for name in names:
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("measure", [normalized_cut, cut_and_volume, quotient_graph, kernel_kmeans_cost])
@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1], r"labels have shape \(2,\); one label for each of 3 nodes"),
        ([0.5, 1.0, 1.0], "labels must be integers, got float64, and -1, NaN or None where there is none"),
        ([0, -2, 1], "must be -1 .* or more; found -2"),
        ([0, 10**8, 1], "largest of the labels is 100000000"),
    ],
)
def test_bad_labels(labels, message, measure):
    with pytest.raises(InputError, match=message):
        measure(nx.path_graph(3), labels)
