"""Gaussian sketches of a kernel: a Johnson-Lindenstrauss map of feature space that needs no eigenvectors."""

from dataclasses import KW_ONLY
from typing import Any, NamedTuple

import numpy as np

from ..base.estimator import parameters
from ..base.streams import Streams
from ..base.types import Floats, Integers
from ..base.validation import check_choice, check_flag, check_integer, check_size
from ..exceptions import warn_user
from ..kernels.bandwidths import rule_bandwidth
from ..kernels.base import map_rows
from ..kernels.checks import clearly_negative, report_indefinite, spectrum_ends
from ..kernels.functions import kernel_function
from ..kernels.graph import as_kernel
from .base import KernelEstimator
from .landmarks import largest_eigenpairs
from .linear_kmeans import FeatureClusterer, FeatureTransformer

SCALES = ("unit", "theory")
# Below this many subsample points all eigenvalues are about as cheap as a few.
_DENSE_POINTS = 400
_MIN_SUBSAMPLE, _SHARE = 200, 0.01
# Points whose largest cosine with a subsample point is below this are not represented.
_COVERED = 0.01
_AUTO_FEATURES = 100
# Beyond this ratio of eigenvalues their cubes hide clusters that kernel k-means itself would find.
_CONDITION = 4.0


class GaussianSketch(NamedTuple):
    """A linear map from a point's kernel row against the subsample to its features."""

    projection: np.ndarray  # (n_components, n_subsample) float64
    offset: np.ndarray  # (n_components,) float64: image of the subsample's mean; 0 if the map is not centred

    def features(self, rows):
        """Map kernel rows (n_rows, n_subsample), dense or sparse, of points against the subsample: float64."""
        features = np.asarray(rows @ self.projection.T, dtype=np.float64)
        features -= self.offset
        return features


def gaussian_sketch(K, n_components=None, *, center=True, scale="theory", random_state=None):
    """Draw the K-JL map ``x -> Z K k_x / (n sqrt(n d))`` of a subsample, a GaussianSketch.

    K is the kernel of the subsample with itself: a symmetric matrix, dense or sparse, or a Kernel, not centred by the
    caller. `n_components` are the dimensions d of the features. None is the map without randomness that a sketch has in
    mean, ``x -> K k_x / n^(3/2)``, of n dimensions: from d = n on it costs no more and has no error. `center` and
    `scale` are as for :class:`graphcore.GaussianSketchFeatures`; the theory is about ``center=False``.

    Given the subsample, ``E <Y_x, Y_y> = k_x^T K^2 k_y / n^3``, which the map without randomness has exactly, and
    squared distances are that times ``chi^2_d / d``. Z K takes ``d n^2`` multiplications, for a sparse K d times its
    entries: a centred K is never formed. Kpotufe, Sriperumbudur, "Gaussian Sketching yields a J-L Lemma in RKHS",
    AISTATS 2020, section 3; centring follows from putting the centred kernel into their map.
    """
    K = as_kernel(K).whole("a sketch")
    n = K.shape[0]
    check_choice("scale", scale, SCALES)
    if n_components is None:
        mixing = np.eye(n)
    else:
        d = check_integer("n_components", n_components, low=1)
        # The factor is applied last: theory's is so small that products of it would lose digits.
        mixing = Streams(random_state).generator("sketch").standard_normal((d, n)) / np.sqrt(d)
    projection = _centred_product(mixing, K) if center else np.asarray(mixing @ K, dtype=np.float64)
    projection /= n * np.sqrt(n)
    means = np.asarray(K.mean(axis=1), dtype=np.float64).ravel()
    offset = projection @ means if center else np.zeros(len(projection))
    sketch = GaussianSketch(projection, offset)
    if scale == "theory":
        return sketch
    norm = np.sqrt(np.square(sketch.features(K)).sum(axis=1).mean())
    # Points that are all the same are all mapped to 0, whatever the scale.
    return GaussianSketch(projection / norm, offset / norm) if norm > 0 else sketch


