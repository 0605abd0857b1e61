"""A fit keeps equal rows together: each kind of them is contracted to one node, which counts as many as it holds."""

from dataclasses import dataclass, field, replace

import numpy as np

from ..cluster.settings import Known
from ..graphs.graph import Graph
from ..graphs.weights import in_range
from ..neighbors.equal_rows import first_of, graph_of_kinds, in_order


@dataclass(frozen=True, eq=False)
class Contraction:
    """A graph, and the graph of its kinds of nodes that is clustered in its place; the same where there are none."""

    whole: Graph
    kinds: np.ndarray | None = field(default=None, repr=False)
    graph: Graph = field(default=None, repr=False)

    @classmethod
    def of(cls, whole, kinds, fixed=None):
        """Contract a graph, in which nodes keep labels `fixed` (-1 for none); equal rows of several are apart."""
        if kinds is None:
            return cls(whole, None, whole)
        if fixed is not None:
            kept = _highest(fixed, kinds)[kinds]
            kinds = in_order(kinds * (kept.max() + 2) + np.where(fixed >= 0, fixed, kept) + 1)
        return cls(whole, kinds, graph_of_kinds(whole, kinds))

    def reduced(self, values):
        """Return labels of the kinds (n_kinds,) int32, -1 where no node has one."""
        return values if self.kinds is None or values is None else _highest(values, self.kinds)

    def kinds_at(self, nodes):
        """Return the kinds of nodes."""
        return nodes if self.kinds is None else self.kinds[nodes]

    def reduced_known(self, known):
        """Return Known of the kinds."""
        if self.kinds is None:
            return known
        counts = np.bincount(self.kinds, weights=known.weights).astype(np.float64)
        return Known(self.reduced(known.fixed), self.reduced(known.start), counts)

    def expanded(self, labels):
        """Return labels of all nodes from those of the kinds."""
        return labels if self.kinds is None else np.where(self.whole.degrees > 0, labels[self.kinds], -1).astype("i4")

    def expanded_result(self, result, known):
        """Return the Clustering of all nodes from that of the kinds."""
        if self.kinds is None:
            return result
        first, stability = first_of(self.kinds), result.node_stability
        return replace(
            result, labels=self.expanded(result.labels), known=known, _rows=in_range(self.whole).rows,
            coreset=replace(result.coreset, indices=first[result.coreset.indices], seeds=None),
            cells=None if result.cells is None else self.expanded(result.cells),
            node_stability=None if stability is None else stability[self.kinds],
        )  # fmt: skip

    def obstacle(self, settings):
        """Return why equal rows cannot be kept together in clusters of these settings; None if they can."""
        if self.kinds is None:
            return None
        counts, volumes, k = np.bincount(self.kinds), self.graph.degrees, settings.n_clusters
        if settings.max_cluster_size is not None and counts.max() > settings.max_cluster_size:
            return f"{counts.max()} rows are equal, more than max_cluster_size allows"
        if settings.max_share is not None and k and volumes.max() > settings.max_share * volumes.sum() / k:
            return f"{counts[volumes.argmax()]} equal rows have more volume than max_share allows"
        return None


def _highest(values, kinds):
    out = np.full(kinds.max() + 1, -1, dtype=np.int32)
    np.maximum.at(out, kinds, values)
    return out
