"""Inputs as R, pandas, Spark, Neo4j, scanpy, Gephi and embeddings have them: the right value of each, or a message."""

import warnings

import numpy as np
import pytest

from graphcore import FormatError, Graph, GraphWarning, InputError, read_graph
from graphcore.cli.vectors import read_rows
from graphcore.files import read_labels, read_nodes

AB = {("ann", "ben", 2.0), ("ben", "cem", 1.0)}


def edges_of(graph):
    rows = graph.to_scipy().tocoo()
    names = graph.names_of(np.arange(graph.n_nodes)).tolist()
    return {
        (*sorted((str(names[i]), str(names[j]))), float(w))
        for i, j, w in zip(rows.row, rows.col, rows.data, strict=True)
    }


def put(folder, text, name="x.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "edges"),
    [
        ('"from" "to" "weight"\n"1" "ann" "ben" 2\n"2" "ben" "cem" 1\n', AB),  # row names of R
        ('"V1","V2","V3"\n"ann","ben",2\n"ben","cem",1\n', AB),
        (":START_ID,:END_ID,:TYPE,weight:float\nann,ben,K,2\nben,cem,K,1\n", AB),
        ("~id,~from,~to,weight:Double\ne1,ann,ben,2\ne2,ben,cem,1\n", AB),
        ("date,sender,receiver,value (EUR)\nd1,ann,ben,2\nd2,ben,cem,1\n", AB),
        ("date,sender,receiver,amount (EUR)\nd1,ann,ben,2\nd2,ben,cem,1\n", {(*ends, 1.0) for *ends, _ in AB}),
        ("id,node_a,node_b,score\n0,ann,ben,2\n1,ben,cem,1\n", AB),
        ("source,target,0\nann,ben,2\nben,cem,1\n", AB),
        ("protein1,protein2,combined_score\nann,ben,2\nben,cem,1\n", AB),
        ("#id\tSymbol Interactor A\tSymbol Interactor B\tScore\n1\tann\tben\t2\n2\tben\tcem\t1\n", AB),
        ("0,1,2\n1,2,0.5\n2,3,1.5\n", {("1", "2", 0.5), ("2", "3", 1.5)}),
        ("gene1 gene2\ngene2 gene3\n", {("gene1", "gene2", 1.0), ("gene2", "gene3", 1.0)}),
        ("(0,1) (1,2)\n(1,2) (2,3)\n", {("(0,1)", "(1,2)", 1.0), ("(1,2)", "(2,3)", 1.0)}),
        ("1 2 1082040961.25\n2 3 1082155839.5\n", {("1", "2", 1.0), ("2", "3", 1.0)}),
        ("1 2 20200101\n2 3 20191231\n", {("1", "2", 1.0), ("2", "3", 1.0)}),
    ],
)
def test_edges(tmp_path, text, edges):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)
        assert edges_of(read_graph(put(tmp_path, text, "x.txt"))) == edges


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("(1, 2)\n(2, 3)\n", "remove the marks that are no part of the names"),
        ("1 2;\n2 3;\n", "format='edgelist'|lists of numbers"),
        ("'ann','ben'\n'ben','cem'\n", "remove the marks"),
        ("node,cluster\nann,0\nben,1\n", "table of nodes or of labels"),
        ("Id,Label,class\n1,ann,0\n2,ben,1\n", "table of nodes or of labels"),
        (",ben,ann,cem\nann,2,0,0\nben,0,2,1\ncem,1,0,0\n", "adjacency matrix"),
        ("v 1 A\nv 2 B\ne 1 2\n", "save those of edges"),
        ("source;target;weight\nann;ben;2,5\nben;cem;1,0\n", r"decimal=','"),
        ("1:2\n2:3\n", "pass delimiter="),
    ],
)
def test_refused_edges(tmp_path, text, said):
    with pytest.raises(FormatError, match=said):
        read_graph(put(tmp_path, text, "x.txt"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("4 3\n0 1\n1 2\n2 3\n", "pass header=True"),
        ("3 3 2\n1 2 0.5\n2 3 0.25\n", "pass header=True"),
        ("0,1,2\n1,2,5\n2,3,6\n", "if it counts columns"),
        ("source,target\nx,1.0\ny,1\n", "write the names alike"),
        ("when,who,whom\nd1,ann,ben\nd2,ben,cem\n4,5,6\n", "not read"),
    ],
)
def test_told_of_edges(tmp_path, text, said):
    with pytest.warns(GraphWarning, match=said):
        read_graph(put(tmp_path, text, "x.txt"))


def test_sizes_are_told_of_stores(tmp_path):
    from graphcore import build_store

    with pytest.warns(GraphWarning, match="pass header=True"):
        build_store(put(tmp_path, "4 3\n0 1\n1 2\n2 3\n", "x.txt"), tmp_path / "x.store")


