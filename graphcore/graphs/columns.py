"""Columns of tables of edges by their names, for files and data frames alike: the two ends, the weight, an index."""

import re

from ..base.validation import is_missing
from ..exceptions import warn_user

# Words of the two ends, alone or beside a word that both share, as from_account and to_account have it. Frames with one
# of the first three are tables of edges even where nobody says so.
_SIDES = (
    ("source", "target"), ("from", "to"), ("src", "dst"), ("start", "end"), ("sender", "receiver"), ("payer", "payee"),
    ("caller", "callee"), ("follower", "followee"), ("buyer", "seller"), ("citing", "cited"),
)  # fmt: skip
_N_CERTAIN = 3
_PAIRS = (("u", "v"), ("node1", "node2"), ("id1", "id2"))
# Names of weights, the surest first; other columns may end in one of the first, as combined_score does.
_WEIGHTS = ("weight", "weights", "strength", "similarity", "score", "w", "value", "count", "rating")
_N_LAST_WORDS = 5
_TIME = re.compile(r"ts|time|epoch|year|month|day|hour|.*(timestamp|datetime)|(.*[^i])?date")  # a candidate is none
# Names of columns that tables of nodes and of labels have beside the nodes.
_OF_NODES = ("id", "nodeid", "node", "vertex", "vertexid", "vertices", "name")
_BESIDE_NODES = ("label", "name", "title", "cluster", "community", "class", "modularityclass", "membership", "group")
# Names of columns that hold the ids or names of nodes, the surest first.
ID_NAMES = ("id", "node", "node_id", "nodeid", "vertex", "vertex_id", "vertexid", "")
NAME_NAMES = ("name", "title", "label")
# Missing values as libraries write them, as far as they are hardly the names of nodes.
MISSING_NAMES = ("nan", "NaN", "NAN", "None", "NULL", "null", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaT", r"\N")
TWO_KINDS = (
    "columns {!r} and {!r} share values; if they are two kinds of nodes, as of a bipartite graph, give each its own "
    "names first"
)
# Names with blanks around them, and whole numbers as floats are written: 300000.0 and 3e+05.
_FLOAT = r"-?\d+(?:\.0*|\.\d*[eE]\+?\d+|[eE]\+\d+)"
_OTHERWISE = re.compile(rf"(?<=\n)(?:[ \t].*|.*[ \t]|{_FLOAT})(?=\n)")
_MARKS_OF_ODD = (".0", "e+", "E+", " \n", "\n ", "\t\n", "\n\t")
# The names that pandas and pyarrow give to an index that has none.
_INDEX = re.compile(r"\s*|unnamed: \d+(\.\d+)?|__index_level_\d+__", re.IGNORECASE)
# Names of the coarser levels of a clustering.
LEVEL = re.compile(r"level_\d+")
_MARKS = re.compile(r"[\W_]+")
# Kinds and units behind names, as in weight:float, :START_ID(Person) and amount (EUR).
_KIND = re.compile(r"(?<=\w):\w+(\[\])?(\([^()]*\))?$|\([^()]*\)$")


def without_kind(name):
    """Return a name in small letters, without the kind or unit of its values."""
    return _KIND.sub("", name.strip().lower())


def column_called(names, wanted, otherwise=None):
    """Return the column that is called by the first of the words wanted, in any case."""
    known = {without_kind(str(name)): name for name in reversed(list(names))}
    return next((known[word] for word in wanted if word in known), otherwise)


def without_levels(attributes):
    """Return attributes of nodes without levels: those of an earlier clustering are none of a new one."""
    return {name: values for name, values in attributes.items() if not LEVEL.fullmatch(name)}


def plain(name):
    """Return a name in small letters and without marks between its words; of other things than text, None."""
    return _MARKS.sub("", without_kind(name)) if isinstance(name, str) else None


def edge_columns(names, certain=False):
    """Return the names of the columns of the two ends of edges, or None; `certain` leaves out names of other things."""
    known: dict = {}
    for name in names:
        known.setdefault(plain(name), name)
    known.pop(None, None)
    sides = _SIDES[: _N_CERTAIN if certain else None]
    pairs = [side for side in sides if side[0] in known]
    pairs += [
        (word, word.replace(source, target, 1))
        for word in known
        for source, target in sides
        if word.startswith(source) or word.endswith(source)
    ]
    found = next((pair for pair in (*pairs, *(() if certain else _PAIRS)) if known.keys() >= set(pair)), None)
    return None if found is None else (known[found[0]], known[found[1]])


def weight_column(names):
    """Return the first of the surest names of weights; None if there is none."""
    known = {plain(name): name for name in reversed(list(names))}
    known.pop(None, None)
    found = [known[word] for word in _WEIGHTS if word in known]
    likely = [name for word, name in known.items() if word.endswith(_WEIGHTS[:_N_LAST_WORDS])]
    return found[0] if found else likely[0] if len(likely) == 1 else None


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


def two_kinds(source, target):
    """Return whether two ends are ids of different things, as userId and movieId, whose numbers may be the same."""
    pair = plain(source) or "", plain(target) or ""
    return (
        edge_columns(pair) is None and pair[0] != pair[1] and all(len(name) > 2 and name[-2:] == "id" for name in pair)
    )


def doubtful_names(names):
    """Return the note on names of nodes that stand for missing values, repeat, or differ in writing only; or None."""
    known = dict.fromkeys(names)
    try:  # a search of one text takes less time than a look at each name
        text = "\n".join(["", *known, ""])
        odd = _OTHERWISE.findall(text) if any(mark in text for mark in _MARKS_OF_ODD) else []
    except TypeError:  # names that are no text
        odd = list(known) if any(not isinstance(name, int) for name in known) else []
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
    written: dict = {}
    for name in odd:
        bare = _plainly(name)
        twin = written.setdefault(bare, name) if bare not in known else bare
        if name not in (twin, bare):
            return f"nodes are called {name!r} and {twin!r}; write the names alike if these are one node"
    if odd and len(odd) == len(known) and all(isinstance(name, str) and name.strip() != _plainly(name) for name in odd):
        return f"nodes are called {odd[0]!r} and the like; write {_plainly(odd[0])} if whole numbers are meant"
    return None


def _plainly(name):
    """Return a name without blanks around it, and a whole number without fraction and exponent, as text."""
    bare = name.strip() if isinstance(name, str) else str(name)
    number = re.fullmatch(_FLOAT, bare) and float(bare)
    return str(int(number)) if number is not None and abs(number) < 1e15 and number.is_integer() else bare


def left_out(names, parameter, likely, hint="", weight=None):
    """Return the message about columns, or attributes of edges, that are not read beside that of weights, if there is.

    Of `likely` the first that is not called as times or ids are is offered.
    """
    shown = ", ".join(name[:80] for name in map(str, names[:4])) + (f" and {len(names) - 4} more" if names[4:] else "")
    shown = f"column{'s' * (len(names) > 1)} {shown} not read{hint}"
    if weight is not None:
        return f"{shown}; weights are those of {str(weight)[:80]!r}, {parameter}= takes others"
    offered = next((name for name in likely if not (is_time(name) or (plain(name) or "").endswith("id"))), None)
    if offered is None:
        return f"{shown}; pass {parameter}=None to say that no column holds the edges' weights"
    offered = offered[:80] if isinstance(offered, str) else offered
    return (
        f"{shown}; pass {parameter}={offered!r} if it holds the edges' weights, {parameter}=None to say that none does"
    )


def is_square_table(X):
    """Return whether this is a data frame whose rows and columns have the same names, as matrices of nodes have.

    Numbers in their order are no names: any square frame has them.
    """
    if not (hasattr(X, "reindex") and hasattr(X, "columns")) or X.shape[0] != X.shape[1]:
        return False
    rows, columns = list(X.index), list(X.columns)
    return len(set(rows)) == len(rows) and set(rows) == set(columns) and not rows == columns == list(range(len(rows)))


def in_row_order(X):
    """Return a square data frame with its columns in the order of its rows; warn where other names are there."""
    if is_square_table(X):
        return X[list(X.index)]
    if hasattr(X, "reindex") and hasattr(X, "columns") and X.shape[0] == X.shape[1]:
        known = set(X.columns)
        lacking = [name for name in X.index if name not in known]
        if lacking and all(isinstance(name, str) for name in (*X.index, *known)):
            warn_user(f"row {lacking[0][:80]!r} of the matrix has no column of its name; columns keep their order")
    return X
