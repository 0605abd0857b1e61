"""Moved to `_loops.py`."""

from ._loops import *  # noqa: F403
