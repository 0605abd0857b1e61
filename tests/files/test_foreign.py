"""Files of other programs that would pass for a list of edges: read rightly, or refused with a remedy."""

import importlib.util
import re
import warnings

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import graphcore
from graphcore import FormatError, Graph, GraphWarning, ParameterError, read_graph
from graphcore.cli.app import app
from graphcore.graphs.rows import SYMMETRIZE

KARATE = nx.karate_club_graph()
MATRIX = nx.to_numpy_array(nx.path_graph(4), dtype=int)


def by_lines(rows, mark):
    return "".join(mark.join(map(str, row)) + "\n" for row in rows)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("*node data\nID name\n1 ann\n2 ben\n*tie data\nfrom to strength\n1 2 3\n", r"VNA.*\*tie data"),
        ("*Node properties\nID x\n1 0\n*Tie data\nfrom to\n1 1\n", "VNA"),
        ("nodedef>name VARCHAR,label VARCHAR\na,A\nb,B\nedgedef>node1 VARCHAR,node2 VARCHAR\na,b\n", "GDF.*Gephi"),
        ("#header section\nLEDA.GRAPH\nstring\nint\n-2\n2\n|{a}|\n|{b}|\n1\n1 2 0 |{4}|\n", r"networkx\.read_leda"),
        (">>graph6<<DQc\n", r"networkx\.read_graph6"),
        (">>sparse6<<:Fa@x^\n", r"networkx\.read_sparse6"),
        (":Fa@x^\n:Fa@x^\n", "sparse6"),
        ("(tlp \"2.3\"\n(nodes 0..2)\n(edge 0 0 1)\n)\n", "Tulip"),
        ("33D32945 STP File, STP Format Version 1.0\nSECTION Graph\nNodes 2\nEdges 1\nE 1 2 3\nEND\nEOF\n", "SteinLib"),
        ("+1 1:0.5 3:1\n-1 2:1 3:0.25\n", "load_svmlight_file"),
        ("2 qid:1 1:0.5 3:1 # a\n", "load_svmlight_file"),
        ("1 2:0.5 3:1\n2 1:0.5\n3 1:1\n", "one edge a line"),
        ("<http://x.org/a> <http://x.org/knows> <http://x.org/b> .\n", "RDF"),
        ("@prefix x: <http://x.org/> .\nx:a x:knows x:b .\n", "RDF"),
        ("WeightedAdjacencyGraph\n3\n2\n0\n1\n2\n1\n2\n5\n6\n", "Ligra"),
        ("% c\n@RELATION iris\n\n@ATTRIBUTE x NUMERIC\n@DATA\n1\n", "loadarff"),
        ("c a formula\np cnf 3 2\n1 -3 0\n2 3 -1 0\n", "CNF"),
        ("c coordinates\np aux sp co 2\nv 1 -73 41\nv 2 -74 41\n", "coordinates"),
        ("graph TD\n  a-->b\n  b-->c\n", "Mermaid"),
        ("(a,(b,c));\n", "Newick"),
        ("1 Anna Berg\n2 Ben\n3\n#\n1 2 knows\n2 3\n", "TGF.*behind the #"),
        ("1\n2\n3\n# \n1 2\n2 3", "TGF"),
        ("dl n=3\nformat = edgelist1\ndata:\n1 2\n2 3\n", r"UCINET.*igraph\.Graph\.Read_DL"),
        ("DL\nN = 2\ndata:\n0 1\n1 0\n", "UCINET"),
        ("graph G {\na -- b;\n}\n", "Graphviz.*gv2gml"),
        ("/* c\n */ // d\nstrict digraph \"my graph\" {\n a -> b\n}\n", "Graphviz"),
        ("digraph{a->b}\n", "Graphviz"),
    ],
)  # fmt: skip
def test_other_programs_are_named(write, text, message):
    with pytest.raises(FormatError, match=message + ".*or pass format='edgelist' if its lines are edges"):
        read_graph(write(text))


