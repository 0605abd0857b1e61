"""A graph after a change: edges taken out and put in, and nodes that come with them."""

from typing import NamedTuple

import numpy as np

from ..exceptions import InputError, warn_user
from .as_graph import as_graph, is_graph_object
from .columns import edge_columns, weight_column
from .from_table import column_names, table_edges
from .graph import Graph
from .ids import Numbering, as_ids, as_names, is_text, whole_numbers
from .nodes import column_of
from .weights import edge_weights, without_ones


class ChangedGraph(NamedTuple):
    """A graph after a change, and the pairs of nodes that it changed."""

    graph: Graph  # nodes keep their numbers, new ones come at the end
    ends: np.ndarray  # (n_changed, 2) int64, the smaller first
    change: np.ndarray  # (n_changed,) float64: what was added to each weight, below 0 for what was taken
    n_added: int  # edges that are there now and were not
    n_removed: int


def change_graph(graph, added=None, removed=None):
    """Take edges out of a graph and put others in; the graph itself is not changed.

    Edges are as for :meth:`CoresetSpectralClustering.update`. The rows are copied once; the rest goes by the size of
    the change.
    """
    import scipy.sparse as sp

    names, added = _Names(graph), as_graph(added) if is_graph_object(added) else added
    gone, _ = _pairs("removed", removed, names, weighted=False)
    ends, weights = _pairs("added", added, names, weighted=graph.is_weighted, grow=True)
    gone = np.unique(gone, axis=0)
    has_weights = len(removed) == 3 if isinstance(removed, tuple) else weight_column(column_names(removed))
    if graph.is_weighted and has_weights:
        warn_user("removed: weights are not read, as edges are removed as a whole; add what is to be left of one")
    n = names.n_nodes
    A = graph.to_scipy()
    A.resize((n, n))
    taken = _values(A, gone)
    if (taken == 0).any():
        a, b = gone[np.argmin(taken != 0)]
        raise InputError(f"removed: there is no edge between {names.of(a)!r} and {names.of(b)!r}")
    if weights is None and graph.is_weighted:
        if len(ends):
            warn_user(
                f"added: there are no weights, so that every edge weighs 1, and those of the graph weigh "
                f"{graph.mean_weight:.3g} on average; give weights where they differ"
            )
        weights = np.ones(len(ends))  # repeats add up as they do with weights
    ends, weights = _merged(ends, weights)
    there = _values(A, ends)
    there[np.isin(ends @ (n, 1), gone @ (n, 1))] = 0.0
    if graph.weights is None and (weights is None or (weights == 1).all()):
        put = np.where(there > 0, 0.0, 1.0)  # without weights an edge counts once
    else:
        put = weights
    is_new = (put > 0) & (there == 0)
    ends, change = np.concatenate([gone, ends]), np.concatenate([-taken, put])
    # An edge that is removed and added again is one change, or none if its weight is as before.
    ends, change = _merged(ends, change)
    kept = change != 0
    ends, change = ends[kept], change[kept]
    upper = sp.csr_array((change, tuple(ends.T)), shape=(n, n))
    rows = (A + upper + sp.triu(upper, 1).T).tocsr()
    rows.eliminate_zeros()
    rows.sort_indices()
    data = rows.data if graph.weights is None or graph.weights.dtype == np.float64 else rows.data.astype(np.float32)
    made = Graph(rows.indptr, rows.indices, without_ones(data), check=False)._by_names(
        names.all, _longer_attributes(graph, names, added)
    )
    return ChangedGraph(made, ends, change, int(is_new.sum()), len(gone))


def _longer_attributes(graph, names, added):
    """Return the attributes of a graph with a row for every new node, from those of the `added` graph, or missing."""
    new = range(graph.n_nodes, names.n_nodes)
    if not new:
        return graph.attributes
    theirs, called = added.attributes if isinstance(added, Graph) else {}, names.all
    place = {str(name): i for i, name in enumerate(added.names_of(range(added.n_nodes)).tolist())} if theirs else {}
    places = [place.get(str(node if called is None else called[node])) for node in new]
    attributes = {}
    for name, values in graph.attributes.items():
        column = theirs.get(name)
        found = [None if column is None or at is None else column[at].item() for at in places]
        if values.dtype.kind in "iu":  # whole numbers with gaps, as of nodes known by their edges alone, are floats
            found = [int(x) if isinstance(x, float) and x.is_integer() else x for x in found]
        ends = column_of([*values[:1].tolist(), *found])  # the kind that both have
        old = values.astype(str) if is_text(ends) and not is_text(values) else values
        attributes[name] = np.concatenate([old, ends[1:]])
    return attributes


def _arrays(parameter, edges):
    """Return arrays of the ends of edges, and their weights if there are any."""
    if isinstance(edges, tuple) and len(edges) in (2, 3):
        arrays = tuple(map(np.asarray, edges))
        if {array.ndim for array in arrays} == {1} and len({len(array) for array in arrays}) == 1:
            return arrays
    try:
        pairs = np.asarray(edges)
    except (ValueError, TypeError):  # of arrays of different lengths, and of times beside numbers
        pairs = np.empty(0)
    if pairs.ndim == 2 and pairs.dtype.kind in "iu" and 2 in pairs.shape and pairs.shape != (2, 2):
        return tuple(pairs if pairs.shape[0] == 2 else pairs.T)
    if column_names(edges):
        names = ", ".join(map(repr, column_names(edges)))
        raise InputError(
            f"{parameter}: no columns of the table are called as ends of edges are, source and target; it has {names}; "
            "for others give graphcore.Graph.from_table(table, source=..., target=...)"
        )
    raise InputError(
        f"{parameter} must be edges: a tuple of arrays (sources, targets) of one length, with weights or not, an "
        f"integer array of two rows or columns, a table or a graph; got {type(edges).__name__} of shape {pairs.shape}"
    )


