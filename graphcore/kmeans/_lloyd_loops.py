"""Compiled loop of Lloyd's iterations on rows in blocks."""

from .._compile import compiled


@compiled
def add_to_nearest(rows, products, norms, sums, counts):
    """Add each row to the sum and the number of the centre nearest to it; returns the sum of its squared distances.

    `products` are of rows and centres, `norms` the centres' squared lengths. Of equals the first is nearest.
    """
    cost = 0.0
    for i in range(len(rows)):
        nearest, least = 0, norms[0] - 2.0 * products[i, 0]
        for c in range(1, len(norms)):
            value = norms[c] - 2.0 * products[i, c]
            if value < least:
                nearest, least = c, value
        square = 0.0
        for j in range(rows.shape[1]):
            sums[nearest, j] += rows[i, j]
            square += rows[i, j] * rows[i, j]
        counts[nearest] += 1
        cost += max(0.0, square + least)
    return cost
