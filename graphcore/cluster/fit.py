"""A fit of the class: what is given becomes a graph, equal rows are drawn together, and the graph is clustered."""

from dataclasses import dataclass, field, replace
from numbers import Integral
from typing import Any

import numpy as np

from ..base.validation import (
    check_choice,
    check_integer,
    check_labels,
    check_order,
    check_sample_weight,
    count_linked,
    refuse_negative,
    refused,
)
from ..exceptions import InputError, ParameterError, warn_user
from ..graphs.as_graph import as_graph, graph_maker, is_graph_object, refuse_as_vectors
from ..graphs.columns import in_row_order
from ..graphs.from_edges import as_names
from ..graphs.graph import weigh_nodes
from ..graphs.rows import in_range
from ..neighbors.neighbor_lists import is_neighbor_pair, neighbors_of
from ..neighbors.neighbors import clustered_neighbors, graph_of_kinds, graph_of_vectors, highest_of, neighbors_of_index
from ..neighbors.outliers import Outliers, refuse_outliers
from ..neighbors.search import check_metric
from ..neighbors.search_pynndescent import IndexSearcher, is_index
from ..neighbors.vectors import as_floats
from .n_clusters import choose_for_fit, effective_edges
from .pipeline import cluster_graph
from .refine.problem import distributed_context, is_huge, label_sizes, max_links, quotient
from .settings import check_known, problem_of, resolve, total_of

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


def graph_of(model, X, streams, stages, check):
    """Return (Graph, Reference, kinds of equal rows or None) of what a model is fitted to; `affinity` says what it is.

    The model's `n_features_in_` is set. ``check(n_points)`` is called before a search for neighbours.
    """
    affinity = check_choice("affinity", model.affinity, AFFINITIES)
    X = in_row_order(X) if affinity.startswith("precomputed") else X
    over_vectors = affinity.endswith("nearest_neighbors")
    make = None if over_vectors else graph_maker(X, declared=affinity == "precomputed")
    if make is not None or affinity == "precomputed":
        refuse_outliers(model.outliers)
        if model.metric != "euclidean":
            raise ParameterError(
                f"metric={model.metric!r} compares vectors, and this is a graph, as square sparse matrices are; leave "
                "it out, or give affinity='nearest_neighbors' if its rows are vectors"
            )
    if make is not None:
        with stages("graph"):
            graph = make(X, symmetrize=model.symmetrize)
        check(graph.n_nodes)
        model.n_features_in_ = graph.n_nodes
        return graph, Reference("edges"), None
    if is_graph_object(X):
        parts = "adata.obsp['distances'] are its distances and adata.obsm['X_pca'] vectors; give these, or "
        raise ParameterError(
            f"affinity={affinity!r} takes vectors or their distances, got {type(X).__name__}; "
            f"{parts if hasattr(X, 'obsp') else ''}use affinity='auto'"
        )
    if is_index(X) and affinity != "precomputed":
        return _graph_of_lists(model, lambda n: neighbors_of_index(X, n), stages, check, X)
    if is_neighbor_pair(X) and affinity in ("auto", "precomputed_nearest_neighbors"):
        return _graph_of_lists(model, lambda n: neighbors_of(X, n), stages, check)
    refuse_as_vectors(X, "affinity='nearest_neighbors'" if affinity == "auto" else None)
    return _graph_of_matrix(model, X, affinity, streams, stages, check)


def _graph_of_lists(model, listed, stages, check, index=None):
    """Return what `graph_of` does for neighbours that were found elsewhere, by ``listed(n_neighbors)``."""
    n_neighbors = check_integer("n_neighbors", model.n_neighbors, low=1)
    with stages("graph"):
        graph, found, kinds = clustered_neighbors(listed(n_neighbors), model.outliers)
    model.n_features_in_ = n = graph.n_nodes
    check(n)
    n_neighbors = min(n_neighbors, n - 1)
    searcher = None if index is None else IndexSearcher(index, n_neighbors)
    return graph, Reference("distances", n_neighbors=n_neighbors, outliers=found, searcher=searcher), kinds


def _graph_of_matrix(model, X, affinity, streams, stages, check):
    """Return what `graph_of` does for an array or a sparse matrix: of vectors, weights, or distances."""
    from sklearn.utils.validation import validate_data

    n_neighbors = check_integer("n_neighbors", model.n_neighbors, low=1)
    given = affinity.startswith("precomputed")
    kept = validate_data(
        model, X, accept_sparse="csr", dtype="numeric", ensure_min_samples=2, order="C",
        ensure_all_finite=affinity == "precomputed",  # the others name what is not finite, or know what it means
    )  # fmt: skip
    X = as_floats(kept)
    check(X.shape[0])
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
            listed = neighbors_of(X, reachable, warns=hasattr(X, "indptr"))
            graph, found, _ = clustered_neighbors(listed, model.outliers)
        return graph, Reference("distances", n_neighbors=reachable, outliers=found), None
    graph, found, kinds = graph_of_vectors(
        X, n_neighbors, metric=model.metric, outliers=model.outliers, random_state=streams, n_jobs=model.n_jobs,
        stages=stages,
    )  # fmt: skip
    kept = kept if isinstance(kept, np.ndarray) and kept.dtype.itemsize < 4 else X  # predict widens narrow ones
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


