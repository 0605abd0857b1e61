"""The command line: what it prints, what it writes, how it ends."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import click
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import graphcore
from graphcore.cli.app import app, run
from graphcore.cluster.settings import defaults

TRIANGLES = "a b\nb c\nc a\nc x\nx y\ny z\nz x\n"


def blobs(n=60):
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(0, 1, (n // 2, 3)), rng.normal(20, 1, (n // 2, 3))])


def read_labels(path):
    return dict(line.split("\t") for line in path.read_text().splitlines())


def messages(error_stream):
    """List the lines on standard error, but for notices of compilation."""
    return [line for line in error_stream.splitlines() if line and not line.startswith("graphcore: compiling")]


def process(*arguments, code=None, **options):
    """Run the command line, or code, in a process of its own."""
    start = ["-c", code] if code else ["-m", "graphcore"]
    return subprocess.run(
        [sys.executable, *start, *arguments], capture_output=True, text=True, timeout=300, check=False, **options
    )


# -- cluster -----------------------------------------------------------------------------------------------------------


def test_cluster_writes_a_column_for_each_level(folder, told):
    for option in ("-k", "--levels"):
        told(f"cluster graph.txt {option} 1,2,3 -o levels.tsv")
        rows = [line.split("\t") for line in (folder / "levels.tsv").read_text().splitlines()]
        names, *levels = zip(*rows, strict=True)
        assert list(names) == ["a", "b", "c", "x", "y", "z"]
        assert [len(set(level)) for level in levels] == [1, 2, 3]
    told("cluster graph.txt --levels 1,2,3 -o levels.graphml")
    nodes = nx.read_graphml(folder / "levels.graphml").nodes
    assert {nodes[x]["level_1"] for x in nodes} == {0} and len({nodes[x]["level_2"] for x in nodes}) == 2
    told("cluster graph.txt --levels 1,2,3 -o levels.npy")
    assert np.load(folder / "levels.npy").shape == (6, 3)


def test_cluster_writes_labels_with_the_files_names(folder, told):
    printed = told("cluster graph.txt -k 2 -o labels.tsv").out
    labels = read_labels(folder / "labels.tsv")
    assert list(labels) == ["a", "b", "c", "x", "y", "z"]
    assert len({labels[name] for name in "abc"}) == len({labels[name] for name in "xyz"}) == 1
    assert labels["a"] != labels["x"]
    for words in ("6 nodes", "7 edges", "1 component", "coreset", "2, of sizes 3 3", "0.1429", "total", "labels.tsv"):
        assert words in printed
    assert "verdict" not in printed  # these clusters every seed finds
    captured = told("cluster graph.txt -k 2 -o -")
    assert captured.out == (folder / "labels.tsv").read_text()
    assert "6 nodes" in captured.err and "\r" not in captured.err  # which is no terminal


def test_json(folder, facts_of):
    facts = facts_of("cluster graph.txt -k 2 -o labels.tsv --seed 3")
    known = {
        "nodes": 6, "edges": 7, "components": 1, "isolated": 0, "cluster_sizes": [3, 3], "seed": 3, "warnings": [],
        "coreset": {"nodes": 4, "draws": 4}, "output": "labels.tsv", "version": graphcore.__version__,
        "normalized_cut": pytest.approx(1 / 7),
    }  # fmt: skip
    assert {name: facts[name] for name in known} == known
    assert facts["settings"]["sampling"] == "importance"
    assert {"read", "coreset", "total"} <= set(facts["seconds"])
    assert facts["seconds"]["total"] > 0


def test_isolated_nodes_are_counted_warned_about_once_and_labelled_minus_one(folder, told):
    sp.save_npz("graph.npz", sp.csr_array(np.pad(np.ones((3, 3)) - np.eye(3), (0, 2))))
    captured = told("cluster graph.npz -k 1 --json -o labels.tsv")
    facts = json.loads(captured.out)
    assert facts["isolated"] == 2
    assert facts["cluster_sizes"] == [3]
    (warning,) = messages(captured.err)
    assert warning.startswith("warning: 2 of 5 nodes are isolated")
    assert facts["warnings"] == [warning.removeprefix("warning: ")]
    assert read_labels(folder / "labels.tsv") == {"0": "0", "1": "0", "2": "0", "3": "-1", "4": "-1"}


def test_many_clusters_are_summed_up(folder, told):
    nx.write_edgelist(nx.connected_caveman_graph(30, 5), "graph.txt", data=False)
    assert re.search(r"30, of sizes \d+ \(min\), 5 \(median\), \d+ \(max\)", told("cluster graph.txt -k 30").out)


def test_quiet(folder, told):
    (folder / "graph.txt").write_text("1 2\n2 1\n2 3\n")  # looks directed
    assert told("cluster graph.txt -k 1 -o labels.tsv --quiet") == ("", "")
    assert "directed" in told("cluster graph.txt -k 1").err


def test_the_same_labels_as_the_estimator_and_for_any_number_of_jobs(folder, told):
    """Labels of vectors are tested by test_vectors_from_files_and_standard_input."""
    nx.write_edgelist(nx.connected_caveman_graph(20, 6), "graph.txt", data=False)
    np.save("X.npy", np.round(blobs(), 6))
    for given, options in ((graphcore.read_graph("graph.txt"), ["graph.txt"]),
                           (np.load("X.npy"), ["X.npy", "--neighbors", "5"])):  # fmt: skip
        model = graphcore.CoresetSpectralClustering(7, n_neighbors=5, random_state=5).fit(given)
        for jobs in ("1", "2"):
            labels = [
                int(line.split("\t")[1])
                for line in told(
                    ["cluster", *options, "-k", "7", "-o", "-", "--seed", "5", "--jobs", jobs, "--quiet"]
                ).out.splitlines()
            ]
            assert labels == model.labels_.tolist()


def test_settings_are_passed_through(folder, told, facts_of):
    nx.write_edgelist(nx.connected_caveman_graph(10, 8), "graph.txt", data=False)
    settings = facts_of("cluster graph.txt -k 10 --published -o labels.tsv")["settings"]
    assert (settings["sampling"], settings["published"]) == ("importance", True)
    given = "--coreset-size 0.5 --sampling uniform --eigen-solver exact --objective ncut --min-cluster-size 3"
    settings = json.loads(told(["cluster", "graph.txt", "-k", "5", "--json", "--effort", "fast", *given.split()]).out)[
        "settings"
    ]
    expected = {
        "coreset_size": 40, "sampling": "uniform", "eigen_solver": "exact", "published": False, "max_drafts": 1,
        "objective": "ncut", "min_cluster_size": 3,
    }  # fmt: skip
    assert {name: settings[name] for name in expected} == expected


def test_a_progress_line_on_a_terminal(folder, monkeypatch, told):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    shown = told("cluster graph.txt -k 2 -o labels.tsv").err
    assert "\rread: " in shown
    assert shown.endswith(" \r")


# -- info, convert, demo -----------------------------------------------------------------------------------------------


def test_info(folder, told, facts_of):
    printed = told("info graph.txt").out
    for words in ("6 nodes", "7 edges", "unweighted", "1 component", "2 (min)", "3 (max)", "6 nodes in the largest"):
        assert words in printed
    facts = facts_of("info graph.txt")
    assert facts["degrees"] == {"min": 2.0, "median": 2.0, "mean": pytest.approx(14 / 6), "max": 3.0}
    assert facts["largest_component"] == 6


def test_columns_of_an_edge_list(folder, told):
    (folder / "table.csv").write_text("5,1,a,b,9\n7,2,b,c,9\n")
    assert told("convert table.csv - --to csv --columns 2,3 --weight-column 1").out.splitlines()[-2:] == [
        "a,b,1.0",
        "b,c,2.0",
    ]
    assert told("convert table.csv - --to csv --columns 2,3 --weight-column none").out.splitlines()[-2:] == [
        "a,b",
        "b,c",
    ]


def test_version_and_module(folder):
    done = process("--version")
    assert (done.returncode, done.stdout.strip()) == (0, f"graphcore, version {graphcore.__version__}")


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_every_setting_has_an_option_every_option_a_help_that_lists_what_can_be_chosen(told):
    from graphcore.cluster.settings import PARAMETERS
    from graphcore.graphs.rows import SYMMETRIZE

    text = told("cluster --help").out
    for choice in (*SYMMETRIZE, *(word for each in PARAMETERS for word in each.choices if word)):
        assert choice in text
    options = {p.name: p for p in app.commands["cluster"].params}
    assert set(defaults()) <= set(options)
    for command in app.commands.values():
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.help, (command.name, option.name)


@pytest.mark.parametrize("defect", [ZeroDivisionError, EOFError])  # click takes the second for a user's Ctrl-D
def test_a_defect_is_not_dressed_up_as_bad_input(folder, monkeypatch, defect):
    def broken(*_, **__):
        raise defect

    monkeypatch.setattr("graphcore.files.read_graph", broken)
    with pytest.raises(defect):
        run(["info", "graph.txt"])


# -- interrupted -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_ctrl_c_while_reading(folder):
    os.mkfifo("pipe")
    command = [sys.executable, "-m", "graphcore", "cluster", "pipe", "-k", "2", "-o", "labels.tsv"]
    # Opening the pipe returns once the reader has opened its end, so the process is known to be at work.
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running, open("pipe", "w"):
        time.sleep(0.2)
        running.send_signal(signal.SIGINT)
        _, message = running.communicate(timeout=60)
    assert running.returncode == 130
    assert message.strip() == "graphcore: interrupted"
    assert sorted(os.listdir()) == ["graph.txt", "pipe"]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_while_writing_leaves_what_was_there(folder, number, code):
    (folder / "labels.tsv").write_text("before")
    # The signal comes when all labels have been written and are to be flushed to the disk.
    interrupt = f"""
