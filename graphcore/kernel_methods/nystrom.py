"""Features of a kernel matrix, from a few of its columns, random subspaces or eigenvectors, and k-means on them."""

import math
from dataclasses import KW_ONLY, dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from ..base.estimator import parameters, passed_on
from ..base.loops import away, limited_libraries, map_blocks
from ..base.streams import Streams
from ..base.types import ArrayLike, Floats, Integers
from ..base.validation import check_choice, check_integer, check_real
from ..exceptions import InputError, ParameterError, warn_user
from ..kernels.base import Columns, block_borders, map_rows, matrix_columns, vector_columns
from ..kernels.checks import clearly_negative, report_indefinite, smallest_sampled_eigenvalue
from ..kernels.graph import as_kernel
from ..kernels.vectors import VectorKernel
from .base import KernelEstimator
from .landmarks import LANDMARK_SAMPLINGS, sample_landmarks, suggest_landmarks, suggest_rank, top_eigenpairs
from .linear_kmeans import FeatureClusterer, FeatureTransformer

PROJECTIONS = ("gaussian", "srht", "countsketch")
SAMPLINGS = LANDMARK_SAMPLINGS + PROJECTIONS
# Columns of C that fit in this many bytes are computed once; others are computed again for the second pass.
_KEEP_BYTES = 1 << 28
# Gram matrices of one group of blocks each are summed in a fixed order; together they hold about so many numbers.
_GROUP_ENTRIES, _MAX_GROUPS, _MIN_GROUPS = 1 << 25, 64, 8
# Residuals below minus this share of K_ii contradict a positive semi-definite kernel. float32 loses digits on the way.
_NEGATIVE_RESIDUAL = {4: 1e-3, 8: 1e-6}
# Landmarks that explain a smaller share of the trace have missed most of the kernel.
_MIN_KEPT = 0.1
# Of larger matrices a sample of so many points is looked at for negative eigenvalues, where all are computed.
_SAMPLE = 1000
_ZERO = "the kernel matrix is zero, so there is nothing to learn from it; check the kernel"
# Remedies for an indefinite kernel.
_DROPPED = {
    "remedy": "add a multiple of the identity, or on_indefinite='warn' to drop the negative part",
    "consequence": "the negative part is dropped, and nothing is promised of the features",
}


# -- the factor --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NystromFactor:
    """B with ``B B^T = (C W^+ C^T)_s``."""

    features: np.ndarray  # (n, s): B; fewer columns than were asked for rather than columns of noise
    projection: np.ndarray  # (c, s) float64: T with ``B = C T``, from kernel values with landmarks to features
    singular_values: np.ndarray  # (rank,) float64: all of ``C Z``, descending; the first s are those of B
    landmark_root: np.ndarray  # (c, rank) float64: Z of `inverse_root`
    n_zero_rows: int  # points whose kernel values with all landmarks, and so whose features, are zero


def inverse_root(W, *, truncation=None, rtol=None, on_indefinite="error", precision=np.float64):
    """Compute Z (c, rank) with ``Z Z^T = W^+`` for a positive semi-definite matrix W (c, c), which is symmetrised.

    Eigenvalues up to `rtol` times the largest are taken for zero, by default c times the machine epsilon of
    `precision`, which kernel values were computed in; `truncation` is the largest rank kept. A W with NaN or infinity,
    of zeros, or with clearly negative eigenvalues is an InputError, unless "warn" drops the latter.
    """
    check_choice("on_indefinite", on_indefinite, ("error", "warn"))
    c = len(W)
    rtol = c * float(np.finfo(precision).eps) if rtol is None else check_real("rtol", rtol, low=0.0, high=1.0)
    if not np.isfinite(W).all():
        raise InputError("kernel values among the landmarks hold NaN or infinity; check the data and the kernel")
    values, vectors = away(np.linalg.eigh, (W + W.T) / 2)
    values, vectors = values[::-1], vectors[:, ::-1]
    if not values.any():
        raise InputError(
            "kernel values among the landmarks are all zero, so nothing can be learnt from them; choose other "
            "landmarks (sampling='leverage', more of them) or check the kernel"
        )
    if clearly_negative(values, precision, c):
        report_indefinite((values[-1], values[0]), on_indefinite, where="among the landmarks", **_DROPPED)
    rank = int((values > rtol * max(float(values[0]), 0.0)).sum())
    if rank == 0:
        raise InputError("kernel values among the landmarks have no positive eigenvalue; use another kernel")
    rank = rank if truncation is None else min(rank, truncation)
    return vectors[:, :rank] / np.sqrt(values[:rank])


