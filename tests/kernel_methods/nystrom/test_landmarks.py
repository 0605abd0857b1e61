"""Leverage scores, ridge leverage scores and effective dimension against dense formulas; landmark draws."""

from collections import Counter
from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from graphcore.kernel_methods import landmarks
from graphcore.kernel_methods.nystrom import nystrom_features
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.vectors import VectorKernel

from ...depth import examples
from ...nystrom_oracles import blobs, gaussian_matrix

quick = examples(20)
X, LABELS = blobs(300, k=4, d=6, spread=3.0, seed=0)
K = gaussian_matrix(X)
KERNEL = kernel_function("gaussian", X=X)


@st.composite
def kernels(draw):
    n = draw(st.integers(2, 20))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    A = rng.normal(size=(n, draw(st.integers(1, n))))
    return A @ A.T


@quick
@given(kernels(), st.floats(1e-3, 1e3))
def test_ridge_scores_sum_to_the_effective_dimension(S, ridge):
    tau = landmarks.ridge_leverage_scores(S, ridge)
    values = np.maximum(np.linalg.eigvalsh(S), 0)
    d = landmarks.effective_dimension(values, ridge)
    assert tau.sum() == pytest.approx(d, rel=1e-8)
    np.testing.assert_allclose(tau, np.diag(S @ np.linalg.inv(S + ridge * np.eye(len(S)))), atol=1e-8)
    assert d <= min((values > 1e-9).sum() + 1e-6, values.sum() / ridge * (1 + 1e-9))
    assert (tau <= np.diag(S) / (np.diag(S) + ridge) + 1e-10).all()
    assert (landmarks.ridge_leverage_scores(S, 2 * ridge) <= tau + 1e-12).all()


def test_leverage_scores_of_eigenvectors():
    _, V = np.linalg.eigh(K)
    tau = landmarks.leverage_scores(K, 10)
    np.testing.assert_allclose(tau, np.square(V[:, -10:]).sum(axis=1), atol=1e-10)
    assert tau.sum() == pytest.approx(10)
    np.testing.assert_allclose(landmarks.leverage_scores(sp.csr_array(K), 10), tau, atol=1e-8)
    # A matrix of rank 2 has no more than 2 to give.
    A = np.random.default_rng(0).normal(size=(9, 2))
    assert landmarks.leverage_scores(A @ A.T, 5).sum() == pytest.approx(2)


class TestDraws:
    def test_uniform_without_replacement(self):
        counts = np.zeros(20)
        for seed in range(400):
            found = landmarks.draw_landmarks(20, 5, random_state=seed)
            assert len(found.indices) == 5 == len(set(found.indices.tolist()))
            assert (np.diff(found.indices) > 0).all()
            np.testing.assert_allclose(found.scale, 2.0)
            counts[found.indices] += 1
        # 400 draws of probability 1/4 each: standard deviation 8.7, 5 of them.
        assert np.abs(counts - 100).max() < 44

    def test_probabilities(self):
        p = np.array([0.0, 1.0, 3.0, 0.0, 6.0])
        total = np.zeros((5, 5))
        for seed in range(500):
            found = landmarks.draw_landmarks(5, 3, probabilities=p, replace=True, random_state=seed)
            assert not np.isin(found.indices, [0, 3]).any()
            total[found.indices, found.indices] += found.scale**2
        # E[P P^T] is the identity on the points that can be drawn; point 1 has p = 0.1, so a standard error of 0.077.
        np.testing.assert_allclose(np.diag(total) / 500, [0, 1, 1, 0, 1], atol=0.2)

    def test_given_landmarks(self):
        found = landmarks.sample_landmarks(K, 3, sampling=np.array([7, 2, 7]))
        np.testing.assert_array_equal(found.indices, [2, 7])
        np.testing.assert_allclose(found.scale, np.sqrt([1, 2]))
        assert found.n_drawn == 3


class TestSizes:
    def test_rank(self):
        assert [landmarks.suggest_rank(10, c) for c in (30, 90, 270, 810)] == [18, 30, 52, 90]
        assert [landmarks.suggest_rank(2, c) for c in (6, 18, 54, 162)] == [4, 6, 11, 18]
        assert (landmarks.suggest_rank(10, 12), landmarks.suggest_rank(10, 12, highest=8)) == (11, 8)

    def test_landmarks(self):
        assert [landmarks.suggest_landmarks(60000, 10, rule) for rule in ("sqrt", "auto")] == [245, 490]
        assert landmarks.suggest_landmarks(100, 30, "auto") == 100
        assert [landmarks.suggest_landmarks(100, k, "sqrt") for k in (8, 30)] == [10, 30]


def residual(K, chosen):
    """Diagonal of the kernel less that of its Nystrom approximation, dense."""
    C = K[:, chosen]
    return np.diag(K) - np.einsum("ij,ij->i", C @ np.linalg.pinv(K[np.ix_(chosen, chosen)], hermitian=True), C)


@pytest.mark.slow
def test_pivots_follow_the_distribution_exactly(limits):
    """Three of six points in order, all 120 ways, over 1,500 seeds each: by proposals of two, and all at once.

    Each of the two chi-square tests is wrong with probability 1e-4.
    """
    A = np.array([[2.0, 0.1, 0], [1.9, 0.3, 0], [1.8, 0, 0.4], [0, 1, 0], [0.1, 1.1, 0.2], [0, 0, 0.7]])
    small = A @ A.T + 0.05 * np.eye(6)
    exact = {}
    for order in permutations(range(6), 3):
        left = [residual(small, list(order[:i])) if i else np.diag(small) for i in range(3)]
        exact[order] = np.prod([now[point] / now.sum() for now, point in zip(left, order, strict=True)])
    assert sum(exact.values()) == pytest.approx(1.0)
    common = [order for order in exact if 1500 * exact[order] > 5]
    expected = [exact[order] for order in common]
    for most in (2, 512):
        limits(landmarks, _MOST=most)
        drawn = Counter(tuple(landmarks.random_pivots(small, 3, random_state=seed)[0].tolist()) for seed in range(1500))
        counts = [drawn[order] for order in common]
        rest = 1500 - sum(counts)
        assert chisquare([*counts, rest], 1500 * np.array([*expected, 1 - sum(expected)])).pvalue > 1e-4, most


@pytest.mark.parametrize("most", [7, 512])
def test_residuals_are_those_of_the_dense_approximation(most, limits):
    limits(landmarks, _MOST=most)
    forms = {"matrix": K, "sparse": sp.csr_array(K), "vectors": VectorKernel(X, KERNEL)}
    found = {name: landmarks.random_pivots(form, 40, random_state=3) for name, form in forms.items()}
    for name, (chosen, left) in found.items():
        assert len(set(chosen.tolist())) == 40
        np.testing.assert_allclose(left, residual(K, chosen), atol=1e-11, err_msg=name)
        np.testing.assert_array_equal(chosen, found["matrix"][0], err_msg=name)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_kernels_of_low_rank_are_exact_and_take_no_more_landmarks_than_their_rank(dtype):
    A = np.random.default_rng(0).normal(size=(200, 5))
    kernel = VectorKernel(A.astype(dtype), kernel_function("linear"))
    for seed in range(20):
        assert len(landmarks.random_pivots(kernel, 30, random_state=seed)[0]) == 5
    found = nystrom_features(kernel, 30, 20, sampling="rpcholesky", random_state=0)
    assert (found.n_landmarks, found.n_components) == (5, 5)
    np.testing.assert_allclose(found.features @ found.features.T, A @ A.T, atol=1e-4 if dtype == np.float32 else 1e-10)
