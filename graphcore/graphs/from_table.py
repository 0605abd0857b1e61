"""Tables of edges become a Graph: any data frame that narwhals knows, or plain columns."""

import contextlib
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..base.validation import are_missing, check_choice
from ..exceptions import InputError, ParameterError, warn_user
from .columns import TWO_KINDS, doubtful_names, edge_columns, is_index, left_out, two_kinds, weight_column
from .from_edges import as_ids, compact_ids, graph_from_ends, number_names, numbers_of
from .numbering import Text, arrow_text, text_of
from .rows import SYMMETRIZE, counted, edge_weights

if TYPE_CHECKING:
    import graphcore

LIBRARIES = ("pandas", "polars", "pyarrow")
# Types of columns, as narwhals calls them, that may hold text.
_TEXT = ("String", "Categorical", "Enum")


def from_table(
    cls: "type[graphcore.Graph]",
    table: object, source: str = "source", target: str = "target", weight: str | None = "auto", *,
    count_repeats: bool = False, symmetrize: str = "max", warn: bool = True,
) -> "graphcore.Graph":  # fmt: skip
    """Make a graph from a table with one edge a row.

    Nodes keep their own names, unless they are the integers 0 to n_nodes - 1. Integers are put in ascending order,
    text in the order in which it first appears. Missing values and blank text are refused.

    Parameters
    ----------
    table : data frame, Arrow table or dict of columns
        Of pandas, polars, pyarrow, or whatever else narwhals knows. Of a lazy frame these columns are computed.
    source, target : str, default "source" and "target"
        Columns that hold the end nodes: integers below 2^63 (whole numbers stored as floats too), or text. Each
        edge may be listed once, in either direction, or in both. Where neither is given nor there, columns
        "from" and "to", "src" and "dst" and the like are looked for, in any case.
    weight : str or None, default "auto"
        Column of finite, non-negative weights, see :meth:`from_edges`. None for none; "auto" is the column
        "weight", "value", "count" or the like, if there is one. A warning names the columns that are not read.
    count_repeats : bool, default False
        Without weights: whether an edge weighs as many as there are rows of it in one direction (messages, calls),
        and not 1.
    symmetrize, warn
        See :meth:`from_edges`.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import graphcore
    >>> table = {"source": ["Anna", "Ben"], "target": ["Ben", "Chloé"], "weight": [2, 0.5]}
    >>> graph = graphcore.Graph.from_table(table)
    >>> graph.node_names.tolist(), graph.degrees.tolist()
    (['Anna', 'Ben', 'Chloé'], [2.0, 2.5, 0.5])
    """
    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    sources, targets, weights, (source, target), notes = table_edges(table, source, target, weight)
    for note in notes if warn else ():
        warn_user(note)
    weights = counted(weights, len(sources), count_repeats)
    whole = [not isinstance(side, Text) and side.dtype.kind in "iu" for side in (sources, targets)]
    if all(whole):
        ends = np.empty(2 * len(sources), dtype=np.int64)
        ends[::2], ends[1::2] = sources, targets
        ends, names = compact_ids(ends)
    elif any(whole):
        kinds = ["integers" if one else "text" for one in whole]
        raise InputError(
            f"column {source!r} holds {kinds[0]} and {target!r} {kinds[1]}: names of nodes must be of one kind, all "
            "integers or all text"
        )
    else:
        ends, names = number_names(sources, targets, (f"column {source!r}", f"column {target!r}"))
        note = doubtful_names(names) if warn else None
        if note is not None:
            warn_user(note)
    if warn and two_kinds(source, target) and len(np.intersect1d(ends[::2], ends[1::2])):
        warn_user(TWO_KINDS.format(source, target))
    n_nodes = int(ends.max()) + 1
    return graph_from_ends(
        cls, ends.reshape(-1, 2), weights, n_nodes, node_names=names, symmetrize=symmetrize, warn=warn
    )


def table_edges(table, source="source", target="target", weight="auto"):
    """Sources, targets, weights (length 0 for none), names of the two columns, notes on the others and the weights."""
    columns = Columns(table)
    found = edge_columns(columns.names)
    if found and (source, target) == ("source", "target") and not {source, target} <= set(columns.names):
        source, target = found
    if source == target:
        raise ParameterError(f"source and target are both {source!r}; the ends of edges are two columns")
    notes = []
    if isinstance(weight, str) and weight == "auto":
        rest = [name for name in columns.names if name not in (source, target) and not is_index(name)]
        weight = weight_column(rest)
        others = [name for name in rest if name != weight]
        notes = [left_out(others, "weight", others, weight=weight)] if others else []
    columns.collect((source, target, weight))
    texts = columns.text(source), columns.text(target)
    sources = columns.ends("source", source) if texts[0] is None else texts[0]
    targets = columns.ends("target", target) if texts[1] is None else texts[1]
    if len(sources) != len(targets):
        raise InputError(f"column {source!r} has {len(sources)} rows and {target!r} {len(targets)}")
    if len(sources) == 0:
        raise InputError("the table has no rows: there are no edges")
    weights = edge_weights(None if weight is None else columns.values("weight", weight), len(sources))
    return sources, targets, weights, (source, target), notes


