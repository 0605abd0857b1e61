"""What the classes of Gaussian sketches share: from vectors or a kernel matrix to a sketch and features."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from .._typing import Floats, Integers
from .._validation import check_choice
from .._warn import warn_user
from ..distributed.chunks import is_chunked
from ..features.sketch import SCALES, leading_eigenvalues, sketch_kernel
from ..kernels.bandwidths import rule_bandwidth
from ..kernels.columns import MatrixColumns
from ..kernels.vectors import columns_of
from ._features import FeatureReport
from ._kernel_input import KernelInput

# Points whose largest cosine with a subsample point is below this are not represented.
_COVERED = 0.01


class SketchEstimator(FeatureReport, KernelInput, BaseEstimator):
    """Base of GaussianSketchFeatures and GaussianSketchKernelKMeans; see them for the parameters."""

    subsample_indices_: Integers
    subsample_: Any | None
    projection_: Floats
    offset_: Floats
    n_components_: int
    coverage_: Floats

    def _gamma_rule(self, X, rng):
        return rule_bandwidth(X, ("quantile", 0.25), random_state=rng) ** -2

    def _n_features(self, default):
        n_components = self.n_components
        if isinstance(n_components, str):
            check_choice("n_components", n_components, ("auto",))
            return default
        return n_components

    def _fit_sketch(self, kernel, n_components, streams, n_given=None):
        """Draw the sketch and return the features of all points."""
        check_choice("scale", self.scale, SCALES)
        found = sketch_kernel(
            kernel,
            n_components,
            n_subsample=self._size("n_subsample", kernel, n_given),
            center=self.center,
            scale=self.scale,
            on_indefinite=self.on_indefinite,
            random_state=streams,
        )
        self._found = found
        self._dtype = kernel.precision
        columns = kernel.columns(found.indices)
        self.subsample_indices_ = found.indices
        self.subsample_ = None if self.kernel_ is None else columns.Y
        self.projection_ = found.sketch.projection
        self.offset_ = found.sketch.offset
        self.n_components_ = len(self.offset_)
        self._eigenvalues = {}
        features, nearest = found.features(columns, n_jobs=self.n_jobs)
        if is_chunked(features):
            features, nearest = features.persist(), nearest.persist()
        self.coverage_ = _coverage(nearest, kernel.diagonal)
        n_far = int((self.coverage_ < _COVERED).sum())
        if n_far:
            warn_user(
                f"{n_far} of {kernel.n_points} points are far from all {len(found.indices)} subsample points "
                f"(coverage_ below {_COVERED}), so they look all the same: raise n_subsample or the bandwidth"
            )
        return features

    def _features_of(self, X):
        """Features of points that have been checked."""
        return self._sketched(X)[0]

    def _coverage_of(self, X):
        return _coverage(self._sketched(X)[1], self._own_values(X))

    def _sketched(self, X):
        if self.kernel_ is None:
            columns = MatrixColumns(X, self._dtype, self.subsample_indices_)
        else:
            columns = columns_of(self.kernel_, X, self.subsample_, self._dtype)
        return self._found.features(columns, n_jobs=self.n_jobs)

    def _leading(self, n_values):
        """Eigenvalues of the subsample's covariance, kept once computed."""
        if n_values not in self._eigenvalues:
            self._eigenvalues[n_values] = leading_eigenvalues(
                self._found.kernel, n_values, center=self.center, random_state=0
            )
        return self._eigenvalues[n_values]

    @property
    def effective_dimension_(self) -> float:
        """``tr(Sigma) / |Sigma|`` of the subsample's covariance in feature space, centred if the map is."""
        check_is_fitted(self, "projection_")
        K = self._found.kernel
        trace = float(K.diagonal().mean()) - (float(K.mean()) if self.center else 0.0)
        largest = float(self._leading(1)[0])
        return trace / largest if largest > 0 else 0.0

    def _report(self):
        n = len(self.subsample_indices_)
        kind = "without randomness" if self.n_components_ == n else "Gaussian"
        far = int((self.coverage_ < _COVERED).sum())
        least = float(self.coverage_.min())
        return [
            self._kernel_line(),
            ("subsample", f"{n:,} of {len(self.coverage_):,} points"),
            ("map", f"{kind}, {self.n_components_:,} features, {'centred' if self.center else 'not centred'}"),
            ("effective dimension", f"{self.effective_dimension_:.3g}"),
            ("coverage", f"least {least:.3g}, {far:,} points below {_COVERED}"),
        ]


def _coverage(nearest, diagonal):
    root = np.sqrt(np.maximum(diagonal, 0))
    return np.where(root > 0, nearest / np.where(root > 0, root, 1.0), 0.0)
