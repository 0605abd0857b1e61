"""A kernel as kernel k-flats sees it: checked, centred where that saves digits, for old points and new ones."""

from dataclasses import dataclass, field

import numpy as np

from ..exceptions import InputError, ParameterError
from ..kernels.dense_matrix import DenseMatrix
from ..kernels.matrix import clearly_negative, eigenvalue_noise
from ..kernels.rows_matrix import SparseMatrix
from ._checks import as_csr, as_points

__all__ = ["KernelView", "check_psd", "checked_kernel_matrix", "held_matrix"]

# Up to this many points the kernel matrix of vectors is held (512 MiB); beyond, it is computed anew in every pass.
HELD_POINTS = 8192
_EXACT_CHECK = 1000


@dataclass(frozen=True, eq=False)
class KernelView:
    """How rows of the kernel are got for any points.

    Attributes
    ----------
    kernel : VectorKernel or None
        None for a kernel that comes as rows.
    vectors : ndarray of shape (n_samples, n_features) or None
        The vectors of the fit, less `shift`.
    shift : ndarray of shape (n_features,) or None
        Mean of the vectors, for the linear kernel.
    row_means : ndarray of shape (n_samples,) or None
        Means of the rows of the kernel, if it was centred.
    n_points : int
    precision : dtype
        What the kernel came in: the rounding of float32 is larger.
    """

    kernel: object
    vectors: np.ndarray = field(repr=False)
    shift: np.ndarray = field(repr=False)
    row_means: np.ndarray = field(repr=False)
    n_points: int
    precision: np.dtype = np.float64

    @property
    def rounding(self):
        """Errors of this size, relative to the largest value, are taken for rounding."""
        return eigenvalue_noise(self.n_points, self.precision)

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
    kernel : VectorKernel

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
        If it is no kernel matrix, as :class:`graphcore.kernels.dense_matrix.DenseMatrix` says.
    """
    precision = np.dtype(np.float32 if getattr(K, "dtype", None) in (np.float16, np.float32) else np.float64)
    row_means = None
    if hasattr(K, "tocsr"):
        SparseMatrix(K)
        K = as_csr(K)
    else:
        K = np.array(DenseMatrix(K).values, dtype=np.float64)
        K += K.T.copy()
        K *= 0.5
        row_means = _centre(K)
    return K, KernelView(None, None, None, row_means, K.shape[0], precision)


def check_psd(K, view, allow_indefinite):
    """Refuse indefinite kernels: up to 1,000 points by their eigenvalues, beyond by Lanczos."""
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
    extremes = _extreme_eigenvalues(K)
    if clearly_negative(extremes, view.precision, view.n_points):
        raise InputError(
            f"the kernel is not positive semi-definite: it has an eigenvalue of {extremes[0]:.3g} or less, where the "
            f"largest is {extremes[1]:.3g}; add to its diagonal (for a graph, raise shift), or give "
            "allow_indefinite=True"
        )


def _extreme_eigenvalues(K):
    """The least and the largest eigenvalue; of many points, numbers between them that a rough Lanczos run finds."""
    if K.shape[0] <= _EXACT_CHECK:
        from scipy.linalg import eigvalsh

        return eigvalsh(K.toarray() if hasattr(K, "tocsr") else K)[[0, -1]]
    from scipy.sparse.linalg import LinearOperator, eigsh

    # The start is fixed, so that the answer is.
    how = {"v0": np.random.default_rng(K.shape[0]).normal(size=K.shape[0]), "tol": 1e-2}
    largest = float(eigsh(K, 1, which="LM", return_eigenvectors=False, **how)[0])
    # Seen from above: what is left to |largest| converges at once, also where many eigenvalues lie next to the least.
    flipped = LinearOperator(K.shape, matvec=lambda x: abs(largest) * x - K @ x, dtype=np.float64)
    _, v = eigsh(flipped, 1, which="LA", **how)
    return np.array([float(v[:, 0] @ (K @ v[:, 0])), largest])


def _centre(K):
    """Centre a symmetric matrix in place; returns the means of its rows before."""
    means = K.mean(axis=1)
    K -= means
    K -= means[:, None]
    K += means.mean()
    return means
