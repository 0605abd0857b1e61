"""The main job: a graph in, labels out."""

import time
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..base.arrays import read_only
from ..base.locks import cached_property
from ..base.progress import Stages
from ..base.streams import Streams
from ..base.threads import effective_jobs, map_items
from ..base.validation import warn_of_isolated
from ..exceptions import warn_user
from ..graphs.rows import GraphRows
from ..graphs.weights import in_range
from ..kernels.graph import GraphKernel
from .coreset import Coreset, sample_coreset
from .coreset_graph import contract, random_micro_clusters, spread, spread_all
from .coreset_spectral_clustering import coreset_spectral_clustering
from .evidence import matched_clusters, stability
from .refine.improve import (
    coarse_partition,
    form_anew,
    improve,
    merged,
    move_in_cycles,
    moved_as_groups,
    recombine,
    side_by_side,
)
from .refine.limits import cut_in_order, grow_small_clusters, relieve_full_clusters, swap_between_full_clusters
from .refine.merging import agglomerate, hierarchy
from .refine.moves import FEW_MOVES, move_locally
from .refine.problem import (
    Constraints,
    Partition,
    apply_labels,
    common_refinement,
    compact_labels,
    label_sizes,
    matrix_of,
    max_links,
    pick_labels,
    quotient,
)
from .settings import EFFORTS, NOTHING, Known, Settings, resolve_settings
from .spectral import spectral_partition

# Below this, a stability says that drafts disagree on more than they agree on.
UNSURE = 0.5


@dataclass(frozen=True, eq=False)
class Clustering:
    """Labels of all nodes of a graph, with the intermediate results.

    Attributes
    ----------
    labels : ndarray of shape (n_nodes,), int32
        0 to n_clusters - 1; -1 for isolated nodes.
    coreset : Coreset
        Coreset of the first draft.
    coreset_labels : ndarray of shape (n_coreset,), int32
        Clusters of its nodes on the coreset graph; as in `labels` for a run that began with labels given.
    n_unreached : int
        Nodes that no row of it reached.
    cells : ndarray of shape (n_nodes,), int32, or None
        Nodes of the first draft's coreset graph, -1 for isolated nodes; None for an induced one, and for labels given.
    node_stability : ndarray of shape (n_nodes,), float32, or None
        Share of the first drafts, at most four, that agree with a node's label; None for a single draft.
    cluster_stability : ndarray of shape (n_clusters,), float64, or None
    history : list of (str, float)
        The objective (larger is better) after each stage.
    balances : tuple of Trial
        Balances that were tried, with information, entropy, cut share and agreement; empty where a
        balance of 1 was given, or none plays a part.
    search : SearchSteps or None
        When the best partition was found, and what it was worth; None in a file.
    settings : Settings
    seconds : dict
        Seconds of each stage, added up over drafts that are worked on at the same time.
    known : Known
        Labels that stay and weights of nodes, which all labels that come after these keep to as well.
    levels : ndarray of shape (n_levels - 1, n_clusters), int32, or None
        The cluster of each cluster at every coarser level, the coarsest first; None for a single level.
    n_updates : int
        Changes of the graph since the fit.
    """

    labels: np.ndarray
    coreset: Coreset
    coreset_labels: np.ndarray = field(repr=False)
    n_unreached: int
    cells: np.ndarray | None = field(repr=False)
    node_stability: np.ndarray | None = field(repr=False)
    cluster_stability: np.ndarray | None = field(repr=False)
    history: list = field(repr=False)
    balances: tuple = field(repr=False)
    search: "SearchSteps | None" = field(repr=False)
    settings: Settings
    seconds: dict = field(repr=False)
    known: Known = field(repr=False)
    levels: np.ndarray | None = field(repr=False)
    _rows: GraphRows = field(repr=False)  # of the graph; a pickle has None
    n_updates: int = 0

    def __post_init__(self):
        # A fit, an update and a file all set labels through this class.
        # The published algorithm has told of empty clusters itself.
        self.known.check(self.labels, self._rows.degrees, self.settings, tells_of_empty=not self.settings.published)

    @property
    def n_unsure(self):
        """Clusters that hold nodes and have a stability below `UNSURE`; None for a single draft."""
        if self.cluster_stability is None:
            return None
        filled = label_sizes(self.labels[self.labels >= 0], self.settings.n_clusters) > 0
        return int(np.count_nonzero(self.cluster_stability[filled] < UNSURE))

    @property
    def groups(self):
        """Leaves of the merge tree, (n_nodes,) int32: the cells, divided by the clusters; -1 if isolated."""
        return self._leaves[0]

    @property
    def group_labels(self):
        """Clusters of the groups, (n_groups,) int32."""
        return self._leaves[1]

    @property
    def group_graph(self):
        """The graph between the groups, with weights in range (`in_range`)."""
        return self._leaves[2]

    @cached_property
    def _leaves(self):
        return leaves_of(self._rows, self.cells, self.labels, self.settings.n_clusters)

    def changed(self, graph, labels, node_stability, settings):
        """Return the clustering of a changed graph, whose new nodes are numbered last, with its limits of size."""
        cells, before = None, self.cells
        if before is not None:  # nodes that had no edge, or were not there, are a cell of their own
            cells = np.full(graph.n_nodes, before.max() + 1, dtype=np.int32)
            cells[: len(before)][before >= 0] = before[before >= 0]
        return replace(
            self, labels=labels, cells=cells, node_stability=node_stability, settings=settings,
            _rows=in_range(graph).rows, n_updates=self.n_updates + 1,
        )  # fmt: skip

    def __getstate__(self):
        # The tree goes along, and the graph that it is made of does not.
        return {"_leaves": self._leaves} | self.__dict__ | {"_rows": None}

    @cached_property
    def merge_tree(self):
        """MergeTree of the groups through the clusters, made when first asked for.

        Cut into as many clusters as hold nodes it gives `labels`, and likewise every level.
        """
        return merge_tree(self.settings, self._leaves, self.levels)

    @property
    def level_labels(self):
        """Labels of every level, coarse to fine, (n_levels, n_nodes) int32."""
        coarser = () if self.levels is None else self.levels
        return np.stack([*(apply_labels(level, self.labels) for level in coarser), self.labels])


