"""The search: heated moves against their sums and their law, and what is promised of the whole."""

from contextlib import nullcontext

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore import Graph, GraphWarning
from graphcore.partition import member as member_module
from graphcore.partition._heat_loops import heated_sweeps
from graphcore.partition.cluster_sums import OBJECTIVES, cluster_sums, objective_code
from graphcore.partition.constraints import FREE
from graphcore.partition.heating import heated_groups
from graphcore.partition.local_moving import move_locally
from graphcore.partition.member import Member, Task
from graphcore.partition.quotient import graph_rows, quotient
from graphcore.partition.search import search
from graphcore.partition.trials import cycle_chosen, heat_once

from ..oracles import planted
from .test_quotient import labelled


def swept(rows, labels, k, temperature, seed, objective="information", min_size=1):
    sums = cluster_sums(rows, labels, k)
    moved = heated_sweeps(
        *rows, FREE.counts, objective_code(objective), np.array([temperature]), min_size, 0.0, FREE.max_size, np.inf,
        FREE.is_fixed, np.random.default_rng(seed), sums.internal, sums.volume, sums.size, labels,
    )  # fmt: skip
    return sums, moved


@given(labelled(), st.sampled_from(OBJECTIVES), st.floats(0, 5), st.integers(1, 3), st.integers(0, 2**31 - 1))
def test_sums_follow_heated_moves(case, objective, temperature, min_size, seed):
    graph, _, labels, k = case
    rows = graph_rows(graph)
    labels = np.where(rows.degrees > 0, labels, -1).astype(np.int32)
    assume((labels >= 0).any())
    start, before = labels.copy(), cluster_sums(rows, labels, k)
    sums, moved = swept(rows, labels, k, temperature, seed, objective, min_size)
    now = cluster_sums(rows, labels, k)
    np.testing.assert_array_equal(labels < 0, start < 0)
    np.testing.assert_array_equal(sums.size, now.size)
    np.testing.assert_allclose(sums.internal, now.internal, atol=1e-9 * now.volume.sum())
    np.testing.assert_allclose(sums.volume, now.volume, atol=1e-9 * now.volume.sum())
    assert np.all(now.size >= np.minimum(before.size, min_size))
    assert moved >= np.count_nonzero(labels != start) - len(labels) * (moved > 0)
    if temperature == 0:
        assert now.value(objective) >= before.value(objective) - 1e-9


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_cycles_of_chosen_clusters_move_groups_and_leave_the_rest(objective):
    graph, truth = planted(6, 40, 0.4, 0.02, 0)
    rows, labels, limits = graph_rows(graph), truth.astype(np.int32), {"objective": objective}
    labels[:20], labels[80:84], labels[3] = 1, 4, -1  # half a cluster is elsewhere: no node alone goes back
    start = labels.copy()
    cycle_chosen(rows, labels, 6, np.array([0, 1]), np.random.default_rng(0), 5, None, 1, limits)
    values = [cluster_sums(rows, each, 6).value(objective) for each in (start, labels)]
    assert values[1] > values[0]
    back = np.delete(np.arange(40), 3)
    assert (labels[back] == 0).all() and labels[3] == -1
    np.testing.assert_array_equal(labels[80:], start[80:])  # of clusters that were not chosen
    before = labels.copy()
    cycle_chosen(rows, labels, 6, np.array([0, 1]), np.random.default_rng(0), 5, None, 1, limits)
    np.testing.assert_array_equal(labels, before)


def test_moves_for_the_worse_are_as_likely_as_the_temperature_says():
    # Two triangles joined by an edge, and in one sweep each node has one proposal on average. From the best partition
    # only ends of the edge have a neighbour elsewhere, drawn with probability 1 / 3.
    rows = graph_rows(Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5]))
    best = np.array([0, 0, 0, 1, 1, 1], dtype=np.int32)
    worse = np.array([0, 0, 1, 1, 1, 1], dtype=np.int32)
    value = cluster_sums(rows, best, 2).value("information")
    gain = cluster_sums(rows, worse, 2).value("information") - value
    temperature, n = 1.5, 20000
    counts = [swept(rows, best.copy(), 2, temperature, seed)[1] > 0 for seed in range(n)]
    accepted = np.exp(gain / (2 * temperature / len(rows.indices)))
    # The chance that none of six proposals moves.
    none = (1 - accepted * 2 / 6 / 3) ** 6
    expected = 1 - none
    assert abs(np.mean(counts) - expected) < 5 * np.sqrt(expected * none / n)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_heated_moves_leave_no_cluster_without_volume(objective):
    # Beside an edge of weight 1 that of 1e-20 vanishes from the sums of a cluster: taken out of them, nothing is left.
    rows = graph_rows(Graph.from_edges([0, 1, 2, 3, 0], [1, 2, 3, 4, 4], [1e-20, 1.0, 1e-20, 1.0, 1e-20]))
    for seed in range(50):
        labels = np.arange(5, dtype=np.int32) % 3
        sums, _ = swept(rows, labels, 3, 5.0, seed, objective)
        assert (cluster_sums(rows, labels, 3).volume > 0).all() and (sums.volume > 0).all(), seed


