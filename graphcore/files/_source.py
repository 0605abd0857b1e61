"""Sources of bytes: files and streams, decompressed by their content, with damage told from other errors."""

import bz2
import contextlib
import errno
import glob
import gzip
import io
import lzma
import math
import os
import re
import shutil
import stat
import sys
import tempfile
import zlib

from ..base.locks import cached_property
from ..base.validation import check_path
from ..exceptions import FormatError, InputError, ParameterError, missing_package, one_line
from .atomic import ending_of, naming_file, store_around

_MAGIC = {b"\x1f\x8b": "gz", b"\xfd7zXZ\x00": "xz", b"\x28\xb5\x2f\xfd": "zst"}
# Magic bytes of other programs' files; a message that names the program helps more than "this is not text".
_FOREIGN = {
    b"\x93NUMPY": "a NumPy array; a graph is read from .npz, or made of vectors by graphcore.knn_graph (graphcore knn)",
    b"%PDF": "a PDF document",
    b"PAR1": "a Parquet table, and text is needed",
    b"\x89HDF": "an HDF5 file",
    b"SQLite": "an SQLite database",
}
_PIECE, _HEAD = 1 << 18, 1 << 16
_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
# Compressed edges are a third to a fiftieth of their text. A file that expands far more is a decompression bomb, or
# very regular; files that stay small when they are decompressed are always read.
MAX_RATIO = 100
_ALWAYS_FINE = 1 << 22
# The window that zstd may keep: 128 MiB, the limit of its own program; 2 GiB for files of any size.
_ZSTD_WINDOW, _ZSTD_LARGEST_WINDOW = 1 << 27, 1 << 31
# Compressed bytes that are decompressed at once, few because some bytes of zstd can expand to 128 KiB.
_ZSTD_PIECE = 1 << 11


def check_size(stated, room, fine, said, any_size):
    """Refuse a size that a file states, in a message that begins as `said`, unless it is small or any size is accepted.

    `room` is the largest size that its bytes may stand for, and sizes up to `fine` take little memory.
    """
    if not any_size and stated > max(room, fine):
        raise FormatError(f"{said}; pass any_size=True (--any-size) if they are meant")


def check_encoding(encoding):
    """Raise a ParameterError for an encoding that Python does not know."""
    try:
        "".encode(encoding)
    except (LookupError, TypeError, UnicodeError):
        raise ParameterError(f"encoding={encoding!r} is not known to Python; 'utf-8' and 'latin-1' are usual") from None


def is_ascii(encoding):
    """Return whether an encoding writes the characters of ASCII as ASCII does."""
    return "a\t1".encode(encoding) == b"a\t1" or encoding == "utf-8-sig"


