"""Streams repeat, are independent of each other, and take every kind of random_state."""

import itertools

import numpy as np
import pytest

from graphcore import ParameterError
from graphcore.base.streams import Streams, draw_by_weight

from ..cluster.test_importance import Tree


def draw(streams, *name):
    return streams.generator(*name).integers(2**63, size=4).tolist()


@pytest.mark.parametrize("seed", [0, 7, np.int32(7), np.uint64(2**63), 2**100, np.random.SeedSequence(3)])
def test_same_seed_same_streams(seed):
    assert draw(Streams(seed), "a") == draw(Streams(seed), "a")
    assert draw(Streams(seed).child("a"), "b", 3) == draw(Streams(seed).child("a"), "b", 3)
    assert Streams(seed).integer("a") == Streams(seed).integer("a")


def test_every_name_block_and_seed_is_another_stream_and_kinds_of_one_seed_agree():
    drawn = [
        draw(source, stage, block)
        for seed in (0, 1)
        for source in (Streams(seed), Streams(seed).child("a"), Streams(seed).child("a", 1), Streams(seed).child("b"))
        for stage, block in itertools.product(("a", "b", "seeding"), (0, 1, 2**31))
    ]
    numbers = list(itertools.chain(*drawn))
    assert len(set(numbers)) == len(numbers)
    for given in (np.int64(7), np.random.SeedSequence(7), Streams(7)):
        assert draw(Streams(7), "a") == draw(Streams(given), "a")


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.RandomState])
def test_generators_give_fresh_but_repeatable_streams(make):
    source = make(3)
    first, second = draw(Streams(source), "a"), draw(Streams(source), "a")
    assert first != second
    assert first == draw(Streams(make(3)), "a")


def test_blocks_are_uniform_and_uncorrelated():
    # 2,000 blocks of one number: mean within 5 standard errors, likewise the correlation of neighbours (chance 1e-6).
    values = np.array([Streams(1).generator("stage", block).random() for block in range(2000)])
    assert abs(values.mean() - 0.5) < 5 * np.sqrt(1 / 12 / 2000)
    assert abs(np.corrcoef(values[1:], values[:-1])[0, 1]) < 5 / np.sqrt(2000)


@pytest.mark.parametrize("bad", [-1, 1.5, "seed", [1, 2], np.array(3.0)])
def test_bad_random_state(bad):
    with pytest.raises(ParameterError, match="random_state="):
        Streams(bad)


@pytest.mark.parametrize(
    "weights", [[0.0], [0.0, 0.0, 0.0], np.zeros(9), [0.0, 5e-324, 0.0], [0.0, 1.0, 0.0], [0, 2, 0]]
)
def test_every_draw_by_weight_says_where_there_is_nothing_to_draw(weights):
    weights = np.asarray(weights, dtype=np.float64)
    expected = 1 if weights.any() else -1
    assert set(Tree(weights).sample(5, 0).tolist()) == {expected}
    assert {draw_by_weight(weights, np.random.default_rng(seed)) for seed in range(5)} == {expected}
