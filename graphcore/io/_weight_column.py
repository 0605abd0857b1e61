"""Which column of an edge list holds weights, and which look like it but do not."""

import re
from collections import Counter

from ..exceptions import ParameterError

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
MISSING = frozenset(["", "-", "?", "na", "n/a", "null", "none", "{}"])
# Seconds (since 1973) or milliseconds since 1970: numbers of this size stand for moments, hardly for weights.
_TIME = 1e8
# Edges seldom have more numbers than so many; vectors do.
_MANY = 3


def choose_weight(rows, columns, names, konect, weight_column):
    """Return (weight column or None, notes on what was left out) from sampled lines, split into fields.

    `columns` are those of the end nodes; `names` the columns' names from a header or a comment, or None; `konect` kind
    and weight type from a KONECT header, or None; `weight_column` "auto", a number or None, as the caller asked.
    """
    if weight_column is None:
        return None, []
    if weight_column != "auto":
        if weight_column in columns:
            raise ParameterError(f"weight_column={weight_column} is a column of node ids, columns={tuple(columns)}")
        return weight_column, []
    # {} is how networkx writes an edge without attributes: nothing is lost with it.
    others = sorted({c for row in rows for c, field in enumerate(row) if field not in ("", "{}")} - set(columns))
    # By column, how many lines have a number there: each field is looked at once, however wide some lines are.
    n_numbers = Counter(c for row in rows for c, field in enumerate(row) if is_number(field))
    n_missing = Counter(c for row in rows for c, field in enumerate(row) if field.lower() in MISSING)
    n_commas = Counter(c for row in rows for c, field in enumerate(row) if is_decimal_comma(field))
    times = {c for c in others if n_numbers[c] == len(rows) and _are_times(row[c] for row in rows)}
    # A column that is mostly numbers, where it holds anything, is meant as one; what is none, or missing, is then
    # reported with its line.
    numeric = [c for c in others if 2 * (n_numbers[c] + n_commas[c]) > len(rows) - n_missing[c]]
    chosen = _choose(numeric, others, times, names, konect)
    if konect is not None:
        return chosen, []  # the header says what the columns are; the fourth is a time
    left_out = [c for c in others if c != chosen]
    if chosen is not None and times.issuperset(left_out):
        left_out = []  # an edge's moment beside its weight: KONECT and SNAP write it, and it is never the weight
    numbers_only = len(left_out) > _MANY and all(n_numbers[c] == len(rows) for c in (*columns, *left_out))
    return chosen, [_note(rows, left_out, names, numbers_only)] if left_out else []


def _choose(numeric, others, times, names, konect):
    if konect is not None:
        return None if konect[1] == "unweighted" else next(iter(numeric), None)
    if names is not None:
        return next((c for c in numeric if c < len(names) and names[c].strip() in WEIGHT_NAMES), None)
    candidates = [c for c in numeric if c not in times]
    return candidates[0] if len(candidates) == 1 and times.issuperset(set(others) - set(candidates)) else None


def is_decimal_comma(field):
    """Whether a field is a number as much of Europe writes it, 1,5."""
    return _DECIMAL_COMMA.fullmatch(field) is not None


def is_number(field):
    """Whether a field is a number, "nan" and "inf" included."""
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field  # Python's own spelling, which no file means


def _are_times(fields):
    return all(_TIME <= float(field) == float(field) // 1 for field in fields)


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
