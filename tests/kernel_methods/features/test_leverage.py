"""Leverage scores, ridge leverage scores and effective dimension against dense formulas; landmark draws."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from graphcore import InputError, ParameterError
from graphcore.kernel_methods.features.landmarks import (
    draw_landmarks,
    sample_landmarks,
    suggest_landmarks,
    suggest_rank,
    theory_landmarks,
)
from graphcore.kernel_methods.features.leverage import (
    dictionary_ridge_scores,
    effective_dimension,
    leverage_scores,
    recursive_ridge_scores,
    ridge_leverage_scores,
    top_eigenpairs,
)
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.vectors import VectorKernel

from ...depth import examples
from ...nystrom_oracles import blobs, counting_kernel, gaussian_matrix

quick = examples(20)
X, _ = blobs(150, seed=2)
K = gaussian_matrix(X)


@st.composite
def kernels(draw):
    n = draw(st.integers(2, 20))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    A = rng.normal(size=(n, draw(st.integers(1, n))))
    return A @ A.T


@quick
@given(kernels(), st.floats(1e-3, 1e3))
def test_ridge_scores_sum_to_the_effective_dimension(S, ridge):
    tau = ridge_leverage_scores(S, ridge)
    values = np.maximum(np.linalg.eigvalsh(S), 0)
    d = effective_dimension(values, ridge)
    assert tau.sum() == pytest.approx(d, rel=1e-8)
    np.testing.assert_allclose(tau, np.diag(S @ np.linalg.inv(S + ridge * np.eye(len(S)))), atol=1e-8)
    assert d <= min((values > 1e-9).sum() + 1e-6, values.sum() / ridge * (1 + 1e-9))
    assert (tau <= np.diag(S) / (np.diag(S) + ridge) + 1e-10).all()
    assert (ridge_leverage_scores(S, 2 * ridge) <= tau + 1e-12).all()


def test_leverage_scores_of_eigenvectors():
    _, V = np.linalg.eigh(K)
    tau = leverage_scores(K, 10)
    np.testing.assert_allclose(tau, np.square(V[:, -10:]).sum(axis=1), atol=1e-10)
    assert tau.sum() == pytest.approx(10)
    np.testing.assert_allclose(leverage_scores(sp.csr_array(K), 10), tau, atol=1e-8)
    # A matrix of rank 2 has no more than 2 to give.
    A = np.random.default_rng(0).normal(size=(9, 2))
    assert leverage_scores(A @ A.T, 5).sum() == pytest.approx(2)


def test_approximate_leverage_scores():
    exact = leverage_scores(K, 10)
    kernel = VectorKernel(X, kernel_function("gaussian", X=X))
    for seed in range(5):
        got = leverage_scores(kernel, 10, method="approximate", random_state=seed)
        assert ((got >= 0) & (got <= 1)).all()
        assert np.abs(got - exact).max() < 0.05
    values, V = top_eigenpairs(kernel, 10, method="approximate", random_state=0)
    np.testing.assert_allclose(V.T @ V, np.eye(10), atol=1e-10)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(K)[::-1][:10], rtol=1e-2)


def test_a_dictionary_of_all_points_gives_exact_scores():
    for ridge in (0.1, 1.0, 12.0):
        exact = ridge_leverage_scores(K, ridge)
        got = dictionary_ridge_scores(K, np.arange(150), np.ones(150), ridge)
        np.testing.assert_allclose(got, exact, atol=1e-9)
        some = dictionary_ridge_scores(K, np.arange(150), np.ones(150), ridge, points=np.array([4, 9]))
        np.testing.assert_allclose(some, exact[[4, 9]], atol=1e-9)
    # With ridge weights that let nothing through, the scores are the bound of the diagonal.
    loose = dictionary_ridge_scores(K, np.array([0]), np.array([1e-12]), 1.0)
    np.testing.assert_allclose(loose, 0.5, atol=1e-9)


def imbalanced(n=2500, rare=50, seed=0):
    """A tight cluster, and a spread one that holds few points: what uniform landmarks miss."""
    rng = np.random.default_rng(seed)
    tight = rng.normal(0, 0.1, (n - rare, 5))
    spread = rng.normal(0, 2.0, (rare, 5)) + 8.0
    return np.concatenate([tight, spread])


@pytest.mark.slow
@pytest.mark.parametrize("ridge", [1.0, 10.0])
def test_recursive_scores_are_near_the_exact_ones(ridge):
    data = imbalanced()
    kernel = kernel_function("gaussian", bandwidth=1.5)
    exact = ridge_leverage_scores(VectorKernel(data, kernel), ridge)
    for seed in range(3):
        found = recursive_ridge_scores(VectorKernel(data, kernel), ridge, random_state=seed)
        ratio = found.scores / exact
        assert ratio.min() > 0.5 and ratio.max() < 2.0
        assert found.scores.sum() == pytest.approx(exact.sum(), rel=0.3)
        assert len(found.dictionary) < 1250
    again = recursive_ridge_scores(VectorKernel(data, kernel), ridge, random_state=2, n_jobs=3)
    np.testing.assert_array_equal(found.scores, again.scores)


def test_recursive_scores_take_no_more_kernel_values_than_promised():
    counting, evaluated = counting_kernel(kernel_function("gaussian", gamma=1.0))
    data = np.random.default_rng(0).normal(0, 0.3, (2000, 2))
    recursive_ridge_scores(VectorKernel(data, kernel_function(counting)), 45.0, random_state=0)
    # Levels of 120, 240, ..., 2000 points, and once more all of them, against dictionaries of some 50.
    assert sum(evaluated) < 6000 * 100


def test_dictionaries_are_as_large_as_the_effective_dimension_asks_for():
    # 20 groups of 20 equal points, ridge 20: every point's score is 1/40. The sampled half stands for all: if its
    # points counted once, scores would be 1/30, and the dictionary would have 134 points instead of 93.
    matrix = np.kron(np.eye(20), np.ones((20, 20)))
    wanted = 3 * 10 * np.log(2 * 10 + 2)
    sizes = [len(recursive_ridge_scores(matrix, 20.0, random_state=seed).dictionary) for seed in range(6)]
    assert np.mean(sizes) == pytest.approx(wanted, rel=0.15)
    # In the mean alone, weights that are off by a power of n hide: too few points are drawn, then too many.
    assert 0.7 * wanted < min(sizes) and max(sizes) < 1.5 * wanted


def test_recursive_scores_of_few_points_are_exact():
    np.testing.assert_allclose(recursive_ridge_scores(K[:40, :40], 1.0).scores, ridge_leverage_scores(K[:40, :40], 1.0))


def test_scores_of_an_indefinite_matrix():
    S = np.array([[1.0, 5.0], [5.0, 1.0]])
    with pytest.raises(InputError, match="not positive"):
        ridge_leverage_scores(S, 1.0)
    with pytest.raises(InputError, match="not positive"):
        dictionary_ridge_scores(S, np.arange(2), np.ones(2), 1.0)


@pytest.mark.parametrize("ridge", [0.0, -1.0, np.nan])
def test_ridge_must_be_positive(ridge):
    for function in (ridge_leverage_scores, recursive_ridge_scores):
        with pytest.raises(ParameterError, match="ridge="):
            function(K, ridge)


class TestDraws:
    def test_uniform_without_replacement(self):
        counts = np.zeros(20)
        for seed in range(400):
            found = draw_landmarks(20, 5, random_state=seed)
            assert len(found.indices) == 5 == len(set(found.indices.tolist()))
            assert (np.diff(found.indices) > 0).all()
            np.testing.assert_allclose(found.scale, 2.0)
            counts[found.indices] += 1
        # 400 draws of probability 1/4 each: standard deviation 8.7, 5 of them.
        assert np.abs(counts - 100).max() < 44

    def test_probabilities(self):
        p = np.array([0.0, 1.0, 3.0, 0.0, 6.0])
        total = np.zeros((5, 5))
        for seed in range(2000):
            found = draw_landmarks(5, 3, probabilities=p, replace=True, random_state=seed)
            assert not np.isin(found.indices, [0, 3]).any()
            total[found.indices, found.indices] += found.scale**2
        # E[P P^T] is the identity on the points that can be drawn; point 1 has p = 0.1, so a standard error of 0.039.
        np.testing.assert_allclose(np.diag(total) / 2000, [0, 1, 1, 0, 1], atol=0.2)

    def test_no_more_draws_than_points_that_can_be_drawn(self):
        for p, message in (([0.0] * 4, "all sampling probabilities are zero"), ([1.0, 0, 0, 0], "at most 1")):
            with pytest.raises(ParameterError, match=message):
                draw_landmarks(4, 2, probabilities=np.array(p))
        with pytest.raises(ParameterError, match="replace=True"):
            draw_landmarks(4, 5)
        assert draw_landmarks(4, 5, replace=True, random_state=0).n_drawn == 5

    def test_given_landmarks(self):
        found = sample_landmarks(K, 3, sampling=np.array([7, 2, 7]))
        np.testing.assert_array_equal(found.indices, [2, 7])
        np.testing.assert_allclose(found.scale, np.sqrt([1, 2]))
        assert found.n_drawn == 3

    def test_scores_are_kept(self):
        found = sample_landmarks(K, 30, sampling="ridge", random_state=0)
        np.testing.assert_allclose(found.scores, ridge_leverage_scores(K, np.sqrt(150)))


class TestSizes:
    def test_rank(self):
        assert [suggest_rank(10, c) for c in (30, 90, 270, 810)] == [18, 30, 52, 90]
        assert [suggest_rank(2, c) for c in (6, 18, 54, 162)] == [4, 6, 11, 18]
        assert suggest_rank(10, 1600, coherence=2.5) == 80
        assert (suggest_rank(10, 12), suggest_rank(10, 12, highest=8)) == (11, 8)

    def test_landmarks(self):
        assert [suggest_landmarks(60000, 10, rule) for rule in ("sqrt", "auto", "sqrt_nk")] == [245, 490, 775]
        assert suggest_landmarks(100, 30, "auto") == 100
        assert [suggest_landmarks(100, k, "sqrt") for k in (8, 30)] == [10, 30]

    def test_theory(self):
        # 12 log(10 n) / (sqrt(n) eps^2), the shares of the spec page.
        for n, eps, share in ((10**4, 0.9, 1.7), (6 * 10**4, 0.9, 0.80), (10**6, 0.5, 0.77), (8 * 10**6, 0.9, 0.095)):
            got = theory_landmarks(n, np.sqrt(n), eps=eps) / n
            assert got == pytest.approx(min(1.0, share), rel=0.02)
        assert theory_landmarks(10**6, 1.0, effective_dimension=100.0) < 10**5