def _edges_of(graph):
    """Return names of the ends of a graph's edges, each once, and weights if it has any."""
    from scipy.sparse import triu

    upper = triu(graph.to_scipy(), format="coo")
    ends = tuple(graph.names_of(side) for side in upper.coords)
    return (*ends, upper.data) if graph.is_weighted else ends


def _values(A, ends):
    """Return entries of a matrix at some places, 0 where there are none."""
    return np.asarray(A[ends[:, 0], ends[:, 1]], dtype=np.float64).ravel() if len(ends) else np.empty(0)


def _merged(ends, weights):
    """Pairs without repeats, their weights added up."""
    ends, where = np.unique(ends, axis=0, return_inverse=True)
    return ends, None if weights is None else np.bincount(where.ravel(), weights=weights, minlength=len(ends))


def _pairs(parameter, edges, names, *, weighted, grow=False):
    """Ends of edges (m, 2) int64, the smaller first, and their weights, or None; of tables only if `weighted`."""
    if edges is None:
        return np.empty((0, 2), dtype=np.int64), None
    if is_graph_object(edges):
        found = _edges_of(as_graph(edges))
    elif edge_columns(column_names(edges)) is not None:
        *found, _, notes = table_edges(edges, weight="auto" if weighted else None)
        for note in notes if grow else ():
            warn_user(f"{parameter}, as read by graphcore.Graph.from_table: {note}")
        found = found if len(found[2]) else found[:2]
        if grow and not weighted and (left := weight_column(column_names(edges))) is not None:
            warn_user(f"{parameter}: column {left} not read, as the graph has no weights; fit one that has to use it")
    else:
        found = _arrays(parameter, edges)
    sources, targets, weights = (*found, None)[:3]
    weights = edge_weights(weights, len(sources)).astype(np.float64) if grow and weights is not None else None
    ends = names.numbers(parameter, sources, targets, grow)
    ends.sort(axis=1)
    if weights is not None and not weights.all():
        ends, weights = ends[weights != 0], weights[weights != 0]
    return ends, weights


def _kind(names):
    """Return whether names (one dimension) are "integers" or "text"; None for others, mixtures, and none at all."""
    if len(names) == 0:
        return None
    integers = names.dtype.kind in "iu" or all(isinstance(name, (int, np.integer)) for name in names)
    return "integers" if integers else "text" if is_text(names) else None


class _Names:
    """Numbers of nodes by their names; new names get the next numbers."""

    def __init__(self, graph):
        self._old, self.n_nodes, self._n_old = graph.node_names, graph.n_nodes, graph.n_nodes
        self._numbers = None

    @property
    def all(self):
        """Names of all nodes, or None."""
        is_old = self._old is None or self.n_nodes == self._n_old
        return self._old if is_old else as_names(list(self._numbers), self.n_nodes)

    def of(self, node):
        """Return the name of a node."""
        return int(node) if self._old is None else self._old[node : node + 1].tolist()[0]

    def numbers(self, parameter, sources, targets, grow):
        """Ends as numbers (m, 2); unknown nodes are new ones, if they may be."""
        sides = np.asarray(sources), np.asarray(targets)
        if len(sides[0]) and is_text(sides[0]) != is_text(sides[1]):
            raise InputError(f"{parameter}: nodes are named by integers, or all by text")
        ends = np.stack(sides, axis=1)
        self._check_kind(parameter, ends.ravel())
        if self._old is None:
            return self._checked(parameter, ends, grow)
        if self._numbers is None:
            self._numbers = Numbering(zip(self._old.tolist(), range(self._n_old), strict=True))
            if len(self._numbers) < self._n_old:  # the next number would be that of another node
                raise InputError(
                    f"{parameter}: several nodes of the graph have the same name, so that edges cannot say which they "
                    "mean; give the nodes different names, and fit again"
                )
        if ends.dtype.kind == "f":
            ends = whole_numbers(ends.ravel(), f"{parameter}: nodes are named by integers or text, and").reshape(-1, 2)
        names = ends.ravel().tolist()
        if not grow and not self._numbers.keys() >= set(names):
            raise InputError(f"{parameter}: there is no node {next(x for x in names if x not in self._numbers)!r}")
        ends = self._numbers.of(names, len(names)).astype(np.int64)
        self.n_nodes = len(self._numbers)
        return ends.reshape(-1, 2)

    def _check_kind(self, parameter, names):
        """Refuse text where all nodes are named by integers, and integers where all are by text."""
        known = np.arange(1) if self._old is None else self._old
        kinds = _kind(known), _kind(names)
        if {*kinds} == {"integers", "text"}:
            raise InputError(
                f"{parameter}: nodes are named by {kinds[1]}, as {names.tolist()[0]!r}, and those of the graph by "
                f"{kinds[0]}, as {known.tolist()[0]!r}; convert the names to {kinds[0]}"
            )

    def _checked(self, parameter, ends, grow):
        if len(ends) == 0:
            return np.empty((0, 2), dtype=np.int64)
        ends = as_ids(parameter, ends.ravel()).astype(np.int64).reshape(-1, 2)
        if ends.min() < 0:
            raise InputError(f"{parameter}: node ids start at 0; found {ends.min()}")
        most = self._n_old + (ends.size if grow else 0)
        if ends.max() >= most:
            why = f"new ones are numbered from {self._n_old} on" if grow else "there is no such node"
            raise InputError(f"{parameter}: node {ends.max()} is beyond the {self._n_old} nodes of the graph; {why}")
        self.n_nodes = max(self.n_nodes, int(ends.max()) + 1)
        return ends
