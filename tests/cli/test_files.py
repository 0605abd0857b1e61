"""No command writes over a file that it reads, nor two outputs to one place; closed and full standard streams."""

import os
import shlex
import subprocess
import sys
from itertools import combinations, product
from pathlib import Path

import click
import pytest
from graphcore.cli.files import FilePath

import graphcore
from graphcore import Graph, InputError
from graphcore.cli.app import app, run
from graphcore.files import atomic
from tests.cli.test_cli import TRIANGLES

# Parameters that take a word which is no file, by name; whoever adds one says so here, or gives it a FilePath.
WORDS = {
    "algorithm", "columns", "comments", "delimiter", "encoding", "format", "ids", "memory", "metric", "mode",
    "scheduler", "symmetrize", "title", "to_format", "weight_column", "weighting",
}  # fmt: skip
# What a command needs beside its files.
NEEDED = {"cluster": ["-k", "2"]}
REPLACED = {("update", "model", "save")}


def is_file(parameter):
    return isinstance(parameter.type, FilePath)


PAIRS = [
    (name, one.name, other.name)
    for name, command in app.commands.items()
    for one, other in combinations(filter(is_file, command.params), 2)
    if (one.type.written or other.type.written) and (name, one.name, other.name) not in REPLACED
]


@pytest.fixture
def folder(folder, monkeypatch):
    """A folder in a folder, with a small graph of two triangles."""
    (folder / "here").mkdir()
    os.rename("graph.txt", "here/graph.txt")
    monkeypatch.chdir(folder / "here")
    return folder / "here"


def state(folder):
    """Return names, kinds and contents of all files in a folder."""
    return {
        str(path): os.readlink(path) if path.is_symlink() else path.is_dir() or path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }


def words(name, values):
    """Write a command with these values of its parameters, and a file for each other argument."""
    command = app.commands[name]
    typed = [name, *NEEDED.get(name, [])]
    for p in command.params:
        if not isinstance(p, click.Option):
            typed.append(values.get(p.name, f"{p.name}.txt"))
        elif p.name in values or p.required:
            typed += [p.opts[0], values.get(p.name, f"{p.name}.html")]
    return typed


def test_every_parameter_that_takes_a_word_is_a_file_or_known_to_be_none():
    unknown = {
        (name, p.name)
        for name, command in app.commands.items()
        for p in command.params
        if type(p.type) in (click.types.StringParamType, click.Path) and p.name not in WORDS
    }
    assert unknown == set()
    named = {p.name for command in app.commands.values() for p in command.params if p.metavar and "FILE" in p.metavar}
    assert named == {
        p.name for command in app.commands.values() for p in command.params if is_file(p) and p.metavar == "FILE"
    }


DISGUISES = {
    "the same name": lambda path: path,
    "relative": lambda path: f"../here/./{path}",
    "absolute": os.path.abspath,
    "symbolic link": lambda path: os.symlink(path, "link.txt") or "link.txt",
    "link of a link": lambda path: os.symlink(path, "a") or os.symlink(os.path.abspath("a"), "link") or "link",
    "linked folder": lambda path: os.symlink("here", "../there") or f"../there/{path}",
    "hard link": lambda path: os.link(path, "hard.txt") or "hard.txt",
}


@pytest.mark.slow
@pytest.mark.parametrize("there", [True, False])
@pytest.mark.parametrize("disguise", DISGUISES)
def test_two_uses_of_one_file_are_refused_before_anything_is_read(folder, disguise, there, told):
    assert {name for name, *_ in PAIRS} == {"cluster", "predict", "update", "report", "convert", "knn", "build"}
    assert len(PAIRS) > 40
    if disguise == "hard link" and not there:
        pytest.skip("of what is not there, there is none")
    for p in {p for command in app.commands.values() for p in filter(is_file, command.params)}:
        (folder / f"{p.name}.txt").write_text("no graph")
    if there:
        (folder / "one.txt").write_text("no graph")
    other = DISGUISES[disguise]("one.txt")
    before = state(folder)
    for (name, first, second), swapped in product(PAIRS, (False, True)):
        paths = ("one.txt", other) if not swapped else (other, "one.txt")
        typed = words(name, dict(zip((first, second), paths, strict=True)))
        said = told(typed, 2).err
        assert "are the same file" in said and said.count("\n") == 1, (typed, said)
    assert state(folder) == before


