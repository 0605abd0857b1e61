"""What a clustering run is asked to do, and how "auto" becomes a number."""

import math
from dataclasses import dataclass

import numpy as np

from .._validation import check_choice, check_integer, check_real
from ..coresets.coreset import SAMPLING
from ..exceptions import InputError, ParameterError
from ..partition.cluster_sums import OBJECTIVES
from ..partition.quotient import is_huge
from ..spectral.partition import EIGEN_SOLVERS

__all__ = ["PRESETS", "Settings", "resolve_settings"]

PRESETS = (None, "published")
# Coreset nodes for each cluster asked for: enough for k-means on the coreset graph to see every cluster many times.
_NODES_PER_CLUSTER = 50
_MIN_CORESET = 1000
_SHARE, _LARGEST_SHARE = 0.01, 100_000
_MIN_HALF_WALK, _MAX_HALF_WALK = 2, 4
_LAZINESS = 0.5
_ROW_BUDGET = 150
_N_CORESETS = 4


@dataclass(frozen=True)
class Settings:
    """Resolved parameters of one run; nothing is "auto" any more.

    Attributes
    ----------
    n_clusters : int
    coreset_size : int
        Nodes (or, for importance sampling, draws).
    sampling : {"degree", "uniform", "importance"}
    n_seeds : int
        D2 seeds, used by importance sampling alone.
    self_loop : float
        Loop on every node inside the kernel.
    eigen_solver : {"power", "exact"}
    walk_steps : int
        1 for the plain kernel, an even number for the walk kernel.
    laziness : float
    row_budget : int
    overcluster : float or None
        Spectral clusters for each one asked for; None makes every coreset node a cluster of its own, its micro-cluster.
    objective : {"information", "ncut"}
    refine : bool
    min_cluster_size : int
    n_coresets : int
    may_stop_early : bool
        Whether two coresets may do, where they agree on next to nothing.
    """

    n_clusters: int
    coreset_size: int
    sampling: str
    n_seeds: int
    self_loop: float
    eigen_solver: str
    walk_steps: int
    laziness: float
    row_budget: int
    overcluster: float | None
    objective: str
    refine: bool
    min_cluster_size: int
    n_coresets: int
    may_stop_early: bool


