"""Coresets that add up: those of parts are merged to one of the whole, and reduced to a smaller one."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..base.loops import limited_libraries
from ..base.streams import Streams
from ..base.types import AnyGraph, RandomState
from ..base.validation import check_integer
from ..exceptions import InputError, ParameterError
from ..kernels.functions import KernelFunction
from ..kernels.vectors import VectorKernel
from .coreset import Coreset, sample_coreset


def merge_coresets(*coresets: Coreset) -> Coreset:
    """Merge coresets of parts of the data to one of all: their points together, with their weights.

    Parameters
    ----------
    *coresets : Coreset
        Of parts of one graph that have no node in common, see `nodes` of :func:`build_coreset`, or of vectors under one
        kernel.

    Returns
    -------
    Coreset
        Vectors count as rows of all parts, one below the other in the order given. Sums over it are unbiased if they
        are over every part.

    Raises
    ------
    InputError
        If there is no coreset, or they are of parts that share nodes, of graphs and vectors, of kernel matrices, of
        vectors of different lengths, or of different kernels or loops.

    Notes
    -----
    If every part is a coreset with relative error eps, so is what is merged: costs add up, and so do the errors. The
    union has the sum of the sizes; :func:`reduce_coreset` makes it smaller.

    References
    ----------
    Har-Peled, Mazumdar, "On coresets for k-means and k-median clustering", STOC 2004, section 7; Feldman, Langberg, "A
    unified framework for approximating and clustering data", STOC 2011; Bachem, Lucic, Krause, "Practical coreset
    constructions for machine learning", 2017.

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.datasets.load_karate().graph
    >>> parts = [
    ...     graphcore.build_coreset(graph, 2, size=8, nodes=nodes, random_state=0)
    ...     for nodes in (range(17), range(17, 34))
    ... ]
    >>> graphcore.merge_coresets(*parts).n_draws
    16
    """
    if not coresets or not all(isinstance(each, Coreset) for each in coresets):
        raise InputError("merge_coresets needs coresets, at least one, and not a list; give merge_coresets(*coresets)")
    if len(coresets) == 1:
        return coresets[0]
    weights, n_draws = np.concatenate([each.weights for each in coresets]), sum(each.n_draws for each in coresets)
    kernels = [each.kernel for each in coresets if each.kernel is not None]
    if not kernels:
        if any(each.self_loop is None for each in coresets):
            raise InputError("coresets of kernel matrices do not say which points they share; take a VectorKernel")
        parts = [each.nodes for each in coresets if each.nodes is not None]
        if len(parts) < len(coresets) or len(np.unique(np.concatenate(parts))) < sum(map(len, parts)):
            raise InputError(
                "the coresets are of parts that share nodes, which would count twice; give each part nodes= of its own "
                "to build_coreset"
            )
        volumes = {each.volume for each in coresets if each.volume is not None}
        if len(volumes) > 1:
            raise InputError("the coresets are of different graphs; draw all of parts of one")
        loops = dict.fromkeys((each.self_loop, each.shift or 0.0) for each in coresets)
        if len(loops) > 1:
            listed = ", ".join(f"self_loop={loop:g}, shift={shift:g}" for loop, shift in loops)
            raise InputError(f"the coresets estimate different degrees, those with {listed}; draw all with the same")
        indices, places = np.unique(np.concatenate([each.indices for each in coresets]), return_inverse=True)
        return replace(
            coresets[0], indices=indices, weights=np.bincount(places, weights), sampling="merged", n_draws=n_draws,
            seeds=None, volume=max(volumes, default=None), shift=next(iter(loops))[1],
            nodes=np.sort(np.concatenate(parts)),
        )  # fmt: skip
    if len(kernels) < len(coresets):
        raise InputError("some coresets are of vectors and some of nodes; merge each kind by itself")
    if any(kernel.function != kernels[0].function for kernel in kernels):
        functions = dict.fromkeys(str(kernel.function) for kernel in kernels)
        raise InputError(f"the coresets have different kernels: {', '.join(functions)}; draw all under one of them")
    widths = {kernel.X.shape[1] for kernel in kernels}
    if len(widths) > 1:
        raise InputError(f"the coresets hold vectors of {sorted(widths)} features; merge those of equal length")
    starts = np.cumsum([0, *(each.n_points for each in coresets)])
    indices = np.concatenate([each.indices + start for each, start in zip(coresets, starts, strict=False)])
    X = _stacked([kernel.X for kernel in kernels])
    kernel = VectorKernel(X, kernels[0].function, max(kernel.precision for kernel in kernels))
    return Coreset(indices, weights, "merged", n_draws, kernel=kernel, n_points=int(starts[-1]))


def _stacked(parts):
    if any(hasattr(X, "tocsr") for X in parts):
        import scipy.sparse as sp

        return sp.vstack(parts, format="csr")
    return np.concatenate(parts)


def reduce_coreset(
    coreset: Coreset,
    n_clusters: int,
    *,
    size: int,
    graph: AnyGraph | None = None,
    sampling: str = "importance",
    n_seeds: int | str = "auto",
    random_state: RandomState = None,
) -> Coreset:
    """Draw a smaller coreset of the points of a coreset, with weights by which it stands for the same whole.

    Parameters
    ----------
    coreset : Coreset
    n_clusters : int
        Number of clusters that the coreset is for.
    size : int
        Points, all of them different: draws would repeat some of the few. A coreset that is no larger is returned.
    graph : Graph, sparse matrix or networkx graph, optional
        The graph of the coreset's nodes; not needed for vectors, which a coreset holds.
    sampling : {"importance", "uniform", "degree"}, default "importance"
        As for :func:`build_coreset`, on weighted points; "degree", for graphs, draws by weight.
    n_seeds : int or "auto", default "auto"
        D2 seeds; "auto" is ``2 * n_clusters``.
    random_state : int, Generator, RandomState or None

    Returns
    -------
    Coreset
        Its indices are those of the coreset given. The expectation of its weight at a point is the weight there.

    Raises
    ------
    ParameterError
        If `size` is less than `n_clusters`, `graph` is not given for nodes, or given for vectors.

    Notes
    -----
    A coreset with relative error eps' of one with eps has ``(1 + eps) (1 + eps') - 1``. After L reductions with eps
    each, of coresets with eps, this is ``(1 + eps)^(L + 1) - 1``; errors of independent draws add up in their squares.

    References
    ----------
    As for :func:`merge_coresets`.

    Examples
    --------
    >>> import numpy as np
    >>> import graphcore
    >>> from graphcore.kernels.functions import kernel_function
    >>> from graphcore.kernels.vectors import VectorKernel
    >>> X, function = np.arange(600.0).reshape(300, 2), kernel_function("gaussian", bandwidth=50.0)
    >>> parts = [
    ...     graphcore.build_coreset(VectorKernel(part, function), 3, size=40, random_state=0)
    ...     for part in (X[:200], X[200:])
    ... ]
    >>> coreset = graphcore.reduce_coreset(graphcore.merge_coresets(*parts), 3, size=30, random_state=0)
    >>> len(coreset), coreset.kernel.X.shape, coreset.n_points
    (30, (30, 2), 300)
    """
    n_clusters, size = check_integer("n_clusters", n_clusters, low=1), check_integer("size", size, low=1)
    if size < n_clusters:
        raise ParameterError(f"size={size} is less than n_clusters={n_clusters}; each cluster needs a point")
    if (graph is None) == (coreset.kernel is None):
        what = "of nodes; give graph=" if graph is None else "of vectors, and holds them; leave graph= out"
        raise ParameterError(f"the coreset is {what}")
    whole, drawn = (None, coreset) if graph is None else coreset.in_graph(graph)
    if size >= len(drawn):
        return coreset
    points, weights = drawn.indices, drawn.weights
    among = coreset.kernel if whole is None else whole.submatrix(points, weights)
    auto = isinstance(n_seeds, str) and n_seeds == "auto"
    # A part may hold points of fewer clusters than there are, so only the number of seeds is by the clusters.
    found = sample_coreset(
        among, 1, weights=weights, size=size, sampling=sampling, n_seeds=2 * n_clusters if auto else n_seeds,
        replace=False, random_state=random_state,
    )  # fmt: skip
    if whole is not None:
        return replace(found.of(points).of_kernel(whole), nodes=coreset.nodes)
    return replace(found.over(among).of(points), n_points=coreset.n_points)


@dataclass(frozen=True, eq=False)
class CoresetTree:
    """Coresets of the chunks of a stream: at most one for each level of a tree, like the digits of a binary number.

    A coreset at level l stands for ``2^l`` chunks. Random numbers go by the places of chunks and merges in the stream.

    Bentley, Saxe, "Decomposable searching problems I", J. Algorithms 1980; Har-Peled, Mazumdar, "On coresets for
    k-means and k-median clustering", STOC 2004.
    """

    reduced: Callable  # of a Coreset and `random_state`, a smaller one: `reduce_coreset` with its other arguments
    function: KernelFunction
    precision: np.dtype  # of kernel values
    streams: Streams
    levels: tuple[Coreset | None, ...] = ()
    n_chunks: int = 0

    def with_chunk(self, X, weights=None):
        """Return the tree with the rows of X, one more chunk; `weights` (n_rows,) float64 are ones if not given."""
        n, stream = X.shape[0], self.streams.child("chunk", self.n_chunks)
        weights = np.ones(n) if weights is None else weights
        points = np.flatnonzero(weights)
        if len(points) < n:
            X, weights = X[points], weights[points]
        kernel = VectorKernel(X, self.function, self.precision)
        # The coreset is drawn from all rows that have weight, as from a coreset.
        every = Coreset(points, weights, "uniform", len(points), kernel=kernel, n_points=n)
        with limited_libraries():
            coreset = self.reduced(every, random_state=stream)
        return self.with_coreset(coreset)

    def with_coreset(self, coreset):
        """Return the tree with the coreset of one more chunk."""
        level = 0
        while level < len(self.levels) and (before := self.levels[level]) is not None:
            stream = self.streams.child(f"level {level}", self.n_chunks)
            coreset = self.reduced(merge_coresets(before, coreset), random_state=stream)
            level += 1
        levels = (None,) * level + (coreset,) + self.levels[level + 1 :]
        return replace(self, levels=levels, n_chunks=self.n_chunks + 1)

    def whole(self):
        """Return the coreset of all chunks."""
        merged = merge_coresets(*[coreset for coreset in reversed(self.levels) if coreset is not None])
        return self.reduced(merged, random_state=self.streams.child("whole", self.n_chunks))
