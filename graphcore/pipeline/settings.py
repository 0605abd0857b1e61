"""What a clustering run is asked to do, and how "auto" becomes a number."""

import math
from dataclasses import dataclass, replace

import numpy as np

from .._validation import check_choice, check_integer, check_real, check_size
from ..coresets.importance import importance_size, round_eps
from ..exceptions import InputError, ParameterError
from ..partition.objectives import OBJECTIVES, Objective
from ..partition.quotient import is_huge
from .parameters import PARAMETERS, defaults

# Coreset nodes for each cluster asked for: enough for draws that may be of the same node, and for k-means on the
# coreset graph to see every cluster many times; micro-clusters that are merged may be fewer.
_NODES_PER_CLUSTER, _GROUPS_PER_CLUSTER = 50, 10
# At least so many of either, and this share of the nodes up to so many: of large graphs with a hundredth, one seed in
# ten went wrong (MNIST: J 2.024 instead of 2.048); three hundredths cost no more.
_MIN_CORESET, _MIN_GROUPS, _SHARE, _MAX_SHARE = 1000, 500, 0.03, 100_000
_MIN_HALF_WALK, _MAX_HALF_WALK = 2, 4
_LAZINESS = 0.5
_ROW_BUDGET = 150
# Drafts at most (None: until a round gains nothing), and what a round has to gain of the objective for each of them and
# entries of the graph: a thousandth for each two million.
EFFORTS = {"fast": (1, 0.0), "default": (4, 5e-10), "high": (32, 0.0), "best": (None, 1e-11)}
# Nodes with an edge, where there is no graph yet.
_ANY_NUMBER = 2**62


@dataclass(frozen=True)
class Settings:
    """Resolved parameters of one run; nothing is "auto" any more."""

    n_clusters: int  # 0 before a run that leaves it to the objective
    coreset_size: int  # nodes (or, for importance sampling, draws; with eps, draws of the first round)
    eps: float | None  # relative error that the rounds of importance sampling aim at, instead of a size
    sampling: str  # "degree", "uniform" or "importance"
    n_seeds: int  # D2 seeds, used by importance sampling alone
    self_loop: float  # on every node inside the kernel
    eigen_solver: str  # "power" or "exact"
    coreset_degrees: str  # in the coreset graph: "row-sums", or the coreset's "weights"
    walk_steps: int  # 1 for the plain kernel, an even number for the walk kernel
    laziness: float
    row_budget: int
    overcluster: float | None  # spectral clusters for each one asked for; None: every coreset node is a micro-cluster
    objective: str  # of OBJECTIVES
    refine: bool
    min_cluster_size: int
    max_cluster_size: int | None
    max_share: float | None  # volume of a cluster, in mean volumes
    max_drafts: int | None  # None: until a round gains nothing
    price: float  # what a round of drafts has to gain of the objective, for each of them and entries of the graph
    time_limit: float | None  # seconds
    resolution: float | None  # that n_clusters was chosen by, or of the objective

    @property
    def is_search(self):
        """Whether more drafts are asked for than the default makes."""
        return _is_search((self.max_drafts, self.price))

    @property
    def joined_by(self):
        """The objective by which a node joins a cluster: labels that nothing moved are those of nearest centroids."""
        return self.record if self.refine else OBJECTIVES["ncut"]

    @property
    def record(self) -> Objective:
        """The objective, at its resolution."""
        return OBJECTIVES[self.objective].at(self.resolution)


def check_settings(n_clusters, given):
    """Check what can be checked before there is a graph; `given` as for :func:`resolve_settings`, `n_clusters` too."""
    left = n_clusters is None or _is_auto(n_clusters)
    k = 1 if left else check_integer("n_clusters", n_clusters, low=1)
    values = _checked(given, _ANY_NUMBER, _ANY_NUMBER)
    resolution, is_own = values["resolution"], is_free(None, given)
    if is_free(n_clusters, given):
        k = 0
    elif n_clusters is None and resolution is None:
        raise ParameterError("n_clusters=None needs a resolution, such as resolution=2.0; n_clusters='auto' needs none")
    if n_clusters is not None and resolution is not None and not is_own:
        raise ParameterError(
            f"n_clusters={n_clusters!r} and resolution={resolution} both say how many clusters; n_clusters=None leaves "
            "it to the resolution"
        )
    if values["preset"] == "published" and _is_auto(values["refine"]):
        values["refine"] = False
    _refuse_pairs(values | {"n_clusters": k})


def is_free(n_clusters, given):
    """Whether how many clusters there are is left to the objective, `given` as for :func:`resolve_settings`."""
    record = OBJECTIVES.get(given.get("objective", "information"))
    return n_clusters is None and record is not None and record.resolution is not None


