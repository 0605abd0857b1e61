"""Check the parameters of a fit, and resolve "auto" for a graph."""

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np

from ...base.validation import check_integer, check_real, check_size, count_linked, refused
from ...exceptions import ParameterError
from ..coresets.coreset import default_size, refuse_few
from ..partition.objectives import OBJECTIVES, Objective
from ..partition.quotient import is_huge
from .parameters import PARAMETERS, defaults

# Coreset nodes for each cluster asked for, and at least so many; a share of the nodes as for `default_size`: of large
# graphs with a hundredth, one seed in ten went wrong (MNIST: J 2.024 instead of 2.048); three hundredths cost no more.
# Fewer than there, because moves follow.
_NODES_PER_CLUSTER, _MIN_SIZE = 10, 500
# No more than this share of the nodes: with all of them, drafts of a small graph would be alike (a random graph of 400
# nodes: J .606 instead of .618).
_MOST = 2 / 3
# Drafts at most (None: until a round gains nothing), and what a round has to gain of the objective for each of them and
# entries of the graph: a thousandth for each two million.
EFFORTS: dict[str, tuple[Any, float]] = {
    "fast": (1, 0.0),
    "default": (4, 5e-10),
    "high": (32, 0.0),
    "best": (None, 1e-11),
}
_LINKED = "the nodes that have an edge"


@dataclass(frozen=True)
class Settings:
    """Resolved parameters of one run; nothing is "auto" any more.

    The published algorithm makes no drafts and moves, so that balance, limits of size, drafts and time are without
    effect there.
    """

    n_clusters: int  # 0 before a run that leaves it to the objective
    coreset_size: int  # nodes; draws of the published algorithm
    sampling: str  # "importance", "degree" or "uniform"
    eigen_solver: str  # "power" or "exact"
    published: bool  # the induced coreset graph, and no moves
    objective: str  # of OBJECTIVES
    balance: float  # of sizes; 0 before a run that chooses it
    entropy_price: float  # what that makes a nat of the clusters' entropy cost, in nats of information
    min_cluster_size: int
    max_cluster_size: int | None
    max_share: float | None  # volume of a cluster, in mean volumes
    max_drafts: int | None  # None: until a round gains nothing
    price: float  # what a round of drafts has to gain of the objective, for each of them and entries of the graph
    time_limit: float | None  # seconds
    resolution: float | None  # that n_clusters was chosen by, or of the objective
    outliers: float | str | None = None  # as given: what has no edge was left out, where this is not None

    @property
    def is_search(self):
        """Whether more drafts are asked for than the default makes."""
        return (self.max_drafts, self.price) not in _usual(self.objective)

    @property
    def first_price(self):
        """The price of the first round: with a time limit, which may be short, the usual one."""
        return 0.0 if self.time_limit is None else _usual(self.objective)[1][1]

    @property
    def joined_by(self):
        """The objective by which a node joins a cluster: labels that nothing moved are those of nearest centroids."""
        return OBJECTIVES["ncut"] if self.published else self.record

    @property
    def record(self) -> Objective:
        """The objective, at its resolution."""
        return OBJECTIVES[self.objective].at(self.resolution, self.entropy_price)


@dataclass(frozen=True)
class Validated:
    """Validated parameters of a fit, before there is a graph."""

    n_clusters: int  # 0 where it is left to something else
    left_to: str  # "" for a number that was given, otherwise "information", "resolution" or "moves" of the objective
    values: dict  # of PARAMETERS, as they were given: sizes may be shares
    levels: tuple[int, ...] = ()  # numbers of clusters, ascending to `n_clusters`, where several were given

    def of(self, n_clusters, is_clear=False):
        """Return the parameters with a number of clusters; a clear one is that of balance 1, and "auto" keeps to it."""
        found = {"balance": 1.0} if is_clear and self.values["balance"] == "auto" else {}
        return replace(self, n_clusters=n_clusters, left_to="", values=self.values | found)


