"""The columns of an edge list: a header, ids, weights, and columns that only look like these."""

import re
from collections import Counter

from ..exceptions import ParameterError
from ..graphs.from_table import edge_columns

ID_NAMES = frozenset([
    "source", "target", "src", "dst", "dest", "from", "to", "node1", "node2", "node_1", "node_2", "id1", "id2",
    "id_1", "id_2", "u", "v", "i", "j", "fromnodeid", "tonodeid", "from_node", "to_node", "fromid", "toid",
    "source_id", "target_id", "sourceid", "targetid", "head", "tail", "start", "end", "follower", "followee",
    "subject", "object", "row", "col", "column", "vertex1", "vertex2", "user1", "user2", "user", "item",
])  # fmt: skip
WEIGHT_NAMES = frozenset([
    "weight", "weights", "w", "wt", "wgt", "value", "val", "strength", "similarity", "score", "count", "counts",
    "freq", "frequency", "n_papers", "volume", "amount", "capacity", "multiplicity", "rating",
])  # fmt: skip
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+")
_INTEGER = re.compile(r"-?\d{1,19}")
# "007" is a name, not the number 7: the file's own names must come back with the labels.
_ID = re.compile(r"0|-?[1-9][0-9]{0,18}")
MISSING = frozenset(["", "-", "?", "na", "n/a", "null", "none", "{}"])
# Numbers above this are taken for times, in seconds (since 1973) or milliseconds since 1970, and not for weights.
_TIME = 1e8
# Lines with more numeric columns than these beside the ends are more likely vectors than edges.
_MANY = 3


def is_decimal_comma(field):
    """Return whether a field is a number with a decimal comma, 1,5."""
    return _DECIMAL_COMMA.fullmatch(field) is not None


def is_number(field):
    """Whether a field is a number, "nan" and "inf" included."""
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field  # Python's own spelling, which no file means


def is_id(field):
    """Whether a field is an integer of 64 bits as Python would write it."""
    return _ID.fullmatch(field) is not None and -(2**63) <= int(field) < 2**63


def all_ids(rows, columns):
    """Return whether there are rows, all with integer ids in these columns."""
    return bool(rows) and all(c < len(row) and is_id(row[c]) for row in rows for c in columns)


def mostly_ids(rows, columns):
    """Return whether ids are integers: all, or nine of ten, so that the others are errors reported with their line."""
    fields = [row[c] for row in rows for c in columns if c < len(row)]
    if any(_INTEGER.fullmatch(field) and not is_id(field) for field in fields):
        return False
    return sum(map(is_id, fields)) >= (0.9 * len(fields) if len(rows) >= 10 else len(fields))


def is_header(rows, columns):
    """Return whether the first line is a header: no ids above integer ids, a word above numbers, or known names."""
    first, rest = rows[0], rows[1:]
    if any(c >= len(first) or _INTEGER.fullmatch(first[c]) for c in columns):
        return False
    if all(first[c].lower() in ID_NAMES for c in columns):
        return True
    if not rest:
        return False
    if all_ids(rest, columns):
        return True
    others = set(range(min(map(len, rows)))) - set(columns)
    words = [c for c in others if not is_number(first[c]) and first[c].lower() not in MISSING]
    return any(all(is_number(row[c]) for row in rest) for c in words)


def names_in_comment(remarks, width):
    """Return column names from the last comment, as SNAP writes them ("# FromNodeId  ToNodeId"), or None."""
    words = remarks[-1].lstrip("#% ").lower().replace(",", " ").split() if remarks else []
    return words if len(words) == width and ID_NAMES.intersection(words[:2]) else None


def is_matrix(rows, is_whole):
    """Return whether lines are an adjacency matrix: numbers between the same names on two sides, or symmetric.

    `is_whole` says that these are all lines of the file.
    """
    first = [row[0] if row else "" for row in rows[1:]]
    for names in (rows[0][1:], rows[0]):
        fits = len(names) == len(first) if is_whole else len(names) >= len(first)
        if fits and len(first) > 1 and names[: len(first)] == first and not is_number(rows[0][0]):
            return all(is_number(field) for row in rows[1:] for field in row[1:])
    n, width = len(rows), len(rows[0])
    if n < 3 or (n != width if is_whole else n > width) or any(len(row) != width for row in rows):
        return False
    mirrored = all(rows[i][j] == rows[j][i] for i in range(n) for j in range(i))
    one_diagonal = len({rows[i][i] for i in range(n)}) == 1
    return mirrored and one_diagonal and all(is_number(field) for row in rows for field in row)


