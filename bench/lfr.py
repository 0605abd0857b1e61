"""Benchmark graphs of Lancichinetti, Fortunato and Radicchi (2008), whose degrees and clusters follow power laws."""

import networkx as nx
import numpy as np

from graphcore import Graph
from graphcore.base.streams import Streams
from graphcore.datasets import LabeledGraph

_ATTEMPTS = 10


def lfr(n_nodes, *, mixing, average_degree, random_state):
    """Draw a LabeledGraph without self-loops by networkx's search; clusters are ordered by first nodes."""
    streams = Streams(random_state).child("lfr")
    limits = {"average_degree": float(average_degree), "max_degree": 50, "min_community": 20, "max_community": 100}
    for attempt in range(_ATTEMPTS):
        try:
            seed = streams.child("attempt", attempt).integer("seed")
            found = nx.LFR_benchmark_graph(n_nodes, 3.0, 1.5, mixing, **limits, seed=seed)
            break
        except nx.ExceededMaxIterations as error:
            failure = error
    else:
        raise RuntimeError(f"no LFR graph was found in {_ATTEMPTS} attempts ({failure})")
    found.remove_edges_from(list(nx.selfloop_edges(found)))
    labels, n_clusters = np.full(n_nodes, -1, dtype=np.int32), 0
    for node, community in found.nodes(data="community"):
        if labels[node] < 0:
            labels[list(community)] = n_clusters
            n_clusters += 1
    return LabeledGraph(Graph.from_networkx(found, weight=None), labels)
