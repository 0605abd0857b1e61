"""Lines, fields and names of text files, as edge lists, labels and tables of nodes have them in common."""

import csv
import re

import numpy as np

from ..exceptions import FormatError, InputError, ParameterError
from ..graphs.numbering import Text

MISSING = frozenset(["", "-", "?", "na", "n/a", "#n/a", "nan", "<na>", "nat", "null", "none", "{}", r"\n"])
# "007" is a name, not the number 7: the file's own names must come back with the labels.
_ID = re.compile(r"0|-?[1-9][0-9]{0,18}")
# A line that is far longer is none of a table.
_LONGEST_LINE = 1 << 20
# Characters that no text file holds: control characters, by which binary files are recognised, and surrogates.
_UNFIT = re.compile("[\0-\x08\n\r\x0e-\x19\x1b-\x1f\ud800-\udfff]")
# White space that Python strips, but for line ends: that of ASCII, and other.
_BLANKS = " \t\x0b\x0c\x1c\x1d\x1e\x1f"
_OTHER_BLANKS = [
    "\x85", "\xa0", "\u1680", *map(chr, range(0x2000, 0x200B)), "\u2028", "\u2029", "\u202f", "\u205f", "\u3000",
]  # fmt: skip
# A longer field is refused by readers of tables, Python's among them.
_MAX_LENGTH = 131_072


def is_number(field):
    """Return whether a field is a number, "nan" and "inf" included."""
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field  # Python's own spelling, which no file means


def is_id(field):
    """Return whether a field is an integer of 64 bits as Python would write it."""
    return _ID.fullmatch(field) is not None and -(2**63) <= int(field) < 2**63


def check_delimiter(delimiter):
    """Raise a ParameterError for an invalid delimiter."""
    one = isinstance(delimiter, str) and len(delimiter) == 1 and delimiter not in "\r\n"
    if delimiter not in (None, "whitespace") and not one:
        raise ParameterError(f"delimiter={delimiter!r} must be one character, 'whitespace' or None (guess)")


def sample_lines(text, comments, most=200):
    """Return the first lines of a stream that hold data, as (number, line), and the comments before and among them."""
    numbered, remarks, length = [], [], 0
    for number, line in enumerate(iter(lambda: text.readline(_LONGEST_LINE), ""), 1):
        if len(line) == _LONGEST_LINE:
            raise FormatError(f"line {number} is longer than {_LONGEST_LINE:,} characters: this is no table of edges")
        stripped = line.strip()
        if stripped == "#" and numbered:
            raise FormatError(
                f"line {number} is # alone between others, as between nodes and edges of TGF; keep the lines below it"
            )
        if stripped.startswith(comments):
            remarks.append(stripped)
        elif stripped:
            numbered.append((number, line.rstrip("\n")))
            length += len(line)
            if len(numbered) == most or length > _LONGEST_LINE:
                break
    return numbered, remarks


def split_line(line, delimiter, quoted=True):
    """Return the fields of one line, without blanks around them; `delimiter` None is white space."""
    if not (quoted and '"' in line):
        return [field.strip() for field in line.split(delimiter)] if delimiter else line.split()
    line = line if delimiter else " ".join(line.split())
    try:
        fields = next(csv.reader([line], delimiter=delimiter or " ", skipinitialspace=delimiter not in (None, " ")), [])
    except csv.Error as error:  # a field of more characters than the module's limit
        raise FormatError(f"{error}: {line}") from None
    return [field.strip() for field in fields] if delimiter else fields


def guess_delimiter(lines, marks="\t,;|"):
    """Return the mark that splits most lines into the same number of columns, the first of several; None for blanks."""
    found = {}
    for mark in marks:
        widths = [len(split_line(line, mark)) for line in lines]
        often = max(set(widths), key=widths.count)
        if often > 1 and 2 * widths.count(often) > len(lines):  # other lines are reported as errors
            found[mark] = widths.count(often)
    return max(found, key=found.__getitem__) if found else None


