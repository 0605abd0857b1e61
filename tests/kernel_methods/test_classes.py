"""The kernel classes: every kind of input, weights, scores, searches, what is stored and what is refused."""

import logging
import pickle
import warnings
from functools import partial

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import graphcore
from graphcore import (
    CoresetKernelKMeans,
    GaussianSketchFeatures,
    GaussianSketchKernelKMeans,
    Graph,
    GraphWarning,
    InputError,
    KernelKFlats,
    KernelKMeans,
    KFlats,
    NystromFeatures,
    NystromKernelKMeans,
)
from graphcore.kernels.functions import kernel_function

from ..nystrom_oracles import blobs, gaussian_matrix
from ..oracles import random_adjacency
from .oracles import inertia

# Degenerate data are warned about; where a warning matters, the test asks for it.
pytestmark = pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")

X, TRUTH = blobs(300, k=4, d=6, spread=3.0, seed=0)
K = gaussian_matrix(X)
CAVEMEN = nx.connected_caveman_graph(5, 8)
RING = nx.to_scipy_sparse_array(nx.cycle_graph(20), dtype=float)

CENTROIDS = (KernelKMeans, CoresetKernelKMeans)
FEATURES = (NystromFeatures, GaussianSketchFeatures)
OF_FEATURES = (NystromKernelKMeans, GaussianSketchKernelKMeans)
OF_KERNELS = (*CENTROIDS, *OF_FEATURES, KernelKFlats)
CLUSTERERS = (*OF_KERNELS, KFlats)


def made(make, **parameters):
    """An estimator that makes 4 clusters or 5 features."""
    size = {"n_clusters": 4} if hasattr(make, "predict") else {"n_components": 5}
    return make(**{"random_state": 0, **size, **parameters})


def outputs(model, data):
    """Outputs of a fitted model for points, up to the signs of features."""
    if hasattr(model, "predict"):
        return model.predict(data)
    found = model.transform(data)
    return found @ found.T


@pytest.mark.parametrize("make", [*OF_KERNELS, *FEATURES])
@pytest.mark.parametrize("form", [np.asarray, pytest.param(sp.csr_array, marks=pytest.mark.slow)])
def test_vectors_and_their_kernel_dense_and_sparse_are_the_same(make, form):
    function = kernel_function("gaussian", bandwidth=5.0)
    K = function(X[:150])
    of_vectors = made(make, kernel=function).fit(form(X[:100]))
    of_matrix = made(make, kernel="precomputed").fit(form(K[:100, :100]))
    for matrix in (form, sp.csr_matrix):
        found = outputs(of_matrix, matrix(K[100:, :100]))
        np.testing.assert_allclose(outputs(of_vectors, form(X[100:150])), found, atol=1e-8)
    if hasattr(make, "predict"):
        np.testing.assert_array_equal(of_vectors.labels_, of_matrix.labels_)
        np.testing.assert_array_equal(of_vectors.predict(form(X[:100])), of_vectors.labels_)
        assert adjusted_rand_score(TRUTH[:100], of_vectors.labels_) == 1.0


