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


def check_writable(path: PathLike) -> None:
    """Check, without creating anything, that `path` can be written.

    Parameters
    ----------
    path : str or path-like
        A file that may or may not be there yet, or "-", standard output.

    Raises
    ------
    OSError
        FileNotFoundError if the folder is missing, NotADirectoryError if it is a file, IsADirectoryError if `path`
        is a folder, PermissionError if the folder or the file there may not be written, or belongs to a graph on disk.
    """
    path = check_path(path)
    if path == "-":
        if sys.stdout is None:
            raise OSError(errno.EBADF, "it is closed; write to a file", "standard output")
        return
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "the output must be a file, but this is a folder", path)
    if _is_regular(path):
        path = os.path.realpath(path)
    folder = check_folder(path)
    store = store_around(folder)
    if store is not None:
        raise PermissionError(errno.EACCES, "this is a graph on disk, whose files are its own; write elsewhere", store)
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
    given = path = check_path(path)
    check_writable(path)
    if path == "-":
        stream = sys.stdout.buffer if "b" in mode else sys.stdout
        with naming_file("standard output"):
            yield stream
            stream.flush()
        return
    if not _is_regular(path):
        with naming_file(path), open(path, mode, **options) as stream:
            yield stream
        return
    path = os.path.realpath(path)
    folder, name = os.path.split(path)
    # The name is known before there is a file of it: an interrupt may come between any two steps.
    temporary = os.path.join(folder, f".{name[:100]}.{secrets.token_hex(8)}.tmp")
    try:
        with naming_file(given, temporary):
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


@contextlib.contextmanager
def naming_file(path, temporary=None):
    """Within this context, errors of the system that name no file, or a temporary file or folder, name `path`."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and not (temporary and str(error.filename).startswith(temporary)):
            raise
        # numpy knows only how much was written.
        reason = error.strerror or f"it could not be written whole ({error}); is the disk full?"
        raise OSError(error.errno or errno.EIO, reason, path) from error


def store_around(path):
    """The graph on disk that a path is, or is a file of; None if there is none."""
    path = os.path.realpath(path)
    while not all(os.path.isfile(os.path.join(path, name)) for name in ("meta.json", "indptr.npy")):
        if path == (path := os.path.dirname(path)):
            return None
    return path


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
