"""How many clusters a graph, or the neighbour graph of vectors, has."""

from dataclasses import replace
from numbers import Integral
from typing import NamedTuple

import numpy as np

from ...base.streams import Streams
from ...base.threads import map_items
from ...base.types import AnyData, Iterable, RandomState
from ...base.validation import check_choice, check_integer
from ...base.warn import warn_user
from ...exceptions import InputError, ParameterError
from ...graphs.as_graph import as_graph, is_graph, refuse_as_vectors
from ...graphs.graph import Graph
from ...graphs.magnitude import in_range
from ...neighbors.neighbors import graph_of_vectors
from ..pipeline.balance import certainty, most_even, others
from ..pipeline.parameters import PARAMETERS
from ..pipeline.settings import resolve
from . import penalty as _penalty
from .result import KSelection, selection
from .scores import (
    Corners,
    agreement_at,
    description_gain,
    information_corners,
    label_price,
    laplacian_eigenvalues,
)
from .sweep import micro_cluster_trees, n_trees

# Where nobody says how far to look: as far as clusters of sqrt(n) / 2 nodes, and not beyond this.
_MAX_CANDIDATES = 2000
# These take the longer, the more candidates there are.
_FEWER_CANDIDATES = {"eigengap": 200, "stability": 200}
# What a nat of labels is taken to earn where no clusters of one size are seen, and so nothing is known of it.
_WORTH = 0.5


class _Asked(NamedTuple):
    """What some methods need besides the sweep."""

    balance: float | str
    streams: Streams
    n_jobs: int | None


