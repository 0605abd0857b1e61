"""The loop: rounds of drafts that meet as in a tournament, when it ends, and what it leaves; drafts by eigenvectors."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from graphcore import CoresetSpectralClustering, Graph, GraphWarning
from graphcore.base.streams import Streams
from graphcore.cluster import pipeline as loop
from graphcore.cluster import settings
from graphcore.cluster.pipeline import Draft, find_partition
from graphcore.cluster.refine.improve import improve
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.refine.problem import Partition

from ...oracles import planted
from ...strategies import problem_of


@pytest.fixture(scope="module")
def case():
    return planted(5, 30, 0.3, 0.03, 1)


def random_draft(number, earlier, best, streams, n_jobs, stages):
    """Labels of 150 nodes by chance."""
    return Draft(streams.generator("draft").integers(0, 5, 150).astype(np.int32))


def found_in(case, objective="information", seed=0, make_draft=random_draft, **options):
    problem = problem_of(case[0], 5, objective, min_size=3)
    return problem, find_partition(problem, make_draft, Streams(seed), **options)


# -- what is promised --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_the_loop_only_ever_raises_the_objective_whatever_the_threads(case, objective):
    problem, found = found_in(case, objective, max_drafts=7, n_jobs=1)
    steps, best = found.steps, found.best
    assert np.all(np.diff(steps.values) >= 0) and np.all(np.diff(steps.seconds) > 0) and steps.n_drafts == 7
    assert [name for name, _ in found.history] == [
        "draft", "moves", "cycles", "2 drafts recombined", "4 drafts recombined", "7 drafts recombined",
    ]  # fmt: skip
    values = [value for _, value in found.history]
    assert values[:3] == sorted(values[:3]) and values[3:] == steps.values.tolist() and values[3] >= values[2]
    sums = problem.sums(best.labels)
    assert best.value == steps.values[-1] == pytest.approx(sums.value(objective))
    assert best.fits and sums.size.min() >= 3
    for n_jobs in (2, 3):
        again = found_in(case, objective, max_drafts=7, n_jobs=n_jobs)[1]
        np.testing.assert_array_equal(again.best.labels, best.labels)
        assert again.history == found.history
        for one, other in zip(again.base_partitions, found.base_partitions, strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_loop_finds_what_is_planted_from_anywhere():
    graph, truth = planted(6, 40, 0.3, 0.02, 3)
    problem = problem_of(graph, 6)
    best = problem.sums(truth.astype(np.int32)).value("information")
    for seed in range(3):
        rng = np.random.default_rng(seed)
        drafts = [Draft(rng.integers(0, 6, 240).astype(np.int32)) for _ in range(4)]
        found = find_partition(problem, lambda number, *_, drafts=drafts: drafts[number], Streams(seed), 4)
        assert found.best.value >= best - 1e-9


def test_one_cluster_and_clusters_without_neighbours():
    pairs = Graph.from_edges([0, 2, 4], [1, 3, 5])
    for k in (1, 2, 3):
        labels = np.repeat(np.arange(3), 2).astype(np.int32) % k
        found = find_partition(problem_of(pairs, k), lambda *_, labels=labels: Draft(labels), Streams(0), 6)
        assert len(set(found.best.labels)) == k


def test_the_first_drafts_are_the_witnesses_as_improved(case, limits):
    improved = []

    def told(*given):
        improved.append(improve(*given))
        return improved[-1]

    limits(loop, improve=told, recombine=lambda problem, one, other, *_: max(one, other, key=Partition.rank))
    _, found = found_in(case, max_drafts=6, n_jobs=1)
    assert len(found.base_partitions) == 4 and len(improved) == 6
    for labels, each in zip(found.base_partitions, improved, strict=False):
        np.testing.assert_array_equal(labels, each.labels)
    assert found.best.value == max(each.value for each in improved)
    np.testing.assert_array_equal(
        found.first.labels, random_draft(0, [], None, Streams(0).child("draft", 0), 1, None).labels
    )
    assert len(found_in(case, max_drafts=3)[1].base_partitions) == 3


# -- rounds ------------------------------------------------------------------------------------------------------------


class Drafts:
    """Stands in for all the work: a draft's labels are its number, and each recombination raises the value."""

    def __init__(self, rise=0.0, value=lambda number: 1.0):
        self.met, self.drawn, self.seen = [], [], {}
        self.rise, self.value = rise, value

    def make(self, number, earlier, best, streams, n_jobs, stages):
        self.seen[number] = len(earlier), None if best is None else int(best[0])
        return Draft(np.full(150, number, dtype=np.int32))

    def improve(self, problem, labels, *_):
        return Partition(True, self.value(labels[0]), labels)

    def recombine(self, problem, one, other, rng, n_jobs):
        self.met.append((int(one.labels[0]), int(other.labels[0])))
        self.drawn.append(int(rng.integers(2**63)))
        better = max(one, other, key=Partition.rank)
        return better._replace(value=better.value * (1 + self.rise), labels=one.labels)

    def found(self, case, objective="information", **options):
        return found_in(case, objective, make_draft=self.make, n_jobs=1, **options)[1]