def cluster_graph(graph, settings, *, known=NOTHING, levels=(), random_state=None, n_jobs=None, stages=None):
    """Coreset spectral clustering of a graph: drafts, improved and recombined; or as published, with neither.

    Parameters
    ----------
    graph : Graph
    settings : Settings
        From `resolve_settings`.
    known : Known, optional
        Labels that stay, labels to start from, and weights of the nodes, see
        `check_known`.
    levels : sequence of int, optional
        Numbers of clusters of nested levels, ascending; the last is that of the settings.
    random_state : int, Generator, RandomState or None
    n_jobs : int, optional
        Number of threads; labels do not depend on it.
    stages : Stages, optional
        Measures and announces the stages.

    Returns
    -------
    Clustering

    References
    ----------
    Algorithm 3 of Jourdan, Schwartzman, Macgregor, Sun, "Coreset Spectral Clustering", for drafts.

    Examples
    --------
    >>> import graphcore
    >>> from graphcore.cluster.pipeline import cluster_graph
    >>> from graphcore.cluster.settings import resolve_settings
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> labels = cluster_graph(graph, resolve_settings(graph, 2), random_state=0).labels
    >>> len(set(labels[:3])), len(set(labels[3:]))
    (1, 1)
    """
    stages = Stages() if stages is None else stages
    streams = Streams(random_state)
    if settings.published:
        return _published(in_range(graph), settings, known, streams.child("draft", 0), n_jobs, stages)
    if settings.outliers is None:  # outliers were asked for
        warn_of_isolated(graph)
    graph = in_range(graph)
    rows = graph.rows
    given, known = replace(known, start=None), known.among(rows.degrees)
    problem, k = known.problem(rows, settings), settings.n_clusters
    # Limits from above and labels that stay come last: clusters are looked for as if there were none.
    free = replace(problem, constraints=Constraints(counts=problem.constraints.counts))
    balanced, balances = None, ()
    if settings.balance != 1.0:
        balanced, settings, balances = _balanced(graph, free, settings, streams.child("draft", 0), n_jobs, stages)
        problem, free = (replace(each, objective=settings.record) for each in (problem, free))
    resolved = settings

    def make_draft(number, earlier, best, streams, n_jobs, stages):
        if number == 0 and known.start is not None:
            return given_draft(graph, free, settings, known.start, streams, stages)
        if number == 0 and balanced is not None:
            return balanced
        made = None
        if number >= FROM_SCRATCH and k != 1:
            made = anew_draft(free, best, streams, stages)
        return coreset_draft(graph, free, settings, streams, n_jobs, stages) if made is None else made

    max_drafts = 1 if known.start is not None and not settings.is_search else settings.max_drafts
    found = find_partition(
        free, make_draft, streams, max_drafts, price=settings.price, first_price=settings.first_price,
        time_limit=settings.time_limit, keeps_best=settings.is_search, n_jobs=n_jobs, stages=stages,
    )  # fmt: skip
    first, history, labels = found.first, found.history, found.best.labels
    if k == 0:
        k, labels = _as_found(labels, settings)
        resolved = replace(settings, n_clusters=k)
    if not problem.constraints.is_free:
        with stages("constraints"):
            tree = leaves = None
            if problem.constraints.limits_clusters and known.fixed is None:
                leaves = leaves_of(rows, first.cells, labels, k)
                tree = merge_tree(settings, leaves)
            kept = constrained_partition(
                problem, labels, streams.generator("cycles"), fixed=known.fixed, groups=leaves and leaves[0], tree=tree,
                n_jobs=n_jobs,
            )  # fmt: skip
        labels = kept.labels
        history.append(("constraints", kept.value))
    node_stability = cluster_stability = level_tables = None
    if len(levels) > 1:
        with stages("levels"):
            leaves = leaves_of(rows, first.cells, labels, k)
            tree, drawn = merge_tree(settings, leaves), streams.child("levels")
            kept, level_tables = nested_levels(free, labels, leaves, tree, levels, drawn, n_jobs)
        labels = kept.labels
        history.append(("levels", kept.value))
    if len(found.base_partitions) > 1:
        most = max(k, *(int(each.max()) + 1 for each in found.base_partitions))
        node_stability, cluster_stability = stability(labels, found.base_partitions, most, n_jobs)
        cluster_stability = cluster_stability[:k]
    return Clustering(
        labels=labels, coreset=first.coreset.of_graph(graph, SELF_LOOP),
        coreset_labels=labels[first.coreset.indices] if first.coreset_labels is None else first.coreset_labels,
        n_unreached=first.n_unreached, cells=first.cells, node_stability=node_stability,
        cluster_stability=cluster_stability, history=history, balances=balances, search=found.steps,
        settings=resolved, seconds=dict(stages.seconds), known=given, levels=level_tables, _rows=rows,
    )  # fmt: skip


