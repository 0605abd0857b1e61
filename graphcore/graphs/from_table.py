"""Tables of edges become a Graph: any data frame that narwhals knows, anything that speaks Arrow, or plain columns."""

from collections.abc import Mapping
from itertools import chain

import numpy as np

from .._validation import check_choice
from ..exceptions import InputError, ParameterError
from .from_edges import graph_from_ends
from .ids import Numbering, compact_ids
from .rows import SYMMETRIZE
from .weights import edge_weights

__all__ = ["as_library", "graph_from_table"]

LIBRARIES = ("pandas", "polars", "pyarrow")


def graph_from_table(cls, table, source, target, weight, *, symmetrize, warn):
    """See :meth:`Graph.from_table`."""
    check_choice("symmetrize", symmetrize, SYMMETRIZE)
    columns = _Columns(table)
    sources, targets = columns.values("source", source), columns.values("target", target)
    if len(sources) != len(targets):
        raise InputError(f"column {source!r} has {len(sources)} rows and {target!r} {len(targets)}")
    if len(sources) == 0:
        raise InputError("the table has no rows: there are no edges")
    if weight == "auto":
        weight = "weight" if "weight" in columns.names else None
    weights = edge_weights(None if weight is None else columns.values("weight", weight), len(sources))
    whole = [values.dtype.kind in "iu" for values in (sources, targets)]
    for name, values in ((source, sources), (target, targets)):
        if values.dtype.kind in "fcbmM":
            raise InputError(f"column {name!r} holds {values.dtype}; nodes are named by integers or text")
    if all(whole):
        ends = np.empty(2 * len(sources), dtype=np.int64)
        for start, name, values in ((0, source, sources), (1, target, targets)):
            if values.dtype == np.uint64 and values.max() >= 2**63:
                raise InputError(f"column {name!r} holds integers from 2**63 on; write them as text")
            ends[start::2] = values
        ends, names = compact_ids(ends)
    elif any(whole):
        raise InputError(
            f"column {source!r} holds {sources.dtype} and {target!r} {targets.dtype}: names of nodes must be of one "
            "kind, all integers or all text"
        )
    else:
        numbers = Numbering()
        pairs = chain.from_iterable(zip(sources.tolist(), targets.tolist(), strict=True))
        ends = numbers.of(pairs, 2 * len(sources))
        names = list(numbers)
    n_nodes = int(ends.max()) + 1
    return graph_from_ends(
        cls, ends.reshape(-1, 2), weights, n_nodes, node_names=_plain(names), symmetrize=symmetrize, warn=warn
    )


def as_library(columns, library):
    """A dictionary of columns as it is (None), or as a table of a library."""
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


class _Columns:
    """Columns of a table by name, as arrays."""

    def __init__(self, table):
        if isinstance(table, Mapping):
            self._table, self.names = table, list(table)
            return
        import narwhals as nw

        try:
            self._table = nw.from_native(table, eager_only=True)
        except TypeError:
            if not hasattr(table, "__arrow_c_stream__"):
                raise InputError(
                    "a table of edges is needed (pandas, polars, pyarrow, an Arrow stream or a dictionary of columns), "
                    f"got {type(table).__name__}; collect a lazy frame first"
                ) from None
            self._table = nw.from_arrow(table, backend=_installed())
        self.names = list(self._table.columns)

    def values(self, parameter, name):
        """One column; a missing one and missing values are refused."""
        if name not in self.names:
            listed = ", ".join(repr(column) for column in self.names)
            raise InputError(f"{parameter}={name!r} is no column of the table; it has {listed or 'none'}")
        column = self._table[name]
        if not isinstance(self._table, Mapping):
            missing = column.is_null().to_numpy()
            if missing.any():
                raise InputError(
                    f"column {name!r} has no value in row {int(np.argmax(missing))} ({int(missing.sum())} such rows); "
                    "drop these rows first"
                )
            column = column.to_numpy()
        values = np.asarray(column)
        if values.ndim != 1:
            raise InputError(f"column {name!r} must be one-dimensional, got shape {values.shape}")
        return values


def _installed():
    """A library that can hold an Arrow stream."""
    from importlib.util import find_spec

    for library in ("pyarrow", "polars", "pandas"):
        if find_spec(library):
            return library
    raise InputError("an Arrow stream needs pyarrow, polars or pandas to be read; install one of them")


def _plain(names):
    """None for no names; a list of numpy's own strings as Python's."""
    if names is None or isinstance(names, np.ndarray):
        return names
    return [str(name) if isinstance(name, np.str_) else name for name in names]
