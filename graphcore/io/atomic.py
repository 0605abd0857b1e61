"""Output files that are either whole or not there."""

import contextlib
import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from typing import IO, Any

from .._typing import PathLike
from .._validation import check_path

__all__ = ["atomic_output", "check_folder", "check_writable", "sync_folder"]


def check_writable(path: PathLike) -> None:
    """Check, without creating anything, that `path` can be written.

    Parameters
    ----------
    path : str or path-like
        A file that may or may not be there yet. "-" (standard output) is always writable.

    Raises
    ------
    OSError
        FileNotFoundError if the folder is missing, NotADirectoryError if it is a file, IsADirectoryError if `path`
        is a folder, PermissionError if the folder or the file there may not be written.
    """
    path = check_path(path)
    if path == "-":
        return
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "the output must be a file, but this is a folder", path)
    path = os.path.realpath(path)
    folder = check_folder(path)
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the output file may not be written", path)
    if _is_regular(path) and not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "the output's folder may not be written", folder)


@contextlib.contextmanager
def atomic_output(path: PathLike, mode: str = "wb", **options: Any) -> Iterator[IO[Any]]:
    """Yield a stream, opened as by :func:`open`, whose content becomes `path` when the block ends without an error.

    The stream is a temporary file in the same folder, flushed to the disk and then renamed, so an interrupted or
    failed run leaves whatever was there before and no other file. Links are followed. Devices and pipes, which
    cannot be replaced, are written directly, as is standard output ("-").
    """
    path = check_path(path)
    check_writable(path)
    if path == "-":
        stream = sys.stdout.buffer if "b" in mode else sys.stdout
        yield stream
        stream.flush()
        return
    path = os.path.realpath(path)
    if not _is_regular(path):
        with open(path, mode, **options) as stream:
            yield stream
        return
    folder, name = os.path.split(path)
    # The name is known before there is a file of it: an interrupt may come between any two steps.
    temporary = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(8)}.tmp")
    try:
        with open(temporary, mode.replace("w", "x"), opener=_private, **options) as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, _mode_of(path))
        os.replace(temporary, path)
    except BaseException:  # an interrupt too must leave nothing behind
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)
        raise
    sync_folder(folder)


def _private(path, flags):
    return os.open(path, flags, 0o600)


def check_folder(path):
    """Return the folder that a path is in; raises an OSError if it is not there or is a file."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.exists(folder):
        raise FileNotFoundError(errno.ENOENT, "the output's folder does not exist; make it first", folder)
    if not os.path.isdir(folder):
        raise NotADirectoryError(errno.ENOTDIR, "the output's folder is a file", folder)
    return folder


def _is_regular(path):
    return not os.path.exists(path) or os.path.isfile(path)


def _mode_of(path):
    """Permissions of the file that is replaced, or those that a new file gets."""
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def sync_folder(folder):
    """Bring a folder's names, renames among them, to the disk; systems that cannot open folders do without."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
