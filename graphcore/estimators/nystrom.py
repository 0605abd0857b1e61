"""The scikit-learn classes for Nystrom features, and for kernel k-means on them."""

from dataclasses import KW_ONLY
from numbers import Integral

import numpy as np

from ..base.estimator import parameters, passed_on
from ..base.types import ArrayLike, Floats, Integers
from ..base.validation import check_choice, check_integer
from ..exceptions import InputError, ParameterError, warn_user
from ..kernel_methods.features.diagnostics import FeatureDiagnostics, diagnose
from ..kernel_methods.features.feature_map import SUBSPACES, FeatureMap
from ..kernel_methods.features.landmarks import suggest_landmarks, suggest_rank
from ..kernel_methods.features.nystrom import (
    SAMPLINGS,
    NystromOptions,
    kernel_pca_features,
    nystrom_features,
    power_features,
)
from ..kernel_methods.kmeans.certificates import Certificate, certify
from ..kernels.vectors import ChunkedVectorKernel, kernel_over
from ._features import FeatureClusterer, FeatureEstimator, FeatureTransformer

_DTYPES = ("auto", "float32", "float64")


@parameters
class LandmarkEstimator(FeatureEstimator):
    """Base of NystromFeatures and NystromKernelKMeans; see them for the parameters."""

    _: KW_ONLY
    n_landmarks: float | str = "auto"
    sampling: str | ArrayLike = "uniform"
    replace: bool | None = None
    truncation: int | str | None = None
    ridge: float | None = None
    rtol: float | None = None
    on_indefinite: str = "error"
    dtype: str = "auto"
    block_bytes: int | None = None

    def _refuse_indefinite(self):
        """Refuse a kernel that is known to be indefinite, before any work."""
        if self.kernel_ is not None and self.kernel_.is_psd is False and self.on_indefinite == "error":
            raise ParameterError(
                f"kernel={self.kernel!r} is not positive semi-definite, which landmark methods need; choose another "
                "kernel, or on_indefinite='clip' to drop the negative part"
            )

    def _vector_kernel(self, X):
        dtype = check_choice("dtype", self.dtype, _DTYPES)
        if dtype == "auto":
            narrow = X.dtype == np.float32 or (X.dtype.itemsize <= 2 and X.dtype.kind in "iufb")
            dtype = "float32" if narrow else "float64"
        return kernel_over(X, self.kernel_, np.dtype(dtype))

    def _n_draws(self, kernel, n_clusters, words, n_given=None, **options):
        """Return landmarks to draw, given as a number, a share or a rule: more than points only with replacement."""
        if self.replace and isinstance(self.n_landmarks, Integral):
            return check_integer("n_landmarks", self.n_landmarks, low=1)
        size = self._size("n_landmarks", kernel, n_given, words)
        return suggest_landmarks(kernel.n_points, n_clusters, size, **options) if isinstance(size, str) else size

    def _fit_features(self, kernel, n_landmarks, n_components, streams):
        """Return features of all points; the map is stored, the features are not."""
        sampling = self.sampling
        common = {"on_indefinite": self.on_indefinite, "random_state": streams, "n_jobs": self.n_jobs}
        options = passed_on(self, "replace truncation ridge rtol block_bytes")
        if isinstance(sampling, str):
            check_choice("sampling", sampling, SAMPLINGS + SUBSPACES)
            if sampling not in ("uniform", "rpcholesky") and isinstance(kernel, ChunkedVectorKernel):
                raise ParameterError(
                    f"sampling={sampling!r} is not for a dask.array; use 'uniform' or 'rpcholesky', or give the "
                    "landmarks themselves"
                )
        if isinstance(sampling, str) and sampling in SUBSPACES:
            NystromOptions(**options).checked(n_landmarks)
            s = n_landmarks if n_components is None else n_components
            if sampling == "power":
                c = max(n_landmarks, s) if self.n_landmarks != "auto" else None
                found = power_features(kernel, s, n_vectors=c, rtol=self.rtol, **common)
            else:
                found = kernel_pca_features(kernel, s, **common)
        else:
            found = nystrom_features(kernel, n_landmarks, n_components, sampling=sampling, **options, **common)
        self.feature_map_: FeatureMap = found.feature_map
        self.landmark_indices_: Integers | None = None if found.landmarks is None else found.landmarks.indices
        self.n_landmarks_: int = found.n_landmarks
        self.n_components_: int = found.n_components
        self.singular_values_: Floats = found.singular_values
        self.diagnostics_: FeatureDiagnostics = diagnose(found)
        return found

    def _features_of(self, X):
        """Return features of points that have been checked."""
        return self.feature_map_(X, block_bytes=self.block_bytes, n_jobs=self.n_jobs)

    def _report(self):
        name = self.sampling if isinstance(self.sampling, str) else "given landmarks"
        return [*super()._report(), ("sampling", name), *self.diagnostics_.lines()]


