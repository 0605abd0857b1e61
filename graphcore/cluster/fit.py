"""A fit of the class: what is given becomes a graph, equal rows are drawn together, and the graph is clustered."""

import math
from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np

from ..base.estimator import refuse_negative
from ..base.progress import Stages
from ..base.streams import Streams
from ..base.validation import (
    are_missing,
    check_choice,
    check_integer,
    check_labels,
    check_sample_weight,
    count_linked,
    refused,
)
from ..exceptions import InputError, ParameterError, warn_user
from ..graphs.as_graph import as_graph, graph_maker, is_graph_object, refuse_as_vectors
from ..graphs.from_matrix import in_row_order
from ..graphs.graph import Graph, weigh_nodes
from ..graphs.ids import as_names
from ..graphs.rows import in_range
from ..neighbors.neighbor_lists import is_neighbor_pair, neighbors_of
from ..neighbors.neighbors import (
    clustered_neighbors,
    graph_of_kinds,
    graph_of_vectors,
    highest_of,
    neighbors_of_index,
)
from ..neighbors.outliers import Outliers, refuse_outliers
from ..neighbors.search import check_metric
from ..neighbors.search_pynndescent import IndexSearcher, is_index
from ..neighbors.vectors import first_of
from .evidence import edge_evidence
from .n_clusters import KSelection, choose_for_fit, effective_edges
from .pipeline import Clustering, cluster_graph
from .refine.problem import ClusterSums, cluster_sums, distributed_context
from .settings import check_known, left_to, levels_of, number_of, resolve

AFFINITIES = ("auto", "nearest_neighbors", "precomputed", "precomputed_nearest_neighbors")


@dataclass(eq=False)
class Reference:
    """The parts of a fit that prediction needs: the input, and sums of the clusters."""

    kind: str  # what rows of new input hold: "edges", "vectors" or "distances"
    vectors: Any = field(default=None, repr=False)  # those fitted, dense or csr; narrow ones as they were given
    n_neighbors: int | None = None
    metric: str | None = None
    inner: np.ndarray | None = None
    volumes: np.ndarray | None = None
    exponent: int = 0  # of 2, by which inner weights and volumes are divided: they are below 1
    outliers: Outliers | None = field(default=None, repr=False)  # of what has distances
    evidence: float = 0.0  # log odds for each unit of weight, as inner weights and volumes are kept
    weights: np.ndarray | None = field(default=None, repr=False)  # as how many each fitted node counts
    searcher: Any = field(default=None, repr=False)  # an index of pynndescent, where there is one

    @property
    def radius(self):
        """Rows whose last neighbour is farther are outliers; infinite where none were left out."""
        return np.inf if self.outliers is None else self.outliers.radius

    def set_clusters(self, sums, evidence=None, edge_weight=1.0):
        """Keep sums of the clusters, and the `evidence` of an edge of that weight (as it is, if none is given)."""
        self.exponent = int(np.frexp(sums.volume.max())[1])
        if evidence is not None:  # divided in the unit of the sums, as the weight itself may be too small to divide by
            self.evidence = float(evidence / np.ldexp(edge_weight, -self.exponent))
        self.inner, self.volumes = np.ldexp(sums.internal, -self.exponent), np.ldexp(sums.volume, -self.exponent)
        least = 2.0**-100  # as what smaller volumes count, over the largest
        small = np.flatnonzero((sums.volume > 0) & (self.volumes < least))
        self.inner[small] = least * sums.internal[small] / sums.volume[small]
        self.volumes[small] = least


# -- what is clustered -------------------------------------------------------------------------------------------------


def graph_of(model, X, streams, stages):
    """Return (Graph, Reference, kinds of equal rows or None) of what a model is fitted to; `affinity` says what it is.

    The model's `n_features_in_` is set.
    """
    affinity = check_choice("affinity", model.affinity, AFFINITIES)
    X = in_row_order(X) if affinity.startswith("precomputed") else X
    over_vectors = affinity.endswith("nearest_neighbors")
    make = None if over_vectors else graph_maker(X, declared=affinity == "precomputed")
    if model.outliers is not None and (make is not None or affinity == "precomputed"):
        refuse_outliers(model.outliers)
    if make is not None:
        with stages("graph"):
            graph = make(X, symmetrize=model.symmetrize)
        model.n_features_in_ = graph.n_nodes
        return graph, Reference("edges"), None
    if is_graph_object(X):
        raise ParameterError(
            f"affinity={affinity!r} takes vectors or their distances, and this is a {type(X).__name__}; use "
            "affinity='auto'"
        )
    if is_index(X) and affinity != "precomputed":
        return _graph_of_lists(model, lambda n: neighbors_of_index(X, n), stages, X)
    if is_neighbor_pair(X) and affinity in ("auto", "precomputed_nearest_neighbors"):
        return _graph_of_lists(model, lambda n: neighbors_of(X, n), stages)
    refuse_as_vectors(X, "affinity='nearest_neighbors'" if affinity == "auto" else None)
    return _graph_of_matrix(model, X, affinity, streams, stages)


