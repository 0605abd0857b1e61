"""The command line's options: checked before the input is read, named as they are typed, and where labels go."""

import gzip
import importlib.util
import json
import os
import re
import shlex

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import graphcore
from graphcore.base.validation import refused
from graphcore.cli.app import app
from graphcore.cli.console import in_options
from graphcore.cluster.refine.objectives import OBJECTIVES
from tests.cli.test_cli import TRIANGLES, blobs, messages, read_labels

LABELS = "graph.txt.clusters.tsv"


# -- where labels go ---------------------------------------------------------------------------------------------------


def test_without_an_output_labels_go_to_the_current_folder_and_json_says_where(folder, monkeypatch, facts_of):
    (folder / "work").mkdir()
    monkeypatch.chdir(folder / "work")
    assert facts_of("cluster ../graph.txt -k 2")["output"] == LABELS
    assert os.listdir() == [LABELS]
    assert list(read_labels(folder / "work" / LABELS)) == ["a", "b", "c", "x", "y", "z"]


def test_a_file_that_was_not_named_is_never_replaced(folder, told):
    (folder / LABELS).write_text("by hand")
    message = told("cluster graph.txt -k 2", 2).err
    assert f"{LABELS}: is there already; -o {LABELS} replaces it" in message
    assert (folder / LABELS).read_text() == "by hand"
    told(f"cluster graph.txt -k 2 -o {LABELS}")
    assert len(read_labels(folder / LABELS)) == 6


def test_labels_of_standard_input_go_to_standard_output(folder, feed, told, facts_of):
    feed(TRIANGLES.encode())
    said = told("cluster - -k 2")
    assert [line.split("\t")[0] for line in said.out.splitlines()] == ["a", "b", "c", "x", "y", "z"]
    assert re.search("^labels +standard output$", said.err, re.MULTILINE)
    feed(TRIANGLES.encode())
    assert facts_of("cluster - -k 2")["output"] == "standard-input.clusters.tsv"
    assert len(read_labels(folder / "standard-input.clusters.tsv")) == 6


# -- before the input is read ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", ["cluster missing.txt -k 2", "report missing.txt labels.tsv -o page.html"])
def test_a_report_without_matplotlib_says_so_first(folder, monkeypatch, command, told):
    (folder / "labels.tsv").write_text("")
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "matplotlib" else found(name, *more)
    )
    report = ["--report", "page.html"] if command.startswith("cluster") else []
    first, second = messages(told([*command.split(), *report], 2).err)
    assert "no pictures" in first and "pip install matplotlib (or '.[plot]'" in first
    assert "missing.txt" in second


# -- clusters for other programs, and the tree -------------------------------------------------------------------------


def test_clusters_go_to_other_programs_by_the_ending(folder, told):
    assert re.search(
        "^k +2, chosen by resolution$", told("cluster graph.txt --resolution 100 -o c.tsv").out, re.MULTILINE
    )
    labels = {name: int(label) for name, label in read_labels(folder / "c.tsv").items()}
    for ending, reader in {"graphml": nx.read_graphml, "gexf": nx.read_gexf, "gml": nx.read_gml}.items():
        told(f"cluster graph.txt --resolution 100 -o c.{ending} --quiet")
        G = reader(folder / f"c.{ending}")
        assert dict(G.nodes(data="cluster")) == labels and G.number_of_edges() == 7
        assert set(dict(G.nodes(data="stability")).values()) == {1.0}
    pytest.importorskip("pyarrow")
    told("cluster graph.txt -k 2 -o c.parquet --quiet")
    table = pd.read_parquet("c.parquet")
    assert dict(zip(table.node, table.cluster, strict=True)) == labels


def test_the_tree_is_written_beside_the_labels(folder, told):
    assert re.search(r"^tree +tree\.csv$", told("cluster graph.txt -k 2 --tree tree.csv").out, re.MULTILINE)
    assert pd.read_csv("tree.csv")["size"].max() == 6
    said = told("cluster graph.txt -k 2 -o c.tsv --tree -")
    assert sorted(re.findall("[a-z]", said.out)) == ["a", "b", "c", "x", "y", "z"] and said.out.endswith(";\n")
    assert "clusters" in said.err
    assert "-o - and --tree - both want standard output" in told("cluster graph.txt -k 2 -o - --tree -", 2).err


