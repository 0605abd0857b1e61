"""Exact eigenvectors: LAPACK's below 400 nodes, ARPACK's above, both against numpy's."""

from unittest import mock

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence
from sklearn.metrics import adjusted_rand_score

from graphcore import InputError
from graphcore.cluster import spectral as exact
from graphcore.cluster.spectral import bethe_hessian_embedding, kmeans_labels, spectral_embedding
from graphcore.datasets import degree_corrected_partition

from ...depth import seeds
from ...oracles import EXAMPLES, cliques, example_adjacencies, planted, random_adjacency
from .test_power import dense_normalized, eigen


def check(A, vectors, values, k):
    expected, basis = eigen(A)
    k = min(k, len(A))
    found = min(k, len(expected))
    assert vectors.shape == (len(A), k)
    assert values.shape == (k,)
    np.testing.assert_allclose(values[:found], expected[:found], atol=1e-9)
    inner = vectors[:, :found]
    np.testing.assert_allclose(inner.T @ inner, np.eye(found), atol=1e-8)
    np.testing.assert_allclose(dense_normalized(A) @ inner, inner * values[:found], atol=1e-6)
    assert not vectors[A.sum(axis=1) == 0].any()
    assert not vectors[:, found:].any()
    assert not values[found:].any()
    # The subspaces agree wherever a gap determines them.
    for j in range(1, found):
        if expected[j - 1] - expected[j] > 1e-3:
            cosines = np.linalg.svd(basis[:, :j].T @ inner[:, :j], compute_uv=False)
            assert cosines.min() > 1 - 1e-8


@pytest.mark.parametrize("k", [1, 3, 8, 100])
@pytest.mark.parametrize("name", EXAMPLES)
def test_small_graphs(name, k):
    A = example_adjacencies()[name]
    check(A, *spectral_embedding(sp.csr_array(A), k, random_state=0), k)


@pytest.mark.parametrize("n", [40, 420])
def test_other_degrees_than_row_sums(n):
    """Both ways of solving, against numpy; some degrees far below the row sums, so that eigenvalues exceed 1."""
    rng = np.random.default_rng(0)
    A = random_adjacency(n, 0.2, rng, weighted=True)
    degrees = A.sum(axis=1) * rng.uniform(0.1, 1.0, n)
    vectors, values = spectral_embedding(sp.csr_array(A), 5, degrees=degrees, random_state=0)
    dense = A / np.sqrt(np.outer(degrees, degrees))
    expected = np.linalg.eigvalsh(dense)[::-1][:5]
    assert expected[0] > 1
    np.testing.assert_allclose(values, expected, atol=1e-9)
    np.testing.assert_allclose(dense @ vectors, vectors * values, atol=1e-6)


def large_graphs():
    rng = np.random.default_rng(3)
    isolated = random_adjacency(520, 0.05, rng, weighted=True, isolated=40)
    return {
        "barabasi-albert": nx.to_numpy_array(nx.barabasi_albert_graph(500, 4, seed=1)),
        "weighted with isolated nodes": isolated,
        "20 components": nx.to_numpy_array(
            nx.disjoint_union_all([nx.gnp_random_graph(25 + i % 3, 0.4, seed=i) for i in range(20)])
        ),
        "60 equal cliques": cliques([8] * 60, loops=False),
    }


LARGE = large_graphs()


@pytest.mark.parametrize("seed", seeds(3, quick=1))
@pytest.mark.parametrize("k", [2, 20, 45])
@pytest.mark.parametrize("name", sorted(LARGE))
def test_large_graphs(name, k, seed):
    # ARPACK alone misses copies of the eigenvalue 1 of a graph with many components.
    A = LARGE[name]
    assert len(A) > exact._DENSE_NODES
    with mock.patch.object(np.linalg, "eigh", None):
        found = spectral_embedding(sp.csr_array(A), k, random_state=seed)
    check(A, *found, k)


def test_deterministic_by_random_state():
    A = sp.csr_array(LARGE["20 components"])
    one, same = (spectral_embedding(A, 20, random_state=4)[0] for _ in range(2))
    assert np.array_equal(one, same)


