"""KernelKMeans and CoresetKernelKMeans: every kind of input, predict, bad parameters."""

import logging

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV

import graphcore
from graphcore import (
    CoresetKernelKMeans,
    Graph,
    GraphWarning,
    InputError,
    KernelKFlats,
    KernelKMeans,
    ParameterError,
)
from graphcore.estimators._equal_rows import merge_equal_rows
from graphcore.kernel_methods.kmeans.exact import partition_cost
from tests.oracles import random_adjacency

# Degenerate data of scikit-learn's checks are warned about; where a warning matters, the test asks for it.
pytestmark = pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")

CAVEMEN = nx.connected_caveman_graph(5, 8)
TRUTH = np.repeat(np.arange(5), 8)


def test_a_search_over_an_adjacency_matrix_needs_the_kernel_by_name():
    # "auto" cannot tell scikit-learn that a sparse matrix is square, so rows come alone and are vectors: as documented.
    A, kinds = sp.csr_array(nx.to_scipy_sparse_array(CAVEMEN, format="csr", dtype=float)), []

    def score(fitted, X, y=None):
        kinds.append((fitted._kind, X.shape))
        return 0.0

    for kernel in ("auto", "normalized_cut"):
        GridSearchCV(KernelKMeans(kernel=kernel, random_state=0), {"n_clusters": [2]}, scoring=score, cv=2).fit(A)
    assert kinds == [("vectors", (20, 40))] * 2 + [("graph", (20, 20))] * 2


