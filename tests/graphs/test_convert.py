"""Every container of edges becomes the same Graph, or a clear error; nothing given is changed."""

import warnings
from copy import deepcopy

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph, GraphWarning, InputError, ParameterError
from tests.strategies import CONTAINERS, contain, matrices

COMBINE = {"max": np.maximum, "average": lambda a, b: (a + b) / 2, "sum": np.add, "min": np.minimum}


def combined(A, policy):
    out = COMBINE[policy](A, A.T)
    np.fill_diagonal(out, A.diagonal())
    return out


def the_warning(record, file=__file__):
    """Assert that exactly one GraphWarning came, at a line of this file; return its text."""
    assert [w.category for w in record] == [GraphWarning]
    assert record[0].filename == file
    return str(record[0].message)


def arrays_of(M):
    """Copies of all that a caller could see change in a matrix."""
    names = [name for name in ("data", "indices", "indptr", "coords", "rows") if hasattr(M, name)]
    return [np.array(deepcopy(getattr(M, name))) for name in names] if sp.issparse(M) else [M.copy()]


# -- matrices --------------------------------------------------------


@pytest.mark.parametrize("symmetric", [True, False])
@given(st.data(), st.sampled_from(CONTAINERS), st.sampled_from(sorted(COMBINE)))
def test_every_container_gives_the_same_graph_and_one_line_tells_of_edges_in_both_directions(
    symmetric, data, container, policy
):
    A = data.draw(matrices(symmetric=symmetric))
    is_symmetric, M = np.array_equal(A, A.T), contain(A, container)
    before = arrays_of(M)
    with warnings.catch_warnings(record=True, action="always") as record:
        graph = Graph.from_scipy(M, symmetrize=policy)
    for now, then in zip(arrays_of(M), before, strict=True):
        np.testing.assert_array_equal(now, then, strict=True)
    Graph(graph.indptr, graph.indices, graph.weights)  # canonical, so the constructor's checks pass
    there = np.triu((A > 0) | (A.T > 0), 1)
    both = np.count_nonzero(there & (A > 0) & (A.T > 0))
    if both and not is_symmetric:  # else each is listed once, as an undirected graph may be
        said = f"{both} of {np.count_nonzero(there)} edges stand in both directions (symmetrize={policy!r} joins them)"
        assert the_warning(record) == said
    else:
        assert not record
    expected = A if is_symmetric else combined(A, policy)
    np.testing.assert_allclose(graph.to_scipy().toarray(), expected, rtol=1e-12, atol=0)
    assert graph.weights is None or not np.isin(A, (0, 1)).all() or not is_symmetric


@pytest.mark.parametrize("make", [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix])
def test_canonical_rows_and_columns_are_shared_read_only_and_mapped_ones_too(make, tmp_path):
    M, parts = make(np.array([[0, 2.0], [2.0, 1.0]])), ("data", "indices", "indptr")
    for name in parts:
        np.save(tmp_path / f"{name}.npy", getattr(M, name))
    mapped = make(tuple(np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in parts), shape=(2, 2))
    for each in (M, mapped):
        graph = Graph.from_scipy(each)
        assert np.shares_memory(graph.indices, each.indices) and np.shares_memory(graph.weights, each.data)
        assert each.indices.flags.writeable == each.data.flags.writeable == (each is M)
    # Read-only arrays that need repair are copied, not written to.
    unsorted = sp.csr_array((np.ones(4), np.array([1, 0, 1, 0], dtype=np.int32), np.array([0, 2, 4])), shape=(2, 2))
    for name in parts:
        getattr(unsorted, name).flags.writeable = False
    assert Graph.from_scipy(unsorted).n_edges == 3


