"""Explicit features of a kernel, the map that makes them, and what they leave out."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...base.locks import cached_property
from ...base.streams import Streams
from ...distributed.chunks import map_chunks
from ...exceptions import InputError, warn_user
from ...kernels.columns import Columns, matrix_columns
from ...kernels.vectors import VectorKernel, columns_of
from .factor import InverseRoot, project
from .landmarks import Landmarks

PROJECTIONS = ("gaussian", "srht", "countsketch")
# Samplings that draw no landmarks: they look for the directions of the whole kernel.
SUBSPACES = ("power", "kernel-pca")

# Residuals below minus this share of K_ii contradict a positive semi-definite kernel. float32 loses digits on the way.
_NEGATIVE_RESIDUAL = {4: 1e-3, 8: 1e-6}
# Landmarks that explain a smaller share of the trace have missed most of the kernel.
_MIN_KEPT = 0.1


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

    def __call__(self, X, *, block_bytes=None, n_jobs=None):
        """Compute features (n_rows, s) of vectors, or of kernel values with all training points for a matrix."""
        return project(self.columns(X), self.projection, block_bytes=block_bytes, n_jobs=n_jobs)

    def columns(self, X):
        """Compute kernel values of points with the landmarks, or their sketch, in blocks."""
        if self.function is not None:
            columns = columns_of(self.function, X, self.vectors, self.dtype)
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
    sampling: str
    landmarks: Landmarks | None = None
    landmark_root: InverseRoot | None = None  # None for kernel PCA
    n_zero_rows: int = 0  # points whose kernel values with all landmarks are zero, though that with themselves is not
    indefinite: bool = False  # whether the kernel is not positive semi-definite, as far as it was seen

    @property
    def n_components(self):
        """Number of features, s."""
        return self.features.shape[1]

    @cached_property
    def trace(self):
        """Trace of the kernel matrix."""
        return float(sum(map_chunks(np.sum, self.diagonal)))

    @cached_property
    def alpha(self):
        """Trace of ``K - B B^T``, the part of K that the features leave out."""
        return float(sum(map_chunks(np.sum, self.residuals)))


def assembled(
    kernel, features, projection, columns, singular_values, on_indefinite, *, sampling, negative=False, **rest
):
    """Make KernelFeatures and their residuals, which tell whether the kernel is positive semi-definite.

    `projection` takes kernel columns to features, `columns` are their indices and their sketch, as of FeatureMap.
    `negative` says that the kernel is known to have negative eigenvalues.
    """
    (indices, sketch), function, vectors = columns, None, None
    if isinstance(kernel, VectorKernel):
        function, vectors = kernel.function, kernel.vectors(indices)
    diagonal = kernel.diagonal
    trace = float(sum(map_chunks(np.sum, diagonal)))
    if not np.isfinite(trace):
        raise InputError("the diagonal of the kernel matrix holds NaN or infinity; check the data and the kernel")
    residuals = diagonal - np.einsum("ij,ij->i", features, features, dtype=np.float64)
    allowed = _NEGATIVE_RESIDUAL[kernel.precision.itemsize]
    wrong = sum(map_chunks(_n_negative, residuals, allowed, trace / len(diagonal), each=diagonal))
    if wrong and on_indefinite == "error":
        raise InputError(
            f"the kernel is not positive semi-definite, or its diagonal does not fit: at {wrong} points the features "
            "are longer than K_ii allows; use another kernel, add a multiple of the identity, or on_indefinite='clip'"
        )
    if wrong:
        warn_user(
            f"the kernel is not positive semi-definite: at {wrong} points the features are longer than K_ii allows, so "
            "costs are approximate only and have no bounds"
        )
    residuals = np.maximum(residuals, 0.0)
    kept = float(np.square(singular_values).sum())
    if kept < _MIN_KEPT * trace:
        seen_by = "features" if sampling in SUBSPACES else "landmarks"
        warn_user(
            f"the {seen_by} explain {100 * kept / trace:.2g} % of the kernel: most points look alike to them "
            f"and fall into one cluster; take a larger bandwidth or more {seen_by}"
        )
    return KernelFeatures(
        features,
        FeatureMap(projection, function, vectors, indices, sketch, kernel.precision, kernel.n_points),
        singular_values,
        diagonal,
        residuals,
        sampling=sampling,
        indefinite=bool(wrong) or negative or kernel.is_psd is False,
        **rest,
    )


def _n_negative(residuals, diagonal, allowed, mean):
    """Count points whose residuals contradict a positive semi-definite kernel."""
    return int((residuals < -allowed * np.maximum(diagonal, mean)).sum())
