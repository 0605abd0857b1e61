"""The commands around clustering: reports, comparison, neighbour graphs; help, completion, standard input."""

import json
import os
import re
import shlex
import subprocess
import sys
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from click.shell_completion import ShellComplete

import graphcore
from graphcore.base.progress import note
from graphcore.cli.app import app, run
from graphcore.cli.console import Console
from graphcore.cluster.refine.objectives import OBJECTIVES

from ..report.page import Page
from .test_cli import TRIANGLES

TWO = "a\t0\nb\t0\nc\t0\nx\t1\ny\t1\nz\t1\n"


@pytest.fixture
def folder(folder):
    """The folder with the clusters of its graph."""
    (folder / "labels.tsv").write_text(TWO)
    return folder


def page_of(path):
    page = Page(path.read_text(encoding="utf-8"))
    page.assert_alone()
    return page


# -- cluster --report --------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_cluster_writes_a_page_with_the_command_that_repeats_it(folder, told):
    (folder / "my graph.txt").write_text(TRIANGLES)
    typed = ["cluster", "my graph.txt", "-k", "2", "--seed", "3", "--report", "page one.html", "-o", "out.tsv"]
    assert "page one.html" in told(typed).out
    page = page_of(folder / "page one.html")
    (command,) = re.findall(r"graphcore cluster [^-\n][^\n]*", "".join(page.words))
    assert shlex.split(command) == ["graphcore", *typed]
    first = (folder / "out.tsv").read_text()
    (folder / "out.tsv").unlink()
    assert run(shlex.split(command)[1:]) == 0
    assert (folder / "out.tsv").read_text() == first
    assert sorted(int(row["nodes"]) for row in page.clusters) == [3, 3]
    assert {name for row in page.clusters for name in row["most central nodes"].split(", ")} == set("abcxyz")
    assert "Clusters of my graph.txt" in page.text
    assert "The random seed was 3." in page.text


@pytest.mark.slow
def test_a_page_tells_no_folders_and_compares_with_known_classes(folder, told):
    (folder / "classes.csv").write_text("a,one\nb,one\nx,two\nq,two\n")  # q is no node
    at = str(folder)
    typed = ["cluster", f"{at}/graph.txt", "-k", "2", f"--report={at}/page.html", "-o", f"{at}/out.tsv"]
    assert run([*typed, "--truth", f"{at}/classes.csv"]) == 0
    page = page_of(folder / "page.html")
    assert at not in page.source
    assert "graphcore cluster graph.txt -k 2 --report=page.html -o out.tsv --truth classes.csv" in page.text
    assert "Adjusted Rand index 1.0000" in page.text and "over 3 nodes with a known class and a cluster" in page.text
    said = told(f"report {at}/graph.txt {at}/out.tsv -o {at}/again.html --truth classes.csv").out
    assert "truth     ARI 1.0000, NMI 1.0000 over 3 nodes with a class and a cluster" in said
    said = told(f"cluster {at}/graph.txt -k 2 -o {at}/two.tsv --truth classes.csv").out
    assert re.search(r"^truth +ARI 1\.0000, NMI 1\.0000 over 3 nodes with a class and a cluster$", said, re.MULTILINE)
    facts = json.loads(told(f"cluster {at}/graph.txt -k 2 -o {at}/three.tsv --truth classes.csv --json").out)
    assert facts["truth"] == {"ari": 1.0, "nmi": 1.0, "n_compared": 3}
    assert at not in page_of(folder / "again.html").source
    sp.save_npz("graph.npz", sp.csr_array(np.pad(np.ones((3, 3)) - np.eye(3), (0, 2))))
    assert told("cluster graph.npz -k 1 --report page.html --quiet") == ("", "")
    assert "2 of 5 nodes are isolated" in page_of(folder / "page.html").text


# -- report ------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_report_of_labels(folder, told):
    said = told(["report", "graph.txt", "labels.tsv", "-o", "page.html", "--title", "A & B", "--central", "1"]).out
    assert "0.1429, 0.5000 by chance" in said
    page = page_of(folder / "page.html")
    assert "A & B" in page.text
    assert sorted(row["most central nodes"] for row in page.clusters) == ["a", "y"]
    assert "graphcore report graph.txt labels.tsv -o page.html" in page.text
    captured = told("cluster graph.txt -k 2 --report -")
    Page(captured.out)
    assert "6 nodes" in captured.err