# -- options that do nothing -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("cluster graph.txt -k 2 --metric cosine", "--metric does nothing here"),
        ("cluster graph.txt -k 2 --metric cosine --neighbors 5", "--neighbors, --metric do nothing here"),
        ("cluster X.npy -k 2 --delimiter ';'", "--delimiter does nothing here"),
        ("cluster graph.txt -k 2 -o labels.npy --spreadsheet", "--spreadsheet does nothing here"),
        ("cluster X.npy -k 2 --neighbors 60", "--neighbors 60 was reduced to 59"),
        ("cluster graph.txt -k 2", None),
        ("cluster X.npy -k 2 --metric cosine --neighbors 4", None),
        ("cluster graph.txt -k 2 --published --sampling degree --eigen-solver exact --coreset-size 4", None),
        ("compare x.tsv x.tsv --weight-column 2", "--weight-column does nothing here: for the file of --graph"),
        ("info g.npz --delimiter ';' --columns 3,4 --ids string --count-repeats",
         "--delimiter ';', --columns 3,4, --ids string, --count-repeats do nothing here: this is a npz file"),
        ("info g.store --symmetrize min", "--symmetrize min does nothing here: this is a store file"),
        ("info graph.txt --delimiter ' ' --ids string --symmetrize min", None),
    ],
)  # fmt: skip
def test_options_that_do_nothing_are_named_and_no_others(folder, command, named, told):
    np.save("X.npy", blobs())
    (folder / "x.tsv").write_text("a\t0\nb\t1\n")
    for name in ("g.npz", "g.store"):
        graphcore.write_graph(graphcore.read_graph("graph.txt"), name)
    captured = told([*shlex.split(command), "--json"])
    for lines in (messages(captured.err), json.loads(captured.out)["warnings"]):
        assert any((named or "nothing") in line for line in lines) == bool(named)


# -- words -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "spelled"),
    [
        ("n_clusters=0 must be at least 1", "-k 0 must be at least 1"),
        ("any_size=True allows it", "--any-size allows it"),
        ("effort and time_limit are for a search", "--effort and --time-limit are for a search"),
        ("effort and labels are words", "effort and labels are words"),
        ("pass columns= for others, or metric=", "pass --columns for others, or --metric"),
        ("see the stability of the labels, or give n_clusters", "see the stability of the labels, or give -k K"),
        ("weight_column=None, (columns=1)", "--weight-column none, (--columns 1)"),
        ("delimiter='; ' or objective='ncut'", "--delimiter '; ' or --objective ncut"),
        ("random_state=7 and the sampling of my_n_clusters=2", "--seed 7 and the sampling of my_n_clusters=2"),
    ],
)
def test_messages_name_options(message, spelled):
    params, error = app.commands["cluster"].params, refused("columns", (0, 5), "is wrong")
    assert in_options(message, params) == spelled
    assert (error.name, error.value) == ("columns", (0, 5))
    assert in_options(str(error), params, error.name, error.value) == "--columns 0,5 is wrong"


@pytest.mark.parametrize(("limit", "end"), [("1e-9", "; another would have ended after"), ("600", ", before")])
def test_the_summary_says_whether_a_limit_ended_the_search(folder, told, limit, end):
    said = told(f"cluster graph.txt -k 2 -o l.tsv --time-limit {limit}").out
    assert re.search(rf"^drafts +\d+ in \d+\.\d\d seconds{end} the limit of {float(limit):g}$", said, re.MULTILINE)
    assert "\ndrafts " not in told("cluster graph.txt -k 2 -o l.tsv").out


def test_a_graph_whose_clusters_depend_on_the_seed_gets_a_verdict(folder, told):
    nx.write_edgelist(nx.gnm_random_graph(400, 1600, seed=1), "graph.txt", data=False)
    verdict = re.search(r"^verdict +(.*)$", told("cluster graph.txt -k 40 -o -").err, re.MULTILINE)[1]
    unsure, filled = map(int, re.match(r"(\d+) of (\d+) clusters", verdict).groups())
    assert unsure > filled / 2
    assert "with the seed" in verdict
    assert "-k auto" in verdict


