"""``n_clusters="auto"`` or None: the default choice or a resolution's, within what a fit's other parameters allow."""

import numpy as np

from .._random import Streams
from .._warn import warn_user
from ..graphs.magnitude import in_range
from ..pipeline.settings import resolve_settings
from .result import selection
from .select import default_candidates, select_n_clusters
from .sweep import micro_cluster_trees, n_trees


def choose_for_fit(graph, parameters, *, random_state=None, n_jobs=None):
    """Choose the number of clusters for a fit (KSelection).

    `parameters` are keywords of :func:`graphcore.pipeline.settings.resolve_settings`; a coreset size and a least size
    of clusters that are given bound the candidates.
    """
    settings = resolve_settings(graph, 1, **parameters)  # so that every mistake is found before any work
    n_linked = graph.n_nodes - graph.n_isolated
    most = n_linked // settings.min_cluster_size
    if not isinstance(parameters.get("coreset_size", "auto"), str):
        most = min(most, settings.coreset_size)
    candidates = default_candidates(n_linked)[:most]
    streams = Streams(random_state).child("choice of k")
    if settings.resolution is None or settings.record.resolution is not None:
        return select_n_clusters(graph, candidates, random_state=streams, n_jobs=n_jobs)
    return _by_resolution(in_range(graph), settings, candidates, streams, n_jobs)


def _by_resolution(graph, settings, candidates, streams, n_jobs):
    """The number of clusters with the largest information, in the mean over coresets, less labels at their price."""
    trees = micro_cluster_trees(
        graph, int(candidates[-1]), n_coresets=n_trees(graph), random_state=streams, n_jobs=n_jobs
    )
    candidates = candidates[: min(tree.n_micro_clusters for tree in trees)]
    information = np.mean([tree.information[: len(candidates)] for tree in trees], axis=0)
    scores = information - np.log(candidates) / settings.resolution
    found = selection("resolution", candidates, scores, {"information (nats)": information})
    if found.best == candidates[-1] > 1:
        warn_user(
            f"resolution={settings.resolution:g} asks for the most clusters that it can choose from, {found.best}; for "
            "more give n_clusters, or see the levels of a fit's tree"
        )
    return found
