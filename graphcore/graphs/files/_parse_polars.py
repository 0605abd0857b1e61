"""The fast way for plain files of numbers, when polars is installed: the same arrays, on all processors."""

from importlib.util import find_spec

import numpy as np

__all__ = ["parse_polars"]

_BLOCK = 1 << 24
# In files with fewer bytes than this, loading polars takes more time and memory than it saves.
_WORTHWHILE = 1 << 26


def parse_polars(source, dialect):
    """Return (ends of shape (n_edges, 2), weights or None), or None if the file is better read by numpy.

    Whatever polars finds strange in the lines (blank fields, comments behind numbers, text) gives None too: then
    numpy decides, so that results and errors do not depend on what is installed.
    """
    if dialect.simple is None or source.size < _WORTHWHILE or find_spec("polars") is None:
        return None
    if dialect.comments and dialect.first_marker is None:
        return None
    import polars as pl

    wanted = [*dialect.columns, *([] if dialect.weight_column is None else [dialect.weight_column])]
    types = dict.fromkeys(dialect.columns, pl.Int64 if dialect.wide else pl.Int32)
    types[dialect.weight_column] = pl.Float64
    width = max(dialect.n_columns, max(wanted) + 1)
    names = [f"column_{c + 1}" for c in wanted]
    parts = []
    with source.open() as stream:
        for lines in _blocks(stream, _BLOCK, dialect.skip):
            try:
                table = pl.read_csv(
                    lines,
                    has_header=False,
                    schema={f"column_{c + 1}": types.get(c, pl.String) for c in range(width)},
                    columns=names,
                    separator=dialect.simple,
                    quote_char=None,
                    comment_prefix=dialect.first_marker,
                    truncate_ragged_lines=True,
                )
            except pl.exceptions.PolarsError:
                return None
            if any(table[name].null_count() for name in names):
                return None
            parts.append([table[name].to_numpy() for name in names])
    ends = np.empty((sum(len(part[0]) for part in parts), 2), dtype=parts[0][0].dtype)
    weights = None if dialect.weight_column is None else np.empty(len(ends))
    row = 0
    while parts:  # each is given back when it has been copied
        part = parts.pop(0)
        rows = slice(row, row + len(part[0]))
        ends[rows, 0], ends[rows, 1] = part[:2]
        if weights is not None:
            weights[rows] = part[2]
        row = rows.stop
    return ends, weights


def _blocks(stream, size, skip):
    """Yield the bytes after the first `skip` lines in blocks of whole lines."""
    for _ in range(skip):
        stream.readline()
    rest = b""
    while piece := stream.read(size):
        end = piece.rfind(b"\n") + 1
        if end:
            yield rest + piece[:end] if rest else piece[:end]
            rest = piece[end:]
        else:
            rest += piece
    if rest:
        yield rest
