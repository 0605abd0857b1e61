"""Edges added to a graph and taken out of it, compared with graphs made anew."""

import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph, GraphWarning, InputError
from graphcore.graphs.changed import change_graph
from tests.oracles import dense

PATH = Graph.from_edges([0, 1, 2], [1, 2, 3])
NAMED = Graph.from_edges(["a", "b"], ["b", "c"], [1.0, 2.0])
NUMBERED = Graph.from_table({"source": [10, 20], "target": [20, 30]})
TWINS = Graph(PATH.indptr, PATH.indices, node_names=np.array(["a", "b", "a", "c"]))
pairs = st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=12)


@given(pairs.filter(len), pairs, st.data(), st.booleans())
def test_it_is_the_graph_made_anew(old, new, data, weighted):
    rng = np.random.default_rng(0)
    old, new = (np.array(each, dtype=int).reshape(-1, 2) for each in (old, new))
    weights = rng.integers(1, 9, len(old)) / 4.0 if weighted else None
    more = rng.integers(1, 9, len(new)) / 4.0 if weighted else None
    graph = Graph.from_edges(*old.T, weights, 6 if old.max() < 6 else None, symmetrize="sum", warn=False)
    before = dense(graph)
    there = np.argwhere(np.triu(before))
    gone = there[data.draw(st.lists(st.integers(0, len(there) - 1), max_size=4))] if len(there) else there
    n = max(len(before), int(new.max(initial=0)) + 1)
    expected = np.zeros((n, n))
    expected[: len(before), : len(before)] = before
    for a, b in gone:
        expected[a, b] = expected[b, a] = 0.0
    for i, (a, b) in enumerate(new):
        if graph.is_weighted or weighted:
            w = more[i] if weighted else 1.0
            expected[a, b] += w
            expected[b, a] = expected[a, b]
        else:
            expected[a, b] = expected[b, a] = 1.0
    added = tuple(new.T) if more is None else (*new.T, more)
    found = change_graph(graph, added, tuple(gone.T))
    np.testing.assert_array_equal(dense(found.graph), expected)
    np.testing.assert_array_equal(dense(graph), before)
    Graph(found.graph.indptr, found.graph.indices, found.graph.weights)  # canonical
    difference = expected.copy()
    difference[: len(before), : len(before)] -= before
    listed = np.zeros((n, n))
    listed[tuple(found.ends.T)] = found.change
    np.testing.assert_array_equal(listed, np.triu(difference))


@pytest.mark.parametrize(
    "added",
    [
        ([3, 3], [4, 5]),
        np.array([[3, 4], [3, 5], [5, 3]]),
        np.array([[3, 3, 5], [4, 5, 3]]),
        {"source": [3, 3], "target": [4, 5]},
        nx.Graph([(3, 4), (3, 5)]),
    ],
)
def test_edges_come_in_many_ways(added):
    found = change_graph(PATH, added)
    assert (found.graph.n_nodes, found.graph.n_edges, found.n_added, found.n_removed) == (6, 5, 2, 0)


def test_names_repeats_and_what_is_both_added_and_removed():
    found = change_graph(NAMED, (["c", "d"], ["d", "a"], [3.0, 0.0]), (["b"], ["a"]))
    assert found.graph.node_names.tolist() == ["a", "b", "c", "d"]
    np.testing.assert_array_equal(dense(found.graph), [[0, 0, 0, 0], [0, 0, 2, 0], [0, 2, 0, 3], [0, 0, 3, 0]])
    assert change_graph(NUMBERED, ([30], [7])).graph.node_names.tolist() == [10, 20, 30, 7]
    found = change_graph(NAMED, (["a", "c", "c"], ["c", "a", "c"], np.ones(3)))
    assert found.graph.to_scipy()[[0, 2]][:, [2]].toarray().ravel().tolist() == [2.0, 1.0]
    again = change_graph(PATH, ([0, 3], [3, 0]))  # one without counts it once
    assert again.graph.weights is None and again.n_added == 1
    found = change_graph(NAMED, (["a"], ["b"], [5.0]), (["a"], ["b"]))
    assert dense(found.graph)[0, 1] == 5.0
    assert found.change.tolist() == [4.0]
    same = change_graph(PATH, ([0], [1]), ([1], [0]))
    assert (len(same.ends), same.graph.is_weighted) == (0, False)


