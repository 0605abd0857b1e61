"""Bounds on the cost of a clustering of kernel features, without the kernel matrix."""

from dataclasses import dataclass

import numpy as np

from ...base.validation import check_labels, check_sample_weight
from ...distributed.chunks import is_chunked, map_chunks
from ...exceptions import InputError
from ..features.diagnostics import as_text
from .linear import centers_and_cost


@dataclass(frozen=True)
class Certificate:
    """Deterministic statements about a partition J of the points, from features B with ``0 <= B B^T <= K``.

    Costs are means over points (over weights, where there are any), and hold up to the rounding of the type that the
    features are stored in. For a kernel that is not positive semi-definite the bounds are infinite: no statement.
    """

    n_clusters: int  # that hold a point
    # ``f(J; B) + alpha / n``, the exact cost of J with centres from the span of the features: the one to compare
    # between numbers of landmarks.
    cost: float
    cost_lower: float  # cost of J on the features, ``f(J; B)``: not above the true cost
    cost_upper: float  # not below the true cost: `cost`
    # No partition into so many clusters costs less: the sum of the squared singular values of the landmark
    # approximation after the k-th, over n. With weights: that sum times the least weight over the sum of weights.
    optimum_lower: float

    @property
    def ratio_bound(self):
        """The partition costs at most so many times the optimum; infinite if nothing is known of the optimum."""
        if self.optimum_lower > 0:
            return self.cost_upper / self.optimum_lower
        return 1.0 if self.cost_upper <= 0 else np.inf

    def lines(self):
        """Return the statements as (what, value) pairs of text."""
        clusters = ("clusters", f"{self.n_clusters:,}")
        if np.isinf(self.cost_lower):
            about = f"about {self.cost:.6g}, without bounds: the kernel is not positive semi-definite"
            return [clusters, ("cost", about)]
        ratio = f"{self.ratio_bound:.3g} times the optimum" if np.isfinite(self.ratio_bound) else "unknown"
        return [
            clusters,
            ("cost", f"{self.cost_lower:.6g} to {self.cost_upper:.6g}, mean over points"),
            ("optimum", f"at least {self.optimum_lower:.6g}, so the cost is at most: {ratio}"),
        ]

    def __str__(self):
        return as_text(self.lines())


def certify(found, labels, *, sample_weight=None):
    """Bound the true kernel k-means cost of a partition from both sides, without the kernel matrix: a Certificate.

    `found` are KernelFeatures, `labels` (n,) any partition, from 0, an array or a dask.array. With ``E = K - B B^T``
    positive semi-definite, the cost is ``f(J; B)`` plus the cost of the same partition under E, which is from 0 to the
    (weighted) trace of E. Time O(n s). Wang, Gittens, Mahoney, JMLR 20 (2019), Lemmas 8, 11 and 12.
    """
    n = len(found.features)
    if not is_chunked(labels):
        labels = check_labels("labels", labels, n)
    found_labels = np.unique(np.concatenate(map_chunks(np.unique, labels)))
    if found_labels[0] < 0:
        raise InputError("every point needs a label from 0; -1 has no cost here")
    w = None if sample_weight is None else check_sample_weight(sample_weight, n)
    lower = centers_and_cost(found.features, labels, w)[1]
    cost = lower + (found.alpha / n if w is None else float(np.average(found.residuals, weights=w)))
    k = len(found_labels)
    if found.indefinite:
        return Certificate(k, cost, -np.inf, np.inf, -np.inf)
    # Every point weighs at least as much as the lightest one.
    least = 1.0 / n if w is None else float(w.min() / w.sum())
    return Certificate(k, cost, lower, cost, least * float((found.singular_values[k:] ** 2).sum()))
