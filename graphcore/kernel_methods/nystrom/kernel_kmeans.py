"""The class for kernel k-means on Nystrom features."""

import numpy as np

from ...base.types import ArrayLike, Bandwidth, KernelLike, RandomState
from ...base.validation import check_choice, check_integer
from ...exceptions import ParameterError, warn_user
from ..linear_kmeans import FeatureClusterer
from .features import LandmarkEstimator
from .landmarks import suggest_rank


class NystromKernelKMeans(LandmarkEstimator, FeatureClusterer):
    """Kernel k-means on Nystrom features.

    Parameters
    ----------
    n_clusters : int, default 8
    n_landmarks : int, float or {"auto", "sqrt"}, default "auto"
        Number of landmarks c, at least `n_clusters`; a float is a share of the points. "sqrt" is ``ceil(sqrt(n))``,
        "auto" twice that and at least 10 for every cluster.
    n_components : int, None or "auto", default "auto"
        Number of features s for k-means: best from `n_clusters` to `n_landmarks`. "auto" is ``ceil(sqrt(k c))``; None
        keeps all.
    sampling, kernel, bandwidth, gamma, on_indefinite
        See :class:`NystromFeatures`. A pipeline of that and :class:`sklearn.cluster.MiniBatchKMeans` has mini-batches.
    n_init : int, default 10
        Number of initialisations of k-means (k-means++); the cheapest is kept.
    max_iter : int, default 300
    tol : float, default 1e-4
    random_state, n_jobs, verbose
        See :class:`NystromFeatures`; labels do not depend on `n_jobs`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
    cluster_centers_ : ndarray of shape (n_clusters, n_components), float64
        Centres in the space of the features.
    cost_ : float
        Mean squared distance in kernel space to the nearest centre: that of the features to their centre, and what
        these leave out. It is comparable between numbers of landmarks, and not below the cost of exact kernel k-means
        with the same labels, if the kernel is positive semi-definite.
    converged_ : bool
    feature_map_, landmark_indices_, n_landmarks_, n_components_, singular_values_, share_kept_, kernel_
        See :class:`NystromFeatures`.
    n_iter_, n_features_in_ : int

    Notes
    -----
    Costs are means over points. With sample weights they are weighted means; landmarks are chosen without regard to
    weights.

    References
    ----------
    As for :class:`NystromFeatures`: Algorithm 2 of the one, Algorithm 1 of the other.

    Examples
    --------
    >>> import graphcore
    >>> from sklearn.datasets import make_circles
    >>> X, y = make_circles(600, factor=0.2, noise=0.04, random_state=0)
    >>> model = graphcore.NystromKernelKMeans(2, bandwidth=0.3, random_state=0).fit(X)
    >>> graphcore.metrics.agreement(model.labels_, y)["ari"]
    1.0
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_landmarks: float | str = "auto",
        n_components: int | str | None = "auto",
        sampling: str | ArrayLike = "uniform",
        kernel: KernelLike = "auto",
        bandwidth: Bandwidth = None,
        gamma: float | None = None,
        on_indefinite: str = "error",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        random_state: RandomState = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters, self.n_landmarks, self.n_components = n_clusters, n_landmarks, n_components
        self.sampling, self.on_indefinite = sampling, on_indefinite
        self.kernel, self.bandwidth, self.gamma = kernel, bandwidth, gamma
        self.n_init, self.max_iter, self.tol = n_init, max_iter, tol
        self.random_state, self.n_jobs, self.verbose = random_state, n_jobs, verbose

    def _learn_for(self, kernel, k, streams, n_given):
        found = self._fit_features(kernel, *self._sizes(kernel, k, n_given), streams)
        return found.features, found

    def _kmeans_streams(self, streams):
        return streams

    def _judge(self, found, clusters, kernel, rows):
        self.cost_: float = clusters.cost + float(np.average(found.residuals, weights=rows.weights))
        self._keep_diagonal(kernel, rows.weights)
        if self.landmark_indices_ is not None:
            self.landmark_indices_ = np.sort(rows.given(self.landmark_indices_))

    def _sizes(self, kernel, k, n_given):
        """Return landmarks and features."""
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
            c = self._n_draws(kernel, k, n_given, None if isinstance(s, str) else s)
        if c < k:
            named = f"landmarks given as sampling={self.sampling!r}" if given else f"n_landmarks={c}"
            raise ParameterError(f"{named} must be at least n_clusters={k}; take more landmarks")
        return c, suggest_rank(k, c, highest=min(n, c)) if isinstance(s, str) else s

    def _residuals(self, X, B):
        """Of rows of a kernel matrix only their sum is right, as the mean over the fit stands for K(x, x)."""
        residuals = self._own_values(X) - np.einsum("ij,ij->i", B, B, dtype=np.float64)
        return np.maximum(residuals, 0.0) if self._kind == "vectors" else residuals
