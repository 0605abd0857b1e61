"""Gaussian sketches of a kernel: a Johnson-Lindenstrauss map of feature space that needs no eigenvectors."""

from typing import Any, NamedTuple

import numpy as np

from ...base.streams import Streams
from ...base.validation import check_choice, check_integer, check_size
from ...kernels.as_kernel import as_kernel
from ...kernels.checks import clearly_negative
from ...kernels.columns import map_rows
from ...kernels.definiteness import report_indefinite, spectrum_ends
from .leverage import largest_eigenpairs

SCALES = ("unit", "theory")
# Below this many subsample points all eigenvalues are about as cheap as a few.
_DENSE_POINTS = 400
_MIN_SUBSAMPLE, _SHARE = 200, 0.01


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
        if hasattr(columns, "lazily"):
            width = len(self.sketch.offset) + 1
            found = columns.lazily(_features_and_nearest, width, np.float64, self.sketch, inverse)
            return found[:, :-1], found[:, -1]
        found = _features_and_nearest(columns, self.sketch, inverse, n_jobs)
        return np.ascontiguousarray(found[:, :-1]), found[:, -1].copy()


def _features_and_nearest(columns, sketch, inverse, n_jobs=1):
    """Compute features and, as the last column, the largest of the kernel values times `inverse`."""
    unit = bool((inverse == 1).all())

    def both(rows):
        features = sketch.features(rows)
        scaled = rows if unit else rows * inverse
        nearest = abs(scaled).max(axis=1)
        nearest = nearest.toarray() if hasattr(nearest, "toarray") else nearest
        return np.column_stack([features, np.asarray(nearest).ravel()])

    return map_rows(columns, both, n_jobs=n_jobs)


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


def leading_eigenvalues(K, n_values=None, *, center=True, random_state=None):
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

    rng = Streams(random_state).generator("eigenvalues")
    return largest_eigenpairs(times, n, n_values, rng)[0] / n


def _centred_product(Z, K):
    """Compute ``Z H K H`` with ``H = I - 11^T / n``, without forming ``H K H``."""
    Z = Z - Z.mean(axis=1, keepdims=True)
    product = np.array(Z @ K, dtype=np.float64)
    product -= product.mean(axis=1, keepdims=True)
    return product
