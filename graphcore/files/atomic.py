"""Atomic output files, and checks that no output overwrites an input or another output."""

import bz2
import contextlib
import errno
import gzip
import io
import lzma
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from itertools import combinations
from typing import IO, Any

from ..base.types import PathLike
from ..base.validation import check_path
from ..exceptions import InputError

COMPRESSED = (".gz", ".bz2", ".xz")


def ending_of(path):
    """Return (ending of a path without that of its compression, as ".csv"; that of its compression), in lower case."""
    base, ending = os.path.splitext(os.fspath(path).lower())
    return (os.path.splitext(base)[1], ending) if ending in COMPRESSED else (ending, "")


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
    folder = check_folder(path, written=_is_regular(path))
    store = store_around(folder)
    if store is not None:
        raise PermissionError(errno.EACCES, "this is a graph on disk, whose files are its own; write elsewhere", store)
    if os.path.exists(path) and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the output file may not be written", path)


def check_folder(path, *, written):
    """Return the folder of a path; raises an OSError if it is not there, is a file, or may not be `written` to."""
    folder = os.path.dirname(os.path.abspath(path))
    if not os.path.exists(folder):
        raise FileNotFoundError(errno.ENOENT, "the output's folder does not exist; make it first", folder)
    if not os.path.isdir(folder):
        raise NotADirectoryError(errno.ENOTDIR, "the output's folder is a file", folder)
    if written and not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, "the output's folder may not be written", folder)
    return folder


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
    with put_in_place(path, given) as temporary, open(temporary, mode.replace("w", "x"), **options) as stream:
        if os.path.exists(path):
            shutil.copymode(path, temporary)
        yield stream
        to_disk(stream)


@contextlib.contextmanager
def put_in_place(path, shown):
    """Yield a temporary path for a file or a folder that becomes `path` when the block ends without an error.

    Errors speak of the path `shown`.
    """
    temporary, aside = hidden_beside(path), hidden_beside(path)  # known before they are there: interrupts come any time
    try:
        with naming_file(shown, temporary):
            yield temporary
            if os.path.isdir(path):  # for a moment there is no folder, but never an incomplete one
                os.rename(path, aside)
            os.replace(temporary, path)
    except BaseException:
        if os.path.lexists(aside) and not os.path.lexists(path):
            os.rename(aside, path)
        with contextlib.suppress(FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError):
            os.unlink(temporary)
        raise
    finally:
        for left in (temporary, aside):
            shutil.rmtree(left, ignore_errors=True)
    sync_folder(os.path.dirname(path))


@contextlib.contextmanager
def as_text(stream):
    """Wrap a stream of bytes as one of text, in UTF-8 and with line ends as they are."""
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    try:
        yield text
    finally:
        text.detach()  # this flushes, and keeps the wrapper from closing the stream


@contextlib.contextmanager
def text_output(path, compression=""):
    """Open an :func:`atomic_output` for text in UTF-8, with line ends as they are, compressed if asked for."""
    if path == "-" and not hasattr(sys.stdout, "buffer"):  # a notebook's
        yield sys.stdout
        return
    with atomic_output(path) as raw, compressed(raw, compression) as stream, as_text(stream) as text:
        yield text


def compressed(raw, kind):
    """Return a stream that compresses into another one; `kind` is the ending of the compression, or empty."""
    if kind == ".gz":  # no name and time inside: the same content makes the same file
        return gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0)
    return (bz2 if kind == ".bz2" else lzma).open(raw, "wb") if kind else contextlib.nullcontext(raw)


@contextlib.contextmanager
def naming_file(path, temporary=None):
    """Raise errors of the system that name no file, or a temporary one, anew with the name of `path`."""
    try:
        yield
    except OSError as error:
        if error.filename is not None and not (temporary and str(error.filename).startswith(temporary)):
            raise
        # numpy knows only how much was written.
        reason = error.strerror or f"it could not be written whole ({error}); is the disk full?"
        raise OSError(error.errno or errno.EIO, reason, path) from error


def hidden_beside(path):
    """Return a temporary name in the folder of `path`, whose name is cut to stay below the system's limit."""
    folder, name = os.path.split(os.path.realpath(path))
    return os.path.join(folder, f".{name[:100]}.{secrets.token_hex(8)}.tmp")


def to_disk(stream):
    """Flush a file to the disk."""
    stream.flush()
    os.fsync(stream.fileno())


def sync_folder(folder):
    """Flush a folder's entries, renames among them, to the disk, on systems that can open folders."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _is_regular(path):
    return not os.path.exists(path) or os.path.isfile(path)


def is_store(path):
    """Return whether a path is a graph on disk, by the names of its files."""
    return all(os.path.isfile(os.path.join(path, name)) for name in ("meta.json", "indptr.npy"))


def store_around(path):
    """Return the graph on disk that a path is, or lies in; None if there is none."""
    path = os.path.realpath(path)
    while not is_store(path):
        if path == (path := os.path.dirname(path)):
            return None
    return path


def check_apart(uses):
    """Raise an InputError if a file that is written is one that is read or written elsewhere, or one lies in the other.

    `uses` are names in messages, paths or open descriptors, and whether these are written. Devices and pipes, in which
    nothing can be lost, are left out.
    """
    files = [use for use in uses if not os.path.exists(use[1]) or os.path.isfile(use[1]) or os.path.isdir(use[1])]
    for (name, one, is_written), (other_name, other, other_is_written) in combinations(files, 2):
        if (is_written or other_is_written) and _overlap(one, other):
            raise InputError(
                f"{name} and {other_name} are the same file, or one lies in the other, whose content would be lost; "
                "choose another output"
            )


def _overlap(one, other):
    """Return whether two paths or descriptors are of one file, by whatever links, or one lies in the other."""
    if os.path.exists(one) and os.path.exists(other) and os.path.samefile(one, other):
        return True
    if isinstance(one, int) or isinstance(other, int):
        return False
    shorter, longer = sorted((os.path.join(os.path.realpath(path), "") for path in (one, other)), key=len)
    return longer.startswith(shorter)
