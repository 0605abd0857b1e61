"""Every line that the page for users of other libraries shows does run."""

import re
import shlex
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import graphcore
from graphcore import CoresetSpectralClustering
from graphcore.cli.app import run
from graphcore.datasets import load_digits
from tests.graphs.test_as_graph import Annotated

PAGE = Path(__file__).parents[2] / "docs" / "conveniences.md"
# Cells that are no lines: a keyword that goes with the line before, or a name that is explained.
ONLY_NAMES = re.compile(r"[a-z_]+=|cluster$|Graph$|[a-z_]+_$|Graph\.from_scipy\(A \+ B\)$")
# Lines on vectors, which a model of a graph refuses.
OF_VECTORS = ("X_new", "GridSearchCV")


def shown():
    """Return the last column of the tables, as (lines of Python, commands)."""
    rows = [line.strip("|\n ").split(" | ") for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    spans = [span for row in rows for span in re.findall(r"`([^`]+)`", row[-1])]
    spans = [span for span in spans if not ONLY_NAMES.match(span)]
    commands = [span for span in spans if span.startswith("graphcore ")]
    return [span for span in spans if span not in commands], commands


@pytest.fixture(scope="module")
def names():
    """Names that the lines use: a graph and its model, vectors and theirs."""
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import NearestNeighbors

    X = load_digits().data[:300]
    model = CoresetSpectralClustering(10, random_state=0).fit(X)
    graph = model.graph_
    labels = model.labels_
    far, near = NearestNeighbors().fit(X).kneighbors(X, 11)
    return {
        "graphcore": graphcore, "CoresetSpectralClustering": CoresetSpectralClustering, "GridSearchCV": GridSearchCV,
        "X": X, "near": near, "far": far, "X_new": X[:5],
        "graph": graph, "labels": labels, "truth": labels, "w": np.ones(graph.n_nodes),
        "y": np.where(np.arange(graph.n_nodes) % 9 == 0, labels, -1), "matrix": graph.to_scipy(),
        "G": nx.karate_club_graph(), "of_vectors": model,
    }  # fmt: skip


@pytest.mark.parametrize("line", shown()[0])
def test_the_line_runs(names, line, here):
    here = dict(names)
    if "adata" in line:
        adata = here["adata"] = Annotated({"connectivities": here["matrix"]}, len(here["X"]))
        adata.obs = pytest.importorskip("pandas").DataFrame(index=adata.obs_names)
    if "chunks" in line:
        here["chunks"] = pytest.importorskip("dask.array").from_array(here["X"], chunks=(100, -1))
    if "distances" in line:
        from sklearn.neighbors import kneighbors_graph

        here["distances"] = kneighbors_graph(here["X"], 10, mode="distance")
    if "igraph" in line:
        here["g"] = pytest.importorskip("igraph").Graph.Famous("Zachary")
        here["graph"] = here["g"]
    if "graphcore.load" in line:
        names["of_vectors"].save("model.npz")
    if any(word in line for word in OF_VECTORS):
        here["model"] = names["of_vectors"]
    elif "model" in line:
        here["model"] = CoresetSpectralClustering(10, random_state=0).fit(here["graph"])
    made = eval(line, here) if " = " not in line else exec(line, here)
    if isinstance(made, CoresetSpectralClustering) and not hasattr(made, "labels_"):
        short = {"time_limit": 0.1} if made.effort == "best" else {}
        labels = made.set_params(random_state=0, **short).fit_predict(here["graph"])
        assert len(np.unique(labels)) > 1


def test_commands_run(names, here):
    graphcore.write_graph(names["graph"], "graph.metis")
    graphcore.write_graph(names["graph"], "edges.csv")
    commands = shown()[1]
    assert len(commands) > 2
    for command in commands:
        assert run(shlex.split(command)[1:]) == 0, command


def test_what_a_fit_leaves_is_no_score_of_outliers_and_distances_are():
    from sklearn.metrics import roc_auc_score

    X = load_digits().data
    noise = X.min(axis=0) + np.random.default_rng(0).random((179, 64)) * np.ptp(X, axis=0)
    X, is_noise = np.vstack([X, noise]), np.repeat([0, 1], [len(X), 179])
    model = CoresetSpectralClustering(10, random_state=0).fit(X)
    assert roc_auc_score(is_noise, model.outside_share_) < 0.6
    assert roc_auc_score(is_noise, 1 - model.stability_) < 0.6
    assert roc_auc_score(is_noise, model.outlier_scores_) > 0.95