def nystrom_factor(C, W, n_components=None, *, scale=None, truncation=None, n_jobs=None, **of_the_root):
    """Factorise ``(C W^+ C^T)_s`` for columns ``C = K P`` and ``W = P^T K P``: a rank-restricted NystromFactor.

    The restriction is to the best rank s, `n_components`, of the whole approximation; ``C (W_s)^+ C^T``, which
    ``truncation=s`` computes, has no relative-error bound. C is an array or sparse matrix of floats, or Columns, W an
    array of float64. Both are multiplied by `scale` first, as weighted sampling has it, which changes something with a
    `truncation` only: the rank that W is cut to before it is inverted (l in the paper), or s if that is more.
    `of_the_root` are `rtol` and `on_indefinite` of :func:`inverse_root`.

    C is gone through twice, in blocks of rows, and never held whole if it is large: the first pass sums
    ``(C Z)^T (C Z)`` in float64, whose eigenvectors V give ``T = Z V``; the second writes ``B = C T``. Time
    O(n c (r + s)) and the making of C twice, memory O(n s + c^2). Wang, Gittens, Mahoney, "Scalable kernel k-means
    clustering with Nystrom approximation", JMLR 20 (2019), Algorithms 2 and 3: blocks of rows are the paper's machines,
    and only sums leave them.
    """
    columns = C
    if not hasattr(C, "row_bytes"):
        columns = matrix_columns(C.tocsr() if hasattr(C, "tocsr") else C, C.dtype)
    if truncation is not None:
        truncation = max(truncation, n_components or 1)
    if scale is not None:
        W = W * scale * scale[:, None]
    with limited_libraries():
        root = inverse_root(W, truncation=truncation, precision=columns.dtype, **of_the_root)
        Z = root if scale is None else root * scale[:, None]
        borders = block_borders(columns)
        kept = {} if math.prod(columns.shape) * columns.dtype.itemsize <= _KEEP_BYTES else None
        gram, n_zero_rows = _gram_of_features(columns, Z, borders, kept, n_jobs)
        V, singular_values = _right_vectors(gram, n_components)
        T = Z @ V
        B = _features(columns, T, borders, kept, n_jobs)
    return NystromFactor(B, T, singular_values, root, n_zero_rows)


