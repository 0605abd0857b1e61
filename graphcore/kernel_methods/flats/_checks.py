"""Checks of the input that k-flats and kernel k-flats share."""

from typing import NamedTuple

import numpy as np

from ...base.validation import check_choice, check_integer, check_real
from ...exceptions import InputError, ParameterError
from ...graphs.structure import check_sparse
from ...kernels.checks import canonical_csr, check_scale

ON_EMPTY = ("farthest", "restart", "drop", "error")
ON_DEGENERATE = ("reduce", "pad", "restart")


class Rules(NamedTuple):
    """How the alternation is to go on; see `k_flats`."""

    n_clusters: int
    n_dims: int
    n_init: int = 10
    max_iter: int = 300
    on_empty: str = "farthest"
    on_degenerate: str = "reduce"
    max_restarts: int = 10
    tol: float = 0.0
    n_jobs: int | None = None
    verbose: int = 0

    @property
    def min_size(self):
        """A cluster of fewer points ends a run, and another one is begun."""
        return self.n_dims + 1 if self.on_degenerate == "restart" else 1

    def checked(self, weights, max_dims, why):
        """Check every value for points of these weights; `why` explains the bound on the dimension."""
        n_clusters = check_n_clusters(self.n_clusters, weights)
        rules = self._replace(
            n_clusters=n_clusters,
            n_dims=check_integer("n_dims", self.n_dims, low=0, high=max_dims, why_high=why),
            n_init=check_integer("n_init", self.n_init, low=1),
            max_iter=check_integer("max_iter", self.max_iter, low=1),
            on_empty=check_choice("on_empty", self.on_empty, ON_EMPTY),
            on_degenerate=check_choice("on_degenerate", self.on_degenerate, ON_DEGENERATE),
            max_restarts=check_integer("max_restarts", self.max_restarts, low=0),
            tol=check_real("tol", self.tol, low=0.0),
        )
        n, needed = int(np.count_nonzero(weights)), n_clusters * rules.min_size
        if n < needed:
            raise ParameterError(
                f"on_degenerate='restart' needs n_clusters * (n_dims + 1) = {needed} points or more, and there are {n};"
                " take fewer clusters or dimensions, or on_degenerate='reduce'"
            )
        return rules


def as_points(X, name="X", *, sparse=False):
    """Return vectors as float64 rows, an ndarray or (where `sparse` allows it) a csr_array; nothing is changed."""
    sparse = sparse and hasattr(X, "tocsr")
    check_sparse(X)
    if np.iscomplexobj(X):
        raise InputError(f"{name} is complex; real numbers are needed")
    try:
        X = canonical_csr(X) if sparse else np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} cannot be read as an array of numbers: {error}") from None
    if X.ndim != 2 or X.shape[0] == 0 or X.shape[1] == 0:
        raise InputError(f"{name} has shape {X.shape}; rows and columns are needed: (n_samples, n_features)")
    if not np.isfinite(X.data if sparse else X).all():
        raise InputError(f"{name} must be finite, and holds NaN or infinity; fill the values in or drop the rows")
    check_scale(X, name=name)
    return X


def check_n_clusters(n_clusters, weights):
    """Return the number of clusters, at least 1 and at most the number of points that have weight."""
    n = int(np.count_nonzero(weights))
    why = f"there are n_samples={n} points" if n == len(weights) else f"{n} of {len(weights)} points have weight"
    return check_integer("n_clusters", n_clusters, low=1, high=n, why_high=why)


def given_labels(labels, weights, n_clusters, on_empty):
    """Check labels given as init: from 0 to n_clusters - 1, all present if empty clusters are an error.

    Returns those of the points that have weight.
    """
    labels = np.asarray(labels)
    if labels.shape != weights.shape:
        raise InputError(f"init has shape {labels.shape}; one label for each of {len(weights)} points is needed")
    if labels.dtype.kind not in "iu":
        raise InputError(f"the labels given as init must be integers, got {labels.dtype}")
    labels = labels[weights > 0]
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