def test_no_edges():
    vectors, values = spectral_embedding(sp.csr_array((5, 5)), 2)
    assert vectors.shape == (5, 2)
    assert not vectors.any()
    assert not values.any()


def test_more_components_than_eigenvectors_give_the_largest_components():
    # Mostly nodes with nothing but a loop, as coresets of 1 % are: any vectors of that many would do.
    sizes = [30, 1, 20, *[1] * 450, 25]
    A = cliques(sizes)
    vectors, values = spectral_embedding(sp.csr_array(A), 3, random_state=0)
    check(A, vectors, values, 3)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    for column, group in enumerate((0, len(sizes) - 1, 2)):
        assert np.array_equal(np.flatnonzero(vectors[:, column]), np.flatnonzero(groups == group))


@pytest.mark.parametrize("n_loops", [5, 400])
def test_eigenvectors_beside_those_of_the_components(n_loops):
    A = np.zeros((500 + n_loops,) * 2)
    A[:500, :500] = LARGE["barabasi-albert"]
    A[range(500, 500 + n_loops), range(500, 500 + n_loops)] = 1.0
    check(A, *spectral_embedding(sp.csr_array(A), 12, random_state=0), 12)


def test_without_convergence(limits):
    def fails(*args, **options):
        raise ArpackNoConvergence("no convergence", np.empty(0), np.empty((0, 0)))

    A = sp.csr_array(LARGE["barabasi-albert"])
    expected = spectral_embedding(A, 4, random_state=0)
    limits("scipy.sparse.linalg", eigsh=fails)
    check(A.toarray(), *spectral_embedding(A, 4, random_state=0), 4)
    np.testing.assert_allclose(spectral_embedding(A, 4)[1], expected[1], atol=1e-9)
    limits(exact, _MAX_DENSE_NODES=499)
    with pytest.raises(InputError, match=r"500 nodes did not converge .* eigen_solver='power'"):
        spectral_embedding(A, 4)


# -- the Bethe Hessian -----------------------------------------------------------------------------------------------


def smallest_of_the_bethe_hessian(A, k):
    A = A / A[A > 0].mean()
    d = A.sum(axis=1)
    square = max(1.0, (d**2).sum() / d.sum() - 1)
    vectors = np.linalg.eigh((square - 1) * np.eye(len(A)) - np.sqrt(square) * A + np.diag(d))[1][:, :k]
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_space_is_that_of_the_smallest_eigenvalues(weighted, limits):
    limits(exact, _TOLERANCE=1e-10)
    A = planted(4, 40, 0.3, 0.02, 0)[0].to_scipy().toarray()
    if weighted:
        A = A * random_adjacency(len(A), 1.0, np.random.default_rng(1), weighted=True)
    found, expected = bethe_hessian_embedding(sp.csr_array(A), 4, random_state=0), smallest_of_the_bethe_hessian(A, 4)
    # Inner products of the rows do not depend on the basis.
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-6)
    again = bethe_hessian_embedding(sp.csr_array(A * 2.0**-40), 4, random_state=0)
    np.testing.assert_array_equal(found, again)


def test_clusters_at_twice_the_threshold_are_seen():
    # Degree 8 and mixing 1 - (2 / 8)^(1/2): eigenvectors of the Laplacian are those of loose ends here.
    graph, truth = degree_corrected_partition(2, 1000, mixing=0.5, expected_degrees=np.full(2000, 8.0), random_state=0)[
        :2
    ]
    labels = kmeans_labels(bethe_hessian_embedding(graph.to_scipy(), 2, random_state=0), 2, random_state=0)
    assert adjusted_rand_score(truth, labels) > 0.35


def test_none_where_lanczos_iterations_end_too_early(limits):
    limits(exact, _MAX_RESTARTS=1, _TOLERANCE=1e-14)
    path = sp.diags_array([np.ones(499), np.ones(499)], offsets=[-1, 1]).tocsr()
    assert bethe_hessian_embedding(path, 3, random_state=0) is None


def test_no_space_where_the_matrix_is_zero():
    assert bethe_hessian_embedding(sp.eye_array(6, format="csr"), 2, random_state=0) is None