def start_of(k, rows):
    return np.where(rows.degrees > 0, np.arange(len(rows.degrees)) % k, -1).astype(np.int32)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_a_search_only_ever_raises_the_objective(objective):
    rows = graph_rows(planted(5, 30, 0.3, 0.03, 1)[0])
    labels = start_of(5, rows)
    found = search(rows, labels, 5, n_rounds=2, rng=np.random.default_rng(0), objective=objective, min_size=3)
    sums = cluster_sums(rows, labels, 5)
    assert np.all(np.diff(found.values) > 0) and np.all(np.diff(found.seconds) >= 0)
    assert found.values[0] == cluster_sums(rows, start_of(5, rows), 5).value(objective)
    assert found.values[-1] == pytest.approx(sums.value(objective))
    assert found.n_rounds == 2 and sums.size.min() >= 3
    again = start_of(5, rows)
    search(rows, again, 5, n_rounds=2, rng=np.random.default_rng(0), objective=objective, min_size=3, n_jobs=2)
    np.testing.assert_array_equal(labels, again)


def test_a_search_finds_what_is_planted_from_anywhere():
    graph, truth = planted(6, 40, 0.3, 0.02, 3)
    rows = graph_rows(graph)
    rng = np.random.default_rng(0)
    for seed in range(3):
        labels = rng.integers(0, 6, len(truth)).astype(np.int32)
        search(rows, labels, 6, n_rounds=3, rng=np.random.default_rng(seed))
        best = cluster_sums(rows, np.asarray(truth, dtype=np.int32), 6).value("information")
        assert cluster_sums(rows, labels, 6).value("information") >= best - 1e-9


def test_two_members_have_what_each_has_found():
    graph, truth = planted(6, 40, 0.3, 0.02, 3)
    rows, limits = graph_rows(graph), {"objective": "information", "min_size": 1, "min_share": 0.0}
    task, rng, members = Task(rows, 6, limits, None, FREE, 1, None, 0.0), np.random.default_rng(0), []
    for c in (0, 2):  # two clusters are mixed up, others in each
        labels = np.asarray(truth, dtype=np.int32).copy()
        mixed = np.flatnonzero((labels == c) | (labels == c + 1))
        labels[mixed] = c + mixed % 2
        members.append(Member(task, labels, rng.spawn(1)[0]))
    value, labels = members[0].recombined(members[0].best, members[1].best)
    best = cluster_sums(rows, np.asarray(truth, dtype=np.int32), 6).value("information")
    assert cluster_sums(rows, labels, 6).value("information") == pytest.approx(best)
    assert value == members[0].best[0] == pytest.approx(best)
    same = members[0].best
    assert members[0].recombined(same, same) is same


def test_newcomers_are_recombined_as_in_a_tournament(monkeypatch):
    rows, limits = graph_rows(planted(5, 30, 0.3, 0.03, 1)[0]), {"objective": "information", "min_size": 1}
    task, met = Task(rows, 5, limits, None, FREE, 20, None, 0.0), []
    member = Member(task, start_of(5, rows), np.random.default_rng(0))
    monkeypatch.setattr(
        member, "recombined", lambda *pair: met.append({p[1] for p in pair}) or (0, min(p[1] for p in pair))
    )
    assert [member._join((0, name))[1] for name in "abcd"] == ["a", "a", "c", "a"]
    assert met == [{"a", "b"}, {"c", "d"}, {"a", "c"}]
    assert member._waiting == [(2, (0, "a"))]


