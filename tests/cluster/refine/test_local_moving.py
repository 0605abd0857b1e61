"""The objectives against their formulas, and moves that never lower them."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.cluster.refine import _objective_loops
from graphcore.cluster.refine import improve as module
from graphcore.cluster.refine._move_loops import batch_assign
from graphcore.cluster.refine.improve import block_sweep, move_locally
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.refine.problem import ANY_SIZE, cluster_sums, slopes
from graphcore.graphs import rows as passes

from ...metrics.oracles import conductances
from ...oracles import dense_kernel, memberships, planted, quick, random_adjacency
from ...partitions import sums_of, value_of, value_of_shares
from ...strategies import PRICED_OBJECTIVES, objectives, priced_objectives, problem_of
from .test_quotient import indicator, labelled, linked
from .test_sizes import counts_of, limits_of

# -- the objectives ---------------------------------------------------------------------------------------------------


@quick
@given(labelled(), priced_objectives())
def test_sums_and_value_are_those_of_the_formulas_and_ncut_is_k_minus_k_times_the_normalised_cut(case, objective):
    graph, A, labels, k = case
    inner, volumes = sums_of(A, labels, k)
    sums = cluster_sums(graph.rows, labels, k)
    np.testing.assert_allclose(sums.internal, inner, rtol=1e-12)
    np.testing.assert_allclose(sums.volume, volumes, rtol=1e-12)
    np.testing.assert_array_equal(sums.size, np.bincount(labels[labels >= 0], minlength=k))
    assume(volumes.sum() > 0)
    assert sums.value(objective) == pytest.approx(value_of(objective, A, labels, k), rel=1e-9, abs=1e-11)
    # A cluster without nodes adds nothing to the objective, and 1 to k times the normalised cut.
    normalised_cuts = conductances(A, labels, k).sum()
    assert sums.value(OBJECTIVES["ncut"]) == pytest.approx(k - normalised_cuts, abs=1e-11)


@pytest.mark.parametrize("objective", PRICED_OBJECTIVES, ids=str)
@quick
@given(st.integers(1, 6), st.integers(0, 2**32 - 1))
def test_slopes_are_numerical_derivatives(objective, k, seed):
    rng = np.random.default_rng(seed)
    volumes = rng.random(k) + 0.1
    unit = rng.choice([1.0, 50.0])
    inner = volumes * rng.uniform(0.1, 0.9, k)
    total = volumes.sum()
    by_inner, by_volume = slopes(objective, unit * inner, unit * volumes)
    inner, volumes = inner / total, volumes / total
    step = 1e-6
    for c in range(k if k > 1 else 0):
        bump = step * (np.arange(k) == c)
        rise = value_of_shares(objective, inner + bump, volumes) - value_of_shares(objective, inner - bump, volumes)
        assert by_inner[c] == pytest.approx(rise / (2 * step), rel=1e-5, abs=1e-6)
        rise = value_of_shares(objective, inner, volumes + bump) - value_of_shares(objective, inner, volumes - bump)
        assert by_volume[c] == pytest.approx(rise / (2 * step), rel=1e-5, abs=1e-6)


@quick
@given(
    st.floats(1e-6, 0.9), st.floats(1e-3, 1.0), st.floats(0.0, 2.0), st.floats(0.0, 2.0), st.floats(0.0, 0.5),
    st.sampled_from([1.0, 50.0]),
)  # fmt: skip
def test_what_a_part_gains_is_bounded(volume, inside, more_inner, more_volume, price, unit):
    inner, term = inside * volume, _objective_loops.term
    code = OBJECTIVES["information"].at(price=price).code
    by_inner, by_volume = _objective_loops.term_slopes(code, inner, volume)
    cluster = np.rec.array(
        [(unit * inner, unit * volume, by_inner, by_volume)], names="inner,volume,by_inner,by_volume"
    )
    for step in (1.0, 1e-3):
        gained, grown = step * more_inner * inner, step * more_volume * volume
        gain = term(code, inner + gained, volume + grown) - term(code, inner, volume)
        most = _objective_loops.most_gained(code, cluster[0], unit * gained, unit * grown) / unit
        assert gain <= most + 1e-14
        # Exact to the second order.
        assert step == 1.0 or most - gain <= 1e-9 * volume * 30


# -- batch sweeps ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@quick
@given(linked())
def test_batch_assignment_by_ncut_is_a_step_of_weighted_kernel_k_means(case):
    graph, A, labels, k = case
    by_sums, out = slopes(OBJECTIVES["ncut"], *sums_of(A, labels, k)), np.empty_like(labels)
    changed = batch_assign(graph.rows[:], by_sums, labels, 0, len(labels), _objective_loops.places(k), out)
    assert changed == (out != labels).sum()
    # Dense: centroids m_c of K = D^-1 A D^-1 with weights D. A node compares ||m_c||^2 - 2 <phi(x), m_c> over its own
    # cluster and those around it; its own self-loop is part of <phi(x), m_own>.
    K, w = dense_kernel(A)
    on = labels >= 0
    M = np.zeros((k, len(A)))
    used = np.unique(labels[on])
    M[used] = memberships(w[on], labels[on], k)[used] @ np.eye(len(A))[on]
    norms = np.einsum("cx,xy,cy->c", M, K, M)
    for x in np.flatnonzero(on):
        scores = norms - 2 * M @ K[x]
        around = {labels[x], *labels[np.flatnonzero(A[x])].tolist()} - {-1}
        scale = np.abs(scores[list(around)]).max() + 1e-300
        best = min(scores[c] for c in around)
        assert out[x] in around
        assert scores[out[x]] <= best + 1e-9 * scale
        if out[x] != labels[x]:
            assert scores[out[x]] < scores[labels[x]] + 1e-12 * scale
    np.testing.assert_array_equal(out[~on], -1)


@pytest.mark.slow
@quick
@given(linked(max_nodes=20), objectives, st.integers(1, 5), st.integers(1, 30))
def test_a_block_sweep_is_steepest_ascent_turn_by_turn(case, objective, n_turns, entries):
    graph, A, labels, k = case
    n = len(labels)
    inner, volumes = sums_of(A, labels, k)
    by_inner, by_volume = slopes(objective, inner, volumes)
    out = labels.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "SWEEP_TURNS", n_turns)
        patch.setattr(passes, "_ENTRIES_PER_BLOCK", entries)
        block_sweep(problem_of(graph, k, objective), out, n_jobs=2)
        spans = passes.pass_spans(graph.indptr)
    np.testing.assert_array_equal(out < 0, labels < 0)
    turn = np.concatenate([np.full(last - first, i % n_turns) for i, (first, last) in enumerate(spans)])
    assert len(turn) == n
    for now in range(n_turns):
        seen = np.where(turn < now, out, labels)
        links = A @ indicator(seen, k)
        scores = 2 * links * by_inner + A.sum(axis=1)[:, None] * by_volume
        for x in np.flatnonzero((turn == now) & (labels >= 0)):
            around = np.flatnonzero((links[x] > 0) | (np.arange(k) == labels[x]))
            assert out[x] in around
            assert scores[x, out[x]] >= scores[x, around].max() - 1e-9 * np.abs(scores[x, around]).max()


# -- single moves ----------------------------------------------------------------------------------------------------


def best_single_move(objective, A, labels, k, counts, min_size, max_size=ANY_SIZE, is_fixed=None):
    """Most that the objective rises when one node goes to a cluster around it, as far as sizes allow."""
    best = -np.inf
    before = value_of(objective, A, labels, k)
    sizes = np.bincount(labels[labels >= 0], weights=counts[labels >= 0], minlength=k)
    for x in np.flatnonzero(labels >= 0):
        if sizes[labels[x]] - counts[x] < min_size or (is_fixed is not None and is_fixed[x]):
            continue
        for c in set(labels[np.flatnonzero(A[x])].tolist()) - {-1, labels[x]}:
            if sizes[c] + counts[x] > max_size:
                continue
            moved = labels.copy()
            moved[x] = c
            best = max(best, value_of(objective, A, moved, k) - before)
    return best


@quick
@given(linked(max_nodes=16), priced_objectives(), st.integers(0, 4), st.booleans(), st.data())
def test_moves_end_in_a_local_optimum_within_limits_and_never_lower_the_objective(
    case, objective, min_size, shuffled, data
):
    graph, A, labels, k = case
    limits = {"min_size": min_size} | data.draw(limits_of(len(A)))
    rng, counts = np.random.default_rng(data.draw(st.integers(0, 99))), counts_of(limits, len(A))
    order, start = rng.permutation(len(A)) if shuffled else None, labels.copy()
    problem = problem_of(graph, k, objective, **limits)
    sizes = np.bincount(start[start >= 0], weights=counts[start >= 0], minlength=k)
    value = value_of(objective, A, labels, k)
    for _ in range(200):
        sums, moves = move_locally(problem, labels, n_passes=1, order=order)
        risen = value_of(objective, A, labels, k)
        assert risen >= value - 1e-13 if moves == 0 else risen > value
        value = risen
        inner, volumes = sums_of(A, labels, k)
        np.testing.assert_allclose(sums.internal, inner, atol=1e-9 * A.sum())
        np.testing.assert_allclose(sums.volume, volumes, atol=1e-9 * A.sum())
        now = np.bincount(labels[labels >= 0], weights=counts[labels >= 0], minlength=k)
        np.testing.assert_array_equal(sums.size, now)
        # No cluster below the least size has shrunk, none at or above it has gone below, none has been emptied.
        assert (now >= np.minimum(sizes, min_size)).all() and (now <= np.maximum(sizes, limits["max_size"])).all()
        assert not (limits.get("is_fixed", False) & (labels != start)).any()
        sizes = now
        np.testing.assert_array_equal(labels < 0, start < 0)
        if moves == 0:
            break
    else:
        pytest.fail("still moving after 200 passes")

    labels = start.copy()
    move_locally(problem, labels, n_passes=1000, order=order)
    assert value_of(objective, A, labels, k) >= value_of(objective, A, start, k) - 1e-13
    assert best_single_move(objective, A, labels, k, **limits | {"counts": counts}) <= 1e-12


@pytest.fixture
def turns(limits):
    """Small graphs are looked at in turns of several blocks, as large ones are."""
    limits(module, _LARGE=1, _BLOCKS=9, _PASS_TURNS=3)


@pytest.mark.slow
@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
def test_moves_in_turns_end_in_a_local_optimum_whatever_the_threads(turns, objective):
    for seed in range(12):
        rng = np.random.default_rng(seed)
        A = random_adjacency(30, 0.3, rng, weighted=seed % 2 == 0, loops=0.2)
        k, ordered = int(rng.integers(2, 5)), seed % 3 == 0
        start = rng.integers(0, k, 30).astype(np.int32)
        start[(A.sum(axis=1) == 0) | (rng.random(30) < 0.1)] = -1
        problem, results = problem_of(Graph.from_scipy(A), k, objective, min_size=2), []
        options = {"n_passes": 1000, "order": rng.permutation(30) if ordered else None}
        for n_jobs in (1, 2, 3):
            labels = start.copy()
            sums, moves = move_locally(problem, labels, n_jobs=n_jobs, **options)
            results.append((labels, moves, sums.internal))
        for labels, moves, internal in results[:-1]:
            assert moves == results[-1][1]
            np.testing.assert_array_equal(labels, results[-1][0])
            np.testing.assert_array_equal(internal, results[-1][2])
        labels = results[0][0]
        inner, volumes = sums_of(A, labels, k)
        np.testing.assert_allclose(sums.internal, inner, atol=1e-9 * A.sum())
        np.testing.assert_allclose(sums.volume, volumes, atol=1e-9 * A.sum())
        np.testing.assert_array_equal(sums.size, np.bincount(labels[labels >= 0], minlength=k))
        assert value_of(objective, A, labels, k) >= value_of(objective, A, start, k)
        assert best_single_move(objective, A, labels, k, np.ones(30, dtype=int), 2) <= 1e-12, seed


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
def test_a_look_leaves_active_what_would_move_and_changes_nothing_else(objective):
    graph, truth = planted(4, 30, 0.3, 0.05, 0)
    rows, rng = graph.rows, np.random.default_rng(0)
    start = np.where(rng.random(120) < 0.4, rng.integers(0, 4, 120), truth).astype(np.int32)
    problem, movers = problem_of(rows, 4, objective), []
    room = module._move_loops.room(problem.n_clusters)
    for x in range(120):
        labels, sums, active = start.copy(), problem.sums(start), np.arange(120) == x
        visits, ends = (np.empty(0, dtype=np.int64), x, x + 1, True), (1, 0.0)
        module._move_loops.move_nodes(problem.task(sums), sums.arrays, labels, active, visits, ends, False, room)
        movers.append(labels[x] != start[x])
    sums, active, labels = problem.sums(start), np.ones(120, dtype=bool), start.copy()
    before = [array.copy() for array in sums.arrays]
    visits, ends = (np.empty(0, dtype=np.int64), 20, 90, True), (1, 0.0)
    moves, _ = module._move_loops.move_nodes(problem.task(sums), sums.arrays, labels, active, visits, ends, True, room)
    np.testing.assert_array_equal(active[20:90], movers[20:90])
    assert moves == active[20:90].sum() > 10
    assert active[:20].all() and active[90:].all()
    np.testing.assert_array_equal(labels, start)
    for array, then in zip(sums.arrays, before, strict=True):
        np.testing.assert_array_equal(array, then)