def test_repeats_add_up_but_booleans_of_a_matrix_count_once_and_weights_of_zero_are_no_edges():
    indices, indptr = np.array([1, 1, 0, 0], dtype=np.int32), np.array([0, 2, 4], dtype=np.int32)
    assert Graph.from_scipy(sp.csr_array((np.ones(4), indices, indptr), shape=(2, 2))).weights.tolist() == [2.0, 2.0]
    graph = Graph.from_scipy(sp.csr_array((np.ones(4, dtype=bool), indices, indptr), shape=(2, 2)))
    assert (graph.weights, graph.n_edges) == (None, 1)
    M = sp.csr_array(np.ones((3, 3), dtype=bool))
    M.data[[1, 3]] = False  # explicit, and dropped
    graph = Graph.from_scipy(M)
    assert (graph.weights, graph.n_entries) == (None, 7)
    many = sp.coo_array((np.ones(300, dtype=np.uint8), np.zeros((2, 300), dtype=int)), shape=(2, 2))
    assert Graph.from_scipy(many).degrees.tolist() == [300.0, 0.0]
    assert Graph.from_scipy(np.eye(2, dtype=">f8")).n_edges == 2
    assert Graph.from_edges([0, 0, 0], [1, 1, 1]).weights is None
    assert Graph.from_edges([0, 0, 0], [1, 1, 1], [1.0, 2.0, 4.0]).degrees.tolist() == [7.0, 7.0]
    assert Graph.from_edges([0, 0], [1, 1], np.ones(2, dtype=bool)).degrees.tolist() == [2.0, 2.0]
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], [1.0, 0.0, 0.0])  # their nodes stay
    assert (graph.n_nodes, graph.n_edges, graph.n_isolated) == (4, 1, 2)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.ones((2, 3)), r"shape \(2, 3\) is no adjacency matrix.*vectors give knn_graph"),
        (sp.csr_array((2, 3)), "square"),
        (sp.csr_array((0, 0)), "empty"),
        (np.ones(4), "two dimensions"),
        (sp.coo_array(np.ones(4)), "two dimensions"),
        (sp.csr_array(np.array([[0, 1j], [1j, 0]])), "real numbers, got complex128"),
        (np.array([["a", "b"], ["b", "a"]]), "real numbers"),
        (np.array([[0, -2], [-2, 0]]), r"\(0, 1\) is -2"),
        (sp.csr_array((np.ones(2), np.array([5, 0]), np.array([0, 1, 2])), shape=(2, 2)), "column 5"),
        (sp.csr_array((np.ones(2), np.array([2**32, 0]), np.array([0, 1, 2])), shape=(2, 2)), "column 4294967296"),
    ],
)
def test_bad_matrices_are_refused(matrix, message):
    with pytest.raises(InputError, match=message):
        Graph.from_scipy(matrix)


@pytest.mark.parametrize("container", CONTAINERS)
def test_bad_weights_are_found_in_every_container(container):
    for bad in (np.nan, np.inf, -1.0):
        A = np.array([[0, 1, 2.0], [1, 0, bad], [2, bad, 0]])
        with pytest.raises(InputError, match=rf"the weight of edge \(1, 2\) is {bad}"):
            Graph.from_scipy(contain(A, container))


def test_symmetrize_error_and_unknown_policies():
    rounded = nx.DiGraph([(0, 1, {"weight": 1 / 3}), (1, 0, {"weight": 1 / 3 + 1e-12})])
    assert Graph.from_networkx(rounded, symmetrize="error", warn=False).n_edges == 1
    with pytest.raises(InputError, match="not symmetric"):
        Graph.from_scipy(np.array([[0.0, 1], [0, 0]]), symmetrize="error")
    with pytest.raises(InputError, match="some with two weights"):
        Graph.from_scipy(np.array([[0.0, 1], [2, 0]]), symmetrize="error")
    for call in (
        lambda: Graph.from_scipy(np.eye(2), symmetrize="mean"),
        lambda: Graph.from_edges([0], [1], symmetrize="mean"),
        lambda: Graph.from_networkx(nx.path_graph(3), symmetrize="mean"),
    ):
        with pytest.raises(ParameterError, match="symmetrize='mean' is not known"):
            call()


