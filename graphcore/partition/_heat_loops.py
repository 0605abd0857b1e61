"""Compiled loop of heated moves: single nodes also move for the worse, the less so the colder it gets."""

from math import exp

import numpy as np

from .._compile import compiled
from ._local_moving_loops import _ROUNDING, _rest
from ._objective_loops import between, term, total_of


@compiled
def heated_sweeps(
    indptr, indices, weights, degrees, counts, objective, temperatures, min_size, min_volume, max_size, max_volume,
    is_fixed, rng, inner, volumes, sizes, labels,
):  # fmt: skip
    """As many proposals as there are nodes for each temperature, of a random node for a random neighbour's cluster.

    One that gains is accepted, one that loses with probability exp(gain / temperature): gains are in units of the mean
    weight of an edge end, the temperature without unit. Limits are those of
    :func:`graphcore.partition._local_moving_loops.move_nodes`. inner, volumes and sizes are those of `labels` and are
    kept up to date. Returns how many nodes moved.
    """
    n, total, weighted = len(labels), total_of(volumes), len(weights) > 0
    parts, cut, apart = np.empty(len(inner)), 1.0, 1.0
    for c in range(len(inner)):
        parts[c] = term(objective, inner[c] / total, volumes[c] / total)
        cut -= inner[c] / total
        apart -= (volumes[c] / total) * (volumes[c] / total)
    across = between(objective, cut, apart)
    moved = 0
    for temperature in temperatures:
        unit = 2.0 * temperature / max(1, len(indices))
        for _ in range(n):
            x = int(rng.random() * n)
            a, first, length = labels[x], indptr[x], indptr[x + 1] - indptr[x]
            if a < 0 or length == 0 or (len(is_fixed) > 0 and is_fixed[x]):
                continue
            count = counts[x] if len(counts) > 0 else 1
            b = labels[indices[first + int(rng.random() * length)]]
            left = _rest(volumes[a], degrees[x])
            is_most = left <= _ROUNDING * degrees[x] and sizes[a] > count
            if b == a or b < 0 or sizes[a] - count < min_size or left < min_volume or is_most:
                continue
            if sizes[b] + count > max_size or volumes[b] + degrees[x] > max_volume:
                continue
            from_a, to_b, loop = 0.0, 0.0, 0.0
            for e in range(first, first + length):
                weight = weights[e] if weighted else 1.0
                if indices[e] == x:
                    loop = weight
                elif labels[indices[e]] == a:
                    from_a += weight
                elif labels[indices[e]] == b:
                    to_b += weight
            inner_left = _rest(inner[a], 2.0 * from_a + loop)
            rest, grown = left / total, (volumes[b] + degrees[x]) / total
            part_a = term(objective, inner_left / total, rest)
            part_b = term(objective, (inner[b] + 2.0 * to_b + loop) / total, grown)
            new_cut = cut + 2.0 * (from_a - to_b) / total
            share_a, share_b = volumes[a] / total, volumes[b] / total
            new_apart = apart + share_a * share_a + share_b * share_b - rest * rest - grown * grown
            new_across = between(objective, new_cut, new_apart)
            gain = part_a + part_b + new_across - parts[a] - parts[b] - across
            if gain < 0.0 and (unit == 0.0 or rng.random() >= exp(gain / unit)):
                continue
            inner[a] = inner_left
            inner[b] += 2.0 * to_b + loop
            volumes[a] = left
            volumes[b] += degrees[x]
            sizes[a] -= count
            sizes[b] += count
            parts[a], parts[b], cut, apart, across = part_a, part_b, new_cut, new_apart, new_across
            labels[x] = b
            moved += 1
    return moved
