"""Edge lists as people write them, against a slow reader written for the tests alone."""

import gzip
import lzma
import re
import warnings

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import FormatError, GraphWarning, ParameterError, build_store, read_graph
from graphcore.files import edge_list


def edges_of(graph):
    """Return the set of (name, name, weight), smaller end first."""
    names = range(graph.n_nodes) if graph.node_names is None else graph.node_names.tolist()
    matrix = graph.to_scipy().tocoo()
    return {
        (*sorted((names[i], names[j])), float(w)) for i, j, w in zip(*matrix.coords, matrix.data, strict=True) if i <= j
    }


# Three edges of the nodes 0, 1, 2 in every dress.
PLAIN = {(0, 1, 1.0), (1, 2, 1.0)}
DRESSES = {
    "blanks": "0 1\n1 2\n",
    "runs of blanks": "  0   1\n1 \t 2   \n",
    "tabs": "0\t1\n1\t2\n",
    "commas and blanks": "0, 1\n1 , 2\n",
    "old Macintosh": "0 1\r1 2\r",
    "byte-order mark and header": "\ufefffrom,to\n0,1\n1,2\n",
    "a second marker far down": "# a\n" + "0 1\n" * 1000 + "% b\n1 2\n",
    "SNAP": "# Undirected graph: x.txt\n# Nodes: 3 Edges: 2\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n",
    "UTF-16": "0 1\n1 2\n".encode("utf-16"),
    "comment not in UTF-8": b"# M\xfcnchen\n0 1\n1 2\n",
    "blank lines": "\n0 1\n\n   \n1 2\n\n",
    "header": "source,target\n0,1\n1,2\n",
    "header behind comments": "# c\n\nid_1,id_2\n0,1\n1,2\n",
    "quoted numbers": '"0","1"\n"1","2"\n',
    "networkx without attributes": "0 1 {}\n1 2 {}\n",
    "blank third column": "0,1,\n1,2,\n",
    "repeated, both directions": "0 1\n1 2\n1 0\n2 1\n0 1\n",
    "KONECT, with count and time": "% sym unweighted\n0 1 1 1289241912\n1 2 1 1289241912\n",
}
# The only warnings in any of them.
REPEATS = {"a second marker far down": ["999"], "repeated, both directions": ["1"]}


@pytest.mark.parametrize("dress", DRESSES)
def test_integer_edges_in_every_dress(write, dress):
    with warnings.catch_warnings(record=True, action="always") as caught:
        graph = read_graph(write(DRESSES[dress]))
    assert [str(warning.message).partition("left out (")[2].partition(";")[0] for warning in caught] == REPEATS.get(
        dress, []
    )
    assert graph.node_names is None
    assert graph.weights is None
    assert edges_of(graph) == PLAIN


@pytest.mark.parametrize("compress", [lambda b: b, gzip.compress, lzma.compress], ids=["plain", "gzip", "xz"])
@pytest.mark.parametrize("name", ["e.txt", "e.csv.gz", "e.bz2"])
def test_compression_is_told_by_content_not_by_name(write, compress, name):
    assert edges_of(read_graph(write(compress(b"0\t1\n1\t2\n"), name))) == PLAIN


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('"Doe, Jane","Roe ""R"" Bo"\n"#hash",plain\n', ["Doe, Jane", 'Roe "R" Bo', "#hash", "plain"]),
        ('"a" "b c" 1.5\n"b c" "d" 2\n', ["a", "b c", "d"]),  # as R writes them
        ("C#,Java\nJava,50%\n", ["C#", "Java", "50%"]),  # markers inside a name are no comment
        ('5" disk\tdrive\ndrive\tbay\n', ['5" disk', "drive", "bay"]),  # inches are no quote
        ("007 12\n12 13\n", ["007", "12", "13"]),
        ("x|1 y|2\ny|2 z|3\n", ["x|1", "y|2", "z|3"]),
    ],
)
def test_quotes_markers_and_zeros_in_names(write, text, names):
    assert read_graph(write(text)).node_names.tolist() == names