def _gram_of_features(columns, Z, borders, kept, n_jobs):
    """Compute ``(C Z)^T (C Z)`` in float64, and count the rows of C Z that are zero."""
    r = Z.shape[1]
    Z = Z.astype(columns.dtype, copy=False)
    n_blocks = len(borders) - 1
    n_groups = min(n_blocks, max(_MIN_GROUPS, min(_MAX_GROUPS, _GROUP_ENTRIES // max(1, r * r))))
    groups = np.unique(np.linspace(0, n_blocks, n_groups + 1).astype(np.int64))

    def one(first, last):
        gram, zeros = np.zeros((r, r)), 0
        for start, stop in pairwise(borders[first : last + 1]):
            rows = columns.rows(start, stop)
            if kept is not None:
                kept[int(start)] = rows
            R = np.asarray(rows @ Z, dtype=np.float64)
            gram += R.T @ R
            zeros += int((~R.any(axis=1)).sum())
        return gram, zeros

    parts = map_blocks(one, groups, n_jobs)
    gram = parts[0][0]
    for part, _ in parts[1:]:  # in their order, whichever thread was first
        gram += part
    if not np.isfinite(gram).all():
        raise InputError(
            "kernel values of the points with the landmarks hold NaN or infinity, or their squares do; check the data "
            "and the kernel, or rescale"
        )
    return gram, sum(zeros for _, zeros in parts)


def _right_vectors(gram, n_components):
    """Compute the right singular vectors of C Z that carry signal, with signs fixed, and all singular values."""
    values, vectors = away(np.linalg.eigh, gram)
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    # Singular values whose squares are below this are rounding error.
    signal = int((values > len(values) * np.finfo(np.float64).eps * values[0]).sum())
    if signal == 0:
        raise InputError("the kernel values of all points with the landmarks are zero; choose other landmarks")
    V = vectors[:, : signal if n_components is None else min(signal, n_components)]
    top = np.abs(V).argmax(axis=0)
    return V * np.where(V[top, np.arange(V.shape[1])] < 0, -1.0, 1.0), np.sqrt(values)


def _features(columns, projection, borders, kept, n_jobs):
    """Compute ``C T`` in the type that C is computed in."""
    out = np.empty((columns.shape[0], projection.shape[1]), dtype=columns.dtype)
    T = projection.astype(columns.dtype, copy=False)

    def one(start, stop):
        rows = columns.rows(start, stop) if kept is None else kept.pop(start)
        out[start:stop] = rows @ T

    map_blocks(one, borders, n_jobs)
    return out


# -- features and their map --------------------------------------------------------------------------------------------


def projection_matrix(name, n, c, *, random_state=None):
    """Draw a sketching matrix P (n, c) with ``E[P P^T] = I``, an ndarray or csr_array, to be applied from the right.

    "gaussian" has independent normal entries over sqrt(c). "srht" is ``sqrt(N/c) D H S`` with random signs D, the
    orthonormal Walsh-Hadamard matrix H of the next power of two N, and c of its columns drawn without replacement.
    "countsketch" has one +1 or -1 in each row, in a random column. Wang, Gittens, Mahoney, JMLR 2019, section 3.1.
    """
    rng = Streams(random_state).generator("projection")
    if name == "gaussian":
        return rng.standard_normal((n, c)) / np.sqrt(c)
    signs = rng.choice(np.array([-1.0, 1.0]), n)
    if name == "srht":
        # Entries are formed, since one product with them takes less than the transform of every row by numpy.
        sampled = rng.choice(1 << (n - 1).bit_length(), c, replace=False)
        odd = np.bitwise_count(np.arange(n, dtype=np.int32)[:, None] & sampled.astype(np.int32)) & 1
        signs = signs[:, None] / np.sqrt(c)
        return np.where(odd, -signs, signs)
    import scipy.sparse as sp

    return sp.csr_array((signs, rng.integers(0, c, n), np.arange(n + 1)), shape=(n, c))


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """Takes points to their features, ``b(x) = T^T P^T k(x)``; made by a fit and small enough to be stored."""

    projection: np.ndarray  # (c, s) float64: T
    function: Any  # KernelFunction; None where kernel values are given
    # (c, n_features): the landmarks; all training points where the sketch mixes all columns
    vectors: Any = field(repr=False)
    # (c,) int64: the landmarks among the training points; None where the sketch mixes all columns
    indices: np.ndarray | None = field(repr=False)
    sketch: Any = field(repr=False)  # (n, c): P, dense or sparse, where it is not a choice of columns
    dtype: np.dtype  # type that kernel values are computed in
    n_training: int

    def __call__(self, X, *, n_jobs=None):
        """Compute features (n_rows, s) of vectors, or of kernel values with all training points for a matrix."""
        columns = self.columns(X)
        with limited_libraries():
            return _features(columns, self.projection, block_borders(columns), None, n_jobs)

    def columns(self, X):
        """Compute kernel values of points with the landmarks, or their sketch, in blocks."""
        if self.function is not None:
            columns = vector_columns(self.function, X, self.vectors, self.dtype)
        else:
            if X.shape[1] != self.n_training:
                raise InputError(
                    f"kernel values with all {self.n_training} training points are needed; got {X.shape[1]} columns"
                )
            columns = matrix_columns(X, self.dtype, self.indices)
        if self.sketch is None:
            return columns

        def mixed(start, stop):
            rows = columns.rows(start, stop) @ self.sketch
            return (rows.toarray() if hasattr(rows, "tocsr") else rows).astype(columns.dtype, copy=False)

        return Columns((columns.shape[0], self.sketch.shape[1]), columns.dtype, 2 * columns.row_bytes, mixed)


@dataclass(frozen=True, eq=False)
class KernelFeatures:
    """Explicit features whose inner products approximate a kernel matrix from below: ``0 <= B B^T <= K``.

    Of an indefinite kernel they approximate the positive part, and nothing is promised.
    """

    features: np.ndarray  # (n, s) float32 or float64: B
    feature_map: FeatureMap
    # (rank,) float64: of the approximation's root before the restriction to s features, descending; s belong to B
    singular_values: np.ndarray
    diagonal: np.ndarray  # (n,) float64: of the kernel matrix
    # (n,) float64: ``K_ii - |b_i|^2``, squared distance of a point from the span of the features in kernel space
    residuals: np.ndarray
    n_landmarks: int  # drawn, or columns of the sketch: c
    n_zero_rows: int = 0  # points whose kernel values with all landmarks are zero, though that with themselves is not

    @property
    def n_components(self):
        """Number of features, s."""
        return self.features.shape[1]

    @property
    def trace(self):
        """Trace of the kernel matrix."""
        return float(self.diagonal.sum())

    @property
    def alpha(self):
        """Trace of ``K - B B^T``, the part of K that the features leave out."""
        return float(self.residuals.sum())


def nystrom_features(
    K,
    n_landmarks,
    n_components=None,
    *,
    sampling="uniform",
    truncation=None,
    on_indefinite="error",
    random_state=None,
    n_jobs=None,
):
    """Compute rank-restricted Nystrom features of a kernel matrix: KernelFeatures.

    K is a matrix (n, n), dense or sparse, or a Kernel: ``VectorKernel(X, kernel_function(...))`` for vectors, where X
    may be a read-only memmap of integers. `n_landmarks` (c) counts draws of landmarks, or columns of a sketch;
    `n_components` (s) is the rank of the approximation, by default all that the landmarks give. `truncation` is raised
    to `n_components` where it is less. The other parameters and errors are as for :class:`graphcore.NystromFeatures`.

    Wang, Gittens, Mahoney, JMLR 20 (2019), Algorithm 2. Calandriello, Rosasco, NeurIPS 2018, Algorithm 1 (uniform
    landmarks and no restriction of the rank).

    >>> import numpy as np
    >>> from graphcore.kernels.functions import kernel_function
    >>> from graphcore.kernels.vectors import VectorKernel
    >>> from graphcore.kernel_methods.nystrom import nystrom_features
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> found = nystrom_features(VectorKernel(X, kernel_function("gaussian", X=X)), 40, 10, random_state=0)
    >>> found.features.shape, found.alpha / found.trace < 0.05
    ((200, 10), True)
    """
    kernel, streams = as_kernel(K), Streams(random_state)
    named = isinstance(sampling, str)
    if named:
        check_choice("sampling", sampling, SAMPLINGS)
        n_landmarks = check_integer("n_landmarks", n_landmarks, low=1)
        if n_landmarks > kernel.n_points:
            raise ParameterError(f"n_landmarks={n_landmarks} must be at most {kernel.n_points}, the number of points")
    n_given = n_landmarks if named else len(np.atleast_1d(sampling))
    if n_components is not None:
        why = "n_landmarks; take more landmarks"
        n_components = check_integer("n_components", n_components, low=1, high=n_given, why_high=why)
    if isinstance(truncation, str):
        check_choice("truncation", truncation, ("half",))
        truncation = -(-n_given // 2)
    elif truncation is not None:
        truncation = check_integer("truncation", truncation, low=1, high=n_given, why_high="n_landmarks")
    sketch = scale = indices = None
    if named and sampling in PROJECTIONS:
        sketch = projection_matrix(sampling, kernel.n_points, n_landmarks, random_state=streams)
        C = map_rows(kernel.columns(), lambda rows: rows @ sketch, n_jobs=n_jobs)
        columns, W = matrix_columns(C.astype(kernel.precision, copy=False), kernel.precision), C.T @ sketch
    else:
        drawn_by = {"sampling": sampling, "n_components": n_components}
        landmarks = sample_landmarks(kernel, n_landmarks, **drawn_by, random_state=streams, n_jobs=n_jobs)
        indices, scale, n_landmarks = landmarks.indices, landmarks.scale, landmarks.n_drawn
        columns, W = kernel.columns(indices), kernel.block(indices, indices, np.float64)
    c = columns.shape[1]
    most = None if n_components is None else min(n_components, c)
    given = {"truncation": truncation and min(truncation, c), "on_indefinite": on_indefinite}
    factor = nystrom_factor(columns, W, most, scale=scale, n_jobs=n_jobs, **given)
    n_zero_rows = factor.n_zero_rows
    if n_zero_rows:  # a point at the origin of kernel space has no other kernel values than zero
        n_zero_rows = max(0, n_zero_rows - int((kernel.diagonal <= 0).sum()))
    if n_zero_rows:
        warn_user(
            f"{n_zero_rows} of {kernel.n_points} points have a kernel value of zero with every landmark; their "
            "features are zero and they fall into one cluster: take more landmarks, sampling='rpcholesky', or "
            "graphcore.kernel_methods.nystrom.power_features"
        )
    made = factor.features, factor.projection, (indices, sketch), factor.singular_values
    return _assembled(kernel, *made, on_indefinite, n_landmarks, n_zero_rows)


def power_features(
    K, n_components, *, n_vectors=None, n_steps=2, on_indefinite="error", random_state=None, n_jobs=None
):
    """Compute KernelFeatures from a random subspace after a few power steps: nearly as good as eigenvectors.

    The natural way for sparse kernels; for vectors, all n^2 values are computed in every step. `n_vectors` (c >= s, by
    default s + 10) are the columns of the random start, `n_steps` (t) products with K before the factor is formed; 0 is
    a plain Gaussian sketch. Columns are made orthonormal after each, which changes nothing but the rounding. The rest
    is as for :func:`nystrom_features`. Wang, Gittens, Mahoney, JMLR 20 (2019), Algorithm 1 and Theorem 4.
    """
    from scipy.linalg import orth

    kernel = as_kernel(K)
    n, why = kernel.n_points, "the number of points"
    s = check_integer("n_components", n_components, low=1, high=n, why_high=why)
    c = check_integer("n_vectors", min(n, s + 10) if n_vectors is None else n_vectors, low=s, high=n, why_high=why)
    n_steps = check_integer("n_steps", n_steps, low=0)
    Q = Streams(random_state).generator("power").standard_normal((n, c)) / np.sqrt(c)
    with limited_libraries():
        for _ in range(n_steps):
            Q = orth(kernel.product(Q, n_jobs))  # null directions are dropped
            if not Q.shape[1]:
                raise InputError(_ZERO)
        C = kernel.product(Q, n_jobs)
        W = Q.T @ C
    factor = nystrom_factor(C, W, min(s, Q.shape[1]), on_indefinite=on_indefinite, n_jobs=n_jobs)
    made = factor.features, factor.projection, (None, Q), factor.singular_values
    return _assembled(kernel, *made, on_indefinite, c, factor.n_zero_rows)


def kernel_pca_features(K, n_components, *, on_indefinite="error", random_state=None, n_jobs=None):
    """Compute KernelFeatures by the top eigenvectors of a kernel matrix, ``V_s Lambda_s^{1/2}``, not centred.

    Up to 20,000 points, unless K is sparse; fewer features come back if the rank is less. Of more than 1,000 points a
    sample, for which `random_state` is, is looked at for negative eigenvalues. Wang, Gittens, Mahoney, JMLR 20 (2019),
    Proposition 3: k-means on them costs at most 1 + k/s times the optimum.
    """
    kernel = as_kernel(K)
    check_choice("on_indefinite", on_indefinite, ("error", "warn"))
    smallest = 0.0 if kernel.is_psd else smallest_sampled_eigenvalue(kernel, random_state, n_points=_SAMPLE)
    if smallest < 0:
        report_indefinite((smallest, 1.0), on_indefinite, **_DROPPED)
    values, V = top_eigenpairs(kernel, n_components, n_jobs=n_jobs)
    signal = values > kernel.n_points * np.finfo(kernel.precision).eps * values[0]
    if not signal.any():
        raise InputError(_ZERO)
    values, V = values[signal], V[:, signal]
    roots = np.sqrt(values)
    return _assembled(kernel, V * roots, np.diag(1.0 / roots), (None, V), roots, on_indefinite, kernel.n_points)


def _assembled(kernel, features, projection, columns, singular_values, on_indefinite, n_landmarks, n_zero_rows=0):
    """Make KernelFeatures and their residuals, which tell whether the kernel is positive semi-definite.

    `projection` takes kernel columns to features, `columns` are their indices and their sketch, as of FeatureMap.
    """
    (indices, sketch), function, vectors = columns, None, None
    if isinstance(kernel, VectorKernel):
        function, vectors = kernel.function, kernel.vectors(indices)
    diagonal = kernel.diagonal
    trace = float(diagonal.sum())
    if not np.isfinite(trace):
        raise InputError("the diagonal of the kernel matrix holds NaN or infinity; check the data and the kernel")
    residuals = diagonal - np.einsum("ij,ij->i", features, features, dtype=np.float64)
    allowed = _NEGATIVE_RESIDUAL[kernel.precision.itemsize]
    wrong = int((residuals < -allowed * np.maximum(diagonal, trace / len(diagonal))).sum())
    if wrong and on_indefinite == "error":
        raise InputError(
            f"the kernel is not positive semi-definite, or its diagonal does not fit: at {wrong} points the features "
            "are longer than K_ii allows; use another kernel, add a multiple of the identity, or on_indefinite='warn'"
        )
    if wrong:
        warn_user(
            f"the kernel is not positive semi-definite: at {wrong} points the features are longer than K_ii allows, so "
            "costs are approximate only and have no bounds"
        )
    kept = float(np.square(singular_values).sum())
    if kept < _MIN_KEPT * trace:
        warn_user(
            f"the landmarks explain {100 * kept / trace:.2g} % of the kernel: most points look alike to them and fall "
            "into one cluster; take a larger bandwidth or more landmarks"
        )
    return KernelFeatures(
        features,
        FeatureMap(projection, function, vectors, indices, sketch, kernel.precision, kernel.n_points),
        singular_values,
        diagonal,
        np.maximum(residuals, 0.0),
        n_landmarks,
        n_zero_rows,
    )


# -- the classes -------------------------------------------------------------------------------------------------------


@parameters
class LandmarkEstimator(KernelEstimator):
    """Base of NystromFeatures and NystromKernelKMeans."""

    _: KW_ONLY
    n_landmarks: float | str = "auto"
    sampling: str | ArrayLike = "uniform"
    on_indefinite: str = "error"

    def _fit_features(self, kernel, n_landmarks, n_components, streams, **options):
        """Return KernelFeatures of all points; the map is stored, the features are not."""
        if self.kernel_ is not None and self.kernel_.is_psd is False and self.on_indefinite == "error":
            raise ParameterError(
                f"kernel={self.kernel!r} is not positive semi-definite, which landmark methods need; choose another "
                "kernel, or on_indefinite='warn' to drop the negative part"
            )
        if not kernel.diagonal.any():
            raise InputError(
                "the kernel's diagonal is zero, and no features have these inner products; cluster a graph's adjacency "
                "matrix with KernelKMeans, or add a multiple of the identity to the kernel matrix"
            )
        options |= passed_on(self, "sampling on_indefinite n_jobs") | {"random_state": streams}
        found = nystrom_features(kernel, n_landmarks, n_components, **options)
        self.feature_map_: FeatureMap = found.feature_map
        self.landmark_indices_: Integers | None = found.feature_map.indices
        self.n_landmarks_: int = found.n_landmarks
        self.n_components_: int = found.n_components
        self.singular_values_: Floats = found.singular_values
        self.share_kept_: float = 1.0 - found.alpha / found.trace
        if self.n_components not in (None, "auto") and found.n_components < n_components:
            warn_user(
                f"the kernel has rank {found.n_components} among the landmarks, so there are so many features and not "
                f"n_components={n_components}; take more landmarks or a narrower bandwidth"
            )
        return found

    def _n_draws(self, kernel, n_clusters, n_given=None, n_components=None):
        """Return landmarks to draw, given as a number, a share or a rule."""
        size = self._size("n_landmarks", kernel, n_given, ("auto", "sqrt"))
        if not isinstance(size, str):
            return size
        return suggest_landmarks(kernel.n_points, n_clusters, size, n_components=n_components)

    def _features_of(self, X):
        """Return features of points that have been checked."""
        return self.feature_map_(X, n_jobs=self.n_jobs)


@parameters
class NystromFeatures(LandmarkEstimator, FeatureTransformer):
    """Nystrom features: a map to few dimensions in which inner products approximate a kernel.

    Parameters
    ----------
    n_components : int or None, default None
        Number of features s: the approximation is restricted to its best rank s. None keeps the full rank.
    n_landmarks : int, float or {"auto", "sqrt"}, default "auto"
        Number of landmarks c; a float is a share of the points. "sqrt" is ``ceil(sqrt(n))``, "auto" twice that and at
        least 10 for every feature; at most all points.
    sampling : str or array-like of int, default "uniform"
        "uniform", "leverage" or "rpcholesky" (randomly pivoted Cholesky, for rare clusters) choose points; "gaussian",
        "srht" and "countsketch" mix all columns of the kernel matrix (these three compute all n^2 kernel values, and
        "leverage" holds them). An array holds the landmarks themselves. See the guide.
    truncation : int, "half" or None, default None
        Rank to which the landmark matrix is truncated before it is inverted; "half" is half of the landmarks, as in the
        paper's experiments. None drops only eigenvalues at the level of rounding errors.
    kernel, bandwidth, gamma
        As for :class:`KernelKMeans`, but that graphs, and with "auto" symmetric sparse matrices, are refused. Of
        "precomputed" :meth:`transform` takes the rows of new points against all points fitted.
    on_indefinite : {"error", "warn"}, default "error"
        Treatment of a kernel that is not positive semi-definite: it is rejected, or its negative part is dropped with a
        warning.
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
    share_kept_ : float
        Share of the trace of the kernel matrix that the features keep.
    kernel_ : KernelFunction or None
        The kernel with its bandwidth; None for a kernel matrix.
    n_features_in_ : int

    Notes
    -----
    ``0 <= B B^T <= K`` for features B of a positive semi-definite kernel. X may be a read-only memmap of integers: it
    is read in blocks, twice, and only n x s numbers are kept. Features are float32 for float32 and for numbers of one
    or two bytes, sums and the landmark matrix always float64.

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
    _: KW_ONLY
    truncation: int | str | None = None

    def _learn(self, kernel, streams):
        s = self.n_components
        if s is not None:
            s = check_integer("n_components", s, low=1, high=kernel.n_points, why_high="the number of points")
        c = self._n_draws(kernel, 1, n_components=s)
        return self._fit_features(kernel, c, s, streams, truncation=self.truncation).features

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@parameters
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

    n_clusters: int = 8
    _: KW_ONLY
    n_components: int | str | None = "auto"

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