# -- edges --------------------------------------------------------


@given(matrices(), st.integers(0, 2**32 - 1), st.sampled_from([np.int32, np.int64, np.uint8]))
def test_edges_in_any_direction_once_or_twice(A, seed, integer):
    rng = np.random.default_rng(seed)
    row, col = np.nonzero(np.triu(A))
    flip = rng.random(len(row)) < 0.5
    source, target = np.where(flip, col, row), np.where(flip, row, col)
    weights = A[row, col]
    order = rng.permutation(len(row))
    source, target, weights = source[order], target[order], weights[order]
    off = source != target
    twice = [np.concatenate([a, b[off]]) for a, b in ((source, target), (target, source), (weights, weights))]
    with warnings.catch_warnings(action="error"):
        once = Graph.from_edges(source.astype(integer), target.astype(integer), weights, len(A))
        both = Graph.from_edges(twice[0].astype(integer), twice[1].astype(integer), twice[2], len(A))
    for graph in (once, both):
        np.testing.assert_array_equal(graph.to_scipy().toarray(), A)
        Graph(graph.indptr, graph.indices, graph.weights)


@given(matrices(symmetric=False), st.sampled_from(sorted(COMBINE)))
def test_directed_edges_follow_the_policy(A, policy):
    row, col = np.nonzero(A)
    with warnings.catch_warnings(record=True, action="always") as record:
        graph = Graph.from_edges(row, col, A[row, col], len(A), symmetrize=policy)
    np.testing.assert_allclose(graph.to_scipy().toarray(), combined(A, policy), rtol=1e-15)
    off = ~np.eye(len(A), dtype=bool)
    both = ((A > 0) & (A.T > 0) & off).any()
    if both and not np.array_equal(A, A.T):
        the_warning(record)
    elif both and policy == "sum":
        assert "doubles their weights" in str(the_warning(record))
    else:
        assert not record


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.5, 1.0], [1, 2]), "sources must be integers or text, got float64, and 0.5 in row 0 is no whole number"),
        ((["a"], [1]), "sources hold <U1 and targets int64: nodes are named by integers, or all by text"),
        ((["a"], ["b", "c"]), "1 sources and 2 targets"),
        ((["a"], ["b"], None, 2), "leave n_nodes and node_names out"),
        ((np.array(["a", 1], dtype=object), ["b", "c"]), "all by text"),
        (([[0, 1], [1, 2]],), r"one-dimensional, got shape \(2, 2\); of pairs give \*np.asarray\(X\).T"),
        (([0, -1], [1, 2]), "start at 0; found -1"),
        (([0, 1], [1, 5], None, 3), "node id 5 is beyond n_nodes=3"),
        (([0, 1], [1, 2], [1.0]), r"2 edges need shape \(2,\)"),
        (([0, 1], [1, 2], [1.0, np.nan]), "edge 1 has nan"),
        (([0, 1], [1, 2], ["1", "2"]), "real numbers, got <U1"),
        (([], []), "empty"),
        ((np.array([2**63, 1], dtype=np.uint64), [1, 2]), "sources holds 9223372036854775808, and integers go up to 2"),
        (([0], [2**40]), "largest node id is 1099511627776.*gaps"),
        (([0, 0], [1, 1], np.array([3e38, 3e38], dtype=np.float32)), "overflow"),
        (([0], [1], None, None, ["a"]), "1 names for 2 nodes"),
    ],
)
def test_bad_edges_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        Graph.from_edges(*arguments[:4], node_names=arguments[4] if len(arguments) > 4 else None)


# -- networkx --------------------------------------------------------


