"""Limits from above and nodes that stay: moves keep to them, and clusters are brought below their limits."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.base.arrays import read_only
from graphcore.cluster.evidence import matched_clusters
from graphcore.cluster.refine import limits as module
from graphcore.cluster.refine._move_loops import leave_in_order, leaving_gains, swap_gains, swap_nodes
from graphcore.cluster.refine.improve import move_in_cycles
from graphcore.cluster.refine.limits import (
    cut_in_order,
    grow_small_clusters,
    relieve_full_clusters,
    swap_between_full_clusters,
)
from graphcore.cluster.refine.moves import anneal, move_locally
from graphcore.cluster.refine.problem import FREE, Constraints

from ...oracles import cliques, planted, quick, random_adjacency
from ...partitions import value_of
from ...strategies import objectives, problem_of
from .test_quotient import linked


@st.composite
def constraints_of(draw, n, k):
    """Constraints that may bind on small graphs."""
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    return Constraints(
        max_size=draw(st.sampled_from([FREE.max_size, 3, 6])),
        max_share=draw(st.sampled_from([np.inf, 1.0, 1.4])),
        counts=read_only(rng.integers(1, 4, n)) if draw(st.booleans()) else FREE.counts,
        is_fixed=read_only(rng.random(n) < 0.3) if draw(st.booleans()) else FREE.is_fixed,
    )


@st.composite
def crowded(draw):
    """(Graph, dense matrix, labels of which few are -1, three clusters, Constraints that bind)."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    A = random_adjacency(16, 0.4, rng, weighted=draw(st.booleans()), loops=0.2, isolated=1)
    labels = np.where(A.any(axis=1) & (rng.random(16) < 0.9), rng.choice(3, 16, p=[0.6, 0.2, 0.2]), -1).astype(np.int32)
    counts, is_fixed = (rng.integers(1, 3, 16), FREE.counts), (rng.random(16) < 0.2, FREE.is_fixed)
    limits = draw(st.sampled_from([(8, np.inf), (FREE.max_size, 1.2), (10, 1.4)]))
    return (
        Graph.from_scipy(A), A, labels, 3,
        Constraints(*limits, *(read_only(draw(st.sampled_from(each))) for each in (counts, is_fixed))),
    )  # fmt: skip


def counts_of(constraints, n):
    """What nodes count."""
    return constraints.counts if len(constraints.counts) else np.ones(n, dtype=np.int64)


def sums_of(A, labels, k, constraints):
    """(sizes, volumes) of clusters."""
    counts = counts_of(constraints, len(A))
    inside = labels >= 0
    return [np.bincount(labels[inside], weights=w[inside], minlength=k) for w in (counts, A.sum(axis=1))]


def allowed_moves(A, labels, k, constraints):
    """Every labelling that one move of a node that may move leaves, to a neighbouring cluster with room."""
    sizes, volumes = sums_of(A, labels, k, constraints)
    counts = counts_of(constraints, len(A))
    max_volume = constraints.max_share * volumes.sum() / k
    for x in np.flatnonzero(labels >= 0):
        if (len(constraints.is_fixed) and constraints.is_fixed[x]) or sizes[labels[x]] - counts[x] < 1:
            continue
        for b in set(labels[A[x] > 0]) - {labels[x], -1}:
            if sizes[b] + counts[x] <= constraints.max_size and volumes[b] + A[x].sum() <= max_volume * (1 + 1e-12):
                moved = labels.copy()
                moved[x] = b
                yield moved


@quick
@given(linked(max_nodes=14), objectives, st.data())
def test_constrained_moves_end_where_no_allowed_move_gains(case, objective, data):
    graph, A, labels, k = case
    asked = data.draw(constraints_of(len(A), k))
    start = labels.copy()
    before = sums_of(A, labels, k, asked)
    move_locally(problem_of(graph, k, objective, constraints=asked), labels, n_passes=1000)
    if len(asked.is_fixed):
        np.testing.assert_array_equal(labels[asked.is_fixed], start[asked.is_fixed])
    limits = asked.max_size, asked.max_share * A.sum() / k * (1 + 1e-9)
    for now, then, limit in zip(sums_of(A, labels, k, asked), before, limits, strict=True):
        assert (now <= np.maximum(then, limit) + 1e-9).all()
    value = value_of(objective, A, labels, k)
    assert value >= value_of(objective, A, start, k) - 1e-13
    # Nodes that are all the volume of their cluster stay, as they do without constraints.
    assert (
        max((value_of(objective, A, m, k) for m in allowed_moves(A, labels, k, asked)), default=value) <= value + 1e-9
    )


