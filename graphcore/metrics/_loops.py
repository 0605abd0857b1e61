"""Compiled loops over the rows of a graph with a label per node; -1 is no cluster.

`weights` of length 0 stands for ones. Every loop works on a block and writes only to that block's part of the output.
"""

from .._compile import compiled


@compiled
def centre_distances(
    indptr, indices, weights, labels, degrees, diagonal, self_loop, shift, masses, norms, nodes, first, last, default,
    inner, stamps, touched, own_out, nearest_out,
):  # fmt: skip
    """Squared distances of nodes to the centre of their own cluster and to the nearest centre.

    `masses` and `norms` are volume and squared norm of each centre, `default` the smallest norm; `inner`, `stamps` (-1
    before) and `touched` have one place per cluster. Nodes of no cluster get 0.
    """
    weighted = len(weights) > 0
    for t in range(first, last):
        x = nodes[t]
        own = labels[x]
        if own < 0:
            own_out[t] = 0.0
            nearest_out[t] = 0.0
            continue
        # The node's own loop and shift lie in its own cluster: the product with its centre always counts.
        inner[own] = self_loop
        stamps[own] = t
        touched[0] = own
        n_touched = 1
        for e in range(indptr[x], indptr[x + 1]):
            b = labels[indices[e]]
            if b < 0:
                continue
            if stamps[b] != t:
                inner[b] = 0.0
                stamps[b] = t
                touched[n_touched] = b
                n_touched += 1
            inner[b] += weights[e] if weighted else 1.0
        own_out[t] = diagonal[x] + norms[own] - 2.0 * (inner[own] / degrees[x] + shift) / masses[own]
        # A centre that no edge reaches is as far as its norm says.
        best = default
        for s in range(n_touched):
            b = touched[s]
            offer = inner[b] / degrees[x] + (shift if b == own else 0.0)
            best = min(best, norms[b] - 2.0 * offer / masses[b])
        nearest_out[t] = diagonal[x] + best
