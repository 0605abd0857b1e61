"""Coreset spectral clustering: the whole method in one function."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from ..base.streams import Streams
from ..base.types import AnyGraph, ArrayLike, Callable, Labels, RandomState
from ..base.validation import (
    check_choice,
    check_integer,
    check_labels,
    check_real,
    check_size,
    count_linked,
    refused,
    warn_of_isolated,
)
from ..exceptions import InputError, ParameterError, warn_user
from ..graphs.as_graph import as_graph
from ..graphs.rows import given_unit
from ..kernels.graph import GraphKernel
from .coreset import SAMPLING, Coreset, default_size, refuse_few, sample_coreset
from .coreset_graph import contract, label_all, nearest_centroids
from .refine.problem import Problem, apply_labels, matrix_of
from .spectral import spectral_partition

EIGEN_SOLVERS = ("power", "exact")


@dataclass(frozen=True, eq=False)
class CoresetClustering:
    """Labels of all nodes, and the result of every stage.

    Attributes
    ----------
    labels : ndarray of shape (n_nodes,), int32
        0 to n_clusters - 1; -1 for isolated nodes.
    coreset : Coreset
    coreset_labels : ndarray of shape (n_coreset,), int32
        The cluster of every coreset node on the coreset graph.
    coreset_graph : csr_array
        The graph between the cells, or the one induced by the coreset nodes.
    coreset_graph_labels : ndarray of shape (n_rows,), int32
        The cluster of every row of `coreset_graph`, before nodes are labelled.
    cells : ndarray of shape (n_nodes,), int32, or None
        The cell of every node, which is a row of `coreset_graph`, and -1 for isolated nodes; None if it is induced.
        Nodes choose their cells, and move between them, so a cell need not hold a node of the coreset.
    n_unreached : int
        Nodes with an edge, but none to a coreset node.
    n_evaluations : dict
        Kernel values that were read for "seeds", the "coreset graph" (the contracted one sums all) and "labels", each
        counted once a stage, without those of a node with itself. The matrix has ``n_nodes ** 2``.
    """

    labels: Labels = field(repr=False)
    coreset: Coreset
    coreset_labels: Labels = field(repr=False)
    coreset_graph: Any = field(repr=False)
    coreset_graph_labels: Labels = field(repr=False)
    cells: Labels | None = field(repr=False)
    n_unreached: int
    n_evaluations: dict[str, int]


def coreset_spectral_clustering(
    graph: AnyGraph,
    n_clusters: int,
    *,
    coreset_size: float | str = "auto",
    coreset: Coreset | None = None,
    sampling: str = "importance",
    n_seeds: int | str = "auto",
    self_loop: float = 1.0,
    shift: float = 0.0,
    coreset_graph: str = "contracted",
    eigen_solver: str = "power",
    clusterer: Callable[[AnyGraph, int], ArrayLike] | None = None,
    coreset_degrees: str = "row-sums",
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> CoresetClustering:
    """Cluster the nodes of a graph by spectral clustering of a coreset.

    Parameters
    ----------
    graph : Graph, sparse matrix or networkx graph
    n_clusters : int
    coreset_size : int, float or "auto", default "auto"
        Nodes of the coreset (draws, of the induced graph), or their share of the nodes that have an edge. "auto" is 50
        for every cluster, at least 1,000, and at least 3 % of the nodes or 100,000, whichever is less.
    coreset : Coreset, optional
        One of this graph that is there already, such as :func:`graphcore.merge_coresets` returns, in place of
        `coreset_size`, `sampling`, `n_seeds`, `self_loop` and `shift`.
    sampling : {"importance", "degree", "uniform"}, default "importance"
        How the coreset is drawn.
    n_seeds : int or "auto", default "auto"
        D2 seeds of importance sampling, beside the node of smallest ``K_xx``, which is the first; "auto" is
        ``2 * n_clusters``. The paper draws one more than clusters.
    self_loop : float, default 1.0
        Weight of a loop on every node inside the kernel, as a multiple of the mean weight; 1 is as published for graphs
        without weights. Contracted graphs have it in the draws and the choice of cells alone.
    shift : float, default 0.0
        Multiple of ``D^-1`` that is added to the kernel, as in the authors' program, for graphs whose kernel is
        indefinite; from 1 on it never is. Contracted graphs have it in the draws and the choice of cells alone. An
        induced graph gets loops of about ``shift * n_nodes / n_coreset`` times the weight of a node's edges there, so
        keep it well below the share of the nodes that are drawn: larger ones make all nodes alike.
    coreset_graph : {"contracted", "induced"}, default "contracted"
        The graph that is clustered. "contracted": every node joins the coreset node of the largest ``K_xy`` (one that
        none reaches follows its neighbours), one pass of moves of single nodes settles these cells, and the graph
        between them has every edge of the graph.
        "induced": the edges between coreset nodes alone, as published, which are next to none on sparse graphs.
    eigen_solver : {"power", "exact"}, default "power"
        How it is embedded: by the power method, or by eigenvectors.
    clusterer : callable, optional
        Another algorithm for the coreset graph, in place of the power method: it is called with a sparse matrix, a
        symmetric csr_matrix of the weights (igraph takes no csr_array), and `n_clusters`, and returns an integer label
        for each row.
    coreset_degrees : {"row-sums", "weights"}, default "row-sums"
        Degrees by which an induced graph is normalised. "weights" are the coreset's own, as Theorem 1 of the paper has
        it; the experiments there take row sums, which find better clusters. Needs ``eigen_solver="exact"``.
    random_state : int, Generator, RandomState or None
    n_jobs : int, optional
        Number of threads; labels do not depend on it.

    Returns
    -------
    CoresetClustering

    Raises
    ------
    InputError, ParameterError
        If no node has an edge, a parameter is out of range, or two contradict each other.

    Notes
    -----
    Five steps, each a call, with the kernel ``K = D^-1 A D^-1 + shift D^-1`` of the graph with loops and weights
    ``w = d``:

    1. ``K_xy = A_xy / (d_x d_y)`` is read off the graph, and never stored.
    2. A sampling tree draws D2 seeds C, each x in proportion to ``w_x Delta(x, C)``, where
       ``Delta(x, y) = K_xx + K_yy - 2 K_xy`` and ``Delta(x, C)`` is the least over C; then coreset nodes, in proportion
       to ``w_x Delta(x, C) / cost(C) + w_x / w(C)``.
    3. The coreset graph: weights ``sum of A_xy`` between any two cells (or ``W K W``). Cells go by ``K_xy`` and not by
       ``Delta(x, y)``, whose ``K_yy``, of loops for the draws, would draw nodes to hubs that they have no edge to.
    4. The power method: smoothed random vectors ``((I + D^-1/2 A D^-1/2) / 2)^t X``, orthogonalised by QR; rows of
       length 1; k-means.
    5. With centroids ``c_j`` of the clusters so far, every node goes to ``argmin_j ||c_j||^2 - 2 <phi(x), c_j>``: of a
       contracted graph among its own cluster and those that it has edges to.

    :class:`graphcore.CoresetSpectralClustering` cuts the coreset graph into several parts for each cluster, merges
    these by its objective, and then moves nodes.

    References
    ----------
    Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering", Algorithm 3. Rows of length 1, and twice as
    many seeds as clusters, are those of its authors' program or better, see :doc:`/coresets`.

    Examples
    --------
    >>> import graphcore
    >>> graph, _ = graphcore.datasets.planted_partition(3, 100, 0.2, 0.01, random_state=0)
    >>> found = graphcore.coreset_spectral_clustering(graph, 3, coreset_size=60, random_state=0)
    >>> found.labels.shape, len(found.coreset), found.coreset_graph.shape == (found.cells.max() + 1,) * 2
    ((300,), 60, True)
    """
    graph, streams = as_graph(graph), Streams(random_state)
    if coreset is not None:
        if not isinstance(coreset, Coreset):
            raise refused("coreset", coreset, "is no Coreset, such as build_coreset and merge_coresets return")
        if (coreset_size, sampling, n_seeds, self_loop, shift) != ("auto", "importance", "auto", 1.0, 0.0):
            raise ParameterError("coreset= is drawn already: leave coreset_size, sampling, n_seeds and loops out")
        kernel, coreset = coreset.in_graph(graph)
        nodes = slice(None) if coreset.nodes is None else coreset.nodes
        if n_left := np.count_nonzero(kernel.graph.degrees) - np.count_nonzero(kernel.graph.degrees[nodes]):
            raise ParameterError(
                f"coreset= is of a part of the graph, without {n_left} nodes that have an edge; merge_coresets joins "
                "it to those of the other parts"
            )
    size = _checked_size(graph, n_clusters, coreset_size if coreset is None else len(coreset))
    is_induced = _check_choices(coreset_graph, sampling, eigen_solver, clusterer, coreset_degrees)

    if coreset is None:
        kernel = GraphKernel(graph, check_real("self_loop", self_loop, low=0.0), check_real("shift", shift, low=0.0))
        coreset = sample_coreset(
            kernel, n_clusters, size=size, sampling=sampling, n_seeds=n_seeds,
            replace=is_induced, random_state=streams,
        )  # fmt: skip
    if is_induced:
        cells, matrix = None, kernel.weighted_submatrix(coreset.indices, coreset.weights, n_jobs=n_jobs)
    else:
        cells, between, n_unreached = contract(kernel, coreset, Problem(kernel.graph.rows, n_clusters), n_jobs)
        matrix = matrix_of(between.rows)
    if clusterer is not None:
        of_rows = _clustered(clusterer, matrix, n_clusters)
    elif n_clusters >= matrix.shape[0]:  # rows of an embedding may be equal
        of_rows = np.arange(matrix.shape[0], dtype=np.int32)
    else:
        of_rows = spectral_partition(
            matrix, n_clusters, eigen_solver=eigen_solver,
            degrees=coreset.weights if coreset_degrees == "weights" else None, random_state=streams, n_jobs=n_jobs,
        )  # fmt: skip
    n_labels = max(n_clusters, int(of_rows.max()) + 1)
    if cells is None:
        labels, unreached = label_all(
            kernel, coreset.indices, coreset.weights, of_rows, n_labels, coreset_graph=matrix, n_jobs=n_jobs
        )
        coreset_labels, n_unreached = of_rows, int(np.count_nonzero(unreached))
        _warn_of_induced(matrix, n_clusters, n_unreached)
    else:
        labels = nearest_centroids(kernel.graph.rows, apply_labels(of_rows, cells), n_labels, n_jobs)
        coreset_labels = of_rows[cells[coreset.indices]]
    if n_clusters == np.count_nonzero(labels >= 0):  # every node is a cluster, though another centroid may be nearer
        labels[coreset.indices] = coreset_labels
    if (n_found := len(np.unique(labels[labels >= 0]))) < n_clusters:
        why = "with this coreset no more could be separated on this graph; ask for fewer, or give a larger coreset_size"
        if clusterer is not None:
            why = f"clusterer returned {len(np.unique(of_rows))} labels"
        warn_user(f"only {n_found} of n_clusters={n_clusters} clusters hold nodes: {why}")
    matrix = matrix.copy()  # that of the cells shares arrays that are only read
    matrix.sum_duplicates()
    matrix.data = given_unit(matrix.data, kernel.graph.exponent)
    n_read = int(np.diff(kernel.indptr)[coreset.indices].sum()) if is_induced else len(kernel.indices)
    n_of_seeds = 0 if coreset.seeds is None else coreset.seeds.n_evaluations
    n_evaluations = {"seeds": n_of_seeds, "coreset graph": n_read, "labels": n_read}
    coreset = coreset.of_kernel(kernel)
    return CoresetClustering(labels, coreset, coreset_labels, matrix, of_rows, cells, n_unreached, n_evaluations)


def _checked_size(graph, n_clusters, coreset_size):
    """Return nodes of the coreset."""
    n_linked = count_linked(graph)
    warn_of_isolated(graph)
    check_integer("n_clusters", n_clusters, low=1, high=n_linked, why_high="the nodes that have an edge")
    if isinstance(coreset_size, str):
        check_choice("coreset_size", coreset_size, ("auto",), "or a number of nodes, or their share")
        return default_size(n_linked, n_clusters)
    size = check_size("coreset_size", coreset_size, n_linked, "the nodes that have an edge")
    refuse_few(size, n_clusters, coreset_size)
    return size


def _warn_of_induced(matrix, n_clusters, n_unreached):
    """Say so where an induced coreset graph has more components than clusters, or loops that outweigh its edges."""
    m = matrix.shape[0]
    n_components, components = connected_components(matrix, directed=False)
    if 1 < n_clusters < n_components:
        n_single = np.count_nonzero(np.bincount(components) == 1)
        single = f" ({n_single} of them single nodes)" if n_single else ""
        lost = f", and {n_unreached} nodes have no edge to it" if n_unreached else ""
        warn_user(
            f"the induced graph of {m} coreset nodes has {n_components} components{single} for n_clusters={n_clusters}"
            f"{lost}, so that components become clusters: the graph is too sparse for an induced coreset graph of that "
            "size; use the contracted one (coreset_graph='contracted'), in which every edge "
            "counts, or a larger coreset_size"
        )
    elif 2 * (n_drowned := int(np.count_nonzero(2 * matrix.diagonal() > matrix.sum(axis=1)))) > m:
        warn_user(
            f"loops outweigh the edges of {n_drowned} of {m} nodes of the induced coreset graph, so that most nodes "
            "are near to nothing but themselves; take a smaller shift or self_loop, or a larger coreset_size"
        )


def _clustered(clusterer, matrix, n_clusters):
    """Return what a callable makes of the coreset graph, numbered from 0; every row needs a label."""
    import scipy.sparse as sp

    found = clusterer(sp.csr_matrix(matrix, copy=True), n_clusters)
    labels = check_labels("labels of clusterer", found, matrix.shape[0])
    if (labels < 0).any():
        raise InputError("clusterer leaves rows without a label (-1); each row of the coreset graph needs one")
    return np.unique(labels, return_inverse=True)[1].astype(np.int32)


def _check_choices(coreset_graph, sampling, eigen_solver, clusterer, coreset_degrees):
    """Refuse words that are not known, and contradictions; returns whether the coreset graph is the induced one."""
    check_choice("coreset_graph", coreset_graph, ("contracted", "induced"))
    check_choice("sampling", sampling, SAMPLING)
    check_choice("eigen_solver", eigen_solver, EIGEN_SOLVERS)
    check_choice("coreset_degrees", coreset_degrees, ("row-sums", "weights"))
    if clusterer is not None:
        if not callable(clusterer):
            raise refused("clusterer", clusterer, "is no function of a sparse matrix and a number of clusters")
        if eigen_solver != "power" or coreset_degrees != "row-sums":
            raise refused(
                "clusterer", clusterer, "takes the place of eigen_solver and coreset_degrees: leave these out"
            )
    is_induced = coreset_graph == "induced"
    if coreset_degrees == "weights" and (eigen_solver == "power" or not is_induced):
        raise ParameterError(
            "coreset_degrees='weights' needs eigen_solver='exact' and coreset_graph='induced': the power method has to "
            "know the first eigenvector, and does so only with row sums, which those of cells are"
        )
    return is_induced
