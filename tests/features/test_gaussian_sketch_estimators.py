"""GaussianSketchFeatures and GaussianSketchKernelKMeans: contract, geometry of the paper's figures, bad input."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score, rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from bench.shapes import cluster_in_cluster, crescent_moon
from graphcore import (
    GaussianSketchFeatures,
    GaussianSketchKernelKMeans,
    GraphWarning,
    InputError,
    ParameterError,
)
from graphcore.features.sketch import leading_eigenvalues
from graphcore.kernels.functions import kernel_function
from graphcore.kmeans.linear import linear_kmeans

BOTH = (GaussianSketchFeatures, GaussianSketchKernelKMeans)


def blobs(n=120, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(0, 1, (n, 4)) + 6 * rng.integers(0, 3, n)[:, None], None


# -- scikit-learn's contract -------------------------------------------------------------------------------------------


def expected_failures(estimator):
    if estimator.kernel == "precomputed":
        return {"check_positive_only_tag_during_fit": "takes a negative diagonal for a kernel matrix"}
    return {}


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@parametrize_with_checks(
    [
        GaussianSketchFeatures(5, random_state=0),
        GaussianSketchFeatures(5, kernel="precomputed", on_indefinite="warn", random_state=0),
        GaussianSketchKernelKMeans(3, random_state=0),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@parametrize_with_checks(
    [
        GaussianSketchFeatures(None, kernel="laplacian", n_subsample=0.5, random_state=0),
        GaussianSketchKernelKMeans(3, kernel="linear", n_components=2, n_subsample=0.7, random_state=0),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_contract_with_other_settings(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize("n_components", [4, None])
@pytest.mark.parametrize("kernel", ["gaussian", "polynomial", "cosine", "linear", lambda A, B: (A @ B.T) ** 2])
def test_fit_and_transform_are_fit_transform(kernel, n_components):
    X = blobs()[0]
    model = GaussianSketchFeatures(n_components, kernel=kernel, n_subsample=30, random_state=0)
    features = model.fit_transform(X)
    again = clone(model).fit(X)
    np.testing.assert_allclose(again.transform(X), features, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(again.transform(X[5:8]), features[5:8], rtol=1e-9, atol=1e-12)
    assert features.shape == (120, n_components or 30)
    assert len(again.get_feature_names_out()) == features.shape[1]
    np.testing.assert_allclose(features[model.subsample_indices_].mean(axis=0), 0, atol=1e-10)


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csc_matrix])
def test_kernel_matrices_give_what_their_vectors_give(make):
    X = blobs()[0]
    kernel = kernel_function("gaussian", gamma=0.05)
    K = make(kernel(X[:100]))
    given = GaussianSketchKernelKMeans(3, kernel="precomputed", n_subsample=40, random_state=0).fit(K)
    computed = GaussianSketchKernelKMeans(3, gamma=0.05, n_subsample=40, random_state=0).fit(X[:100])
    np.testing.assert_array_equal(given.labels_, computed.labels_)
    np.testing.assert_allclose(given.projection_, computed.projection_, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(given.coverage_, computed.coverage_, rtol=1e-9)
    rows = make(kernel(X[100:], X[:100]))
    np.testing.assert_array_equal(given.predict(rows), computed.predict(X[100:]))


def test_sparse_vectors():
    X = np.where(np.abs(blobs()[0]) > 1, blobs()[0], 0)
    dense = GaussianSketchFeatures(5, gamma=0.05, n_subsample=40, random_state=0)
    sparse = clone(dense)
    np.testing.assert_allclose(sparse.fit_transform(sp.csr_array(X)), dense.fit_transform(X), rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(sparse.transform(sp.csr_matrix(X[:9])), dense.transform(X[:9]), rtol=1e-6, atol=1e-9)


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_predict_repeats_labels(dtype):
    X = blobs()[0].astype(dtype)
    model = GaussianSketchKernelKMeans(3, n_subsample=50, random_state=0).fit(X)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert model.labels_.dtype == model.predict(X).dtype == np.int32
    twin = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(twin.predict(X), model.labels_)
    assert model.score(X) == pytest.approx(-model.cost_, rel=1e-4)
    threads = clone(model).set_params(n_jobs=2).fit(X)
    np.testing.assert_array_equal(threads.labels_, model.labels_)
    features = GaussianSketchFeatures(30, n_subsample=50, random_state=0).fit_transform(X)
    centres = model.cluster_centers_[model.labels_]
    np.testing.assert_array_equal(model.transform(X).argmin(axis=1), model.labels_)
    assert np.square(model.transform(X).min(axis=1)).mean() == pytest.approx(model.cost_, rel=1e-4)
    assert model.cost_ == pytest.approx(np.square(features - centres).sum(axis=1).mean(), rel=1e-6)


def test_sample_weights_are_those_of_k_means_on_the_features():
    X, _ = blobs()
    weights = np.random.default_rng(1).random(len(X))
    weights[X.mean(axis=1) > 9] = 0.0
    model = GaussianSketchKernelKMeans(2, random_state=0).fit(X, sample_weight=weights)
    B = model._features_of(X)
    means = np.array([np.average(B[model.labels_ == j], axis=0, weights=weights[model.labels_ == j]) for j in (0, 1)])
    np.testing.assert_allclose(model.cluster_centers_, means, atol=1e-9)
    squares = np.square(B - means[model.labels_]).sum(axis=1)
    assert model.cost_ == pytest.approx(np.average(squares, weights=weights))
    # The two blobs that have weight are told apart.
    kept = weights > 0
    assert adjusted_rand_score(X[kept].mean(axis=1) > 3, model.labels_[kept]) == 1.0
    for bad, message in ((-weights, "not negative"), (weights[:5], "120 numbers"), (0 * weights, "not all zero")):
        with pytest.raises(InputError, match=message):
            GaussianSketchKernelKMeans(2).fit(X, sample_weight=bad)


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
def test_pipelines_and_grid_search():
    digits = load_digits()
    X, y = digits.data[:300], digits.target[:300]
    features = GaussianSketchFeatures(n_subsample=100, random_state=0)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), features, LogisticRegression(max_iter=300)),
        {"gaussiansketchfeatures__n_components": [2, None]},
        cv=2,
    ).fit(X, y)
    assert search.best_params_ == {"gaussiansketchfeatures__n_components": None}
    clusters = GridSearchCV(
        make_pipeline(StandardScaler(), GaussianSketchKernelKMeans(10, n_init=2, random_state=0)),
        {"gaussiansketchkernelkmeans__center": [True, False]},
        scoring="adjusted_rand_score",
        cv=2,
    ).fit(X, y)
    assert clusters.best_params_ == {"gaussiansketchkernelkmeans__center": True}
    assert np.isfinite(clusters.cv_results_["mean_test_score"]).all()


def test_grid_search_slices_kernel_matrices_on_both_sides():
    X, truth = cluster_in_cluster(300, random_state=0)
    K = kernel_function("gaussian", gamma=0.2)(X)
    search = GridSearchCV(
        GaussianSketchKernelKMeans(2, kernel="precomputed", n_subsample=80, random_state=0),
        {"n_components": [1, 20]},
        scoring="adjusted_rand_score",
        cv=3,
    ).fit(K, truth)
    assert search.best_params_ == {"n_components": 20}
    assert search.best_score_ > 0.99


# -- what the paper shows ----------------------------------------------------------------------------------------------


def separated(features, labels):
    """Accuracy of the best separating plane."""
    scaled = StandardScaler().fit_transform(features)
    return LogisticRegression(C=1e4, max_iter=2000).fit(scaled, labels).score(scaled, labels)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
def test_cluster_in_cluster_is_found_with_20_features_by_every_seed():
    for seed in range(20):
        X, truth = cluster_in_cluster(5000, random_state=seed)
        model = GaussianSketchKernelKMeans(2, n_components=20, n_subsample=100, n_init=5, random_state=seed).fit(X)
        assert adjusted_rand_score(truth, model.labels_) >= 0.99, seed


@pytest.mark.slow
def test_cluster_in_cluster_is_mostly_separable_in_the_plane():
    # The specification asks for 60 %, and had 75 % and a mean accuracy of 0.971.
    accuracy = []
    for seed in range(20):
        X, truth = cluster_in_cluster(5000, random_state=seed)
        features = GaussianSketchFeatures(2, n_subsample=100, random_state=seed).fit_transform(X)
        accuracy.append(separated(features, truth))
    assert sum(one > 0.99 for one in accuracy) >= 12
    assert np.mean(accuracy) == pytest.approx(0.971, abs=0.02)
    assert adjusted_rand_score(truth, KMeans(2, n_init=3, random_state=0).fit_predict(X)) < 0.05


@pytest.mark.slow
def test_crescent_moon_is_separable_with_20_features():
    for seed in range(20):
        X, truth = crescent_moon(5000, random_state=seed)
        features = GaussianSketchFeatures(20, n_subsample=100, random_state=seed).fit_transform(X)
        assert separated(features, truth) > 0.99, seed


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
def test_centring_helps_on_digits():
    # Rand index and ARI 0.911 and 0.518 centred, 0.846 and 0.172 not, over 30 runs of the specification; deviations
    # over seeds are about 0.01 and 0.03.
    X, truth = load_digits(return_X_y=True)
    means = {}
    for center in (True, False):
        model = GaussianSketchKernelKMeans(10, n_subsample=200, center=center, n_init=2)
        runs = [clone(model).set_params(random_state=seed).fit(X).labels_ for seed in range(5)]
        means[center] = np.mean([[score(truth, one) for score in (rand_score, adjusted_rand_score)] for one in runs], 0)
    np.testing.assert_allclose(means[True], [0.911, 0.518], atol=0.03)
    np.testing.assert_allclose(means[False], [0.846, 0.172], atol=0.03)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
def test_rare_blobs_are_lost_by_the_cubes_of_their_eigenvalues():
    # Five blobs in R^20, 50 features of 200 points. The specification has ARI 0.995 against 0.999 of kernel PCA for
    # blobs of one size, where lambda_1 / lambda_4 is 2.1, and 0.72 against 0.81 for sizes 40 : 40 : 16 : 3 : 1, where
    # it is 8.2. It gives no spread of the centres: 1.5 has these ratios.
    means = {}
    for name, sizes in {"even": [200] * 5, "uneven": [400, 400, 160, 30, 10]}.items():
        runs = []
        for seed in range(6):
            rng = np.random.default_rng(seed)
            truth = np.repeat(np.arange(5), sizes)
            X = 1.5 * rng.standard_normal((5, 20))[truth] + rng.standard_normal((1000, 20))
            model = GaussianSketchKernelKMeans(5, n_components=50, n_subsample=200, n_init=5, random_state=seed).fit(X)
            # Kernel PCA of the same subsample, by the dense formula.
            S, rows = model.kernel_(model.subsample_), model.kernel_(X, model.subsample_)
            H = np.eye(200) - 1 / 200
            values, vectors = np.linalg.eigh(H @ S @ H)
            scores = (rows - S.mean(axis=0)) @ vectors[:, -50:] / np.sqrt(values[-50:])
            of_scores = linear_kmeans(scores, 5, n_init=5, random_state=seed).labels
            found = [adjusted_rand_score(truth, labels) for labels in (model.labels_, of_scores)]
            runs.append([*found, model.spectral_condition_])
        means[name] = np.mean(runs, axis=0)
    np.testing.assert_allclose(means["even"], [0.995, 0.999, 2.1], atol=0.015, rtol=0.05)
    np.testing.assert_allclose(means["uneven"], [0.72, 0.81, 8.2], atol=0.08, rtol=0.1)
    assert means["uneven"][0] < means["uneven"][1] - 0.05


def test_more_features_come_nearer_to_the_map_without_randomness():
    X = blobs(seed=3)[0]
    common = {"n_subsample": 60, "scale": "theory", "random_state": 0}
    exact = GaussianSketchFeatures(None, **common).fit_transform(X)
    G = exact @ exact.T
    errors = []
    for d in (5, 50):
        features = GaussianSketchFeatures(d, **common).fit_transform(X)
        errors.append(np.linalg.norm(features @ features.T - G) / np.linalg.norm(G))
    assert errors[1] < 0.6 * errors[0]
    beyond = GaussianSketchFeatures(60, **common).fit_transform(X)
    np.testing.assert_array_equal(beyond, exact)


def test_the_default_kernel_is_the_papers():
    X = blobs()[0]
    model = GaussianSketchFeatures(random_state=0).fit(X)
    distances = np.sqrt(np.square(X[:, None] - X).sum(axis=2))[np.triu_indices(len(X), 1)]
    assert model.kernel_.gamma == pytest.approx(1 / np.quantile(distances, 0.25) ** 2)
    assert GaussianSketchFeatures(bandwidth=2.0).fit(X).kernel_.gamma == pytest.approx(1 / 8)


# -- what is reported and warned about ---------------------------------------------------------------------------------


def test_weak_directions_are_warned_about():
    rng = np.random.default_rng(0)
    centres = 8 * rng.standard_normal((4, 5))
    sizes = {"even": [100] * 4, "uneven": [1000, 300, 60, 20]}
    for name, counts in sizes.items():
        X = np.concatenate([centre + rng.standard_normal((m, 5)) for centre, m in zip(centres, counts, strict=True)])
        model = GaussianSketchKernelKMeans(4, gamma=0.01, n_subsample=0.5, random_state=0)
        if name == "uneven":
            with pytest.warns(GraphWarning, match="differ by a factor of"):
                model.fit(X)
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("error", GraphWarning)
                model.fit(X)
        values = leading_eigenvalues(model.kernel_(model.subsample_), 3)
        assert model.spectral_condition_ == pytest.approx(values[0] / values[2], rel=1e-6)
        assert (model.spectral_condition_ > 4) == (name == "uneven")
        assert "spectral condition" in model.report()


def test_points_far_from_the_subsample_are_counted():
    X = np.concatenate([np.random.default_rng(0).standard_normal((300, 2)), np.full((2, 2), 1000.0)])
    model = GaussianSketchFeatures(5, n_subsample=20, gamma=1.0, random_state=1)
    with pytest.warns(GraphWarning, match="of 302 points are far from all 20 subsample points"):
        features = model.fit_transform(X)
    assert not {300, 301} & set(model.subsample_indices_)
    assert (model.coverage_[300:] < 0.01).all()
    np.testing.assert_allclose(model.coverage_[model.subsample_indices_], 1)
    np.testing.assert_allclose(features[300], -model.offset_, atol=1e-12)
    assert "points below 0.01" in model.report()


def test_effective_dimension():
    X = blobs()[0]
    model = GaussianSketchFeatures(n_subsample=50, random_state=0).fit(X)
    K = model.kernel_(model.subsample_)
    H = np.eye(50) - 1 / 50
    values = np.linalg.eigvalsh(H @ K @ H)
    assert model.effective_dimension_ == pytest.approx(values.sum() / values[-1])
    model = GaussianSketchFeatures(n_subsample=50, center=False, random_state=0).fit(X)
    K = model.kernel_(model.subsample_)
    assert model.effective_dimension_ == pytest.approx(50 / np.linalg.eigvalsh(K)[-1])


def test_constant_data_and_fewer_distinct_points_than_clusters():
    constant = np.ones((20, 3))
    with pytest.raises(InputError, match="zero bandwidth"):
        GaussianSketchKernelKMeans(2).fit(constant)
    with pytest.warns(GraphWarning, match="there are 1 clusters instead"):
        model = GaussianSketchKernelKMeans(2, gamma=1.0, random_state=0).fit(constant)
    assert set(model.labels_) == {model.labels_[0]}
    assert model.cost_ == pytest.approx(0, abs=1e-12)
    assert model.effective_dimension_ == 0
    with (
        pytest.warns(GraphWarning, match="there are 2 clusters instead"),
        pytest.warns(GraphWarning, match="differ by a factor of inf"),
    ):
        GaussianSketchKernelKMeans(5, gamma=1.0, random_state=0).fit(np.repeat(np.eye(2), 10, axis=0))
    with pytest.raises(InputError, match="higher quantile"):
        GaussianSketchFeatures(2).fit(np.repeat(np.eye(2), 10, axis=0))


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", BOTH)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_components": 0}, "n_components=0"),
        ({"n_components": "many"}, "n_components='many'"),
        ({"n_components": 2.5}, "n_components=2.5"),
        ({"n_subsample": 200}, "n_subsample=200 must be at most 120"),
        ({"n_subsample": 0}, "n_subsample=0"),
        ({"n_subsample": 1.5}, "n_subsample=1.5"),
        ({"kernel": "nonsense"}, "kernel='nonsense'"),
        ({"bandwidth": 0.0}, "bandwidth=0.0"),
        ({"gamma": -1.0}, "gamma=-1.0"),
        ({"scale": "big"}, "scale='big'"),
        ({"on_indefinite": "no"}, "on_indefinite='no'"),
        ({"n_jobs": 0}, "n_jobs=0"),
        ({"random_state": "a"}, "random_state='a'"),
        ({"kernel": lambda A, B: np.ones(3)}, "returned shape"),
        ({"kernel": lambda A, B: 1j * (A @ B.T)}, "real numbers"),
        ({"kernel": "sigmoid", "gamma": 5.0, "coef0": -1.0}, "not positive semi-definite|negative diagonal"),
        ({"kernel": "precomputed"}, "square"),
    ],
)
def test_bad_parameters_are_named(make, given, message):
    with pytest.raises(InputError, match=message):
        make(random_state=0).set_params(**given).fit(blobs()[0])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_clusters": 0}, "n_clusters=0"),
        ({"n_clusters": 121}, "n_clusters=121 must be at most 120"),
        ({"n_clusters": 2.0}, "n_clusters=2.0"),
        ({"n_init": 0}, "n_init=0"),
        ({"max_iter": 0}, "max_iter=0"),
        ({"tol": -1.0}, "tol=-1.0"),
    ],
    ids=str,
)
def test_bad_parameters_of_the_clustering(given, message):
    with pytest.raises(ParameterError, match=message):
        GaussianSketchKernelKMeans(3, random_state=0).set_params(**given).fit(blobs()[0])


@pytest.mark.parametrize("make", BOTH)
def test_bad_data(make):
    X = blobs()[0]
    for bad in (np.nan, np.inf):
        broken = X.copy()
        broken[3, 1] = bad
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            make().fit(broken)
    with pytest.raises(ValueError, match="0 sample"):
        make().fit(np.empty((0, 3)))
    lopsided = np.abs(X[:, :4] @ X[:, :4].T)
    lopsided[0, 1] += 100
    with pytest.raises(InputError, match="not symmetric"):
        make(kernel="precomputed").fit(lopsided)
    with pytest.raises(NotFittedError):
        make().report()
    method = "transform" if make is GaussianSketchFeatures else "predict"
    fitted = make(kernel="linear", n_subsample=30).fit(X) if make is BOTH[0] else None
    if fitted is not None:
        with pytest.raises(ValueError, match="features"):
            getattr(fitted, method)(X[:, :2])
    with pytest.raises(NotFittedError):
        getattr(make(), method)(X)
