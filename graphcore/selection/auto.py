"""``n_clusters="auto"``: the default choice, within what the other parameters of a fit allow."""

from .._random import Streams
from ..pipeline.settings import resolve_settings
from .select import default_candidates, select_n_clusters

__all__ = ["choose_for_fit"]


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
    return select_n_clusters(graph, candidates, random_state=Streams(random_state).child("choice of k"), n_jobs=n_jobs)