@pytest.mark.parametrize(
    "ids",
    [
        [10, 20, 30, 20],
        [0, 1, 2, 3],
        [0, 2**40, 5, 2**62],
        [-(2**63) // 4, 2**61, 3, 4],
        [999_999_999, 5, 999_999_998, 5],
    ],
)
def test_integer_ids_with_gaps(write, ids):
    dense = ids == [0, 1, 2, 3]
    graph = read_graph(write("".join(f"{a} {b}\n" for a, b in [ids[:2], ids[2:]])))
    assert edges_of(graph) == {(*sorted(ids[:2]), 1.0), (*sorted(ids[2:]), 1.0)}
    assert (graph.node_names is None) == dense
    assert dense or (graph.node_names.dtype, graph.node_names.tolist()) == (np.int64, sorted(set(ids)))
    far_down = read_graph(write("0 1\n" * 1000 + f"1 {2**33}\n"))
    assert edges_of(far_down) == {(0, 1, 1.0), (1, 2**33, 1.0)}


# -- options ----------------------------------------------------------------------------------------------------------


def test_overrides(write):
    path = write("9,1,x,0,3\n8,2,y,1,4\n")
    assert edges_of(read_graph(path, columns=(3, 1), weight_column=4)) == {(0, 1, 3.0), (1, 2, 4.0)}
    assert edges_of(read_graph(path, columns=(3, 1), weight_column=None)) == PLAIN
    assert read_graph(write("a b\nb c # said\n"), columns=(0, 1), weight_column=None).n_edges == 2
    assert edges_of(read_graph(write("0|1\n1|2\n"), delimiter="|")) == PLAIN
    assert edges_of(read_graph(write("a 0\tb 1\n"), delimiter="\t", header=False)) == {("a 0", "b 1", 1.0)}
    assert edges_of(read_graph(write("5 6\n0 1\n1 2\n"), header=True)) == PLAIN
    assert edges_of(read_graph(write("from to\nto on\n"), header=False)) == {("from", "to", 1.0), ("on", "to", 1.0)}
    assert edges_of(read_graph(write("// c\n0 1\n1 2\n"), comments="//")) == PLAIN
    assert edges_of(read_graph(write("#a b\n"), comments=())) == {("#a", "b", 1.0)}
    assert read_graph(write("0 1\n"), ids="string").node_names.tolist() == ["0", "1"]
    assert read_graph(write("a,é\n".encode("latin-1")), encoding="latin-1").node_names.tolist() == ["a", "é"]
    assert edges_of(read_graph(write("1 0\n2\t1\n"), delimiter="whitespace")) == PLAIN
    assert edges_of(read_graph(write("0.5 a b\n2 b c\n"), weight_column=0)) == {("a", "b", 0.5), ("b", "c", 2.0)}
    by_name = read_graph(
        write("n,debtor,creditor,sum\n5,a,b,0.5\n6,b,c,2\n"), weight_column="sum"
    )  # n is no end for that
    assert edges_of(by_name) == {("a", "b", 0.5), ("b", "c", 2.0)}
    assert edges_of(read_graph(write("2 1\n2\n1\n", "x.graph"), format="metis")) == {(0, 1, 1.0)}
    assert edges_of(read_graph(write("0 1\n1 2\n", "x.graph"), format="edgelist")) == PLAIN


UNUSABLE = {
    "delimiter": ("ab", 3, "\n"), "columns": ((1, 1), (0,), (0, -1), 5), "weight_column": (-1, "weight"),
    "comments": ([1], "", 5), "encoding": ("klingon", "hex", "undefined", "rot13", 3), "header": (0,),
    "ids": ("float",), "symmetrize": ("median",), "format": ("json",),
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in UNUSABLE.items() for value in values])
def test_options_that_cannot_be_are_named(write, name, value):
    with pytest.raises(ParameterError, match=f"{name}="):
        read_graph(write("0 1 2\n1 2 3\n"), **{name: value})


# -- against a slow reader --------------------------------------------------------------------------------------------

NODES, WEIGHTS = st.integers(0, 30), st.integers(0, 9) | st.floats(0, 1e6).map(lambda w: round(w, 3))
EDGES = st.lists(st.tuples(NODES, NODES, WEIGHTS), min_size=1, max_size=40)


