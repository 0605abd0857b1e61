"""The settings of a run: declared here, and checked.

Kept free of long imports, so that the command line can show its help at once.
"""

import math
from dataclasses import dataclass, field, replace
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np

from ..base.arrays import read_only
from ..base.validation import check_integer, check_labels, check_real, check_size, count_linked, refused
from ..exceptions import InputError, ParameterError, warn_user
from .refine.objectives import OBJECTIVES, Objective

_SAMPLING, _SOLVERS = ("importance", "degree", "uniform"), ("power", "exact")
# Nodes with an edge, where there is no graph yet.
_ANY_NUMBER = 2**62


@dataclass(frozen=True)
class Parameter:
    """One setting of a run."""

    name: str  # as a keyword; on the command line with hyphens
    default: object
    kind: str  # "integer", "real", "choice", "flag", or "size": a number of nodes, or their share as a float in (0, 1]
    help: str = ""  # one line, for the command line
    choices: tuple = ()  # words of a "choice", or what a number may be instead; None is no choice on the command line
    low: float | None = None  # least value of a number or a size
    high: float | None = None
    open_low: bool = False  # whether the least value itself is not among them
    metavar: str = "N"  # placeholder of the value on the command line

    def check(self, value):
        """Return the value, if it is in range; sizes stay as they were given: shares are of a graph."""
        from ..base import validation as is_fine  # with numpy, which the command line's help does without

        name, kind, choices = self.name, self.kind, self.choices
        if kind in ("choice", "flag"):
            return is_fine.check_choice(name, value, choices) if kind == "choice" else is_fine.check_flag(name, value)
        if value is None and None in choices:
            return None
        if isinstance(value, str) and any(choices):
            others = "or a number" + ", or a share as a decimal number" * (kind == "size")
            return is_fine.check_choice(name, value, choices, others)
        if kind == "size":
            is_fine.check_size(name, value, _ANY_NUMBER, "", low=self.low)
            return value
        if kind == "integer":
            return is_fine.check_integer(name, value, low=self.low)
        return is_fine.check_real(name, value, low=self.low, high=self.high, open_low=self.open_low)


PARAMETERS = (
    Parameter("objective", "information", "choice", f"Quality measure to maximise: {', '.join(OBJECTIVES)}.",
              choices=tuple(OBJECTIVES), metavar="NAME"),
    Parameter("balance", "auto", "real", "Preference for clusters of equal size, from 1 down to 0, or auto.",
              choices=("auto",), low=0, high=1, open_low=True, metavar="NUMBER"),
    Parameter("outliers", None, "real", "For vectors: share of rows, far from others, that get no cluster; or auto.",
              choices=(None, "auto"), low=0, high=1, open_low=True, metavar="SHARE"),
    Parameter("min_cluster_size", 1, "size", "Smallest number of nodes in a cluster, or a share (as 0.01).",
              low=0, metavar="NUMBER"),
    Parameter("max_cluster_size", None, "size", "Largest number of nodes in a cluster, or a share (as 0.1).",
              choices=(None,), low=1, metavar="NUMBER"),
    Parameter("max_share", None, "real", "Largest volume (sum of degrees) of a cluster, as a multiple of the mean.",
              choices=(None,), low=1, metavar="FACTOR"),
    Parameter("effort", "default", "real", "How long to search: fast, default, high, best, or a number of drafts.",
              choices=("fast", "default", "high", "best"), low=1, metavar="EFFORT"),
    Parameter("time_limit", None, "real", "Seconds after which the search ends; alone, it means --effort best.",
              choices=(None,), low=0, metavar="SECONDS"),
    Parameter("coreset_size", "auto", "size", "Number of nodes in the coreset, or a share (as 0.1).",
              choices=("auto",), low=1, metavar="NUMBER"),
    Parameter("sampling", "auto", "choice", f"How the coreset is drawn: {', '.join(_SAMPLING)}.",
              choices=("auto", *_SAMPLING), metavar="NAME"),
    Parameter("eigen_solver", "power", "choice", f"How the coreset graph is embedded: {', '.join(_SOLVERS)}.",
              choices=_SOLVERS, metavar="NAME"),
    Parameter("published", False, "flag", "Run the algorithm of the paper: induced coreset graph, no moves."),
    Parameter("resolution", None, "real", "In place of -k: larger gives more clusters; or that of modularity.",
              choices=(None,), low=0, metavar="NUMBER"),
)  # fmt: skip