def _as_found(labels, settings):
    """Return the number of clusters that moves have left, and labels of them, the largest first."""
    k = int(labels.max()) + 1
    sizes = label_sizes(labels, k)
    if np.count_nonzero(sizes > 1) == 1:
        warn_user(
            f"objective={settings.objective!r} finds one cluster of more than one node at "
            f"resolution={settings.record.resolution:g}; give a larger resolution, or n_clusters"
        )
    table = np.empty(k, dtype=np.int32)
    table[np.argsort(-sizes, kind="stable")] = np.arange(k)
    return k, apply_labels(table, labels)


def _published(graph, settings, known, streams, n_jobs, stages):
    """Return the Clustering of the published algorithm: spectral clustering of the induced coreset graph."""
    with stages("published algorithm"):
        found = coreset_spectral_clustering(
            graph, settings.n_clusters, coreset_size=settings.coreset_size, sampling=settings.sampling,
            self_loop=SELF_LOOP, coreset_graph="induced", eigen_solver=settings.eigen_solver, random_state=streams,
            n_jobs=n_jobs,
        )  # fmt: skip
    return Clustering(
        labels=found.labels, coreset=found.coreset, coreset_labels=found.coreset_labels, n_unreached=found.n_unreached,
        cells=None, node_stability=None, cluster_stability=None, history=[], balances=(), search=None,
        settings=settings, seconds=dict(stages.seconds), known=known, levels=None, _rows=graph.rows,
    )  # fmt: skip


def _balanced(graph, problem, settings, streams, n_jobs, stages):
    """Return the first draft, settings at the balance that it was merged at, and what else was tried."""
    between = coreset_graph_of(graph, problem, settings, streams, n_jobs, stages)
    with stages("balance"):
        choice = choose_balance(
            between.problem, settings.balance or "auto", streams, eigen_solver=settings.eigen_solver, n_jobs=n_jobs
        )
    settings = replace(settings, balance=choice.balance, entropy_price=choice.price)
    return labelled_draft(between, choice.table, n_jobs, stages), settings, choice.trials


# A round has as many drafts as there were before, at most so many.
_MOST_AT_ONCE = 16
# Rounds in turn that gain nothing, rounding aside, after which another is not begun: on small graphs the best partition
# is found at once, and a price in proportion to the entries never ends the search.
_IDLE_ROUNDS, _ROUNDING = 4, 1e-12
# Seconds that a draft takes at least, where a clock shows none.
_INSTANT = 1e-6


class SearchSteps(NamedTuple):
    """When the best partition was found, round by round."""

    seconds: np.ndarray  # (n_rounds,) float64: since the first draft began
    values: np.ndarray  # (n_rounds,) float64: the objective then
    n_drafts: int  # in all rounds


@dataclass(frozen=True, eq=False)
class Found:
    """Result of the loop over drafts."""

    best: Partition
    first: "Draft"  # the first draft
    base_partitions: list = field(repr=False)  # labels of the first drafts, improved but not recombined
    history: list = field(repr=False)  # of (str, float): the objective after each stage
    steps: SearchSteps


