"""The scikit-learn class for kernel k-means with landmarks."""

from dataclasses import KW_ONLY
from typing import Self

import numpy as np

from .._random import Streams
from .._typing import AnyData, ArrayLike, Bandwidth, KernelLike, Labels, RandomState
from .._validation import check_choice, check_integer
from .._warn import warn_user
from ..exceptions import ParameterError
from ..features.sizes import suggest_rank
from ..kmeans.certificates import Certificate, certify
from ._checks import parameters, stages_of
from ._landmarks import LandmarkEstimator
from ._linear import FeatureClusterer


@parameters
class NystromKernelKMeans(FeatureClusterer, LandmarkEstimator):
    """Kernel k-means on Nystrom features, with a certificate of its cost.

    Parameters
    ----------
    n_clusters : int, default 8
    n_landmarks : int, float or {"auto", "sqrt", "sqrt_nk", "theory"}, default "auto"
        Landmarks drawn, c, or their share of the points; at least `n_clusters`. "sqrt" is ``ceil(sqrt(n))``, "auto"
        twice that and at least 10 for every cluster, "sqrt_nk" ``ceil(sqrt(n k))``, "theory" what the theorem asks for,
        which is far too much.
    n_components : int, None or "auto", default "auto"
        Features for k-means, s: best from `n_clusters` to `n_landmarks`. "auto" is ``ceil(sqrt(k c))``; None keeps all.
    sampling, replace, truncation, kernel, bandwidth, gamma, degree, coef0, ridge, rtol, on_indefinite, dtype
        See :class:`NystromFeatures`.
    block_bytes, random_state, n_jobs, verbose
        See :class:`NystromFeatures`; labels do not depend on `n_jobs`.
    solver : {"lloyd", "minibatch"}, default "lloyd"
        scikit-learn's :class:`~sklearn.cluster.KMeans` or :class:`~sklearn.cluster.MiniBatchKMeans`, on one thread.
    n_init : int, default 10
        Starts of k-means (k-means++); the cheapest is kept.
    max_iter : int, default 300
    tol : float, default 1e-4
    batch_size : int, default 1024
        For "minibatch".

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
    converged_ : bool
    feature_map_, landmark_indices_, n_landmarks_, n_components_, singular_values_, diagnostics_, kernel_
        See :class:`NystromFeatures`.
    n_features_in_ : int

    Notes
    -----
    Costs are means over points. With sample weights they are weighted means; landmarks are chosen without regard to
    weights.

    Of a chunked dask.array of vectors, `labels_` and what the methods return are dask.arrays; ``sampling`` is "uniform"
    or an array then, ``solver`` "lloyd", and the starts are by k-means||.

    References
    ----------
    Wang, Gittens, Mahoney, "Scalable kernel k-means clustering with Nystrom approximation", JMLR 20 (2019),
    Algorithm 2. Calandriello, Rosasco, "Statistical and computational trade-offs in kernel k-means", NeurIPS 2018,
    Algorithm 1.

    Examples
    --------
    >>> import graphcore
    >>> from sklearn.datasets import make_circles
    >>> X, y = make_circles(600, factor=0.2, noise=0.04, random_state=0)
    >>> model = graphcore.NystromKernelKMeans(2, bandwidth=0.3, random_state=0).fit(X)
    >>> graphcore.metrics.agreement(model.labels_, y)["ari"]
    1.0
    >>> model.certificate_.cost_lower <= model.cost_
    True
    """

    n_clusters: int = 8
    _: KW_ONLY
    n_landmarks: float | str = "auto"
    n_components: int | None = "auto"
    sampling: str | ArrayLike = "uniform"
    replace: bool | None = None
    truncation: int | str | None = None
    kernel: KernelLike = "gaussian"
    bandwidth: Bandwidth = None
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1.0
    ridge: float | None = None
    rtol: float | None = None
    on_indefinite: str = "error"
    dtype: str = "auto"
    block_bytes: int | None = None
    solver: str = "lloyd"
    n_init: int = 10
    max_iter: int = 300
    tol: float = 1e-4
    batch_size: int = 1024
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: int = 0

    def fit(self, X: AnyData, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn features and cluster them.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
        y : ignored
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the points in k-means; not negative.

        Returns
        -------
        self : NystromKernelKMeans

        Raises
        ------
        InputError, ParameterError

        Examples
        --------
        >>> import graphcore
        >>> from sklearn.datasets import make_blobs
        >>> X, y = make_blobs(200, centers=3, cluster_std=0.5, random_state=0)
        >>> graphcore.NystromKernelKMeans(3, n_landmarks=40, random_state=0).fit(X).cost_ < 0.2
        True
        """
        streams = Streams(self.random_state)
        with stages_of(self) as stages:
            with stages("kernel"):
                drawn = isinstance(self.sampling, str)
                kernel, rows, k = self._weighted_kernel_of(X, sample_weight, streams, merge=drawn)
                self._refuse_indefinite()
            c, s = self._sizes(kernel, k, rows.n_given)
            with stages("features"):
                found = self._fit_features(kernel, c, s, streams)
            with stages("k-means"):
                clusters = self._cluster(
                    found.features, k, rows.weights, streams, solver=self.solver, batch_size=self.batch_size
                )
            with stages("certificate"):
                self.certificate_: Certificate = certify(found, clusters.labels, sample_weight=rows.weights)
        self.cost_: float = self.certificate_.cost
        self._keep_mean_diagonal(kernel, rows.weights)
        if self.landmark_indices_ is not None:
            self.landmark_indices_ = np.sort(rows.given(self.landmark_indices_))
        self.labels_: Labels = rows.for_all(clusters.labels, self.predict)
        return self

    def _sizes(self, kernel, k, n_given):
        """Landmarks and features."""
        n = kernel.n_points
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
        if given:
            c = len(np.atleast_1d(self.sampling))
        else:
            theory = isinstance(self.n_landmarks, str) and self.n_landmarks == "theory"
            c = self._n_draws(
                kernel,
                k,
                ("auto", "sqrt", "sqrt_nk", "theory"),
                n_given,
                n_components=None if isinstance(s, str) else s,
                kappa_squared=kernel.diagonal.max() if theory else 1.0,
            )
        if c < k:
            named = f"landmarks given as sampling={self.sampling!r}" if given else f"n_landmarks={c}"
            raise ParameterError(f"{named} must be at least n_clusters={k}; take more landmarks")
        return c, suggest_rank(k, c, highest=min(n, c)) if isinstance(s, str) else s

    def _residuals(self, X, B):
        return np.maximum(self._own_values(X) - np.einsum("ij,ij->i", B, B, dtype=np.float64), 0.0)

    def _report(self):
        return super()._report() + self.certificate_.lines()
