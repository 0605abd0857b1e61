"""Examples of README and the documentation work, and the targets of their links exist."""

import glob
import gzip
import inspect
import itertools
import re
import runpy
import shlex
from collections import Counter
from functools import cached_property, reduce
from importlib import import_module
from inspect import isclass, ismodule
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import bench
import graphcore
from bench import papers
from bench.__main__ import CASES
from graphcore.cli.app import app, run
from tests.files.bvgraphs import graph_files, write_files

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "datasets" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "theory").glob("*.md")),
    *sorted((ROOT / "docs" / "papers").glob("*.md")),
]
SHELL = [
    "docs/start.md",
    "docs/cli.md",
    "docs/report.md",
    "docs/web_graphs.md",
    "docs/how_to.md",
    "datasets/README.md",
]
THEORY = sorted(page for page in (ROOT / "docs" / "theory").glob("*.md") if page.stem != "draft_improve_recombine")


def blocks(page, language):
    return re.findall(
        rf"^```{language}\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


@pytest.fixture
def folder(here):
    """A folder with the files that the examples read."""
    (here / "datasets").symlink_to(ROOT / "datasets")
    with gzip.open("edges.txt.gz", "wt") as file:
        file.writelines(f"{a}\t{b}\n" for a, b in nx.connected_caveman_graph(150, 6).edges)
    (here / "classes.tsv").write_text("".join(f"{node}\t{node // 6}\n" for node in range(900)))
    rng = np.random.default_rng(0)
    vectors = np.concatenate([rng.normal(10 * i, 1, (30, 4)) for i in range(10)])
    np.save("vectors.npy", vectors)
    with gzip.open("edges.csv.gz", "wt") as file:
        file.writelines(f"{a},{b}\n" for a, b in nx.karate_club_graph().edges)
    (here / "parts").mkdir()
    for part in range(2):
        edges = "".join(f"{a},{b}\n" for a, b in list(nx.connected_caveman_graph(150, 6).edges)[part::2])
        (here / "parts" / f"{part}.csv").write_text(f"from_acct,to_acct\n{edges}")
    np.savetxt("table.csv", vectors, delimiter=",", header="a,b,c,d", comments="")
    links = nx.connected_caveman_graph(200, 6)
    write_files(here, graph_files([sorted(links[page]) for page in range(1200)]), "cnr-2000")
    return here


def execute(page, namespaces):
    """Run the blocks of a page, each in the namespace of its turn."""
    found = blocks(page, "python")
    assert found
    for code, namespace in zip(found, namespaces, strict=False):
        exec(compile(code, str(page), "exec"), namespace)
    return found


def test_readme_runs_from_top_to_bottom(folder):
    """Every example alone, in under ten lines, and in a shell the files that the examples before have written."""
    (folder / "vectors.npy").unlink()
    found = execute("README.md", iter(dict, None))
    assert len(found) == 2  # a graph, vectors
    for line in [line for block in blocks("README.md", "bash") for line in block.splitlines()]:
        if line.startswith(".venv/bin/graphcore cluster"):
            assert run(shlex.split(line)[1:]) == 0
    assert len((folder / "labels.tsv").read_text().splitlines()) == 34
    assert len((folder / "digits.tsv").read_text().splitlines()) == 1797
    assert "34" in (folder / "report.html").read_text(encoding="utf-8")
    assert all(len(code.splitlines()) < 10 for code in found)


def run_example(path):
    """Run an example of the gallery, in the folder of the test, without a window."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    namespace = runpy.run_path(ROOT / "examples" / path)
    pyplot.close("all")
    return namespace


def test_the_social_network_is_as_the_tutorial_says(folder, capsys):
    pytest.importorskip("pandas")
    namespace = run_example("tutorials/plot_1_social_network.py")
    groups = [line.split(", ") for line in capsys.readouterr().out.splitlines()[:6]]
    found = ["Enjolras", "Valjean", "Fantine", "Babet", "Myriel", "Judge"]
    assert [name in group for name, group in zip(found, groups, strict=True)] == [True] * 6
    table, choice = namespace["table"], namespace["choice"]
    assert set(table.sort_values("outside_share").tail(3).node) == {"Simplice", "Magnon", "Javert"}
    assert namespace["found"].ari.mean() < 0.9
    assert (choice.best, choice.clear) == (1, False)
    network = namespace["G"]
    assert nx.community.modularity(network, namespace["communities"]) == pytest.approx(0.57, abs=0.005)
    cut = graphcore.metrics.normalized_cut(network, namespace["model"].labels_)
    assert cut == pytest.approx(0.19, abs=0.005)


@pytest.mark.slow
def test_embeddings_are_as_the_tutorial_says(folder):
    namespace = run_example("tutorials/plot_2_embeddings.py")
    digits, agreement = namespace["digits"].labels, namespace["agreement"]
    assert agreement(namespace["model"].labels_, digits[:1500])["ari"] == pytest.approx(0.90, abs=0.01)
    assert agreement(namespace["later"], digits[1500:])["ari"] == pytest.approx(0.83, abs=0.01)
    assert (namespace["choice"].best, namespace["choice"].clear) == (10, True)


def test_every_estimator_and_every_picture_is_in_the_gallery():
    programs = [path.read_text(encoding="utf-8") for path in (ROOT / "examples").glob("*/plot_*.py")]
    assert len(programs) >= 25
    estimators = [name for name in graphcore.__all__ if hasattr(getattr(graphcore, name), "fit")]
    names = [f"graphcore.{name}(" for name in estimators]
    names += [f"plot.{name}(" for name in graphcore.plot.__all__]
    assert len(names) > 15
    assert [name for name in names if not any(name in program for program in programs)] == []


# Claims of a page about its code, besides that it runs.
CLAIMS = {
    "start": ["len(open('labels.tsv').readlines()) == 900"],
    "kernel_kmeans": [
        "graphcore.metrics.agreement(model.labels_, ring)['ari'] == 1.0",
        # The two new points lie on the inner ring and on the outer one.
        "list(model.predict([[0, 0.2], [1, 0]])) == [model.labels_[f(np.hypot(*X.T))] for f in (np.argmin, np.argmax)]",
    ],
    "nystrom": [
        "abs(guarantee.eps_hat - 0.21) < 0.01", "abs(model.diagnostics_.eps_hat - 2.37) < 0.02",
        # More landmarks preserve more of the kernel; digits can differ where the libraries below round otherwise.
        "[last[0], last[2]] == ['50', '200'] and 1 > float(last[1]) > float(last[3]) > 0",
        "all(one == other or abs(float(one) / float(other) - 1) < 0.01 for one, other in zip(out, shown, strict=True))",
    ],
    "sketch": ["\"'ari': 1.0\" in ' '.join(out)"], "sparse": ["out == shown"],
    "how_to": ["(choice.best, choice.clear) == (10, True)", "sizes.min() >= 40"],
    "distributed": ["len(labels) == 1797 and model.labels_.max() == 4"],
    "pictures": ["len(pyplot.get_fignums()) == 8"], "flats": ["search.best_params_ == dict(n_clusters=20, n_dims=5)"],
}  # fmt: skip
NEEDS = {
    "other_tools": ("pandas", "igraph"), "embeddings": ("pandas",), "web_graphs": ("pandas",),
    "distributed": ("distributed", "pyarrow"), "pictures": ("matplotlib",), "report": ("matplotlib",),
}  # fmt: skip
ALONE = ("index",)  # every block of it by itself
LONG = ("bipartite", "choose_k", "distributed", "pictures", "report")
# Lines that other tests run, or that speak of files and names of the reader's own.
NOT_HERE = ("networkx", "conveniences", "files", "graphs", "huge")
WITH_CODE = [
    page.relative_to(ROOT / "docs").with_suffix("").as_posix()
    for page in PAGES
    if ROOT / "docs" in page.parents and blocks(page, "python")
]


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (page in LONG)) for page in WITH_CODE if page not in NOT_HERE],
)
def test_python_examples_run(folder, page, capsys):
    for library in NEEDS.get(page, ()):
        pytest.importorskip(library)
    pyplot = import_module("matplotlib.pyplot") if page in ("report", "pictures") else None
    if pyplot:
        pyplot.switch_backend("Agg")
    if page == "distributed":
        graphcore.write_graph(graphcore.read_graph("edges.txt.gz"), "edges.store")
    names = {}
    execute(f"docs/{page}.md", iter(dict, None) if page in ALONE else itertools.repeat(names))
    shown = "".join(blocks(f"docs/{page}.md", "text")).replace(",", "").split()
    printed = capsys.readouterr().out.replace(",", "").split()
    told = {"out": printed, "shown": shown, "np": np, "graphcore": graphcore, "pyplot": pyplot}
    if page == "nystrom":
        told |= {"out": printed[: len(shown)], "last": printed[len(shown) :]}
    for claim in CLAIMS.get(page, ()):
        assert eval(claim, names | told), claim
    if pyplot:
        pyplot.close("all")


@pytest.mark.parametrize(
    "page", [pytest.param(p, marks=[pytest.mark.slow] * ("report" in p or p == "docs/cli.md")) for p in SHELL]
)
def test_shell_examples_run(folder, page, capsys):
    lines = [line for block in blocks(page, "bash") for line in block.splitlines()]
    commands = [shlex.split(line) for line in lines if re.match(r"(\S*/)?graphcore ", line)]
    assert commands
    for words in commands:
        command = [path for word in words for path in ("*" in word and sorted(glob.glob(word))) or [word]]  # as a shell
        assert run(command[1:]) == 0, command


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.stem)
def test_code_is_as_wide_as_a_page(page):
    code = [line for kind in ("python", "bash", "sh") for block in blocks(page, kind) for line in block.splitlines()]
    assert [line for line in code if len(line) > 88] == []


def test_long_code_wraps_and_tables_of_four_columns_fit_a_telephone():
    rules = (ROOT / "docs/static/pages.css").read_text(encoding="utf-8")
    everywhere, narrow = rules.split("@media", 1)
    assert re.search(r"div\.highlight > pre {[^}]*white-space: pre-wrap", everywhere)
    widest = re.findall(r"(table\.docutils[^{]*){\s*min-width", narrow)
    assert widest and all(":has(th:nth-child(5))" in rule for rule in widest)


def test_readme_has_its_two_commands_in_one_line_each():
    lines = [line for block in blocks("README.md", "bash") for line in block.splitlines()]
    commands = [line for line in lines if line.startswith("python3 -m venv .venv && .venv/bin/pip install ")]
    commands = [command.split("&& .venv/bin/")[-1] for command in commands]
    assert commands == ["graphcore demo", "python -m pytest"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
        if made := re.search(r"gallery/(.+)\.rst$", target):  # from an example, when the pages are built
            file = ROOT / "examples" / ("GALLERY_HEADER.rst" if made[1] == "index" else f"{made[1]}.py")
        else:
            file = page.parent / target
        assert target.startswith(("https://", "http://")) or file.exists(), target


@pytest.mark.parametrize("page", THEORY, ids=lambda page: page.stem)
def test_what_the_theory_pages_name_exists(page):
    """Public or importable names in the second column, in the third files of tests and tests in them, or an exhibit."""
    rows = [line.split(" | ") for line in page.read_text(encoding="utf-8").split("## ")[0].splitlines()]
    rows = [row for row in rows if len(row) == 4][2:]
    assert len(rows) > 10
    for _, where, tests, _ in rows:
        for name in re.findall(r"`([^`]+)`", where):
            if name.startswith("python -m bench run "):
                assert name.split()[-1] in CASES
            elif exhibit := re.fullmatch(r"python -m bench paper (\S+) --only (\S+)", name):
                assert papers.paper(exhibit[1]).exhibit(exhibit[2])
                assert f"(#{exhibit[1]}-{exhibit[2]})" in tests
            else:
                reduce(
                    descend, name.removeprefix("bench.").split("."), bench if name.startswith("bench.") else graphcore
                )
        assert tests.startswith(("`", "[")) or tests == "the bench"
        file = None
        for name in re.findall(r"`([^`]+)`", tests):
            if name.endswith(".py"):
                file = (ROOT / "tests" / name).read_text(encoding="utf-8")
            else:
                assert re.search(rf"^ *def {name}\(", file, re.MULTILINE), name


def descend(holder, name):
    """Return an attribute, or a module that has to be imported first."""
    return getattr(holder, name) if hasattr(holder, name) else import_module(f"{holder.__name__}.{name}")


def test_every_public_name_is_once_in_the_reference():
    """By itself, or on the page of its module, which shows what is in ``__all__`` and has a docstring."""
    pages = [(ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("api.rst", "algorithms.rst")]
    listed = re.findall(r"^   ([A-Za-z_][\w.]*)$", "".join(pages), re.MULTILINE)
    assert [name for name, count in Counter(listed).items() if count > 1] == []
    assert [name for name in graphcore.__all__ if name not in listed] == []
    for name in listed:
        assert inspect.getdoc(reduce(descend, name.split("."), graphcore)), name
    modules = [name for name in graphcore.__all__ if ismodule(getattr(graphcore, name))]
    for module in modules:
        assert [name for name in listed if name.startswith(f"{module}.")] == []
        holder = getattr(graphcore, module)
        assert [n for n in holder.__all__ if not n.isupper() and not inspect.getdoc(getattr(holder, n))] == []


def test_every_method_shows_what_it_takes_and_returns_and_an_example():
    """Methods of public classes that are our own, but for those of objects that only algorithms return."""
    classes = [getattr(graphcore, name) for name in graphcore.__all__ if isclass(getattr(graphcore, name))]
    missing = []
    for cls in classes:
        if cls is graphcore.Coreset or issubclass(cls, Exception):
            continue
        for name, method in inspect.getmembers(cls, inspect.isroutine):
            is_own = str(getattr(method, "__module__", "")).startswith("graphcore.")
            if name.startswith("_") or not is_own or isinstance(method, cached_property):
                continue
            text = inspect.getdoc(method) or ""
            signature = inspect.signature(method)
            sections = ["Examples"] + ["Returns"] * (str(signature.return_annotation) != "None")
            sections += ["Parameters"] * bool(set(signature.parameters) - {"self", "X", "y"})
            missing += [f"{cls.__name__}.{name}: {section}" for section in sections if f"{section}\n---" not in text]
    assert missing == []


def test_every_parameter_is_explained():
    """The page of parameters has a row for each, with its default."""
    text = (ROOT / "docs" / "parameters.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| `?([^`|]+?)`? \|", text, re.MULTILINE))
    parameters = inspect.signature(graphcore.CoresetSpectralClustering).parameters
    assert rows == {
        name: str(p.default).join(['"'] * 2 if isinstance(p.default, str) else ["", ""])
        for name, p in parameters.items()
    }


def test_every_command_and_option_is_on_the_page():
    """The options of `cluster`; other commands by their name."""
    text = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    for name, command in app.commands.items():
        assert f"`{name}`" in text, name
        options = {option for p in command.params for option in p.opts if option.startswith("--")}
        if name == "cluster":
            assert [option for option in options if not re.search(rf"`{option}\b", text)] == []


def test_every_folder_is_on_the_map():
    """The map of the house names every folder and module of graphcore."""
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    here = ROOT / "graphcore"
    folders = [f"`{path.name}/`" for path in here.iterdir() if (path / "__init__.py").exists()]
    modules = [f"`{path.name}`" for path in here.glob("*.py") if path.name not in ("__init__.py", "__main__.py")]
    assert [name for name in folders + modules if name not in text] == []
