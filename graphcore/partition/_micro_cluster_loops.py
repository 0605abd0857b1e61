"""Compiled loops that give every node to a coreset node: its micro-cluster."""

import numpy as np

from .._compile import compiled


@compiled
def claim_nodes(points, starts, stops, indices, values, scale, self_loop, best, labels):
    """Every node goes to the row that is largest there, of equals to its own row or else the first.

    `best` comes with what a row's loop alone gives at its own point; untouched nodes keep their micro-cluster.
    """
    weighted = len(values) > 0
    for r in range(len(starts)):
        own = points[r]
        for e in range(starts[r], stops[r]):
            x = indices[e]
            value = scale[r] * values[e] if weighted else scale[r]
            if x == own:
                value += scale[r] * self_loop
            offer = np.float32(value)
            if offer > best[x] or (x == own and offer == best[x]):
                best[x] = offer
                labels[x] = r


@compiled
def spread_labels(indptr, indices, weights, n_labels, labels):
    """Give nodes of label -1 the label with most weight around them, breadth first from the labelled ones.

    A component that holds no label becomes a new one. Nodes without any edge stay -1. Returns the number of labels.
    """
    n = len(labels)
    weighted = len(weights) > 0
    sums = np.zeros(n_labels)
    queue = np.empty(n, dtype=indices.dtype)
    queued = np.zeros(n, dtype=np.bool_)
    head, tail = 0, 0
    for x in range(n):
        if labels[x] < 0:
            for e in range(indptr[x], indptr[x + 1]):
                if labels[indices[e]] >= 0:
                    queue[tail] = x
                    tail += 1
                    queued[x] = True
                    break
    while head < tail:
        x = queue[head]
        head += 1
        highest, chosen = -1.0, -1
        for e in range(indptr[x], indptr[x + 1]):
            c = labels[indices[e]]
            if c >= 0:
                sums[c] += weights[e] if weighted else 1.0
                if sums[c] > highest:
                    highest, chosen = sums[c], c
        for e in range(indptr[x], indptr[x + 1]):
            z = indices[e]
            if labels[z] >= 0:
                sums[labels[z]] = 0.0
            elif not queued[z]:
                queue[tail] = z
                tail += 1
                queued[z] = True
        labels[x] = chosen
    for y in range(n):
        if labels[y] >= 0 or indptr[y] == indptr[y + 1]:
            continue
        head, tail = 0, 1
        queue[0] = y
        labels[y] = n_labels
        while head < tail:
            x = queue[head]
            head += 1
            for e in range(indptr[x], indptr[x + 1]):
                z = indices[e]
                if labels[z] < 0:
                    labels[z] = n_labels
                    queue[tail] = z
                    tail += 1
        n_labels += 1
    return n_labels
