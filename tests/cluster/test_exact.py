"""Exact eigenvectors: LAPACK's of few nodes, ARPACK's of more, both against numpy's."""

from unittest import mock

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackNoConvergence

from graphcore import InputError
from graphcore.cluster import spectral as exact
from graphcore.cluster.spectral import spectral_embedding

from ..oracles import EXAMPLES, cliques, example_adjacencies, random_adjacency
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


@pytest.mark.parametrize("n", [40, 101])
def test_other_degrees_than_row_sums(limits, n):
    """Both ways of solving, against numpy; some degrees far below the row sums, so that eigenvalues exceed 1."""
    limits(exact, _DENSE_NODES=100)
    rng = np.random.default_rng(0)
    A = random_adjacency(n, 0.2, rng, weighted=True)
    degrees = A.sum(axis=1) * rng.uniform(0.1, 1.0, n)
    vectors, values = spectral_embedding(sp.csr_array(A), 5, degrees=degrees, random_state=0)
    dense = A / np.sqrt(np.outer(degrees, degrees))
    expected = np.linalg.eigvalsh(dense)[::-1][:5]
    assert expected[0] > 1
    np.testing.assert_allclose(values, expected, atol=1e-9)
    np.testing.assert_allclose(dense @ vectors, vectors * values, atol=1e-6)


BARABASI = nx.to_numpy_array(nx.barabasi_albert_graph(110, 4, seed=1))
LARGE = {
    "barabasi-albert": BARABASI,
    **{f"beside {n} loops": sp.block_diag([BARABASI, np.eye(n)]).toarray() for n in (5, 60)},
    "weighted with isolated nodes": random_adjacency(150, 0.1, np.random.default_rng(3), weighted=True, isolated=30),
    "20 components": nx.to_numpy_array(
        nx.disjoint_union_all([nx.gnp_random_graph(6 + i % 3, 0.8, seed=i) for i in range(20)])
    ),
    "60 equal cliques": cliques([3] * 60, loops=False),
}


@pytest.mark.parametrize("k", [20, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 45))])
@pytest.mark.parametrize("name", sorted(LARGE))
def test_large_graphs(limits, name, k):
    # ARPACK alone misses copies of the eigenvalue 1 of a graph with many components.
    A = LARGE[name]
    limits(exact, _DENSE_NODES=100)
    with mock.patch.object(np.linalg, "eigh", None):
        found = spectral_embedding(sp.csr_array(A), k, random_state=0)
    check(A, *found, k)


@pytest.mark.parametrize("alone", [0, 60])
def test_more_components_than_eigenvectors_give_the_largest_components(alone):
    # Many are nodes with nothing but a loop, as in coresets of 1 %: any vectors of that many would do.
    sizes = [4, 10, 12, *[1] * alone, 11]
    A, groups = cliques(sizes, loops=alone > 0), np.repeat(np.arange(len(sizes)), sizes)
    vectors, values = spectral_embedding(sp.csr_array(A), 3, random_state=0)
    assert np.array_equal(values, np.ones(3))
    check(A, vectors, values, 3)
    for column, group in enumerate((2, len(sizes) - 1, 1)):
        assert np.array_equal(np.flatnonzero(vectors[:, column]), np.flatnonzero(groups == group))


@pytest.mark.parametrize("seed", range(5))
def test_rows_of_components_without_a_part_in_any_vector_are_zero(seed):
    rng = np.random.default_rng(seed)
    sizes = [12, 11, 10, 4, 3]
    A, groups = cliques(sizes, loops=False), np.repeat(np.arange(len(sizes)), sizes)
    # By these degrees the eigenvalues of the first two components are the largest.
    degrees = A.sum(axis=1) * np.array([1.0, 1.1, 3.0, 3.1, 3.2])[groups] * rng.uniform(1.0, 1.01, len(A))
    vectors, _ = spectral_embedding(sp.csr_array(A), 2, degrees=degrees)
    assert np.array_equal(np.flatnonzero(vectors.any(axis=1)), np.flatnonzero(groups < 2))
    assert not vectors[groups == 0, 1].any() and not vectors[groups == 1, 0].any()


def test_without_convergence(limits):
    def fails(*args, **options):
        raise ArpackNoConvergence("no convergence", np.empty(0), np.empty((0, 0)))

    A = sp.csr_array(BARABASI)
    expected = spectral_embedding(A, 4, random_state=0)
    limits(exact, _DENSE_NODES=100)
    limits("scipy.sparse.linalg", eigsh=fails)
    check(A.toarray(), *spectral_embedding(A, 4, random_state=0), 4)
    np.testing.assert_allclose(spectral_embedding(A, 4)[1], expected[1], atol=1e-9)
    limits(exact, _MAX_DENSE_NODES=109)
    with pytest.raises(InputError, match=r"110 nodes did not converge .* eigen_solver='power'"):
        spectral_embedding(A, 4)