@pytest.mark.parametrize("pays", [True, False])
def test_heatings_grow_longer_where_they_pay_and_there_is_time(pays, monkeypatch):
    rows, limits = graph_rows(planted(5, 30, 0.3, 0.03, 1)[0]), {"objective": "information", "min_size": 1}
    lengths = []

    def gains(gain):
        def better(member, *given):
            member.best = member.best[0] + gain, member.best[1]
            return member.best

        return better

    monkeypatch.setattr(member_module, "heat", lambda *given: lengths.append(len(given[3])))
    monkeypatch.setattr(Member, "recombined", gains(2.0 if pays else 0.0))
    monkeypatch.setattr(Member, "_join", lambda member, newcomer: newcomer)
    monkeypatch.setattr(Member, "_improved", gains(0.0))
    labels = start_of(5, rows)
    member = Member(Task(rows, 5, limits, None, FREE, 20, None, 0.0), labels, np.random.default_rng(0))
    for done in range(18):
        member.work(done)
    assert lengths == [min(125 << i // 2 if pays else 125, 16_000) for i in range(18)]


def test_no_heating_takes_more_than_its_share_of_the_time(monkeypatch):
    rows, limits = graph_rows(planted(5, 30, 0.3, 0.03, 1)[0]), {"objective": "information", "min_size": 1}
    clock = iter([0.0, 0.5, 1.0, 101.0])  # 125 sweeps in half a second, then in 100
    monkeypatch.setattr(member_module, "heat", lambda *given: None)
    monkeypatch.setattr(member_module.time, "monotonic", lambda: next(clock))
    labels = start_of(5, rows)
    member = Member(Task(rows, 5, limits, None, FREE, 20, 80.0, 0.0), labels, np.random.default_rng(0))
    member._heated(labels)
    assert member._max_sweeps == 2000  # eight seconds
    member._heated(labels)
    assert member._max_sweeps == 125


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_heated_groups_find_what_moves_of_groups_do_not(objective, monkeypatch):
    graph, truth = planted(6, 40, 0.3, 0.03, 2)
    groups = (3 * truth + np.arange(len(truth)) % 3).astype(np.int32)  # three of each cluster
    between, limits = quotient(graph_rows(graph), groups, 18), {"objective": objective, "min_size": 1, "min_share": 0.0}
    gains = []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        start = rng.permutation(np.arange(18, dtype=np.int32) % 6)
        moved = move_locally(between, start, 6, **limits)[0].value(objective)
        kept = start.copy()
        found = heated_groups(between, start, 6, rng, FREE, limits)
        gains.append(cluster_sums(between, found, 6).value(objective) - moved)
        np.testing.assert_array_equal(start, kept)
    assert min(gains) > -1e-12 and (objective == "ncut" or np.mean(gains) > 0.05)
    monkeypatch.setattr("graphcore.partition.heating._PROPOSALS", 100)  # too few for sweeps
    assert heated_groups(between, kept, 6, rng, FREE, limits) is kept


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_heating_once_only_ever_raises_the_objective(objective):
    rows = graph_rows(planted(5, 30, 0.2, 0.05, 1)[0])
    for seed in range(5):
        labels = start_of(5, rows)
        before = cluster_sums(rows, labels, 5).value(objective)
        better, value, samples = heat_once(
            rows, labels, before, 5, n_sweeps=5, n_cycles=3, rng=np.random.default_rng(seed), objective=objective,
            min_size=1, min_share=0.0,
        )  # fmt: skip
        assert value >= before and value == pytest.approx(cluster_sums(rows, better, 5).value(objective))
        assert len(samples) == 4 and all((each >= 0).all() for each in samples)
        np.testing.assert_array_equal(labels, start_of(5, rows))


def test_a_time_limit_and_an_interrupt_end_it_with_the_best_so_far(monkeypatch):
    rows = graph_rows(planted(5, 30, 0.3, 0.03, 1)[0])
    labels = start_of(5, rows)
    assert search(rows, labels, 5, n_rounds=3, rng=np.random.default_rng(0), time_limit=0.0).n_rounds == 0
    np.testing.assert_array_equal(labels, start_of(5, rows))
    rounds = []
    search(
        rows, labels, 5, n_rounds=2, rng=np.random.default_rng(0),
        announced=lambda number: nullcontext(rounds.append(number)),
    )  # fmt: skip
    assert rounds == [1, 2]
    best = cluster_sums(rows, labels, 5).value("information")
    formed, kept = member_module.form_anew, labels.copy()

    def interrupted(*args):
        if interrupted.left:
            interrupted.left -= 1
            return formed(*args)
        raise KeyboardInterrupt

    interrupted.left = 5
    monkeypatch.setattr(member_module, "form_anew", interrupted)
    with pytest.warns(GraphWarning, match="interrupted in round 1 of 2 of the search"):
        found = search(rows, labels, 5, n_rounds=2, rng=np.random.default_rng(1))
    assert found.n_rounds == 0
    value = cluster_sums(rows, labels, 5).value("information")
    assert value >= best and (value > best or np.array_equal(labels, kept))


def test_one_cluster_and_clusters_without_neighbours():
    pairs = graph_rows(Graph.from_edges([0, 2, 4], [1, 3, 5]))
    for k in (1, 2, 3):
        labels = np.repeat(np.arange(3), 2).astype(np.int32) % k
        search(pairs, labels, k, n_rounds=1, rng=np.random.default_rng(0))
        assert len(set(labels)) == k
