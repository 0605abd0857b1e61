"""Exhibits of the papers, measured again: one module for each paper, an `Exhibit` for each figure and table."""

from importlib import import_module

# A module is added here when it holds a PAPER.
NAMES = ("coreset", "nystrom", "rank_restricted", "sketch", "flats")


def paper(name):
    """Return the `Paper` of a name of the command line."""
    return import_module(f"{__name__}.{name.replace('-', '_')}").PAPER
