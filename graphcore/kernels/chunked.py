"""Kernels over the vectors of a chunked dask.array: columns that are made where the blocks of rows lie."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from .._locks import cached_property
from ..distributed.chunks import is_chunked, map_chunks, rows_at, rows_of_chunks
from ..exceptions import InputError
from ._floats import as_floats, check_scale
from .checks import noise_of
from .columns import VectorColumns
from .functions import OF_DISTANCES, KernelFunction
from .vectors import VectorKernel


@dataclass(frozen=True, eq=False)
class ChunkedColumns:
    """``K(X, Y)`` for a dask.array X of one chunk of columns and few vectors Y: columns that are never in one place."""

    function: Any
    X: Any
    Y: np.ndarray
    dtype: np.dtype
    is_sparse = False

    @property
    def shape(self):
        """Rows and columns."""
        return self.X.shape[0], len(self.Y)

    def map(self, function, *shared):
        """`function(columns, *shared)` for every block, by its VectorColumns; results in block order."""
        name = function.__name__.strip("_")
        return map_chunks(_with_columns, self.X, function, self.function, self.Y, self.dtype, shared, name=name)

    def lazily(self, function, width, dtype, *shared):
        """The same where results are rows of `width` numbers, as a dask.array that is not computed yet."""
        given = function, self.function, self.Y, self.dtype, shared
        return rows_of_chunks(_with_columns, self.X, width, dtype, *given, name=function.__name__.strip("_"))


def _with_columns(block, function, kernel, Y, dtype, shared):
    return function(VectorColumns(kernel, block, Y, dtype), *shared)


def columns_of(function, X, Y, dtype):
    """``K(X, Y)`` in blocks of rows, whatever X is."""
    return (ChunkedColumns if is_chunked(X) else VectorColumns)(function, X, Y, dtype)


class ChunkedVectorKernel(VectorKernel):
    """The kernel of the rows of a dask.array; of all that kernels give, what landmark methods need."""

    def __init__(self, X, function: KernelFunction, dtype):
        self.X, self.function = X, function
        self.n_points = X.shape[0]
        self.is_psd = function.is_psd
        self.precision = np.dtype(dtype)
        self.noise = noise_of(self.precision)
        self._fits, self._held = False, None
        self._fetched: tuple = None, None

    @cached_property
    def diagonal(self):
        """``K_xx`` for every point, a dask.array."""
        if self.function.name in OF_DISTANCES:
            import dask.array as da

            return da.ones(self.n_points, chunks=self.X.chunks[:1])
        return rows_of_chunks(_own_values, self.X, None, np.float64, self.function)

    def block(self, rows, columns, dtype=None):
        """See :meth:`graphcore.kernels.base.Kernel.block`; the rows are fetched."""
        dtype = dtype or self.precision
        left = as_floats(self._rows(rows), dtype)
        return self.function(left, None if rows is columns else as_floats(self._rows(columns), dtype))

    def columns(self, points=None):
        """See :meth:`graphcore.kernels.base.Kernel.columns`; these vectors are fetched."""
        return ChunkedColumns(self.function, self.X, as_floats(self._rows(points), self.precision), self.precision)

    def _rows(self, points):
        """These vectors; those asked for last are kept, since landmarks are asked for several times."""
        if not np.array_equal(points, self._fetched[0]):
            self._fetched = points, rows_at(self.X, points)
        return self._fetched[1]


def kernel_over(X, function, dtype=None):
    """The kernel of vectors, whatever they are in."""
    if is_chunked(X):
        return ChunkedVectorKernel(X, function, dtype or (np.float32 if X.dtype == np.float32 else np.float64))
    return VectorKernel(X, function, dtype)


def _own_values(block, function):
    return VectorKernel(block, function).diagonal


def check_chunks(X, dtype=None):
    """Refuse a dask.array that holds NaN, infinity or numbers too large or small for `dtype`, in one pass over it."""
    if X.dtype.kind == "f" or (dtype == np.float32 and X.dtype.itemsize > 2):  # other integers are not that large
        extremes = np.array(map_chunks(_extremes, X))
        if not np.isfinite(extremes).all():
            raise InputError("X holds NaN or infinity; every number must be finite")
        check_scale(extremes, dtype)


def _extremes(block):
    return block.min(), block.max()
