"""Columns of tables of edges by their names, for files and data frames alike: the two ends, the weight, an index."""

import re

# Names of the two ends of edges, in small letters without marks between their words. Frames that have one of the first
# few are tables of edges even where nobody says so.
_CERTAIN = (("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"))
_ENDS = (
    *_CERTAIN, ("src", "dest"), ("i", "j"), ("head", "tail"), ("start", "end"), ("row", "col"), ("row", "column"),
    ("follower", "followee"), ("subject", "object"), ("citing", "cited"), ("ego", "alter"), ("parent", "child"),
    ("user", "item"), ("node", "neighbor"), ("node", "neighbour"),
)  # fmt: skip
# Ends may share a word, as from_account and to_account, or account_from and account_to do, or node1 and node2.
_SIDES = (("source", "target"), ("from", "to"), ("src", "dst"), ("src", "dest"), ("start", "end"))
_NUMBERED = ("node", "id", "vertex", "user", "person", "actor", "name", "entity", "gene", "protein", "author")
# Names of weights, the surest first.
_WEIGHTS = (
    "weight", "weights", "edgeweight", "w", "wt", "wgt", "value", "val", "strength", "similarity", "score", "count",
    "counts", "freq", "frequency", "npapers", "volume", "amount", "capacity", "multiplicity", "rating",
)  # fmt: skip
# Missing values as libraries write them, as far as they are hardly the names of nodes.
_MISSING = ("nan", "NaN", "NAN", "None", "NULL", "null", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaT")
# Nodes of two kinds, as far as tables name them.
_PEOPLE = (
    "user",
    "customer",
    "person",
    "author",
    "member",
    "actor",
    "reviewer",
    "client",
    "player",
    "student",
    "reader",
)
_THINGS = (
    "item", "movie", "product", "paper", "book", "event", "group", "film", "team", "course", "page", "song", "artist",
    "article", "business", "game", "track", "tag", "word",
)  # fmt: skip
# The names that pandas and pyarrow give to an index that has none.
_INDEX = re.compile(r"\s*|unnamed: \d+(\.\d+)?|__index_level_\d+__", re.IGNORECASE)
_MARKS = re.compile(r"[\W_]+")


def plain(name):
    """Return a name in small letters and without marks between its words; of other things than text, None."""
    return _MARKS.sub("", name.lower()) if isinstance(name, str) else None


def edge_columns(names, certain=False):
    """Return the names of the columns of the two ends of edges, or None; `certain` leaves out names of other things."""
    known: dict = {}
    for name in names:
        known.setdefault(plain(name), name)
    found = next((pair for pair in (_CERTAIN if certain else _ENDS) if known.keys() >= set(pair)), None)
    if found is None and not certain:
        found = next((pair for pair in map(_other_end, known) if pair and pair[1] in known), None)
    return None if found is None else (known[found[0]], known[found[1]])


def _other_end(name):
    """Return a name and that of the other end which has the same word beside its side, or None."""
    if name is None:
        return None
    for source, target in _SIDES:
        if name.startswith(source):
            return name, target + name.removeprefix(source)
        if name.endswith(source):
            return name, name.removesuffix(source) + target
    return (name, f"{name[:-1]}2") if name.endswith("1") and name[:-1] in _NUMBERED else None


def weight_column(names):
    """Return the first of the surest names of weights; None if there is none."""
    known = {plain(name): name for name in reversed(list(names))}
    return next((known[weight] for weight in _WEIGHTS if weight in known), None)


def is_index(name):
    """Return whether a column is named as libraries name an index that has no name."""
    return isinstance(name, str) and _INDEX.fullmatch(name) is not None


def is_named_id(name):
    """Return whether a column is named as the ids of rows are."""
    return plain(name) in ("id", "ids", "index", "row", "rowid", "rownumber", "key")


def in_row_order(X):
    """Return a square data frame with its columns in the order of its rows, where both have the same names."""
    if not hasattr(X, "reindex") or not hasattr(X, "columns"):
        return X
    rows, columns = list(X.index), list(X.columns)
    is_other_order = rows != columns and len(rows) == len(columns) == len(set(rows)) and set(rows) == set(columns)
    return X[rows] if is_other_order else X


def two_kinds(source, target):
    """Return whether the names of two ends speak of nodes of two kinds, whose numbers may be the same."""
    source, target = ((plain(name) or "").removesuffix("id") for name in (source, target))
    return source in _PEOPLE and target in _THINGS


def missing_names(names):
    """Return the note on names of nodes that stand for missing values; None if there are none."""
    found = [name for name in _MISSING if name in names]
    if not found:
        return None
    return (
        f"nodes are called {', '.join(map(repr, found))}, as missing values are written; drop these edges unless they "
        "are names"
    )


def left_out(names, parameter, remedy=None, hint=""):
    """Return the message about columns, or attributes of edges, that are not read; `remedy` is how one is read."""
    shown = ", ".join(name[:80] for name in map(str, names[:4])) + (f" and {len(names) - 4} more" if names[4:] else "")
    remedy = str(names[0])[:80] if remedy is None else remedy
    return (
        f"column{'s' * (len(names) > 1)} {shown} not read{hint}; pass {parameter}={remedy!r} if it holds the edges' "
        f"weights, {parameter}=None to say that none does"
    )
