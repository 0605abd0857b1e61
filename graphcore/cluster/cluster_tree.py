"""The tree of a fit: clusters of every size, from cells to one, under numbers that do not change."""

import os
import re
from dataclasses import dataclass, field

import numpy as np

from ..base.loops import cached_property
from ..base.types import DiGraph, Floats, Labels, PathLike, Table
from ..base.validation import check_integer, check_path, check_real
from ..exceptions import ParameterError
from ..files.atomic import atomic_output
from ..files.npz import write_array
from ..files.parquet import TABLES, write_table
from ..graphs.from_table import as_library
from ..graphs.rows import GraphRows
from .n_clusters import concave_hull
from .refine.merging import MergeTree
from .refine.objectives import OBJECTIVES
from .refine.problem import apply_labels, cluster_sums

# Up to here every number of clusters is looked at for levels; beyond, each is so many times the one before.
_ALL_LEVELS, _STEP = 50, 1.05
_PLAIN = re.compile(r"[^\s()\[\]':;,_]+")  # names that need no quotes in Newick's format
_ENDINGS = {".nwk": "newick", ".newick": "newick", ".npy": "npy"} | TABLES


@dataclass(frozen=True, eq=False)
class ClusterTree:
    """Clusters of every size, from cells to one, in one tree that passes through a fit's labels.

    Leaves are cells: nodes around the same node of the coreset, where they are in the same cluster.
    Steps unite two clusters each, so there is a nested partition for every number of clusters from 1 to `n_leaves`.
    Tree clusters have ids as in scipy: leaves are 0 to ``n_leaves - 1``, step i makes ``n_leaves + i``. A cluster has
    the same *number* in all partitions that it is in: the single cluster is 0; where the partition into k + 1 splits
    one, the part with more nodes keeps its number and the other one is k.

    Attributes
    ----------
    n_clusters : int
        Number of clusters of the fit that hold nodes. The partition into this number is that of the fit, in the tree's
        numbers.
    merges : MergeTree
        The merges and their costs.
    leaf_of : ndarray of shape (n_nodes,), int32
        Leaf of every node; -1 for isolated nodes.
    leaf_labels : ndarray of shape (n_leaves,), int32
        Cluster of every leaf in the fit.
    node_names : ndarray of shape (n_nodes,), or None
    """

    merges: MergeTree = field(repr=False)
    leaf_of: np.ndarray = field(repr=False)
    leaf_labels: np.ndarray = field(repr=False)
    n_clusters: int
    node_names: np.ndarray | None = field(repr=False)
    _rows: GraphRows = field(repr=False)  # the graph between the leaves

    @property
    def n_leaves(self) -> int:
        """The most clusters that the tree can be cut into."""
        return self.merges.n_leaves

    def labels_at(self, n_clusters: int | None = None, *, resolution: float | None = None) -> Labels:
        """Return labels of all nodes at a cut, by stable numbers.

        Parameters
        ----------
        n_clusters : int, optional
            1 to `n_leaves`.
        resolution : float, optional
            At least 1, where one cluster is best, instead: cut where :meth:`levels` is best for it; larger is finer. It
            is a price of information, also after a fit by modularity.

        Returns
        -------
        ndarray of shape (n_nodes,), int32
            -1 for isolated nodes.

        Raises
        ------
        ParameterError
            If not one of the two is given, or it is out of range.
        """
        if (n_clusters is None) == (resolution is None):
            raise ParameterError("give either n_clusters or resolution, to say where to cut the tree")
        k = n_clusters if resolution is None else self.at_resolution(resolution)
        leaves = self.merges.labels_at(k)
        there, clusters = self._there(k), self.merges.clusters
        table = np.empty(len(there), dtype=np.int32)
        table[leaves[clusters["first_leaf"][there]]] = clusters["number"][there]
        return apply_labels(table[leaves], self.leaf_of)

    def at_resolution(self, resolution: float) -> int:
        """Number of clusters, of those in :meth:`levels`, that is best at a resolution."""
        price = 1.0 / check_real("resolution", resolution, low=1.0)
        counts, information = self._curve
        return int(counts[np.argmax(information - price * np.log(counts))])

    def levels(self, library: str | None = None) -> Table:
        """Return the numbers of clusters that are best at some resolution.

        The best partition at resolution r, at least 1, has the largest ``information - log(n_clusters) / r``, in nats
        for each edge. One that is best over a wide range of resolutions stands out. All numbers of clusters up to 50
        are tried, and some larger ones.

        Parameters
        ----------
        library : {None, "pandas", "polars", "pyarrow"}, default None
            None is a dictionary of arrays.

        Returns
        -------
        dict or table
            Columns "n_clusters", "resolution_from" and "resolution_to" (infinity for the last), "information",
            "smallest" and "largest" (nodes in a cluster); coarse levels first.
        """
        counts, information = self._curve
        x = np.log(counts)
        kept = concave_hull(x, information)
        slopes = np.diff(information[kept]) / np.diff(x[kept])
        # More clusters may have less information; and below resolution 1 everything is one cluster.
        steps = np.full(len(kept) + 1, np.inf)
        steps[0], steps[1:-1][slopes > 0] = 1.0, 1 / np.minimum(slopes[slopes > 0], 1.0)
        wide = np.flatnonzero(steps[:-1] < steps[1:])
        kept = kept[wide]
        sizes = [np.bincount(self.merges.labels_at(k), weights=self.merges.leaf_sizes) for k in counts[kept].tolist()]
        columns = {
            "n_clusters": counts[kept], "resolution_from": steps[:-1][wide], "resolution_to": steps[1:][wide],
            "information": information[kept], "smallest": np.array([int(size.min()) for size in sizes]),
            "largest": np.array([int(size.max()) for size in sizes]),
        }  # fmt: skip
        return as_library(columns, library)

    def layers(self, count: int = 4) -> list[Labels]:
        """Return labels at the levels that stand out most, coarse to fine, each nested in those before it.

        Parameters
        ----------
        count : int, default 4
            Largest number of :meth:`levels`, those that are best over the widest ranges of resolutions (by the ratio of
            their ends). The single cluster and the leaves are not among them; the finest level, whose range has no end,
            is.

        Returns
        -------
        list of ndarray of shape (n_nodes,), int32
            As :meth:`labels_at` gives them; fewer than `count` where there are no more levels.
        """
        count, found = check_integer("count", count, low=1), self.levels()
        k = found["n_clusters"]
        inner = np.flatnonzero((k > 1) & (k < self.n_leaves))
        wide = np.argsort(-(found["resolution_to"] / found["resolution_from"])[inner], kind="stable")[:count]
        return [self.labels_at(n) for n in np.sort(k[inner][wide]).tolist()]

    def to_table(self, library: str | None = None) -> Table:
        """All clusters of the tree, as a table; :meth:`labels_at` says which nodes they hold.

        Parameters
        ----------
        library : {None, "pandas", "polars", "pyarrow"}, default None
            None is a dictionary of arrays.

        Returns
        -------
        dict or table
            Columns "id", "parent" (-1 at the top), "number", "size" (nodes), "height" (cost of the merge, never less
            than that of its parts), "from_k" and "to_k" (it is a cluster of the partitions into these numbers of
            clusters), and "label" (its label in `labels_` of the fit, -1 if it is no cluster of the fit).
        """
        clusters, parent = self.merges.clusters, self._parents
        height = np.concatenate([np.zeros(self.n_leaves), self.to_linkage()[:, 2]])
        label = np.full(len(height), -1)
        there = self._there(self.n_clusters)
        label[there] = self.leaf_labels[clusters["first_leaf"][there]]
        made, gone = np.arange(len(height)) - self.n_leaves, parent - self.n_leaves
        columns = {
            "id": np.arange(len(height)), "parent": parent, "number": clusters["number"], "size": clusters["size"],
            "height": height, "from_k": np.where(gone < 0, 1, self.n_leaves - gone),
            "to_k": np.where(made < 0, self.n_leaves, self.n_leaves - made - 1),
            "label": label,
        }  # fmt: skip
        return as_library(columns, library)

    def to_linkage(self) -> Floats:
        """Return the tree as scipy's hierarchy functions take it, (n_leaves - 1, 4) float64."""
        return self.merges.linkage()

    def to_networkx(self) -> DiGraph:
        """The tree as a networkx DiGraph from parents to children; nodes have the columns of :meth:`to_table`."""
        import networkx as nx

        columns = {name: column.tolist() for name, column in self.to_table().items()}
        nodes, parents = columns.pop("id"), columns.pop("parent")
        tree = nx.DiGraph()
        tree.add_nodes_from(nodes)
        for name, values in columns.items():
            nx.set_node_attributes(tree, dict(zip(nodes, values, strict=True)), name)
        tree.add_edges_from((parent, node) for node, parent in zip(nodes, parents, strict=True) if parent >= 0)
        return tree

    def to_newick(self, nodes: bool = False) -> str:
        """Return the tree as text in Newick's format, branches as long as heights differ.

        Parameters
        ----------
        nodes : bool, default False
            Whether to write the nodes of the graph by their names, and clusters of the fit as "cluster_3" by their
            label, in place of ids.
        """
        return "".join(self._newick(nodes))

    def write(self, path: PathLike) -> None:
        """Write the tree to a file, atomically.

        Parameters
        ----------
        path : str or path-like
            Output file, whose ending sets the format: .nwk or .newick for Newick with all nodes; .csv, .tsv or .parquet
            for :meth:`to_table`; .npy for :meth:`to_linkage`. "-" is standard output, in Newick.

        Raises
        ------
        ParameterError
            If the ending is none of these.
        OSError
            If the file cannot be written.
        """
        format = tree_format(path)
        if format == "newick":
            with atomic_output(path, "w", encoding="utf-8") as stream:
                stream.writelines(self._newick(nodes=True))
        elif format == "npy":
            with atomic_output(path) as stream:
                write_array(stream, self.to_linkage())
        else:
            write_table(self.to_table(), path)

    def _newick(self, nodes):
        """Yield the tree piece by piece; clusters are named by their ids, with `nodes` those of the fit by label."""
        n, table = self.n_leaves, self.to_table()
        lengths = table["height"][table["parent"][:-1]] - table["height"][:-1]
        ends = [*(f":{length:.6g}" for length in lengths.tolist()), ";\n"]
        called = [f"cluster_{c}" if nodes and c >= 0 else str(i) for i, c in enumerate(table["label"].tolist())]
        members = self._members(called) if nodes else str
        stack: list[int | str] = [2 * n - 2]  # ids to open, and texts
        while stack:
            item = stack.pop()
            if isinstance(item, str):
                yield item
            elif item < n:
                yield members(item) + ends[item]
            else:
                a, b = self.merges.children[item - n].tolist()
                stack += [f"){called[item]}{ends[item]}", b, ",", a, "("]

    def _members(self, called):
        """Return a function that writes the nodes of a leaf; `called` are names of clusters."""
        order = np.argsort(self.leaf_of, kind="stable")
        starts = np.searchsorted(self.leaf_of[order], np.arange(self.n_leaves + 1))

        def members(leaf):
            inside = order[starts[leaf] : starts[leaf + 1]]
            names = map(str, (inside if self.node_names is None else np.asarray(self.node_names)[inside]).tolist())
            texts = [name if _PLAIN.fullmatch(name) else "'" + name.replace("'", "''") + "'" for name in names]
            return texts[0] if len(texts) == 1 else f"({','.join(f'{text}:0' for text in texts)}){called[leaf]}"

        return members

    def _there(self, n_clusters):
        """Return ids of the clusters that the partition into so many consists of."""
        made = 2 * self.n_leaves - n_clusters  # ids that have been made, and are not yet parts of others
        parent = self._parents[:made]
        return np.flatnonzero((parent >= made) | (parent < 0))

    @cached_property
    def _parents(self):
        """Parent of each cluster, (2 n_leaves - 1,) int64; -1 at the top."""
        n = self.n_leaves
        parent = np.full(2 * n - 1, -1)
        parent[self.merges.children.ravel()] = np.repeat(n + np.arange(n - 1), 2)
        return parent

    @cached_property
    def _curve(self):
        """Numbers of clusters, and the information of the partitions into so many."""
        n = self.n_leaves
        more = np.geomspace(_ALL_LEVELS, max(n, _ALL_LEVELS), 2 + int(np.log(max(1, n / _ALL_LEVELS)) / np.log(_STEP)))
        counts = np.unique(np.concatenate([np.arange(1, min(n, _ALL_LEVELS) + 1), np.round(more), [self.n_clusters]]))
        counts = counts[counts <= n].astype(np.int64)
        values = [
            cluster_sums(self._rows, self.merges.labels_at(k), k).value(OBJECTIVES["information"])
            for k in counts.tolist()
        ]
        return counts, np.array(values)


def tree_format(path):
    """Return the format that a path's ending asks for, or raise a ParameterError."""
    path = check_path(path)
    if path == "-":
        return "newick"
    ending = os.path.splitext(path)[1].lower()
    if ending not in _ENDINGS:
        raise ParameterError(
            f"the ending {ending!r} of {path!r} is none that a tree is written to; use {', '.join(_ENDINGS)}"
        )
    return _ENDINGS[ending]
