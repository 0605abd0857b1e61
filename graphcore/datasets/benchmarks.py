"""LFR benchmark graphs, through networkx."""

import numpy as np

from ..base.streams import Streams
from ..base.types import RandomState
from ..base.validation import check_integer, check_real
from ..exceptions import InputError, ParameterError
from ..graphs.graph import Graph
from .results import LabeledGraph

_ATTEMPTS = 10


def lfr(
    n_nodes: int, *, mixing: float = 0.1, degree_exponent: float = 3.0, community_exponent: float = 1.5,
    average_degree: float = 10.0, max_degree: int | None = None, min_community: int | None = None,
    max_community: int | None = None, random_state: RandomState = None,
) -> LabeledGraph:  # fmt: skip
    """Draw a graph from the benchmark of Lancichinetti, Fortunato and Radicchi: degrees and clusters by power laws.

    Parameters
    ----------
    n_nodes : int
        10,000 take a second or two.
    mixing : float, default 0.1
        Share of every node's edges that leave its cluster, 0 to 1.
    degree_exponent, community_exponent : float, default 3.0, 1.5
        Exponents of the power laws of degrees and of cluster sizes; more than 1.
    average_degree : float, default 10.0
    max_degree, min_community, max_community : int, optional
        Limits of the power laws; by default 50, 20 and 100, and for less than 200 nodes a half, a quarter and a half of
        them.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    LabeledGraph
        The graph, unweighted and without self-loops, and the cluster of every node (int32), numbered in the order of
        each cluster's first node.

    Raises
    ------
    InputError
        If the construction, which is a search, fails ten times over.
    ParameterError
        If a parameter is out of its range.

    References
    ----------
    Lancichinetti, Fortunato, Radicchi, "Benchmark graphs for testing community detection algorithms", Physical Review E
    78 (2008).

    Examples
    --------
    >>> import graphcore
    >>> graph, labels = graphcore.datasets.lfr(250, random_state=0)
    >>> graph.n_nodes, len(labels)
    (250, 250)
    """
    import networkx as nx

    n_nodes = check_integer("n_nodes", n_nodes, low=4)
    limits = {
        "max_degree": (max_degree, min(50, (n_nodes - 1) // 2)),
        "min_community": (min_community, min(20, n_nodes // 4)),
        "max_community": (max_community, min(100, n_nodes // 2)),
    }
    parameters = {
        "tau1": check_real("degree_exponent", degree_exponent, low=1, open_low=True),
        "tau2": check_real("community_exponent", community_exponent, low=1, open_low=True),
        "mu": check_real("mixing", mixing, low=0, high=1),
        "average_degree": check_real("average_degree", average_degree, low=0, open_low=True),
    } | {
        name: usual if given is None else check_integer(name, given, low=1, high=n_nodes)
        for name, (given, usual) in limits.items()
    }
    _check_possible(n_nodes, **parameters)
    streams = Streams(random_state).child("lfr")
    for attempt in range(_ATTEMPTS):
        try:
            seed = streams.child("attempt", attempt).integer("seed")
            return _labeled(nx.LFR_benchmark_graph(n_nodes, **parameters, seed=seed))
        except nx.ExceededMaxIterations as error:
            failure = error
    raise InputError(
        f"no LFR graph was found in {_ATTEMPTS} attempts ({failure}); raise min_community, or lower mixing or "
        "average_degree"
    )


def _check_possible(n_nodes, mu, average_degree, max_degree, min_community, max_community, **_):
    """Refuse what networkx would search for without end."""
    if average_degree > max_degree:
        raise ParameterError(f"average_degree={average_degree:g} is more than max_degree={max_degree}")
    if min_community > max_community:
        raise ParameterError(f"min_community={min_community} is more than max_community={max_community}")
    # A node of the largest degree in the largest cluster must find that many neighbours outside.
    if mu > 0 and mu * max_degree + 0.5 > n_nodes - max_community:
        raise ParameterError(
            f"max_degree={max_degree} and mixing={mu:g} need {mu * max_degree:.0f} neighbours outside a cluster of up "
            f"to max_community={max_community}, but n_nodes is {n_nodes}; lower one of the three"
        )


def _labeled(found):
    found.remove_edges_from([(node, node) for node in found if found.has_edge(node, node)])
    labels = np.full(len(found), -1, dtype=np.int32)
    n_clusters = 0
    for node, community in found.nodes(data="community"):
        if labels[node] < 0:
            labels[list(community)] = n_clusters
            n_clusters += 1
    return LabeledGraph(Graph.from_networkx(found, weight=None), labels)
