"""What the landmark classes share: from vectors or a kernel matrix to features, and back from new points."""

from numbers import Integral

import numpy as np
from sklearn.base import BaseEstimator

from .._typing import Floats, Integers
from .._validation import check_choice, check_integer
from ..exceptions import ParameterError
from ..features.diagnostics import FeatureDiagnostics, diagnose
from ..features.feature_map import SUBSPACES, FeatureMap
from ..features.landmarks import suggest_landmarks
from ..features.nystrom import SAMPLINGS, check_options, kernel_pca_features, nystrom_features, power_features
from ..kernels.vectors import ChunkedVectorKernel, kernel_over
from ._checks import passed_on
from ._features import FeatureReport
from ._kernel_input import KernelInput

_DTYPES = ("auto", "float32", "float64")


class LandmarkEstimator(FeatureReport, KernelInput, BaseEstimator):
    """Base of NystromFeatures and NystromKernelKMeans; see them for the parameters."""

    feature_map_: FeatureMap
    landmark_indices_: Integers | None
    n_landmarks_: int
    n_components_: int
    singular_values_: Floats
    diagnostics_: FeatureDiagnostics

    _takes_chunks = True

    def _refuse_indefinite(self):
        """Refuse a kernel that is known to be indefinite, before any work."""
        if self.kernel_ is not None and self.kernel_.is_psd is False and self.on_indefinite == "error":
            raise ParameterError(
                f"kernel={self.kernel!r} is not positive semi-definite, which landmark methods need; choose another "
                "kernel, or on_indefinite='clip' to drop the negative part"
            )

    def _vector_kernel(self, X):
        dtype = check_choice("dtype", self.dtype, _DTYPES)
        if dtype == "auto":
            narrow = X.dtype == np.float32 or (X.dtype.itemsize <= 2 and X.dtype.kind in "iufb")
            dtype = "float32" if narrow else "float64"
        return kernel_over(X, self.kernel_, np.dtype(dtype))

    def _n_draws(self, kernel, n_clusters, words, n_given=None, **options):
        """Landmarks to draw, given as a number, a share or a rule: more than points only with replacement."""
        if self.replace and isinstance(self.n_landmarks, Integral):
            return check_integer("n_landmarks", self.n_landmarks, low=1)
        size = self._size("n_landmarks", kernel, n_given, words)
        return suggest_landmarks(kernel.n_points, n_clusters, size, **options) if isinstance(size, str) else size

    def _fit_features(self, kernel, n_landmarks, n_components, streams):
        """Features of all points; the map is stored, the features are not."""
        sampling = self.sampling
        common = {"on_indefinite": self.on_indefinite, "random_state": streams, "n_jobs": self.n_jobs}
        options = passed_on(self, "replace truncation ridge block_bytes")
        if isinstance(sampling, str):
            check_choice("sampling", sampling, SAMPLINGS + SUBSPACES)
            if sampling != "uniform" and isinstance(kernel, ChunkedVectorKernel):
                raise ParameterError(
                    f"sampling={sampling!r} is not for a dask.array; use 'uniform', or give the landmarks themselves"
                )
        if isinstance(sampling, str) and sampling in SUBSPACES:
            check_options(n_landmarks, **options)
            s = n_landmarks if n_components is None else n_components
            if sampling == "power":
                c = max(n_landmarks, s) if self.n_landmarks != "auto" else None
                found = power_features(kernel, s, n_vectors=c, rtol=self.rtol, **common)
            else:
                found = kernel_pca_features(kernel, s, **common)
        else:
            found = nystrom_features(
                kernel, n_landmarks, n_components, sampling=sampling, rtol=self.rtol, **options, **common
            )
        self.feature_map_ = found.feature_map
        self.landmark_indices_ = None if found.landmarks is None else found.landmarks.indices
        self.n_landmarks_ = found.n_landmarks
        self.n_components_ = found.n_components
        self.singular_values_ = found.singular_values
        self.diagnostics_ = diagnose(found)
        return found

    def _features_of(self, X):
        """Features of points that have been checked."""
        return self.feature_map_(X, block_bytes=self.block_bytes, n_jobs=self.n_jobs)

    def _report(self):
        name = self.sampling if isinstance(self.sampling, str) else "given landmarks"
        return [self._kernel_line(), ("sampling", name), *self.diagnostics_.lines()]
