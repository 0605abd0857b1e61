"""The default: the sharpest corner of information against labels, where more labels stop to pay."""

from dataclasses import dataclass

import numpy as np

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
    hull: np.ndarray  # the least concave function above the information, as a function of log k

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


def information_corners(information, price):
    """Find the corners of information, for k = 1, 2, ..., n clusters, against log k; slopes below `price` count as it.

    k clusters have at most log k nats of information, and reach that if they have equal volumes and no edge between
    them. So slopes lie between 0 and 1 but for noise: the slope is the share of each further nat of labels that the
    edges confirm. The k at a vertex of the hull is the best one by ``information - s log k`` for all prices s between
    the slopes after and before it: the score is the length of that range of prices.
    """
    n = len(information)
    x = np.log(np.arange(1, n + 1))
    kept = concave_hull(x, information)
    hull = np.interp(x, x[kept], information[kept])
    scores = np.zeros(n)
    if n > 1:
        # Of every stretch of the hull; a gain of more than a nat for a nat is noise of the tree.
        steps = np.clip(np.diff(information[kept]) / np.diff(x[kept]), price, max(1.0, price))
        falls = -np.diff(steps)
        scores[kept[1:-1]] = np.where(falls < _ROUNDING, 0.0, falls)
        scores[-1] = np.nan
    return Corners(scores, hull)
