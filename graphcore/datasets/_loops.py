"""Compiled loop of planted partitions; it takes a numpy Generator, which numba draws from as numpy does."""

from ..base.loops import compiled


@compiled
def planted_pairs(generator, borders, rate_in, rate_out, cursor, out_indices):
    """Draw every pair of nodes, rows ascending; an edge is written into the rows of both its ends.

    A rate is -log(1 - p), so that the integer part of an exponential variable over the rate is the number of pairs left
    out before the next edge. cursor[i] is where node i's next neighbour goes. With out_indices of length 0 nothing is
    written, and cursor[i] is raised by the degree of i: the same generator state then gives the same edges.
    """
    n = borders[-1]
    writes = len(out_indices) > 0
    for cluster in range(len(borders) - 1):
        border = borders[cluster + 1]
        for i in range(borders[cluster], border):
            # Pairs of the own cluster come first, then those of later ones: neighbours ascend. Lower neighbours of i
            # have been written while their rows were drawn.
            for within in range(2):
                j, stop, rate = (i + 1, border, rate_in) if within == 0 else (border, n, rate_out)
                while rate > 0:
                    left_out = generator.standard_exponential() / rate
                    if left_out >= stop - j:
                        break
                    j += int(left_out)
                    if writes:
                        out_indices[cursor[i]] = j
                        out_indices[cursor[j]] = i
                    cursor[i] += 1
                    cursor[j] += 1
                    j += 1
