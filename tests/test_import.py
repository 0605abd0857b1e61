"""Importing graphcore costs next to nothing, and its files import one way only, as docs/design.md has it."""

import ast
import functools
import subprocess
import sys
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

import graphcore

ROOT = Path(graphcore.__file__).parent.parent

HEAVY = (
    "dask", "distributed", "joblib", "networkx", "numba", "pandas", "polars", "pyarrow", "pynndescent", "scipy",
    "sklearn", "threadpoolctl", "tqdm",
)  # fmt: skip


def loaded_after(*steps):
    """Heavy packages that a fresh interpreter holds after each step of a program."""
    told = f"\nimport sys\nprint(*[name for name in {HEAVY} if name in sys.modules])\n"
    script = "".join(step + told for step in steps)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    return [set(line.split()) for line in done.stdout.splitlines()]


def test_imports_load_nothing_heavy():
    names = "graphcore", "graphcore.cli", "graphcore.exceptions", "graphcore.networkx._info", "graphcore.datasets"
    assert loaded_after(*(f"import {name}" for name in names)) == [set()] * 5


@pytest.mark.slow
def test_a_graph_needs_no_more_than_numba_and_clustering_it_by_default_no_scikit_learn():
    # numba itself imports scipy's linear algebra; scikit-learn and networkx take a second, and are not needed.
    a_graph = "import graphcore; graphcore.Graph.from_edges([0, 1], [1, 2]).n_components"
    clustering = """
from graphcore.cluster.pipeline import cluster_graph
from graphcore.cluster.settings import resolve_settings
graph = graphcore.Graph.from_edges([0, 1, 2, 3, 4, 5, 0], [1, 2, 0, 4, 5, 3, 3])
cluster_graph(graph, resolve_settings(graph, 2), random_state=0)
"""
    made, clustered = loaded_after(a_graph, clustering)
    assert made <= {"numba", "scipy"} and clustered <= {"numba", "scipy", "joblib"}


@pytest.mark.parametrize("name", ["metrics", "plot", "report"])
def test_rooms_list_the_names_that_are_meant_for_users(name):
    room = import_module(f"graphcore.{name}")
    assert dir(room) == sorted(room.__all__)


@pytest.mark.parametrize("name", graphcore.__all__)
def test_every_public_name_is_there_and_documented(name):
    value = getattr(graphcore, name)
    assert value.__doc__
    assert name in dir(graphcore)


def test_unknown_names():
    with pytest.raises(AttributeError, match="'graphcore' has no attribute 'Grph'"):
        _ = graphcore.Grph


# A room imports from itself and from the rooms before its own.
ROOMS = (
    "exceptions", "base", "graphs", "files", "distributed", "neighbors", "kernels datasets", "cluster",
    "kernel_methods", "metrics", "plot", "report",
    "cluster.estimator",  # the class, which looks at its clusters by what measures and shows them
    "networkx", "cli", "__main__",
)  # fmt: skip
# The front of `files` opens graphs on disk; the store is built by the readers, and never imports that front.
FRONT = {"graphcore.files", "graphcore.files.read_write"}


@functools.cache
def imports(package):
    """Each file of a package, by its module's name, and the files that it imports, inside functions too."""
    root = ROOT / package
    files = {}
    for path in root.rglob("*.py"):
        parts = [package, *path.relative_to(root).with_suffix("").parts]
        files[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    found = {}
    for module, path in files.items():
        base = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found[module] = {owner(files, name) for name in imported_names(tree, base)} - {module, None}
    return found


def imported_names(tree, base):
    """Absolute names of all that a file in the package `base` imports, with the names behind `from`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = base[: len(base) - node.level + 1] if node.level else []
            source = [*start, *([node.module] if node.module else [])]
            yield from (".".join([*source, alias.name]) for alias in node.names)


def owner(files, name):
    """The module among `files` that an imported name is, or is in; None where it is in no file of them."""
    while name and name not in files:
        name = name.rpartition(".")[0]
    return name or None


@pytest.mark.slow
@pytest.mark.parametrize(("package", "least"), [("graphcore", 300), ("bench", 30)])
def test_no_file_imports_itself_by_way_of_others(package, least):
    found = imports(package)
    # The package itself holds only public names, which it imports when they are first used, and the version.
    found = {module: names - {package} for module, names in found.items()}
    TopologicalSorter(found).prepare()  # or it says where the circle is
    assert sum(map(len, found.values())) > least  # imports are found at all


def backwards(found, order, level):
    """Imports between the names at a level of the package that go against the order: "a|b c" is a, then b and c.

    A file may have a place of its own, as "a.b" has, in place of that of its room.
    """
    rank = {name: i for i, names in enumerate(order) for name in names.split()}

    def place(full):
        room, file = (".".join(full.split(".")[level : level + depth]) for depth in (1, 2))
        return file if file in rank else room

    for module, names in found.items():
        for name in names:
            here, there = place(module), place(name)
            if here and there and here != there and rank[there] >= rank[here]:
                yield f"{module} imports {name}"


@pytest.mark.slow
def test_rooms_import_only_from_rooms_before_them():
    found = dict(imports("graphcore"))
    del found["graphcore"]  # it imports what is asked of it, when it is
    assert list(backwards({module: names - {"graphcore"} for module, names in found.items()}, ROOMS, 1)) == []


@pytest.mark.slow
def test_only_the_front_of_files_imports_the_store_and_the_store_not_the_front():
    found = {module: names for module, names in imports("graphcore").items() if module.startswith("graphcore.files")}
    store = {module for module in found if module.startswith("graphcore.files.store")}
    assert {module for module in set(found) - store if found[module] & store} <= FRONT
    assert not {name for module in store for name in found[module]} & FRONT