@pytest.mark.parametrize("make", [*CLUSTERERS, *FEATURES])
def test_fits_repeat_and_survive_threads_pickling_and_cloning(make):
    model = made(make).fit(X[:120])
    before = outputs(model, X[:50])
    w = {"sample_weight": np.ones(120)} if make in CLUSTERERS else {}  # weights that are all 1 are none
    for other in (clone(model).fit(X[:120], **w), made(make, n_jobs=2).fit(X[:120]), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(outputs(other, X[:50]), before)


@pytest.mark.parametrize("make", OF_KERNELS)
def test_the_score_is_minus_the_cost(make):
    weights = np.random.default_rng(0).integers(0, 3, 300).astype(float)
    model = made(make, kernel=kernel_function("polynomial", degree=2)).fit(X, sample_weight=weights)
    cost = getattr(model, "cost_", getattr(model, "reconstruction_error_", None))
    if cost is not None:
        assert model.score(X, sample_weight=weights) == pytest.approx(-cost, rel=1e-6)
    if make is KernelKMeans:
        assert cost == pytest.approx(inertia(model.kernel_(X), model.labels_, weights) / weights.sum())
        assert model.inertia_ == pytest.approx(cost * weights.sum())
    if make is NystromKernelKMeans:  # centres in the span of the features are no better than means
        assert cost >= inertia(model.kernel_(X), model.labels_, weights) / weights.sum() - 1e-9


@pytest.mark.parametrize("make", CENTROIDS)
def test_the_score_of_new_points_against_the_dense_formula(make):
    model = made(make, kernel=kernel_function("polynomial", degree=2)).fit(X[:200])
    K = model.kernel_(X)
    given = made(make, kernel="precomputed").fit(K[:200, :200])
    points = np.arange(200) if given._points is None else given._points
    across, among = K[200:, points], K[np.ix_(points, points)]
    labels, w = given._centroids[:2]
    shares = np.stack([np.where(labels == j, w, 0.0) / w[labels == j].sum() for j in range(4)])
    squares = np.einsum("jp,pq,jq->j", shares, among, shares) - 2 * across @ shares.T
    assert model.score(X[200:]) == pytest.approx(-(np.diag(K)[200:] + squares.min(axis=1)).mean())
    # Rows of a matrix do not hold the diagonal: its mean over the fit stands for it.
    assert given.score(K[200:, :200]) == pytest.approx(-(np.diag(K)[:200].mean() + squares.min(axis=1).mean()))


@pytest.mark.slow
@pytest.mark.parametrize("make", CLUSTERERS)
def test_a_weight_is_a_number_of_repeats_in_any_order(make):
    rng = np.random.default_rng(0)
    X, weights = rng.standard_normal((80, 3)), rng.integers(0, 4, 80)
    model = make(4, random_state=0).fit(X, sample_weight=weights)
    repeated = rng.permutation(np.repeat(np.arange(80), weights))
    again = make(4, random_state=0).fit(X[repeated])
    np.testing.assert_array_equal(again.labels_, model.labels_[repeated])
    with warnings.catch_warnings(action="error", category=UserWarning):
        make(4, random_state=0).fit(pd.DataFrame(X, columns=list("abc")), sample_weight=weights)
    # Points without weight have labels, and no part in anything else.
    np.testing.assert_array_equal(model.labels_, model.predict(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    for name in ("coreset_indices_", "landmark_indices_", "subsample_indices_"):
        if hasattr(model, name):
            assert weights[getattr(model, name)].all()


@pytest.mark.parametrize(
    "rule", ["rms", *(pytest.param(each, marks=pytest.mark.slow) for each in ("quantile", "neighbours"))]
)
def test_rules_for_the_bandwidth_see_each_different_row_with_weight_once(rule):
    rng = np.random.default_rng(0)
    X, weights, labels = rng.standard_normal((80, 3)), rng.integers(0, 4, 80), np.arange(80) % 4
    Y, expected = np.repeat(X, weights, axis=0), kernel_function("gaussian", bandwidth=rule, X=X[weights > 0]).gamma
    found = [made(CoresetKernelKMeans, bandwidth=rule).partial_fit(X, sample_weight=weights)]
    found += [made(make, bandwidth=rule).fit(Y) for make in (*OF_KERNELS, *FEATURES)]
    found += [made(make, bandwidth=rule).fit(X, sample_weight=weights) for make in OF_KERNELS]
    for make in (KernelKMeans, KernelKFlats):
        once = made(make, bandwidth=rule, init=labels).fit(X, sample_weight=weights)
        again = made(make, bandwidth=rule, init=np.repeat(labels, weights)).fit(Y)
        np.testing.assert_array_equal(again.labels_, np.repeat(once.labels_, weights))
        found += [once, again]
    assert [model.kernel_.gamma for model in found] == pytest.approx([expected] * len(found))


@pytest.mark.parametrize("make", OF_FEATURES)
def test_centres_are_weighted_means_of_features(make):
    w = np.random.default_rng(0).random(300)
    w[TRUTH == 0] = 0
    model = made(make, n_clusters=3).fit(X, sample_weight=w)
    labels, kept, B = model.labels_, TRUTH > 0, model._features_of(X)
    assert adjusted_rand_score(TRUTH[kept], labels[kept]) > 0.9
    means = np.array([np.average(B[labels == j], axis=0, weights=w[labels == j]) for j in range(3)])
    np.testing.assert_allclose(model.cluster_centers_, means, atol=1e-9)
    np.testing.assert_allclose(model.transform(X), np.linalg.norm(B[:, None] - means, axis=2), atol=1e-7)


def test_landmarks_and_features_of_the_nystrom_classes():
    model = NystromKernelKMeans(4, random_state=0).fit(X)
    assert (model.n_landmarks_, model.n_components_) == (40, 13)  # 2 ceil(sqrt(300)) = 36 < 10 k; ceil(sqrt(4 * 40))
    assert NystromKernelKMeans(4, n_landmarks="sqrt", random_state=0).fit(X).n_landmarks_ == 18
    assert NystromKernelKMeans(4, n_components=7, n_landmarks=0.5, random_state=0).fit(X).n_landmarks_ == 150
    model = NystromFeatures(5, random_state=0).fit(X)
    assert (model.n_landmarks_, len(model.landmark_indices_)) == (50, 50)
    kept = np.square(model.transform(X)).sum() / 300
    assert model.share_kept_ == pytest.approx(kept) and 0.5 < kept < 1
    for dtype, expected in ((np.uint8, np.float32), (np.float32, np.float32), (np.int64, np.float64)):
        data = (X * 10 + 128).clip(0, 255).astype(dtype)
        assert NystromFeatures(5, random_state=0).fit_transform(data).dtype == expected


@pytest.mark.slow
@pytest.mark.parametrize("make", FEATURES)
def test_features_in_pipelines_and_grid_searches(make):
    digits, y = (part[:300] for part in load_digits(return_X_y=True))
    name = make.__name__.lower()
    pipe = make_pipeline(StandardScaler(), made(make), LogisticRegression(max_iter=300))
    search = GridSearchCV(pipe, {f"{name}__n_components": [2, 40]}, cv=2).fit(digits, y)
    assert search.best_params_ == {f"{name}__n_components": 40} and search.best_score_ > 0.7
    assert list(search.best_estimator_[:-1].get_feature_names_out())[:2] == [f"{name}0", f"{name}1"]


@pytest.mark.slow
@pytest.mark.parametrize("make", [*CENTROIDS, NystromKernelKMeans, KernelKFlats])
def test_searches_by_the_own_score_cut_a_kernel_matrix_along_both_sides(make):
    model = made(make, n_init=2, kernel="precomputed")
    assert GridSearchCV(model, {"n_clusters": [2, 4]}, cv=3).fit(K).best_params_ == {"n_clusters": 4}


@pytest.mark.parametrize(
    ("make", "stages"),
    [
        (KernelKMeans, ["kernel", "k-means"]),
        (CoresetKernelKMeans, ["kernel", "coreset and labels"]),
        (NystromFeatures, ["kernel", "features"]),
        (KFlats, ["initialisation 1 of 10", "initialisation 10 of 10"]),
    ],
)
def test_verbose_logs_stages(make, stages, caplog):
    with caplog.at_level(logging.INFO, logger="graphcore"):
        make(2, random_state=0).fit(X)
        assert not caplog.records
        make(2, random_state=0, verbose=1).fit(X)
    told = [record.getMessage().split(":")[0] for record in caplog.records]
    assert [told[0], told[-1]] == stages


# -- graphs ------------------------------------------------------------------------------------------------------------


def test_a_graph_of_caves():
    model = KernelKMeans(5, self_loop=1.0, n_init=20, random_state=0).fit(CAVEMEN)
    assert adjusted_rand_score(np.repeat(np.arange(5), 8), model.labels_) == 1.0
    graph = Graph.from_networkx(CAVEMEN)
    plain = KernelKMeans(5, init=model.labels_).fit(graph)
    assert plain.inertia_ == pytest.approx(-5 + 5 * graphcore.metrics.normalized_cut(graph, plain.labels_))
    np.testing.assert_array_equal(model.predict(graph.to_scipy()), model.labels_)


def test_a_node_that_counts_twice_is_two_nodes():
    A = random_adjacency(12, 0.5, np.random.default_rng(0))
    copies = np.repeat(np.arange(12), np.where(np.arange(12) < 4, 2, 1))
    start = (np.arange(12) % 2).astype(np.int32)
    once = KernelKMeans(2, init=start).fit(sp.csr_array(A), sample_weight=np.bincount(copies))
    twice = KernelKMeans(2, init=start[copies]).fit(sp.csr_array(A[np.ix_(copies, copies)]))
    np.testing.assert_array_equal(twice.labels_, once.labels_[copies])
    rows = A[:5] @ np.diag(np.ones(12))
    np.testing.assert_array_equal(once.predict(rows), twice.predict(rows[:, copies]))


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


# -- what is warned about ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", OF_FEATURES)
@pytest.mark.parametrize("distinct", [1, 3])
def test_more_clusters_than_distinct_points(make, distinct):
    points = np.repeat([[0.0], [1.0], [5.0]][:distinct], 10, axis=0)
    with pytest.warns(GraphWarning, match=f"{distinct} clusters instead of n_clusters=5"):
        model = make(5, n_components=None, bandwidth=1.0, random_state=0).fit(points)
    assert set(model.labels_.tolist()) == set(range(distinct))
    assert model.cost_ == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_array_equal(model.predict(points), model.labels_)


def test_a_linear_kernel_far_from_the_origin_is_warned_of():
    X = np.repeat([[0.0, 0.0], [8.0, 0.0]], 50, axis=0) + np.random.default_rng(0).normal(size=(100, 2))
    for dtype, offset in ((np.float32, 1e3), (np.float64, 1e9)):
        with pytest.warns(GraphWarning, match=f"times as far from the origin .* in {np.dtype(dtype)} round away"):
            NystromKernelKMeans(2, kernel="linear", random_state=0).fit((X + offset).astype(dtype))
        with warnings.catch_warnings(action="error"):
            NystromKernelKMeans(2, kernel="linear", random_state=0).fit(X.astype(dtype))


def test_rounding_does_not_part_equal_points_of_a_kernel_matrix():
    X = np.random.default_rng(4).normal(size=(6, 3))[np.random.default_rng(4).integers(0, 6, 205)]
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 2)
    for matrix, n_different in ((np.ones((50, 50)), 1), (K, 6)):
        for seed in range(6):
            with pytest.warns(GraphWarning, match=f"{n_different} clusters instead of n_clusters=7"):
                model = NystromKernelKMeans(7, kernel="precomputed", random_state=seed).fit(matrix)
            assert len(model.cluster_centers_) == n_different and model.cost_ == pytest.approx(0.0, abs=1e-12)


def test_what_landmarks_leave_out_is_told():
    with pytest.warns(GraphWarning, match="260 of 300 points have a kernel value of zero with every landmark"):
        NystromKernelKMeans(4, bandwidth=1e-3, n_components=None, random_state=0).fit(X)
    with pytest.warns(GraphWarning, match="n_components=2 is less than n_clusters=4"):
        NystromKernelKMeans(4, n_components=2, random_state=0).fit(X)
    with warnings.catch_warnings(action="error"):
        NystromKernelKMeans(4, n_landmarks=40, random_state=0).fit(X)
        NystromKernelKMeans(4, kernel="linear", random_state=0).fit(X)
    with pytest.warns(GraphWarning, match=rf"has rank {X.shape[1]} among the landmarks.* not n_components=9"):
        NystromKernelKMeans(4, kernel="linear", n_components=9, random_state=0).fit(X)


@pytest.mark.parametrize("make", [*OF_KERNELS, *FEATURES])
def test_indefinite_kernels(make):
    model = made(make, kernel=lambda A, B: np.tanh(A @ B.T / 10))
    if hasattr(model, "max_iter"):
        model.set_params(max_iter=5)  # k-flats of an indefinite kernel need not end by themselves
    if hasattr(model, "on_indefinite"):
        with pytest.raises(InputError, match=r"not positive semi-definite.*on_indefinite='warn'"):
            model.fit(X)
        model.set_params(on_indefinite="warn")
    with pytest.warns(GraphWarning, match="not positive semi-definite"):
        model.fit(X)


# -- what is refused ---------------------------------------------------------------------------------------------------

BAD = [
    (OF_KERNELS, {"n_clusters": 301}, "n_clusters=301 must be at most 300"),
    (CLUSTERERS, {"n_clusters": 0}, "n_clusters=0"),
    ((*OF_KERNELS, *FEATURES), {"kernel": "wavelet"}, "kernel='wavelet' is not known; choose one of 'auto'"),
    ((*OF_KERNELS, *FEATURES), {"kernel": "precomputed", "gamma": 1.0}, "gamma=1.0 has no meaning for kernel='prec"),
    ((*OF_KERNELS, *FEATURES), {"n_jobs": 0}, "n_jobs=0"),
    ((CoresetKernelKMeans,), {"sampling": "degree", "coreset_size": 50}, "sampling='degree'"),
    ((NystromFeatures, NystromKernelKMeans), {"sampling": "best"}, "sampling='best' is not known; choose one of 'uni"),
    ((NystromKernelKMeans,), {"n_landmarks": 3}, "n_landmarks=3 must be at least n_clusters=4"),
    ((KernelKFlats, *FEATURES, *OF_FEATURES), {"on_indefinite": "hide"}, "on_indefinite='hide'"),
]


@pytest.mark.parametrize(("makes", "parameters", "message"), BAD)
def test_parameters_that_are_refused(makes, parameters, message):
    for make in makes:
        data = K if parameters.get("kernel") == "precomputed" else X
        with pytest.raises(InputError, match=message):
            made(make, **parameters).fit(data)


@pytest.mark.parametrize("make", [*CLUSTERERS, *FEATURES])
def test_data_that_is_refused(make):
    bad = X.copy()
    bad[3, 2] = np.nan
    for call in (made(make).fit, partial(outputs, made(make).fit(X))):
        with pytest.raises(InputError, match=r"X must be finite: row 3, column 2 is NaN \(1 such values\); fill"):
            call(bad)
    if make in (NystromFeatures, NystromKernelKMeans):
        with pytest.raises(InputError, match=r"diagonal is zero.* adjacency matrix with KernelKMeans"):
            made(make, kernel="precomputed", on_indefinite="warn").fit(np.ones((20, 20)) - np.eye(20))
    if make not in CENTROIDS:
        with pytest.raises(InputError, match=f"{make.__name__} .*CoresetSpectralClustering"):
            made(make).fit(CAVEMEN)
    if hasattr(make, "predict"):
        for weights, message in ((-np.ones(300), "not negative"), (np.zeros(300), "not all zero"), (np.ones(3), "300")):
            with pytest.raises(InputError, match=f"sample_weight.*{message}"):
                made(make).fit(X, sample_weight=weights)


@pytest.mark.parametrize("make", CENTROIDS)
def test_graphs_that_are_refused(make):
    with pytest.raises(ValueError, match="Negative values"):
        made(make, kernel="normalized_cut").fit(-np.ones((20, 20)))
    with pytest.raises(InputError, match=r"kernel='gaussian' takes vectors.*kernel='auto'"):
        made(make, kernel="gaussian").fit(Graph.from_scipy(RING))
    with pytest.raises(ValueError, match="square"):
        made(make, kernel="precomputed").fit(X)
    model = made(make).fit(RING)
    with pytest.raises(InputError, match="by their edges to the fitted ones"):
        model.predict(Graph.from_scipy(RING))
    with pytest.raises(InputError, match="no new node has an edge"):
        model.score(np.zeros((2, 20)))


# -- coresets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sampling", ["importance", "uniform"])
def test_a_coreset_of_vectors(sampling):
    X, y = make_blobs(600, 4, centers=4, cluster_std=1.0, random_state=0)
    model = CoresetKernelKMeans(4, coreset_size=60, sampling=sampling, random_state=0).fit(X[:500])
    assert adjusted_rand_score(y[:500], model.labels_) > 0.95
    assert len(model.coreset_indices_) == len(model.coreset_weights_) == len(model.coreset_labels_) <= 60
    assert model.coreset_weights_.sum() == pytest.approx(500, rel=0.35)
    assert adjusted_rand_score(y[500:], model.predict(X[500:])) > 0.95
    np.testing.assert_array_equal(model.predict(X[:500]), model.labels_)


def test_a_coreset_of_a_graph():
    graph, truth = graphcore.datasets.planted_partition(4, 100, 0.5, 0.001, random_state=0)
    model = CoresetKernelKMeans(4, coreset_size=0.5, random_state=0).fit(graph)
    assert adjusted_rand_score(truth, model.labels_) > 0.95
    np.testing.assert_array_equal(model.predict(graph.to_scipy()), model.labels_)
    # Nodes are drawn also for the largest coreset.
    model = CoresetKernelKMeans(5, random_state=0).fit(CAVEMEN)
    assert model.result_.coreset.n_draws == 40 and len(model.coreset_indices_) < 40
    with pytest.raises(InputError, match=r"in 40 draws; take a larger coreset, or sampling='uniform'"):
        model.set_params(n_clusters=39).fit(CAVEMEN)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_coreset_of_all_points_is_all_points(weighted):
    X = np.random.default_rng(0).standard_normal((150, 2))
    weights = np.random.default_rng(1).integers(0, 3, 150).astype(float) if weighted else None
    having = np.flatnonzero(np.ones(150) if weights is None else weights)
    for k in (4, 80):
        model = CoresetKernelKMeans(k, n_init=1, random_state=0).fit(X, sample_weight=weights)
        np.testing.assert_array_equal(model.coreset_indices_, having)
        np.testing.assert_array_equal(model.coreset_weights_, 1.0 if weights is None else weights[having])
        counts = np.ones(150) if weights is None else weights
        cost = inertia(model.kernel_(X), model.labels_, counts) / counts.sum()
        assert model.coreset_cost_ == pytest.approx(cost, rel=1e-6)
