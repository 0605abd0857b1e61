"""Matrix Market, METIS, NumPy archives, GraphML and GML."""

import gzip

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

from graphcore import FormatError, GraphWarning, read_graph
from graphcore.files import metis
from tests.oracles import dense

PATH = np.array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]], dtype=float)
WEIGHTED = PATH * np.array([[1, 2, 1, 1], [2, 1, 0.5, 1], [1, 0.5, 1, 1], [1, 1, 1, 1]])


# -- Matrix Market -----------------------------------------------------------------------------------------------------


def test_matrix_market(write):
    head = "%%MatrixMarket matrix coordinate pattern "
    graph = read_graph(write(head + "symmetric\n% c\n4 4 2\n2 1\n3 2\n", "renamed.txt"))
    assert graph.weights is None
    np.testing.assert_array_equal(dense(graph), PATH)
    twice = write(head + "general\n4 4 6\n1 2\n1 2\n2 1\n2 3\n3 2\n3 2\n", "a.mtx")
    np.testing.assert_array_equal(dense(read_graph(twice)), PATH)  # repeats of a pattern are one edge
    path = write("%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 4\n3 2 5\n", "a.mtx")
    with pytest.warns(GraphWarning, match="directed"):
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

SIZES = "7 11 100\n9 5 3 2\n9 1 3 4\n9 5 4 2 1\n9 2 3 6 7\n9 1 3 6\n9 5 4 7\n9 6 4\n"


def manual_matrix(weighted):
    (i, j), A = np.array(MANUAL).T - 1, np.zeros((7, 7))
    A[i, j] = A[j, i] = [1, 2, 1, 2, 1, 2, 3, 2, 5, 2, 6] if weighted else 1
    return A


@pytest.mark.parametrize(
    ("text", "weighted"),
    [(PLAIN, False), (EDGE_WEIGHTS, True), (BOTH_WEIGHTS, True), (THREE_CONSTRAINTS, False), (SIZES, False)],
)
@pytest.mark.parametrize("block", [1, 7, 1 << 22])
@pytest.mark.filterwarnings("ignore:.*node weights")
def test_metis_manual(write, limits, text, weighted, block):
    limits(metis, _BLOCK=block)
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
@pytest.mark.parametrize("compressed", [True, False])
def test_npz_of_scipy(tmp_path, layout, compressed):
    path = tmp_path / "a.npz"
    sp.save_npz(path, getattr(sp, layout)(WEIGHTED), compressed=compressed)
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


# -- GraphML and GML ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("compress", [bytes, gzip.compress])
def test_graphml(tmp_path, write, compress):
    G = nx.Graph([("Anna", "Ben", {"weight": 2.5}), ("Ben", "Chloé", {"weight": 1.0})])
    G.add_node("Dora")
    nx.write_graphml(G, tmp_path / "a.graphml")
    graph = read_graph(write(compress((tmp_path / "a.graphml").read_bytes()), "renamed"))
    assert graph.node_names.tolist() == ["Anna", "Ben", "Chloé", "Dora"]
    assert graph.degrees.tolist() == [2.5, 3.5, 1.0, 0.0]
    assert read_graph(tmp_path / "a.graphml", weight_column=None).weights is None


MTX = "%%MatrixMarket matrix {}\n{}\n"
LAPLACIAN = "1 1 1\n2 2 2\n3 3 1\n2 1 -1\n3 2 -1\n"