def test_attributes_stay_and_new_nodes_have_those_of_the_added_graph():
    people = {"id": ["a", "b", "c"], "age": [31, 27, 44], "club": ["chess", "", "go"], "member": [True, False, True]}
    graph = Graph.from_edges(["a", "b"], ["b", "c"], [1.0, 2.0]).with_nodes(people)
    same = change_graph(graph, (["a"], ["c"], [1.0])).graph
    assert {name: values.tolist() for name, values in same.attributes.items()} == {
        name: people[name] for name in ("age", "club", "member")
    }
    more = nx.Graph([("d", "a", {"weight": 3.0}), ("e", "d", {"weight": 1.5})])
    nx.set_node_attributes(more, {"d": {"age": 60, "club": "mountaineers", "member": False}, "a": {"age": 99}})
    grown = change_graph(graph, more).graph.attributes
    np.testing.assert_array_equal(grown["age"], [31, 27, 44, 60, np.nan])
    assert grown["club"].tolist() == ["chess", "", "go", "mountaineers", ""]
    assert grown["member"].tolist() == ["True", "False", "True", "False", ""]  # as a column with gaps is read
    bare = change_graph(graph, (["d"], ["a"], [1.0])).graph.attributes
    np.testing.assert_array_equal(bare["age"], [31, 27, 44, np.nan])
    more.nodes["a"].clear()  # known as the end of an edge alone
    more.remove_node("e")
    whole = change_graph(graph, more).graph.attributes
    assert (whole["age"].dtype, whole["member"].dtype) == (np.int64, bool)


def test_weights_are_read_if_the_graph_has_some():
    table = {"source": [3, 3], "target": [4, 5], "weight": [-5.0, 7.0]}
    with pytest.warns(GraphWarning, match="added: column weight not read, as the graph has no weights"):
        assert not change_graph(PATH, table).graph.is_weighted
    assert change_graph(PATH, removed={"source": [0], "target": [1], "weight": [-5.0]}).n_removed == 1
    for less in ((["a"], ["b"], [0.25]), {"source": ["a"], "target": ["b"], "weight": [0.0]}):
        with pytest.warns(GraphWarning, match="removed: weights are not read, as edges are removed as a whole"):
            assert dense(change_graph(NAMED, removed=less).graph)[0, 1] == 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert change_graph(NAMED, removed=(["a", "b"], ["b", "a"])).n_removed == 1
    with pytest.warns(GraphWarning, match=r"added: there are no weights.*of the graph weigh 1.5 on average"):
        assert dense(change_graph(NAMED, (["a"], ["b"])).graph)[0, 1] == 2.0


def test_names_of_several_kinds_stay_so():
    mixed = Graph.from_networkx(nx.Graph([(1, "a"), ("a", (2, 3))]))
    added = change_graph(mixed, ([1, 5], [1, 1])).graph
    assert len(change_graph(NAMED, removed=np.empty((0, 2), dtype=int)).ends) == 0
    assert change_graph(added, (["a"], ["b"])).graph.node_names.tolist() == [1, "a", (2, 3), 5, "b"]


@pytest.mark.parametrize(
    ("graph", "change", "message"),
    [
        (PATH, {"removed": ([0], [2])}, "removed: there is no edge between 0 and 2"),
        (PATH, {"removed": ([0], [9])}, "removed: node 9 is beyond the 4 nodes.*no such node"),
        (PATH, {"added": ([0], [99])}, "added: node 99 is beyond.*numbered from 4 on"),
        (PATH, {"added": ([-1], [2])}, "start at 0; found -1"),
        (PATH, {"added": (["a"], ["b"])}, "by text, as 'a', and those of the graph by integers, as 0; convert"),
        (NAMED, {"added": ([1], [2])}, "by integers, as 1, and those of the graph by text, as 'a'; convert"),
        (NUMBERED, {"removed": (["10"], ["20"])}, "removed: nodes are named by text, as '10'.*integers, as 10;"),
        (TWINS, {"added": (["a"], ["z"])}, "several nodes of the graph have the same name"),
        (PATH, {"added": ([0.5], [1.0])}, "no whole number"),
        (PATH, {"added": ([0, 1], [1])}, "added must be edges"),
        (PATH, {"added": [[0, 1], [1, 2]]}, r"added must be edges.*shape \(2, 2\)"),
        (PATH, {"added": ([0], [1], [-1.0])}, "not negative"),
        (PATH, {"added": "edges.txt"}, "added must be edges"),
        (NAMED, {"removed": (["a"], ["z"])}, "removed: there is no node 'z'"),
        (NAMED, {"added": (["a"], [1])}, "integers, or all by text"),
    ],
)
def test_edges_refused(graph, change, message):
    with pytest.raises(InputError, match=message):
        change_graph(graph, **change)
