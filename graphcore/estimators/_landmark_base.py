"""What the landmark classes share: from vectors or a kernel matrix to features, and back from new points."""

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from .._threads import effective_jobs
from .._validation import check_choice, check_integer
from ..exceptions import InputError, ParameterError
from ..features.diagnostics import diagnose
from ..features.feature_map import SUBSPACES
from ..features.nystrom import SAMPLINGS, check_options, nystrom_features
from ..features.sizes import suggest_landmarks
from ..features.subspace import kernel_pca_features, power_features
from ..kernels.as_kernel import as_kernel
from ..kernels.functions import kernel_function
from ..kernels.vectors import VectorKernel
from ._checks import refuse_graph

__all__ = ["LandmarkEstimator", "named_size"]

_DTYPES = ("auto", "float32", "float64")


class LandmarkEstimator(BaseEstimator):
    """Base of NystromFeatures and NystromKernelKMeans; see them for the parameters."""

    def _draws(self, rule, n, n_clusters, **options):
        """Landmarks to draw, given as a number or a rule: more than points only with replacement."""
        if self.replace and not isinstance(rule, str):
            return check_integer("n_landmarks", rule, low=1)
        return suggest_landmarks(n, n_clusters, rule, **options)

    def _fit_features(self, X, n_landmarks, n_components, streams):
        """Features of all points; the map is stored, the features are not."""
        effective_jobs(self.n_jobs)  # refuses what is no number of jobs before work begins
        kernel = self._gram(X)
        sampling = self.sampling
        common = {"indefinite": self.indefinite, "random_state": streams, "n_jobs": self.n_jobs}
        if isinstance(sampling, str):
            check_choice("sampling", sampling, SAMPLINGS + SUBSPACES)
        if isinstance(sampling, str) and sampling in SUBSPACES:
            check_options(
                n_landmarks,
                replace=self.replace,
                truncation=self.truncation,
                ridge=self.ridge,
                block_rows=self.block_rows,
            )
            s = n_landmarks if n_components is None else n_components
            if sampling == "power":
                c = max(n_landmarks, s) if self.n_landmarks != "auto" else None
                found = power_features(kernel, s, n_vectors=c, rtol=self.rtol, **common)
            else:
                found = kernel_pca_features(kernel, s, **common)
        else:
            found = nystrom_features(
                kernel,
                n_landmarks,
                n_components,
                sampling=sampling,
                replace=self.replace,
                truncation=self.truncation,
                ridge=self.ridge,
                rtol=self.rtol,
                block_rows=self.block_rows,
                **common,
            )
        self.feature_map_ = found.feature_map
        self.landmark_indices_ = None if found.landmarks is None else found.landmarks.indices
        self.n_landmarks_ = found.n_landmarks
        self.n_components_ = found.n_components
        self.singular_values_ = found.singular_values
        self.diagnostics_ = diagnose(found)
        return found

    def _gram(self, X):
        if self.kernel_ is None:
            return as_kernel(X)
        check_choice("dtype", self.dtype, _DTYPES)
        dtype = self.dtype
        if dtype == "auto":
            narrow = X.dtype == np.float32 or (X.dtype.itemsize <= 2 and X.dtype.kind in "iufb")
            dtype = "float32" if narrow else "float64"
        return VectorKernel(X, self.kernel_, np.dtype(dtype))

    def _training(self, X, streams):
        """Training data of any real type as it is, also if it is memory-mapped; the kernel is made on the way."""
        refuse_graph(self, X)
        X = self._real(validate_data(self, X, accept_sparse="csr", dtype="numeric", ensure_min_samples=2))
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            self.kernel_ = None
        else:
            self.kernel_ = kernel_function(
                self.kernel,
                bandwidth=self.bandwidth,
                gamma=self.gamma,
                degree=self.degree,
                coef0=self.coef0,
                random_state=streams.child("bandwidth"),
                X=X,
            )
            if self.kernel_.is_psd is False and self.indefinite == "error":
                raise ParameterError(
                    f"kernel={self.kernel!r} is not positive semi-definite, which landmark methods need; choose "
                    "another kernel, or indefinite='clip' to drop the negative part"
                )
        return X

    def _new(self, X):
        """New points, checked against the training points."""
        check_is_fitted(self, "feature_map_")
        return self._real(validate_data(self, X, accept_sparse="csr", dtype="numeric", reset=False))

    def _real(self, X):
        if X.dtype.kind not in "biuf":
            raise InputError(f"X must hold real numbers, got type {X.dtype}")
        return X

    def _features_of(self, X):
        """Features of points that have been checked."""
        return self.feature_map_(X, block_rows=self.block_rows, n_jobs=self.n_jobs)

    @property
    def _n_features_out(self):
        return self.n_components_

    def _kernel_line(self):
        text = "precomputed" if self.kernel_ is None else self.kernel_.name
        if self.kernel_ is not None and self.kernel_.gamma is not None:
            text += f", gamma {self.kernel_.gamma:.4g}"
        name = self.sampling if isinstance(self.sampling, str) else "given landmarks"
        return [("kernel", text), ("sampling", name)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags


def named_size(value, names):
    """A rule of this class, or a number to be checked elsewhere."""
    return check_choice("n_landmarks", value, names) if isinstance(value, str) else value
