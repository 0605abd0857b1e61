"""What the papers show, measured again: one module for each paper, of which each figure and table is an `Exhibit`."""

from importlib import import_module

# A module is added here when it holds a PAPER.
NAMES = ("coreset", "nystrom", "rank_restricted", "sketch", "flats")


def paper(name):
    """The `Paper` of a name of the command line."""
    return import_module(f"{__name__}.{name.replace('-', '_')}").PAPER