def slow_graph(edges, weighted):
    """Return (ids, dense matrix) by the rules of from_edges: sums in each direction, then the larger of both."""
    ids = sorted({i for a, b, _ in edges for i in (a, b)})
    A = np.zeros((len(ids), len(ids)))
    for a, b, w in edges:
        i, j = ids.index(a), ids.index(b)
        A[i, j] = A[i, j] + w if weighted else 1
    return ids, np.maximum(A, A.T)


@pytest.mark.slow
@given(
    edges=EDGES,
    weighted=st.booleans(),
    delimiter=st.sampled_from(["\t", " ", ",", ";", " \t ", ", "]),
    scale=st.sampled_from([1, 3, 10**7, 10**12]),
    shift=st.sampled_from([0, 1, -4]),
    ending=st.sampled_from(["\n", "\r\n"]),
    comment=st.sampled_from(["", "# c", "% c"]),
)
def test_against_a_slow_reader(tmp_path_factory, edges, weighted, delimiter, scale, shift, ending, comment):
    edges = [(a * scale + shift, b * scale + shift, w) for a, b, w in edges]
    lines = [delimiter.join(map(str, (a, b, w) if weighted else (a, b))) for a, b, w in edges]
    if comment:
        lines.insert(len(lines) // 2, comment)
    path = tmp_path_factory.mktemp("slow") / "edges"
    path.write_bytes((ending.join(lines) + ending).encode())
    ids, A = slow_graph(edges, weighted)
    with warnings.catch_warnings(action="ignore", category=GraphWarning):
        graph = read_graph(path)
    np.testing.assert_allclose(graph.to_scipy().toarray(), A, rtol=1e-12)
    assert (graph.node_names is None) == (ids == list(range(len(ids))))
    if graph.node_names is not None:
        assert graph.node_names.tolist() == ids


# -- what a header and the shape of a table say ------------------------------------------------------------------------

WEIGHTED = {(0, 1, 2.5), (1, 2, 4.0)}


def test_columns_that_are_asked_for_go_by_their_names(write):
    path = write('From;To;"Trips 2020"\na;b;3\nb;c;2\n')
    for columns in ((0, 1), ("From", "to"), (0, "To")):
        found = read_graph(path, columns=columns, weight_column=None)
        assert edges_of(found) == {("a", "b", 1.0), ("b", "c", 1.0)}
    with pytest.raises(ParameterError, match="columns='from who' is no column; there are 'From', 'To', 'Trips 2020'"):
        read_graph(path, columns=("from who", 2))
    graph = read_graph(path, weight_column="trips 2020")
    assert edges_of(graph) == {("a", "b", 3.0), ("b", "c", 2.0)}
    message = f"{path}: weight_column='trips' is no column; there are 'From', 'To', 'Trips 2020'"
    with pytest.raises(ParameterError, match=f"^{re.escape(message)}$"):
        read_graph(path, weight_column="trips")
    with pytest.raises(FormatError, match=r"line 2: column 2 .* holds ''"):  # what is missing makes no header of nodes
        read_graph(write("one,other,weight\nq,z,\na,b,1.0\n"))
    with pytest.raises(ParameterError, match="weight_column='w' names a column, and this file has none"):
        read_graph(write("2 1 1\n2 5\n1 5\n"), format="metis", weight_column="w")
    with pytest.raises(ParameterError, match="weight_column='w' is a name, and the file has no header"):
        read_graph(write("0 1 2.5\n1 2 3.5\n"), weight_column="w")


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ("id,source,target\n1,5,6\n2,6,7\n", {(5, 6, 1.0), (6, 7, 1.0)}),
        (",source,target,weight\n0,a,b,2\n1,b,c,3\n", {("a", "b", 2.0), ("b", "c", 3.0)}),
        ("Id,Source,Target,Type,Weight\n7,a,b,Undirected,2\n8,b,c,Undirected,3\n", {("a", "b", 2.0), ("b", "c", 3.0)}),
        ("count\tto\tfrom\n2\tb\ta\n3\tc\tb\n", {("a", "b", 2.0), ("b", "c", 3.0)}),
        (":START_ID,:END_ID,:TYPE,weight:float\na,b,K,2\nb,c,K,3\n", {("a", "b", 2.0), ("b", "c", 3.0)}),
        ("ts,who,whom,n\n7,a,b,2\n9,b,c,2\n", {("a", "b", 1.0), ("b", "c", 1.0)}),  # a time in front
        ("tx_id,ts,debtor,creditor,n\nt1,7,a,b,2\nt2,9,b,c,2\n", {("a", "b", 1.0), ("b", "c", 1.0)}),  # or between
        ("voter,candidate\n5,6\n6,7\n", {(5, 6, 1.0), (6, 7, 1.0)}),  # no date
        ("2020-09-20 11:01:45,7,12,2.5\n2020-09-20 11:02:01,9,7,3\n", {(7, 12, 2.5), (7, 9, 3.0)}),
        ("1600000001,7,12,2.5\n1600000007,9,7,3\n", {(7, 12, 2.5), (7, 9, 3.0)}),
        ("0,1\na,b\nb,c\n", {("a", "b", 1.0), ("b", "c", 1.0)}),  # pandas' columns without names
        ("0,1,2\na,b,2\nb,c,3\n", {("a", "b", 2.0), ("b", "c", 3.0)}),  # and a weight
        ("gene1 gene2\ngene2 gene3\n", {("gene1", "gene2", 1.0), ("gene2", "gene3", 1.0)}),
        ("1 2 20200101\n2 3 20191231\n", {(1, 2, 20200101.0), (2, 3, 20191231.0)}),
        ("0 1 2.5\n1 2 4\n", WEIGHTED),
        ("Source;Target;Type;Weight\n0;1;Undirected;2.5\n1;2;Undirected;4\n", WEIGHTED),
        ("0,1,2.5,1289241912\n1,2,4,1289241911\n", WEIGHTED),  # SNAP: source, target, rating, time
        ("% sym weighted\n% 2 3 3\n0 1 2.5 1289241912\n1 2 4 1289241912\n", WEIGHTED),  # KONECT
        ("% sym posweighted\n0\t1\t2.5\n1\t2\t4\n", WEIGHTED),
        ("from,to,time,weight\n0,1,7,2.5\n1,2,8,4\n", WEIGHTED),
        ("a;b;1.5\nb;c;2.5\n", {("a", "b", 1.5), ("b", "c", 2.5)}),
        ("a | b | 1.5\nb | c | 2\n", {("a", "b", 1.5), ("b", "c", 2.0)}),
        ('"source","target","weight"\n"1",a,b,1.5\n"2",b,c,2\n', {("a", "b", 1.5), ("b", "c", 2.0)}),
        ("source,target,weight\na,b,1.5,\nb,c,2,\n", {("a", "b", 1.5), ("b", "c", 2.0)}),
    ],
)
@pytest.mark.parametrize("name", ["edges.txt", "edges.csv"])
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
def test_columns_are_found_by_their_names_their_numbers_and_the_marks_between_them(write, text, edges, name):
    assert edges_of(read_graph(write(text, name))) == edges


