"""Steps and iterations in feature space, and nearest centroids of new points, against dense oracles."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore.kernel_methods import kernel_kmeans as centroids
from graphcore.kernel_methods.alternation import alternate
from graphcore.kernel_methods.base import rows_of_nodes
from graphcore.kernel_methods.kernel_kmeans import KernelCentroids
from graphcore.kernels.base import matrix_columns
from graphcore.kernels.graph import GraphKernel
from graphcore.kernels.matrices import DenseKernel, SparseKernel

from ..strategies import graphs
from . import oracles

SEEDS = st.integers(0, 2**32 - 1)


def random_problem(seed, definite=True):
    """A kernel matrix, weights (some 0), labels of k clusters, k."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(2, 11)), int(rng.integers(1, 5))
    B = rng.standard_normal((n, 3))
    K = B @ B.T if definite else (B @ B.T) * rng.choice([-1.0, 1.0])
    if not definite:
        np.fill_diagonal(K, np.abs(np.diag(K)))
    K[np.abs(K) < rng.choice([0.0, 0.5])] = 0.0
    weights = rng.random(n) * rng.choice([0.0, 1.0], n, p=[0.2, 0.8])
    weights[rng.integers(n)] = 1.0
    return K, weights, rng.integers(0, k, n).astype(np.int32), k


def lloyd(kernel, labels, weights, k, *, shift=0.0, **options):
    return alternate(KernelCentroids(kernel, weights, shift), labels, k, **options)


def check_step(kernel, K, weights, labels, k, shift, n_jobs=None):
    look = KernelCentroids(kernel, weights, shift, n_jobs).look(labels, k)
    step = look.fitted
    D = oracles.distances(K, labels, weights, k, shift)
    scale = 1e-11 * (1 + np.abs(K).max() + shift / weights[weights > 0].min() + (K.max() if K.size else 0))
    np.testing.assert_allclose(step.masses, [weights[labels == j].sum() for j in range(k)], atol=1e-12)
    out, placed = labels < 0, np.flatnonzero(labels >= 0)
    assert (look.labels[out] == -1).all() and not look.own[out].any()
    least, close = D[placed].min(axis=1), {"rtol": 0, "atol": scale}
    np.testing.assert_allclose(step.distances[placed], least, **close)
    np.testing.assert_allclose(D[placed, look.labels[placed]], least, **close)
    held = placed[step.masses[labels[placed]] > 0]
    np.testing.assert_allclose(look.own[held], D[held, labels[held]], **close)
    return step


@given(SEEDS, st.sampled_from([0.0, 0.7]), st.booleans())
def test_a_step_on_dense_and_sparse_matrices(seed, shift, definite):
    K, weights, labels, k = random_problem(seed, definite)
    dense = check_step(DenseKernel(K), K, weights, labels, k, shift)
    sparse = check_step(SparseKernel(sp.csr_array(K)), K, weights, labels, k, shift)
    np.testing.assert_allclose(dense.norms, sparse.norms)


@given(graphs(), st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1.0]), SEEDS)
def test_a_step_on_a_graph(pair, self_loop, shift, seed):
    graph, _ = pair
    kernel = GraphKernel(graph, self_loop)
    weights = kernel.point_weights
    assume(weights.any())
    labels = np.random.default_rng(seed).integers(0, 3, graph.n_nodes).astype(np.int32)
    labels[weights == 0] = -1
    check_step(kernel, kernel.block(slice(None), slice(None)), weights, labels, 3, shift, n_jobs=2)


@given(SEEDS, st.sampled_from([0.0, 0.3]))
def test_the_cost_never_rises_for_a_positive_semidefinite_kernel(seed, shift):
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(3, 30)), int(rng.integers(1, 6))
    B = rng.standard_normal((n, 3))
    weights = rng.random(n) + 0.01
    run = lloyd(DenseKernel(B @ B.T), rng.integers(0, k, n), weights, k, shift=shift)
    assert run.n_rises == 0
    assert run.stopped in ("converged", "cycle")
    assert (np.diff(run.history) <= 1e-10 * run.history[0]).all()
    assert run.objective == pytest.approx(oracles.inertia(B @ B.T, run.labels, weights, shift), abs=1e-9)
    if run.stopped == "converged":
        np.testing.assert_array_equal(run.labels, run.look.labels)


def test_an_indefinite_kernel_cycles_and_the_best_partition_is_kept():
    cycled = rises = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        K = rng.standard_normal((12, 12))
        K = K + K.T
        np.fill_diagonal(K, 0.0)
        run = lloyd(DenseKernel(K), rng.integers(0, 2, 12), np.ones(12), 2, max_iter=500)
        assert run.objective == min(run.history)
        assert run.objective == pytest.approx(oracles.inertia(K, run.labels, np.ones(12)))
        assert run.stopped in ("converged", "cycle")
        cycled += run.stopped == "cycle"
        rises += run.n_rises
    # Without detection these would run for ever.
    assert cycled > 5
    assert rises > 5


LINE = np.array([0.0, 1.0, 2.0, 50.0])


@pytest.mark.parametrize("first", [1.0, 1e4])  # weights count: point 0 is much nearer, but weighs more
def test_an_empty_cluster_gets_the_farthest_point(first):
    weights = np.array([first, 1.0, 1.0, 1.0])
    run = lloyd(DenseKernel(np.outer(LINE, LINE)), np.zeros(4), weights, 2, max_iter=2)
    assert run.labels.tolist() == [0, 0, 0, 1]


def fitted(n, k, seed=0):
    rng = np.random.default_rng(seed)
    labels, weights = rng.integers(k, size=n), rng.uniform(0.5, 2, n)
    return centroids.Centroids(labels, weights, np.bincount(labels, weights, k), rng.uniform(0, 0.01, k))


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_rows_by_blocks_against_numpy(limits, kind):
    A = sp.random_array((50, 30), density=0.2, rng=np.random.default_rng(1)).toarray()
    given = labels, weights, masses, norms = fitted(30, 4)
    Z = np.eye(4)[labels] * weights[:, None]
    values = norms - 2 * (A @ Z) / masses
    degrees = np.random.default_rng(2).uniform(0.3, 3, 30)
    own = A.sum(axis=1)
    scale = np.divide(1, own, out=np.zeros(50), where=own > 0)
    values_of_graph = norms - 2 * (A @ (Z / degrees[:, None])) * scale[:, None] / masses
    for block_bytes in (1, 8 * 4 * 7, 1 << 26):
        limits(centroids, _BLOCK_BYTES=block_bytes)
        for rows, expected in ((kind(A), values), (rows_of_nodes(kind(A), own, degrees), values_of_graph)):
            found, least = centroids.nearest_centroid(matrix_columns(rows, np.dtype(float)), given)
            np.testing.assert_array_equal(found, expected.argmin(axis=1))
            np.testing.assert_allclose(least, expected.min(axis=1), rtol=1e-12, atol=1e-15)
