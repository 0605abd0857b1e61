"""The number of clusters by information: corners of what clusters say about edges against what their labels cost."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from ...exceptions import warn_user
from ..partition.quotient import is_huge
from ..pipeline.drafts import coreset_draft
from ..pipeline.known import NOTHING
from ..pipeline.loop import find_partition
from ..pipeline.settings import resolve_settings
from .result import selection

# Slopes lie between 0 and 1; a smaller difference is rounding, and one below the second chance: where a few nodes are
# cut off, a random graph of 300,000 nodes had a corner of .0002, and no other.
_ROUNDING, _CHANCE = 1e-9, 1e-3
_BLOCK = 1 << 20
# A corner stands out if none is as sharp as this share of it, but for those at numbers within this factor. Both are
# from the half of `python -m bench run known-k` that is for calibration; the other half says what they are worth.
_RIVAL, _NEAR = 0.4, 1.25


def label_price(graph, n_edges=None):
    """Return the price of a nat of labels in nats for each edge: nodes over edges, as labels take ``n log k`` nats."""
    return (graph.n_nodes - graph.n_isolated) / (effective_edges(graph) if n_edges is None else n_edges)


def effective_edges(graph):
    """Number of edges that carry as much evidence, if all had the same weight: ``(sum w)^2 / sum w^2``."""
    if not graph.is_weighted:
        return 0.5 * graph.n_entries
    # By blocks: nothing as large as the graph is made.
    blocks = (graph.weights[i : i + _BLOCK].astype(np.float64) for i in range(0, graph.n_entries, _BLOCK))
    total = float(graph.degrees.sum())
    # In this order, so that weights of any magnitude neither overflow nor vanish.
    return 0.5 / sum(float(np.square(block / total).sum()) for block in blocks)


def concave_hull(x, y):
    """Indices of the vertices of the least concave function above the points; x ascending."""
    kept = [0]
    for i in range(1, len(x)):
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            if (y[i] - y[b]) * (x[b] - x[a]) < (y[b] - y[a]) * (x[i] - x[b]):
                break
            kept.pop()
        kept.append(i)
    return np.array(kept)


@dataclass(frozen=True, eq=False)
class Corners:
    """Corners of the information curve, for k = 1, 2, ..., n."""

    scores: np.ndarray  # how much the slope falls at k; 0 without a corner and at k = 1, NaN (not known) at the last k
    hull: np.ndarray  # the least concave function above the information, as a function of the labels' cost

    def doubt(self, k):
        """Why k does not stand out; None if it does."""
        known = np.nan_to_num(self.scores)
        if known[k - 1] <= _CHANCE:
            return f"the sharpest corner, of {known[k - 1]:.2g}, is at k = {k}, and may be chance"
        ks = np.arange(1, len(known) + 1)
        far = np.where(_is_far(ks, k), known, -1.0)
        rival, best, second = int(ks[np.argmax(far)]), known[k - 1], far.max()
        if second > _RIVAL * best:
            return f"the sharpest corner, of {best:.2g}, is at k = {k}, and one of {second:.2g} at {rival}"
        if _NEAR * k > ks[-1]:
            return f"the sharpest corner is at k = {k}, and little is known of larger ones than that"
        return None


def _is_far(one, other):
    """Whether numbers of clusters are so different that a corner at one speaks against the other."""
    return (one > _NEAR * other) | (_NEAR * one < other)


def information_corners(information, costs, price):
    """Find corners of information against the labels' cost, for k = 1, 2, ..., n; slopes below `price` count as it.

    Labels cost log k, or the entropy of the clusters. Slopes, the share of each further nat of labels that edges
    confirm, lie between 0 and 1 but for noise. The k at a vertex of the hull is best by ``information - s costs`` for
    all prices s between the slopes after and before it: the score is the length of that range.
    """
    n = len(information)
    kept = concave_hull(costs, information)
    hull = np.interp(costs, costs[kept], information[kept])
    scores = np.zeros(n)
    if n > 1:
        # Of every stretch of the hull; a gain of more than a nat for a nat is noise of the tree.
        steps = np.clip(np.diff(information[kept]) / np.diff(costs[kept]), price, max(1.0, price))
        falls = -np.diff(steps)
        scores[kept[1:-1]] = np.where(falls < _ROUNDING, 0.0, falls)
        scores[-1] = np.nan
    return Corners(scores, hull)


def _curves(sweeps):
    """Information and entropy [k - 1] of k clusters, means over coresets, as far as each has so many micro-clusters."""
    most = min(sweep.n_micro_clusters for sweep in sweeps)
    return tuple(
        np.mean([getattr(sweep, name)[:most] for sweep in sweeps], axis=0) for name in ("information", "entropy")
    )


class _Reading(NamedTuple):
    """Corners of information against one cost of labels, and the candidate with the sharpest."""

    best: int
    score: float
    corners: Corners

    @classmethod
    def of(cls, information, costs, price, candidates):
        """Read a curve [k - 1]; the last known number has no score, and counts as the least sharp."""
        corners = information_corners(information, costs, price)
        scores = np.nan_to_num(corners.scores[candidates - 1], nan=-1.0)
        at = int(np.argmax(scores))
        return cls(int(candidates[at]), float(scores[at]), corners)

    @property
    def doubt(self):
        """Why `best` does not stand out; None if it does."""
        return self.corners.doubt(self.best)

    def doubt_beside(self, other):
        """Why `best` does not stand out beside another reading; None if it does."""
        if self is other or not _is_far(other.best, self.best) or other.score <= _RIVAL * self.score:
            return None
        sharp = f"the sharpest corner is at k = {self.best}"
        return f"{sharp} if clusters may be uneven, and at {other.best} if they are of about one size"


def by_information(graph, sweeps, candidates, options):
    """The number at the sharpest corner that stands out, of even or of uneven clusters; it warns where none does."""
    price, at = label_price(graph, options.n_edges), candidates - 1
    information, entropy = _curves(sweeps)
    even, uneven = (
        _Reading.of(information, costs, price, candidates)
        for costs in (np.log(np.arange(1, len(information) + 1)), entropy)
    )
    clear = [reading for reading in (even, uneven) if reading.doubt is None]
    taken = max(clear, key=lambda reading: reading.score, default=even)
    doubt = taken.doubt or taken.doubt_beside(even)
    curves = {"information (nats)": information[at], "concave hull": taken.corners.hull[at]}
    choice = replace(selection("information", candidates, taken.corners.scores[at], curves), clear=doubt is None)
    if doubt is None:
        return choice
    if taken.score > 0:
        warn_user(
            f"no number of clusters stands out: {doubt}; choose by what the clusters are for, or look at "
            "KSelection.plot (--report) and at other methods"
        )
        return choice
    # No corner: at every price one end of the candidates is best, and at the price that labels have it is this one.
    best = int(candidates[int(np.argmax(information[at] - price * np.log(candidates)))])
    if best == candidates[0]:
        found = _by_modularity(graph, len(sweeps), options) if len(candidates) > 1 else best
        finer = _best_of_the_finer(information[at], candidates, price)
        if options.falls_back and found > best:
            most = int(candidates[np.searchsorted(candidates, found, "right") - 1])
            warn_user(
                "the edges do not clearly support a division: none that was found pays for its description; modularity "
                f"gives {found}, and k = {most} is taken, though modularity divides random graphs too: see the "
                "stability of the labels, or give n_clusters"
            )
            return replace(choice, best=most, method="modularity")
        warn_user(
            f"k = {best}, the least of the candidates, is chosen: no finer division of this graph that was found pays "
            f"for its description{finer}" + f"; modularity gives {found}" * (found > best)
        )
    else:
        warn_user(
            f"no number of clusters stands out: information grows evenly up to k = {best}, the best of the candidates; "
            "give larger candidates, or choose by what the clusters are for"
        )
    return replace(choice, best=best)


def _best_of_the_finer(information, candidates, price):
    """Describe gain and cost, over the first candidate, of the one that would pay first, were labels cheaper."""
    if len(candidates) == 1:
        return ""
    gains, nats = information[1:] - information[0], np.log(candidates[1:] / candidates[0])
    i = int(np.argmax(gains / nats))
    return (
        f"; the best of them, k = {candidates[i + 1]}, gains {gains[i]:.3g} nats for each edge where its labels cost "
        f"{price * nats[i]:.3g}; a fit of that number may gain more"
    )


def _by_modularity(graph, n_drafts, options):
    """Count the clusters of largest modularity."""
    n_drafts = 1 if is_huge(graph.n_entries) else n_drafts
    settings = resolve_settings(graph, None, objective="modularity", effort=n_drafts)
    problem = NOTHING.problem(graph.rows, settings)

    def draft(number, earlier, best, streams, n_jobs, stages):
        return coreset_draft(graph, problem, settings, streams, n_jobs, stages)

    found = find_partition(problem, draft, options.streams.child("modularity"), n_drafts, n_jobs=options.n_jobs)
    return int(found.best.labels.max()) + 1


def by_resolution(sweeps, candidates, resolution):
    """The number of clusters with the largest information, in the mean over coresets, less labels at their price."""
    information = _curves(sweeps)[0][: len(candidates)]
    candidates = candidates[: len(information)]
    found = selection(
        "resolution", candidates, information - np.log(candidates) / resolution, {"information (nats)": information}
    )
    if found.best == 1 < len(candidates):
        warn_user(
            f"resolution={resolution:g} finds one cluster: no division says as much about edges as its labels cost; "
            "give a larger resolution, n_clusters='auto', or objective='modularity', whose resolution is Leiden's and "
            "Louvain's"
        )
    if found.best == candidates[-1] > 1:
        warn_user(
            f"resolution={resolution:g} asks for the most clusters that it can choose from, {found.best}; for "
            "more give n_clusters, or see the levels of a fit's tree"
        )
    return found
