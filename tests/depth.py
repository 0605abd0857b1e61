"""Profiles of hypothesis: for the quick run and for the whole one (conftest.py chooses), and to look for new failures.

``pytest --hypothesis-profile=deep tests/files`` is the last: new examples in every run, ten times as many.
"""

import math

from hypothesis import settings

FULL = 60
# Compiled loops make the first example slow, and shared machines are uneven: no deadline.
# The first two repeat their examples every time, so that a change is what makes a test fail.
settings.register_profile("deep", deadline=None, print_blob=True, max_examples=10 * FULL)
settings.register_profile("full", deadline=None, print_blob=True, max_examples=FULL, derandomize=True)
settings.register_profile("quick", deadline=None, print_blob=True, max_examples=8, derandomize=True)


def examples(n):
    """Settings of a property test: `n` examples in the whole run, in the quick one the share that all tests have."""
    return settings(max_examples=math.ceil(n * settings.default.max_examples / FULL))
