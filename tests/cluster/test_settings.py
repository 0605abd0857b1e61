"""Settings: what "auto" becomes, and what is refused."""

import inspect

import numpy as np
import pandas as pd
import pytest

from graphcore import CoresetSpectralClustering, Graph, InputError, ParameterError
from graphcore.cluster import coreset as coreset_module
from graphcore.cluster import settings as settings_module
from graphcore.cluster.refine import problem as problem_module
from graphcore.cluster.settings import DEFAULTS, resolve_settings

from ..oracles import example, planted


@pytest.fixture(scope="module")
def ring():
    """5,000 nodes of degree 6, and 10 isolated ones."""
    nodes = np.arange(5000)
    sources = np.tile(nodes, 3)
    targets = np.concatenate([(nodes + step) % 5000 for step in (1, 2, 3)])
    return Graph.from_edges(sources, targets, n_nodes=5010)


@pytest.mark.parametrize(
    ("given", "max_drafts", "price"),
    [
        ({}, 4, 5e-10), ({"effort": "fast"}, 1, 0.0), ({"effort": "high"}, 32, 0.0), ({"effort": "best"}, None, 1e-11),
        ({"effort": 1.5}, 2, 0.0), ({"objective": "ncut"}, 4, 5e-10), ({"objective": "modularity"}, 4, 5e-10),
        ({"objective": "modularity", "effort": 8}, 8, 0.0),
    ],
)  # fmt: skip
def test_effort_in_drafts(ring, given, max_drafts, price):
    found = resolve_settings(ring, 3, **given)
    assert (found.max_drafts, found.price) == (max_drafts, price)
    # More than the default makes.
    assert found.is_search == ((max_drafts, price) not in ((4, 5e-10), (1, 0.0)))


@pytest.mark.parametrize(
    ("k", "given", "size"),
    [(1, "auto", 500), (200, "auto", 2000), (3, 0.1, 500), (3, 1.0, 5000), (3, 3, 3), (3, np.int64(77), 77)],
)
def test_coreset_size(ring, k, given, size):
    # Shares are shares of the nodes that have an edge.
    assert resolve_settings(ring, k, coreset_size=given).coreset_size == size


def test_small_graphs_leave_a_third_of_the_nodes_out():
    graph, A = example("isolated nodes")
    n_linked = np.count_nonzero(A.sum(axis=1))
    assert resolve_settings(graph, 3).coreset_size == round(2 / 3 * n_linked)
    assert resolve_settings(graph, n_linked).coreset_size == n_linked


FREE = {"n_clusters": None, "objective": "modularity"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 0}, r"n_clusters=0 must be at least 1"),
        ({"n_clusters": np.array(5)}, r"n_clusters=array\(5\) must be an integer"),
        ({"n_clusters": 5001}, r"n_clusters=5001 is more than the 5000 nodes that have an edge \(10 isolated"),
        ({"n_clusters": "Auto"}, "'Auto' is not known; choose one of 'auto', or a number, or ascending ones"),
        ({"n_clusters": [10, 5]}, r"n_clusters=\[10, 5\] must be one number, or ascending ones"),
        ({"n_clusters": None, "resolution": 1e308}, r"resolution=1e\+308 must be at most 1e\+100"),
        ({"n_clusters": None, "resolution": 0.8}, "resolution=0.8 is below 1.* goes with objective='modularity'"),
        ({"resolution": 2.0}, "n_clusters=3 and resolution=2.0 both say how many clusters"),
        ({"n_clusters": "auto", "objective": "modularity", "resolution": 2}, "resolution=2 both say how many clusters"),
        ({"coreset_size": 2}, r"coreset_size=2 is less than n_clusters=3"),
        ({"coreset_size": 5001}, r"coreset_size=5001 must be at most 5000 \(the nodes that have an edge\)"),
        ({"objective": "cut"}, r"objective='cut' is not known"),
        ({"balance": 0.5, "objective": "ncut"}, "balance=0.5 is a price on objective='information'"),
        ({"min_cluster_size": 1667}, r"min_cluster_size=1667 is too large: 3 clusters"),
        ({"max_cluster_size": 4, "min_cluster_size": 5}, r"max_cluster_size=4 is less than min_cluster_size=5"),
        ({"n_clusters": None}, "n_clusters=None needs a resolution"),
        (FREE | {"max_cluster_size": 9}, "max_cluster_size=9 needs a number of clusters"),
        *((given | {name: value}, name) for given, name, value in (
            (FREE, "min_cluster_size", 5), (FREE, "resolution", 0.0), (FREE, "resolution", -1.0),
            ({"objective": "modularity"}, "resolution", 0.0))),
        ({"effort": "all"}, "effort='all' is not known"),
    ],
)  # fmt: skip
def test_bad_values_are_named(ring, options, message):
    with pytest.raises(ParameterError, match=message):
        resolve_settings(ring, **{"n_clusters": 3, **options})


