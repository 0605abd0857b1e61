"""The power method against dense eigenvectors, and against ARPACK's."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.sparse.linalg import eigsh

from graphcore.base.loops import row_blocks
from graphcore.base.streams import Streams
from graphcore.cluster import spectral as power
from graphcore.cluster.spectral import normalized_adjacency, power_embedding

from ..oracles import EXAMPLES, example_adjacencies, planted, quick


def dense_normalized(A):
    degrees = A.sum(axis=1)
    inverse = np.zeros(len(A))
    inverse[degrees > 0] = 1 / np.sqrt(degrees[degrees > 0])
    return A * inverse[:, None] * inverse


def eigen(A):
    """(eigenvalues, eigenvectors) of D^-1/2 A D^-1/2, largest first, without those of isolated nodes."""
    linked = A.sum(axis=1) > 0
    values, small = np.linalg.eigh(dense_normalized(A[np.ix_(linked, linked)]))
    vectors = np.zeros((len(A), len(values)))
    vectors[linked] = small
    return values[::-1], vectors[:, ::-1]


def start(n, n_vectors, seed):
    """The Gaussian vectors that the power method starts from."""
    return Streams(seed).generator("power").standard_normal((n, n_vectors))


def dense_power(A, X):
    """The matrix whose powers are taken, and the vectors they start from, both without the first eigenvector."""
    degrees = A.sum(axis=1)
    top = np.sqrt(degrees / degrees.sum())
    X[degrees == 0] = 0.0
    M = 0.5 * (np.eye(len(A)) + dense_normalized(A)) - np.outer(top, top)
    return M, X - np.outer(top, top @ X)


def check_orthonormal(Q, rank, isolated=()):
    """As many orthonormal columns as the rank, and 0 in all others and in the rows of isolated nodes."""
    kept = Q.any(axis=0)
    assert np.count_nonzero(kept) == rank
    np.testing.assert_allclose(Q.T @ Q, np.diag(kept.astype(float)), atol=1e-12)
    assert not Q[isolated, :].any()


@quick
@given(st.integers(1, 60), st.integers(1, 12), st.integers(1, 12), st.booleans(), st.integers(0, 2**32 - 1))
@example(41, 2, 1, False, 5037092)  # the first of two parallel columns is a thousandth as long
def test_the_basis_has_as_many_columns_as_the_rank_and_rows_of_zeros_stay(n, n_vectors, rank, single, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, n_vectors))
    isolated = rng.random(n) < 0.2
    X[isolated] = 0.0
    root = np.where(isolated, 0.0, 1.0)
    first = root / max(1.0, np.linalg.norm(root))
    X -= np.outer(first, first @ X)
    Q = power._orthonormal(X.copy(), root, single)
    assert Q.shape == X.shape
    check_orthonormal(Q, min(rank, n_vectors, max(0, np.count_nonzero(~isolated) - 1)), isolated)
    assert np.abs(root @ Q).max(initial=0.0) < 1e-10
    np.testing.assert_allclose(Q @ (Q.T @ X), X, atol=1e-5 if single else 1e-10)


@pytest.mark.parametrize("name", EXAMPLES)
def test_normalized_adjacency_equals_dense(name):
    A = example_adjacencies()[name]
    matrix = sp.csr_array(A)
    before = matrix.copy()
    S, root = normalized_adjacency(matrix)
    np.testing.assert_allclose(S.toarray(), dense_normalized(A), rtol=1e-14, atol=0)
    np.testing.assert_allclose(root, np.sqrt(A.sum(axis=1)), rtol=1e-14)
    assert (matrix != before).nnz == 0


@pytest.mark.parametrize("n_products", [0, 1, 4, 15])
@pytest.mark.parametrize("name", EXAMPLES)
def test_equals_dense_products(name, n_products):
    A = example_adjacencies()[name]
    M, X = dense_power(A, start(len(A), 3, 5))
    expected = np.linalg.matrix_power(M, n_products) @ X
    if name == "one edge":
        expected = X  # M is 0 there
    expected /= np.linalg.norm(expected)
    found = power._smooth(sp.csr_array(A), start(len(A), 3, 5), n_products)
    np.testing.assert_allclose(found, expected, rtol=1e-7, atol=1e-10)
    basis = power._orthonormal(found, np.sqrt(A.sum(axis=1)), False)
    np.testing.assert_allclose(basis @ (basis.T @ expected), expected, rtol=1e-7, atol=1e-10)
    check_orthonormal(basis, np.linalg.matrix_rank(expected), A.sum(axis=1) == 0)


@pytest.mark.parametrize("seed", range(3))
def test_nearly_all_of_it_lies_in_the_top_eigenvectors(seed):
    # Eight planted blocks: eight eigenvalues near 1 and a clear gap below. The first eigenvector is taken out, so the
    # share of the embedding's squared norm in the other seven, which are spanned by seven vectors, is nearly 7.
    graph, _ = planted(8, 120, 0.3, 0.002, seed)
    A = graph.to_scipy()
    assert not A.indices.flags.writeable  # the graph's own arrays will do
    S, root = normalized_adjacency(A)
    values, vectors = eigsh(S, k=9, which="LA")
    order = np.argsort(values)[::-1]
    assert values[order[7]] - values[order[8]] > 0.4
    top = vectors[:, order[1:8]]
    X = power_embedding(A, 8, random_state=seed)
    assert X.shape == (960, 7)
    assert np.linalg.norm(top.T @ X) ** 2 > 7 - 1e-6
    assert np.abs((root / np.linalg.norm(root)) @ X).max() < 1e-12
    # As many random vectors as eigenvectors span the same space: the principal angles vanish.
    cosines = np.linalg.svd(X.T @ top, compute_uv=False)
    assert cosines.min() > 1 - 1e-4


@pytest.mark.parametrize("A", [np.zeros((4, 4)), np.diag([1.0, 0, 0]), np.array([[2.0]])], ids=["none", "loop", "one"])
def test_nothing_beside_the_first_eigenvector_is_zero(A):
    assert not power_embedding(sp.csr_array(A), 1, random_state=0).any()


@pytest.mark.parametrize("name", EXAMPLES)
def test_products_of_large_graphs_are_the_same_in_single_precision(name, limits):
    A = sp.csr_array(example_adjacencies()[name])
    expected = power._smooth(A, start(A.shape[0], 11, 3), 7)
    # Blocks of a few rows, so that products are put together from parts.
    limits(power, MANY_ENTRIES=0, row_blocks=lambda indptr: row_blocks(indptr, entries=40))
    np.testing.assert_allclose(power._smooth(A, start(A.shape[0], 11, 3), 7), expected, atol=5e-6)
    np.testing.assert_array_equal(*(power_embedding(A, 12, random_state=3, n_jobs=n_jobs) for n_jobs in (1, 2)))


@pytest.mark.parametrize("exponent", [1, 3, 30, 100])
def test_the_expansion_of_a_power(exponent):
    weights = power._expansion(exponent)
    y = np.linspace(-1, 1, 401)
    values = np.polynomial.chebyshev.chebval(y, weights)
    np.testing.assert_allclose(values, ((1 + y) / 2) ** exponent, atol=1e-6)
    assert len(weights) - 1 <= min(exponent, 4 * np.sqrt(exponent))
    # A shorter one would leave out too much.
    y = np.append(y, 1.0)
    assert np.abs(np.polynomial.chebyshev.chebval(y, weights[:-1]) - ((1 + y) / 2) ** exponent).max() > 1e-6


@pytest.mark.parametrize("n_products", [9, 40, 100, 200])
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "one edge"])
def test_expanded_powers_equal_dense_powers(name, n_products, limits):
    """Up to what is left out and single precision, both relative to the strongest vector at the bound."""
    limits(power, MANY_ENTRIES=0)
    A = example_adjacencies()[name]
    M, X = dense_power(A, start(len(A), 11, 5))
    found = power._smooth(sp.csr_array(A), start(len(A), 11, 5), n_products)
    largest = np.abs(np.linalg.eigvalsh(M)).max()
    assert largest > 1e-12  # one edge alone has nothing beside the first eigenvector
    expected = np.linalg.matrix_power(M / largest, n_products) @ X
    np.testing.assert_allclose(found, expected / np.linalg.norm(expected), atol=2e-3)


@pytest.mark.slow
def test_a_strong_vector_that_hardly_shows_at_first_survives_the_expansion(limits):
    """Two components: their eigenvalue is 1, and 8 products on 1,500 nodes leave it far below what they estimate."""
    limits(power, MANY_ENTRIES=0)
    rng = np.random.default_rng(0)
    half = np.triu(rng.random((750, 750)) < 0.1, 1)
    A = sp.csr_array(sp.block_diag([half | half.T] * 2).astype(float))
    for n_products in (60, 150):
        found = power._smooth(A, start(1500, 2, 0), n_products)
        assert np.isfinite(found).all()
        sides = found / np.sqrt(A.sum(axis=1))[:, None]
        np.testing.assert_allclose(sides, np.repeat([sides[0], sides[-1]], 750, axis=0), atol=1e-6)
        assert (sides[0] * sides[-1] < 0).all()
