"""What README and the documentation show does work, and what they link to is there."""

import gzip
import re
import shlex
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

from graphcore.cli.app import run

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "datasets" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]


def blocks(page, language):
    return re.findall(
        rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with the files that the examples read."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "datasets").symlink_to(ROOT / "datasets")
    with gzip.open("edges.txt.gz", "wt") as file:
        file.writelines(f"{a}\t{b}\n" for a, b in nx.connected_caveman_graph(150, 6).edges)
    rng = np.random.default_rng(0)
    vectors = np.concatenate([rng.normal(10 * i, 1, (30, 4)) for i in range(10)])
    np.save("vectors.npy", vectors)
    np.savetxt("table.csv", vectors, delimiter=",", header="a,b,c,d", comments="")
    return tmp_path


@pytest.mark.parametrize("page", ["README.md", "docs/start.md"])
def test_python_examples_run(folder, page):
    namespace = {}
    found = blocks(page, "python")
    assert found
    for code in found:
        exec(compile(code, page, "exec"), namespace)
    labels = (folder / "labels.tsv").read_text().splitlines()
    assert len(labels) in (34, 900)


@pytest.mark.parametrize(("page", "needs"), [("docs/tables.md", ("pandas", "igraph")), ("docs/scikit_learn.md", ())])
def test_python_examples_of_guides_run(folder, page, needs):
    for library in needs:
        pytest.importorskip(library)
    namespace = {}
    for code in blocks(page, "python"):
        exec(compile(code, page, "exec"), namespace)
    assert "model" in namespace


@pytest.mark.parametrize("page", ["README.md", "docs/start.md", "docs/cli.md", "datasets/README.md"])
def test_shell_examples_run(folder, page, capsys):
    lines = [line for block in blocks(page, "bash") for line in block.splitlines()]
    commands = [shlex.split(line) for line in lines if re.match(r"(\S*/)?graphcore ", line)]
    assert commands
    for command in commands:
        assert run(command[1:]) == 0, command


def test_readme_has_its_two_commands_in_one_line_each():
    lines = [line for block in blocks("README.md", "bash") for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("python3 -m venv .venv && .venv/bin/pip install ")]
    assert [command.split()[-1] for command in commands] == ["demo", "pytest"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        assert target.startswith("https://") or target.startswith("http://") or (page.parent / target).exists(), target
