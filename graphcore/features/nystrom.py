"""Nystrom features: a kernel matrix seen through a few of its columns, streamed in blocks of rows."""

import numpy as np

from .._random import Streams
from .._validation import check_choice, check_integer, check_real
from .._warn import warn_user
from ..distributed.chunks import map_chunks
from ..exceptions import ParameterError
from ..kernels.as_kernel import as_kernel
from ..kernels.columns import MatrixColumns, map_rows, rows_in
from .factor import nystrom_factor
from .feature_map import assembled, map_of
from .landmarks import LANDMARK_SAMPLINGS, sample_landmarks
from .projections import PROJECTIONS, projection_matrix

SAMPLINGS = LANDMARK_SAMPLINGS + PROJECTIONS


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
    on_indefinite="error",
    block_bytes=None,
    random_state=None,
    n_jobs=None,
):
    """Rank-restricted Nystrom features of a kernel matrix.

    Parameters
    ----------
    K : array-like or sparse matrix of shape (n, n), or Kernel
        ``VectorKernel(X, kernel_function(...))`` for vectors; X may be a read-only memmap of integers.
    n_landmarks : int
        c: draws of landmarks, or columns of a sketch.
    n_components : int, optional
        s, the rank of the approximation; default all that the landmarks give.
    sampling : str or array-like of int, default "uniform"
        A scheme of :func:`graphcore.features.landmarks.sample_landmarks`, the landmarks themselves, or a sketch that
        mixes all columns: "gaussian", "srht" or "countsketch". Sketches compute all n^2 kernel values, in blocks, and
        hold n x c numbers.
    replace, truncation, ridge, rtol, on_indefinite, block_bytes, random_state, n_jobs
        As for :class:`graphcore.NystromFeatures`. A `truncation` of less than `n_components` is raised to it.

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
    >>> from graphcore.kernels.functions import kernel_function
    >>> from graphcore.kernels.vectors import VectorKernel
    >>> from graphcore.features.nystrom import nystrom_features
    >>> X = np.random.default_rng(0).normal(size=(200, 3))
    >>> found = nystrom_features(VectorKernel(X, kernel_function("gaussian", X=X)), 40, 10, random_state=0)
    >>> found.features.shape, found.alpha / found.trace < 0.05
    ((200, 10), True)
    """
    kernel = as_kernel(K)
    streams = Streams(random_state)
    if isinstance(sampling, str):
        check_choice("sampling", sampling, SAMPLINGS)
        n_landmarks = check_integer("n_landmarks", n_landmarks, low=1)
        if not replace and n_landmarks > kernel.n_points:
            raise ParameterError(f"n_landmarks={n_landmarks} must be at most {kernel.n_points}, the number of points")
    n_given = n_landmarks if isinstance(sampling, str) else len(np.atleast_1d(sampling))
    check_options(n_given, replace=replace, truncation=truncation, ridge=ridge, block_bytes=block_bytes)
    mixed = isinstance(sampling, str) and sampling in PROJECTIONS
    if mixed:
        sketch = projection_matrix(sampling, kernel.n_points, n_landmarks, random_state=streams)
        landmarks, scale = None, None
        every = kernel.columns()
        C = map_rows(every, sketch, n_jobs=n_jobs, block_rows=rows_in(every, block_bytes))
        columns, W = MatrixColumns(C.astype(kernel.precision, copy=False), kernel.precision), sketch(C.T)
    else:
        sketch = None
        landmarks = sample_landmarks(
            kernel,
            n_landmarks,
            sampling=sampling,
            replace=replace,
            n_components=n_components,
            ridge=ridge,
            random_state=streams,
            n_jobs=n_jobs,
        )
        n_landmarks, scale = landmarks.n_drawn, landmarks.scale
        columns, W = kernel.columns(landmarks.indices), kernel.block(landmarks.indices, landmarks.indices, np.float64)
    c = columns.shape[1]
    if n_components is not None:
        n_components = check_integer(
            "n_components", n_components, low=1, high=n_landmarks, why_high="n_landmarks; take more landmarks"
        )
    factor = nystrom_factor(
        columns,
        W,
        None if n_components is None else min(n_components, c),
        scale=scale,
        truncation=_truncation(truncation, n_landmarks, c),
        rtol=rtol,
        on_indefinite=on_indefinite,
        block_bytes=block_bytes,
        n_jobs=n_jobs,
    )
    if n_components is not None and factor.features.shape[1] < n_components:
        warn_user(
            f"the kernel has rank {factor.features.shape[1]} among the landmarks, so there are so many features and "
            f"not n_components={n_components}; take more landmarks or a narrower bandwidth"
        )
    # A point at the origin of kernel space has no other kernel values than zero.
    n_zero_rows = factor.n_zero_rows
    if n_zero_rows:
        n_zero_rows = max(0, n_zero_rows - sum(map_chunks(_n_at_origin, kernel.diagonal)))
    if n_zero_rows:
        warn_user(
            f"{n_zero_rows} of {kernel.n_points} points have a kernel value of zero with every landmark; their "
            "features are zero and they fall into one cluster: take more landmarks, sampling='countsketch' or "
            "'leverage', or graphcore.features.subspace.power_features"
        )
    indices = None if landmarks is None else landmarks.indices
    return assembled(
        kernel,
        factor.features,
        map_of(kernel, factor.projection, indices, sketch),
        factor.singular_values,
        on_indefinite,
        n_landmarks=n_landmarks,
        sampling=sampling if mixed else landmarks.sampling,
        landmarks=landmarks,
        landmark_root=factor.landmark_root,
        n_zero_rows=n_zero_rows,
        negative=factor.landmark_root.indefinite,
    )


def _n_at_origin(diagonal):
    return int((diagonal <= 0).sum())


def check_options(n_landmarks, *, replace, truncation, ridge, block_bytes):
    """Refuse values that no sampling takes, whether or not the one at hand looks at them."""
    if replace not in (None, True, False):
        raise ParameterError(f"replace={replace!r} must be True, False or None")
    if ridge is not None:
        check_real("ridge", ridge, low=0.0, open_low=True)
    if block_bytes is not None:
        check_integer("block_bytes", block_bytes, low=1)
    if isinstance(truncation, str):
        check_choice("truncation", truncation, ("half",))
    elif truncation is not None:
        check_integer("truncation", truncation, low=1, high=n_landmarks, why_high="n_landmarks")


def _truncation(truncation, n_landmarks, c):
    """Rank that W is cut to, at most its size."""
    if truncation is None:
        return None
    return min(-(-n_landmarks // 2) if isinstance(truncation, str) else int(truncation), c)
