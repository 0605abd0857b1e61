"""The sampling tree: its sums against a plain sum, its draws against the values."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore.cluster import _coreset_loops as _loops
from graphcore.cluster._coreset_loops import FAN_OUT, level_offsets

from ..oracles import quick

# One group, one level more, two levels more, and their neighbours.
SIZES = [1, 2, 7, 8, 9, 63, 64, 65, 511, 512, 513, 4097]


class Tree:
    """The tree over some values, by the loops that seeding goes through."""

    def __init__(self, values):
        self.offsets = level_offsets(len(values))
        self.sums = np.zeros(self.offsets[-1])
        self.values = self.sums[: len(values)]
        self.values[:] = values
        _loops.tree_build(self.sums, self.offsets)

    @property
    def total(self):
        return self.sums[-1]

    def update(self, indices, values):
        self.values[indices] = values
        touched = np.unique(np.asarray(indices, dtype=np.int64) % len(self.values))
        _loops.tree_update(self.sums, self.offsets, touched, len(touched))

    def sample(self, size, random_state):
        uniforms = np.random.default_rng(random_state).random(size)
        return np.array([_loops.tree_sample(self.sums, self.offsets, u) for u in uniforms])


def levels(tree):
    """The tree's levels as arrays, leaves first."""
    offsets = tree.offsets
    return [tree.sums[a:b] for a, b in pairwise(offsets)]


def check_sums(tree, values):
    """Every inner node is the sum of its children, and the padding is 0."""
    below = np.zeros(len(levels(tree)[0]))
    below[: len(values)] = values
    assert np.array_equal(levels(tree)[0], below)
    for level in levels(tree)[1:]:
        groups = below.reshape(-1, FAN_OUT).sum(axis=1)
        np.testing.assert_allclose(level[: len(groups)], groups, rtol=1e-14, atol=0)
        assert not level[len(groups) :].any()
        below = level
    assert len(below) == 1
    assert tree.total == pytest.approx(float(np.sum(values)), rel=1e-12)


@pytest.mark.parametrize("n", SIZES)
def test_level_sizes(n):
    sizes = np.diff(level_offsets(n))
    assert sizes[-1] == 1
    assert (sizes[:-1] % FAN_OUT == 0).all()
    assert sizes[0] >= n
    assert sizes[0] - n < FAN_OUT
    # No level that a smaller tree could do without: the one below the root is a single group.
    assert sizes[-2] == FAN_OUT
    assert len(sizes) - 1 == max(1, next(level for level in range(1, 30) if FAN_OUT**level >= n))


@pytest.mark.parametrize("n", SIZES)
def test_sums_of_all_sizes(n):
    values = np.random.default_rng(n).random(n)
    tree = Tree(values)
    check_sums(tree, values)
    tree.update([0, n - 1], [3.0, 5.0])
    values[0], values[n - 1] = 3.0, 5.0
    check_sums(tree, values)


@st.composite
def histories(draw):
    """Start values and a list of updates (indices, values); indices repeat, values are often 0."""
    n = draw(st.integers(1, 150))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    numbers = np.array([0.0, 1.0, 1e-9, 1e9, 0.3])

    def some(size):
        return rng.choice(numbers, size) * (0.5 + rng.random(size))

    updates = [(rng.integers(-n, n, size), some(size)) for size in draw(st.lists(st.integers(0, 2 * n), max_size=5))]
    return some(n), updates


@quick
@given(histories(), st.integers(0, 2**32 - 1))
def test_sums_after_updates_and_no_draws_of_zeros(history, seed):
    values, updates = history
    tree = Tree(values)
    values = values.copy()
    for indices, new in updates:
        tree.update(indices, new)
        for index, value in zip(indices, new, strict=True):  # of repeated indices the last one holds
            values[index] = value
        check_sums(tree, values)
    # Sums are computed afresh, so a tree that reached these values by updates equals one built from them.
    assert np.array_equal(tree.sums, Tree(values).sums)
    if tree.total > 0:
        border = [_loops.tree_sample(tree.sums, tree.offsets, uniform) for uniform in (0.0, np.nextafter(1.0, 0.0))]
        assert (tree.values[[*tree.sample(200, random_state=seed), *border]] > 0).all()


def test_a_draw_inverts_the_cumulated_values():
    values = np.array([0.0, 0.25, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0])
    tree = Tree(values)
    for uniform, leaf in ((0.0, 1), (0.2499, 1), (0.25, 3), (0.7499, 3), (0.75, 9), (0.9999, 9)):
        assert _loops.tree_sample(tree.sums, tree.offsets, uniform) == leaf
