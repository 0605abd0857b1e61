"""The weighted kernel k-means cost of a partition of a graph, and its estimate from a coreset."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..base.types import AnyGraph, ArrayLike
from ..base.validation import check_choice, check_real
from ..cluster.coreset import Coreset
from ..cluster.refine.problem import cluster_sums
from ..kernels.graph import GraphKernel
from .quality import placed_labels


class Centres(NamedTuple):
    """Centroids of a partition in the feature space of ``K + shift D^-1``; empty clusters have mass 0."""

    kernel: GraphKernel
    labels: np.ndarray
    shift: float
    masses: np.ndarray  # volumes, self-loops included
    norms: np.ndarray  # squared norms
    cost: float  # weighted cost of the partition
    cut: float  # sum of the conductances of the clusters that are there


def kernel_kmeans_cost(
    graph: AnyGraph, labels: ArrayLike, *, self_loop: float = 0.0, shift: float = 0.0, n_jobs: int | None = None,
) -> float:  # fmt: skip
    """Compute the weighted kernel k-means cost, with ``K = D^-1 A D^-1 + shift D^-1`` and weights ``w = d``.

    ``sum_x w_x |phi(x) - c(x)|^2``, where c(x) is the weighted mean of the cluster that holds x. It equals
    ``tr(D^-1 A) - k + kNC + shift (n - k)`` with k the number of clusters that hold a node, n the number of nodes in
    them, and kNC the sum of the conductances (all of the graph with its self-loops).

    Parameters
    ----------
    graph, labels, n_jobs
        See :func:`cut_and_volume`. Nodes of label -1 or degree 0 have no part in the cost (edges to nodes of label -1
        count in degrees).
    self_loop : float, default 0
        Weight of a loop added to every node that has an edge, in A and in D, as a multiple of the graph's mean weight.
        It is implicit: nothing is copied.
    shift : float, default 0
        Multiple of ``D^-1`` added to the kernel. From 1 on the kernel is positive semi-definite; with less, squared
        distances and the cost can be negative.

    Returns
    -------
    float

    Raises
    ------
    InputError
        If labels, self_loop or shift cannot be used.

    References
    ----------
    Dhillon, Guan, Kulis, "Kernel k-means, spectral clustering and normalized cuts", KDD 2004, section 3.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> labels = [0, 0, 0, 1, 1, 1]
    >>> round(graphcore.metrics.kernel_kmeans_cost(graph, labels, shift=1.0), 4)
    2.2857
    >>> round(0 - 2 + 2 * graphcore.metrics.normalized_cut(graph, labels) + 1.0 * (6 - 2), 4)
    2.2857
    """
    return centres_of(graph, labels, self_loop=self_loop, shift=shift, n_jobs=n_jobs).cost


def centres_of(graph, labels, *, self_loop, shift, n_jobs):
    """Compute masses, norms and cost of the centroids of a partition."""
    self_loop = check_real("self_loop", self_loop, low=0.0)
    shift = check_real("shift", shift, low=0.0)
    graph, labels, n_clusters = placed_labels(graph, labels, None)
    kernel = GraphKernel(graph, self_loop)
    sums = cluster_sums(kernel.graph.rows, labels, n_clusters, n_jobs)
    masses = sums.volume + kernel.self_loop * sums.size
    filled = sums.size > 0
    inside = np.divide(sums.internal + kernel.self_loop * sums.size, masses, out=np.zeros(n_clusters), where=filled)
    norms = np.divide(inside + shift, masses, out=np.full(n_clusters, np.inf), where=filled)
    placed = labels >= 0
    trace = float((kernel.diagonal * kernel.degrees)[placed].sum()) + shift * int(sums.size.sum())
    cost = trace - float(inside.sum()) - shift * int(filled.sum())
    cut = float(np.divide(sums.cut, masses, out=np.zeros(n_clusters), where=filled).sum())
    return Centres(kernel, labels, shift, masses, norms, cost, cut)


@dataclass(frozen=True)
class CoresetCost:
    """Cost of a partition on the whole graph, and its estimate from a coreset.

    Attributes
    ----------
    cost, cost_estimate : float
        Weighted kernel k-means cost, true and estimated.
    cut, cut_estimate : float
        Sum of the conductances (kNC), true and estimated.
    cost_error, cut_error : float
        Relative errors of the estimates, with their signs.
    """

    cost: float
    cost_estimate: float
    cut: float
    cut_estimate: float

    @property
    def cost_error(self) -> float:
        """Relative error of the cost, with its sign."""
        return _relative(self.cost_estimate, self.cost)

    @property
    def cut_error(self) -> float:
        """Relative error of the sum of the conductances, with its sign."""
        return _relative(self.cut_estimate, self.cut)


def coreset_cost(
    graph: AnyGraph, coreset: Coreset, labels: ArrayLike, *, centres: str = "own", n_jobs: int | None = None
) -> CoresetCost:
    """Estimate the cost of a partition from a coreset, and compare with the true cost.

    Centres are the centroids of the partition of the whole graph, as in the definition of a coreset. With S the
    coreset, w_S its weights, w the degrees (of the graph with its loops), k the number of clusters that hold a node,
    K_xx a node's own kernel value, Delta(x) the squared distance of x to the centre that it is charged for, and
    Delta_own(x) to that of its own cluster:

    - ``cost = sum_x w(x) Delta(x)`` and ``cost_estimate = sum_{x in S} w_S(x) Delta(x)``,
    - ``cut = kNC`` and ``cut_estimate = sum_{x in S} w_S(x) (Delta_own(x) - K_xx) + k (1 + shift)``.

    ``sum w K_xx`` is the same for all partitions and often nearly all of the cost: so the error of the cut says more.

    Parameters
    ----------
    graph, n_jobs
        See :func:`kernel_kmeans_cost`, of the coreset's `self_loop` and `shift`. Distances are not clipped at 0.
    coreset : Coreset
        Of nodes of the graph, as :func:`graphcore.build_coreset` and :func:`graphcore.merge_coresets` return. With that
        of a part, nodes outside of it have label -1.
    labels : array-like of shape (n_nodes,), integer
        A partition of the graph, clusters from 0; nodes of label -1 or degree 0 have no part in either sum.
    centres : {"own", "nearest"}, default "own"
        Centre to which each point is assigned, in both sums.

    Returns
    -------
    CoresetCost

    Raises
    ------
    InputError, ParameterError
        If the labels cannot be used, or the coreset is not one of this graph.

    Examples
    --------
    >>> import graphcore
    >>> graph, blocks = graphcore.datasets.planted_partition(3, 100, 0.2, 0.01, random_state=0)
    >>> coreset = graphcore.build_coreset(graph, 3, size=100, random_state=0)
    >>> result = graphcore.metrics.coreset_cost(graph, coreset, blocks)
    >>> round(result.cost, 2), round(result.cost_estimate, 2)
    (11.31, 11.98)

    References
    ----------
    Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering"; Jiang, Krauthgamer, Lou, Zhang, "Coresets for
    Kernel Clustering", definition of an eps-coreset.
    """
    graph, labels, _ = placed_labels(graph, labels, None)
    check_choice("centres", centres, ("own", "nearest"))
    kernel, drawn = coreset.in_graph(graph)
    if coreset.nodes is not None:
        labels = np.where(np.isin(np.arange(graph.n_nodes), coreset.nodes), labels, -1)
    nodes, weights, shift = drawn.indices, drawn.weights, kernel.shift
    found = centres_of(graph, labels, self_loop=kernel.multiple, shift=shift, n_jobs=n_jobs)
    own, charged = _distances(found, centres, n_jobs)
    placed = found.labels[nodes] >= 0
    diagonal = found.kernel.diagonal[nodes] + shift / np.where(placed, found.kernel.degrees[nodes], 1.0)
    n_filled = int(np.count_nonzero(found.masses > 0))
    cut_estimate = float((weights * (own[nodes] - diagonal))[placed].sum()) + n_filled * (1.0 + shift)
    cost = found.cost if centres == "own" else float((found.kernel.point_weights * charged).sum())
    return CoresetCost(cost, float((weights * charged[nodes]).sum()), found.cut, cut_estimate)


def _distances(found, centres, n_jobs):
    """Compute squared distances of all nodes to their own and to their charged centres; 0 without a cluster."""
    kernel, labels, masses, norms = found.kernel, np.array(found.labels), found.masses, found.norms
    products = kernel.cluster_products(labels, kernel.point_weights, len(masses), n_jobs)
    placed, divisors = np.flatnonzero(labels >= 0), np.where(masses > 0, masses, np.inf)
    mine, bonus = labels[placed], 2.0 * found.shift / divisors  # a node's own shift lies in its own cluster
    squares = kernel.diagonal[placed] + found.shift / kernel.degrees[placed]
    own, nearest = np.zeros(len(labels)), np.zeros(len(labels))
    own[placed] = squares + norms[mine] - 2.0 * products.own[placed] / divisors[mine] - bonus[mine]
    if centres == "own":
        return own, own
    nearest[placed] = squares + products.nearest(norms, divisors, bonus)[1][placed]
    return own, nearest


def _relative(estimate, truth):
    """Compute (estimate - truth) / |truth|; 0 where both are 0 and infinite where only the truth is."""
    difference = np.float64(estimate - truth)
    with np.errstate(divide="ignore"):
        return float(difference / abs(truth)) if difference else 0.0
