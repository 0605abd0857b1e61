"""kernel_kmeans: starts, identities, shifts, brute force, bad input."""

import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from graphcore import (
    CoresetKernelKMeans,
    GaussianSketchFeatures,
    Graph,
    GraphWarning,
    InputError,
    KernelKMeans,
    NystromFeatures,
)
from graphcore.kernel_methods.coreset_kernel_kmeans import coreset_kernel_kmeans
from graphcore.kernel_methods.kernel_kmeans import kernel_kmeans, semidefinite_shift
from graphcore.kernels.checks import smallest_sampled_eigenvalue
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.graph import GraphKernel
from graphcore.kernels.matrices import DenseKernel, SparseKernel
from graphcore.kernels.vectors import VectorKernel
from graphcore.metrics import kernel_kmeans_cost

from ..nystrom_oracles import of_spectrum
from ..oracles import partitions
from ..strategies import graphs
from . import oracles

SEEDS = st.integers(0, 2**32 - 1)


# -- identities --------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")
@given(graphs(), SEEDS, st.sampled_from([0.0, 1.0, 2.5]), st.sampled_from([0.0, 1.0]))
def test_the_cost_on_a_graph_is_its_normalised_cut(pair, seed, shift, self_loop):
    graph, _ = pair
    assume(graph.n_isolated < graph.n_nodes)
    kernel = GraphKernel(graph, self_loop)
    k = min(3, graph.n_nodes - graph.n_isolated)
    result = kernel_kmeans(kernel, k, init="random", n_init=2, shift=shift, random_state=seed)
    n = graph.n_nodes - graph.n_isolated
    degrees = kernel.point_weights
    found = np.unique(result.labels[result.labels >= 0])
    assert min(result.run.history) == pytest.approx(result.inertia + shift * (n - len(found)), abs=1e-9)
    assert result.inertia == pytest.approx(kernel_kmeans_cost(graph, result.labels, self_loop=self_loop), abs=1e-9)
    assert result.cost == pytest.approx(result.inertia / degrees.sum(), abs=1e-9)
    if shift >= 1:
        assert result.run.n_rises == 0


@given(SEEDS)
def test_no_partition_beats_the_optimum_and_the_optimum_stays(seed):
    rng = np.random.default_rng(seed)
    B, weights = rng.standard_normal((7, 2)), rng.random(7) + 0.1
    K = B @ B.T
    costs = {tuple(labels): oracles.inertia(K, labels, weights) for labels in partitions(7, 2)}
    best = min(costs, key=costs.get)
    result = kernel_kmeans(K, 2, weights=weights, n_init=5, random_state=seed)
    assert result.inertia >= costs[best] - 1e-9
    assert result.cost == result.costs_of_initialisations.min()
    assert kernel_kmeans(K, 2, weights=weights, init=best).inertia == pytest.approx(costs[best], abs=1e-9)


# -- starts ------------------------------------------------------------------------------------------------------------


def test_fewer_different_points_than_clusters():
    x = np.array([0.0, 4.0, 4.0, 0.0, 9.0])
    for dtype in (np.float64, np.float32):
        for start in ("k-means++", "random"):
            with pytest.warns(GraphWarning, match=r"only 3 of n_clusters=5 clusters .*no more different points"):
                result = kernel_kmeans(np.outer(x, x).astype(dtype), 5, init=start, random_state=0)
            assert len(set(result.labels.tolist())) == 3
            assert result.cost == pytest.approx(0.0, abs=1e-6)


# -- kernels that are not positive semi-definite -----------------------------------------------------------------------


def indefinite(n=40, seed=0):
    rng = np.random.default_rng(seed)
    K = rng.standard_normal((n, n))
    K = K + K.T
    np.fill_diagonal(K, 0.1)
    return K


@pytest.mark.filterwarnings("error::graphcore.GraphWarning")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_shift_that_makes_a_kernel_definite(weighted, sparse):
    K = indefinite()
    weights = np.random.default_rng(1).random(40) + 0.1 if weighted else np.ones(40)
    kernel = SparseKernel(sp.csr_array(K)) if sparse else DenseKernel(K)
    shift = semidefinite_shift(kernel, weights)
    eigenvalues = np.linalg.eigvalsh(np.sqrt(weights)[:, None] * K * np.sqrt(weights) + shift * np.eye(40))
    assert 0 <= eigenvalues[0] < 1e-8 * eigenvalues[-1]
    result = kernel_kmeans(kernel, 4, weights=weights, shift="psd", random_state=0)
    assert result.shift == pytest.approx(shift)
    assert result.run.n_rises == 0
    assert (np.diff(result.run.history) <= 1e-9 * np.abs(result.run.history[0])).all()


def test_the_shift_by_lanczos(limits):
    limits("graphcore.kernels.checks", DENSE_POINTS=10)
    singular = DenseKernel(kernel_function("gaussian", bandwidth=3.0)(np.random.default_rng(0).normal(size=(100, 2))))
    assert semidefinite_shift(singular, np.ones(100)) < 1e-7
    kernel = DenseKernel(of_spectrum(np.append(-3.0, np.linspace(-0.5, 10, 149))))
    assert semidefinite_shift(kernel, np.ones(150)) == pytest.approx(3.0, rel=1e-3)
    assert semidefinite_shift(kernel, np.ones(150)) >= 3.0 - 1e-6
    assert semidefinite_shift(DenseKernel(of_spectrum(np.linspace(0.1, 1, 150))), np.ones(150)) == 0.0