class KernelSketch(NamedTuple):
    """A subsample of a data set and the sketch of its kernel."""

    indices: np.ndarray  # (n_subsample,) int64: the subsample, in ascending order
    kernel: Any  # (n_subsample, n_subsample): of the subsample with itself, an ndarray or csr_array
    sketch: GaussianSketch

    def features(self, columns, *, n_jobs=None):
        """Compute features (n, d) of any points, by kernel columns of the subsample, and their nearness (n,).

        The latter is the largest ``|K(x, x_i)| / sqrt(K(x_i, x_i))`` over the subsample: over ``sqrt(K(x, x))`` the
        largest cosine in feature space, without its sign. Near 0 the subsample says nothing about the point.
        """
        diagonal = np.asarray(self.kernel.diagonal(), dtype=np.float64)
        root = np.sqrt(np.maximum(diagonal, 0))
        inverse = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)

        def both(rows):
            nearest = abs(rows.multiply(inverse) if hasattr(rows, "tocsr") else rows * inverse).max(axis=1)
            nearest = nearest.toarray() if hasattr(nearest, "toarray") else nearest
            return np.column_stack([self.sketch.features(rows), np.asarray(nearest).ravel()])

        found = map_rows(columns, both, n_jobs=n_jobs)
        return np.ascontiguousarray(found[:, :-1]), found[:, -1].copy()


def subsample_size(n_subsample, n_points):
    """Count subsample points: "auto" is ``max(200, n_points / 100)``, a float a share; at most `n_points`."""
    size = check_size("n_subsample", n_subsample, n_points, "the points", words=("auto",))
    return min(n_points, max(_MIN_SUBSAMPLE, round(_SHARE * n_points))) if isinstance(size, str) else size


def sketch_kernel(
    K, n_components=None, *, n_subsample="auto", center=True, scale="unit", on_indefinite="error", random_state=None
):
    """Draw a uniform subsample without replacement and the Gaussian sketch of its kernel; a KernelSketch.

    `n_components` of None, and any number from the size of the subsample on, is the map without randomness that the
    sketch has in mean. Of a kernel with clearly negative eigenvalues on the subsample, features can be made with a
    warning (`on_indefinite` "warn"), but the negative part counts as if it were positive.
    """
    check_choice("on_indefinite", on_indefinite, ("error", "warn"))
    kernel = as_kernel(K)
    streams = Streams(random_state)
    n = subsample_size(n_subsample, kernel.n_points)
    if n_components is not None:
        n_components = check_integer("n_components", n_components, low=1)
    indices = np.sort(streams.generator("subsample").choice(kernel.n_points, n, replace=False))
    matrix = kernel.submatrix(indices).whole("a sketch")  # sparse where the kernel is
    ends = (0.0, 0.0) if kernel.is_psd else spectrum_ends(matrix, streams)
    if clearly_negative(ends, kernel.precision, n):
        report_indefinite(
            ends,
            on_indefinite,
            where="on the subsample",
            remedy="add a multiple of the identity to a kernel matrix, or on_indefinite='warn' to go on",
            consequence="features count the negative part as if it were positive",
        )
    wanted = None if n_components is None or n_components >= n else n_components
    sketch = gaussian_sketch(matrix, wanted, center=center, scale=scale, random_state=streams.child("sketch"))
    return KernelSketch(indices, matrix, sketch)


def leading_eigenvalues(K, n_values=None, *, center=True):
    """Compute the largest eigenvalues of ``K / n``, descending: of the covariance in feature space.

    All of them, unless `n_values` says how many; by Lanczos where K is large and few are wanted.
    """
    kernel = as_kernel(K)
    n = kernel.n_points
    n_values = n if n_values is None else min(check_integer("n_values", n_values, low=1), n)
    if n <= _DENSE_POINTS or n_values > n // 4:
        dense = kernel.dense("all of its spectrum")
        return np.linalg.eigvalsh(_centred_product(np.eye(n), dense) if center else dense)[::-1][:n_values] / n
    K = kernel.whole("its spectrum")

    def times(x):
        y = K @ (x - x.mean() if center else x)
        return y - y.mean() if center else y

    return largest_eigenpairs(times, n, n_values)[0] / n


def _centred_product(Z, K):
    """Compute ``Z H K H`` with ``H = I - 11^T / n``, without forming ``H K H``."""
    Z = Z - Z.mean(axis=1, keepdims=True)
    product = np.array(Z @ K, dtype=np.float64)
    product -= product.mean(axis=1, keepdims=True)
    return product


