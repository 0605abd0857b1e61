"""The other commands, and what all share: files, errors, words, help."""

import json
import os
import re
import shlex
import sys

import click
import networkx as nx
import numpy as np
import pytest
from sklearn import metrics

import graphcore
from graphcore.base.colors import color_of, components
from graphcore.base.progress import note
from graphcore.cli.app import app, run
from graphcore.cli.console import Console, in_options

from ..report.page import Page
from .test_cluster import messages

TWO = "a\t0\nb\t0\nc\t0\nx\t1\ny\t1\nz\t1\n"


@pytest.fixture
def folder(folder):
    """The folder with the clusters of its graph."""
    (folder / "labels.tsv").write_text(TWO)
    return folder


# -- info and convert --------------------------------------------------------------------------------------------------


def test_info(folder, told, facts_of):
    printed = told("info graph.txt").out
    for words in ("6 nodes", "7 edges", "unweighted", "1 component", "2 (min)", "3 (max)", "6 nodes in the largest"):
        assert words in printed
    assert told("info graph.txt --metric cosine --quiet") == ("", "")
    facts = facts_of("info graph.txt")
    assert facts["degrees"] == {"min": 2.0, "median": 2.0, "mean": pytest.approx(14 / 6), "max": 3.0}
    assert facts["largest_component"] == 6 and facts["columns"] == {"ends": [0, 1], "weight": None}


def test_columns_and_repeats_of_an_edge_list(folder, told, facts_of):
    (folder / "table.csv").write_text("5,1,a,b,9\n7,2,b,c,9\n")
    for column, expected in (("1", ["a,b,1.0", "b,c,2.0"]), ("none", ["a,b", "b,c"])):
        said = told(f"convert table.csv - --to csv --columns 2,3 --weight-column {column}")
        assert said.out.splitlines()[-2:] == expected
    (folder / "t.csv").write_text("ts,amount,from_acct,to_acct\n5,2.5,1,2\n6,3,2,3\n7,1,3,1\n")
    said = told("info t.csv")
    assert re.search(r"^columns +from_acct and to_acct \(ends\), no weight$", said.out, re.MULTILINE)
    assert "amount (weight)" in told("info t.csv --weight-column amount").out
    assert "--columns x is no column" in told("info t.csv --columns from_acct,x", 2).err
    (folder / "w.csv").write_text("source,target,weight\na,b,1\na,b,2\nb,a,3\nb,c,0\nc,d,2\nd,d,1\nd,d,4\n")
    for typed in ("info w.csv", "info w.csv --symmetrize min", "convert w.csv w.store --memory 2G"):
        assert facts_of(typed)["repeats"] == 3
    assert "weight (weight); 3 lines repeated or of weight 0" in told("info w.csv").out
    assert "repeats" not in facts_of("info graph.txt")
    (folder / "bad.csv").write_text("a,b\nb\nb,c\n")
    assert facts_of("convert bad.csv bad.npz --on-bad-lines skip")["lines_left_out"] == 1


