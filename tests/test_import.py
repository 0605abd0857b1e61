"""Importing graphcore costs next to nothing, and its stages import one way only, as docs/design.md has it."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import graphcore

HEAVY = (
    "joblib", "networkx", "numba", "pandas", "polars", "pyarrow", "pynndescent", "scipy", "sklearn", "threadpoolctl",
    "tqdm",
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


STAGES = (
    "exceptions _progress _select _work _compile",
    "_validation _warn _random",
    "_threads",
    "graphs",
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


def imported_stages(path, package):
    """Stages of graphcore that a source file names in its imports, those inside functions included."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = package[: len(package) - node.level + 1] + (node.module or "").split(".") * bool(node.module)
            names = [base[1]] if len(base) > 1 else [alias.name for alias in node.names]
            yield from names


def test_stages_import_only_from_stages_before_them():
    rank = {name: i for i, names in enumerate(STAGES) for name in names.split()}
    root = Path(graphcore.__file__).parent
    backwards, seen = [], 0
    for path in root.rglob("*.py"):
        package = ["graphcore", *path.relative_to(root).parts[:-1]]
        stage = path.relative_to(root).parts[0].removesuffix(".py")
        if stage == "__init__":
            continue
        for name in imported_stages(path, package):
            seen += 1
            if name not in (stage, "__version__") and not rank[name] < rank[stage]:
                backwards.append(f"{path.relative_to(root)} imports {name}")
    assert backwards == []
    assert seen > 500  # imports are found at all
