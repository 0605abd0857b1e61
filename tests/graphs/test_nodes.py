"""Tables of nodes: a graph takes their order, their names and the nodes that have no edge."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphcore
from graphcore import Graph, InputError
from graphcore.graphs.nodes import node_table
from tests.graphs.test_from_table import frames

PEOPLE = {"id": [7, 3, 12, 5], "name": ["Chloé", "Anna", "Ben", "Dora"], "age": [44, 31, 27, 60]}


def friends(**options):
    return Graph.from_table({"source": [7, 7, 3], "target": [3, 12, 3], **options})


@st.composite
def edges_and_nodes(draw):
    """Edges between some ids, and a table that has these and others, in any order."""
    text = draw(st.booleans())
    ids = draw(st.lists(st.integers(-(2**40), 2**40), min_size=2, max_size=12, unique=True))
    ids = [f"n{i}" for i in ids] if text else ids
    some = ids[: draw(st.integers(1, len(ids)))]
    ends = draw(st.lists(st.tuples(st.sampled_from(some), st.sampled_from(some)), min_size=1, max_size=20))
    return ends, draw(st.permutations(ids)), draw(st.booleans())


@given(edges_and_nodes())
def test_rows_are_the_nodes_against_a_dense_matrix(given_):
    ends, ids, weighted = given_
    table = {"source": [a for a, _ in ends], "target": [b for _, b in ends]}
    weights = np.arange(1.0, len(ends) + 1) if weighted else np.ones(len(ends))
    graph = Graph.from_table(table | ({"weight": weights} if weighted else {}), warn=False)
    found = graph.with_nodes({"id": ids, "name": [f"called {i}" for i in ids]})
    dense = np.zeros((len(ids), len(ids)))
    for pair, weight in zip(ends, weights, strict=True):
        a, b = map(ids.index, pair)
        dense[a, b] = dense[a, b] + weight if weighted else 1.0
    np.testing.assert_array_equal(found.to_scipy().toarray(), np.maximum(dense, dense.T))
    assert found.node_names.tolist() == [f"called {i}" for i in ids]
    again = Graph(found.indptr, found.indices, found.weights)  # which checks that rows are canonical
    assert (again.n_self_loops, again.n_isolated) == (found.n_self_loops, found.n_isolated)
    bare = graph.with_nodes(ids)
    assert bare.names_of(np.arange(len(ids))).tolist() == ids
    np.testing.assert_array_equal(bare.indices, found.indices)


@pytest.mark.parametrize("kind", frames(PEOPLE | {"source": PEOPLE["id"], "target": PEOPLE["id"], "weight": [1.0] * 4}))
def test_tables_of_every_library(kind):
    columns = PEOPLE | {"source": PEOPLE["id"], "target": PEOPLE["id"], "weight": [1.0] * 4}
    table = node_table(frames(columns)[kind])
    assert (table.names.tolist(), table.columns["age"].tolist()) == (PEOPLE["name"], PEOPLE["age"])
    assert table.columns["id"].tolist() == PEOPLE["id"]
    assert friends().with_nodes(table).degrees.tolist() == [2.0, 2.0, 1.0, 0.0]


def test_integers_with_missing_ones_that_no_float_holds_are_text():
    table = pytest.importorskip("pandas").DataFrame({"id": [7, 3, 12]})
    table["tax"], table["age"] = (table.id.convert_dtypes().mask(table.id == 3) + more for more in (2**53 + 2, 0))
    found = friends().with_nodes(table).attributes
    np.testing.assert_equal(found["age"], [7.0, np.nan, 12.0])
    assert found["tax"].tolist() == [str(7 + 2**53 + 2), "", str(12 + 2**53 + 2)]


def test_names_that_repeat_have_the_id_behind_them_as_missing_ones_and_labels_are_classes():
    assert node_table({"id": [1, 2, 3], "name": ["cat", "dog", "cat"]}).names.tolist() == ["cat [1]", "dog", "cat [3]"]
    table = node_table({"id": [1, 2, 3], "label": ["cat", "dog", "cat"]})
    assert (table.names, table.columns["label"].tolist()) == (None, ["cat", "dog", "cat"])
    assert node_table(PEOPLE | {"name": ["Anna", "Ben", "Chloé", ""]}).names.tolist()[3] == "5"
    pandas = pytest.importorskip("pandas")
    people = pandas.DataFrame({"ID": [7.0, 3.0, 12.0], "Name": ["A", None, "C"], "city": ["x", np.nan, "z"]})
    table = node_table(people)
    assert (table.names.tolist(), table.columns["city"].tolist()) == (["A", "3", "C"], ["x", "", "z"])
    assert table.columns["ID"].dtype == np.int64
    people.loc[1, "ID"] = np.nan
    with pytest.raises(InputError, match="'ID' has no value in row 1"):
        node_table(people)


def test_a_sequence_is_ids_or_names_by_what_the_graph_says():
    by_number, by_name = Graph.from_edges([0, 1], [1, 2]), Graph.from_edges(["b", "a"], ["a", "c"])
    assert by_number.with_nodes(["c", "a", "b", "d"]).degrees.tolist() == [1.0, 2.0, 1.0, 0.0]
    assert by_name.with_nodes(["c", "a", "b", "d"]).degrees.tolist() == [1.0, 2.0, 1.0, 0.0]
    assert by_name.with_nodes(np.array(["c", "a", "b"])).node_names.tolist() == ["c", "a", "b"]
    assert by_number.with_nodes([2, 1, 0]).node_names.tolist() == [2, 1, 0]
    assert by_number.with_nodes([0, 1, 2, 3]).node_names is None
    # Ids of integers and edges that call them by text.
    assert Graph.from_edges(["1", "x"], ["2", "1"]).with_nodes(["x", "2", "1"]).degrees.tolist() == [1, 1, 2]
    assert Graph.from_edges(["10"], ["9"]).with_nodes({"id": [9, 10, 11]}).degrees.tolist() == [1, 1, 0]
    series = pytest.importorskip("pandas").Series(["c", "a", "b", "d"])
    assert by_name.with_nodes(series).degrees.tolist() == [1.0, 2.0, 1.0, 0.0]
    repeating = Graph.from_edges([0, 1, 3], [1, 2, 0], node_names=["a", "a", "b", "c"])
    with pytest.raises(InputError, match="several nodes of the graph are called 'a'"):
        repeating.with_nodes(["a", "b", "c", "d"])


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        (PEOPLE | {"id": [7, 3, 11, 5]}, "node 12 of the edges is none of the 4 nodes .* add a row"),
        (PEOPLE | {"id": [7, 3, 12, 3]}, r"node 3 stands in rows 1 and 3 \(counted from 0\)"),
        (PEOPLE | {"age": [1, 2]}, r"'age' has shape \(2,\); a value for each of 4"),
        ({}, "no columns"),
        ([], "no rows"),
        (["a", "b"], "node 3 of the edges"),
        (["a", 1, None], "integers"),
        (7, "a table of nodes is needed .* got int"),
    ],
)
def test_what_is_no_table_of_these_nodes(nodes, said):
    with pytest.raises(InputError, match=said):
        friends().with_nodes(nodes)


def test_the_rows_are_shared_where_the_nodes_are_the_same_and_a_graph_on_disk_takes_names_in_its_order(tmp_path):
    graph = friends()
    named = graph.with_nodes({"id": [3, 7, 12], "name": ["a", "b", "c"]})
    assert named.indices is graph.indices and named.degrees is graph.degrees
    assert (named.node_names.tolist(), graph.node_names.tolist()) == (["a", "b", "c"], [3, 7, 12])
    assert pickle.loads(pickle.dumps(named)).node_names.tolist() == ["a", "b", "c"]
    with pytest.raises(AttributeError, match="immutable"):
        named.node_names = None
    graphcore.write_graph(Graph.from_edges([0, 1], [1, 2]), tmp_path / "a.store")
    graph = graphcore.open_graph(tmp_path / "a.store")
    named = graph.with_nodes(["x", "y", "z"])
    assert named.node_names.tolist() == ["x", "y", "z"]
    assert pickle.loads(pickle.dumps(named)).node_names.tolist() == ["x", "y", "z"]
    assert pickle.loads(pickle.dumps(named.with_nodes(["x", "y", "z"])._by_names(None))).node_names is None
    turned = graph.with_nodes({"id": [1, 0, 2], "name": ["y", "x", "z"], "age": [7, 3, 5]})
    assert (turned.node_names.tolist(), turned.attributes["age"].tolist()) == (["x", "y", "z"], [3, 7, 5])
    assert graph.with_nodes({"id": [1, 0, 2]}).node_names is None
    graphcore.write_graph(Graph.from_edges([0], [1], node_names=["0", "1"]), tmp_path / "b.store")
    renamed = graphcore.open_graph(tmp_path / "b.store").with_nodes([0, 1])
    assert renamed.node_names is pickle.loads(pickle.dumps(renamed)).node_names is None
    with pytest.raises(InputError, match="there are 4 nodes, and a graph on disk keeps its 3; leave out rows"):
        graph.with_nodes(["x", "y", "z", "w"])
