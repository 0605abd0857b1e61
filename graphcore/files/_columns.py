"""The columns of an edge list: a header, ends, weights, and columns that only look like these."""

import re
from collections import Counter

from ..exceptions import FormatError, ParameterError
from ..graphs.columns import edge_columns, is_index, left_out, no_edges, two_kinds
from ..graphs.columns import is_time as is_time_name
from ..graphs.columns import weight_column as find_weight
from ._fields import INTEGER, MISSING, is_above_codes, is_formatted, is_id, is_number, is_stamp, is_time, is_whole

# Several numbers in one field, as an embedding in a column of a table.
_LIST = re.compile(r"\s*[\[({]?\s*[-+.\d][-+.\deE]*([\s,;]+[-+.\d][-+.\deE]*)+")
_PAIR = re.compile(r"\(-?\d+,-?\d+\)")  # a node of a grid
# Lines with more numeric columns than these beside the ends are more likely vectors than edges.
_MANY = 3
# Marks around whole lines or fields, as Python, Spark and SQL write them.
_OPEN, _CLOSED = re.compile(r"['\"]|[(\[{][^)\]}]*$"), re.compile(r"[^(\[{]*[)\]}]$|.*[;,'\"]$")


def all_ids(rows, columns):
    """Return whether there are rows, all with integer ids in these columns."""
    return bool(rows) and all(c < len(row) and is_id(row[c]) for row in rows for c in columns)


def kind_of_ids(rows, columns):
    """Return "integer", "whole" or "string": numbers if all ids are, or nine of ten, so that others are errors."""
    fields = [row[c] for row in rows for c in columns if c < len(row)]
    if any(INTEGER.fullmatch(field) and not is_id(field) for field in fields):
        return "string"
    least = 0.9 * len(fields) if len(rows) >= 10 else len(fields)
    if sum(map(is_id, fields)) >= least:
        return "integer"
    return "whole" if sum(map(is_whole, fields)) >= least else "string"


def is_header(rows, columns):
    """Return whether the first line names the columns; `columns` are those of the ends as far as they are known.

    It does if it has names of ends, leaves out the name of an index or counts columns above words, as pandas does, or
    has words above integer ids in both columns of ends, or above numbers in another column.
    """
    first, rest = rows[0], rows[1:]
    named = edge_columns(first)
    if named is not None:  # u and v, or gene1 and gene2, may be nodes
        is_sure = len(named[0]) > 1 and edge_columns(first, certain=True) is not None
        return is_sure or not any(end in row for row in rest for end in named)
    if index_columns(first, rest) or no_edges(*first[:2], *[""] * (2 - len(first))):
        return True
    if is_count(first):
        ends = [row[c] for row in rows[1:] for c in columns if c < len(row)]
        return bool(rest) and (not any(map(is_whole, ends)) or _has_fractions(rest))
    if not rest or any(c >= len(first) or INTEGER.fullmatch(first[c]) for c in columns):
        return False
    others = set(range(min(map(len, rows)))) - set(columns)
    numbers = {c for c in others if is_number(first[c]) or is_formatted(first[c])}
    words = [c for c in others - numbers if first[c].lower() not in MISSING]
    above_ids = any(all_ids(rest, [c]) for c in columns) if len(rest) > 1 else all_ids(rest, columns)
    return above_ids or any(all(is_number(row[c]) or is_formatted(row[c]) for row in rest) for c in words)


def guessed_header(rows, columns):
    """Return the note, in a list, on a first line with words above many names with digits in both columns of ends."""
    first, rest = rows[0], rows[1:]
    if not all(c < len(first) and is_above_codes(first[c], [row[c] for row in rest if c < len(row)]) for c in columns):
        return []
    heads = ", ".join(repr(field[:40]) for field in first[:4])
    return [f"{heads} are taken for names of columns; pass header=False (--no-header) if they are nodes"]


def is_count(names):
    """Return whether names only count columns: 0, 1, 2, as those of pandas do, or V1, V2, V3, as those of R do."""
    n = len(names)
    return any(list(names) == [f"{mark}{c + first}" for c in range(n)] for mark, first in (("", 0), ("V", 1), ("X", 1)))


def _has_fractions(rows):
    """Return whether a third column is written with decimal points everywhere, as a count of columns is not."""
    return all(len(row) > 2 and "." in row[2] and is_number(row[2]) for row in rows)


def index_columns(names, rows):
    """Return positions of columns that are named as an index without a name is, beside others, and hold something."""
    found = [c for c, name in enumerate(names or ()) if is_index(name)]
    return [c for c in found if len(names) > len(found) and rows and all(c < len(row) and row[c] for row in rows)]


def names_in_comment(remarks, width, split):
    """Return column names from the last comment, as SNAP writes them ("# FromNodeId  ToNodeId"), or None."""
    said = remarks[-1].lstrip("#% ").lower() if remarks else ""
    found = (words for words in (split(said), said.replace(",", " ").split()) if len(words) == width)
    return next(filter(edge_columns, found), None)


