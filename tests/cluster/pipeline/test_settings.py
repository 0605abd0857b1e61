"""Settings: what "auto" becomes, and what is refused."""

import dataclasses
import inspect

import numpy as np
import pytest

from graphcore import CoresetSpectralClustering, Graph, ParameterError
from graphcore.cluster import coreset as coreset_module
from graphcore.cluster import settings as settings_module
from graphcore.cluster.coreset import SAMPLING
from graphcore.cluster.coreset_spectral_clustering import EIGEN_SOLVERS
from graphcore.cluster.refine import problem as quotient_module
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.settings import PARAMETERS, Settings, defaults, resolve_settings

from ...oracles import example


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
        ({}, 4, 5e-10),
        ({"effort": "fast"}, 1, 0.0),
        ({"effort": "high"}, 32, 0.0),
        ({"effort": "best"}, None, 1e-11),
        ({"effort": 1}, 1, 0.0),
        ({"effort": 1.5}, 2, 0.0),
        ({"effort": 3}, 3, 0.0),
        ({"time_limit": 5}, None, 0.0),
        ({"time_limit": 5, "effort": "best"}, None, 0.0),
        ({"time_limit": 5, "effort": "high"}, 32, 0.0),
        ({"published": True}, 4, 5e-10),
        ({"objective": "ncut"}, 4, 5e-10),
        ({"objective": "modularity"}, 8, 5e-10 / 25),
        ({"objective": "modularity", "effort": "fast"}, 1, 0.0),
        ({"objective": "modularity", "effort": 8}, 8, 0.0),
    ],
)
def test_effort_in_drafts(ring, given, max_drafts, price):
    found = resolve_settings(ring, 3, **given)
    assert (found.max_drafts, found.price, found.time_limit) == (max_drafts, price, given.get("time_limit"))
    # More than the default makes.
    assert found.is_search == ((max_drafts, price) not in ((4, 5e-10), (8, 5e-10 / 25), (1, 0.0)))


@pytest.mark.parametrize(
    ("k", "given", "size"),
    [
        (1, "auto", 500),
        (30, "auto", 500),
        (200, "auto", 2000),
        (3, 0.1, 500),
        (3, 1.0, 5000),
        (3, 1e-9, None),
        (3, 3, 3),
        (3, np.int64(77), 77),
        (3, np.float32(0.5), 2500),
        (3, 5000, 5000),
    ],
)
def test_coreset_size(ring, k, given, size):
    # Shares are shares of the nodes that have an edge.
    if size is None:
        with pytest.raises(ParameterError, match="coreset_size=1e-09 comes to 1, which is less than n_clusters=3"):
            resolve_settings(ring, k, coreset_size=given)
    else:
        assert resolve_settings(ring, k, coreset_size=given).coreset_size == size


@pytest.mark.parametrize(("k", "size"), [(1, 1000), (30, 1500), (200, 5000)])
def test_where_no_moves_follow_coresets_are_larger(ring, k, size):
    assert resolve_settings(ring, k, published=True).coreset_size == size


def test_the_default_draws_by_importance_for_the_power_method(ring):
    settings = resolve_settings(ring, 4)
    assert (settings.sampling, settings.eigen_solver, settings.published) == ("importance", "power", False)
    given = resolve_settings(ring, 4, sampling="degree", eigen_solver="exact")
    assert given == dataclasses.replace(settings, sampling="degree", eigen_solver="exact")


