"""A graph written is the graph read, format by format; a graph that a format cannot hold is refused or warned of."""

import gzip
import warnings

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore import Graph, GraphWarning, InputError, ParameterError, read_graph, write_graph
from graphcore.files import edge_list
from tests.files.store.test_store import assert_same
from tests.files.test_edge_list import edges_of
from tests.strategies import matrices

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")) | st.just(" "), min_size=1, max_size=8)


@st.composite
def named_graphs(draw, kind):
    A = draw(matrices())
    n = len(A)
    names = None
    if kind == "integer":
        names = np.array(draw(st.lists(st.integers(-(2**62), 2**62), min_size=n, max_size=n, unique=True)))
    if kind == "string":
        names = draw(st.lists(NAMES, min_size=n, max_size=n, unique=True))
    return Graph.from_scipy(A, node_names=names)


@pytest.mark.parametrize(
    ("ending", "kind"),
    [
        *(pytest.param(ending, None, marks=pytest.mark.slow)
          for ending in ("tsv", "txt.gz", "csv", "csv.xz", "mtx", "mtx.xz", "npz", "edges.bz2")),
        ("npz", "integer"), ("npz", "string"),
    ],
)  # fmt: skip
@given(data=st.data())
def test_isolated_nodes_survive_in_every_format_and_names_in_npz(tmp_path_factory, ending, kind, data):
    graph = data.draw(named_graphs(kind))
    assume(graph.n_entries or ending.startswith(("mtx", "npz")))  # an edge list without edges is refused
    path = tmp_path_factory.mktemp("trip") / f"g.{ending}"
    write_graph(graph, path)
    assert_same(read_graph(path), graph)
    if ending == "npz":
        np.testing.assert_array_equal(sp.load_npz(path).toarray(), graph.to_scipy().toarray())
    assert sorted(path.parent.iterdir()) == [path]


@given(graph=named_graphs(None), largest=st.sampled_from([3, 10**9]))
def test_metis(tmp_path_factory, graph, largest):
    A = sp.triu(graph.to_scipy(), k=1)
    A.data = np.ceil(np.random.default_rng(0).random(len(A.data)) * largest) if graph.is_weighted else A.data
    graph = Graph.from_scipy(A + A.T)
    path = tmp_path_factory.mktemp("trip") / "g.metis"
    write_graph(graph, path)
    assert_same(read_graph(path), graph)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["tsv", "csv", "csv.gz"])
@pytest.mark.parametrize("kind", ["integer", "string"])
@given(data=st.data())
def test_edge_lists_keep_names_and_lose_isolated_nodes(tmp_path_factory, ending, kind, data):
    graph = data.draw(named_graphs(kind))
    assume(graph.n_entries)
    path = tmp_path_factory.mktemp("trip") / f"g.{ending}"
    with warnings.catch_warnings(record=True, action="always") as caught:
        try:
            write_graph(graph, path)
        except InputError as error:
            assert kind == "string" and "npz" in str(error)
            assert list(path.parent.iterdir()) == []
        else:
            assert len(caught) == (graph.n_isolated > 0)
            # Commas do not say whether "1" is a number or a name; tabs do, in the comment.
            back = read_graph(path, ids=kind if ending.startswith("csv") else "auto")
            assert edges_of(back) == edges_of(graph)
            assert back.n_nodes == graph.n_nodes - graph.n_isolated


def test_large_enough_for_several_pieces(tmp_path, limits):
    limits(edge_list, _PIECE=7)
    rng = np.random.default_rng(0)
    graph = Graph.from_edges(rng.integers(0, 200, 900), rng.integers(0, 200, 900), rng.random(900), warn=False)
    for name in ("g.tsv", "g.csv.gz", "g.npz.gz", "g.npz.bz2", "g.npz.xz"):
        write_graph(graph, tmp_path / name)
        assert_same(read_graph(tmp_path / name), graph)


@pytest.mark.parametrize(
    ("names", "weights"),
    [
        (None, [1.6e9, 1.7e9, 1.8e9]),  # like time stamps
        (["from", "to", "weight"], None),  # like a header
        (["graph", "[", "a"], None),  # like the beginning of GML
    ],
)
@pytest.mark.parametrize("name", ["g.tsv", "g.csv", "back"])
def test_what_would_be_taken_for_something_else_comes_back(tmp_path, names, weights, name):
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], weights, node_names=names)
    write_graph(graph, tmp_path / name)
    assert edges_of(read_graph(tmp_path / name)) == edges_of(graph)


