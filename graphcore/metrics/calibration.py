"""Whether probabilities are what they say: of what has probability p, about p should be right."""

from typing import NamedTuple

import numpy as np

from .._typing import ArrayLike, Floats, Integers
from .._validation import check_integer
from ..exceptions import InputError


class Calibration(NamedTuple):
    """Probabilities in bins of equal width; bins that hold none are left out."""

    probability: Floats  # (n_used,) float64: mean of each bin
    right: Floats  # (n_used,) float64: share of it that is right
    count: Integers  # (n_used,) int64
    error: float  # mean of |right - probability| over all that was counted


def calibration(probabilities: ArrayLike, right: ArrayLike, *, n_bins: int = 10) -> Calibration:
    """Compare probabilities with how often they were right.

    Parameters
    ----------
    probabilities : array-like of shape (n,)
        From 0 to 1, such as the largest of each row of `membership_`.
    right : array-like of shape (n,), bool
        Whether it came true.
    n_bins : int, default 10

    Returns
    -------
    Calibration
        ``error`` is the expected calibration error, 0 for what is calibrated in every bin.

    Raises
    ------
    InputError

    References
    ----------
    Naeini, Cooper, Hauskrecht, "Obtaining Well Calibrated Probabilities Using Bayesian Binning", AAAI 2015.

    Examples
    --------
    >>> import graphcore
    >>> found = graphcore.metrics.calibration([0.9, 0.9, 0.9, 0.5], [True, True, True, False])
    >>> found.right.tolist(), round(found.error, 3)
    ([0.0, 1.0], 0.2)
    """
    n_bins = check_integer("n_bins", n_bins, low=1)
    p, right = np.asarray(probabilities, dtype=np.float64), np.asarray(right)
    if p.ndim != 1 or p.shape != right.shape or right.dtype != bool or not len(p):
        raise InputError(
            f"probabilities of shape {p.shape} and right of shape {right.shape} ({right.dtype}): one probability and "
            "one truth value for each node are needed"
        )
    if not ((p >= 0) & (p <= 1 + 1e-9)).all():
        raise InputError(f"probabilities lie between 0 and 1; found {p.min():g} to {p.max():g}")
    bins = np.minimum((p * n_bins).astype(int), n_bins - 1)
    count = np.bincount(bins, minlength=n_bins)
    used = np.flatnonzero(count)
    means, shares = (np.bincount(bins, weights=w, minlength=n_bins)[used] / count[used] for w in (p, right))
    return Calibration(means, shares, count[used], float((np.abs(means - shares) * count[used]).sum() / len(p)))
