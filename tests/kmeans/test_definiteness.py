"""What counts as negative eigenvalues, by the precision of the values; what becomes of kernels that have them."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp

from graphcore import GaussianSketchFeatures, GraphWarning, InputError, KernelKMeans, NystromFeatures
from graphcore.kernels.dense_matrix import DenseMatrix, VectorMatrix
from graphcore.kernels.matrix import eigenvalue_noise
from graphcore.kernels.rows_matrix import SparseMatrix
from graphcore.kernels.vectors import vector_kernel
from graphcore.kmeans.coreset import coreset_kernel_kmeans
from graphcore.kmeans.definiteness import least_sampled_eigenvalue
from graphcore.kmeans.exact import kernel_kmeans
from graphcore.kmeans.factor import inverse_root
from graphcore.kmeans.gram import as_gram

FORMS = pytest.mark.parametrize("form", [np.asarray, sp.csr_array])


def low_rank(n, d, dtype=np.float32):
    """Inner products of fewer dimensions than points: half of the eigenvalues are 0 and rounding."""
    X = np.random.default_rng(0).standard_normal((n, d)).astype(dtype)
    return X @ X.T


def with_least_eigenvalue(share, n=100, dtype=np.float32):
    """A kernel whose least eigenvalue is minus this share of its largest."""
    Q, _ = np.linalg.qr(np.random.default_rng(0).standard_normal((n, n)))
    K = (Q * np.concatenate([[-share], np.linspace(0.1, 1, n - 1)])) @ Q.T
    return ((K + K.T) / 2).astype(dtype)


# -- float32 -----------------------------------------------------------------------------------------------------------


@FORMS
@pytest.mark.parametrize(("n", "d"), [(100, 30), (200, 50), (300, 100), (1000, 200)])
def test_rounding_of_float32_is_no_negative_eigenvalue(form, n, d):
    K = form(low_rank(n, d))
    with warnings.catch_warnings():
        warnings.simplefilter("error", GraphWarning)
        assert kernel_kmeans(K, 3, n_init=1, random_state=0).shift == 0.0
        KernelKMeans(3, kernel="precomputed", n_init=1, random_state=0).fit(K)
        coreset_kernel_kmeans(K, 3, size=n // 2, sampling="uniform", n_init=1, random_state=0)
        GaussianSketchFeatures(5, kernel="precomputed", n_subsample=n, random_state=0).fit(K)
        NystromFeatures(n_landmarks=n, n_components=20, kernel="precomputed", random_state=0).fit(K)


def test_nor_is_that_of_a_function_of_float32_vectors():
    X = np.random.default_rng(0).standard_normal((200, 50)).astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error", GraphWarning)
        KernelKMeans(3, kernel=lambda A, B: A @ B.T, n_init=1, random_state=0).fit(X)
        GaussianSketchFeatures(5, kernel=lambda A, B: A @ B.T, n_subsample=200, random_state=0).fit(X)


@FORMS
@pytest.mark.parametrize(("dtype", "share"), [(np.float64, 1e-6), (np.float32, 1e-4)])
def test_negative_eigenvalues_beyond_rounding_are_found(form, dtype, share):
    K = form(with_least_eigenvalue(share, dtype=dtype))
    with pytest.warns(GraphWarning, match="not positive semi-definite"):
        kernel_kmeans(K, 3, n_init=1, random_state=0)
    with pytest.raises(InputError, match="not positive semi-definite"):
        GaussianSketchFeatures(5, kernel="precomputed", n_subsample=100, random_state=0).fit(K)
    with pytest.raises(InputError, match="not positive semi-definite"):
        NystromFeatures(n_landmarks=100, n_components=20, kernel="precomputed", random_state=0).fit(K)


def test_float64_is_not_given_the_slack_of_float32():
    K = with_least_eigenvalue(1e-6, dtype=np.float64)
    assert least_sampled_eigenvalue(DenseMatrix(K)) == pytest.approx(-1e-6, rel=1e-3)
    assert least_sampled_eigenvalue(DenseMatrix(K.astype(np.float32))) == 0.0
    assert inverse_root(K, precision=np.float32).rank == 99
    with pytest.raises(InputError, match="not positive semi-definite"):
        inverse_root(K)
    assert eigenvalue_noise(100, np.float64) == 1e-8
    assert eigenvalue_noise(100, np.float32) == pytest.approx(1.2e-5, rel=0.01)


def test_every_form_of_a_kernel_knows_what_it_was_computed_in():
    K, X = low_rank(10, 3), np.ones((10, 3), dtype=np.float32)
    vectors = VectorMatrix(X, vector_kernel("linear"))
    for matrix in (DenseMatrix(K), SparseMatrix(sp.coo_array(K)), vectors):
        assert (matrix.precision, matrix.noise) == (np.float32, 2e-6)
    for matrix in (DenseMatrix(K.astype(int)), SparseMatrix(sp.coo_array(K.astype(int)))):
        assert (matrix.precision, matrix.noise) == (np.float64, 1e-12)
        assert as_gram(matrix).dtype == np.float64
    assert as_gram(K).dtype == as_gram(sp.csr_array(K)).dtype == np.float32
