"""Tables of edges from every library by one path, and igraph graphs."""

import warnings
from importlib.util import find_spec

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import graphcore
from graphcore import Graph, GraphWarning, InputError, ParameterError
from graphcore.graphs.from_table import as_library

COLUMNS = {"source": ["b", "a", "b", "d"], "target": ["a", "c", "a", "d"], "weight": [1.0, 2.0, 3.0, 0.5]}


def frames(columns):
    out = {"dict": columns, "arrays": {name: np.array(values) for name, values in columns.items()}}
    for library in ("pandas", "polars", "pyarrow"):
        if find_spec(library):
            out[library] = as_library(columns, library)
    if "pandas" in out:
        out["other index"] = out["pandas"].set_index(np.array([7, 5, 5, 1][: len(columns["source"])]))
        out["categories"] = out["pandas"].astype(dict.fromkeys(set(columns) - {"weight"}, "category"))
    return out


KINDS = sorted(frames(COLUMNS))


@pytest.mark.parametrize("kind", KINDS)
def test_every_library_gives_the_same_graph(kind):
    graph = Graph.from_table(frames(COLUMNS)[kind])
    assert graph.node_names.tolist() == ["b", "a", "c", "d"]  # as they first appear
    assert all(type(name) is str for name in graph.node_names.tolist())
    expected = np.zeros((4, 4))
    for s, t, w in zip(*COLUMNS.values(), strict=True):
        i, j = ("bacd".index(name) for name in (s, t))
        expected[i, j] += w
        expected[j, i] = expected[i, j]
    np.testing.assert_allclose(graph.to_scipy().toarray(), expected)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "categories"])
def test_integers_of_any_size(kind):
    columns = {"source": [5, -3, 10**12], "target": [-3, 10**12, 5], "count": [1, 2, 3]}
    graph = Graph.from_table(frames(columns | {"weight": [1.0] * 3})[kind], weight=None)
    assert graph.node_names.tolist() == [-3, 5, 10**12]
    assert (graph.n_edges, graph.is_weighted) == (3, False)
    graph = Graph.from_table(frames(columns)[kind], weight="count")
    assert graph.degrees.tolist() == [3.0, 4.0, 5.0]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"source": [1, 2]}, "target='target' is no column of the table; it has 'source'"),
        ({"source": [1], "target": ["a"]}, "must be of one kind"),
        ({"source": [1.5], "target": [2.0]}, "column 'source' must be integers or text, got float64, and 1.5 in row 0"),
        ({"source": [], "target": []}, "no rows"),
        ({"source": ["a"], "target": ["b"], "weight": [-1.0]}, "not negative; edge 0 has -1.0"),
    ],
)
def test_bad_tables_are_refused(columns, message):
    with pytest.raises(InputError, match=message):
        Graph.from_table(frames(columns)["arrays"])


@pytest.mark.parametrize("missing", [None, float("nan"), "pandas.NA", "pandas.NaT"])
@pytest.mark.parametrize("as_frame", [False, True])
def test_missing_ends_are_no_nodes(missing, as_frame):
    pd = pytest.importorskip("pandas")
    missing = getattr(pd, missing.removeprefix("pandas.")) if isinstance(missing, str) else missing
    table = {"source": ["a", "b"], "target": np.array(["b", missing], dtype=object)}
    with pytest.raises(InputError, match=r"column 'target' has no value in row 1; drop such rows"):
        Graph.from_table(pd.DataFrame(table) if as_frame else table)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("blank", ["", "  ", "\u3000"])
def test_blank_ends_are_no_nodes(kind, blank):
    table = frames({"source": ["a", "日本", "b", "c"], "target": ["b", "a b", blank, blank], "weight": [1.0] * 4})[kind]
    with pytest.raises(InputError, match=r"column 'target' holds '.*' in row 2, where a node is expected; drop such"):
        Graph.from_table(table)
    mixed = np.array([1, blank], dtype=object)
    with pytest.raises(InputError, match=r"column 'u' holds '.*' in row 1"):
        Graph.from_table({"u": mixed, "v": np.array(["a", 2], dtype=object)}, "u", "v")
    with pytest.raises(InputError, match=r"sources holds '.*' in row 0"):
        Graph.from_edges([blank], ["a"])


def test_masked_values_and_missing_categories_are_no_nodes():
    with pytest.raises(InputError, match=r"column 'target' has no value in row 1; drop such rows"):
        Graph.from_table({"source": [0, 1], "target": np.ma.masked_array([1, 2], [0, 1])})
    pa = pytest.importorskip("pyarrow")
    columns = {"source": ["a", "b"], "target": ["b", None]}
    table = pa.table({name: pa.array(values).dictionary_encode() for name, values in columns.items()})
    with pytest.raises(InputError, match=r"column 'target' has no value in row 1; drop such rows"):
        Graph.from_table(table)


