"""The normalised-cut kernel against its dense twin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.kernels.graph import GraphKernel

from ..oracles import dense_kernel, example, quick
from ..strategies import graphs


@st.composite
def kernels(draw):
    """(kernel, K, w, rng, some points) of a random graph with isolated nodes, loops and perhaps weights."""
    graph, A = draw(graphs())
    self_loop = draw(st.sampled_from([0.0, 0.5, 1.0, 2.0]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    points = np.sort(rng.permutation(len(A))[: rng.integers(1, len(A) + 1)])
    shift = draw(st.sampled_from([0.0, 0.0, 0.5, 1.0]))
    return GraphKernel(graph, self_loop, shift), *dense_kernel(A, self_loop, shift), rng, points


@quick
@given(kernels())
def test_the_kernel_its_rows_and_submatrices_are_those_of_the_dense_kernel(case):
    kernel, K, w, rng, points = case
    np.testing.assert_allclose(kernel.block(slice(None), slice(None)), K, rtol=1e-13, atol=0)
    np.testing.assert_allclose(kernel.diagonal, np.diag(K), rtol=1e-13, atol=0)
    np.testing.assert_allclose(kernel.point_weights, w, rtol=1e-13, atol=0)
    np.testing.assert_allclose(kernel.sparse_rows(points).toarray(), K[points], rtol=1e-13, atol=0)
    np.testing.assert_allclose(np.column_stack([kernel.column(point) for point in points]), K[:, points], rtol=1e-13)
    np.testing.assert_allclose(kernel.product(np.column_stack([w, w**2])), K @ np.column_stack([w, w**2]), rtol=1e-12)
    weights = rng.random(len(points)) + 0.1
    matrix = kernel.weighted_submatrix(points, weights)
    dense = matrix.toarray()
    np.testing.assert_allclose(dense, weights[:, None] * K[np.ix_(points, points)] * weights, rtol=1e-12, atol=0)
    assert np.array_equal(dense, dense.T)
    for i in range(len(points)):
        assert (np.diff(matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]]) > 0).all()
    small = kernel.submatrix(points, weights)
    np.testing.assert_allclose(small.block(slice(None), slice(None)), K[np.ix_(points, points)], rtol=1e-12, atol=0)
    np.testing.assert_allclose(small.diagonal, np.diag(K)[points], rtol=1e-12, atol=0)
    assert np.array_equal(small.point_weights, weights)
    weighted = np.sqrt(weights)[:, None] * K[np.ix_(points, points)] * np.sqrt(weights)
    assert np.linalg.eigvalsh(weighted).min(initial=0) >= -small.definite_shift(weights) * (1 + 1e-9)
    again = np.flatnonzero(rng.random(len(points)) < 0.7)
    if len(again):
        smaller = small.submatrix(again, weights[again])
        np.testing.assert_allclose(
            smaller.block(slice(None), slice(None)), K[np.ix_(points[again], points[again])], rtol=1e-12, atol=0
        )


@pytest.mark.slow
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_mapped_read_only_graph(dtype, tmp_path):
    source, A = example("weighted self-loops")
    for name, array in (("indptr", source.indptr), ("indices", source.indices), ("weights", source.weights)):
        np.save(tmp_path / name, array.astype(dtype) if name == "weights" else array)
    mapped = {name: np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("indptr", "indices", "weights")}
    graph = Graph(**mapped)
    assert np.shares_memory(graph.indices, mapped["indices"])
    kernel = GraphKernel(graph, 1.0)
    assert np.shares_memory(kernel.values, mapped["weights"])
    assert np.shares_memory(kernel.indices, mapped["indices"])
    assert not any(array.flags.writeable for array in (kernel.degrees, kernel.point_weights, kernel.diagonal))
    K, _ = dense_kernel(A.astype(dtype), 1.0)
    points = np.arange(0, len(A), 2)
    matrix = kernel.weighted_submatrix(points, np.ones(len(points)), n_jobs=2)
    np.testing.assert_allclose(matrix.toarray(), K[np.ix_(points, points)], rtol=1e-6 if dtype == np.float32 else 1e-13)
