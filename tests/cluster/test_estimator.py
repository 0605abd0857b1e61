"""CoresetSpectralClustering: every kind of input, bad parameters, degenerate graphs."""

import logging
import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline

import graphcore
from graphcore import CoresetSpectralClustering, Graph, GraphWarning, InputError, ParameterError
from graphcore.cluster import fit as module

from ..partitions import check_labels, same_partition
from .test_partitions import told

# Degenerate graphs are warned about in many ways; where a warning matters, the test asks for it.
pytestmark = pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")

EACH_VARIANT = pytest.mark.parametrize(
    "options", [{}, {"effort": "fast"}, pytest.param({"objective": "ncut"}, marks=pytest.mark.slow)]
)

CAVEMEN = nx.connected_caveman_graph(5, 8)


@pytest.mark.parametrize("y", [[np.nan] * 17 + [1.0] * 17, [-1, 0] * 17])
def test_targets_that_may_be_known_labels_are_told_of(y):
    karate = graphcore.datasets.load_karate().graph
    with pytest.warns(graphcore.GraphWarning, match=r"^y is ignored.* labels="):
        CoresetSpectralClustering(2, random_state=0).fit(karate, y)
    CoresetSpectralClustering(2, random_state=0).fit(karate, np.repeat(["a", "b"], 17))
    with pytest.raises(InputError, match=r"^y .* give"):
        CoresetSpectralClustering(2).fit(karate, dict.fromkeys(range(34), 1))


def test_clusters_without_an_edge_within_are_told_of():
    ring = Graph.from_edges(range(6), [*range(1, 6), 0])
    with pytest.warns(GraphWarning, match="6 of n_clusters=6 clusters have no edge within, such as single nodes"):
        CoresetSpectralClustering(6, random_state=0).fit(ring)
    with warnings.catch_warnings(action="error"):
        CoresetSpectralClustering(2, random_state=0).fit(ring)


@pytest.mark.parametrize(
    ("G", "k"),
    [(nx.cycle_graph(6), 3), (nx.path_graph(6), 3), (nx.cycle_graph(8), 4), (nx.grid_2d_graph(3, 3), 3),
     (nx.hypercube_graph(3), 3), (nx.petersen_graph(), 3)],
)  # fmt: skip
def test_clusters_of_tiny_graphs_are_connected(G, k):
    """Fewer edges inside than by chance are no merit, though such graphs have hardly any other clusters."""
    for seed in range(3):
        labels = CoresetSpectralClustering(k, random_state=seed).fit_predict(G)
        parts = [[x for x, label in zip(G, labels, strict=True) if label == c] for c in range(k)]
        assert all(len(part) > 1 and nx.is_connected(G.subgraph(part)) for part in parts)


def test_verbose_logs_stages_and_is_silent_otherwise(caplog, capsys):
    with caplog.at_level(logging.INFO, logger="graphcore"):
        CoresetSpectralClustering(5, random_state=0).fit(CAVEMEN)
        assert not caplog.records
        drawn, found = ["graph", "coreset", "coreset graph"], ["kernel distances", "moves", "score"]
        for options, stages in (
            ({"effort": "fast"}, [*drawn, "balance", *found]),
            ({"effort": "fast", "balance": 1}, [*drawn, "spectral partition", "merging", *found]),
        ):
            caplog.clear()
            model = CoresetSpectralClustering(5, random_state=0, verbose=1, **options).fit(CAVEMEN)
            assert [record.message.split(":")[0] for record in caplog.records] == list(model.seconds_) == stages
        assert "recombining" in CoresetSpectralClustering(5, random_state=0).fit(CAVEMEN).seconds_
    assert capsys.readouterr() == ("", "")


# -- inputs ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("container", [np.asarray, np.float32, sp.csr_array, sp.csc_matrix, sp.coo_array, list])
def test_vectors_of_every_kind(container):
    X, y = make_blobs([50, 50, 50], n_features=4, random_state=3, cluster_std=0.5)
    model = CoresetSpectralClustering(3, random_state=0).fit(container(X))
    assert same_partition(model.labels_, y)
    assert model.n_features_in_ == 4
    if container is sp.csr_array:  # a square matrix is vectors where that is said
        model.set_params(affinity="nearest_neighbors", n_neighbors=2).fit(container(X[:4]))
        assert model.n_features_in_ == 4 and model.affinity_ == "nearest_neighbors"


