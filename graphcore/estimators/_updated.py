"""What becomes of a fitted clustering when its graph changes, and when it is put away in a file."""

from sklearn.utils.validation import check_is_fitted

from .._typing import AnyGraph, PathLike
from ..exceptions import InputError
from ..graphs.rows import DIRECTED
from ..partition.update import Update
from ..pipeline.update import update_clustering
from ._checks import stages_of
from .model_file import write_model

_SIZES = ("min_cluster_size", "max_cluster_size", "max_share")


class UpdatedGraph:
    """Mixin of CoresetSpectralClustering: a model that follows its graph, and can be saved."""

    def update(self, added: AnyGraph | None = None, removed: AnyGraph | None = None) -> Update:
        """Change the graph, and the labels where the evidence has changed.

        Nodes at changed edges may move to another cluster, then neighbours of what moved. Clusters keep their numbers,
        and there are as many as before. Labels that stay (`y` of the fit) do, and clusters keep to `min_cluster_size`,
        `max_cluster_size` and `max_share`, as the parameters of the model say now, of the changed graph; such models
        form no cluster anew. Where a tenth of a cluster's volume has changed since the fit (or since it was
        last tried), it is dissolved and formed anew, which splits and unites clusters if that raises the objective.

        Parameters
        ----------
        added, removed : edges, optional
            A tuple of arrays (sources, targets) or (sources, targets, weights), an integer array of shape (n_edges, 2)
            or (2, n_edges), a table with columns source and target, or a graph. Nodes go by their names, if the graph
            has any, otherwise by their numbers; names that are new, and numbers from `n_nodes` on, are new nodes. The
            weight of an edge that is there already adds up, if the graph has weights. Removed edges go whole, before
            others are added: an edge in both gets a new weight.

        Returns
        -------
        Update
            What moved, and clusters that were split or united (:class:`graphcore.partition.update.Update`).

        Raises
        ------
        InputError
            If an edge to be removed is not there, or the model was fitted to vectors, or to a directed graph with
            ``symmetrize="degree-discounted"`` or ``"random-walk"``.
        ParameterError
            If no labels are found that keep to the limits: the model is what it was. ``set_params`` gives wider ones.

        Notes
        -----
        The rows of the graph are copied once and read twice; everything else goes by the size of the change.
        `labels_`, `outside_share_`, `graph_`, `node_names_` and what :meth:`predict` goes by are those of the changed
        graph. `stability_` is NaN for nodes that moved or are new. In `tree_`, the new nodes of a
        cluster are one leaf.

        Examples
        --------
        >>> import graphcore
        >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graph)
        >>> done = model.update(added=([6, 6], [4, 5]), removed=([2], [3]))
        >>> done.new_nodes, bool(model.labels_[6] == model.labels_[5])
        (array([6]), True)
        """
        check_is_fitted(self)
        if self._reference.kind != "edges":
            raise InputError("update is for models of graphs, and this one was fitted to vectors; see predict")
        if self._reference.weights is not None:
            raise InputError("update is for models without sample_weight; weigh the changed graph in another fit")
        if self.symmetrize in DIRECTED and not self._is_given:
            raise InputError(
                f"with symmetrize={self.symmetrize!r} a link changes edges everywhere; fit the changed graph again"
            )
        unrest = self._unrest.copy()  # what fails changes nothing
        with stages_of(self) as stages:
            graph, result, done, sums, shares = update_clustering(
                self.graph_, self._result, unrest, {name: getattr(self, name) for name in _SIZES}, added, removed,
                random_state=self.random_state, n_jobs=self.n_jobs, stages=stages,
            )  # fmt: skip
        self._keep(graph, self._reference, result, shares)
        self.n_features_in_, self._unrest = graph.n_nodes, unrest
        self._reference.set_clusters(sums)
        return done

    def save(self, path: PathLike) -> None:
        """Write the model to one file, graph included, without pickle; :func:`graphcore.load` reads it.

        Parameters
        ----------
        path : str or path-like
            A NumPy archive (``.npz``); written whole or not at all.

        Returns
        -------
        None

        Raises
        ------
        OSError
            If the file cannot be written.
        InputError
            If the model does not hold its graph any more.

        Notes
        -----
        Parameters, labels, the graph, vectors that it was made of, sums of the clusters, coreset, stability and leaves
        of the tree are kept. What only a fit has is not: `selection_`, `search_`, `seconds_`; nor a `random_state` that
        is no integer.

        Examples
        --------
        >>> import os, tempfile
        >>> import graphcore
        >>> karate = graphcore.datasets.load_karate()
        >>> model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(karate.graph)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "karate.npz")
        ...     model.save(path)
        ...     again = graphcore.load(path)
        >>> bool((again.labels_ == model.labels_).all())
        True
        """
        check_is_fitted(self)
        write_model(self, path)
