"""Cycles, and what is tried beside them where two coresets disagree: a start from eigenvectors, and heating."""

import numpy as np

from .._random import draw_by_weight
from .._threads import limited_libraries
from ..partition.cluster_sums import cluster_sums
from ..partition.cycles import move_in_cycles
from ..partition.trials import heat_once
from ..spectral.bethe_hessian import bethe_hessian_embedding
from .run import grow_clusters, limits, max_links, refine_labels

__all__ = ["heating_sweeps", "improved", "is_unsettled", "spectral_start"]

# Coresets have settled a graph where they agree on more than this share of what they would not agree on by chance.
_SETTLED_SHARE = 2 / 3
# Eigenvectors are looked for where there are at most so many entries, and n k^2, which is what Lanczos iterations take.
_MAX_ENTRIES, _MAX_LANCZOS = 1 << 22, 1 << 23
_INITIALISATIONS, _ITERATIONS = 3, 20
# Heating has so many sweeps, and fewer where they would go over more entries; too few do nothing.
_SWEEPS, _LEAST_SWEEPS, _HEATED_ENTRIES = 100, 8, 1 << 21


def is_unsettled(agreement, n_clusters):
    """Whether two coresets agree on so few nodes that there may be more to find; not if nothing is known (NaN)."""
    chance = 1.0 / n_clusters
    return n_clusters > 1 and agreement - chance <= _SETTLED_SHARE * (1.0 - chance)


def heating_sweeps(n_entries):
    """Number of heated sweeps over a graph that is not settled."""
    n_sweeps = min(_SWEEPS, _HEATED_ENTRIES // n_entries)
    return n_sweeps if n_sweeps >= _LEAST_SWEEPS else 0


def spectral_start(graph, n_clusters, streams):
    """Labels (n,) int32 from eigenvectors of the whole graph, -1 for isolated nodes.

    None where that would take long, and where there are fewer clusters in them.
    """
    n_linked = graph.n_nodes - graph.n_isolated
    if graph.n_entries > _MAX_ENTRIES or n_linked * n_clusters**2 > _MAX_LANCZOS or n_clusters >= n_linked:
        return None
    streams = streams.child("spectral start")
    embedding = bethe_hessian_embedding(graph.to_scipy(), n_clusters, random_state=streams)
    if embedding is None:
        return None
    linked = graph.degrees > 0
    found = _grouped_rows(embedding[linked], n_clusters, streams.generator("k-means"))
    if found is None:
        return None
    labels = np.full(graph.n_nodes, -1, dtype=np.int32)
    labels[linked] = found
    return labels


def _grouped_rows(X, n_clusters, rng):
    """The best labels of several runs of k-means, or None if each leaves a cluster empty.

    By scipy: only directions are looked for, and a first import of scikit-learn's takes a second.
    """
    from scipy.cluster.vq import ClusterError, kmeans2

    best, lowest = None, np.inf
    with limited_libraries():
        for _ in range(_INITIALISATIONS):
            chosen, nearest = [int(rng.integers(len(X)))], np.full(len(X), np.inf)
            for _ in range(n_clusters - 1):  # far from all before: k-means++
                nearest = np.minimum(nearest, np.square(X - X[chosen[-1]]).sum(axis=1))
                chosen.append(draw_by_weight(nearest, rng))
            if chosen[-1] < 0:  # fewer different rows than clusters
                return None
            try:
                centers, labels = kmeans2(X, X[chosen], iter=_ITERATIONS, minit="matrix", missing="raise")
            except ClusterError:
                continue
            cost = np.square(X - centers[labels]).sum()
            if cost < lowest:
                best, lowest = labels, cost
    return best if best is not None and len(np.unique(best)) == n_clusters else None


def improved(graph, rows, labels, value, settings, constraints, unsettled, streams, n_jobs, stages):
    """Labels after cycles of moves, from a spectral start where that is better, and heated; and (stage, objective)s.

    `value` is the objective of `labels`, which may be changed in place. The third result are samples of the heating
    (:func:`graphcore.partition.trials.heat_once`) if labels come from a spectral start, else none: coresets that have
    not found these clusters cannot say how sure they are.
    """
    k, history, samples, is_spectral = settings.n_clusters, [], [], False
    moves = {
        "n_cycles": settings.n_cycles, "rng": streams.generator("cycles"), "max_entries": max_links(rows),
        "constraints": constraints, "n_jobs": n_jobs, **limits(settings),
    }  # fmt: skip
    if unsettled:
        with stages("spectral start"):
            start = spectral_start(graph, k, streams)
            if start is not None:
                grow_clusters(rows, start, settings, constraints)
                sums = cluster_sums(rows, start, k, n_jobs, counts=constraints.counts)
                reached = refine_labels(rows, start, settings, constraints, sums, n_jobs).value(settings.objective)
                if reached > value:
                    labels, value, is_spectral = start, reached, True
                    history.append(("spectral start", value))
    with stages("cycles"):
        _, values = move_in_cycles(rows, labels, k, **moves)
    history += [("cycles", value) for value in values[-1:]]
    n_sweeps = heating_sweeps(graph.n_entries) if unsettled else 0
    if n_sweeps:
        with stages("heating"):
            value = values[-1] if values else value
            labels, value, samples = heat_once(rows, labels, value, k, n_sweeps=n_sweeps, **moves)
        history.append(("heating", value))
    return labels, history, samples if is_spectral else []
