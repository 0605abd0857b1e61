"""Strings from anywhere as text of the page, and numbers as words."""

import html
import os

NOTHING = "\u2013"
_LONGEST_NAME = 80
# What HTML does not allow even when escaped.
_CONTROL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127, *range(0xD800, 0xE000)), "\ufffd")


def text(value):
    """Any string as text of the page, or as a value of an attribute between double quotes."""
    return html.escape(os.fspath(value).translate(_CONTROL))


def name(value):
    """The name of a node as text of the page: cut if it is long, and kept from turning its surroundings around."""
    value = shortened(value)
    # ASCII has one direction.
    return text(value) if value.isascii() else f"<bdi>{text(value)}</bdi>"


def shortened(value):
    """A name of bearable length."""
    return value if len(value) <= _LONGEST_NAME else value[: _LONGEST_NAME - 1] + "…"


def count(number, noun):
    """A number of things."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
