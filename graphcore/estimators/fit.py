"""Make a graph of the input of a fit, join new rows to it, and fit a clustering to it."""

import math
from dataclasses import dataclass, field, replace
from numbers import Integral

import numpy as np
from sklearn.utils.validation import validate_data

from ..base.estimator import refuse_negative
from ..base.locks import cached_property
from ..base.progress import Stages
from ..base.streams import Streams
from ..base.validation import check_choice, check_integer, check_labels, check_sample_weight, count_linked, refused
from ..cluster.evidence import edge_evidence
from ..cluster.n_clusters import KSelection, choose_for_fit, effective_edges
from ..cluster.pipeline import Clustering, cluster_graph
from ..cluster.refine.problem import ClusterSums, distributed_context
from ..cluster.settings import check_known, resolve
from ..exceptions import InputError, ParameterError, warn_user
from ..graphs.as_graph import as_graph, graph_maker, is_graph_object, refuse_as_vectors
from ..graphs.columns import in_row_order
from ..graphs.derived import weigh_nodes
from ..graphs.graph import Graph
from ..graphs.ids import as_names
from ..metrics.cut import sums_and_shares
from ..neighbors.neighbor_lists import different_neighbors, is_neighbor_pair, nearest_by_matrix, neighbors_of
from ..neighbors.neighbors import clustered_neighbors, graph_of_vectors, neighbors_of_index
from ..neighbors.outliers import refuse_outliers
from ..neighbors.search import check_metric
from ..neighbors.search_pynndescent import IndexSearcher, index_of, is_index
from ._contraction import Contraction
from ._predicted import Reference


@dataclass(frozen=True, eq=False)
class Fit:
    """Result of a fit to a graph."""

    graph: Graph
    clustering: Clustering
    selection: KSelection | None  # how the number of clusters was chosen; None if it was given
    sums: ClusterSums = field(repr=False)
    # (n_nodes,) float32: share of each node's edge weight that leaves its cluster; NaN for isolated nodes.
    outside_shares: np.ndarray = field(repr=False)
    node_weights: np.ndarray | None = field(repr=False)  # (n_nodes,) float64; None for ones
    edge_weight: float  # mean weight of an edge, before nodes were weighed
    seconds: dict = field(repr=False)  # of every stage so far, those before the fit included

    @cached_property
    def evidence(self):
        """Log odds of a cluster that a mean edge to its nodes is worth, in those of the planted model."""
        labels, stability, k = self.clustering.labels, self.clustering.node_stability, len(self.sums.volume)
        agreement = 1.0
        if stability is not None and k > 1:  # beyond what is so by chance
            agreement = max(0.0, (float(stability[labels >= 0].mean()) * k - 1.0) / (k - 1.0))
        return edge_evidence(self.graph.rows, labels, self.sums, agreement)


def fit_graph(
    graph, params, *, kinds=None, labels=None, initial_labels=None, sample_weight=None, random_state=None, n_jobs=None,
    stages=None,
):  # fmt: skip
    """Choose k if that is left to the graph, cluster, measure; `params` are the result of `check_settings`.

    `labels` (n,) stay as they are, but for those of -1; the run begins at `initial_labels`, if they are given. Nodes
    of the same of `kinds` (n,) have the same label, unless there are more clusters than kinds.
    """
    stages, streams = Stages() if stages is None else stages, Streams(random_state)
    if labels is not None:
        labels = check_labels("labels that stay", labels, graph.n_nodes)
        labels = labels if (labels >= 0).any() else None
    edge_weight, total_size, selection = graph.mean_weight, None, None
    if sample_weight is not None:
        with stages("weights"):
            sample_weight = check_sample_weight(sample_weight, graph.n_nodes)
            graph = weigh_nodes(graph, sample_weight)
            total_size = math.floor(sample_weight[graph.degrees > 0].sum())
    drawn, params = _contraction(graph, kinds, labels, params)
    if drawn.kinds is not None and total_size is None:
        total_size = count_linked(graph)
    with distributed_context(drawn.graph):
        if params.left_to in ("information", "resolution"):
            with stages("choice of k"):
                n_edges = None if drawn.kinds is None else effective_edges(graph)
                selection = choose_for_fit(drawn.graph, params, n_edges=n_edges, random_state=streams, n_jobs=n_jobs)
            params = params.of(selection.best, selection.clear)
        settings = resolve(params, drawn.graph, total_size)
        if (why := drawn.obstacle(settings)) is not None:
            warn_user(f"{why}: equal rows are in several clusters; allow more, or drop equal rows")
            drawn, settings = Contraction.of(graph, None), resolve(params, graph, total_size)
        if len(params.levels) > 1 and not (labels is None and initial_labels is None):
            raise refused(
                "n_clusters", list(params.levels), "are levels, which keep to no labels given: give one number"
            )
        if settings.published and not (labels is None and initial_labels is None):
            raise refused("published", True, "keeps no labels given, and begins with none: leave one of them out")
        known = check_known(graph, settings.n_clusters, labels, initial_labels, sample_weight)
        stages.expect(6)
        clustering = cluster_graph(
            drawn.graph, settings, known=drawn.reduced_known(known), levels=params.levels, random_state=streams,
            n_jobs=n_jobs, stages=stages,
        )  # fmt: skip
        clustering = drawn.expanded_result(clustering, known)
        with stages("score"):
            sums, shares = sums_and_shares(graph, clustering.labels, clustering.settings.n_clusters, n_jobs)
    return Fit(graph, clustering, selection, sums, shares, known.weights, edge_weight, dict(stages.seconds))


