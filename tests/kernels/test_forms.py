"""The view of kernel matrices: every form against the dense matrix, and what is refused."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from graphcore import GaussianSketchFeatures, InputError, KernelKMeans, NystromFeatures
from graphcore.kernels.base import membership_matrix
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.graph import GraphKernel
from graphcore.kernels.matrices import DenseKernel, SparseKernel
from graphcore.kernels.vectors import VectorKernel

from ..strategies import contain, graphs


def random_kernel(seed, n, sparse=False):
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((n, 3))
    K = B @ B.T
    if sparse:
        K[np.abs(K) < 0.7] = 0
        K = K * (K == K.T)
        np.fill_diagonal(K, np.abs(np.diag(K)))
    return K


def check(matrix, K, seed, n_jobs=None, tolerance=1e-12):
    rng = np.random.default_rng(seed)
    n = len(K)
    scale = tolerance * max(1.0, np.abs(K).max())
    assert matrix.n_points == n
    np.testing.assert_allclose(matrix.diagonal, np.diag(K), atol=scale)
    rows, columns = rng.integers(0, n, rng.integers(1, 2 * n)), rng.integers(0, n, rng.integers(1, 2 * n))
    np.testing.assert_allclose(matrix.block(rows, columns), K[rows][:, columns], atol=scale)
    np.testing.assert_allclose(matrix.block(slice(None), columns), K[:, columns], atol=scale)
    np.testing.assert_allclose(matrix.column(int(rows[0])), K[:, rows[0]], atol=scale)
    M = rng.standard_normal((n, 3))
    np.testing.assert_allclose(matrix.product(M, n_jobs), K @ M, atol=20 * n * scale)
    labels, weights = rng.integers(-1, 4, n), rng.random(n)
    Z = (labels[:, None] == np.arange(4)) * weights[:, None]
    np.testing.assert_array_equal(membership_matrix(labels, weights, 4).toarray(), Z.T)
    sums = matrix.cluster_sums(labels, weights, 4, n_jobs)
    np.testing.assert_allclose(sums, K @ Z, atol=n * scale)
    own = np.where(labels >= 0, (K @ Z)[np.arange(n), labels], 0.0)
    products = matrix.cluster_products(labels.astype(np.int32), weights, 4, n_jobs)
    np.testing.assert_allclose(products.own, own, atol=n * scale)


@given(st.integers(0, 2**32 - 1), st.integers(1, 14), st.sampled_from(["csr_array", "csc_matrix", "coo_duplicated"]))
def test_dense_and_sparse_matrices(seed, n, container):
    K = random_kernel(seed, n)
    check(DenseKernel(K), K, seed)
    check(DenseKernel(np.asfortranarray(K)), K, seed)
    check(DenseKernel(K.astype(np.float32)), K, seed, tolerance=1e-6)
    K = random_kernel(seed, n, sparse=True)
    given = contain(K, container)
    before = given.toarray()
    check(SparseKernel(given), K, seed)
    np.testing.assert_array_equal(given.toarray(), before)


@given(graphs(), st.sampled_from([0.0, 1.0]), st.integers(0, 2**32 - 1))
def test_a_graph(pair, self_loop, seed):
    graph, _ = pair
    matrix = GraphKernel(graph, self_loop)
    check(matrix, matrix.block(slice(None), slice(None)), seed, n_jobs=2)
    np.testing.assert_array_equal(matrix.point_weights > 0, graph.degrees > 0)


@given(st.integers(0, 2**32 - 1), st.integers(1, 14), st.sampled_from([1, 200, 1 << 20]))
def test_vectors_in_blocks_of_any_size(seed, n, block_bytes):
    X = np.random.default_rng(seed).standard_normal((n, 2))
    kernel = kernel_function("gaussian", bandwidth=1.0)
    matrix = VectorKernel(X, partial(kernel), held_bytes=block_bytes)
    check(matrix, kernel(X), seed, n_jobs=2)
    assert (matrix._held is not None) == (8 * n * n <= block_bytes)


@pytest.mark.parametrize(
    ("K", "words"),
    [
        (np.ones((2, 3)), "square"),
        (np.eye(2) * 1j, "real numbers"),
        (np.array([[1, np.nan], [np.nan, 1]]), "finite"),
        (np.array([[1, 0.5], [0.4, 1]]), "not symmetric"),
        (np.array([[1.0, 0.0], [0.0, -1.0]]), "negative diagonal"),
    ],
)
def test_what_is_refused(K, words):
    for form in (DenseKernel, lambda K: SparseKernel(sp.csr_array(K))):
        with pytest.raises(InputError, match=words):
            form(K)
        assert form(np.diag([1.0, -1e-16])).n_points == 2  # as centring leaves it
    with pytest.raises(InputError, match="row 0, column 0 is NaN"):
        VectorKernel([[np.nan]], "linear")


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("size", [1e150, 1e-150, 1e300, 5e-324])
def test_vectors_and_matrices_whose_products_overflow_or_vanish_are_refused(size):
    # KernelKMeans gave an inertia of NaN, GaussianSketchFeatures features of NaN.
    X = size * np.random.default_rng(0).integers(1, 9, (20, 3)).astype(float)
    for estimator in (KernelKMeans, GaussianSketchFeatures, NystromFeatures):
        for kernel in ("linear", "polynomial", "gaussian"):
            with pytest.raises(InputError, match="rescale"):
                estimator(kernel=kernel, random_state=0).fit(X)
    for form in (DenseKernel, lambda K: SparseKernel(sp.csr_array(K))):
        with pytest.raises(InputError, match=r"the kernel matrix has values of size .*: rescale"):
            form(np.eye(3) * size)