def test_a_graph_on_disk_is_built_verified_and_clustered(folder, told, facts_of):
    facts = facts_of("convert graph.txt g.store --memory 2G")
    assert (facts["nodes"], facts["edges"], facts["output"]) == (6, 7, "g.store")
    assert "verified" in told("info g.store --verify").out
    said = told("info graph.txt --verify")
    assert "verified" not in said.out and "--verify does nothing here: for graphs on disk" in said.err
    assert "verified" not in told("info graph.txt graph.txt --verify").out
    told("convert graph.txt h.store")
    assert facts_of("convert graph.txt graph.txt i.store --memory 2G --count-repeats")["weighted"]
    np.testing.assert_array_equal(graphcore.open_graph("h.store").indices, graphcore.open_graph("g.store").indices)
    for source in ("g.store", "graph.txt"):
        told(f"cluster {source} -k 2 -o {source}.tsv")
    assert (folder / "g.store.tsv").read_text() == (folder / "graph.txt.tsv").read_text()
    said = told("convert graph.txt graph.txt g.store --memory 2G --encoding latin-1 --symmetrize sum", 2).err
    assert "--encoding latin-1 is for a graph that fits in memory: leave it out, or --memory" in said
    (folder / "h.store" / "notes.txt").write_text("mine")
    assert "h.store also holds 'notes.txt'" in told("convert graph.txt h.store", 2).err
    (folder / "h.store" / "notes.txt").unlink()
    array = np.load("h.store/indices.npy")
    array[0] = 5
    np.save("h.store/indices.npy", array)
    assert "h.store: the columns of row 0 are not in ascending order" in told("info h.store --verify", 2).err
    for typed, said in (
        ("g.npz --memory 2G", "--memory 2G is for building"), ("g.store --memory 4", "--memory 4 is no size with a"),
        ("g.store --memory 2M", "--memory 2M is too little"), ("h.store g.store --memory 2G", "is a graph on disk"),
        ("g.store --memory 2G --nodes graph.txt", "--nodes graph.txt is for a graph that fits in memory"),
    ):  # fmt: skip
        assert said in told(f"convert graph.txt {typed}", 2).err
    (folder / "nodes.txt").write_text("\n".join("abcdefxyz"))
    said = told("info g.store --nodes nodes.txt", 2).err
    assert "leave out rows of nodes without an edge, or store a graph that has them with graphcore convert --no" in said
    told("convert graph.txt i.store --nodes nodes.txt")
    assert "3 isolated" in told("info i.store --nodes nodes.txt").out


def test_convert_makes_the_graph_of_neighbours_that_cluster_makes(folder, told, facts_of):
    X = np.random.default_rng(0).normal(size=(60, 3))
    np.savetxt("X.csv", X, delimiter=",")
    facts = facts_of("convert X.csv knn.npz --vectors --neighbors 4 --seed 7 --metric cosine")
    graph = graphcore.read_graph("knn.npz")
    assert (facts["nodes"], facts["edges"]) == (60, graph.n_edges)
    assert (graph.to_scipy() != graphcore.knn_graph(X, 4, metric="cosine", random_state=7).to_scipy()).nnz == 0
    for source in ("X.csv --vectors --neighbors 4 --metric cosine", "knn.npz"):
        told(f"cluster {source} -k 3 --seed 7 -o {source[:3]}.npy")
    np.testing.assert_array_equal(np.load("X.c.npy"), np.load("knn.npy"))


@pytest.mark.slow
def test_parts_of_a_graph_and_nodes_beside_edges(folder, feed, told, facts_of):
    lines = (folder / "graph.txt").read_text().splitlines(keepends=True)
    (folder / "parts").mkdir()
    for i in range(3):
        (folder / "parts" / f"{i}.txt").write_text("".join(lines[i::3]))
    for given in ("parts/0.txt parts/1.txt parts/2.txt", "parts"):
        assert facts_of(f"info {given}")["edges"] == 7
        told(f"cluster {given} -k 2 -o parts.tsv")
        assert facts_of("compare labels.tsv parts.tsv")["ari"] == 1
        assert "are the same file" in told(f"cluster {given} -k 2 -o parts/1.txt", 2).err
    for made in ("cluster parts -k 2 -o parts/new.tsv", "convert parts parts/g.store --memory 2G"):
        assert "one lies in the other" in told(made, 2).err
    people = ["id,name,age", *(f'{x},"{x}, of {i}",{20 + i}' for i, x in enumerate("zyxqcba"))]
    (folder / "people.csv").write_text("\n".join(people))
    assert facts_of("info graph.txt --nodes people.csv")["isolated"] == 1
    told("cluster graph.txt --nodes people.csv -k 2 -o c.gexf")
    G = nx.read_gexf(folder / "c.gexf")
    assert (G.nodes["q"]["cluster"], G.nodes["q"]["age"], G.nodes["a"]["label"]) == (-1, 23, "a, of 6")
    seen = re.findall(r'viz:color r="(\d+)" g="(\d+)" b="(\d+)"', (folder / "c.gexf").read_text())
    assert {tuple(map(int, each)) for each in seen} == {components(color_of(c)) for c in (-1, 0, 1)}
    feed("\n".join(people).encode())
    told("info graph.txt --nodes -")


# -- compare and report ------------------------------------------------------------------------------------------------


