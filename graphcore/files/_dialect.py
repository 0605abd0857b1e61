"""The dialect of an edge list (delimiter, quotes, columns), guessed from its first lines."""

import csv
import re
from dataclasses import dataclass, replace

from ..base.locks import cached_property
from ..exceptions import FormatError
from ..graphs.columns import edge_columns
from ._columns import (
    all_ids,
    choose_ends,
    choose_weight,
    guessed_header,
    is_count,
    is_header,
    is_matrix,
    kind_of_ids,
    names_in_comment,
    notes_on_ends,
)
from ._fields import is_decimal_comma, is_number
from ._source import is_ascii

_SAMPLE = 200
# Sampling ends at this number of characters, too; a line that is far longer is none of an edge list.
_SAMPLE_LENGTH = 1 << 20
_BLOCK = 1 << 13  # characters
_LONGEST_LINE = 1 << 20
# Number of comments that are looked at, and characters of each.
_REMARKS, _REMARK_LENGTH = 1000, 1 << 12
_KONECT = re.compile(r"%\s*(sym|asym|bip)\s+(\w+)")
COMMENT = "a comment, though it has the columns of an edge; pass comments=() (--comments '') to read such lines"
# The first line by which Excel tells the delimiter.
EXCEL = re.compile(r"\"?sep=(.)\"?\s*")
# The comment in which write_graph notes the number of nodes and the kind of ids, so that its files read back the same.
_OWN = re.compile(r"# graphcore edge list; nodes: (\d{1,18}|named); ids: (integer|string); weights: (yes|no)")


@dataclass(frozen=True)
class Dialect:
    """The parameters by which all lines of an edge list are read."""

    delimiter: str | None = None  # None is any white space
    quoted: bool = False
    comments: tuple = ("%",)
    skip: int = 0  # physical lines before the first edge
    columns: tuple = (0, 1)
    weight_column: int | None = None
    ids: str = "integer"  # or "whole", integers written as floats, or "string"
    width: int | None = None  # columns of the sampled lines; None where a format checks its lines itself
    wide: bool = False  # whether ids need 64 bits
    called: tuple = ()  # names of the columns that are read, or their numbers
    has_header: bool = False
    n_nodes: int | None = None  # as write_graph notes it in a comment
    notes: tuple = ()  # warnings about columns that are not read
    encoding: str = "latin-1"

    @property
    def used(self):
        """The columns that are read, by their positions."""
        return [*self.columns, *([] if self.weight_column is None else [self.weight_column])]

    @cached_property
    def behind(self):
        """The expression that finds a comment behind an edge, or None; with delimiters it is part of a field."""
        marks = "|".join(map(re.escape, self.comments))
        possible = marks and self.delimiter is None and not self.quoted and self.width is not None
        return re.compile(rf"\s({marks})(\s.*)?$") if possible else None

    @property
    def text_encoding(self):
        """The encoding of the lines; with integer ids only comments can hold anything but ASCII."""
        return "latin-1" if self.ids != "string" and is_ascii(self.encoding) else self.encoding

    def split(self, line):
        """Return the fields of a line, without a comment behind the edge."""
        line = self.behind.sub("", line) if self.behind else line
        return split_line(line, self.delimiter, self.quoted and '"' in line)