def find_partition(
    problem, make_draft, streams, max_drafts=None, *, price=0.0, first_price=0.0, time_limit=None, keeps_best=False,
    n_jobs=None, stages=None,
):  # fmt: skip
    """Draft, improve, recombine: drafts meet as in a tournament, and the winner of a round meets the best so far.

    ``make_draft(number, earlier, best, streams, n_jobs, stages)`` returns a Draft of the Problem; it may look at the
    labels of the first drafts of `earlier` rounds, and at the `best`. The first round has two drafts, or one where a
    second does not pay (by `first_price`, if that is more than `price`); each later one as many as there were before.
    Rounds end at `max_drafts` drafts, when a round gains less than `price` for each of its drafts and each entry of the
    graph, without `max_drafts` when several in turn gain nothing, or where another would last longer than `time_limit`
    seconds, by the drafts before; with `keeps_best` also at Ctrl-C.
    """
    stages = Stages() if stages is None else stages
    begun, n_entries = time.monotonic(), len(problem.rows.indices)
    prices = max(price, first_price) * n_entries, price * n_entries  # of the first round and of later ones
    max_drafts = np.inf if max_drafts is None else max_drafts
    best: Any = None
    first: Any = None
    history: list = []
    base_partitions: list = []
    steps: list = []
    n_drafts = n_idle = 0
    spread = gain = problem.record.spread

    def drafted(number, n_jobs, stages):
        own, told = streams.child("draft", number), list[tuple[str, float]]()
        made = make_draft(number, base_partitions, best and best.labels, own, n_jobs, stages)
        with stages("moves"):
            return made, improve(problem, made.labels.copy(), own.generator("moves"), n_jobs, told), told

    def recombined(pair, n_jobs, stages):
        (number, one), (_, other) = pair
        # Random numbers by what meets, whatever thread and turn it is in.
        rng = streams.generator("recombination", sum(number for number, _ in pair))
        with stages("recombining"):
            return number, recombine(problem, one, other, rng, n_jobs)

    try:
        while best is None or max_drafts < np.inf or n_idle < _IDLE_ROUNDS:
            n_new = int(min(n_drafts or 2, _MOST_AT_ONCE, max_drafts - n_drafts))
            if best is not None and time_limit is not None:
                passed = time.monotonic() - begun
                n_new = int(min(n_new, drafts_within(time_limit, n_drafts, passed)))
            # Few drafts that are alike say little: there may be more to gain than they show.
            if max(gain, spread / max(1, n_drafts)) <= prices[best is not None] * (n_new - (best is None)):
                n_new = 1 if best is None else 0
            if n_new == 0:
                break
            numbers = range(n_drafts, n_drafts + n_new)
            drafts = _side_by_side(drafted, "drafts", numbers, n_jobs, stages)
            values = [improved.value for _, improved, _ in drafts]
            met = [(number, improved) for number, (_, improved, _) in zip(numbers, drafts, strict=True)]
            while len(met) > 1:
                pairs = list(zip(met[::2], met[1::2], strict=False))
                met = _side_by_side(recombined, "recombinations", pairs, n_jobs, stages) + met[2 * len(pairs) :]
            if best is None:
                (first, _, history), before = drafts[0], np.mean(values)
            else:
                before, met = best.value, [recombined(((n_drafts, best), met[0]), n_jobs, stages)]
            base_partitions += [improved.labels for _, improved, _ in drafts[: FROM_SCRATCH - len(base_partitions)]]
            ((_, best),), n_drafts = met, n_drafts + n_new
            gain = (best.value - before) / max(abs(best.value), np.finfo(float).tiny)
            n_idle = n_idle + 1 if abs(gain) <= _ROUNDING else 0
            steps.append((time.monotonic() - begun, best.value))
            if n_drafts > 1:
                history.append((f"{n_drafts} drafts recombined", best.value))
    except KeyboardInterrupt:
        if best is None or not keeps_best:
            raise
        warn_user(f"interrupted after {n_drafts} drafts: the best labels so far are returned")
    seconds, values = map(read_only, np.array(steps).T)
    return Found(best, first, base_partitions, history, SearchSteps(seconds, values, n_drafts))


def count_by_modularity(graph, n_drafts, streams, n_jobs=None):
    """Count the clusters of largest modularity."""
    settings = resolve_settings(graph, None, objective="modularity", effort=n_drafts)
    problem = NOTHING.problem(graph.rows, settings)

    def draft(number, earlier, best, streams, n_jobs, stages):
        return coreset_draft(graph, problem, settings, streams, n_jobs, stages)

    return int(find_partition(problem, draft, streams, n_drafts, n_jobs=n_jobs).best.labels.max()) + 1


def drafts_within(time_limit, n_drafts, seconds):
    """Return how many more drafts, as a float, end within the limit, if `n_drafts` took so many seconds."""
    return max(0.0, time_limit - seconds) * n_drafts / max(seconds, _INSTANT)