def _graph_of_lists(model, listed, stages, index=None):
    """Return what `graph_of` does for neighbours that were found elsewhere, by ``listed(n_neighbors)``."""
    n_neighbors = check_integer("n_neighbors", model.n_neighbors, low=1)
    with stages("graph"):
        graph, found, kinds = clustered_neighbors(listed(n_neighbors), model.outliers)
    model.n_features_in_ = n = graph.n_nodes
    n_neighbors = min(n_neighbors, n - 1)
    searcher = None if index is None else IndexSearcher(index, n_neighbors)
    return graph, Reference("distances", n_neighbors=n_neighbors, outliers=found, searcher=searcher), kinds


def _graph_of_matrix(model, X, affinity, streams, stages):
    """Return what `graph_of` does for an array or a sparse matrix: of vectors, weights, or distances."""
    from sklearn.utils.validation import validate_data

    n_neighbors = check_integer("n_neighbors", model.n_neighbors, low=1)
    narrow = X if isinstance(X, np.ndarray) and X.dtype.kind in "fiub" and X.dtype.itemsize < 4 else None
    given = affinity.startswith("precomputed")  # of vectors the search says where one is not finite
    X = validate_data(
        model, X, accept_sparse="csr", dtype=(np.float32, np.float64), ensure_all_finite=given, ensure_min_samples=2,
        order="C",
    )  # fmt: skip
    if given:
        refuse_negative(model, X, "weights of edges" if affinity == "precomputed" else "distances")
    if affinity == "precomputed":
        with stages("graph"):
            return as_graph(X, symmetrize=model.symmetrize), Reference("edges"), None
    reachable = min(n_neighbors, X.shape[0] - 1)
    if affinity == "precomputed_nearest_neighbors":
        if X.shape[0] != X.shape[1]:
            raise InputError(
                "affinity='precomputed_nearest_neighbors' takes a square matrix of distances, for example from "
                f"KNeighborsTransformer(mode='distance'); got {type(X).__name__} of shape {X.shape}"
            )
        with stages("graph"):
            listed = neighbors_of(X, reachable, at_least_one=True)
            graph, found, _ = clustered_neighbors(listed, model.outliers)
        return graph, Reference("distances", n_neighbors=reachable, outliers=found), None
    graph, found, kinds = graph_of_vectors(
        X, n_neighbors, metric=model.metric, outliers=model.outliers, random_state=streams, n_jobs=model.n_jobs,
        stages=stages,
    )  # fmt: skip
    kept = X if narrow is None else narrow  # for predict, which widens it when it is called
    reference = Reference(
        "vectors", vectors=kept, n_neighbors=reachable, metric=check_metric(model.metric), outliers=found
    )
    return graph, reference, kinds


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


def tell_of_ignored(y, n_nodes):
    """Warn of a `y` that holds unknown labels, or not one for each node: it is ignored, as pipelines pass classes."""
    classes = np.asarray(y)
    unknown = are_missing(classes) | (classes == -1) if classes.dtype.kind in "ifO" else np.zeros(1, dtype=bool)
    if y is not None and (classes.shape != (n_nodes,) or np.any(unknown)):
        warn_user("y is ignored; labels that are known go in labels=, one for each node in their order, -1 for unknown")


# -- its clusters ------------------------------------------------------------------------------------------------------


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
    evidence: float  # log odds of a cluster that a mean edge to its nodes is worth, in those of the planted model
    edge_weight: float  # mean weight of an edge, before nodes were weighed
    seconds: dict = field(repr=False)  # of every stage so far, those before the fit included