def vectors_note(rows, columns):
    """Return a note if node ids are fractions, as coordinates of vectors are."""
    for c in columns:
        fields = [row[c] for row in rows if c < len(row)]
        if fields and all(is_number(field) and not float(field).is_integer() for field in fields):
            return [
                f"column {c} holds fractions, as {fields[0]!r}, which are taken for names of nodes; if the lines are "
                "vectors, use knn_graph (--vectors)"
            ]
    return []


def ends_note(names, columns):
    """Return a note if other columns than those that are read have the names of the ends of edges."""
    found = edge_columns(names)
    at = () if found is None else tuple(names.index(name) for name in found[:2])
    if found is None or set(at) == set(columns):
        return []
    return [
        f"columns {columns[0]} and {columns[1]} are read, but {found[0]!r} and {found[1]!r} are columns {at[0]} and "
        f"{at[1]}; pass columns={at} to read these"
    ]


def choose_weight(rows, columns, names, konect, weight_column):
    """Return (weight column or None, notes on what was left out) from sampled lines, split into fields.

    `columns` are those of the end nodes; `names` the columns' names from a header or a comment, or None; `konect` kind
    and weight type from a KONECT header, or None; `weight_column` as the caller asked: "auto", None, number or name.
    """
    if isinstance(weight_column, str) and weight_column != "auto":
        name = weight_column.strip().lower()
        if names is None:
            raise ParameterError(
                f"weight_column={weight_column!r} is a name, and the file has no header; give its number, from 0"
            )
        if name not in names:
            listed = ", ".join(map(repr, names))
            raise ParameterError(f"weight_column={weight_column!r} is no column; there are {listed}")
        weight_column = names.index(name)
    if weight_column != "auto":
        if weight_column in columns:
            raise ParameterError(f"weight_column={weight_column} is a column of node ids, columns={tuple(columns)}")
        return weight_column, []
    # {} is how networkx writes an edge without attributes: nothing is lost with it.
    others = sorted({c for row in rows for c, field in enumerate(row) if field not in ("", "{}")} - set(columns))
    # Lines with a number are counted by column in one pass over all fields, because single lines may be very wide.
    n_numbers = Counter(c for row in rows for c, field in enumerate(row) if is_number(field))
    n_missing = Counter(c for row in rows for c, field in enumerate(row) if field.lower() in MISSING)
    n_commas = Counter(c for row in rows for c, field in enumerate(row) if is_decimal_comma(field))
    numbers = (c for c in others if n_numbers[c] == len(rows))
    times = {c for c in numbers if all(_TIME <= float(row[c]) == float(row[c]) // 1 for row in rows)}
    # A column of mostly numbers, missing fields aside, is meant as numbers; other fields are reported with their line.
    numeric = [c for c in others if 2 * (n_numbers[c] + n_commas[c]) > len(rows) - n_missing[c]]
    if konect is not None:  # its header names the columns, of which the fourth is a time
        return None if konect[1] == "unweighted" else next(iter(numeric), None), []
    if names is not None:
        chosen = next((c for c in numeric if c < len(names) and names[c].strip() in WEIGHT_NAMES), None)
    else:
        untimed = [c for c in numeric if c not in times]
        chosen = untimed[0] if len(untimed) == 1 and times.issuperset(set(others) - set(untimed)) else None
    left_out = [c for c in others if c != chosen]
    if chosen is not None and times.issuperset(left_out):
        left_out = []  # KONECT and SNAP write the time of an edge beside its weight, and no warning is due for it
    numbers_only = len(left_out) > _MANY and all(n_numbers[c] == len(rows) for c in (*columns, *left_out))
    return chosen, [_note(rows, left_out, names, numbers_only)] if left_out else []


def _note(rows, left_out, names, numbers_only):
    labels = [f"{c}" + (f" ({names[c]!r})" if names is not None and c < len(names) else "") for c in left_out]
    what = ", ".join(labels[:4]) + (f" and {len(labels) - 4} more" if len(labels) > 4 else "")
    plural = "s" if len(left_out) > 1 else ""
    hint, columns = "", set(left_out)
    if numbers_only:
        hint = " (if the lines are vectors, use knn_graph, or --vectors)"
    elif names is None and len(set(map(len, rows))) > 1:
        hint = " (if each line is a node and its neighbours, pass format='adjlist')"
    if any(field.startswith(("{'", '{"')) for row in rows for c, field in enumerate(row) if c in columns):
        hint = " (attributes as networkx writes them: write the edges with data=['weight'] to keep the weights)"
    return (
        f"column{plural} {what} not read{hint}; pass weight_column={left_out[0]} if it holds the edges' weights, "
        "weight_column=None to say that none does"
    )
