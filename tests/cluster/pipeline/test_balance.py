"""A price on the clusters' entropy, and how it is chosen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score

import graphcore
from graphcore import ParameterError
from graphcore.cluster.pipeline import BALANCES, _agreement, cluster_graph
from graphcore.cluster.settings import resolve_settings

from ...oracles import planted
from ...partitions import check_model


@pytest.fixture(scope="module")
def uneven():
    """Vectors in a cluster of 2,000 and five small ones, and their clusters."""
    rng = np.random.default_rng(1)
    sizes = [2000, 200, 100, 50, 30, 20]
    X = np.concatenate([rng.normal(4 * rng.normal(size=16), 1.0, (size, 16)) for size in sizes])
    return X, np.repeat(np.arange(6), sizes)


@pytest.fixture(scope="module")
def model(uneven):
    return graphcore.CoresetSpectralClustering(6, random_state=0).fit(uneven[0])


@pytest.mark.slow
def test_a_large_cluster_stays_whole(uneven, model):
    X, truth = uneven
    for fitted in (model, *(graphcore.CoresetSpectralClustering(6, random_state=seed).fit(X) for seed in (1, 2))):
        assert fitted.balance_ < 1.0
        assert adjusted_rand_score(truth, fitted.labels_) > 0.98
        check_model(fitted, new=X[:5])
    even = graphcore.CoresetSpectralClustering(6, balance=1.0, random_state=0).fit(X)
    assert even.balance_ == 1.0
    assert even.clustering_.balances == ()
    assert adjusted_rand_score(truth, even.labels_) < 0.6


@given(st.integers(0, 1000))
def test_agreement_is_the_adjusted_rand_index_of_nodes_drawn_by_volume(seed):
    rng = np.random.default_rng(seed)
    volumes = rng.integers(1, 4, size=20)
    one, other = rng.integers(0, 4, (2, 20))
    # Drawing pairs with repetition, as scikit-learn does in the limit of many copies of every node.
    pairs = np.outer(volumes, volumes) / volumes.sum() ** 2
    same, alike = one[:, None] == one, other[:, None] == other
    both, first, second = ((pairs * x).sum() for x in (same & alike, same, alike))
    expected = (both - first * second) / ((first + second) / 2 - first * second)
    assert _agreement(one, other, volumes) == pytest.approx(expected)
    assert _agreement(one, (one + 1) % 4, volumes) == pytest.approx(1.0)
    copies = np.repeat(np.arange(20), 500 * volumes)
    assert expected == pytest.approx(adjusted_rand_score(one[copies], other[copies]), abs=1e-3)


@pytest.mark.slow
def test_noise_does_not_have_the_large_cluster_cut():
    # Half of all in one of 20 clusters, a fifth of all noise: by J alone the large one is cut, wherever it happens.
    rng = np.random.default_rng(0)
    sizes = [4000] + [100] * 19
    X = np.concatenate([1.2 * rng.normal(size=32) + rng.normal(size=(size, 32)) for size in sizes])
    noise = rng.uniform(X.min(axis=0), X.max(axis=0), (1400, 32))
    truth = np.repeat(np.arange(20), sizes)
    graph = graphcore.knn_graph(np.concatenate([X, noise]), 10, random_state=0)
    for seed in range(3):
        model = graphcore.CoresetSpectralClustering(20, random_state=seed).fit(graph)
        trials = {trial.balance: trial for trial in model.clustering_.balances}
        assert trials[model.balance_].agreement >= trials[1.0].agreement
        assert adjusted_rand_score(truth, model.labels_[: len(truth)]) > 0.9


def test_where_the_choice_is_one_nothing_changes():
    graph, _ = planted(6, 60, 0.3, 0.02, 0)
    for effort in ("fast", "default", 6):
        chosen, given = (
            cluster_graph(graph, resolve_settings(graph, 6, balance=balance, effort=effort), random_state=3)
            for balance in ("auto", 1.0)
        )
        assert chosen.settings == given.settings
        np.testing.assert_array_equal(chosen.labels, given.labels)
        assert chosen.history == given.history


def test_what_was_tried_is_told_and_kept(uneven, model, tmp_path):
    X, _ = uneven
    trials = model.clustering_.balances
    assert tuple(trial.balance for trial in trials) == BALANCES
    for trial in trials:
        assert 0 < trial.information <= trial.entropy <= np.log(6)
        doubt = max(1 - trial.information / trial.entropy, 0.01)
        assert trial.score == pytest.approx(np.log(trial.information) - 0.15 * np.log(doubt) + 0.3 * trial.agreement)
    best = max(trial.score for trial in trials)
    assert model.balance_ == next(trial.balance for trial in trials if trial.score >= best - 0.05)
    first = trials[0]
    price = (1 - model.balance_) * first.information / first.entropy
    assert model.clustering_.settings.entropy_price == pytest.approx(price)
    model.save(tmp_path / "model.npz")
    again = graphcore.load(tmp_path / "model.npz")
    assert again.clustering_.settings == model.clustering_.settings
    assert again.clustering_.balances == trials
    np.testing.assert_array_equal(again.predict(X[:50]), model.predict(X[:50]))


def test_labels_do_not_depend_on_threads(uneven, model):
    again = graphcore.CoresetSpectralClustering(6, random_state=0, n_jobs=2).fit(uneven[0])
    np.testing.assert_array_equal(again.labels_, model.labels_)
    assert again.clustering_.balances == model.clustering_.balances


@pytest.mark.parametrize(
    "given",
    [
        {"balance": 0}, {"balance": 1.5}, {"balance": "even"}, {"balance": True}, {"balance": None},
        {"balance": 0.5, "objective": "ncut"}, {"balance": 0.5, "objective": "modularity"},
        {"balance": 0.5, "published": True},
    ],
)  # fmt: skip
def test_wrong_values(given):
    graph, _ = planted(2, 20, 0.5, 0.1, 0)
    with pytest.raises(ParameterError, match="balance"):
        graphcore.CoresetSpectralClustering(2, **given).fit(graph)


@pytest.mark.parametrize("given", [{"objective": "ncut"}, {"objective": "modularity"}, {"published": True}])
def test_where_it_has_no_part(given):
    graph, _ = planted(2, 20, 0.5, 0.1, 0)
    for balance in ("auto", 1, 1.0):
        assert graphcore.CoresetSpectralClustering(2, balance=balance, random_state=0, **given).fit(graph).balance_ == 1