@pytest.mark.parametrize(
    "typed",
    [
        "cluster graph.txt -k 2 -o graph.txt",
        "cluster graph.txt -k 2 --report graph.txt",
        "convert graph.txt graph.txt --to metis",
        "cluster graph.txt -k 2 -o z.tsv --tree z.tsv",
        "cluster graph.txt -k 2 --tree graph.txt.clusters.tsv",  # where labels go without -o
        "build graph.txt part.txt part.txt",
        "convert g.store g.store",
        "convert g.store/meta.json g.store",
        "build g.store/meta.json g.store",
        "cluster g.store -k 2 -o g.store/indices.npy",
        "cluster g.store -k 2 --report g.store/page.html",
    ],
)
def test_nothing_is_lost(folder, typed, told):
    graphcore.write_graph(Graph.from_edges([0, 1], [1, 2]), "g.store")
    (folder / "part.txt").write_text(TRIANGLES)
    before = state(folder)
    said = told(typed, 2).err
    assert "would be lost; choose another output" in said and said.count("\n") == 1
    assert state(folder) == before


@pytest.mark.slow
def test_what_only_looks_like_one_file_is_two(folder, told):
    (folder / "GRAPH.txt").write_text("by hand")
    (folder / "sub").mkdir()
    folds = (folder / "Sub").exists()
    options = "-o sub/graph.txt --tree sub/graph.txt.tsv --membership graph.tsv --report /dev/null --model model.npz"
    assert run(["cluster", "graph.txt", "-k", "2", *options.split()]) == 0
    assert (folder / "GRAPH.txt").read_text() == "by hand"
    assert run(["cluster", "graph.txt", "-k", "2", "-o", "x.tsv", "--tree", "X.tsv"]) == (2 if folds else 0)
    assert run(["compare", "x.tsv" if not folds else "graph.tsv", "x.tsv" if not folds else "graph.tsv"]) == 0
    assert "lost" not in told("cluster graph.txt -k 2 -o /dev/null --report /dev/null").err


def test_a_file_system_that_folds_case_is_asked(folder, monkeypatch, told):
    made = os.mkdir

    def folding(path, *args, **options):
        made(path, *args, **options)
        head, name = os.path.split(path)
        if name in ("z.tsv", "Z.TSV"):
            made(os.path.join(head, name.swapcase()))

    monkeypatch.setattr(atomic.os, "mkdir", folding)
    before = state(folder)
    assert "-o z.tsv and --tree Z.TSV are the same file" in told("cluster graph.txt -k 2 -o z.tsv --tree Z.TSV", 2).err
    assert state(folder) == before


def test_a_model_is_updated_where_it_is(folder, told):
    (folder / "new.txt").write_text("a x\n")
    told("cluster graph.txt -k 2 -o l.tsv --model model.npz")
    before = (folder / "model.npz").read_bytes()
    os.symlink("model.npz", "link.npz")
    assert "labels   l.tsv" in told("update model.npz new.txt -o l.tsv").out
    (folder / "nodes.csv").write_text(
        "id,age\n" + "".join(f"{name},1\n" for name in graphcore.load("model.npz").graph_.node_names)
    )
    assert "no attributes of nodes: age" in told("update model.npz new.txt --nodes nodes.csv --save with_ages.npz").err
    once = (folder / "model.npz").read_bytes()
    assert once != before
    (folder / "calls.txt").write_text("a b\na b\nb c\nc d\nd a\n")
    told("cluster calls.txt -k 2 -o c.tsv --weight-column none --count-repeats --model counted.npz")
    told("update counted.npz new.txt --weight-column none --count-repeats")
    assert graphcore.load("counted.npz").graph_.weights.sum() == 2 * (5 + 1)
    told("update model.npz --removed new.txt --save link.npz")
    assert (folder / "model.npz").read_bytes() != once
    loaded = graphcore.load("model.npz")
    loaded.update(removed=(["c"], ["b"]))
    loaded.save("model.npz")
    assert graphcore.load("model.npz").graph_.n_edges == loaded.graph_.n_edges
    after = state(folder)
    for typed in ("new.txt -o model.npz", "new.txt --save new.txt", "new.txt --save l.tsv -o l.tsv"):
        told(f"update model.npz {typed}", 2)
        assert state(folder) == after, typed


