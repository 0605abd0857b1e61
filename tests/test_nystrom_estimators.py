"""NystromFeatures and NystromKernelKMeans: scikit-learn's contract, all kinds of input, bad parameters."""

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
from sklearn.metrics import normalized_mutual_info_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphcore import GraphWarning, InputError, KernelKMeans, NystromFeatures, NystromKernelKMeans, ParameterError
from graphcore.kmeans.exact import partition_cost

from .nystrom_oracles import blobs, gaussian_matrix

X, LABELS = blobs(300, k=4, d=6, spread=3.0, seed=0)
K = gaussian_matrix(X)


def expected_failures(estimator):
    failures = {}
    if isinstance(estimator, NystromKernelKMeans) and estimator.kernel == "precomputed":
        why = "fits vectors, which are no square matrix"
        kinds = ("sample_weight_equivalence_on_dense_data", "sample_weight_equivalence_on_sparse_data", "clustering")
        failures |= {f"check_{kind}": why for kind in kinds}
    if estimator.kernel == "precomputed":
        failures["check_positive_only_tag_during_fit"] = "fits a matrix with a negative diagonal, which is no kernel"
        if estimator.on_indefinite == "error":
            why = "a matrix rounded to float32 and given as float64 has negative eigenvalues beyond its rounding"
            failures["check_estimators_dtypes"] = why
    return failures


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@parametrize_with_checks(
    [
        NystromFeatures(random_state=0),
        NystromKernelKMeans(2, random_state=0),
        NystromFeatures(kernel="precomputed", random_state=0),
        NystromKernelKMeans(2, kernel="precomputed", on_indefinite="clip", random_state=0),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@parametrize_with_checks(
    [
        NystromFeatures(3, sampling="recursive-ridge", kernel="laplacian", random_state=0),
        NystromKernelKMeans(2, kernel="linear", sampling="countsketch", solver="minibatch", random_state=0),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks_with_other_settings(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "sampling",
    [
        "uniform", "leverage", "approximate-leverage", "ridge", "recursive-ridge", "gaussian", "srht", "countsketch",
        "power", "kernel-pca", np.arange(0, 300, 5),
    ],
)  # fmt: skip
def test_every_scheme_finds_the_blobs_from_vectors_and_from_their_kernel(sampling):
    of_vectors = NystromKernelKMeans(4, n_landmarks=60, sampling=sampling, random_state=0).fit(X)
    of_matrix = NystromKernelKMeans(4, n_landmarks=60, sampling=sampling, kernel="precomputed", random_state=0).fit(K)
    for model, data in ((of_vectors, X), (of_matrix, K)):
        assert normalized_mutual_info_score(LABELS, model.labels_) > 0.9
        assert model.labels_.dtype == np.int32
        np.testing.assert_array_equal(model.predict(data), model.labels_)
        np.testing.assert_array_equal(model.transform(data).argmin(axis=1), model.labels_)
        true = partition_cost(K, model.labels_)
        assert model.certificate_.cost_lower - 1e-9 <= true <= model.cost_ + 1e-9
        assert model.cluster_centers_.shape == (4, model.n_components_)
    assert -of_vectors.score(X) == pytest.approx(of_vectors.cost_, rel=1e-4)
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


def test_linear_kernel_is_plain_k_means():
    model = NystromKernelKMeans(4, kernel="linear", n_landmarks=50, n_components=None, random_state=0).fit(X)
    plain = KMeans(4, n_init=10, random_state=0).fit(X)
    assert normalized_mutual_info_score(model.labels_, plain.labels_) == pytest.approx(1.0)
    assert model.cost_ == pytest.approx(plain.inertia_ / 300, rel=1e-6)


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
    one, two = (NystromKernelKMeans(4, n_jobs=n_jobs, **options).fit(mapped) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert one.cost_ == two.cost_


def test_sparse_vectors():
    S = sp.random_array((120, 30), density=0.3, rng=np.random.default_rng(0), format="csr")
    for kernel in ("gaussian", "linear", "polynomial"):
        dense = NystromFeatures(5, n_landmarks=40, kernel=kernel, random_state=0).fit_transform(S.toarray())
        sparse = NystromFeatures(5, n_landmarks=40, kernel=kernel, random_state=0)
        np.testing.assert_allclose(np.abs(sparse.fit_transform(S)), np.abs(dense), atol=1e-6)
        np.testing.assert_allclose(np.abs(sparse.transform(S[:9])), np.abs(dense[:9]), atol=1e-6)


def test_random_state():
    def labels(random_state):
        return NystromKernelKMeans(6, n_landmarks=12, random_state=random_state).fit(X).landmark_indices_

    np.testing.assert_array_equal(labels(3), labels(3))
    assert (labels(3) != labels(4)).any()
    np.testing.assert_array_equal(labels(np.random.default_rng(1)), labels(np.random.default_rng(1)))
    generator = np.random.default_rng(1)
    assert (labels(generator) != labels(generator)).any()


def test_pickle_and_clone():
    model = NystromKernelKMeans(4, random_state=0).fit(X)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.labels_)
    assert again.report() == model.report()
    assert clone(model).get_params() == model.get_params()


def test_pipelines():
    digits, y = load_digits(return_X_y=True)
    digits, y = digits[:600], y[:600]
    pipe = make_pipeline(StandardScaler(), NystromFeatures(60, random_state=0), LogisticRegression(max_iter=500))
    assert pipe.fit(digits[:400], y[:400]).score(digits[400:], y[400:]) > 0.7
    assert list(pipe[:-1].get_feature_names_out())[:2] == ["nystromfeatures0", "nystromfeatures1"]
    pipe = make_pipeline(StandardScaler(), NystromKernelKMeans(10, random_state=0))
    assert pipe.fit_predict(digits).shape == (600,)
    assert pipe.transform(digits).shape == (600, 10)


def test_grid_search_prefers_more_landmarks():
    search = GridSearchCV(
        NystromKernelKMeans(4, bandwidth=5.0, n_components=None, n_init=3, random_state=0),
        {"n_landmarks": [4, 60]},
        cv=3,
    ).fit(X)
    assert search.best_params_ == {"n_landmarks": 60}
    search = GridSearchCV(
        make_pipeline(NystromFeatures(random_state=0), LogisticRegression(max_iter=300)),
        {"nystromfeatures__n_components": [1, 10]},
        cv=3,
    ).fit(X, LABELS)
    assert search.best_params_ == {"nystromfeatures__n_components": 10}
    # A kernel matrix is cut along both sides. Its rows do not hold K(x, x); the mean of the fit stands for it.
    model = NystromKernelKMeans(4, kernel="precomputed", n_components=None, n_init=3, random_state=0)
    search = GridSearchCV(model, {"n_landmarks": [4, 60]}, cv=3).fit(K)
    assert search.best_params_ == {"n_landmarks": 60}
    best = search.best_estimator_
    assert best.score(K) == pytest.approx(-best.cost_, rel=1e-3)


def test_sample_weights():
    w = np.random.default_rng(0).random(300)
    w[LABELS == 0] = 0
    model = NystromKernelKMeans(3, n_landmarks=300, n_components=None, random_state=0).fit(X, sample_weight=w)
    kept = LABELS > 0
    assert normalized_mutual_info_score(LABELS[kept], model.labels_[kept]) > 0.9
    true = partition_cost(model.kernel_(X), model.labels_, weights=w)
    assert model.certificate_.cost_lower - 1e-9 <= true <= model.cost_ + 1e-9
    assert -model.score(X, sample_weight=w) == pytest.approx(model.cost_, rel=1e-4)
    for bad, message in (
        (-np.ones(300), "not negative"),
        (np.zeros(300), "zero"),
        (np.ones(3), "sample_weight"),
        (np.full(300, np.nan), "finite"),
    ):
        with pytest.raises(ValueError, match=message):
            NystromKernelKMeans(3).fit(X, sample_weight=bad)


def test_fewer_points_of_weight_than_clusters():
    weights = np.append(np.ones(2), np.zeros(298))
    for model in (NystromKernelKMeans(3), KernelKMeans(3)):
        with pytest.raises(ParameterError, match=r"n_clusters=3 must be at most 2 \(the points that have weight"):
            model.fit(X, sample_weight=weights)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set(NystromKernelKMeans(2, random_state=0).fit(X, sample_weight=weights).labels_) == {0, 1}


class TestDegenerate:
    def test_constant_points_have_no_bandwidth(self):
        with pytest.raises(InputError, match="zero bandwidth"):
            NystromKernelKMeans(2).fit(np.ones((10, 3)))

    def test_constant_points_with_a_bandwidth_are_one_cluster(self):
        with pytest.warns(GraphWarning, match="1 clusters instead of n_clusters=2"):
            model = NystromKernelKMeans(2, n_components=None, bandwidth=1.0, random_state=0).fit(np.ones((10, 3)))
        assert (model.labels_ == 0).all()
        assert model.cost_ == pytest.approx(0.0, abs=1e-12)
        assert model.n_components_ == 1

    def test_more_clusters_than_distinct_points(self):
        points = np.repeat([[0.0], [1.0], [5.0]], 10, axis=0)
        with pytest.warns(GraphWarning, match="3 clusters instead of n_clusters=5"):
            model = NystromKernelKMeans(5, n_landmarks=30, n_components=None, bandwidth=1.0, random_state=0).fit(points)
        assert sorted(set(model.labels_.tolist())) == [0, 1, 2]
        assert model.cluster_centers_.shape[0] == 3
        np.testing.assert_array_equal(model.predict(points), model.labels_)

    def test_narrow_bandwidth_shows_in_the_report(self):
        with pytest.warns(GraphWarning):
            model = NystromKernelKMeans(4, bandwidth=1e-3, n_components=None, random_state=0).fit(X)
        assert model.diagnostics_.n_uncovered == 260
        assert model.diagnostics_.residual > 0.8

    def test_fewer_features_than_clusters(self):
        with pytest.warns(GraphWarning, match="n_components=2 is less than n_clusters=4"):
            NystromKernelKMeans(4, n_components=2, random_state=0).fit(X)

    def test_one_cluster(self):
        model = NystromKernelKMeans(1, random_state=0).fit(X)
        assert (model.labels_ == 0).all()
        # One cluster costs 1 - mean(K), which the bandwidth rule keeps below 1 - exp(-1/2).
        true = 1 - K.mean()
        assert model.certificate_.cost_lower <= true <= model.cost_
        assert true <= 1 - np.exp(-0.5)

    def test_nothing_left_out_nothing_warned(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            NystromKernelKMeans(4, n_landmarks=40, random_state=0).fit(X)


class TestBadInput:
    @pytest.mark.parametrize("make", [NystromFeatures, NystromKernelKMeans])
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"n_landmarks": 0}, "n_landmarks=0 must be at least 1"),
            ({"n_landmarks": 301}, "n_landmarks=301 must be at most 300"),
            ({"n_landmarks": 3.5}, "n_landmarks=3.5 must be at most 1"),
            ({"n_landmarks": "many"}, "n_landmarks='many' is not known"),
            ({"n_components": 0}, "n_components=0 must be at least 1"),
            ({"n_components": 301}, "n_components=301 must be at most 300"),
            ({"n_components": 30, "n_landmarks": 20}, "n_components=30 must be at most 20"),
            ({"sampling": "best"}, "sampling='best' is not known"),
            ({"sampling": [*range(8), 999]}, "landmarks must be from 0 to 299"),
            ({"truncation": 0}, "truncation=0"),
            ({"truncation": "quarter"}, "truncation='quarter'"),
            ({"kernel": "wavelet"}, "kernel='wavelet' is not known"),
            ({"bandwidth": 0.0}, "bandwidth=0.0"),
            ({"bandwidth": -1.0}, "bandwidth=-1.0"),
            ({"bandwidth": float("nan")}, "bandwidth=nan"),
            ({"bandwidth": 1.0, "gamma": 1.0}, "either bandwidth= or gamma="),
            ({"gamma": 0.0}, "gamma=0.0"),
            ({"rtol": 2.0}, "rtol=2.0"),
            ({"dtype": "int8"}, "dtype='int8'"),
            ({"block_bytes": 0}, "block_bytes=0"),
            ({"n_jobs": 0}, "n_jobs=0"),
            ({"random_state": "seed"}, "random_state='seed'"),
            ({"replace": 2}, "replace=2"),
            ({"on_indefinite": "hide"}, "on_indefinite='hide'"),
            ({"kernel": "sigmoid"}, "not positive semi-definite"),
            ({"kernel": lambda A, B: -(A @ B.T)}, "not positive semi-definite"),
            ({"kernel": lambda A, B: np.full((len(A), len(B)), np.nan)}, "NaN"),
            ({"sampling": "ridge", "ridge": 0.0}, "ridge=0.0"),
        ],
    )
    def test_parameters(self, make, options, message):
        with pytest.raises(InputError, match=message):
            make(**options).fit(X)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"n_clusters": 0}, "n_clusters=0"),
            ({"n_clusters": 301}, "n_clusters=301 must be at most 300"),
            ({"n_clusters": 2.0}, "n_clusters=2.0 must be an integer"),
            ({"n_clusters": 9, "n_landmarks": 8}, "n_landmarks=8 must be at least n_clusters=9"),
            ({"n_clusters": 3, "sampling": [0, 1]}, r"sampling=\[0, 1\] must be at least n_clusters=3"),
            ({"n_components": "all"}, "n_components='all'"),
            ({"n_init": 0}, "n_init=0"),
            ({"max_iter": 0}, "max_iter=0"),
            ({"tol": -1.0}, "tol=-1.0"),
            ({"solver": "exact"}, "solver='exact'"),
        ],
    )
    def test_parameters_of_k_means(self, options, message):
        with pytest.raises(ParameterError, match=message):
            NystromKernelKMeans(**options).fit(X)

    @pytest.mark.parametrize("sampling", ["power", "kernel-pca"])
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"truncation": "third"}, "truncation='third'"),
            ({"replace": "yes"}, "replace='yes'"),
            ({"block_bytes": 0}, "block_bytes=0"),
            ({"ridge": -1.0}, "ridge=-1.0"),
            ({"on_indefinite": "hide"}, "on_indefinite='hide'"),
        ],
    )
    def test_parameters_that_only_other_samplings_look_at(self, sampling, options, message):
        with pytest.raises(ParameterError, match=message):
            NystromFeatures(5, sampling=sampling, **options).fit(X)

    @pytest.mark.parametrize("sampling", ["uniform", "power", "kernel-pca"])
    def test_the_remedy_for_indefinite_kernels_is_one(self, sampling):
        options = {"sampling": sampling, "kernel": lambda A, B: np.tanh(A @ B.T / 10 - 1), "random_state": 0}
        with pytest.raises(InputError, match="on_indefinite='clip'"):
            NystromFeatures(5, **options).fit(X)
        with pytest.warns(GraphWarning, match="no bounds"):
            model = NystromFeatures(5, on_indefinite="clip", **options).fit(X)
        assert model.diagnostics_.indefinite

    @pytest.mark.parametrize("make", [NystromFeatures, NystromKernelKMeans])
    def test_data(self, make):
        bad = X.copy()
        bad[3, 2] = np.nan
        with pytest.raises(ValueError, match="NaN"):
            make().fit(bad)
        bad[3, 2] = np.inf
        with pytest.raises(ValueError, match="infinity"):
            make().fit(bad)
        with pytest.raises(ValueError, match="0 sample"):
            make().fit(np.empty((0, 3)))
        with pytest.raises(ValueError, match="0 feature"):
            make().fit(np.empty((9, 0)))
        with pytest.raises(ValueError, match="omplex"):
            make().fit(X * 1j)
        with pytest.raises(NotFittedError):
            make().transform(X)
        model = make(random_state=0)
        with pytest.raises(ValueError, match="6 features"):
            model.fit(X).transform(X[:, :4])

    @pytest.mark.parametrize("make", [NystromFeatures, NystromKernelKMeans])
    @pytest.mark.parametrize(
        ("matrix", "message"),
        [
            (X, "square"),
            (K + np.triu(np.ones((300, 300))), "not symmetric"),
            (K - 0.9 * np.eye(300), "not positive semi-definite"),
            (K - 2 * np.eye(300), "negative diagonal"),
            (np.zeros((20, 20)), "all zero"),
        ],
    )
    def test_kernel_matrices(self, make, matrix, message):
        with pytest.raises(InputError, match=message):
            make(kernel="precomputed", random_state=0).fit(matrix)

    def test_indefinite_kernels_may_be_clipped(self):
        model = NystromKernelKMeans(4, kernel="sigmoid", gamma=0.01, on_indefinite="clip", random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GraphWarning)
            assert model.fit(X).labels_.shape == (300,)

    def test_kernel_rows_of_other_points_need_all_columns(self):
        model = NystromKernelKMeans(4, kernel="precomputed", random_state=0).fit(K)
        with pytest.raises(ValueError, match="300 features"):
            model.predict(K[:, :20])
