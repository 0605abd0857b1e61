"""Nystrom features: a kernel matrix seen through a few of its columns, streamed in blocks of rows."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._random import Streams
from .._validation import check_choice, check_integer
from .._warn import warn_user
from ..exceptions import InputError, ParameterError
from .factor import InverseRoot, nystrom_factor, project
from .gram import MatrixColumns, VectorColumns, VectorGram, as_gram, product
from .landmarks import LANDMARK_SAMPLINGS, Landmarks, sample_landmarks
from .leverage import top_eigenpairs
from .projections import PROJECTIONS, Projection, projection_matrix

__all__ = ["SAMPLINGS", "FeatureMap", "KernelFeatures", "kernel_pca_features", "nystrom_features", "power_features"]

SAMPLINGS = LANDMARK_SAMPLINGS + PROJECTIONS
# Residuals below minus this share of K_ii contradict a positive semi-definite kernel. float32 loses digits on the way.
_NEGATIVE_RESIDUAL = {4: 1e-3, 8: 1e-6}
# Landmarks that explain a smaller share of the trace have missed most of the kernel.
_LEAST_KEPT = 0.1


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
    kernel : VectorKernel or None
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
    kernel: Any
    vectors: Any = field(repr=False)
    indices: np.ndarray | None = field(repr=False)
    sketch: Projection | None
    dtype: np.dtype
    n_training: int

    def __call__(self, X, *, block_rows=None, n_jobs=None):
        """Features of points.

        Parameters
        ----------
        X : ndarray, memmap or sparse array of shape (n_rows, n_features)
            Vectors; or kernel values with all training points, shape (n_rows, n_training), where a matrix was given.
        block_rows, n_jobs : int, optional

        Returns
        -------
        ndarray of shape (n_rows, s), float32 or float64
        """
        return project(self.columns(X), self.projection, block_rows=block_rows, n_jobs=n_jobs)

    def columns(self, X):
        """Kernel values of points with the landmarks, or their sketch, in blocks."""
        if self.kernel is not None:
            columns = VectorColumns(self.kernel, X, self.vectors, self.dtype)
        else:
            if X.shape[1] != self.n_training:
                raise InputError(
                    f"kernel values with all {self.n_training} training points are needed; got {X.shape[1]} columns"
                )
            columns = MatrixColumns(X if self.indices is None else X[:, self.indices], self.dtype)
        return columns if self.sketch is None else SketchedColumns(columns, self.sketch)


@dataclass(frozen=True, eq=False)
class KernelFeatures:
    """Explicit features whose inner products approximate a kernel matrix from below: ``0 <= B B^T <= K``.

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
        """Trace of ``K - B B^T``: what the features leave out."""
        return float(self.residuals.sum())