def resolve_settings(
    graph,
    n_clusters,
    *,
    coreset_size="auto",
    sampling="auto",
    n_seeds="auto",
    self_loop="auto",
    eigen_solver="power",
    walk_steps="auto",
    row_budget="auto",
    overcluster="auto",
    objective="information",
    refine="auto",
    min_cluster_size=1,
    n_coresets="auto",
    preset=None,
):
    """Check all parameters against a graph and fill in what is "auto".

    Parameters
    ----------
    graph : Graph
    n_clusters : int
    coreset_size : int, float or "auto"
        A number of nodes, or a share of the nodes in (0, 1]. "auto" is 50 nodes for every cluster, at least 1,000
        and at least 1 % of the nodes or 100,000, whichever is less.
    walk_steps : int or "auto"
        "auto" lets the half walk see about twice as many nodes as there are for each coreset node, 2 to 4 steps; one
        step only in graphs of more than 2^28 entries.
    sampling, n_seeds, self_loop, eigen_solver, row_budget, overcluster, objective, refine, min_cluster_size, n_coresets
        See :class:`Settings` and :class:`graphcore.CoresetSpectralClustering`.
    preset : {None, "published"}
        "published" sets what is "auto" to the published algorithm: importance sampling with 2 k seeds and a self-loop
        of weight 1 on every node.

    Returns
    -------
    Settings

    Raises
    ------
    ParameterError
        For any value out of range; the message names the parameter.
    InputError
        If no node has an edge.
    """
    check_choice("preset", preset, PRESETS)
    published = preset == "published"
    n_linked = graph.n_nodes - graph.n_isolated
    if n_linked == 0:
        raise InputError(f"all {graph.n_nodes} nodes are isolated: a graph without edges has no clusters")
    n_clusters = check_integer("n_clusters", n_clusters, low=1, high=graph.n_nodes, why_high="the number of nodes")
    if n_clusters > n_linked:
        raise ParameterError(
            f"n_clusters={n_clusters} is more than the {n_linked} nodes that have an edge ({graph.n_isolated} isolated "
            "nodes belong to no cluster)"
        )
    if _is_auto(sampling):
        sampling = "importance" if published else "degree"
    check_choice("sampling", sampling, (*SAMPLING, "auto"))
    n_seeds = 2 * n_clusters if _is_auto(n_seeds) else check_integer("n_seeds", n_seeds, low=1)
    coreset_size = _coreset_size(coreset_size, n_clusters, n_linked)
    if _is_auto(walk_steps):
        walk_steps = 1 if published else _walk_steps(graph, coreset_size, n_linked)
    walk_steps = check_integer("walk_steps", walk_steps, low=1)
    if walk_steps > 1 and walk_steps % 2:
        raise ParameterError(f"walk_steps={walk_steps} must be 1 (the plain kernel) or even (two half walks)")
    if _is_auto(self_loop):
        # The walk kernel is lazy, which takes the place of a loop.
        self_loop = 1.0 if walk_steps == 1 or sampling == "importance" else 0.0
    self_loop = check_real("self_loop", self_loop, low=0.0)
    if sampling == "importance" and self_loop == 0 and graph.n_self_loops == 0:
        raise ParameterError(
            "self_loop=0 leaves the plain kernel of this graph with a zero diagonal, and importance sampling cannot "
            "draw from it; use self_loop=1.0 (the published choice) or sampling='degree'"
        )
    check_choice("eigen_solver", eigen_solver, EIGEN_SOLVERS)
    row_budget = check_integer("row_budget", _ROW_BUDGET if _is_auto(row_budget) else row_budget, low=2)
    if _is_auto(overcluster):
        overcluster = 1.0 if published else None
    elif overcluster is not None:
        overcluster = check_real("overcluster", overcluster, low=1.0)
    check_choice("objective", objective, OBJECTIVES)
    if _is_auto(refine):
        refine = not published
    if not isinstance(refine, (bool, np.bool_)):
        raise ParameterError(f"refine={refine!r} must be True, False or 'auto'")
    if isinstance(min_cluster_size, (float, np.floating)):
        min_cluster_size = round(n_linked * check_real("min_cluster_size", min_cluster_size, low=0.0, high=1.0))
    min_cluster_size = max(1, check_integer("min_cluster_size", min_cluster_size, low=0))
    if min_cluster_size * n_clusters > n_linked:
        raise ParameterError(
            f"min_cluster_size={min_cluster_size} is too large: {n_clusters} clusters of that size need more than the "
            f"{n_linked} nodes that have an edge"
        )
    may_stop_early = _is_auto(n_coresets)
    if may_stop_early:
        # Every coreset takes about ten passes over the graph.
        once = published or not refine or is_huge(graph.n_entries)
        n_coresets = 1 if once else _N_CORESETS
    n_coresets = check_integer("n_coresets", n_coresets, low=1)
    if n_coresets > 1 and not refine:
        raise ParameterError(
            f"n_coresets={n_coresets} needs refine=True (a consensus raises the objective); use n_coresets=1"
        )
    return Settings(
        walk_steps=walk_steps,
        laziness=_LAZINESS,
        row_budget=row_budget,
        overcluster=overcluster,
        objective=objective,
        refine=bool(refine),
        min_cluster_size=min_cluster_size,
        n_coresets=n_coresets,
        may_stop_early=may_stop_early,
        n_clusters=n_clusters,
        coreset_size=coreset_size,
        sampling=sampling,
        n_seeds=n_seeds,
        self_loop=self_loop,
        eigen_solver=eigen_solver,
    )


def _is_auto(value):
    return isinstance(value, str) and value == "auto"


def _walk_steps(graph, coreset_size, n_linked):
    """Twice the steps after which a walk has seen about twice as many nodes as there are for each coreset node."""
    if is_huge(graph.n_entries):
        return 2  # rows of coreset nodes are read in order; nodes that they leave out follow their neighbours
    spacing = 2 * n_linked / coreset_size
    mean_degree = graph.n_entries / n_linked
    half = math.log(spacing) / math.log(mean_degree) if mean_degree > 1 else _MAX_HALF_WALK
    return 2 * min(max(math.ceil(half), _MIN_HALF_WALK), _MAX_HALF_WALK)


def _coreset_size(size, n_clusters, n_linked):
    if isinstance(size, str):
        check_choice("coreset_size", size, ("auto",))
        share = min(round(_SHARE * n_linked), _LARGEST_SHARE)
        return min(n_linked, max(_MIN_CORESET, _NODES_PER_CLUSTER * n_clusters, share))
    if isinstance(size, (float, np.floating)):
        share = check_real("coreset_size", size, low=0.0, open_low=True, high=1.0)
        size = max(1, round(share * n_linked))
    size = check_integer("coreset_size", size, low=1)
    if size > n_linked:
        raise ParameterError(f"coreset_size={size} is more than the {n_linked} nodes that have an edge")
    if size < n_clusters:
        raise ParameterError(f"coreset_size={size} is less than n_clusters={n_clusters}; each cluster needs a node")
    return size
