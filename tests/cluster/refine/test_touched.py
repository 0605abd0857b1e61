"""Loops that list the clusters they touch: weights that vanish in sums are not listed twice."""

import numpy as np
import pytest

from graphcore.base.validation import read_only
from graphcore.cluster.refine import _merge_loops, _move_loops, _objective_loops, _quotient_loops
from graphcore.cluster.refine.merging import agglomerate
from graphcore.cluster.refine.problem import quotient
from graphcore.graphs.rows import GraphRows
from graphcore.kernels._loops import label_by_centroids
from graphcore.kernels.base import KernelRows


def rows_of(weight, n=30):
    """A complete graph; all weights but those of the first edge are so small that shares of them are 0."""
    weights = np.full((n, n), weight)
    weights[0, 1] = weights[1, 0] = 1.0
    indptr, indices = np.arange(0, n * n + 1, n), np.tile(np.arange(n, dtype=np.int32), n)
    return GraphRows(*map(read_only, (indptr, indices, weights.ravel(), weights.sum(axis=1))))


@pytest.mark.parametrize("weight", [0.0, 5e-324, 1e-310])
def test_merging(weight):
    rows = rows_of(weight)
    labels, children, _ = agglomerate(rows, np.ones(30, dtype=np.int64), 3)
    assert len(set(labels.tolist())) == 3 and len(np.unique(children)) == children.size


@pytest.mark.parametrize("weight", [0.0, 5e-324, 1e-310])
def test_quotient(weight):
    rows = rows_of(weight)
    labels = np.arange(30, dtype=np.int32) // 10
    between = quotient(rows, labels, 3)
    assert np.diff(between.indptr).tolist() == [3, 3, 3]
    found = np.zeros((3, 3))
    found[np.repeat(np.arange(3), 3), between.indices] = between.weights
    weights = rows.weights.reshape(30, 30)
    np.testing.assert_allclose(found, weights.reshape(3, 10, 3, 10).sum(axis=(1, 3)))


@pytest.mark.parametrize("weight", [0.0, 5e-324])
def test_gathering(weight):
    rows = rows_of(weight)
    labels = (np.arange(30) % 3).astype(np.int32)
    found = np.zeros(3), np.zeros(3, dtype=np.bool_), np.empty(4, dtype=np.int32)
    for node in (5, 0):
        n_touched, _ = _objective_loops.gather(rows[:], labels, node, found)
        assert sorted(found[2][:n_touched].tolist()) == [0, 1, 2]
        _objective_loops.forget(found, n_touched)
    starts, members = np.array([0, 10, 20, 30]), np.argsort(labels, kind="stable").astype(np.int32)
    n_touched = _quotient_loops.gather_links((rows[:3], labels, starts, members), 2, found)
    assert sorted(found[2][:n_touched].tolist()) == [0, 1, 2]
    out = np.empty(30, dtype=np.int32)
    _move_loops.batch_assign(rows[:], (np.ones(3), np.zeros(3)), labels, 0, 30, out)
    assert out.min() >= 0 and out.max() <= 2


def test_centroids():
    rows = rows_of(1e-310)
    points = np.arange(30)
    best, labels = np.full(30, np.inf), np.full(30, 2, dtype=np.int32)
    starts, ends = rows.indptr[:-1].copy(), rows.indptr[1:].copy()
    weights = np.full(30, 1e-10), read_only(np.ones(30))
    kernel_rows = KernelRows(points, starts, ends, rows.indices, rows.weights, *weights, np.zeros(30))
    members, clusters = (np.ones(30), points, np.array([0, 15, 30])), (np.zeros(2), np.ones(2))
    label_by_centroids(kernel_rows, members, clusters, 0, 2, best, labels)
    assert set(labels.tolist()) <= {0, 1, 2} and labels[0] == labels[1] == 0


def test_an_agglomeration_has_room_for_one_more():
    # The list is written to before it is known whether the place is new.
    assert _merge_loops.add(np.zeros(1), np.ones(1, dtype=np.bool_), np.empty(1, dtype=np.int32), 0, 0, 1.0) == 0
