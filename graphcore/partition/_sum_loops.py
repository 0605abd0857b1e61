"""Compiled sums over the clusters of a graph."""

from .._compile import compiled


@compiled
def add_cluster_sums(
    indptr, indices, weights, degrees, counts, labels, first, last, internal, volume, cut, size, inside, outside
):
    """Add what nodes first to last bring to their clusters: weight inside (both directions), volume, cut, number.

    counts says how many nodes each one stands for; length 0 stands for ones. `inside` and `outside`, which begin with
    node `first`, get each node's weight inside and outside of its cluster, unless they are of length 0; nodes of no
    cluster get 0 and 0.
    """
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


@compiled
def within_weights(indptr, indices, values, labels, out):
    """out[j] += entries of a sparse matrix between points that both have label j."""
    for i in range(len(indptr) - 1):
        total = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            if labels[indices[e]] == labels[i]:
                total += values[e]
        out[labels[i]] += total