# -- its clusters ------------------------------------------------------------------------------------------------------


# Drafts agree on the clusters of a number that stands out and is right: of 107 on generated sets 86 were right, 85 of
# these with a stability from .97 on, and 2 of the others had less than .9.
_STEADY = 0.9


def fit_graph(graph, params, streams, stages, *, kinds, labels, initial_labels, sample_weight, n_jobs):
    """Choose k if that is left to the graph, and cluster; `params` are the result of `check_settings`.

    Returns the graph, its Clustering, the KSelection of k (None if it was given), and weights of its nodes or None.
    `labels` (n,) stay as they are, but for those of -1; the run begins at `initial_labels`, if they are given. Nodes
    of the same of `kinds` (n,) are clustered as one, unless labels or limits of size prevent it.
    """
    given = {"labels": labels, "initial_labels": initial_labels, "sample_weight": sample_weight}
    for name, values in given.items():
        check_order(name, values, graph.node_names)
    if labels is not None:
        labels = check_labels("labels that stay", labels, graph.n_nodes)
        labels = labels if (labels >= 0).any() else None
    total_size, selection = count_linked(graph), None
    if sample_weight is not None:
        with stages("weights"):
            sample_weight = check_sample_weight(sample_weight, graph.n_nodes)
            graph = weigh_nodes(graph, sample_weight)
            total_size = total_of(sample_weight[graph.degrees > 0])
    kinds, drawn = _drawn_together(graph, kinds, labels, params, sample_weight, total_size)
    if kinds is not None and isinstance(params["coreset_size"], Integral):  # there may be fewer different rows
        params = params | {"coreset_size": min(params["coreset_size"], count_linked(drawn))}
    with distributed_context(drawn):
        k, levels = None, params["levels"]
        if params["chooser"] in ("information", "resolution"):
            with stages("choice of k"):
                n_edges = None if kinds is None else effective_edges(graph)
                selection = choose_for_fit(drawn, params, total_size, n_edges, random_state=streams, n_jobs=n_jobs)
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
        if selection is not None and selection.clear and (doubt := _doubt(drawn.rows, clustering)):
            selection = replace(selection, clear=False)
            warn_user(f"k = {k} stands out {doubt}, and give n_clusters")
        if kinds is not None:
            clustering = _spread(clustering, kinds, graph, fixed, sample_weight)
    return graph, clustering, selection, sample_weight


def _doubt(rows, clustering):
    """Say what the clusters of a number that stands out have against it; None if nothing."""
    settings, stability = clustering.settings, clustering.node_stability
    problem = problem_of(rows, settings, clustering.weights)
    sizes = label_sizes(clustering.labels, settings.n_clusters, problem.counts)
    n_full = np.count_nonzero((sizes == problem.max_size) | ((sizes == problem.min_size) & (sizes > 1)))
    if n_full:
        return (
            f"without limits of size, and {n_full} clusters are as small or as large as these allow; see what clusters "
            "there are without limits"
        )
    agreed = 1.0 if stability is None else float(stability[clustering.labels >= 0].mean())
    if agreed < _STEADY:
        return f"on its curve, and its clusters change with the seed (stability {agreed:.2f}); compare other numbers"
    return None


def evidence_of(graph, clustering, sums):
    """Return the evidence of a mean edge, less where drafts disagree, as far as they agree beyond chance."""
    labels, stability, k = clustering.labels, clustering.node_stability, len(sums.volume)
    agreement = 1.0
    if stability is not None and k > 1:
        agreement = max(0.0, (float(stability[labels >= 0].mean()) * k - 1.0) / (k - 1.0))
    return edge_evidence(graph.rows, labels, sums, agreement)


# Paths of two edges that are looked at, evenly spaced over all of them; fewer of a graph that may lie on a disk.
_PATHS, _FEW_PATHS = 20_000, 1_000
# Calibrated on generated graphs (docs/results.md): the share of an edge's evidence that counts, and by how much it
# shrinks where neighbours are neighbours of each other without the clusters being the reason.
_SHARE, _SHRINKAGE = 0.9, 17.0