@pytest.fixture
def drafts_of(limits):
    """A function that has the loop work with `Drafts` and returns them."""

    def stand_in(**options):
        drafts = Drafts(**options)
        limits(loop, improve=drafts.improve, recombine=drafts.recombine)
        return drafts

    return stand_in


def test_drafts_meet_as_in_a_tournament(case, drafts_of):
    drafts = drafts_of()
    found = drafts.found(case, max_drafts=11)
    assert drafts.met == [
        (0, 1), (2, 3), (0, 2), (4, 5), (6, 7), (4, 6), (0, 4), (8, 9), (8, 10), (0, 8),
    ]  # fmt: skip
    assert len(found.steps.values) == 4 and found.steps.n_drafts == 11
    # Each looks at those of the rounds before, and at the best of them.
    assert drafts.seen == {0: (0, None), 1: (0, None), 2: (2, 0), 3: (2, 0)} | dict.fromkeys(range(4, 11), (4, 0))


def test_rounds_grow_with_the_drafts_and_random_numbers_differ(case, drafts_of):
    drafts = drafts_of()
    found = drafts.found(case, max_drafts=50)
    assert [int(name.split()[0]) for name, _ in found.history] == [2, 4, 8, 16, 32, 48, 50]
    assert len(set(drafts.drawn)) == len(drafts.drawn) == 49


