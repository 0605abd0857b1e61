"""Draw a coreset of a graph, of the points of a kernel matrix, or of vectors, as a user asks for it."""

from typing import Any

import numpy as np

from ...base.types import AnyGraph, ArrayLike, RandomState
from ...base.validation import check_choice, check_real
from ...exceptions import InputError, ParameterError
from ...graphs.as_graph import as_graph
from ...kernels.as_kernel import as_kernel
from ...kernels.base import Kernel
from ...kernels.graph import GraphKernel
from ...kernels.vectors import VectorKernel
from .coreset import Coreset, sample_coreset


def build_coreset(
    graph: AnyGraph | Kernel,
    n_clusters: int,
    *,
    kernel: str = "normalized_cut",
    size: float | None = None,
    eps: float | None = None,
    guarantee: bool | float = False,
    method: str = "auto",
    n_seeds: int | str = "auto",
    seeding: str = "auto",
    self_loop: float | str = "auto",
    shift: float = 0.0,
    replace: bool = True,
    nodes: ArrayLike | None = None,
    random_state: RandomState = None,
) -> Coreset:
    """Draw a coreset of a graph, of the points of a kernel matrix, or of vectors with a kernel.

    Parameters
    ----------
    graph : Graph, sparse matrix or networkx graph, or VectorKernel
        Or a kernel matrix (n_nodes, n_nodes), sparse or dense, positive semi-definite; or a
        :class:`graphcore.kernels.vectors.VectorKernel` for vectors, each of weight 1.
    n_clusters : int
        Number of clusters that the coreset is for.
    kernel : {"normalized_cut", "precomputed"}, default "normalized_cut"
        "normalized_cut": `graph` is a graph, with the kernel ``D^-1 A D^-1`` and its degrees as weights; "precomputed":
        it is the kernel matrix itself, of points of weight 1.
    size : int or float, optional
        Number of nodes ("degree", "uniform") or of draws ("importance"), or their share of the nodes that have an edge.
        Give either `size` or `eps`.
    eps : float, optional
        Relative error of the cost to aim at, only with "importance": the rounds of Algorithm 4, sizes by the paper's
        formula. Its probabilities are those of the authors' program, for which nothing is proven.
    guarantee : bool or float, default False
        Whether `eps` is kept: draws in one round by the probabilities of Jiang et al., as many as the paper's formula
        says and enough that the cost of any centres, chosen before, has a relative error of at most `eps`, but with the
        probability given (True: 0.1); or all nodes, if it takes them. Needs a definite kernel, as with ``shift=1``.
    method : {"auto", "degree", "uniform", "importance"}, default "auto"
        "auto" is "degree" for a graph, otherwise "importance". "degree" and "uniform" draw distinct nodes, with
        probability proportional to the degree or the same for all; "importance" draws by D2 seeds and degree, see
        `replace`. "degree" and `eps` are for graphs.
    n_seeds : int or "auto", default "auto"
        D2 seeds for "importance"; "auto" is ``2 * n_clusters``.
    seeding : {"auto", "fast", "naive"}, default "auto"
        How D2 seeds are drawn. "fast" reads the rows of seeds alone, those of a graph or of a sparse kernel matrix
        without negative entries; "naive" visits all points for each seed. "auto" is "fast" where it applies.
    self_loop : float or "auto", default "auto"
        Weight of the loop put on every node inside the kernel, as a multiple of the graph's mean weight. "auto" is 1
        for "importance" (which needs a positive diagonal), otherwise 0.
    shift : float, default 0.0
        Multiple of ``D^-1`` that is added to the kernel of a graph, whose cost then is the one that `eps` is about.
    replace : bool, default True
        How "importance" draws: `size` independent draws whose repeats are merged, as published, or `size` distinct
        nodes. The other methods draw distinct nodes.
    nodes : array-like of int, optional
        Draw from these nodes of a graph alone, a part of it: coresets of parts add up, see :func:`merge_coresets`.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    Coreset

    Raises
    ------
    ParameterError
        If a size is below `n_clusters` or above the number of nodes that have an edge, or both or none of `size` and
        `eps` are given, or `guarantee` without `eps` or with a kernel that may be indefinite.
    InputError
        If no node has an edge, or "importance" is asked for on a kernel with a zero diagonal.

    Notes
    -----
    Isolated nodes take no part. Distinct nodes are those of the `size` smallest ``u_x / p_x``, with u uniform and p the
    probabilities (priority sampling): given the next smallest value t, a node is kept with probability
    ``min(1, t p_x)``, which makes ``d_x / min(1, t p_x)`` an unbiased weight. Distinct vectors are drawn by systematic
    sampling in random order, whose weights vary less in sum.

    With `guarantee`, ``w_x Delta(x, C) / cost(C)`` is bounded for all nodes and centres, and Bernstein's inequality
    gives the size. For all centres at once it rests on the constant of the paper's formula, which is left open and
    taken as 1. :func:`graphcore.metrics.coreset_certificate` tells what is known of a coreset.

    References
    ----------
    Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering", Algorithms 4 and 5; Duffield, Lund, Thorup,
    "Priority sampling for estimation of arbitrary subset sums", J. ACM 2007; Jiang, Krauthgamer, Lou, Zhang, "Coresets
    for kernel clustering", Machine Learning 2024.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.datasets.load_karate().graph
    >>> coreset = graphcore.build_coreset(graph, 2, size=10, random_state=0)
    >>> len(coreset), coreset.method
    (10, 'degree')
    """
    settings: dict[str, Any] = {"size": size, "eps": eps, "guarantee": guarantee, "n_seeds": n_seeds}
    settings |= {"seeding": seeding, "replace": replace, "random_state": random_state}
    is_matrix = check_choice("kernel", kernel, ("normalized_cut", "precomputed")) == "precomputed"
    if is_matrix or isinstance(graph, VectorKernel):
        if nodes is not None:
            raise ParameterError("nodes= is for graphs; give the kernel of a part of the points")
        settings["method"] = "importance" if method == "auto" else method
        if is_matrix:
            return sample_coreset(as_kernel(graph), n_clusters, **settings)
        return sample_coreset(graph, n_clusters, **settings).over(graph)
    settings["method"] = method = "degree" if method == "auto" else method
    of_graph = kernel_of_graph(graph, self_loop, method, shift)
    if nodes is None:
        found = sample_coreset(of_graph, n_clusters, **settings)
    else:
        nodes = _check_nodes(nodes, of_graph.n_points)
        found = sample_coreset(of_graph.submatrix(nodes), n_clusters, **settings).of(nodes)
    return found.of_graph(of_graph.graph, of_graph.multiple, of_graph.shift)


def kernel_of_graph(graph, self_loop, method, shift=0.0):
    """Return the kernel of a graph with the loops that a method of sampling needs where they are "auto"."""
    if isinstance(self_loop, str) and self_loop == "auto":
        self_loop = 1.0 if method == "importance" else 0.0
    loops = check_real("self_loop", self_loop, low=0.0), check_real("shift", shift, low=0.0)
    return GraphKernel(as_graph(graph), *loops)


def _check_nodes(nodes, n_nodes):
    """Return distinct nodes of a graph, ascending."""
    nodes = np.unique(np.asarray(nodes))
    if not len(nodes) or nodes.dtype.kind not in "iu" or nodes[0] < 0 or nodes[-1] >= n_nodes:
        raise InputError(f"nodes must be integers from 0 to {n_nodes - 1}, at least one; got {nodes}")
    return nodes.astype(np.int64)
