"""Labelling by kernel distance against dense distances to the centroids."""

import numpy as np
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.cluster.coreset_graph import label_all, nearest_cells, settled_cells, spread
from graphcore.kernels.graph import GraphKernel

from .. import strategies as own
from ..oracles import centre_distances, dense_kernel, memberships, planted, quick
from ..strategies import linked_adjacencies, problem_of
from .refine.test_quotient import labelled


def check_labels(labelling, K, w, indices, weights, labels, k, tolerance=1e-12):
    """Labels are those of the nearest centroid, up to ties; unreached nodes get the centroid of smallest norm."""
    coefficients = np.zeros((k, len(K)))
    coefficients[:, indices] = np.nan_to_num(memberships(weights, labels, k))
    filled = coefficients.any(axis=1)
    D = centre_distances(K, coefficients) - np.diag(K)[:, None]
    D[:, ~filled] = np.inf
    norms = np.einsum("jx,xy,jy->j", coefficients, K, coefficients)
    norms[~filled] = np.inf
    on = w > 0
    assert labelling.labels.dtype == np.int32
    assert (labelling.labels[~on] == -1).all()
    assert np.isin(labelling.labels[on], np.flatnonzero(filled)).all()
    scale = np.abs(D[:, filled]).max()
    chosen = D[np.flatnonzero(on), labelling.labels[on]]
    np.testing.assert_allclose(chosen, D[on].min(axis=1), rtol=0, atol=tolerance * scale)
    # The label is that of the nearest centroid unless two are equally near.
    ordered = np.sort(D, axis=1)
    clear = on & (ordered[:, 1] - ordered[:, 0] > 10 * tolerance * scale) if k > 1 else on
    assert np.array_equal(labelling.labels[clear], np.argmin(D, axis=1)[clear])
    unreached = on & ~K[:, indices[weights > 0]].any(axis=1)
    assert np.array_equal(labelling.unreached, unreached)
    assert len(set(labelling.labels[unreached])) <= 1
    np.testing.assert_allclose(norms[labelling.labels[unreached]], norms.min(), rtol=max(1e-12, tolerance))


def random_coreset(rng, w, k, share=0.4):
    """Some nodes that have an edge, with weights and labels; not every cluster need be there."""
    linked = np.flatnonzero(w > 0)
    size = max(1, round(share * len(linked)))
    indices = np.sort(rng.choice(linked, size, replace=False))
    return indices, rng.random(size) * rng.choice([0.1, 1.0, 30.0], size) + 0.01, rng.integers(0, k, size)


@quick
@given(
    linked_adjacencies(2, 24), st.booleans(), st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 7), st.floats(0.05, 1.0)
)
def test_labels_equal_dense(drawn, hub, self_loop, k, share):
    A, rng = drawn
    if hub:  # very uneven degrees
        linked = np.flatnonzero(A.sum(axis=1))
        A[0, linked[1:]] = A[linked[1:], 0] = 1.0
    kernel, (K, w) = GraphKernel(Graph.from_scipy(A), self_loop), dense_kernel(A, self_loop)
    coreset = random_coreset(rng, w, k, share)
    one, *others = (label_all(kernel, *coreset, k, n_jobs=n_jobs) for n_jobs in (1, 2, 3))
    check_labels(one, K, w, *coreset, k)
    for other in others:
        np.testing.assert_array_equal(other, one)


def test_ties_go_to_the_lowest_label():
    # A path 0 - 1 - 2 with coreset {0, 2}: node 1 is as near to one as to the other.
    kernel = GraphKernel(Graph.from_edges([0, 1], [1, 2]), 1.0)
    for labels in ([0, 1], [1, 0]):
        for n_jobs in (1, 2):
            found = label_all(kernel, np.array([0, 2]), np.ones(2), labels, 2, n_jobs=n_jobs).labels
            assert found.tolist() == [labels[0], 0, labels[1]]


# -- cells, and labels that spread -------------------------------------------------------------------------------------


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
    labels = nearest_cells(GraphKernel(graph, self_loop), indices)
    assert labels.dtype == np.int32
    check_cells(labels, dense_kernel(A, self_loop)[0], indices)


def test_of_equals_a_node_takes_its_own_cell_or_else_the_first():
    # A star with leaves 0 to 3 and centre 4: with loops of weight 4/5 K_44 = 1/6 of that of a leaf, which is K_x4.
    graph = Graph.from_edges([0, 1, 2, 3], [4, 4, 4, 4])
    assert nearest_cells(GraphKernel(graph, 0.0), np.arange(1, 4))[4] == 0
    # A loop in the kernel counts: K_00 = 1 / 4 against K_01 = 1 / 4 on a path of two nodes with loops of weight 1.
    path = Graph.from_edges([0], [1])
    np.testing.assert_array_equal(nearest_cells(GraphKernel(path, 1.0), np.array([0, 1])), [0, 1])
    np.testing.assert_array_equal(nearest_cells(GraphKernel(path, 0.0), np.array([0, 1])), [1, 0])


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


def test_cells_too_small_for_the_sample_go_to_their_neighbours(limits):
    graph, _ = planted(5, 60, 0.3, 0.02, 0)
    # A triangle of its own is too small as well, but has no neighbours.
    A = sp.block_diag([graph.to_scipy(), np.ones((3, 3)) - np.eye(3)], format="csr")
    graph = Graph.from_scipy(A)
    rows, kernel = graph.rows, GraphKernel(graph, 1.0)
    indices = np.arange(0, 303, 10)
    limits("graphcore.cluster.refine.problem", _MANY_ENTRIES=graph.n_entries - 1)
    before, n_before, _ = settled_cells(kernel, indices, problem_of(rows, 5))
    volumes = np.bincount(before, weights=graph.degrees)
    least = np.median(volumes)
    limits("graphcore.cluster.refine.problem", _SAMPLED_ENTRIES=32 * graph.degrees.sum() / least)
    labels, n_cells, _ = settled_cells(kernel, indices, problem_of(rows, 5))
    assert np.array_equal(np.unique(labels), np.arange(n_cells)) and n_cells < n_before
    after = np.bincount(labels, weights=graph.degrees)
    triangle = labels[-1]
    assert (labels[-3:] == triangle).all() and (labels == triangle).sum() == 3
    assert (np.delete(after, triangle) >= least).all()
    # Nodes of large cells stay together.
    for c in np.flatnonzero(volumes >= least):
        assert len(np.unique(labels[before == c])) == 1
    # With fewer cells left than are wanted, all stay.
    np.testing.assert_array_equal(settled_cells(kernel, indices, problem_of(rows, n_before))[0], before)