@quick
@given(linked(max_nodes=14), st.data())
def test_gains_of_leaving_are_those_of_the_dense_matrix(case, data):
    graph, A, labels, k = case
    asked = data.draw(constraints_of(len(A), k))
    problem, gains = problem_of(graph, k, constraints=asked), np.empty(len(A))
    sizes, volumes = sums_of(A, labels, k, asked)
    counts = counts_of(asked, len(A))
    max_volume, sums = asked.max_volume(volumes.sum(), k), problem.sums(labels)
    n_over = leaving_gains(problem.task(sums), sums.arrays, labels, gains)
    over = (sizes > asked.max_size) | (volumes > max_volume)
    assert n_over == over.sum()
    room = np.minimum(1 - volumes / max_volume, 1 - sizes / asked.max_size)
    for x in range(len(A)):
        fixed = len(asked.is_fixed) and asked.is_fixed[x]
        expected = -np.inf
        if labels[x] >= 0 and over[labels[x]] and not fixed:
            links = np.array([(A[x] * (labels == c)).sum() - (labels[x] == c) * A[x, x] for c in range(k)])
            fits = (sizes + counts[x] <= asked.max_size) & (volumes + A[x].sum() <= max_volume)
            fits[labels[x]] = False
            fits &= (links > 0) | (np.arange(k) == np.argmax(room))
            if fits.any():
                expected = (links[fits].max() - links[labels[x]]) / A[x].sum()
        assert gains[x] == pytest.approx(expected, abs=1e-12)


def leave_densely(A, labels, k, constraints, order, share):
    """The dense twin of `leave_in_order`: the labels that it leaves, or None where two clusters are equally good."""
    labels, counts = labels.copy(), counts_of(constraints, len(A))
    limits = np.array(limits_of(A, labels, k, constraints))[:, None]
    loads = np.array(sums_of(A, labels, k, constraints))
    goals = limits + (1 - share) * np.maximum(0, loads - limits)
    for x in order:
        a, load = labels[x], np.array([[counts[x]], [A[x].sum()]])
        if (loads[:, a] <= goals[:, a]).all():
            continue
        links, room = (A[x][:, None] * (labels[:, None] == np.arange(k))).sum(axis=0), (1 - loads / limits).min(axis=0)
        fits = (loads + load <= limits).all(axis=0) & (np.arange(k) != a)
        fits &= (links > 0) | (np.arange(k) == np.argmax(room))
        best, emptiest = fits & (links > links[fits].max(initial=0) - 1e-9), room > room.max() - 1e-9
        if best.sum() > 1 or emptiest.sum() > 1:
            return None
        if fits.any():
            labels[x] = np.argmax(np.where(fits, links, -1))
            loads[:, [a]] -= load
            loads[:, [labels[x]]] += load
    return labels


@quick
@given(crowded(), st.sampled_from([0.5, 1.0]))
def test_leaving_in_order_against_its_dense_twin(case, share):
    graph, A, labels, k, asked = case
    order = np.random.default_rng(len(A)).permutation(np.flatnonzero(labels >= 0))
    expected = leave_densely(A, labels, k, asked, order, share)
    assume(expected is not None)
    problem, start = problem_of(graph, k, constraints=asked), labels.copy()
    sums = problem.sums(labels)
    moved = leave_in_order(problem.task(sums), sums.arrays, labels, order, share)
    np.testing.assert_array_equal(labels, expected)
    assert moved == (labels != start).sum()
    np.testing.assert_allclose([sums.size, sums.volume], sums_of(A, labels, k, asked), atol=1e-9 * A.sum())


