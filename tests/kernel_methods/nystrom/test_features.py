"""Nystrom features from vectors, matrices and graphs: every scheme, streamed, in float32, on memory-mapped integers."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from graphcore import Graph, GraphWarning, InputError
from graphcore.kernel_methods import nystrom as module
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.graph import GraphKernel
from graphcore.kernels.matrices import SparseKernel
from graphcore.kernels.vectors import VectorKernel

from ...nystrom_oracles import best_of_rank, blobs, counting_kernel, gaussian_matrix, of_spectrum

pytestmark = pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")

X, _ = blobs(200, seed=1)
K = gaussian_matrix(X)
KERNEL = kernel_function("gaussian", X=X)


@pytest.mark.parametrize("sampling", module.SAMPLINGS)
def test_every_scheme_from_vectors_and_from_a_matrix(sampling):
    of_vectors = module.nystrom_features(VectorKernel(X, KERNEL), 80, 10, sampling=sampling, random_state=3)
    of_matrix = module.nystrom_features(K, 80, 10, sampling=sampling, random_state=3)
    B = of_vectors.features
    np.testing.assert_allclose(B @ B.T, of_matrix.features @ of_matrix.features.T, atol=1e-8)
    # Not above the kernel, not better than the best of its rank, and not much worse.
    E = K - B @ B.T
    assert np.linalg.eigvalsh(E)[0] > -1e-10
    best = np.trace(K - best_of_rank(K, 10))
    assert best * (1 - 1e-10) <= of_vectors.alpha <= 1.1 * best
    assert of_vectors.alpha == pytest.approx(np.trace(E), rel=1e-10)
    assert of_vectors.trace == pytest.approx(200)
    assert (of_vectors.residuals >= 0).all()
    # The map takes training points to their features, and survives being stored.
    stored = pickle.loads(pickle.dumps(of_vectors.feature_map))
    np.testing.assert_allclose(stored(X), B, atol=1e-10)
    np.testing.assert_allclose(of_matrix.feature_map(K), of_matrix.features, atol=1e-10)
    # A new point: its features are what the formula says.
    new = X[:3] + 0.1
    rows = np.exp(-KERNEL.gamma * ((new[:, None] - X) ** 2).sum(axis=2))
    rotation = np.linalg.lstsq(of_matrix.features, B, rcond=None)[0]
    np.testing.assert_allclose(stored(new), of_matrix.feature_map(rows) @ rotation, atol=1e-8)
    # Equal seeds give equal draws.
    again = module.nystrom_features(K, 80, 10, sampling=sampling, random_state=3)
    np.testing.assert_array_equal(again.features, of_matrix.features)


def test_half_truncation_is_raised_to_the_number_of_features():
    found = module.nystrom_features(K, 30, 20, truncation="half", random_state=0)
    assert found.n_components == len(found.singular_values) == 20
    assert len(module.nystrom_features(K, 31, 5, truncation="half", random_state=0).singular_values) == 16


@pytest.mark.parametrize("name", module.PROJECTIONS)
def test_projections_are_isotropic(name):
    n, c = 13, 8
    total = np.zeros((n, n))
    for seed in range(300):
        P = module.projection_matrix(name, n, c, random_state=seed)
        assert P.shape == (n, c)
        total += P @ P.T
    # E[P P^T] = I; entries have a standard error of about 1 / sqrt(8 * 300) = 0.02: 6 of them.
    np.testing.assert_allclose(total / 300, np.eye(n), atol=0.13)


def test_streaming_evaluates_no_more_than_the_landmark_columns(limits):
    counting, evaluated = counting_kernel()
    module.nystrom_features(VectorKernel(X, kernel_function(counting)), 20, 5, random_state=0)
    assert sum(evaluated) <= 200 * 20 + 20 * 20
    evaluated.clear()
    limits("graphcore.kernel_methods.nystrom", _KEEP_BYTES=0)
    module.nystrom_features(VectorKernel(X, kernel_function(counting)), 20, 5, random_state=0)
    assert sum(evaluated) <= 2 * 200 * 20 + 20 * 20


class TestPowerFeatures:
    def test_many_steps_are_kernel_pca(self):
        best = module.kernel_pca_features(K, 10)
        found = module.power_features(K, 10, n_steps=30, random_state=0)
        assert found.alpha == pytest.approx(best.alpha, rel=1e-6)

    def test_orthonormal_steps_keep_precision(self):
        """Eigenvalues over 7 decades: plain powers lose the small ones, orthonormal steps do not."""
        values = 10.0 ** (-np.arange(60) / 8)
        found = module.power_features(of_spectrum(values), 20, n_vectors=30, n_steps=16, random_state=0)
        assert found.alpha / values[20:].sum() == pytest.approx(1.0, abs=1e-4)

    def test_new_points_and_vectors(self):
        found = module.power_features(VectorKernel(X, KERNEL), 6, random_state=0)
        np.testing.assert_allclose(found.feature_map(X), found.features, atol=1e-10)
        sparse = module.power_features(sp.csr_array(K), 6, random_state=0)
        np.testing.assert_allclose(sparse.features, module.power_features(K, 6, random_state=0).features, atol=1e-8)


class TestKernelPCA:
    def test_is_the_best_of_its_rank(self):
        found = module.kernel_pca_features(K, 7)
        np.testing.assert_allclose(found.features @ found.features.T, best_of_rank(K, 7), atol=1e-10)
        np.testing.assert_allclose(found.feature_map(K), found.features, atol=1e-10)

    @pytest.mark.parametrize("most", [30, 1000])
    def test_indefinite_matrices(self, most, limits):
        # One eigenvalue of -3 among larger ones: no diagonal entry gives it away.
        limits("graphcore.kernel_methods.nystrom", _SAMPLE=most)
        A = of_spectrum(np.r_[-3.0, np.linspace(1, 5, 39)])
        for function, options in ((module.kernel_pca_features, {}), (module.power_features, {"n_vectors": 40})):
            with pytest.raises(InputError, match="not positive semi-definite"):
                function(A, 5, random_state=0, **options)
            found = function(A, 5, on_indefinite="warn", random_state=0, **options)
            assert found.n_components == 5
        with pytest.raises(InputError, match="on_indefinite='hide'"):
            module.kernel_pca_features(A, 5, on_indefinite="hide")


class TestBadInput:
    @pytest.mark.filterwarnings("ignore:1 of 3 points")
    def test_indefinite_outside_the_landmarks_shows_in_residuals(self):
        S = np.eye(3)
        S[0, 1] = S[1, 0] = 2.0
        with pytest.raises(InputError, match="longer than K_ii allows"):
            module.nystrom_features(S, 1, sampling=[0])

    def test_zero_rows_are_counted(self):
        S = sp.block_diag([np.ones((3, 3)), np.ones((4, 4)), np.ones((2, 2))]).tocsr()
        with pytest.warns(GraphWarning, match="6 of 9 points have a kernel value of zero with every landmark"):
            found = module.nystrom_features(S, 2, sampling=[0, 1])
        assert found.n_zero_rows == 6
        np.testing.assert_allclose(found.residuals[3:], 1)


def graph_kernel(n):
    """Nodes on a ring, each with its four nearest and one far away, and loops that make it positive definite.

    The first nodes have light edges: the eigenvalues that belong to them lie apart, and are found soon.
    """
    rng = np.random.default_rng(0)
    ring = np.arange(n)
    edges = [(ring, (ring + step) % n) for step in (1, 2)] + [(ring, rng.permutation(n))]
    first, second = (np.concatenate(ends) for ends in zip(*edges, strict=True))
    light = np.minimum(1.0, 0.02 * (1 + np.minimum(first, second)))
    graph = Graph.from_edges(first, second, light)
    return GraphKernel(graph, self_loop=float(graph.degrees.max()))


def nystrom(sampling, **options):
    return lambda kernel: module.nystrom_features(kernel, 60, 8, sampling=sampling, random_state=0, **options)


WAYS = {
    "power": lambda kernel: module.power_features(kernel, 8, random_state=0),
    "kernel PCA": lambda kernel: module.kernel_pca_features(kernel, 8, random_state=0),
    "leverage": nystrom("leverage"),
    "rpcholesky": nystrom("rpcholesky"),
    **{name: nystrom(name) for name in ("uniform", *module.PROJECTIONS)},
}


@pytest.mark.parametrize("way", WAYS)
def test_features_of_a_graph_are_those_of_its_matrix(way):
    kernel = graph_kernel(300)
    K = kernel.whole("a test")
    found, sparse, dense = (WAYS[way](form).features for form in (kernel, SparseKernel(K), K.toarray()))
    for other in (sparse, dense):
        np.testing.assert_allclose(found @ found.T, other @ other.T, atol=1e-7 * np.abs(found).max() ** 2)