@pytest.mark.parametrize(
    ("clusters", "numbers"),
    [
        (["red", "red", "red", "blue", "blue", "-1"], [1, 1, 1, 0, 0, -1]),
        ([900000, 900000, 900000, 5, 5, 5], [1, 1, 1, 0, 0, 0]),
        ([-7, 900000, 900000, 5, 5, 5], [-1, 1, 1, 0, 0, 0]),
        ([0, 0, 0, 2, 2, 2], [0, 0, 0, 2, 2, 2]),
    ],
)
def test_report_takes_labels_of_any_kind(folder, clusters, numbers, facts_of):
    (folder / "labels.tsv").write_text("".join(f"{n}\t{c}\n" for n, c in zip("abcxyz", clusters, strict=True)))
    facts = facts_of("report graph.txt labels.tsv -o page.html --no-pictures")
    sizes = np.bincount([c for c in numbers if c >= 0])
    assert [int(row["nodes"]) for row in page_of(folder / "page.html").clusters] == sorted(sizes, reverse=True)
    cut = graphcore.metrics.normalized_cut(graphcore.read_graph("graph.txt"), numbers)
    assert (facts["n_clusters"], facts["normalized_cut"]) == (len(sizes), pytest.approx(cut))


# -- compare -----------------------------------------------------------------------------------------------------------


def test_compare_matches_nodes_by_name_and_is_scikit_learns(folder, facts_of):
    from sklearn import metrics

    (folder / "truth.csv").write_text("z,left\nx,left\ny,left\nb,right\na,right\nc,right\n")
    facts = facts_of("compare labels.tsv truth.csv")
    assert (facts["ari"], facts["n_compared"], facts["n_clusters"], facts["n_other"]) == (1, 6, 2, 2)

    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 5, 200), rng.integers(0, 3, 200)
    graphcore.write_labels(first, "a.tsv")
    np.savetxt("b.txt", second, fmt="%d")  # labels alone, in the same order
    facts = facts_of("compare a.tsv b.txt")
    assert facts["ari"] == pytest.approx(metrics.adjusted_rand_score(first, second))
    assert facts["nmi"] == pytest.approx(metrics.normalized_mutual_info_score(first, second))
    assert facts["homogeneity"] == pytest.approx(metrics.homogeneity_score(second, first))
    assert facts["completeness"] == pytest.approx(metrics.completeness_score(second, first))

    graphcore.write_labels(np.zeros(200, dtype=int), "one.tsv")
    for pair, expected in (("a.tsv one.tsv", (1, 0)), ("one.tsv a.tsv", (0, 1)), ("one.tsv one.tsv", (1, 1))):
        facts = facts_of(f"compare {pair}")
        assert (facts["homogeneity"], facts["completeness"]) == pytest.approx(expected)


def test_compare_leaves_out_nodes_of_no_cluster_and_nodes_of_one_file(folder, told, facts_of):
    (folder / "other.tsv").write_text("a\t5\nb\t5\nc\t-1\nx\t6\ny\t6\nnew\t7\n")
    facts = facts_of("compare labels.tsv other.tsv")
    assert (facts["n_compared"], facts["ari"]) == (4, 1)
    assert (facts["only_in_labels"], facts["only_in_other"]) == (1, 1)
    assert "1 nodes that only LABELS has, 1 that only OTHER has" in told("compare labels.tsv other.tsv").out


def test_a_report_of_a_graph_on_disk_is_named_also_with_a_slash(folder, told):
    told("build graph.txt g.store")
    told("report g.store/ labels.tsv -o page.html --no-pictures")
    assert "<title>Clusters of g.store</title>" in (folder / "page.html").read_text()


def test_compare_with_a_graph_adds_the_cuts(folder, facts_of):
    (folder / "other.tsv").write_text(TWO.replace("c\t0", "c\t1"))
    facts = facts_of("compare labels.tsv other.tsv --graph graph.txt")
    graph = graphcore.read_graph("graph.txt")
    assert facts["normalized_cut"] == pytest.approx(1 / 7)
    other = [0, 0, 1, 1, 1, 1]
    assert facts["normalized_cut_other"] == pytest.approx(graphcore.metrics.normalized_cut(graph, other))
    (folder / "part.tsv").write_text("a\t5\nb\t5\nx\t6\ny\t6\nnew\t7\n")
    facts = facts_of("compare labels.tsv part.tsv --graph graph.txt")
    assert (facts["n_compared"], facts["ari"]) == (4, 1)


def test_compare_knows_names_that_were_marked_for_spreadsheets(folder, facts_of):
    names = ["=a", "+b", "c", "'d"]
    for path, marked in (("plain.tsv", False), ("marked.tsv", True)):
        graphcore.write_labels([0, 0, 1, 1], path, names, spreadsheet=marked)
    assert (folder / "plain.tsv").read_text() != (folder / "marked.tsv").read_text()
    facts = facts_of("compare plain.tsv marked.tsv")
    assert (facts["n_compared"], facts["only_in_labels"], facts["only_in_other"]) == (4, 0, 0)


