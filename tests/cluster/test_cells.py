"""Cells of coreset nodes against the dense kernel, and the spreading of labels against a slow twin."""

import numpy as np
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.cluster.coreset_graph import nearest_cells, settled_cells, spread, spread_in_rounds
from graphcore.cluster.refine.moves import block_sweep
from graphcore.cluster.refine.problem import compact_labels
from graphcore.kernels.graph import GraphKernel

from .. import strategies as own
from ..oracles import dense_kernel, planted, quick
from ..strategies import problem_of
from .refine.test_quotient import labelled


def check_cells(labels, K, indices):
    """Every node is in a cell whose kernel value is the largest, and its own if that is among the largest."""
    rows = K[indices]
    for x, label in enumerate(labels):
        values = rows[:, x]
        if not (values > 0).any():
            assert label == (list(indices).index(x) if x in indices else -1)
            continue
        best = np.flatnonzero(values >= values.max() * (1 - 1e-6))
        assert label in best
        if x in indices[best]:
            # Equal to the last bit is safe only where the largest other value is clearly smaller or it is the only one.
            assert indices[label] == x or len(best) > 1


@quick
@given(own.graphs(), st.sampled_from([0.0, 1.0, 2.5]), st.integers(0, 99))
def test_cells_of_the_plain_kernel(pair, self_loop, seed):
    graph, A = pair
    linked = np.flatnonzero(A.sum(axis=1) > 0)
    assume(len(linked))
    rng = np.random.default_rng(seed)
    indices = np.sort(rng.choice(linked, rng.integers(1, len(linked) + 1), replace=False)).astype(np.int64)
    labels = nearest_cells(GraphKernel(graph, self_loop).rows(indices))
    assert labels.dtype == np.int32
    check_cells(labels, dense_kernel(A, self_loop)[0], indices)


def test_of_equals_a_node_takes_its_own_cell_or_else_the_first():
    # A star with leaves 0 to 3 and centre 4: with loops of weight 4/5 K_44 = 1/6 of that of a leaf, which is K_x4.
    graph = Graph.from_edges([0, 1, 2, 3], [4, 4, 4, 4])
    assert nearest_cells(GraphKernel(graph, 0.0).rows(np.arange(1, 4)))[4] == 0
    # A loop in the kernel counts: K_00 = 1 / 4 against K_01 = 1 / 4 on a path of two nodes with loops of weight 1.
    path = Graph.from_edges([0], [1])
    np.testing.assert_array_equal(nearest_cells(GraphKernel(path, 1.0).rows(np.array([0, 1]))), [0, 1])
    np.testing.assert_array_equal(nearest_cells(GraphKernel(path, 0.0).rows(np.array([0, 1]))), [1, 0])


def check_breadth_first(A, labels, out):
    """Follow the queue: each node must have taken the label of most weight among neighbours labelled before it."""
    labels = labels.copy()
    queue = [x for x in range(len(A)) if labels[x] < 0 and (labels[A[x] > 0] >= 0).any()]
    for x in queue:  # grows on the way
        around = np.flatnonzero((A[x] > 0) & (labels >= 0))
        sums = np.bincount(labels[around], weights=A[x, around])
        # Of equal sums any may win, so the twin follows the choice made.
        assert sums[out[x]] >= sums.max() * (1 - 1e-12)
        labels[x] = out[x]
        queue += [z for z in np.flatnonzero(A[x]) if labels[z] < 0 and z not in queue]
    return queue


