"""The scikit-learn class for kernel k-means with landmarks."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from .._random import Streams
from .._validation import check_choice, check_integer
from .._warn import warn_user
from ..exceptions import InputError, ParameterError
from ..features.diagnostics import as_text
from ..features.sizes import suggest_rank
from ..kernels.vectors import VectorKernel
from ..kmeans.certificates import certify
from ..kmeans.linear import linear_kmeans, nearest_center
from ._landmark_base import LandmarkEstimator, named_size

__all__ = ["NystromKernelKMeans"]


class NystromKernelKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, LandmarkEstimator):
    """Kernel k-means on Nystrom features, with a certificate of its cost.

    Parameters
    ----------
    n_clusters : int, default 8
    n_landmarks : int or {"auto", "sqrt", "sqrt_nk", "theory"}, default "auto"
        Landmarks drawn, c, at least `n_clusters`. "sqrt" is ``ceil(sqrt(n))``, "auto" twice that and at least 10 for
        every cluster, "sqrt_nk" ``ceil(sqrt(n k))``, "theory" what the theorem asks for, which is far too much.
    n_components : int, None or "auto", default "auto"
        Features for k-means, s: best from `n_clusters` to `n_landmarks`. "auto" is ``ceil(sqrt(k c))``; None keeps all.
    sampling, replace, truncation, kernel, bandwidth, gamma, degree, coef0, ridge, rtol, indefinite, dtype, block_rows
        See :class:`NystromFeatures`.
    solver : {"lloyd", "minibatch"}, default "lloyd"
        scikit-learn's :class:`~sklearn.cluster.KMeans` or :class:`~sklearn.cluster.MiniBatchKMeans`, on one thread.
    n_init : int, default 10
        Starts of k-means (k-means++); the cheapest is kept.
    max_iter : int, default 300
    tol : float, default 1e-4
    batch_size : int, default 1024
        For "minibatch".
    random_state : int, numpy Generator, RandomState or None, default None
    n_jobs : int or None, default None
        Threads for the features. Labels do not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
    cluster_centers_ : ndarray of shape (n_clusters, n_components), float64
        In the space of the features.
    cost_ : float
        Mean squared distance in kernel space to the nearest centre, ``f(J; B) + alpha / n``: comparable between numbers
        of landmarks. The same as ``certificate_.cost``.
    certificate_ : Certificate
        Between what the true cost of the labels lies, and what it can be above the optimum at most.
    n_iter_ : int
    feature_map_, landmark_indices_, n_landmarks_, n_components_, singular_values_, diagnostics_, kernel_
        See :class:`NystromFeatures`.
    n_features_in_ : int

    Notes
    -----
    Costs are means over points. With sample weights they are weighted means; landmarks are chosen without regard to
    weights.

    References
    ----------
    Wang, Gittens, Mahoney, "Scalable kernel k-means clustering with Nystrom approximation", JMLR 20 (2019),
    Algorithm 2. Calandriello, Rosasco, "Statistical and computational trade-offs in kernel k-means", NeurIPS 2018,
    Algorithm 1.

    Examples
    --------
    >>> import graphcore
    >>> rings = graphcore.datasets.rings(600, factor=0.2, noise=0.04, random_state=0)
    >>> model = graphcore.NystromKernelKMeans(2, bandwidth=0.3, random_state=0).fit(rings.data)
    >>> graphcore.metrics.agreement(model.labels_, rings.labels)["ari"]
    1.0
    >>> model.certificate_.cost_lower <= model.cost_
    True
    """

    def __init__(
        self,
        n_clusters=8,
        *,
        n_landmarks="auto",
        n_components="auto",
        sampling="uniform",
        replace=None,
        truncation=None,
        kernel="gaussian",
        bandwidth=None,
        gamma=None,
        degree=3,
        coef0=1.0,
        ridge=None,
        rtol=None,
        indefinite="error",
        dtype="auto",
        block_rows=None,
        solver="lloyd",
        n_init=10,
        max_iter=300,
        tol=1e-4,
        batch_size=1024,
        random_state=None,
        n_jobs=None,
    ):
        self.n_clusters = n_clusters
        self.n_landmarks = n_landmarks
        self.n_components = n_components
        self.sampling = sampling
        self.replace = replace
        self.truncation = truncation
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.ridge = ridge
        self.rtol = rtol
        self.indefinite = indefinite
        self.dtype = dtype
        self.block_rows = block_rows
        self.solver = solver
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.batch_size = batch_size
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y=None, sample_weight=None):
        """Learn features and cluster them.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the points in k-means; not negative.

        Returns
        -------
        NystromKernelKMeans
            This object.

        Raises
        ------
        ValueError
            :class:`graphcore.InputError` or :class:`graphcore.ParameterError`, naming what is wrong and what to do.
        """
        streams = Streams(self.random_state)
        X = self._training(X, streams)
        n = X.shape[0]
        k = check_integer("n_clusters", self.n_clusters, low=1, high=n, why_high="n_samples, the number of points")
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            n_points = int(np.count_nonzero(sample_weight))
            if not n_points:
                raise InputError("all of sample_weight are zero; there is nothing to cluster")
            why = "the points that have weight; ask for fewer clusters"
            check_integer("n_clusters", k, high=n_points, why_high=why)
        c, s = self._sizes(X, k)
        found = self._fit_features(X, c, s, streams)
        result = linear_kmeans(
            found.features,
            k,
            sample_weight=sample_weight,
            solver=self.solver,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            batch_size=self.batch_size,
            random_state=streams,
        )
        self.labels_ = result.labels
        self.cluster_centers_ = result.centers
        self.n_iter_ = result.n_iter
        self.certificate_ = certify(found, result.labels, sample_weight=sample_weight)
        self.cost_ = self.certificate_.cost
        return self

    def _sizes(self, X, k):
        """Landmarks and features."""
        n = X.shape[0]
        s = self.n_components
        if isinstance(s, str):
            check_choice("n_components", s, ("auto",))
        elif s is not None:
            s = check_integer("n_components", s, low=1, high=n, why_high="the number of points")
            if s < k:
                # No error: scikit-learn's checks of its own conventions set n_components to 1.
                warn_user(
                    f"n_components={s} is less than n_clusters={k}: so few features merge clusters, and the theory "
                    "asks for at least as many features as clusters"
                )
        given = not isinstance(self.sampling, str)
        rule = len(np.atleast_1d(self.sampling)) if given else self.n_landmarks
        n_components = None if isinstance(s, str) else s
        rule = named_size(rule, ("auto", "sqrt", "sqrt_nk", "theory"))
        largest = self._gram(X).diagonal.max() if isinstance(rule, str) and rule == "theory" else 1.0
        c = self._draws(rule, n, k, n_components=n_components, kappa_squared=largest)
        if c < k:
            named = f"landmarks given as sampling={self.sampling!r}" if given else f"n_landmarks={c}"
            raise ParameterError(f"{named} must be at least n_clusters={k}; take more landmarks")
        return c, suggest_rank(k, c, highest=min(n, c)) if isinstance(s, str) else s

    def predict(self, X):
        """Label of the nearest centre for any points.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n, n_features), or (n, n_samples) for kernel rows

        Returns
        -------
        ndarray of shape (n,), int32
        """
        return nearest_center(self._features_of(self._new(X)), self.cluster_centers_)[0]

    def transform(self, X):
        """Distance of any points to every centre, in kernel space.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n, n_features)
            Of a kernel matrix, rows do not hold ``K(x, x)``: distances are then within the span of the features only,
            and smaller by the same amount for every centre.

        Returns
        -------
        ndarray of shape (n, n_clusters), float64
        """
        X = self._new(X)
        B = self._features_of(X).astype(np.float64, copy=False)
        norms = np.einsum("ij,ij->i", self.cluster_centers_, self.cluster_centers_)
        squares = (norms - 2.0 * (B @ self.cluster_centers_.T)) + np.einsum("ij,ij->i", B, B)[:, None]
        return np.sqrt(np.maximum(squares, 0.0) + self._residuals(X, B)[:, None])

    def score(self, X, y=None, sample_weight=None):
        """Minus the mean squared distance to the nearest centre, in kernel space: the held-out cost, for new points.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n, n_features), or (n, n_samples) for kernel rows
            Kernel rows do not tell ``K(x, x)``; its mean is then left out of the cost, so that scores still compare
            between numbers of landmarks.
        y : None
            Ignored.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        X = self._new(X)
        B = self._features_of(X)
        squares = nearest_center(B, self.cluster_centers_)[1]
        if self.kernel_ is None:
            squares -= np.einsum("ij,ij->i", B, B, dtype=np.float64)
        else:
            squares += self._residuals(X, B)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        return -float(np.average(squares, weights=sample_weight))

    def _residuals(self, X, B):
        """Squared distances of points from what the features span; 0 where K(x, x) is not known."""
        if self.kernel_ is None:
            return np.zeros(len(B))
        diagonal = VectorKernel(X, self.kernel_).diagonal
        return np.maximum(diagonal - np.einsum("ij,ij->i", B, B, dtype=np.float64), 0.0)

    def report(self):
        """Summary of the fit as text: settings, share of the kernel kept, bounds on the cost."""
        check_is_fitted(self, "feature_map_")
        return as_text(self._kernel_line() + self.diagnostics_.lines() + self.certificate_.lines())

    @property
    def _n_features_out(self):
        return len(self.cluster_centers_)