def test_compare_and_report_understand_levels(folder, told, facts_of):
    (folder / "levels.tsv").write_text(
        "".join(f"{n}\t0\t{c}\t{i}\n" for i, (n, c) in enumerate(zip("abcxyz", "000111", strict=True)))
    )
    facts = facts_of("compare levels.tsv labels.tsv --graph graph.txt")
    found = [(f["level"], f["other_level"], f["n_clusters"]) for f in facts["levels"]]
    assert found == [(1, 1, 1), (2, 1, 2), (3, 1, 6)]
    assert facts["levels"][1]["ari"] == 1 and facts["levels"][1]["normalized_cut"] == pytest.approx(1 / 7)
    assert facts["levels"][2]["ari"] == facts["ari"] and facts["homogeneity"] == pytest.approx(1)
    assert re.search("^level 1, 2 +ARI 1.0000, NMI 1.0000", told("compare labels.tsv levels.tsv").out, re.MULTILINE)
    told("report graph.txt levels.tsv -o page.html --no-pictures")
    page = page_of(folder / "page.html")
    assert {row["inside"] for row in page.clusters} == {"0", "1"} and len(page.clusters) == 6
    report = "report graph.txt labels.tsv --truth levels.tsv -o p.html"
    for typed in (report, "cluster graph.txt -k 2 --labels levels.tsv"):
        assert "levels.tsv: there are 3 columns of labels, and one is needed" in told(typed, 2).err


# -- knn ---------------------------------------------------------------------------------------------------------------


def test_knn_makes_the_graph_that_cluster_makes(folder, told, facts_of):
    X = np.random.default_rng(0).normal(size=(60, 3))
    np.save("X.npy", X)
    facts = facts_of("knn X.npy knn.npz -n 4 --seed 7")
    graph = graphcore.read_graph("knn.npz")
    assert (facts["nodes"], facts["edges"], facts["output"]) == (60, graph.n_edges, "knn.npz")
    assert (graph.to_scipy() != graphcore.knn_graph(X, 4, random_state=7).to_scipy()).nnz == 0
    outputs = []
    for source in (["X.npy", "--neighbors", "4"], ["knn.npz"]):
        outputs.append(told(["cluster", *source, "-k", "3", "--seed", "7", "-o", "-", "--quiet"]).out)
    assert outputs[0] == outputs[1]


def test_knn_options_are_passed_on(folder, told):
    X = np.random.default_rng(0).random((30, 2))
    np.savetxt("X.csv", X, delimiter=",")
    told("knn X.csv graph.npz -n 3 --metric cosine --mode mutual --weighting gaussian --algorithm exact")
    expected = graphcore.knn_graph(
        np.loadtxt("X.csv", delimiter=","), 3, metric="cosine", mode="mutual", weighting="gaussian", algorithm="exact"
    )
    assert (graphcore.read_graph("graph.npz").to_scipy() != expected.to_scipy()).nnz == 0


# -- standard input and output -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["npy", "npz", "sparse.npz", "csv", "csv.gz", "header.csv", "txt.bz2"])
def test_vectors_from_files_and_standard_input(folder, feed, kind, told):
    X = np.random.default_rng(0).normal(size=(20, 3)).round(6)
    name = f"X.{kind}"
    if kind == "npy":
        np.save(name, X)
    elif kind == "npz":
        np.savez(name, X)
    elif kind == "sparse.npz":
        sp.save_npz(name, sp.csr_array(X))
    else:
        header = {"header": "one,two,three", "comments": ""} if "header" in kind else {"header": "by a test"}
        np.savetxt(name, X, delimiter="," if "csv" in kind else " ", **header)
    outputs = []
    for source in (name, "-"):
        feed((folder / name).read_bytes())
        outputs.append(told(["knn", source, "-", "-n", "3", "--to", "csv"]).out)
    assert outputs[0] == outputs[1]
    (folder / "graph.csv").write_text(outputs[0])
    made, expected = graphcore.read_graph("graph.csv"), graphcore.knn_graph(X, 3, random_state=0)
    assert (made.n_nodes, made.n_edges) == (20, expected.n_edges)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_files_may_be_pipes(folder, told):
    np.save("X.npy", np.random.default_rng(0).normal(size=(20, 3)))
    commands = {
        "graph.txt": "info graph.txt --json",
        "labels.tsv": "compare labels.tsv labels.tsv --graph graph.txt --json",
        "X.npy": "knn X.npy - -n 3 --to csv",
    }
    for name, command in commands.items():
        outputs = []
        for source in (name, "pipe"):
            if source == "pipe":
                os.mkfifo("pipe")
                content = (folder / name).read_bytes()
                writer = threading.Thread(target=(folder / "pipe").write_bytes, args=(content,))
                writer.start()
            out = told(command.replace(f" {name} ", f" {source} ", 1)).out.replace('"pipe"', f'"{name}"')
            outputs.append(json.loads(out) | {"seconds": None} if "--json" in command else out)
        writer.join(timeout=20)
        os.unlink("pipe")
        assert outputs[0] == outputs[1]


