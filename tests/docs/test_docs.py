"""The code of the README and of pages runs; links, names and options of all pages exist."""

import ast
import inspect
import re
import shlex
import textwrap
from collections import Counter
from functools import reduce
from importlib import import_module
from inspect import isclass, ismodule
from pathlib import Path

import pytest

import bench
import graphcore
from bench import papers
from bench.__main__ import CASES
from graphcore.cli.app import app, run

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [
    ROOT / "README.md", ROOT / "CHANGELOG.md", ROOT / "datasets" / "README.md",
    *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("theory/*.md")), *sorted(DOCS.glob("papers/*.md")),
]  # fmt: skip
QUICK = ("README.md", "docs/start.md", "docs/how_to.md", "docs/coresets.md")
# Other pages whose code runs, and what it needs from before them.
SLOW = {f"docs/{name}.md": before for name, before in {
    "choose_k": "", "flats": "", "kernel_kmeans": "", "levels": "", "libraries": "", "nystrom": "", "sketch": "",
    "embeddings": "texts, X_new = ['red apple', 'blue sea', 'deep sea'] * 20, np.ones((2, 64))",
    "files": """G, people = nx.path_graph(2), {'id': [0, 1], 'age': [1, 2]}
Path('edges.txt.gz').write_bytes(gzip.compress(b'0 1')), Path('people.csv').write_text('id,age\\n0,1\\n1,2')""",
    "graphs": "Path('edges.txt').write_text('a b'); A, G = np.ones((3, 3)), nx.path_graph(3)",
    "huge": "for n in '12': np.savetxt(f'part-{n}.txt.gz', np.random.default_rng(0).integers(0, 500, (4000, 2)), '%d')",
    "results": "rows = np.eye(34); model = graphcore.CoresetSpectralClustering(2).fit(nx.karate_club_graph())",
    "scikit_learn": "",
}.items()}  # fmt: skip
BEFORE = "import gzip, graphcore, networkx as nx, numpy as np; from pathlib import Path"
THEORY = sorted(DOCS.glob("theory/*.md"))


def blocks(page):
    """Return pairs of language and code, in the order of the page."""
    text = (ROOT / page).read_text("utf-8")
    found = re.findall(r"^ *```(python|bash)\n(.*?)^ *```", text, re.DOTALL | re.MULTILINE)
    return [(language, textwrap.dedent(code)) for language, code in found]


@pytest.fixture
def folder(here):
    """A folder with what a checkout has beside the pages: all other files are written by the code."""
    (here / "datasets").symlink_to(ROOT / "datasets")
    return here


@pytest.mark.parametrize("page", [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)])
def test_code_runs_as_printed(folder, page):
    """From top to bottom: Python in one namespace, with the numbers and True behind it in comments, and commands."""
    names, n_commands = {}, 0
    if page in SLOW:
        exec(f"{BEFORE}\n{SLOW[page]}", names)
    for language, code in blocks(page):
        if language == "python":
            exec(compile(code, page, "exec"), names)
            for expression, value in re.findall(r"^(?!assert)(\S.*\S)  # (True|\d[\d.]*)(?::.*)?$", code, re.MULTILINE):
                assert eval(expression, names) == ast.literal_eval(value), expression
            continue
        for line in code.splitlines():
            if re.match(r"(\.venv/bin/)?graphcore (?!demo)", line):
                assert run(shlex.split(line)[1:]) == 0, line
                n_commands += 1
    assert names and (n_commands or page not in QUICK[:3])


