"""Compiled objectives, and the sums over clusters and around nodes that they are made of."""

from math import log

import numpy as np
from numba import njit

from ...base.loops import compiled
from ...graphs._loops import add
from .objectives import INFORMATION, MODULARITY, NCUT

NOTHING = 1e-15


@compiled
def term(objective, inner, volume):
    """One cluster's part. An `objective` is its code: (kind, price or resolution)."""
    kind, factor = objective
    if kind == NCUT:
        # However small the cluster is: what counts is the share of its own volume. One that was emptied may keep some
        # rounding of inner weight.
        return inner / volume if volume > 0.0 and inner > NOTHING * volume else 0.0
    if kind == MODULARITY:
        return inner - factor * volume * volume
    chance = volume * volume
    # Fewer edges inside than by chance are no merit: the likelihood's rate inside is then that of chance.
    value = inner * log(inner / chance) if inner > chance else inner - chance
    if factor > 0.0 and volume > 0.0:
        value += factor * volume * log(volume)
    return value


@njit(nogil=True, inline="always")
def is_information(objective):
    """Whether the parts are those of information, at any price of entropy; they take logarithms."""
    return objective[0] == INFORMATION


@njit(nogil=True, inline="always")
def term_slopes(objective, inner, volume):
    """Derivatives of a cluster's part by its inner weight, and of its entropy by volume; infinite if there are none."""
    if not is_information(objective) or inner <= volume * volume or volume <= 0.0:
        return np.inf, 0.0
    spread = log(volume)
    return log(inner) - 2.0 * spread + 1.0, objective[1] * (spread + 1.0)


@njit(nogil=True, inline="always")
def most_gained(objective, cluster, inner, volume):
    """Bound what a cluster's part of information gains by more inner weight and volume; weights are in any unit.

    Without a logarithm: 2 x / (2 + x) <= log(1 + x) <= x (2 + x) / (2 + 2 x), both exact to the second order. On the
    other side of chance the part is less than that of the logarithm, so that the bound holds there, too.
    """
    if cluster.by_inner == np.inf:
        return np.inf
    twice = 2.0 * cluster.volume
    most = inner * cluster.by_inner + 0.5 * inner * inner / cluster.inner
    most -= 4.0 * (cluster.inner + inner) * volume / (twice + volume)
    return most + volume * cluster.by_volume + objective[1] * volume * volume / twice


@compiled
def between(objective, cut, apart):
    """The part of what runs between clusters: cut share, and 1 - sum of squared volumes.

    More edges than by chance are no merit: the rate is that of chance. Both shares are noise of either sign where one
    cluster holds nearly everything.
    """
    if not is_information(objective) or cut <= NOTHING:
        return 0.0
    return cut * log(cut / apart) if cut < apart else cut - apart


@compiled
def between_slopes(objective, cut, apart):
    """Derivatives of the part between clusters, by the cut share and by ``apart``."""
    if not is_information(objective) or cut <= NOTHING:
        return 0.0, 0.0
    return (log(cut / apart) + 1.0, -cut / apart) if cut < apart else (1.0, -1.0)


@compiled
def shares_of(inner, volumes):
    """The whole volume, the cut share, and 1 - sum of squared shares of volume."""
    total, cut, apart = 0.0, 1.0, 1.0
    for c in range(len(volumes)):  # in order; numpy's own method adds in another one, and takes long to compile
        total += volumes[c]
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


def places(n):
    """Return the arrays of `gather` for n labels: sums, flags of listed labels, the list.

    Made in Python, as all that loops need: numba takes a tenth of a second for each kind of array that a loop makes.
    """
    return np.zeros(n), np.zeros(n, dtype=np.bool_), np.empty(n + 1, dtype=np.int32)


@njit(nogil=True, inline="always")
def gather(rows, labels, x, found):
    """Weights of x to the labels around it, into `places`; returns (number of labels listed, its self-loop)."""
    indptr, indices, weights, _ = rows
    sums, is_listed, touched = found
    weighted = len(weights) > 0
    n_touched, loop = 0, 0.0
    for e in range(indptr[x], indptr[x + 1]):
        c = labels[indices[e]]
        if c < 0:
            continue
        weight = weights[e] if weighted else 1.0
        if indices[e] == x:
            loop = weight
            continue
        n_touched = add(sums, is_listed, touched, n_touched, c, weight)
    return n_touched, loop


@njit(nogil=True, inline="always")
def forget(found, n_touched):
    """Make `places` empty again."""
    sums, is_listed, touched = found
    for t in range(n_touched):
        sums[touched[t]] = 0.0
        is_listed[touched[t]] = False


@compiled
def add_cluster_sums(rows, counts, labels, first, last, clusters, nodes):
    """Add what nodes first to last bring to their `clusters`: weight inside (both directions), volume, cut, number.

    The two arrays of `nodes`, which begin with node `first`, get each one's weight inside and outside of its cluster,
    unless they are of length 0.
    """
    indptr, indices, weights, degrees = rows
    internal, volume, cut, size = clusters
    inside, outside = nodes
    weighted, split = len(weights) > 0, len(inside) > 0
    for x in range(first, last):
        a = labels[x]
        within, beyond = 0.0, 0.0
        if a >= 0:
            for e in range(indptr[x], indptr[x + 1]):
                weight = weights[e] if weighted else 1.0
                if labels[indices[e]] == a:
                    within += weight
                else:
                    beyond += weight
            internal[a] += within
            volume[a] += degrees[x]
            cut[a] += beyond
            size[a] += counts[x] if len(counts) > 0 else 1
        if split:
            inside[x - first] = within
            outside[x - first] = beyond
