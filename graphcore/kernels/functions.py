"""Kernels over vectors by blocks: Gaussian, polynomial, sigmoid, linear, or your own."""

from collections.abc import Callable
from dataclasses import dataclass, field
from numbers import Real

import numpy as np

from ..base.validation import check_choice, check_integer, check_real
from ..exceptions import InputError, ParameterError
from .bandwidths import rule_bandwidth
from .checks import as_floats

VECTOR_KERNELS = ("gaussian", "polynomial", "sigmoid", "linear")
_ALIASES = {"rbf": "gaussian", "poly": "polynomial"}
# Share of the mean squared norm that is the mean's own, beyond which vectors are centred before distances are taken.
_FAR = 0.9
# Rounding of squared distances in float32, times gamma, beyond which they are taken in float64. The error of kernel
# values is up to some ten times as large.
_COARSE = 1e-4
# Products of larger ones with squared norms overflow.
_LARGEST_GAMMA = 1e30


@dataclass(frozen=True)
class KernelFunction:
    """A kernel over vectors; made by :func:`kernel_function`."""

    name: str  # one of VECTOR_KERNELS, or "callable"
    gamma: float | None = None  # as in the formulas of kernel_function; None is one over the number of columns
    degree: int | None = None
    coef0: float | None = None
    is_psd: bool | None = True  # whether all its matrices are positive semi-definite; None: not known (a callable)
    function: Callable | None = field(default=None, repr=False)  # the caller's own kernel

    @property
    def bandwidth(self):
        """Sigma of ``exp(-|x - y|^2 / (2 sigma^2))``; None for other kernels."""
        return float(np.sqrt(0.5 / self.gamma)) if self.name == "gaussian" else None

    def __call__(self, X, Y=None):
        """Compute the block ``K(X, Y)`` of finite vectors, dense or sparse, by default ``K(X, X)``.

        float32 is computed in float32, everything else in float64; so are Gaussian kernels of float32 vectors that are
        more than some 40 bandwidths from their mean, whose distances float32 does not resolve. Beyond a million
        bandwidths float64 does not either. Without Y the block is symmetric, its diagonal that of :meth:`diagonal`. An
        InputError says that columns do not fit, or that a callable returned something else than such a block.
        """
        X = as_floats(X)
        alone = Y is None or Y is X
        Y = X if alone else as_floats(Y, X.dtype)
        if X.shape[1] != Y.shape[1]:
            raise InputError(
                f"X has {X.shape[1]} columns and the other vectors {Y.shape[1]}; a kernel needs the same of both"
            )
        block = self._block(X, Y)
        if alone and self.name != "callable":
            # Scaling rows and then columns rounds differently on the two sides of the diagonal.
            block += block.T
            block *= 0.5
            np.fill_diagonal(block, self.diagonal(X))
        return block

    def diagonal(self, X):
        """Compute ``K(x, x)`` for every row, without forming the matrix.

        A callable is asked for its own ``diag(X)`` (as scikit-learn's Gaussian-process kernels have it) or, if it has
        none, for blocks of 64 rows by themselves: a call takes longer than the values that are not needed.
        """
        X = as_floats(X)
        if self.name == "gaussian":
            return np.ones(X.shape[0], dtype=X.dtype)
        if self.name == "callable":
            own = getattr(self.function, "diag", None)
            if own is not None:
                return _checked_values(own(X), (X.shape[0],), X.dtype)
            blocks = (X[i : i + 64] for i in range(0, X.shape[0], 64))
            return np.concatenate([self._block(rows, rows).diagonal() for rows in blocks])
        return self._of_products(squared_row_norms(X), X.shape[1])

    def _block(self, X, Y):
        if self.name == "callable":
            return _checked_values(self.function(X, Y), (X.shape[0], Y.shape[0]), X.dtype)
        if self.name == "gaussian":
            return gaussian_block(X, Y, self.gamma)
        return self._of_products(inner_products(X, Y), X.shape[1])

    def _of_products(self, products, n_features):
        """Compute kernel values from inner products, in their place."""
        if self.name == "linear":
            return products
        gamma = 1.0 / n_features if self.gamma is None else self.gamma
        with np.errstate(over="ignore"):
            products *= gamma
            products += self.coef0
            if self.name == "sigmoid":
                return np.tanh(products, out=products)
            np.power(products, self.degree, out=products)
        if not np.isfinite(products).all():
            raise InputError("the polynomial kernel overflows: rescale the vectors, or lower degree, gamma or coef0")
        return products


