"""Spectral parts of a coreset graph: how many there are, and that they are groups of its nodes."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore.base.streams import Streams
from graphcore.cluster import spectral
from graphcore.cluster.pipeline import PARTS, spectral_parts

from ... import strategies as own
from ...oracles import dense, planted, quick
from ...strategies import problem_of


def problem_between(graph, k):
    """The Problem of a graph whose nodes are those of a coreset graph."""
    linked = graph.degrees > 0
    groups = np.where(linked, np.cumsum(linked) - 1, -1).astype(np.int32)
    return problem_of(graph, k).between(groups, np.count_nonzero(linked)), dense(graph)[np.ix_(linked, linked)]


@quick
@given(own.graphs(max_nodes=40), st.integers(1, 3), st.sampled_from(["power", "exact"]), st.integers(0, 99))
def test_there_are_no_more_parts_than_promised_and_the_graph_is_between_them(pair, k, eigen_solver, seed):
    assume(pair[1].any())
    problem, A = problem_between(pair[0], k)
    labels, between = spectral_parts(problem, Streams(seed), eigen_solver=eigen_solver)
    n_parts = len(between.rows.degrees)
    assert labels.dtype == np.int32 and set(labels) == set(range(n_parts)) and between.n_clusters == k
    if k == 1 or PARTS * k >= len(A):  # every node is one
        assert between is problem and np.array_equal(labels, np.arange(len(A)))
    else:
        assert n_parts <= PARTS * k
    Z = np.eye(n_parts)[labels]
    B = np.zeros((n_parts, n_parts))
    B[np.repeat(np.arange(n_parts), np.diff(between.rows.indptr)), between.rows.indices] = between.rows.weights
    np.testing.assert_allclose(B, Z.T @ A @ Z, rtol=1e-9, atol=1e-12 * A.sum())
    np.testing.assert_array_equal(between.constraints.counts, Z.sum(axis=0))


@pytest.mark.parametrize("eigen_solver", ["power", "exact"])
def test_parts_lie_in_planted_clusters_and_do_not_depend_on_threads(eigen_solver, limits):
    graph, truth = planted(6, 50, 0.3, 0.01, 0)
    problem, _ = problem_between(graph, 6)
    limits(spectral, _HELD_DISTANCES=500)
    one, two = (spectral_parts(problem, Streams(1), eigen_solver=eigen_solver, n_jobs=n)[0] for n in (1, 2))
    np.testing.assert_array_equal(one, two)
    other, _ = spectral_parts(problem, Streams(2), eigen_solver=eigen_solver)
    assert not np.array_equal(one, other)
    assert sum(np.bincount(truth[one == part]).max() for part in set(one)) > 0.95 * len(truth)