def test_both_directions_of_new_edges_become_one_as_in_the_fit(folder, told):
    (folder / "w.csv").write_text("from,to,weight\na,b,1\nb,a,3\nb,c,1\nc,d,1\nd,a,1\n")
    (folder / "new.csv").write_text("from,to,weight\na,e,5\ne,a,7\n")
    for typed, once, again in (("", 3, 7), (" --symmetrize sum", 4, 12)):
        told(f"cluster w.csv -k 2 -o l.tsv --model m.npz{typed}")
        told("update m.npz new.csv -o l.tsv")
        entries = graphcore.load("m.npz").graph_.to_scipy()
        assert (entries[0, 1], entries[0, 4]) == (once, again)
    (folder / "gone.csv").write_text("from,to\nc,b\n")  # each edge once, whatever makes one of both directions
    (folder / "both.csv").write_text("from,to\na,b\nb,a\nb,c\nc,b\nc,a\na,c\n")
    told("cluster both.csv -k 1 -o l.tsv --model m.npz --symmetrize min")
    assert "(0 new, 1 gone)" in told("update m.npz --removed gone.csv").out


def test_a_graph_on_disk_is_not_written_over_nor_into_by_python(folder):
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], [1.0, 2.0, 3.0])
    graphcore.write_graph(graph, "g.store")
    Path("g.store/edges.txt").write_text("0 1\n")
    os.symlink("g.store", "link.store")
    before = state(folder)
    for opened in (graphcore.open_graph("g.store"), graphcore.read_graph("g.store", weight_column=None)):
        with pytest.raises(InputError, match=r"input \S+/g\.store and the output \S+/link\.store are the same"):
            graphcore.write_graph(opened, folder / "link.store")
    with pytest.raises(InputError, match="lie one in the other"):
        graphcore.build_store(["g.store/edges.txt"], "g.store")
    for write in (
        lambda path: graphcore.write_labels([0, 0, 0], path),
        lambda path: graphcore.write_graph(graph, path, "tsv"),
        lambda path: graphcore.CoresetSpectralClustering(1, random_state=0).fit(graph).report(path),
        lambda path: graphcore.CoresetSpectralClustering(1, random_state=0).fit(graph).save(path),
    ):
        with pytest.raises(PermissionError, match="graph on disk, whose files are its own"):
            write("link.store/indices.npy")
    assert state(folder) == before
    graphcore.write_graph(graph, "g.store")  # another graph may take its place
    assert graphcore.open_graph("g.store").n_edges == 3


# -- standard streams --------------------------------------------------------------------------------------------------


def shell(line):
    """Run a line of a shell in which `graphcore` is the command."""
    command = f'graphcore() {{ {shlex.quote(sys.executable)} -m graphcore "$@"; }}\n{line}'
    return subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300, check=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        "graphcore cluster - -k 2 -o graph.txt < graph.txt",
        "graphcore cluster graph.txt -k 2 -o /dev/stdout >> labels.tsv",
        "graphcore convert graph.txt - --to tsv >> graph.txt",
    ],
)
def test_redirected_streams_are_files_too(folder, line):
    (folder / "labels.tsv").write_text("by hand")
    before = state(folder)
    done = shell(line)
    assert done.returncode == 2
    assert "are the same file" in done.stderr and done.stderr.count("\n") == 1
    assert state(folder) == before


@pytest.mark.slow
def test_closed_streams_and_a_full_one_of_errors_lose_nothing(folder):
    """The graph looks directed, which is a warning."""
    (folder / "d.txt").write_text("1 2\n2 1\n2 3\n")
    done = shell("graphcore cluster d.txt -k 1 -o labels.tsv 2>&- >&- <&-")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (folder / "labels.tsv").read_text() == "1\t0\n2\t0\n3\t0\n"
    assert shell("graphcore cluster d.txt -k 0 -o labels.tsv 2>&-").returncode == 2
    assert sorted(os.listdir(folder)) == ["d.txt", "graph.txt", "labels.tsv"]
    done = shell("graphcore cluster d.txt -k 1 -o - 2>/dev/full")
    assert (done.returncode, done.stdout) == (0, "1\t0\n2\t0\n3\t0\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("graphcore cluster graph.txt -k 2 -o - >&-", "standard output: it is closed; write to a file"),
        ("graphcore info - <&-", "standard input: it is closed; name a file"),
        ("graphcore convert graph.txt - --to tsv >/dev/full", "standard output: No space left on device"),
    ],
)
def test_streams_that_are_closed_or_full_are_named(folder, line, said):
    done = shell(line)
    assert (done.returncode, done.stderr) == (2, f"graphcore: {said}\n")