def idle_settings(settings, given):
    """Names among `given` that do nothing in a run of these settings, and what they would be for."""
    plain = settings.walk_steps == 1
    idle = {
        "n_seeds": settings.sampling != "importance" and "importance sampling",
        "eigen_solver": settings.overcluster is None and "the spectral step (overcluster)",
        "coreset_degrees": settings.overcluster is None and "the spectral step (overcluster)",
        "row_budget": plain and "walks (walk_steps above 1)",
        "self_loop": not plain and settings.sampling != "importance" and "the plain kernel (walk_steps=1)",
    }
    return {name: purpose for name, purpose in idle.items() if purpose and name in given}


def resolve_settings(graph, n_clusters, *, total_size=None, **given):
    """Check all settings against a graph and fill in what is "auto"; messages name the parameter.

    Settings go by the names of :data:`graphcore.pipeline.parameters.PARAMETERS`;
    :class:`graphcore.CoresetSpectralClustering` says what they do. `walk_steps` "auto" lets the half walk see about
    twice as many nodes as there are for each coreset node, 2 to 4 steps; one step only in graphs of more than 2^28
    entries. `total_size` is what all nodes with an edge count in sizes of clusters, if not one each.
    """
    n_linked = graph.n_nodes - graph.n_isolated
    if n_linked == 0:
        raise InputError(f"all {graph.n_nodes} nodes are isolated: a graph without edges has no clusters")
    if n_clusters is None:  # it is left to the objective
        k = 0
    else:
        k = check_integer("n_clusters", n_clusters, low=1, high=graph.n_nodes, why_high="the number of nodes")
    if k > n_linked:
        raise ParameterError(
            f"n_clusters={k} is more than the {n_linked} nodes that have an edge ({graph.n_isolated} isolated nodes "
            "belong to no cluster)"
        )
    total_size = n_linked if total_size is None else total_size
    values = _checked(given, n_linked, total_size)
    published = values.pop("preset") == "published"

    def fill(name, value):
        if _is_auto(values[name]):
            values[name] = value

    fill("sampling", "importance" if published or values["eps"] else "degree")
    fill("n_seeds", 2 * max(1, k))
    if values["eps"]:
        draws = importance_size(n_linked, max(1, k), round_eps(values["eps"], n_linked, 1))
        values["coreset_size"] = min(n_linked, draws)
    fill("overcluster", 1.0 if published else None)
    needs_many = values["overcluster"] is not None or values["sampling"] == "importance"
    finer = max(1.0, values["resolution"] or 1.0) if k == 0 else 1.0
    fill("coreset_size", min(n_linked, round(finer * _auto_size(k, n_linked, needs_many))))
    fill("walk_steps", 1 if published else _walk_steps(graph, values["coreset_size"], n_linked))
    # The walk kernel is lazy, which takes the place of a loop.
    fill("self_loop", 1.0 if values["walk_steps"] == 1 or values["sampling"] == "importance" else 0.0)
    fill("row_budget", _ROW_BUDGET)
    fill("refine", not published)
    _refuse_pairs(values | {"n_clusters": k})
    effort = _effort(values)
    if is_huge(graph.n_entries):
        if _is_search(effort):
            raise ParameterError(
                "effort and time_limit are for graphs of at most 2^28 entries (134 million edges); this one has "
                f"{graph.n_entries}: leave them out"
            )
        effort = EFFORTS["fast"]
    if not values["refine"]:  # nothing raises the objective
        effort = EFFORTS["fast"]
    del values["effort"]
    values["min_cluster_size"] = max(1, values["min_cluster_size"])
    settings = Settings(n_clusters=k, laziness=_LAZINESS, max_drafts=effort[0], price=effort[1], **values)
    _refuse_contradictions(settings, graph, total_size)
    return settings


def quick_settings(settings, graph):
    """The same for a quick run, as of ``effort="fast"``, on another graph of the same nodes, some of them isolated."""
    n_linked = graph.n_nodes - graph.n_isolated
    return replace(
        settings, n_clusters=min(settings.n_clusters, n_linked), coreset_size=min(settings.coreset_size, n_linked),
        max_drafts=1, price=0.0, time_limit=None,
    )  # fmt: skip


def resized(settings, given, graph):
    """The same settings for a graph that has changed; `given` are limits of clusters as a user gave them."""
    n_linked = graph.n_nodes - graph.n_isolated
    values = {p.name: _check(p, given[p.name], n_linked) for p in PARAMETERS if p.name in given}
    values["min_cluster_size"] = max(1, values["min_cluster_size"])
    settings = replace(settings, **values)
    _refuse_sizes(settings, n_linked)
    return settings