import os, sys
os.fsync = lambda _: os.kill(os.getpid(), {int(number)})
from graphcore.cli import main
main(["cluster", "graph.txt", "-k", "2", "-o", "labels.tsv"])
"""
    done = process(code=interrupt)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(os.listdir()) == ["graph.txt", "labels.tsv"]
    assert (folder / "labels.tsv").read_text() == "before"


def test_an_interrupted_report_tells_where_the_labels_are(folder, told, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("graphcore.report.page.write_report", interrupt)
    said = told("cluster graph.txt -k 2 -o labels.tsv --report page.html", code=130).err
    assert said.endswith("graphcore: interrupted\ngraphcore: the labels are in labels.tsv\n")
    assert sorted(os.listdir()) == ["graph.txt", "labels.tsv"]


@pytest.mark.slow
@pytest.mark.parametrize("module", ["scipy", "sklearn", "click"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signals_before_imports_are_over_end_the_process(folder, module, number):
    """Extension modules that load run no handler of Python, as this module, which goes on whatever is raised in it."""
    (folder / f"{module}.py").write_text(
        "import time\nprint('loads', flush=True)\nwhile True:\n"
        "    try: time.sleep(60)\n    except BaseException: pass\n"
    )
    command = [sys.executable, "-c", "import sys; sys.path.insert(0, ''); from graphcore.cli import main; main()"]
    command += ["cluster", "graph.txt", "-k", "2", "-o", "labels.tsv"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout.readline() == "loads\n"
        running.send_signal(number)
        assert running.wait(60) == -number
        assert running.stderr.read() == ""


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["info --json graph.txt", "cluster graph.txt -k 2 -o -", "--help", "info --help"])
def test_an_output_that_nobody_reads_ends_the_command_as_it_ends_other_tools(folder, arguments):
    code = f"""
