"""Methods that kernel k-means is compared to: random Fourier features and spectral clustering."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from bench.baselines import factor_embedding, factor_spectral_clustering, partition_costs, random_fourier_features
from graphcore import Graph, InputError
from graphcore.kernel_methods.kernel_kmeans import partition_cost
from graphcore.kernel_methods.linear_kmeans import linear_kmeans
from graphcore.kernel_methods.nystrom.features import nystrom_features
from graphcore.kernel_methods.sketch import gaussian_sketch, leading_eigenvalues
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.graph import as_kernel
from graphcore.kernels.vectors import VectorKernel

from ...nystrom_oracles import best_of_rank, blobs, indicator

# -- random Fourier features -------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_random_features_have_the_kernel_for_inner_products():
    # The entries of R R^T are means of c terms of variance at most 1: 0.15 at c = 1,500 is 5.8 standard deviations.
    X = np.random.default_rng(0).standard_normal((20, 3))
    B = random_fourier_features(X, 1500, bandwidth=1.5, rank=None, random_state=0)
    np.testing.assert_allclose(B @ B.T, kernel_function("gaussian", bandwidth=1.5)(X), atol=0.15)


@pytest.mark.parametrize(("make", "dtype"), [(np.asarray, np.float32), (sp.csr_array, np.float64)])
def test_the_cut_is_the_truncated_decomposition(make, dtype):
    X = np.random.default_rng(0).standard_normal((200, 5)).astype(dtype)
    found, every = (
        random_fourier_features(make(X), 40, bandwidth=2.0, rank=rank, random_state=0) for rank in (7, None)
    )
    best = best_of_rank(every @ every.T, 7)
    np.testing.assert_allclose(found @ found.T, best, atol=1e-3 if dtype == np.float32 else 1e-8)
    assert found.dtype == dtype
    again = random_fourier_features(make(X), 40, bandwidth=2.0, rank=7, random_state=0, n_jobs=2)
    np.testing.assert_array_equal(again, found)


def test_what_needs_the_whole_matrix_evaluates_it_where_it_is_small(limits):
    X = np.random.default_rng(0).normal(size=(30, 3))
    kernel, graph = VectorKernel(X, kernel_function("gaussian", X=X)), Graph.from_edges(np.arange(29), np.arange(1, 30))
    for K in (kernel, graph):
        dense = as_kernel(K).block(np.arange(30), np.arange(30))
        found, expected = (gaussian_sketch(form, 2, random_state=0).projection for form in (K, dense))
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-15)  # a sparse product sums in another order
        assert np.array_equal(leading_eigenvalues(K, 3), leading_eigenvalues(dense, 3))
    limits("graphcore.kernels.base", _MAX_DENSE=29)
    with pytest.raises(InputError, match="a sketch needs the whole kernel matrix, and 30 x 30 is too large"):
        gaussian_sketch(kernel, 2)


# -- spectral clustering -----------------------------------------------------------------------------------------------


def normalised(K, k):
    """Leading eigenvectors of ``D^-1/2 K D^-1/2``, rows of norm 1, and the eigenvalues; by the dense formula."""
    root = np.sqrt(K.sum(axis=1))
    values, vectors = np.linalg.eigh(K / root / root[:, None])
    return vectors[:, -k:] / np.linalg.norm(vectors[:, -k:], axis=1, keepdims=True), values[::-1][:k]


def test_spectral_clustering_of_all_columns_is_the_dense_formula():
    X, truth = blobs(150, d=4, k=3, spread=3.0)
    K = kernel_function("gaussian", X=X)(X)
    B = nystrom_features(K, 150, random_state=0).features
    (found, values), (rows, expected) = factor_embedding(B, 3), normalised(K, 3)
    np.testing.assert_allclose(values, expected, rtol=1e-6)
    np.testing.assert_allclose(found @ found.T, rows @ rows.T, atol=1e-4)
    assert adjusted_rand_score(factor_spectral_clustering(B, 3, random_state=0), truth) > 0.95


def test_spectral_clustering_has_no_answer_where_a_degree_is_not_positive():
    # A kernel without negative entries, positive semi-definite; its approximation from two points has such a degree.
    X = np.array([(1, 0.1, 0), (1, -0.1, 0), (0.2, 2, 2)] + 10 * [(0.2, -2, 2)])
    K = X @ X.T
    assert K.min() >= 0
    B = nystrom_features(K, 2, sampling=[0, 1], random_state=0).features
    degrees = B @ B.sum(axis=0)
    assert np.flatnonzero(degrees <= 0).tolist() == [2]
    assert degrees[2] == pytest.approx(-35.16)
    assert factor_spectral_clustering(B, 2, random_state=0) is None
    assert len(set(linear_kmeans(B, 2, random_state=0).labels)) == 2  # kernel k-means does not mind


# -- the paper's objective on columns ----------------------------------------------------------------------------------


def test_both_costs_of_a_partition_are_those_of_k_means_on_points_and_on_columns():
    rng = np.random.default_rng(0)
    K = kernel_function("gaussian", bandwidth=1.0)(rng.normal(size=(12, 2)))
    labels = rng.choice([0, 2, 3], 12)
    U = indicator(labels)
    cost, on_columns = partition_costs(K)(labels)
    assert cost == pytest.approx(partition_cost(K, labels), rel=1e-9)
    assert on_columns == pytest.approx(np.linalg.norm(K - U @ (U.T @ K)) ** 2 / 12, rel=1e-9)
