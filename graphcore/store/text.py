"""Edge lists as text, read by pieces: each piece is parsed as a whole file would be."""

import dataclasses
import io
import os
from itertools import islice

import numpy as np

from ..exceptions import FormatError
from ..graphs.ids import Numbering
from ..io._dialect import data_lines, guess_dialect
from ..io._guess import guess_format
from ..io._locate import locate
from ..io._parse import parse
from ..io._sizes import check_node_count
from ..io._source import Source

# Characters that are parsed at once, in so much memory or more; parsing takes about ten bytes for each.
CHUNK = 1 << 24
_FULL_MEMORY = 1 << 30
# In so many characters there is an edge, unless all is comments.
_FIRST = 1 << 12
# Bytes of a line like "1 2".
_SHORTEST_EDGE = 4


def open_text(source, *, delimiter, comments, header, columns, weight_column, ids, encoding, memory):
    """Return the TextFile of an open Source, its dialect guessed as in :func:`graphcore.read_graph`."""
    kind = guess_format(source)
    if kind != "edgelist":
        raise FormatError(
            f"this is a {kind} file; edge lists and Parquet tables can be built from. What fits in memory can be "
            "written with graphcore.write_graph (graphcore convert)"
        )
    dialect = guess_dialect(
        source, delimiter=delimiter, comments=comments, header=header, columns=columns, weight_column=weight_column,
        ids=ids, encoding=encoding,
    )  # fmt: skip
    if dialect.n_nodes is not None:
        check_node_count(dialect.n_nodes, source.size // _SHORTEST_EDGE, source.any_size)
    return TextFile(source, dialect, max(1, min(CHUNK, CHUNK * memory // _FULL_MEMORY)))


class TextFile:
    """An edge list: `name`, `size` in bytes, time of change (`modified`, nanoseconds), `notes` on what was left out.

    `n_nodes` is None unless the file says it; `numbering` numbers the nodes' names, None where ids are integers.
    """

    def __init__(self, source, dialect, chunk):
        self._source, self._dialect, self._chunk = source, dialect, chunk
        self.name, self.notes = source.name, dialect.notes
        status = os.stat(source.path)
        self.size, self.modified = status.st_size, status.st_mtime_ns
        self.n_nodes, self.weighted = dialect.n_nodes, dialect.weight_column is not None
        self.numbering = None if dialect.integer_ids else Numbering()

    def blocks(self, skip, folder):
        """Yield (ends, weights, share of the file read), leaving out the first `skip` blocks."""
        dialect = dataclasses.replace(self._dialect, skip=0)
        piece = _Piece(os.path.join(folder, "piece"), self.name)
        for text, share in islice(self._texts(), skip, None):
            if not any(_has_edges(part, dialect) for part in (text[:_FIRST], text)):
                yield np.empty((0, 2), dtype=np.int32), np.empty(0), share
                continue
            with open(piece.path, "w", encoding=dialect.text_encoding, newline="") as stream:
                stream.write(text)
            try:
                ends, weights, names = parse(piece, dialect)
            except FormatError as error:
                # Found again in the whole file, for the number of its line.
                raise locate(self._source, self._dialect, str(error)) from None
            if names is not None:
                ends = self.numbering.of(names, len(names))[ends]
            elif ends.dtype == np.int64:
                dialect = dataclasses.replace(dialect, wide=True)  # not to be tried with 32 bits again
            yield ends, np.empty(0) if weights is None else weights, share

    def _texts(self):
        """Yield whole lines, about a chunk of them at a time, and how much of the file has been read."""
        with self._source.text(self._dialect.text_encoding) as text:
            for _ in range(self._dialect.skip):
                text.readline()
            while chunk := text.read(self._chunk):
                yield chunk + text.readline(), self._share(text)

    def _share(self, text):
        try:  # the position in the file itself, also where it is compressed
            file = getattr(text.buffer.raw, "compressed", text.buffer)
            return os.lseek(file.fileno(), 0, os.SEEK_CUR) / max(1, self.size)
        except OSError:
            return 0.0


def _has_edges(text, dialect):
    return next(data_lines(io.StringIO(text), dialect), None) is not None


class _Piece(Source):
    """A piece of decompressed text in a temporary file."""

    def __init__(self, path, name):
        self.path, self.name = path, name
        self.compression, self.direct, self.head, self.any_size = None, True, b"", False
