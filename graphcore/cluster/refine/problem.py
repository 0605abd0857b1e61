"""A clustering problem: a graph, the objective, constraints on the clusters; and the sums over clusters."""

from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from ...base.loops import effective_jobs, map_blocks, map_items, row_blocks
from ...base.progress import count
from ...base.types import Floats
from ...base.validation import read_only
from ...distributed import on_workers
from ...graphs.rows import GraphRows, as_csr_array, map_passes, pass_spans
from . import _quotient_loops as _loops
from ._objective_loops import NOTHING, add_cluster_sums, objective_value, places
from .objectives import MODULARITY, NCUT, OBJECTIVES, Objective

NO_COUNTS, NONE_FIXED = read_only(np.empty(0, dtype=np.int64)), read_only(np.empty(0, dtype=bool))
ANY_SIZE = 2**62
_ENTRIES_PER_BLOCK = 1 << 17
# Links that a cluster keeps, at least, where the graph between clusters would be too dense.
_MAX_LINKS = 64
_SAMPLED_ROWS = 256
# A graph of more entries is huge: it may lie on a disk, and every pass over it is long.
_MANY_ENTRIES = 1 << 28
# It is read in its own order instead of cluster by cluster, and of its edges a sample is kept: 1 GB.
_SAMPLED_ENTRIES = 1 << 27
# Graphs between parts are exact up to this many entries, and up to this fraction of the graph's own.
_FEW_LINKS, _MIN_COMPRESSION, _MANY_LINKS = 1 << 22, 4, 1 << 25
# The least expected number of a cluster's entries in the sample that makes its links significant.
_FEW_SAMPLED = 32


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Sums over each cluster of a graph, (n_clusters,) each."""

    internal: np.ndarray  # of the matrix entries inside: twice the weight of its edges, once that of its self-loops
    volume: np.ndarray  # of degrees
    cut: np.ndarray  # weight of the edges that leave it; NaN where nodes have been moved since
    size: np.ndarray  # int64: nodes, but for those of degree 0

    @property
    def arrays(self):
        """The arrays that moves update, for compiled loops: (internal, volume, size)."""
        return self.internal, self.volume, self.size

    @property
    def conductance(self) -> Floats:
        """``cut / volume``, and 1 for a cluster without volume."""
        return np.divide(self.cut, self.volume, out=np.ones(len(self.volume)), where=self.volume > 0)

    def value(self, objective: Objective) -> float:
        """Return what the objective is; larger is better."""
        return float(objective_value(objective.code, self.internal, self.volume))


def cluster_sums(rows, labels, n_clusters, n_jobs=None, counts=NO_COUNTS, splits=None):
    """Add up weights and nodes of every cluster; `labels` (n,) int32, -1 for no cluster.

    Where rows are parts, `counts` (n,) int64 holds the nodes that each stands for. `splits`, two float64 arrays (n,),
    are filled with each node's weight inside and outside of its own cluster.
    """
    count("entries summed", len(rows.indices))
    spans = pass_spans(rows.indptr, few=True)
    parts = map_passes(
        _sums_part, rows, spans, read_only(labels), n_clusters, counts, splits is not None, n_jobs=n_jobs
    )
    *sums, inside, outside = zip(*parts, strict=True)
    if splits is not None:
        np.concatenate(inside, out=splits[0])
        np.concatenate(outside, out=splits[1])
    # Block by block in order, so that sums of floats do not depend on the number of threads.
    return ClusterSums(*(sum(blocks[1:], blocks[0]) for blocks in sums))


def _sums_part(rows, first, last, labels, n_clusters, counts, split):
    """Return the sums over some nodes, and each one's weight inside and outside of its cluster if they are split."""
    clusters = np.zeros(n_clusters), np.zeros(n_clusters), np.zeros(n_clusters), np.zeros(n_clusters, dtype=np.int64)
    nodes = tuple(np.empty((2, last - first if split else 0)))
    add_cluster_sums(rows[:], read_only(counts), labels, first, last, clusters, nodes)
    return *clusters, *nodes


class Partition(NamedTuple):
    """Labels, and what they are worth."""

    fits: bool  # whether no cluster is smaller than the least size
    value: float  # the objective
    labels: np.ndarray  # (n,) int32, -1 for isolated nodes

    def rank(self):
        """Return the key by which partitions are compared."""
        return self[:2]


