"""The compiled loop of simulated annealing: random nodes go to random neighbours' clusters."""

from math import exp

from ...base.compiling import compiled
from ._local_moving_loops import ROUNDING, _links, _put_in, _records, _rest, _take_out, _write_back
from ._objective_loops import between, term


@compiled
def annealing_sweeps(task, sums, labels, temperatures, rng):
    """Propose, once per node for each temperature, a move of a random node to a random neighbour's cluster.

    A proposal that gains is accepted, one that loses with probability exp(gain / temperature): gains are in units of
    the mean weight of an edge end, the temperature without unit. Returns the number of moves.
    """
    rows, of_nodes, objective, limits = task
    indptr, indices, _, degrees = rows
    counts, is_fixed = of_nodes
    min_size, min_volume, max_size, max_volume = limits
    clusters, total, cut, apart = _records(objective, sums)
    n = len(labels)
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
            if b == a or b < 0:
                continue
            one, other = clusters[a], clusters[b]
            left, grown = _rest(one.volume, degrees[x]), other.volume + degrees[x]
            is_most = left <= ROUNDING * degrees[x] and one.count > count
            if one.count - count < min_size or left < min_volume or is_most:
                continue
            if other.count + count > max_size or grown > max_volume:
                continue
            from_a, to_b, loop = _links(rows, labels, x, a, b)
            rest, grown = left / total, grown / total
            part_a = term(objective, _rest(one.inner, 2.0 * from_a + loop) / total, rest)
            part_b = term(objective, (other.inner + 2.0 * to_b + loop) / total, grown)
            new_cut = cut + 2.0 * (from_a - to_b) / total
            share_a, share_b = one.volume / total, other.volume / total
            new_apart = apart + share_a * share_a + share_b * share_b - rest * rest - grown * grown
            new_across = between(objective, new_cut, new_apart)
            gain = part_a + part_b + new_across - one.part - other.part - across
            if gain < 0.0 and (unit == 0.0 or rng.random() >= exp(gain / unit)):
                continue
            _take_out(objective, one, total, part_a, from_a, loop, degrees[x], count)
            _put_in(objective, other, total, part_b, to_b, loop, degrees[x], count)
            cut, apart, across = new_cut, new_apart, new_across
            labels[x] = b
            moved += 1
    _write_back(clusters, sums)
    return moved
