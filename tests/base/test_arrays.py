"""Arrays made ready for loops: one kind, whatever they were."""

import numpy as np
import pytest

from graphcore.base._loops import nth_largest
from graphcore.base.arrays import read_only


@pytest.mark.parametrize("given", [np.arange(6), np.arange(12)[::2], [0, 1, 2, 3, 4, 5]])
def test_contiguous_and_read_only(given):
    found = read_only(given, np.int32)
    assert found.flags.c_contiguous
    assert not found.flags.writeable
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, given)


def test_the_owner_keeps_its_flag_and_nothing_is_copied():
    given = np.arange(6)
    found = read_only(given)
    assert given.flags.writeable
    assert np.shares_memory(found, given)


def test_the_nth_largest_of_the_first_values_is_that_of_sorting():
    for seed in range(50):
        rng = np.random.default_rng(seed)
        values, length = rng.integers(0, 9, 30).astype(float), int(rng.integers(1, 31))
        n = int(rng.integers(1, length + 1))
        assert nth_largest(values.copy(), length, n) == np.sort(values[:length])[-n], seed
