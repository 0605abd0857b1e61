"""Features of a kernel matrix: from a few of its columns, from random subspaces, or from its exact eigenvectors."""

import dataclasses
from typing import NamedTuple

import numpy as np

from ...base.streams import Streams
from ...base.threads import limited_libraries
from ...base.validation import check_choice, check_integer, check_real
from ...distributed.chunks import map_chunks
from ...exceptions import InputError, ParameterError, warn_user
from ...kernels.as_kernel import as_kernel
from ...kernels.columns import map_rows, matrix_columns
from ...kernels.definiteness import report_indefinite, smallest_sampled_eigenvalue
from .factor import CLIP, nystrom_factor
from .feature_map import PROJECTIONS, assembled, projection_matrix
from .landmarks import LANDMARK_SAMPLINGS, sample_landmarks
from .leverage import top_eigenpairs

SAMPLINGS = LANDMARK_SAMPLINGS + PROJECTIONS
# Of larger matrices a sample of so many points is looked at for negative eigenvalues, where all are computed.
_SAMPLE = 1000
_ZERO = "the kernel matrix is zero, so there is nothing to learn from it; check the kernel"


class NystromOptions(NamedTuple):
    """Options of :func:`nystrom_features`; see :class:`graphcore.NystromFeatures`."""

    replace: bool | None = None
    truncation: int | str | None = None
    ridge: float | None = None
    rtol: float | None = None
    on_indefinite: str = "error"
    block_bytes: int | None = None

    def checked(self, n_landmarks):
        """Check the options, those of other samplings too, and return them."""
        if self.replace not in (None, True, False):
            raise ParameterError(f"replace={self.replace!r} must be True, False or None")
        if self.ridge is not None:
            check_real("ridge", self.ridge, low=0.0, open_low=True)
        if self.block_bytes is not None:
            check_integer("block_bytes", self.block_bytes, low=1)
        if isinstance(self.truncation, str):
            check_choice("truncation", self.truncation, ("half",))
        elif self.truncation is not None:
            check_integer("truncation", self.truncation, low=1, high=n_landmarks, why_high="n_landmarks")
        return self


