"""Formats of graphs beside edge lists: METIS, NumPy archives, and what networkx and scipy read and write."""

import gzip

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from graphcore import FormatError, Graph, GraphWarning, InputError, ParameterError, read_graph, write_graph
from tests.oracles import dense

PATH = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]], dtype=float)
WEIGHTED = PATH * np.array([[1, 2, 1, 1], [2, 1, 0.5, 1], [1, 0.5, 1, 1], [1, 1, 1, 1]])


def test_matrix_market(write):
    head = "%%MatrixMarket matrix coordinate pattern "
    graph = read_graph(write(head + "symmetric\n% c\n4 4 2\n2 1\n3 2\n", "renamed.txt"))
    assert graph.weights is None
    np.testing.assert_array_equal(dense(graph), PATH)
    twice = write(head + "general\n4 4 6\n1 2\n1 2\n2 1\n2 3\n3 2\n3 2\n", "a.mtx")
    np.testing.assert_array_equal(dense(read_graph(twice)), PATH)  # repeats of a pattern are one edge
    path = write("%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 4\n3 2 5\n", "a.mtx")
    graph = read_graph(path, symmetrize="sum")
    np.testing.assert_array_equal(dense(graph), [[0, 4, 0], [4, 0, 5], [0, 5, 0]])


# -- METIS -------------------------------------------------------------------------------------------------------------

# The example of the METIS manual (figure 2): 7 nodes, 11 edges, in all its four kinds.
MANUAL = [(1, 5), (1, 3), (1, 2), (2, 3), (2, 4), (3, 4), (3, 5), (4, 6), (4, 7), (5, 6), (6, 7)]
PLAIN = "7 11\n5 3 2\n1 3 4\n5 4 2 1\n2 3 6 7\n1 3 6\n5 4 7\n6 4\n"
EDGE_WEIGHTS = (
    "7 11 001\n5 1 3 2 2 1\n1 1 3 2 4 1\n5 3 4 2 2 2 1 2\n2 1 3 2 6 2 7 5\n1 1 3 3 6 2\n5 2 4 2 7 6\n6 6 4 5\n"
)
BOTH_WEIGHTS = (
    "7 11 011\n4 5 1 3 2 2 1\n2 1 1 3 2 4 1\n5 5 3 4 2 2 2 1 2\n"
    "3 2 1 3 2 6 2 7 5\n1 1 1 3 3 6 2\n6 5 2 4 2 7 6\n2 6 6 4 5\n"
)
THREE_CONSTRAINTS = (
    "7 11 010 3\n1 2 0 5 3 2\n0 2 2 1 3 4\n4 1 1 5 4 2 1\n2 2 3 2 3 6 7\n1 1 1 1 3 6\n2 2 1 5 4 7\n1 2 1 6 4\n"
)


def manual_matrix(weighted):
    (i, j), A = np.array(MANUAL).T - 1, np.zeros((7, 7))
    A[i, j] = A[j, i] = [1, 2, 1, 2, 1, 2, 3, 2, 5, 2, 6] if weighted else 1
    return A


@pytest.mark.parametrize(
    ("text", "weighted"), [(PLAIN, False), (EDGE_WEIGHTS, True), (BOTH_WEIGHTS, True), (THREE_CONSTRAINTS, False)]
)
@pytest.mark.filterwarnings("ignore:.*node weights")
def test_metis_manual(write, text, weighted):
    graph = read_graph(write(text, "a.graph"))
    np.testing.assert_array_equal(dense(graph), manual_matrix(weighted))
    assert (graph.weights is not None) == weighted
    commented = "% x\n" + text.replace("\n", " \r\n% 7 7 7\r\n")
    np.testing.assert_array_equal(dense(read_graph(write(commented, "b.metis"))), manual_matrix(weighted))
    unweighted = read_graph(write(text, "c"), format="metis", weight_column=None)
    np.testing.assert_array_equal(dense(unweighted), manual_matrix(False))


@pytest.mark.parametrize("text", ["4 1\n\n3\n2\n\n", "4 1\n\n3\n2\n", "4 1\n\n3\n2\n\n\n\n", "4 1\n \n3 \n2\n\t\n"])
def test_metis_blank_lines_are_isolated_nodes(write, text):
    graph = read_graph(write(text, "a.graph"))
    assert graph.n_nodes == 4
    assert graph.degrees.tolist() == [0, 1, 1, 0]


