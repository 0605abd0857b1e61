"""How well a coreset stands for its graph: its estimates of the costs of partitions."""

from dataclasses import dataclass

import numpy as np

from .._arrays import read_only
from .._random import Streams
from .._threads import map_blocks
from .._typing import AnyGraph, ArrayLike, Floats, RandomState
from .._validation import check_choice, check_integer
from ..exceptions import InputError, ParameterError
from ..graphs.as_graph import as_graph
from . import _loops
from .cost import centres_of

_BLOCK_NODES = 1 << 14


@dataclass(frozen=True)
class CoresetCost:
    """Cost of a partition on the whole graph, and its estimate from a coreset.

    Attributes
    ----------
    cost, cost_estimate : float
        Weighted kernel k-means cost, true and estimated.
    cut, cut_estimate : float
        Sum of the conductances (kNC), true and estimated.
    """

    cost: float
    cost_estimate: float
    cut: float
    cut_estimate: float

    @property
    def cost_error(self) -> float:
        """Relative error of the cost, with its sign."""
        return float(_relative(self.cost_estimate, self.cost))

    @property
    def cut_error(self) -> float:
        """Relative error of the sum of the conductances, with its sign."""
        return float(_relative(self.cut_estimate, self.cut))


@dataclass(frozen=True, eq=False)
class CoresetDistortion:
    """Costs of several partitions, and their estimates from a coreset.

    Attributes
    ----------
    cost, cost_estimate, cut, cut_estimate : ndarray of shape (n_partitions,), float64
        As in :class:`CoresetCost`.
    """

    cost: np.ndarray
    cost_estimate: np.ndarray
    cut: np.ndarray
    cut_estimate: np.ndarray

    @property
    def cost_errors(self) -> Floats:
        """Relative error of each cost, with its sign; ndarray of shape (n_partitions,)."""
        return _relative(self.cost_estimate, self.cost)

    @property
    def cut_errors(self) -> Floats:
        """Relative error of each sum of conductances, with its sign; ndarray of shape (n_partitions,)."""
        return _relative(self.cut_estimate, self.cut)

    @property
    def max_cost_error(self) -> float:
        """Largest relative error of a cost without its sign: the eps that the coreset has on these partitions."""
        return float(np.abs(self.cost_errors).max())

    @property
    def max_cut_error(self) -> float:
        """Largest relative error of a sum of conductances, without its sign."""
        return float(np.abs(self.cut_errors).max())


def coreset_cost(
    graph: AnyGraph, coreset_indices: ArrayLike, coreset_weights: ArrayLike, labels: ArrayLike, *, centres: str = "own",
    self_loop: float = 0.0, shift: float = 0.0, n_jobs: int | None = None,
) -> CoresetCost:  # fmt: skip
    """Estimate the cost of a partition from a coreset, and compare with the true cost.

    The centres are the weighted centroids c_j of the partition of the whole graph (so only the sum over points is
    estimated, as in the definition of a coreset); S is the coreset, w_S its weights, w = d the degrees, k the number of
    clusters that hold a node:

    - ``cost = sum_x w(x) Delta(x)`` and ``cost_estimate = sum_{x in S} w_S(x) Delta(x)``,
    - ``Delta(x) = K_xx + |c|^2 - 2 <phi(x), c>`` for c the centre of x's own cluster (``centres="own"``) or the nearest
      one (``"nearest"``, then in both sums),
    - ``cut = kNC`` and ``cut_estimate = sum_{x in S} w_S(x) (Delta_own(x) - K_xx) + k (1 + shift)``.

    The last line is the identity ``cost = sum_x w(x) K_xx - k (1 + shift) + kNC`` with both sums over points taken on
    the coreset. The term ``sum w K_xx`` is the same for all partitions and often nearly all of the cost, which is why a
    small error of the cost says little and the error of the cut is reported too. Both estimates are unbiased where
    ``E[sum_S w_S f] = sum_x w f``. With `self_loop`, degrees and conductances are those of the graph with the loops.

    Parameters
    ----------
    graph : Graph, sparse matrix, square array or networkx graph
    coreset_indices : array-like of shape (n_coreset,), integer
        Nodes of the coreset; repeats count as often as they stand there.
    coreset_weights : array-like of shape (n_coreset,)
        Their weights, on the scale of degrees: over the coreset they add up to about the volume of the graph.
    labels : array-like of shape (n_nodes,), integer
        A partition of the graph, clusters from 0; nodes of label -1 or degree 0 have no part in either sum.
    centres : {"own", "nearest"}, default "own"
        Which centre a point is charged for.
    self_loop, shift : float, default 0
        Which kernel, see :func:`kernel_kmeans_cost`. Distances are not clipped at 0.
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    CoresetCost

    Raises
    ------
    InputError
        If labels, indices or weights cannot be used.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> result = graphcore.metrics.coreset_cost(graph, [0, 2, 3, 5], [4, 3, 3, 4], [0, 0, 0, 1, 1, 1], shift=1.0)
    >>> round(result.cost, 4), round(result.cost_estimate, 4)
    (2.2857, 2.2857)

    References
    ----------
    Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering"; Jiang, Krauthgamer, Lou, Zhang, "Coresets for
    Kernel Clustering", definition of an eps-coreset.
    """
    graph = as_graph(graph)
    check_choice("centres", centres, ("own", "nearest"))
    nodes, weights = _check_coreset(coreset_indices, coreset_weights, graph.n_nodes)
    found = centres_of(graph, labels, self_loop=self_loop, shift=shift, n_jobs=n_jobs)
    weights = np.ldexp(weights, -found.kernel.graph._exponent)
    own, nearest = _distances(found, nodes, n_jobs)
    placed = found.labels[nodes] >= 0
    diagonal = found.kernel.diagonal[nodes] + shift / np.where(placed, found.kernel.degrees[nodes], 1.0)
    n_filled = int(np.count_nonzero(found.masses > 0))
    cut_estimate = float((weights * (own - diagonal))[placed].sum()) + n_filled * (1.0 + shift)
    if centres == "own":
        return CoresetCost(found.cost, float((weights * own).sum()), found.cut, cut_estimate)
    everywhere = _distances(found, np.arange(graph.n_nodes), n_jobs)[1]
    cost = float((found.kernel.point_weights * everywhere).sum())
    return CoresetCost(cost, float((weights * nearest).sum()), found.cut, cut_estimate)


