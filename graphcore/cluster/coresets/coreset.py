"""A coreset: a few weighted nodes whose clusterings cost about what the whole graph's cost."""

from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np

from ...base.streams import Streams
from ...base.validation import check_choice, check_integer, check_real, check_size, refused
from ...exceptions import InputError, ParameterError, warn_user
from ...graphs.graph import Graph
from ...graphs.weights import given_unit
from ...kernels.vectors import VectorKernel
from .draws import distinct_sample, importance_sample, systematic_sample
from .guarantee import check_guarantee, guaranteed_sample
from .seeding import Seeds, check_seeding, d2_seeding, draw_seeds, importance_probabilities, importance_rounds

SAMPLING = ("degree", "uniform", "importance")

# Share of the points in a coreset, up to so many, where nobody gave its size.
_SHARE, _MAX_SHARE = 0.03, 100_000


@dataclass(frozen=True, eq=False)
class Coreset:
    """A weighted sample of the nodes of a graph, or of vectors.

    Attributes
    ----------
    indices : ndarray of shape (n_coreset,), int64
        Distinct nodes, or rows of the vectors, ascending.
    weights : ndarray of shape (n_coreset,), float64
        Weights that make sums over the coreset unbiased estimates of sums over all points.
    method : str
        How it was drawn: "degree", "uniform" or "importance"; "merged" by :func:`merge_coresets`.
    n_draws : int
        Draws made; for "importance", repeats are merged, so there may be fewer nodes.
    seeds : Seeds or None
        The D2 seeds behind an importance sample of one round.
    kernel : VectorKernel or None
        The kernel over the vectors that were drawn, ``kernel.X``; None for nodes of a graph.
    n_points : int or None
        Vectors that these were drawn from; None for nodes of a graph.
    self_loop, shift : float or None
        Those of the kernel of the graph that nodes were drawn by, of whose degrees the weights are estimates; None for
        vectors, and where they are not known, as of merged coresets.
    """

    indices: np.ndarray = field(repr=False)
    weights: np.ndarray = field(repr=False)
    method: str
    n_draws: int
    seeds: Seeds | None = field(default=None, repr=False)
    kernel: VectorKernel | None = field(default=None, repr=False)
    n_points: int | None = None
    self_loop: float | None = None
    shift: float | None = None

    def __len__(self) -> int:
        return len(self.indices)

    def of(self, points) -> Self:
        """Return the coreset with indices of what it was drawn from, given the indices of that."""
        return replace(self, indices=points[self.indices], seeds=None)

    def over(self, kernel: VectorKernel) -> Self:
        """Return the coreset with the vectors that were drawn of those of a kernel."""
        vectors = VectorKernel(kernel.X[self.indices], kernel.function, kernel.precision)
        return replace(self, kernel=vectors, n_points=kernel.n_points)

    def of_graph(self, graph: Graph, self_loop: float, shift: float = 0.0) -> Self:
        """Return the coreset with its kernel's loops, and weights in the unit of what `graph`, of `in_range`, was."""
        weights = given_unit(self.weights, graph.exponent) if graph.exponent else self.weights
        return replace(self, weights=weights, self_loop=self_loop, shift=shift)


def default_size(n_points, n_clusters, *, each=50, least=1000):
    """Return nodes of a coreset whose size nobody gave: `each` for a cluster, at least 3 % of the points (or 100,000).

    With 50 of them, k-means on the coreset graph sees every cluster many times.
    """
    return min(n_points, max(least, each * n_clusters, min(round(_SHARE * n_points), _MAX_SHARE)))


def refuse_few(coreset_size, n_clusters, given=None):
    """Raise a ParameterError for a coreset of fewer nodes than clusters, of a `coreset_size` given as a share or so."""
    if coreset_size < n_clusters:
        given = coreset_size if given is None else given
        comes_to = "" if given == coreset_size else f"comes to {coreset_size}, which "
        raise refused(
            "coreset_size", given, f"{comes_to}is less than n_clusters={n_clusters}; each cluster needs a node"
        )


