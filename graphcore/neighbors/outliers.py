"""Rows that lie apart from all others: how far each is from its neighbours, and from where on that is too far."""

import math
from typing import NamedTuple

import numpy as np

from ..exceptions import InputError, ParameterError, warn_user

# Width of the kernel that the density of log distances is smoothed by, in Silverman's: .7 found noise between clusters
# of several densities that 1.06 blurs.
_WIDTH = 0.7
# Standard errors by which the mode beyond a valley must rise above it (differences of square roots of Poisson counts).
_SURE = 4.0
# Rows beyond a valley that mix less with the others are a sparse cluster, and no noise. Over 200 sets with noise and
# 260 without, of all kinds and densities, with 6, 10 and 20 neighbours, .35 to .45 are alike.
_MIXED = 0.4
# A larger share of rows that are left out is told.
_MANY = 0.15
# Distances that differ by a smaller share are equal.
_ROUNDING = 1e-6


class Outliers(NamedTuple):
    """Outlier scores of the rows of a fit, by distances to their neighbours."""

    scores: np.ndarray  # (n_rows,) float32, from 0 to 1
    radius: float = math.inf  # rows whose last neighbour is farther are outliers


def outlier_scores(r, m):
    """Compute outlier scores (n_rows,) float32: r / (r + m) for the distance r to the last neighbour, of median m.

    It is 0.5 for a row as far from its neighbours as half of all, 0.9 at nine times that distance. A row that lists
    none has 1, and where most rows repeat, all others have.

    References
    ----------
    Ramaswamy, Rastogi, Shim, "Efficient algorithms for mining outliers from large data sets", SIGMOD 2000: the order.
    """
    scores = np.ones(len(r), dtype=np.float32)
    np.divide(r, r + m, out=scores, where=np.isfinite(r) & (r + m > 0), casting="same_kind")
    scores[r + m == 0] = 0.5
    return scores


def leave_out(neighbors, outliers):
    """Take outliers out of the neighbours of all, in place: a share of the rows, or "auto" (see :func:`valley`).

    Returns Outliers. `outliers` is None, "auto" or a number above 0 and below 1, which has been checked.
    """
    different = last_distances(neighbors)
    if neighbors.kinds is not None:  # a row of more copies than neighbours were asked for has none but its equals
        counts = np.bincount(neighbors.kinds)
        if (many := counts > neighbors.n_asked).any():
            different[many] = 0.0
            warn_user(
                f"{many.sum():,} rows occur more than n_neighbors={neighbors.n_asked} times, up to {counts.max():,}: "
                "each may become a cluster of its own, and none is an outlier; to count each row once, fit "
                "numpy.unique(X, axis=0), whose return_inverse=True takes labels back"
            )
    r = different if neighbors.kinds is None else different[neighbors.kinds]  # of all rows
    listed = r[np.isfinite(r)]
    m = float(np.median(listed)) if len(listed) else 1.0
    scores = outlier_scores(r, m)
    if outliers is None:
        return Outliers(scores)
    if isinstance(outliers, str):
        radius, mixed = valley(neighbors, different)
        share = float(np.mean(r > radius))
        if mixed < _MIXED and share:
            radius = math.inf
            warn_user(
                f"outliers='auto' leaves out no row: {share:.1%} lie farther apart than the others, but are mostly "
                f"neighbours of each other, as in a sparse cluster; if they are noise, give outliers={share:.3g}"
            )
        elif share > _MANY:
            warn_user(
                f"outliers='auto' leaves out {share:.0%} of the rows, perhaps with clusters less dense than others: "
                "compare labels of a fit without, or give a share"
            )
    else:
        kept = len(r) - round(outliers * len(r))
        if kept < 2:
            raise ParameterError(f"outliers={outliers} leaves {kept} of {len(r)} rows to be clustered; give less")
        radius = float(np.partition(r, kept - 1)[kept - 1]) * (1 + _ROUNDING)  # of new rows distances may be float64
    apart = different > radius
    neighbors.indices[apart[:, None] | apart[neighbors.indices]] = -1
    neighbors.distances[apart] = np.inf
    if not (neighbors.indices >= 0).any() and neighbors.kinds is None:
        raise InputError(f"outliers={outliers!r} leaves no two neighbours to be clustered; give less")
    return Outliers(scores, radius)