class Source:
    """A readable file: `path` to read, `name` to show, `compression` found in its content, first bytes in `head`.

    `suffix` is that of the name without the compression's, in small letters. With `any_size`, sizes that the file
    states are not checked, and compressed data may expand without bound. `first_line` is the number of lines before
    it, where it is a piece of another.
    """

    first_line = 0

    def __init__(self, path, name, any_size=False):
        found, *others = files_read(path)
        path, name = (found, found) if found != path else (path, name)
        self.path, self.name, self.any_size = path, name, any_size
        with naming_file(name), open(path, "rb") as stream:
            # The bits of a WebGraph graph may happen to be the magic bytes of a compression.
            self.compression = None if others else _compression(stream.read(10))
        self.suffix = ending_of(os.path.basename(name))[0]
        with self.open() as stream:
            self.head = stream.read(_HEAD)

    @cached_property
    def direct(self):
        """Whether numpy.loadtxt may open the path itself, by the ending, after a pass that checks the limit of size."""
        by_ending = {".gz": "gz", ".bz2": "bz2", ".xz": "xz", ".lzma": "xz"}.get(os.path.splitext(self.path)[1])
        # A pass of its own checks the limit of size, which pays only where decompression is fast.
        return by_ending == self.compression and self.compression in (None, "gz")

    @cached_property
    def size(self):
        """Number of bytes when decompressed; damaged and oversized data raise a FormatError."""
        if self.compression is None:
            return os.stat(self.path).st_size
        with self.open() as stream:
            return sum(map(len, iter(lambda: stream.read(_PIECE), b"")))

    @cached_property
    def text_head(self):
        """The first bytes in small letters, as UTF-8 without byte-order mark and white space."""
        return self._utf8_head().lstrip().lower()

    def _utf8_head(self, encoding="utf-8"):
        encoding = self.encoding(encoding)
        if is_ascii(encoding) and encoding != "utf-8-sig":
            return self.head
        return self.head.decode(encoding, errors="replace").encode()

    @contextlib.contextmanager
    def open(self):
        """Yield the decompressed bytes as a binary stream; damaged and oversized data raise a FormatError."""
        opener = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}.get(self.compression, open)
        with naming_file(self.name), self.guard(), opener(self.path, "rb") as stream:
            if self.compression is None:
                yield stream
                return
            most = math.inf if self.any_size else MAX_RATIO * os.stat(self.path).st_size
            window = _ZSTD_LARGEST_WINDOW if self.any_size else _ZSTD_WINDOW
            pieces = _zstd(stream, window) if self.compression == "zst" else iter(lambda: stream.read1(_PIECE), b"")
            yield io.BufferedReader(_Expanded(stream, pieces, most), _PIECE)

    @contextlib.contextmanager
    def text(self, encoding="utf-8", errors="strict"):
        """Yield the decompressed text (a byte-order mark skipped, all line ends as a newline)."""
        check_encoding(encoding)
        with self.open() as stream:
            yield io.TextIOWrapper(stream, encoding=self.encoding(encoding), errors=errors)

    def encoding(self, encoding):
        """Return `encoding`, or the one of the byte-order mark that the file begins with."""
        return next((found for mark, found in _MARKS.items() if self.head.startswith(mark)), encoding)

    @contextlib.contextmanager
    def guard(self):
        """Turn errors of decompressors and decoders into a FormatError."""
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
        except UnicodeError as error:  # of a codec that names no byte
            raise FormatError(f"the text cannot be decoded: {error}") from None
        except OSError as error:
            if error.errno is None and self.compression:  # how bz2 says that the data are damaged
                raise FormatError(f"the compressed data are damaged ({error})") from None
            raise

    def begins_with(self, magic):
        """Return whether the content begins with magic bytes, and not with a word that is spelt the same."""
        after = self.head[len(magic) : len(magic) + 1]
        return self.head.startswith(magic) and not (magic.isalnum() and after in (b" ", b"\t", b",", b";"))

    def require_text(self, encoding="utf-8"):
        """Raise a FormatError if the content is empty or cannot be text of this encoding."""
        if not self.head:
            raise FormatError("the file is empty")
        for magic, what in _FOREIGN.items():
            if self.begins_with(magic):
                raise FormatError(f"this is {what}")
        head = self._utf8_head(encoding)
        strange = head.translate(None, bytes(range(32, 256)) + b"\t\n\r\f\v\x1a")
        if strange:
            raise FormatError(
                f"this is not text (byte {strange[0]:#04x} at position {head.index(strange[:1])}); text formats, "
                ".npz and their .gz, .bz2, .xz, .zst are read"
            )


def has_properties(path):
    """Return whether this is a .graph with its .properties beside it, as WebGraph writes them."""
    base, ending = os.path.splitext(path)
    return ending.lower() == ".graph" and os.path.isfile(path) and os.path.isfile(f"{base}.properties")


def parts_of(path):
    """Return the files of a folder that is no store, without hidden and empty ones and _NAME; or else the path."""
    if not os.path.isdir(path) or store_around(path) or path.endswith(".store"):
        return [path]
    names = sorted(glob.iglob("**/*", root_dir=path, recursive=True))  # none that begin with a dot
    files = [os.path.join(path, name) for name in names if not re.search(r"(^|[\\/])_|\.store[\\/]", name)]
    return [file for file in files if os.path.isfile(file) and os.path.getsize(file)] or [path]


