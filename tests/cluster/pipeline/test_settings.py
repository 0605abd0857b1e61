"""Settings: what "auto" becomes, what the published algorithm is, and what is refused."""

import dataclasses
import inspect

import numpy as np
import pytest
from sklearn.base import clone

from graphcore import CoresetSpectralClustering, Graph, InputError, ParameterError, Published
from graphcore.cluster.coresets.coreset import SAMPLING
from graphcore.cluster.partition import quotient as quotient_module
from graphcore.cluster.partition.objectives import OBJECTIVES
from graphcore.cluster.pipeline import settings as settings_module
from graphcore.cluster.pipeline.parameters import PARAMETERS, STEPS, defaults
from graphcore.cluster.pipeline.settings import Settings, resolve_settings

from ...oracles import cliques, example, method


@pytest.fixture(scope="module")
def ring():
    """5,000 nodes of degree 6, and 10 isolated ones."""
    nodes = np.arange(5000)
    sources = np.tile(nodes, 3)
    targets = np.concatenate([(nodes + step) % 5000 for step in (1, 2, 3)])
    return Graph.from_edges(sources, targets, n_nodes=5010)


@pytest.mark.parametrize("k", [1, 3, 40])
def test_published_is_the_papers_algorithm(ring, k):
    # Loops of weight 1 on every node, the plain kernel, 2 k seeds (and x*), importance sampling, one draft, as many
    # spectral clusters as are asked for, labels by kernel distance and nothing after that.
    settings = resolve_settings(ring, k, published=Published(coreset_size=500))
    published = {
        "n_clusters": k, "coreset_size": 500, "eps": None, "self_loop": 1.0, "n_seeds": 2 * k,
        "sampling": "importance", "overcluster": 1.0, "refine": False, "min_cluster_size": 1, "max_cluster_size": None,
        "max_share": None, "eigen_solver": "power", "coreset_degrees": "row-sums", "max_drafts": 1,
    }  # fmt: skip
    found = dataclasses.asdict(settings)
    assert {name: found[name] for name in published} == published
    # The rest has no part in the published algorithm: what merging and refinement would raise, when
    # drafts no longer pay, how the number of clusters was chosen, and which vectors were left out.
    others = {"objective", "balance", "entropy_price", "price", "time_limit", "resolution", "outliers"}
    assert set(found) - set(published) == others


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
        (method(refine=False), 1, 0.0),
        ({"effort": 1, **method(refine=False)}, 1, 0.0),
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


def test_published_with_other_values(ring):
    published = Published(sampling="degree", n_seeds=3, self_loop=0.5, eigen_solver="exact")
    settings = resolve_settings(ring, 4, published=published)
    assert (settings.sampling, settings.n_seeds, settings.self_loop) == ("degree", 3, 0.5)
    assert settings.eigen_solver == "exact"
    assert repr(published) == "Published(sampling='degree', n_seeds=3, self_loop=0.5, eigen_solver='exact')"
    assert resolve_settings(ring, 4, published=True) == resolve_settings(ring, 4, published=Published())
    assert clone(published) == published and clone(published) is not published


def test_default_draws_by_degree(ring):
    settings = resolve_settings(ring, 4)
    assert settings.sampling == "degree"
    spelled = Published(sampling="degree", overcluster=None, refine=True)
    assert settings == resolve_settings(ring, 4, published=spelled) == resolve_settings(ring, 4, published=None)


def test_importance_gets_its_self_loops(ring):
    assert resolve_settings(ring, 4, **method(sampling="importance")).self_loop == 1.0
    assert resolve_settings(ring, 4, **method(sampling="importance", self_loop=2)).self_loop == 2.0


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
        with pytest.raises(ParameterError, match="coreset_size=1 is less than n_clusters=3"):
            resolve_settings(ring, k, **method(coreset_size=given))
    else:
        assert resolve_settings(ring, k, **method(coreset_size=given)).coreset_size == size


@pytest.mark.parametrize(("k", "size"), [(1, 1000), (30, 1500), (200, 5000)])
@pytest.mark.parametrize("given", [{"published": True}, method(sampling="importance"), method(overcluster=2.0)])
def test_the_spectral_step_and_draws_that_repeat_take_larger_coresets(ring, k, size, given):
    assert resolve_settings(ring, k, **given).coreset_size == size


