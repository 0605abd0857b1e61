"""Where a file's bytes come from: compression recognised by content, damage distinguished from other errors."""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import shutil
import stat
import sys
import tempfile
import zlib

from .._validation import check_path
from ..exceptions import FormatError, InputError, ParameterError

__all__ = ["Source", "is_stream", "naming", "open_source", "open_stream"]

_MAGIC = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
_SUFFIXES = {".gz", ".bz2", ".xz", ".zst"}
# What other programs write at a file's start; naming it helps more than "this is not text".
_FOREIGN = {
    b"\x93NUMPY": "a NumPy array; graphs are read from .npz, vectors go through graphcore.knn_graph",
    b"%PDF": "a PDF document",
    b"PAR1": "a Parquet table; graphcore.build_store (graphcore build) reads it",
    b"\x89HDF": "an HDF5 file",
    b"SQLite": "an SQLite database",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
}
_BOM = b"\xef\xbb\xbf"
_HEAD = 1 << 16


class Source:
    """A readable file: `path` to read, `name` to show, `compression` found in its content, first bytes in `head`.

    `stem` and `suffix` are of the name without the compression's suffix, in small letters.
    """

    def __init__(self, path, name):
        self.path, self.name = path, name
        with open(path, "rb") as stream:
            start = stream.read(8)
        self.compression = next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)
        base, suffix = os.path.splitext(os.path.basename(name))
        if suffix.lower() in _SUFFIXES:
            base, suffix = os.path.splitext(base)
        self.stem, self.suffix = base.lower(), suffix.lower()
        # Whether numpy.loadtxt, which goes by the ending alone, reads the path as it is compressed.
        openers = {".gz": "gz", ".bz2": "bz2", ".xz": "xz", ".lzma": "lzma"}
        self.direct = openers.get(os.path.splitext(path)[1]) == self.compression
        with self.open() as stream:
            self.head = stream.read(_HEAD)

    @contextlib.contextmanager
    def open(self):
        """Yield the decompressed bytes as a binary stream; damaged data become a FormatError."""
        with self.guard(), contextlib.ExitStack() as stack:
            opener = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}.get(self.compression, open)
            stream = stack.enter_context(opener(self.path, "rb"))
            yield io.BufferedReader(_ZstdReader(stream), 1 << 20) if self.compression == "zst" else stream

    @contextlib.contextmanager
    def text(self, encoding="utf-8"):
        """Yield the decompressed text (a byte-order mark skipped, all line ends as a newline)."""
        with self.open() as stream:
            yield io.TextIOWrapper(stream, encoding=self.encoding(encoding))

    def encoding(self, encoding):
        """Return `encoding`, or the one that skips the byte-order mark that the file begins with."""
        return "utf-8-sig" if self.head.startswith(_BOM) else encoding

    @contextlib.contextmanager
    def guard(self):
        """Turn what decompressors and decoders raise into a FormatError."""
        try:
            yield
        except EOFError:
            raise FormatError("the file is truncated: its compressed data end too early") from None
        except (zlib.error, gzip.BadGzipFile, lzma.LZMAError) as error:
            raise FormatError(f"the compressed data are damaged ({error})") from None
        except UnicodeDecodeError as error:
            raise FormatError(
                f"the text is not {error.encoding} (byte {error.object[error.start]:#x}); pass encoding='latin-1' or "
                "whatever it was written in"
            ) from None
        except OSError as error:
            if error.errno is None and self.compression:  # how bz2 says that the data are damaged
                raise FormatError(f"the compressed data are damaged ({error})") from None
            raise

    def require_text(self):
        """Raise a FormatError if the content is empty or cannot be text."""
        if not self.head:
            raise FormatError("the file is empty")
        for magic, what in _FOREIGN.items():
            if self.head.startswith(magic):
                raise FormatError(f"this is {what}")
        strange = self.head.translate(None, bytes(range(32, 256)) + b"\t\n\r\f\v\x1a")
        if strange:
            raise FormatError(
                f"this is not text (byte {strange[0]:#04x} at position {self.head.index(strange[:1])}); text formats, "
                ".npz and their .gz, .bz2, .xz, .zst are read"
            )


class _ZstdReader(io.RawIOBase):
    """Decompresses frame by frame and, unlike zstandard's own reader, notices a frame that ends too early."""

    def __init__(self, raw):
        try:
            import zstandard
        except ImportError:
            raise InputError(
                "reading .zst needs the package zstandard: pip install 'graphcore[zstd]', or decompress the file"
            ) from None
        self._error = zstandard.ZstdError
        self._new = zstandard.ZstdDecompressor(max_window_size=1 << 31).decompressobj
        self._raw, self._frame, self._pending, self._fed = raw, None, b"", b""

    def readable(self):
        return True

    def readinto(self, buffer):
        while not self._pending:
            self._fed = self._fed or self._raw.read(1 << 18)
            if not self._fed:
                if self._frame is not None:
                    raise EOFError
                return 0
            self._frame = self._frame or self._new()
            try:
                self._pending = self._frame.decompress(self._fed)
            except self._error as error:
                raise zlib.error(str(error)) from None
            self._fed = b""
            if self._frame.eof:
                self._fed, self._frame = self._frame.unused_data, None
        count = min(len(buffer), len(self._pending))
        buffer[:count] = self._pending[:count]
        self._pending = self._pending[count:]
        return count


@contextlib.contextmanager
def open_source(path):
    """Yield the Source of `path`; standard input ("-") and pipes are kept in a temporary file until the block ends."""
    name = check_path(path)
    if not is_stream(name):
        with naming(name):
            yield Source(name, name)
        return
    shown = "standard input" if name == "-" else name
    with tempfile.TemporaryDirectory() as folder, naming(shown):
        copy = os.path.join(folder, "input")
        with open_stream(name) as stream, open(copy, "wb") as kept:
            shutil.copyfileobj(stream, kept)
        yield Source(copy, shown)


def is_stream(path):
    """Whether `path` can be read once only: standard input ("-"), or a pipe such as a shell's ``<(command)``."""
    try:
        return path == "-" or stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:  # what is wrong with it is said when it is opened
        return False


def open_stream(path):
    """Return the bytes of "-" or a pipe as a context."""
    return contextlib.nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb")


@contextlib.contextmanager
def naming(name):
    """Put the file's name before the message of an InputError that does not have it yet."""
    try:
        yield
    except ParameterError:
        raise
    except InputError as error:
        if str(error).startswith(f"{name}:"):
            raise
        raise type(error)(f"{name}: {error}") from error.__cause__