@given(matrices(), st.booleans(), st.integers(0, 2**32 - 1))
def test_networkx(A, multi, seed):
    rng = np.random.default_rng(seed)
    G = nx.MultiGraph() if multi else nx.Graph()
    order = rng.permutation(len(A))
    G.add_nodes_from(f"n{i}" for i in order)
    for i, j in np.argwhere(np.triu(A)):
        u, v = (i, j) if rng.random() < 0.5 else (j, i)
        for part in (0.25, 0.75) if multi else (1.0,):
            G.add_edge(f"n{u}", f"n{v}", weight=part * A[i, j])
    graph = Graph.from_networkx(G)
    assert graph.node_names.tolist() == list(G)
    np.testing.assert_allclose(graph.to_scipy().toarray(), A[np.ix_(order, order)], rtol=1e-14)
    unweighted = Graph.from_networkx(G, weight=None)
    assert unweighted.weights is None
    np.testing.assert_array_equal(unweighted.to_scipy().toarray(), A[np.ix_(order, order)] > 0)
    for g in (graph, unweighted):
        Graph(g.indptr, g.indices, g.weights)


@given(matrices(symmetric=False), st.booleans(), st.sampled_from(sorted(COMBINE)))
def test_directed_networkx(A, multi, policy):
    G = nx.MultiDiGraph() if multi else nx.DiGraph()
    G.add_nodes_from(range(len(A)))
    G.add_weighted_edges_from((int(i), int(j), A[i, j]) for i, j in np.argwhere(A))
    with warnings.catch_warnings(record=True, action="always") as record:
        graph = Graph.from_networkx(G, symmetrize=policy)
    assert "the networkx graph is directed" in the_warning(record)
    assert graph.node_names is None
    np.testing.assert_allclose(graph.to_scipy().toarray(), combined(A, policy), rtol=1e-15)
    Graph(graph.indptr, graph.indices, graph.weights)


def test_networkx_missing_weights_count_one_and_zero_drops_the_edge():
    G = nx.Graph()
    G.add_edge("a", "b", weight=3.0)
    G.add_edge("b", "c")
    G.add_edge("c", "d", weight=0)
    G.add_edge("d", "d", weight=2)
    graph = Graph.from_networkx(G)
    assert dict(zip(graph.node_names.tolist(), graph.degrees, strict=True)) == {"a": 3, "b": 4, "c": 1, "d": 2}
    assert Graph.from_networkx(G, weight=None).degrees.tolist() == [1, 2, 2, 2]


def attributed(library, *attributes):
    """Return a path of two edges with these attributes, in networkx or igraph."""
    ends = [("a", "b"), ("b", "c")]
    if library == "networkx":
        return nx.Graph([(*pair, data) for pair, data in zip(ends, attributes, strict=True)])
    return pytest.importorskip("igraph").Graph.DictList(
        [{"name": name} for name in "abc"],
        [{"source": u, "target": v, **data} for (u, v), data in zip(ends, attributes, strict=True)],
    )


def from_library(G, **options):
    return (Graph.from_networkx if isinstance(G, nx.Graph) else Graph.from_igraph)(G, **options)


libraries = pytest.mark.parametrize("library", ["networkx", "igraph"])


@libraries
@pytest.mark.parametrize("name", ["weight", "Weight", "Edge Weight", "strength", "similarity", "value", "count"])
def test_weights_of_other_libraries_are_known_by_their_names(library, name):
    G = attributed(library, {name: 5.0, "label": 3, "id": 7}, {name: 2})
    assert from_library(G).degrees.tolist() == [5, 7, 2]
    assert from_library(G, weight=None).weights is None
    assert from_library(attributed(library, {name: "5.0"}, {name: "2"})).degrees.tolist() == [5, 7, 2]