def refuse_outliers(outliers):
    """Raise a ParameterError where outliers of a graph are asked for, which has no distances."""
    if outliers is not None:
        raise ParameterError(
            f"outliers={outliers!r} goes by distances between vectors, and this is a graph; leave it out: nodes of a "
            "large outside_share_ lie between clusters"
        )


def last_distances(neighbors):
    """Compute the distance from each row to the last neighbour that it lists, (n_rows,) float64; infinite for none."""
    count = (neighbors.indices >= 0).sum(axis=1)
    last = neighbors.distances[np.arange(len(count)), np.maximum(count, 1) - 1].astype(np.float64)
    last[count == 0] = np.inf
    return last


def valley(neighbors, r):
    """Find the distance that parts rows between clusters from those in them, and the mixing of the two.

    It is infinite where nothing parts them.

    Distances to the last neighbour have a mode of clusters and, where a background of noise is spread around them,
    another beyond a valley, in two dimensions as in hundreds; tails of a cluster, however heavy, have none. A second
    mode is believed if it rises above the valley by more than chance, and is noise if its rows and the others mix: a
    sparse cluster only touches others. Of such valleys above the median the one beyond which they mix most is taken.

    References
    ----------
    Silverman, "Density Estimation for Statistics and Data Analysis", 1986, section 3.4: the width of the kernel.
    """
    listed = r[np.isfinite(r)]
    if len(listed) == 0 or (m := float(np.median(listed))) == 0.0:
        return math.inf, 0.0
    logs = np.log(np.maximum(listed, 1e-6 * m))
    if np.ptp(logs) < _ROUNDING:
        return math.inf, 0.0
    at, counts = _density(logs)
    beyond = np.maximum.accumulate(counts[::-1])[::-1]
    is_low = (counts[1:-1] <= counts[:-2]) & (counts[1:-1] < counts[2:])
    is_sure = np.sqrt(2.0) * (np.sqrt(beyond) - np.sqrt(counts)) >= _SURE
    radii = np.exp(at[1:-1][is_low & is_sure[1:-1]]).tolist()
    mixed, radius = max(((mixing(neighbors, r > radius), radius) for radius in radii), default=(0.0, math.inf))
    return radius, mixed


def _density(logs):
    """Compute a Gaussian kernel density of rows, as counts in its window, at points of a grid from the median on."""
    low, middle = np.quantile(logs, [0.25, 0.5])
    spread = min((middle - low) / 0.6745, float(logs.std()))
    if spread == 0.0:
        spread = float(logs.std()) or 1.0
    h = _WIDTH * spread * len(logs) ** -0.2
    first, last = middle - 4 * h, float(logs.max()) + 4 * h
    step = max(h / 4, (last - first) / (1 << 16))
    size = int((last - first) / step) + 2
    cells = np.rint((logs[logs >= first] - first) / step).astype(np.int64)
    offsets = np.arange(-int(4 * h / step), int(4 * h / step) + 1) * step
    kernel = np.exp(-0.5 * np.square(offsets / h))
    kernel *= kernel.sum() / np.square(kernel).sum()  # so that sums vary as Poisson counts do
    counts = np.convolve(np.bincount(cells, minlength=size), kernel, "same")
    at = first + step * np.arange(size)
    return at[at >= middle], np.maximum(counts[at >= middle], 0.0)


def mixing(neighbors, apart):
    """Measure the mixing of separate rows and the others, from 0 to 1: the larger of two shares.

    The one is that of others among the neighbours of rows apart: in many dimensions there is no noise near noise. The
    other is that of the rim, those others that few others list, which as many rows apart list: in few dimensions noise
    lists noise, but lies around every cluster.
    """
    n, n_neighbors = neighbors.indices.shape
    listings = (neighbors.indices[rows] for rows in (apart, ~apart))
    by_apart, by_others = (np.bincount(listed[listed >= 0], minlength=n) for listed in listings)  # how many list each
    rim = ~apart & (by_others <= n_neighbors / 4)
    is_taken = by_apart[rim] >= np.maximum(by_others[rim], 1)
    leaving = by_apart[~apart].sum() / max(1, by_apart.sum())
    return float(max(leaving, is_taken.sum() / max(1, len(is_taken))))
