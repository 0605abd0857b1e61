"""Vectors that a model gets after its fit: the graph with them, and which of its edges change."""

from dataclasses import replace

import numpy as np

from ..exceptions import InputError
from ..graphs.changed import change_graph
from ..graphs.derived import subgraph, with_isolated
from ..graphs.nodes import with_ids
from ..neighbors.equal_rows import first_of, graph_of_copies, kinds_of
from ..neighbors.join import join_rows
from ..neighbors.neighbors import neighbor_graph, neighbors_of_index
from ..neighbors.outliers import Outliers, last_distances, outlier_scores, take_out
from ..neighbors.search import is_left_to_pynndescent, nearest_different
from ..neighbors.search_pynndescent import update_index
from ..neighbors.vectors import as_vectors, in_space, is_sparse
from ._predicted import as_taken, checked_rows
from .fit import index_names


def with_rows(model, new, streams):
    """A model of vectors with new rows: its Graph, in which these are isolated, the Reference, and edges to be changed.

    These are (added, removed) ones. The model is left as it is, but an index of pynndescent that was fitted is changed.
    """
    before, graph = model._reference, model.graph_
    found = before.outliers
    if found is None or np.isnan(found.median):
        raise InputError("this model was saved by a version that kept too little for new rows; fit it again")
    try:
        new = as_vectors(checked_rows(model, new), least=1)
    except InputError:
        raise
    except ValueError as error:  # of scikit-learn
        raise InputError(f"the new vectors cannot be used: {str(error).partition(chr(10))[0]}") from None
    streams, n_old = streams.child("neighbours of new rows"), graph.n_nodes
    options = {"metric": before.metric, "random_state": streams, "n_jobs": model.n_jobs}
    vectors = None if before.kind == "distances" else _stacked(before.vectors, new)
    X = None if vectors is None else as_taken(vectors)
    anew = X is None or is_left_to_pynndescent(X, before.metric)
    if not anew:
        in_space(new, before.metric)  # tells new rows without a distance by their own numbers
    kinds = None if anew else kinds_of(in_space(X, before.metric), before.metric)
    if anew:
        if X is None:
            update_index(before.searcher.index, new)
            neighbors = neighbors_of_index(before.searcher.index, before.n_neighbors)
        else:
            neighbors = nearest_different(X, before.n_neighbors, **options)
        whole, last, kinds = _searched_anew(neighbors, model.labels_, before.radius)
    elif kinds is None:
        joined = join_rows(
            X[:n_old], X[n_old:], graph, before.n_neighbors, kept=before.listed(model.labels_), radius=before.radius,
            **options,
        )  # fmt: skip
        whole, last, changes = None, joined.last_distances, (joined.added, joined.removed)
    else:
        whole, last = _joined_kinds(X, kinds, graph, model.labels_, before, options)
    scores = np.append(found.scores, outlier_scores(last, found.median))
    old = with_isolated(graph, len(scores))
    if whole is not None:
        changes = _changes(old, whole)
    if kinds is not None:  # those of rows that were there before
        equals = first_of(kinds)[kinds[n_old:]]
        scores[n_old:] = np.where(equals < n_old, scores[equals], scores[n_old:])
    reference = replace(
        before, vectors=vectors, kinds=kinds, outliers=Outliers(scores, found.radius, found.median),
        searcher=before.searcher if before.kind == "distances" else None,
    )  # fmt: skip
    return old, reference, changes


def _stacked(old, new):
    """Put new rows under old ones; narrow numbers stay so, if the new ones are."""
    import scipy.sparse as sp

    if is_sparse(old):
        return sp.vstack([old, new.astype(old.dtype, copy=False)], format="csr")
    narrow = new.astype(old.dtype, copy=False)
    if old.dtype.itemsize < 4 and not (narrow == new).all():
        old, narrow = as_taken(old), new.astype(np.float32, copy=False)
    return np.concatenate([old, narrow])


def _searched_anew(neighbors, labels, radius):
    """Make the graph of Neighbors of all rows; returns it, the distances of new rows to their last, and the kinds."""
    last = last_distances(neighbors)
    kinds = np.arange(len(last)) if neighbors.kinds is None else neighbors.kinds
    apart = last > radius
    apart[kinds[: len(labels)]] = labels < 0
    take_out(neighbors, apart)
    return neighbor_graph(neighbors), last[kinds[len(labels) :]], neighbors.kinds


def _joined_kinds(X, kinds, graph, labels, before, options):
    """Join new rows to others where some are equal: the graph of all rows, and distances of new ones to their last."""
    n_old, first = graph.n_nodes, first_of(kinds)
    old, new = first[first < n_old], first[first >= n_old]
    apart, last = labels[old] < 0, np.zeros(len(first))
    between = with_isolated(subgraph(graph, old), len(first))
    if len(new):
        joined = join_rows(
            X[old], X[new], with_isolated(subgraph(graph, old), len(old)), before.n_neighbors, radius=before.radius,
            kept=None if before.radius == np.inf else np.flatnonzero(~apart), **options,
        )  # fmt: skip
        many = np.bincount(kinds)[len(old) :] > before.n_neighbors  # whose neighbours are their equals
        last[len(old) :] = np.where(many, 0.0, joined.last_distances)
        apart = np.append(apart, last[len(old) :] > before.radius)
        between = change_graph(between, joined.added, joined.removed).graph
    return graph_of_copies(between, kinds, before.n_neighbors, apart), last[kinds[n_old:]]


def _changes(old, new):
    """Return the edges (added, removed) between two graphs without weights."""
    import scipy.sparse as sp

    change = sp.triu(new.to_scipy().astype(np.float64) - old.to_scipy().astype(np.float64)).tocoo()
    return tuple(tuple(end[change.data * sign > 0] for end in change.coords) for sign in (1, -1))


def names_with(names, ids, added, graph):
    """Names of all rows, of which the new ones have these ids or, without any, their index or their numbers."""
    old = names.tolist()
    is_text = isinstance(old[0], str)
    if ids is None and is_text and (index := index_names(added)) is not None and set(old).isdisjoint(index.tolist()):
        ids = index
    new = range(len(old), graph.n_nodes) if ids is None else np.asarray(ids).tolist()
    try:
        return with_ids(graph, [*old, *(map(str, new) if is_text else new)]).node_names
    except InputError as error:
        error.add_note("ids= of update names the new rows")
        raise
