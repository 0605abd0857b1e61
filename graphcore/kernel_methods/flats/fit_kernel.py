"""The kernel among the points of a fit, centred where that saves digits, and its rows for new points."""

from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from ...base.validation import check_choice, check_real, check_sample_weight
from ...exceptions import InputError, ParameterError, warn_user
from ...kernels.as_kernel import as_kernel
from ...kernels.base import Kernel
from ...kernels.checks import check_magnitude, clearly_negative
from ...kernels.columns import block_borders, matrix_columns, vector_columns
from ...kernels.definiteness import report_indefinite, rough_spectrum_ends, smallest_sampled_eigenvalue, spectrum_ends
from ...kernels.dense import DenseKernel
from ...kernels.vectors import VectorKernel
from ._checks import as_points

# Up to this many points the kernel matrix of vectors is held (512 MiB); beyond, it is computed anew in every pass.
HELD_POINTS = 8192
# Up to this many the eigenvalues of a kernel matrix are computed, beyond they are guessed from some products.
_EXACT_CHECK = 1000
_FLOAT = np.dtype(np.float64)


@dataclass(frozen=True, eq=False)
class NewRows:
    """Rows of the kernel for any points, against those of the fit."""

    n_points: int  # points that the kernel was given for
    points: np.ndarray | None = field(default=None, repr=False)  # (n_fitted,): those with weight; None for all
    row_means: np.ndarray | None = field(default=None, repr=False)  # (n_fitted,): if the kernel was centred
    function: object = None  # the KernelFunction; None for a kernel that comes as rows
    vectors: object = field(default=None, repr=False)  # of the fit, dense or csr, less `origin`
    origin: np.ndarray | None = field(default=None, repr=False)  # mean of the vectors, for the linear kernel

    def map(self, function, X, diagonal=None):
        """Map a function of kernel rows (m, n_fitted) and their diagonal (m,) over points X, in blocks, to arrays.

        Both are centred like those of the fit. X holds vectors, or rows of the kernel (n_rows, n_points). `diagonal`
        (n_rows,): kernel values of the points with themselves, for kernels that come as rows; without it, 0 is taken,
        and distances are right but for a number for each row.
        """
        if self.function is not None:
            X = X if self.origin is None else X - self.origin
            columns = vector_columns(self.function, X, self.vectors, _FLOAT)
            diagonal = np.asarray(self.function.diagonal(X), dtype=np.float64)
        else:
            columns, n = matrix_columns(X, _FLOAT, self.points), X.shape[0]
            if X.shape[1] != self.n_points:
                raise InputError(
                    f"rows of the kernel have one entry for each of the {self.n_points} points of the fit; these have "
                    f"{X.shape[1]}"
                )
            diagonal = np.zeros(n) if diagonal is None else np.asarray(diagonal, dtype=np.float64)
            if diagonal.shape != (n,) or np.isnan(diagonal).any():
                raise InputError(f"diagonal must be {n} finite numbers, one for each row; got {diagonal.shape}")
        borders = pairwise(block_borders(columns).tolist())
        found = [function(*self._centred(columns.rows(a, b), diagonal[a:b])) for a, b in borders]
        return [np.concatenate(arrays) for arrays in zip(*found, strict=True)]

    def _centred(self, K, diagonal):
        if self.row_means is None:
            return K, diagonal
        K = K.toarray() if hasattr(K, "tocsr") else np.asarray(K)
        means, total = K.mean(axis=1), self.row_means.mean()
        return K - means[:, None] - self.row_means + total, diagonal - 2 * means + total


@dataclass(frozen=True, eq=False)
class FitKernel:
    """The kernel of one fit."""

    kernel: Kernel  # among the points of the fit, in float64
    added: np.ndarray  # (n_fitted,): to be added to its diagonal
    weights: np.ndarray  # (n_fitted,): all are positive
    new: NewRows
    precision: np.dtype = _FLOAT  # type of the given kernel values
    is_psd: bool | None = None  # whether it is positive semi-definite for certain (True), for certain not (False)

    @property
    def diagonal(self):
        """Kernel values of the points of the fit with themselves."""
        return self.kernel.diagonal + self.added

    def product(self, v):
        """Multiply the kernel by a vector."""
        v = np.ravel(v)
        return self.kernel.product(v[:, None])[:, 0] + self.added * v

    def among(self, points):
        """Return the matrix among some points of the fit (ascending): a csr_array if it is sparse, else an ndarray."""
        if not self.kernel.is_sparse:
            return self.kernel.block(points, points, _FLOAT)
        return _plus_diagonal(self.kernel.submatrix(points).whole("a cluster"), 0, self.added[points])

    def rows(self, start, stop):
        """Return the rows from `start` to `stop`, a csr_array if the kernel is sparse, else an ndarray."""
        rows = self.kernel.columns().rows(start, stop)
        return _plus_diagonal(rows, start, self.added[start:stop]) if self.kernel.is_sparse else rows