def defaults():
    """Return every setting by its name, with its default."""
    return {parameter.name: parameter.default for parameter in PARAMETERS}


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

    `given` go by the names of :data:`graphcore.cluster.settings.PARAMETERS`;
    :class:`graphcore.CoresetSpectralClustering` says what they do. Messages name the parameter.
    """
    from .coreset import refuse_few  # with compiled loops, which the command line's help does without

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
    from .coreset import refuse_few
    from .refine.problem import is_huge

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
    from .coreset import default_size

    k, size = params.n_clusters, params.values["coreset_size"]
    if size != "auto":
        return check_size("coreset_size", size, n_linked, _LINKED)
    if params.values["published"]:
        return default_size(n_linked, k)
    finer = 1.0 if k else max(1.0, params.values["resolution"] or 1.0)
    usual = default_size(n_linked, k, each=_NODES_PER_CLUSTER, least=_MIN_SIZE)
    return min(max(k, round(_MOST * n_linked)), round(finer * usual))


# Weights that are no whole numbers are counted in this part of the largest.
_PARTS = 1 << 30


@dataclass(frozen=True, eq=False)
class Known:
    """Given labels, initial labels and weights of the nodes of a graph; None where they are not given."""

    # (n,) int32: labels that stay, also of nodes that have no edge yet, -1 for all others; (m,) of the first m nodes.
    fixed: np.ndarray | None = field(default=None, repr=False)
    start: np.ndarray | None = field(default=None, repr=False)  # (n,) int32: labels to start from, -1 where unknown
    weights: np.ndarray | None = field(default=None, repr=False)  # (n,) float64: as how many each node counts

    def among(self, degrees):
        """Return the record without the given labels of isolated nodes."""
        if self.fixed is None:
            return self
        fixed = np.full(len(degrees), -1, dtype=np.int32)
        fixed[: len(self.fixed)] = self.fixed
        fixed[degrees == 0] = -1
        return replace(self, fixed=fixed if (fixed >= 0).any() else None)

    def check(self, labels, degrees, settings, *, tells_of_empty=True):
        """Check the labels of a model: raise an InputError if they break a limit, and warn of small clusters.

        Labels (n,) are 0 to n_clusters - 1, and -1 for nodes without an edge and for no others; those that stay have
        stayed; and no cluster is beyond its limits.
        """
        from .refine.problem import label_volumes

        k, fixed = settings.n_clusters, self.among(degrees).fixed
        if ((labels >= 0) != (degrees > 0)).any() or labels.max() >= k:
            raise InputError(f"labels: nodes with an edge have a cluster, 0 to {k - 1}, and others -1")
        if fixed is not None and (moved := (labels != fixed) & (fixed >= 0)).any():
            x = int(np.argmax(moved))
            raise InputError(f"labels: node {x} was given the label {fixed[x]}, which stays, and has {labels[x]}")
        least, limits = self.limits(settings)
        sizes, volumes = limits.sizes(labels, k), label_volumes(labels, degrees, k)
        # Moves add volumes up in another order.
        if sizes.max() > limits.max_size or volumes.max() > limits.max_volume(volumes.sum(), k) * (1 + 1e-9):
            raise ParameterError(
                f"no n_clusters={k} clusters were found that keep to {limits}: some nodes are too large, or too many "
                "are fixed; allow more, or ask for fewer clusters"
            )
        if least > sizes.min() > 0:
            warn_user(
                f"{np.count_nonzero(sizes < least)} of n_clusters={k} clusters are smaller than "
                f"min_cluster_size={settings.min_cluster_size}, which the other limits leave no room for; ask for "
                "fewer clusters, or for less of each"
            )
        if (n_found := int(np.count_nonzero(sizes))) < k and tells_of_empty:
            warn_user(f"only {n_found} of n_clusters={k} clusters hold nodes; ask for fewer clusters")

    def limits(self, settings):
        """(least size, Constraints) of clusters, in what nodes of these weights count."""
        from .refine.problem import Constraints

        unit, more = 1, {}
        if self.weights is not None:
            whole = np.array_equal(self.weights, np.rint(self.weights)) and self.weights.sum() < 2.0**53
            unit = 1 if whole else _PARTS / self.weights.max()
            more["counts"] = read_only(np.rint(self.weights * unit).astype(np.int64))
        if settings.max_cluster_size is not None:
            more["max_size"] = int(settings.max_cluster_size * unit * (1 + 1e-9))
        if settings.max_share is not None:
            more["max_share"] = settings.max_share
        if self.fixed is not None:
            more["is_fixed"] = read_only(self.fixed >= 0)
        least = settings.min_cluster_size  # of which 1 only says that no cluster is empty
        return least if least <= 1 else round(least * unit), Constraints(**more)

    def problem(self, rows, settings):
        """Return the Problem of a graph with these settings."""
        from .refine.problem import Problem

        least, constraints = self.limits(settings)
        record, k = settings.record, settings.n_clusters
        least, k = (least, k) if k else (0, len(rows.degrees))
        return Problem(rows, k, record, least, record.min_share, constraints)


NOTHING = Known()


def check_known(graph, n_clusters, labels=None, initial_labels=None, sample_weight=None):
    """Return Known of a graph, from what a user gave: labels that stay, labels to start from, checked weights."""
    if n_clusters == 0 and not (labels is None and initial_labels is None):
        raise ParameterError("labels that stay or to start from need a number of clusters: give n_clusters")
    fixed = None if labels is None else _labels("labels that stay", labels, graph, n_clusters)
    start = None if initial_labels is None else _labels("initial_labels", initial_labels, graph, n_clusters)
    if start is not None:
        start[graph.degrees == 0] = -1
        if not (start >= 0).any():
            raise InputError("initial_labels give no node with an edge a label; leave them out")
    return Known(fixed, start, sample_weight)


def _labels(name, labels, graph, n_clusters):
    labels = check_labels(name, labels, graph.n_nodes)
    if graph.n_nodes and labels.max() >= n_clusters:
        raise ParameterError(
            f"{name} go up to {labels.max()}; with n_clusters={n_clusters} they run from 0 to {n_clusters - 1}, and "
            "-1 is unknown"
        )
    return labels.copy()  # what comes in may change