@pytest.mark.parametrize(
    "text", ["graph b\nb c\n", "dl n\nn m\n", "*a *b\n*b *c\n", "digraph,x\nx,y\n", "0 1 2\n1 2 3\n2 3 4\n",
             "1 2\n1 3\n2 3\n", "0 1 5\n1 0 5\n2 1 5\n", "a b 1\nb c 2",
             "1 2\n2 3\n#\n3 1\n", "1 2 0.5\n2 3 1\n3 1 1\n#\n1 3 2\n", "1 5\n2 6\n#\n1 2\n", "a b\nb c\nc a\n#\na c\n",
             ":a :b\n:b :c\n", "1 2:3\n2 4:5\n", "graph td\ntd x\n", "(0,1) (1,2)\n(1,2) (2,3)\n", "leda b\nb c\n",
             "p q 1\nq r 2\n", "c d\ne f\n", "p edge 4 5\nq edge 1 2\n", "c x\np sp 3 4\nx a 1 2\n",
             "*vertices b\nb c\n", "*arcs_of b\nb c\n", "@a @b\n@relation @c\n"],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*not read")
def test_nodes_may_be_called_so_and_short_lists_of_edges_are_no_matrices(write, text):
    assert read_graph(write(text)).n_edges >= 2


@pytest.mark.parametrize(("name", "text"), [("a.g6", "DQc\n"), ("a.hgr", "2 3\n1 2\n1 2 3\n"), ("a.s6", ":Fa@x^\n")])
def test_other_programs_are_named_by_their_endings(write, name, text):
    with pytest.raises(FormatError, match=r"(read_graph6|hypergraph|read_sparse6).*format='edgelist'"):
        read_graph(write(text, name))


def test_libraries_read_what_the_message_says(tmp_path):
    igraph = pytest.importorskip("igraph")
    (tmp_path / "k.dl").write_text("dl n=3\nformat = edgelist1\ndata:\n1 2\n2 3\n")
    assert Graph.from_igraph(igraph.Graph.Read_DL(str(tmp_path / "k.dl"))).n_edges == 2
    (tmp_path / "k.lgr").write_text("LEDA.GRAPH\nstring\nint\n-2\n2\n|{a}|\n|{b}|\n1\n1 2 0 |{4}|\n")
    assert Graph.from_networkx(nx.read_leda(tmp_path / "k.lgr")).n_edges == 1


@pytest.mark.parametrize("mark", [",", "\t", " ", ";"])
@pytest.mark.parametrize("names", [None, "abcd", range(4)])
def test_adjacency_matrices_are_no_edges(write, mark, names):
    rows = MATRIX.tolist()
    if names is not None:
        rows = [["" if mark != " " else "node", *names], *([name, *row] for name, row in zip(names, rows, strict=True))]
    path = write(by_lines(rows, mark))
    with pytest.raises(FormatError, match=r"looks like an adjacency matrix.*Graph\.from_scipy.*format='edgelist'"):
        read_graph(path)
    assert "--format edgelist" in CliRunner().invoke(app, ["info", str(path)]).output
    if names is None:
        matrix = np.loadtxt(path, delimiter=None if mark == " " else mark)
    else:
        matrix = pytest.importorskip("pandas").read_csv(path, index_col=0, sep=mark)
    assert Graph.from_scipy(matrix).n_edges == 3
    if names is None or names == "abcd":
        with pytest.warns(GraphWarning, match="not read"):
            assert read_graph(path, format="edgelist").n_nodes > 0


def test_directed_and_large_matrices_are_seen(write):
    directed = [["", "a", "b", "c"], ["a", 0, 1, 0], ["b", 0, 0, 1], ["c", 0, 0, 0]]
    n = 300
    large = np.random.default_rng(0).integers(0, 2, (n, n))
    large = np.triu(large, 1) + np.triu(large, 1).T
    named = [["", *(f"n{i}" for i in range(n))], *([f"n{i}", *row] for i, row in enumerate(large.tolist()))]
    for rows in (directed, large.tolist(), named):
        with pytest.raises(FormatError, match="adjacency matrix"):
            read_graph(write(by_lines(rows, ",")))


def test_adjacency_lists_are_read(tmp_path, write):
    nx.write_adjlist(KARATE, tmp_path / "k.adjlist")
    expected = Graph.from_networkx(KARATE, weight=None)
    graph = read_graph(tmp_path / "k.adjlist")
    assert (graph.n_edges, sorted(graph.names_of(np.arange(34)).tolist())) == (78, list(range(34)))
    assert sorted(graph.degrees.tolist()) == sorted(expected.degrees.tolist())
    path = write("0 1 2\n1 2\n2 3 4 5 6\n")
    assert read_graph(path, format="adjlist").n_edges == 7
    with pytest.warns(GraphWarning, match="each line is a node and its neighbours, pass format='adjlist'"):
        read_graph(path)


# -- weights -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["a,b,2\nb,c,\n", "source,target,weight\na,b,1\nb,c,NA\n", "a\tb\t1\nb\tc\t-\n"])
def test_a_missing_weight_is_not_a_missing_column(write, text):
    with pytest.raises(FormatError, match=r"line \d: column 2 .*weights must be numbers \(weight_column"):
        read_graph(write(text))
    assert not read_graph(write(text), weight_column=None).is_weighted


@pytest.mark.parametrize("name", ["x.csv", "x.txt"])
@pytest.mark.parametrize(
    "text", ["a;b;1,5\nb;c;2,5\n", "source;target;weight\na;b;1,5\nb;c;2,2\n", "0 1 1,5\n1 2 ,5\n"]
)
def test_decimal_commas_are_named(write, text, name):
    with pytest.raises(FormatError, match=r"column 2 .*read with a decimal point, not a comma"):
        read_graph(write(text, name))
    assert read_graph(write(text.replace(",", "."), name)).is_weighted


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('source,target,weight\na,b,12\nb,c,"$1,200.50"\n', "line 3: column 2 (counted from 0) holds '$1,200.50'"),
        ('source,target,weight\na,b,€ 3\nb,c,"-$1,200.50"\n', "line 2: column 2 (counted from 0) holds '€ 3'"),
        ("source;target;weight\na;b;1.200,50 €\n", "line 2: column 2 (counted from 0) holds '1.200,50 €'"),
        ("source;target;weight\na;b;3\nb;c;1'200\n", 'line 3: column 2 (counted from 0) holds "1\'200"'),
        ("a,b,3\nb,c,$1200.50\n", "line 2: column 2 (counted from 0) holds '$1200.50'"),
    ],
)
def test_money_is_named_with_its_line_and_how_to_write_it(write, text, where):
    with pytest.raises(FormatError, match=re.escape(where) + ", and weights are plain numbers, as 1200.50"):
        read_graph(write(text, "x.csv"))
    assert not read_graph(write(text, "x.csv"), weight_column=None).is_weighted