@libraries
def test_numbers_of_edges_that_are_not_read_are_told(library):
    G = attributed(library, {"length": 5.0, "note": "x"}, {"length": 2.0, "year": 2020})
    with pytest.warns(GraphWarning, match=r"columns length, year not read; pass weight='length'.*weight=None"):
        assert from_library(G).weights is None
    with pytest.warns(GraphWarning, match="column trust not read"):
        assert from_library(attributed(library, {"trust": 3, "w": 2}, {"trust": 4, "w": 3})).degrees[0] == 2
    with pytest.raises(InputError, match="edge attribute 'Weight' must hold numbers, or pass weight=None"):
        from_library(attributed(library, {"Weight": "strong"}, {"Weight": "weak"}))
    for options in ({"warn": False}, {"weight": None}):
        assert from_library(G, **options).weights is None
    # Beside a weight that is called so, others are not asked about.
    with warnings.catch_warnings(action="error", category=GraphWarning):
        assert from_library(attributed(library, {"weight": 2, "since": 3}, {"weight": 3})).degrees[0] == 2
    assert from_library(G, weight="length").degrees.tolist() == [5, 7, 2]


@libraries
def test_a_weight_that_was_asked_for_must_be_there(library):
    G = attributed(library, {"w": 5.0}, {"w": 2.0, "length": 1})
    with pytest.raises(ParameterError, match=r"weight='ww' is an attribute of no edge; there are 'w', 'length'"):
        from_library(G, weight="ww")
    with pytest.raises(ParameterError, match="there are none"):
        from_library(attributed(library, {}, {}), weight="w")
    assert from_library(G, weight="weight").weights is None  # networkx's own functions ask for it
    assert from_library(G, weight="length").degrees.tolist() == [1, 2, 1]  # 1 where it is missing
    with pytest.raises(InputError, match="'w' must hold numbers"):
        from_library(attributed(library, {"w": 5.0}, {"w": "x"}))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph])
def test_networkx_bad_weights_name_the_edge(kind, bad):
    G = kind()
    G.add_edge("a", "b", weight=2.0)
    G.add_edge("b", "c", weight=2.0)
    G.add_edge("b", "c", weight=bad)
    with pytest.raises(InputError, match=f"it is {bad} between 'b' and 'c'"):
        Graph.from_networkx(G)


@given(matrices(), st.booleans(), st.booleans())
def test_to_networkx_and_back(A, weighted, named):
    graph = Graph.from_scipy(A if weighted else (A > 0).astype(float), warn=False)
    if named:
        graph = graph.with_nodes([f"node {i}" for i in range(graph.n_nodes)])
    G = graph.to_networkx()
    assert list(G) == graph.names_of(np.arange(graph.n_nodes)).tolist()
    assert (G.number_of_edges(), nx.number_of_selfloops(G)) == (graph.n_edges, graph.n_self_loops)
    assert all(("weight" in data) == graph.is_weighted for *_, data in G.edges(data=True))
    again = Graph.from_networkx(G, warn=False)
    assert abs(again.to_scipy() - graph.to_scipy()).max() == 0
    assert (again.node_names is None) is not named


def test_attributes_of_networkx_nodes_are_kept_both_ways():
    G = nx.path_graph(["a", "b", "c"])
    held = {"age": [1, 2, 3], "share": [0.5, None, 1.0], "called": ["Ann", "Bo", "Cy"], "ok": [True, False, True]}
    for name, values in held.items():
        nx.set_node_attributes(G, {v: x for v, x in zip(G, values, strict=True) if x is not None}, name)
    G.nodes["a"]["place"] = (1.0, 2.0)
    graph = Graph.from_networkx(G)
    assert {name: values.dtype.kind for name, values in graph.attributes.items()} == {
        "age": "i", "share": "f", "called": "U", "ok": "b",
    }  # fmt: skip
    back = graph.to_networkx().nodes(data=True)
    assert np.isnan(back["b"].pop("share"))
    assert dict(back) == {
        "a": {"age": 1, "share": 0.5, "called": "Ann", "ok": True}, "b": {"age": 2, "called": "Bo", "ok": False},
        "c": {"age": 3, "share": 1.0, "called": "Cy", "ok": True},
    }  # fmt: skip
