"""The scikit-learn class for kernel k-means with landmarks."""

from dataclasses import KW_ONLY

import numpy as np

from .._validation import check_choice, check_integer
from .._warn import warn_user
from ..exceptions import ParameterError
from ..features.landmarks import suggest_rank
from ..kmeans.certificates import Certificate, certify
from ._checks import parameters
from ._features import FeatureClusterer
from .nystrom_features import LandmarkEstimator


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

    Of a chunked dask.array of vectors, `labels_` and what the methods return are dask.arrays; ``sampling`` is
    "uniform", "rpcholesky" or an array then, ``solver`` "lloyd", and the starts are by k-means||.

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
    n_components: int | str | None = "auto"
    solver: str = "lloyd"
    batch_size: int = 1024

    def _learn_for(self, kernel, k, streams, n_given):
        self._refuse_indefinite()
        found = self._fit_features(kernel, *self._sizes(kernel, k, n_given), streams)
        return found.features, found

    def _kmeans_options(self, streams):
        return {"random_state": streams, "solver": self.solver, "batch_size": self.batch_size}

    def _judge(self, found, clusters, kernel, rows, stages):
        with stages("certificate"):
            self.certificate_: Certificate = certify(found, clusters.labels, sample_weight=rows.weights)
        self.cost_: float = self.certificate_.cost
        self._keep_mean_diagonal(kernel, rows.weights)
        if self.landmark_indices_ is not None:
            self.landmark_indices_ = np.sort(rows.given(self.landmark_indices_))

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
            rule = {"n_components": None if isinstance(s, str) else s}
            rule["kappa_squared"] = kernel.diagonal.max() if theory else 1.0
            c = self._n_draws(kernel, k, ("auto", "sqrt", "sqrt_nk", "theory"), n_given, **rule)
        if c < k:
            named = f"landmarks given as sampling={self.sampling!r}" if given else f"n_landmarks={c}"
            raise ParameterError(f"{named} must be at least n_clusters={k}; take more landmarks")
        return c, suggest_rank(k, c, highest=min(n, c)) if isinstance(s, str) else s

    def _residuals(self, X, B):
        return np.maximum(self._own_values(X) - np.einsum("ij,ij->i", B, B, dtype=np.float64), 0.0)

    def _report(self):
        return super()._report() + self.certificate_.lines()
