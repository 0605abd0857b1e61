"""Tables of edges become a Graph: any data frame that narwhals knows, anything that speaks Arrow, or plain columns."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..base.validation import check_choice
from ..exceptions import InputError, ParameterError, warn_user
from .from_edges import graph_from_ends
from .ids import compact_ids, number_names, whole_numbers
from .rows import SYMMETRIZE
from .weights import edge_weights

if TYPE_CHECKING:
    import graphcore

LIBRARIES = ("pandas", "polars", "pyarrow")
# Names of columns that hold the ends of edges, and their weights.
ENDS = (("source", "target"), ("from", "to"), ("src", "dst"), ("u", "v"))
WEIGHTS = ("weight", "weights")


def from_table(
    cls: "type[graphcore.Graph]",
    table: object, source: str = "source", target: str = "target", weight: str | None = "auto", *,
    count_repeats: bool = False, symmetrize: str = "max", warn: bool = True,
) -> "graphcore.Graph":  # fmt: skip
    """Make a graph from a table with one edge a row.

    Nodes keep their own names, unless they are the integers 0 to n_nodes - 1. Integers are put in ascending order,
    text in the order in which it first appears. Missing values are refused.

    Parameters
    ----------
    table : data frame, Arrow table or stream, or dict of columns
        Of pandas, polars, pyarrow, or whatever else narwhals knows or has ``__arrow_c_stream__``. Of a lazy frame
        these columns are computed.
    source, target : str, default "source" and "target"
        Columns that hold the end nodes: integers of any size (whole numbers stored as floats too), or text. Each
        edge may be listed once, in either direction, or in both. Where neither is given nor there, columns
        "from" and "to", "src" and "dst", or "u" and "v" are looked for, in any case.
    weight : str or None, default "auto"
        Column of finite, non-negative weights, see :meth:`from_edges`. None for none; "auto" is the column
        "weight", if there is one; if there is none, a warning names the columns that are not read.
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
    sources, targets, weights, (source, target), others = table_edges(table, source, target, weight)
    if others and warn:
        warn_user(left_out(others, "weight"))
    weights = np.ones(len(sources)) if count_repeats and not len(weights) else weights
    whole = [values.dtype.kind in "iu" for values in (sources, targets)]
    if all(whole):
        ends = np.empty(2 * len(sources), dtype=np.int64)
        for start, name, values in ((0, source, sources), (1, target, targets)):
            if values.dtype == np.uint64 and values.max() >= 2**63:
                raise InputError(f"column {name!r} holds integers from 2**63 on; write them as text")
            ends[start::2] = values
        ends, names = compact_ids(ends)
    elif any(whole):
        raise InputError(
            f"column {source!r} holds {sources.dtype} and {target!r} {targets.dtype}: names of nodes must be "
            "of one kind, all integers or all text"
        )
    else:
        ends, names = number_names(sources, targets)
    n_nodes = int(ends.max()) + 1
    return graph_from_ends(
        cls, ends.reshape(-1, 2), weights, n_nodes, node_names=names, symmetrize=symmetrize, warn=warn
    )


def table_edges(table, source="source", target="target", weight="auto"):
    """Sources, targets, weights (length 0 for none), names of the two columns, names of those left out unasked."""
    columns = Columns(table)
    found = edge_columns(columns.names)
    if found and (source, target) == ("source", "target") and not {source, target} <= set(columns.names):
        source, target = found[:2]
    others = []
    if isinstance(weight, str) and weight == "auto":
        weight = _named(columns.names, WEIGHTS)
        others = [] if weight else [str(name) for name in columns.names if name not in (source, target)]
    columns.collect((source, target, weight))
    sources, targets = columns.ends("source", source), columns.ends("target", target)
    if len(sources) != len(targets):
        raise InputError(f"column {source!r} has {len(sources)} rows and {target!r} {len(targets)}")
    if len(sources) == 0:
        raise InputError("the table has no rows: there are no edges")
    weights = edge_weights(None if weight is None else columns.values("weight", weight), len(sources))
    return sources, targets, weights, (source, target), others