def _contraction(graph, kinds, labels, params):
    """Return the Contraction of a graph by its equal rows, if they are enough for the clusters, and the parameters."""
    drawn = Contraction.of(graph, kinds, labels)
    if drawn.kinds is None:
        return drawn, params
    n, size = count_linked(drawn.graph), params.values["coreset_size"]
    if params.n_clusters > n:
        warn_user(
            f"n_clusters={params.n_clusters} is more than the {n} different rows: equal rows are in several clusters; "
            "ask for fewer clusters"
        )
        return Contraction.of(graph, None), params
    if isinstance(size, Integral) and n < size <= graph.n_nodes:
        params = replace(params, values=params.values | {"coreset_size": n})
    return drawn, params


# Rows of a matrix that are looked at for distances.
_SAMPLE = 100


def _may_be_distances(X):
    """Return whether all of a matrix but its diagonal is positive, and no detour is shorter, which few weights obey."""
    if len(X) < 4 or X.shape[0] != X.shape[1] or np.diag(X).any() or np.count_nonzero(X) < X.size - len(X):
        return False
    largest, least = X.max(), X.min(where=X > 0, initial=np.inf)
    return largest > 1 and largest > 2 * least and all((row + row[:, None] + 1e-6 * largest >= X).all() for row in X)


def index_names(X):
    """Return the index of a data frame as names of its rows; None unless it holds different texts.

    Numbers, also those written as text, are row numbers of another table: new rows would have them again.
    """
    index = getattr(X, "index", None)
    if not getattr(index, "is_unique", False):
        return None
    values = np.asarray(index).tolist()
    is_named = all(isinstance(name, str) for name in values) and not any(name.isdecimal() for name in values)
    return as_names(values, len(values)) if is_named else None


AFFINITIES = ("auto", "nearest_neighbors", "precomputed", "precomputed_nearest_neighbors")


def graph_of(model, X, streams, stages):
    """Return the Graph that a model is fitted to, and the Reference that is kept of X; `affinity` says what X is.

    The model's `n_features_in_` is set.
    """
    affinity = check_choice("affinity", model.affinity, AFFINITIES)
    X = in_row_order(X) if affinity.startswith("precomputed") else X
    if is_index(X) and affinity != "precomputed":
        index, n_neighbors = index_of(X), check_integer("n_neighbors", model.n_neighbors, low=1)
        with stages("graph"):
            graph, found, kinds = clustered_neighbors(neighbors_of_index(index, n_neighbors), model.outliers)
        model.n_features_in_ = n = graph.n_nodes
        return graph, Reference(
            "distances", n_neighbors=min(n_neighbors, n - 1), outliers=found, kinds=kinds,
            searcher=IndexSearcher(index, min(n_neighbors, n - 1)),
        )  # fmt: skip
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
            graph, found, kinds = clustered_neighbors(neighbors_of(X, n_neighbors), model.outliers)
        model.n_features_in_ = n = graph.n_nodes
        return graph, Reference("distances", n_neighbors=min(n_neighbors, n - 1), outliers=found, kinds=kinds)
    refuse_as_vectors(X, "affinity='nearest_neighbors'" if affinity == "auto" else None)
    narrow = X if isinstance(X, np.ndarray) and X.dtype.kind in "fiub" and X.dtype.itemsize < 4 else None
    given = affinity.startswith("precomputed")  # of vectors the search says where one is not finite
    X = validate_data(
        model, X, accept_sparse="csr", dtype=(np.float32, np.float64), ensure_all_finite=given, ensure_min_samples=2,
        order="C",
    )  # fmt: skip
    if given:
        refuse_negative(model, X, "weights of edges" if affinity == "precomputed" else "distances")
    if affinity == "precomputed":
        if not hasattr(X, "indptr") and _may_be_distances(X[:_SAMPLE, :_SAMPLE]):
            warn_user(
                "X has zeros on its diagonal and obeys the triangle inequality: if it holds distances, they are taken "
                "for weights; pass affinity='precomputed_nearest_neighbors'"
            )
        with stages("graph"):
            return as_graph(X, symmetrize=model.symmetrize), Reference("edges")
    reachable = min(n_neighbors, X.shape[0] - 1)
    if affinity == "precomputed_nearest_neighbors":
        if X.shape[0] != X.shape[1]:
            raise InputError(
                "affinity='precomputed_nearest_neighbors' takes a square matrix of distances, for example from "
                f"KNeighborsTransformer(mode='distance'); got {type(X).__name__} of shape {X.shape}"
            )
        with stages("graph"):
            if hasattr(X, "indptr"):
                neighbors = different_neighbors(X, reachable, at_least_one=True)
            else:
                neighbors = nearest_by_matrix(X, reachable)
            graph, found, kinds = clustered_neighbors(neighbors, model.outliers)
        return graph, Reference("distances", n_neighbors=reachable, outliers=found, kinds=kinds)
    graph, found, kinds = graph_of_vectors(
        X, n_neighbors, metric=model.metric, outliers=model.outliers, random_state=streams, n_jobs=model.n_jobs,
        stages=stages,
    )  # fmt: skip
    kept = X if narrow is None else narrow  # for predict, which widens it when it is called
    return graph, Reference(
        "vectors", vectors=kept, n_neighbors=reachable, metric=check_metric(model.metric), outliers=found, kinds=kinds
    )
