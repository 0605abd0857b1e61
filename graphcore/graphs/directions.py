"""Edges that look directed: refused, or made undirected with a warning."""

from .._warn import warn_user
from ..exceptions import InputError
from .rows import symmetrize_rows

__all__ = ["check_directions", "undirected_rows"]


def check_directions(both, single, uneven, symmetrize, warn):
    """Refuse edges that look directed if `symmetrize` says so, or warn about them.

    Edges listed once each, in any direction, are an undirected list; so are edges listed both ways alike.
    """
    if uneven and both > 0:
        if symmetrize == "error":
            how = f"{single} in one" if single else "some with two different weights"
            raise InputError(
                f"the edges look directed: {both} pairs stand in both directions, {how}; choose symmetrize='max', "
                "'average', 'sum' or 'min'"
            )
        if warn:
            _warn("the input", both, single, symmetrize)


def undirected_rows(rows, symmetrize, what):
    """Combine the two directions of a directed graph; a warning names it `what`, if that is not empty."""
    rows, both, single = symmetrize_rows(rows, symmetrize)
    if what:
        _warn(what, both, single, symmetrize)
    return rows


def _warn(what, both, single, symmetrize):
    warn_user(
        f"{what} is directed ({both} pairs in both directions, {single} in one) and was made undirected with "
        f"symmetrize={symmetrize!r}"
    )
