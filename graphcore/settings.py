"""What a clustering run is asked to do, and how "auto" becomes a number."""

from dataclasses import dataclass

import numpy as np

from ._validation import check_choice, check_integer, check_real
from .coresets.coreset import SAMPLING
from .exceptions import InputError, ParameterError
from .spectral.partition import EIGEN_SOLVERS

__all__ = ["PRESETS", "Settings", "resolve_settings"]

PRESETS = (None, "published")
# Coreset nodes for each cluster asked for: enough for k-means on the coreset graph to see every cluster many times.
_NODES_PER_CLUSTER = 50
_LEAST_CORESET = 1000
_SHARE = 0.01


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
    """

    n_clusters: int
    coreset_size: int
    sampling: str
    n_seeds: int
    self_loop: float
    eigen_solver: str


def resolve_settings(
    graph,
    n_clusters,
    *,
    coreset_size="auto",
    sampling="auto",
    n_seeds="auto",
    self_loop="auto",
    eigen_solver="power",
    preset=None,
):
    """Check all parameters against a graph and fill in what is "auto".

    Parameters
    ----------
    graph : Graph
    n_clusters : int
    coreset_size : int, float or "auto"
        A number of nodes, or a share of the nodes in (0, 1]. "auto" is 50 nodes for every cluster, at least 1,000
        and at least 1 % of the nodes.
    sampling, n_seeds, self_loop, eigen_solver : see :class:`Settings`
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
    if sampling == "auto":
        sampling = "importance" if published else "degree"
    check_choice("sampling", sampling, (*SAMPLING, "auto"))
    n_seeds = (
        2 * n_clusters if isinstance(n_seeds, str) and n_seeds == "auto" else check_integer("n_seeds", n_seeds, low=1)
    )
    if isinstance(self_loop, str) and self_loop == "auto":
        self_loop = 1.0 if published or sampling == "importance" else 0.0
    self_loop = check_real("self_loop", self_loop, low=0.0)
    if sampling == "importance" and self_loop == 0 and graph.n_self_loops == 0:
        raise ParameterError(
            "self_loop=0 leaves the plain kernel of this graph with a zero diagonal, and importance sampling cannot "
            "draw from it; use self_loop=1.0 (the published choice) or sampling='degree'"
        )
    check_choice("eigen_solver", eigen_solver, EIGEN_SOLVERS)
    return Settings(
        n_clusters=n_clusters,
        coreset_size=_coreset_size(coreset_size, n_clusters, n_linked),
        sampling=sampling,
        n_seeds=n_seeds,
        self_loop=self_loop,
        eigen_solver=eigen_solver,
    )


def _coreset_size(size, n_clusters, n_linked):
    if isinstance(size, str):
        check_choice("coreset_size", size, ("auto",))
        return min(n_linked, max(_LEAST_CORESET, _NODES_PER_CLUSTER * n_clusters, round(_SHARE * n_linked)))
    if isinstance(size, (float, np.floating)):
        share = check_real("coreset_size", size, low=0.0, open_low=True, high=1.0)
        size = max(1, round(share * n_linked))
    size = check_integer("coreset_size", size, low=1)
    if size > n_linked:
        raise ParameterError(f"coreset_size={size} is more than the {n_linked} nodes that have an edge")
    if size < n_clusters:
        raise ParameterError(f"coreset_size={size} is less than n_clusters={n_clusters}; each cluster needs a node")
    return size