@pytest.mark.parametrize("field", ["01.02.2024", "1.2.3", "3 pm", "$", "555.100.1000", "192.168.100.100"])
def test_what_is_no_amount_is_no_weight(write, field):
    with pytest.warns(GraphWarning, match="column 2 not read"):
        assert not read_graph(write(f"a;b;{field}\nb;c;{field}\n", "x.csv")).is_weighted


REPEATS = {
    "a b\na b\nb c\n": "1 line repeats an edge and is left out; pass count_repeats=True", "a b\nb c\nc a\n": None,
    "a b\nb a\na b\nb c\nb c\nc b\nb c\n": "3 lines repeat an edge and are left out",
    "a a\na a\na b\nb a\n": "1 line repeats",
    "a b\nb a\nb c\nc b\n": None, "1 2\n2 3\n1 2\n1 2\n": "2 lines repeat", "1 2\n2 1\n2 3\n": None,
    "1 2 .5\n1 2 .5\n": None,
}  # fmt: skip


@pytest.mark.parametrize("text", REPEATS)
def test_repeats_that_count_once_are_told(write, tmp_path, text):
    """Both directions of an edge are no repeat."""
    paths, expected = [write(text)], REPEATS[text]
    if importlib.util.find_spec("pyarrow"):
        rows = [line.split() for line in text.splitlines()]
        table = pd.DataFrame(rows, columns=["source", "target", "weight"][: len(rows[0])])
        table.astype({"weight": float} if "weight" in table else {}).to_parquet(tmp_path / "x.parquet")
        paths.append(tmp_path / "x.parquet")
    for path in paths:
        for options in (
            *({"symmetrize": policy} for policy in SYMMETRIZE if policy != "error"),
            {"weight_column": None}, {"count_repeats": True},
        ):  # fmt: skip
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                read_graph(path, **options)
            said = [str(warning.message) for warning in caught if "left out" in str(warning.message)]
            silent = expected is None or "weight_column" in options or "count_repeats" in options
            assert len(said) == (not silent) and all(expected in each for each in said)


def test_repeats_are_told_of_two_kinds_of_nodes_and_by_the_command(write):
    path = write("a b\na b\nb c\n")
    with pytest.warns(GraphWarning, match="1 line repeats"):
        read_graph(path, bipartite=True)
    done = CliRunner().invoke(app, ["info", str(path)])
    assert "pass --count-repeats to have an edge weigh" in done.output and "or --weight-column none" in done.output


def test_repeats_are_counted_if_that_is_asked_for(write, tmp_path):
    path, counts = write("a b\na b\nb a\nb c\n"), [2.0, 2.0, 1.0, 1.0]
    with pytest.warns(GraphWarning, match="is directed"):
        graph = read_graph(path, count_repeats=True)
    assert (graph.weights.tolist(), read_graph(path).weights) == ([2.0, 2.0, 1.0, 1.0], None)
    with pytest.raises(ParameterError, match="count_repeats=2 must be True or False"):
        read_graph(path, count_repeats=2)
    done = CliRunner().invoke(app, ["convert", str(path), str(tmp_path / "g.npz"), "--count-repeats"])
    assert (done.exit_code, read_graph(tmp_path / "g.npz").weights.tolist()) == (0, counts)
    table = {"source": list("aabb"), "target": list("bbac")}
    assert Graph.from_table(table, count_repeats=True, warn=False).weights.tolist() == counts
    assert Graph.from_table(table | {"weight": [1, 1, 1, 3]}, count_repeats=True, warn=False).weights[-1] == 3
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    pandas.DataFrame(table).to_parquet(tmp_path / "t.parquet")
    with pytest.warns(GraphWarning, match="is directed"):
        assert graphcore.read_graph(tmp_path / "t.parquet", count_repeats=True).weights.tolist() == counts