@pytest.mark.slow
def test_demo_is_ahead_of_scikit_learn_in_seconds_agreement_and_normalised_cut(told, facts_of):
    facts = facts_of("demo")
    for name in ("digits", "network"):
        ours, ncut, theirs = facts[name]["methods"]
        assert ours["ari"] > theirs["ari"]
        assert ncut["normalized_cut"] < theirs["normalized_cut"]
        assert [ours["method"], ncut["method"]] == ["graphcore", 'graphcore, objective="ncut"']
    assert ours["seconds"] < theirs["seconds"] / 3
    found = told("demo --seed 1")
    assert found.out.count("scikit-learn SpectralClustering") == 2
    assert "warning" not in found.err.lower()


@pytest.mark.slow
def test_demo_draws_a_picture(folder, told):
    assert told("demo --picture digits.png").out.splitlines()[-1].split() == ["picture", "digits.png"]
    assert (folder / "digits.png").read_bytes().startswith(b"\x89PNG")
    for wrong in ("digits.jpeg", "-", "nowhere/digits.png"):
        assert wrong.split("/")[0] in told(f"demo --picture {wrong}", 2).err
    assert [path.name for path in folder.iterdir() if "digits" in path.name] == ["digits.png"]


# -- what is known of nodes --------------------------------------------------------------------------------------------


def test_files_of_what_is_known_of_nodes(folder, told):
    (folder / "known.tsv").write_text("a\t1\n")
    told("cluster graph.txt -k 2 -o l.tsv --labels known.tsv")
    labels = read_labels(folder / "l.tsv")
    assert labels["a"] == labels["b"] == "1" and labels["x"] == "0"
    told("cluster graph.txt -k 2 -o m.tsv --initial-labels l.tsv --membership p.tsv")
    assert read_labels(folder / "m.tsv") == labels
    rows = [line.split("\t") for line in (folder / "p.tsv").read_text().splitlines()]
    sums = {name: sum(float(p) for other, _, p in rows if other == name) for name in labels}
    assert all(abs(total - 1) < 0.01 for total in sums.values())
    assert all(cluster in "01" for _, cluster, _ in rows)
    (folder / "weights.tsv").write_text("a\t2.5\nx\t0\n")
    said = told("cluster graph.txt -k 2 -o n.tsv --node-weights weights.tsv --membership p.npz")
    assert "isolated" in said.err
    assert read_labels(folder / "n.tsv")["x"] == "-1"
    assert sp.load_npz(folder / "p.npz").shape == (6, 2)


@pytest.mark.slow
def test_nodes_beside_edges(folder, feed, told, facts_of):
    people = ["id,name,age", *(f'{x},"{x}, of {i}",{20 + i}' for i, x in enumerate("zyxqcba"))]
    (folder / "people.csv").write_text("\n".join(people))
    assert facts_of("info graph.txt --nodes people.csv")["isolated"] == 1
    said = told("cluster graph.txt --nodes people.csv -k 2 -o c.gexf --report p.html --model m.npz")
    assert re.search("^graph +7 nodes, .* 1 isolated", said.out, re.MULTILINE)
    G = nx.read_gexf(folder / "c.gexf")
    assert list(G)[3] == "q, of 3" and (G.nodes["q, of 3"]["cluster"], G.nodes["q, of 3"]["age"]) == (-1, 23)
    assert G.nodes["a, of 6"]["id"] == "a"
    assert "a, of 6" in (folder / "p.html").read_text()
    told("cluster graph.txt --nodes people.csv -k 2 -o c.csv")
    names = list(graphcore.load("m.npz").graph_.node_names)
    assert [line.rpartition(",")[0].strip('"') for line in (folder / "c.csv").read_text().splitlines()[1:]] == names
    (folder / "new.txt").write_text("q a\n")
    for command in (
        "report graph.txt c.csv -o q.html --no-pictures", "compare c.csv c.csv --graph graph.txt",
        "convert graph.txt g.graphml", "convert graph.txt g.npz", "update m.npz new.txt -o u.csv",
        "build graph.txt g.store",
    ):  # fmt: skip
        told(f"{command} --nodes people.csv")
    assert nx.read_graphml(folder / "g.graphml").nodes["b, of 5"]["age"] == 25
    told("cluster g.store -k 2 -o s.csv")
    assert (folder / "s.csv").read_text() == (folder / "c.csv").read_text()
    np.save(folder / "X.npy", blobs())
    (folder / "rows.txt").write_text("".join(f"row {i}\n" for i in range(60)))
    told("cluster X.npy --nodes rows.txt -k 2 -o x.tsv")
    assert "row 59" in read_labels(folder / "x.tsv")
    said = told("cluster X.npy --nodes people.csv -k 2 -o y.tsv", 2).err
    assert "people.csv: vectors are numbered from 0 and keep their order" in said
    feed("\n".join(people).encode())
    told("info graph.txt --nodes -")