def select_n_clusters(
    X: AnyData, candidates: Iterable[int] | None = None, *, method: str = "information", n_neighbors: int = 10,
    metric: str = "euclidean", balance: float | str = "auto", n_coresets: int | None = None,
    random_state: RandomState = None, n_jobs: int | None = None,
) -> KSelection:  # fmt: skip
    """Choose the number of clusters of a graph, or of vectors through their kNN graph.

    Parameters
    ----------
    X : Graph, sparse matrix, networkx or igraph graph, or array-like of shape (n_samples, n_features)
        Graph objects and square sparse matrices are graphs; everything else is vectors.
    candidates : iterable of int, optional
        Numbers of clusters to choose from, each from 1 to the number of nodes that have an edge. Default: 1 to
        ``2 sqrt(n)``, at most 2,000 ("eigengap" and "stability", which are slow: 200).
    method : {"information", "description-length", "eigengap", "merge-gap", "stability", "penalty"}
        See Notes. The default is "information".
    n_neighbors, metric
        For the kNN graph of vectors, see :func:`graphcore.knn_graph`.
    balance : float in (0, 1] or "auto", default "auto"
        For "information": how even the clusters are to be, see :class:`graphcore.CoresetSpectralClustering`; with 1
        uneven ones are not looked for.
    n_coresets : int, optional
        Coresets to sweep over, at least 2 for "stability". Default: for "information" and "stability" as many as a
        fit takes (4, but on huge graphs 1, and 2 for "stability"), otherwise 1.
    random_state : int, numpy Generator, RandomState or None, default None
    n_jobs : int, optional
        Threads; given a graph, the result does not depend on it.

    Returns
    -------
    KSelection

    Raises
    ------
    InputError, ParameterError
        If X cannot be used, a candidate is out of range, or the method is not known.

    Notes
    -----
    All methods but "penalty" on vectors look at the same sweep: micro-clusters of a coreset, as in a fit, merged
    pair by pair down to one cluster. A sweep over all k costs about as much as a fit for one k.

    "information"
        The information J(k) that clusters have about edges (the objective that fits raise) against log k, the most
        that k clusters can have. The candidate with the sharpest corner of the concave hull is taken: it is the best
        under the widest range of prices for a nat of labels. Prices below n nodes / n edges do not count, since labels
        that earn less do not pay for their own description; so graphs without clusters get k = 1. J(k) is the mean
        over the coresets, so that corners that one tree has by chance even out. `clear` is True if the curve goes on
        for a quarter beyond k, and no number that is not within a quarter of it has a corner more than 0.4 times as
        sharp. If it is not, clusters may be uneven: corners are looked for against the entropy of the labels instead
        of log k, with merging at several balances, and of those that stand out by the same measure the one is taken
        that leaves least doubt (the rule by which a fit chooses its balance), with a warning. If none does, it is the
        first one, with a warning. If there is no corner, the candidate
        that is best at the least price is taken: 1, or the last one.
    "description-length"
        The k whose partition gives the shortest description of the graph by a degree-corrected planted partition
        model. Finds the finest clusters that the edges support, which for kNN graphs are many small patches.
    "eigengap"
        Largest gap ``lambda_(k+1) - lambda_k`` of the normalised Laplacian of the graph between micro-clusters.
    "merge-gap"
        Largest difference between what the last union into k clusters, and the next one, cost.
    "stability"
        Largest mean adjusted Rand index between the partitions of different coresets; 1 is never chosen unless it is
        the only candidate.
    "penalty"
        Least penalised error of k-means, `penalty`: scikit-learn's k-means for
        vectors, the kernel k-means cost of the tree's partitions for graphs, where it is a mere heuristic. Picks 1 for
        small n (always up to 117, most often far beyond).

    Examples
    --------
    >>> import graphcore
    >>> graph, _ = graphcore.datasets.planted_partition(5, 100, 0.2, 0.01, random_state=0)
    >>> graphcore.select_n_clusters(graph, random_state=0).best
    5
    """
    check_choice("method", method, METHODS)
    streams = Streams(random_state)
    balance = next(each for each in PARAMETERS if each.name == "balance").check(balance)
    if n_coresets is not None and check_integer("n_coresets", n_coresets, low=1) < 2 and method == "stability":
        raise ParameterError("n_coresets=1 is too few for method='stability', which compares coresets; use 2 or more")
    if isinstance(candidates, (str, bytes)):
        raise ParameterError(f"candidates={candidates!r} must be integers, such as range(2, 21), or None")
    if not is_graph(X):
        X = _as_vectors(X)
        if method == "penalty":
            ks = _as_candidates(candidates, X.shape[0], "vectors")
            return _penalised(_penalty.KMeansErrors(X, streams), ks, X.shape[0], _penalty.radius_of(X))
        X, _ = graph_of_vectors(X, n_neighbors, metric=metric, random_state=streams, n_jobs=n_jobs)
    graph = in_range(X if isinstance(X, Graph) else as_graph(X))
    n_linked = graph.n_nodes - graph.n_isolated
    if n_linked == 0:
        raise InputError(f"all {graph.n_nodes} nodes are isolated: a graph without edges has no clusters")
    ks = _as_candidates(candidates, n_linked, "nodes that have an edge", _FEWER_CANDIDATES.get(method))
    if n_coresets is None:
        n_coresets = n_trees(graph) if method in ("information", "stability") else 1
        n_coresets = max(n_coresets, 2) if method == "stability" else n_coresets
    # One more than asked about, since a gap or a corner needs what comes next.
    trees = micro_cluster_trees(
        graph, min(int(ks[-1]) + 1, n_linked), n_coresets=n_coresets, random_state=streams, n_jobs=n_jobs
    )
    return _CHOICES[method](graph, trees, ks, _Asked(balance, streams, n_jobs))


def choose_for_fit(graph, asked, *, random_state=None, n_jobs=None):
    """Choose the number of clusters for a fit that leaves it to the default method or to a resolution (KSelection).

    `asked` is what `check_settings` returns; a coreset size and a least size of
    clusters that are given bound the candidates.
    """
    settings = resolve(asked.of(1), graph)  # so that every mistake is found before any work
    n_linked = graph.n_nodes - graph.n_isolated
    most = n_linked // settings.min_cluster_size
    if asked.steps.coreset_size != "auto":
        most = min(most, settings.coreset_size)
    candidates = default_candidates(n_linked)[:most]
    streams = Streams(random_state).child("choice of k")
    if asked.left_to == "information":
        balance = asked.values["balance"]
        return select_n_clusters(graph, candidates, balance=balance, random_state=streams, n_jobs=n_jobs)
    return _by_resolution(in_range(graph), settings.resolution, candidates, streams, n_jobs)


