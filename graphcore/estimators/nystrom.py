"""The scikit-learn classes for landmark methods: Nystrom features alone, and kernel k-means on them."""

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from .._random import Streams
from .._threads import effective_jobs
from .._validation import check_choice, check_integer
from .._warn import warn_user
from ..exceptions import InputError, ParameterError
from ..kernels.vectors import vector_kernel
from ..kmeans.certificates import certify
from ..kmeans.diagnostics import as_text, diagnose
from ..kmeans.gram import VectorGram, as_gram
from ..kmeans.linear import linear_kmeans, nearest_center
from ..kmeans.nystrom import SAMPLINGS, kernel_pca_features, nystrom_features, power_features
from ..kmeans.sizes import suggest_landmarks, suggest_rank

__all__ = ["NystromFeatures", "NystromKernelKMeans"]

_DTYPES = ("auto", "float32", "float64")


class _Landmarks(BaseEstimator):
    """What the two classes share: from vectors or a kernel matrix to features."""

    def _fit_features(self, X, n_landmarks, n_components, streams):
        """Features of all points; the map is stored, the features are not."""
        effective_jobs(self.n_jobs)  # refuses what is no number of jobs before work begins
        gram = self._gram(X, streams)
        sampling = self.sampling
        if isinstance(sampling, str):
            check_choice("sampling", sampling, (*SAMPLINGS, "power", "kernel-pca"))
        if isinstance(sampling, str) and sampling in ("power", "kernel-pca"):
            s = n_landmarks if n_components is None else n_components
            if sampling == "power":
                c = max(n_landmarks, s) if self.n_landmarks != "auto" else None
                found = power_features(gram, s, n_vectors=c, rtol=self.rtol, random_state=streams, n_jobs=self.n_jobs)
            else:
                found = kernel_pca_features(gram, s, n_jobs=self.n_jobs)
        else:
            found = nystrom_features(
                gram,
                n_landmarks,
                n_components,
                sampling=sampling,
                replace=self.replace,
                truncation=self.truncation,
                ridge=self.ridge,
                rtol=self.rtol,
                indefinite=self.indefinite,
                block_rows=self.block_rows,
                random_state=streams,
                n_jobs=self.n_jobs,
            )
        self.feature_map_ = found.feature_map
        self.landmark_indices_ = None if found.landmarks is None else found.landmarks.indices
        self.n_landmarks_ = found.n_landmarks
        self.n_components_ = found.n_components
        self.singular_values_ = found.singular_values
        self.diagnostics_ = diagnose(found)
        return found

    def _gram(self, X, streams):
        if self.kernel_ is None:
            return as_gram(X)
        check_choice("dtype", self.dtype, _DTYPES)
        dtype = self.dtype
        if dtype == "auto":
            narrow = X.dtype == np.float32 or (X.dtype.itemsize <= 2 and X.dtype.kind in "iufb")
            dtype = "float32" if narrow else "float64"
        return VectorGram(self.kernel_, X, np.dtype(dtype))

    def _training(self, X, streams):
        """Training data of any real type as it is, also if it is memory-mapped; the kernel is made on the way."""
        X = self._real(validate_data(self, X, accept_sparse="csr", dtype="numeric", ensure_min_samples=2))
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            self.kernel_ = None
        else:
            self.kernel_ = vector_kernel(
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
        if hasattr(X, "tocsr") and X.indices.dtype != np.int32 and max(X.nnz, *X.shape) < 2**31:
            # Some of scikit-learn's distances know 32-bit indices only.
            X = X.copy()
            X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
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


class NystromFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Landmarks):
    """Nystrom features: a few numbers for every point, whose inner products approximate a kernel.

    Parameters
    ----------
    n_components : int or None, default None
        Features, s: the approximation is restricted to its best rank s. None keeps all that the landmarks give.
    n_landmarks : int or {"auto", "sqrt"}, default "auto"
        Landmarks drawn, c. "sqrt" is ``ceil(sqrt(n))``, "auto" twice that and at least 10 for every feature; at most
        all points.
    sampling : str or array-like of int, default "uniform"
        "uniform", "leverage", "approximate-leverage", "ridge" or "recursive-ridge" choose points; "gaussian", "srht"
        and "countsketch" mix all columns of the kernel matrix, "power" takes a random subspace and power steps,
        "kernel-pca" exact eigenvectors (these five compute all n^2 kernel values). An array holds the landmarks
        themselves. See the guide.
    replace : bool or None, default None
        Whether a landmark can be drawn twice. None: no for "uniform", yes for the others, as in the theory.
    truncation : int, "half" or None, default None
        Rank that the landmark matrix is cut to before it is inverted; "half" is half of the landmarks, as in the
        paper's experiments. None: only what is rounding is cut.
    kernel : str or callable, default "gaussian"
        See :func:`graphcore.kernels.vectors.vector_kernel`; "precomputed" for a kernel matrix, dense or sparse, of
        which :meth:`transform` takes the rows of new points against all points fitted.
    bandwidth, gamma : float, str or tuple, optional
        See :func:`graphcore.kernels.vectors.vector_kernel`; by default the bandwidth is the root mean square distance.
    degree : int, default 3
    coef0 : float, default 1.0
    ridge : float or None, default None
        For "ridge" and "recursive-ridge"; default ``sqrt(n)`` times the mean of the kernel's diagonal.
    rtol : float or None, default None
        Eigenvalues of the landmark matrix up to this share of the largest count as zero. Default: the number of
        landmarks times the machine epsilon.
    indefinite : {"error", "clip"}, default "error"
        What becomes of a kernel that is not positive semi-definite.
    dtype : {"auto", "float32", "float64"}, default "auto"
        What kernel values and features are computed in. "auto" is float32 for float32 and for numbers of one or two
        bytes. Sums and the landmark matrix are always float64.
    block_rows : int or None, default None
        Points worked on at a time; features do not depend on it beyond rounding.
    random_state : int, numpy Generator, RandomState or None, default None
    n_jobs : int or None, default None
        Threads: None is one, -1 is all. Features do not depend on it.

    Attributes
    ----------
    feature_map_ : FeatureMap
        Landmarks and projection: all that :meth:`transform` needs.
    landmark_indices_ : ndarray of shape (n_distinct,), int64, or None
        Distinct landmarks, ascending; None for the schemes that mix columns.
    n_landmarks_, n_components_ : int
        Landmarks drawn, and features.
    singular_values_ : ndarray, float64
        Of the approximation's root; the first ones are those of the features.
    diagnostics_ : FeatureDiagnostics
        What the features keep of the kernel; :meth:`report` prints it.
    kernel_ : VectorKernel or None
        The kernel with its bandwidth; None for a kernel matrix.
    n_features_in_ : int

    Notes
    -----
    ``0 <= B B^T <= K`` for features B, always. X may be a read-only memmap of integers: it is read in blocks, twice,
    and only n x s numbers are kept.

    References
    ----------
    Wang, Gittens, Mahoney, "Scalable kernel k-means clustering with Nystrom approximation", JMLR 20 (2019).
    Calandriello, Rosasco, "Statistical and computational trade-offs in kernel k-means", NeurIPS 2018.

    Examples
    --------
    >>> import graphcore
    >>> digits = graphcore.datasets.load_digits()
    >>> features = graphcore.NystromFeatures(20, random_state=0)
    >>> features.fit_transform(digits.data).shape
    (1797, 20)
    >>> features.n_landmarks_
    200
    """

    def __init__(
        self,
        n_components=None,
        *,
        n_landmarks="auto",
        sampling="uniform",
        replace=None,
        truncation=None,
        kernel="gaussian",
        bandwidth=None,
        gamma=None,
        degree=3,
        coef0=1.0,
        ridge=None,
        rtol=None,
        indefinite="error",
        dtype="auto",
        block_rows=None,
        random_state=None,
        n_jobs=None,
    ):
        self.n_components = n_components
        self.n_landmarks = n_landmarks
        self.sampling = sampling
        self.replace = replace
        self.truncation = truncation
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.ridge = ridge
        self.rtol = rtol
        self.indefinite = indefinite
        self.dtype = dtype
        self.block_rows = block_rows
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y=None):
        """Choose landmarks and learn the map.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
        y : None
            Ignored.

        Returns
        -------
        NystromFeatures
            This object.

        Raises
        ------
        ValueError
            :class:`graphcore.InputError` or :class:`graphcore.ParameterError`, naming what is wrong and what to do.
        """
        self.fit_transform(X)
        return self

    def fit_transform(self, X, y=None):
        """Learn the map and return the features of all points: the same as :meth:`fit` and :meth:`transform`.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix
            As for :meth:`fit`.
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_components), float32 or float64
        """
        streams = Streams(self.random_state)
        X = self._training(X, streams)
        s = self.n_components
        if s is not None:
            s = check_integer("n_components", s, low=1, high=X.shape[0], why_high="the number of points")
        c = suggest_landmarks(X.shape[0], 1, _named(self.n_landmarks, ("auto", "sqrt")), n_components=s)
        return self._fit_features(X, c, s, streams).features

    def transform(self, X):
        """Features of any points.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n, n_features), or (n, n_samples) for kernel rows

        Returns
        -------
        ndarray of shape (n, n_components), float32 or float64
        """
        return self._features_of(self._new(X))

    def report(self):
        """What was fitted and how much of the kernel it keeps, in a few lines of text."""
        check_is_fitted(self, "feature_map_")
        return as_text(self._kernel_line() + self.diagnostics_.lines())

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class NystromKernelKMeans(ClassNamePrefixFeaturesOutMixin, TransformerMixin, ClusterMixin, _Landmarks):
    """Kernel k-means on Nystrom features, with a certificate of its cost.

    Parameters
    ----------
    n_clusters : int, default 8
    n_landmarks : int or {"auto", "sqrt", "sqrt_nk", "theory"}, default "auto"
        Landmarks drawn, c, at least `n_clusters`. "sqrt" is ``ceil(sqrt(n))``, "auto" twice that and at least 10 for
        every cluster, "sqrt_nk" ``ceil(sqrt(n k))``, "theory" what the theorem asks for, which is far too much.
    n_components : int, None or "auto", default "auto"
        Features for k-means, s: best from `n_clusters` to `n_landmarks`. "auto" is ``ceil(sqrt(k c))``; None keeps all.
    sampling, replace, truncation, kernel, bandwidth, gamma, degree, coef0, ridge, rtol, indefinite, dtype, block_rows
        See :class:`NystromFeatures`.
    solver : {"lloyd", "minibatch"}, default "lloyd"
        scikit-learn's :class:`~sklearn.cluster.KMeans` or :class:`~sklearn.cluster.MiniBatchKMeans`, on one thread.
    n_init : int, default 10
        Starts of k-means (k-means++); the cheapest is kept.
    max_iter : int, default 300
    tol : float, default 1e-4
    batch_size : int, default 1024
        For "minibatch".
    random_state : int, numpy Generator, RandomState or None, default None
    n_jobs : int or None, default None
        Threads for the features. Labels do not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,), int32
    cluster_centers_ : ndarray of shape (n_clusters, n_components), float64
        In the space of the features.
    cost_ : float
        Mean squared distance in kernel space to the nearest centre, ``f(J; B) + alpha / n``: comparable between numbers
        of landmarks. The same as ``certificate_.cost_upper``.
    certificate_ : Certificate
        Between what the true cost of the labels lies, and what it can be above the optimum at most.
    n_iter_ : int
    feature_map_, landmark_indices_, n_landmarks_, n_components_, singular_values_, diagnostics_, kernel_
        See :class:`NystromFeatures`.
    n_features_in_ : int

    Notes
    -----
    Costs are means over points. With sample weights they are weighted means; landmarks are chosen without regard to
    weights.

    References
    ----------
    Wang, Gittens, Mahoney, "Scalable kernel k-means clustering with Nystrom approximation", JMLR 20 (2019),
    Algorithm 2. Calandriello, Rosasco, "Statistical and computational trade-offs in kernel k-means", NeurIPS 2018,
    Algorithm 1.

    Examples
    --------
    >>> import graphcore
    >>> rings = graphcore.datasets.rings(600, factor=0.2, noise=0.04, random_state=0)
    >>> model = graphcore.NystromKernelKMeans(2, bandwidth=0.3, random_state=0).fit(rings.data)
    >>> graphcore.metrics.agreement(model.labels_, rings.labels)["ari"]
    1.0
    >>> model.certificate_.cost_lower <= model.cost_
    True
    """

    def __init__(
        self,
        n_clusters=8,
        *,
        n_landmarks="auto",
        n_components="auto",
        sampling="uniform",
        replace=None,
        truncation=None,
        kernel="gaussian",
        bandwidth=None,
        gamma=None,
        degree=3,
        coef0=1.0,
        ridge=None,
        rtol=None,
        indefinite="error",
        dtype="auto",
        block_rows=None,
        solver="lloyd",
        n_init=10,
        max_iter=300,
        tol=1e-4,
        batch_size=1024,
        random_state=None,
        n_jobs=None,
    ):
        self.n_clusters = n_clusters
        self.n_landmarks = n_landmarks
        self.n_components = n_components
        self.sampling = sampling
        self.replace = replace
        self.truncation = truncation
        self.kernel = kernel
        self.bandwidth = bandwidth
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.ridge = ridge
        self.rtol = rtol
        self.indefinite = indefinite
        self.dtype = dtype
        self.block_rows = block_rows
        self.solver = solver
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.batch_size = batch_size
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y=None, sample_weight=None):
        """Learn features and cluster them.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n_samples, n_features), or (n_samples, n_samples)
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the points in k-means; not negative.

        Returns
        -------
        NystromKernelKMeans
            This object.

        Raises
        ------
        ValueError
            :class:`graphcore.InputError` or :class:`graphcore.ParameterError`, naming what is wrong and what to do.
        """
        streams = Streams(self.random_state)
        X = self._training(X, streams)
        n = X.shape[0]
        k = check_integer("n_clusters", self.n_clusters, low=1, high=n, why_high="n_samples, the number of points")
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            if not sample_weight.any():
                raise InputError("all of sample_weight are zero; there is nothing to cluster")
        c, s = self._sizes(n, k)
        found = self._fit_features(X, c, s, streams)
        result = linear_kmeans(
            found.features,
            k,
            sample_weight=sample_weight,
            solver=self.solver,
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=self.tol,
            batch_size=self.batch_size,
            random_state=streams,
        )
        self.labels_ = result.labels
        self.cluster_centers_ = result.centers
        self.n_iter_ = result.n_iter
        self.certificate_ = certify(found, result.labels, sample_weight=sample_weight)
        self.cost_ = self.certificate_.cost_upper
        return self

    def _sizes(self, n, k):
        """Landmarks and features."""
        s = self.n_components
        if isinstance(s, str):
            check_choice("n_components", s, ("auto",))
        elif s is not None:
            s = check_integer("n_components", s, low=1, high=n, why_high="the number of points")
            if s < k:
                warn_user(
                    f"n_components={s} is less than n_clusters={k}: so few features merge clusters, and the theory "
                    "asks for at least as many features as clusters"
                )
        given = not isinstance(self.sampling, str)
        rule = len(np.atleast_1d(self.sampling)) if given else self.n_landmarks
        n_components = None if isinstance(s, str) else s
        if self.replace and not isinstance(rule, str):
            c = check_integer("n_landmarks", rule, low=1)
        else:
            c = suggest_landmarks(n, k, _named(rule, ("auto", "sqrt", "sqrt_nk", "theory")), n_components=n_components)
        if c < k:
            raise ParameterError(f"n_landmarks={c} must be at least n_clusters={k}; take more landmarks")
        return c, suggest_rank(k, c, highest=min(n, c)) if isinstance(s, str) else s

    def predict(self, X):
        """Label of the nearest centre for any points.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n, n_features), or (n, n_samples) for kernel rows

        Returns
        -------
        ndarray of shape (n,), int32
        """
        return nearest_center(self._features_of(self._new(X)), self.cluster_centers_)[0]

    def transform(self, X):
        """Distance of any points to every centre, in kernel space.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n, n_features)
            Of a kernel matrix, rows do not hold ``K(x, x)``: distances are then within the span of the features only,
            and smaller by the same amount for every centre.

        Returns
        -------
        ndarray of shape (n, n_clusters), float64
        """
        X = self._new(X)
        B = self._features_of(X).astype(np.float64, copy=False)
        norms = np.einsum("ij,ij->i", self.cluster_centers_, self.cluster_centers_)
        squares = (norms - 2.0 * (B @ self.cluster_centers_.T)) + np.einsum("ij,ij->i", B, B)[:, None]
        return np.sqrt(np.maximum(squares, 0.0) + self._residuals(X, B)[:, None])

    def score(self, X, y=None, sample_weight=None):
        """Minus the mean squared distance to the nearest centre, in kernel space: the held-out cost, for new points.

        Parameters
        ----------
        X : array-like, memmap or sparse matrix of shape (n, n_features), or (n, n_samples) for kernel rows
            Kernel rows do not tell ``K(x, x)``; its mean is then left out of the cost, so that scores still compare
            between numbers of landmarks.
        y : None
            Ignored.
        sample_weight : array-like of shape (n,), optional

        Returns
        -------
        float
        """
        X = self._new(X)
        B = self._features_of(X)
        squares = nearest_center(B, self.cluster_centers_)[1]
        if self.kernel_ is None:
            squares -= np.einsum("ij,ij->i", B, B, dtype=np.float64)
        else:
            squares += self._residuals(X, B)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        return -float(np.average(squares, weights=sample_weight))

    def _residuals(self, X, B):
        """Squared distances of points from what the features span; 0 where K(x, x) is not known."""
        if self.kernel_ is None:
            return np.zeros(len(B))
        diagonal = VectorGram(self.kernel_, X).diagonal()
        return np.maximum(diagonal - np.einsum("ij,ij->i", B, B, dtype=np.float64), 0.0)

    def report(self):
        """What was fitted, how much of the kernel it keeps, and what is certain about the cost, in lines of text."""
        check_is_fitted(self, "feature_map_")
        return as_text(self._kernel_line() + self.diagnostics_.lines() + self.certificate_.lines())

    @property
    def _n_features_out(self):
        return len(self.cluster_centers_)


def _named(value, names):
    """A rule of this class, or a number to be checked elsewhere."""
    return check_choice("n_landmarks", value, names) if isinstance(value, str) else value