@parameters
class NystromFeatures(FeatureTransformer, LandmarkEstimator):
    """Nystrom features: a map to few dimensions in which inner products approximate a kernel.

    Parameters
    ----------
    n_components : int or None, default None
        Number of features s: the approximation is restricted to its best rank s. None keeps the full rank.
    n_landmarks : int, float or {"auto", "sqrt"}, default "auto"
        Number of landmarks c; a float is a share of the points. "sqrt" is ``ceil(sqrt(n))``, "auto" twice that and at
        least 10 for every feature; at most all points.
    sampling : str or array-like of int, default "uniform"
        "uniform", "leverage", "approximate-leverage", "ridge", "recursive-ridge" or "rpcholesky" (randomly pivoted
        Cholesky) choose points; "gaussian", "srht" and "countsketch" mix all columns of the kernel matrix, "power"
        takes a random subspace and power steps, "kernel-pca" exact eigenvectors (these five compute all n^2 kernel
        values). An array holds the landmarks themselves. See the guide.
    replace : bool or None, default None
        Whether a landmark can be drawn twice. None: no for "uniform" and "rpcholesky" (which never does), yes for the
        others, as in the theory.
    truncation : int, "half" or None, default None
        Rank to which the landmark matrix is truncated before it is inverted; "half" is half of the landmarks, as in the
        paper's experiments. None drops only eigenvalues at the level of rounding errors.
    kernel, bandwidth, gamma, degree, coef0
        As for :class:`KernelKMeans`, but that graphs, and with "auto" symmetric sparse matrices, are refused. Of
        "precomputed" :meth:`transform` takes the rows of new points against all points fitted.
    ridge : float or None, default None
        For "ridge" and "recursive-ridge"; default ``sqrt(n)`` times the mean of the kernel's diagonal.
    rtol : float or None, default None
        Eigenvalues of the landmark matrix up to this share of the largest count as zero. Default: the number of
        landmarks times the machine epsilon.
    on_indefinite : {"error", "clip"}, default "error"
        Treatment of a kernel that is not positive semi-definite: it is rejected, or its negative part is dropped.
    dtype : {"auto", "float32", "float64"}, default "auto"
        Type in which kernel values and features are computed. "auto" is float32 for float32 and for numbers of one or
        two bytes. Sums and the landmark matrix are always float64.
    block_bytes : int or None, default None
        Kernel values worked on at a time, by their size in memory; None is what fits into a processor's cache. Features
        do not depend on it beyond rounding.
    random_state, n_jobs, verbose
        As for :class:`KernelKMeans`; features do not depend on `n_jobs`.

    Attributes
    ----------
    feature_map_ : FeatureMap
        Landmarks and projection: all that :meth:`transform` needs.
    landmark_indices_ : ndarray of shape (n_distinct,), int64, or None
        Distinct landmarks, ascending; None for the schemes that mix columns.
    n_landmarks_, n_components_ : int
        Numbers of landmarks and of features.
    singular_values_ : ndarray, float64
        Singular values of the root of the approximation; the first ones are those of the features.
    diagnostics_ : FeatureDiagnostics
        Quality of the features as an approximation of the kernel; :meth:`report` prints it.
    kernel_ : KernelFunction or None
        The kernel with its bandwidth; None for a kernel matrix.
    n_features_in_ : int

    Notes
    -----
    ``0 <= B B^T <= K`` for features B of a positive semi-definite kernel. X may be a read-only memmap of integers: it
    is read in blocks, twice, and only n x s numbers are kept. Features of a chunked dask.array are one too;
    ``sampling`` is "uniform", "rpcholesky" or an array then.

    References
    ----------
    Wang, Gittens, Mahoney, "Scalable kernel k-means clustering with Nystrom approximation", JMLR 20 (2019).
    Calandriello, Rosasco, "Statistical and computational trade-offs in kernel k-means", NeurIPS 2018.

    Examples
    --------
    >>> import graphcore
    >>> digits = graphcore.datasets.load_digits()
    >>> features = graphcore.NystromFeatures(20, random_state=0)
    >>> features.fit_transform(digits.data).shape
    (1797, 20)
    >>> features.n_landmarks_
    200
    """

    n_components: int | None = None

    def _learn(self, kernel, streams):
        self._refuse_indefinite()
        s = self.n_components
        if s is not None:
            s = check_integer("n_components", s, low=1, high=kernel.n_points, why_high="the number of points")
        c = self._n_draws(kernel, 1, ("auto", "sqrt"), n_components=s)
        return self._fit_features(kernel, c, s, streams).features

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@parameters
class NystromKernelKMeans(FeatureClusterer, LandmarkEstimator):
    """Kernel k-means on Nystrom features, with a certificate of its cost.

    Parameters
    ----------
    n_clusters : int, default 8
    n_landmarks : int, float or {"auto", "sqrt", "sqrt_nk", "theory"}, default "auto"
        Number of landmarks c, at least `n_clusters`; a float is a share of the points. "sqrt" is ``ceil(sqrt(n))``,
        "auto" twice that and at least 10 for every cluster, "sqrt_nk" ``ceil(sqrt(n k))``, "theory" the number in the
        theorem, which is far larger than needed.
    n_components : int, None or "auto", default "auto"
        Number of features s for k-means: best from `n_clusters` to `n_landmarks`. "auto" is ``ceil(sqrt(k c))``; None
        keeps all.
    sampling, replace, truncation, kernel, bandwidth, gamma, degree, coef0, ridge, rtol, on_indefinite, dtype
        See :class:`NystromFeatures`.
    block_bytes, random_state, n_jobs, verbose
        See :class:`NystromFeatures`; labels do not depend on `n_jobs`.
    solver : {"lloyd", "minibatch"}, default "lloyd"
        scikit-learn's :class:`~sklearn.cluster.KMeans` or :class:`~sklearn.cluster.MiniBatchKMeans`, on one thread.
    n_init : int, default 10
        Number of initialisations of k-means (k-means++); the cheapest is kept.
    max_iter : int, default 300
    tol : float, default 1e-4
    batch_size : int, default 1024
        For "minibatch".

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
    cluster_centers_ : ndarray of shape (n_clusters, n_components), float64
        Centres in the space of the features.
    cost_ : float
        Mean squared distance in kernel space to the nearest centre, ``f(J; B) + alpha / n``: comparable between numbers
        of landmarks, and equal to ``certificate_.cost``.
    certificate_ : Certificate
        Bounds on the true cost of the labels, and on its ratio to the optimum.
    converged_ : bool
    feature_map_, landmark_indices_, n_landmarks_, n_components_, singular_values_, diagnostics_, kernel_
        See :class:`NystromFeatures`.
    n_iter_, n_features_in_ : int

    Notes
    -----
    Costs are means over points. With sample weights they are weighted means; landmarks are chosen without regard to
    weights.

    Of a chunked dask.array of vectors, `labels_` and what the methods return are dask.arrays; ``solver`` is "lloyd"
    then, and the starts are by k-means||.

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
            theory = isinstance(self.n_landmarks, str) and self.n_landmarks == "theory"
            rule = {"n_components": None if isinstance(s, str) else s}
            rule["kappa_squared"] = kernel.diagonal.max() if theory else 1.0
            c = self._n_draws(kernel, k, ("auto", "sqrt", "sqrt_nk", "theory"), n_given, **rule)
        if c < k:
            named = f"landmarks given as sampling={self.sampling!r}" if given else f"n_landmarks={c}"
            raise ParameterError(f"{named} must be at least n_clusters={k}; take more landmarks")
        return c, suggest_rank(k, c, highest=min(n, c)) if isinstance(s, str) else s

    def _residuals(self, X, B, *, each=False):
        residuals = self._own_values(X) - np.einsum("ij,ij->i", B, B, dtype=np.float64)
        known = self._kind == "vectors" or self._is_fitted_matrix(X)
        if known or np.allclose(self._diagonal, self._mean_diagonal):
            return np.maximum(residuals, 0.0)
        if each:
            raise InputError(
                "distances need K(x, x), which rows of a kernel matrix do not hold, and its diagonal is not constant: "
                "scale the matrix to a diagonal of ones, or give vectors and kernel= a name or a function"
            )
        return residuals  # of a mean in place of K(x, x) only sums are right: what is below 0 makes up for other rows

    def _report(self):
        lines, n = dict(super()._report()), self.diagnostics_.n
        if n < len(self.labels_):
            lines["points"] = f"{n:,} different ones of {len(self.labels_):,}"
        return [*lines.items(), *self.certificate_.lines()]
