"""Importing graphcore costs next to nothing, and its files import one way only, as docs/design.md has it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import graphcore
from graphcore import _lazy

ROOT = Path(graphcore.__file__).parent.parent

HEAVY = (
    "dask", "distributed", "joblib", "networkx", "numba", "pandas", "polars", "pooch", "pyarrow", "pynndescent",
    "scipy", "sklearn", "threadpoolctl", "tqdm",
)  # fmt: skip


def loaded_after(code):
    """Heavy packages that a fresh interpreter holds after it ran `code`."""
    script = f"{code}\nimport sys\nprint(*[name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=120)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", ["graphcore", "graphcore.cli", "graphcore.exceptions", "graphcore.networkx._info"])
def test_import_loads_nothing_heavy(module):
    assert loaded_after(f"import {module}") == set()


def test_a_graph_needs_no_more_than_numba():
    # numba itself imports scipy's linear algebra; scikit-learn and networkx take a second, and are not needed.
    code = "import graphcore; graphcore.Graph.from_edges([0, 1], [1, 2]).n_components"
    assert loaded_after(code) <= {"numba", "scipy"}


def test_clustering_a_graph_by_default_does_not_need_scikit_learn():
    code = """
import graphcore
from graphcore.pipeline.cluster import cluster_graph
from graphcore.pipeline.settings import resolve_settings
graph = graphcore.Graph.from_edges([0, 1, 2, 3, 4, 5, 0], [1, 2, 0, 4, 5, 3, 3])
cluster_graph(graph, resolve_settings(graph, 2), random_state=0)
"""
    assert loaded_after(code) <= {"numba", "scipy", "joblib"}


@pytest.mark.parametrize("name", graphcore.__all__)
def test_every_public_name_is_there_and_documented(name):
    value = getattr(graphcore, name)
    assert value.__doc__
    assert name in dir(graphcore)


def test_unknown_names():
    with pytest.raises(AttributeError, match="'graphcore' has no attribute 'Grph'"):
        _ = graphcore.Grph


# A room imports from itself and from the rooms in the lines before its own. Only of io and store do files of either
# need the other; what they may import is said file by file.
ROOMS = (
    "exceptions _locks",
    "_arrays _lazy _typing _progress _touched _work",
    "_validation _warn _random",
    "_threads",
    "_numba",
    "_compile",
    "_select",
    "graphs",
    "distributed",
    "io store",
    "knn",
    "kernels datasets",
    "coresets spectral features",
    "partition",
    "flats",
    "kmeans metrics",
    "pipeline plot",
    "selection",
    "fit",
    "report",
    "estimators",
    "networkx",
    "cli",
    "__main__",
)
# io's front opens graphs on disk; the store is built from edge lists by io's readers, and never imports that front.
IO_FRONT = {"graphcore.io", "graphcore.io.read", "graphcore.io.write"}
FROM_STORE_TO_IO = {
    "graphcore.io._format", "graphcore.io._source", "graphcore.io.atomic", "graphcore.io.formats",
    "graphcore.io.parquet",
}  # fmt: skip


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


def circles(graph):
    """Circles of a graph of imports: the sets of files of which each reaches all others."""
    reached = {}
    for module in graph:
        seen, waiting = set(), [module]
        while waiting:
            new = graph[waiting.pop()] - seen
            seen |= new
            waiting.extend(new)
        reached[module] = seen
    return {frozenset(other for other in found if module in reached[other])
            for module, found in reached.items() if module in found}  # fmt: skip


def test_circles_are_found():
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set(), "e": {"a"}}
    assert circles(graph) == {frozenset("bc")}


@pytest.mark.parametrize(("package", "least"), [("graphcore", 700), ("bench", 60)])
def test_no_file_imports_itself_by_way_of_others(package, least):
    found = imports(package)
    # The package itself holds only public names, which it imports when they are first used, and the version.
    found = {module: names - {package} for module, names in found.items()}
    assert circles(found) == set()
    assert sum(map(len, found.values())) > least  # imports are found at all


def test_rooms_import_only_from_rooms_before_them():
    rank = {name: i for i, names in enumerate(ROOMS) for name in names.split()}
    backwards = []
    found = imports("graphcore")
    del found["graphcore"]  # it imports what is asked of it, when it is
    for module, names in found.items():
        for name in names - {"graphcore"}:
            room, other = module.split(".")[1], name.split(".")[1]
            if room != other and {room, other} != {"io", "store"} and rank[other] >= rank[room]:
                backwards.append(f"{module} imports {name}")
    assert backwards == []


def test_the_store_imports_readers_of_io_and_only_the_front_of_io_imports_the_store():
    found = imports("graphcore")
    of_store = {name for module, names in found.items() if module.startswith("graphcore.store") for name in names}
    assert {name for name in of_store if name.startswith("graphcore.io")} <= FROM_STORE_TO_IO
    assert {
        module
        for module, names in found.items()
        if module.startswith("graphcore.io") and any(name.startswith("graphcore.store") for name in names)
    } <= IO_FRONT


def test_the_class_does_without_pandas_and_scipys_statistics_and_leaves_them_to_others():
    code = """
import sys
import graphcore
graphcore.CoresetSpectralClustering(2).fit(graphcore.datasets.load_karate().graph)
print(*[name for name in ("scipy.stats", "pandas") if name in sys.modules])
from sklearn.utils.fixes import _mode
print(_mode([3, 3, 1]).mode.tolist())
import scipy.stats
print(scipy.stats.norm.cdf(0))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["", "[3]", "0.5"]


def test_scikit_learn_is_imported_whole_where_threads_run_or_it_needs_what_is_hidden(monkeypatch):
    asked = []

    def fails(name):
        asked.append((name, "scipy.stats" in sys.modules))
        raise AttributeError("norm")

    for name in [name for name in sys.modules if name == "scipy.stats" or name.partition(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(_lazy, "import_module", fails)
    monkeypatch.setattr(_lazy.threading, "active_count", lambda: 2)
    _lazy.import_scikit_learn()
    assert asked == []
    monkeypatch.setattr(_lazy.threading, "active_count", lambda: 1)
    _lazy.import_scikit_learn()
    assert asked == [("sklearn.base", True)]
    assert "scipy.stats" not in sys.modules


def test_who_kept_a_stand_in_has_the_true_module_of_it():
    stand_in = _lazy._SELDOM_USED["scipy.stats"]
    assert stand_in.norm.cdf(0.0) == 0.5
    with pytest.raises(AttributeError, match="nothing_of_it"):
        _ = stand_in.nothing_of_it