def test_the_class_holds_what_is_checked(ring):
    signature = inspect.signature(CoresetSpectralClustering).parameters
    assert {name: signature[name].default for name in DEFAULTS} == DEFAULTS
    with pytest.raises(TypeError, match="no setting 'walks'; there are n_clusters"):
        resolve_settings(ring, 3, walks=4)


def test_a_huge_graph_has_one_draft_of_bounded_size(ring, limits):
    limits(problem_module, _MANY_ENTRIES=ring.n_entries)
    limits(settings_module, _MIN_SIZE=10)
    assert resolve_settings(ring, 1).max_drafts == 4
    assert resolve_settings(ring, 1).coreset_size == 150
    limits(coreset_module, _SHARE=0.5)
    assert resolve_settings(ring, 1).coreset_size == 2500
    limits(coreset_module, _MAX_SHARE=70)
    assert resolve_settings(ring, 1).coreset_size == 70
    assert resolve_settings(ring, 8).coreset_size == 80
    limits(problem_module, _MANY_ENTRIES=ring.n_entries - 1)
    settings = resolve_settings(ring, 1, effort=1)
    assert settings.max_drafts == resolve_settings(ring, 1).max_drafts == 1
    assert settings.sampling == "degree"  # seeds would read rows at random
    with pytest.raises(ParameterError, match=f"this one has {ring.n_entries}: leave it out"):
        resolve_settings(ring, 1, effort="best")


@pytest.mark.parametrize(
    ("k", "name", "given", "error", "message"),
    [
        (3, "labels", np.append(3, np.full(119, -1)), ParameterError, "stay go up to 3; with n_clusters=3 they run"),
        (3, "labels", np.array([0, -1]), InputError, r"labels that stay have shape \(2,\)"),
        (3, "initial_labels", np.arange(120), ParameterError, "initial_labels go up to 119"),
        (3, "initial_labels", np.full(120, -1), InputError, "initial_labels give no node"),
        (None, "labels", [0] * 120, ParameterError, "labels that stay need a number of clusters"),
    ],
)
def test_wrong_labels_are_refused(k, name, given, error, message):
    graph, _ = planted(3, 40, 0.3, 0.02, 0)
    with pytest.raises(error, match=message):
        CoresetSpectralClustering(k, objective="modularity").fit(graph, **{name: given})


@pytest.mark.parametrize("parameter", ["labels", "initial_labels", "sample_weight"])
def test_a_series_of_names_in_another_order_is_refused(parameter):
    names = list("abcdef")
    graph = Graph.from_edges([0, 0, 1, 3, 3, 4, 2], [1, 2, 2, 4, 5, 5, 3], node_names=names)
    values = pd.Series([0, 0, 0, 1, 1, 1] if "labels" in parameter else [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], index=names)
    model = CoresetSpectralClustering(2, random_state=0)
    found = model.fit(graph, **{parameter: values}).labels_
    np.testing.assert_array_equal(model.fit(graph, **{parameter: values.to_numpy()}).labels_, found)
    for other in (values[::-1], values.rename(str.upper)):
        with pytest.raises(InputError, match=rf"the index of {parameter} is not that of the nodes"):
            model.fit(graph, **{parameter: other})