def guess_dialect(source, reading):
    """Guess the Dialect of `source` from its comments and first 200 lines, beyond the values that the Reading gives.

    Lines that do not look like edges are refused, unless the caller declares the format.
    """
    comments, weight_column = reading.marks, reading.weight_column
    with source.text(reading.encoding, errors="replace") as text:  # comments may hold anything
        numbered, remarks, n_before = sample_lines(text, comments)
    if not numbered:
        raise FormatError(f"there are no edges: every line is blank or a comment{_beside_comments(remarks)}")
    konect = next((m.groups() for m in map(_KONECT.match, remarks) if m), None)
    if konect and konect[0] == "bip" and not (reading.bipartite or reading.declared):
        raise FormatError(
            "the KONECT header says that the graph is bipartite: its two columns number two different sets of nodes, "
            "which would be mixed up. Pass bipartite=True, or format='edgelist' to read one set"
        )
    delimiter, header, ids = reading.delimiter, reading.header, reading.ids
    excel = EXCEL.fullmatch(numbered[0][1]) if delimiter is None and len(numbered) > 1 else None
    if excel:
        delimiter, numbered = excel[1], numbered[1:]
    lines, notes = [line for _, line in numbered], []
    own = next((m.groups() for m in map(_OWN.fullmatch, remarks) if m), None)
    if own and "\t" in lines[0]:  # files of write_graph with commas have a header
        delimiter, header, ids = delimiter or "\t", bool(header), own[1] if ids == "auto" else ids
        weight_column = (2 if own[2] == "yes" else None) if weight_column == "auto" else weight_column
    any_quote = any('"' in line for line in lines)
    asked = [c for c in reading.columns or (0, 1) if isinstance(c, int)]
    delimiter = _delimiter(lines, delimiter, asked, any_quote, source.suffix)
    # In CSV a " is a quote; with tabs and white space it is one only where some field begins with it.
    begins = any_quote and any(f[:1] == '"' for line in lines for f in split_line(line, delimiter, False))
    layout = Dialect(delimiter, delimiter in (",", ";") or begins, comments, width=0)
    rows = list(map(layout.split, lines))
    if not reading.declared and is_matrix(rows, len(rows) < _SAMPLE):
        raise FormatError(
            "this looks like an adjacency matrix and no list of edges; give Graph.from_scipy what numpy.loadtxt(path, "
            "delimiter=...) or, with names, pandas.read_csv(path, index_col=0) reads, or pass format='edgelist'"
        )
    if header is None:
        by_name = [c for c in (*(reading.columns or ()), weight_column) if isinstance(c, str) and c != "auto"]
        heads = {field.lower() for field in rows[0]}
        is_named = bool(by_name) and all(name.strip().lower() in heads for name in by_name)
        header = is_named or is_header([_heads(rows), *rows[1:]], asked)
        notes = [] if header else guessed_header(rows, asked)
        header = header or bool(notes)
    notes += [_count_note(numbered[0][1])] if not header and reading.header is None and _may_count(rows) else []
    names = names_in_comment(remarks, len(rows[0]), layout.split)
    if header:
        names, rows = [field.lower() for field in _heads(rows)], rows[1:]
        names = None if is_count([field.upper() for field in names]) else names
        if not rows:
            raise FormatError(
                "there are no edges: only a header line (pass header=False if it is an edge)"
                f"{_beside_comments(remarks)}"
            )
    columns, idle, said = choose_ends(rows, names, reading.columns, weight_column)
    notes += said
    if not reading.declared:
        notes += notes_on_ends(rows, names, columns, reading.bipartite)
    weight, left = choose_weight(rows, names, konect, weight_column, columns, idle)
    used = [*columns, *([] if weight is None else [weight])]
    called = tuple(names[c] if names and c < len(names) else c for c in used)
    ids = kind_of_ids(rows, columns) if ids == "auto" else ids
    dialect = replace(
        layout,
        skip=numbered[0][0] if header else numbered[0][0] - 1,
        columns=columns,
        weight_column=weight,
        ids=ids,
        width=max(map(len, rows)),
        wide=ids == "integer" and any(len(row[c]) > 9 for row in rows for c in columns if c < len(row)),
        called=called,
        has_header=bool(header and names and max(columns) < len(names)),
        n_nodes=int(own[0]) if own and own[0] != "named" else None,
        encoding=reading.encoding,
    )
    likely = [mark for mark in remarks[:n_before] if (delimiter or weight) and is_like_edge(mark, dialect)]
    likely = [mark for mark in likely if edge_columns(layout.split(mark.lstrip("#%"))) is None]
    notes += [f"{likely[0][:40]!r} is {COMMENT}" for _ in likely[:1]]
    return replace(dialect, notes=(*notes, *left))


def named_columns(rows):
    """Return the fields of the first line, below which R writes names of rows that have no name of their own."""
    first, rest = rows[0], rows[1:]
    is_short = rest and all(len(row) == len(first) + 1 and row[-1] for row in rest)
    return ["", *first] if is_short and all(re.search(r"[^\W\d_]", field) for field in first) else first


def _heads(rows):
    return named_columns(rows) if len(rows[0]) > 1 else rows[0]


def _may_count(rows):
    return len(rows) > 1 and len(rows[0]) > 2 and is_count(rows[0]) and all(len(row) == len(rows[0]) for row in rows)


def _count_note(line):
    return f"the first line, {line.strip()!r}, is taken for an edge; pass header=True (--header) if it counts columns"


def _beside_comments(remarks):
    """Return the end of the message that there are no edges, where comments have the form of edges."""
    likely = next((remark for remark in remarks if re.match(r"[#%]\S+[,;\t]\S", remark)), None)
    return "" if likely is None else f"; {likely[:40]!r} is {COMMENT}"


def is_edge(line, dialect):
    """Return whether a line is neither blank nor a comment."""
    stripped = line.lstrip()
    return stripped != "" and not stripped.startswith(dialect.comments)