@quick
@given(linked(max_nodes=16), st.data())
def test_relieved_clusters_keep_to_their_limits(case, data):
    graph, A, labels, k = case
    asked = data.draw(constraints_of(len(A), k))

    def are_full():
        sums, most = sums_of(A, labels, k, asked), limits_of(A, labels, k, asked)
        return np.any([s > m for s, m in zip(sums, most, strict=True)], axis=0)

    start, over = labels.copy(), are_full()
    done = relieve_full_clusters(problem_of(graph, k, constraints=asked), labels)
    now, moved = are_full(), labels != start
    assert done == (not now.any())
    # Only clusters beyond a limit lose nodes, and none is brought beyond one.
    assert not (now & ~over).any() and over[start[moved]].all()
    assert not (len(asked.is_fixed) and moved[asked.is_fixed].any())
    np.testing.assert_array_equal(labels < 0, start < 0)


def limits_of(A, labels, k, constraints):
    # The mean volume is that of clusters: nodes that are in none do not count.
    return constraints.max_size, constraints.max_share * A[labels >= 0].sum() / k * (1 + 1e-12)


def test_single_nodes_of_one_size_always_find_room():
    graph, truth = planted(4, 50, 0.3, 0.02, 0)
    for most in (50, 51, 70):
        labels = np.minimum(truth, 1).astype(np.int32)
        assert relieve_full_clusters(problem_of(graph, 4, max_size=most), labels)
        assert np.bincount(labels, minlength=4).max() <= most


@quick
@given(linked(max_nodes=14), objectives, st.data())
def test_swaps_keep_to_their_limits_and_never_lose(case, objective, data):
    graph, A, labels, k = case
    asked = data.draw(constraints_of(len(A), k))
    start, before = labels.copy(), sums_of(A, labels, k, asked)
    problem = problem_of(graph, k, objective, constraints=asked)
    sums, n_most = problem.sums(labels), len(problem.rows.indices)
    found = np.empty(n_most, dtype=np.int64), np.empty(n_most, dtype=np.int64), np.empty(n_most)
    free = (labels >= 0) & ~asked.is_fixed if len(asked.is_fixed) else labels >= 0
    known = problem.task(sums), sums.arrays, labels, free
    n, most = swap_gains(*known, -np.inf, found)
    expected = {}
    for x in np.flatnonzero(labels >= 0):
        if not (len(asked.is_fixed) and asked.is_fixed[x]):
            for b in set(labels[A[x] > 0].tolist()) - {labels[x], -1}:
                moved = labels.copy()
                moved[x] = b
                gain = value_of(objective, A, moved, k) - value_of(objective, A, labels, k)
                expected[x, labels[x] * k + b] = pytest.approx(gain, abs=1e-9)
    nodes, pairs, gains = (each[:n].tolist() for each in found)
    assert dict(zip(zip(nodes, pairs, strict=True), gains, strict=True)) == expected
    assert most == max(gains, default=-np.inf)
    least = float(np.median(gains)) if n else 0.0
    assert swap_gains(*known, least, tuple(each[:0] for each in found)) == (sum(gain > least for gain in gains), most)
    swaps = swap_between_full_clusters(problem, labels)
    value, then = (value_of(objective, A, each, k) for each in (labels, start))
    assert value >= then - 1e-12 and (swaps > 0) == (value > then + 1e-13) == bool((labels != start).any())
    for now, was, limit in zip(sums_of(A, labels, k, asked), before, limits_of(A, start, k, asked), strict=True):
        assert (now <= np.maximum(was, limit) * (1 + 1e-9)).all()
    assert not (len(asked.is_fixed) and (labels != start)[asked.is_fixed].any())


def swap_densely(A, labels, problem, limits, lists, nodes, gains):
    """The dense twin of `swap_nodes`: (labels, swaps made), or None where what a swap gains may be rounding."""
    labels, k, swaps = labels.copy(), problem.n_clusters, 0
    min_size, min_volume, max_size, max_volume = limits
    for a, b, first, last, other, other_last in lists:
        i, j = first, other
        while i < last and j < other_last and gains[i] + gains[j] > 0:
            for place in range(j, min(j + 4, other_last)):
                x, y = nodes[i], nodes[place]
                if labels[x] != a or gains[i] + gains[place] <= 0:
                    break
                if labels[y] != b:
                    continue
                swapped = labels.copy()
                swapped[[x, y]] = b, a
                sizes, volumes = (each[[a, b]] for each in sums_of(A, swapped, k, problem.constraints))
                if sizes.min() < min_size or sizes.max() > max_size:
                    continue
                if volumes.min() < min_volume or volumes.max() > max_volume:
                    continue
                gain = value_of(problem.objective, A, swapped, k) - value_of(problem.objective, A, labels, k)
                if abs(gain) < 1e-11:
                    return None
                if gain > 0:
                    labels, swaps = swapped, swaps + 1
                    break
            i += 1
            while j < other_last and labels[nodes[j]] != b:
                j += 1
    return labels, swaps


