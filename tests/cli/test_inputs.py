"""Inputs of the command line and its messages: columns of edges, parts of graphs, labels and attributes of nodes."""

import re

import networkx as nx
import pandas as pd
import pytest


@pytest.mark.parametrize("path", ["t.parquet", "t.csv"])
def test_the_columns_of_edges_are_always_told(folder, told, facts_of, path):
    rows = {"ts": [5, 6, 7], "amount": [2.5, 3, 1], "from_acct": [1, 2, 3], "to_acct": [2, 3, 1], "other": [4, 5, 6]}
    if path == "t.parquet":
        pytest.importorskip("pyarrow")
        pd.DataFrame(rows).to_parquet(folder / path)
    else:
        pd.DataFrame(rows).to_csv(folder / path, index=False)
    said = told(f"info {path}")
    assert re.search(r"^columns +from_acct and to_acct \(ends\), no weight$", said.out, re.MULTILINE)
    offered = "columns ts, amount, other not read; pass --weight-column amount if it holds the edges' weights"
    assert f"{path}: {offered} (of sums of money or the like rather their logarithm" in said.err
    said = told(f"info {path} --weight-column amount")
    assert "amount (weight)" in said.out and "not read" not in said.err
    said = told(f"info {path} --columns from_acct,to_account", 2).err
    assert f"{path}: --columns to_account is no column; there are 'ts', 'amount', 'from_acct', 'to_acct', 'oth" in said
    options = "--columns from_acct,other --weight-column none"
    assert facts_of(f"info {path} {options}")["columns"] == {"ends": ["from_acct", "other"], "weight": None}
    assert "(weight)" not in told(f"build {path} t.store {options}").out
    assert "from_acct and other (ends), no weight" in told(f"cluster {path} {options} -k 2 -o x.tsv").out


def test_columns_without_names_are_told(folder, facts_of):
    assert facts_of("info graph.txt")["columns"] == {"ends": [0, 1], "weight": None}
    nx.write_gexf(nx.Graph([("a", "b", {"weight": 2})]), folder / "g.gexf")
    assert facts_of("info g.gexf")["columns"] == {"ends": ["source", "target"], "weight": "weight"}
    assert facts_of("build graph.txt g.store")["columns"] == {"ends": [0, 1], "weight": None}


@pytest.mark.slow
def test_parts_of_a_graph(folder, told, facts_of):
    lines = (folder / "graph.txt").read_text().splitlines(keepends=True)
    (folder / "parts").mkdir()
    for i in range(3):
        (folder / "parts" / f"{i}.txt").write_text("".join(lines[i::3]))
    files = " ".join(f"parts/{i}.txt" for i in range(3))
    told("cluster graph.txt -k 2 -o whole.tsv")
    for given in (files, "parts"):
        assert facts_of(f"info {given}")["edges"] == 7
        said = told(f"cluster {given} -k 2 -o parts.tsv --report p.html --seed 0").out
        assert "2, of sizes 3 3" in said
        assert facts_of("compare whole.tsv parts.tsv")["ari"] == 1
        assert "are the same file" in told(f"cluster {given} -k 2 -o parts/1.txt", 2).err
    assert re.search(r"^input +parts/0.txt and 2 more files$", told(f"info {files}").out, re.MULTILINE)
    assert re.search(r"^input +parts/0.txt and 1 more file$", told("info parts/0.txt parts/1.txt").out, re.MULTILINE)
    told(f"cluster {files} -k 2 -o q.tsv --report q.html")
    assert "Clusters of 0.txt and 2 more" in (folder / "q.html").read_text()
    assert told(f"cluster {files} -k 2").out.rstrip().endswith("0.txt.clusters.tsv")
    assert "--format edgelist is for a single file, and there are 3" in told(f"info {files} --format edgelist", 2).err
    assert "7 edges" in told("convert parts p.npz").out
    assert "several files are parts of one graph" in told(f"cluster {files} --vectors -k 2 -o r.tsv", 2).err


@pytest.fixture
def people(folder):
    G = nx.Graph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 5), (5, 3)])
    for node in G:
        G.nodes[node].update(label=f"Person {node}", age=20 + node, cluster=7)
    nx.write_gexf(G, folder / "g.gexf")
    return G


def test_one_command_keeps_labels_and_attributes(folder, told, people):
    for given, written in (("g.gexf", "out.gexf"), ("out.gexf", "out.graphml"), ("out.graphml", "again.gexf")):
        said = told(f"cluster {given} -k 2 -o {written}").err
        old = r"attributes cluster, .+ of .* have the names" if given != "g.gexf" else "attribute cluster of .*the name"
        assert re.search(rf"^warning: {old}$", said, re.MULTILINE)
    found = nx.read_gexf(folder / "again.gexf").nodes(data=True)
    assert {node: (data["label"], data["age"]) for node, data in found} == {
        str(node): (f"Person {node}", 20 + node) for node in people
    }
    assert {data["cluster"] for _, data in found} == {0, 1}
    said = told("cluster g.gexf -k 2 -o t.tsv --model m.npz").err
    assert "models hold no attributes of nodes: age, cluster, label not saved" in said
    assert "npz files hold no attributes of nodes: age, cluster, label not written" in told("convert g.gexf g.npz").err


@pytest.mark.usefixtures("people")
def test_labels_in_parquet_keep_attributes(folder, told):
    pytest.importorskip("pyarrow")
    told("cluster g.gexf -k 2 -o t.parquet")
    assert pd.read_parquet(folder / "t.parquet")["age"].tolist() == [20, 21, 22, 23, 24, 25]
