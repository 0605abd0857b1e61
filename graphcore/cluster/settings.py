"""Settings of a fit: as the class holds them, and as a run resolves them for a graph.

Kept free of long imports, so that the command line can show its help at once.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np

from ..base.validation import (
    check_choice,
    check_integer,
    check_labels,
    check_real,
    check_size,
    count_linked,
    read_only,
    refused,
)
from ..exceptions import InputError, ParameterError, warn_user
from .refine.objectives import OBJECTIVES, Objective

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
# Long before that every node is a cluster of its own; beyond it products with volumes overflow.
_FINEST = 1e100
# Nodes with an edge, where there is no graph yet.
_ANY_NUMBER = 2**62
# Weights that are no whole numbers are counted in this part of the largest.
_PARTS = 1 << 30


# Parameters of the class that say how a graph is clustered.
DEFAULTS: dict[str, Any] = {
    "n_clusters": 8, "objective": "information", "balance": "auto", "outliers": None, "min_cluster_size": 1,
    "max_cluster_size": None, "effort": "default", "resolution": None, "coreset_size": "auto",
}  # fmt: skip
# Of those that hold numbers: what else they may be, and the check of a number with its bounds.
_SHARE, _SIZE = {"low": 0, "high": 1, "open_low": True}, {"total": _ANY_NUMBER, "of_what": ""}
_NUMBERS: dict[str, tuple[tuple, Callable, dict]] = {
    "balance": (("auto",), check_real, _SHARE),
    "outliers": ((None, "auto"), check_real, _SHARE),
    "effort": (tuple(EFFORTS), check_real, {"low": 1}),
    "min_cluster_size": ((), check_size, _SIZE | {"low": 0}),
    "max_cluster_size": ((None,), check_size, _SIZE),
    "coreset_size": (("auto",), check_size, _SIZE),
}


@dataclass(frozen=True)
class Settings:
    """Resolved parameters of one run; nothing is "auto" any more."""

    n_clusters: int  # 0 before a run that leaves it to the objective
    coreset_size: int  # nodes
    sampling: str  # "importance" or "degree"
    objective: str  # of OBJECTIVES
    balance: float  # of sizes; 0 before a run that chooses it
    entropy_price: float  # what that makes a nat of the clusters' entropy cost, in nats of information
    min_cluster_size: float  # nodes, or weight of nodes; the number 1 says that no cluster is empty
    max_cluster_size: float | None
    max_drafts: int | None  # None: until a round gains nothing
    price: float  # what a round of drafts has to gain of the objective, for each of them and entries of the graph
    resolution: float | None  # that n_clusters was chosen by, or of the objective
    outliers: float | str | None = None  # as given: what has no edge was left out, where this is not None

    @property
    def is_search(self):
        """Whether more drafts are asked for than the default makes: they are many, and any gain is worth one."""
        return self.max_drafts != 1 and self.price < EFFORTS["default"][1]

    @property
    def record(self) -> Objective:
        """The objective, at its resolution and price."""
        return OBJECTIVES[self.objective].at(self.resolution, self.entropy_price)


def check_settings(given):
    """Check the parameters of a fit as far as they need no graph; return them all, by the names of `DEFAULTS`.

    Sizes stay as they were given: shares are of a graph. Three more entries are what the number of clusters comes to:
    "levels", nested numbers, ascending; "k", the largest, 0 where it is left open; and "chooser", what chooses it then:
    "information", "resolution", "moves". Messages name the parameter.
    """
    if unknown := sorted(set(given) - set(DEFAULTS)):
        raise TypeError(f"there is no setting {unknown[0]!r}; there are {', '.join(DEFAULTS)}")
    asked = DEFAULTS | given
    check_choice("objective", asked["objective"], tuple(OBJECTIVES))
    for name, (words, check, bounds) in _NUMBERS.items():
        value, texts = asked[name], tuple(filter(None, words))
        if isinstance(value, str) and texts:
            check_choice(name, value, texts, "or a number")
        elif not (value is None and None in words):
            check(name, value, **bounds)
    levels, k, chooser = _number_of_clusters(asked)
    if isinstance(asked["coreset_size"], Integral):
        from .coreset import refuse_few  # with compiled loops, which the command line's help does without

        refuse_few(asked["coreset_size"], k)
    least = asked["min_cluster_size"]
    is_limited = least > 1 or (least > 0 and not isinstance(least, Integral))  # 1 is a node, 1.0 is all of them
    limits = ["min_cluster_size"] * is_limited + ["max_cluster_size"] * (asked["max_cluster_size"] is not None)
    for limit in limits:
        if chooser == "moves":
            raise ParameterError(f"{limit}={asked[limit]} needs a number of clusters: give n_clusters")
        if len(levels) > 1:
            why = f"are levels, which do not go with {limit}={asked[limit]}: give one number"
            raise refused("n_clusters", list(levels), why)
    if OBJECTIVES[asked["objective"]].price is None and asked["balance"] not in ("auto", 1):
        raise ParameterError(
            f"balance={asked['balance']} is a price on objective='information'; leave it out for other objectives"
        )
    return asked | {"levels": levels, "k": k, "chooser": chooser}


def _number_of_clusters(asked):
    """Return (levels, k, chooser), see :func:`check_settings`."""
    n_clusters, resolution = asked["n_clusters"], asked["resolution"]
    own = OBJECTIVES[asked["objective"]].resolution is not None
    if resolution is not None:  # of density, above 0; or nats of labels for each of information, of which there is less
        check_real("resolution", resolution, low=0.0, high=_FINEST, open_low=True)
        if resolution < 1 and not own:
            why = "is below 1, where all nodes are one cluster; any number above 0 goes with objective='modularity'"
            raise refused("resolution", resolution, why)
    if n_clusters is None:
        if not own and resolution is None:
            raise ParameterError(
                "n_clusters=None needs a resolution, such as resolution=2.0, or objective='modularity'; "
                "n_clusters='auto' needs none"
            )
        return (), 0, "moves" if own else "resolution"
    if resolution is not None and (not own or isinstance(n_clusters, str)):
        raise ParameterError(
            f"n_clusters={n_clusters!r} and resolution={resolution} both say how many clusters; n_clusters=None "
            "(no --clusters) leaves it to the resolution, and objective='modularity' has one beside a number"
        )
    if isinstance(n_clusters, (list, tuple)) or getattr(n_clusters, "ndim", 0) == 1:
        levels = tuple([check_integer("n_clusters", each, low=1) for each in n_clusters])
        if not levels or any(fine <= coarse for coarse, fine in pairwise(levels)):
            why = "must be one number, or ascending ones for levels, such as [10, 100]"
            raise refused("n_clusters", n_clusters, why)
        return levels, levels[-1], ""
    if isinstance(n_clusters, str):
        check_choice("n_clusters", n_clusters, ("auto",), "or a number, or ascending ones such as [10, 100]")
        return (), 0, "information"
    return (), check_integer("n_clusters", n_clusters, low=1), ""


def resolve(asked, graph, total_size=None, n_clusters=None):
    """Check the result of :func:`check_settings` against a graph, and resolve it: Settings.

    `total_size` is what all nodes with an edge count in sizes of clusters, if not one each, and `n_clusters` the number
    that was chosen, where it was left open.
    """
    from .coreset import default_size, refuse_few
    from .refine.problem import is_huge

    n_linked, given, record = count_linked(graph), asked["coreset_size"], OBJECTIVES[asked["objective"]]
    k = asked["k"] if n_clusters is None else n_clusters
    if k:
        check_integer("n_clusters", k, high=graph.n_nodes, why_high="the number of nodes")
    if k > n_linked:
        raise ParameterError(
            f"n_clusters={k} is more than the {n_linked} nodes that have an edge ({graph.n_isolated} isolated nodes "
            "belong to no cluster)"
        )
    if given == "auto":
        finer = 1.0 if k else max(1.0, asked["resolution"] or 1.0)
        usual = default_size(n_linked, k, each=_NODES_PER_CLUSTER, least=_MIN_SIZE)
        size = min(max(k, round(_MOST * n_linked)), round(finer * usual))
    else:
        size = check_size("coreset_size", given, n_linked, _LINKED)
    refuse_few(size, k, given)
    effort = asked["effort"]
    most_drafts, price = EFFORTS[effort] if isinstance(effort, str) else (math.ceil(effort), 0.0)
    balance = 1.0 if record.price is None else 0.0 if asked["balance"] == "auto" else float(asked["balance"])
    least, most = _sizes(asked, n_linked if total_size is None else total_size, k)
    settings = Settings(
        n_clusters=k, coreset_size=size, sampling="importance", objective=asked["objective"], balance=balance,
        entropy_price=0.0, min_cluster_size=least, max_cluster_size=most, max_drafts=most_drafts, price=price,
        resolution=asked["resolution"], outliers=asked["outliers"],
    )  # fmt: skip
    if not is_huge(graph.n_entries):
        return settings
    if settings.is_search:
        raise ParameterError(
            f"effort={effort} is for graphs of at most 2^28 entries (134 million edges); this one has "
            f"{graph.n_entries}: leave it out"
        )
    if len(levels := asked["levels"]) > 1:
        raise refused("n_clusters", list(levels), "are levels of a graph of more than 2^28 entries: give one")
    # One draft; and no seeds, which read rows at random: a disk is not made for it.
    return replace(settings, sampling="degree", max_drafts=1, price=0.0)


def resolve_settings(graph, n_clusters, **given):
    """Return Settings for a graph, of parameters as for :func:`check_settings`."""
    return resolve(check_settings(given | {"n_clusters": n_clusters}), graph)


def _sizes(asked, total_size, k):
    """Return least and largest size of a cluster: of nodes, or of weights, floats where these are no whole numbers.

    A least size of 1, an int, only says that no cluster is empty.
    """

    def size(name, low):
        value = asked[name]
        if isinstance(total_size, float) and not isinstance(value, Integral):
            return float(value) * total_size
        return check_size(name, value, total_size, _LINKED, low=low)

    least, most = asked["min_cluster_size"], asked["max_cluster_size"]
    least = 1 if isinstance(least, Integral) and least <= 1 else size("min_cluster_size", 0) or 1
    most = None if most is None else size("max_cluster_size", 1)
    if least != 1 and least * k > total_size:
        raise ParameterError(
            f"min_cluster_size={least:.12g} is too large: {k} clusters of that size need more than the "
            f"{total_size:.12g} nodes that have an edge"
        )
    if most is not None and most < least and least != 1:
        raise ParameterError(f"max_cluster_size={most:.12g} is less than min_cluster_size={least:.12g}")
    if most is not None and 0 < most * k < total_size:
        raise ParameterError(
            f"max_cluster_size={most:.12g} is too small: {k} clusters of that size hold fewer than the "
            f"{total_size:.12g} nodes that have an edge; use at least {-(-total_size // k):.12g}"
        )
    return least, most


# -- labels and weights of nodes that are given ------------------------------------------------------------------------


def total_of(weights):
    """Return the sum of weights of nodes, an int where they are whole numbers."""
    total = float(weights.sum())
    return int(total) if total < 2.0**53 and np.array_equal(weights, np.rint(weights)) else total


def problem_of(rows, settings, weights=None, fixed=None):
    """Return the Problem of a graph with these settings, weights of nodes (n,), and labels (n,) that stay, or -1."""
    from .refine.problem import ANY_SIZE, NO_COUNTS, NONE_FIXED, Problem

    k, record, least, most = settings.n_clusters, settings.record, settings.min_cluster_size, settings.max_cluster_size
    unit, counts = 1, NO_COUNTS
    if weights is not None:
        unit = 1 if isinstance(total_of(weights), int) else _PARTS / weights.max()
        counts = read_only(np.rint(weights * unit).astype(np.int64))
    return Problem(
        rows, k or len(rows.degrees), record,
        # A least size of 1 only says that no cluster is empty.
        min_size=0 if not k else 1 if least == 1 else max(1, round(least * unit)), min_share=record.min_share,
        max_size=ANY_SIZE if most is None else int(most * unit * (1 + 1e-9)), counts=counts,
        is_fixed=NONE_FIXED if fixed is None else read_only(fixed >= 0),
    )  # fmt: skip


def check_clusters(labels, rows, settings, weights=None, fixed=None):
    """Check the labels of a model: raise an InputError if they break a limit, and warn of small clusters.

    Labels (n,) are 0 to n_clusters - 1, and -1 for nodes without an edge and for no others; those that stay have
    stayed; and no cluster is beyond its limits.
    """
    from .refine.problem import label_sizes

    k, linked = settings.n_clusters, rows.degrees > 0
    if ((labels >= 0) != linked).any() or labels.max() >= k:
        raise InputError(f"labels: nodes with an edge have a cluster, 0 to {k - 1}, and others -1")
    if fixed is not None and (moved := linked & (labels != fixed) & (fixed >= 0)).any():
        x = int(np.argmax(moved))
        raise InputError(f"labels: node {x} was given the label {fixed[x]}, which stays, and has {labels[x]}")
    problem = problem_of(rows, settings, weights)
    sizes = label_sizes(labels, k, problem.counts)
    if sizes.max() > problem.max_size:
        raise ParameterError(
            f"no n_clusters={k} clusters were found that keep to max_cluster_size={settings.max_cluster_size}: some "
            "nodes are too large, or too many are fixed; allow more, or ask for fewer clusters"
        )
    if problem.min_size > sizes.min() > 0:
        warn_user(
            f"{np.count_nonzero(sizes < problem.min_size)} of n_clusters={k} clusters are smaller than "
            f"min_cluster_size={settings.min_cluster_size}, which the other limits leave no room for; ask for "
            "fewer clusters, or for less of each"
        )


def check_known(graph, n_clusters, labels=None, initial_labels=None):
    """Return (labels that stay, labels to start from) of a graph, checked, (n,) int32 each; None where not given."""
    if n_clusters == 0 and labels is not None:
        raise ParameterError("labels that stay need a number of clusters: give n_clusters")
    fixed, start = None if labels is None else _labels("labels that stay", labels, graph, n_clusters), None
    if initial_labels is not None:
        start = _labels("initial_labels", initial_labels, graph, n_clusters)
        start[graph.degrees == 0] = -1
        if not (start >= 0).any():
            raise InputError("initial_labels give no node with an edge a label; leave them out")
    return fixed, start


def _labels(name, labels, graph, n_clusters):
    labels = check_labels(name, labels, graph.n_nodes)
    if graph.n_nodes and labels.max() >= n_clusters > 0:
        raise ParameterError(
            f"{name} go up to {labels.max()}; with n_clusters={n_clusters} they run from 0 to {n_clusters - 1}, and "
            f"-1 is unknown; give n_clusters={labels.max() + 1}, or close gaps by known = labels >= 0; labels[known] = "
            "numpy.unique(labels[known], return_inverse=True)[1]"
        )
    return labels.copy()  # what comes in may change
