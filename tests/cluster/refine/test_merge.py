"""Agglomeration against a slow twin, and merge trees."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster import hierarchy as scipy_hierarchy

from graphcore import Graph
from graphcore.cluster.refine import _merge_loops as loops
from graphcore.cluster.refine import _objective_loops as objectives
from graphcore.cluster.refine.merging import agglomerate, hierarchy
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.refine.problem import cluster_sums, quotient

from ...oracles import quick, random_adjacency
from ...partitions import same_partition, value_of
from ...strategies import priced_objectives

LINKAGES = tuple(OBJECTIVES.values())
linkages = st.sampled_from(LINKAGES)
ONE = np.ones(100, dtype=np.int64)


def as_groups(A):
    """A graph as agglomeration takes it: every node a group of its own, weights stored."""
    graph = Graph.from_scipy(A)
    return quotient(graph.rows, np.arange(len(A), dtype=np.int32), len(A))


@st.composite
def group_graphs(draw, max_groups=10):
    """(GraphRows, dense matrix): no two weights equal, groups with or without weight inside, perhaps two components."""
    n = draw(st.integers(2, max_groups))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    A = random_adjacency(n, draw(st.sampled_from([0.2, 0.5, 1.0])), rng, weighted=True, loops=0.5)
    if draw(st.booleans()):
        side = rng.integers(0, 2, n)
        A[side[:, None] != side] = 0.0
    alone = A.sum(axis=1) == 0
    A[alone, alone] = rng.random(alone.sum()) + 0.1  # groups without any edge to others have one inside
    return as_groups(A), A


@pytest.mark.slow
@quick
@given(
    st.floats(1e-4, 0.4), st.floats(1e-4, 0.4), st.floats(1e-3, 0.9), st.floats(1e-3, 0.9), st.floats(0.0, 1.0),
    priced_objectives(),
)  # fmt: skip
def test_losses_are_bounded_from_below(volume, other, inside, other_inside, linked, objective):
    names, objective = "inner,volume,part,by_inner,by_volume", objective.code
    a, b = (
        np.rec.array([(i * v, v, objectives.term(objective, i * v, v), *objectives.term_slopes(objective, i * v, v))],
                     names=names)[0]
        for v, i in ((volume, inside), (other, other_inside))
    )  # fmt: skip
    link = linked * min(volume * (1 - inside), other * (1 - other_inside))
    cut, apart = 1.0 - 0.9 * (a.inner + b.inner), 1.0 - a.volume**2 - b.volume**2
    slopes = objectives.between_slopes(objective, cut, apart)
    least, loss = (
        loops._least_loss(objective, a, b, link, cut, apart, slopes),
        loops._loss(objective, a, b, link, cut, apart),
    )
    assert least <= loss + 1e-14
    larger = b if a.volume < b.volume else a  # there is no bound on the other side of chance
    is_bounded = objective[0] == OBJECTIVES["information"].kind and larger.inner > larger.volume**2 and cut <= apart
    assert np.isfinite(least) == is_bounded


def union_loss(linkage, A, labels, a, b):
    """Compute the loss of the union of clusters a and b."""
    united = np.where(labels == b, a, labels)
    size = labels.max() + 1
    return value_of(linkage, A, labels, size) - value_of(linkage, A, united, size)


def replay(linkage, A, children):
    """Yield (labels by cluster number before the step, a, b, true loss) of every step; labels grow past n."""
    n = len(A)
    names = np.arange(n)
    for i, (a, b) in enumerate(children):
        compact = np.unique(names, return_inverse=True)[1]
        first, second = compact[names == a][0], compact[names == b][0]
        yield names.copy(), a, b, union_loss(linkage, A, compact, first, second)
        names[(names == a) | (names == b)] = n + i


# -- one pair at a time ----------------------------------------------------------------------------------------------


@quick
@given(group_graphs(), priced_objectives())
def test_every_step_records_what_it_costs(pair, linkage):
    rows, A = pair
    n = len(A)
    labels, children, losses = agglomerate(rows, ONE[:n], 1, linkage=linkage)
    assert children.shape == (n - 1, 2) and (labels == 0).all()
    assert sorted(children.ravel()) == list(range(2 * n - 2))
    for (_, _, _, loss), recorded in zip(replay(linkage, A, children), losses, strict=True):
        assert recorded == pytest.approx(loss, abs=1e-10)
    start = cluster_sums(rows, np.arange(n, dtype=np.int32), n).value(linkage)
    end = cluster_sums(rows, labels, 1).value(linkage)
    assert end == pytest.approx(start - losses.sum(), abs=1e-9)


@quick
@given(group_graphs(), st.sampled_from([each for each in LINKAGES if each != OBJECTIVES["information"]]))
def test_ncut_and_modularity_take_the_cheapest_union_of_neighbours(pair, linkage):
    rows, A = pair
    _, children, losses = agglomerate(rows, ONE[: len(A)], 1, linkage=linkage)
    for (names, a, b, loss), recorded in zip(replay(linkage, A, children), losses, strict=True):
        compact = np.unique(names, return_inverse=True)[1]
        pairs = [
            (x, y) for x in range(compact.max() + 1) for y in range(x) if A[np.ix_(compact == x, compact == y)].any()
        ]
        cheapest = min((union_loss(linkage, A, compact, *pair) for pair in pairs), default=np.inf)
        linked = A[np.ix_(names == a, names == b)].any()
        assert recorded <= cheapest + 1e-10 * max(1.0, abs(cheapest)) or not linked
        if not linked:
            # Only a cluster without neighbours goes to any other, and only if no union of neighbours is cheaper.
            lonely = [side for side in (a, b) if not A[np.ix_(names == side, names != side)].any()]
            assert lonely and loss <= cheapest + 1e-10


@quick
@given(group_graphs(), linkages, st.integers(1, 10), st.integers(2, 6), st.integers(0, 99))
def test_small_clusters_go_first_to_their_best_partner(pair, linkage, n_clusters, min_size, seed):
    rows, A = pair
    n = len(A)
    sizes = np.random.default_rng(seed).integers(1, 5, n)
    labels, children, _ = agglomerate(rows, sizes, n_clusters, linkage=linkage, min_size=min_size)
    assert len(np.unique(labels)) == min(n, n_clusters) == n - len(children)
    for names, a, b, loss in replay(linkage, A, children):
        clusters, compact = np.unique(names, return_inverse=True)
        count = np.bincount(compact, weights=sizes)
        if count.min() >= min_size:
            continue
        pair_counts = {count[clusters == a][0], count[clusters == b][0]}
        assert count.min() in pair_counts
        # One of the smallest is united with its best neighbour, if it has any.
        candidates = []
        for side, other in ((a, b), (b, a)):
            if count[clusters == side][0] > count.min():
                continue
            x = np.flatnonzero(clusters == side)[0]
            around = [y for y in range(len(clusters)) if y != x and A[np.ix_(compact == x, compact == y)].any()]
            best = min((union_loss(linkage, A, compact, x, y) for y in around), default=None)
            candidates.append(best is None or (np.flatnonzero(clusters == other)[0] in around and loss <= best + 1e-9))
        assert any(candidates)
    # The smallest cluster is below the least size only where merging had to stop.
    if n_clusters == 1:
        assert sizes[labels == 0].sum() == sizes.sum()


def test_lists_of_neighbours_are_slid_together_when_room_runs_out():
    # Unions of a random sparse graph have many neighbours each: lists fill the room set aside more than once.
    A = random_adjacency(80, 0.06, np.random.default_rng(0), weighted=True)
    A = A[np.ix_(A.any(axis=1), A.any(axis=1))]
    _, children, losses = agglomerate(as_groups(A), np.ones(len(A), dtype=np.int64), 1, linkage=OBJECTIVES["ncut"])
    written = np.count_nonzero(A)
    for (names, a, b, loss), recorded in zip(replay(OBJECTIVES["ncut"], A, children), losses, strict=True):
        assert recorded == pytest.approx(loss, rel=1e-9, abs=1e-11)
        inside = (names == a) | (names == b)
        written += len(np.unique(names[A[inside].any(axis=0) & ~inside]))
    assert written > 2 * np.count_nonzero(A) + 16


# -- trees -----------------------------------------------------------------------------------------------------------


@st.composite
def partitioned_groups(draw):
    rows, A = draw(group_graphs())
    n = len(A)
    k = draw(st.integers(1, n))
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    labels = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, n - k)])).astype(np.int32)
    return rows, A, labels, k


@quick
@given(partitioned_groups(), linkages)
def test_a_tree_passes_through_the_partition_given_and_its_linkage_is_scipys(case, linkage):
    rows, A, labels, k = case
    n = len(A)
    sizes = np.arange(1, n + 1)
    tree = hierarchy(rows, sizes, labels, k, linkage=linkage)
    assert tree.n_leaves == n
    np.testing.assert_array_equal(tree.leaf_sizes, sizes)
    assert same_partition(tree.labels_at(k), labels)
    np.testing.assert_array_equal(tree.labels_at(n), np.arange(n))
    assert (tree.labels_at(1) == 0).all()
    coarser = tree.labels_at(1)
    for count in range(2, n + 1):
        finer = tree.labels_at(count)
        assert len(set(finer.tolist())) == count
        # Nested: each finer cluster lies in one coarser cluster. Numbered by first leaf.
        assert len({*zip(finer.tolist(), coarser.tolist(), strict=True)}) == count
        assert [np.flatnonzero(finer == c)[0] for c in range(count)] == sorted(
            np.flatnonzero(finer == c)[0] for c in range(count)
        )
        coarser = finer
    tree = hierarchy(rows, ONE[:n], labels, k, linkage=linkage)
    Z = tree.linkage()
    assert scipy_hierarchy.is_valid_linkage(Z, throw=True)
    assert scipy_hierarchy.is_monotonic(Z)
    np.testing.assert_allclose(np.diff(Z[:, 2]), np.diff(tree.heights), atol=1e-12 * np.abs(tree.heights).max())
    if tree.heights[0] >= 0:
        np.testing.assert_array_equal(Z[:, 2], tree.heights)
    for count in range(1, n + 1):
        # Between equal heights scipy does not cut.
        step = n - count
        if 0 < step < n - 1 and Z[step, 2] == Z[step - 1, 2]:
            continue
        assert same_partition(scipy_hierarchy.fcluster(Z, count, "maxclust"), tree.labels_at(count))


@quick
@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=40))
def test_a_heap_gives_the_smallest_key_and_of_equals_the_lower_name(steps):
    heap, held = loops.new_heap(len(steps)), []
    for name, (key, takes) in enumerate(steps):
        loops.push(heap, float(key), name)
        held.append((key, name))
        if takes:
            held.sort()
            assert loops.pop(heap) == held.pop(0)[1]
    assert heap[0].name == len(held)
