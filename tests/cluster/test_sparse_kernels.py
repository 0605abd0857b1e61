"""D2 seeds and coresets of sparse kernel matrices through the sampling tree, against the naive algorithm."""

from itertools import permutations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from graphcore import KernelKMeans, build_coreset
from graphcore.base.progress import counted
from graphcore.base.streams import Streams
from graphcore.cluster.coreset import d2_seeding, draw_seeds, fast_seeds
from graphcore.kernels.matrices import SparseKernel

from ..oracles import FAILURE, chi_square_p, contributions
from .test_seeding import check_against_dense, least_diagonal


def gaussian_matrix(n, seed, cutoff=0.2):
    """A sparse kernel matrix of points in the plane, near which alone entries are stored; it is semi-definite."""
    X = np.random.default_rng(seed).normal(size=(n, 2))
    near = np.maximum(0.0, 1.0 - np.linalg.norm(X[:, None] - X, axis=2) / (4 * cutoff))
    return sp.csr_array(near**3 * np.outer(*[np.linspace(0.8, 1.25, n)] * 2))


@given(seed=st.integers(0, 50), weighted=st.booleans())
def test_seeds_of_a_sparse_kernel_matrix_are_those_of_the_naive_algorithm(seed, weighted):
    K = gaussian_matrix(40, seed)
    kernel, rng = SparseKernel(K), np.random.default_rng(seed)
    w = rng.uniform(0.5, 2.0, 40) if weighted else np.ones(40)
    w[7] = 0.0
    first = least_diagonal(K.toarray(), w)
    initial = np.array([first, 11 if first != 11 else 12])
    fast = fast_seeds(kernel, initial, Streams(seed).generator("s").random(6), w, kernel.diagonal)
    naive = draw_seeds(kernel, w, 8, Streams(seed).generator("s"), initial=initial)
    assert fast.indices.tolist() == naive.indices.tolist()
    check_against_dense(fast, K.toarray(), w)
    with counted() as work:
        d2_seeding(kernel, 5, random_state=seed)
    assert work["entries repaired"] < K.nnz


def semidefinite_matrix(n, seed):
    """Products of sparse non-negative features: unequal diagonals, so that the point of least K_xx comes late."""
    rng = np.random.default_rng(seed)
    B = rng.random((n, 6)) * (rng.random((n, 6)) < 0.4) * rng.uniform(0.3, 3.0, (n, 1))
    B[:, 0] += 0.1 * (B.sum(axis=1) == 0)
    return B @ B.T


@given(seed=st.integers(0, 10**6), shift=st.sampled_from([0.0, 0.5]))
def test_k_means_seeds_are_those_of_the_naive_algorithm_whatever_comes_first(seed, shift):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 30))
    K, w = semidefinite_matrix(n, seed), rng.uniform(0.5, 2.0, n)
    w[rng.random(n) < 0.2] = 0.0
    w[0] = 1.0
    fast, naive = (
        draw_seeds(SparseKernel(sp.csr_array(K)), w, 5, Streams(seed).generator("s"), method=method, shift=shift)
        for method in ("fast", "naive")
    )
    assert fast.indices.tolist() == naive.indices.tolist() and fast.exhausted == naive.exhausted
    shifted = K + shift * np.diag(np.divide(1.0, w, out=np.zeros(n), where=w > 0))
    check_against_dense(fast, shifted, w)
    check_against_dense(naive, shifted, w)


@pytest.mark.slow
def test_the_law_of_the_seeds_is_that_of_k_means():
    # Three seeds: all orders by enumeration, chi-square. A false alarm has the probability FAILURE.
    n, w = 6, np.array([1.0, 2.0, 0.5, 1.0, 0.0, 1.5])
    K = semidefinite_matrix(n, 4)
    kernel, orders = SparseKernel(sp.csr_array(K)), list(permutations(range(n), 3))
    expected = np.zeros(len(orders))
    for at, (x, y, z) in enumerate(orders):
        second, third = contributions(K, w, [x]), contributions(K, w, [x, y])
        if second[y] > 0 and third.sum() > 0:
            expected[at] = w[x] / w.sum() * second[y] / second.sum() * third[z] / third.sum()
    assert expected.sum() == pytest.approx(1.0)
    counts = np.zeros(len(orders))
    rng = np.random.default_rng(0)
    for _ in range(5000):
        counts[orders.index(tuple(draw_seeds(kernel, w, 3, rng, method="fast").indices.tolist()))] += 1
    assert chi_square_p(counts, expected) > FAILURE


def rows_read(call):
    """Return a call's result, and the entries of the kernel that its seeding has read."""
    with counted() as work:
        result = call()
    return result, work["entries repaired"]


def test_kernel_k_means_and_build_coreset_read_the_rows_of_seeds_alone():
    K = gaussian_matrix(300, 2)
    lengths = np.diff(K.indptr)
    coreset, read = rows_read(
        lambda: build_coreset(K, 5, kernel="precomputed", size=60, sampling="importance", random_state=0)
    )
    assert read == lengths[coreset.seeds.indices].sum() < K.nnz / 5
    naive = build_coreset(
        K.toarray(), 5, kernel="precomputed", size=60, sampling="importance", seeding="naive", random_state=0
    )
    assert coreset.indices.tolist() == naive.indices.tolist()
    np.testing.assert_allclose(coreset.weights, naive.weights, rtol=1e-9)
    model = KernelKMeans(5, kernel="precomputed", n_init=2, random_state=0)
    (fast, few), (naive, many) = (rows_read(lambda K=K: model.fit(K).labels_.tolist()) for K in (K, K.toarray()))
    assert fast == naive
    assert few <= 2 * 5 * lengths.max() < many == 2 * 5 * 300


@pytest.mark.slow
def test_a_coreset_of_a_kernel_matrix_stands_for_its_points():
    K = semidefinite_matrix(50, 3)
    for sampling in ("importance", "uniform"):
        sums = [
            build_coreset(K, 3, kernel="precomputed", size=20, sampling=sampling, random_state=seed).weights.sum()
            for seed in range(300)
        ]
        # Without bias: the mean lies within five of its standard errors, but with probability 6e-7.
        assert abs(np.mean(sums) - 50) <= 5 * np.std(sums) / np.sqrt(300)
    whole = build_coreset(K, 3, kernel="precomputed", size=50, random_state=0)
    part = build_coreset(K, 3, kernel="precomputed", size=20, random_state=0)
    assert len(whole) == 50 and whole.sampling == part.sampling == "importance"
