"""Lemmas of the appendices of Wang, Gittens, Mahoney on random matrices: each a test, with plain numpy."""

import numpy as np
import pytest

from graphcore.kernel_methods.features.feature_map import projection_matrix
from graphcore.kernel_methods.features.nystrom import power_features

from ...oracles import partitions

SEEDS = range(5)


def best(A, s):
    """The nearest matrix of rank s."""
    U, values, V = np.linalg.svd(A, full_matrices=False)
    return U[:, :s] * values[:s] @ V[:s]


def orthonormal(rng, n, c):
    return np.linalg.qr(rng.standard_normal((n, c)))[0]


def decaying(rng, n, power=1.0):
    """A positive semi-definite matrix with eigenvalues i^-power."""
    V = orthonormal(rng, n, n)
    return V * np.arange(1.0, n + 1) ** -power @ V.T


def root(K):
    values, V = np.linalg.eigh(K)
    return V * np.sqrt(np.maximum(values, 0)) @ V.T


def restricted(K, P, s):
    """``(C W^+ C^T)_s``."""
    C = K @ P
    return best(C @ np.linalg.pinv(P.T @ C, hermitian=True, rcond=1e-12) @ C.T, s)


@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_5_the_best_combination_of_orthonormal_columns(seed):
    rng = np.random.default_rng(seed)
    A, U, s = rng.standard_normal((9, 7)), orthonormal(rng, 9, 5), 3
    Z = best(U.T @ A, s)
    least = np.linalg.norm(A - U @ Z)
    for size in (1e-3, 1e-1, 1.0):
        for _ in range(20):
            other = best(Z + size * rng.standard_normal(Z.shape), s)
            assert np.linalg.norm(A - U @ other) > least


@pytest.mark.parametrize("norm", [2, "fro"])
@pytest.mark.parametrize("t", [1, 2, 4])
def test_lemma_7_the_power_scheme(t, norm):
    s = 3
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        A, P = decaying(rng, 12), rng.standard_normal((12, 5))
        values, V = np.linalg.eigh(A)
        Vs, values = V[:, ::-1][:, :s], values[::-1]
        rest = A - best(A, s)
        Q = np.linalg.qr(np.linalg.matrix_power(A, t) @ P)[0]
        # The nearest in Frobenius norm (Lemma 5); the minimum in the other norm is no more than the proof's own choice.
        found = A - Q @ best(Q.T @ A, s)
        if norm == 2:
            chosen = np.linalg.matrix_power(A, t) @ P @ np.linalg.pinv(Vs.T @ P) * values[:s] ** (1.0 - t) @ Vs.T
            found = A - chosen
        bound = (values[s] / values[s - 1]) ** (2 * (t - 1)) * np.linalg.norm(
            rest @ P @ np.linalg.pinv(Vs.T @ P), norm
        ) ** 2
        assert np.linalg.norm(found, norm) ** 2 <= (np.linalg.norm(rest, norm) ** 2 + bound) * (1 + 1e-9)


def sketches(name, V, c, seed):
    """P of n rows and about c columns, by one of the five ways of Table 7."""
    n = len(V)
    if name in ("uniform", "leverage"):
        p = np.full(n, 1 / n) if name == "uniform" else np.square(V).sum(axis=1) / V.shape[1]
        rows = np.random.default_rng(seed).choice(n, c, p=p)
        P = np.zeros((n, c))
        P[rows, np.arange(c)] = 1 / np.sqrt(c * p[rows])
        return P
    return projection_matrix(name, n, c, random_state=seed)


@pytest.mark.parametrize("name", ["uniform", "leverage", "gaussian", "srht", "countsketch"])
def test_lemma_10_embedding_and_products(name):
    # Mean of 100 draws of the squared error of products against s / c (times the coherence, for uniform draws), with
    # the constant 2 (Table 7 leaves constants open); and nine of ten draws embed the subspace.
    rng = np.random.default_rng(0)
    n, s, c = 128, 4, 64
    V, Y = orthonormal(rng, n, s), rng.standard_normal((n, 6))
    mu = n / s * np.square(V).sum(axis=1).max() if name == "uniform" else 1.0
    errors, spread = [], []
    for seed in range(100):
        P = sketches(name, V, c, seed)
        errors.append(np.linalg.norm(V.T @ P @ P.T @ Y - V.T @ Y) ** 2)
        spread.append(np.linalg.norm(V.T @ P @ P.T @ V - np.eye(s), 2))
    assert np.mean(errors) <= 2 * mu * s / c * np.linalg.norm(Y) ** 2
    assert np.quantile(spread, 0.9) < 1


@pytest.mark.parametrize("seed", SEEDS)
def test_lemma_13_the_kernel_matrix_says_all(seed):
    rng = np.random.default_rng(seed)
    Phi, X = rng.standard_normal((8, 20)), orthonormal(rng, 8, 3)
    values, V = np.linalg.eigh(Phi @ Phi.T)
    few = V * np.sqrt(np.maximum(values, 0))
    assert np.linalg.norm(Phi - X @ X.T @ Phi) == pytest.approx(np.linalg.norm(few - X @ X.T @ few))


def indicators(n, k):
    """Of all partitions into at most k parts, with orthonormal columns; empty parts are columns of 0."""
    Z = (partitions(n, k)[:, :, None] == np.arange(k)).astype(float)
    return Z / np.sqrt(np.maximum(Z.sum(axis=1, keepdims=True), 1))


def ratios(K, BB, s, k):
    """(cost of the best partition of B over that of the best of K, and what Lemma 14 bounds it by)."""
    X = indicators(len(K), k)
    of_all, of_few = (np.trace(M) - np.einsum("pij,il,plj->p", X, M, X, optimize=True) for M in (K, BB))
    eps = np.trace(K - BB) / np.trace(K - best(K, s)) - 1
    return of_all[np.argmin(of_few)] / of_all.min(), 1 + max(eps, 0) + k / s


def test_theorems_16_and_18_many_products_make_the_error_that_of_the_best_rank():
    s, k = 3, 2
    for seed in SEEDS:
        K = decaying(np.random.default_rng(seed), 9, 1.0)
        for eps in (0.1, 0.01):
            # log(n / eps) / log(sigma_s / sigma_{s+1}) products.
            t = int(np.ceil(np.log(9 / eps) / np.log(4 / 3)))
            B = power_features(K, s, n_steps=t, n_vectors=s + 2, random_state=seed).features
            assert np.trace(K - B @ B.T) <= (1 + eps) * np.trace(K - best(K, s))
            ratio, bound = ratios(K, B @ B.T, s, k)
            assert ratio <= min(bound, 1 + eps + k / s)
