"""Warnings point at the line of the user's code that led to them."""

import sys
import warnings

from .exceptions import GraphWarning

__all__ = ["warn_user"]


def warn_user(message, category=GraphWarning):
    """Warn at the innermost caller outside graphcore, however deep in the package the cause lies."""
    level = 1
    frame = sys._getframe(0)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "graphcore":
        frame = frame.f_back
        level += 1
    warnings.warn(message, category, stacklevel=level)