def nystrom_features(
    K,
    n_landmarks,
    n_components=None,
    *,
    sampling="uniform",
    replace=None,
    truncation=None,
    ridge=None,
    rtol=None,
    indefinite="error",
    block_rows=None,
    random_state=None,
    n_jobs=None,
):
    """Rank-restricted Nystrom features of a kernel matrix.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n, n), or Gram
        ``VectorGram(vector_kernel(...), X)`` for vectors; X may be a read-only memmap of integers.
    n_landmarks : int
        c: draws of landmarks, or columns of a sketch.
    n_components : int, optional
        s, the rank of the approximation; default all that the landmarks give.
    sampling : str or array-like of int, default "uniform"
        A scheme of :func:`graphcore.kmeans.landmarks.sample_landmarks`, the landmarks themselves, or a sketch that
        mixes all columns: "gaussian", "srht" or "countsketch". Sketches compute all n^2 kernel values, in blocks, and
        hold n x c numbers.
    replace : bool, optional
        See :func:`graphcore.kmeans.landmarks.sample_landmarks`.
    truncation : int or "half", optional
        Rank that the landmark matrix is cut to before it is inverted: "half" is ``ceil(c / 2)``, as in the paper's
        experiments. It is raised to `n_components` where it is less. Default no more than the relative cut-off.
    ridge : float, optional
        For the ridge leverage schemes.
    rtol : float, optional
        Relative cut-off for eigenvalues of the landmark matrix; default c times the machine epsilon.
    indefinite : {"error", "clip"}, default "error"
        An indefinite kernel is refused, or its negative part among the landmarks dropped. Then nothing is promised.
    block_rows : int, optional
        Rows worked on at a time; features do not depend on it beyond rounding.
    random_state : int, Generator, RandomState or None
    n_jobs : int, optional
        Threads; the result does not depend on it.

    Returns
    -------
    KernelFeatures

    Raises
    ------
    InputError
        If the kernel is not positive semi-definite, not finite or zero.
    ParameterError
        If n_landmarks exceeds n, n_components exceeds n_landmarks, or a name is not known.

    References
    ----------
    Wang, Gittens, Mahoney, JMLR 20 (2019), Algorithm 2. Calandriello, Rosasco, NeurIPS 2018, Algorithm 1 (uniform
    landmarks and no restriction of the rank).

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kernels.vectors import vector_kernel
    >>> from graphcore.kmeans.gram import VectorGram
    >>> from graphcore.kmeans.nystrom import nystrom_features
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> found = nystrom_features(VectorGram(vector_kernel("gaussian", X=X), X), 40, 10, random_state=0)
    >>> found.features.shape, found.alpha / found.trace < 0.05
    ((200, 10), True)
    """
    gram = as_gram(K)
    streams = Streams(random_state)
    if isinstance(sampling, str):
        check_choice("sampling", sampling, SAMPLINGS)
        n_landmarks = check_integer("n_landmarks", n_landmarks, low=1)
        if not replace and n_landmarks > gram.n:
            raise ParameterError(f"n_landmarks={n_landmarks} must be at most {gram.n}, the number of points")
    mixed = isinstance(sampling, str) and sampling in PROJECTIONS
    if mixed:
        sketch = projection_matrix(sampling, gram.n, n_landmarks, random_state=streams)
        landmarks, scale = None, None
        C = product(gram.columns(), sketch, n_jobs=n_jobs, block_rows=block_rows)
        columns, W = MatrixColumns(C.astype(gram.dtype, copy=False), gram.dtype), sketch(C.T)
    else:
        sketch = None
        landmarks = sample_landmarks(
            gram,
            n_landmarks,
            sampling=sampling,
            replace=replace,
            n_components=n_components,
            ridge=ridge,
            random_state=streams,
            n_jobs=n_jobs,
        )
        n_landmarks, scale = landmarks.n_drawn, landmarks.scale
        columns, W = gram.columns(landmarks.indices), gram.block(landmarks.indices, landmarks.indices)
    c = columns.shape[1]
    n_components = _checked_components(n_components, n_landmarks)
    factor = nystrom_factor(
        columns,
        W,
        None if n_components is None else min(n_components, c),
        scale=scale,
        truncation=_truncation(truncation, n_landmarks, c),
        rtol=rtol,
        indefinite=indefinite,
        block_rows=block_rows,
        n_jobs=n_jobs,
    )
    if n_components is not None and factor.features.shape[1] < n_components:
        warn_user(
            f"the kernel has rank {factor.features.shape[1]} among the landmarks, so there are so many features and "
            f"not n_components={n_components}; take more landmarks or a narrower bandwidth"
        )
    # A point at the origin of kernel space has no other kernel values than zero.
    n_zero_rows = max(0, factor.n_zero_rows - int((gram.diagonal() <= 0).sum()))
    if n_zero_rows:
        warn_user(
            f"{n_zero_rows} of {gram.n} points have a kernel value of zero with every landmark; their features "
            "are zero and they fall into one cluster: take more landmarks, sampling='countsketch' or 'leverage', or "
            "graphcore.kmeans.nystrom.power_features"
        )
    indices = None if landmarks is None else landmarks.indices
    return _assembled(
        gram,
        factor.features,
        _feature_map(gram, factor.projection, indices, sketch),
        factor.singular_values,
        indefinite,
        n_landmarks=n_landmarks,
        sampling=sampling if mixed else landmarks.sampling,
        landmarks=landmarks,
        landmark_root=factor.landmark_root,
        n_zero_rows=n_zero_rows,
    )


def power_features(K, n_components, *, n_vectors=None, n_steps=2, rtol=None, random_state=None, n_jobs=None):
    """Nystrom features from a random subspace after a few power steps: nearly as good as eigenvectors.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n, n), or Gram
        The natural way for sparse kernels. For vectors, all n^2 values are computed in every step.
    n_components : int
        s.
    n_vectors : int, optional
        Columns of the random start, c >= s; default s + 10.
    n_steps : int, default 2
        Products with K before the factor is formed, t; 0 is a plain Gaussian sketch. Columns are made orthonormal after
        each, which changes nothing but the rounding.
    rtol : float, optional
    random_state : int, Generator, RandomState or None
    n_jobs : int, optional

    Returns
    -------
    KernelFeatures

    References
    ----------
    Wang, Gittens, Mahoney, JMLR 20 (2019), Algorithm 1 and Theorem 4.

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kmeans.nystrom import power_features
    >>> power_features(np.diag([4.0, 1.0, 0.1]), 1, random_state=0).singular_values[:1].round(6).tolist()
    [2.0]
    """
    gram = as_gram(K)
    s = check_integer("n_components", n_components, low=1, high=gram.n, why_high="the number of points")
    c = min(gram.n, s + 10) if n_vectors is None else n_vectors
    c = check_integer("n_vectors", c, low=s, high=gram.n, why_high="the number of points")
    n_steps = check_integer("n_steps", n_steps, low=0)
    columns = gram.columns()
    Q = Streams(random_state).generator("power").standard_normal((gram.n, c)) / np.sqrt(c)
    for _ in range(n_steps):
        Q = _orthonormal(product(columns, Q, n_jobs=n_jobs))
    C = product(columns, Q, n_jobs=n_jobs)
    s = min(s, Q.shape[1])
    factor = nystrom_factor(C, Q.T @ C, s, rtol=rtol, n_jobs=n_jobs)
    return _assembled(
        gram,
        factor.features,
        _feature_map(gram, factor.projection, None, Projection("basis", gram.n, Q.shape[1], Q)),
        factor.singular_values,
        "error",
        n_landmarks=c,
        sampling="power",
        landmark_root=factor.landmark_root,
        n_zero_rows=factor.n_zero_rows,
    )