import os, sys
reading, writing = os.pipe()
os.close(reading)
os.dup2(writing, 1)
from graphcore.cli import main
main({arguments.split()})
"""
    done = process(code=code)
    assert done.returncode == 141
    assert "Traceback" not in done.stderr and "rror" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [["info", "a\x1b[31m"], ["info", "graph.txt", "--ids", "\x1b[31m"], ["convert", "graph.txt", "\x1b[31m.tsv"]],
)
def test_escape_sequences_of_names_do_not_reach_a_terminal(folder, monkeypatch, capsys, words):
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)
    run(words)
    shown = "".join(capsys.readouterr())
    assert "\\x1b[31m" in shown and "\x1b" not in shown


@pytest.mark.slow
def test_ctrl_c_does_not_wait_for_threads(folder):
    nx.write_edgelist(nx.connected_caveman_graph(10, 8), "graph.txt", data=False)
    interrupt = """
import os, signal, time
from graphcore.cluster.pipeline import drafts
from graphcore.cli import main
def long_work(*_, **__):
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(120)
drafts.sample_coreset = long_work
main(["cluster", "graph.txt", "-k", "2", "--jobs", "2", "-o", "labels.tsv"])
"""
    start = time.perf_counter()
    done = process(code=interrupt)
    assert done.returncode == 130, done.stderr
    assert time.perf_counter() - start < 60
    assert os.listdir() == ["graph.txt"]


# -- compilation -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_compilation_is_announced_once_and_only_when_it_happens(folder):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    notice = "graphcore: compiling its loops for this machine"
    assert process("info", "graph.txt", env=environment).stderr.count(notice) == 1
    assert process("info", "graph.txt", env=environment).stderr == ""
    # Other commands compile other loops, of which nothing new is to be said; a day later it is.
    assert notice not in process("compare", "graph.txt", "graph.txt", "--graph", "graph.txt", env=environment).stderr
    for told in (folder / "cache").rglob("compiling_was_told"):
        os.utime(told, (0, 0))
    assert notice in process("cluster", "graph.txt", "-k", "2", env=environment).stderr


def test_help_does_not_import_what_it_does_not_need():
    done = process(
        code="import sys; from graphcore.cli.app import run; run(['cluster', '--help']); "
        "print([m for m in ('numpy', 'numba', 'scipy', 'sklearn') if m in sys.modules])"
    )
    assert done.stdout.splitlines()[-1] == "[]"
