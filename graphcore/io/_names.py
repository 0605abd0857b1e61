"""Names of nodes in text files."""

import re

import numpy as np

from ._weight_column import is_number

# What no text has (files with control characters are taken for binary ones), and halves of characters.
_UNFIT = re.compile("[\0-\x08\r\x0e-\x19\x1b-\x1f\ud800-\udfff]")
# A longer field is refused by readers of tables, Python's among them.
_MAX_LENGTH = 131_072
_FORMULA = "=+-@\t\r"


def first_unfit(names):
    """The first of some names that a text file cannot hold, or that no reader would take; None if there is none."""
    if isinstance(names, np.ndarray) and names.dtype.kind in "iu":
        return None
    names = list(map(str, names))
    if max(map(len, names), default=0) <= _MAX_LENGTH and _UNFIT.search("".join(names)) is None:
        return None
    return next(name for name in names if len(name) > _MAX_LENGTH or _UNFIT.search(name))


def unfit_reason(names):
    """Why a text file cannot hold some names, as the beginning of a message; None if it can."""
    if isinstance(names, np.ndarray) and names.dtype.kind in "iu":
        return None
    unfit = first_unfit(names)
    if unfit is not None:
        return f"node name {unfit!r} has characters that no text file holds, or too many"
    names = list(map(str, names))
    bare = list(map(str.strip, names))
    if bare != names and len(set(bare)) < len(set(names)):
        seen = {}
        for name, key in zip(names, bare, strict=True):
            if seen.setdefault(key, name) != name:
                return f"node names {seen[key]!r} and {name!r} differ in blanks only, which no reader of text keeps"
    return None


def without_formula(name):
    """A cell's text that no spreadsheet computes: what would be a formula, and is no number, gets a ' in front."""
    text = str(name)
    return f"'{text}" if text.startswith(tuple(_FORMULA)) and not is_number(text) else name
