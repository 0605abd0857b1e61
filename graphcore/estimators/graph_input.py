"""Make a graph of the input of a fit, and join new rows to it."""

from dataclasses import replace

import numpy as np
from sklearn.utils.validation import validate_data

from ..base.validation import check_choice, check_integer
from ..exceptions import InputError, ParameterError
from ..graphs.as_graph import as_graph, graph_maker, is_graph_object, refuse_as_vectors
from ..graphs.derived import with_isolated
from ..neighbors.join import join_rows
from ..neighbors.neighbor_lists import is_neighbor_pair, listed_neighbors, neighbors_of
from ..neighbors.neighbors import clustered_neighbors, graph_of_vectors
from ..neighbors.outliers import Outliers, outlier_scores, refuse_outliers
from ..neighbors.vectors import as_vectors
from ._predicted import Reference, as_taken, checked_rows

AFFINITIES = ("auto", "nearest_neighbors", "precomputed", "precomputed_nearest_neighbors")


def graph_of(model, X, streams, stages):
    """The Graph that a model is fitted to, and the Reference that is kept of X; `affinity` says what X is.

    The model's `n_features_in_` is set.
    """
    affinity = check_choice("affinity", model.affinity, AFFINITIES)
    vars(model).pop("feature_names_in_", None)  # of columns of an earlier fit
    over_vectors = affinity in ("nearest_neighbors", "precomputed_nearest_neighbors")
    make = None if over_vectors else graph_maker(X, declared=affinity == "precomputed")
    if make is not None or affinity == "precomputed":
        refuse_outliers(model.outliers)
    if make is not None:
        with stages("graph"):
            graph = make(X, symmetrize=model.symmetrize)
        model.n_features_in_ = graph.n_nodes
        return graph, Reference("edges")
    if is_graph_object(X):
        raise ParameterError(
            f"affinity={affinity!r} takes vectors or their distances, and this is a {type(X).__name__}; use "
            "affinity='auto'"
        )
    n_neighbors = check_integer("n_neighbors", model.n_neighbors, low=1)
    if is_neighbor_pair(X) and affinity in ("auto", "precomputed_nearest_neighbors"):
        with stages("graph"):
            graph, found = clustered_neighbors(neighbors_of(X, n_neighbors), model.outliers)
        model.n_features_in_ = graph.n_nodes
        return graph, Reference("distances", n_neighbors=min(n_neighbors, graph.n_nodes - 1), outliers=found)
    refuse_as_vectors(X, "affinity='nearest_neighbors'" if affinity == "auto" else None)
    narrow = X if isinstance(X, np.ndarray) and X.dtype.kind in "fiub" and X.dtype.itemsize < 4 else None
    given = affinity.startswith("precomputed")  # of vectors the search says where one is not finite
    X = validate_data(
        model, X, accept_sparse="csr", dtype=(np.float32, np.float64), ensure_all_finite=given, ensure_min_samples=2,
        ensure_non_negative=given, order="C",
    )  # fmt: skip
    if affinity == "precomputed":
        with stages("graph"):
            return as_graph(X, symmetrize=model.symmetrize), Reference("edges")
    reachable = min(n_neighbors, X.shape[0] - 1)
    if affinity == "precomputed_nearest_neighbors":
        if not hasattr(X, "indptr") or X.shape[0] != X.shape[1]:
            raise InputError(
                "affinity='precomputed_nearest_neighbors' takes a square sparse matrix of distances, for example from "
                f"KNeighborsTransformer(mode='distance'); got {type(X).__name__} of shape {X.shape}"
            )
        with stages("graph"):
            neighbors = listed_neighbors(X, reachable, without_self=True, at_least=reachable)
            graph, found = clustered_neighbors(neighbors, model.outliers)
        return graph, Reference("distances", n_neighbors=reachable, outliers=found)
    graph, found = graph_of_vectors(
        X, n_neighbors, metric=model.metric, outliers=model.outliers, random_state=streams, n_jobs=model.n_jobs,
        stages=stages,
    )  # fmt: skip
    kept = X if narrow is None else narrow  # for predict, which widens it when it is called
    return graph, Reference("vectors", vectors=kept, n_neighbors=reachable, metric=model.metric, outliers=found)


def with_rows(model, new, streams):
    """A model of vectors with new rows: its Graph, in which these are isolated, the Reference, and edges to be changed.

    These are (added, removed) ones. The model is left as it is.
    """
    before, graph = model._reference, model.graph_
    found = before.outliers
    if found is None or np.isnan(found.median):
        raise InputError("this model was saved by a version that kept too little for new rows; fit it again")
    old = as_taken(before.vectors)
    try:
        new = as_vectors(checked_rows(model, new), least=1).astype(old.dtype, copy=False)
    except InputError:
        raise
    except ValueError as error:  # of scikit-learn
        raise InputError(f"the new vectors cannot be used: {str(error).partition(chr(10))[0]}") from None
    joined = join_rows(
        old, new, graph, before.n_neighbors, before.metric, kept=before.listed(model.labels_), radius=before.radius,
        random_state=streams.child("neighbours of new rows"), n_jobs=model.n_jobs,
    )  # fmt: skip
    vectors = joined.vectors
    if vectors.dtype != before.vectors.dtype:  # narrow ones stay so, if the new ones are
        narrow = new.astype(before.vectors.dtype)
        vectors = np.concatenate([before.vectors, narrow]) if (narrow == new).all() else vectors
    scores = np.append(found.scores, outlier_scores(joined.last_distances, found.median))
    reference = replace(before, vectors=vectors, outliers=Outliers(scores, found.radius, found.median))
    return with_isolated(graph, len(scores)), reference, (joined.added, joined.removed)