def is_matrix(rows, is_whole):
    """Return whether lines are an adjacency matrix: numbers between the same names on two sides, or symmetric.

    `is_whole` says that these are all lines of the file.
    """
    first = [row[0] if row else "" for row in rows[1:]]
    for names in (rows[0][1:], rows[0]):
        fits = len(names) == len(first) if is_whole else len(names) >= len(first)
        is_same = set(first) <= set(names) and len(set(first)) == len(first)
        if fits and len(first) > 1 and is_same and not is_number(rows[0][0]):
            return all(is_number(field) for row in rows[1:] for field in row[1:])
    n, width = len(rows), len(rows[0])
    if n < 3 or (n != width if is_whole else n > width) or any(len(row) != width for row in rows):
        return False
    mirrored = all(rows[i][j] == rows[j][i] for i in range(n) for j in range(i))
    one_diagonal = len({rows[i][i] for i in range(n)}) == 1
    return mirrored and one_diagonal and all(is_number(field) for row in rows for field in row)


# -- roles of columns --------------------------------------------------------------------------------------------------


def choose_ends(rows, names, columns, weight_column):
    """Return (columns of the two ends, columns that hold nothing else, notes) from sampled lines, split into fields.

    `names` are those of a header or a comment, or None; `columns` as the caller asked: positions, names, or None for
    the columns that are called as ends are, else the first two that may hold nodes. A stated
    `weight_column` behind these holds none.
    """
    if columns is not None:
        return tuple(position(column, names, "columns") for column in columns), [], []
    index = index_columns(names, rows)
    notes = [f"column {c} is an index without a name, and is not read" for c in index]
    found = edge_columns(names or ())
    if found is not None:
        return tuple(map(names.index, found)), index, notes
    weight = None if weight_column == "auto" else position(weight_column, names, "weight_column")
    nodes = [c for c in range(min(map(len, rows))) if c not in index and (c < 2 or c != weight)]
    untimed = [c for c in nodes if not (names and c < len(names) and is_time_name(names[c]))]
    nodes = untimed if len(untimed) > 1 else nodes
    between = next((c for c in nodes[:2] if 2 < len(nodes) <= 2 + _MANY and _is_relation(rows, c, nodes[:3])), None)
    if between is not None:
        ends = tuple([c for c in nodes if c != between][:2])
        taken, others = (tuple(called(c, names) for c in pair) for pair in (ends, nodes[:2]))
        notes.append(
            f"column {called(between, names)!r} holds {rows[0][between]!r} or the like, and is not read; {taken} are "
            f"the ends; pass columns={others} if it holds nodes"
        )
        return ends, [*index, between], notes
    shown = {row[nodes[1]] for row in rows} if len(nodes) > 2 < len(rows) else set()
    outer = (nodes[0], nodes[2]) if len(nodes) > 2 else ()
    if len(shown) == 1 and not any(map(is_number, shown)) and len({is_number(rows[0][c]) for c in outer}) == 1:
        others = tuple(called(c, names) for c in outer)
        notes.append(
            f"column {called(nodes[1], names)!r} holds {shown.pop()!r} in all lines; if that is no node, pass "
            f"columns={others}"
        )
    return (nodes[0], nodes[1]) if len(nodes) > 1 else (0, 1), index, notes


def _is_relation(rows, c, columns):
    """Return whether a column holds signs, as in 1 -> 2, or a few words, while the others have the same nodes."""
    fields = {row[c] for row in rows}
    if not any(re.search(r"\w", field) for field in fields):
        return True
    first, second = ({row[other] for row in rows} for other in columns if other != c)
    few = len(rows) > 2 and len(fields) < min(len(first), len(second)) and not any(map(is_number, fields))
    return few and bool(first & second) and fields.isdisjoint(first | second)


def position(column, names, parameter):
    """Return the position of a column that is given by its name, or by its position already."""
    if not isinstance(column, str):
        return column
    name = column.strip().lower()
    if names is None:
        raise ParameterError(
            f"{parameter}={column!r} is a name, and the file has no header with it; give its number, from 0"
        )
    if name not in names:
        raise ParameterError(f"{parameter}={column!r} is no column; there are {', '.join(map(repr, names))}")
    return names.index(name)


def called(column, names):
    """Return the name of a column, by which a parameter takes it, or its number where it has none of its own."""
    name = names[column] if names and column < len(names) else ""
    return column if not name or name.isdecimal() or names.count(name) > 1 else name


