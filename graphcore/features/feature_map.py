"""Explicit features of a kernel, the map that makes them, and what they leave out."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._locks import cached_property
from .._warn import warn_user
from ..distributed.chunks import map_chunks
from ..exceptions import InputError
from ..kernels.chunked import columns_of
from ..kernels.columns import MatrixColumns
from ..kernels.vectors import VectorKernel
from .factor import project
from .inverse_root import InverseRoot
from .landmarks import Landmarks
from .projections import Projection

# Samplings that draw no landmarks: they look for the directions of the whole kernel.
SUBSPACES = ("power", "kernel-pca")

# Residuals below minus this share of K_ii contradict a positive semi-definite kernel. float32 loses digits on the way.
_NEGATIVE_RESIDUAL = {4: 1e-3, 8: 1e-6}
# Landmarks that explain a smaller share of the trace have missed most of the kernel.
_MIN_KEPT = 0.1


@dataclass(frozen=True, eq=False)
class SketchedColumns:
    """``K P`` in blocks of rows, from all columns of K."""

    columns: Any
    sketch: Projection

    @property
    def shape(self):
        """Rows and columns."""
        return self.columns.shape[0], self.sketch.c

    @property
    def dtype(self):
        """float32 or float64."""
        return self.columns.dtype

    @property
    def row_bytes(self):
        """Working memory of one row."""
        return 2 * self.columns.row_bytes

    def rows(self, start, stop):
        """Rows `start` to `stop`."""
        return self.sketch(self.columns.rows(start, stop)).astype(self.dtype, copy=False)


@dataclass(frozen=True, eq=False)
class FeatureMap:
    """Takes points to their features, ``b(x) = T^T P^T k(x)``; made by a fit and small enough to be stored.

    Attributes
    ----------
    projection : ndarray of shape (c, s), float64
        T.
    function : KernelFunction or None
        None where kernel values are given.
    vectors : ndarray or csr_array of shape (c, n_features), or None
        The landmarks; all training points where the sketch mixes all columns.
    indices : ndarray of shape (c,), int64, or None
        The landmarks among the training points; None where the sketch mixes all columns.
    sketch : Projection or None
        P, where it is not a choice of columns.
    dtype : dtype
        What kernel values are computed in.
    n_training : int
    """

    projection: np.ndarray
    function: Any
    vectors: Any = field(repr=False)
    indices: np.ndarray | None = field(repr=False)
    sketch: Projection | None
    dtype: np.dtype
    n_training: int

    def __call__(self, X, *, block_bytes=None, n_jobs=None):
        """Features (n_rows, s) of vectors, or of kernel values with all training points where a matrix was given."""
        return project(self.columns(X), self.projection, block_bytes=block_bytes, n_jobs=n_jobs)

    def columns(self, X):
        """Kernel values of points with the landmarks, or their sketch, in blocks."""
        if self.function is not None:
            columns = columns_of(self.function, X, self.vectors, self.dtype)
        else:
            if X.shape[1] != self.n_training:
                raise InputError(
                    f"kernel values with all {self.n_training} training points are needed; got {X.shape[1]} columns"
                )
            columns = MatrixColumns(X, self.dtype, self.indices)
        return columns if self.sketch is None else SketchedColumns(columns, self.sketch)


@dataclass(frozen=True, eq=False)
class KernelFeatures:
    """Explicit features whose inner products approximate a kernel matrix from below: ``0 <= B B^T <= K``.

    Of an indefinite kernel they approximate the positive part, and nothing is promised.

    Attributes
    ----------
    features : ndarray of shape (n, s), float32 or float64
        B.
    feature_map : FeatureMap
    singular_values : ndarray of shape (rank,), float64
        Of the approximation's root before the restriction to s features, descending; the first s belong to B.
    diagonal : ndarray of shape (n,), float64
        Of the kernel matrix.
    residuals : ndarray of shape (n,), float64
        ``K_ii - |b_i|^2``: squared distance of a point from what the features span in kernel space; not below 0.
    n_landmarks : int
        Landmarks drawn, or columns of the sketch: c.
    sampling : str
    landmarks : Landmarks or None
    landmark_root : InverseRoot or None
        None for kernel PCA.
    n_zero_rows : int
        Points whose kernel values with all landmarks are zero, though that with themselves is not.
    indefinite : bool
        Whether the kernel is not positive semi-definite, as far as it was seen.
    """

    features: np.ndarray
    feature_map: FeatureMap
    singular_values: np.ndarray
    diagonal: np.ndarray
    residuals: np.ndarray
    n_landmarks: int
    sampling: str
    landmarks: Landmarks | None = None
    landmark_root: InverseRoot | None = None
    n_zero_rows: int = 0
    indefinite: bool = False

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
        """Trace of ``K - B B^T``: what the features leave out."""
        return float(sum(map_chunks(np.sum, self.residuals)))


def map_of(kernel, projection, indices, sketch):
    """What is needed to take new points to their features."""
    function = vectors = None
    if isinstance(kernel, VectorKernel):
        function, vectors = kernel.function, kernel.columns(indices).Y
    return FeatureMap(projection, function, vectors, indices, sketch, kernel.precision, kernel.n_points)


def assembled(kernel, features, feature_map, singular_values, on_indefinite, *, sampling, negative=False, **rest):
    """Result with its residuals, which tell whether the kernel is what it should be.

    `negative` says that it is known to have negative eigenvalues.
    """
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
        feature_map,
        singular_values,
        diagonal,
        residuals,
        sampling=sampling,
        indefinite=bool(wrong) or negative or kernel.is_psd is False,
        **rest,
    )


def _n_negative(residuals, diagonal, allowed, mean):
    """Points whose residuals contradict a positive semi-definite kernel."""
    return int((residuals < -allowed * np.maximum(diagonal, mean)).sum())
