"""What the classes of Gaussian sketches share: from vectors or a kernel matrix to a sketch and features."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from .._threads import effective_jobs
from .._validation import check_choice
from .._warn import warn_user
from ..features.sketch import SCALES, leading_eigenvalues
from ..features.sketched import sketch_kernel
from ..kernels.as_kernel import as_kernel
from ..kernels.bandwidths import rule_bandwidth
from ..kernels.columns import MatrixColumns, VectorColumns
from ..kernels.functions import kernel_function
from ..kernels.vectors import VectorKernel
from ._checks import refuse_graph

__all__ = ["SketchEstimator"]

# Points whose largest cosine with a subsample point is below this are not represented.
_COVERED = 0.01


class SketchEstimator(BaseEstimator):
    """Base of GaussianSketchFeatures and GaussianSketchKernelKMeans; see them for the parameters."""

    def _fit_sketch(self, X, n_components, streams):
        """Draw the sketch and return the features of all points."""
        effective_jobs(self.n_jobs)  # refuses what is no number of jobs before work begins
        check_choice("scale", self.scale, SCALES)
        kernel = self._gram(X, streams)
        found = sketch_kernel(
            kernel,
            n_components,
            n_subsample=self.n_subsample,
            center=self.center,
            scale=self.scale,
            indefinite=self.indefinite,
            random_state=streams,
        )
        self._found = found
        self._dtype = kernel.precision
        self.subsample_indices_ = found.indices
        self.subsample_ = None if self.kernel_ is None else kernel.X[found.indices]
        self.projection_ = found.sketch.projection
        self.offset_ = found.sketch.offset
        self.n_components_ = len(self.offset_)
        self._eigenvalues = {}
        features, nearest = found.features(kernel.columns(found.indices), n_jobs=self.n_jobs)
        root = np.sqrt(np.maximum(kernel.diagonal, 0))
        self.coverage_ = np.divide(nearest, root, out=np.zeros_like(nearest), where=root > 0)
        n_far = int((self.coverage_ < _COVERED).sum())
        if n_far:
            warn_user(
                f"{n_far} of {kernel.n_points} points are far from all {len(found.indices)} subsample points "
                f"(coverage_ below {_COVERED}), so they look all the same: raise n_subsample or the bandwidth"
            )
        return features

    def _gram(self, X, streams):
        refuse_graph(self, X)
        X = validate_data(self, X, accept_sparse="csr", dtype=(np.float64, np.float32), ensure_min_samples=2)
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            self.kernel_ = None
            return as_kernel(X)
        bandwidth, gamma = self.bandwidth, self.gamma
        if isinstance(self.kernel, str) and self.kernel in ("gaussian", "rbf") and bandwidth is None and gamma is None:
            gamma = rule_bandwidth(X, ("quantile", 0.25), random_state=streams.child("bandwidth")) ** -2
        self.kernel_ = kernel_function(
            self.kernel,
            bandwidth=bandwidth,
            gamma=gamma,
            degree=self.degree,
            coef0=self.coef0,
            random_state=streams.child("bandwidth"),
            X=X,
        )
        return VectorKernel(X, self.kernel_, X.dtype)

    def _features(self, X):
        check_is_fitted(self, "projection_")
        X = validate_data(self, X, accept_sparse="csr", dtype=(np.float64, np.float32), reset=False)
        if self.kernel_ is None:
            columns = MatrixColumns(X[:, self.subsample_indices_], self._dtype)
        else:
            columns = VectorColumns(self.kernel_, X, self.subsample_, self._dtype)
        return self._found.features(columns, n_jobs=self.n_jobs)[0]

    def _leading(self, n_values):
        """Eigenvalues of the subsample's covariance, kept once computed."""
        if n_values not in self._eigenvalues:
            self._eigenvalues[n_values] = leading_eigenvalues(
                self._found.kernel, n_values, center=self.center, random_state=0
            )
        return self._eigenvalues[n_values]

    @property
    def effective_dimension_(self):
        """``tr(Sigma) / |Sigma|`` of the subsample's covariance in feature space, centred if the map is."""
        check_is_fitted(self, "projection_")
        K = self._found.kernel
        trace = float(K.diagonal().mean()) - (float(K.mean()) if self.center else 0.0)
        largest = float(self._leading(1)[0])
        return trace / largest if largest > 0 else 0.0

    def _report(self):
        K = "precomputed" if self.kernel_ is None else self.kernel_.name
        if self.kernel_ is not None and self.kernel_.gamma is not None:
            K += f", gamma {self.kernel_.gamma:.4g}"
        n = len(self.subsample_indices_)
        kind = "without randomness" if self.n_components_ == n else "Gaussian"
        far = int((self.coverage_ < _COVERED).sum())
        least = float(self.coverage_.min())
        return [
            ("kernel", K),
            ("subsample", f"{n:,} of {len(self.coverage_):,} points"),
            ("map", f"{kind}, {self.n_components_:,} features, {'centred' if self.center else 'not centred'}"),
            ("effective dimension", f"{self.effective_dimension_:.3g}"),
            ("coverage", f"least {least:.3g}, {far:,} points below {_COVERED}"),
        ]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags
