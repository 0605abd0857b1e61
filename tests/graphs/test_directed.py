"""Directed graphs made undirected by similarity and by flow, compared with dense formulas."""

import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import graphcore
from graphcore import Graph, GraphWarning, InputError, ParameterError
from graphcore.graphs import directed
from graphcore.graphs.rows import Rows
from tests.oracles import dense


def directed_matrix(n=30, weighted=True, seed=0):
    """A matrix with empty rows, empty columns and a node without any edge."""
    rng = np.random.default_rng(seed)
    A = (rng.random((n, n)) < 0.15) * (rng.integers(1, 9, (n, n)) / 4 if weighted else 1.0)
    A[3] = A[:, 5] = A[7] = A[:, 7] = 0.0
    return A


def by_formula(A):
    """Degree-discounted similarity with loops of a quarter of the mean weight, dense; A is below 2."""
    A = A + 0.25 * A[A > 0].mean() * np.eye(len(A))
    Do, Di = np.diag(A.sum(axis=1) ** -0.5), np.diag(A.sum(axis=0) ** -0.5)
    U = Do @ A @ Di @ A.T @ Do + Di @ A.T @ Do @ A @ Di
    np.fill_diagonal(U, 0.0)
    return U


def by_flow(A, teleport):
    """Chung's symmetric part of the walk by an eigenvector, dense, times the sum of weights."""
    n, degrees = len(A), A.sum(axis=1)
    P = np.divide(A, degrees[:, None], out=np.zeros_like(A), where=degrees[:, None] > 0)
    walk = (1 - teleport) * (P + (degrees == 0)[:, None] / n) + teleport / n
    values, vectors = np.linalg.eig(walk.T)
    pi = np.real(vectors[:, np.argmax(values.real)])
    flow = np.diag(pi / pi.sum()) @ P
    return (flow + flow.T) / 2 * A.sum()


@pytest.mark.parametrize("weighted", [True, False])
def test_both_are_their_formulas(weighted):
    A = directed_matrix(weighted=weighted)
    graph = Graph.from_scipy(A, symmetrize="degree-discounted")
    np.testing.assert_allclose(dense(graph), by_formula(A / (4.0 if weighted else 1.0)), rtol=1e-6)
    np.testing.assert_allclose(dense(Graph.from_scipy(A, symmetrize="random-walk")), by_flow(A, 0.15), atol=1e-6)
    assert graph.n_isolated == 1


def test_rows_are_cut_to_the_largest_of_either_end(limits):
    A = directed_matrix(60, seed=1)
    limits(directed, _KEPT=0)
    cap = -(-np.count_nonzero(A) // 60)
    U = by_formula(A / 4.0)
    largest = np.sort(U, axis=1)[:, [-cap]] <= U
    expected = np.where(largest | largest.T, U, 0.0)
    found = dense(Graph.from_scipy(A, symmetrize="degree-discounted"))
    assert np.count_nonzero(found) < np.count_nonzero(U)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_hubs_make_those_alike_that_have_the_fewest_links(limits):
    matrix = sp.csr_array(np.array([[5.0, 1, 3, 2, 1, 4], [0, 0, 0, 0, 1, 2]]))
    limits(directed, _MOST_SHARING=4)
    directed._cut_hubs(matrix)
    np.testing.assert_array_equal(matrix.toarray(), [[5, 0, 3, 2, 0, 4], [0, 0, 0, 0, 1, 2]])
    A = np.tril(np.ones((12, 12)))  # all link to the first, each to one node more than the one before
    np.fill_diagonal(A, 0.0)
    cut, whole = dense(Graph.from_scipy(A, symmetrize="degree-discounted")), by_formula(A)
    assert 0 < np.count_nonzero(cut) < np.count_nonzero(whole)
    assert (cut <= whole * (1 + 1e-6)).all()


def test_the_walk_is_pagerank():
    G = nx.gnp_random_graph(50, 0.06, seed=2, directed=True)
    A = nx.to_scipy_sparse_array(G, dtype=float)
    P, total = directed._steps(Rows(A.indptr, A.indices, A.data))
    expected = nx.pagerank(G, alpha=0.85, tol=1e-12)
    np.testing.assert_allclose(directed.stationary(P), list(expected.values()), atol=1e-8)
    assert total == G.number_of_edges()


@pytest.mark.parametrize("policy", ["degree-discounted", "random-walk"])
def test_every_way_in_gives_the_same_graph(policy, tmp_path):
    A = directed_matrix(20, seed=3)
    A[7, 8] = 1.5  # no isolated node, which a list of edges would not name
    expected = dense(Graph.from_scipy(A, symmetrize=policy))
    sources, targets = A.nonzero()
    weights = A[sources, targets]
    G = nx.from_numpy_array(A, create_using=nx.DiGraph)
    (tmp_path / "edges.txt").write_text(
        "".join(f"{s} {t} {w}\n" for s, t, w in zip(sources, targets, weights, strict=True))
    )
    ways = [
        Graph.from_scipy(sp.csc_array(A), symmetrize=policy),
        Graph.from_edges(sources, targets, weights, symmetrize=policy),
        Graph.from_networkx(G, symmetrize=policy),
        Graph.from_table({"source": sources, "target": targets, "weight": weights}, symmetrize=policy),
        graphcore.read_graph(tmp_path / "edges.txt", symmetrize=policy),
    ]
    for graph in ways:
        np.testing.assert_allclose(dense(graph), expected, rtol=1e-6)
    given = graphcore.CoresetSpectralClustering(2, symmetrize=policy, random_state=0).fit(sp.csr_array(A))
    np.testing.assert_array_equal(dense(given.graph_), expected)


@pytest.mark.parametrize("policy", ["degree-discounted", "random-walk"])
def test_symmetric_input_stays_and_the_unit_of_weights_does_not_matter(policy):
    S = directed_matrix(15, seed=4)
    S += S.T
    np.testing.assert_array_equal(dense(Graph.from_scipy(S, symmetrize=policy)), S)
    np.testing.assert_array_equal(
        dense(Graph.from_networkx(nx.cycle_graph(4), symmetrize=policy)), nx.to_numpy_array(nx.cycle_graph(4))
    )
    A = directed_matrix(15, seed=5)
    ours, other = (dense(Graph.from_scipy(A * unit, symmetrize=policy)) for unit in (1.0, 2.0**600))
    np.testing.assert_array_equal(other if policy == "degree-discounted" else other / 2.0**600, ours)


def test_huge_weights_graphs_without_edges_and_graphs_on_disk(tmp_path):
    with pytest.raises(InputError, match="overflows"):
        Graph.from_edges([0, 1, 2], [1, 2, 0], [1e308] * 3, symmetrize="random-walk")
    assert Graph.from_edges([0, 1, 2], [1, 2, 0], [1e308] * 3, symmetrize="degree-discounted").n_edges == 3
    assert Graph.from_edges([], [], n_nodes=3, symmetrize="random-walk").n_edges == 0
    with pytest.raises(ParameterError, match=r"'random-walk' needs the whole graph in memory.*write_graph"):
        graphcore.build_store([([0], [1])], tmp_path / "g.graph", symmetrize="random-walk")


def test_the_sum_of_a_list_with_both_directions_is_said():
    with pytest.warns(GraphWarning, match="in both directions alike.*'sum' doubles.*'max' leaves them"):
        graph = Graph.from_edges([0, 1], [1, 0], [2, 2], symmetrize="sum")
    assert graph.weights.tolist() == [4, 4]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Graph.from_edges([0], [1], [2], symmetrize="sum").weights.tolist() == [2, 2]
        assert Graph.from_edges([0, 1], [1, 0], [2, 2]).weights.tolist() == [2, 2]
        assert Graph.from_scipy(np.array([[0, 2], [2, 0]]), symmetrize="sum").weights.tolist() == [2, 2]