def edge_evidence(rows, labels, sums, agreement=1.0):
    """Return log odds that an edge is worth, in units of those that the planted model gives it: 0 to 0.9.

    Where neighbours of a node are neighbours of each other more often than their clusters and degrees make them, by a
    share e of the pairs (by a sample), an edge counts as ``1 / (1 + 17 e sqrt(d - 1))`` of one, with the mean degree d.
    `agreement` of independent clusterings multiplies it, and so does `_share_beside_near`. `rows` have ascending
    columns.
    """
    lengths = np.diff(rows.indptr)
    pairs = np.cumsum(lengths.astype(np.float64) * (lengths - 1))
    if len(pairs) == 0 or pairs[-1] == 0:
        return _SHARE * agreement
    n_paths = _FEW_PATHS if is_huge(len(rows.indices)) else _PATHS
    places = (np.arange(n_paths) + 0.5) / n_paths * pairs[-1]
    middle = np.searchsorted(pairs, places, side="right")
    others = lengths[middle] - 1
    pair = (places - np.where(middle > 0, pairs[middle - 1], 0.0)).astype(np.int64)
    first, second = np.minimum(pair // others, others), pair % others
    second += second >= first
    first, second = rows.indices[rows.indptr[middle] + first], rows.indices[rows.indptr[middle] + second]
    inside = (labels[first] >= 0) & (labels[second] >= 0)  # not so for ends that are in no cluster
    first, second = first[inside], second[inside]
    total = sums.volume.sum()
    share, volume = sums.internal / total, sums.volume / total
    across = max(1.0 - share.sum(), 0.0) / max(1.0 - (volume**2).sum(), 1e-15)
    # Where the square of a share vanishes, so does what the rate would be multiplied with.
    within = np.divide(share, volume**2, out=np.zeros(len(volume)), where=volume**2 > np.finfo(float).tiny)
    rate = np.where(labels[first] == labels[second], within[labels[first]], across) * len(rows.indices)
    expected = np.minimum(1.0, rows.degrees[first] / total * (rows.degrees[second] / total) * rate)
    excess = _are_edges(rows, first, second).mean() - expected.mean() if len(first) else 0.0
    mean_degree = len(rows.indices) / np.count_nonzero(lengths)
    if not is_huge(len(rows.indices)):  # another pass
        agreement *= _share_beside_near(rows, labels, volume, within, min(across, 1.0))
    return float(_SHARE * agreement / (1.0 + _SHRINKAGE * max(0.0, excess) * np.sqrt(mean_degree - 1.0)))


def _share_beside_near(rows, labels, volume, within, across):
    """Return the share of an edge's evidence that is left where its cluster is told from a near one, not from all.

    Edges between clusters are `across` times as many as by chance in all; between the two clusters of an edge that
    joins two they are more in the mean, if clusters are not equally far apart. The edge itself is not counted.
    """
    between = quotient(rows, labels, len(volume), max_entries=max_links(rows))
    one, other = np.repeat(np.arange(len(volume)), np.diff(between.indptr)), between.indices
    share, by_chance = between.weights / rows.degrees.sum(), volume[one] * volume[other]
    joins = (one != other) & (by_chance > 0.0)
    share, by_chance = share[joins], by_chance[joins]
    if not (across > 0.0 and share.any()):
        return 1.0
    rate = share @ (np.maximum(share - 1.0 / len(rows.indices), 0.0) / by_chance) / share.sum()
    worth = np.log(np.maximum(within, 1.0)) @ volume - np.log(across)
    return 1.0 - np.log(np.clip(rate, across, 1.0) / across) / worth if worth > 0.0 else 1.0


def _are_edges(rows, sources, targets):
    """Return whether there is an edge between each two nodes, by a binary search in the sources' rows."""
    low, stop = rows.indptr[sources], rows.indptr[sources + 1]
    high = stop.copy()
    while (low < high).any():
        middle = (low + high) // 2
        searching = low < high
        below = searching & (rows.indices[np.where(searching, middle, 0)] < targets)
        low, high = np.where(below, middle + 1, low), np.where(searching & ~below, middle, high)
    there = low < stop
    there[there] = rows.indices[low[there]] == targets[there]
    return there


# -- equal rows, which are clustered as one ----------------------------------------------------------------------------


def _drawn_together(graph, kinds, labels, params, weights, total_size):
    """Return kinds and the graph of them; None and the graph itself where all rows differ, or equal ones must part."""
    if kinds is None:
        return None, graph
    counts, most, k = np.bincount(kinds, weights), params["max_cluster_size"], params["k"]
    drawn = graph_of_kinds(graph, kinds)
    limit = np.inf if most is None else most if isinstance(most, Integral) else most * total_size
    why = ""
    if k > (n := count_linked(drawn)):
        why = f"n_clusters={k} is more than the {n} different rows; ask for fewer clusters"
    elif counts.max() > limit:
        why = f"some count {counts.max():.12g}, more than max_cluster_size={most} allows; allow more, or drop some"
    elif labels is not None and (highest_of(labels, kinds)[kinds] != labels)[labels >= 0].any():
        why = "labels differ between equal rows; give each of them the same"
    if why:
        warn_user(f"equal rows are in several clusters, because {why}")
        return None, graph
    return kinds, drawn


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

    def spread(values, otherwise=-1):
        return np.where(graph.degrees > 0, values[kinds], otherwise).astype(values.dtype)

    linked, stability = np.flatnonzero(graph.degrees > 0)[::-1], clustering.node_stability
    first = np.empty(kinds.max() + 1, dtype=np.int64)
    first[kinds[linked]] = linked  # of copies that have an edge the first, which is the last to be written
    return replace(
        clustering, labels=spread(clustering.labels), fixed=fixed, weights=weights, _rows=in_range(graph).rows,
        coreset=replace(clustering.coreset, indices=first[clustering.coreset.indices], seeds=None),
        cells=None if clustering.cells is None else spread(clustering.cells),
        node_stability=None if stability is None else spread(stability, 0),
    )  # fmt: skip
