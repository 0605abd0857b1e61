"""Settings of a fit: as the class holds them, and as a run resolves them for a graph.

Kept free of long imports, so that the command line can show its help at once.
"""

import math
from dataclasses import dataclass
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

# Parameters of the class that say how a graph is clustered.
DEFAULTS: dict[str, Any] = {
    "n_clusters": 8, "objective": "information", "balance": "auto", "outliers": None, "min_cluster_size": 1,
    "max_cluster_size": None, "effort": "default", "resolution": None, "coreset_size": "auto",
}  # fmt: skip
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
# Nodes with an edge, where there is no graph yet.
_ANY_NUMBER = 2**62
# Weights that are no whole numbers are counted in this part of the largest.
_PARTS = 1 << 30


@dataclass(frozen=True)
class Settings:
    """Resolved parameters of one run; nothing is "auto" any more."""

    n_clusters: int  # 0 before a run that leaves it to the objective
    coreset_size: int  # nodes
    sampling: str  # "importance" or "degree"
    objective: str  # of OBJECTIVES
    balance: float  # of sizes; 0 before a run that chooses it
    entropy_price: float  # what that makes a nat of the clusters' entropy cost, in nats of information
    min_cluster_size: int
    max_cluster_size: int | None
    max_drafts: int | None  # None: until a round gains nothing
    price: float  # what a round of drafts has to gain of the objective, for each of them and entries of the graph
    resolution: float | None  # that n_clusters was chosen by, or of the objective
    outliers: float | str | None = None  # as given: what has no edge was left out, where this is not None

    @property
    def is_search(self):
        """Whether more drafts are asked for than the default makes."""
        return (self.max_drafts, self.price) not in _usual(self.objective)

    @property
    def record(self) -> Objective:
        """The objective, at its resolution and price."""
        return OBJECTIVES[self.objective].at(self.resolution, self.entropy_price)


def check_settings(given):
    """Check the parameters of a fit as far as they need no graph; return them all, by the names of `DEFAULTS`.

    Sizes stay as they were given: shares are of a graph. Messages name the parameter.
    """
    if unknown := sorted(set(given) - set(DEFAULTS)):
        raise TypeError(f"there is no setting {unknown[0]!r}; there are {', '.join(DEFAULTS)}")
    asked = DEFAULTS | given
    check_choice("objective", asked["objective"], tuple(OBJECTIVES))
    _check_number("balance", asked, ("auto",), low=0, high=1, open_low=True)
    _check_number("outliers", asked, (None, "auto"), low=0, high=1, open_low=True)
    _check_number("effort", asked, tuple(EFFORTS), low=1)
    for name, words, low in (("min", (), 0), ("max", (None,), 1)):
        _check_size(f"{name}_cluster_size", asked, words, low)
    _check_size("coreset_size", asked, ("auto",), 1)
    levels, criterion, (k, number) = levels_of(asked), left_to(asked), number_of(asked)
    if isinstance(asked["coreset_size"], Integral):
        from .coreset import refuse_few  # with compiled loops, which the command line's help does without

        refuse_few(asked["coreset_size"], number)
    least = asked["min_cluster_size"]
    is_limited = least > 1 or (least > 0 and not isinstance(least, Integral))  # 1 is a node, 1.0 is all of them
    limits = ["min_cluster_size"] * is_limited + ["max_cluster_size"] * (asked["max_cluster_size"] is not None)
    for limit in (f"{name}={asked[name]}" for name in limits):
        if criterion == "moves":
            raise ParameterError(f"{limit} needs a number of clusters: give n_clusters")
        if len(levels) > 1:
            raise refused("n_clusters", k, f"are levels, which do not go with {limit}: give one number")
    if OBJECTIVES[asked["objective"]].price is None and asked["balance"] not in ("auto", 1):
        raise ParameterError(
            f"balance={asked['balance']} is a price on objective='information'; leave it out for other objectives"
        )
    return asked


def _check_number(name, asked, words, **bounds):
    value = asked[name]
    if not (value is None and None in words):
        _check_word(name, value, words, "or a number") if isinstance(value, str) else check_real(name, value, **bounds)


def _check_size(name, asked, words, low):
    value = asked[name]
    if isinstance(value, str) and any(words):
        _check_word(name, value, words, "or a number, or a share as a decimal number")
    elif not (value is None and None in words):
        check_size(name, value, _ANY_NUMBER, "", low=low)


def _check_word(name, value, words, others):
    check_choice(name, value, tuple(filter(None, words)), others)


def levels_of(asked):
    """Return the numbers of clusters, ascending, if several are given."""
    n_clusters = asked["n_clusters"]
    if not isinstance(n_clusters, (list, tuple, np.ndarray)):
        return ()
    levels = tuple(check_integer("n_clusters", each, low=1) for each in n_clusters)
    if not levels or any(fine <= coarse for coarse, fine in pairwise(levels)):
        raise refused("n_clusters", n_clusters, "must be one number, or ascending ones for levels, such as [10, 100]")
    return levels


def number_of(asked):
    """Return (the given number of clusters, or numbers, as a list; the largest of them, 0 where it is left open)."""
    levels = levels_of(asked)
    if levels:
        return list(levels), levels[-1]
    return asked["n_clusters"], 0 if left_to(asked) else check_integer("n_clusters", asked["n_clusters"], low=1)


