"""Arrays made ready for loops: one kind, whatever they were."""

import numpy as np
import pytest

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
