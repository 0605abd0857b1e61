"""The main job: a graph in, labels out."""

from dataclasses import dataclass, field, replace

import numpy as np

from ...base.locks import cached_property
from ...base.progress import Stages
from ...base.streams import Streams
from ...base.validation import warn_of_isolated
from ...exceptions import warn_user
from ...graphs.rows import GraphRows
from ...graphs.weights import in_range
from ..coreset_spectral_clustering import coreset_spectral_clustering
from ..coresets.coreset import Coreset
from ..partition.constraints import Constraints
from ..partition.evidence import stability
from ..partition.quotient import apply_labels, label_sizes
from .balance import choose_balance
from .constrained import constrained_partition
from .drafts import (
    FROM_SCRATCH,
    SELF_LOOP,
    anew_draft,
    coreset_draft,
    coreset_graph_of,
    disagree,
    eigenvector_draft,
    given_draft,
    labelled_draft,
)
from .known import NOTHING, Known
from .levels import leaves_of, merge_tree, nested_levels
from .loop import SearchSteps, find_partition
from .settings import Settings

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
    search: SearchSteps | None = field(repr=False)
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
    >>> from graphcore.cluster.pipeline.cluster import cluster_graph
    >>> from graphcore.cluster.pipeline.settings import resolve_settings
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
        if number == 2 and k and disagree(earlier, k):
            made = eigenvector_draft(graph, free, streams, stages)
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
