"""Tables of nodes: ids, names and attributes, in the order that a graph takes, isolated nodes included."""

from collections import Counter
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import TYPE_CHECKING

import numpy as np

from ..base.types import Array
from ..base.validation import is_missing
from ..exceptions import InputError, ParameterError, warn_user
from .columns import ID_NAMES, NAME_NAMES, column_called, without_kind
from .from_edges import as_ids, as_names, is_text
from .from_table import Columns
from .rows import Rows, canonical_rows, entries_of

if TYPE_CHECKING:
    import graphcore


@dataclass(frozen=True, eq=False)
class NodeTable:
    """Nodes by their ids, a row each, with their names and whatever else is known of them.

    Attributes
    ----------
    ids : ndarray of shape (n_nodes,) or None
        What edges call the nodes: integers or text. None for a single column of text, which is what edges call them if
        these speak in text, and else the names of nodes 0, 1, 2 and so on.
    names : ndarray of shape (n_nodes,) or None
        Names, all different; None if nodes are called by their ids.
    columns : dict of str to ndarray
        All other columns, the ids among them if there are names.
    source : str
        The file that it was read from, for messages.
    """

    ids: Array | None = field(repr=False)
    names: Array | None = field(repr=False)
    columns: dict[str, Array] = field(default_factory=dict)
    source: str = ""

    def __len__(self) -> int:
        return len(self.names if self.ids is None else self.ids)

    @property
    def called(self) -> Array | None:
        """Names of the nodes; None for the numbers 0 to n_nodes - 1."""
        called = self.ids if self.names is None else self.names
        is_numbered = called.dtype.kind in "iu" and np.array_equal(called, np.arange(len(called)))
        return None if is_numbered else called

    def error(self, wrong: str) -> InputError:
        """Return the error that says what is wrong with this table, by the name of its file."""
        return InputError(f"{self.source}: {wrong}" if self.source else wrong)


def node_table(nodes):
    """Return a NodeTable of what a caller gives: one, a sequence of names or ids, or a table with a column of ids."""
    if isinstance(nodes, NodeTable):
        return nodes
    if isinstance(nodes, (list, tuple)) or len(getattr(nodes, "shape", ())) == 1:
        values = as_names(nodes, len(nodes))
        return (
            NodeTable(None, _distinct(values))
            if is_text(values)
            else NodeTable(_distinct(as_ids("nodes", values)), None)
        )
    table = Columns(nodes, "nodes")
    table.collect(table.names)
    if not table.names:
        raise InputError("the table of nodes has no columns; give at least one, 'id', with what edges call the nodes")
    key = column_called(table.names, ID_NAMES, otherwise=table.names[0])
    ids = _distinct(table.ends("nodes", key), f"; column {str(key)!r} is read")
    columns = {str(name): _attribute(str(name), table.raw(name), len(ids)) for name in table.names if name != key}
    called = [name for name in columns if name.lower().endswith("name") and is_text(columns[name])]
    own = [name for name in called if 2 * len(set(columns[name].tolist())) > len(ids)]  # a page_name, and no class
    named = column_called(columns, NAME_NAMES, own[0] if len(own) == 1 else None)
    if named is None or not is_text(columns[named]):
        return NodeTable(ids, None, columns)
    names = [name or str(id) for name, id in zip(columns[named].tolist(), ids.tolist(), strict=True)]
    often = {name for name, count in Counter(names).items() if count > 1}
    if often and without_kind(named) == "label":  # a class
        return NodeTable(ids, None, columns)
    names = [f"{name} [{id}]" if name in often else name for name, id in zip(names, ids.tolist(), strict=True)]
    del columns[named]
    return NodeTable(ids, _distinct(as_names(names, len(names))), {str(key) or "id": ids, **columns})