def test_a_search_without_end_ends_where_rounds_gain_nothing(case, drafts_of):
    assert drafts_of().found(case, max_drafts=None, price=1e-300).steps.n_drafts == 16
    graph = Graph.from_edges([0, 1, 0, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    assert CoresetSpectralClustering(2, effort="best", random_state=0).fit_predict(graph).tolist() == [0, 0, 0, 1, 1, 1]


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize(
    ("price", "rise", "n_drafts"),
    # In units of what drafts differ by as a rule, a share of which counts as a gain where there are few.
    [(1.0, 0.0, 1), (0.9, 0.0, 2), (0.2, 0.0, 4), (0.02, 0.0, 8), (0.9, 1.9, 4), (0.9, 1.7, 2), (0.2, 1.7, 16)],
)
def test_the_loop_ends_where_a_round_gains_less_than_its_price(case, objective, price, rise, n_drafts, drafts_of):
    spread, entries = OBJECTIVES[objective].spread, case[0].n_entries
    drafts = drafts_of(rise=rise * spread / (1 - rise * spread))
    price = price * spread / entries * (1 + 1e-9)
    assert drafts.found(case, objective, price=price).steps.n_drafts == n_drafts


def test_no_draft_is_lost_where_the_time_is_over(case, drafts_of, limits):
    assert drafts_of().found(case, time_limit=0.0).steps.n_drafts == 2
    # Time is over while the third round is drafted, which is the best.
    clock = [0.0]
    drafts = drafts_of(value=float)
    made = drafts.make

    def make(number, *rest):
        clock[0] = 10.0 * (number >= 6)
        return made(number, *rest)

    limits(loop.time, monotonic=lambda: clock[0])
    drafts.make = make
    found = drafts.found(case, time_limit=10.0)
    assert found.steps.n_drafts == 8 and found.best.value == 7.0
    assert found.steps.seconds.tolist() == [0.0, 0.0, 10.0]


def test_a_round_begins_only_if_it_should_end_in_time(case, drafts_of, limits):
    clock = [0.0]
    drafts = drafts_of()
    made = drafts.make

    def make(*given):
        clock[0] += 1.0
        return made(*given)

    limits(loop.time, monotonic=lambda: clock[0])
    drafts.make = make
    for limit, n_drafts in ((0.5, 2), (2.9, 2), (3.0, 3), (7.9, 7), (9.0, 9)):
        assert drafts.found(case, time_limit=limit).steps.n_drafts == n_drafts
    # One draft comes first where a second would not pay without a limit.
    assert drafts.found(case, time_limit=0.5, first_price=np.inf).steps.n_drafts == 1
    assert drafts.found(case, time_limit=4.0, first_price=np.inf).steps.n_drafts == 4
    # The third looks at the first two.
    assert [drafts.seen[number][0] for number in range(4)] == [0, 1, 2, 2]


@pytest.mark.parametrize("effort", ["default", "high", "best"])
def test_a_time_limit_where_the_first_round_has_one_draft(effort, monkeypatch):
    monkeypatch.setattr(settings.Settings, "first_price", np.inf)
    monkeypatch.setattr(loop.time, "monotonic", lambda: 0.0)
    graph, truth = planted(6, 40, 0.3, 0.02, 3)
    model = CoresetSpectralClustering(6, effort=effort, time_limit=5.0, random_state=0).fit(graph)
    assert model.clustering_.search.n_drafts >= 4
    assert adjusted_rand_score(truth, model.labels_) == 1.0


def test_a_time_limit_alone_begins_as_the_default_does():
    graph, _ = planted(6, 40, 0.3, 0.02, 3)
    usual, limited = (settings.resolve_settings(graph, 6, time_limit=limit) for limit in (None, 5.0))
    assert (usual.first_price, limited.price) == (0.0, 0.0)
    assert limited.first_price == usual.price > 0.0


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_after_the_first_round_returns_the_best_where_it_is_kept(case, n_jobs):
    def interrupted_at(last):
        def make(number, *rest):
            if number == last:
                raise KeyboardInterrupt
            return random_draft(number, *rest)

        return make

    for last, keeps_best in ((0, True), (1, True), (7, False)):
        with pytest.raises(KeyboardInterrupt):
            found_in(case, make_draft=interrupted_at(last), max_drafts=8, keeps_best=keeps_best, n_jobs=n_jobs)
    best = found_in(case, max_drafts=4)[1].best
    for last in (4, 7):
        with pytest.warns(GraphWarning, match="interrupted after 4 drafts: the best labels so far"):
            found = found_in(case, make_draft=interrupted_at(last), max_drafts=8, keeps_best=True, n_jobs=n_jobs)[1]
        np.testing.assert_array_equal(found.best.labels, best.labels)
        assert found.steps.n_drafts == 4 and len(found.base_partitions) == 4


@pytest.mark.parametrize(("effort", "n_drafts"), [(1, 1), ("fast", 1), ("default", 4), (3, 3)])
def test_effort_is_a_number_of_drafts(case, effort, n_drafts):
    model = CoresetSpectralClustering(5, effort=effort, random_state=0).fit(case[0])
    assert model.clustering_.search.n_drafts == n_drafts
    assert (model.stability_ is None) == (n_drafts == 1)
    if n_drafts > 1:  # shares of the first drafts, at most four
        shares = model.stability_ * min(n_drafts, 4)
        np.testing.assert_allclose(shares, shares.round(), atol=1e-5)


def test_the_default_has_more_patience_with_modularity(case):
    model = CoresetSpectralClustering(None, objective="modularity", random_state=0).fit(case[0])
    assert model.clustering_.search.n_drafts == 8 and not model.clustering_.settings.is_search


def test_large_graphs_have_one_draft(case, limits):
    price = OBJECTIVES["information"].spread / case[0].n_entries  # as that of the default is on a million entries
    limits(settings, EFFORTS=settings.EFFORTS | {"default": (4, price)})
    model = CoresetSpectralClustering(5, random_state=0).fit(case[0])
    assert model.clustering_.search.n_drafts == 1 and model.stability_ is None and model.cluster_stability_ is None
    assert [name for name, _ in model.clustering_.history] == ["draft", "moves", "cycles"]
    assert CoresetSpectralClustering(5, effort=2, random_state=0).fit(case[0]).clustering_.search.n_drafts == 2