@quick
@given(crowded(), objectives)
def test_swaps_against_their_dense_twin(case, objective):
    graph, A, labels, k, asked = case
    problem, compared = problem_of(graph, k, objective, constraints=asked), []

    def both(task, sums, labels, lists, nodes, gains):
        expected = swap_densely(A, labels, problem, task[3], lists, nodes, gains)
        found = labels, swap_nodes(task, sums, labels, lists, nodes, gains)
        compared.append((found[0].copy(), found[1], expected))
        return found[1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "swap_nodes", both)
        swap_between_full_clusters(problem, labels)
    for found, swaps, expected in compared:
        if expected is not None:
            np.testing.assert_array_equal(found, expected[0])
            assert swaps == expected[1]


def test_full_clusters_exchange_what_no_single_move_can():
    graph, truth = planted(4, 50, 0.3, 0.02, 0)
    labels, asked = truth.astype(np.int32), problem_of(graph, 4, max_size=50)
    labels[:8], labels[50:58], labels[100:104], labels[150:154] = 1, 0, 3, 2
    assert move_locally(asked, labels)[1] == 0
    assert swap_between_full_clusters(asked, labels) == 12
    np.testing.assert_array_equal(labels, truth)


def test_constraints_of_groups():
    asked = Constraints(5, 1.5, np.array([1, 2, 3, 4]), np.array([False, True, False, True]))
    groups = np.array([0, 1, 0, -1], dtype=np.int32)
    of = asked.of_groups(groups, 3)
    assert (of.max_size, of.max_share) == (5, 1.5)
    assert of.counts.tolist() == [4, 2, 0] and of.is_fixed.tolist() == [False, True, False]
    assert FREE.of_groups(groups, 3).counts.tolist() == [2, 1, 0] and not len(FREE.of_groups(groups, 3).is_fixed)
    assert FREE.is_free and FREE.times(0.5).is_free and not asked.is_free
    assert (asked.times(2).max_size, asked.times(2).max_share) == (10, 3.0)


@pytest.mark.parametrize("share", [np.inf, 1.2])
def test_pieces_of_an_order_have_about_the_same_load(share):
    graph, _ = planted(4, 50, 0.3, 0.02, 0)
    rows, order = graph.rows, np.random.default_rng(0).permutation(200)[:180]
    labels = cut_in_order(order, rows, 7, Constraints(max_size=30, max_share=share))
    assert (np.diff(labels[order]) >= 0).all() and (np.delete(labels, order) == -1).all()
    load = np.full(180, 1 / 30)
    if share < np.inf:
        load = np.maximum(load, rows.degrees[order] / (share * rows.degrees[order].sum() / 7))
    loads = np.bincount(labels[order], weights=load)
    assert len(loads) == 7 and np.abs(loads - load.sum() / 7).max() <= load.max()


def test_clusters_are_renumbered_after_the_labels_that_stay():
    labels = np.array([2, 2, 2, 0, 0, 1, -1], dtype=np.int32)
    known = np.array([1, -1, 1, 2, -1, -1, 0], dtype=np.int32)
    assert matched_clusters(labels, known, 3).tolist() == [1, 1, 1, 2, 2, 0, -1]