def check_settings(n_clusters, given):
    """Check the settings of a run as far as they need no graph; return them Validated.

    `given` go by the names of :data:`graphcore.cluster.pipeline.parameters.PARAMETERS`;
    :class:`graphcore.CoresetSpectralClustering` says what they do. Messages name the parameter.
    """
    values = defaults()
    unknown = sorted(set(given) - set(values))
    if unknown:
        raise TypeError(f"there is no setting {unknown[0]!r}; there are {', '.join(values)}")
    values = {p.name: p.check((values | given)[p.name]) for p in PARAMETERS}
    levels = _levels(n_clusters)
    n_clusters = levels[-1] if levels else n_clusters
    left_to = _left_to(n_clusters, values)
    k = 0 if left_to else check_integer("n_clusters", n_clusters, low=1)
    if isinstance(values["coreset_size"], Integral):
        refuse_few(values["coreset_size"], k)
    limits, published = _limits(values), ["published=True"] * values["published"]
    for each in [f"{name}={values[name]}" for name in limits] + published:
        if left_to == "moves":
            raise ParameterError(f"{each} needs a number of clusters: give n_clusters")
        if len(levels) > 1:
            raise refused("n_clusters", list(levels), f"are levels, which do not go with {each}: give one number")
    if published and (of_moves := limits + _of_moves(values)):
        name = of_moves[0]
        raise refused(name, given[name], "is for moves of nodes, and published=True makes none: leave one of them out")
    if not (_may_be_uneven(values) or values["balance"] in ("auto", 1)):
        raise ParameterError(
            f"balance={values['balance']} is a price on objective='information' as merging and moves raise it; leave "
            "it out for other objectives, and for published=True"
        )
    return Validated(k, left_to, values, levels)


def _levels(n_clusters):
    """Return the numbers of clusters, if several are given."""
    if not isinstance(n_clusters, (list, tuple, np.ndarray)):
        return ()
    levels = tuple(check_integer("n_clusters", each, low=1) for each in n_clusters)
    if not levels or any(fine <= coarse for coarse, fine in pairwise(levels)):
        raise refused("n_clusters", n_clusters, "must be one number, or ascending ones for levels, such as [10, 100]")
    return levels


def _limits(values):
    """Return the names of the limits of size that are given."""
    least = values["min_cluster_size"]
    names = [name for name in ("max_cluster_size", "max_share") if values[name] is not None]
    return names + ["min_cluster_size"] * (least > 1 or (least > 0 and not isinstance(least, Integral)))


def _of_moves(values):
    """Return the names of what is asked of moves, apart from limits of size."""
    is_search = _effort(values | {"time_limit": None}) not in _usual(values["objective"])
    is_other = values["objective"] not in ("ncut", defaults()["objective"])  # "ncut" is what is lowered without moves
    return ["time_limit"] * (values["time_limit"] is not None) + ["effort"] * is_search + ["objective"] * is_other


def _may_be_uneven(values):
    """Return whether merging and moves can pay for entropy."""
    return OBJECTIVES[values["objective"]].price is not None and not values["published"]


def _left_to(n_clusters, values):
    """Return the criterion that chooses the number of clusters, "" if the number is given."""
    resolution, record = values["resolution"], OBJECTIVES[values["objective"]]
    if resolution is not None:  # of density, above 0; or nats of labels for each of information, of which there is less
        own = record.resolution is not None
        check_real("resolution", resolution, low=0.0 if own else 1.0, open_low=own)
    if n_clusters is None:
        if record.resolution is not None:
            return "moves"
        if resolution is None:
            raise ParameterError(
                "n_clusters=None needs a resolution, such as resolution=2.0, or objective='modularity'; "
                "n_clusters='auto' needs none"
            )
        return "resolution"
    if resolution is not None and record.resolution is None:
        raise ParameterError(
            f"n_clusters={n_clusters!r} and resolution={resolution} both say how many clusters; n_clusters=None leaves "
            "it to the resolution"
        )
    return "information" if isinstance(n_clusters, str) and n_clusters == "auto" else ""


def resolve_settings(graph, n_clusters, *, total_size=None, **given):
    """Return Settings for a graph, of values as for :func:`check_settings`."""
    return resolve(check_settings(n_clusters, given), graph, total_size)