@pytest.mark.parametrize("make", [KernelKMeans, CoresetKernelKMeans])
def test_the_score_is_minus_the_cost_for_every_kind_of_input(make):
    """Oracle: distances to centroids in feature space, by the dense formula."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2)) + 4 * rng.integers(0, 3, 60)[:, None]
    weights = rng.integers(0, 3, 60).astype(float)
    model = make(3, kernel="polynomial", random_state=0).fit(X[:40], sample_weight=weights[:40])
    K = model.kernel_(X)
    given = make(3, kernel="precomputed", random_state=0).fit(K[:40, :40], sample_weight=weights[:40])
    new = K[40:, :40]
    points = np.arange(40) if given._points is None else given._points
    of_vectors = model.kernel_(X[40:], model._reference), model.kernel_(model._reference), np.diag(K)[40:]
    mean = np.average(np.diag(K)[:40], weights=weights[:40])  # rows of a matrix do not hold the diagonal
    of_matrix = new[:, points], K[np.ix_(points, points)], np.full(20, mean)
    if make is KernelKMeans:
        assert model.score(X[:40], sample_weight=weights[:40]) == pytest.approx(-model.cost_)
        assert model.inertia_ == pytest.approx(model.cost_ * weights[:40].sum())
    for fitted, rows, (across, among, own) in ((model, X[40:], of_vectors), (given, new, of_matrix)):
        labels, w = fitted._centroids[:2]
        costs = np.full((20, 3), np.inf)
        for j in set(labels.tolist()):
            share = np.where(labels == j, w, 0.0) / w[labels == j].sum()
            costs[:, j] = own - 2 * across @ share + share @ among @ share
        expected = np.average(costs.min(axis=1), weights=weights[40:])
        assert fitted.score(rows, sample_weight=weights[40:]) == pytest.approx(-expected)
    # Nodes of a graph have the diagonal that their degree gives them, and count by it.
    A = sp.csr_array(nx.to_scipy_sparse_array(CAVEMEN, format="csr", dtype=float))
    graph = make(5, self_loop=1.0, random_state=0).fit(A)
    if make is KernelKMeans:
        # Without the loops' own products, which the rows of new nodes do not hold.
        d = A.sum(axis=1) + 1
        own = 2 * sum((1 / d[graph.labels_ == j].sum()) * (graph.labels_ == j).sum() for j in range(5)) / d.sum()
        assert graph.score(A) == pytest.approx(-graph.cost_ - own)
    with pytest.raises(InputError, match="no new node has an edge"):
        graph.score(np.zeros((2, 40)))
    assert graph.score(A, sample_weight=np.full(40, 3.0)) == pytest.approx(graph.score(A))


def test_indefinite_kernels_are_told_apart_from_what_becomes_of_them():
    K = np.ones((6, 6)) - 0.9 * np.fliplr(np.eye(6)) + 0.1 * np.eye(6)
    for make in (KernelKMeans, CoresetKernelKMeans):
        with pytest.warns(GraphWarning, match="not positive semi-definite"):
            make(2, kernel="precomputed", random_state=0).fit(K + np.eye(6) * 0.2)
        with pytest.raises(InputError, match=r"not positive semi-definite.*on_indefinite='warn'"):
            make(2, kernel="precomputed", on_indefinite="error", random_state=0).fit(K + np.eye(6) * 0.2)
        with pytest.raises(ParameterError, match="on_indefinite='clip' is not known"):
            make(2, on_indefinite="clip").fit(X3)
    KernelKMeans(2, kernel="precomputed", on_indefinite="error", shift="psd").fit(K)


@pytest.mark.parametrize(
    ("make", "stages"),
    [
        (KernelKMeans, ["kernel", "k-means"]),
        (CoresetKernelKMeans, ["kernel", "coreset and labels"]),
        (graphcore.NystromFeatures, ["kernel", "features"]),
        (graphcore.KFlats, ["initialisation 1 of 10", "initialisation 10 of 10"]),
        (graphcore.KernelKFlats, ["initialisation 1 of 10", "initialisation 10 of 10"]),
    ],
)
def test_verbose_logs_stages(make, stages, caplog):
    with caplog.at_level(logging.INFO, logger="graphcore"):
        make(2, random_state=0).fit(X3)
        assert not caplog.records
        make(2, random_state=0, verbose=1).fit(X3)
    told = [record.getMessage().split(":")[0] for record in caplog.records]
    assert [told[0], told[-1]] == stages


CLUSTERERS = "KernelKMeans CoresetKernelKMeans NystromKernelKMeans GaussianSketchKernelKMeans KFlats KernelKFlats"


@pytest.mark.slow
@pytest.mark.parametrize("make", [getattr(graphcore, name) for name in CLUSTERERS.split()])
@pytest.mark.parametrize("container", [np.asarray, sp.csr_array])
def test_a_weight_is_a_number_of_repeats_in_any_order(make, container):
    rng = np.random.default_rng(0)
    X, weights = rng.standard_normal((80, 3)), rng.integers(0, 4, 80)
    model = make(4, random_state=0).fit(container(X), sample_weight=weights)
    repeated = rng.permutation(np.repeat(np.arange(80), weights))
    again = make(4, random_state=0).fit(container(X[repeated]))
    np.testing.assert_array_equal(again.labels_, model.labels_[repeated])
    np.testing.assert_array_equal(again.predict(container(X)), model.predict(container(X)))
    if hasattr(model, "inertia_"):
        assert again.inertia_ == pytest.approx(model.inertia_)
    # Points without weight have labels, and no part in anything else.
    np.testing.assert_array_equal(model.labels_, model.predict(container(X)))
    for name in ("coreset_indices_", "landmark_indices_", "subsample_indices_"):
        if hasattr(model, name):
            assert weights[getattr(model, name)].all()
            assert len(set(getattr(model, name))) == len(getattr(model, name))
    if hasattr(model, "coverage_"):
        assert model.coverage_.shape == (80,)
        np.testing.assert_allclose(model.coverage_[model.subsample_indices_], 1)


def test_weights_of_vectors_that_are_not_merged():
    """Labels to start from, and landmarks given, are those of the rows as they are."""
    X, y = make_blobs([30, 30, 30], random_state=0, cluster_std=0.5, centers=[[0, 0], [6, 0], [0, 6]])
    weights = np.where(y == 2, 0.0, np.random.default_rng(0).integers(1, 3, 90))
    exact = KernelKMeans(2, init=np.minimum(y, 1))
    assert exact.fit(X, sample_weight=weights).cost_ == pytest.approx(-exact.score(X, sample_weight=weights))
    assert exact.cost_ == pytest.approx(partition_cost(exact.kernel_(X), exact.labels_, weights=weights))
    landmarks = graphcore.NystromKernelKMeans(2, sampling=np.arange(0, 90, 3), random_state=0)
    for model in (exact, landmarks.fit(X, sample_weight=weights)):
        assert adjusted_rand_score(y[y < 2], model.labels_[y < 2]) == 1.0
        np.testing.assert_array_equal(model.labels_, model.predict(X))


def test_equal_rows_are_merged_in_an_order_that_depends_on_what_they_hold():
    rng = np.random.default_rng(0)
    for X in (
        rng.integers(0, 3, (300, 4)),
        rng.integers(0, 2, (300, 8)) * 0.5,
        rng.random((5, 2))[rng.integers(0, 5, 9)],
    ):
        weights, order = rng.integers(0, 3, len(X)).astype(float), rng.permutation(len(X))
        for of in (np.asarray, lambda X: sp.csr_array(X.astype(float))):
            merged, shuffled = (
                merge_equal_rows(of(X), weights), merge_equal_rows(of(X[order]), weights[order])
            )  # fmt: skip
            dense = [one.toarray() if hasattr(one, "toarray") else one for one in (merged.X, shuffled.X)]
            np.testing.assert_array_equal(*dense)
            np.testing.assert_array_equal(merged.weights, shuffled.weights)
            distinct = np.unique(X[weights > 0], axis=0)
            assert sorted(map(tuple, dense[0].tolist())) == sorted(map(tuple, distinct.tolist()))
            assert merged.weights.sum() == weights.sum()
            np.testing.assert_array_equal(dense[0][merged.kind[weights > 0]], X[weights > 0])
            np.testing.assert_array_equal(X[merged.given(np.arange(len(distinct)))], dense[0])
    X = rng.random((6, 2))
    assert merge_equal_rows(X).first is None
    assert merge_equal_rows(X[[0, 0, 1]], least=3).first is None
    assert merge_equal_rows(np.array([[0.0], [-0.0]])).X.shape == (1, 1)


# -- inputs ------------------------------------------------------------------------------------------------------------


VECTORS_ONLY = "GaussianSketchFeatures GaussianSketchKernelKMeans KFlats NystromFeatures NystromKernelKMeans"


@pytest.mark.parametrize("name", VECTORS_ONLY.split())
def test_classes_for_vectors_say_what_is_for_graphs(name):
    for graph in (CAVEMEN, Graph.from_networkx(CAVEMEN)):
        with pytest.raises(InputError, match=f"{name} takes vectors.* CoresetSpectralClustering"):
            getattr(graphcore, name)(2).fit(graph)


def test_a_graph_of_caves():
    model = KernelKMeans(5, self_loop=1.0, n_init=20, random_state=0).fit(CAVEMEN)
    assert adjusted_rand_score(TRUTH, model.labels_) == 1.0
    graph = Graph.from_networkx(CAVEMEN)
    plain = KernelKMeans(5, init=model.labels_).fit(graph)
    assert plain.inertia_ == pytest.approx(-5 + 5 * graphcore.metrics.normalized_cut(graph, plain.labels_))
    np.testing.assert_array_equal(model.predict(graph.to_scipy()), model.labels_)


def test_isolated_nodes_get_no_cluster():
    A = np.zeros((12, 12))
    A[:5, :5] = A[5:10, 5:10] = 1.0
    for model in (KernelKMeans(2, random_state=0), CoresetKernelKMeans(2, coreset_size=1.0, random_state=0)):
        with pytest.warns(GraphWarning, match="2 of 12 nodes are isolated"):
            model.fit(sp.csr_array(A))
        assert model.labels_[10:].tolist() == [-1, -1]
        assert adjusted_rand_score(np.repeat([0, 1], 5), model.labels_[:10]) == 1.0
        new = np.zeros((3, 12))
        new[0, :3], new[1, 7] = 1.0, 2.0
        assert model.predict(new).tolist() == [model.labels_[0], model.labels_[7], -1]
        score = model.score(new)
        new[2, 11] = 1.0  # an edge to a node without any
        assert model.predict(new)[2] == -1 and model.score(new) == score


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
def test_figures_are_in_the_unit_of_the_weights():
    A = sp.csr_array(random_adjacency(20, 0.4, np.random.default_rng(0), weighted=True))
    for make in (
        lambda: KernelKMeans(2, random_state=0), lambda: CoresetKernelKMeans(2, coreset_size=1.0, random_state=0),
        lambda: KernelKFlats(2, 1, random_state=0),
    ):  # fmt: skip
        plain, large = (make().fit(A * weight) for weight in (1.0, 2.0**80))
        for name in ("cost_", "coreset_cost_", "reconstruction_error_"):
            if hasattr(plain, name):
                assert getattr(large, name) == pytest.approx(getattr(plain, name) * 2.0**-80, abs=1e-36)
        if hasattr(plain, "cluster_weights_"):
            np.testing.assert_allclose(large.cluster_weights_, plain.cluster_weights_ * 2.0**80)
        assert large.score(A[:3] * 2.0**80) == pytest.approx(plain.score(A[:3]) * 2.0**-80, abs=1e-36)


@pytest.mark.parametrize("sampling", ["importance", "uniform"])
@pytest.mark.parametrize("kernel", ["gaussian", "precomputed"])
def test_a_coreset_of_vectors(sampling, kernel):
    X, y = make_blobs(600, 4, centers=4, cluster_std=1.0, random_state=0)
    fitted = X[:500]
    if kernel == "precomputed":
        fitted = rbf_kernel(X[:500], gamma=0.02)
    model = CoresetKernelKMeans(4, coreset_size=60, sampling=sampling, kernel=kernel, random_state=0).fit(fitted)
    assert adjusted_rand_score(y[:500], model.labels_) > 0.95
    assert len(model.coreset_indices_) == len(model.coreset_weights_) == len(model.coreset_labels_) <= 60
    assert model.coreset_weights_.sum() == pytest.approx(500, rel=0.35)
    new = X[500:] if kernel == "gaussian" else rbf_kernel(X[500:], X[:500], gamma=0.02)
    assert adjusted_rand_score(y[500:], model.predict(new)) > 0.95
    np.testing.assert_array_equal(model.predict(fitted), model.labels_)


@pytest.mark.parametrize("seeding", ["fast", "naive"])
def test_a_coreset_of_a_graph(seeding):
    graph, truth = graphcore.datasets.planted_partition(4, 100, 0.5, 0.001, random_state=0)
    model = CoresetKernelKMeans(4, coreset_size=0.5, seeding=seeding, random_state=0).fit(graph)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(graph.to_scipy()), model.labels_)


# -- bad input ---------------------------------------------------------------------------------------------------------

X3 = np.random.default_rng(0).standard_normal((20, 3))
RING = nx.to_scipy_sparse_array(nx.cycle_graph(20), dtype=float)


BOTH, OF_CORESETS = (KernelKMeans, CoresetKernelKMeans), (CoresetKernelKMeans,)
BAD = [
    (BOTH, {"kernel": "rbg"}, X3, "choose one of 'auto', 'precomputed', 'normalized_cut', 'gaussian'"),
    (BOTH, {"n_clusters": 21}, X3, "at most 20"),
    (BOTH, {}, np.full((20, 3), np.nan), "NaN"),
    (BOTH, {"kernel": "precomputed"}, X3, "square"),
    (BOTH, {"kernel": "normalized_cut"}, -np.ones((20, 20)), "Negative values"),
    (BOTH, {"kernel": "gaussian"}, Graph.from_scipy(RING), "kernel='auto'"),
    (BOTH, {"kernel": "precomputed", "gamma": "x"}, np.eye(20), "gamma='x' has no meaning for kernel='precomputed'"),
    (BOTH, {"kernel": "normalized_cut", "bandwidth": 2}, RING, "bandwidth=2 has no meaning"),
    (BOTH, {"self_loop": -1.0}, RING, "self_loop=-1.0"),
    (BOTH, {"held_bytes": -1}, X3, "held_bytes=-1"),
    (BOTH, {"init": "best"}, X3, "init='best'"),
    *((BOTH, {"n_jobs": 0}, X, "n_jobs=0") for X in (X3, RING)),  # so small that there is work for one thread only
    *((OF_CORESETS, {"coreset_size": n}, X, f"coreset_size={n!r}") for n in (2, 21, 1.5, "most") for X in (X3, RING)),
    (OF_CORESETS, {"sampling": "degree"}, X3, "sampling='degree'"),
    (OF_CORESETS, {"sampling": "random"}, X3, "sampling='random'"),
    (OF_CORESETS, {"seeding": "slow"}, RING, "seeding='slow'"),
    (OF_CORESETS, {"seeding": "fast"}, X3, "reads the rows of a graph"),
    (OF_CORESETS, {"n_seeds": 0}, X3, "n_seeds=0"),
    (OF_CORESETS, {"init": [0, 1, 2]}, X3, "init of a coreset's clustering is"),
    (OF_CORESETS, {"self_loop": 0.0}, RING, "diagonal is zero"),
]  # fmt: skip


@pytest.mark.parametrize(("makes", "parameters", "X", "words"), BAD)
def test_bad_input_and_parameters(makes, parameters, X, words):
    for make in makes:
        with pytest.raises(ParameterError if "=" in words or "init" in words else ValueError, match=words):
            make(**{"n_clusters": 3, **parameters}).fit(X)


@pytest.mark.parametrize("given", ["auto", None])
@pytest.mark.parametrize(
    ("name", "said"),
    [(name, r"select_n_clusters\(X\)") for name in
     ("KernelKMeans", "CoresetKernelKMeans", "NystromKernelKMeans", "GaussianSketchKernelKMeans")]
    + [(name, "GridSearchCV") for name in ("KFlats", "KernelKFlats")],
)  # fmt: skip
def test_a_number_that_is_left_open_is_chosen_elsewhere(name, said, given):
    with pytest.raises(ParameterError, match=f"^n_clusters={given!r} must be an integer here; .*{said}"):
        getattr(graphcore, name)(given).fit(X3)


def test_scores_of_graphs_are_above_0():
    for make in (KernelKMeans, graphcore.CoresetSpectralClustering):
        model = make(5, random_state=0).fit(CAVEMEN)
        score = model.score(nx.to_scipy_sparse_array(CAVEMEN, format="csr", dtype=float))
        cut = graphcore.metrics.normalized_cut(CAVEMEN, model.labels_)
        assert score == pytest.approx(5 * (1 - cut) / (2 * CAVEMEN.number_of_edges())) and score > 0


def test_bad_calls():
    with pytest.raises(NotFittedError):
        KernelKMeans().predict(X3)
    graph = KernelKMeans(3, random_state=0).fit(RING)
    with pytest.raises(InputError, match="edges to the fitted ones"):
        graph.predict(Graph.from_scipy(RING))
    with pytest.raises(ValueError, match="features"):
        graph.predict(np.ones((2, 5)))
    for given in (RING, X3):
        with pytest.raises(ValueError, match="sample_weight"):
            KernelKMeans(3).fit(given, sample_weight=np.ones(5))
    for weights in (-np.ones(20), np.append(np.ones(19), -1e-3)):
        with pytest.raises(ValueError, match="not negative"):
            KernelKMeans(3, random_state=0).fit(X3).score(X3, sample_weight=weights)


def test_points_drawn_too_few_for_the_clusters():
    X = np.repeat(np.arange(3.0), 10)[:, None]
    X = X[[0] * 300 + [10, 20]]
    X = rbf_kernel(X)  # equal vectors would count as one point
    model = CoresetKernelKMeans(3, kernel="precomputed", coreset_size=3, random_state=0, n_seeds=3)
    with pytest.raises(InputError, match=r"different points were drawn.*larger coreset.*sampling='uniform'"):
        model.fit(X)
    assert set(model.set_params(coreset_size=1.0).fit(X).labels_) == {0, 1, 2}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sampling", ["importance", "uniform"])
def test_a_coreset_of_all_points_is_all_points(sampling, weighted):
    X = np.random.default_rng(0).standard_normal((150, 2))
    weights = np.random.default_rng(1).integers(0, 3, 150).astype(float) if weighted else None
    having = np.flatnonzero(np.ones(150) if weights is None else weights)
    # Draws with repeats would hold fewer different points than clusters, and no larger coreset is allowed.
    for k in (4, 80, len(having)):
        model = CoresetKernelKMeans(k, sampling=sampling, n_init=1, random_state=0).fit(X, sample_weight=weights)
        np.testing.assert_array_equal(model.coreset_indices_, having)
        np.testing.assert_array_equal(model.coreset_weights_, 1.0 if weights is None else weights[having])
        np.testing.assert_array_equal(model.labels_[having], model.coreset_labels_)
        assert len(set(model.labels_)) == k
        K = model.kernel_(X)
        assert model.coreset_cost_ == pytest.approx(partition_cost(K, model.labels_, weights=weights), abs=1e-12)


def test_nodes_of_a_graph_are_drawn_also_for_the_largest_coreset():
    model = CoresetKernelKMeans(5, random_state=0).fit(CAVEMEN)
    assert model.result_.coreset.n_draws == 40
    assert len(model.coreset_indices_) < 40
    with pytest.raises(InputError, match=r"in 40 draws; take sampling='uniform'"):
        model.set_params(n_clusters=39).fit(CAVEMEN)
    assert sorted(model.set_params(n_clusters=40).fit(CAVEMEN).labels_) == list(range(40))
    assert len(model.set_params(sampling="uniform").fit(CAVEMEN).coreset_indices_) == 40
