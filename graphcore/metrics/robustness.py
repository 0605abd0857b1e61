"""Robustness of clusters: recovery when the edges of the graph are resampled."""

import warnings
from dataclasses import dataclass, field

import numpy as np

from ..base.progress import note
from ..base.streams import Streams
from ..base.threads import effective_jobs, map_items
from ..base.types import AnyGraph, ArrayLike, Callable, Floats, Floats32, RandomState
from ..base.validation import check_integer, check_labels
from ..cluster.evidence import stability
from ..cluster.refine.problem import is_huge
from ..exceptions import GraphWarning, InputError, ParameterError
from ..graphs.derived import resample_edges
from ..graphs.graph import Graph
from ..graphs.weights import in_range
from .cut import placed_labels

# Hennig's: clusters of a mean Jaccard index from the first on are stable, those up to the second are dissolved.
ROBUST, DISSOLVED = 0.75, 0.5


@dataclass(frozen=True, eq=False)
class Robustness:
    """Recovery of clusters when the edges of their graph are resampled.

    Attributes
    ----------
    ari : ndarray of shape (n_refits,), float64
        Adjusted Rand index of the labels and those of each refit.
    clusters : ndarray of shape (n_clusters,), float64
        Mean Jaccard index of each cluster and its counterparts: 0.75 and more is a cluster that the data support, 0.5
        and less one that is dissolved.
    nodes : ndarray of shape (n_nodes,), float32
        Share of the refits in which a node is in the counterpart of its cluster; NaN where no draw left it an edge.
    """

    ari: Floats
    clusters: Floats = field(repr=False)
    nodes: Floats32 = field(repr=False)

    def figures(self):
        """Return mean and spread of the index, and the mean Jaccard indices, ready for JSON."""
        return {"ari": float(self.ari.mean()), "ari_spread": float(self.ari.std()), "clusters": self.clusters.tolist()}


def robustness(
    graph: AnyGraph, labels: ArrayLike, refit: Callable[[Graph, int], ArrayLike], *, n_clusters: int | None = None,
    n_refits: int = 10, random_state: RandomState = 0, n_jobs: int | None = None,
) -> Robustness:  # fmt: skip
    """Cluster graphs of resampled edges, and compare with the labels of the graph: a bootstrap.

    In each draw the weight of every edge is multiplied by a Poisson variable with mean 1, so that 37 % of the edges are
    missing. Nodes without an edge in a draw are left out of it. Clusters of a refit are matched one to one to those
    given, so that as many nodes as possible agree.

    Parameters
    ----------
    graph, labels, n_clusters
        See :func:`cut_and_volume`.
    refit : callable
        ``refit(graph, seed)`` returns labels of a graph of the same nodes, by the method that made `labels`. It is
        called in `n_jobs` threads.
    n_refits : int, default 10
    random_state : int, Generator, RandomState or None, default 0
    n_jobs : int, optional
        Number of refits at the same time; each holds up to 20 bytes for every entry of the graph. Results do not depend
        on it.

    Returns
    -------
    Robustness

    Raises
    ------
    InputError
        If the labels do not fit the graph, or it is one of more than 2^28 entries, which is not to be copied.

    References
    ----------
    Hennig, "Cluster-wise assessment of cluster stability", Computational Statistics & Data Analysis 52, 2007: the mean
    Jaccard index, and its thresholds. Rosvall and Bergstrom, "Mapping change in large networks", PLoS ONE 5, 2010:
    Poisson numbers for links.

    Examples
    --------
    >>> import graphcore
    >>> graph, truth = graphcore.datasets.planted_partition(3, 50, 0.3, 0.01, random_state=0)
    >>> def refit(graph, seed):
    ...     return graphcore.CoresetSpectralClustering(3, effort="fast", random_state=seed).fit(graph).labels_
    >>> found = graphcore.metrics.robustness(graph, truth, refit, n_refits=3)
    >>> found.ari.shape, bool((found.clusters > 0.75).all())
    ((3,), True)
    """
    from sklearn.metrics import adjusted_rand_score

    graph, labels, k = placed_labels(graph, labels, n_clusters)
    n_refits = check_integer("n_refits", n_refits, low=1)
    if not callable(refit):
        raise ParameterError(f"refit={refit!r} must be a function of a graph and a seed that returns labels")
    if is_huge(graph.n_entries):
        raise InputError(
            f"robustness copies the graph for each refit, and this one has {graph.n_entries} entries, more than 2^28: "
            "ask for the robustness of a subgraph"
        )
    graph, streams = in_range(graph), Streams(random_state)

    def compared(i):
        stream = streams.child("robustness", i)
        drawn = resample_edges(graph, stream.integer("edges"))
        other = np.full(graph.n_nodes, -1, dtype=np.int32)
        if drawn.n_entries:
            found = check_labels("labels of a refit", refit(drawn, stream.integer("refit")), graph.n_nodes)
            other[drawn.degrees > 0] = found[drawn.degrees > 0]
        there = (labels >= 0) & (drawn.degrees > 0)
        nodes, clusters = stability(np.where(there, labels, np.int32(-1)), [other], max(k, int(other.max()) + 1))
        ari = float(adjusted_rand_score(labels[there], other[there])) if there.any() else 0.0
        return ari, clusters[:k], nodes, there

    clusters, aris = np.zeros(k), []
    agreed, counted = np.zeros(graph.n_nodes, dtype=np.float32), np.zeros(graph.n_nodes, dtype=np.float32)
    at_once = effective_jobs(n_jobs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)  # of nodes that a draw isolates
        for first in range(0, n_refits, at_once):
            note(f"robustness: refit {first + 1} of {n_refits}")
            for ari, jaccard, nodes, there in map_items(compared, range(first, min(first + at_once, n_refits)), n_jobs):
                aris.append(ari)
                clusters += jaccard
                agreed += nodes
                counted += there
    shares = np.full(graph.n_nodes, np.nan, dtype=np.float32)
    np.divide(agreed, counted, out=shares, where=counted > 0)
    return Robustness(np.array(aris), clusters / n_refits, shares)
