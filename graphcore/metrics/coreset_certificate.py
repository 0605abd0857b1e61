"""Bounds of a cost from the draws of a coreset alone, with their confidence."""

import math
from typing import NamedTuple

import numpy as np

from ..base.types import AnyGraph, ArrayLike
from ..base.validation import check_real
from ..cluster.coreset import (
    Coreset,
    bernstein_eps,
    check_definite,
    importance_probabilities,
    largest_ratio,
    least_cost,
    sensitivities,
)
from ..exceptions import InputError, ParameterError
from ..kernel_methods.kmeans.centroids import Centroids, nearest_centroid
from ..kernels.columns import matrix_columns
from ..kernels.graph import GraphKernel
from .cut import placed_labels


class CoresetCertificate(NamedTuple):
    """Statements on a coreset, each of which holds with the confidence given.

    Attributes
    ----------
    estimate : float
        Cost of the centres, estimated from the coreset, with every node assigned to the nearest one.
    lower, upper : float
        Bounds of their cost on all nodes.
    eps : float
        Bound on the relative error of the estimated cost, for any centres of this number. Infinite if there is no
        bound; not useful from 1 on.
    confidence : float
    """

    estimate: float
    lower: float
    upper: float
    eps: float
    confidence: float


def coreset_certificate(
    graph: AnyGraph, coreset: Coreset, labels: ArrayLike, *, self_loop: float = 1.0, shift: float = 0.0,
    confidence: float = 0.95, n_jobs: int | None = None,
) -> CoresetCertificate:  # fmt: skip
    """Bound the kernel k-means cost of centres on a whole graph, from the draws of a coreset.

    Centres are the centroids of labelled nodes, weighted by degree. Only the rows of these, of the coreset nodes and of
    its seeds are read: label few nodes, -1 for all others, where the graph is huge. The statements are for centres that
    do not depend on the draws. To certify labels that were found with a coreset, draw another one.

    Parameters
    ----------
    graph : Graph, sparse matrix or networkx graph
    coreset : Coreset
        Of :func:`graphcore.build_coreset` with ``method="importance"`` and a size, or with ``guarantee=True``.
    labels : array-like of shape (n_nodes,), integer
        Clusters from 0 whose centroids are the centres; -1 for nodes without a part in them.
    self_loop, shift : float, default 1.0 and 0.0
        The values with which the coreset was drawn. The kernel has to be positive semi-definite: with ``shift=1`` it
        always is.
    confidence : float, default 0.95
        Probability with which each statement holds, over the draws.
    n_jobs : int, optional

    Returns
    -------
    CoresetCertificate
        Costs have no unit.

    Raises
    ------
    ParameterError
        If the kernel may be indefinite, or the confidence is not between 0 and 1.
    InputError
        If the coreset was drawn otherwise or from another graph, or labels cannot be used.

    Notes
    -----
    A draw of node x estimates the cost by ``Y = w_x Delta(x, C) / p_x``. With the nearest seed b, ``Delta(x, C)`` is at
    most ``2 Delta(x, b) + 2 Delta(b, C)``, so that a bound M of Y is known for all nodes. By the empirical Bernstein
    inequality the mean of N draws of variance V is off by at most ``sqrt(2 V L / N) + 7 M L / (3 (N - 1))``, with
    ``L = log(4 / (1 - confidence))``. `lower` is never below the trace of ``D K`` less ``k (1 + shift)``, which no
    centres undercut. `eps` is by Bernstein's inequality from the bounds behind ``guarantee=True``.

    References
    ----------
    Maurer, Pontil, "Empirical Bernstein bounds and sample variance penalization", COLT 2009, Theorem 4; Bachem, Lucic,
    Krause, "Practical coreset constructions for machine learning", 2017, Lemma 2.

    Examples
    --------
    >>> import graphcore
    >>> graph, blocks = graphcore.datasets.planted_partition(2, 500, 0.1, 0.01, random_state=0)
    >>> coreset = graphcore.build_coreset(graph, 2, size=900, method="importance", shift=1.0, random_state=0)
    >>> found = graphcore.metrics.coreset_certificate(graph, coreset, blocks, shift=1.0)
    >>> true = graphcore.metrics.kernel_kmeans_cost(graph, blocks, self_loop=1.0, shift=1.0)
    >>> found.lower < true < found.upper
    True
    """
    confidence = check_real("confidence", confidence, low=0.0, open_low=True, high=1.0)
    if confidence == 1.0:
        raise ParameterError("confidence=1.0 must be less than 1; only the cost on all nodes is certain")
    graph, labels, n_clusters = placed_labels(graph, labels, None)
    if not n_clusters:
        raise InputError("labels are -1 for all nodes with an edge: there is no centre; label some nodes from 0")
    kernel = GraphKernel(graph, check_real("self_loop", self_loop, low=0.0), check_real("shift", shift, low=0.0))
    check_definite(kernel, "coreset_certificate")
    p, times = _draws(kernel, coreset)
    weights, seeds, nodes, size = kernel.point_weights, coreset.seeds, coreset.indices, coreset.n_draws
    centres = _centroids(kernel, labels, n_clusters, n_jobs)
    n_centres = int(np.count_nonzero(centres.masses))

    paid = weights[nodes] * _to_nearest(kernel, nodes, centres, n_jobs) / p[nodes]
    beyond = weights * _to_nearest(kernel, seeds.indices, centres, n_jobs)[np.maximum(seeds.nearest, 0)]
    most = largest_ratio(2.0 * (seeds.contributions + beyond), p)
    estimate = float(times @ paid) / size
    variance = float(times @ np.square(paid - estimate)) / max(size - 1, 1)
    log = math.log(4.0 / (1.0 - confidence))
    off = math.sqrt(2.0 * variance * log / size) + 7.0 * most * log / (3.0 * max(size - 1, 1))
    least = least_cost(kernel, n_centres)
    ratio = largest_ratio(sensitivities(weights, seeds, least), p)
    eps = bernstein_eps(ratio, size, 1.0 - confidence) if np.isfinite(ratio) else np.inf
    return CoresetCertificate(estimate, max(estimate - off, least, 0.0), estimate + off, eps, confidence)