def kernel_function(kernel, *, bandwidth=None, gamma=None, degree=3, coef0=1.0, random_state=None, X=None):
    """Make a kernel over vectors, a KernelFunction.

    `kernel` is one of these, or a KernelFunction, which is returned as it is:

    - "gaussian" or "rbf": ``exp(-|x - y|^2 / (2 sigma^2))``, or ``exp(-gamma |x - y|^2)``
    - "polynomial" or "poly": ``(gamma <x, y> + coef0)^degree``
    - "sigmoid": ``tanh(gamma <x, y> + coef0)``, not positive semi-definite
    - "linear": ``<x, y>``
    - a function of two blocks of vectors, ``kernel(X, Y)``, that returns the block of values

    `bandwidth` is sigma, a number or a rule as for :class:`graphcore.KernelKMeans`, which is applied to `X`, an array
    or sparse matrix (n_samples, n_features). `gamma` is in its place, or the factor of "polynomial" and "sigmoid"
    (default: one over the number of columns). `random_state` is for rules that sample pairs. A parameter that is not
    known, out of range, given twice or without meaning for the kernel is a ParameterError, a rule that gives 0 an
    InputError.

    Papers define sigma differently. Nystrom kernel k-means (Wang, Gittens, Mahoney; Calandriello, Rosasco) uses
    ``exp(-|x - y|^2 / (2 sigma^2))``, as here. The Gaussian-sketch paper (Kpotufe, Sriperumbudur) uses
    ``exp(-|x - y|^2 / sigma^2)``: give it as ``gamma=1 / sigma**2``.

    >>> import numpy as np
    >>> from graphcore.kernels.functions import kernel_function
    >>> kernel = kernel_function("gaussian", bandwidth=2.0)
    >>> kernel.gamma
    0.125
    >>> kernel(np.array([[0.0], [2.0]])).round(4)
    array([[1.    , 0.6065],
           [0.6065, 1.    ]])
    """
    if callable(kernel):
        _refuse_given("a callable kernel", bandwidth=bandwidth, gamma=gamma)
        is_made = isinstance(kernel, KernelFunction)
        return kernel if is_made else KernelFunction("callable", is_psd=None, function=kernel)
    name = check_choice("kernel", _ALIASES.get(kernel, kernel) if isinstance(kernel, str) else kernel, VECTOR_KERNELS)
    if name == "gaussian":
        return KernelFunction(name, gamma=_gaussian_gamma(bandwidth, gamma, random_state, X))
    _refuse_given(f"kernel={name!r}", bandwidth=bandwidth)
    if name == "linear":
        _refuse_given(f"kernel={name!r}", gamma=gamma)
        return KernelFunction(name)
    if gamma is not None:
        gamma = check_real("gamma", gamma, low=0.0, open_low=True, high=_LARGEST_GAMMA)
    coef0 = check_real("coef0", coef0)
    if name == "sigmoid":
        return KernelFunction(name, gamma=gamma, coef0=coef0, is_psd=False)
    degree = check_integer("degree", degree, low=1)
    return KernelFunction(name, gamma=gamma, degree=degree, coef0=coef0, is_psd=coef0 >= 0)


def _gaussian_gamma(bandwidth, gamma, random_state, X):
    if gamma is not None:
        if bandwidth is not None:
            raise ParameterError(
                "give either bandwidth= or gamma= (1 / (2 sigma^2) for the Gaussian kernel), and not both"
            )
        return check_real("gamma", gamma, low=0.0, open_low=True, high=_LARGEST_GAMMA)
    if isinstance(bandwidth, Real):
        sigma = check_real("bandwidth", bandwidth, low=0.0, open_low=True)
    else:
        rule = ("rms", 1.0) if bandwidth is None else bandwidth
        if X is None:
            raise ParameterError(f"bandwidth={rule!r} is a rule over data; give X=, or bandwidth= as a number")
        sigma = rule_bandwidth(X, rule, random_state=random_state)
    with np.errstate(all="ignore"):
        gamma = float(0.5 / np.square(sigma))
    if not 0 < gamma <= _LARGEST_GAMMA:
        raise ParameterError(
            f"bandwidth={sigma:.3g} is out of the range of floating-point numbers; rescale the vectors"
        )
    return gamma


def _refuse_given(what, **parameters):
    for name, value in parameters.items():
        if value is not None:
            raise ParameterError(f"{name}={value!r} has no meaning for {what}; leave it out")


def _checked_values(values, shape, dtype):
    """Check the values of a callable, and return a writable array of them."""
    values = values.toarray() if hasattr(values, "tocsr") else np.asarray(values)
    if values.shape != shape or values.dtype.kind not in "biuf":
        raise InputError(
            f"the callable kernel returned shape {values.shape} of {values.dtype}; real numbers of shape {shape} are "
            "needed"
        )
    if not np.isfinite(values).all():
        raise InputError("the callable kernel returned NaN or infinity; its values must be finite")
    return np.array(values, dtype=dtype)


def squared_row_norms(X):
    """Compute squared Euclidean norms of rows."""
    if hasattr(X, "tocsr"):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", X, X)


def inner_products(X, Y):
    """Compute ``X Y^T`` as a new array."""
    if hasattr(Y, "tocsr") and not hasattr(X, "tocsr"):
        return np.ascontiguousarray((Y @ X.T).T)
    products = X @ Y.T
    return products.toarray() if hasattr(products, "tocsr") else products


def gaussian_block(X, Y, gamma):
    """Compute ``exp(-gamma |x - y|^2)`` by way of one product."""
    norms, given = squared_row_norms(Y), (X, Y)
    if not hasattr(X, "tocsr") and not hasattr(Y, "tocsr") and len(norms):
        centre = Y.mean(axis=0)
        # Distances do not change when all points move. Far from the origin too much of them would cancel; elsewhere
        # the copies are saved.
        if centre @ centre > _FAR * norms.mean():
            same = X is Y
            X = X - centre
            Y = X if same else Y - centre
            norms = squared_row_norms(Y)
    own_norms = squared_row_norms(X)
    largest = max(float(own_norms.max(initial=0.0)), float(norms.max(initial=0.0)))
    if X.dtype == np.float32 and (gamma * largest * float(np.finfo(np.float32).eps) > _COARSE):
        # Distances of points so many bandwidths from their mean would be differences of numbers so large that nothing
        # is left of them.
        X, Y = (part.astype(np.float64) for part in given)
        return gaussian_block(X, Y, gamma).astype(np.float32)
    block = inner_products(X, Y)
    block *= 2.0 * gamma
    block -= (gamma * own_norms)[:, None]
    block -= gamma * norms
    np.minimum(block, 0.0, out=block)
    return np.exp(block, out=block)
