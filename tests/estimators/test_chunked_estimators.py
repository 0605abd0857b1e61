"""Classes for vectors on a chunked dask.array: the results of the same class in memory, and what is refused."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphcore import (
    GaussianSketchFeatures,
    GaussianSketchKernelKMeans,
    GraphWarning,
    InputError,
    KernelKMeans,
    NystromFeatures,
    NystromKernelKMeans,
    ParameterError,
)  # fmt: skip
from graphcore.kernel_methods.features.nystrom import nystrom_features
from graphcore.kernel_methods.kmeans.certificates import certify
from graphcore.kernel_methods.kmeans.linear import linear_kmeans
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.vectors import ChunkedVectorKernel, VectorKernel

from ..nystrom_oracles import blobs

da = pytest.importorskip("dask.array")

X, LABELS = blobs(300, k=4, d=6, spread=3.0, seed=0)
# Blocks of uneven length, and of a part of the columns.
CHUNKED = da.from_array(X, chunks=((100, 1, 120, 79), (4, 2)))


def in_chunks(array):
    assert isinstance(array, da.Array)
    return array.compute()


@pytest.mark.parametrize("kernel", ["gaussian", "laplacian", "polynomial", "linear", "cosine"])
def test_nystrom_features_are_those_in_memory(kernel):
    options = {"n_landmarks": 50, "kernel": kernel, "random_state": 0}
    ours, theirs = NystromFeatures(6, **options), NystromFeatures(6, **options)
    features, expected = in_chunks(ours.fit_transform(CHUNKED)), theirs.fit_transform(X)
    assert np.array_equal(ours.landmark_indices_, theirs.landmark_indices_)
    size = np.abs(expected).max()
    assert np.allclose(features @ features.T, expected @ expected.T, atol=1e-6 * size**2)
    assert np.allclose(in_chunks(ours.transform(CHUNKED)), features, atol=1e-9 * size)
    ours, theirs = ours.diagnostics_, theirs.diagnostics_
    for name in ("n", "rank", "trace", "residual", "residual_max", "n_uncovered", "coherence"):
        assert np.isclose(getattr(ours, name), getattr(theirs, name), atol=1e-9 * ours.trace), name


def test_types_of_one_byte_are_computed_in_float32():
    few = da.from_array((X * 10).clip(0, 200).astype(np.uint8), chunks=(77, -1))
    assert NystromFeatures(4, n_landmarks=30, random_state=0).fit_transform(few).dtype == np.float32


@pytest.mark.slow
@pytest.mark.parametrize("bandwidth", [None, 2.0, ("quantile", 0.3), ("neighbours", 0.2)])
def test_kernel_k_means_finds_what_it_finds_in_memory(bandwidth):
    options = {"n_landmarks": 60, "bandwidth": bandwidth, "n_init": 2, "random_state": 0}
    ours, theirs = NystromKernelKMeans(4, **options).fit(CHUNKED), NystromKernelKMeans(4, **options).fit(X)
    assert np.isclose(ours.kernel_.gamma, theirs.kernel_.gamma, rtol=1e-12)
    labels = in_chunks(ours.labels_)
    assert len(set(zip(labels.tolist(), theirs.labels_.tolist(), strict=True))) == 4  # the same, numbered otherwise
    assert np.isclose(ours.cost_, theirs.cost_)
    assert np.isclose(ours.certificate_.ratio_bound, theirs.certificate_.ratio_bound)
    assert np.array_equal(in_chunks(ours.predict(CHUNKED)), labels)
    assert np.array_equal(ours.predict(X), labels)
    assert np.allclose(in_chunks(ours.transform(CHUNKED)), ours.transform(X))
    assert np.isclose(ours.score(CHUNKED), -ours.cost_)


def test_the_same_landmarks_and_first_centres_give_the_same_labels():
    function = kernel_function("gaussian", X=X)
    chosen = np.arange(0, 300, 6)
    kernel = ChunkedVectorKernel(CHUNKED.rechunk({1: -1}), function, np.float64)
    chunked = nystrom_features(kernel, 50, 8, sampling=chosen)
    in_memory = nystrom_features(VectorKernel(X, function), 50, 8, sampling=chosen)
    start = in_memory.features[[3, 50, 120, 222]]
    ours = linear_kmeans(chunked.features, 4, init=start)
    theirs = linear_kmeans(in_memory.features, 4, init=start)
    assert np.array_equal(in_chunks(ours.labels), theirs.labels)
    assert np.isclose(ours.cost, theirs.cost)
    assert np.isclose(certify(chunked, ours.labels).cost_lower, certify(in_memory, theirs.labels).cost_lower)


def test_gaussian_sketches_are_those_in_memory():
    ours, theirs = (GaussianSketchFeatures(5, n_subsample=40, random_state=1) for _ in range(2))
    assert np.allclose(in_chunks(ours.fit_transform(CHUNKED)), theirs.fit_transform(X))
    assert np.allclose(in_chunks(ours.coverage_), theirs.coverage_)
    assert np.allclose(in_chunks(ours.transform(CHUNKED)), theirs.transform(X))
    assert ours.report() == theirs.report()
    assert "4, of " in GaussianSketchKernelKMeans(4, random_state=0).fit(CHUNKED).report()


def test_chunks_of_unknown_length_are_counted_and_empty_ones_left_out():
    unknown = CHUNKED[CHUNKED[:, 0] > X[:, 0].min() - 1]
    assert np.isnan(unknown.shape[0])
    again = da.concatenate([CHUNKED[:0], CHUNKED])
    features = NystromFeatures(4, n_landmarks=30, random_state=0)
    expected = in_chunks(features.fit_transform(CHUNKED))
    for given in (unknown, again):
        assert np.array_equal(in_chunks(features.fit_transform(given)), expected)


@pytest.mark.parametrize(
    ("model", "given", "message"),
    [
        (KernelKMeans(2), CHUNKED, "KernelKMeans takes no dask.array"),
        (NystromKernelKMeans(2, sampling="leverage"), CHUNKED, "sampling='leverage' is not for a dask.array"),
        (NystromKernelKMeans(2, solver="minibatch"), CHUNKED, "solver='minibatch' is not for a dask.array"),
        (NystromKernelKMeans(2, kernel="precomputed"), CHUNKED, "kernel='precomputed' takes no dask.array"),
        (NystromKernelKMeans(2), da.where(CHUNKED > 1, np.nan, CHUNKED), "X holds NaN or infinity"),
        (NystromKernelKMeans(2), CHUNKED[:, 0], "must be a matrix of real numbers"),
        (NystromKernelKMeans(2), CHUNKED.map_blocks(sp.csr_array), "blocks of X are of type"),
        (NystromKernelKMeans(2), CHUNKED[:0], "at least one row"),
        (NystromFeatures(), CHUNKED + 1j, "must be a matrix of real numbers"),
        (NystromFeatures(), CHUNKED * 1e300, "X has values of size"),
        (NystromFeatures(dtype="float32"), CHUNKED * 1e20, "products of float32"),
        (NystromFeatures(dtype="float32"), (CHUNKED * 1e8).astype(np.int64), "products of float32"),
    ],
)  # fmt: skip
def test_refused(model, given, message):
    with pytest.raises(InputError, match=message):
        model.fit(given)


def test_refused_weights_and_columns():
    with pytest.raises(ParameterError, match=r"sample_weight is not for a dask\.array"):
        NystromKernelKMeans(2).fit(CHUNKED, sample_weight=np.ones(300))
    model = NystromKernelKMeans(2, n_landmarks=40, random_state=0).fit(CHUNKED)
    with pytest.raises(InputError, match="X has values of size"):
        model.predict(CHUNKED * 1e300)
    with pytest.raises(ValueError, match="has 3 features"):
        model.predict(CHUNKED[:, :3])


def test_equal_rows_make_fewer_clusters_with_a_warning():
    few = da.from_array(np.repeat([[0.0, 1.0], [4.0, 0.0]], 30, axis=0), chunks=(20, -1))
    with pytest.warns(GraphWarning, match="2 clusters instead of n_clusters=3"):
        model = NystromKernelKMeans(3, n_components=None, n_landmarks=40, bandwidth=1.0, random_state=0).fit(few)
    assert len(set(in_chunks(model.labels_))) == 2


def test_dask_tells_fits_with_equal_parameters_apart():
    from dask.base import tokenize

    a, b = (NystromFeatures(3, random_state=0).fit(rows) for rows in (X, X[::-1]))
    assert tokenize(a) == tokenize(a) != tokenize(b)
