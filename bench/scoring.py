"""Scores of a clustering: mean conductance and agreement with known classes.

A cluster's conductance is the share of its edge ends that lead out of it; normalised cut (NC) is the mean over the
clusters asked for, where an empty cluster counts 1. Graphs are unweighted and taken as stored, without loops that a
method adds. Nodes without edges are left out of all scores.
"""

from itertools import pairwise

import numpy as np

_CHUNK = 1 << 24


def normalized_cut(indptr, indices, labels, k):
    """Return the mean conductance of `k` clusters (more if `labels` holds more); a label of -1 is no cluster."""
    inside, volume = _weights(indptr, indices, labels, k)
    conductance = np.ones(len(volume))
    np.divide(volume - inside, volume, out=conductance, where=volume > 0)
    return float(conductance.mean())


def information(indptr, indices, labels, k):
    """Return the objective J of docs/how_it_works.md, in nats: larger is better."""
    from scipy.special import xlogy

    inside, volume = _weights(indptr, indices, labels, k)
    share, part = inside / volume.sum(), volume / volume.sum()
    cut, apart = 1.0 - share.sum(), 1.0 - (part**2).sum()
    chance = part**2
    # On the other side of chance a part is its tangent.
    rate = np.divide(share, chance, out=np.ones(k), where=share > chance)
    within = xlogy(share, rate) + np.minimum(share - chance, 0.0)
    return float(within.sum() + (xlogy(cut, cut / apart) if cut < apart else cut - apart))


def modularity(indptr, indices, labels):
    """Return the share of edges inside clusters less that by chance; a label of -1 is no cluster."""
    inside, volume = _weights(indptr, indices, labels, 1)
    return float((inside / volume.sum() - (volume / volume.sum()) ** 2).sum())


def _weights(indptr, indices, labels, k):
    """Return the edge ends inside of each cluster, and all of them."""
    degrees = np.diff(indptr)
    labels = np.where(degrees > 0, labels, -1).astype(np.int64)
    n_clusters = max(k, labels.max() + 1)
    # Label -1 is counted in a last place that is dropped afterwards.
    places = np.where(labels < 0, n_clusters, labels)
    volume = np.bincount(places, weights=degrees, minlength=n_clusters + 1)[:-1]
    inside = np.zeros(n_clusters + 1)
    for first, last in _row_chunks(indptr):
        here = np.repeat(places[first:last], degrees[first:last])
        there = places[indices[indptr[first] : indptr[last]]]
        inside += np.bincount(here[here == there], minlength=n_clusters + 1)
    return inside[:-1], volume


def score(indptr, indices, labels, k, truth=None):
    """Return NC, J, number and smallest size of clusters and, with known classes, ARI and NMI."""
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    labels = np.asarray(labels).astype(np.int64)
    linked = np.diff(indptr) > 0
    sizes = np.bincount(labels[linked & (labels >= 0)], minlength=k)
    out = {
        "nc": normalized_cut(indptr, indices, labels, k),
        "j": information(indptr, indices, labels, k),
        "modularity": modularity(indptr, indices, labels),
        "clusters": int(np.count_nonzero(sizes)),
        "smallest": int(sizes.min()),
    }
    if truth is not None:
        out["ari"] = float(adjusted_rand_score(truth[linked], labels[linked]))
        out["nmi"] = float(normalized_mutual_info_score(truth[linked], labels[linked]))
    return out


def score_vectors(path, run, k, own_k):
    """Return the agreement of one run's labels with the known classes of the vectors of a file."""
    from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

    with np.load(path) as file:
        truth = file["labels"]
    labels = run["labels"]
    return {
        "ari": float(adjusted_rand_score(truth, labels)),
        "nmi": float(normalized_mutual_info_score(truth, labels)),
        "clusters": len(np.unique(labels[labels >= 0])),
    }


def load(path):
    """Return borders, neighbours and known classes (or None) of a graph file."""
    with np.load(path) as file:
        return file["indptr"], file["indices"], file.get("labels")


def score_run(path, run, k, own_k):
    """Score the labels of one run on the graph of a file; a method with its own k is averaged over its own clusters."""
    indptr, indices, truth = load(path)
    labels = run["labels"]
    if own_k:
        linked = np.diff(indptr) > 0
        found, compact = np.unique(labels[linked], return_inverse=True)
        labels = np.full(len(linked), -1)
        labels[linked] = compact
        k = len(found)
    return score(indptr, indices, labels, k, truth)


def _row_chunks(indptr):
    """Return the borders of runs of rows with about `_CHUNK` entries each."""
    targets = np.arange(0, indptr[-1] + _CHUNK, _CHUNK)
    borders = np.unique(np.concatenate([np.searchsorted(indptr, targets), [len(indptr) - 1]]).clip(0, len(indptr) - 1))
    return pairwise(borders)
