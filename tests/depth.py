"""How far tests go in the quick run, and in the whole one (see conftest.py)."""

import math

import pytest
from hypothesis import settings

__all__ = ["examples", "seeds"]

FULL = settings.get_profile("full").max_examples


def examples(n):
    """Settings of a property test: `n` examples in the whole run, in the quick one the share that all tests have."""
    return settings(max_examples=math.ceil(n * settings.default.max_examples / FULL))


def seeds(n, quick):
    """The numbers below `n` as parameters of a test; from `quick` on they are for the whole run."""
    return [*range(quick), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(quick, n))]
