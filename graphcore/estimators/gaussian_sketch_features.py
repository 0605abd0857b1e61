"""Gaussian sketches of a kernel as a scikit-learn transformer."""

from dataclasses import KW_ONLY

from .._typing import Bandwidth, KernelLike, RandomState
from ._checks import parameters
from ._features import FeatureTransformer
from ._sketches import SketchEstimator

_AUTO_FEATURES = 100


@parameters
class GaussianSketchFeatures(FeatureTransformer, SketchEstimator):
    """Gaussian sketch of kernel features (K-JL): a random projection in feature space without eigenvectors.

    Parameters
    ----------
    n_components : int or "auto", default "auto"
        Features; "auto" is 100. From the size of the subsample on, and for None, the features are those that the
        sketch has in mean, as many as there are subsample points: they cost no more and have no error.
    n_subsample : int, float or "auto", default "auto"
        Points of the subsample, or their share. "auto" is ``max(200, n_samples / 100)``, at most all.
    kernel, bandwidth, gamma, degree, coef0
        As for :class:`NystromFeatures`, but that by default the Gaussian kernel is the paper's,
        ``exp(-|x - y|^2 / sigma^2)`` with the 25th percentile of the distances for sigma.
    center : bool, default True
        Centre in feature space by the mean of the subsample. With a kernel without negative entries the mean direction
        swamps everything otherwise.
    scale : {"unit", "theory"}, default "unit"
        "unit" divides by the root mean square norm on the subsample; "theory" leaves the paper's scale, which shrinks
        like ``(eigenvalue / n)^(3/2)``.
    on_indefinite : {"error", "warn"}, default "error"
        What becomes of a kernel that is not positive semi-definite on the subsample: it is refused, or taken as it is
        with a warning (the negative part counts as if it were positive).
    random_state, n_jobs, verbose
        As for :class:`NystromFeatures`.

    Attributes
    ----------
    subsample_indices_ : ndarray of shape (n_subsample,), int64
    subsample_ : ndarray or csr_array of shape (n_subsample, n_features), or None
        Its vectors; None for a kernel matrix.
    kernel_ : KernelFunction or None
        The kernel with its bandwidth; None for a kernel matrix.
    projection_ : ndarray of shape (d, n_subsample), float64
    offset_ : ndarray of shape (d,), float64
        Features are ``projection_ @ k_x - offset_``.
    n_components_ : int
        d.
    coverage_ : ndarray of shape (n_samples,), float64
        Largest cosine in feature space (without its sign) of each point fitted with a subsample point. Points near 0
        are not represented, and are all mapped to about the same features.
    effective_dimension_ : float
        ``tr(Sigma) / |Sigma|`` of the subsample's covariance in feature space.
    n_features_in_ : int

    Notes
    -----
    The inner products of these features are in mean ``k_x^T K^2 k_y / n^3``: every direction of feature space is
    stretched by its eigenvalue to the power 3/2. Directions with small eigenvalues vanish; see the guide. Of a chunked
    dask.array of vectors, features and `coverage_` are dask.arrays.

    References
    ----------
    Kpotufe, Sriperumbudur, "Gaussian Sketching yields a J-L Lemma in RKHS", AISTATS 2020.

    Examples
    --------
    >>> import graphcore
    >>> from sklearn.datasets import make_circles
    >>> X, _ = make_circles(500, factor=0.2, noise=0.05, random_state=0)
    >>> graphcore.GaussianSketchFeatures(20, n_subsample=100, random_state=0).fit_transform(X).shape
    (500, 20)
    """

    _takes_chunks = True

    n_components: int | str | None = "auto"
    _: KW_ONLY
    n_subsample: float | str = "auto"
    kernel: KernelLike = "gaussian"
    bandwidth: Bandwidth = None
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1.0
    center: bool = True
    scale: str = "unit"
    on_indefinite: str = "error"
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: int = 0

    def _learn(self, kernel, streams):
        return self._fit_sketch(kernel, self._n_features(_AUTO_FEATURES), streams)
