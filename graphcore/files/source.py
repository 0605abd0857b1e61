"""Sources of bytes: files and streams, decompressed by their content, with damage told from other errors."""

import bz2
import contextlib
import errno
import gzip
import io
import lzma
import os
import re
import shutil
import stat
import sys
import tempfile
import warnings
import zlib

from ..base.loops import cached_property
from ..base.validation import check_path
from ..exceptions import FormatError, InputError, ParameterError, one_line
from .atomic import ending_of, naming_file, store_around

_MAGIC = {b"\x1f\x8b": "gz", b"BZh": "bz2", b"\xfd7zXZ\x00": "xz"}
_HEAD = 1 << 16
_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}


# Files that are not read, by how they begin: their kind, and the call that reads it. Content that is no text, and
# pointers to it, come first.
_TO_TABLE = "reads it, for Graph.from_table; or save it as CSV"
_OTHERS = {
    rb"version https://git-lfs": "a pointer of Git LFS in place of the file; run git lfs pull where it lies",
    rb"PK\x03\x04.{26}(\[Content_Types\]|xl/|_rels/|docProps/|mimetype)|\xd0\xcf\x11\xe0":
        f"a workbook of Excel or LibreOffice; pandas.read_excel(path) {_TO_TABLE}",
    rb"PK\x03\x04(?!.{26}[^\0]{1,200}?\.npy)": "a zip archive; unpack it first: unzip FILE",
    rb".{257}ustar": "a tar archive; unpack it first: tar -xf FILE",
    rb"\x28\xb5\x2f\xfd": "compressed by Zstandard; decompress it first: zstd -d FILE",
    rb"7z\xbc\xaf\x27\x1c|Rar!": "an archive; unpack it first: 7z x FILE",
    rb"ARROW1|FEA1": f"a Feather or Arrow file; pandas.read_feather(path) {_TO_TABLE} or Parquet",
    rb"\x89HDF":
        f"an HDF5 file; pandas.read_hdf(path) or h5py {_TO_TABLE}; of an AnnData, fit takes what "
        "anndata.read_h5ad(path) returns, and scipy.sparse.save_npz saves adata.obsp['connectivities'] for the command",
    rb"SQLite format 3": f"a data base; pandas.read_sql(query, sqlite3.connect(path)) {_TO_TABLE}",
    rb"ORC|Obj\x01": f"an ORC or Avro file; pandas.read_orc(path) or fastavro {_TO_TABLE} or Parquet",
    rb"MATLAB 5\.0 MAT": "a MATLAB file; scipy.io.loadmat(path)[name] is the matrix, for Graph.from_scipy",
    rb"\x80[\x02-\x05][\x95}c\](]": "a pickle, which runs code when it is loaded; give its content in Python",
    rb"RD[AX][23]\n|%PDF": "a file of R's or a PDF; save a table as CSV",
}  # fmt: skip
_OTHER_LINES = {
    rb"[{\[]\s*([\"'({}\[\]]|-?\d)":
        "JSON or the like; networkx.readwrite.json_graph makes a graph of it for Graph.from_networkx, "
        "pandas.read_json(path) a table for Graph.from_table; on the command line jq writes edges: "
        "jq -r '.links[]|[.source,.target]|@csv' FILE",
    rb"<[?!A-Za-z][^<,\t]*>": "XML or HTML, of which GraphML and GEXF are read, as graphs; or export edges as CSV",
    rb"(c\b[^\n]*\n)*p[ \t]+\w+[ \t]+\d+[ \t]+\d+\s":
        "DIMACS; igraph.Graph.Read_DIMACS(path) reads it, for Graph.from_igraph; or keep its lines of edges alone: "
        "grep '^[ae] ' FILE | cut -d' ' -f2-",
    rb">>\w+6<<|:[?-~]+\s*(\n|\Z)": "sparse6 or graph6; networkx.read_sparse6(path) reads it, for Graph.from_networkx",
    rb"\*(?!vertices)\w|(strict\s+)?(di)?graph\b[^\n{]*\{|dl\s+n\s*=|(#[^\n]*\n)*\S+ \d+\n\S+ \{":
        "a file of another program; networkx (read_multiline_adjlist, nx_pydot.read_dot) or igraph may read it, "
        "for Graph.from_networkx or Graph.from_igraph, or save the lines of its edges alone",
}  # fmt: skip


def check_encoding(encoding):
    """Raise a ParameterError for an encoding that Python does not know."""
    try:
        "".encode(encoding)
    except (LookupError, TypeError, UnicodeError):
        raise ParameterError(f"encoding={encoding!r} is not known to Python; 'utf-8' and 'latin-1' are usual") from None