def files_read(path):
    """Return the files of a path: itself, or those of a WebGraph graph, by the .graph or their common name."""
    graph = path if os.path.exists(path) else f"{path}.graph"
    base = os.path.splitext(graph)[0]
    return [graph, f"{base}.properties", f"{base}.offsets"] if has_properties(graph) else [path]


def _compression(start):
    """Return the compression of a file that begins with these bytes, None for none."""
    # A text's first word could be "BZh" and a digit, so the magic bytes of bzip2's first block are compared, too.
    blocks = b"1AY&SY", b"\x17rE8P\x90"
    if start.startswith(b"BZh") and any(block.startswith(start[4:]) for block in blocks):
        return "bz2"
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)


class _Expanded(io.RawIOBase):
    """A stream of the decompressed `pieces` of the stream `compressed`, of `most` bytes at most, or few."""

    def __init__(self, compressed, pieces, most):
        # There is no fileno, by which numpy would read the compressed bytes.
        self.compressed, self._pieces, self._most = compressed, pieces, most
        self._pending, self._position = b"", 0

    def readable(self):
        return True

    def readinto(self, buffer):
        try:
            while not self._pending and (piece := next(self._pieces, None)) is not None:
                self._pending = memoryview(piece)
        except MemoryError:  # xz says how much it needs
            raise FormatError("the compressed data want more memory to be decompressed than there is") from None
        count = min(len(buffer), len(self._pending))
        buffer[:count], self._pending = self._pending[:count], self._pending[count:]
        self._position += count
        said = f"the compressed data expand to more than {self._position:,} bytes, over {MAX_RATIO} times their size"
        check_size(self._position, self._most, _ALWAYS_FINE, said, False)
        return count

    def tell(self):
        return self._position


def _zstd(stream, max_window):
    """Decompress frame by frame; unlike zstandard's own reader, this raises an error for a truncated frame."""
    try:
        import zstandard
    except ImportError:
        raise InputError(f"{missing_package('reading .zst', 'zstandard', 'zstd')}, or decompress the file") from None
    frame, new = None, zstandard.ZstdDecompressor(max_window_size=max_window).decompressobj
    while fed := stream.read(_ZSTD_PIECE):
        while fed:
            frame = frame or new()
            try:
                yield frame.decompress(fed)
            except zstandard.ZstdError as error:
                raise zlib.error(str(error)) from None
            fed, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
    if frame is not None:
        raise EOFError


@contextlib.contextmanager
def open_source(path, any_size=False):
    """Yield the Source of `path`; standard input ("-") and pipes are kept in a temporary file until the block ends."""
    name = check_path(path)
    if name.startswith(("http://", "https://", "ftp://", "s3://")):
        raise InputError(f"{name}: addresses are not read; download the file, and give its path")
    if not is_stream(name):
        with naming(name), naming_file(name):
            yield Source(name, name, any_size)
        return
    shown = "standard input" if name == "-" else name
    with tempfile.TemporaryDirectory() as folder, naming(shown):
        copy = os.path.join(folder, "input")
        if name == "-" and sys.stdin is None:
            raise OSError(errno.EBADF, "it is closed; name a file", "standard input")
        with (
            contextlib.nullcontext(sys.stdin.buffer) if name == "-" else open(name, "rb") as stream,
            naming_file(f"{copy} (a copy of {shown})"),
            open(copy, "wb") as kept,
        ):
            shutil.copyfileobj(stream, kept)
        yield Source(copy, shown, any_size)


def is_stream(path):
    """Return whether `path` can be read only once: standard input ("-"), or a pipe such as a shell's ``<(command)``."""
    try:
        return path == "-" or stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:  # opening the file raises the error again, with a message
        return False


@contextlib.contextmanager
def naming(name):
    """Put the file's name before the message of an InputError that does not have it yet."""
    try:
        yield
    except InputError as error:
        if not str(error).startswith(one_line(f"{name}:")):
            error.args = (one_line(f"{name}: {error}"), *error.args[1:])
        raise