@quick
@given(labelled(weighted=True, max_nodes=20))
def test_spread_gives_the_label_of_most_weight_breadth_first(case):
    graph, A, labels, _k = case
    k = int(labels.max(initial=-1)) + 1
    out = labels.copy()
    n_labels = spread(graph.rows, out, k)
    reached = check_breadth_first(A, labels, out)
    np.testing.assert_array_equal(out >= 0, (labels >= 0) | A.any(axis=1))
    # Components without a label get new ones, in the order of their first nodes.
    component = graph.connected_components()
    for x in range(len(A)):
        if labels[x] >= 0:
            assert out[x] == labels[x]
        elif A[x].sum() == 0:
            assert out[x] == -1
        elif x not in reached:
            assert out[x] >= k
    fresh = [component[out == c] for c in range(k, n_labels)]
    firsts = [np.flatnonzero(out == c)[0] for c in range(k, n_labels)]
    assert all(len(set(nodes)) == 1 for nodes in fresh) and firsts == sorted(firsts)
    assert len({nodes[0] for nodes in fresh}) == n_labels - k


def test_spread_goes_by_distance_not_by_weight():
    # Node 3 hangs on label 0 by a light edge; its heavy way to label 1 has three steps, so it comes too late.
    graph = Graph.from_edges([0, 3, 2, 4], [3, 2, 4, 1], weights=[1.0, 100.0, 50.0, 100.0])
    labels = np.array([0, 1, -1, -1, -1], dtype=np.int32)
    assert spread(graph.rows, labels, 2) == 2
    np.testing.assert_array_equal(labels, [0, 1, 0, 0, 1])


def test_huge_graphs_settle_their_cells_by_a_sweep(limits):
    graph, truth = planted(5, 60, 0.3, 0.02, 0)
    rows = graph.rows
    indices = np.arange(0, 300, 10)
    kernel = GraphKernel(graph, 1.0)
    expected = nearest_cells(kernel.rows(indices))
    spread_in_rounds(rows, expected, len(indices))
    n_cells = spread(rows, expected, len(indices))
    block_sweep(problem_of(rows, n_cells), expected)
    n_cells = compact_labels(expected, n_cells)
    limits("graphcore.cluster.refine.problem", _MANY_ENTRIES=graph.n_entries - 1)
    labels, n_found, _ = settled_cells(kernel.rows(indices), problem_of(rows, 5))
    np.testing.assert_array_equal(labels, expected)
    assert n_found == n_cells
    # Cells lie within the planted clusters, all but a few nodes: chance would give a fifth.
    majority = sum(np.bincount(truth[labels == c]).max() for c in range(n_cells))
    assert majority > 0.9 * 300


def test_cells_too_small_for_the_sample_go_to_their_neighbours(limits):
    graph, _ = planted(5, 60, 0.3, 0.02, 0)
    # A triangle of its own is too small as well, but has no neighbours.
    A = sp.block_diag([graph.to_scipy(), np.ones((3, 3)) - np.eye(3)], format="csr")
    graph = Graph.from_scipy(A)
    rows, kernel = graph.rows, GraphKernel(graph, 1.0)
    indices = np.arange(0, 303, 10)
    limits("graphcore.cluster.refine.problem", _MANY_ENTRIES=graph.n_entries - 1)
    before, n_before, _ = settled_cells(kernel.rows(indices), problem_of(rows, 5))
    volumes = np.bincount(before, weights=graph.degrees)
    least = np.median(volumes)
    limits("graphcore.cluster.refine.problem", _SAMPLED_ENTRIES=32 * graph.degrees.sum() / least)
    labels, n_cells, _ = settled_cells(kernel.rows(indices), problem_of(rows, 5))
    assert np.array_equal(np.unique(labels), np.arange(n_cells)) and n_cells < n_before
    after = np.bincount(labels, weights=graph.degrees)
    triangle = labels[-1]
    assert (labels[-3:] == triangle).all() and (labels == triangle).sum() == 3
    assert (np.delete(after, triangle) >= least).all()
    # Nodes of large cells stay together.
    for c in np.flatnonzero(volumes >= least):
        assert len(np.unique(labels[before == c])) == 1
    # With fewer cells left than are wanted, all stay.
    np.testing.assert_array_equal(settled_cells(kernel.rows(indices), problem_of(rows, n_before))[0], before)
