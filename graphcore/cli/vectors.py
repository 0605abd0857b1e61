"""Vectors from files: numpy's and scipy's own formats, and tables of numbers as text."""

import bz2
import gzip
import lzma
import os
import tempfile
import warnings
import zlib

from ..exceptions import FormatError, InputError

__all__ = ["read_vectors"]

_MAGIC = {b"\x93NUMPY": ".npy", b"PK\x03\x04": ".npz", b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ": ".xz"}
_COMPRESSED = {".gz": gzip, ".bz2": bz2, ".xz": lzma}
# How damaged text and damaged compressed data show; OSError is of bz2, which gives it no number.
_DAMAGE = (ValueError, EOFError, gzip.BadGzipFile, lzma.LZMAError, zlib.error, OSError)


def read_vectors(path):
    """Read one vector per row, from ``.npy`` (two dimensions), ``.npz`` (scipy's, or one array), or else text.

    Text is numbers between commas, semicolons, tabs or blanks, perhaps with ``#`` comments, a line of names,
    compressed. The kind of standard input ("-") and of pipes is seen by its first bytes.
    """
    from ..io._source import is_stream

    if is_stream(path):
        return _read_stream(path)
    try:
        X = _load(path)
    except InputError as error:
        if str(error).startswith(f"{path}:"):
            raise
        raise type(error)(f"{path}: {error}") from error.__cause__
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        said = str(error).partition("\n")[0][:200]
        raise FormatError(f"{path}: cannot be read as vectors: {said}") from error
    if X.ndim != 2 or 0 in X.shape:
        raise InputError(f"{path}: vectors are rows of an array of two dimensions; this one has shape {X.shape}")
    if X.dtype.kind not in "biuf":
        raise InputError(f"{path}: vectors are rows of real numbers; this array holds {X.dtype}")
    return X


def _load(path):
    from ..io._npy import read_array

    if path.endswith(".npy"):
        with open(path, "rb") as stream:
            return read_array(stream, os.fstat(stream.fileno()).st_size)
    return _load_archive(path) if path.endswith(".npz") else _load_text(path)


def _read_stream(path):
    """Vectors from standard input or a pipe, by way of a file, which numpy wants to go back and forth in."""
    from ..io._source import open_stream

    with open_stream(path) as stream:
        content = stream.read()
    ending = next((ending for magic, ending in _MAGIC.items() if content.startswith(magic)), ".txt")
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, f"vectors{ending}")
        with open(copy, "wb") as kept:
            kept.write(content)
        del content
        try:
            return read_vectors(copy)
        except InputError as error:
            raise type(error)(str(error).replace(copy, "standard input" if path == "-" else path)) from error


def _load_archive(path):
    from ..io._npy import open_archive
    from ..io.npz import matrix_of

    with open(path, "rb") as stream, open_archive(stream) as archive:
        if "format" in archive:
            return matrix_of(archive).tocsr()
        if len(archive.names) != 1:
            listed = ", ".join(archive.names)[:200]
            raise InputError(f"{path}: holds {len(archive.names)} arrays ({listed}); save the vectors alone")
        return archive[archive.names[0]]


def _load_text(path):
    import numpy as np

    # numpy opens what is compressed by itself; here the first line alone is looked at.
    opener = next((module.open for suffix, module in _COMPRESSED.items() if path.endswith(suffix)), open)
    with opener(path, "rt", encoding="utf-8") as lines:
        before, first = _first_line(lines)
    if first is None:
        raise InputError(f"{path}: holds no numbers")
    delimiter = next((mark for mark in ",;\t" if mark in first), None)
    skipped = before if _is_numbers(first, delimiter) else before + 1
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "loadtxt: input contained no data")  # an error here, with its own words
        X = np.loadtxt(path, delimiter=delimiter, skiprows=skipped, ndmin=2, encoding="utf-8")
    if X.size == 0:
        raise InputError(f"{path}: holds column names and no numbers")
    return X


def _first_line(lines):
    for number, line in enumerate(lines):
        content = line.partition("#")[0].strip()
        if content:
            return number, content
    return 0, None


def _is_numbers(line, delimiter):
    try:
        return all(float(field) is not None for field in line.split(delimiter))
    except ValueError:
        return False
