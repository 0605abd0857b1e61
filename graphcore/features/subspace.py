"""Features from a subspace of all points: a few power steps on random vectors, or exact eigenvectors."""

import numpy as np

from .._random import Streams
from .._threads import limited_libraries
from .._validation import check_choice, check_integer
from ..exceptions import InputError
from ..kernels.as_kernel import as_kernel
from ..kernels.definiteness import report_indefinite, smallest_sampled_eigenvalue
from .factor import nystrom_factor
from .feature_map import assembled, map_of
from .inverse_root import CLIP
from .leverage import top_eigenpairs
from .projections import Projection

# Of larger matrices a sample of so many points is looked at for negative eigenvalues.
_SAMPLE = 1000


def power_features(
    K, n_components, *, n_vectors=None, n_steps=2, rtol=None, on_indefinite="error", random_state=None, n_jobs=None
):
    """Nystrom features from a random subspace after a few power steps: nearly as good as eigenvectors.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n, n), or Kernel
        The natural way for sparse kernels. For vectors, all n^2 values are computed in every step.
    n_components : int
        s.
    n_vectors : int, optional
        Columns of the random start, c >= s; default s + 10.
    n_steps : int, default 2
        Products with K before the factor is formed, t; 0 is a plain Gaussian sketch. Columns are made orthonormal after
        each, which changes nothing but the rounding.
    rtol : float, optional
    on_indefinite : {"error", "clip"}, default "error"
        See :func:`graphcore.features.nystrom.nystrom_features`.
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
    >>> from graphcore.features.subspace import power_features
    >>> power_features(np.diag([4.0, 1.0, 0.1]), 1, random_state=0).singular_values[:1].round(6).tolist()
    [2.0]
    """
    kernel = as_kernel(K)
    s = check_integer("n_components", n_components, low=1, high=kernel.n_points, why_high="the number of points")
    c = min(kernel.n_points, s + 10) if n_vectors is None else n_vectors
    c = check_integer("n_vectors", c, low=s, high=kernel.n_points, why_high="the number of points")
    n_steps = check_integer("n_steps", n_steps, low=0)
    Q = Streams(random_state).generator("power").standard_normal((kernel.n_points, c)) / np.sqrt(c)
    with limited_libraries():
        for _ in range(n_steps):
            Q = _orthonormal(kernel.product(Q, n_jobs))
        C = kernel.product(Q, n_jobs)
        W = Q.T @ C
    s = min(s, Q.shape[1])
    factor = nystrom_factor(C, W, s, rtol=rtol, on_indefinite=on_indefinite, n_jobs=n_jobs)
    return assembled(
        kernel,
        factor.features,
        map_of(kernel, factor.projection, None, Projection("basis", kernel.n_points, Q.shape[1], Q)),
        factor.singular_values,
        on_indefinite,
        n_landmarks=c,
        sampling="power",
        landmark_root=factor.landmark_root,
        n_zero_rows=factor.n_zero_rows,
        negative=factor.landmark_root.indefinite,
    )


def kernel_pca_features(K, n_components, *, on_indefinite="error", random_state=None, n_jobs=None):
    """Features from the exact top eigenvectors of a kernel matrix, ``V_s Lambda_s^{1/2}``, without centring.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n, n), or Kernel
        Up to 20,000 points, unless it is sparse.
    n_components : int
        s. Fewer features come back if the rank is less.
    on_indefinite : {"error", "clip"}, default "error"
        Whether a kernel that is not positive semi-definite is refused. Of more than 1,000 points a sample is looked at.
    random_state : int, Generator, RandomState or None
        For that sample.
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
    >>> from graphcore.features.subspace import kernel_pca_features
    >>> kernel_pca_features(np.diag([4.0, 1.0, 0.1]), 2).alpha.__round__(6)
    0.1
    """
    kernel = as_kernel(K)
    check_choice("on_indefinite", on_indefinite, ("error", "clip"))
    smallest = 0.0 if kernel.is_psd else smallest_sampled_eigenvalue(kernel, random_state, n_points=_SAMPLE)
    if smallest < 0:
        report_indefinite((smallest, 1.0), on_indefinite, where="in shares of the largest", remedy=CLIP)
    values, V = top_eigenpairs(kernel, n_components, n_jobs=n_jobs)
    signal = values > kernel.n_points * np.finfo(kernel.precision).eps * values[0]
    if not signal.any():
        raise InputError("the kernel matrix is zero, so there is nothing to learn from it; check the kernel")
    values, V = values[signal], V[:, signal]
    basis = Projection("basis", kernel.n_points, len(values), V)
    return assembled(
        kernel,
        V * np.sqrt(values),
        map_of(kernel, np.diag(1.0 / np.sqrt(values)), None, basis),
        np.sqrt(values),
        on_indefinite,
        n_landmarks=kernel.n_points,
        sampling="kernel-pca",
        negative=smallest < 0,
    )


def _orthonormal(M):
    """Orthonormal basis of the columns; null directions are dropped."""
    from scipy.linalg import orth

    Q = orth(M)
    if not Q.shape[1]:
        raise InputError("the kernel matrix is zero, so there is nothing to learn from it; check the kernel")
    return Q
