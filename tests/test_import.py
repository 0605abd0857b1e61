"""Importing graphcore costs next to nothing: what is heavy is imported when it is first used."""

import subprocess
import sys

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
from graphcore.pipeline import cluster_graph
from graphcore.settings import resolve_settings
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
