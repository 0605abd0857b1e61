"""Nothing is written over what is read, nor twice in one place."""

import os
import tempfile
from contextlib import suppress
from itertools import combinations
from typing import NamedTuple

from ..exceptions import InputError
from .atomic import store_around


class Use(NamedTuple):
    """What becomes of a file: what it is called in messages, its path or open descriptor, whether it is written."""

    name: str
    path: str | int
    written: bool


def check_apart(uses):
    """Raise an InputError if a file that is written is one that is read or written elsewhere, or one lies in the other.

    What decides is the file, not its name: links, relative paths and the case of letters may differ. Devices and pipes
    are left out, because nothing in them can be lost.
    """
    files = [use for use in uses if not os.path.exists(use.path) or os.path.isfile(use.path) or os.path.isdir(use.path)]
    for one, other in combinations(files, 2):
        if (one.written or other.written) and (how := _relation(one.path, other.path)):
            raise InputError(
                f"{one.name} and {other.name} {how}, so that one of them would be lost; choose another output"
            )


def _relation(one, other):
    """How two files are in each other's way, None if they are not; a descriptor is of a file, which holds no other."""
    if isinstance(one, int) or isinstance(other, int):
        return "are the same file" if _same(one, other) else None
    one, other = os.path.realpath(one), os.path.realpath(other)
    if _same(one, other):
        return "are the same file"
    stores = store_around(one), store_around(other)
    within = stores[0] is not None and stores[0] == stores[1] and stores[0] in (one, other)
    return "lie one in the other" if within else None


def _same(one, other):
    """Whether two paths without links lead to the same file, which may not be there yet."""
    there = os.path.exists(one), os.path.exists(other)
    if any(there):  # one that is there is found by any of its names
        return all(there) and os.path.samefile(one, other)
    (folder, name), (its_folder, its_name) = os.path.split(one), os.path.split(other)
    return name.casefold() == its_name.casefold() and _same(folder, its_folder) and _one_name(folder, name, its_name)


def _one_name(folder, name, other):
    """Whether a file system takes both names for one: it is asked where only their case differs."""
    if name != other:
        with suppress(OSError), tempfile.TemporaryDirectory(dir=folder) as probe:
            os.mkdir(os.path.join(probe, name))
            return os.path.exists(os.path.join(probe, other))
    return name == other
