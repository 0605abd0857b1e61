"""Small data for examples: a social network and digits, as networkx and scikit-learn ship them, and two lines."""

import numpy as np

from ..base.lazy import import_whole
from ..base.streams import Streams
from ..base.types import RandomState
from ..base.validation import check_integer, check_real
from ..graphs.graph import Graph
from .planted import LabeledGraph, LabeledVectors


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
    digits = import_whole("sklearn.datasets").load_digits()
    return LabeledVectors(digits.data.astype(np.float32), digits.target.astype(np.int32))


def crossing_lines(
    n_samples: int, *, angle: float = 60.0, noise: float = 0.01, random_state: RandomState = None,
) -> LabeledVectors:  # fmt: skip
    """Draw points near two segments of length 2 that cross in their middles.

    Parameters
    ----------
    n_samples : int
        At least 2.
    angle : float, default 60
        Degrees between the segments.
    noise : float, default 0.01
        Standard deviation of Gaussian noise on both coordinates.
    random_state : int, numpy Generator, RandomState or None, default None

    Returns
    -------
    LabeledVectors
        Rows in random order, and the segment of each.

    Examples
    --------
    >>> import graphcore
    >>> graphcore.datasets.crossing_lines(100, random_state=0).data.shape
    (100, 2)
    """
    n_samples = check_integer("n_samples", n_samples, low=2)
    turn, noise = np.deg2rad(check_real("angle", angle)), check_real("noise", noise, low=0)
    rng = Streams(random_state).generator("crossing lines")
    labels = rng.permutation(np.arange(n_samples, dtype=np.int32) % 2)
    directions = np.array([[1.0, 0.0], [np.cos(turn), np.sin(turn)]])
    points = rng.uniform(-1, 1, (n_samples, 1)) * directions[labels]
    return LabeledVectors(points + noise * rng.normal(size=points.shape), labels)
