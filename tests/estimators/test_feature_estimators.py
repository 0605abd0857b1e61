"""The classes of kernel features and k-means on them: all kinds of input, bad parameters."""

import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import normalized_mutual_info_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from graphcore import (
    CoresetKernelKMeans,
    GaussianSketchFeatures,
    GaussianSketchKernelKMeans,
    GraphWarning,
    InputError,
    KernelKFlats,
    KernelKMeans,
    NystromFeatures,
    NystromKernelKMeans,
    ParameterError,
)
from graphcore.kernel_methods.kmeans.exact import partition_cost

from ..nystrom_oracles import blobs, gaussian_matrix

X, LABELS = blobs(300, k=4, d=6, spread=3.0, seed=0)
K = gaussian_matrix(X)


NYSTROM, SKETCHES = (NystromFeatures, NystromKernelKMeans), (GaussianSketchFeatures, GaussianSketchKernelKMeans)
CLUSTERERS = (NystromKernelKMeans, GaussianSketchKernelKMeans)
ALL = pytest.mark.parametrize("make", NYSTROM + SKETCHES)


def made(make, **parameters):
    """An estimator of 60 landmarks, or a subsample of 60, that makes 5 features or 4 clusters of them."""
    size = {name: 60 for name in ("n_landmarks", "n_subsample") if hasattr(make, name)}
    n = {"n_clusters": 4} if hasattr(make, "predict") else {"n_components": 5}
    return make(**{"random_state": 0, **size, **n, **parameters})