# Two hundred lines and more, by which the layout is guessed.
NUMBERS = "".join(f"{i} {i + 1}\n" for i in range(250))
NAMES = "".join(f"n{i} n{i + 1}\n" for i in range(250))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (NUMBERS + "007 12\n", r"line 251: column 0 \(counted from 0\) holds '007', which is no 64-bit integer"),
        (NUMBERS + "1.0 2\n", "line 251: .* holds '1.0'"),
        ("src,dst\n1,2.0\n2,\n4,3.0\n", "column 'dst' holds '2.0' and the like, whole numbers"),
        (NAMES + "a b 2.5\n", "line 251: 3 columns, where the first lines have 2"),
        ("a,[0.1 0.2]\nb,[0.3 0.4]\n", "column 1 holds .* lists.*; pass --vectors"),
        ("name,x,y\na,0.5,1.25\nb,2.5,3.5\n", "column 'x' holds '0.5' and the like, fractions"),
        ("0,1,2,id\n0.5,1.25,2,a\n2.5,3.5,4,b\n", "column 0 holds '0' and the like, fractions"),
        ("0: 1 2\n1: 0 2\n2: 0 1\n", "column 0 holds '0:' and the like"),
        ("source,target\n#a,#b\n#b,#c\n", r"there are no edges.*pass comments=\(\)"),
        ("date,who\n7,a\n9,b\n", "only column 'who' may hold nodes.*--columns"),
        (",source,weight,timestamp\n0,7,2,5\n1,9,3,6\n", "only column 'source' may hold nodes"),
        (
            "n,ts,a,b\n101,5,1,2\n102,6,2,3\n",
            r"'n' holds what no .* pass columns=\('a', 'b'\) if .*\('n', 'a'\) if not",
        ),
        ("7,2020-09-20T11:01\n9,2020-09-21T11:01\n", "only column 0 may hold nodes"),
        ("source,target\n7.0,9\n9.0,4\n", "column 'source' holds '7.0' and the like.*ids='string'"),
        ("source,target\n7,7.6561198e+16\n9,1E+05\n", r"column 'target' holds '7.6561198e\+16' and the like"),
        # Files of other kinds, with what reads them.
        ("node,cluster\nann,0\nben,1\n", "table of nodes or of labels"),
        ("source;target;weight\nann;ben;2,5\nben;cem;1,0\n", r"decimal=','"),
        ("1:2\n2:3\n", "delimiter="),
        ("p edge 3 2\ne 1 2\ne 2 3\n", "Read_DIMACS"),
        (nx.to_sparse6_bytes(nx.karate_club_graph(), header=False).decode(), "networkx.read_sparse6"),
        (nx.to_graph6_bytes(nx.path_graph(9)).decode(), "networkx.read_sparse6"),
        ("1 a\n2 b\n#\n1 2\n", "TGF"),
        ("0,1,0\n1,0,1\n0,1,0\n", "square matrix"),
        (",a,b\na,0,1\nb,1,0\n", "square matrix"),
        ("(1, 2)\n(2, 3)\n", "tuples"),
        ("[(1, 2), (2, 3)]", "JSON"),
        ("*node data\nID name\n1 ann\n", "of another program"),
        ("<html></html>", "of which GraphML and GEXF are read, as graphs"),
    ],
)
def test_lines_unlike_the_first_and_lists_of_something_else_are_errors(write, text, said):
    with pytest.raises(FormatError, match=said):
        read_graph(write(text))