def _by_resolution(graph, resolution, candidates, streams, n_jobs):
    """The number of clusters with the largest information, in the mean over coresets, less labels at their price."""
    trees = micro_cluster_trees(
        graph, int(candidates[-1]), n_coresets=n_trees(graph), random_state=streams, n_jobs=n_jobs
    )
    information = _curves(trees)[0][: len(candidates)]
    candidates = candidates[: len(information)]
    scores = information - np.log(candidates) / resolution
    found = selection("resolution", candidates, scores, {"information (nats)": information})
    if found.best == candidates[-1] > 1:
        warn_user(
            f"resolution={resolution:g} asks for the most clusters that it can choose from, {found.best}; for "
            "more give n_clusters, or see the levels of a fit's tree"
        )
    return found


def _curves(trees):
    """Information and entropy [k - 1] of k clusters, means over coresets, as far as each has so many micro-clusters."""
    most = min(tree.n_micro_clusters for tree in trees)
    return tuple(np.mean([getattr(tree, name)[:most] for tree in trees], axis=0) for name in ("information", "entropy"))


def default_candidates(n):
    """1 to ``2 sqrt(n)``, at most 2,000 and at most n."""
    return np.arange(1, max(1, min(n, _MAX_CANDIDATES, max(2, int(2 * np.sqrt(n))))) + 1)


class _Corner(NamedTuple):
    """What a sweep says at one balance: corners of information against what labels are taken to cost."""

    best: int
    information: np.ndarray  # [k - 1]
    entropy: np.ndarray
    corners: Corners
    balance: float

    @property
    def is_clear(self):
        """Whether `best` stands out."""
        return self.corners.scores[self.best - 1] > 0 and self.corners.doubt(self.best) is None

    def choice(self, candidates, **known):
        """As a KSelection."""
        at = candidates - 1
        curves = {"information (nats)": self.information[at], "concave hull": self.corners.hull[at]}
        found = selection("information", candidates, self.corners.scores[at], curves)
        return replace(found, balance=self.balance, **known)


def _corner(trees, price, candidates, balance=None):
    """The sharpest of the candidates; without a balance labels cost log k, as those of clusters of one size."""
    information, entropy = _curves(trees)
    costs = np.log(np.arange(1, len(entropy) + 1)) if balance is None else entropy
    corners = information_corners(information, costs, price)
    best = int(candidates[int(np.argmax(np.nan_to_num(corners.scores[candidates - 1], nan=-1.0)))])
    return _Corner(best, information, entropy, corners, 1.0 if balance is None else balance)


def _uneven_corner(trees, even, price, candidates, asked):
    """The number that stands out if clusters may be uneven, at the balance that leaves least doubt; None if none is."""
    k = even.best
    worth = even.information[k - 1] / even.entropy[k - 1] if k > 1 else _WORTH
    found = []
    for balance in (1.0,) * (asked.balance == "auto") + others(asked.balance):
        priced = map_items(lambda tree, b=balance: tree.at((1.0 - b) * worth), trees, asked.n_jobs)
        found.append(_corner(priced, price, candidates, balance))
    clear = [corner for corner in found if corner.is_clear]
    scores = [certainty(corner.information[corner.best - 1], corner.entropy[corner.best - 1]) for corner in clear]
    return clear[most_even(scores)] if clear else None


def _by_information(graph, trees, candidates, asked):
    price, at = label_price(graph), candidates - 1
    even = _corner(trees, price, candidates)
    if even.is_clear:
        return even.choice(candidates, clear=True)
    uneven = _uneven_corner(trees, even, price, candidates, asked)
    if uneven is not None:
        warn_user(
            f"no number of clusters of about one size stands out; k = {uneven.best} does if they are uneven, which is "
            "less sure: choose by what the clusters are for, or look at KSelection.plot (--report) and at other methods"
        )
        return uneven.choice(candidates, clear=False)
    (k, information, _, corners, _), choice = even, replace(even.choice(candidates, clear=False), balance=None)
    if corners.scores[k - 1] > 0:
        warn_user(
            f"no number of clusters stands out: {corners.doubt(k)}; choose by what the clusters are for, or look at "
            "KSelection.plot (--report) and at other methods"
        )
        return choice
    # No corner: at every price one end of the candidates is best, and at the price that labels have it is this one.
    best = int(candidates[int(np.argmax(information[at] - price * np.log(candidates)))])
    if best == candidates[0]:
        warn_user(
            f"k = {best}, the least of the candidates, is chosen: no finer division of this graph that was found pays "
            "for its description" + _best_of_the_finer(information[at], candidates, price)
        )
    else:
        warn_user(
            f"no number of clusters stands out: information grows evenly up to k = {best}, the best of the candidates; "
            "give larger candidates, or choose by what the clusters are for"
        )
    return replace(choice, best=best)


