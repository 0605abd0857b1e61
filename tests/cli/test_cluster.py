"""``graphcore cluster`` and ``predict``: what they write and print, and that nothing is lost."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import graphcore
from graphcore.cli.app import run
from graphcore.cli.cluster import _verdict

from ..report.page import Page

LABELS = "graph.txt.clusters.tsv"


def blobs(n=60):
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(0, 1, (n // 2, 3)), rng.normal(20, 1, (n // 2, 3))]).round(6)


def labels_in(path):
    return dict(line.split("\t") for line in path.read_text().splitlines())


def messages(error_stream):
    """List the lines on standard error, but for notices of compilation."""
    return [line for line in error_stream.splitlines() if line and not line.startswith("graphcore: compiling")]


def test_labels_with_the_files_names_a_summary_and_its_facts_as_json(folder, told, facts_of):
    printed = told("cluster graph.txt -k 2").out
    labels = labels_in(folder / LABELS)
    assert list(labels) == ["a", "b", "c", "x", "y", "z"]
    assert len({labels[name] for name in "abc"}) == len({labels[name] for name in "xyz"}) == 1
    assert labels["a"] != labels["x"]
    for words in ("6 nodes", "7 edges", "0 and 1 (ends)", "2, of sizes 3 3", "0.1429", "total", LABELS):
        assert words in printed
    assert "verdict" not in printed  # these clusters every seed finds
    captured = told("cluster graph.txt -k 2 -o -")
    assert captured.out == (folder / LABELS).read_text()
    assert "6 nodes" in captured.err and "\r" not in captured.err  # which is no terminal
    assert f"-o {LABELS} replaces it" in told("cluster graph.txt -k 2", 2).err
    assert told(f"cluster graph.txt -k 2 -o {LABELS} --quiet") == ("", "")
    printed = told("cluster graph.txt --objective modularity --resolution 0.5 -o other.tsv").out
    assert re.search(r"modularity +0\.\d{4} at resolution 0\.5; higher", printed)
    facts = facts_of("cluster graph.txt -k 2 -o labels.tsv --seed 3")
    known = {
        "nodes": 6, "edges": 7, "components": 1, "isolated": 0, "cluster_sizes": [3, 3], "seed": 3, "warnings": [],
        "output": "labels.tsv", "version": graphcore.__version__, "normalized_cut": pytest.approx(1 / 7),
    }  # fmt: skip
    assert {name: facts[name] for name in known} == known
    assert {"read", "coreset", "total"} <= set(facts["seconds"])


def test_labels_of_standard_input_go_to_standard_output(folder, feed, told, facts_of):
    text = (folder / "graph.txt").read_bytes()
    feed(text)
    said = told("cluster - -k 2")
    assert [line.split("\t")[0] for line in said.out.splitlines()] == ["a", "b", "c", "x", "y", "z"]
    assert re.search("^labels +standard output$", said.err, re.MULTILINE)
    feed(text)
    assert facts_of("cluster - -k 2")["output"] == "standard-input.clusters.tsv"


@pytest.mark.slow
def test_the_same_labels_as_the_class_and_for_any_number_of_jobs(folder, told):
    nx.write_edgelist(nx.connected_caveman_graph(20, 6), "graph.txt", data=False)
    np.save("X.npy", blobs())
    settings = "--objective ncut --effort fast --min-cluster-size 3 --max-cluster-size 0.5"
    for source in ("graph.txt", "X.npy"):
        given = graphcore.read_graph(source) if source == "graph.txt" else np.load(source)
        model = graphcore.CoresetSpectralClustering(
            7, n_neighbors=5, random_state=5, objective="ncut", effort="fast", min_cluster_size=3, max_cluster_size=0.5
        ).fit(given)
        for jobs in ("1", "2"):
            typed = f"cluster {source} -k 7 -o l.npy --seed 5 --jobs {jobs} {settings}"
            told(typed if source == "graph.txt" else f"{typed} --neighbors 5")
            np.testing.assert_array_equal(np.load("l.npy"), model.labels_)


@pytest.mark.slow
def test_labels_and_attributes_go_to_other_programs_by_the_ending(folder, told):
    (folder / "people.csv").write_text(
        "id,age,cluster,level_1\n" + "".join(f"{x},{20 + i},7,5\n" for i, x in enumerate("abcxyz"))
    )
    assert "chosen by resolution" in told("cluster graph.txt --resolution 100 -o c.tsv").out
    labels = {name: int(label) for name, label in labels_in(folder / "c.tsv").items()}
    for ending, reader in {"graphml": nx.read_graphml, "gexf": nx.read_gexf, "gml": nx.read_gml}.items():
        said = told(f"cluster graph.txt --resolution 100 --nodes people.csv -o c.{ending}").err
        assert "left out, as results have their names: cluster, level_1" in said
        G = reader(folder / f"c.{ending}")
        assert dict(G.nodes(data="cluster")) == labels and G.number_of_edges() == 7
        assert dict(G.nodes(data="age"))["c"] == 22 and not any("level_1" in values for _, values in G.nodes(data=True))
    (folder / "spaced.csv").write_text("id,my age\n" + "".join(f"{x},1\n" for x in "abcxyz"))
    said = told("cluster graph.txt -k 2 --nodes spaced.csv -o s.gml", 2).err
    assert "not 'my age'; write .graphml instead" in said and "cluster" not in said.split("GML")[0]
    pytest.importorskip("pyarrow")
    told("cluster graph.txt --resolution 100 --nodes people.csv -o c.parquet --quiet")
    table = pd.read_parquet("c.parquet")
    assert dict(zip(table.node, table.cluster, strict=True)) == labels and table.age.tolist() == [*range(20, 26)]


def test_the_tree_initial_labels_and_levels(folder, told):
    assert re.search(r"^tree +tree\.csv$", told("cluster graph.txt -k 2 -o c.tsv --tree tree.csv").out, re.MULTILINE)
    assert pd.read_csv("tree.csv")["size"].max() == 6
    (folder / "before.tsv").write_text("a\t1\nb\t1\nx\t0\ny\t0\n")
    told("cluster graph.txt -k 2 -o l.tsv --initial-labels before.tsv")
    assert labels_in(folder / "l.tsv") == dict(zip("abcxyz", "111000", strict=True))
    told("cluster graph.txt --levels 1,2,3 -o levels.tsv")
    names, *levels = zip(*(line.split("\t") for line in (folder / "levels.tsv").read_text().splitlines()), strict=True)
    assert list(names) == ["a", "b", "c", "x", "y", "z"] and [len(set(level)) for level in levels] == [1, 2, 3]
    told("cluster graph.txt --levels 1,2,3 -o levels.graphml")
    nodes = nx.read_graphml(folder / "levels.graphml").nodes
    assert {nodes[x]["level_1"] for x in nodes} == {0} and len({nodes[x]["level_2"] for x in nodes}) == 2


def test_isolated_nodes_are_warned_about_once_and_labelled_minus_one(folder, told):
    sp.save_npz("graph.npz", sp.csr_array(np.pad(np.ones((3, 3)) - np.eye(3), (0, 2))))
    captured = told("cluster graph.npz -k 1 --json -o labels.tsv")
    (warning,) = messages(captured.err)
    assert warning.startswith("warning: 2 of 5 nodes are isolated")
    assert json.loads(captured.out)["warnings"] == [warning.removeprefix("warning: ")]
    assert labels_in(folder / "labels.tsv") == {"0": "0", "1": "0", "2": "0", "3": "-1", "4": "-1"}


def test_many_clusters_are_summed_up_and_unsure_ones_get_a_verdict(folder, told):
    nx.write_edgelist(nx.gnm_random_graph(400, 1600, seed=1), "graph.txt", data=False)
    said = told("cluster graph.txt -k 40 -o -").err
    assert re.search(r"^clusters +40, of sizes \d+ \(min\), \d+ \(median\), \d+ \(max\)", said, re.MULTILINE)
    unsure, filled = map(int, re.search(r"^verdict +(\d+) of (\d+) clusters.*-k auto$", said, re.MULTILINE).groups())
    assert unsure > filled / 2
    facts = {"unsure_clusters": 2, "cluster_sizes": [1, 1], "modularity": None, "chosen": {"clear": False}}
    assert _verdict(facts).endswith("; give a smaller -k")


@pytest.mark.slow
def test_a_page_with_the_command_that_repeats_it_and_known_classes(folder, told):
    (folder / "my classes.csv").write_text("a,one\nb,one\nx,two\nq,two\n")  # q is no node
    at = str(folder)
    lines = (folder / "graph.txt").read_text().splitlines()
    (folder / "graph.txt").write_text("".join(f"{line} x\n" for line in lines))
    typed = ["cluster", f"{at}/graph.txt", "-k", "2", f"--report={at}/page.html", "-o", f"{at}/out.tsv"]
    assert run([*typed, "--truth", f"{at}/my classes.csv"]) == 0
    page = Page((folder / "page.html").read_text(encoding="utf-8"))
    page.assert_alone()
    assert at not in page.source and "graph.txt: " in page.text  # of the column x
    assert "Clusters of graph.txt" in page.text and "The random seed was 0." in page.text
    assert "Adjusted Rand index 1.0000" in page.text and "over 3 nodes with a known class and an edge" in page.text
    (command,) = re.findall(r"graphcore cluster [^-\n][^\n]*", "".join(page.words))
    first = (folder / "out.tsv").read_text()
    assert run(shlex.split(command)[1:]) == 0 and (folder / "out.tsv").read_text() == first


# -- predict -----------------------------------------------------------------------------------------------------------


def test_predict_writes_what_the_model_predicts(folder, told, facts_of):
    X = np.concatenate([blobs(), np.random.default_rng(1).uniform(-200, 200, (6, 3)).round()])
    np.save("x.npy", X)
    (folder / "new.csv").write_text("".join(f"row {i},{','.join(map(str, row))}\n" for i, row in enumerate(X.tolist())))
    told("cluster x.npy -k 2 --outliers 0.1 -o l.npy --model m.npz")
    expected, before = graphcore.load("m.npz").predict(X), (folder / "m.npz").read_bytes()
    facts = facts_of("predict m.npz new.csv")
    assert (facts["rows"], facts["output"]) == (66, "new.csv.clusters.tsv")
    assert facts["without_label"] == np.count_nonzero(expected < 0) > 0
    written = pd.read_csv("new.csv.clusters.tsv", sep="\t", header=None)
    assert written[0].tolist() == [f"row {i}" for i in range(66)] and written[1].tolist() == expected.tolist()
    assert told("predict m.npz x.npy -o - --quiet").out.splitlines()[1] == f"1\t{expected[1]}"
    assert (folder / "m.npz").read_bytes() == before
    pytest.importorskip("pyarrow")
    told("predict m.npz new.csv -o p.parquet")
    assert pd.read_parquet("p.parquet").set_index("node").cluster["row 7"] == expected[7]


def test_predict_takes_rows_of_new_nodes_for_a_model_of_a_graph(folder, told, facts_of):
    told("cluster graph.txt -k 2 -o l.tsv --model m.npz")
    labels = graphcore.load("m.npz").labels_.tolist()
    sp.save_npz("rows.npz", sp.csr_array(([1.0, 2.0], ([0, 1], [0, 5])), shape=(3, 6)))
    assert facts_of("predict m.npz rows.npz -o new.tsv")["without_label"] == 1
    assert pd.read_csv("new.tsv", sep="\t", header=None)[1].tolist() == [labels[0], labels[5], -1]
    np.save("narrow.npy", np.ones((2, 2)))
    said = told("predict m.npz narrow.npy -o p.tsv", 2).err
    assert "narrow.npy: " in said and "expecting 6 features" in said and "a row of weights to the fitted nodes" in said
    assert "l.tsv" in told("predict l.tsv rows.npz -o p.tsv", 2).err


# -- interrupted -------------------------------------------------------------------------------------------------------


def process(code, **options):
    """Run code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False, **options
    )


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_while_writing_leaves_what_was_there(folder, number, code):
    (folder / "labels.tsv").write_text("before")
    # The signal comes when all labels have been written and are to be flushed to the disk.
    done = process(f"""
import os
os.fsync = lambda _: os.kill(os.getpid(), {int(number)})
from graphcore.cli import main
main(["cluster", "graph.txt", "-k", "2", "-o", "labels.tsv"])
""")
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(os.listdir()) == ["graph.txt", "labels.tsv"]
    assert (folder / "labels.tsv").read_text() == "before"