@pytest.mark.parametrize(
    ("text", "loops", "message"),
    [
        (MTX.format("coordinate real symmetric", "3 3 5\n" + LAPLACIAN), True, "must not be negative"),
        (MTX.format("coordinate integer symmetric", "3 3 3\n2 1 -2\n3 2 1\n3 1 0"), False, "must not be negative"),
        (MTX.format("coordinate real general", "3 3 4\n1 2 nan\n2 1 inf\n3 2 1\n2 3 1e400"), False, "must be finite"),
        (MTX.format("coordinate real skew-symmetric", "3 3 2\n2 1 1\n3 2 2"), False, "weight_column=None"),
        (MTX.format("coordinate complex hermitian", "3 3 3\n2 1 0 1\n3 2 2 -1\n3 1 0 0"), False, "weight_column=None"),
        (MTX.format("coordinate complex general", "3 3 3\n2 1 1 1\n3 2 2 -1\n2 1 -1 -1"), False, "weight_column=None"),
        (MTX.format("array real general", "3 3\n1\n-1\n0\n-1\n2\n-1\n0\n-1\n1"), True, "negative or not finite"),
        (MTX.format("array real skew-symmetric", "3 3\n-1\n0\n2"), False, "weight_column=None"),
        (MTX.format("array complex hermitian", "3 3\n0 0\n1 2\n0 0\n0 0\n0 1\n0 0"), False, "weight_column=None"),
        ("3 2 1\n2 -1\n1 -1 3 2.5\n2 2.5\n", False, "is no integer"),
        ("3 2 1\n2 -1\n1 -1 3 2\n2 2\n", False, "weight_column=None"),
        ("3 2 11\n5 2 nan\n7 1 nan 3 1e9\n0.5 2 1e9\n", False, "is no integer"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*directed|.*node weights")
def test_weights_that_are_left_out_may_be_any_numbers(write, text, loops, message):
    path = write(text, "a.mtx" if text.startswith("%") else "a.graph")
    graph = read_graph(path, weight_column=None)
    np.testing.assert_array_equal(dense(graph), PATH[:3, :3] + np.eye(3) * loops)
    assert graph.weights is None
    with pytest.raises(FormatError, match=message):
        read_graph(path)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.graph", "2 1 1\n2.5 1\n1 1\n", r"neighbour 2\.5 is named, which is no integer"),
        ("a.graph", "2 1 1\n2 -1\n1 x\n", "line of node 2 has 'x', which is no number"),
        ("a.mtx", MTX.format("coordinate real general", "2 2 1\n1 2 x"), "cannot be read.*'x'"),
        ("a.mtx", MTX.format("coordinate complex general", "2 2 1\n1 2 1"), "Truncated|cannot be read"),
        ("a.mtx", MTX.format("array real skew-symmetric", "3 3\n1\n2\n3\n4"), "promises 3 entries"),
    ],
)  # fmt: skip
def test_numbers_that_are_left_out_must_be_numbers(write, name, text, message):
    with pytest.raises(FormatError, match=message):
        read_graph(write(text, name), weight_column=None)


def test_gml_and_ids_that_are_numbers(tmp_path, write):
    nx.write_gml(nx.relabel_nodes(nx.path_graph(3), {0: "a", 1: "b", 2: "c"}), tmp_path / "a.gml")
    assert read_graph(tmp_path / "a.gml").node_names.tolist() == ["a", "b", "c"]
    newman = (
        'Creator "M. N."\ngraph\n[\n  node\n [\n id 5\n ]\n node [ id 7 ]\n edge [ source 5 target 7 value 3 ]\n]\n'
    )
    graph = read_graph(write(newman, "renamed.txt"))
    assert graph.node_names.tolist() == [5, 7]
    assert graph.degrees.tolist() == [3.0, 3.0]
    assert read_graph(write(newman, "b.gml"), weight_column=None).weights is None
    named = newman.replace("value", "trust")
    assert read_graph(write(named, "c.gml")).weights is None
    assert read_graph(write(named, "c.gml"), weight_column="trust").degrees.tolist() == [3.0, 3.0]
    nx.write_graphml(nx.path_graph(3), tmp_path / "a.graphml")
    assert read_graph(tmp_path / "a.graphml").node_names is None
    nx.write_graphml(nx.path_graph([10, 20, 30]), tmp_path / "b.graphml")
    assert read_graph(tmp_path / "b.graphml").node_names.tolist() == [10, 20, 30]


# -- real files --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "n_nodes", "n_edges"),
    [
        ("com-dblp/dblp.csv.gz", 317_080, 1_049_866),
        ("email-Eu-core/email-Eu-core.txt", 1_005, 16_706),
        ("har/har_knn10_edges.txt", 10_299, 75_868),
        ("karate/karate_club.csv.gz", 34, 78),
        ("musae/facebook_edges.csv", 22_470, 171_002),
        ("polblogs/csv_pol_blogs.csv", 1_222, 16_714),
        ("newman/football.gml", 115, 613),
        ("lfr/LFR_N10000_ad5_mc50_mu0.1.csv.gz", 10_000, None),
        ("graphs/dblp.npz", 317_080, 1_049_866),
        ("graphs/email.npz", 1_005, 16_064),
    ],
)
@pytest.mark.filterwarnings("ignore:.*directed")
def test_real_files(shared_data, name, n_nodes, n_edges):
    graph = read_graph(shared_data / name)
    assert (graph.n_nodes, graph.weights) == (n_nodes, None)
    assert n_edges in (None, graph.n_edges)