def test_eps_takes_the_place_of_a_size(ring):
    settings = resolve_settings(ring, 2, **method(eps=1.0, sampling="importance"))
    # Draws of the first round: (2 log 2)^2 log(5000) / eps_1^2 with eps_1 = 1 / log(5000)^(1/4).
    assert (settings.eps, settings.sampling, settings.coreset_size) == (1.0, "importance", 48)
    assert resolve_settings(ring, 2, **method(eps=0.01, sampling="importance")).coreset_size == 5000


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
        (method(coreset_size=2), r"coreset_size=2 is less than n_clusters=3"),
        (method(coreset_size=5001), r"coreset_size=5001 must be at most 5000 \(the nodes that have an edge\)"),
        (method(coreset_size=0), r"coreset_size=0 must be at least 1"),
        (method(coreset_size=0.0), r"coreset_size=0\.0 must be more than 0"),
        (method(coreset_size=1.5), r"coreset_size=1\.5 must be at most 1"),
        (method(coreset_size=float("nan")), r"coreset_size=nan must be finite"),
        (method(coreset_size="some"), r"coreset_size='some' is not known"),
        (method(sampling="d2"), r"sampling='d2' is not known.*'degree'"),
        (method(n_seeds=0), r"n_seeds=0 must be at least 1"),
        (method(n_seeds="many"), r"n_seeds='many' is not known; choose one of 'auto', or a number"),
        (method(self_loop=-1), r"self_loop=-1\.0 must be at least 0"),
        (method(self_loop="one"), r"self_loop='one' must be a number"),
        (method(eigen_solver="lobpcg"), r"eigen_solver='lobpcg' is not known"),
        (method(eps=0), r"eps=0\.0 must be more than 0"),
        (method(eps=2), r"eps=2\.0 must be at most 1"),
        (method(eps="small"), r"eps='small' must be a number"),
        (method(eps=0.5, coreset_size=50), r"eps=0\.5 and coreset_size=50 both say"),
        (method(eps=0.5, sampling="degree"), r"eps=0\.5 is for importance sampling; sampling='degree' takes a size"),
        (method(coreset_degrees="rows"), r"coreset_degrees='rows' is not known"),
        (method(coreset_degrees="weights"), r"coreset_degrees='weights' needs eigen_solver='exact'"),
        ({"published": "paper"}, r"published='paper' must be None, True or graphcore.Published"),
        ({"published": np.zeros(3)}, "published=array"),
        ({"published": Published(self_loop=0)}, r"zero diagonal.*self_loop=1\.0"),
        (method(sampling="importance", self_loop=0.0), r"zero diagonal.*sampling='degree'"),
        (method(overcluster=0.5), r"overcluster=0\.5 must be at least 1"),
        (method(overcluster="all"), r"overcluster='all' must be a number"),
        ({"objective": "cut"}, r"objective='cut' is not known"),
        (method(refine="yes"), r"refine='yes' must be True or False"),
        (method(refine=1), r"refine=1 must be True or False"),
        ({"min_cluster_size": 5001}, r"min_cluster_size=5001 must be at most 5000"),
        ({"min_cluster_size": 1667}, r"min_cluster_size=1667 is too large: 3 clusters"),
        ({"max_cluster_size": 1666}, r"max_cluster_size=1666 is too small: 3 clusters .* use at least 1667"),
        ({"max_cluster_size": 4, "min_cluster_size": 5}, r"max_cluster_size=4 is less than min_cluster_size=5"),
        ({"max_share": 0.9}, r"max_share=0\.9 must be at least 1"),
        ({"max_share": 1.1, **method(refine=False)}, r"max_share=1\.1 is kept by moving nodes"),
        ({"min_cluster_size": -1}, r"min_cluster_size=-1 must be at least 0"),
        ({"min_cluster_size": 1.5}, r"min_cluster_size=1\.5 must be at most 1"),
        ({"effort": 2, **method(refine=False)}, "effort and time_limit are for a search that moves nodes"),
        ({"time_limit": 1, "published": True}, "effort and time_limit are for a search that moves nodes"),
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
    known = {
        "sampling": SAMPLING,
        "objective": tuple(OBJECTIVES),
        "eigen_solver": ("power", "exact"),
        "coreset_degrees": ("row-sums", "weights"),
    }
    assert {p.name: p.choices for p in (*PARAMETERS, *STEPS) if p.kind == "choice"} == known
    resolved = {field.name for field in dataclasses.fields(Settings)}
    assert {p.name for p in (*PARAMETERS, *STEPS)} - {
        "effort",
        "outliers",
    } <= resolved  # drafts and price; left out before there is a graph
    with pytest.raises(TypeError, match="no setting 'walks'; there are objective"):
        resolve_settings(ring, 3, walks=4)


def test_graph_without_edges():
    with pytest.raises(InputError, match="all 4 nodes are isolated"):
        resolve_settings(Graph.from_edges([], [], n_nodes=4), 2)


def test_own_self_loops_make_a_diagonal():
    graph = Graph.from_scipy(cliques([4, 4]))
    assert resolve_settings(graph, 2, published=Published(self_loop=0)).self_loop == 0


def test_settings_are_frozen(ring):
    with pytest.raises(dataclasses.FrozenInstanceError):
        resolve_settings(ring, 3).n_clusters = 4


def test_a_huge_graph_has_one_draft_of_bounded_size(ring, monkeypatch):
    monkeypatch.setattr(quotient_module, "_MANY_ENTRIES", ring.n_entries)
    monkeypatch.setattr(settings_module, "_MIN_GROUPS", 10)
    assert resolve_settings(ring, 1).max_drafts == 4
    assert resolve_settings(ring, 1, **method(coreset_size="auto")).coreset_size == 150
    monkeypatch.setattr(settings_module, "_SHARE", 0.5)
    assert resolve_settings(ring, 1).coreset_size == 2500
    monkeypatch.setattr(settings_module, "_MAX_SHARE", 70)
    assert resolve_settings(ring, 1).coreset_size == 70
    assert resolve_settings(ring, 8).coreset_size == 80
    monkeypatch.setattr(quotient_module, "_MANY_ENTRIES", ring.n_entries - 1)
    assert resolve_settings(ring, 1, effort=1).max_drafts == resolve_settings(ring, 1).max_drafts == 1
    for more in ({"effort": 3}, {"effort": "best"}, {"time_limit": 1}):
        with pytest.raises(ParameterError, match=f"this one has {ring.n_entries}: leave them out"):
            resolve_settings(ring, 1, **more)