def notes_on_ends(rows, names, columns, bipartite):
    """Return notes on ends that may be no nodes, or nodes of two kinds; refuse lists, as embeddings are."""
    notes = []
    ends = [names[c] for c in columns] if names and max(columns) < len(names) else []
    if ends and no_edges(*ends):
        raise FormatError(no_edges(*ends))
    for c in columns:
        fields, name = [row[c] for row in rows if len(row) > max(columns)], called(c, names)
        n_lists = sum(bool(_LIST.match(field)) and not _PAIR.fullmatch(field) for field in fields)
        if fields and n_lists >= max(1, len(fields) - 1):  # one may be a header
            raise FormatError(
                f"column {name!r} holds lists of numbers, as {fields[-1][:40]!r}, and no nodes; if they are vectors, "
                "use knn_graph (--vectors); if neighbours, format='adjlist' reads them with blanks between"
            )
        if fields and all(field.endswith(":") and field[:-1].isalnum() for field in fields):
            raise FormatError(
                f"column {name!r} holds {fields[0]!r} and the like, as lists of neighbours do; without the colons they "
                "are read with format='adjlist'"
            )
        if len(fields) > 1 and (all(map(_OPEN.match, fields)) or all(map(_CLOSED.match, fields))):
            raise FormatError(
                f"column {name!r} holds {fields[0][:40]!r} and the like; remove the marks that are no part of the "
                "names, or pass format='edgelist' if they are"
            )
        if fields and all(is_number(field) and not float(field).is_integer() for field in fields):
            notes.append(
                f"column {name!r} holds fractions, as {fields[0]!r}, which are taken for names of nodes; if the lines "
                "are vectors, use knn_graph (--vectors)"
            )
    if (
        ends
        and not bipartite
        and two_kinds(*ends)
        and not {row[columns[0]] for row in rows}.isdisjoint(row[columns[1]] for row in rows)
    ):
        notes.append(
            f"{ends[0]!r} and {ends[1]!r} share numbers; pass bipartite=True (--bipartite) if they are two kinds of "
            "nodes"
        )
    return notes


def choose_weight(rows, names, konect, weight_column, columns, idle):
    """Return (weight column or None, notes on what was left out) from sampled lines, split into fields.

    `columns` are those of the end nodes, `idle` those that hold nothing; `names` the columns' names from a header or a
    comment, or None; `konect` kind and weight type from a KONECT header, or None; `weight_column` as the caller asked:
    "auto", None, number or name.
    """
    if weight_column != "auto":
        weight_column = position(weight_column, names, "weight_column")
        if weight_column in columns:
            raise ParameterError(f"weight_column={weight_column} is a column of node ids, columns={tuple(columns)}")
        return weight_column, []
    # {} is how networkx writes an edge without attributes: nothing is lost with it.
    others = {c for row in rows for c, field in enumerate(row) if field not in ("", "{}")} - {*columns, *idle}
    # Lines with a number are counted by column in one pass over all fields, because single lines may be very wide.
    n_numbers, n_missing, n_formatted = (
        Counter(c for row in rows for c, field in enumerate(row) if is_of_kind(field))
        for is_of_kind in (is_number, lambda field: field.lower() in MISSING, is_formatted)
    )
    # A column of mostly numbers, missing fields aside, is meant as numbers; other fields are reported with their line.
    numeric = [c for c in sorted(others) if 2 * (n_numbers[c] + n_formatted[c]) > len(rows) - n_missing[c]]
    if konect is not None:  # its header names the columns, of which the fourth is a time
        return None if konect[1] == "unweighted" else next(iter(numeric), None), []
    numbers = [c for c in numeric if n_numbers[c] == len(rows)]
    stamps = {c for c in numbers if all(is_stamp(float(row[c])) for row in rows)}
    times = stamps | {c for c in numbers if is_time([row[c] for row in rows])}
    if names is not None:
        found = find_weight([names[c] for c in numeric if c < len(names)])
        chosen = None if found is None else names.index(found)
    else:
        untimed = [c for c in numeric if c not in times]
        chosen = untimed[0] if len(untimed) == 1 and times.issuperset(others - {untimed[0]}) else None
    unread = sorted(others - {chosen})
    if not unread or (chosen is not None and stamps.issuperset(unread)):
        return chosen, []  # KONECT and SNAP write the time of an edge beside its weight, and no warning is due for it
    hint, heads = "", dict(enumerate(names or ()))
    if len(unread) > _MANY and all(n_numbers[c] == len(rows) for c in (*columns, *unread)):
        hint = " (if the lines are vectors, use knn_graph, or --vectors)"
    elif any(row[c].startswith(("{'", '{"')) for row in rows for c in unread if c < len(row)):
        hint = " (attributes as networkx writes them: write the edges with data=['weight'] to keep the weights)"
    elif names is None and len(set(map(len, rows))) > 1:
        hint = " (if each line is a node and its neighbours, pass format='adjlist'; without the node, format='metis')"
    elif chosen is None and times.intersection(unread):
        hint = f" (numbers of {called(min(times.intersection(unread)), names)!r} may be times)"
    elif names is not None and edge_columns(names) is None and max(columns) < len(names):
        source, target = map(heads.get, columns)
        hint = f" (columns {source!r} and {target!r} are taken for the ends; pass columns= for others)"
    likely = [c for c in sorted(unread, key=times.__contains__) if c in numeric and c not in stamps]
    offered = {called(c, names): heads.get(c, c) for c in likely}
    weight = None if chosen is None else called(chosen, names)
    return chosen, [left_out([called(c, names) for c in unread], "weight_column", offered, hint, weight)]