def column_names(table):
    """Names of the columns of a data frame, lazy or not, or of a dictionary of columns; of anything else, none."""
    if isinstance(table, Mapping):
        return list(table)
    kind = type(table)  # asked instead of the table, which may have to be computed first
    if hasattr(kind, "collect_schema"):
        return list(table.collect_schema().names())
    if hasattr(kind, "column_names"):
        return list(table.column_names)
    return [] if callable(getattr(kind, "columns", len)) else list(table.columns)


def as_library(columns, library):
    """Return a dictionary of columns as it is (None), or as a table of a library."""
    check_choice("library", library, (None, *LIBRARIES))
    if library is None:
        return columns
    from importlib import import_module

    try:
        module = import_module(library)
    except ImportError:
        raise ParameterError(
            f"library={library!r} is not installed; install it, or leave library out for a dictionary of arrays"
        ) from None
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


class Columns:
    """Columns of a table by name, as arrays."""

    def __init__(self, table, what="edges"):
        self.is_lazy = False
        if isinstance(table, Mapping):
            self._table, self.names = table, list(table)
            return
        import narwhals as nw

        try:
            self._table = nw.from_native(table)
            self.names = list(self._table.collect_schema().names())
        except TypeError:
            raise InputError(
                f"a table of {what} is needed (of pandas, polars, pyarrow or the like, or a dictionary of columns), "
                f"got {type(table).__name__}"
            ) from None
        except nw.exceptions.DuplicateError as error:
            raise InputError(f"two columns of the table have one name ({error}); rename them") from None
        self.is_lazy = isinstance(self._table, nw.LazyFrame)

    def collect(self, names):
        """Compute these columns of a lazy frame, and no others."""
        there = [name for name in self.names if name in names]
        if self.is_lazy and there:
            self._table = self._table.select(*there).collect()

    def _column(self, name):
        return self._table[name] if isinstance(self._table, Mapping) else self._table.get_column(name)

    def text(self, name):
        """Return a column as Text, None if there is none, or if it holds anything else than text."""
        if name not in self.names:
            return None
        values = self._column(name)
        if isinstance(self._table, Mapping):
            return text_of(values) if isinstance(values, (list, np.ndarray)) else None
        if type(values.dtype).__name__ in _TEXT:
            # There may be no pyarrow, or objects that it cannot hold.
            with contextlib.suppress(ImportError, TypeError, ValueError, ArithmeticError, NotImplementedError):
                return arrow_text(values.to_arrow())
        return None

    def ends(self, parameter, name):
        """Return a column of names of nodes: integers, whole numbers as such, or text."""
        values = numbers_of(self.values(parameter, name))
        if values.dtype.kind in "iuf":
            return as_ids(f"column {name!r}", values)
        if values.dtype.kind in "cbmM" or (values.dtype.kind == "O" and any(one.__hash__ is None for one in values)):
            raise InputError(f"column {name!r} holds {values.dtype}; nodes are named by integers or text")
        return values

    def values(self, parameter, name):
        """Return one column; a missing one and missing values are refused."""
        if name not in self.names:
            listed = ", ".join(map(repr, self.names)) or "none"
            raise InputError(
                f"{parameter}={name!r} is no column of the table; it has {listed}; pass {parameter}= the one that is "
                "meant"
            )
        values = self.raw(name)
        if values.ndim != 1:
            raise InputError(f"column {name!r} must be one-dimensional, got shape {values.shape}")
        missing = are_missing(values)
        if missing.any():
            raise InputError(f"column {name!r} has no value in row {int(np.argmax(missing))}; drop such rows first")
        return values

    def raw(self, name):
        """Return one column as it is, text that is stored as bytes decoded."""
        column = self._column(name)
        if isinstance(self._table, Mapping):
            values = np.asanyarray(column)
        else:
            values = column.to_numpy()
            if values.dtype.kind == "f" and column.dtype.is_integer() and np.nanmax(np.abs(values), initial=0) >= 2**53:
                values = np.array(column.to_list(), dtype=object)  # None among them, which made floats of all
            if values.dtype.kind == "O" and column.null_count():  # pyarrow fills them in among categories
                values = np.where(column.is_null().to_numpy(), None, values)
        try:
            if values.dtype.kind == "S":
                return np.char.decode(values, "utf-8")
            if values.dtype.kind == "O" and any(isinstance(one, bytes) for one in values.flat):
                values = np.array([one.decode() if isinstance(one, bytes) else one for one in values], dtype=object)
        except UnicodeDecodeError:
            raise InputError(
                f"column {name!r} holds bytes that are no UTF-8 text, as those of UUIDs; make them text first, in "
                f"pandas by table[{name!r}].map(bytes.hex)"
            ) from None
        return values