# -- npz ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["csr_array", "csc_array", "coo_array", "csr_matrix", "bsr_array", "dia_array"])
def test_npz_of_scipy(tmp_path, layout):
    path = tmp_path / "a.npz"
    sp.save_npz(path, getattr(sp, layout)(WEIGHTED))
    np.testing.assert_array_equal(dense(read_graph(path)), WEIGHTED)
    np.testing.assert_array_equal(dense(read_graph(path, weight_column=None)), PATH)


@pytest.mark.parametrize("key", [None, "weights", "data"])
@pytest.mark.parametrize("index", [np.int32, np.int64, np.uint16])
def test_npz_of_plain_rows(tmp_path, key, index):
    rows = sp.csr_array(WEIGHTED)
    arrays = {"indptr": rows.indptr.astype(np.int64), "indices": rows.indices.astype(index), "labels": np.zeros(4)}
    if key:
        arrays[key] = rows.data
    np.savez(tmp_path / "a.npz", **arrays)
    graph = read_graph(tmp_path / "a.npz")
    np.testing.assert_array_equal(dense(graph), WEIGHTED if key else PATH)
    assert (graph.weights is None) == (key is None)


# -- weights that are left out -----------------------------------------------------------------------------------------

MTX = "%%MatrixMarket matrix {}\n{}\n"