def sample_coreset(
    kernel, n_clusters, *, weights=None, size=None, eps=None, guarantee=False, method="degree", n_seeds="auto",
    seeding="auto", replace=True, random_state=None,
):  # fmt: skip
    """Draw a coreset of the points of any kernel, as :func:`build_coreset` does of a graph's nodes.

    `weights` (n_points,) float64 are those of the kernel if not given. `eps` and "degree" are for graphs, "fast" is for
    these and other sparse kernels.
    """
    is_graph = kernel.leaves_out_isolated
    weights = kernel.point_weights if weights is None else weights
    n_points = int(np.count_nonzero(weights > 0))
    if n_points == 0:
        raise InputError("no node has an edge: there is nothing to cluster")
    _check_scheme(is_graph, method, size, eps)
    failure = check_guarantee(guarantee, eps)
    which = "the nodes that have an edge" if is_graph else "the points that have weight"
    n_clusters = check_integer("n_clusters", n_clusters, low=1, high=n_points, why_high=which)
    streams = Streams(random_state)
    if size is not None:
        size = check_size("size", size, n_points, which)
        if size < n_clusters:
            raise ParameterError(f"size={size} is less than n_clusters={n_clusters}; each cluster needs a point")
    if method != "importance":
        draws = distinct_sample(weights, weights if method == "degree" else None, size, streams.generator("coreset"))
        return Coreset(draws.indices, draws.weights, method, draws.n_draws)
    auto = isinstance(n_seeds, str) and n_seeds == "auto"
    n_seeds = 2 * n_clusters if auto else check_integer("n_seeds", n_seeds, low=1)
    seeding = check_seeding(kernel, seeding)
    if failure:
        draws, seeds = guaranteed_sample(kernel, n_clusters, eps, failure, n_seeds, seeding=seeding, streams=streams)
        return Coreset(draws.indices, draws.weights, method, draws.n_draws, seeds)
    if eps is not None:
        draws = importance_rounds(kernel, n_clusters, eps, n_seeds, seeding=seeding, random_state=streams)
        return Coreset(draws.indices, draws.weights, method, draws.n_draws)
    if size == n_points and (n_clusters == n_points or not is_graph) and kernel.diagonal[weights > 0].any():
        # Draws would repeat some points and leave out others. A diagonal of zeros goes on to where it is refused.
        points = np.flatnonzero(weights > 0)
        return Coreset(points, weights[points], method, size)
    if is_graph:
        # Probabilities of distinct nodes may come from fewer seeds than were asked for.
        seeds = d2_seeding(kernel, n_seeds, method=seeding, random_state=streams, warn=replace)
    else:
        seeding = seeding if kernel.diagonal[weights > 0].any() else "naive"  # which meets negative distances
        seeds = draw_seeds(kernel, weights, min(n_seeds, n_points), streams.generator("seeding"), method=seeding)
        _check_seeds(kernel, weights, n_clusters, seeds)
    probabilities = importance_probabilities(weights, seeds, cells=not is_graph)
    if replace:
        draws = importance_sample(weights, probabilities, size, streams)
    else:
        sample = distinct_sample if is_graph else systematic_sample  # by blocks, of graphs that may be huge
        draws = sample(weights, probabilities, size, streams.generator("coreset"))
    return Coreset(draws.indices, draws.weights, method, draws.n_draws, seeds)


def _check_scheme(is_graph, method, size, eps):
    """Refuse names that are not known, and what does not go together."""
    check_choice("method", method, SAMPLING)
    if (size is None) == (eps is None):
        raise ParameterError("give either size= (a number of nodes) or eps= (a relative error), and not both")
    if eps is not None:
        if method != "importance" or not is_graph:
            raise ParameterError(f"eps= needs method='importance' and a graph; method={method!r} takes size=")
        check_real("eps", eps, low=0.0, open_low=True, high=1.0)
    if method == "degree" and not is_graph:
        raise ParameterError("sampling='degree' (method of build_coreset) is for graphs; use 'importance' or 'uniform'")


def _check_seeds(kernel, weights, n_clusters, seeds):
    """Say why D2 seeding found fewer points than there are clusters."""
    bare = not kernel.diagonal[weights > 0].any()
    found = f"D2 seeding stopped at {len(seeds.indices)} centres for n_clusters={n_clusters}"
    if seeds.n_negative and (bare or len(seeds.indices) < n_clusters):
        why = "the kernel's diagonal is zero" if bare else "the kernel is not positive semi-definite"
        raise InputError(
            f"{found}: {why}, and every squared distance to them is 0 or negative; add a multiple of the identity to "
            "the kernel matrix, use sampling='uniform', which needs no seeds, or KernelKMeans"
        )
    if len(seeds.indices) < n_clusters:
        warn_user(f"{found}: no more points are different under this kernel; ask for fewer clusters")