def test_readme_has_its_two_commands_in_one_line_each():
    lines = [line for language, code in blocks("README.md") for line in code.splitlines() if language == "bash"]
    commands = [line for line in lines if line.startswith("python3 -m venv .venv && .venv/bin/pip install ")]
    assert [command.split("&& .venv/bin/")[-1] for command in commands] == ["graphcore demo", "python -m pytest"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if made := re.search(r"gallery/(.+)\.rst$", target):  # from an example, when the pages are built
            file = ROOT / "examples" / ("GALLERY_HEADER.rst" if made[1] == "index" else f"{made[1]}.py")
        else:
            file = page.parent / target
        assert target.startswith(("https://", "http://")) or file.exists(), target


@pytest.mark.parametrize("page", THEORY, ids=lambda page: page.stem)
def test_names_on_pages_of_claims_exist(page):
    """Importable names in the second column, in the third files of tests and tests in them, or an exhibit."""
    rows = [line.split(" | ") for line in page.read_text(encoding="utf-8").split("## ")[0].splitlines()]
    rows = [row for row in rows if len(row) == 4][2:]
    assert len(rows) > 10
    for _, where, tests, _ in rows:
        for name in re.findall(r"`([^`]+)`", where):
            if name.startswith("python -m bench run "):
                assert name.split()[-1] in CASES
            elif exhibit := re.fullmatch(r"python -m bench paper (\S+) --only (\S+)", name):
                assert papers.paper(exhibit[1]).exhibit(exhibit[2])
            else:
                holder = bench if name.startswith("bench.") else graphcore
                reduce(descend, name.removeprefix("bench.").split("."), holder)
        file = None
        for name in re.findall(r"`([^`]+)`", tests):
            if name.endswith(".py"):
                file = (ROOT / "tests" / name).read_text(encoding="utf-8")
            else:
                assert re.search(rf"^ *def {name}\(", file, re.MULTILINE), name


def test_functions_that_pages_call_exist():
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    names = set(re.findall(r"(?<![\w./])graphcore\.([A-Za-z_][\w.]*)(?=\()", text))
    assert {"load", "metrics.central_nodes"} <= names
    for name in names:
        reduce(descend, name.split("."), graphcore)


def descend(holder, name):
    """Return an attribute, or a module that has to be imported first."""
    return getattr(holder, name) if hasattr(holder, name) else import_module(f"{holder.__name__}.{name}")


def test_every_public_name_is_once_in_the_reference():
    """By itself, or on the page of its module, which shows what is in ``__all__`` and has a docstring."""
    listed = re.findall(r"^   ([A-Za-z_][\w.]*)$", (DOCS / "api.rst").read_text(encoding="utf-8"), re.MULTILINE)
    assert [name for name, count in Counter(listed).items() if count > 1] == []
    assert [name for name in graphcore.__all__ if name not in listed] == []
    for name in listed:
        assert inspect.getdoc(reduce(descend, name.split("."), graphcore)), name
    for module in [getattr(graphcore, name) for name in graphcore.__all__ if ismodule(getattr(graphcore, name))]:
        assert [n for n in module.__all__ if not n.isupper() and not inspect.getdoc(getattr(module, n))] == []


def test_every_method_of_an_estimator_shows_what_it_takes_and_returns_and_an_example():
    missing = []
    for cls in [getattr(graphcore, name) for name in graphcore.__all__ if isclass(getattr(graphcore, name))]:
        for name, method in inspect.getmembers(cls, inspect.isfunction):
            if hasattr(cls, "fit") and not name.startswith("_") and method.__module__.startswith("graphcore."):
                text, signature = inspect.getdoc(method) or "", inspect.signature(method)
                sections = ["Examples"] + ["Returns"] * (str(signature.return_annotation) != "None")
                sections += ["Parameters"] * bool(set(signature.parameters) - {"self", "X", "y"})
                missing += [f"{cls.__name__}.{name}: {s}" for s in sections if f"{s}\n---" not in text]
    assert missing == []


def test_every_parameter_every_command_and_every_option_of_cluster_is_explained():
    """The page of parameters has a row for each, with its default."""
    text = (DOCS / "parameters.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| `?([^`|]+?)`? \|", text, re.MULTILINE))
    parameters = inspect.signature(graphcore.CoresetSpectralClustering).parameters
    assert rows == {
        n: f'"{p.default}"' if isinstance(p.default, str) else f"{p.default}" for n, p in parameters.items()
    }
    text = (DOCS / "cli.md").read_text(encoding="utf-8")
    options = {option for p in app.commands["cluster"].params for option in p.opts if option.startswith("--")}
    assert [name for name in [*app.commands, *options] if not re.search(rf"`{name}\b", text)] == []


def test_every_folder_is_on_the_map():
    """The page on the design names every folder and module of graphcore; that on a fit names files that exist."""
    text = (DOCS / "design.md").read_text(encoding="utf-8")
    here = ROOT / "graphcore"
    folders = [f"`{path.name}/`" for path in here.iterdir() if (path / "__init__.py").exists()]
    modules = [f"`{path.name}`" for path in here.glob("*.py") if path.name not in ("__init__.py", "__main__.py")]
    assert [name for name in folders + modules if name not in text] == []
    named = re.findall(r"`([a-z_/]+/(?:\w+\.py)?)`", (DOCS / "how_it_works.md").read_text(encoding="utf-8"))
    assert len(named) > 8 and [name for name in named if not (here / name).exists() and name != "graphcore/"] == []