class Source:
    """A readable file: `path` to read, `name` to show, `compression` found in its content, first bytes in `head`.

    `suffix` is that of the name without the compression's, in small letters.
    """

    def __init__(self, path, name):
        found, *others = files_read(path)
        path, name = (found, found) if found != path else (path, name)
        self.path, self.name = path, name
        with naming_file(name), open(path, "rb") as stream:
            start = stream.read(8)
        # The bits of a WebGraph graph may happen to be the magic bytes of a compression.
        found = () if others else (kind for magic, kind in _MAGIC.items() if start.startswith(magic))
        self.compression = next(iter(found), None)
        self.suffix = ending_of(os.path.basename(name))[0]
        with self.open() as stream:
            self.head = stream.read(_HEAD)
        if not others:
            _refuse(self.head, _OTHERS)

    @cached_property
    def text_head(self):
        """The first bytes in small letters, as UTF-8 without byte-order mark and white space."""
        return self._utf8_head().lstrip().lower()

    def _utf8_head(self, encoding="utf-8"):
        return self.head.decode(self.encoding(encoding), errors="replace").encode()

    @contextlib.contextmanager
    def open(self):
        """Yield the decompressed bytes as a binary stream; damaged data raise a FormatError."""
        opener = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}.get(self.compression, open)
        with naming_file(self.name), self.guard(), opener(self.path, "rb") as stream:
            yield stream

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

    def require_lines(self):
        """Raise a FormatError if the text is that of a format that is not read, and no lines of a table."""
        _refuse(self.text_head, _OTHER_LINES, "; or pass format='edgelist' if its lines are edges")

    def require_text(self, encoding="utf-8"):
        """Raise a FormatError if the content is empty or cannot be text of this encoding."""
        if not self.head:
            raise FormatError("the file is empty")
        if self.begins_with(b"\x93NUMPY"):
            raise FormatError(
                "this is a NumPy array; graphs are read from .npz, or made of vectors by knn_graph (--vectors)"
            )
        head = self._utf8_head(encoding)
        strange = head.translate(None, bytes(range(32, 256)) + b"\t\n\r\f\v\x1a")
        if strange:
            raise FormatError(
                f"this is not text (byte {strange[0]:#04x} at position {head.index(strange[:1])}); text formats, .npz, "
                ".parquet and BVGraph are read, the first also as .gz, .bz2, .xz"
            )


def _refuse(head, others, unless=""):
    what = next((what for begins, what in others.items() if re.match(begins, head, re.DOTALL)), None)
    if what is not None:
        raise FormatError(f"this is {what}{unless}")


def has_properties(path):
    """Return whether this is a .graph with its .properties beside it, as WebGraph writes them."""
    base, ending = os.path.splitext(path)
    return ending.lower() == ".graph" and os.path.isfile(path) and os.path.isfile(f"{base}.properties")


def parts_of(path):
    """Return the files of a folder that is no store, without hidden and empty ones and _NAME; or else the path."""
    if not os.path.isdir(path) or store_around(path) or path.endswith(".store"):
        return [path]
    found: list[str] = []
    seen, root = set(), os.path.realpath(path)
    for folder, folders, names in os.walk(path, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen or root.startswith(real + os.sep):  # by a link: a folder is visited once
            folders.clear()
            continue
        seen.add(real)
        folders[:] = [name for name in folders if name[0] not in "._" and not name.endswith(".store")]
        found += [os.path.join(folder, name) for name in names if name[0] not in "._"]
    files = sorted(file for file in found if os.path.isfile(file) and os.path.getsize(file))
    if not files:
        raise InputError(f"{path} is a folder without files of edges; hidden and empty ones, and _NAME, do not count")
    return files


def files_read(path):
    """Return the files of a path: itself, or those of a WebGraph graph, by the .graph or their common name."""
    graph = path if os.path.exists(path) else f"{path}.graph"
    base = os.path.splitext(graph)[0]
    return [graph, f"{base}.properties"] if has_properties(graph) else [path]


@contextlib.contextmanager
def open_source(path):
    """Yield the Source of `path`; standard input ("-") and pipes are kept in a temporary file until the block ends."""
    name = check_path(path)
    if name.startswith(("http://", "https://", "ftp://", "s3://")):
        raise InputError(f"{name}: addresses are not read; download the file, and give its path")
    if not is_stream(name):
        with naming(name), naming_file(name):
            yield Source(name, name)
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
        yield Source(copy, shown)


def is_stream(path):
    """Return whether `path` can be read only once: standard input ("-"), or a pipe such as a shell's ``<(command)``."""
    try:
        return path == "-" or stat.S_ISFIFO(os.stat(path).st_mode)
    except OSError:  # opening the file raises the error again, with a message
        return False


@contextlib.contextmanager
def naming(name, remedy=""):
    """Put the file's name before the message of an InputError that does not have it yet, and a remedy behind it."""
    try:
        yield
    except InputError as error:
        if not str(error).startswith(one_line(f"{name}:")):
            error.args = (one_line(f"{name}: {error}{remedy}"), *error.args[1:])
        raise


@contextlib.contextmanager
def refusing(failure, remedy=""):
    """Turn what a library raises for damaged content into a FormatError; errors of the system are left as they are."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of old headers, of names that occur twice
            yield
    except (InputError, UnicodeDecodeError):
        raise
    except Exception as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):  # EINVAL is a damaged offset
            raise
        said = str(error).partition("\n")[0][:200] or type(error).__name__
        raise FormatError(f"{failure}: {said}{remedy}") from None