def _best_of_the_finer(information, candidates, price):
    """What the candidate that would pay first, were labels cheaper, gains over the first of them, and what it costs."""
    if len(candidates) == 1:
        return ""
    gains, nats = information[1:] - information[0], np.log(candidates[1:] / candidates[0])
    i = int(np.argmax(gains / nats))
    return (
        f"; the best of them, k = {candidates[i + 1]}, gains {gains[i]:.3g} nats for each edge where its labels cost "
        f"{price * nats[i]:.3g}; a fit of that number may gain more"
    )


def _by_description_length(graph, trees, candidates, asked):
    most = min(tree.n_micro_clusters for tree in trees)
    gain = np.max([description_gain(tree, graph)[:most] for tree in trees], axis=0)[candidates - 1]
    return selection("description-length", candidates, gain, {"description saved (nats)": gain})


def _by_eigengap(graph, trees, candidates, asked):
    first = trees[0]
    values = laplacian_eigenvalues(first.rows, int(candidates[-1]) + 1, random_state=asked.streams)
    gaps = np.append(np.diff(values), np.nan)[candidates - 1]
    return selection("eigengap", candidates, gaps, {"eigenvalue of the Laplacian": values[candidates - 1]})


def _by_merge_gap(graph, trees, candidates, asked):
    # heights[k - 1] is what the union of k clusters into k - 1 cost; one cluster was not united.
    heights = np.append(np.append(np.nan, trees[0].tree.heights[::-1]), np.nan)
    gaps = (heights[:-1] - heights[1:])[candidates - 1]
    return selection("merge-gap", candidates, gaps, {"cost of the union below k (nats)": heights[candidates - 1]})


def _by_stability(graph, trees, candidates, asked):
    agreement = np.array([agreement_at(trees, int(k)) if k > 1 else np.nan for k in candidates])
    return selection("stability", candidates, agreement, {"agreement of coresets (ARI)": agreement})


def _by_penalty(graph, trees, candidates, asked):
    error_of, radius = _penalty.kmeans_cost_of_graph(graph, trees[0])
    return _penalised(error_of, candidates, graph.n_nodes - graph.n_isolated, radius)


def _penalised(error_of, candidates, n, radius):
    errors, penalised = _penalty.penalised_curve(error_of, candidates, n, radius)
    return selection("penalty", candidates, -penalised, {"penalised error": penalised, "error": errors})


_CHOICES = {
    "information": _by_information,
    "description-length": _by_description_length,
    "eigengap": _by_eigengap,
    "merge-gap": _by_merge_gap,
    "stability": _by_stability,
    "penalty": _by_penalty,
}
METHODS = tuple(_CHOICES)


def _as_vectors(X):
    from sklearn.utils.validation import check_array

    refuse_as_vectors(X, "graphcore.knn_graph(X)")
    try:
        return check_array(X, accept_sparse="csr", dtype=(np.float32, np.float64), ensure_min_samples=2)
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"X cannot be used as vectors: {error}") from error


def _as_candidates(candidates, n, what, most=None):
    """Ascending, each once; if none are given, at most `most`."""
    if candidates is None:
        return default_candidates(n)[:most]
    try:
        given = list(candidates)
    except TypeError:
        raise ParameterError(f"candidates={candidates!r} must be a sequence of integers, or None") from None
    if not given:
        raise ParameterError("candidates=[] is empty; give numbers of clusters such as range(2, 21), or None")
    for k in given:
        if isinstance(k, (bool, np.bool_)) or not isinstance(k, Integral):
            raise ParameterError(f"candidates: {k!r} must be an integer, got {type(k).__name__}")
        if k < 1:
            raise ParameterError(f"candidates: {k} must be at least 1")
        if k > n:
            raise ParameterError(f"candidates: {k} is more than the {n} {what}")
    return np.unique(np.array(given, dtype=np.int64))