def kernel_pca_features(K, n_components, *, n_jobs=None):
    """Features from the exact top eigenvectors of a kernel matrix, ``V_s Lambda_s^{1/2}``, without centring.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n, n), or Gram
        Up to 20,000 points, unless it is sparse.
    n_components : int
        s. Fewer features come back if the rank is less.
    n_jobs : int, optional

    Returns
    -------
    KernelFeatures

    References
    ----------
    Wang, Gittens, Mahoney, JMLR 20 (2019), Proposition 3: k-means on them costs at most 1 + k/s times the optimum.

    Examples
    --------
    >>> import numpy as np
    >>> from graphcore.kmeans.nystrom import kernel_pca_features
    >>> kernel_pca_features(np.diag([4.0, 1.0, 0.1]), 2).alpha.__round__(6)
    0.1
    """
    gram = as_gram(K)
    values, V = top_eigenpairs(gram, n_components, n_jobs=n_jobs)
    signal = values > gram.n * np.finfo(np.float64).eps * values[0]
    if not signal.any():
        raise InputError("the kernel matrix is zero, so there is nothing to learn from it; check the kernel")
    values, V = values[signal], V[:, signal]
    basis = Projection("basis", gram.n, len(values), V)
    return _assembled(
        gram,
        V * np.sqrt(values),
        _feature_map(gram, np.diag(1.0 / np.sqrt(values)), None, basis),
        np.sqrt(values),
        "error",
        n_landmarks=gram.n,
        sampling="kernel-pca",
    )


def _checked_components(n_components, n_landmarks):
    if n_components is None:
        return None
    return check_integer(
        "n_components", n_components, low=1, high=n_landmarks, why_high="n_landmarks; take more landmarks"
    )


def _truncation(truncation, n_landmarks, c):
    """Rank that W is cut to, at most its size."""
    if truncation is None:
        return None
    if isinstance(truncation, str):
        check_choice("truncation", truncation, ("half",))
        truncation = -(-n_landmarks // 2)
    truncation = check_integer("truncation", truncation, low=1, high=n_landmarks, why_high="n_landmarks")
    return min(truncation, c)


def _orthonormal(M):
    """Orthonormal basis of the columns; null directions are dropped."""
    from scipy.linalg import qr

    Q, R, _ = qr(M, mode="economic", pivoting=True)
    size = np.abs(np.diag(R))
    if size[0] == 0.0:
        raise InputError("the kernel matrix is zero, so there is nothing to learn from it; check the kernel")
    return Q[:, size > max(M.shape) * np.finfo(np.float64).eps * size[0]]


def _feature_map(gram, projection, indices, sketch):
    """What is needed to take new points to their features."""
    vectors, kernel = None, None
    if isinstance(gram, VectorGram):
        columns = gram.columns(indices)
        vectors, kernel = columns.Y, gram.kernel
    return FeatureMap(projection, kernel, vectors, indices, sketch, gram.dtype, gram.n)


def _assembled(gram, features, feature_map, singular_values, indefinite, **rest):
    """Result with its residuals, which tell whether the kernel is what it should be."""
    diagonal = gram.diagonal()
    if not np.isfinite(diagonal).all():
        raise InputError("the diagonal of the kernel matrix holds NaN or infinity; check the data and the kernel")
    residuals = diagonal - np.einsum("ij,ij->i", features, features, dtype=np.float64)
    allowed = _NEGATIVE_RESIDUAL[gram.dtype.itemsize]
    wrong = int((residuals < -allowed * np.maximum(diagonal, diagonal.mean())).sum())
    if wrong and indefinite == "error":
        raise InputError(
            f"the kernel is not positive semi-definite, or its diagonal does not fit: at {wrong} points the features "
            "are longer than K_ii allows; use another kernel, add a multiple of the identity, or indefinite='clip'"
        )
    if wrong:
        warn_user(
            f"the kernel is not positive semi-definite: at {wrong} points the features are longer than K_ii allows, so "
            "costs and their bounds are approximate only"
        )
    np.maximum(residuals, 0.0, out=residuals)
    kept = float(np.square(singular_values).sum())
    if kept < _LEAST_KEPT * diagonal.sum():
        warn_user(
            f"the landmarks explain {100 * kept / diagonal.sum():.2g} % of the kernel: most points look alike to them "
            "and fall into one cluster; take a larger bandwidth or more landmarks"
        )
    return KernelFeatures(features, feature_map, singular_values, diagonal, residuals, **rest)