def test_compare_matches_nodes_by_name_leaves_out_others_and_is_scikit_learns(folder, facts_of, told):
    (folder / "truth.csv").write_text("z,left\nx,left\ny,left\nb,right\na,right\nc,right\n")
    facts = facts_of("compare labels.tsv truth.csv --graph graph.txt")
    assert (facts["ari"], facts["n_compared"], facts["n_clusters"], facts["n_other"]) == (1, 6, 2, 2)
    assert facts["normalized_cut"] == facts["normalized_cut_other"] == pytest.approx(1 / 7)
    assert facts["modularity"] == facts["modularity_other"] == pytest.approx(6 / 7 - 1 / 2)
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 5, 200), rng.integers(0, 3, 200)
    graphcore.write_labels(first, "a.tsv")
    np.savetxt("b.txt", second, fmt="%d")  # labels alone, in the same order
    facts = facts_of("compare a.tsv b.txt")
    assert facts["ari"] == pytest.approx(metrics.adjusted_rand_score(first, second))
    assert facts["homogeneity"] == pytest.approx(metrics.homogeneity_score(second, first))
    (folder / "other.tsv").write_text("a\t5\nb\t5\nc\t-1\nx\t6\ny\t6\nnew\t7\n")
    facts = facts_of("compare labels.tsv other.tsv")
    assert (facts["n_compared"], facts["ari"], facts["only_in_labels"], facts["only_in_other"]) == (4, 1, 1, 1)
    assert "1 nodes that only LABELS has, 1 that only OTHER has" in told("compare labels.tsv other.tsv").out
    (folder / "few.tsv").write_text("a\t0\n1\t0\n2\t0\n3\t1\n")
    assert "only 1 node of few.tsv (4) and labels.tsv" in told("compare few.tsv labels.tsv").err


def test_compare_and_report_understand_levels(folder, told, facts_of):
    (folder / "levels.tsv").write_text(
        "".join(f"{n}\t0\t{c}\t{i}\n" for i, (n, c) in enumerate(zip("abcxyz", "000111", strict=True)))
    )
    facts = facts_of("compare levels.tsv labels.tsv --graph graph.txt")
    found = [(f["level"], f["other_level"], f["n_clusters"]) for f in facts["levels"]]
    assert found == [(1, 1, 1), (2, 1, 2), (3, 1, 6)] and facts["levels"][1]["ari"] == 1
    assert re.search("^columns 1, 2 +ARI 1.0000, NMI 1.0000", told("compare labels.tsv levels.tsv").out, re.MULTILINE)
    said = told("report graph.txt levels.tsv -o page.html --no-pictures")
    assert re.search(r"^modularity +-0\.\d{4}$", said.out, re.MULTILINE) and not messages(said.err)
    page = Page((folder / "page.html").read_text(encoding="utf-8"))
    assert {row["inside"] for row in page.clusters} == {"0", "1"} and len(page.clusters) == 6
    assert "3 columns beside the nodes" in told("cluster graph.txt -k 2 -o p.tsv --initial-labels levels.tsv", 2).err


@pytest.mark.parametrize(
    ("clusters", "numbers"),
    [
        (["red", "red", "red", "blue", "blue", "-1"], [1, 1, 1, 0, 0, -1]),
        ([-7, 900000, 900000, 5, 5, 5], [-1, 1, 1, 0, 0, 0]),
        ([0, 0, 0, 2, 2, 2], [0, 0, 0, 2, 2, 2]),
    ],
)
def test_report_takes_labels_of_any_kind(folder, clusters, numbers, facts_of):
    (folder / "labels.tsv").write_text("".join(f"{n}\t{c}\n" for n, c in zip("abcxyz", clusters, strict=True)))
    facts = facts_of("report graph.txt labels.tsv -o page.html --no-pictures --truth labels.tsv")
    page = Page((folder / "page.html").read_text(encoding="utf-8"))
    sizes = np.bincount([c for c in numbers if c >= 0])
    assert [int(row["nodes"]) for row in page.clusters] == sorted(sizes, reverse=True)
    cut = graphcore.metrics.normalized_cut(graphcore.read_graph("graph.txt"), numbers)
    assert (facts["n_clusters"], facts["normalized_cut"]) == (np.count_nonzero(sizes), pytest.approx(cut))


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "typed",
    [
        "cluster graph.txt -k 2 -o graph.txt",
        "cluster graph.txt -k 2 --report link.txt",
        "cluster graph.txt -k 2 -o z.tsv --tree z.tsv",
        "cluster graph.txt -k 2 --tree graph.txt.clusters.tsv",  # where labels go without -o
        "cluster graph.txt -k 2 --initial-labels labels.tsv -o labels.tsv",
        "convert graph.txt graph.txt --to metis",
        "convert g.store g.store",
        "cluster g.store -k 2 -o g.store/indices.npy",
        "predict labels.tsv graph.txt -o labels.tsv",
        "report graph.txt labels.tsv -o labels.tsv",
    ],
)
def test_nothing_is_lost(folder, typed, told):
    graphcore.write_graph(graphcore.Graph.from_edges([0, 1], [1, 2]), "g.store")
    os.symlink("graph.txt", "link.txt")

    def state():
        return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    before = state()
    said = told(typed, 2).err
    assert "would be lost; choose another output" in said and said.count("\n") == 1
    assert state() == before