def test_ends_of_mixed_types_and_what_is_no_table():
    table = {"source": np.array([1, "a"], dtype=object), "target": np.array(["a", 2], dtype=object)}
    assert Graph.from_table(table).node_names.tolist() == [1, "a", 2]
    assert Graph.from_table({"source": [b"a"], "target": [b"b"]}).node_names.tolist() == ["a", "b"]
    whole = {"source": np.array([1, 2], dtype=object), "target": np.array([2.0, 3.0], dtype=object)}
    assert Graph.from_table(whole).node_names.tolist() == [1, 2, 3]
    assert Graph.from_edges(*whole.values()).n_nodes == 4
    with pytest.raises(InputError, match="nodes are named by integers or text"):
        Graph.from_table({"source": np.array([[1, 2], [2]], dtype=object), "target": ["a", "b"]})
    with pytest.raises(ParameterError, match="source and target are both 'a'"):
        Graph.from_table({"a": [1], "b": [2]}, "a", "a")
    with pytest.raises(InputError, match=r"a table of edges is needed .* got list"):
        Graph.from_table([[1, 2]])
    with pytest.raises(InputError, match="'source' has 2 rows"):
        Graph.from_table({"source": [1, 2], "target": [1]})
    with pytest.raises(InputError, match=r"holds 9223372036854775808, and integers go up to 2\*\*63 - 1"):
        Graph.from_table({"source": np.array([2**63], dtype=np.uint64), "target": [1]})
    with pytest.raises(ParameterError, match="library='spark'"):
        as_library({}, "spark")


# -- igraph ------------------------------------------------------------------------------------------------------------


@given(st.integers(1, 8), st.integers(0, 2**32 - 1), st.booleans(), st.booleans())
def test_igraph_agrees_with_networkx(n, seed, directed, weighted):
    igraph = pytest.importorskip("igraph")
    rng = np.random.default_rng(seed)
    edges = rng.integers(0, n, (rng.integers(0, 15), 2)).tolist()
    weights = rng.integers(0, 4, len(edges)).tolist()
    g = igraph.Graph(n, edges, directed=directed)
    G = (nx.MultiDiGraph if directed else nx.MultiGraph)()
    G.add_nodes_from(range(n))
    for (u, v), w in zip(edges, weights, strict=True):
        G.add_edge(u, v, **({"weight": w} if weighted else {}))
    if weighted:
        g.es["weight"] = weights
    with warnings.catch_warnings(action="ignore", category=GraphWarning):
        ours = Graph.from_igraph(g)
        theirs = Graph.from_networkx(G)
        once = Graph.from_igraph(g, weight=None), Graph.from_networkx(G, weight=None)
    for one, other in ((ours, theirs), once):
        np.testing.assert_array_equal(one.to_scipy().toarray(), other.to_scipy().toarray())
    Graph(ours.indptr, ours.indices, ours.weights)


def test_igraph_names_missing_weights_and_policies():
    igraph = pytest.importorskip("igraph")
    g = igraph.Graph.TupleList([("a", "b"), ("b", "c")], directed=True)
    g.es[0]["weight"] = 3.0
    graph = Graph.from_igraph(g)
    assert graph.node_names.tolist() == ["a", "b", "c"]
    assert graph.degrees.tolist() == [3.0, 4.0, 1.0]
    with pytest.raises(InputError, match="2 in one"):
        Graph.from_igraph(g, symmetrize="error")
    with pytest.raises(InputError, match="no nodes"):
        Graph.from_igraph(igraph.Graph())
    with pytest.raises(InputError, match="got Graph"):
        Graph.from_igraph(nx.path_graph(2))
    assert graphcore.metrics.normalized_cut(igraph.Graph.Ring(6), [0, 0, 0, 1, 1, 1]) == pytest.approx(1 / 3)
    g.vs["age"], g.vs["half"], g.vs["other"] = [3, 1, 2], [None, "x", "y"], [[], [], []]
    kept = {name: values.tolist() for name, values in Graph.from_igraph(g, warn=False).attributes.items()}
    assert kept == {"age": [3, 1, 2], "half": ["", "x", "y"]}
    named = igraph.Graph.from_networkx(nx.path_graph(["a", "b"]))
    assert Graph.from_igraph(named).node_names.tolist() == ["a", "b"]
    g.vs["name"] = ["a", "a", "b"]
    with pytest.warns(GraphWarning, match="several nodes have the same name"):
        Graph.from_igraph(g, weight=None)
