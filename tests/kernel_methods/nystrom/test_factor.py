"""The rank-restricted factor against dense pseudo-inverses, and its identities."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore import GraphWarning, InputError
from graphcore.kernel_methods.nystrom import PROJECTIONS, inverse_root, nystrom_factor, projection_matrix

from ...depth import examples
from ...nystrom_oracles import dense_nystrom, dense_projection, gaussian_matrix, selection

quick = examples(25)


@st.composite
def problems(draw):
    """A positive semi-definite K, a sketch P and a rank: full and low rank, duplicates, all kinds of P."""
    n = draw(st.integers(2, 24))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rank = draw(st.integers(1, n))
    if draw(st.booleans()):
        X = rng.normal(size=(n, 3))
        X[: draw(st.integers(0, (n - 1) // 2))] = X[-1]  # duplicates
        K = gaussian_matrix(X, 0.5)
    else:
        A = rng.normal(size=(n, rank))
        K = A @ A.T
    c = draw(st.integers(1, n))
    if draw(st.booleans()):
        P = selection(n, rng.choice(n, c), rng.uniform(0.5, 2, c))
    else:
        P = projection_matrix(draw(st.sampled_from(PROJECTIONS)), n, c, random_state=int(rng.integers(1000)))
    return K, P, draw(st.integers(1, c))


@quick
@given(problems())
def test_factor_is_the_rank_restricted_approximation(problem):
    K, P, s = problem
    W = P.T @ K @ P
    scale = np.linalg.eigvalsh(K)[-1]
    # Of columns that nearly meet nothing W is rounding. Elsewhere that grows like 1 / rtol in W^+: with 1e-6 it stays
    # below 1e-11 in ten thousand examples.
    assume(np.linalg.norm(W) > 1e-4 * scale * np.square(P).sum())
    factor = nystrom_factor(K @ P, W, s, rtol=1e-6)
    B = factor.features
    expected = dense_projection(K, P, s, rtol=1e-6)
    np.testing.assert_allclose(B @ B.T, expected, rtol=0, atol=1e-10 * scale)
    # 0 <= B B^T <= K, and what is missing is the trace that is left.
    assert np.linalg.eigvalsh(K - B @ B.T)[0] > -1e-10 * scale
    assert np.trace(K) - np.square(B).sum() == pytest.approx(np.trace(K - expected), abs=1e-10 * np.trace(K))
    assert B.shape[1] <= s
    # Features are orthogonal, in descending order of their singular values.
    np.testing.assert_allclose(B.T @ B, np.diag(factor.singular_values[: B.shape[1]] ** 2), atol=1e-10 * scale)
    np.testing.assert_allclose(K @ P @ factor.projection, B, atol=1e-10 * np.sqrt(scale))


@pytest.mark.parametrize("truncation", [None, 8, 12])
def test_against_dense_pseudo_inverses(truncation):
    rng = np.random.default_rng(0)
    K = gaussian_matrix(rng.normal(size=(60, 3)))
    for P in (selection(60, np.arange(0, 60, 3)), projection_matrix("srht", 60, 20, random_state=1)):
        B = nystrom_factor(K @ P, P.T @ K @ P, 6, truncation=truncation).features
        scale = np.linalg.eigvalsh(K)[-1]
        np.testing.assert_allclose(B @ B.T, dense_nystrom(K, P, 6, truncation), rtol=0, atol=1e-10 * scale)


def test_lemma_8_no_other_projection_of_the_sketch_is_nearer():
    """The trace error is the least of ||K^1/2 - K^1/2 P Z||_F^2 over Z of rank s: random Z never beat it."""
    rng = np.random.default_rng(3)
    A = rng.normal(size=(12, 12))
    K = A @ A.T
    values, vectors = np.linalg.eigh(K)
    root = (vectors * np.sqrt(values)) @ vectors.T
    P, s = rng.normal(size=(12, 6)), 3
    B = nystrom_factor(K @ P, P.T @ K @ P, s).features
    alpha = np.trace(K) - np.square(B).sum()
    # The best Z: project K^1/2 on the top left singular vectors within the range of K^1/2 P.
    U = np.linalg.qr(root @ P)[0]
    left, sigma, right = np.linalg.svd(U.T @ root)
    least = np.linalg.norm(root - U @ (left[:, :s] * sigma[:s]) @ right[:s]) ** 2
    assert alpha == pytest.approx(least, rel=1e-10)
    for _ in range(50):
        Z = rng.normal(size=(6, s)) @ rng.normal(size=(s, 12))
        t = np.vdot(root, root @ P @ Z) / np.linalg.norm(root @ P @ Z) ** 2
        assert np.linalg.norm(root - t * root @ P @ Z) ** 2 >= alpha * (1 - 1e-10)


def test_landmarks_are_represented_exactly_and_more_of_them_leave_less():
    rng = np.random.default_rng(4)
    K = gaussian_matrix(rng.normal(size=(40, 3)))
    order = rng.permutation(40)
    before = K
    for c in (2, 5, 10, 20, 40):
        chosen = order[:c]
        B = nystrom_factor(K[:, chosen], K[np.ix_(chosen, chosen)]).features
        E = K - B @ B.T
        assert np.linalg.eigvalsh(before - E)[0] > -1e-10
        np.testing.assert_allclose(E[chosen], 0, atol=1e-10)  # landmarks themselves lose nothing
        before = E
    np.testing.assert_allclose(before, 0, atol=1e-10)


@pytest.mark.parametrize("cache_bytes", [1, 5000, 1 << 24])
@pytest.mark.parametrize("n_jobs", [1, 4])
def test_blocks_and_threads_change_nothing(cache_bytes, n_jobs, limits):
    K = gaussian_matrix(np.random.default_rng(7).normal(size=(300, 5)))
    chosen = np.arange(0, 300, 10)
    C, W = K[:, chosen], K[np.ix_(chosen, chosen)]
    plain = nystrom_factor(C, W, 10, truncation=15).features
    limits("graphcore.kernels.base", _CACHE_BYTES=cache_bytes)
    got = nystrom_factor(C, W, 10, truncation=15, n_jobs=n_jobs).features
    np.testing.assert_allclose(got, plain, rtol=0, atol=1e-10)
    one = nystrom_factor(C, W, 10, truncation=15, n_jobs=1).features
    np.testing.assert_array_equal(got, one)
    # The two passes of large data: columns that are not kept are asked for again, and nothing else changes.
    limits("graphcore.kernel_methods.nystrom", _KEEP_BYTES=0)
    again = nystrom_factor(C, W, 10, truncation=15, n_jobs=n_jobs).features
    np.testing.assert_array_equal(got, again)


@pytest.mark.parametrize("sigma", [1e3, 1e4])
def test_a_bandwidth_far_too_wide_is_cut_and_not_inverted(sigma):
    X = np.random.default_rng(9).normal(size=(100, 3))
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / (2 * sigma**2))
    found = nystrom_factor(K[:, :30], K[:30, :30], 20)
    assert found.landmark_root.shape[1] < 30
    B = found.features
    assert np.isfinite(B).all()
    assert np.square(B).sum(axis=1).max() <= 1 + 1e-7
    # Half of the landmarks is no guard: the cut-off holds on top of it.
    assert nystrom_factor(K[:, :30], K[:30, :30], 12, truncation=15).landmark_root.shape[1] < 15


def test_an_indefinite_matrix_is_refused():
    W = np.array([[1.0, 2.0], [2.0, 1.0]])
    with pytest.raises(InputError, match=r"not positive semi-definite.*on_indefinite='warn'"):
        inverse_root(W)
    with pytest.warns(GraphWarning, match="the negative part is dropped"):
        assert inverse_root(W, on_indefinite="warn").shape[1] == 1
