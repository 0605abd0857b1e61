"""Walk rows against powers of the dense lazy walk, cutting against a dense twin, and the factorised kernel."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

from graphcore import Graph, ParameterError
from graphcore.kernels import walk
from graphcore.kernels._walk_loops import walk_rows
from graphcore.kernels.dense import DenseKernel
from graphcore.kernels.walk import WalkKernel
from graphcore.kmeans.coreset import coreset_kernel_kmeans
from graphcore.kmeans.exact import kernel_kmeans

from .. import strategies as own
from ..oracles import EXAMPLES, example, planted, quick, random_adjacency

# Rows are sums of float32 numbers.
TOLERANCE = 2e-6


def lazy_walk(A, laziness):
    degrees = A.sum(axis=1)
    P = np.divide(A, degrees[:, None], out=np.zeros_like(A), where=degrees[:, None] > 0)
    return laziness * np.eye(len(A)) + (1 - laziness) * P


def linked_nodes(A):
    return np.flatnonzero(A.sum(axis=1) > 0)


def loop_rows(graph, points, n_steps, laziness=0.5, cap=None, min_share=0.0):
    """(rows as a dense matrix, kept) straight from the compiled loop, where `min_share` can be 0."""
    cap = graph.n_nodes if cap is None else cap
    columns = np.full((len(points), cap), -1, dtype=np.int32)
    values = np.full((len(points), cap), np.nan, dtype=np.float32)
    lengths, kept = np.empty(len(points), dtype=np.int64), np.empty(len(points), dtype=np.float32)
    arrays, out = (graph.indptr, graph.indices, graph._weights, graph.degrees), (columns, values, lengths, kept)
    points = np.asarray(points, dtype=np.int64)
    walk_rows(arrays, points, 0, len(points), (n_steps, laziness, cap, min_share), out)
    dense = np.zeros((len(points), graph.n_nodes))
    for r, length in enumerate(lengths):
        assert len(set(columns[r, :length])) == length, "a column stands twice"
        dense[r, columns[r, :length]] = values[r, :length]
    return dense, kept.astype(np.float64)


def cut_row(A, point, n_steps, laziness, cap, min_share):
    """Dense twin of one row: (row before rescaling, smallest relative margin of all decisions taken)."""
    degrees, counts = A.sum(axis=1), (A > 0).sum(axis=1)
    row = np.zeros(len(A))
    row[point] = 1.0
    margin = np.inf
    for step in range(n_steps):
        leaving = (1 - laziness) * row
        passed_on = (leaving >= min_share * counts) | (step == 0)
        if step > 0:
            there = row > 0
            margin = (
                min(margin, *np.abs(leaving / (min_share * counts + 1e-300) - 1)[there]) if min_share > 0 else margin
            )
        leaving[~passed_on] = 0.0
        row = row - leaving + np.divide(leaving, degrees, out=np.zeros_like(row), where=degrees > 0) @ A
        order = np.argsort(-row)
        if np.count_nonzero(row) > cap:
            margin = min(margin, row[order[cap - 1]] / row[order[cap]] - 1)
            row[order[cap:]] = 0.0
    return row, margin


@quick
@given(own.graphs(), st.integers(1, 4), st.sampled_from([0.0, 0.5, 0.8, 1.0]))
def test_uncut_rows_are_rows_of_powers_of_the_lazy_walk(pair, n_steps, laziness):
    graph, A = pair
    points = linked_nodes(A)
    rows, kept = loop_rows(graph, points, n_steps, laziness)
    np.testing.assert_allclose(
        rows, np.linalg.matrix_power(lazy_walk(A, laziness), n_steps)[points], atol=TOLERANCE, rtol=0
    )
    np.testing.assert_allclose(kept, 1.0, atol=TOLERANCE)


@quick
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 12), st.sampled_from([0.0, 1e-3, 0.02, 0.1]))
def test_cut_rows_keep_the_largest_entries_of_every_step(seed, n_steps, cap, min_share):
    rng = np.random.default_rng(seed)
    # Weights without order, so that no two entries are equal.
    A = random_adjacency(14, 0.4, rng, weighted=True, loops=0.2, isolated=1)
    graph, points = Graph.from_scipy(A), linked_nodes(A)
    rows, kept = loop_rows(graph, points, n_steps, 0.5, cap, min_share)
    compared = 0
    for r, point in enumerate(points):
        expected, margin = cut_row(A, point, n_steps, 0.5, cap, min_share)
        if margin < 1e-4:  # too close for float32
            continue
        compared += 1
        np.testing.assert_allclose(rows[r], expected / expected.sum(), atol=TOLERANCE)
        assert kept[r] == pytest.approx(expected.sum(), abs=TOLERANCE)
    assume(compared)


@quick
@given(own.graphs(), st.integers(1, 4), st.integers(1, 12))
def test_kept_says_the_mass_lost(pair, n_steps, cap):
    graph, A = pair
    points = linked_nodes(A)
    rows, kept = loop_rows(graph, points, n_steps, 0.5, cap)
    whole = np.linalg.matrix_power(lazy_walk(A, 0.5), n_steps)[points]
    assert ((rows > 0).sum(axis=1) <= cap).all()
    np.testing.assert_allclose(rows.sum(axis=1), 1.0, atol=TOLERANCE)
    assert (kept <= 1 + TOLERANCE).all() and (kept > 0).all()
    before = rows * kept[:, None]
    # Cutting only takes away, so what is missing entry by entry adds up to exactly what was lost.
    assert (before <= whole + TOLERANCE).all()
    np.testing.assert_allclose(np.abs(whole - before).sum(axis=1), 1 - kept, atol=2e-5)
    assert (np.abs(whole - rows).sum(axis=1) <= 2 * (1 - kept) + 2e-5).all()


@quick
@given(own.graphs(weighted=False), st.integers(1, 12))
def test_one_step_cut_among_equals(pair, cap):
    graph, A = pair
    points = linked_nodes(A)
    rows, kept = loop_rows(graph, points, 1, 0.5, cap)
    whole = lazy_walk(A, 0.5)[points]
    for row, full, share in zip(rows, whole, kept, strict=True):
        assert (row > 0).sum() == min(cap, (full > 0).sum())
        largest = np.sort(full)[::-1][:cap]
        np.testing.assert_allclose(np.sort(row)[::-1][:cap] * share, largest, atol=TOLERANCE)


def test_a_light_node_keeps_its_mass():
    # A star: after one step from a leaf the centre has mass 1/2 and 40 edges, so it would send 1/160 along each.
    A = np.zeros((41, 41))
    A[0, 1:] = A[1:, 0] = 1.0
    graph = Graph.from_scipy(A)
    sending, _ = loop_rows(graph, [1], 2, min_share=1 / 161)
    holding, _ = loop_rows(graph, [1], 2, min_share=1 / 159)
    assert (sending > 0).sum() == 41
    np.testing.assert_array_equal(np.flatnonzero(holding), [0, 1])
    assert holding[0, 0] == pytest.approx(0.25 + 0.5) and holding[0, 1] == pytest.approx(0.25)
    # The kernel's threshold is 1 / (20 row_budget), also for a budget above the number of nodes.
    for row_budget, n_reached in ((7, 2), (9, 9), (1000, 41)):
        assert WalkKernel(graph, 4, row_budget=row_budget).half_walk_rows([1]).stops[0] == n_reached


@pytest.mark.parametrize("scale", [1e-300, 1e-40, 1.0, 1e40, 1e300])
def test_the_unit_of_weights_does_not_matter(scale):
    A = random_adjacency(12, 0.5, np.random.default_rng(1), weighted=True)
    points = linked_nodes(A)
    rows, _ = loop_rows(Graph.from_scipy(A * scale), points, 3)
    np.testing.assert_allclose(rows, np.linalg.matrix_power(lazy_walk(A, 0.5), 3)[points], atol=TOLERANCE)


def test_edges_too_light_for_float32_are_as_good_as_absent():
    # A path of strong edges with weak ones (1e-60) between all nodes: hundreds of arrivals of nothing.
    n = 20
    A = np.full((n, n), 1e-60)
    A[np.arange(n - 1), np.arange(1, n)] = A[np.arange(1, n), np.arange(n - 1)] = 1.0
    np.fill_diagonal(A, 0.0)
    rows, _ = loop_rows(Graph.from_scipy(A), np.arange(n), 3)
    np.testing.assert_allclose(rows, np.linalg.matrix_power(lazy_walk(A, 0.5), 3), atol=TOLERANCE)
    assert ((rows > 0).sum(axis=1) <= 7).all()


def dense_rows(rows, n):
    """Rows read as the loops of any kernel read them."""
    dense = np.zeros((len(rows.points), n))
    for r, (start, stop) in enumerate(zip(rows.starts, rows.stops, strict=True)):
        dense[r, rows.indices[start:stop]] = rows.scale[r] * rows.values[start:stop]
    return dense


def test_half_walk_rows_say_that_they_are_half():
    graph, A = example("weighted self-loops")
    kernel = WalkKernel(graph, 6, row_budget=10**9)
    rows = kernel.reach(np.array([3, 8, 20]))
    half = np.linalg.matrix_power(lazy_walk(A, 0.5), 3)[rows.points]
    np.testing.assert_allclose(dense_rows(rows, len(A)), half, atol=TOLERANCE)
    np.testing.assert_array_equal(rows.to_scipy().toarray(), dense_rows(rows, len(A)))
    features = rows.features().toarray()
    np.testing.assert_allclose(features, half / np.sqrt(A.sum(axis=1)), atol=TOLERANCE)
    assert rows.self_loop == 0.0 and rows.degrees is graph.degrees


def dense_walk_kernel(A, walk_steps):
    """``P^t D^-1``, 0 for isolated nodes."""
    degrees = A.sum(axis=1)
    return np.divide(
        np.linalg.matrix_power(lazy_walk(A, 0.5), walk_steps), degrees, out=np.zeros_like(A), where=degrees > 0
    )


@pytest.mark.parametrize("walk_steps", [2, 4, 8])
@pytest.mark.parametrize("name", EXAMPLES)
def test_everything_uncut_is_of_the_whole_walk(name, walk_steps, monkeypatch):
    monkeypatch.setattr(walk, "_ENTRIES_AT_A_TIME", 1)  # several blocks also of small graphs
    monkeypatch.setattr(walk, "_ROWS_PER_BLOCK", 4)
    graph, A = example(name)
    n, K = len(A), dense_walk_kernel(A, walk_steps)
    kernel = WalkKernel(graph, walk_steps, row_budget=10**9)
    near = {"rtol": 1e-5, "atol": 1e-6 * K.max()}
    rng = np.random.default_rng(0)
    some, others = rng.permutation(n)[: n // 2], rng.permutation(n)[: n // 3]
    assert kernel.n_points == n and kernel.point_weights is graph.degrees
    np.testing.assert_allclose(kernel.diagonal, np.diag(K), **near)
    np.testing.assert_allclose(kernel.block(some, others), K[np.ix_(some, others)], **near)
    np.testing.assert_allclose(kernel.block(slice(None), others), K[:, others], **near)
    assert kernel.block(some, others, np.float32).dtype == np.float32
    for points, expected in ((others, K[:, others]), (None, K)):
        columns = kernel.columns(points)
        assert columns.shape == expected.shape and columns.dtype == np.float64
        parts = [columns.rows(start, min(start + 5, n)).toarray() for start in range(0, n, 5)]
        np.testing.assert_allclose(np.concatenate(parts), expected, **near)
    np.testing.assert_allclose(kernel.column(n - 1), K[:, n - 1], **near)
    weights = rng.random(n)
    np.testing.assert_allclose(kernel.absolute_sums(weights), K @ weights, rtol=1e-4, atol=1e-6 * K.max())
    few = kernel.submatrix(np.sort(some))
    np.testing.assert_allclose(few.whole("a test").toarray(), K[np.ix_(np.sort(some), np.sort(some))], **near)
    np.testing.assert_array_equal(few.point_weights, graph.degrees[np.sort(some)])
    M = rng.standard_normal((n, 3))
    np.testing.assert_allclose(kernel.product(M), K @ M, rtol=1e-4, atol=1e-5 * np.abs(K).sum(axis=1).max())


@quick
@given(own.graphs(), st.sampled_from([2, 6]), st.integers(1, 8), st.integers(0, 99))
def test_a_cut_kernel_is_one_and_the_same_everywhere(pair, walk_steps, row_budget, seed):
    graph, A = pair
    kernel = WalkKernel(graph, walk_steps, row_budget=row_budget)
    n, rng = len(A), np.random.default_rng(seed)
    K = kernel.block(slice(None), slice(None))
    near = {"rtol": 1e-12, "atol": 1e-14 * max(K.max(), 1e-300)}
    np.testing.assert_allclose(K, K.T, **near)
    values = np.linalg.eigvalsh(K)
    assert values[0] >= -1e-12 * max(values[-1], 1e-300)
    np.testing.assert_allclose(kernel.diagonal, np.diag(K), **near)
    np.testing.assert_allclose(kernel.columns().rows(0, n).toarray(), K, **near)
    M = rng.random((n, 2))
    np.testing.assert_allclose(kernel.product(M), K @ M, **near)
    points = np.sort(rng.permutation(n)[: rng.integers(1, n + 1)])
    weights = rng.random(len(points))
    expected = weights[:, None] * K[np.ix_(points, points)] * weights
    reach = kernel.reach(points)
    for given_rows in (None, reach):
        matrix = kernel.weighted_submatrix(points, weights, reach=given_rows)
        found = matrix.toarray()
        np.testing.assert_allclose(found, expected, **near)
        np.testing.assert_array_equal(found, found.T)
        assert matrix.has_sorted_indices


def test_kernel_kmeans_of_walks_is_that_of_the_matrix():
    graph, _ = planted(4, 60, 0.2, 0.02, 0)
    kernel = WalkKernel(graph, 4, row_budget=30)
    matrix = DenseKernel(kernel.block(slice(None), slice(None)))
    start = np.random.default_rng(0).integers(0, 4, 240)
    found = kernel_kmeans(kernel, 4, init=start)
    expected = kernel_kmeans(matrix, 4, weights=graph.degrees, init=start)
    np.testing.assert_array_equal(found.labels, expected.labels)
    assert found.cost == pytest.approx(expected.cost, rel=1e-9)


def test_a_coreset_by_walks():
    graph, truth = planted(4, 60, 0.2, 0.02, 0)
    # Long walks: points that hardly meet are each best off alone, and kernel k-means moves none.
    kernel = WalkKernel(graph, 16)
    result = coreset_kernel_kmeans(kernel, 4, size=80, random_state=0)
    assert adjusted_rand_score(truth, result.labels) > 0.9
    with pytest.raises(ParameterError, match="method='fast' reads the rows of a sparse kernel, and WalkKernel has no"):
        coreset_kernel_kmeans(kernel, 4, size=80, seeding="fast")


def test_rows_do_not_depend_on_the_number_of_threads():
    graph, _ = planted(4, 100, 0.2, 0.01, 0)
    points = np.arange(0, 400, 2)
    one = WalkKernel(graph, 6, row_budget=20, n_jobs=1).half_walk_rows(points)
    for n_jobs in (2, 3):
        other = WalkKernel(graph, 6, row_budget=20, n_jobs=n_jobs).half_walk_rows(points)
        assert (one.to_scipy() != other.to_scipy()).nnz == 0
    M = np.random.default_rng(0).random((400, 3))
    kernel = WalkKernel(graph, 6, row_budget=20)
    np.testing.assert_array_equal(kernel.product(M, n_jobs=1), kernel.product(M, n_jobs=2))
    # Nor on which other rows are asked for.
    few = kernel.half_walk_rows(points[150:])
    assert (few.to_scipy() != one.to_scipy()[150:]).nnz == 0


def test_rows_are_made_when_asked_for_and_belong_to_who_asked():
    graph, _ = example("weighted")
    kernel = WalkKernel(graph)
    points = np.array([1, 2])
    first = kernel.half_walk_rows(points)
    again = kernel.half_walk_rows(points)
    assert again is not first and not np.shares_memory(again.values, first.values)
    points[:] = 5, 6  # the caller's array is his own
    np.testing.assert_array_equal(first.points, [1, 2])
    empty = kernel.half_walk_rows(np.empty(0, dtype=np.int64))
    assert len(empty.starts) == 0 and empty.to_scipy().shape == (0, graph.n_nodes)


def test_isolated_nodes_walk_nowhere():
    graph, A = example("isolated nodes")
    isolated = np.flatnonzero(A.sum(axis=1) == 0)
    rows = WalkKernel(graph).half_walk_rows(np.arange(len(A)))
    assert len(isolated)
    np.testing.assert_array_equal(np.flatnonzero(rows.stops - rows.starts), linked_nodes(A))


@pytest.mark.parametrize("arguments", [{"walk_steps": 3}, {"walk_steps": 1}, {"laziness": 1.5}, {"row_budget": 0}])
def test_bad_parameters_are_named(arguments):
    ((name, value),) = arguments.items()
    with pytest.raises(ParameterError, match=f"{name}={value} must be"):
        WalkKernel(example("path")[0], **arguments)