def test_too_little_memory_is_one_line(folder, told, monkeypatch):
    def no_room(_):
        raise MemoryError("malloc of size 1024 failed")

    monkeypatch.setattr(os, "fsync", no_room)
    assert told("cluster graph.txt -k 2 -o labels.tsv", 2).err.endswith("out of memory: malloc of size 1024 failed\n")
    assert os.listdir() == ["graph.txt"]


@pytest.mark.slow
def test_ctrl_c_does_not_wait_for_threads(folder):
    start = time.perf_counter()
    done = process("""
import os, signal, time
from concurrent.futures import ThreadPoolExecutor
import graphcore
from graphcore.cli import main
def long_work(*_, **__):
    pool = ThreadPoolExecutor(1)
    pool.submit(time.sleep, 120)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(120)
graphcore.CoresetSpectralClustering.fit = long_work
main(["cluster", "graph.txt", "-k", "2", "-o", "labels.tsv"])
""")
    assert done.returncode == 130, done.stderr
    assert time.perf_counter() - start < 60
    assert os.listdir() == ["graph.txt"]


@pytest.mark.slow
def test_the_demo_compares_with_scikit_learn(facts_of):
    facts = facts_of("demo")
    for name in ("digits", "network"):
        ours, ncut, theirs = facts[name]["methods"]
        assert ours["ari"] > theirs["ari"]
        assert ncut["normalized_cut"] < theirs["normalized_cut"]