def read_columns(text, delimiter, comments=("#", "%"), first_line=1):
    """Split a text into columns, lists of fields; comments and blank lines are left out.

    All lines have the columns of the first, or a FormatError names the first one that has not.
    """
    columns = plain_columns(text, delimiter, comments, quoted=True)
    if columns is not None:
        return [column.tolist() for column in columns]
    for number, line in enumerate(text.split("\n"), first_line):
        stripped = line.lstrip()
        if not stripped or stripped.startswith(comments):
            continue
        row = split_line(line, delimiter)
        columns = columns or [[] for _ in row]
        if len(row) != len(columns):
            raise FormatError(
                f"line {number}: {len(row)} columns, where the lines before it have {len(columns)} (of one "
                "community per line, write a line for each node)"
            )
        if line.count('"') % 2:
            raise FormatError(f"line {number}: a quote is not closed: {line[:60]!r}")
        for column, field in zip(columns, row, strict=True):
            column.append(field)
    return columns or []


def plain_columns(text, delimiter, comments, quoted):
    """Split a text as `read_columns` does, all at once, into columns of Text; None if it has to be read line by line.

    It has to where there may be comments, where quotes hold more than a field without any, or where lines differ in
    width.
    """
    doubtful = [*(f"\n{mark}" for mark in comments), *_OTHER_BLANKS * (not text.isascii())]
    if any(each in f"\n{text}" for each in doubtful) or not (delimiter or " ").isascii():
        return None
    text = text.removesuffix("\n") + "\n"
    code = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    is_end, is_blank = code == ord("\n"), np.isin(code, list(_BLANKS.encode()))
    if delimiter:
        is_blank &= code != ord(delimiter)
        stops = np.flatnonzero(is_end | (code == ord(delimiter)))
        starts, last = np.append(0, stops[:-1] + 1), np.flatnonzero(is_end[stops])
        _strip(starts, stops, is_blank)
        widths = np.diff(last, prepend=-1)
        # A line of tabs is blank, one of commas is not.
        is_full = np.logical_or.reduceat(starts < stops, last - widths + 1)
        if not delimiter.isspace():
            is_full |= widths > 1
        of_full = np.repeat(is_full, widths)
        starts, stops, widths = starts[of_full], stops[of_full], widths[is_full]
    else:
        edges = np.diff((is_blank | is_end).astype(np.int8), prepend=1)
        starts, stops = np.flatnonzero(edges == -1), np.flatnonzero(edges == 1)
        widths = np.diff(np.searchsorted(starts, np.flatnonzero(is_end)), prepend=0)
        widths = widths[widths > 0]
    if len(widths) and widths.min() < widths.max():
        return None
    if quoted and '"' in text:
        is_quoted = (stops - starts > 1) & (code[starts] == ord('"')) & (code[stops - 1] == ord('"'))
        if 2 * np.count_nonzero(is_quoted) < np.count_nonzero(code == ord('"')):
            return None
        starts, stops = starts + is_quoted, stops - is_quoted
        _strip(starts, stops, is_blank)
    width = int(widths[0]) if len(widths) else 0
    return [Text(code, starts[c::width], stops[c::width]) for c in range(width)]


def _strip(starts, stops, is_blank):
    """Leave out blanks around fields, in place."""
    while len(at := np.flatnonzero(is_blank[starts] & (starts < stops))):
        starts[at] += 1
    while len(at := np.flatnonzero(is_blank[stops - 1] & (starts < stops))):
        stops[at] -= 1


def refuse_unfit(names, remedy="write .npz instead"):
    """Raise an InputError, which ends in a remedy, if a text file cannot hold some names."""
    if isinstance(names, range) or (isinstance(names, np.ndarray) and names.dtype.kind in "iu"):
        return
    unfit, seen = first_unfit(names), {}
    if unfit is not None:
        raise InputError(f"node name {unfit!r} has characters that no text file holds, or too many; {remedy}")
    for name in map(str, names):
        if (twin := seen.setdefault(name.strip(), name)) != name:
            differ = f"node names {twin!r} and {name!r} differ in blanks only"
            raise InputError(f"{differ}, which no reader of text keeps; {remedy}")


def first_unfit(names):
    """Return the first name that a text file cannot hold or that readers refuse; None if there is none."""
    names = list(map(str, names))
    if max(map(len, names), default=0) <= _MAX_LENGTH and _UNFIT.search("".join(names)) is None:
        return None
    return next(name for name in names if len(name) > _MAX_LENGTH or _UNFIT.search(name))