def test_cycles_and_annealing_keep_to_constraints():
    graph, truth = planted(5, 60, 0.2, 0.05, 0)
    rng = np.random.default_rng(0)
    fixed = read_only(rng.random(300) < 0.1)
    limits = {"max_size": 130, "max_share": 1.1, "counts": read_only(rng.integers(1, 3, 300)), "is_fixed": fixed}
    asked, labels = problem_of(graph, 5, **limits), truth.astype(np.int32)
    labels[fixed] = (truth[fixed] + 1) % 5  # labels that the graph alone would not give
    start = labels.copy()
    assert relieve_full_clusters(asked, labels)
    move_in_cycles(asked, labels, rng)
    annealed = labels.copy()
    anneal(asked, annealed, np.full(50, 2.0), rng)
    assert (labels != start).any() and (annealed != labels).any()
    for found in (labels, annealed):
        np.testing.assert_array_equal(found[fixed], start[fixed])
        now = asked.sums(found)
        assert now.size.max() <= 130 and now.volume.max() <= 1.1 * now.volume.mean() * (1 + 1e-9)


# -- the least size ----------------------------------------------------------------------------------------------------


@quick
@given(linked(max_nodes=16), st.integers(1, 6), st.booleans(), st.integers(0, 99))
def test_small_clusters_grow_and_no_other_becomes_small(case, min_size, counted, seed):
    graph, A, labels, k = case
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 4, len(A)) if counted else np.ones(len(A), dtype=np.int64)
    start = labels.copy()
    moved = grow_small_clusters(
        problem_of(graph, k, min_size=min_size, **{"counts": counts} if counted else {}), labels
    )
    inside = start >= 0
    np.testing.assert_array_equal(labels >= 0, inside)
    before = np.bincount(start[inside], weights=counts[inside], minlength=k)
    after = np.bincount(labels[inside], weights=counts[inside], minlength=k)
    assert (after >= np.minimum(before, min_size)).all()
    assert (moved > 0) == (labels != start).any()
    if before.min() >= min_size:
        assert moved == 0
    if min_size == 1:  # of nodes, which is no wish: a cluster may be empty
        assert moved == 0
    elif not counted and inside.sum() >= k * min_size:
        assert after.min() >= min_size
    elif counted:
        # No move of a single group could have filled a cluster that is still small.
        for c in np.flatnonzero(after < min_size):
            assert not (inside & (labels != c) & (after[labels] - counts >= min_size)).any()


@quick
@given(linked(max_nodes=16, weighted=True), st.integers(0, 4))
def test_one_small_cluster_grows_over_its_border_best_node_first(case, less):
    graph, A, labels, _ = case
    # Cluster 1 is one node, everything else is cluster 0, so there is one way to grow.
    inside = np.flatnonzero(labels >= 0)
    min_size = max(2, len(inside) // 2 - less)
    assume(len(inside) >= 4)
    labels[inside] = 0
    labels[inside[0]] = 1
    start = labels.copy()
    moved = grow_small_clusters(problem_of(graph, 2, min_size=min_size), labels)
    assert moved == (labels != start).sum()
    degrees, links = A.sum(axis=1), A - np.diag(np.diag(A))
    grown = start.copy()
    while (grown == 1).sum() < min_size:
        border = np.flatnonzero((grown == 0) & (links[:, grown == 1] > 0).any(axis=1))
        if len(border):
            surplus = links[border][:, grown == 1].sum(axis=1) - links[border][:, grown == 0].sum(axis=1)
            surplus /= degrees[border]
            best = border[surplus >= surplus.max() - 1e-9]
        else:
            free = np.flatnonzero(grown == 0)
            best = free[degrees[free] == degrees[free].min()]
        taken = best[labels[best] == 1]
        assert len(taken)
        grown[taken[0]] = 1
    assume(len(border) == 0 or len(best) == 1)
    np.testing.assert_array_equal(grown, labels)


def test_where_there_is_no_border_nodes_come_from_the_largest_cluster():
    A = cliques([3, 5, 8])
    labels = np.repeat([0, 1, 2], [3, 5, 8]).astype(np.int32)
    assert grow_small_clusters(problem_of(Graph.from_scipy(A), 3, min_size=5), labels) == 2
    np.testing.assert_array_equal(np.bincount(labels), [5, 5, 6])
    np.testing.assert_array_equal(np.bincount(labels[8:]), [2, 0, 6])
    # An empty cluster is filled too.
    labels = np.repeat([0, 2, 2], [3, 5, 8]).astype(np.int32)
    grow_small_clusters(problem_of(Graph.from_scipy(A), 3, min_size=3), labels)
    np.testing.assert_array_equal(np.bincount(labels), [3, 3, 10])
