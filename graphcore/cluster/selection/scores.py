"""What each way to choose k reads off a sweep: corners of information, description length, eigenvalues, agreement."""

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..spectral.exact import spectral_embedding

# Slopes lie between 0 and 1; a smaller difference is rounding.
_ROUNDING = 1e-9
_BLOCK = 1 << 20
# A corner stands out if none is as sharp as this share of it, but for those at numbers within this factor. Both are
# from the half of `python -m bench run known-k` that is for calibration; the other half says what they are worth.
_RIVAL, _NEAR = 0.4, 1.25


@dataclass(frozen=True, eq=False)
class Corners:
    """Corners of the information curve, for k = 1, 2, ..., n."""

    scores: np.ndarray  # how much the slope falls at k; 0 without a corner and at k = 1, NaN (not known) at the last k
    hull: np.ndarray  # the least concave function above the information, as a function of the labels' cost

    def doubt(self, k):
        """Why k, of a score above 0, does not stand out; None if it does."""
        known = np.nan_to_num(self.scores)
        ks = np.arange(1, len(known) + 1)
        far = np.where((ks > _NEAR * k) | (_NEAR * ks < k), known, -1.0)
        rival, best, second = int(ks[np.argmax(far)]), known[k - 1], far.max()
        if second > _RIVAL * best:
            return f"the sharpest corner, of {best:.2g}, is at k = {k}, and one of {second:.2g} at {rival}"
        if _NEAR * k > ks[-1]:
            return f"the sharpest corner is at k = {k}, and little is known of larger ones than that"
        return None


def label_price(graph):
    """What a nat of labels costs in nats for each edge: nodes over edges.

    Labels of all nodes take ``n log k`` nats to write down, and information is counted for each edge. With weights, the
    number of edges is the effective one, ``(sum w)^2 / sum w^2``.
    """
    return (graph.n_nodes - graph.n_isolated) / effective_edges(graph)


def effective_edges(graph):
    """Number of edges that carry as much evidence, if all had the same weight."""
    if not graph.is_weighted:
        return 0.5 * graph.n_entries
    # By blocks: nothing as large as the graph is made.
    blocks = (graph.weights[i : i + _BLOCK].astype(np.float64) for i in range(0, graph.n_entries, _BLOCK))
    total = float(graph.degrees.sum())
    # In this order, so that weights of any magnitude neither overflow nor vanish.
    return 0.5 / sum(float(np.square(block / total).sum()) for block in blocks)


def concave_hull(x, y):
    """Indices of the vertices of the least concave function above the points; x ascending."""
    kept = [0]
    for i in range(1, len(x)):
        while len(kept) > 1:
            a, b = kept[-2], kept[-1]
            if (y[i] - y[b]) * (x[b] - x[a]) < (y[b] - y[a]) * (x[i] - x[b]):
                break
            kept.pop()
        kept.append(i)
    return np.array(kept)


def information_corners(information, costs, price):
    """Find corners of information against the labels' cost, for k = 1, 2, ..., n; slopes below `price` count as it.

    Labels cost the nats that they can say: log k, or the entropy of the clusters, which is that if they are of one
    size. Clusters have that much information if no edge runs between them. So slopes lie between 0 and 1 but for noise:
    the slope is the share of each further nat of labels that the edges confirm. The k at a vertex of the hull is the
    best one by ``information - s costs`` for all prices s between the slopes after and before it: the score is the
    length of that range of prices.
    """
    n = len(information)
    kept = concave_hull(costs, information)
    hull = np.interp(costs, costs[kept], information[kept])
    scores = np.zeros(n)
    if n > 1:
        # Of every stretch of the hull; a gain of more than a nat for a nat is noise of the tree.
        steps = np.clip(np.diff(information[kept]) / np.diff(costs[kept]), price, max(1.0, price))
        falls = -np.diff(steps)
        scores[kept[1:-1]] = np.where(falls < _ROUNDING, 0.0, falls)
        scores[-1] = np.nan
    return Corners(scores, hull)


def partition_length(tree):
    """Nats that it takes to write down each of a tree's partitions of the nodes, for k = 1, 2, ..., n_leaves.

    They are for the number of clusters, ``log n``; their sizes, ``log C(n - 1, k - 1)``; and which node is where,
    ``log(n! / prod n_r!)``.
    """
    from scipy.special import gammaln

    n = int(tree.leaf_sizes.sum())
    logs = gammaln(tree.summed(tree.leaf_sizes) + 1.0)
    merged = logs[tree.n_leaves :] - logs[tree.children].sum(axis=1)
    # From one cluster up: each split takes back what its union added.
    inside = gammaln(n + 1.0) - np.concatenate([[0.0], np.cumsum(merged[::-1])])
    k = np.arange(1, tree.n_leaves + 1)
    choose = gammaln(n) - gammaln(k) - gammaln(n - k + 1.0)
    return np.log(n) + choose + gammaln(n + 1.0) - inside


def description_gain(micro_tree, graph):
    """Nats by which k = 1, 2, ... clusters shorten the description of a graph, against one cluster; the first is 0.

    Edges times information is the gain in log-likelihood of a degree-corrected planted partition model over its form
    with one cluster. What is paid are the labels, see :func:`partition_length`, and half of log(edges) for each fitted
    rate, of which there are k inside the clusters and one between them. For a fully Bayesian relative see Zhang,
    Peixoto, "Statistical inference of assortative community structures", Physical Review Research 2 (2020).
    """
    n_edges = effective_edges(graph)
    length = partition_length(micro_tree.tree)
    k = np.arange(1, micro_tree.n_micro_clusters + 1)
    rates = np.where(k == 1, 0.0, 0.5 * k * np.log(n_edges))
    return n_edges * micro_tree.information - (length - length[0]) - rates


def laplacian_eigenvalues(rows, n_values, *, random_state=None):
    """The smallest eigenvalues of the normalised Laplacian of a quotient graph with its self-loops, ascending from 0.

    They are the Rayleigh-Ritz values of the whole graph's Laplacian on functions that are constant on micro-clusters,
    so none is below the whole graph's eigenvalue of the same rank.
    """
    import scipy.sparse as sp

    n = len(rows.degrees)
    A = sp.csr_array((rows.weights, rows.indices, rows.indptr), shape=(n, n))
    _, values = spectral_embedding(A, n_values, random_state=random_state)
    return np.maximum(1.0 - values, 0.0)


def agreement_at(trees, n_clusters):
    """Mean adjusted Rand index over all pairs of coresets (at least two trees), at one number of clusters."""
    from sklearn.metrics import adjusted_rand_score

    labellings = [tree.labels_at(n_clusters) for tree in trees]
    linked = labellings[0] >= 0  # isolated nodes are in no cluster of any coreset
    pairs = combinations([labels[linked] for labels in labellings], 2)
    return float(np.mean([adjusted_rand_score(a, b) for a, b in pairs]))
