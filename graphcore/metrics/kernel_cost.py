"""The weighted kernel k-means cost of a partition of a graph, and its estimate from a coreset."""

from dataclasses import dataclass

import numpy as np

from ..base.types import AnyGraph, ArrayLike
from ..base.validation import check_choice, check_real
from ..cluster.coreset import Coreset
from ..kernels.graph import GraphKernel
from .quality import placed_labels


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
    loops = check_real("self_loop", self_loop, low=0.0), check_real("shift", shift, low=0.0)
    graph, labels, n_clusters = placed_labels(graph, labels, None)
    kernel = GraphKernel(graph, *loops)
    return float(kernel.point_weights @ _centres_of(kernel, labels, n_clusters, n_jobs)[0])


def _centres_of(kernel, labels, n_clusters, n_jobs):
    """Compute squared distances of all nodes to their own centroids (0 without a cluster), norms and masses of these.

    Returns the Products, too. Empty clusters have mass 0 and infinite norm.
    """
    weights, labels = kernel.point_weights, np.array(labels)  # writable, as those of kernel k-means
    products = kernel.cluster_products(labels, weights, n_clusters, n_jobs)
    placed = np.flatnonzero(labels >= 0)
    mine, inner = labels[placed], products.own[placed]
    masses = np.bincount(mine, weights[placed], n_clusters)
    within = np.bincount(mine, weights[placed] * inner, n_clusters)
    norms = np.divide(within, masses**2, out=np.full(n_clusters, np.inf), where=masses > 0)
    own = np.zeros(len(labels))
    own[placed] = kernel.diagonal[placed] + norms[mine] - 2.0 * inner / masses[mine]
    return own, norms, masses, products


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
        of a part, labels of other nodes count as -1: centres are those of the part, edges that leave it are cut, and
        sums of parts do not add up to those of the graph.
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
    graph, labels, n_clusters = placed_labels(graph, labels, None)
    check_choice("centres", centres, ("own", "nearest"))
    kernel, drawn = coreset.in_graph(graph)
    if coreset.nodes is not None:
        labels = np.where(np.isin(np.arange(graph.n_nodes), coreset.nodes), labels, -1)
    nodes, weights, shift = drawn.indices, drawn.weights, kernel.shift
    own, norms, masses, products = _centres_of(kernel, labels, n_clusters, n_jobs)
    charged, placed, filled = own, labels >= 0, masses > 0
    if centres == "nearest":
        values = products.nearest(norms, np.where(filled, masses, np.inf), np.zeros(n_clusters))[1]
        charged = np.where(placed, kernel.diagonal + values, 0.0)
    cuts = 1.0 + shift - norms[filled] * masses[filled]  # conductances
    cut_estimate = (weights * (own - kernel.diagonal)[nodes])[placed[nodes]].sum() + len(cuts) * (1.0 + shift)
    cost, cost_estimate = kernel.point_weights @ charged, weights @ charged[nodes]
    return CoresetCost(float(cost), float(cost_estimate), float(cuts.sum()), float(cut_estimate))


def _relative(estimate, truth):
    """Compute (estimate - truth) / |truth|; 0 where both are 0 and infinite where only the truth is."""
    difference = np.float64(estimate - truth)
    with np.errstate(divide="ignore"):
        return float(difference / abs(truth)) if difference else 0.0
