"""Parameter checks name the parameter, the value and the remedy."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from graphcore import InputError, ParameterError
from graphcore.base.validation import check_choice, check_integer, check_labels, check_real


def test_good_values_become_plain_ones():
    for value in (3, np.int8(3), np.uint64(3)):
        assert type(check_integer("k", value, low=3, high=3)) is int
    for value in (0.5, np.float32(0.5), Fraction(1, 2)):
        assert type(check_real("x", value, low=0.5, high=0.5)) is float
    assert check_real("x", 1) == 1.0
    assert check_choice("mode", "a", ("a", "b")) == "a"
    assert check_choice("mode", None, ("a", None)) is None


@pytest.mark.parametrize(
    ("check", "value", "message"),
    [
        (check_integer, 1.0, "x=1.0 must be an integer, got float"),
        (check_integer, "1", "x='1' must be an integer, got str"),
        (check_integer, True, "x=True must be an integer, got bool"),
        (check_real, float("nan"), "x=nan must be finite"),
        (check_real, float("inf"), "x=inf must be finite"),
        (check_real, "1", "x='1' must be a number, got str"),
        (check_real, True, "x=True must be a number, got bool"),
    ],
)
def test_bad_numbers(check, value, message):
    with pytest.raises(ParameterError, match=message):
        check("x", value)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([0, np.nan, 2.0], [0, -1, 2]),
        ([0, None, 2], [0, -1, 2]),
        ([0.0, pd.NA, 2], [0, -1, 2]),
        (pd.Series([0, None, 2], dtype="Int64"), [0, -1, 2]),
    ],
)
def test_labels_are_whole_numbers_or_missing(labels, expected):
    found = check_labels("labels", labels, len(labels))
    assert (found.tolist(), found.dtype) == (expected, np.int32)


@pytest.mark.parametrize("labels", [["a", None], [0.5, np.nan], [True, None], [np.inf, 1], ["0", "1"], [1e300, 0]])
def test_labels_of_other_kinds_are_refused_and_the_error_says_what_is_unknown(labels):
    with pytest.raises(InputError, match=r"integers, got .*, and -1, NaN or None .*(set -1 where|astype\(int\)$)"):
        check_labels("labels", labels, 2)
