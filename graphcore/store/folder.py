"""Folders that are either whole or not there."""

import contextlib
import errno
import os
import secrets
import shutil
from collections.abc import Iterable

from .._typing import PathLike
from .._validation import check_path
from ..exceptions import InputError, ParameterError
from ..io.apart import Use, check_apart
from ..io.atomic import check_folder, naming_file, sync_folder
from .format import SUFFIX, SUFFIXES, is_store


def check_replaceable(path: PathLike, reads: Iterable[PathLike] = ()) -> str:
    """Find out that a store could be written at `path`, and return it as a string.

    Only stores are ever replaced, and none that is among the files that it `reads`, or holds one of them.
    """
    path = os.path.normpath(check_path(path))
    if not path.endswith(SUFFIXES) or os.path.basename(path) in SUFFIXES:
        raise ParameterError(f"the output is {path!r}, but graphs on disk are called NAME{SUFFIX}")
    parent = check_folder(path)
    if os.path.lexists(path) and not is_store(path):
        raise InputError(f"{path} is there and is no graph on disk, so it is not replaced; choose another name")
    check_apart([*(Use(f"the input {each}", each, False) for each in reads), Use(f"the output {path}", path, True)])
    if not os.access(parent, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "the output's folder may not be written", parent)
    return path


@contextlib.contextmanager
def atomic_folder(path):
    """Yield a new folder that becomes `path` when the block ends without an error, and goes away otherwise."""
    path = check_replaceable(path)
    temporary = _hidden(path)
    try:
        with naming_file(path, temporary):
            os.mkdir(temporary)
            yield temporary
            put_in_place(temporary, path, _hidden(path))
    except BaseException:  # an interrupt too must leave nothing behind
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def put_in_place(folder, path, aside):
    """Rename a finished folder to `path`, in place of the store that may be there, which is moved to `aside` first."""
    path = os.path.realpath(path)
    sync_folder(folder)
    if os.path.lexists(path):
        # Folders cannot be replaced in one step: for a moment there is none, but never half of one.
        os.rename(path, aside)
        try:
            os.rename(folder, path)
        except BaseException:
            os.rename(aside, path)
            raise
        shutil.rmtree(aside)
    else:
        os.rename(folder, path)
    sync_folder(os.path.dirname(path))


def _hidden(path):
    parent, name = os.path.split(os.path.realpath(path))
    return os.path.join(parent, f".{name[:100]}.{secrets.token_hex(4)}.tmp")
