"""Checks of the input that k-flats and kernel k-flats share."""

import numpy as np

from .._validation import check_choice, check_integer
from ..exceptions import InputError, ParameterError

__all__ = ["ON_DEGENERATE", "ON_EMPTY", "as_points", "as_weights", "check_n_clusters", "check_policies", "given_labels"]

ON_EMPTY = ("farthest", "restart", "drop", "error")
ON_DEGENERATE = ("reduce", "pad", "restart")
# Sums of squares of larger numbers may overflow.
_LARGEST = 1e140


def as_points(X, name="X"):
    """Return vectors as a float64 array of rows; the caller's object is never changed."""
    if np.iscomplexobj(X):
        raise InputError(f"{name} is complex; real numbers are needed")
    try:
        X = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} cannot be read as an array of numbers: {error}") from None
    if X.ndim != 2 or X.shape[0] == 0 or X.shape[1] == 0:
        raise InputError(f"{name} has shape {X.shape}; rows and columns are needed: (n_samples, n_features)")
    bad = ~np.isfinite(X).all(axis=1)
    if bad.any():
        raise InputError(
            f"{name} must be finite: row {np.argmax(bad)} holds NaN or infinity ({bad.sum()} such rows); fill the "
            "values in or drop the rows"
        )
    largest = max(X.max(), -X.min())
    if largest > _LARGEST:
        raise InputError(f"{name} has values of size {largest:.3g}, whose squares overflow: rescale it")
    return X


def as_weights(sample_weight, n_points):
    """Return positive weights as float64; None is ones."""
    if sample_weight is None:
        return np.ones(n_points)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(n_points, float(weights))
    if weights.shape != (n_points,):
        raise InputError(f"sample_weight has shape {weights.shape}; one weight for each of {n_points} points is needed")
    if not (np.isfinite(weights).all() and (weights > 0).all()):
        first = np.argmin(np.where(np.isfinite(weights), weights, -np.inf))
        raise InputError(
            f"sample_weight must be positive and finite; number {first} is {weights[first]}: drop points of zero weight"
        )
    return weights


def check_n_clusters(n_clusters, n_points):
    """Return the number of clusters, at least 1 and at most the number of points."""
    return check_integer(
        "n_clusters", n_clusters, low=1, high=n_points, why_high=f"there are n_samples={n_points} points"
    )


def check_policies(on_empty, on_degenerate, n_points, n_clusters, n_dims):
    """Refuse unknown policies, and ``on_degenerate="restart"`` where no partition could satisfy it."""
    check_choice("on_empty", on_empty, ON_EMPTY)
    check_choice("on_degenerate", on_degenerate, ON_DEGENERATE)
    if on_degenerate == "restart" and n_dims and n_points < n_clusters * (n_dims + 1):
        raise ParameterError(
            f"on_degenerate='restart' needs n_clusters * (n_dims + 1) = {n_clusters * (n_dims + 1)} points or more, "
            f"and there are {n_points}; take fewer clusters or dimensions, or on_degenerate='reduce'"
        )


def given_labels(labels, n_points, n_clusters, on_empty):
    """Check labels given as init: integers from 0 to n_clusters - 1, all present if empty clusters are an error."""
    labels = np.asarray(labels)
    if labels.shape != (n_points,):
        raise InputError(f"init has shape {labels.shape}; one label for each of {n_points} points is needed")
    if labels.dtype.kind not in "iu":
        raise InputError(f"the labels given as init must be integers, got {labels.dtype}")
    if labels.min() < 0 or labels.max() >= n_clusters:
        raise InputError(
            f"the labels given as init must be 0 to n_clusters - 1 = {n_clusters - 1}; found {labels.min()} to "
            f"{labels.max()}"
        )
    missing = np.flatnonzero(np.bincount(labels, minlength=n_clusters) == 0)
    if len(missing) and on_empty in ("error", "restart"):
        raise InputError(
            f"the labels given as init leave cluster {missing[0]} empty; with on_empty={on_empty!r} every label must "
            "be there"
        )
    return labels.astype(np.int32)