@pytest.mark.parametrize("dtype", [np.int64, pytest.param(">f8", marks=pytest.mark.slow), object])
def test_wide_numbers_stay_apart(dtype):
    X = np.random.default_rng(0).integers(0, 100, (60, 3))
    wide, weights = (1_600_000_000 + X).astype(dtype), np.array([[0, 2**24 + 1], [2**24 + 1, 0]], dtype=dtype)
    near, far = (CoresetSpectralClustering(2, random_state=0).fit(points) for points in (X, wide))
    np.testing.assert_array_equal(far.graph_.indices, near.graph_.indices)
    np.testing.assert_array_equal(far.predict(wide), near.predict(X))
    assert CoresetSpectralClustering(1, affinity="precomputed").fit(weights).graph_.mean_weight == 2**24 + 1


@pytest.mark.parametrize("name", ["labels", "initial_labels", "sample_weight"])
def test_what_is_given_with_vectors_is_checked_before_the_search(monkeypatch, name):
    monkeypatch.setattr(module, "graph_of_vectors", None)
    with pytest.raises(InputError, match="3"):
        CoresetSpectralClustering(2).fit(np.zeros((9, 2)), **{name: np.ones(3, dtype=int)})


def test_the_callers_objects_are_not_changed():
    A = sp.csr_array(nx.to_scipy_sparse_array(CAVEMEN, dtype=float))
    before = A.copy()
    CoresetSpectralClustering(5, random_state=0).fit(A)
    assert (before != A).nnz == 0
    assert A.indices.flags.writeable


# -- bad input and parameters ------------------------------------------------------------------------------------------

# Of the settings of a run tests/cluster/test_settings.py has all.
BAD = [
    (CAVEMEN, {"n_clusters": 41}, "n_clusters=41 must be at most 40"),
    (CAVEMEN, {"affinity": "nearest_neighbors"}, "affinity='nearest_neighbors' takes vectors"),
    *((X, {name: value}, f"{name}={value!r}") for X, name, value in (
        (CAVEMEN, "objective", "beauty"), (CAVEMEN, "affinity", "rbf"),
        (CAVEMEN, "symmetrize", "no"), (CAVEMEN, "random_state", -1), (CAVEMEN, "random_state", "seed"),
        (CAVEMEN, "n_jobs", 0), (CAVEMEN, "n_jobs", 1.5), (np.eye(9), "n_neighbors", 0),
        (np.eye(9), "n_neighbors", "ten"), (np.eye(9), "metric", "taxi"),
    )),
    ([[0.0, 1], [np.nan, 1], [2, 3]], {}, "^the vectors must be finite: row 1, column 0 is NaN .*drop the rows$"),
    ({(0, 1), (1, 2)}, {}, "it is no array, but .* of type set"),
    *((of(np.ones((3, 2))), {"affinity": "precomputed"}, r"\(3, 2\).*square") for of in (np.asarray, sp.csr_array)),
    (-np.ones((3, 3)), {"affinity": "precomputed"}, r"Negative values.* is -1; of .*correlations give \(1 \+ X\)"),
    (sp.csr_array([[0, np.nan], [np.nan, 0]]), {}, "finite"),
    (sp.csr_array((5, 5)), {}, "all 5 nodes are isolated"),
    (sp.csr_array((0, 0)), {}, "empty"),
    *((nx.empty_graph(4), {"n_clusters": k}, "all 4 nodes are isolated") for k in (2, "auto")),
]  # fmt: skip


@pytest.mark.parametrize(("X", "parameters", "message"), BAD)
def test_what_is_refused(X, parameters, message):
    with pytest.raises(ParameterError if "=" in message else ValueError, match=message):
        CoresetSpectralClustering(**{"n_clusters": 2, **parameters}).fit(X)


