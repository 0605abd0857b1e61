"""Profiles of hypothesis for the quick run and for the whole one (conftest.py chooses)."""

import math

from hypothesis import settings

FULL = 60
# Compiled loops make the first example slow, and shared machines are uneven: no deadline.
# The quick run repeats its examples every time; the whole run looks for new ones.
settings.register_profile("full", deadline=None, print_blob=True, max_examples=FULL)
settings.register_profile("quick", deadline=None, print_blob=True, max_examples=8, derandomize=True)


def examples(n):
    """Settings of a property test: `n` examples in the whole run, in the quick one the share that all tests have."""
    return settings(max_examples=math.ceil(n * settings.default.max_examples / FULL))