def coreset_distortion(
    graph: AnyGraph, coreset_indices: ArrayLike, coreset_weights: ArrayLike, partitions: ArrayLike | None = None, *,
    n_clusters: int | None = None, n_partitions: int = 10, centres: str = "own", self_loop: float = 0.0,
    shift: float = 0.0, random_state: RandomState = None, n_jobs: int | None = None,
) -> CoresetDistortion:  # fmt: skip
    """Errors of a coreset's estimates over several partitions; formulas in :func:`coreset_cost`.

    Parameters
    ----------
    graph, coreset_indices, coreset_weights, centres, self_loop, shift, n_jobs
        See :func:`coreset_cost`.
    partitions : array-like of shape (n_partitions, n_nodes), integer, optional
        The partitions. Default: `n_partitions` random ones, every node in one of `n_clusters` clusters, all equally
        likely. Random partitions cut nearly everything, so give partitions near a good one to see errors where they
        matter.
    n_clusters : int, optional
        Clusters of the random partitions; needed if `partitions` is not given.
    n_partitions : int, default 10
        Number of random partitions.
    random_state : int, Generator, RandomState or None
        For the random partitions.

    Returns
    -------
    CoresetDistortion

    Raises
    ------
    ParameterError
        If neither partitions nor n_clusters are given, or both.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> result = graphcore.metrics.coreset_distortion(graph, range(6), graph.degrees, n_clusters=2, random_state=0)
    >>> len(result.cost_errors), result.max_cut_error < 1e-12  # the whole graph is a perfect coreset
    (10, True)
    """
    graph = as_graph(graph)
    if (partitions is None) == (n_clusters is None):
        raise ParameterError("give either partitions= (labels) or n_clusters= (for random partitions), and not both")
    if partitions is None:
        k = check_integer("n_clusters", n_clusters, low=1)
        streams = Streams(random_state)
        count = check_integer("n_partitions", n_partitions, low=1)
        partitions = (streams.generator("partition", i).integers(k, size=graph.n_nodes) for i in range(count))
    results = [
        coreset_cost(
            graph, coreset_indices, coreset_weights, labels, centres=centres, self_loop=self_loop, shift=shift,
            n_jobs=n_jobs,
        )
        for labels in partitions
    ]  # fmt: skip
    if not results:
        raise InputError("there are no partitions to measure")
    columns = zip(*((r.cost, r.cost_estimate, r.cut, r.cut_estimate) for r in results), strict=True)
    return CoresetDistortion(*(np.array(column) for column in columns))


def _distances(found, nodes, n_jobs):
    """Squared distances of nodes to their own and to their nearest centre; 0 for nodes of no cluster."""
    nodes = read_only(nodes, np.int64)
    own, nearest = np.empty(len(nodes)), np.empty(len(nodes))
    kernel, k = found.kernel, len(found.masses)
    default = float(found.norms.min(initial=np.inf))
    borders = np.append(np.arange(0, max(len(nodes), 1), _BLOCK_NODES), len(nodes))

    def block(first, last):
        inner, stamps, touched = np.empty(k), np.full(k, -1), np.empty(k, dtype=np.int32)
        _loops.centre_distances(
            kernel.indptr, kernel.indices, kernel.values, found.labels, kernel.degrees, kernel.diagonal,
            kernel.self_loop, found.shift, found.masses, found.norms, nodes, first, last, default, inner, stamps,
            touched, own, nearest,
        )  # fmt: skip

    map_blocks(block, borders, n_jobs)
    # The kernel's own diagonal knows nothing of the shift.
    if found.shift:
        placed = found.labels[nodes] >= 0
        extra = found.shift / kernel.degrees[nodes[placed]]
        own[placed] += extra
        nearest[placed] += extra
    return own, nearest


def _check_coreset(indices, weights, n_nodes):
    indices, weights = np.asarray(indices), np.asarray(weights)
    if indices.ndim != 1 or (len(indices) and indices.dtype.kind not in "iu"):
        raise InputError(
            f"coreset_indices must be a one-dimensional array of integers, got {indices.dtype} of shape {indices.shape}"
        )
    if weights.shape != indices.shape or weights.dtype.kind not in "iuf":
        raise InputError(
            f"coreset_weights must be {len(indices)} numbers, got {weights.dtype} of shape {weights.shape}"
        )
    if len(indices) and (indices.min() < 0 or indices.max() >= n_nodes):
        raise InputError(f"coreset_indices must be nodes, 0 to {n_nodes - 1}")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise InputError("coreset_weights must be finite and not negative")
    return indices.astype(np.int64), weights.astype(np.float64)


def _relative(estimate, truth):
    """(estimate - truth) / |truth|; 0 where both are 0 and infinite where only the truth is."""
    estimate, truth = np.asarray(estimate), np.asarray(truth)
    difference = estimate - truth
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(difference == 0, 0.0, difference / np.abs(truth))