def _draws(kernel, coreset):
    """Return probabilities of all nodes (n_nodes,), and how often each coreset node was drawn (n_coreset,)."""
    weights, nodes = kernel.point_weights, coreset.indices
    if coreset.seeds is not None and len(coreset.seeds.contributions) == len(weights):
        given = np.ldexp(coreset.weights, -kernel.graph.exponent) * coreset.n_draws
        for cells in (True, False):
            p = importance_probabilities(weights, coreset.seeds, cells=cells)
            times = given * p[nodes] / weights[nodes]
            if np.allclose(times, np.round(times), rtol=1e-6, atol=1e-6) and round(times.sum()) == coreset.n_draws:
                return p, np.round(times)
    raise InputError(
        "the coreset holds no independent draws by importance from this graph with this self_loop and shift; make it "
        "by build_coreset(method='importance') with a size, or with guarantee=True"
    )


def _centroids(kernel, labels, n_clusters, n_jobs):
    """Return the Centroids of labelled nodes, by degree."""
    weights, placed = kernel.point_weights, labels >= 0
    own = kernel.cluster_products(labels, weights, n_clusters, n_jobs).own
    masses = np.bincount(labels[placed], weights=weights[placed], minlength=n_clusters)
    within = np.bincount(labels[placed], weights=(weights * own)[placed], minlength=n_clusters)
    norms = np.divide(within, masses**2, out=np.full(n_clusters, np.inf), where=masses > 0)
    return Centroids(labels, weights, masses, norms)


def _to_nearest(kernel, nodes, centres, n_jobs):
    """Return squared distances of nodes to the nearest centre."""
    columns = matrix_columns(kernel.sparse_rows(nodes), np.dtype(np.float64))
    return np.maximum(kernel.diagonal[nodes] + nearest_centroid(columns, centres, n_jobs)[1], 0.0)