def is_like_edge(line, dialect):
    """Return whether a comment has the columns of an edge, as #tag,#other has between names."""
    mark = next(mark for mark in dialect.comments if line.lstrip().startswith(mark))
    if dialect.width is None or dialect.ids != "string" or line.lstrip().removeprefix(mark)[:1].isspace():
        return False
    fields = dialect.split(line)
    weights = [fields[c] for c in dialect.used[2:] if c < len(fields)]
    return len(fields) == dialect.width and all(map(is_number, weights))


def split_line(line, delimiter, quoted):
    """Fields of one line, without blanks around them."""
    if not quoted:
        return [field.strip() for field in line.split(delimiter)] if delimiter else line.split()
    line = line if delimiter else " ".join(line.split())
    try:
        fields = next(csv.reader([line], delimiter=delimiter or " ", skipinitialspace=delimiter is not None), [])
    except csv.Error as error:  # a field of more characters than the module's limit
        raise FormatError(f"{error}: {line}") from None
    return [field.strip() for field in fields] if delimiter else fields


def numbered_lines(text):
    """Yield numbered lines without their line ends; a quoted name at the beginning may hold line breaks."""
    numbered = enumerate(text, 1)
    for number, line in numbered:
        if number == 1 and EXCEL.fullmatch(line.strip("\n")):
            continue
        if line.startswith('"') and line.count('"') % 2:
            parts = [line]
            for _, part in numbered:
                parts.append(part)
                if part.count('"') % 2:
                    break
            yield number, "".join(parts).strip("\n")
        else:
            yield number, line.strip("\n")


def read_columns(lines, delimiter, most=-1):
    """Split numbered lines into columns, lists of text; `delimiter` None is white space, `most` bounds the splits.

    Where names of rows stand below a first line that has none for them, as R writes tables, it is blank.
    """
    columns: list[list[str]] = []
    for number, line in lines:
        row = line.strip().split(None, most) if most >= 0 else split_line(line, delimiter, '"' in line)
        columns = columns or [[] for _ in row]
        if columns and len(columns[0]) == 1:
            heads = named_columns([[column[0] for column in columns], row])
            columns = [[head] for head in heads] if len(heads) > len(columns) else columns
        if len(row) != len(columns):
            raise FormatError(f"line {number}: {len(row)} columns, where the lines before it have {len(columns)}")
        for column, field in zip(columns, row, strict=True):
            column.append(field)
    return columns


def sample_lines(text, comments):
    """Return the first data lines as (number, line), the first and the last comments, and how many came before."""
    numbered, remarks, length, n_before = [], [], 0, 0
    for number, line in _lines(text):
        if len(line) >= _LONGEST_LINE:
            raise FormatError(f"line {number} is longer than {_LONGEST_LINE:,} characters: this is no edge list")
        stripped = line.strip()
        if stripped.startswith(comments):
            remarks[_REMARKS:] = [stripped[:_REMARK_LENGTH]]
            n_before += not numbered
        elif stripped:
            numbered.append((number, line))
            length += len(line)
            if len(numbered) == _SAMPLE or length > _SAMPLE_LENGTH:
                break
    return numbered, remarks, n_before


def _lines(text):
    """Yield numbers and lines, without long blocks of blank lines, of which compressed files can hold 100 million."""
    number = 1
    while block := text.read(_BLOCK):
        block += text.readline(_LONGEST_LINE)
        if not block.isspace():
            yield from enumerate(block.removesuffix("\n").split("\n"), number)
        number += block.count("\n")


def _delimiter(lines, given, columns, quoted, suffix):
    """Return the delimiter that makes the ids integers in all lines but the first, else one with enough columns."""
    if given is not None:
        return None if given == "whitespace" else given
    candidates = ["\t", ";", ",", None] if suffix != ".csv" else [",", ";", "\t", None]
    marks = [*candidates, "|"]
    split = {mark: [split_line(line, mark, quoted and mark is not None) for line in lines] for mark in marks}
    last = max(columns, default=1)
    wide = [mark for mark in marks if all(len(row) > last for row in split[mark])]
    if any("(" in line for line in lines):  # names such as (0,1) stay whole
        fields = {mark: [field for row in split[mark] for field in row[: last + 1]] for mark in wide}
        whole = [m for m in wide if all(field.count("(") == field.count(")") for field in fields[m])]
        wide = whole or wide
    for mark in wide:
        if all_ids(split[mark][1:] or split[mark], columns):
            return mark
    if ";" in wide and any(map(is_decimal_comma, lines[-1].split(";"))):
        return ";"  # commas are in the numbers
    if wide:
        return wide[0]
    # Some line is short whatever the delimiter; take the one that suits most lines, so that the error names a line.
    return max(reversed(candidates), key=lambda c: sum(len(split_line(line, c, False)) > last for line in lines))