def test_columns_called_by_name_are_those_of_a_header(tmp_path):
    graph = read_graph(put(tmp_path, "date,a,b\nd1,x,y\nd2,y,z\n"), columns=("a", "b"), weight_column=None)
    assert edges_of(graph) == {("x", "y", 1.0), ("y", "z", 1.0)}


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Id,Label,timeset,modularity_class\nann,A,,0\nben,B,,0\ncem,C,,1\n", [0, 0, 1]),
        (",n_genes,leiden\nann,200,0\nben,300,0\ncem,100,1\n", [0, 0, 1]),
        ('"x"\n"ann" 0\n"ben" 0\n"cem" 1\n', [0, 0, 1]),
        ("node,cluster\nann,0.0\nben,0.0\ncem,1.0\n", [0, 0, 1]),
        ("node,cluster\nann,a\nben,\ncem,NaN\n", ["a", "-1", "-1"]),
        ("0,1\nann,0\nben,0\ncem,1\n", [0, 0, 1]),
        ("sep=;\nnode;cluster\nann;0\nben;0\ncem;1\n", [0, 0, 1]),
        ("ann|0\nben|0\ncem|1\n", [0, 0, 1]),
        ("*Vertices 3\n0\n0\n1\n", [0, 0, 1]),
        ("ann 0 0.5\nben 0 0.25\ncem 1 0.125\n", [0, 0, 1]),
    ],
)
def test_labels(tmp_path, text, labels):
    graph = Graph.from_edges([0, 1], [1, 2], node_names=["ann", "ben", "cem"])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)
        assert read_labels(put(tmp_path, text), graph).tolist() == labels


def test_labels_in_parquet_and_of_nodes_as_floats(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"node": ["b", "a"], "cluster": [0, None]}), tmp_path / "l.parquet")
    graph = Graph.from_edges([0], [1], node_names=["a", "b"])
    assert read_labels(tmp_path / "l.parquet", graph).tolist() == [-1, 0]
    path = put(tmp_path, "node,cluster\n0.0,0\n1.0,1\n")
    assert read_labels(path, Graph.from_edges([0], [1])).tolist() == [0, 1]


@pytest.mark.parametrize(
    "text",
    [
        '"id" "name"\n"1" 7 "ann"\n"2" 3 "ben"\n', "id:ID,name,:LABEL\n7,ann,P\n3,ben,P\n",
        "sep=;\nid;name\n7;ann\n3;ben\n",
        "0,1\n7,ann\n3,ben\n", "id|name\n7|ann\n3|ben\n", "movieId,title\n7,ann\n3,ben\n",
    ],
)  # fmt: skip
def test_nodes(tmp_path, text):
    table = read_nodes(put(tmp_path, text))
    assert table.ids.tolist() == [7, 3] and table.names.tolist() == ["ann", "ben"]


@pytest.mark.parametrize(
    "lines",
    [
        ['"V1" "V2"', '"1" 0.5 1.5', '"2" 2.5 3.5', '"3" 4.5 5.5'],
        ["x,y", "AAC,0.5,1.5", "AAG,2.5,3.5", "AAT,4.5,5.5"],
        ["3 2", "1 0.5 1.5", "2 2.5 3.5", "3 4.5 5.5"],
        ['" 0.5 1.5', "# 2.5 3.5", "a 4.5 5.5"],
        ["sep=;", "x;y", "0.5;1.5", "2.5;3.5", "4.5;5.5"],
        ["x|y", "0.5|1.5", "2.5|3.5", "4.5|5.5"],
        ["x,y,", "0.5,1.5,", "2.5,3.5,", "4.5,5.5,"],
        ["customerId,x,y", "9,0.5,1.5", "4,2.5,3.5", "6,4.5,5.5"],
        ["x,y,class", "0.5,1.5,0", "2.5,3.5,1", "4.5,5.5,1"],
    ],
)
def test_vectors(tmp_path, lines):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)
        found = read_rows(str(put(tmp_path, "\n".join(lines) + "\n")))[0]
    assert found.tolist() == [[0.5, 1.5], [2.5, 3.5], [4.5, 5.5]]


@pytest.mark.parametrize(("weight", "wrong"), [(None, "missing values"), (-1.0, "negative"), (np.inf, "not finite")])
@pytest.mark.parametrize("n_rows", [2, 100])
def test_a_row_of_parquet_that_is_wrong_is_named(tmp_path, monkeypatch, weight, wrong, n_rows):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    columns = {"source": [0, 1, 2, 3], "target": [1, 2, 3, 4], "weight": [1.0, 2.0, 3.0, weight]}
    parquet.write_table(arrow.table(columns), tmp_path / "x.parquet")
    monkeypatch.setattr("graphcore.files.parquet._ROWS", n_rows)  # that are read at once
    with pytest.raises(FormatError, match=rf"column weight has .*{wrong}.*, first in row 3 \(counted from 0\)"):
        read_graph(tmp_path / "x.parquet")


def test_parquet(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"

    def edges(**columns):
        parquet.write_table(arrow.table(columns), path)
        return edges_of(read_graph(path))

    assert edges(source=[1.0, 2.0], target=[2.0, 3.0]) == {("1", "2", 1.0), ("2", "3", 1.0)}
    for wrong in ({"source": [True], "target": [False]}, {"node": ["a"], "cluster": [1]}):
        with pytest.raises(FormatError, match=r"integers or text|table of nodes"):
            edges(**wrong)
    with pytest.warns(GraphWarning, match="missing values are written"):
        edges(source=["nan", "a"], target=["a", "b"])
    with pytest.warns(GraphWarning, match="two kinds of nodes"):
        edges(userId=[1, 2], movieId=[1, 3])
    parquet.write_table(arrow.table({"x": [0.5, None], "y": [1.0, 2.0]}), path)
    with pytest.raises(InputError, match=r"column 'x' has missing values, first in row 1 \(counted from 0\)"):
        read_rows(str(path))[0]