def seen(model, data):
    """Collect the outputs of a fitted model for points, up to the signs of features."""
    if not hasattr(model, "transform") or isinstance(model, KernelKFlats):  # which wants K(x, x) beside rows
        return model.score(data)
    found = model.transform(data)
    return found if hasattr(model, "predict") else found @ found.T


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array, sp.csc_matrix])
@pytest.mark.parametrize("make", (*NYSTROM, *SKETCHES, KernelKMeans, CoresetKernelKMeans, KernelKFlats))
def test_vectors_and_their_kernel_dense_and_sparse_are_the_same(make, form):
    data = np.where(np.abs(X) > 1, X, 0)
    expected = made(make, gamma=0.05).fit(data[:200])
    sparse = made(make, gamma=0.05).fit(form(data[:200]))
    function = expected.kernel_
    given = made(make, kernel="precomputed").fit(form(function(data[:200])))
    for model, new in (
        (sparse, data[200:]),
        (sparse, form(data[200:])),
        (given, form(function(data[200:], data[:200]))),
    ):
        np.testing.assert_allclose(seen(model, new), seen(expected, data[200:]), rtol=1e-5, atol=1e-6)
        if hasattr(model, "labels_"):
            np.testing.assert_array_equal(model.labels_, expected.labels_)
            np.testing.assert_array_equal(model.predict(new), expected.predict(data[200:]))


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize("kernel", ["gaussian", "linear", lambda A, B: (A @ B.T) ** 2])
@ALL
def test_fits_repeat_and_survive_threads_pickling_and_cloning(make, kernel):
    model = made(make, kernel=kernel)
    if hasattr(make, "predict"):
        model.fit(X)
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        np.testing.assert_array_equal(model.transform(X).argmin(axis=1), model.labels_)
        assert model.labels_.dtype == model.predict(X).dtype == np.int32
        assert -model.score(X) == pytest.approx(model.cost_, rel=1e-4)
        threads = clone(model).set_params(n_jobs=3).fit(X)
        np.testing.assert_array_equal(threads.labels_, model.labels_)
        assert threads.cost_ == model.cost_
    else:
        features = model.fit_transform(X)
        np.testing.assert_allclose(model.transform(X), features, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(model.transform(X[5:8]), features[5:8], rtol=1e-9, atol=1e-9)
        assert len(model.get_feature_names_out()) == features.shape[1] == 5
        np.testing.assert_array_equal(clone(model).fit_transform(X), features)
    if isinstance(kernel, str):
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(seen(again, X), seen(model, X))
        assert again.report() == model.report()
    assert clone(model).get_params() == model.get_params()


@pytest.mark.parametrize("sampling", ["uniform", "countsketch", "power", "kernel-pca", np.arange(0, 300, 5)])
def test_every_kind_of_scheme_finds_the_blobs_from_vectors_and_from_their_kernel(sampling):
    of_vectors = NystromKernelKMeans(4, n_landmarks=60, sampling=sampling, random_state=0).fit(X)
    of_matrix = NystromKernelKMeans(4, n_landmarks=60, sampling=sampling, kernel="precomputed", random_state=0).fit(K)
    for model, data in ((of_vectors, X), (of_matrix, K)):
        assert normalized_mutual_info_score(LABELS, model.labels_) > 0.9
        np.testing.assert_array_equal(model.predict(data), model.labels_)
        true = partition_cost(K, model.labels_)
        assert model.certificate_.cost_lower - 1e-9 <= true <= model.cost_ + 1e-9
        assert model.cluster_centers_.shape == (4, model.n_components_)
    # Kernel PCA knows no landmarks: it takes all points.
    assert of_vectors.n_landmarks_ == (300 if isinstance(sampling, str) and sampling == "kernel-pca" else 60)
    features = NystromFeatures(10, n_landmarks=60, sampling=sampling, random_state=0).fit(X)
    np.testing.assert_allclose(features.transform(X), features.fit_transform(X), atol=1e-9)
    report = of_vectors.report()
    for word in ("gaussian, gamma", "landmarks", "coherence", "optimum", "cost"):
        assert word in report
    assert "cost" not in features.report()


def test_distances_are_those_in_kernel_space():
    model = NystromKernelKMeans(4, n_landmarks=300, n_components=None, random_state=0).fit(X)
    D = model.transform(X) ** 2
    # All points are landmarks: the centres are the true means, and distances need no features.
    Z = np.eye(4)[model.labels_] / np.bincount(model.labels_)
    expected = np.diag(K)[:, None] - 2 * K @ Z + np.einsum("aj,ab,bj->j", Z, K, Z)
    np.testing.assert_allclose(D, expected, atol=1e-4)
    assert model.cost_ == pytest.approx(partition_cost(K, model.labels_), rel=1e-6)


def test_sizes():
    model = NystromKernelKMeans(4, random_state=0).fit(X)
    assert (model.n_landmarks_, model.n_components_) == (40, 13)  # 2 ceil(sqrt(300)) = 36 < 10 k; ceil(sqrt(4 * 40))
    assert NystromKernelKMeans(4, n_landmarks="sqrt", random_state=0).fit(X).n_landmarks_ == 18
    assert NystromKernelKMeans(4, n_landmarks="sqrt_nk", random_state=0).fit(X).n_landmarks_ == 35
    assert NystromKernelKMeans(4, n_landmarks="theory", n_components=9, random_state=0).fit(X).n_landmarks_ == 300
    assert NystromKernelKMeans(4, n_components=7, random_state=0).fit(X).n_landmarks_ == 70
    # Of a kernel whose diagonal is small the theory asks for less: 12 sqrt(n) log(10 n) / 0.25 times its largest value.
    small = NystromKernelKMeans(4, kernel="precomputed", n_landmarks="theory", random_state=0).fit(K / 100)
    assert small.n_landmarks_ == np.ceil(0.48 * np.sqrt(300) * np.log(3000))
    assert NystromFeatures(n_landmarks=400, replace=True, random_state=0).fit(X).n_landmarks_ == 400
    assert NystromFeatures(random_state=0).fit(X).n_landmarks_ == 36
    assert NystromFeatures(5, n_landmarks="sqrt", random_state=0).fit(X).n_landmarks_ == 18
    assert NystromFeatures(5, n_landmarks=0.25, random_state=0).fit(X).n_landmarks_ == 75
    assert NystromKernelKMeans(4, n_landmarks=0.5, random_state=0).fit(X).n_landmarks_ == 150


def test_types_and_blocks_and_threads(tmp_path):
    data = (X * 10 + 128).clip(0, 255).astype(np.uint8)
    np.save(tmp_path / "x.npy", data)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    options = {"bandwidth": 80.0, "n_landmarks": 60, "random_state": 0}
    narrow = NystromFeatures(8, **options).fit_transform(mapped)
    assert narrow.dtype == np.float32
    wide = NystromFeatures(8, dtype="float64", **options).fit_transform(mapped)
    assert wide.dtype == np.float64
    np.testing.assert_allclose(narrow @ narrow.T, wide @ wide.T, atol=1e-3)
    assert NystromFeatures(8, **options).fit_transform(data.astype(np.int64)).dtype == np.float64
    assert NystromFeatures(8, **options).fit_transform(data.astype(np.float32)).dtype == np.float32
    for block_bytes in (1, 5000, 1 << 24):
        for n_jobs in (1, 4):
            got = NystromFeatures(8, dtype="float64", block_bytes=block_bytes, n_jobs=n_jobs, **options)
            np.testing.assert_allclose(got.fit_transform(mapped), wide, rtol=0, atol=1e-10)


def score_of_labels(fitted, data, y=None):
    return normalized_mutual_info_score(y, fitted.predict(data))


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize("make", [NystromFeatures, GaussianSketchFeatures])
def test_features_in_pipelines_and_grid_searches(make):
    digits, y = (part[:300] for part in load_digits(return_X_y=True))
    name = make.__name__.lower()
    pipe = make_pipeline(StandardScaler(), made(make), LogisticRegression(max_iter=300))
    search = GridSearchCV(pipe, {f"{name}__n_components": [2, 40]}, cv=2).fit(digits, y)
    assert search.best_params_ == {f"{name}__n_components": 40} and search.best_score_ > 0.7
    assert list(search.best_estimator_[:-1].get_feature_names_out())[:2] == [f"{name}0", f"{name}1"]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize("make", (*CLUSTERERS, KernelKMeans, CoresetKernelKMeans))
def test_clusters_in_pipelines_and_grid_searches(make):
    digits, y = (part[:300] for part in load_digits(return_X_y=True))
    name = make.__name__.lower()
    pipe = make_pipeline(StandardScaler(), made(make, n_init=2))
    search = GridSearchCV(pipe, {f"{name}__n_clusters": [2, 10]}, scoring=score_of_labels, cv=2).fit(digits, y)
    assert search.best_params_ == {f"{name}__n_clusters": 10}
    # A kernel matrix is cut along both sides.
    model = made(make, kernel="precomputed", n_init=2)
    search = GridSearchCV(model, {"n_clusters": [2, 4]}, scoring=score_of_labels, cv=3).fit(K, LABELS)
    assert search.best_params_ == {"n_clusters": 4} and search.best_score_ > 0.9
    # With its own score, minus the cost of the points left out, more clusters are never worse here.
    assert GridSearchCV(model, {"n_clusters": [2, 4]}, cv=3).fit(K).best_params_ == {"n_clusters": 4}


@pytest.mark.parametrize("given", [{"bandwidth": 5.0}, {"kernel": "precomputed"}])
def test_grid_search_by_its_own_score_prefers_more_landmarks(given):
    model = NystromKernelKMeans(4, n_components=None, n_init=3, random_state=0, **given)
    data = K if "kernel" in given else X  # rows of a matrix do not hold K(x, x); the mean of the fit stands for it
    search = GridSearchCV(model, {"n_landmarks": [4, 60]}, cv=3).fit(data)
    assert search.best_params_ == {"n_landmarks": 60}
    assert search.best_estimator_.score(data) == pytest.approx(-search.best_estimator_.cost_, rel=1e-3)


@pytest.mark.parametrize("make", CLUSTERERS)
def test_sample_weights(make):
    w = np.random.default_rng(0).random(300)
    w[LABELS == 0] = 0
    model = made(make, n_clusters=3).fit(X, sample_weight=w)
    labels, kept, B = model.labels_, LABELS > 0, model._features_of(X)
    assert normalized_mutual_info_score(LABELS[kept], labels[kept]) > 0.9
    means = np.array([np.average(B[labels == j], axis=0, weights=w[labels == j]) for j in range(3)])
    np.testing.assert_allclose(model.cluster_centers_, means, atol=1e-9)
    squares = np.square(B - means[labels]).sum(axis=1) + model._residuals(X, B)
    assert model.cost_ == pytest.approx(np.average(squares, weights=w), rel=1e-6)
    assert -model.score(X, sample_weight=w) == pytest.approx(model.cost_, rel=1e-6)


@pytest.mark.parametrize("make", CLUSTERERS)
def test_bad_sample_weights(make):
    weights = np.ones(300)
    for bad, message in ((-weights, "not negative"), (0 * weights, "not all zero"), (weights[:3], "300 numbers")):
        with pytest.raises(InputError, match=f"sample_weight.*{message}"):
            make(3).fit(X, sample_weight=bad)
    with pytest.raises(InputError, match=r"sample_weight.*finite"):
        make(3).fit(X, sample_weight=weights * np.nan)


def test_fewer_points_of_weight_than_clusters():
    weights = np.append(np.ones(2), np.zeros(298))
    for model in (NystromKernelKMeans(3), KernelKMeans(3)):
        with pytest.raises(ParameterError, match=r"n_clusters=3 must be at most 2 \(the points that have weight"):
            model.fit(X, sample_weight=weights)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set(NystromKernelKMeans(2, random_state=0).fit(X, sample_weight=weights).labels_) == {0, 1}


# -- degenerate data ---------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize("make", CLUSTERERS)
@pytest.mark.parametrize("distinct", [1, 3])
def test_more_clusters_than_distinct_points(make, distinct):
    points = np.repeat([[0.0], [1.0], [5.0]][:distinct], 10, axis=0)
    with pytest.warns(GraphWarning, match=f"{distinct} clusters instead of n_clusters=5"):
        model = make(5, n_components=None, bandwidth=1.0, random_state=0).fit(points)
    assert set(model.labels_.tolist()) == set(range(distinct))
    assert model.cluster_centers_.shape[0] == distinct
    assert model.cost_ == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_array_equal(model.predict(points), model.labels_)
    if distinct == 1:
        with pytest.raises(InputError, match="zero bandwidth"):
            make(2).fit(points)


def test_what_is_left_out_is_told():
    with pytest.warns(GraphWarning):
        model = NystromKernelKMeans(4, bandwidth=1e-3, n_components=None, random_state=0).fit(X)
    assert model.diagnostics_.n_uncovered == 260
    assert model.diagnostics_.residual > 0.8
    with pytest.warns(GraphWarning, match="n_components=2 is less than n_clusters=4"):
        NystromKernelKMeans(4, n_components=2, random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        NystromKernelKMeans(4, n_landmarks=40, random_state=0).fit(X)


# -- bad input ---------------------------------------------------------------------------------------------------------


def refused(make, data=X, /, **options):
    """The message of the error that a fit ends in, which begins with the parameter and its value if these are wrong."""
    with pytest.raises(InputError) as caught:
        make(**options).fit(data)
    return str(caught.value)


ANY, OF_LANDMARKS = NYSTROM + SKETCHES, (NystromKernelKMeans,)
NO_KERNEL = "not positive semi-definite|negative diagonal"
BAD = [
    # Messages that name one parameter with its value.
    *((makes, {name: value}, f"{name}={value!r}") for makes, name, values in (
        (NYSTROM, "n_landmarks", (0, 301, 3.5, "many")), (NYSTROM, "truncation", (0, "quarter")),
        (NYSTROM, "sampling", ("best",)), (NYSTROM, "rtol", (2.0,)), (NYSTROM, "dtype", ("int8",)),
        (NYSTROM, "block_bytes", (0,)), (NYSTROM, "replace", (2,)), (SKETCHES, "n_subsample", (0, 301, 1.5, "all")),
        (SKETCHES, "scale", ("big",)), (CLUSTERERS, "n_clusters", (0, 301, 2.0)), (CLUSTERERS, "n_init", (0,)),
        (CLUSTERERS, "n_components", ("all",)), (CLUSTERERS, "max_iter", (0,)), (CLUSTERERS, "tol", (-1.0,)),
        (ANY, "n_components", (0, 2.5)), (ANY, "kernel", ("wavelet",)), (ANY, "bandwidth", (0.0, float("nan"))),
        (ANY, "gamma", (-1.0,)), (ANY, "n_jobs", (0,)), (ANY, "random_state", ("seed",)),
        (ANY, "on_indefinite", ("hide",)), (OF_LANDMARKS, "solver", ("exact",)),
    ) for value in values),
    # Parameters that only other samplings use.
    *((NYSTROM, {"sampling": sampling, name: value}, f"{name}={value!r}") for sampling in ("power", "kernel-pca")
      for name, value in (("truncation", "third"), ("replace", "yes"), ("block_bytes", 0), ("ridge", -1.0))),
    (NYSTROM, {"n_components": 301}, "n_components=301 must be at most 300"),
    (NYSTROM, {"n_components": 30, "n_landmarks": 20}, "n_components=30 must be at most 20"),
    (NYSTROM, {"sampling": [*range(8), 999]}, "landmarks must be from 0 to 299"),
    (NYSTROM, {"sampling": "ridge", "ridge": 0.0}, "ridge=0.0"),
    (OF_LANDMARKS, {"n_clusters": 9, "n_landmarks": 8}, "n_landmarks=8 must be at least n_clusters=9"),
    (OF_LANDMARKS, {"n_clusters": 3, "sampling": [0, 1]}, "sampling=[0, 1] must be at least n_clusters=3"),
    (OF_LANDMARKS, {"solver": "minibatch", "batch_size": 0}, "batch_size=0"),
    (ANY, {"kernel": "sigmoid", "gamma": 5.0, "coef0": -1.0}, NO_KERNEL),
    (ANY, {"kernel": lambda A, B: -(A @ B.T)}, NO_KERNEL),
    (ANY, {"kernel": lambda A, B: np.full((len(A), len(B)), np.nan)}, "NaN"),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@pytest.mark.parametrize(("makes", "options", "message"), BAD)
def test_what_is_refused(makes, options, message):
    for make in makes:
        said = refused(make, **options)
        assert any(each in said for each in message.split("|")), said


@pytest.mark.parametrize("sampling", ["uniform", "power", "kernel-pca"])
def test_the_remedy_for_indefinite_kernels_is_one(sampling):
    options = {"sampling": sampling, "kernel": lambda A, B: np.tanh(A @ B.T / 10 - 1), "random_state": 0}
    assert "on_indefinite='clip'" in refused(NystromFeatures, n_components=5, **options)
    with pytest.warns(GraphWarning, match="no bounds"):
        model = NystromFeatures(5, on_indefinite="clip", **options).fit(X)
    assert model.diagnostics_.indefinite


@ALL
def test_data(make):
    bad = X.copy()
    for value in (np.nan, np.inf):
        bad[3, 2] = value
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            make().fit(bad)
    for call in (lambda model: model.transform(X), lambda model: model.report()):
        with pytest.raises(NotFittedError):
            call(make())
    with pytest.raises(ValueError, match="300 features"):
        made(make, kernel="precomputed").fit(K).transform(K[:, :20])


def test_center_is_true_or_false():
    with pytest.raises(ParameterError, match="center='False' must be True or False"):
        GaussianSketchFeatures(center="False").fit(X)


def test_rows_of_a_kernel_rank_models_as_their_vectors_do():
    points = np.random.default_rng(0).normal(size=(90, 3))
    fitted, new, M = points[:60], points[60:], points @ points.T
    gaps = []
    for k, c in ((2, 5), (4, 5), (4, 20), (7, 40)):
        model, given = (
            NystromKernelKMeans(k, n_landmarks=max(c, k), n_components=None, kernel=kernel, random_state=0)
            for kernel in ("linear", "precomputed")
        )
        model.fit(fitted), given.fit(M[:60, :60])
        assert given.score(M[:60, :60]) == pytest.approx(-given.cost_)
        gaps.append(given.score(M[60:, :60]) - model.score(new))
        np.testing.assert_allclose(given.transform(M[:60, :60]), model.transform(fitted), atol=1e-6)
        with pytest.raises(InputError, match=r"distances need K\(x, x\).*scale the matrix"):
            given.transform(M[60:, :60])
    # The mean over the fit stands for K(x, x), for all models alike.
    np.testing.assert_allclose(gaps, np.diag(M)[60:].mean() - np.diag(M)[:60].mean(), atol=1e-9)