def test_formats_named_by_hand_and_the_bytes_that_others_read(tmp_path, capfdbinary):
    graph = Graph.from_edges([0, 1], [1, 2], [2.0, 0.1])
    write_graph(graph, tmp_path / "a.dat", format="csv")
    assert (tmp_path / "a.dat").read_text() == "source,target,weight\n0,1,2.0\n1,2,0.1\n"
    write_graph(graph, tmp_path / "b.dat", format="tsv")
    assert (tmp_path / "b.dat").read_text().splitlines()[1:] == ["0\t1\t2.0", "1\t2\t0.1"]
    write_graph(graph, tmp_path / "c.dat", format="matrix-market")
    with open(tmp_path / "c.dat", "rb") as stream:
        np.testing.assert_array_equal(scipy.io.mmread(stream).toarray(), graph.to_scipy().toarray())
    write_graph(Graph.from_edges([0, 1], [1, 2]), tmp_path / "d.dat", format="metis")
    assert (tmp_path / "d.dat").read_text() == "3 2\n2\n1 3\n2\n"
    graph = Graph.from_edges([0, 1], [1, 2])
    for name in ("a.tsv.gz", "b.tsv.gz"):
        write_graph(graph, tmp_path / name)
    assert (tmp_path / "a.tsv.gz").read_bytes() == (tmp_path / "b.tsv.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.tsv.gz").read_bytes()).endswith(b"0\t1\n1\t2\n")
    graph = Graph.from_edges([0, 1], [1, 2], np.array([0.1, 1e-30], dtype=np.float32))
    write_graph(graph, tmp_path / "g.tsv")
    np.testing.assert_array_equal(read_graph(tmp_path / "g.tsv").weights, graph.weights.astype(np.float64))
    write_graph(graph, tmp_path / "g.npz")
    assert read_graph(tmp_path / "g.npz").weights.dtype == np.float32
    write_graph(Graph.from_edges([0, 1], [1, 2]), "-", format="csv")
    assert capfdbinary.readouterr().out == b"source,target\n0,1\n1,2\n"


@pytest.mark.parametrize("names", [[1.5, 2.0], [True, False], np.array(["2020-01-01", "2021-03-04"], "M8[ns]")])
def test_names_that_are_neither_integers_nor_text_become_text(tmp_path, names):
    write_graph(Graph.from_edges([0], [1], node_names=np.array(names)), tmp_path / "g.tsv")
    assert read_graph(tmp_path / "g.tsv").node_names.tolist() == [str(name) for name in np.array(names)]


def test_text_of_any_width_is_written(tmp_path):
    graph = Graph.from_edges([0], [1], node_names=np.array(["a", "bc"], dtype=np.dtypes.StringDType()))
    for name in ("g.npz", "g.store"):
        write_graph(graph, tmp_path / name)
        assert read_graph(tmp_path / name).node_names.tolist() == ["a", "bc"]


def test_what_a_format_cannot_hold(tmp_path):
    graph = Graph.from_edges([0], [1])
    for what, name, format, error, message in [
        (Graph.from_edges([0, 1], [1, 1]), "g.metis", None, InputError, "no self-loops, and there are 1"),
        *((Graph.from_edges([0], [1], [w]), "g.metis", None, InputError,
           rf"weights below 2\^63, and one here is {told}; .*-column none")
          for w, told in ((0.5, "0.5"), (1e19, r"1e\+19"))),
        (Graph.from_edges([0], [1], node_names=["a\tb", "c"]), "g.tsv", None, InputError, r"name 'a\\tb'"),
        (Graph.from_edges([0], [1], node_names=["#a", "c"]), "g.csv", None, InputError, "name '#a'"),
        ("g.tsv", "g.tsv", None, InputError, "a graph is needed"),
        (graph, "g.tsv", "xml", ParameterError, "format='xml'"),
        (graph, 5, "tsv", ParameterError, "path must be"),
        *((graph, name, None, ParameterError, "format=") for name in ("g.xlsx", "g.json", "g.zip.gz", "g.graph")),
    ]:  # fmt: skip
        with pytest.raises(error, match=message):
            write_graph(what, tmp_path / name if isinstance(name, str) else name, format=format)
    assert list(tmp_path.iterdir()) == []
    named = Graph.from_edges([0], [1], node_names=["a", "b"])
    for name in ("g.metis", "g.mtx"):
        with pytest.warns(GraphWarning, match="no node names"):
            write_graph(named, tmp_path / name)