def fit_graph(
    graph, params, *, kinds=None, labels=None, initial_labels=None, sample_weight=None, random_state=None, n_jobs=None,
    stages=None,
):  # fmt: skip
    """Choose k if that is left to the graph, cluster, measure; `params` are the result of `check_settings`.

    `labels` (n,) stay as they are, but for those of -1; the run begins at `initial_labels`, if they are given. Nodes
    of the same of `kinds` (n,) are clustered as one, unless labels or limits of size prevent it.
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
    kinds, drawn = _drawn_together(graph, kinds, labels, params)
    if kinds is not None:
        total_size = count_linked(graph) if total_size is None else total_size
        params = _with_fewer_nodes(params, drawn)
    with distributed_context(drawn):
        k, levels = None, levels_of(params)
        if left_to(params) in ("information", "resolution"):
            with stages("choice of k"):
                n_edges = None if kinds is None else effective_edges(graph)
                selection = choose_for_fit(drawn, params, n_edges=n_edges, random_state=streams, n_jobs=n_jobs)
            k = selection.best
            if selection.clear and params["balance"] == "auto":  # a clear number is that of balance 1
                params = params | {"balance": 1.0}
        settings = resolve(params, drawn, total_size, k)
        if len(levels) > 1 and not (labels is None and initial_labels is None):
            raise refused("n_clusters", list(levels), "are levels, which keep to no labels given: give one number")
        fixed, start = check_known(graph, settings.n_clusters, labels, initial_labels)
        stages.expect(6)
        clustering = cluster_graph(
            drawn, settings, **_of_kinds(kinds, fixed, start, sample_weight), levels=levels, random_state=streams,
            n_jobs=n_jobs, stages=stages,
        )  # fmt: skip
        if kinds is not None:
            clustering = _spread(clustering, kinds, graph, fixed, sample_weight)
        with stages("score"):
            sums, shares = sums_and_shares(graph, clustering.labels, clustering.settings.n_clusters, n_jobs)
    return Fit(
        graph, clustering, selection, sums, shares, sample_weight, _evidence(graph, clustering, sums), edge_weight,
        dict(stages.seconds),
    )  # fmt: skip


def sums_and_shares(graph, labels, n_clusters, n_jobs):
    """Compute ClusterSums, and the share of each node's weight that leaves its cluster, (n,) float32, in one pass."""
    inside, outside = np.empty(graph.n_nodes), np.empty(graph.n_nodes)
    with distributed_context(graph):
        sums = cluster_sums(graph.rows, labels, n_clusters, n_jobs, splits=(inside, outside))
    shares = np.full(graph.n_nodes, np.nan, dtype=np.float32)
    placed = labels >= 0
    shares[placed] = outside[placed] / graph.degrees[placed]
    return sums, shares


def _evidence(graph, clustering, sums):
    """Return the evidence of a mean edge, less where drafts disagree, as far as they agree beyond chance."""
    labels, stability, k = clustering.labels, clustering.node_stability, len(sums.volume)
    agreement = 1.0
    if stability is not None and k > 1:
        agreement = max(0.0, (float(stability[labels >= 0].mean()) * k - 1.0) / (k - 1.0))
    return edge_evidence(graph.rows, labels, sums, agreement)


# -- equal rows, which are clustered as one ----------------------------------------------------------------------------


def _drawn_together(graph, kinds, labels, params):
    """Return kinds and the graph of them; None and the graph itself where all rows differ, or equal ones must part."""
    if kinds is None:
        return None, graph
    counts, most, (_, k) = np.bincount(kinds), params["max_cluster_size"], number_of(params)
    drawn = graph_of_kinds(graph, kinds)
    limit = np.inf if most is None else most if isinstance(most, Integral) else most * count_linked(graph)
    why = ""
    if k > (n := count_linked(drawn)):
        why = f"n_clusters={k} is more than the {n} different rows; ask for fewer clusters"
    elif counts.max() > limit:
        why = f"{counts.max()} rows are equal, more than max_cluster_size={most} allows; allow more, or drop equal rows"
    elif labels is not None and (highest_of(labels, kinds)[kinds] != labels)[labels >= 0].any():
        why = "labels differ between equal rows; give each of them the same"
    if why:
        warn_user(f"equal rows are in several clusters, because {why}")
        return None, graph
    return kinds, drawn


def _with_fewer_nodes(params, graph):
    """Return parameters whose coreset has no more nodes than the graph of different rows."""
    size, n = params["coreset_size"], count_linked(graph)
    return params | {"coreset_size": n} if isinstance(size, Integral) and size > n else params


def _of_kinds(kinds, fixed, start, weights):
    """Return what is known of nodes as arguments of `cluster_graph`: of different rows, if `kinds` are given.

    A row counts as many as are equal to it.
    """
    if kinds is not None:
        fixed, start = (None if each is None else highest_of(each, kinds) for each in (fixed, start))
        weights = np.bincount(kinds, weights=weights).astype(np.float64)
    return {"fixed": fixed, "start": start, "weights": weights}


def _spread(clustering, kinds, graph, fixed, weights):
    """Return the Clustering of all rows of a graph from that of the different ones."""

    def spread(values):
        return np.where(graph.degrees > 0, values[kinds], -1).astype(np.int32)

    stability = clustering.node_stability
    return replace(
        clustering, labels=spread(clustering.labels), fixed=fixed, weights=weights, _rows=in_range(graph).rows,
        coreset=replace(clustering.coreset, indices=first_of(kinds)[clustering.coreset.indices], seeds=None),
        cells=None if clustering.cells is None else spread(clustering.cells),
        node_stability=None if stability is None else stability[kinds],
    )  # fmt: skip