def test_small_graphs_leave_a_third_of_the_nodes_out():
    graph, A = example("isolated nodes")
    n_linked = np.count_nonzero(A.sum(axis=1))
    assert resolve_settings(graph, 3).coreset_size == round(2 / 3 * n_linked)
    assert resolve_settings(graph, n_linked).coreset_size == n_linked


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 0}, r"n_clusters=0 must be at least 1"),
        ({"n_clusters": 5011}, r"n_clusters=5011 must be at most 5010 \(the number of nodes\)"),
        ({"n_clusters": 5001}, r"n_clusters=5001 is more than the 5000 nodes that have an edge \(10 isolated"),
        ({"n_clusters": 2.0}, r"n_clusters=2\.0 must be an integer"),
        ({"n_clusters": True}, r"n_clusters=True must be an integer"),
        ({"n_clusters": "3"}, r"n_clusters='3' must be an integer"),
        ({"n_clusters": None}, "n_clusters=None needs a resolution"),
        ({"n_clusters": "auto", "effort": 0}, "effort=0.0 must be at least 1"),
        ({"resolution": 2.0}, "n_clusters=3 and resolution=2.0 both say how many clusters"),
        ({"coreset_size": 2}, r"coreset_size=2 is less than n_clusters=3"),
        ({"coreset_size": 5001}, r"coreset_size=5001 must be at most 5000 \(the nodes that have an edge\)"),
        ({"coreset_size": 0}, r"coreset_size=0 must be at least 1"),
        ({"coreset_size": 0.0}, r"coreset_size=0\.0 must be more than 0"),
        ({"coreset_size": 1.5}, r"coreset_size=1\.5 must be at most 1"),
        ({"coreset_size": float("nan")}, r"coreset_size=nan must be finite"),
        ({"coreset_size": "some"}, r"coreset_size='some' is not known"),
        ({"sampling": "d2"}, r"sampling='d2' is not known.*'degree'"),
        ({"eigen_solver": "lobpcg"}, r"eigen_solver='lobpcg' is not known"),
        ({"published": "paper"}, r"published='paper' must be True or False"),
        ({"published": 1}, r"published=1 must be True or False"),
        ({"published": np.zeros(3)}, "published=array"),
        ({"objective": "cut"}, r"objective='cut' is not known"),
        ({"min_cluster_size": 5001}, r"min_cluster_size=5001 must be at most 5000"),
        ({"min_cluster_size": 1667}, r"min_cluster_size=1667 is too large: 3 clusters"),
        ({"max_cluster_size": 1666}, r"max_cluster_size=1666 is too small: 3 clusters .* use at least 1667"),
        ({"max_cluster_size": 4, "min_cluster_size": 5}, r"max_cluster_size=4 is less than min_cluster_size=5"),
        ({"max_share": 0.9}, r"max_share=0\.9 must be at least 1"),
        ({"max_share": 1.1, "published": True}, r"max_share=1\.1 is for moves of nodes, and published=True makes none"),
        ({"max_cluster_size": 0.5, "published": True}, r"max_cluster_size=0\.5 is for moves of nodes"),
        ({"min_cluster_size": 2, "published": True}, r"min_cluster_size=2 is for moves of nodes"),
        ({"min_cluster_size": -1}, r"min_cluster_size=-1 must be at least 0"),
        ({"min_cluster_size": 1.5}, r"min_cluster_size=1\.5 must be at most 1"),
        ({"effort": 2, "published": True}, "effort=2 is for moves of nodes, and published=True makes none"),
        ({"coreset_size": np.int64(2)}, r"coreset_size=2|coreset_size=np.int64\(2\) is less than n_clusters=3"),
        ({"effort": "fast", "time_limit": 1, "published": True}, "time_limit=1 is for moves"),
        ({"effort": "high", "time_limit": 1, "published": True}, "time_limit=1 is for moves"),
        ({"time_limit": 1, "published": True}, "time_limit=1.* is for moves of nodes"),
        ({"balance": 0.5, "published": True}, "balance=0.5 is a price .* and for published=True"),
        ({"n_clusters": [2, 4], "published": True}, r"n_clusters=\[2, 4\] are levels, which .* published=True"),
        (
            {"n_clusters": None, "objective": "modularity", "published": True},
            "published=True needs a number of clusters",
        ),
        ({"effort": "all"}, "effort='all' is not known"),
        ({"effort": 0.5}, "effort=0.5 must be at least 1"),
        ({"effort": True}, "effort=True"),
        ({"time_limit": "long"}, "time_limit='long'"),
        ({"time_limit": -1.0}, "time_limit=-1.0 must be at least 0"),
    ],
)
def test_bad_values_are_named(ring, options, message):
    with pytest.raises(ParameterError, match=message):
        resolve_settings(ring, **{"n_clusters": 3, **options})


def test_the_table_holds_the_defaults_and_words_of_class_function_and_checks(ring):
    signature = inspect.signature(CoresetSpectralClustering).parameters
    assert {name: signature[name].default for name in defaults()} == defaults()
    choices = {p.name: set(p.choices) for p in PARAMETERS if p.kind == "choice"}
    known = {"sampling": {"auto", *SAMPLING}, "objective": set(OBJECTIVES), "eigen_solver": set(EIGEN_SOLVERS)}
    assert choices == known
    resolved = {field.name for field in dataclasses.fields(Settings)}
    assert {p.name for p in PARAMETERS} - {"effort"} <= resolved  # which are drafts and a price
    with pytest.raises(TypeError, match="no setting 'walks'; there are objective"):
        resolve_settings(ring, 3, walks=4)


def test_settings_are_frozen(ring):
    with pytest.raises(dataclasses.FrozenInstanceError):
        resolve_settings(ring, 3).n_clusters = 4


def test_a_huge_graph_has_one_draft_of_bounded_size(ring, limits):
    limits(quotient_module, _MANY_ENTRIES=ring.n_entries)
    limits(settings_module, _MIN_SIZE=10)
    assert resolve_settings(ring, 1).max_drafts == 4
    assert resolve_settings(ring, 1, coreset_size="auto").coreset_size == 150
    limits(coreset_module, _SHARE=0.5)
    assert resolve_settings(ring, 1).coreset_size == 2500
    limits(coreset_module, _MAX_SHARE=70)
    assert resolve_settings(ring, 1).coreset_size == 70
    assert resolve_settings(ring, 8).coreset_size == 80
    limits(quotient_module, _MANY_ENTRIES=ring.n_entries - 1)
    settings = resolve_settings(ring, 1, effort=1)
    assert settings.max_drafts == resolve_settings(ring, 1).max_drafts == 1
    # Seeds would read rows at random.
    assert settings.sampling == "degree" and resolve_settings(ring, 1, published=True).sampling == "importance"
    for more in ({"effort": 3}, {"effort": "best"}, {"time_limit": 1}):
        with pytest.raises(ParameterError, match=f"this one has {ring.n_entries}: leave them out"):
            resolve_settings(ring, 1, **more)