def nystrom_features(
    K, n_landmarks, n_components=None, *, sampling="uniform", random_state=None, n_jobs=None, **options
):
    """Compute rank-restricted Nystrom features of a kernel matrix: KernelFeatures.

    K is a matrix (n, n), dense or sparse, or a Kernel: ``VectorKernel(X, kernel_function(...))`` for vectors, where X
    may be a read-only memmap of integers. `n_landmarks` (c) counts draws of landmarks, or columns of a sketch;
    `n_components` (s) is the rank of the approximation, by default all that the landmarks give. `options` are
    `replace`, `truncation` (raised to `n_components` where it is less), `ridge`, `rtol`, `on_indefinite` and
    `block_bytes`. They, `sampling` (but for "power" and "kernel-pca", which are functions of their own),
    `random_state`, `n_jobs` and errors are as for :class:`graphcore.NystromFeatures`.

    Wang, Gittens, Mahoney, JMLR 20 (2019), Algorithm 2. Calandriello, Rosasco, NeurIPS 2018, Algorithm 1 (uniform
    landmarks and no restriction of the rank).

    >>> import numpy as np
    >>> from graphcore.kernels.functions import kernel_function
    >>> from graphcore.kernels.vectors import VectorKernel
    >>> from graphcore.kernel_methods.features.nystrom import nystrom_features
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> found = nystrom_features(VectorKernel(X, kernel_function("gaussian", X=X)), 40, 10, random_state=0)
    >>> found.features.shape, found.alpha / found.trace < 0.05
    ((200, 10), True)
    """
    kernel, streams, how = as_kernel(K), Streams(random_state), NystromOptions(**options)
    named = isinstance(sampling, str)
    if named:
        check_choice("sampling", sampling, SAMPLINGS)
        n_landmarks = check_integer("n_landmarks", n_landmarks, low=1)
        if not how.replace and n_landmarks > kernel.n_points:
            raise ParameterError(f"n_landmarks={n_landmarks} must be at most {kernel.n_points}, the number of points")
    n_given = n_landmarks if named else len(np.atleast_1d(sampling))
    how.checked(n_given)
    landmarks = sketch = scale = indices = None
    if named and sampling in PROJECTIONS:
        sketch = projection_matrix(sampling, kernel.n_points, n_landmarks, random_state=streams)
        C = map_rows(kernel.columns(), lambda rows: rows @ sketch, n_jobs=n_jobs, block_bytes=how.block_bytes)
        columns, W = matrix_columns(C.astype(kernel.precision, copy=False), kernel.precision), C.T @ sketch
    else:
        drawn_by = {"sampling": sampling, "replace": how.replace, "n_components": n_components, "ridge": how.ridge}
        landmarks = sample_landmarks(kernel, n_landmarks, **drawn_by, random_state=streams, n_jobs=n_jobs)
        indices, scale = landmarks.indices, landmarks.scale
        n_landmarks, sampling = landmarks.n_drawn, landmarks.sampling
        columns = kernel.columns(indices)
        if landmarks.columns is not None:  # computed by now, and not to be kept for longer than this
            columns = matrix_columns(landmarks.columns, kernel.precision)
            landmarks = dataclasses.replace(landmarks, columns=None)
        W = kernel.block(indices, indices, np.float64)
    c = columns.shape[1]
    if n_components is not None:
        why = "n_landmarks; take more landmarks"
        n_components = check_integer("n_components", n_components, low=1, high=n_given, why_high=why)
    truncation = how.truncation
    if truncation is not None:
        truncation = min(-(-n_landmarks // 2) if isinstance(truncation, str) else int(truncation), c)
    most = None if n_components is None else min(n_components, c)
    given = {"scale": scale, "truncation": truncation, "rtol": how.rtol, "on_indefinite": how.on_indefinite}
    factor = nystrom_factor(columns, W, most, block_bytes=how.block_bytes, n_jobs=n_jobs, **given)
    if n_components is not None and factor.features.shape[1] < n_components:
        warn_user(
            f"the kernel has rank {factor.features.shape[1]} among the landmarks, so there are so many features and "
            f"not n_components={n_components}; take more landmarks or a narrower bandwidth"
        )
    n_zero_rows = factor.n_zero_rows
    if n_zero_rows:  # a point at the origin of kernel space has no other kernel values than zero
        n_zero_rows = max(0, n_zero_rows - sum(map_chunks(_n_at_origin, kernel.diagonal)))
    if n_zero_rows:
        warn_user(
            f"{n_zero_rows} of {kernel.n_points} points have a kernel value of zero with every landmark; their "
            "features are zero and they fall into one cluster: take more landmarks, sampling='countsketch' or "
            "'leverage', or graphcore.kernel_methods.features.nystrom.power_features"
        )
    noted = {"n_landmarks": n_landmarks, "sampling": sampling, "landmarks": landmarks, "n_zero_rows": n_zero_rows}
    return _of_factor(kernel, factor, (indices, sketch), how.on_indefinite, **noted)


def power_features(
    K, n_components, *, n_vectors=None, n_steps=2, rtol=None, on_indefinite="error", random_state=None, n_jobs=None
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
    factor = nystrom_factor(C, W, min(s, Q.shape[1]), rtol=rtol, on_indefinite=on_indefinite, n_jobs=n_jobs)
    noted = {"n_landmarks": c, "sampling": "power", "n_zero_rows": factor.n_zero_rows}
    return _of_factor(kernel, factor, (None, Q), on_indefinite, **noted)


def kernel_pca_features(K, n_components, *, on_indefinite="error", random_state=None, n_jobs=None):
    """Compute KernelFeatures by the top eigenvectors of a kernel matrix, ``V_s Lambda_s^{1/2}``, not centred.

    Up to 20,000 points, unless K is sparse; fewer features come back if the rank is less. Of more than 1,000 points a
    sample, for which `random_state` is, is looked at for negative eigenvalues. Wang, Gittens, Mahoney, JMLR 20 (2019),
    Proposition 3: k-means on them costs at most 1 + k/s times the optimum.
    """
    kernel = as_kernel(K)
    check_choice("on_indefinite", on_indefinite, ("error", "clip"))
    smallest = 0.0 if kernel.is_psd else smallest_sampled_eigenvalue(kernel, random_state, n_points=_SAMPLE)
    if smallest < 0:
        report_indefinite((smallest, 1.0), on_indefinite, where="in shares of the largest", remedy=CLIP)
    values, V = top_eigenpairs(kernel, n_components, n_jobs=n_jobs)
    signal = values > kernel.n_points * np.finfo(kernel.precision).eps * values[0]
    if not signal.any():
        raise InputError(_ZERO)
    values, V = values[signal], V[:, signal]
    roots = np.sqrt(values)
    noted = {"n_landmarks": kernel.n_points, "sampling": "kernel-pca", "negative": smallest < 0}
    return assembled(kernel, V * roots, np.diag(1.0 / roots), (None, V), roots, on_indefinite, **noted)


def _of_factor(kernel, factor, columns, on_indefinite, **noted):
    """Make KernelFeatures of a NystromFactor."""
    noted |= {"landmark_root": factor.landmark_root, "negative": factor.landmark_root.indefinite}
    made = factor.features, factor.projection, columns, factor.singular_values
    return assembled(kernel, *made, on_indefinite, **noted)


def _n_at_origin(diagonal):
    return int((diagonal <= 0).sum())