@parameters
class SketchEstimator(KernelEstimator):
    """Base of GaussianSketchFeatures and GaussianSketchKernelKMeans."""

    _: KW_ONLY
    n_subsample: float | str = "auto"
    center: bool = True
    on_indefinite: str = "error"

    def _function_over(self, X, streams):
        is_gaussian = isinstance(self.kernel, str) and self.kernel in ("auto", "gaussian", "rbf")
        if self.bandwidth is None and self.gamma is None and is_gaussian:
            sigma = rule_bandwidth(X, ("quantile", 0.25), random_state=streams)
            return kernel_function("gaussian", gamma=sigma**-2)
        return super()._function_over(X, streams)

    def _fit_sketch(self, kernel, n_components, streams, n_given=None, scale="unit"):
        """Draw the sketch, of `n_components` features unless a number is asked for; return features of all points."""
        if not isinstance(self.n_components, str):
            n_components = self.n_components
        else:
            check_choice("n_components", self.n_components, ("auto",))
        found = sketch_kernel(
            kernel, n_components, n_subsample=self._size("n_subsample", kernel, n_given), scale=scale,
            center=check_flag("center", self.center), on_indefinite=self.on_indefinite, random_state=streams,
        )  # fmt: skip
        self._found = found
        self._reference = None if self.kernel_ is None else kernel.vectors(found.indices)
        self._points = found.indices
        self.subsample_indices_: Integers = found.indices
        self.projection_: Floats = found.sketch.projection
        self.offset_: Floats = found.sketch.offset
        self.n_components_: int = len(self.offset_)
        features, nearest = found.features(kernel.columns(found.indices), n_jobs=self.n_jobs)
        root = np.sqrt(np.maximum(kernel.diagonal, 0))
        coverage = np.where(root > 0, nearest / np.where(root > 0, root, 1.0), 0.0)
        n_far = int((coverage < _COVERED).sum())
        if n_far:
            warn_user(
                f"{n_far} of {kernel.n_points} points are far from all {len(found.indices)} subsample points (largest "
                f"cosine below {_COVERED}), so they look all the same: raise n_subsample or the bandwidth"
            )
        return features

    def _features_of(self, X):
        """Return features of points that have been checked."""
        return self._found.features(self._columns(X, self._reference, self._points), n_jobs=self.n_jobs)[0]


@parameters
class GaussianSketchFeatures(SketchEstimator, FeatureTransformer):
    """Gaussian sketch of kernel features (K-JL): a random projection in feature space without eigenvectors.

    Parameters
    ----------
    n_components : int or "auto", default "auto"
        Features; "auto" is 100. From the size of the subsample on, and for None, the features are those that the
        sketch has in mean, as many as there are subsample points: they cost no more and have no error.
    n_subsample : int, float or "auto", default "auto"
        Points of the subsample, or their share. "auto" is ``max(200, n_samples / 100)``, at most all.
    kernel, bandwidth, gamma
        As for :class:`NystromFeatures`, but that by default the Gaussian kernel is the paper's,
        ``exp(-|x - y|^2 / sigma^2)`` with the 25th percentile of the distances for sigma.
    center : bool, default True
        Centre in feature space by the mean of the subsample. With a kernel without negative entries the mean direction
        swamps everything otherwise.
    scale : {"unit", "theory"}, default "unit"
        "unit" divides by the root mean square norm on the subsample; "theory" leaves the paper's scale, which shrinks
        like ``(eigenvalue / n)^(3/2)``.
    on_indefinite : {"error", "warn"}, default "error"
        Treatment of a kernel that is not positive semi-definite on the subsample: it is rejected, or used as it is
        with a warning (the negative part counts as if it were positive).
    random_state, n_jobs, verbose
        As for :class:`NystromFeatures`.

    Attributes
    ----------
    subsample_indices_ : ndarray of shape (n_subsample,), int64
    kernel_ : KernelFunction or None
        The kernel with its bandwidth; None for a kernel matrix.
    projection_ : ndarray of shape (d, n_subsample), float64
    offset_ : ndarray of shape (d,), float64
        Features are ``projection_ @ k_x - offset_``.
    n_components_ : int
        d.
    n_features_in_ : int

    Notes
    -----
    The inner products of these features are in mean ``k_x^T K^2 k_y / n^3``: every direction of feature space is
    stretched by its eigenvalue to the power 3/2. Directions with small eigenvalues vanish; see the guide. A warning
    counts points that are near to none of the subsample, which are all mapped to about the same features.

    References
    ----------
    Kpotufe, Sriperumbudur, "Gaussian Sketching yields a J-L Lemma in RKHS", AISTATS 2020.

    Examples
    --------
    >>> import graphcore
    >>> from sklearn.datasets import make_circles
    >>> X, _ = make_circles(500, factor=0.2, noise=0.05, random_state=0)
    >>> graphcore.GaussianSketchFeatures(20, n_subsample=100, random_state=0).fit_transform(X).shape
    (500, 20)
    """

    n_components: int | str | None = "auto"
    _: KW_ONLY
    scale: str = "unit"

    def _learn(self, kernel, streams):
        return self._fit_sketch(kernel, _AUTO_FEATURES, streams, scale=check_choice("scale", self.scale, SCALES))