@pytest.mark.parametrize(
    ("text", "said", "edges"),
    [
        ("s,t,w\n#a,#b,3\nc,#b,1\n", r"'#a,#b,3' is a comment.*pass comments=\(\)", {("#b", "c", 1.0)}),
        ("a\tb\t2\n%b\tc\t4\n", r"'%b.*is a comment.*\(--comments ''\)", {("a", "b", 2.0)}),
        ("a b 1\nb #c 2\n", None, {("a", "b", 1.0), ("#c", "b", 2.0)}),
        ("a -> b 2\nb -> c 3\n", r"'->'.*the ends are columns \(0, 2\)", {("a", "b", 2.0), ("b", "c", 3.0)}),
        ("a pp b\nb pp c\nc pp a\n", "column 1 holds 'pp'", {("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 1.0)}),
        ("e 1 2\ne 2 3\ne 3 1\n", "column 0 holds 'e'", {(1, 2, 1.0), (2, 3, 1.0), (1, 3, 1.0)}),
        (",a,b\n0,7,8\n1,8,9\n", None, {(7, 8, 1.0), (8, 9, 1.0)}),
        ("timestamp,a,b\n1,7,8\n2,8,9\n", "^[^;]*timestamp not read[^;]*; [^;]*;[^;]*$", {(7, 8, 1.0), (8, 9, 1.0)}),
        ("a hub 1\nb hub 2\nc hub 3\n", None, {("a", "hub", 1.0), ("b", "hub", 2.0), ("c", "hub", 3.0)}),
        ("hub,a,1\nhub,b,2\nhub,c,3\n", None, {("a", "hub", 1.0), ("b", "hub", 2.0), ("c", "hub", 3.0)}),
        ("userId,movieId,rating\n1,1,4\n2,1,3\n", "bipartite", {(1, 1, 4.0), (1, 2, 3.0)}),
        (
            "a,0.5,b\nb,0.25,c\nc,1,a\n",
            r"column 1 holds '0.5'.*columns \(0, 2\)",
            {("a", "b", 0.5), ("b", "c", 0.25), ("a", "c", 1.0)},
        ),
        ("n.name,r.weight,m.name\na,2,b\nb,3,c\n", None, {("a", "b", 2.0), ("b", "c", 3.0)}),
        ("7 a b\n8 b c\n9 c a\n", r"columns \(1, 2\)", {("a", "b", 7.0), ("b", "c", 8.0), ("a", "c", 9.0)}),
        ("9 101 8\n8 102 9\n", r"pass columns=\(0, 2\) if the ends are", {(9, 101, 8.0), (8, 102, 9.0)}),
        (
            "n.name,m.name\na,b\nb,c\nc,d\n",
            r"no other line has \('n.name', 'm.name'\) of the first.*header=True",
            {("m.name", "n.name", 1.0), ("a", "b", 1.0), ("b", "c", 1.0), ("c", "d", 1.0)},
        ),
        (
            "99999 1e+05\n1e+05 100001\n100001 100000\n",
            "'1e\\+05' and '100000'",
            {("1e+05", "99999", 1.0), ("100001", "1e+05", 1.0), ("100000", "100001", 1.0)},
        ),
        ("source,target\na,b\nsource,target\n", "is a header repeated", {("a", "b", 1.0), ("source", "target", 1.0)}),
        ("s,t\n1,2\n2,3\nTotal,2\n", "'Total' among integers", {("1", "2", 1.0), ("2", "3", 1.0), ("2", "Total", 1.0)}),
        ("3 3\n1 2\n2 3\n3 1\n", "seems to count", {(3, 3, 1.0), (1, 2, 1.0), (2, 3, 1.0), (1, 3, 1.0)}),
        ("n,m\na,b\nn,m\nb,a\n", "no other line has", {("m", "n", 1.0), ("a", "b", 1.0)}),
        ("a b\nc d\nd e\nf g\n", None, {("a", "b", 1.0), ("c", "d", 1.0), ("d", "e", 1.0), ("f", "g", 1.0)}),
        ("weight,x,y\n2,a,b\n1,c,d\n", None, {("a", "b", 2.0), ("c", "d", 1.0)}),
        ("1 2 2001\n2 3 1999\n", "column 2 not read", {(1, 2, 1.0), (2, 3, 1.0)}),
    ],
)
def test_doubts_are_said_and_not_settled_in_silence(write, tmp_path, text, said, edges):
    path = write(text)
    for read in (read_graph, lambda path: build_store(path, tmp_path / "g.store")):
        with warnings.catch_warnings(record=True, action="always") as caught:
            graph = read(path)
        assert edges_of(graph) == edges
        messages = " ".join(str(warning.message) for warning in caught)
        assert re.search(said, messages) if said else not messages


def test_repeats_are_told_in_one_line_or_counted(write):
    path = write("a b\na b\nb a\nb c\n")
    said = (
        r"^1 of 2 edges stand in both directions \(symmetrize='max' joins them\), and repeated lines are left out \(1;"
    )
    with pytest.warns(GraphWarning, match=said) as told:
        assert read_graph(path).weights is None
    assert len(told) == 1
    assert edges_of(read_graph(path, count_repeats=True)) == {("a", "b", 2.0), ("b", "c", 1.0)}
    with pytest.raises(ParameterError, match=r"count_repeats=True .*weight_column=None"):
        read_graph(write("a b 2\nb c 1\n"), count_repeats=True)


def test_pieces_make_the_same_graph(write, limits):
    rng = np.random.default_rng(0)
    pairs = rng.integers(0, 50, (400, 2)).tolist()
    for form in ("{} {}", "n{},n{}", "{};{};2.5"):
        lines = [form.format(*pair) for pair in pairs]
        path = write("\n".join(["# c", *lines[:9], "# c", *lines[9:]]))
        whole = read_graph(path, count_repeats=form[-1] != "5")
        limits(edge_list, CHUNK=100)
        assert edges_of(read_graph(path, count_repeats=form[-1] != "5")) == edges_of(whole)
        limits(edge_list, CHUNK=1 << 24)
    limits(edge_list, CHUNK=100)
    with pytest.raises(FormatError, match=r"line 300: .*'x'"):
        read_graph(write("1 2\n" * 299 + "x 2\n"))