# -- degenerate graphs -------------------------------------------------------------------------------------------------


def test_warnings_point_at_the_callers_line(tmp_path):
    (tmp_path / "part.txt").write_text("1 2\n1 2\n2 3\n")
    with pytest.warns(GraphWarning, match="repeats") as caught:
        graphcore.read_graph(tmp_path)
    assert caught[0].filename == __file__
    with pytest.warns(GraphWarning, match="isolated") as caught:
        CoresetSpectralClustering(1).fit(Graph.from_edges([0], [1], n_nodes=3))
    assert caught[0].filename == __file__
    with pytest.warns(GraphWarning, match="isolated") as caught:  # by way of scikit-learn
        make_pipeline(CoresetSpectralClustering(1)).fit_predict(Graph.from_edges([0], [1], n_nodes=3))
    assert caught[0].filename == __file__


DEGENERATE = {
    "star": nx.star_graph(50), "path": nx.path_graph(60), "cycle": nx.cycle_graph(60),
    "complete": nx.complete_graph(40), "bipartite": nx.complete_bipartite_graph(20, 30),
    "barbell": nx.barbell_graph(20, 0), "grid": nx.grid_2d_graph(8, 8),
    "matching": nx.disjoint_union_all([nx.path_graph(2)] * 30),
    "stars": nx.disjoint_union_all([nx.star_graph(6)] * 8),
}  # fmt: skip


def fit(graph, k, **options):
    return CoresetSpectralClustering(k, random_state=0, **options).fit(graph)


@pytest.mark.slow
@EACH_VARIANT
@pytest.mark.parametrize("graph", DEGENERATE.values(), ids=DEGENERATE)
def test_degenerate_graphs_are_labelled_for_any_number_of_clusters(graph, options):
    n = graph.number_of_nodes()
    for k in (1, 2, 5, n // 2, n):
        model, said = told(fit, graph, k, **options)
        check_labels(nx.to_numpy_array(graph), model.labels_, k, warned=said)
        assert len(set(model.labels_)) == k


@EACH_VARIANT
def test_one_edge_and_one_node_with_a_loop(options):
    assert fit(nx.path_graph(2), 1, **options).labels_.tolist() == [0, 0]
    model, said = told(fit, nx.path_graph(2), 2, **options)
    check_labels(1 - np.eye(2), model.labels_, 2, warned=said)
    with pytest.raises(ParameterError, match="n_clusters=3 must be at most 2"):
        fit(nx.path_graph(2), 3, **options)
    assert fit(Graph.from_edges([0], [0]), 1, **options).labels_.tolist() == [0]


def test_two_ends_of_a_path_duplicate_vectors_and_two_vectors():
    labels = fit(nx.path_graph(60), 2).labels_
    assert np.count_nonzero(np.diff(labels)) == 1
    assert np.bincount(labels).min() >= 20
    X = np.repeat([[0.0, 0.0], [5.0, 5.0], [9.0, 0.0]], 40, axis=0)
    labels = CoresetSpectralClustering(3, random_state=0).fit_predict(X)
    assert same_partition(labels, np.repeat([0, 1, 2], 40))
    two = CoresetSpectralClustering(1, random_state=0).fit_predict([[0.0], [1.0]])
    assert two.tolist() == [0, 0]


@EACH_VARIANT
def test_many_isolated_nodes_and_a_triangle(options):
    n = 100_003
    graph = Graph.from_edges([0, 1, 2], [1, 2, 0], n_nodes=n)
    for k in (1, 2, 3):
        with pytest.warns(GraphWarning, match="100000 of 100003 nodes are isolated") as caught:
            model = fit(graph, k, **options)
        assert (model.labels_[3:] == -1).all()
        said = "".join(str(warning.message) for warning in caught)
        check_labels(1 - np.eye(3), model.labels_[:3], k, warned=said)
        assert model.graph_.n_components == 100_001
    with pytest.raises(ParameterError, match="n_clusters=4 is more than the 3 nodes that have an edge"):
        fit(graph, 4, **options)
