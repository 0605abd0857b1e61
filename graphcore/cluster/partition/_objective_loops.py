"""The objectives that merging and refinement raise, by their parts; larger is better.

A partition into clusters has inner weights L_c (both directions) and volumes v_c, as shares of the whole volume:

* information: ``sum L_c log(L_c / v_c^2) + q log(q / s)`` with cut share ``q = 1 - sum L_c`` and ``s = 1 - sum v_c^2``,
  less the entropy ``-sum v_c log v_c`` at a price from 0 to below 1, which is its code;
* NCUT: ``sum L_c / v_c``, which is k minus k times the normalised cut;
* modularity: ``sum L_c - r v_c^2`` at resolution r; its code is -r.

All are a sum of one term per cluster and, for information, a term of what runs between them.
"""

from math import log

import numpy as np

from ...base.compiling import compiled
from .objectives import OBJECTIVES

NCUT = OBJECTIVES["ncut"].code
_NOTHING = 1e-15


@compiled
def total_of(values):
    """Their sum in order; numpy's own method adds in another one, and takes long to compile."""
    total = 0.0
    for i in range(len(values)):
        total += values[i]
    return total


@compiled
def term(objective, inner, volume):
    """One cluster's part."""
    if objective == NCUT:
        # However small the cluster is: what counts is the share of its own volume. One that was emptied may keep some
        # rounding of inner weight.
        return inner / volume if volume > 0.0 and inner > _NOTHING * volume else 0.0
    if objective < 0.0:
        return inner + objective * volume * volume
    value = inner * log(inner / (volume * volume)) if inner > _NOTHING else 0.0
    if objective > 0.0 and volume > 0.0:
        value += objective * volume * log(volume)
    return value


@compiled
def _is_apart(objective, cut, apart):
    """Whether there is a part between clusters: where one holds nearly everything, both are noise of either sign."""
    return 0.0 <= objective < NCUT and cut > _NOTHING and apart > _NOTHING


@compiled
def between(objective, cut, apart):
    """The part of what runs between clusters: cut share, and 1 - sum of squared volumes."""
    if not _is_apart(objective, cut, apart):
        return 0.0
    return cut * log(cut / apart)


@compiled
def between_slopes(objective, cut, apart):
    """Derivatives of the part between clusters, by the cut share and by ``apart``."""
    if not _is_apart(objective, cut, apart):
        return 0.0, 0.0
    return log(cut / apart) + 1.0, -cut / apart


@compiled
def shares_of(inner, volumes):
    """The whole volume, the cut share, and 1 - sum of squared shares of volume."""
    total = total_of(volumes)
    cut, apart = 1.0, 1.0
    for c in range(len(inner)):
        cut -= inner[c] / total
        apart -= (volumes[c] / total) * (volumes[c] / total)
    return total, cut, apart


@compiled
def objective_value(objective, inner, volumes):
    """The objective of clusters given by inner weights and volumes, in any unit."""
    total, cut, apart = shares_of(inner, volumes)
    value = 0.0
    for c in range(len(inner)):
        value += term(objective, inner[c] / total, volumes[c] / total)
    return value + between(objective, cut, apart)


@compiled
def slopes(objective, inner, volumes):
    """Derivatives of the objective by each cluster's inner weight and by its volume (shares of the whole volume)."""
    by_inner, by_volume = np.empty(len(inner)), np.empty(len(inner))
    total, cut, apart = shares_of(inner, volumes)
    cut, apart = max(cut, _NOTHING), max(apart, _NOTHING)
    for c in range(len(inner)):
        share, volume = inner[c] / total, volumes[c] / total
        if volume == 0.0:
            volume = _NOTHING
        if objective == NCUT:
            by_inner[c] = 1.0 / volume
            by_volume[c] = -share / (volume * volume)
        elif objective < 0.0:
            by_inner[c] = 1.0
            by_volume[c] = 2.0 * objective * volume
        else:
            by_inner[c] = log(max(share, _NOTHING) / (volume * volume)) - log(cut / apart)
            by_volume[c] = -2.0 * share / volume + 2.0 * volume * cut / apart
            if objective > 0.0:
                by_volume[c] += objective * (log(volume) + 1.0)
    return by_inner, by_volume
