"""Base of the classes that cluster points by distances to centres or flats."""

from dataclasses import KW_ONLY
from typing import Self

from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from ..base.estimator import Estimator, parameters, whole
from ..base.streams import Streams
from ..base.types import AnyData, ArrayLike, Floats, Labels
from ..base.validation import refused


@parameters
class PointClusterer(ClusterMixin, Estimator):
    """Base of the classes, which give `_fit` (labels, and the EqualRows that they are of), `_nearest` and `_cost`."""

    _: KW_ONLY
    n_init: int = 10
    max_iter: int = 300
    # The remedy in messages about the number of clusters.
    _chosen_by = "graphcore.select_n_clusters(X) chooses one for vectors and for graphs"

    @whole
    def fit(self, X: AnyData, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Cluster points: vectors, and where the class takes them a kernel matrix or a graph.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features) or (n_samples, n_samples), or a graph
            Its kind follows from the class and its `kernel`, see :class:`KernelKMeans`.
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Not negative: a weight of 2 is a point given twice. Points of weight 0 take no part, and get the label of
            what is nearest to them. A node of a graph that counts twice is two nodes, each with its edges: the graph of
            ``w_x A_xy w_y`` is clustered, its nodes weighted by their degrees. Bandwidth rules use the distinct points
            with a weight; landmarks and subsamples are drawn without regard to weights.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            :class:`graphcore.InputError` or :class:`graphcore.ParameterError`, naming what is wrong and what to do;
            scikit-learn's plain ones for arrays of one or three dimensions, empty ones, and NaN.

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> model = graphcore.CoresetKernelKMeans(3, coreset_size=50, random_state=0).fit(X)
        >>> graphcore.metrics.agreement(model.labels_, y)["ari"]
        1.0
        """
        self._check_given()
        labels, rows = self._fit(X, sample_weight, Streams(self.random_state))
        self.labels_: Labels = rows.for_all(labels, self.predict)
        return self

    def _check_given(self):
        """Raise a ParameterError that says how a number of clusters is chosen, if none is given."""
        if self.n_clusters is None or isinstance(self.n_clusters, str):
            raise refused("n_clusters", self.n_clusters, f"must be an integer here; {self._chosen_by}")

    def predict(self, X: AnyData) -> Labels:
        """Cluster of new points: that of the nearest centre or flat.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features) or (n, n_samples)
            Vectors. With ``kernel="precomputed"`` the kernel of the new points against the fitted ones; after a graph
            the weights of the edges from new nodes to the fitted ones.

        Returns
        -------
        ndarray of shape (n,), int32
            -1 for new nodes without an edge to the fitted ones.

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> model = graphcore.KernelKMeans(3, random_state=0).fit(X[:150])
        >>> graphcore.metrics.agreement(model.predict(X[150:]), y[150:])["ari"]
        1.0
        """
        return self._nearest(X)

    def score(self, X: AnyData, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the mean cost of points: their squared distance to the nearest centre or flat. Larger is better.

        It is at most 0 where the kernel is positive semi-definite. That of a graph has zeros on its diagonal, so that
        squared distances may be negative, and the score above 0.

        Parameters
        ----------
        X : array-like or sparse matrix, as for :meth:`predict`
            Rows of a kernel matrix do not hold ``K(x, x)``: where the cost needs it, its mean over the fitted points
            stands for it, which is exact where the diagonal is constant, and the same for all models of a search. Nodes
            of a graph count by their degrees, and their own loops are the model's.
        y : ignored
        sample_weight : array-like of shape (n,), optional
            Not negative; degrees of new nodes are multiplied by it.

        Returns
        -------
        float
            For the points of the fit minus `cost_` or `reconstruction_error_`, where the class has one; not for graphs
            with loops, `self_loop` or `shift`, a part of the kernel that rows of new nodes do not hold.

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> model = graphcore.KernelKMeans(3, random_state=0).fit(X)
        >>> abs(model.score(X) + model.cost_) < 1e-6
        True
        """
        return -self._cost(X, sample_weight)


class DistanceTransformer(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Mixin of clusterers whose features are distances, which `_distances` gives."""

    def transform(self, X: AnyData) -> Floats:
        """Distance of points to every centre or flat.

        Parameters
        ----------
        X : array-like or sparse matrix, as for :meth:`predict`
            :class:`NystromKernelKMeans` takes rows of a kernel matrix if its diagonal is constant, or it is that of the
            fit.

        Returns
        -------
        ndarray of shape (n, n_clusters), float64
            In the space that the cost is measured in, see :meth:`score`.

        Examples
        --------
        >>> import graphcore
        >>> X, y = graphcore.datasets.crossing_lines(100, random_state=0)
        >>> graphcore.KFlats(2, 1, init="random", random_state=0).fit(X).transform(X[:5]).shape
        (5, 2)
        """
        return self._distances(X)
