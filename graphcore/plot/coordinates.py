"""Two spectral coordinates of coreset nodes."""

import numpy as np

from .._random import Streams
from ..exceptions import InputError
from ..graphs.convert import as_graph
from ..kernels.cut import CutKernel
from ..kernels.walk import WalkKernel

__all__ = ["coreset_coordinates"]


def coreset_coordinates(graph, indices, weights, *, walk_steps=4, most=2000, random_state=None, n_jobs=None):
    """Coordinates of coreset nodes from the second and third eigenvector of the coreset graph.

    Parameters
    ----------
    graph : Graph, sparse matrix or networkx graph
    indices : array-like of shape (n_coreset,), integer
        Nodes of the coreset, such as ``model.coreset_indices_``.
    weights : array-like of shape (n_coreset,)
        Their weights, such as ``model.coreset_weights_``.
    walk_steps : int, default 4
        Steps of the walk behind the kernel, 1 for the plain kernel; such as ``model.settings_.walk_steps``.
    most : int, default 2000
        Of a larger coreset, only so many nodes, drawn at random, are placed.
    random_state : int, Generator, RandomState or None
        For that draw, and for the eigenvectors' start.
    n_jobs : int, optional

    Returns
    -------
    chosen : ndarray of shape (n_placed,), int64
        Which of the coreset nodes are placed (positions in `indices`), ascending: those in the largest connected part
        of the coreset graph.
    points : ndarray of shape (n_placed, 2), float64
        Rows of the eigenvectors divided by the square root of the degree, as for normalised cut.

    Raises
    ------
    InputError
        If fewer than three coreset nodes are connected.

    Notes
    -----
    Nodes in other connected parts have no place in relation to these: an eigenvector would only tell the parts apart.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.datasets.load_karate().graph
    >>> coreset = graphcore.build_coreset(graph, 2, size=20, random_state=0)
    >>> chosen, points = graphcore.plot.coreset_coordinates(graph, coreset.indices, coreset.weights, random_state=0)
    >>> len(chosen), points.shape
    (20, (20, 2))
    """
    import scipy.sparse as sp
    from scipy.sparse.csgraph import connected_components

    from ..spectral.exact import spectral_embedding

    graph = as_graph(graph)
    indices, weights = np.asarray(indices), np.asarray(weights, dtype=float)
    if indices.ndim != 1 or indices.shape != weights.shape:
        raise InputError(f"indices of shape {indices.shape} and weights of shape {weights.shape} do not fit together")
    streams = Streams(random_state)
    chosen = np.arange(len(indices))
    if len(indices) > most:
        chosen = np.sort(streams.generator("map").choice(len(indices), most, replace=False))
    nodes = np.ascontiguousarray(indices[chosen], dtype=np.int64)
    kernel = CutKernel(graph, 1.0) if walk_steps == 1 else WalkKernel(graph, walk_steps, n_jobs=n_jobs)
    between = sp.csr_array(kernel.weighted_submatrix(nodes, weights[chosen], n_jobs=n_jobs))
    _, parts = connected_components(between, directed=False)
    inside = np.flatnonzero(parts == np.bincount(parts).argmax()) if len(parts) else parts
    if len(inside) < 3:
        raise InputError(f"only {len(inside)} coreset nodes are connected; two coordinates need at least 3")
    between = between[inside][:, inside]
    root = np.sqrt(np.asarray(between.sum(axis=1)).ravel())
    vectors, _ = spectral_embedding(between, 3, random_state=streams)
    points = vectors[:, 1:] / root[:, None]
    # Eigenvectors come with either sign: the largest entry is made positive.
    extreme = np.abs(points).argmax(axis=0)
    points = points * np.where(points[extreme, [0, 1]] < 0, -1.0, 1.0)
    return chosen[inside], points
