"""R-MAT graphs against a slow twin, and the quadrants' probabilities."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore import Graph, InputError
from graphcore.base.streams import Streams
from graphcore.datasets import rmat

QUADRANTS = {
    "default": {},
    "uneven": {"a": 0.1, "b": 0.2, "c": 0.3, "d": 0.4},
    "even": {"a": 0.25, "b": 0.25, "c": 0.25, "d": 0.25},
    "no corner": {"a": 0.5, "b": 0.25, "c": 0.25, "d": 0.0},
}


def drawn_ends(scale, n_edges, seed, a=0.57, b=0.19, c=0.19, d=0.05):
    """The same edges from the same draws, with numpy."""
    del d
    u = Streams(seed).child("rmat").generator("edges", 0).random((n_edges, scale))
    quadrant = np.searchsorted(np.cumsum([a, b, c]), u, side="right")
    powers = 2 ** np.arange(scale)[::-1]
    return (quadrant // 2) @ powers, (quadrant % 2) @ powers


@given(
    scale=st.integers(1, 7),
    n_edges=st.integers(1, 300),
    quadrants=st.sampled_from(sorted(QUADRANTS)),
    seed=st.integers(0, 2**32 - 1),
)
def test_same_graph_as_the_slow_twin(scale, n_edges, quadrants, seed):
    options = QUADRANTS[quadrants]
    sources, targets = drawn_ends(scale, n_edges, seed, **options)
    A = np.zeros((2**scale, 2**scale))
    A[sources, targets] = A[targets, sources] = 1
    np.fill_diagonal(A, 0)
    assume(A.any())
    graph = rmat(scale, n_edges, random_state=seed, drop_isolated=False, **options)
    np.testing.assert_array_equal(graph.to_scipy().toarray(), A)
    present = A.any(axis=0)
    graph = rmat(scale, n_edges, random_state=seed, **options)
    np.testing.assert_array_equal(graph.to_scipy().toarray(), A[np.ix_(present, present)])


def test_rows_are_canonical_and_degrees_uneven():
    for drop_isolated in (True, False):
        graph = rmat(12, 30_000, random_state=0, drop_isolated=drop_isolated)
        Graph(graph.indptr, graph.indices)  # checks order, range and symmetry
        assert (graph.indices.dtype, graph.indptr.dtype) == (np.int32, np.int64)
        assert not graph.is_weighted
        assert graph.n_self_loops == 0
        assert (graph.n_isolated == 0) == drop_isolated
        assert 20_000 < graph.n_edges < 30_000
    graph = rmat(14, 200_000, random_state=0)
    assert graph.degrees.max() > 30 * graph.degrees.mean()
    assert graph.degrees[: len(graph.degrees) // 10].mean() > 3 * graph.degrees.mean()  # high degrees first
    with pytest.raises(InputError, match="all 5 edges drawn were self-loops"):
        rmat(3, 5, a=0.5, b=0.0, c=0.0, d=0.5, random_state=0)


def test_same_graph_for_any_number_of_threads_and_another_one_for_another_seed():
    one, other = (rmat(9, 1_200_000, random_state=3, n_jobs=n_jobs) for n_jobs in (None, 3))
    np.testing.assert_array_equal(other.indptr, one.indptr)
    np.testing.assert_array_equal(other.indices, one.indices)
    assert not np.array_equal(rmat(8, 500, random_state=1).indices, rmat(8, 500, random_state=2).indices)
    graph = rmat(20, 1 << 21, a=0.25, b=0.25, c=0.25, d=0.25, random_state=0, drop_isolated=False)
    # Of 2**39 pairs hardly any is drawn twice; equal streams would halve the number of edges.
    assert graph.n_edges > (1 << 21) - 50
