"""A Gaussian sketch of a whole data set: a subsample, the sketch of their kernel, and the features of all points."""

from typing import Any, NamedTuple

import numpy as np

from .._random import Streams
from .._validation import check_choice, check_integer, check_size
from ..kernels.as_kernel import as_kernel
from ..kernels.checks import clearly_negative
from ..kernels.columns import map_rows
from ..kernels.definiteness import report_indefinite, spectrum_ends
from .sketch import GaussianSketch, gaussian_sketch

_MIN_SUBSAMPLE, _SHARE = 200, 0.01


class KernelSketch(NamedTuple):
    """A subsample of a data set and the sketch of its kernel."""

    indices: np.ndarray  # (n_subsample,) int64: the subsample, in ascending order
    kernel: Any  # (n_subsample, n_subsample): of the subsample with itself, an ndarray or csr_array
    sketch: GaussianSketch

    def features(self, columns, *, n_jobs=None):
        """Features (n, d) of any points, by columns of their kernel with the subsample, and their nearness (n,).

        The latter is the largest ``|K(x, x_i)| / sqrt(K(x_i, x_i))`` over the subsample: over ``sqrt(K(x, x))`` the
        largest cosine in feature space, without its sign. Near 0 the subsample says nothing about the point.
        """
        diagonal = np.asarray(self.kernel.diagonal(), dtype=np.float64)
        root = np.sqrt(np.maximum(diagonal, 0))
        inverse = np.divide(1.0, root, out=np.zeros_like(root), where=root > 0)
        if hasattr(columns, "lazily"):
            width = len(self.sketch.offset) + 1
            found = columns.lazily(_features_and_nearest, width, np.float64, self.sketch, inverse)
            return found[:, :-1], found[:, -1]
        found = _features_and_nearest(columns, self.sketch, inverse, n_jobs)
        return np.ascontiguousarray(found[:, :-1]), found[:, -1].copy()


def _features_and_nearest(columns, sketch, inverse, n_jobs=1):
    """Features and, as the last column, the largest of the kernel values times `inverse`."""
    unit = bool((inverse == 1).all())

    def both(rows):
        features = sketch.features(rows)
        scaled = rows if unit else rows * inverse
        nearest = abs(scaled).max(axis=1)
        nearest = nearest.toarray() if hasattr(nearest, "toarray") else nearest
        return np.column_stack([features, np.asarray(nearest).ravel()])

    return map_rows(columns, both, n_jobs=n_jobs)


def subsample_size(n_subsample, n_points):
    """Number of subsample points: "auto" is ``max(200, n_points / 100)``, a float a share; at most `n_points`."""
    size = check_size("n_subsample", n_subsample, n_points, "the points", words=("auto",))
    return min(n_points, max(_MIN_SUBSAMPLE, round(_SHARE * n_points))) if isinstance(size, str) else size


def sketch_kernel(
    K, n_components=None, *, n_subsample="auto", center=True, scale="unit", on_indefinite="error", random_state=None
):
    """Draw a uniform subsample without replacement and the Gaussian sketch of its kernel; a KernelSketch.

    `n_components` of None, and any number from the size of the subsample on, is the map without randomness that the
    sketch has in mean. Of a kernel with clearly negative eigenvalues on the subsample, features can be made with a
    warning (`on_indefinite` "warn"), but the negative part counts as if it were positive.
    """
    check_choice("on_indefinite", on_indefinite, ("error", "warn"))
    kernel = as_kernel(K)
    streams = Streams(random_state)
    n = subsample_size(n_subsample, kernel.n_points)
    if n_components is not None:
        n_components = check_integer("n_components", n_components, low=1)
    indices = np.sort(streams.generator("subsample").choice(kernel.n_points, n, replace=False))
    matrix = kernel.submatrix(indices).whole("a sketch")  # sparse where the kernel is
    ends = (0.0, 0.0) if kernel.is_psd else spectrum_ends(matrix, streams)
    if clearly_negative(ends, kernel.precision, n):
        report_indefinite(
            ends,
            on_indefinite,
            where="on the subsample",
            remedy="add a multiple of the identity to a kernel matrix, or on_indefinite='warn' to go on",
            consequence="features count the negative part as if it were positive",
        )
    wanted = None if n_components is None or n_components >= n else n_components
    sketch = gaussian_sketch(matrix, wanted, center=center, scale=scale, random_state=streams.child("sketch"))
    return KernelSketch(indices, matrix, sketch)