@pytest.mark.slow
def test_a_graph_through_pipes(folder, feed, told):
    feed(TRIANGLES.encode())
    converted = told("convert - - --to csv").out
    feed(converted.encode())
    assert len(told("cluster - -k 2 -o - --quiet --report page.html").out.splitlines()) == 6
    assert "Clusters of standard input" in page_of(folder / "page.html").text
    feed(b"1,2\n3,four\n")
    assert re.match(r"graphcore: standard input: .*holds 'four'", told("cluster - --vectors -k 2", 2).err)


@pytest.mark.parametrize(
    ("command", "keys"),
    [
        ("convert graph.txt out.npz", {"nodes", "output", "seconds"}),
        ("report graph.txt labels.tsv -o out.html --no-pictures", {"modularity"}),
        ("build graph.txt new.store", {"output", "edges", "seconds"}),
        ("check stored.store", {"nodes", "bytes"}),
    ],
)
def test_every_command_speaks_json(folder, command, keys, facts_of):
    """Other commands do in other tests."""
    graphcore.write_graph(graphcore.read_graph("graph.txt"), "stored.store")
    assert keys <= set(facts_of(command))


# -- progress ----------------------------------------------------------------------------------------------------------


def test_the_bar_says_what_runs_and_goes_away(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    console = Console()
    with console.listening():
        console.expect(4)
        with console.stages("first"):
            pass
        with console.stages("second"):
            note("round 3 of 8")
            assert re.search(r"\rsecond: .*1 of 4 \[00:00, round 3 of 8\]", capsys.readouterr().err)
            console.say("a line")
            assert re.fullmatch(r"\r *\ra line\n", capsys.readouterr().err)
    assert not capsys.readouterr().err.strip()


# -- help and completion -----------------------------------------------------------------------------------------------


def examples():
    return [
        (command, text) for command in [app, *app.commands.values()] for _, text in getattr(command, "examples", ())
    ]


@pytest.mark.parametrize(("command", "text"), examples())
def test_examples_of_the_help_are_commands_that_exist(command, text):
    for piece in text.split("|"):
        words = shlex.split(piece.split(">")[0])
        if words[0] == "zcat":
            continue
        assert words[0] == "graphcore"
        asked = app.commands[words[1]]
        asked.make_context(words[1], words[2:])  # refuses unknown options and missing arguments


@pytest.mark.parametrize("command", [None, *app.commands])
def test_help_shows_the_examples(command, told):
    help_text = told([*filter(None, [command]), "--help"]).out
    shown = (app.commands[command] if command else app).examples
    assert shown
    for what, text in shown:
        assert f"  # {what}\n  {text}\n" in help_text


def completions(*words, incomplete=""):
    complete = ShellComplete(app, {}, "graphcore", "_GRAPHCORE_COMPLETE")
    return complete.get_completions(list(words), incomplete)


def test_completion_offers_commands_files_options_and_words():
    assert {item.value for item in completions()} == set(app.commands)
    assert [item.value for item in completions("cluster", "--sampling", incomplete="d")] == ["degree"]
    assert {item.value for item in completions("cluster", "--objective")} == set(OBJECTIVES)
    assert "--report" in {item.value for item in completions("cluster", incomplete="--re")}
    for command in ("cluster", "info", "convert", "knn", "compare", "report"):
        assert [item.type for item in completions(command)] == ["file"], command
    assert [item.type for item in completions("cluster", "graph.txt", "-o")] == ["file"]
    from graphcore.cluster.settings import PARAMETERS

    # tests/cluster/pipeline/test_settings.py holds the table's words to those of the functions.
    known = {p.name: [word for word in p.choices if word] for p in PARAMETERS if p.kind == "choice"}
    assert known
    for name, words in known.items():
        assert {item.value for item in completions("cluster", f"--{name.replace('_', '-')}")} == set(words)
    environment = {**os.environ, "_GRAPHCORE_COMPLETE": "zsh_source"}
    code = "from graphcore.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert "#compdef graphcore" in done.stdout
