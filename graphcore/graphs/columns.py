"""Columns of tables of edges by their names, for files and data frames alike: the two ends, the weight, an index."""

import re

from ..base.validation import is_missing
from ..exceptions import InputError, warn_user

# Names of the two ends of edges, in small letters without marks between their words. Frames that have one of the first
# few are tables of edges even where nobody says so.
_CERTAIN = (("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"))
_ENDS = (
    *_CERTAIN, ("src", "dest"), ("i", "j"), ("head", "tail"), ("start", "end"), ("row", "col"), ("row", "column"),
    ("follower", "followee"), ("subject", "object"), ("citing", "cited"), ("ego", "alter"), ("parent", "child"),
    ("user", "item"), ("node", "neighbor"), ("node", "neighbour"), ("sender", "receiver"), ("sender", "recipient"),
    ("caller", "callee"), ("payer", "payee"), ("buyer", "seller"), ("origin", "destination"), ("exporter", "importer"),
)  # fmt: skip
# Ends may share a word, as from_account and to_account, or account_from and account_to do, or node1 and node2.
_SIDES = (("source", "target"), ("from", "to"), ("src", "dst"), ("src", "dest"), ("start", "end"))
# Words before a number, or before a and b.
_NUMBERED = (
    "node", "id", "vertex", "user", "person", "actor", "name", "entity", "gene", "protein", "author", "interactor",
    "symbol", "account", "member", "species", "item", "word",
)  # fmt: skip
# Names of weights, the surest first.
_WEIGHTS = (
    "weight", "weights", "edgeweight", "w", "wt", "wgt", "value", "val", "strength", "similarity", "score", "count",
    "counts", "freq", "frequency", "npapers", "capacity", "multiplicity", "rating",
    "0",  # of a series without a name
)  # fmt: skip
# Sums, some of which may be thousands of times others: weights where a user says so, and not by themselves.
_SUMS = ("amount", "volume")
_TIME = re.compile(r"ts|time|epoch|year|month|day|hour|.*(timestamp|datetime|date)")
# Words that stand for the first end and are hardly those of a coordinate, before or behind a word both ends share.
_FIRST = ("source", "from", "src")
# Last words of names of weights, as in combined_score, where a single column has one.
_LAST_WORDS = ("weight", "strength", "similarity", "score")
# Names of columns that tables of nodes and of labels have beside the nodes.
_OF_NODES = ("id", "nodeid", "node", "vertex", "vertexid", "vertices", "name")
_BESIDE_NODES = (
    "label", "name", "title", "cluster", "clusters", "clusterid", "community", "class", "modularityclass", "membership",
    "partition", "module", "group",
)  # fmt: skip
# Missing values as libraries write them, as far as they are hardly the names of nodes.
MISSING_NAMES = ("nan", "NaN", "NAN", "None", "NULL", "null", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaT")
# Nodes of two kinds, as far as tables name them.
_PEOPLE = (
    "user", "customer", "person", "author", "member", "actor", "reviewer", "client", "player", "student", "reader",
)  # fmt: skip
_THINGS = (
    "item", "movie", "product", "paper", "book", "event", "group", "film", "team", "course", "page", "song", "artist",
    "article", "business", "game", "track", "tag", "word",
)  # fmt: skip
TWO_KINDS = (
    "columns {!r} and {!r} share values; if they are two kinds of nodes, as of a bipartite graph, give each its own "
    "names first"
)
# The names that pandas and pyarrow give to an index that has none.
_INDEX = re.compile(r"\s*|unnamed: \d+(\.\d+)?|__index_level_\d+__", re.IGNORECASE)
_MARKS = re.compile(r"[\W_]+")
# Kinds and units behind names, as in weight:float, :START_ID(Person) and amount (EUR).
_KIND = re.compile(r"(?<=\w):\w+(\[\])?(\([^()]*\))?$|\([^()]*\)$")


def without_kind(name):
    """Return a name in small letters, without the kind or unit of its values."""
    return _KIND.sub("", name.strip().lower())


def plain(name):
    """Return a name in small letters and without marks between its words; of other things than text, None."""
    return _MARKS.sub("", without_kind(name)) if isinstance(name, str) else None


def edge_columns(names, certain=False):
    """Return the names of the columns of the two ends of edges, or None; `certain` leaves out names of other things."""
    known: dict = {}
    for name in names:
        known.setdefault(plain(name), name)
    found = next((pair for pair in (_CERTAIN if certain else _ENDS) if known.keys() >= set(pair)), None)
    if found is None and not certain:
        found = next((pair for pair in map(_other_end, known) if pair and pair[1] in known), None)
    return None if found is None else (known[found[0]], known[found[1]])


def is_first_end(name):
    """Return whether a name has the word of a first end before or behind others, as from_account does."""
    return plain(name).startswith(_FIRST) or plain(name).endswith(_FIRST)


def _other_end(name):
    """Return a name and that of the other end which has the same word beside its side, or None."""
    if name is None:
        return None
    for source, target in _SIDES:
        if name.startswith(source):
            return name, target + name.removeprefix(source)
        if name.endswith(source):
            return name, name.removesuffix(source) + target
    other = {"1": "2", "a": "b"}.get(name[-1:])
    return (name, name[:-1] + other) if other and name[:-1].endswith(_NUMBERED) else None


def weight_column(names):
    """Return the first of the surest names of weights; None if there is none."""
    known = {plain(name): name for name in reversed(list(names))}
    found = next((known[weight] for weight in _WEIGHTS if weight in known), None)
    likely = [known[name] for name in known if name is not None and name.endswith(_LAST_WORDS)]
    return likely[0] if found is None and len(likely) == 1 else found


def no_edges(source, target):
    """Return the message about two columns that are those of nodes and of their names or labels; None for others."""
    if plain(source) not in _OF_NODES or plain(target) not in _BESIDE_NODES or plain(source) == plain(target):
        return None
    return (
        f"columns {source!r} and {target!r} are those of a table of nodes or of labels; give it as nodes= (--nodes) or "
        f"to read_labels, or pass columns=({source!r}, {target!r}) if its rows are edges"
    )


def is_time(name):
    """Return whether a column is called as times are."""
    return _TIME.fullmatch(plain(name) or "") is not None


def is_index(name):
    """Return whether a column is named as libraries name an index that has no name."""
    return isinstance(name, str) and _INDEX.fullmatch(name) is not None


def in_row_order(X):
    """Return a square data frame with its columns in the order of its rows; warn where other names are there."""
    if not hasattr(X, "reindex") or not hasattr(X, "columns"):
        return X
    rows, columns = list(X.index), list(X.columns)
    if rows == columns or len(rows) != len(columns) or len(set(rows)) < len(rows):
        return X
    if set(rows) == set(columns):
        return X[rows]
    if all(isinstance(name, str) for name in (*rows, *columns)):
        lacking = next(name for name in rows if name not in set(columns))
        warn_user(f"row {lacking[:80]!r} of the matrix has no column of its name; columns are taken in their order")
    return X


def check_order(name, values, X):
    """Raise an InputError for values of rows whose index is that of a data frame in another order."""
    if not (hasattr(X, "reindex") and hasattr(values, "reindex")) or len(X) != len(values):
        return
    if not X.index.equals(values.index) and set(X.index) == set(values.index):
        raise InputError(f"{name} have the index of X in another order; give {name}.reindex(X.index)")


def two_kinds(source, target):
    """Return whether the names of two ends speak of nodes of two kinds, whose numbers may be the same."""
    source, target = ((plain(name) or "").removesuffix("id") for name in (source, target))
    return source in _PEOPLE and target in _THINGS


def doubtful_names(names):
    """Return the note on names of nodes that stand for missing values, repeat, or differ in writing only; or None."""
    known = names if isinstance(names, dict) else set(names)
    try:  # a search of one text takes less time than a look at each name
        text = "\n".join(["", *known, ""])
        odd = known if any(mark in text for mark in (".0\n", " \n", "\n ", "\t\n", "\n\t")) else ()
    except TypeError:  # names that are no text
        odd = [name for name in known if not isinstance(name, int)] and known
    missing = [name for name in MISSING_NAMES if name in known] + [
        name for name in odd if not isinstance(name, (str, int)) and is_missing(name)
    ]
    if missing:
        return (
            f"nodes are called {', '.join(map(repr, missing))}, as missing values are written; drop these edges unless "
            "they are names"
        )
    if len(known) < len(names):
        return "several nodes have the same name, and labels do not tell which is which; give them different names"
    # As text, without blanks around it and the .0 of an integer that was a float.
    bare = ((name, name.strip().removesuffix(".0") if isinstance(name, str) else str(name)) for name in odd)
    twin = next((pair for pair in bare if pair[0] != pair[1] and pair[1] in known), None)
    return twin and f"nodes are called {twin[0]!r} and {twin[1]!r}; write the names alike if these are one node"


def left_out(names, parameter, columns, hint="", weight=None):
    """Return the message about columns, or attributes of edges, that are not read beside that of weights, if there is.

    `columns` are names by the values of the parameter that read them: one of a sum is offered for weights, else the
    first that is not called as times are.
    """
    shown = ", ".join(name[:80] for name in map(str, names[:4])) + (f" and {len(names) - 4} more" if names[4:] else "")
    shown = f"column{'s' * (len(names) > 1)} {shown} not read{hint}"
    if weight is not None:
        return f"{shown}; weights are those of {str(weight)[:80]!r}, {parameter}= takes others"
    offered = [value for value, name in columns.items() if not is_time(name)]
    offered.sort(key=lambda value: plain(columns[value]) not in _SUMS)
    remedy = offered[0][:80] if offered and isinstance(offered[0], str) else offered[0] if offered else None
    is_sum = remedy is not None and plain(columns[offered[0]]) in _SUMS
    better = " (of sums of money or the like rather their logarithm, in a column of its own)" * is_sum
    take = "" if remedy is None else f"{parameter}={remedy!r} if it holds the edges' weights{better}, "
    none = "that none does" if take else "that no column holds the edges' weights"
    return f"{shown}; pass {take}{parameter}=None to say {none}"