@parameters
class GaussianSketchKernelKMeans(SketchEstimator, FeatureClusterer):
    """Kernel k-means on Gaussian sketches of the kernel features.

    Parameters
    ----------
    n_clusters : int, default 8
    n_components : int, None or "auto", default "auto"
        Features of the sketch; "auto" is ten for every cluster. See :class:`GaussianSketchFeatures`.
    n_subsample, kernel, bandwidth, gamma, center, on_indefinite, random_state, n_jobs, verbose
        See :class:`GaussianSketchFeatures`.
    n_init, max_iter, tol
        See :class:`sklearn.cluster.KMeans`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
    cluster_centers_ : ndarray of shape (n_clusters, d), float64
        Centres in the space of the features; fewer if there are fewer distinct points.
    cost_ : float
        (Weighted) mean squared distance of the features to their centre, on their scale. It is no kernel k-means
        cost, and sketches are not to be compared by it.
    spectral_condition_ : float
        Largest eigenvalue over the last that k clusters need, number k - 1 (k if not centred). Its cube is how much
        less the sketch sees of that direction; beyond 4 there is a warning.
    subsample_indices_, kernel_, projection_, offset_, n_components_
        See :class:`GaussianSketchFeatures`.
    converged_ : bool
    n_iter_, n_features_in_ : int

    Notes
    -----
    Best where clusters are few and of about the same size. With many clusters or a spectrum that decays,
    Nystrom features see more: on the 8 x 8 digits kernel k-means has an adjusted Rand index of about 0.67 on them, and
    0.55 on sketches (means of 30 seeds).

    Examples
    --------
    >>> import graphcore
    >>> from sklearn.datasets import make_circles
    >>> X, y = make_circles(500, factor=0.2, noise=0.05, random_state=0)
    >>> model = graphcore.GaussianSketchKernelKMeans(2, n_subsample=100, random_state=0).fit(X)
    >>> graphcore.metrics.agreement(model.labels_, y)["ari"]
    1.0
    """

    n_clusters: int = 8
    _: KW_ONLY
    n_components: int | str | None = "auto"

    def _learn_for(self, kernel, k, streams, n_given):
        features = self._fit_sketch(kernel, 10 * k, streams, n_given)
        self._condition(k)
        return features, features

    def _kmeans_streams(self, streams):
        return streams.child("k-means")

    def _judge(self, found, clusters, kernel, rows):
        self.cost_: float = clusters.cost
        self.subsample_indices_ = rows.given(self.subsample_indices_)

    def _condition(self, k):
        """Eigenvalue ratio of the directions that k clusters span, and a word where it is too much for a sketch."""
        n, needed = len(self.subsample_indices_), max(1, k - 1 if self.center else k)
        values = leading_eigenvalues(self._found.kernel, min(needed, n), center=self.center)
        last = float(values[-1]) if len(values) == needed else 0.0
        rounding = n * np.finfo(float).eps * float(values[0])
        self.spectral_condition_: float = float(values[0]) / last if last > max(rounding, 0.0) else np.inf
        if self.spectral_condition_ > _CONDITION:
            warn_user(
                f"the eigenvalues that {k} clusters need differ by a factor of {self.spectral_condition_:.1f}, and a "
                "Gaussian sketch sees the cube of that: weak clusters may be lost; NystromKernelKMeans sees them all"
            )