def kernel_and_weights(K, weights=None, name="sample_weight"):
    """Return a kernel, of any form that `as_kernel` takes, and the weights of its points.

    These are node degrees for a graph, otherwise ones or those given, float64.
    """
    kernel = as_kernel(K)
    if weights is None:
        if not kernel.point_weights.any():
            raise InputError("no node has an edge: there is nothing to cluster")
        return kernel, kernel.point_weights
    if kernel.leaves_out_isolated:
        raise ParameterError(
            f"a graph's nodes are weighted by their degrees; leave {name} out, or weigh the edges: w_x A_xy w_y"
        )
    return kernel, check_sample_weight(weights, kernel.n_points, name)


def fit_kernel(given, weights, shift=0.0):
    """Make the kernel that flats are fitted with, ``K + shift W^-1`` among the points that have weight."""
    shift = check_real("shift", shift, low=0.0)
    points = np.flatnonzero(weights > 0)
    every = len(points) == len(weights)
    own, part = weights[points], slice(None) if every else points
    with np.errstate(over="ignore"):
        added = shift / own
    check_magnitude(f"the diagonal of the kernel with shift={shift:g}", max(float(added.max()), 1.0), _FLOAT)
    new, is_psd = NewRows(given.n_points, None if every else points), given.is_psd
    if isinstance(given, VectorKernel):
        if shift:
            raise ParameterError(f"shift={shift} is for graphs and kernel matrices; kernels over vectors need none")
        kernel, new = _over_vectors(given, part, new)
    elif given.is_sparse:
        kernel = given if every else given.submatrix(points)
        if given.leaves_out_isolated and shift >= given.definite_shift(weights):
            is_psd = True
        return FitKernel(kernel, added, own, new, given.precision, is_psd)
    else:
        values = np.array(given.block(part, part), dtype=np.float64)
        values += values.T.copy()
        values *= 0.5
        values[np.diag_indices_from(values)] += added
        kernel, new = _centred(values, new)
    return FitKernel(kernel, np.zeros(len(own)), own, new, given.precision, is_psd)


def _over_vectors(given, part, new):
    """Make the kernel of vectors: held and, where offsets are large, centred; by blocks beyond `HELD_POINTS`."""
    X, function = as_points(given.X, sparse=True)[part], given.function
    linear, sparse = function.name == "linear", hasattr(X, "tocsr")
    origin = X.mean(axis=0) if linear and not sparse else None
    X = X if origin is None else X - origin
    new = replace(new, function=function, vectors=X, origin=origin)
    kernel = VectorKernel(X, function, _FLOAT, held_bytes=0)
    if X.shape[0] > HELD_POINTS:
        return kernel, new
    values = kernel.block(slice(None), slice(None))
    if function.name in ("polynomial", "callable") or (linear and sparse):
        return _centred(values, new)
    return DenseKernel(values, check=False), new


def _centred(K, new):
    """Centre a matrix in place, since distances are differences of large sums."""
    means = K.mean(axis=1)
    K -= means
    K -= means[:, None]
    K += means.mean()
    return DenseKernel(K, check=False), replace(new, row_means=means)


def check_definite(fit, on_indefinite):
    """Refuse kernels that are not positive semi-definite, or warn of them.

    Matrices are looked at by their eigenvalues (beyond 1,000 points by a rough Lanczos run), functions of vectors that
    are not held on 500 points.
    """
    check_choice("on_indefinite", on_indefinite, ("error", "warn"))
    if fit.is_psd:
        return
    if fit.is_psd is False:
        function = fit.new.function
        name = "the kernel" if function is None else f"kernel={function.name!r} with these parameters"
        found = f"{name} is not positive semi-definite, and the alternation need not settle"
        if on_indefinite == "error":
            raise InputError(f"{found}; on_indefinite='warn' tries it")
        warn_user(found)
        return
    n = fit.kernel.n_points
    if n <= _EXACT_CHECK:
        ends = spectrum_ends(fit.among(np.arange(n)))
    elif fit.new.function is None or isinstance(fit.kernel, DenseKernel):
        ends = rough_spectrum_ends(fit.product, n)
    else:
        ends = np.array([smallest_sampled_eigenvalue(fit.kernel), 1.0])
    if clearly_negative(ends, fit.precision, n):
        report_indefinite(
            ends,
            on_indefinite,
            where="of all points",
            remedy="raise shift=, which adds to its diagonal, or take on_indefinite='warn' to go on",
            consequence="the alternation need not settle; shift= adds to its diagonal",
        )


def _plus_diagonal(rows, first, values):
    """Add values to sparse rows at their own points; the first row is that of point `first`."""
    import scipy.sparse as sp

    return rows + sp.diags_array(values, offsets=first, shape=rows.shape)


def rows_of_nodes(edges, own_degrees, degrees):
    """Make rows of the kernel ``D^-1 A D^-1`` for new nodes, a csr_array; empty for nodes without degree.

    `edges` (n_new, n_nodes) are the weights of their edges to the nodes of the fit, `own_degrees` their degrees, and
    `degrees` those of the nodes of the fit.
    """
    import scipy.sparse as sp

    outer, inner = (np.divide(1.0, d, out=np.zeros(len(d)), where=d > 0) for d in (own_degrees, degrees))
    return sp.csr_array(sp.diags_array(outer) @ sp.csr_array(edges, dtype=np.float64) @ sp.diags_array(inner))
