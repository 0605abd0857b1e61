"""A kernel as kernel k-flats sees it: checked, centred where that saves digits, for old points and new ones."""

from dataclasses import dataclass, field

import numpy as np

from ..exceptions import InputError, ParameterError
from ..kernels.dense import DenseKernel
from ..kernels.sparse import SparseKernel
from ._checks import as_points

__all__ = ["KernelView", "as_csr", "check_psd", "checked_kernel_matrix", "held_matrix"]

# Up to this many points the kernel matrix of vectors is held (512 MiB); beyond, it is computed anew in every pass.
HELD_POINTS = 8192
ROUNDING, SINGLE_ROUNDING = 1e-8, 1e-5
_EXACT_CHECK = 1000


@dataclass(frozen=True, eq=False)
class KernelView:
    """How rows of the kernel are got for any points.

    Attributes
    ----------
    kernel : KernelFunction or None
        None for a kernel that comes as rows.
    vectors : ndarray of shape (n_samples, n_features) or None
        The vectors of the fit, less `shift`.
    shift : ndarray of shape (n_features,) or None
        Mean of the vectors, for the linear kernel.
    row_means : ndarray of shape (n_samples,) or None
        Means of the rows of the kernel, if it was centred.
    n_points : int
    rounding : float
        Errors of this size, relative to the largest value, are taken for rounding: larger for kernels that came in
        single precision.
    """

    kernel: object
    vectors: np.ndarray = field(repr=False)
    shift: np.ndarray = field(repr=False)
    row_means: np.ndarray = field(repr=False)
    n_points: int
    rounding: float = ROUNDING

    def rows(self, X, diagonal=None):
        """Kernel rows and diagonal of points, centred like those of the fit.

        Parameters
        ----------
        X : ndarray or sparse array
            Vectors, or rows of the kernel of shape (n_rows, n_samples).
        diagonal : ndarray of shape (n_rows,), optional
            Kernel values of the points with themselves, for kernels that come as rows; without it, 0 is taken, and
            distances are right but for a number for each row.

        Returns
        -------
        K : ndarray of shape (n_rows, n_samples)
        diagonal : ndarray of shape (n_rows,)
        """
        if self.kernel is None:
            K = X.toarray() if hasattr(X, "tocsr") else np.array(X, dtype=np.float64)
            diagonal = np.zeros(len(K)) if diagonal is None else np.asarray(diagonal, dtype=np.float64)
        else:
            X = X if self.shift is None else X - self.shift
            K = np.asarray(self.kernel(X, self.vectors), dtype=np.float64)
            diagonal = np.asarray(self.kernel.diagonal(X), dtype=np.float64)
        if self.row_means is None:
            return K, diagonal
        means, total = K.mean(axis=1), self.row_means.mean()
        K -= means[:, None]
        K -= self.row_means
        K += total
        return K, diagonal - 2 * means + total


def held_matrix(X, kernel):
    """The kernel matrix of vectors, centred if the kernel has large offsets, and its view.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features), float64
    kernel : KernelFunction

    Returns
    -------
    K : ndarray of shape (n_samples, n_samples), float64, or None
        None for too many points to hold it.
    view : KernelView
    """
    X = as_points(X)
    shift = X.mean(axis=0) if kernel.name == "linear" else None
    vectors = X if shift is None else X - shift
    if len(X) > HELD_POINTS:
        return None, KernelView(kernel, vectors, shift, None, len(X))
    K = np.asarray(kernel(vectors), dtype=np.float64)
    row_means = _centre(K) if kernel.name in ("polynomial", "callable") else None
    return K, KernelView(kernel, vectors, shift, row_means, len(X))


def checked_kernel_matrix(K):
    """A kernel matrix given by the caller, checked, and its view.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n_samples, n_samples)

    Returns
    -------
    K : ndarray or csr_array of shape (n_samples, n_samples), float64
        A copy, centred, if dense.
    view : KernelView

    Raises
    ------
    InputError
        If it is no kernel matrix, as :class:`graphcore.kernels.dense.DenseKernel` says.
    """
    single = getattr(K, "dtype", None) in (np.float16, np.float32)
    row_means = None
    if hasattr(K, "tocsr"):
        SparseKernel(K)
        K = as_csr(K)
    else:
        K = np.array(DenseKernel(K).values, dtype=np.float64)
        K += K.T.copy()
        K *= 0.5
        row_means = _centre(K)
    rounding = SINGLE_ROUNDING if single else ROUNDING
    return K, KernelView(None, None, None, row_means, K.shape[0], rounding)


def as_csr(K):
    """A sparse matrix as a csr_array of float64 without repeats; the caller's object is never changed."""
    import scipy.sparse as sp

    K = sp.csr_array(K, dtype=np.float64)
    if not K.has_canonical_format:
        K = K.copy()
        K.sum_duplicates()
    return K


def check_psd(K, view, allow_indefinite):
    """Refuse indefinite kernels: up to 1,000 points by their eigenvalues, beyond by 20 steps of Lanczos."""
    kernel = view.kernel
    if allow_indefinite:
        return
    if kernel is not None and kernel.is_psd is False:
        raise ParameterError(
            f"kernel={kernel.name!r} with these parameters is not positive semi-definite, and the alternation need not "
            "settle; allow_indefinite=True tries it"
        )
    if K is None or (kernel is not None and kernel.is_psd):
        return
    if K.shape[0] <= _EXACT_CHECK:
        from scipy.linalg import eigvalsh

        values = eigvalsh(K.toarray() if hasattr(K, "tocsr") else K)
    else:
        values = _ritz_values(K)
    if values[0] < -view.rounding * max(values[-1], -values[0]):
        raise InputError(
            f"the kernel is not positive semi-definite: it has an eigenvalue of {values[0]:.3g} or less, where the "
            f"largest is {values[-1]:.3g}; add to its diagonal (for a graph, raise shift), or give "
            "allow_indefinite=True"
        )


def _ritz_values(K, steps=20):
    """Ascending Ritz values of a symmetric matrix: all lie between its smallest and largest eigenvalue."""
    from scipy.linalg import eigvalsh_tridiagonal

    n = K.shape[0]
    v = np.random.default_rng(n).normal(size=n)
    v /= np.linalg.norm(v)
    before, off = np.zeros(n), 0.0
    diagonal, beside = [], []
    for _ in range(steps):
        u = K @ v - off * before
        diagonal.append(float(u @ v))
        u -= diagonal[-1] * v
        off = float(np.linalg.norm(u))
        if off <= 1e-12 * abs(diagonal[0]):
            break
        beside.append(off)
        before, v = v, u / off
    return eigvalsh_tridiagonal(np.array(diagonal), np.array(beside[: len(diagonal) - 1]))


def _centre(K):
    """Centre a symmetric matrix in place; returns the means of its rows before."""
    means = K.mean(axis=1)
    K -= means
    K -= means[:, None]
    K += means.mean()
    return means
