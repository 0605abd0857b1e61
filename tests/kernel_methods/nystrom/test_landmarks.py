"""Leverage scores, ridge leverage scores and effective dimension against dense formulas; landmark draws."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from graphcore.kernel_methods.nystrom.landmarks import (
    draw_landmarks,
    effective_dimension,
    leverage_scores,
    ridge_leverage_scores,
    sample_landmarks,
    suggest_landmarks,
    suggest_rank,
)

from ...depth import examples
from ...nystrom_oracles import blobs, gaussian_matrix

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

    def test_given_landmarks(self):
        found = sample_landmarks(K, 3, sampling=np.array([7, 2, 7]))
        np.testing.assert_array_equal(found.indices, [2, 7])
        np.testing.assert_allclose(found.scale, np.sqrt([1, 2]))
        assert found.n_drawn == 3


class TestSizes:
    def test_rank(self):
        assert [suggest_rank(10, c) for c in (30, 90, 270, 810)] == [18, 30, 52, 90]
        assert [suggest_rank(2, c) for c in (6, 18, 54, 162)] == [4, 6, 11, 18]
        assert suggest_rank(10, 1600, coherence=2.5) == 80
        assert (suggest_rank(10, 12), suggest_rank(10, 12, highest=8)) == (11, 8)

    def test_landmarks(self):
        assert [suggest_landmarks(60000, 10, rule) for rule in ("sqrt", "auto")] == [245, 490]
        assert suggest_landmarks(100, 30, "auto") == 100
        assert [suggest_landmarks(100, k, "sqrt") for k in (8, 30)] == [10, 30]