def _checked(given, n_linked, total_size):
    """All settings, each checked by itself; "auto" stays."""
    values = defaults()
    unknown = sorted(set(given) - set(values))
    if unknown:
        raise TypeError(f"there is no setting {unknown[0]!r}; there are {', '.join(values)}")
    values |= given
    totals = {"min_cluster_size": total_size, "max_cluster_size": total_size}
    values = {p.name: _check(p, values[p.name], totals.get(p.name, n_linked)) for p in PARAMETERS}
    eps, size, sampling = (values[name] for name in ("eps", "coreset_size", "sampling"))
    if eps is not None:
        check_real("eps", eps, low=0.0, open_low=True, high=1.0)
        if not _is_auto(size):
            raise ParameterError(f"eps={eps} and coreset_size={size} both say how large a coreset is: leave one out")
        if sampling not in ("auto", "importance"):
            raise ParameterError(f"eps={eps} is for importance sampling; sampling={sampling!r} takes a size")
    if values["resolution"] is not None:
        least = OBJECTIVES[values["objective"]].least_resolution
        check_real("resolution", values["resolution"], low=least)
    if values["coreset_degrees"] == "weights" and values["eigen_solver"] == "power":
        raise ParameterError(
            "coreset_degrees='weights' needs eigen_solver='exact': the power method has to know the first eigenvector, "
            "and does so only with row sums"
        )
    return values


def _check(parameter, value, total):
    name, low = parameter.name, parameter.low
    words = ("auto",) if parameter.default == "auto" else ()
    if parameter.kind == "choice":
        return check_choice(name, value, (*parameter.choices, *words))
    if (words and _is_auto(value)) or (value is None and None in parameter.choices):
        return value
    if parameter.kind == "size":
        return check_size(name, value, total, "the nodes that have an edge", low=low, words=words)
    if parameter.kind == "integer":
        return check_integer(name, value, low=low)
    if parameter.kind == "real":
        is_word = isinstance(value, str) and any(parameter.choices)
        if not is_word:
            value = check_real(name, value, low=float(low))
        return check_choice(name, value, parameter.choices, "or a number") if is_word else value
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"{name}={value!r} must be True, False or 'auto'")
    return bool(value)


def _refuse_contradictions(settings, graph, total_size):
    """Refuse settings that are fine by themselves and contradict the graph."""
    if settings.sampling == "importance" and settings.self_loop == 0 and graph.n_self_loops == 0:
        raise ParameterError(
            "self_loop=0 leaves the plain kernel of this graph with a zero diagonal, and importance sampling cannot "
            "draw from it; use self_loop=1.0 (the published choice) or sampling='degree'"
        )
    _refuse_sizes(settings, total_size)


def _refuse_sizes(settings, total_size):
    """Refuse sizes of clusters that so many nodes with an edge cannot have."""
    k, least = settings.n_clusters, settings.min_cluster_size
    if least > 1 and least * k > total_size:
        raise ParameterError(
            f"min_cluster_size={least} is too large: {k} clusters of that size need more than the {total_size} nodes "
            "that have an edge"
        )
    most = settings.max_cluster_size
    if most is not None and most < least:
        raise ParameterError(f"max_cluster_size={most} is less than min_cluster_size={least}")
    if most is not None and most * k < total_size:
        raise ParameterError(
            f"max_cluster_size={most} is too small: {k} clusters of that size hold fewer than the {total_size} nodes "
            f"that have an edge; use at least {-(-total_size // k)}"
        )


def _refuse_pairs(values):
    """Refuse settings that contradict each other on every graph; what is still "auto" contradicts nothing."""
    k, size, steps = (values[name] for name in ("n_clusters", "coreset_size", "walk_steps"))
    if not _is_auto(size) and size < k:
        raise ParameterError(f"coreset_size={size} is less than n_clusters={k}; each cluster needs a node")
    if not _is_auto(steps) and steps > 1 and steps % 2:
        raise ParameterError(f"walk_steps={steps} must be 1 (the plain kernel) or even (two half walks)")
    limits = "max_cluster_size", "max_share"
    if k == 0:  # the moves of nodes say how many clusters there are
        idle = [name for name in (*limits, "overcluster") if values[name] not in (None, "auto")]
        idle += ["min_cluster_size"] * (values["min_cluster_size"] > 1) + ["refine"] * (values["refine"] is False)
        for name in idle:
            raise ParameterError(f"{name}={values[name]} needs a number of clusters: give n_clusters")
    if values["refine"]:  # or "auto"
        return
    if "effort" in values and _is_search(_effort(values)):
        raise ParameterError("effort and time_limit are for a search that moves nodes; refine=False leaves it out")
    for name in limits:
        if values[name] is not None:
            raise ParameterError(f"{name}={values[name]} is kept by moving nodes, which refine=False leaves out")


def _is_search(effort):
    """Whether more drafts are asked for than the default makes."""
    return effort not in (EFFORTS["fast"], EFFORTS["default"])


def _effort(values):
    """(number of drafts at most, price of a round) that are asked for; a time limit alone means the best effort."""
    effort = values["effort"]
    if not isinstance(effort, str):
        return math.ceil(effort), 0.0
    if effort in ("default", "best") and values["time_limit"] is not None:
        return None, 0.0
    return EFFORTS[effort]


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


def _auto_size(n_clusters, n_linked, needs_many):
    share = min(round(_SHARE * n_linked), _MAX_SHARE)
    least, each = (_MIN_CORESET, _NODES_PER_CLUSTER) if needs_many else (_MIN_GROUPS, _GROUPS_PER_CLUSTER)
    return min(n_linked, max(least, n_clusters * each, share))