@dataclass(frozen=True, eq=False)
class Problem:
    """A graph to be divided into clusters, and what is asked of them; where rows are parts of nodes, all is of parts.

    No move shrinks a cluster below `min_size` (as `counts` count) or `min_share` of the mean volume, or makes one
    larger than `max_size`; fixed nodes stay. With a `min_size` of 0 clusters may be emptied and founded: how many there
    are is free, up to `n_clusters`.
    """

    rows: GraphRows
    n_clusters: int
    objective: Objective = OBJECTIVES["information"]
    min_size: int = 1
    min_share: float = 0.0
    max_size: int = ANY_SIZE
    counts: np.ndarray = field(default_factory=lambda: NO_COUNTS, repr=False)  # (n,) int64; length 0 stands for ones
    is_fixed: np.ndarray = field(default_factory=lambda: NONE_FIXED, repr=False)  # (n,) bool; length 0 stands for none

    def task(self, sums):
        """Return the arguments of compiled loops: rows, (counts, is_fixed), code, limits for labels with these sums.

        Limits are the least size, the least volume and the largest size of a cluster.
        """
        of_nodes = read_only(self.counts), read_only(self.is_fixed)  # whose types are always the same
        least_volume = self.min_share * float(sums.volume.sum()) / self.n_clusters
        return self.rows[:], of_nodes, self.objective.code, (self.min_size, least_volume, self.max_size)

    def sums(self, labels, n_jobs=None) -> ClusterSums:
        """Return ClusterSums of labels."""
        return cluster_sums(self.rows, labels, self.n_clusters, n_jobs, counts=self.counts)

    def partition(self, labels, sums) -> Partition:
        """Return labels as a Partition, by their sums; without empty clusters, in place, where their number is free."""
        if not self.min_size:
            compact_labels(labels, self.n_clusters)
        return Partition(bool(sums.size.min() >= self.min_size), sums.value(self.objective), labels)

    def spanning(self, *labellings, room=1):
        """Return the problem with as many clusters as labels have, times `room` for new ones, if k is free."""
        if self.min_size:
            return self
        return replace(self, n_clusters=room * (1 + max(int(each.max()) for each in labellings)))

    def without_limits(self, n_clusters):
        """Return the problem without any limits, for another number of clusters."""
        free = {"max_size": ANY_SIZE, "is_fixed": NONE_FIXED, "min_size": 1, "min_share": 0.0}
        return replace(self, n_clusters=n_clusters, **free)

    def between(self, parts, n_parts, n_jobs=None, max_links=None):
        """Return the problem on the graph between parts of nodes; a part that holds a fixed node is fixed."""
        rows, is_fixed = quotient(self.rows, parts, n_parts, n_jobs, max_entries=max_links), NONE_FIXED
        if len(self.is_fixed):
            is_fixed = np.zeros(n_parts, dtype=bool)
            is_fixed[parts[self.is_fixed & (parts >= 0)]] = True
        counts = label_sizes(parts, n_parts, self.counts)
        return replace(self, rows=rows, counts=counts, is_fixed=read_only(is_fixed))


def matrix_of(rows):
    """GraphRows of a weighted graph as a csr_array, which shares their memory."""
    return as_csr_array(rows.indptr, rows.indices, rows.weights)


def quotient(rows, labels, n_clusters, n_jobs=None, max_entries=None):
    """Graph between clusters: weights between them summed, the weight inside (both directions) as self-loop.

    Degrees of the result are the clusters' volumes, and inner weights and volumes of any union of clusters are exact.
    Columns are in no particular order. Edges to nodes of label -1 count in the degrees alone. Of a graph of more than
    2^28 entries a sample of 2^27 stands for all, and everything is estimated. If a sample of rows predicts many
    more entries than `max_entries`, only links among the strongest 64 of either end are kept, by weight times the
    logarithm of weight over expected weight. Degrees then are the sums of what is kept: with the
    volumes in their place, links that are missing would count as cut, and large unions of them as clusters.
    """
    scale = 1.0
    if is_huge(len(rows.indices)):
        count("entries sampled", len(rows.indices))
        *sample, scale = sampled_links(rows, labels, n_clusters, _SAMPLED_ENTRIES, n_jobs)
        rows = GraphRows(*sample)
        labels = np.arange(n_clusters, dtype=np.int32)
    starts, members = grouped(labels, n_clusters)
    counts, volumes = np.zeros(n_clusters + 1, dtype=np.int64), label_volumes(labels, rows.degrees, n_clusters)
    entries = _entries(rows, labels, n_clusters)
    borders = row_blocks(np.append(0, np.cumsum(entries)), _ENTRIES_PER_BLOCK)
    grouping, total = (rows[:3], labels, starts, members), float(volumes.sum())
    max_links, cuts = 0, np.empty(n_clusters, dtype=np.float32)

    def cut(first, last):
        found, strengths = places(n_clusters), np.empty(n_clusters, dtype=np.float32)
        _loops.link_cuts(grouping, volumes, total, max_links, first, last, found, strengths, cuts)

    def add_up(first, last):
        chosen, room = np.arange(first, last), min(int(entries[first:last].sum()), (last - first) * n_clusters)
        found, columns, values = places(n_clusters), np.empty(room, dtype=np.int32), np.empty(room)
        length = _loops.quotient_rows(
            grouping, volumes, total, max_links, chosen, found, cuts, counts[first + 1 : last + 1], columns, values
        )
        return columns[:length].copy(), values[:length].copy()

    if is_too_dense(rows, labels, n_clusters, max_entries, (starts, members, entries)):
        count("entries grouped", len(rows.indices))
        max_links = _MAX_LINKS
        map_blocks(cut, borders, n_jobs)
    count("entries grouped", len(rows.indices))
    parts = map_blocks(add_up, borders, n_jobs)
    indptr = np.cumsum(counts, out=counts)
    indices, weights = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1])

    def place(i):
        span = slice(indptr[borders[i]], indptr[borders[i + 1]])
        (indices[span], weights[span]), parts[i] = parts[i], None

    map_items(place, range(len(parts)), n_jobs)
    if max_links:
        volumes = as_csr_array(indptr, indices, weights) @ np.ones(n_clusters)
    if scale != 1.0:
        weights *= scale
        volumes *= scale
    return GraphRows(*map(read_only, (indptr, indices, weights, volumes)))