def _side_by_side(work, name, items, n_jobs, stages):
    """``work(item, n_jobs, stages)`` of every item: one with all threads, several with a share and a clock each."""
    if len(items) == 1:
        return [work(items[0], n_jobs, stages)]
    clocks, context = [Stages() for _ in items], copy_context()
    share = max(1, effective_jobs(n_jobs) // len(items))
    with stages(f"{len(items)} {name}", total=False):
        results = map_items(lambda i: context.copy().run(work, items[i], share, clocks[i]), range(len(items)), n_jobs)
    for clock in clocks:
        for stage, seconds in clock.seconds.items():
            stages.seconds[stage] = stages.seconds.get(stage, 0.0) + seconds
    return results


# Parts for each cluster. With 2, a small cluster shares its part with a piece of a large one: ARI .80 on 33 sets of
# uneven clusters, and .88, .88, .89 and .87 with 3, 4, 6 and 8; J of 20 real graphs is within .04 % for all of them.
PARTS = 6
# Weight of the loop on every node inside the kernel, in mean weights, as published.
SELF_LOOP = 1.0
# The drafts of the default are made from scratch, and say how sure labels are; later ones begin with the best.
FROM_SCRATCH = EFFORTS["default"][0]


def spectral_parts(problem, streams, *, eigen_solver="power", n_jobs=None):
    """Cut a coreset graph into six parts for each cluster: (labels (n,) int32, the Problem of the graph between them).

    The parts come from spectral clustering, and from one pass of moves of single nodes of the coreset graph that raise
    the objective. Every node is a part if there are no fewer parts than nodes, or fewer different rows than clusters.
    """
    n, k = len(problem.rows.degrees), problem.n_clusters
    n_parts, every_node = PARTS * k, (np.arange(n, dtype=np.int32), problem)
    if k == 1 or n_parts >= n:
        return every_node
    labels = spectral_partition(
        matrix_of(problem.rows), k, n_parts=n_parts, eigen_solver=eigen_solver, random_state=streams, n_jobs=n_jobs
    ).labels
    n_parts = compact_labels(labels, n_parts)
    if n_parts < k:
        return every_node
    free = replace(problem.without_limits(n_parts), min_share=problem.min_share)
    move_locally(free, labels, order=streams.generator("order").permutation(n), n_passes=1, n_jobs=n_jobs)
    return labels, replace(problem.between(labels, n_parts, n_jobs), n_clusters=k)


@dataclass(frozen=True, eq=False)
class Draft:
    """Labels of all nodes, and what they were made from."""

    labels: np.ndarray = field(repr=False)  # (n,) int32, -1 for isolated nodes
    coreset: Coreset | None = None
    coreset_labels: np.ndarray | None = field(default=None, repr=False)  # of the coreset nodes, on the coreset graph
    n_unreached: int = 0  # nodes that no row of the coreset reached
    cells: np.ndarray | None = field(default=None, repr=False)  # (n,) int32: nodes of the coreset graph


def coreset_draft(graph, problem, settings, streams, n_jobs, stages):
    """The stages of `coreset_spectral_clustering`, in which the coreset graph is cut into parts, and these are merged.

    Where the number of clusters is free there is no number of parts either: merging begins with the cells.
    """
    between, parts = coreset_graph_of(graph, problem, settings, streams, n_jobs, stages), None
    if problem.min_size:
        with stages("spectral partition"):
            parts = spectral_parts(between.problem, streams, eigen_solver=settings.eigen_solver, n_jobs=n_jobs)
    with stages("merging"):
        labels = coarse_partition(between.problem, streams.generator("merging"), parts, n_jobs)
    return labelled_draft(between, labels, n_jobs, stages)


def coreset_graph_of(graph, problem, settings, streams, n_jobs, stages):
    """Return the ContractedGraph of a coreset that is drawn for it."""
    with stages("coreset"):
        kernel = GraphKernel(graph, SELF_LOOP)
        coreset = _drawn(kernel, settings, streams)
    with stages("coreset graph"):
        return contract(kernel, coreset, problem, n_jobs)


def labelled_draft(between, labels, n_jobs, stages):
    """Return the Draft that labels of the nodes of a ContractedGraph make, (n_cells,) int32."""
    with stages("kernel distances"):
        of_nodes, n_unreached = between.label_nodes(labels, int(labels.max()) + 1, n_jobs)
        grow_small_clusters(between.whole, of_nodes)
    return Draft(of_nodes, between.coreset, between.coreset_labels(labels), n_unreached, between.cells)


def given_draft(graph, problem, settings, given, streams, stages):
    """Return a Draft of given labels; nodes of -1 follow their neighbours. A coreset is drawn all the same."""
    k, rows, labels = problem.n_clusters, problem.rows, given.copy()
    with stages("coreset"):
        coreset = _drawn(GraphKernel(graph, SELF_LOOP), settings, streams)
    with stages("start"):
        spread_all(rows, labels, k)
        grow_small_clusters(problem, labels)
    return Draft(labels, coreset)


def anew_draft(problem, labels, streams, stages):
    """Form 2 to half of all clusters anew, which lie side by side, in the best labels so far; None if that cannot be.

    Their number is drawn evenly on a logarithmic scale: some seams are between two clusters, others between many.
    """
    problem, rng = problem.spanning(labels), streams.generator("anew")
    n_chosen = round(np.exp(rng.uniform(np.log(2.0), np.log(max(2.0, problem.n_clusters / 2)))))
    with stages("forming anew"):
        formed = form_anew(problem, labels, side_by_side(problem, labels, n_chosen, rng), rng)
    return None if formed is None else Draft(formed)


def _drawn(kernel, settings, streams):
    """Return the coreset that the settings ask for."""
    return sample_coreset(
        kernel, max(1, settings.n_clusters), size=settings.coreset_size, method=settings.sampling, replace=False,
        random_state=streams,
    )  # fmt: skip


# The candidates of balance="auto". At 1 the objective is the information alone, whose entropy favours even clusters.
BALANCES = (1.0, 0.7, 0.5, 0.3)
# The weight of the logarithm of residual uncertainty, and the least uncertainty that is told from none. On 69 generated
# sets and 20 real ones weights of .1 to .2 do the same to a thousandth of the mean ARI (docs/choose_k.md).
_DOUBT, _LEAST_DOUBT = 0.15, 0.01
# What agreement counts. On 132 generated sets and 23 real ones a weight of .5 gains another .03 where there is noise,
# and gives up clusters of letters (docs/choose_k.md).
_AGREEMENT = 0.3
# Scores that differ by less do so by chance: where draws agree on little, it is a little more at each step.
_NOISE = 0.05


class Trial(NamedTuple):
    """Scores of the partition of a coreset graph at one balance."""

    balance: float
    information: float  # J, in nats
    entropy: float  # H of the clusters' shares of volume, in nats
    cut_share: float
    score: float  # log J - 0.15 log(1 - J / H) + 0.3 agreement
    # With clusters merged from groups drawn anew: 1 for the same ones, 0 by chance. Earlier model files know none.
    agreement: float = np.nan


class Choice(NamedTuple):
    """A balance, with the price that it means on this graph, what else was tried, and what merging made at it."""

    balance: float
    price: float  # of a nat of entropy, in nats of information
    trials: tuple  # of Trial
    table: np.ndarray  # (n_groups,) int32: clusters of the micro-clusters


def choose_balance(coarse, balance, streams, *, eigen_solver="power", n_jobs=None):
    """Return the Choice for a coreset graph: of `BALANCES` for "auto", otherwise the given one's.

    At balance a the objective is ``J - (1 - a) (J_1 / H_1) H`` with the J and H of merging by J alone. Of what merging
    then makes the one is taken that has the largest ``log J - 0.15 log(1 - J / H) + 0.3 A``, or the most even one of
    several that nearly have it. The ratio ``1 - J / H`` is the doubt about a node's cluster that is left by the cluster
    of a neighbour, and A the agreement with what is merged from groups that grow from random nodes (parts of the same
    spectrum would agree on every cut). A cut through a large cluster is paid for by J, leaves doubt, and lies elsewhere
    in every draw; a border between two clusters stays where it is.
    """
    makers = [lambda: spectral_parts(coarse, streams, eigen_solver=eigen_solver, n_jobs=n_jobs)]
    if balance == "auto":
        makers.append(lambda: _merged_parts(coarse, streams.generator("groups"), n_jobs))
    views = map_items(lambda make: make(), makers, n_jobs)
    worth, trials, tables = 0.0, [], {}
    for some in ((1.0,), others(balance)):  # the others are counted in what is found at 1
        records = [coarse.record.at(price=(1.0 - each) * worth) for each in some]
        jobs = [replace(between, objective=record) for record in records for _, between in views]
        of_parts = iter(map_items(merged, jobs, n_jobs))
        for each in some:
            table_of_parts, *_ = own = [next(of_parts) for _ in views]
            found = [table[parts] for table, (parts, _) in zip(own, views, strict=True)]
            agreement = _agreement(found[0], found[-1], coarse.rows.degrees)
            trials.append(_trial(each, views[0][1], table_of_parts, agreement))
            tables[each] = found[0]
        if trials[0].entropy > 0.0:
            worth = trials[0].information / trials[0].entropy
    best = trials[most_even([trial.score for trial in trials])].balance if balance == "auto" else balance
    price = (1.0 - best) * worth
    priced = replace(coarse, objective=coarse.record.at(price=price))
    table = moved_as_groups(priced, tables[best], streams.generator("merging"), n_jobs)
    return Choice(best, price, tuple(trials), table)


def others(balance):
    """Return the balances below 1 to try for one that is given, or for "auto"."""
    return BALANCES[1:] if balance == "auto" else (balance,) if balance < 1.0 else ()


def certainty(information, entropy):
    """``log J - 0.15 log(1 - J / H)``: large where clusters say much, and leave little doubt."""
    if information <= 0.0:
        return -np.inf
    return float(np.log(information) - _DOUBT * np.log(max(1.0 - information / entropy, _LEAST_DOUBT)))


def most_even(scores):
    """Return the first of the scores, which are those of ever less even partitions, that is nearly the largest."""
    return next(i for i, score in enumerate(scores) if score >= max(scores) - _NOISE)


def _merged_parts(coarse, rng, n_jobs):
    """As many parts, merged by J from groups that grow from half of the nodes, drawn at random."""
    groups, n_groups = random_micro_clusters(coarse, rng, n_jobs)
    between = coarse.between(groups, n_groups, n_jobs)
    n_parts = min(n_groups, PARTS * coarse.n_clusters)
    parts, _, _ = agglomerate(between.rows, between.constraints.counts, n_parts, linkage=coarse.record.at())
    return parts[groups], between.between(parts, n_parts, n_jobs)


def _agreement(one, other, volumes):
    """Adjusted Rand index, between nodes drawn by volume, of two partitions of groups."""
    shares = sp.csr_array((volumes / volumes.sum(), (one, other)))
    both, first, second = (np.square(x).sum() for x in (shares.data, shares.sum(axis=1), shares.sum(axis=0)))
    chance = first * second
    spare = (first + second) / 2 - chance
    return float((both - chance) / spare) if spare > 0.0 else 1.0


def _trial(balance, coarse, table, agreement):
    sums = coarse.sums(table)
    total, information = sums.volume.sum(), sums.value("information")
    shares = sums.volume[sums.volume > 0.0] / total
    entropy = float(-(shares * np.log(shares)).sum())
    score = certainty(information, entropy) + _AGREEMENT * agreement if entropy > 0.0 else -np.inf
    return Trial(balance, information, entropy, float(1.0 - sums.internal.sum() / total), score, agreement)


# Coarse levels are made of the fit's clusters in so many parts each: whole ones fit no other level, and nodes would
# leave the finest level too little (k = 1,000 on an LFR graph: .945 of J instead of .982; 10 clusters .95 with wholes).
_PARTS = 4


def nested_levels(problem, labels, leaves, tree, counts, streams, n_jobs=None):
    """(the finest level as a Partition, for each coarser one the clusters of its clusters, (n_levels - 1, k) int32).

    `labels` are the finest level as found by itself, `leaves` groups with their clusters and graph, `tree` their
    MergeTree, and `counts` the numbers of clusters, ascending. The coarsest level is found on the graph between parts
    of the clusters, and each finer one inside the one before, the finest node by node.
    """
    n_units = min(_PARTS * counts[-1], tree.n_leaves)
    groups, group_labels, group_graph = leaves
    constraints = problem.constraints.of_groups(groups, len(group_labels))
    units = tree.labels_at(n_units)
    coarse = replace(problem, rows=group_graph, constraints=constraints).between(units, n_units, n_jobs)
    top = replace(coarse, n_clusters=counts[0])

    def make_draft(number, earlier, best, streams, n_jobs, stages):
        return Draft(coarse_partition(top, streams.generator("merging"), n_jobs=n_jobs))

    found = find_partition(top, make_draft, streams, max_drafts=2, n_jobs=n_jobs)
    levels, rng = [found.best.labels], streams.generator("levels")
    for k in counts[1:-1]:
        each = np.arange(n_units, dtype=np.int32)
        levels.append(_divided(replace(coarse, n_clusters=k), each, levels[-1], rng, n_jobs).labels)
    above = [apply_labels(level[units], groups) for level in levels]
    finest = _divided(problem, labels, above[-1], rng, n_jobs)
    return finest, np.array([pick_labels(finest.labels, counts[-1], level) for level in above])


def _divided(problem, labels, above, rng, n_jobs):
    """Partition into the clusters asked for, each inside one of those `above`, made of what these leave of `labels`.

    Moves see the edges inside clusters above alone, with the degrees of all: what lies inside nested clusters is the
    same, and no move leads out.
    """
    n_above = int(above.max()) + 1
    groups, n_groups = common_refinement([labels, above], max(int(labels.max()) + 1, n_above))
    between = problem.between(groups, n_groups, n_jobs)
    sizes = np.bincount(groups[groups >= 0], minlength=n_groups)
    tree = hierarchy(between.rows, sizes, pick_labels(groups, n_groups, above), n_above, linkage=problem.objective)
    inside = replace(problem, rows=_inside(problem.rows, above))
    return improve(inside, apply_labels(tree.labels_at(problem.n_clusters), groups), rng, n_jobs)


def _inside(rows, labels):
    """Return the rows without edges between different labels; degrees stay."""
    kept = np.repeat(labels, np.diff(rows.indptr)) == labels[rows.indices]
    indptr = np.concatenate([[0], np.cumsum(kept)])[rows.indptr].astype(rows.indptr.dtype)
    weights = rows.weights[kept] if len(rows.weights) else rows.weights
    return GraphRows(*map(read_only, (indptr, rows.indices[kept], weights, rows.degrees)))


def leaves_of(rows, cells, labels, n_clusters):
    """The cells (None: there are none), divided by the clusters: groups of the nodes, their clusters, their graph."""
    parts, most = ([], 0) if cells is None else ([cells], int(cells.max()) + 1)
    groups, n_groups = common_refinement([*parts, labels], max(most, n_clusters))
    return groups, pick_labels(groups, n_groups, labels), quotient(rows, groups, n_groups, max_entries=max_links(rows))


def merge_tree(settings, leaves, levels=None):
    """MergeTree over the leaves, through the clusters that hold nodes and the coarser `levels` of them."""
    groups, group_labels, group_graph = leaves
    table = group_labels.copy()
    n_used = compact_labels(table, settings.n_clusters)
    sizes = label_sizes(groups, len(table))
    linkage = "average" if settings.published else settings.record
    below, above = np.unique(group_labels), []  # a cluster of the fit in each of the level below
    for level in () if levels is None else levels[::-1]:
        _, first, clusters = np.unique(level[below], return_index=True, return_inverse=True)
        above.append((clusters.astype(np.int32), len(first)))
        below = below[first]
    return hierarchy(group_graph, sizes, table, n_used, linkage=linkage, above=above)


# Limits are tightened in so many steps, from what the fullest cluster needs or this factor, whichever is more.
_STEPS, _LOOSE = 10, 1.1
# Then loosened again by one of these factors and tightened in so many steps, and so on.
_AGAIN, _STEPS_AGAIN = (1.1, 1.05, 1.025, 1.1, 1.05, 1.025), 6


def constrained_partition(problem, labels, rng, *, fixed=None, groups=None, tree=None, n_jobs=None):
    """Return the best Partition found that keeps to the limits and to `fixed` (n,) int32, labels that stay, or -1.

    One start is `labels`, with clusters matched to the fixed labels. Another is, where all clusters have fixed nodes,
    what these make of the nodes around them; or, where clusters are limited, the order of the leaves of the MergeTree
    `tree` over `groups`, cut into pieces. Each is improved by moves of nodes and of groups, and by swaps of nodes,
    under limits that become tighter, so that what is too much flows from cluster to cluster; the best of them again,
    under limits that are loosened and tightened. `Known.check` refuses labels that break a limit.
    """
    limits = problem.constraints
    starts = _starts(problem, labels, fixed, groups, tree)
    streams = rng.spawn(len(starts))

    def tightened(labels, factors, rng):
        """(whether limits hold, rank, labels) after moves under limits times each factor."""
        for factor in factors:
            limited = replace(problem, constraints=limits.times(factor))
            holds = relieve_full_clusters(limited, labels)
            move_locally(limited, labels, tolerance=FEW_MOVES, n_jobs=n_jobs)
            sums = move_in_cycles(limited, labels, rng, n_jobs=n_jobs)
            # Swaps cost as much as all the rest, and under loose limits nodes find room without.
            if factor == 1.0 and limits.limits_clusters and swap_between_full_clusters(limited, labels):
                sums, _ = move_locally(limited, labels, tolerance=FEW_MOVES, n_jobs=n_jobs)
        return holds, problem.partition(labels, sums)

    def improved(i):
        labels = starts[i]
        if fixed is not None:
            labels[fixed >= 0] = fixed[fixed >= 0]
        grow_small_clusters(problem, labels)
        loose = limits.excess(problem.sums(labels))
        factors = np.geomspace(max(loose, _LOOSE), 1.0, _STEPS) if limits.limits_clusters else (1.0,)
        return tightened(labels, factors, streams[i])

    def rank(found):
        return found[0], found[1].rank()

    best = max(map_items(improved, range(len(starts)), n_jobs), key=rank)
    for factor in _AGAIN if limits.limits_clusters else ():
        best = max(best, tightened(best[1].labels.copy(), np.geomspace(factor, 1.0, _STEPS_AGAIN), rng), key=rank)
    return best[1]


def _starts(problem, labels, fixed, groups, tree):
    """Partitions to begin with, as new arrays."""
    rows, n_clusters = problem.rows, problem.n_clusters
    starts = [matched_clusters(labels, fixed, n_clusters) if fixed is not None else labels.copy()]
    if fixed is not None and len(np.unique(fixed[fixed >= 0])) == n_clusters:
        around = fixed.copy()
        spread(rows, around, n_clusters)
        starts.append(np.where(around < n_clusters, around, starts[0]))
    elif tree is not None:
        from scipy.cluster.hierarchy import leaves_list  # slow to import, and few fits need it

        rank = np.zeros(tree.n_leaves, dtype=np.int64)
        if tree.n_leaves > 1:  # scipy knows no tree of one leaf
            rank[leaves_list(tree.linkage())] = np.arange(tree.n_leaves)
        inside = np.flatnonzero(groups >= 0)
        order = inside[np.argsort(rank[groups[inside]], kind="stable")]
        starts.append(cut_in_order(order, rows, n_clusters, problem.constraints))
    return starts
