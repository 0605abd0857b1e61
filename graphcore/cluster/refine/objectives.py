"""The objectives that merging, moves and recombination raise, and what is particular about each.

Kept free of compiled loops, so that the command line can show its help at once.
"""

from dataclasses import dataclass, replace

INFORMATION, NCUT, MODULARITY = range(3)  # the kinds that compiled loops tell apart


@dataclass(frozen=True)
class Objective:
    """One objective; its terms are in :mod:`graphcore.cluster.refine._objective_loops`, by its kind."""

    kind: int
    # Of the mean volume that moves of nodes leave every cluster, which is not to lose them one by one; other steps may
    # go below, as the best clusters may be small. 0 leaves the search free.
    min_share: float
    # Whether a term is a share of its cluster's volume, so that an edge is worth k times as much as where terms are
    # shares of the graph. Annealing then begins k times as hot, and merging does not try "ncut" too.
    is_per_cluster: bool
    # Share of its value, of either sign, that drafts are hoped to gain, before anything is known of a graph: with less,
    # such as 5e-4 where partitions differ little, fewer drafts are made, and more with 1e-2.
    spread: float
    # At which nodes are better together, for one that says so by itself, and so how many clusters there are; None: by
    # how dense each cluster is, and a number of clusters has to be given or chosen.
    resolution: float | None = None
    # Of a nat of the clusters' entropy, for one that can ask less for balance.
    price: float | None = None

    @property
    def code(self):
        """The code of compiled loops: its kind, and its price or resolution, 0 where it has neither."""
        return self.kind, float(self.price or self.resolution or 0.0)

    def at(self, resolution=None, price=0.0):
        """Return the objective at a resolution, if it has one (None leaves it), or with a price of entropy."""
        if self.price is not None and price:
            return replace(self, price=price)
        if self.resolution is None or resolution is None:
            return self
        return replace(self, resolution=float(resolution))


OBJECTIVES = {
    "information": Objective(INFORMATION, min_share=0.1, is_per_cluster=False, spread=5e-4, price=0.0),
    # Its smallest clusters are its answer.
    "ncut": Objective(NCUT, min_share=0.0, is_per_cluster=True, spread=1e-2),
    "modularity": Objective(MODULARITY, min_share=0.0, is_per_cluster=False, spread=2e-3, resolution=1.0),
}