# -- errors ------------------------------------------------------------------------------------------------------------


def bad_files(folder):
    (folder / "short.txt").write_text("1 2\n2 3\n4\n")
    np.save(folder / "flat.npy", np.arange(5.0))
    np.save(folder / "square.npy", 1.0 - np.eye(5))
    texts = {"wrong": "y\t2\n", "words": "a\tred\nb\tred\nc\tblue\n", "others": "q\t1\n", "alone": "0\n1\n"}
    for name, text in texts.items():
        (folder / f"{name}.tsv").write_text(text)


REFUSED = {
    "cluster graph.txt -k 2": {
        "--initial-labels wrong.tsv": "go up to 2; with -k 2 they run from 0 to 1",
        "--initial-labels others.tsv": "the file and the graph have no node in common.*--nodes",
        "--truth - --initial-labels -": "only one of the files can be standard input",
        "--initial-labels nope.tsv": "'nope.tsv' does not exist",
        "--max-cluster-size 2": "--max-cluster-size 2 is too small: 2 clusters",
        "--min-cluster-size few": "--min-cluster-size few must be an integer",
        "--report page.pdf": "page.pdf: a report is an HTML page; call it page.html",
        "--report nowhere/page.html": "nowhere",
        "--tree - --json": "--json and --tree - both want standard output",
        "--tree tree.xml": "'.xml' of 'tree.xml'",
        "-o labels.xlsx": "labels.xlsx: labels are written as text (.tsv, .csv)",
        "-o nowhere/l.tsv": "nowhere",
        "--effort hihg": "choose one of 'fast', 'default', 'high', 'best', or a number",
        "--columns 1": "--columns.*such as 0,1",
        "--columns 1,1": "--columns 1,1 must be the two different",
        "--encoding foo": "--encoding foo is not known to Python",
        "--seed -1": "'--seed'.*-1",
        "--clever": "No such option.*--clever",
    },
    "cluster": {
        "": "Missing argument 'INPUT...'",
        "graph.txt": "Missing option '-k'",
        "graph.txt -k 7": "-k 7 must be at most 6",
        "graph.txt -k 0": "-k 0 must be at least 1",
        "missing.txt -k 2": "'missing.txt' does not exist",
        "short.txt -k 2": "line 3",
        "short.txt -k 2 --metric cosine": "line 3",
        "short.txt -k 2 --objective cut": "--objective cut is not known",
        "flat.npy -k 2": r"shape \(5,\)",
        "square.npy -k 1": "adjacency matrices.*for points --vectors",
        "flat.npy graph.txt -k 2 --vectors": "several files are parts of one graph",
    },
    "report graph.txt others.tsv": {"-o page.html": "'q'"},
    "compare words.tsv": {"others.tsv": "no node in common.*--nodes", "alone.tsv": "has 3 labels"},
    "convert": {"graph.txt": "Missing argument", "graph.txt g.doc": "'.doc'", "graph.txt g.npz --to doc": "--to doc"},
    "": {"swim": "No such command 'swim'"},
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


@pytest.mark.parametrize("defect", [ZeroDivisionError, AttributeError])
def test_a_defect_is_not_dressed_up_as_bad_input(folder, monkeypatch, defect):
    def broken(*_, **__):
        raise defect

    monkeypatch.setattr("graphcore.files.read_graph", broken)
    with pytest.raises(defect):
        run(["info", "graph.txt"])


@pytest.mark.parametrize(
    ("message", "spelled"),
    [
        ("n_clusters=0 must be at least 1", "-k 0 must be at least 1"),
        ("give one of n_clusters and resolution", "give one of -k and resolution"),
        ("effort and labels are words", "effort and labels are words"),
        ("weight_column=None, (columns=(0, 5))", "--weight-column none, (--columns 0,5)"),
        ("columns=('a', 'a') must differ", "--columns a,a must differ"),
        ("objective='ncut', or count_repeats=True", "--objective ncut, or --count-repeats"),
        ("random_state=7 of my_n_clusters=2", "--seed 7 of my_n_clusters=2"),
        ("header=False, count_repeats=False", "--no-header, --count-repeats"),
        ("pass count_repeats=True (--count-repeats)", "pass --count-repeats"),
    ],
)
def test_messages_name_options(message, spelled):
    assert in_options(message, app.commands["cluster"].params) == spelled


@pytest.mark.parametrize(
    ("command", "named"),
    [
        ("info graph.txt --metric cosine --neighbors 5", "--neighbors, --metric do nothing here"),
        ("info X.npy --delimiter ';'", "--delimiter does nothing here"),
        ("cluster graph.txt -k 2 --metric cosine -o l.tsv", "--metric does nothing here: for vectors"),
        (
            "compare labels.tsv labels.tsv --weight-column 2",
            "--weight-column does nothing here: for the file of --graph",
        ),
        ("info graph.txt --delimiter ' ' --ids string --symmetrize min", None),
    ],
)
def test_options_that_do_nothing_are_named_and_no_others(folder, command, named, told):
    np.save("X.npy", np.random.default_rng(0).normal(size=(20, 3)))
    graphcore.write_graph(graphcore.read_graph("graph.txt"), "g.npz")
    captured = told([*shlex.split(command), "--json"])
    for lines in (messages(captured.err), json.loads(captured.out)["warnings"]):
        assert any((named or "nothing") in line for line in lines) == bool(named)


def test_escape_sequences_of_names_do_not_reach_a_terminal(folder, capsys):
    run(["info", "a\x1b[31m"])
    run(["info", "graph.txt", "--ids", "\x1b[31m"])
    shown = "".join(capsys.readouterr())
    assert "\\x1b[31m" in shown and "\x1b" not in shown


# -- progress and help -------------------------------------------------------------------------------------------------


def test_the_bar_says_what_runs_and_goes_away(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with click.Context(app):
        console = Console()
        with console.listening():
            with console.stages("first"):
                pass
            with console.stages("second"):
                note("round 3 of 8")
                assert re.search(r"\rsecond: .*1 of 2 \[00:00, round 3 of 8\]", capsys.readouterr().err)
                console.say("a line")
                assert re.match(r"\r *\ra line\n", capsys.readouterr().err)
    assert capsys.readouterr().err.endswith("\r")


def test_commands_and_their_options(told):
    assert set(app.commands) == {"cluster", "predict", "info", "convert", "compare", "report", "demo"}
    assert len(app.commands["cluster"].params) <= 32
    for name, command in app.commands.items():
        text = told(f"{name} --help").out
        for option in command.params:
            assert option.opts[0] in text or option.metavar in text
            assert not isinstance(option, click.Option) or option.help, (name, option.name)
    assert f"graphcore, version {graphcore.__version__}" in told("--version").out


@pytest.mark.parametrize("name", [None, *app.commands])
def test_examples_of_the_help_are_commands_that_exist(name, folder, told):
    command = app.commands[name] if name else app
    shown = [line for line in command.epilog.splitlines() if line.startswith("  ") and "# " not in line]
    assert shown and all(line.strip() in told([*filter(None, [name]), "--help"]).out for line in shown)
    for piece in (piece for line in shown for piece in line.split("|") if "graphcore" in piece):
        words = shlex.split(piece.split(">")[0])
        assert words[0] == "graphcore"
        for word in words[2:]:
            if re.fullmatch(r"[\w.]+\.\w+", word):
                (folder / word).write_text("")
        app.commands[words[1]].make_context(words[1], words[2:])  # refuses unknown options and missing arguments
