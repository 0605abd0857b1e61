"""The R-MAT model."""

import numpy as np

from .._random import Streams
from .._threads import map_blocks
from .._typing import RandomState
from .._validation import check_integer, check_real
from ..exceptions import InputError, ParameterError
from ..graphs.graph import Graph
from ..graphs.rows import rows_from_pairs
from ..graphs.weights import NO_WEIGHTS
from . import _loops

# Edges drawn from one stream: fixed, so that the graph does not depend on the number of threads.
_BLOCK_EDGES = 1 << 20


def rmat(
    scale: int, n_edges: int, *, a: float = 0.57, b: float = 0.19, c: float = 0.19, d: float = 0.05,
    random_state: RandomState = None, drop_isolated: bool = True, n_jobs: int | None = None,
) -> Graph:  # fmt: skip
    """Draw a graph from the R-MAT model: few nodes of very high degree, many of low degree, no planted clusters.

    Every edge falls into one of the quadrants of the adjacency matrix, then into one of that quadrant's quadrants,
    and so on `scale` times. Its direction is then forgotten.

    Parameters
    ----------
    scale : int
        Binary logarithm of the number of nodes, 1 to 30.
    n_edges : int
        Edges to draw. Those that hit a pair again, and self-loops, are dropped: the graph has somewhat fewer.
    a, b, c, d : float, default 0.57, 0.19, 0.19, 0.05
        Probabilities of the upper left, upper right, lower left and lower right quadrant; their sum is 1. The default
        is the Graph 500 benchmark's. There is no noise: the probabilities are the same at every level.
    random_state : int, numpy Generator, RandomState or None, default None
    drop_isolated : bool, default True
        Whether to leave out nodes without an edge (about half of them); the others are numbered anew, in order.
    n_jobs : int or None, default None
        Threads; the graph does not depend on it.

    Returns
    -------
    Graph
        Unweighted, without self-loops. Nodes of high degree come first.

    Raises
    ------
    InputError
        If no edge is left.
    ParameterError
        If a parameter is out of its range.

    References
    ----------
    Chakrabarti, Zhan, Faloutsos, "R-MAT: a recursive model for graph mining", SIAM Data Mining 2004.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.datasets.rmat(10, 8000, random_state=0, drop_isolated=False)
    >>> graph.n_nodes, graph.n_edges < 8000
    (1024, True)
    """
    scale = check_integer("scale", scale, low=1, high=30)
    n_edges = check_integer("n_edges", n_edges, low=1)
    quadrants = np.cumsum([check_real(name, p, low=0) for name, p in zip("abcd", (a, b, c, d), strict=True)])
    if abs(quadrants[-1] - 1) > 1e-9:
        raise ParameterError(f"a + b + c + d must be 1, got {quadrants[-1]}")
    streams = Streams(random_state).child("rmat")
    ends = np.empty((n_edges, 2), dtype=np.int32)

    def draw(start, stop):
        generator = streams.generator("edges", start // _BLOCK_EDGES)
        _loops.rmat_ends(generator, scale, *quadrants[:3], start, stop, ends)

    map_blocks(draw, np.append(np.arange(0, n_edges, _BLOCK_EDGES), n_edges), n_jobs)
    kept = _loops.drop_self_loops(ends)
    if kept == 0:
        raise InputError(f"all {n_edges} edges drawn were self-loops; draw more edges, or raise b and c")
    rows, *_ = rows_from_pairs(ends[:kept], NO_WEIGHTS, 1 << scale, "max")
    indptr, indices = rows.indptr, rows.indices
    if drop_isolated:
        present = np.diff(indptr) > 0
        _loops.renumber(np.cumsum(present, dtype=np.int32) - np.int32(1), indices)
        indptr = indptr[np.append(True, present)]
    return Graph(indptr, indices, check=False)