def with_nodes(graph: "graphcore.Graph", nodes: object) -> "graphcore.Graph":
    """Return the graph with the nodes of a table: their names, their order, and those that have no edge.

    Parameters
    ----------
    nodes : NodeTable, data frame, Arrow table, dict of columns, or sequence
        A row for each node. Of a table the column of ids is called "id", "node" or "vertex", or else is the first; it
        holds what this graph calls its nodes (`node_names`, or numbers from 0). A column "name" or "title", or the only
        one called like "page_name", becomes `node_names`, with the id in brackets behind a name that comes twice; so
        does "label" if none does. A sequence of integers is ids; one of text is ids where this graph has names of text,
        and else the names of nodes 0, 1, 2 and so on.

    Returns
    -------
    Graph
        Node i is row i of the table, whose other columns are its `attributes` (the ids too, beside names). Where these
        are the nodes of this graph in their order, the rows are shared. A graph on disk keeps its order, in which the
        rows of the table are put.

    Raises
    ------
    InputError
        If a node of this graph has no row, a row comes twice, no column holds ids, or this is a graph on disk, which
        gets no new nodes, and a row has no node.

    Examples
    --------
    >>> import graphcore
    >>> people = {"id": [3, 12, 7, 5], "name": ["Anna", "Ben", "Chloé", "Dora"], "age": [31, 27, 44, 60]}
    >>> edges = graphcore.Graph.from_table({"source": [7, 7], "target": [3, 12]})
    >>> graph = edges.with_nodes(people)
    >>> graph.node_names.tolist(), graph.degrees.tolist()
    (['Anna', 'Ben', 'Chloé', 'Dora'], [1.0, 1.0, 2.0, 0.0])
    >>> graph.attributes["age"].tolist()
    [31, 27, 44, 60]
    """
    table = node_table(nodes)
    rows, n_nodes, names = _rows_of(graph, table), len(table), table.called
    in_order = bool((np.diff(rows) > 0).all())
    lost = [name for name in graph.attributes if name not in table.columns]
    if lost:
        warn_user(f"the attributes {', '.join(lost)[:200]} of the graph's nodes give way to the table of nodes")
    if in_order and n_nodes == graph.n_nodes:
        return graph._by_names(names, table.columns)
    if graph.origin is not None:
        if n_nodes > graph.n_nodes:
            raise table.error(
                f"there are {n_nodes} nodes, and a graph on disk keeps its {graph.n_nodes}; leave out rows of nodes "
                "without an edge, or store a graph that has them with write_graph (graphcore convert --nodes, without "
                "--memory)"
            )
        names = graph.node_names if table.names is None else table.names[rows]
        return graph._by_names(names, {name: values[rows] for name, values in table.columns.items()})
    counts = np.zeros(n_nodes + 1, dtype=np.int64)
    counts[rows + 1] = np.diff(graph.indptr)
    made, rows = Rows(np.cumsum(counts), graph.indices, graph.rows.weights), rows.astype(np.int32)
    if in_order:
        made = made._replace(indices=rows[graph.indices])
    else:
        entries, _ = entries_of(graph.indptr, np.argsort(rows))
        weights = made.weights[entries] if graph.is_weighted else made.weights
        made = canonical_rows(Rows(made.indptr, rows[graph.indices[entries]], weights))
    weights = made.weights if graph.is_weighted else None
    made = type(graph)(made.indptr, made.indices, weights, check=False)
    return made._by_names(names, table.columns)


def _rows_of(graph, table):
    """Return the row of each node of a graph."""
    called = np.arange(graph.n_nodes) if graph.node_names is None else graph.node_names
    ids, is_text = table.ids, called.dtype.kind not in "iu"
    if ids is None:
        ids = table.names if is_text else np.arange(len(table))
    if not is_text and ids.dtype.kind in "iu":
        order = np.argsort(ids)
        rows = order[np.minimum(np.searchsorted(ids, called, sorter=order), len(ids) - 1)]
        missing = ids[rows] != called
    else:
        numbers = {str(id): row for row, id in enumerate(ids.tolist())}
        rows = np.array([numbers.get(str(name), -1) for name in called.tolist()])
        missing = rows < 0
    if missing.any():
        raise table.error(
            f"node {called[missing][:1].tolist()[0]!r} of the edges is none of the {len(table)} nodes of the table "
            f"({ids[0]!s:.40} and others); add a row for each node that has an edge, give the "
            "table a column 'id' with what edges call its nodes, or leave nodes (--nodes) out"
        )
    if (twice := np.bincount(rows)[rows] > 1).any():
        name = called[twice].tolist()[0]
        raise InputError(f"several nodes of the graph are called {name!r}; give them different names first")
    return rows


def _attribute(name, values, n_nodes):
    """Return a column of values, a missing text being blank."""
    if values.shape != (n_nodes,):
        raise InputError(f"column {name!r} has shape {values.shape}; a value for each of {n_nodes} nodes is needed")
    if values.dtype.kind != "O":
        return values
    return as_names(["" if is_missing(one) else str(one) for one in values], n_nodes)


def with_ids(graph, ids):
    """Return the graph whose node i is called ``ids[i]``, as rows of vectors are."""
    if not hasattr(ids, "__len__") or len(ids) != graph.n_nodes:
        found = f"{len(ids)} values" if hasattr(ids, "__len__") else repr(ids)
        raise ParameterError(f"ids is {found}; an id for each of {graph.n_nodes} rows is needed")
    return graph._by_names(_distinct(as_names(ids, graph.n_nodes)))


def column_of(values):
    """Return a list of values, None for those that are missing, as a column: numbers, true or false, or else text."""
    there = [value for value in values if value is not None]
    is_wide = len(there) < len(values) and any(isinstance(v, Integral) and abs(v) > 2**53 for v in there)  # for floats
    if there and not is_wide and all(isinstance(value, Real) and not isinstance(value, bool) for value in there):
        is_whole = len(there) == len(values) and all(isinstance(v, Integral) and abs(v) < 2**63 for v in there)
        return np.array([np.nan if value is None else value for value in values], np.int64 if is_whole else np.float64)
    texts = ["" if value is None else str(value) for value in values]
    is_logical = {text.lower() for text in texts} <= {"true", "false"}
    return np.array([text.lower() == "true" for text in texts]) if is_logical else as_names(texts, len(texts))


def _distinct(values, read=""):
    """Return ids or names, one of which may not come twice, and of which there is one; `read` says where they stand."""
    if not len(values):
        raise InputError("the table of nodes has no rows")
    names = values.tolist()
    if len(set(names)) < len(names):
        seen = {}
        first, again = next((seen[name], row) for row, name in enumerate(names) if seen.setdefault(name, row) != row)
        where = f"rows {first} and {again} (counted from 0) of the nodes"
        raise InputError(f"node {names[again]!r} stands in {where}; each needs one{read}")
    return values