@pytest.mark.parametrize(
    ("text", "loops", "message"),
    [
        (MTX.format("coordinate real symmetric", "3 3 5\n1 1 1\n2 2 2\n3 3 1\n2 1 -1\n3 2 -1"), True, "negative"),
        (MTX.format("coordinate real general", "3 3 4\n1 2 nan\n2 1 inf\n3 2 1\n2 3 2"), False, "finite"),
        (MTX.format("coordinate real skew-symmetric", "3 3 2\n2 1 1\n3 2 2"), False, "negative"),
        (MTX.format("coordinate complex hermitian", "3 3 3\n2 1 0 1\n3 2 2 -1\n3 1 0 0"), False, "real numbers"),
        (MTX.format("array real general", "3 3\n1\n-1\n0\n-1\n2\n-1\n0\n-1\n1"), True, "negative"),
        ("3 2 1\n2 -1\n1 -1 3 2.5\n2 2.5\n", False, "negative"),
        ("3 2 1\n2 -1\n1 -1 3 2\n2 2\n", False, "negative"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*directed|.*node weights")
def test_weights_that_are_left_out_may_be_any_numbers(write, text, loops, message):
    path = write(text, "a.mtx" if text.startswith("%") else "a.graph")
    graph = read_graph(path, weight_column=None)
    np.testing.assert_array_equal(dense(graph), PATH[:3, :3] + np.eye(3) * loops)
    assert graph.weights is None
    with pytest.raises(InputError, match=message):
        read_graph(path)


# -- what networkx reads and writes ------------------------------------------------------------------------------------

MARKUP = pytest.mark.parametrize("kind", ["graphml", "gexf", "gml"])


@MARKUP
@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph, nx.MultiGraph])
@pytest.mark.parametrize("attribute", ["weight", "Weight", "similarity", None])
@pytest.mark.filterwarnings("ignore:.*directed|.*not read")
def test_graphs_are_those_that_networkx_reads(tmp_path, kind, make, attribute):
    G = make()
    G.add_edges_from([("b", "a"), ("b", "é"), ("é", "d"), ("b", "a")])
    G.add_node("alone")
    if attribute:
        nx.set_edge_attributes(G, 2.5, attribute)
    getattr(nx, f"write_{kind}")(G, tmp_path / f"g.{kind}")
    graph, expected = read_graph(tmp_path / f"g.{kind}"), Graph.from_networkx(G)
    assert graph.node_names.tolist() == expected.node_names.tolist()
    assert (graph.to_scipy() != expected.to_scipy()).nnz == 0
    assert read_graph(tmp_path / f"g.{kind}", weight_column=None).weights is None
    if attribute:
        with pytest.raises(ParameterError, match="weight_column='w' is an attribute of no edge"):
            read_graph(tmp_path / f"g.{kind}", weight_column="w")


@MARKUP
@pytest.mark.parametrize("names", [None, [10, 20, 30], ["a", "b c", "<é>"]])
@pytest.mark.parametrize("weights", [None, [2.5, 1.0]])
def test_what_is_written_is_read_back(tmp_path, kind, names, weights):
    graph = Graph.from_edges([0, 1], [1, 2], weights, node_names=names)
    table = {"cluster": np.array([1, 0, 1]), "stability": [1.0, 0.5, np.nan], "known": np.array([True, False, True])}
    table |= {"city": ["Rome", "Köln", ""], "born": np.array(["1999-12-31", "NaT", "2001-02-03"], "datetime64[ns]")}
    write_graph(graph, tmp_path / f"g.{kind}.gz", attributes=table)
    back = read_graph(tmp_path / f"g.{kind}.gz")
    assert back.names_of(np.arange(3)).tolist() == graph.names_of(np.arange(3)).tolist()
    assert (back.to_scipy() != graph.to_scipy()).nnz == 0
    assert back.attributes["cluster"].tolist() == [1, 0, 1]
    np.testing.assert_array_equal(back.attributes["stability"], [1.0, 0.5, np.nan])
    assert back.attributes["city"].tolist() == ["Rome", "Köln", ""]
    assert 'value=""' not in gzip.decompress((tmp_path / f"g.{kind}.gz").read_bytes()).decode()
    assert [text[:10] for text in back.attributes["born"].tolist()] == ["1999-12-31", "", "2001-02-03"]
    write_graph(back, tmp_path / "again.graphml")  # with the attributes that it has
    assert read_graph(tmp_path / "again.graphml").attributes["cluster"].tolist() == [1, 0, 1]
    people = graph.with_nodes({"node": graph.names_of(range(3)), "name": ["x", "y", "z"]})
    write_graph(people, tmp_path / f"g.{kind}", attributes={"node": ["x", "y", "z"]})
    assert read_graph(tmp_path / f"g.{kind}").attributes["node"].tolist() == graph.names_of(range(3)).tolist()
    numbered = Graph.from_edges([0, 1], [1, 2]).with_nodes({"id": [0, 1, 2], "name": ["x", "y", "z"]})
    write_graph(numbered, tmp_path / "g.graphml")  # igraph would take an attribute "id" in place of the names
    back = read_graph(tmp_path / "g.graphml")
    assert (back.node_names.tolist(), back.attributes["node_id"].tolist()) == (["x", "y", "z"], [0, 1, 2])


def test_attributes_that_no_file_can_hold(tmp_path):
    graph = Graph.from_edges([0], [1], node_names=["a", "b"])
    for attributes, name, error, message in (
        ({"cluster": [0]}, "g.gml", ParameterError, "'cluster' has shape"),
        ({"node": ["b", "a"], "cluster": [0, 1]}, "g.gml", ParameterError, "not in the order of the graph's nodes"),
        ({"my name": [0, 1]}, "g.gml", InputError, "GML names attributes by letters, digits and _, not 'my name'"),
        ({"cluster": [0, 1]}, "g.npz", ParameterError, "attributes are for graphml, gexf and gml"),
    ):
        with pytest.raises(error, match=message):
            write_graph(graph, tmp_path / name, attributes=attributes)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.filterwarnings("ignore:.*directed")
def test_names_and_labels_pajek_and_adjacency_lists(tmp_path, write):
    newman = 'Creator "M. N."\ngraph\n[\n node\n [\n id 5\n ]\n node [ id 7 ]\n edge [ source 5 target 7 value 3 ]\n]\n'
    graph = read_graph(write(newman, "renamed.txt"))
    assert (graph.node_names.tolist(), graph.degrees.tolist()) == ([5, 7], [3.0, 3.0])
    nx.write_graphml(nx.path_graph(3), tmp_path / "a.graphml")
    assert read_graph(tmp_path / "a.graphml").node_names is None
    gephi = '<gexf xmlns="http://www.gexf.net/1.3" version="1.3"><graph><nodes>{}</nodes>' \
        '<edges><edge source="a" target="b" weight="2"/></edges></graph></gexf>'  # fmt: skip
    graph = read_graph(write(gephi.format('<node id="a" label="A"/><node id="b" label="B"/>'), "g.gexf"))
    assert graph.node_names.tolist() == ["a", "b"] and graph.degrees.tolist() == [2, 2]
    assert graph.attributes["label"].tolist() == ["A", "B"]
    G = nx.relabel_nodes(nx.path_graph(4), dict(enumerate("abcd")))
    nx.write_pajek(G, tmp_path / "g.net")
    graph = read_graph(tmp_path / "g.net")
    assert graph.node_names.tolist() == list("abcd") and graph.n_edges == 3
    nx.write_adjlist(G, tmp_path / "g.adjlist")
    assert read_graph(tmp_path / "g.adjlist").n_edges == 3
    assert read_graph(write("0 1 2\n1 2\n"), format="adjlist").n_edges == 3


def test_edges_with_dictionaries_as_networkx_writes_them(tmp_path):
    G = nx.karate_club_graph()
    nx.write_edgelist(G, tmp_path / "karate.txt")
    graph = read_graph(tmp_path / "karate.txt")
    expected = nx.to_scipy_sparse_array(G, nodelist=graph.node_names.tolist())
    assert (graph.to_scipy() != expected).nnz == 0
    assert not read_graph(tmp_path / "karate.txt", weight_column=None).is_weighted
    D = nx.DiGraph([("c", "a")])
    D.add_weighted_edges_from([("a", "b", 2.5), ("b", "a", 1.0), ("b", "c", 0.5)])
    nx.write_edgelist(D, tmp_path / "directed.txt")
    with pytest.warns(GraphWarning, match="directed"):
        graph = read_graph(tmp_path / "directed.txt")
    assert graph.node_names.tolist() == ["c", "a", "b"]
    assert graph.to_scipy().toarray().tolist() == [[0, 1, 0.5], [1, 0, 2.5], [0.5, 2.5, 0]]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.txt", "a b {'weight': }\n", "networkx cannot read this networkx file.*networkx.write_edgelist"),
        ("x.gml", "graph [ node [ id 0 ", "networkx cannot read this gml file.*Read_GML"),
        ("x.gml", "graph [ ]", "no nodes"),
        ("x.graphml", "<?xml version='1.0'?><graphml><graph", "networkx cannot read this graphml file.*Read_GraphML"),
        ("x.gexf", "<gexf><graph", "networkx cannot read this gexf file.*from Gephi"),
        ("x.net", "*vertices 2\n1 a\n*edges\n1 x\n", "networkx cannot read this pajek file.*Read_Pajek"),
        ("x.mtx", MTX.format("coordinate real general", "2 2 2\n1 2 1"), "scipy cannot read.*Truncated"),
        ("x.mtx", MTX.format("coordinate real general", "2 3 1\n1 1 1"), "square"),
        ("x.mtx", MTX.format("coordinate real general", "0 0 0"), "empty"),
    ],
)  # fmt: skip
def test_what_libraries_cannot_read_is_one_line(write, name, text, message):
    path = write(text, name)
    with pytest.raises(FormatError, match=message) as caught:
        read_graph(path)
    assert str(caught.value).startswith(f"{path}: ") and "\n" not in str(caught.value)


# -- real files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "n_nodes", "n_edges"),
    [
        pytest.param("com-dblp/dblp.csv.gz", 317_080, 1_049_866, marks=pytest.mark.slow),
        ("email-Eu-core/email-Eu-core.txt", 1_005, 16_706),
        ("karate/karate_club.csv.gz", 34, 78),
        ("newman/football.gml", 115, 613),
        ("lfr/LFR_N10000_ad5_mc50_mu0.1.csv.gz", 10_000, None),
        ("graphs/email.npz", 1_005, 16_064),
    ],
)
@pytest.mark.filterwarnings("ignore:.*directed")
def test_real_files(shared_data, name, n_nodes, n_edges):
    graph = read_graph(shared_data / name)
    assert (graph.n_nodes, graph.weights) == (n_nodes, None)
    assert n_edges in (None, graph.n_edges)
