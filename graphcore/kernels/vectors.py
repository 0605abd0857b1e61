"""Kernels over vectors, evaluated in blocks each time they are needed."""

import numpy as np

from ..base.loops import cached_property
from .base import BLOCK_BYTES, Kernel, vector_columns
from .checks import as_floats, check_scale, check_vectors
from .functions import kernel_function
from .matrices import DenseKernel

_DIAGONAL_BYTES = 6 << 20


class VectorKernel(Kernel):
    """The kernel matrix of vectors, ``K[i, j] = function(X[i], X[j])``.

    X is an ndarray, memmap or sparse array (n_points, n_features) of any real type; blocks of rows are brought to
    `dtype`, the type of kernel values, when they are used: by default float32 for float32, otherwise float64.
    `function` is what `kernel_function` takes. A matrix that fits into `held_bytes` is held from the first product on.

    >>> import numpy as np
    >>> from graphcore.kernels.functions import kernel_function
    >>> from graphcore.kernels.vectors import VectorKernel
    >>> kernel = VectorKernel(np.array([[0.0], [1.0], [3.0]]), kernel_function("linear"))
    >>> kernel.diagonal.tolist(), kernel.column(1).tolist()
    ([0.0, 1.0, 9.0], [0.0, 1.0, 3.0])
    """

    def __init__(self, X, function, dtype=None, held_bytes=BLOCK_BYTES):
        self.precision = np.dtype(dtype or (np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64))
        self.X = X.tocsr() if hasattr(X, "tocsr") else np.asanyarray(X)
        check_vectors(self.X)
        check_scale(self.X, self.precision)
        self.function = kernel_function(function, X=self.X)
        self.is_psd = self.function.is_psd
        self.n_points = self.X.shape[0]
        self._fits = self.precision.itemsize * self.n_points**2 <= held_bytes
        self._held = None

    @cached_property
    def diagonal(self):
        """``K_xx`` for every point."""
        out = np.ones(self.n_points)
        if self.function.name != "gaussian":
            width = 1 if hasattr(self.X, "tocsr") else max(1, self.X.shape[1])
            step = max(1, _DIAGONAL_BYTES // (8 * width))
            for start in range(0, self.n_points, step):
                out[start : start + step] = self.function.diagonal(as_floats(self.X[start : start + step], np.float64))
        return out

    def block(self, rows, columns, dtype=None):
        """See :meth:`Kernel.block`."""
        if self._held is not None and dtype in (None, self.precision):
            return self._held.block(rows, columns)
        dtype = dtype or self.precision
        left = as_floats(self.X[rows], dtype)
        # The block among the same points (numbers or slices) is made symmetric to the last bit.
        return self.function(left, None if np.array_equal(rows, columns) else as_floats(self.X[columns], dtype))

    def columns(self, points=None):
        """See :meth:`Kernel.columns`."""
        return vector_columns(self.function, self.X, self.vectors(points), self.precision)

    def vectors(self, points=None):
        """Return vectors of some points, or all of them, in the type that kernel values are computed in."""
        return as_floats(self.X if points is None else self.X[points], self.precision)

    def product(self, M, n_jobs=None):
        """See :meth:`Kernel.product`."""
        return self._at_hand().product(M, n_jobs)

    def cluster_sums(self, labels, weights, n_clusters, n_jobs=None):
        """See :meth:`Kernel.cluster_sums`."""
        return self._at_hand().cluster_sums(labels, weights, n_clusters, n_jobs)

    def _among(self, points):
        return DenseKernel(self.block(points, points), check=False)

    def _at_hand(self):
        """Return the whole matrix where it may be held, evaluated once; otherwise the products by blocks."""
        if self._held is None and self._fits:
            self._held = DenseKernel(self.function(as_floats(self.X, self.precision)), check=False)
        return super() if self._held is None else self._held