def sampled_links(rows, labels, n_clusters, n_entries, n_jobs=None):
    """Sample the edges, and list what each cluster has of them: (indptr, indices, weights, degrees, scale).

    An edge is in the sample by a hash of its ends; those with an end of label -1 are left out. About `n_entries` are
    kept of a graph of more, in a row for each cluster, in which the cluster at the other end may stand many times.
    Sums over the sample times `scale` estimate sums over the graph.
    """
    scale = max(1.0, len(rows.indices) / n_entries)
    limit = np.uint64(min(2.0**64 / scale, 2.0**64 - 2048))
    parts = map_passes(_sample_part, rows, pass_spans(rows.indptr), read_only(labels), limit, n_jobs=n_jobs)
    starts, degrees = np.zeros(n_clusters + 1, dtype=np.int64), np.zeros(n_clusters)
    # Every thread goes through all links, and writes to clusters of its own.
    borders = np.linspace(0, n_clusters, effective_jobs(n_jobs) + 1).astype(np.int64)
    map_blocks(lambda a, b: [_loops.count_links(links, a, b, starts[1:], degrees) for links in parts], borders, n_jobs)
    np.cumsum(starts, out=starts)
    out_indices = np.empty(starts[-1], dtype=np.int32)
    out_weights = np.empty(starts[-1] if len(rows.weights) else 0)
    cursors = starts[:-1].copy()
    parts.reverse()
    while parts:  # what is placed is freed
        map_blocks(lambda a, b: _loops.place_links(parts[-1], a, b, cursors, out_indices, out_weights), borders, n_jobs)
        parts.pop()
    return *map(read_only, (starts, out_indices, out_weights, degrees)), scale


def _sample_part(rows, first, last, labels, limit):
    return _loops.sample_links(rows[:], labels, first, last, limit)