def left_to(asked):
    """Return what chooses the number of clusters: "information", "resolution", "moves", or "" if it is given."""
    n_clusters, resolution, record = asked["n_clusters"], asked["resolution"], OBJECTIVES[asked["objective"]]
    own = record.resolution is not None
    if resolution is not None:  # of density, above 0; or nats of labels for each of information, of which there is less
        check_real("resolution", resolution, low=0.0 if own else 1.0, open_low=own)
    if n_clusters is None:
        if own:
            return "moves"
        if resolution is None:
            raise ParameterError(
                "n_clusters=None needs a resolution, such as resolution=2.0, or objective='modularity'; "
                "n_clusters='auto' needs none"
            )
        return "resolution"
    if resolution is not None and not own:
        raise ParameterError(
            f"n_clusters={n_clusters!r} and resolution={resolution} both say how many clusters; n_clusters=None leaves "
            "it to the resolution"
        )
    return "information" if isinstance(n_clusters, str) and n_clusters == "auto" else ""


def resolve(asked, graph, total_size=None, n_clusters=None):
    """Check the result of :func:`check_settings` against a graph, and resolve it: Settings.

    `total_size` is what all nodes with an edge count in sizes of clusters, if not one each, and `n_clusters` the number
    that was chosen, where it was left open.
    """
    from .coreset import default_size, refuse_few
    from .refine.problem import is_huge

    n_linked, given = count_linked(graph), asked["coreset_size"]
    k = number_of(asked)[1] if n_clusters is None else n_clusters
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
    effort, is_large = _effort(asked), is_huge(graph.n_entries)
    if is_large:
        if effort not in _usual(asked["objective"]):
            raise ParameterError(
                f"effort={asked['effort']} is for graphs of at most 2^28 entries (134 million edges); this one has "
                f"{graph.n_entries}: leave it out"
            )
        if len(levels := levels_of(asked)) > 1:
            raise refused("n_clusters", list(levels), "are levels of a graph of more than 2^28 entries: give one")
        effort = EFFORTS["fast"]
    balance = asked["balance"]
    if OBJECTIVES[asked["objective"]].price is None:
        balance = 1.0
    least, most = _sizes(asked, n_linked if total_size is None else total_size, k)
    return Settings(
        n_clusters=k, coreset_size=size,
        sampling="degree" if is_large else "importance",  # seeds read rows at random, which a disk is not made for
        objective=asked["objective"], balance=0.0 if balance == "auto" else float(balance), entropy_price=0.0,
        min_cluster_size=least, max_cluster_size=most, max_drafts=effort[0], price=effort[1],
        resolution=asked["resolution"], outliers=asked["outliers"],
    )  # fmt: skip


def resolve_settings(graph, n_clusters, **given):
    """Return Settings for a graph, of parameters as for :func:`check_settings`."""
    return resolve(check_settings(given | {"n_clusters": n_clusters}), graph)


def _sizes(asked, total_size, k):
    """Return least and largest size of a cluster, as numbers of nodes that so many with an edge can be divided into."""
    most = asked["max_cluster_size"]
    least = check_size("min_cluster_size", asked["min_cluster_size"], total_size, _LINKED, low=0)
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
    return max(1, least), most


def _effort(asked):
    """(number of drafts at most, price of a round) that are asked for."""
    effort = asked["effort"]
    if not isinstance(effort, str):
        return math.ceil(effort), 0.0
    return _usual(asked["objective"])[1] if effort == "default" else EFFORTS[effort]


def _usual(objective):
    """Return the efforts "fast" and "default" for an objective, as `_effort` returns them."""
    (most, price), (times, less) = EFFORTS["default"], OBJECTIVES[objective].patience
    return EFFORTS["fast"], (most * times, price / less)


# -- labels and weights of nodes that are given ------------------------------------------------------------------------


def problem_of(rows, settings, weights=None, fixed=None):
    """Return the Problem of a graph with these settings, weights of nodes (n,), and labels (n,) that stay, or -1."""
    from .refine.problem import ANY_SIZE, NO_COUNTS, NONE_FIXED, Problem

    k, record, least, most = settings.n_clusters, settings.record, settings.min_cluster_size, settings.max_cluster_size
    unit, counts = 1, NO_COUNTS
    if weights is not None:
        whole = np.array_equal(weights, np.rint(weights)) and weights.sum() < 2.0**53
        unit = 1 if whole else _PARTS / weights.max()
        counts = read_only(np.rint(weights * unit).astype(np.int64))
    return Problem(
        rows, k or len(rows.degrees), record,
        # A least size of 1 only says that no cluster is empty.
        min_size=0 if not k else least if least <= 1 else round(least * unit), min_share=record.min_share,
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
    if (n_found := int(np.count_nonzero(sizes))) < k:
        warn_user(f"only {n_found} of n_clusters={k} clusters hold nodes; ask for fewer clusters")


def check_known(graph, n_clusters, labels=None, initial_labels=None):
    """Return (labels that stay, labels to start from) of a graph, checked, (n,) int32 each; None where not given."""
    if n_clusters == 0 and not (labels is None and initial_labels is None):
        raise ParameterError("labels that stay or to start from need a number of clusters: give n_clusters")
    fixed = None if labels is None else _labels("labels that stay", labels, graph, n_clusters)
    start = None if initial_labels is None else _labels("initial_labels", initial_labels, graph, n_clusters)
    if start is not None:
        start[graph.degrees == 0] = -1
        if not (start >= 0).any():
            raise InputError("initial_labels give no node with an edge a label; leave them out")
    return fixed, start


def _labels(name, labels, graph, n_clusters):
    labels = check_labels(name, labels, graph.n_nodes)
    if graph.n_nodes and labels.max() >= n_clusters:
        raise ParameterError(
            f"{name} go up to {labels.max()}; with n_clusters={n_clusters} they run from 0 to {n_clusters - 1}, and "
            "-1 is unknown"
        )
    return labels.copy()  # what comes in may change
