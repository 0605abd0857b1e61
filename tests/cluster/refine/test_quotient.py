"""The graph between clusters against Z^T A Z, and labels carried to groups and back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore.base.validation import read_only
from graphcore.cluster.refine import _move_loops, _objective_loops, _quotient_loops
from graphcore.cluster.refine import problem as module
from graphcore.cluster.refine._quotient_loops import is_sampled
from graphcore.cluster.refine.merging import agglomerate
from graphcore.cluster.refine.problem import apply_labels, common_refinement, pick_labels, quotient, sampled_links
from graphcore.graphs.rows import GraphRows

from ... import strategies as own
from ...oracles import planted, quick, with_weights


@st.composite
def labelled(draw, unlabelled=True, **options):
    """(Graph, dense matrix, int32 labels, number of clusters)."""
    graph, A = draw(own.graphs(**options))
    k = draw(st.integers(1, 5))
    labels = draw(own.labellings(len(A), k, unlabelled)).astype(np.int32)
    return graph, A, labels, k


def linked(**options):
    """Draw labels of some of the nodes that have an edge."""

    def on_linked(case):
        graph, A, labels, k = case
        return graph, A, np.where(A.any(axis=1), labels, -1).astype(np.int32), k

    return labelled(**options).map(on_linked).filter(lambda case: (case[2] >= 0).any())


def indicator(labels, k):
    Z = np.zeros((len(labels), k))
    Z[labels >= 0, labels[labels >= 0]] = 1.0
    return Z


def to_dense(rows):
    """Dense matrix of GraphRows; every column stands at most once per row."""
    n = len(rows.degrees)
    out = np.zeros((n, n))
    for a in range(n):
        columns = rows.indices[rows.indptr[a] : rows.indptr[a + 1]]
        assert len(set(columns)) == len(columns)
        out[a, columns] = rows.weights[rows.indptr[a] : rows.indptr[a + 1]]
    return out


@quick
@given(labelled())
def test_the_quotient_graph_is_the_matrix_product(case):
    graph, A, labels, k = case
    between = quotient(graph.rows, labels, k)
    Z = indicator(labels, k)
    np.testing.assert_allclose(to_dense(between), Z.T @ A @ Z, rtol=1e-12, atol=1e-12 * A.max(initial=0))
    np.testing.assert_allclose(between.degrees, Z.T @ A.sum(axis=1), rtol=1e-12)
    assert (between.weights > 0).all()
    assert not any(array.flags.writeable for array in between)


@pytest.mark.parametrize("weighted", [False, True])
def test_the_quotient_does_not_depend_on_the_number_of_threads(limits, weighted):
    limits(module, _ENTRIES_PER_BLOCK=500)
    graph, _ = planted(5, 60, 0.2, 0.02, 0)
    graph = with_weights(graph) if weighted else graph
    labels = np.random.default_rng(1).integers(-1, 90, graph.n_nodes).astype(np.int32)
    one = quotient(graph.rows, labels, 90, 1)
    Z = indicator(labels, 90)
    np.testing.assert_allclose(to_dense(one), Z.T @ (graph.to_scipy() @ Z), rtol=1e-12)
    for n_jobs in (2, 3):
        for ours, other in zip(one, quotient(graph.rows, labels, 90, n_jobs), strict=True):
            np.testing.assert_array_equal(ours, other)


def strengths(Q):
    """Weight times the logarithm of weight over weight by chance; -inf on the diagonal and where there is no link."""
    volumes = Q.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        out = Q * np.log(Q * volumes.sum() / (volumes[:, None] * volumes))
    out[(Q == 0) | np.eye(len(Q), dtype=bool)] = -np.inf
    return out


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("most", [1, 5, 20, 100])
def test_a_dense_quotient_keeps_the_links_strong_for_either_end(limits, most, weighted, n_jobs):
    limits(module, _ENTRIES_PER_BLOCK=500, _MAX_LINKS=most)
    graph, _ = planted(5, 80, 0.2, 0.02, 0)
    graph = with_weights(graph) if weighted else graph
    labels = np.random.default_rng(1).integers(0, 90, graph.n_nodes).astype(np.int32)
    rows = graph.rows
    Q = to_dense(quotient(rows, labels, 90))
    found = quotient(rows, labels, 90, n_jobs, max_entries=0)
    np.testing.assert_allclose(found.degrees, to_dense(found).sum(axis=1), rtol=1e-12)
    own = strengths(Q)
    cuts = np.sort(own, axis=1)[:, -most] if most <= 90 else np.full(90, -np.inf)
    # Links as strong as a cut, up to rounding, may go either way for the other end.
    slack = 1e-4 * np.abs(own, where=np.isfinite(own), out=np.zeros_like(own))
    surely = (own >= cuts[:, None]) | (own >= cuts)
    perhaps = (own >= cuts[:, None] - slack) | (own >= cuts - slack)
    kept = to_dense(found)
    np.testing.assert_allclose(kept.diagonal(), Q.diagonal(), rtol=1e-12)
    apart = ~np.eye(90, dtype=bool) & (Q > 0)
    assert (kept[apart & surely] > 0).all() and not kept[apart & ~perhaps].any()
    np.testing.assert_allclose(kept[kept > 0], Q[kept > 0], rtol=1e-12)
    np.testing.assert_array_equal(kept > 0, (kept > 0).T)
    if most == 100:
        np.testing.assert_allclose(kept, Q, rtol=1e-12)


@quick
@given(st.integers(1, 40), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_the_common_refinement_numbers_the_groups_of_nodes_that_agree(n, n_labellings, seed):
    rng = np.random.default_rng(seed)
    labellings = list(rng.integers(-1, 4, (n_labellings, n)).astype(np.int32))
    before = [labels.copy() for labels in labellings]
    groups, n_groups = common_refinement(labellings, 4)
    stacked = np.stack(labellings)
    inside = (stacked >= 0).all(axis=0)
    np.testing.assert_array_equal(groups >= 0, inside)
    # Groups are the distinct columns, and all numbers from 0 to n_groups - 1 are in use.
    columns, numbers = np.unique(stacked[:, inside], axis=1, return_inverse=True)
    assert n_groups == columns.shape[1]
    assert len({*zip(groups[inside].tolist(), numbers.tolist(), strict=True)}) == n_groups
    assert set(groups[inside].tolist()) == set(range(n_groups))
    for labels, copy in zip(labellings, before, strict=True):
        np.testing.assert_array_equal(labels, copy)
        if inside.any():
            picked = pick_labels(groups, n_groups, labels)
            np.testing.assert_array_equal(apply_labels(picked, groups), np.where(inside, labels, -1))


# -- a sample of the edges, against the edges themselves --------------------------------------------------------------


def dense_sample(A, labels, k, scale):
    """Weights between clusters over the pairs of nodes that the hash keeps."""
    most = np.uint64(min(2.0**64 / scale, 2.0**64 - 2048))
    out = np.zeros((k, k))
    for x, z in np.argwhere(A):
        if labels[x] >= 0 and labels[z] >= 0 and is_sampled(x, z, most):
            out[labels[x], labels[z]] += A[x, z]
    return out


@quick
@given(labelled(), st.integers(1, 40))
def test_a_sample_holds_both_entries_of_the_edges_that_the_hash_keeps(case, n_entries):
    graph, A, labels, k = case
    indptr, indices, weights, degrees, scale = sampled_links(graph.rows, labels, k, n_entries)
    assert scale == max(1.0, graph.n_entries / n_entries)
    found, rows = np.zeros((k, k)), np.repeat(np.arange(k), np.diff(indptr))
    np.add.at(found, (rows, indices), weights if len(weights) else 1.0)
    np.testing.assert_allclose(found, dense_sample(A, labels, k, scale), rtol=1e-12)
    np.testing.assert_allclose(found, found.T, rtol=1e-12)
    np.testing.assert_allclose(degrees, found.sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_sample_estimates_the_graph_between_clusters(limits, weighted):
    """Each of 25 entries is off by more than 5 standard deviations with probability 1e-6, if the hash is random."""
    graph, truth = planted(5, 80, 0.3, 0.1, 0)
    graph, labels = with_weights(graph) if weighted else graph, truth.astype(np.int32)
    A, Z = graph.to_scipy(), indicator(labels, 5)
    limits(module, _MANY_ENTRIES=0, _SAMPLED_ENTRIES=graph.n_entries // 10)
    found = quotient(graph.rows, labels, 5)
    # Inside a cluster both entries of an edge stand in the same place, and come together.
    deviation = np.sqrt(9 * Z.T @ (A.multiply(A) @ Z) * (1 + np.eye(5)))
    assert (np.abs(to_dense(found) - Z.T @ (A @ Z)) < 5 * deviation).all()


@pytest.mark.slow
def test_the_hash_keeps_its_share_of_edges():
    """On 40,000 pairs of nodes, those next to each other among them: 5 standard deviations, 1e-6 a share."""
    for share in (0.5, 0.1, 0.01):
        most = np.uint64(share * 2.0**64)
        for gap in (1, 2, 1000):
            kept = np.mean([is_sampled(x, x + gap, most) for x in range(40_000)])
            assert abs(kept - share) < 5 * np.sqrt(share * (1 - share) / 40_000)


# -- weights that vanish in sums ---------------------------------------------------------------------------------------


def rows_of(weight, n=30):
    """A complete graph; all weights but those of the first edge are so small that shares of them are 0."""
    weights = np.full((n, n), weight)
    weights[0, 1] = weights[1, 0] = 1.0
    indptr, indices = np.arange(0, n * n + 1, n), np.tile(np.arange(n, dtype=np.int32), n)
    return GraphRows(*map(read_only, (indptr, indices, weights.ravel(), weights.sum(axis=1))))


@pytest.mark.parametrize("weight", [0.0, 5e-324, 1e-310])
def test_merging_quotients_and_gathering(weight):
    rows = rows_of(weight)
    labels, children, _ = agglomerate(rows, np.ones(30, dtype=np.int64), 3)
    assert len(set(labels.tolist())) == 3 and len(np.unique(children)) == children.size
    labels = np.arange(30, dtype=np.int32) // 10
    between = quotient(rows, labels, 3)
    assert np.diff(between.indptr).tolist() == [3, 3, 3]
    np.testing.assert_allclose(to_dense(between), rows.weights.reshape(3, 10, 3, 10).sum(axis=(1, 3)))
    labels = (np.arange(30) % 3).astype(np.int32)
    found = _objective_loops.places(3)
    for node in (5, 0):
        n_touched, _ = _objective_loops.gather(rows[:], labels, node, found)
        assert sorted(found[2][:n_touched].tolist()) == [0, 1, 2]
        _objective_loops.forget(found, n_touched)
    starts, members = np.array([0, 10, 20, 30]), np.argsort(labels, kind="stable").astype(np.int32)
    n_touched = _quotient_loops.gather_links((rows[:3], labels, starts, members), 2, found)
    assert sorted(found[2][:n_touched].tolist()) == [0, 1, 2]
    _objective_loops.forget(found, n_touched)
    out, labels = np.empty(30, dtype=np.int32), read_only(labels)
    _move_loops.batch_assign(rows[:], (read_only(np.ones(3)), read_only(np.zeros(3))), labels, 0, 30, found, out)
    assert out.min() >= 0 and out.max() <= 2