def test_an_indefinite_kernel_is_warned_about_and_a_definite_one_is_not():
    X = np.random.default_rng(0).standard_normal((60, 2))
    for K in (indefinite(), indefinite(700), VectorKernel(X, kernel_function("sigmoid", coef0=0.0))):
        with pytest.warns(GraphWarning, match=r"not positive semi-definite.*shift='psd'"):
            kernel_kmeans(K, 3, n_init=1, random_state=0)
    with warnings.catch_warnings(action="error", category=GraphWarning):
        kernel_kmeans(X @ X.T, 3, random_state=0)
    assert smallest_sampled_eigenvalue(DenseKernel(np.zeros((3, 3)))) == 0.0


# -- bad input ---------------------------------------------------------------------------------------------------------

EYE = np.eye(4)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kernel_kmeans(-EYE, 2, shift="psd"), "negative diagonal.* where shift= is given: add 1 times"),
        (lambda: kernel_kmeans(EYE, 2, weights=[1, 0, 0, 0]), "n_clusters=2 must be at most 1"),
        (lambda: kernel_kmeans(Graph.from_edges([0], [1]), 2, weights=[1.0, 1.0]), "weighted by their degrees"),
        (lambda: kernel_kmeans(Graph(np.zeros(3, dtype=int), np.zeros(0, dtype=int)), 2), "no node has an edge"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(InputError, match=words):
        call()


# -- rounding, and negative eigenvalues --------------------------------------------------------------------------------


FORMS = pytest.mark.parametrize("form", [np.asarray, sp.csr_array])


@pytest.mark.filterwarnings("error::graphcore.GraphWarning")
@FORMS
@pytest.mark.parametrize(
    ("n", "d"),
    [(100, 30), (300, 100), *(pytest.param(*case, marks=pytest.mark.slow) for case in ((200, 50), (1000, 200)))],
)
def test_rounding_of_float32_is_no_negative_eigenvalue(form, n, d):
    # Inner products of fewer dimensions than points: half of the eigenvalues are 0 and rounding.
    X = np.random.default_rng(0).standard_normal((n, d)).astype(np.float32)
    K = form(X @ X.T)
    assert kernel_kmeans(K, 3, n_init=1, random_state=0).shift == 0.0
    KernelKMeans(3, kernel="precomputed", n_init=1, random_state=0).fit(K)
    coreset_kernel_kmeans(K, 3, size=n // 2, sampling="uniform", n_init=1, random_state=0)
    GaussianSketchFeatures(5, kernel="precomputed", n_subsample=n, random_state=0).fit(K)
    NystromFeatures(n_landmarks=n, n_components=20, kernel="precomputed", random_state=0).fit(K)


@FORMS
@pytest.mark.parametrize(("dtype", "share"), [(np.float64, 1e-6), (np.float32, 1e-4)])
def test_negative_eigenvalues_beyond_rounding_are_found(form, dtype, share):
    K = form(of_spectrum(np.append(-share, np.linspace(0.1, 1, 99))).astype(dtype))  # -share of the largest
    with pytest.warns(GraphWarning, match="not positive semi-definite"):
        kernel_kmeans(K, 3, n_init=1, random_state=0)
    for model in (GaussianSketchFeatures(5, n_subsample=100), NystromFeatures(n_landmarks=100, n_components=20)):
        with pytest.raises(InputError, match="not positive semi-definite"):
            model.set_params(kernel="precomputed", random_state=0).fit(K)


# -- zero diagonals ----------------------------------------------------------------------------------------------------

# An adjacency matrix as a precomputed kernel: every squared distance is 0 or negative.
CAVES = nx.to_numpy_array(nx.connected_caveman_graph(5, 8))
TRUTH = np.repeat(np.arange(5), 8)


@FORMS
@pytest.mark.parametrize("init", ["k-means++", "random"])
@pytest.mark.parametrize("diagonal", [0.0, 0.1])
def test_an_adjacency_matrix_is_clustered(form, init, diagonal):
    K = form(CAVES + diagonal * np.eye(40))
    with pytest.warns(GraphWarning, match="not positive semi-definite") as said:
        result = kernel_kmeans(K, 5, init=init, random_state=0)
    assert not [warning for warning in said if "clusters hold points" in str(warning.message)]
    assert len(result.costs_of_initialisations) == 10
    assert adjusted_rand_score(TRUTH, result.labels) == 1.0
    assert result.shift == 0.0


def test_a_coreset_of_a_matrix_without_a_diagonal():
    model = CoresetKernelKMeans(5, kernel="precomputed", coreset_size=30, random_state=0)
    with pytest.raises(InputError, match=r"diagonal is zero.*multiple of the identity.*sampling='uniform'"):
        model.fit(CAVES)
    with pytest.raises(InputError, match="diagonal is zero"):
        model.set_params(n_clusters=1).fit(CAVES)
    with pytest.raises(InputError, match=r"stopped at \d centres for n_clusters=20: the kernel is not positive"):
        model.set_params(n_clusters=20).fit(CAVES + 0.1 * np.eye(40))
    for remedy, K in (("uniform", CAVES), ("importance", CAVES + np.eye(40))):
        with pytest.warns(GraphWarning, match="not positive semi-definite"):
            model.set_params(n_clusters=5, sampling=remedy).fit(K)
        assert adjusted_rand_score(TRUTH, model.labels_) == 1.0