def resolve(params, graph, total_size=None):
    """Check Validated parameters against a graph, and resolve them: Settings.

    `total_size` is what all nodes with an edge count in sizes of clusters, if not one each.
    """
    n_linked = count_linked(graph)
    k, values = params.n_clusters, params.values
    if k:
        check_integer("n_clusters", k, high=graph.n_nodes, why_high="the number of nodes")
    if k > n_linked:
        raise ParameterError(
            f"n_clusters={k} is more than the {n_linked} nodes that have an edge ({graph.n_isolated} isolated nodes "
            "belong to no cluster)"
        )
    total_size = n_linked if total_size is None else total_size
    size = _coreset_size(params, n_linked)
    refuse_few(size, k, values["coreset_size"])
    effort, is_huge_graph = _effort(values), is_huge(graph.n_entries)
    if is_huge_graph:
        if effort not in _usual(values["objective"]):
            raise ParameterError(
                "effort and time_limit are for graphs of at most 2^28 entries (134 million edges); this one has "
                f"{graph.n_entries}: leave them out"
            )
        if len(params.levels) > 1:
            raise refused(
                "n_clusters", list(params.levels), "are levels of a graph of more than 2^28 entries: give one"
            )
        effort = EFFORTS["fast"]
    sampling, balance = values["sampling"], values["balance"]
    if sampling == "auto":  # seeds read rows at random, for which a huge graph on a disk is not made
        sampling = "degree" if is_huge_graph and not values["published"] else "importance"
    made = {
        "coreset_size": size,
        "sampling": sampling,
        "entropy_price": 0.0,
        "balance": 1.0 if not _may_be_uneven(values) else 0.0 if balance == "auto" else float(balance),
    }  # fmt: skip
    kept = {name: value for name, value in values.items() if name not in ("effort", "balance")}
    kept |= _sizes(values, total_size, k) | made
    return Settings(n_clusters=k, max_drafts=effort[0], price=effort[1], **kept)


def quick_settings(settings, graph):
    """Return settings of a fit with ``effort="fast"`` to another graph of the nodes, some of which may be isolated."""
    n_linked = graph.n_nodes - graph.n_isolated
    return replace(
        settings, n_clusters=min(settings.n_clusters, n_linked), coreset_size=min(settings.coreset_size, n_linked),
        max_drafts=1, price=0.0, time_limit=None,
    )  # fmt: skip


def resized(settings, given, graph):
    """Return settings for a changed graph; `given` are the limits of clusters as a user gave them."""
    n_linked = graph.n_nodes - graph.n_isolated
    values = {p.name: p.check(given[p.name]) for p in PARAMETERS if p.name in given}
    return replace(settings, **values | _sizes(values, n_linked, settings.n_clusters))


def _sizes(values, total_size, k):
    """Return least and largest size of a cluster, as numbers of nodes that so many with an edge can be divided into."""
    most = values["max_cluster_size"]
    least = check_size("min_cluster_size", values["min_cluster_size"], total_size, _LINKED, low=0)
    most = None if most is None else check_size("max_cluster_size", most, total_size, _LINKED)
    if least > 1 and least * k > total_size:
        raise ParameterError(
            f"min_cluster_size={least} is too large: {k} clusters of that size need more than the {total_size} nodes "
            "that have an edge"
        )
    if most is not None and most < least:
        raise ParameterError(f"max_cluster_size={most} is less than min_cluster_size={least}")
    if most is not None and most * k < total_size:
        raise ParameterError(
            f"max_cluster_size={most} is too small: {k} clusters of that size hold fewer than the {total_size} nodes "
            f"that have an edge; use at least {-(-total_size // k)}"
        )
    return {"min_cluster_size": max(1, least), "max_cluster_size": most}


def _effort(values):
    """(number of drafts at most, price of a round) that are asked for; a time limit alone means the best effort."""
    effort = values["effort"]
    if not isinstance(effort, str):
        return math.ceil(effort), 0.0
    if effort in ("default", "best") and values["time_limit"] is not None:
        return None, 0.0
    return _usual(values["objective"])[1] if effort == "default" else EFFORTS[effort]


def _usual(objective):
    """Return the efforts "fast" and "default" for an objective, as `_effort` returns them."""
    (most, price), (times, less) = EFFORTS["default"], OBJECTIVES[objective].patience
    return EFFORTS["fast"], (most * times, price / less)


def _coreset_size(params, n_linked):
    """Return nodes in a coreset."""
    k, size = params.n_clusters, params.values["coreset_size"]
    if size != "auto":
        return check_size("coreset_size", size, n_linked, _LINKED)
    if params.values["published"]:
        return default_size(n_linked, k)
    finer = 1.0 if k else max(1.0, params.values["resolution"] or 1.0)
    usual = default_size(n_linked, k, each=_NODES_PER_CLUSTER, least=_MIN_SIZE)
    return min(max(k, round(_MOST * n_linked)), round(finer * usual))