def max_links(rows):
    """Return the entries that a graph between parts may have before only its strong links are kept."""
    return min(max(_FEW_LINKS, len(rows.indices) // _MIN_COMPRESSION), _MANY_LINKS)


def is_huge(n_entries):
    """Return whether a graph of so many entries is gone through as rarely as can be, and in its own order."""
    return n_entries > _MANY_ENTRIES


def min_sampled_volume(rows):
    """Volume below which a cluster of a huge graph has too few entries in the sample to know its neighbours."""
    return _FEW_SAMPLED * float(rows.degrees.sum()) / _SAMPLED_ENTRIES


def is_too_dense(rows, labels, n_clusters, max_entries, groups=None):
    """Whether the graph between clusters would have more than `max_entries` (None: any number), by some of its rows.

    `groups` are those of :func:`grouped` and the entries of each, if at hand.
    """
    if max_entries is None or min(n_clusters**2, len(rows.indices)) <= max_entries:
        return False
    if groups is None:
        groups = *grouped(labels, n_clusters), _entries(rows, labels, n_clusters)
    *members, entries = groups
    grouping = rows[:3], labels, *members
    chosen = np.linspace(0, n_clusters, min(n_clusters, _SAMPLED_ROWS), endpoint=False).astype(np.int64)
    room = int(np.minimum(entries[chosen], n_clusters).sum())
    columns, weights, lengths = np.empty(room, dtype=np.int32), np.empty(room), np.empty(len(chosen), dtype=np.int64)
    found, none = places(n_clusters), np.empty(0)
    _loops.quotient_rows(grouping, none, 0.0, 0, chosen, found, none.astype(np.float32), lengths, columns, weights)
    return lengths.mean() * n_clusters > max_entries


def _entries(rows, labels, n_clusters):
    """Return the number of entries in the rows of each cluster's nodes."""
    return label_volumes(labels, np.diff(rows.indptr), n_clusters).astype(np.int64)


def grouped(labels, n_clusters):
    """(starts, members): the nodes of cluster c are members[starts[c]:starts[c + 1]]."""
    starts = np.zeros(n_clusters + 1, dtype=np.int64)
    members = np.empty(len(labels), dtype=np.int32 if len(labels) < 2**31 else np.int64)
    _loops.group_nodes(labels, starts, members)
    return starts, members


def common_refinement(labellings, n_clusters):
    """(parts (n,) int32, their number): nodes that are together in all of several labellings; -1 is left out."""
    parts, count = labellings[0].copy(), n_clusters
    for other in labellings[1:]:
        starts, members = grouped(parts, count)
        names, out = (np.full(length, -1, dtype=np.int32) for length in (n_clusters, len(parts)))
        count = _loops.number_pairs(other, starts, members, names, out)
        parts = out
    if len(labellings) == 1:
        count = compact_labels(parts, count)
    return parts, count


def slopes(objective, inner, volumes):
    """Compute derivatives of an objective by each cluster's inner weight and by its volume, as shares of the whole."""
    total = volumes.sum()
    share, volume = inner / total, np.where(volumes > 0, volumes / total, NOTHING)
    if objective.kind == NCUT:
        return 1.0 / volume, -share / volume**2
    if objective.kind == MODULARITY:
        return np.ones(len(volume)), -2.0 * objective.code[1] * volume
    cut, apart = max(1.0 - share.sum(), NOTHING), max(1.0 - (volume**2).sum(), NOTHING)
    # Of the rates inside and between, over that by chance, those below and above 1 are 1.
    inside, across = np.maximum(share / volume**2, 1.0), min(cut / apart, 1.0)
    by_inner = np.log(inside) - np.log(across)
    by_volume = 2.0 * volume * (across - inside)
    return by_inner, by_volume + (objective.price or 0.0) * (np.log(volume) + 1.0)


def label_sizes(labels, n_clusters, counts=NO_COUNTS):
    """Return nodes of every label, int64, as `counts` count; labels of -1 are left out."""
    return label_volumes(labels, counts if len(counts) else None, n_clusters).astype(np.int64)


def label_volumes(labels, degrees, n_clusters):
    """Sum of the degrees (None: ones) of the nodes of every label; labels of -1 are left out."""
    return np.bincount(labels + 1, weights=degrees, minlength=n_clusters + 1)[1:]


def contingency(labels, other, n_clusters):
    """Count the nodes in common of the clusters of two labellings (-1 left out): csr_array (n_clusters, n_clusters)."""
    import scipy.sparse as sp

    both = (labels >= 0) & (other >= 0)
    places = labels[both], other[both]
    return sp.csr_array((np.ones(len(places[0]), dtype=np.int64), places), shape=(n_clusters, n_clusters))


def compact_labels(labels, n_clusters):
    """Renumber the labels in use 0, 1, ... in place, keeping their order; returns how many there are."""
    is_used = label_sizes(labels, n_clusters) > 0
    labels[:] = apply_labels((np.cumsum(is_used) - 1).astype(np.int32), labels)
    return int(np.count_nonzero(is_used))


def apply_labels(table, parts):
    """Return labels of nodes, from labels of their parts; -1 for nodes without a part."""
    return np.append(table, np.int32(-1))[parts]  # those of -1 have the last place


def pick_labels(parts, n_parts, labels):
    """Return labels of parts, from labels of nodes that agree within each part."""
    out = np.empty(n_parts + 1, dtype=np.int32)
    out[parts] = labels  # of nodes without a part (-1) into the last place
    return out[:-1]


def distributed_context(graph):
    """Return a context in which the workers of a Dask client, if any, run passes over a huge graph they can open."""
    return on_workers(graph) if is_huge(graph.n_entries) and graph.origin is not None else nullcontext()


def split_sums(graph, labels, n_clusters, n_jobs):
    """Compute ClusterSums, and the weight of every node's edges to its own cluster and to others, in one pass."""
    inside, outside = np.empty(graph.n_nodes), np.empty(graph.n_nodes)
    with distributed_context(graph):
        sums = cluster_sums(graph.rows, labels, n_clusters, n_jobs, splits=(inside, outside))
    return sums, inside, outside


def sums_and_shares(graph, labels, n_clusters, n_jobs):
    """Compute ClusterSums, and the share of each node's weight that leaves its cluster, (n,) float32, in one pass."""
    sums, _, outside = split_sums(graph, labels, n_clusters, n_jobs)
    shares = np.full(graph.n_nodes, np.nan, dtype=np.float32)
    placed = labels >= 0
    shares[placed] = outside[placed] / graph.degrees[placed]
    return sums, shares
