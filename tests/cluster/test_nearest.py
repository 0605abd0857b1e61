"""Labelling by kernel distance against dense distances to the centroids."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.cluster.coreset_graph import label_all
from graphcore.kernels.graph import GraphKernel

from ..oracles import (
    EXAMPLES,
    centre_distances,
    dense_kernel,
    example,
    memberships,
    quick,
    with_poisoned_rows,
)
from ..strategies import linked_adjacencies


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


@pytest.mark.parametrize("self_loop", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("name", EXAMPLES)
def test_labels_equal_dense(name, self_loop):
    graph, A = example(name)
    K, w = dense_kernel(A, self_loop)
    kernel = GraphKernel(graph, self_loop)
    rng = np.random.default_rng(0)
    for share in (0.1, 0.4, 1.0):
        for k in (1, 3, 6):
            coreset = random_coreset(rng, w, k, share)
            check_labels(label_all(kernel, *coreset, k), K, w, *coreset, k)


@quick
@given(linked_adjacencies(2, 24), st.booleans(), st.sampled_from([0.0, 1.0]), st.integers(1, 7), st.floats(0.05, 1.0))
def test_labels_equal_dense_on_random_graphs_for_any_threads(drawn, hub, self_loop, k, share):
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


def test_points_without_weight_do_not_count():
    # Rows that add nothing must not be listed as touched: the list has one place per node.
    graph, A = example("barabasi-albert")
    K, w = dense_kernel(A, 1.0)
    kernel = GraphKernel(graph, 1.0)
    indices = np.arange(len(A))
    weights = np.where(indices % 3 == 0, 1.0, 0.0)
    labels = indices % 2
    labelling = label_all(kernel, indices, weights, labels, 2)
    kept = weights > 0
    expected = label_all(kernel, indices[kept], weights[kept], labels[kept], 2)
    assert np.array_equal(labelling.labels, expected.labels)
    check_labels(labelling, K, w, indices, weights, labels, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["barabasi-albert", "weighted self-loops", "disconnected"])
def test_labelling_reads_only_the_rows_of_the_coreset(name):
    graph, A = example(name)
    _, w = dense_kernel(A, 1.0)
    clean = GraphKernel(graph, 1.0)
    indices, weights, labels = random_coreset(np.random.default_rng(3), w, 4, 0.3)
    expected = label_all(clean, indices, weights, labels, 4)
    found = label_all(with_poisoned_rows(clean, indices), indices, weights, labels, 4)
    assert np.array_equal(found.labels, expected.labels)
    assert np.array_equal(found.unreached, expected.unreached)
