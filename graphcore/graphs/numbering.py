"""Names of nodes as bytes: columns of text of any source, numbered by a compiled table in the order of first use."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from ..base.types import Array
from ..base.validation import read_only
from ..exceptions import InputError
from ._loops import number_text

# Values whose places in the table are looked up at once, so that the memory's delays overlap: 64 to 1024 do as well.
_AT_ONCE = 256
# Values of which the places in the text are numbers of Python's at the same time.
_PIECE = 1 << 16


@dataclass(frozen=True, eq=False)
class Text:
    """A column of text in UTF-8: value i is ``data[starts[i] : stops[i]]``, or with `codes` this of ``codes[i]``."""

    data: Array
    starts: Array
    stops: Array
    codes: Array | None = None

    def __len__(self) -> int:
        return len(self.starts if self.codes is None else self.codes)

    def tolist(self) -> list[str]:
        """Return the values as strings."""
        data, pieces = self.data.tobytes(), (slice(i, i + _PIECE) for i in range(0, len(self.starts), _PIECE))
        spans = (zip(self.starts[piece].tolist(), self.stops[piece].tolist(), strict=True) for piece in pieces)
        if data.isascii():
            text = data.decode()
            del data
            values = [text[start:stop] for start, stop in chain.from_iterable(spans)]
        else:
            values = [data[start:stop].decode("utf-8", "surrogatepass") for start, stop in chain.from_iterable(spans)]
        return values if self.codes is None else [values[code] for code in self.codes.tolist()]


def text_of(values: Sequence | Array) -> Text | None:
    """Return a list or an array as Text; None if it holds anything else than text."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind not in "OUT":
            return None
        values = values.tolist()
    try:
        joined = "".join(values)
    except TypeError:
        return None
    packed = values if joined.isascii() else [value.encode("utf-8", "surrogatepass") for value in values]
    ends = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(np.fromiter(map(len, packed), dtype=np.int64, count=len(values)), out=ends[1:])
    data = np.frombuffer(joined.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    return Text(data, ends[:-1], ends[1:])


def arrow_text(column: Any) -> Text | None:
    """Return a column of pyarrow as Text, categories with their codes; None if it holds no text, or a value is missing.

    Nothing is copied but offsets, and chunks where there are several.
    """
    import pyarrow as pa

    has_codes = pa.types.is_dictionary(column.type)
    kind = column.type.value_type if has_codes else column.type
    if column.null_count or str(kind) not in ("string", "large_string", "string_view"):
        return None
    column = column if has_codes else column.cast(pa.large_string())
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    values = column.dictionary.cast(pa.large_string()) if has_codes else column
    if values.null_count:
        return None
    _, ends, data = values.buffers()
    ends = np.frombuffer(ends, dtype=np.int64)[values.offset :][: len(values) + 1]
    data = np.frombuffer(data or b"", dtype=np.uint8)[ends[0] : ends[-1]]
    ends = ends - ends[0]
    return Text(data, ends[:-1], ends[1:], column.indices.to_numpy().astype(np.int64) if has_codes else None)


def integers_of(text: Text) -> Array:
    """Return integers as Python writes them, of which 007 and +7 are none; a ValueError tells of others."""
    first, is_digit = text.data[text.starts], (text.data >= ord("0")) & (text.data <= ord("9"))
    starts = text.starts + (first == ord("-"))
    lengths, digits_before = text.stops - starts, np.append(0, np.cumsum(is_digit))
    is_zero = text.data[starts] == ord("0")
    whole = (digits_before[text.stops] - digits_before[starts] == lengths) & (lengths > 0)
    if not (whole & ~(is_zero & (text.stops - text.starts > 1))).all():
        raise ValueError
    if lengths.max(initial=0) > 18:
        return np.array(list(map(int, text.tolist())), dtype=np.int64)
    values = np.zeros(len(starts), dtype=np.int64)
    for place in range(lengths.max(initial=0)):
        at = place < lengths
        values[at] = 10 * values[at] + (text.data[starts[at] + place] - ord("0"))
    return np.where(first == ord("-"), -values, values)


def in_turn(*sides: Text) -> Text:
    """Return one column with the values of several by turns: the first of each, the second of each, and so on."""
    data = np.concatenate([side.data for side in sides])
    before = np.cumsum([0, *(len(side.data) for side in sides)])
    starts, stops = (
        [getattr(side, name) + shift for side, shift in zip(sides, before[:-1], strict=True)]
        for name in ("starts", "stops")
    )
    if all(side.codes is None for side in sides):
        return Text(data, np.stack(starts, axis=1).ravel(), np.stack(stops, axis=1).ravel())
    before = np.cumsum([0, *map(len, starts)])
    codes = [np.arange(len(side)) if side.codes is None else side.codes for side in sides]
    codes = [code + shift for code, shift in zip(codes, before[:-1], strict=True)]
    return Text(data, np.concatenate(starts), np.concatenate(stops), np.stack(codes, axis=1).ravel())


def refuse_blank(named, ends, called):
    """Raise an InputError if a name is blank; `ends` are numbers by turns, `named` pairs of them and names."""
    number, name = next((pair for pair in named if isinstance(pair[1], str) and not pair[1].strip()), (None, None))
    if name is not None:
        row, side = divmod(int(np.argmax(ends == number)), 2)
        raise InputError(f"{called[side]} holds {name!r} in row {row}, where a node is expected; drop such rows first")


class Numbering:
    """Names of nodes with their numbers, in the order of first use."""

    def __init__(self):
        self._hashes = np.empty(_AT_ONCE, dtype=np.uint64)
        self.clear()

    def clear(self):
        """Forget all names, and their memory."""
        self._n_names = 0
        self._allocate(1 << 10, 1 << 14)

    def __len__(self):
        return self._n_names

    def _allocate(self, n_names, n_bytes):
        self._slots, self._ends = np.zeros(2 * n_names, dtype=np.uint64), np.zeros(n_names + 1, dtype=np.int64)
        self._data = np.empty(n_bytes, dtype=np.uint8)

    @property
    def n_bytes(self):
        """The bytes of all names."""
        return int(self._ends[self._n_names])

    def _names(self, first=0):
        ends = self._ends[first : self._n_names + 1]
        return Text(self._data[ends[0] : ends[-1]], ends[:-1] - ends[0], ends[1:] - ends[0])

    def tolist(self):
        """Return the names in the order of their numbers."""
        return self._names().tolist()

    def ends(self, sources, targets, called):
        """Return the numbers of the ends of edges by turns, of two columns of Text; blank names are refused."""
        n_known, ends = len(self), self.of(in_turn(sources, targets))
        names = self._names(n_known)
        begin = np.append(names.data, np.uint8(0))[names.starts]
        # Names that begin with a sign of ASCII are not blank, and need not become strings.
        doubtful = np.flatnonzero((names.starts == names.stops) | (begin <= ord(" ")) | (begin > ord("~")))
        values = Text(names.data, names.starts[doubtful], names.stops[doubtful]).tolist()
        refuse_blank(zip((n_known + doubtful).tolist(), values, strict=True), ends, called)
        return ends

    def of(self, text):
        """Return the numbers of all values of a Text, as an int32 array; new names get the next numbers."""
        if text.codes is not None:
            n, codes = len(text.codes), text.codes
            first = np.full(len(text.starts), n)
            first[codes[::-1]] = np.arange(n)[::-1]  # of several places of a value the last one written stays
            used = np.argsort(first)[: np.count_nonzero(first < n)]
            known = np.empty(len(first), dtype=np.int32)
            known[used] = self.of(Text(text.data, text.starts[used], text.stops[used]))
            return known[codes]
        numbers, done = np.empty(len(text), dtype=np.int32), 0
        while True:
            done, self._n_names = number_text(
                *map(read_only, (text.data, text.starts, text.stops)), numbers, done, self._hashes,
                self._slots, self._data, self._ends, self._n_names,
            )  # fmt: skip
            if done == len(text):
                return numbers
            known, size = self._names(), len(self._data) + int(text.stops[done] - text.starts[done])
            self._n_names = 0
            self._allocate(len(self._slots), 2 * size)
            self.of(known)
