"""Cycles, and what is tried beside them where two coresets disagree: a start from eigenvectors, and heating."""

import numpy as np

from ..partition.cluster_sums import cluster_sums
from ..partition.cycles import move_in_cycles
from ..partition.quotient import label_sizes
from ..partition.trials import heat_once
from ..spectral.bethe_hessian import bethe_hessian_embedding
from ..spectral.rounding import kmeans_labels
from .run import grow_clusters, limits, max_links, refine_labels

__all__ = ["heating_sweeps", "improved", "is_unsettled", "spectral_start"]

# Coresets have settled a graph where they agree on more than this share of what they would not agree on by chance.
_SETTLED_SHARE = 2 / 3
# Eigenvectors are looked for where there are at most so many entries, and n k^2, which is what Lanczos iterations take.
_MAX_ENTRIES, _MAX_LANCZOS = 1 << 22, 1 << 23
_INITIALISATIONS = 3
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
    labels = np.full(graph.n_nodes, -1, dtype=np.int32)
    labels[linked] = kmeans_labels(embedding[linked], n_clusters, n_init=_INITIALISATIONS, random_state=streams)
    return labels if label_sizes(labels[linked], n_clusters).all() else None


def improved(graph, rows, labels, value, settings, constraints, unsettled, streams, n_jobs, stages):
    """Labels after cycles of moves, from a spectral start where that is better, and heated; and (stage, objective)s.

    `value` is the objective of `labels`, which may be changed in place.
    """
    k, history = settings.n_clusters, []
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
                reached = refine_labels(rows, start, settings, constraints, sums).value(settings.objective)
                if reached > value:
                    labels, value = start, reached
                    history.append(("spectral start", value))
    with stages("cycles"):
        _, values = move_in_cycles(rows, labels, k, **moves)
    history += [("cycles", value) for value in values[-1:]]
    n_sweeps = heating_sweeps(graph.n_entries) if unsettled else 0
    if n_sweeps:
        with stages("heating"):
            value = heat_once(rows, labels, values[-1] if values else value, k, n_sweeps=n_sweeps, **moves)
        history.append(("heating", value))
    return labels, history