def left_out(names, parameter):
    """Return the message about columns that are not read."""
    return (
        f"column{'s' * (len(names) > 1)} {', '.join(names[:4])} not read; pass {parameter}={names[0][:80]!r} if it "
        f"holds the edges' weights, {parameter}=None to say that none does"
    )


def column_names(table):
    """Names of the columns of a data frame, lazy or not, or of a dictionary of columns; of anything else, none."""
    if isinstance(table, Mapping):
        return list(table)
    kind = type(table)  # asked instead of the table, which may have to be computed first
    if hasattr(kind, "collect_schema"):
        return list(table.collect_schema().names())
    if hasattr(kind, "column_names"):
        return list(table.column_names)
    return list(table.columns) if hasattr(kind, "columns") else []


def edge_columns(names):
    """Which columns are the ends and the weight (or None) of edges, by their names in any case; None if none are."""
    for ends in ENDS:
        source, target = (_named(names, (end,)) for end in ends)
        if source is not None and target is not None:
            return source, target, _named(names, WEIGHTS)
    return None


def is_edge_table(table):
    """Return whether a table has columns named as the ends of edges are.

    Coordinates are called u and v as well: these columns are edges if they hold what nodes are named by.
    """
    found = edge_columns(column_names(table))
    if found is None or found[0].lower() != "u":
        return found is not None
    columns = Columns(table)
    if columns.is_lazy:  # nobody takes a lazy frame for vectors
        return True
    return all(_may_name_nodes(columns.raw(name)) for name in found[:2])


def _may_name_nodes(values):
    if values.dtype.kind == "f":
        return bool((np.isnan(values) | (np.trunc(values) == values)).all())
    if values.dtype.kind == "O":  # missing values are named when the graph is made
        return all(not isinstance(one, float) or one.is_integer() or np.isnan(one) for one in values)
    return values.dtype.kind not in "bcmM"


def _named(names, wanted):
    """Return the first of the columns whose name is one of those wanted, but for the case of its letters; or None."""
    return next((name for name in names if isinstance(name, str) and name.lower() in wanted), None)


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
        except TypeError:
            if not hasattr(table, "__arrow_c_stream__"):
                raise InputError(
                    f"a table of {what} is needed (pandas, polars, pyarrow, an Arrow stream or a dictionary of "
                    f"columns), got {type(table).__name__}"
                ) from None
            self._table = nw.from_arrow(table, backend=_installed())
        self.is_lazy = isinstance(self._table, nw.LazyFrame)
        self.names = list(self._table.collect_schema().names())

    def collect(self, names):
        """Compute these columns of a lazy frame, and no others."""
        there = [name for name in self.names if name in names]
        if self.is_lazy and there:
            self._table = self._table.select(*there).collect()

    def ends(self, parameter, name):
        """Return a column of names of nodes: integers, whole numbers as such, or text."""
        values = self.values(parameter, name)
        refused = f"column {name!r} holds {values.dtype}; nodes are named by integers or text"
        if values.dtype.kind == "f" and len(values):
            return whole_numbers(values, f"{refused}, and")
        if values.dtype.kind in "cbmM":
            raise InputError(refused)
        return values

    def values(self, parameter, name):
        """Return one column; a missing one and missing values are refused."""
        if name not in self.names:
            listed = ", ".join(repr(column) for column in self.names)
            raise InputError(f"{parameter}={name!r} is no column of the table; it has {listed or 'none'}")
        if not isinstance(self._table, Mapping):
            missing = self._table[name].is_null().to_numpy()
            if missing.any():
                raise InputError(
                    f"column {name!r} has no value in row {int(np.argmax(missing))} ({int(missing.sum())} such rows); "
                    "drop these rows first"
                )
        values = self.raw(name)
        if values.ndim != 1:
            raise InputError(f"column {name!r} must be one-dimensional, got shape {values.shape}")
        return values

    def raw(self, name):
        """Return one column as it is."""
        column = self._table[name]
        return np.asarray(column if isinstance(self._table, Mapping) else column.to_numpy())


def _installed():
    """Return a library that can hold an Arrow stream."""
    from importlib.util import find_spec

    for library in ("pyarrow", "polars", "pandas"):
        if find_spec(library):
            return library
    raise InputError("an Arrow stream needs pyarrow, polars or pandas to be read; install one of them")
