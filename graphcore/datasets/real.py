"""Small real data that networkx and scikit-learn ship."""

import numpy as np

from ..graphs.graph import Graph
from .results import LabeledGraph, LabeledVectors


def load_karate(*, weighted: bool = False) -> LabeledGraph:
    """Load Zachary's karate club: who met whom outside the club, before it fell into two.

    Parameters
    ----------
    weighted : bool, default False
        Whether edges carry the number of settings in which two members met.

    Returns
    -------
    LabeledGraph
        34 nodes, 78 edges; node i is Zachary's member i + 1. Cluster 0 followed the instructor (node 0), cluster 1 the
        officers (node 33).

    References
    ----------
    Zachary, "An information flow model for conflict and fission in small groups", Journal of Anthropological Research
    33 (1977); as in networkx.

    Examples
    --------
    >>> import graphcore
    >>> graph, labels = graphcore.datasets.load_karate()
    >>> graph.n_nodes, graph.n_edges, labels[[0, 33]].tolist()
    (34, 78, [0, 1])
    """
    import networkx as nx

    club = nx.karate_club_graph()
    labels = np.array([side != "Mr. Hi" for _, side in club.nodes(data="club")], dtype=np.int32)
    return LabeledGraph(Graph.from_networkx(club, weight="weight" if weighted else None), labels)


def load_digits() -> LabeledVectors:
    """Load 1,797 handwritten digits as images of 8 x 8 pixels.

    Returns
    -------
    LabeledVectors
        data of shape (1797, 64), float32, whole numbers from 0 to 16; labels are the digits.

    References
    ----------
    Alpaydin, Kaynak, "Optical recognition of handwritten digits", UCI Machine Learning Repository (1998); the test
    part of it, as in scikit-learn.

    Examples
    --------
    >>> import graphcore
    >>> data, labels = graphcore.datasets.load_digits()
    >>> data.shape, labels[:4].tolist()
    ((1797, 64), [0, 1, 2, 3])
    """
    from sklearn.datasets import load_digits as load

    digits = load()
    return LabeledVectors(digits.data.astype(np.float32), digits.target.astype(np.int32))