def bad_files(folder):
    (folder / "rubbish.txt").write_bytes(bytes(range(256)) * 20)
    whole = gzip.compress("".join(f"{i} {i + 1}\n" for i in range(5000)).encode())
    (folder / "cut.txt.gz").write_bytes(whole[: len(whole) // 2])
    (folder / "short.txt").write_text("1 2\n2 3\n4\n")
    (folder / "nan.csv").write_text("source,target,weight\n1,2,1.0\n2,3,nan\n")
    (folder / "empty.txt").write_text("")
    sp.save_npz(folder / "isolated.npz", sp.csr_array((4, 4)))
    np.save(folder / "nan.npy", np.array([[0.0, 1], [np.nan, 2], [1, 1]]))
    np.save(folder / "flat.npy", np.arange(5.0))
    np.save(folder / "one.npy", np.ones((1, 3)))
    np.save(folder / "ends.npy", np.array([[0, 1, 2, 3], [1, 2, 3, 0]]))
    np.save(folder / "square.npy", 1.0 - np.eye(5))
    (folder / "commas.csv").write_text("1;2;1,5\n2;3;0,5\n3;1;2,5\n")
    (folder / "gap.csv").write_text("1,2,1\n2,3,\n3,1,2\n")
    (folder / "columns.csv").write_text("id,first name\n" + "".join(f"{name},N\n" for name in "abcxyz"))
    texts = {
        "wrong": "y\t2\n", "words": "a\tred\nb\tred\nc\t-1\nx\tred\ny\t2\nz\t2\n", "others": "q\t1\n",
        "nothing": "a\t-1\n", "alone": "0\n1\n", "empty": "",
    }  # fmt: skip
    for name, text in texts.items():
        (folder / f"{name}.tsv").write_text(text)
    np.save("X.npy", np.eye(20))


REFUSED = {
    "cluster graph.txt -k 2": {
        "--labels wrong.tsv": "labels that stay go up to 2; with -k 2 they run from 0 to 1",
        "--labels words.tsv": "words.tsv: labels that number clusters must be integers",
        "--labels others.tsv": "the file and the graph have no node in common",
        "--initial-labels nothing.tsv": "--initial-labels give no node with an edge a label",
        "--node-weights words.tsv": "words.tsv: weights of nodes are numbers",
        "--node-weights wrong.tsv --labels - --initial-labels -": "only one of the files can be standard input",
        "--membership - --json": "--json and --membership - both want standard output",
        "--membership nowhere/p.tsv": "nowhere",
        "--max-share 0.5": "--max-share 0.5 must be at least 1",
        "--max-cluster-size 2": "--max-cluster-size 2 is too small: 2 clusters",
        "--max-share 1.1 --published": "--max-share 1.1 is for moves of nodes, and --published makes none",
        "--report page.pdf": "page.pdf: a report is an HTML page; call it page.html",
        "-o labels.xlsx": "labels.xlsx: labels are written as text (.tsv, .csv), .npy",
        "-o labels.npz": "labels.npz: labels are written as text (.tsv, .csv), .npy",
        "-o labels.parquet.gz": "labels.parquet.gz: labels are written as text (.tsv, .csv), .npy",
        "--membership p.parquet": "p.parquet: memberships are written as text (.tsv, .csv) or .npz",
        "--membership p.orc": "p.orc: memberships are written as text (.tsv, .csv) or .npz",
        "--nodes columns.csv -o c.gml": "attribute 'first name': GML knows only names",
        "--effort hihg": "choose one of 'fast', 'default', 'high', 'best', or a number",
        "--min-cluster-size few": "--min-cluster-size few must be an integer",
        "--seed x": "'x' is not a valid integer.",
    },
    "report graph.txt words.tsv": {"-o page.PNG": "call it page.html"},
    "report graph.txt others.tsv": {"-o page.html": "'q'"},
    "compare words.tsv": {"graph.txt": "node 'c' has two labels", "others.tsv": "no node in common"},
    "compare nothing.tsv": {"wrong.tsv": "have no node in common", "nothing.tsv": "no node is left"},
    "compare alone.tsv": {"words.tsv": "has 2 labels", "empty.tsv": "empty"},
    "cluster missing.txt -k 2": {  # before it is read
        "--objective cut": "--objective cut is not known",
        "--effort most": "--effort most is not known",
        "--published --time-limit 3": "--time-limit 3 is for moves of nodes, and --published makes none",
        "--effort 0.5": "--effort 0.5 must be at least 1",
        "--coreset-size 1.5": "--coreset-size 1.5 must be at most 1",
        "--published-option eps=1": "No such option",
        "--random-state 3": "No such option '--random-state'. Did you mean --seed?",
        "--picture x.png": "No such option '--picture'. Did you mean --report? Write a page (HTML) with pictures",
        "--min-cluster-size 1.5": "--min-cluster-size 1.5 must be at most 1",
        "--metric taxi": "--metric taxi",
        "--neighbors 0": "--neighbors 0",
        "--format doc": "--format doc",
        "--symmetrize no": "--symmetrize no",
        "--jobs 0": "--jobs 0",
        "-o nowhere/labels.tsv": "nowhere",
        "--report nowhere/page.html": "nowhere",
        "--report page.html --truth nowhere.tsv": "nowhere.tsv",
        "--tree nowhere/tree.nwk": "nowhere",
        "--tree tree.xml": "'.xml' of 'tree.xml'",
        "--labels nope.tsv": "nope.tsv: No such file",
        "--resolution 3": "-k and --resolution both say how many clusters",
    },
    "cluster missing.txt": {
        "": "Missing option '-k'", "--resolution 0.5": "--resolution 0.5 must be at least 1",
        "-k 0": "-k 0 must be at least 1",
        "-k auto --sampling luck": "--sampling luck is not known",
        "-k 9 --coreset-size 8": "--coreset-size 8 is less than -k 9",
    },
    "cluster": {
        "missing.txt -k 2": "missing.txt",
        ". -k 2": "folder|directory",
        "cut.txt.gz -k 2": "cut.txt.gz",
        "rubbish.txt -k 2": "rubbish.txt",
        "short.txt -k 2": "line 3",
        "nan.csv -k 2": "finite|nan",
        "empty.txt -k 2": "empty|no edges",
        "isolated.npz -k 1": "all 4 nodes are isolated",
        "nan.npy -k 2": "NaN|finite",
        "flat.npy -k 2": r"shape \(5,\)",
        "one.npy -k 1": "at least two",
        "square.npy -k 1": "adjacency matrices.*for points --vectors",
        "commas.csv -k 2": "decimal point.*--weight-column none",
        "gap.csv -k 2": "numbers.*--weight-column none that there are none",
        "graph.txt -k 7": "-k 7 must be at most 6",
        "graph.txt -k 2.5": "-k 2.5 must be an integer",
        "graph.txt -k few": "-k 'few' is neither an integer nor auto",
        "graph.txt": "'-k'",
        "graph.txt -k 3 --coreset-size 9": "--coreset-size 9 must be at most 6 ",
        "graph.txt -k 3 --coreset-size big": "--coreset-size big is not known",
        "graph.txt -k 2 --columns 1": "--columns.*such as 0,1",
        "graph.txt -k 2 --nodes graph.txt --encoding foo": "--encoding foo is not known to Python",
        "graph.txt -k 2 --labels graph.txt --encoding foo": "--encoding foo is not known to Python",
        "ends.npy -k 2": "two rows of integers are edges .*say --vectors",
        "graph.txt -k 2 --columns 1,1": "--columns 1,1 must be the two different",
        "graph.txt -k 2 --columns 0,5 --weight-column none": "column 5 (counted from 0)",
        "graph.txt -k 2 --seed -1": "'--seed'.*-1",
        "graph.txt -k 2 --clever": "--clever",
        "graph.txt -k 2 --json -o -": "standard output",
        "graph.txt --levels 3,2": r"\[3, 2\].*ascending",
    },
    "knn X.npy g.npz": {
        "--metric taxi": "taxi", "--mode all": "--mode all is not known", "-n 0": "-n 0 must be at least 1",
    },
    "knn": {
        "missing.npy g.npz": "missing.npy", "X.npy nowhere/g.npz": "output", "X.npy - --json": "standard output",
        "missing.npy g.doc": "'.doc'", "missing.npy g.npz --to doc": "--to doc is not known",  # before the work
    },
    "info graph.txt": {
        "--nodes none.csv": "none.csv: No such file", "--nodes empty.tsv": "empty.tsv: the file is empty",
        "--nodes wrong.tsv": "wrong.tsv: node 'a' of the edges is none of the 1 nodes of the table; add a row",
    },
    "info": {
        "https://snap.example/edges.txt.gz": "addresses are not read; download the file", "": "Missing argument",
        "missing.txt": "missing.txt",
    },
    "": {"swim": "No such command 'swim'", "cluster": "Missing"},
    "convert": {"graph.txt": "Missing argument", "missing.txt nowhere/g.npz": "output", "missing.txt .": "output"},
    "build": {
        "graph.txt": "Missing argument 'INPUT...'", "graph.txt g.npz": "called NAME.store",
        "none.txt g.graph": "none.txt: No such file",
        "graph.txt g.graph --memory much": "--memory much is no size",
        "graph.txt g.graph --symmetrize x": "--symmetrize x is not known",
    },
    "check": {"graph.txt": "a graph on disk is a folder", "none.graph": "none.graph: No such file"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "said"), [(f"{command} {rest}", said) for command in REFUSED for rest, said in REFUSED[command].items()]
)
def test_what_cannot_be_used_is_one_line_that_names_it_and_leaves_nothing(folder, typed, said, told):
    bad_files(folder)
    before = sorted(os.listdir())
    captured = told(typed, 2)
    (message,) = messages(captured.err)
    assert message.startswith("graphcore: ") and (said in message or re.search(said, message)), message
    assert captured.out == ""
    assert sorted(os.listdir()) == before


def test_remedies_are_options_of_the_command(folder, told):
    """Parameters that a message of the library recommends are options of the command line."""
    (folder / "latin.csv").write_bytes("source,target\nMüller,Zürich\n".encode("latin-1"))
    (folder / "mixed.txt").write_text("".join(f"{i} {i + 1}\n" for i in range(20)) + "3 x\n")
    for file, remedy in (("latin.csv", "--encoding latin-1"), ("mixed.txt", "--ids string")):
        assert remedy in told(f"info {file}", 2).err
        assert "nodes" in told(f"info {file} {remedy}").out
    (folder / "classes.tsv").write_bytes("Müller\t0\nZürich\t1\n".encode("latin-1"))
    report = "report latin.csv classes.tsv --truth classes.tsv -o page.html --no-pictures"
    for command in (report, "compare classes.tsv classes.tsv"):
        assert "nothing here" not in told(f"{command} --encoding latin-1").err
    (folder / "vectors.csv").write_bytes("größe,höhe\n1,2\n3,4\n5,6\n".encode("latin-1"))
    told("info vectors.csv --vectors --neighbors 1")
    (folder / "tabs.txt").write_text("a b\tc\nc\ta b\n")
    told(r"info tabs.txt --delimiter \t")


def test_help_has_every_option_once_under_a_heading_and_names_all_formats(told):
    text = told("cluster --help").out
    options = [p.opts[-1] for p in app.commands["cluster"].params if p.opts[0].startswith("-")]
    assert len(options) > 30
    found = {
        option: len(re.findall(rf"^  (-\w, )?(--\w+, )?{option}(?![\w-])", text, re.MULTILINE))
        for option in (*options, "--help")
    }
    assert {option: n for option, n in found.items() if n != 1} == {}
    headings = re.findall(r"^([A-Z][\w ]+):$", text, re.MULTILINE)
    assert headings == [*app.commands["cluster"].headings, "Examples"]
    from graphcore.files import WRITABLE

    said = " ".join(told("convert --help").out.split())
    assert f"The formats of OUT are {', '.join(WRITABLE[:-1])} and {WRITABLE[-1]};" in said


def test_help_of_k_names_the_objectives_that_need_none(told):
    text = " ".join(told("cluster --help").out.split())
    names = [name for name, each in OBJECTIVES.items() if each.resolution is not None]
    assert f"Required, unless --resolution or --objective {' or '.join(names)} is given." in text
