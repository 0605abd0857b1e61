"""Compiled loops of D2 seeding through the sampling tree, and of importance sampling."""

from .._compile import compiled
from ._tree_loops import tree_build, tree_sample, tree_update

# A squared distance below this share of the two norms is rounding noise between equal points: it counts as 0.
_NOISE = 1e-12


@compiled
def _repair(
    y,
    seed_number,
    indptr,
    indices,
    weights,
    degrees,
    diagonal,
    point_weights,
    sums,
    offsets,
    nearest,
    touched,
    counters,
):
    """Bring contributions up to date after y became a centre."""
    weighted = len(weights) > 0
    n_touched = 0
    own_done = False
    for e in range(indptr[y], indptr[y + 1]):
        x = indices[e]
        if not own_done and x >= y:
            sums[y] = 0.0
            nearest[y] = seed_number
            touched[n_touched] = y
            n_touched += 1
            own_done = True
        if x == y or sums[x] == 0.0:
            continue
        entry = weights[e] if weighted else 1.0
        norms = diagonal[x] + diagonal[y]
        distance = norms - 2.0 * entry / (degrees[x] * degrees[y])
        if distance < -_NOISE * norms:
            counters[2] += 1
        if distance <= _NOISE * norms:
            distance = 0.0
        contribution = point_weights[x] * distance
        if contribution < sums[x]:
            sums[x] = contribution
            nearest[x] = seed_number
            touched[n_touched] = x
            n_touched += 1
    if not own_done:
        sums[y] = 0.0
        nearest[y] = seed_number
        touched[n_touched] = y
        n_touched += 1
    counters[0] += indptr[y + 1] - indptr[y]
    counters[1] += tree_update(sums, offsets, touched, n_touched)


@compiled
def seed_fast(
    indptr,
    indices,
    weights,
    degrees,
    diagonal,
    point_weights,
    initial,
    uniforms,
    sums,
    offsets,
    nearest,
    touched,
    counters,
    seeds,
):
    """D2 seeding through the sampling tree, Algorithm 2 with 6, 7 and 8 of the coreset paper.

    `initial[0]` is x*, the point of smallest K_xx: a point with no neighbour among the centres is nearest to it. Stops
    early when no point has a positive distance left. counters: edges read, groups summed, negative distances met.
    Returns the number of seeds.
    """
    n = len(indptr) - 1
    base = diagonal[initial[0]]
    for x in range(n):
        sums[x] = point_weights[x] * (diagonal[x] + base)
        nearest[x] = 0 if point_weights[x] > 0 else -1
    tree_build(sums, offsets)
    count = 0
    for draw in range(len(initial) + len(uniforms)):
        if draw < len(initial):
            y = initial[draw]
        else:
            y = tree_sample(sums, offsets, uniforms[draw - len(initial)])
        if y < 0:
            break
        seeds[count] = y
        _repair(
            y,
            draw,  # the same number as count, which numba would compile a second time for its first value
            indptr,
            indices,
            weights,
            degrees,
            diagonal,
            point_weights,
            sums,
            offsets,
            nearest,
            touched,
            counters,
        )
        count += 1
    return count


@compiled
def neighbourhood_weights(nearest, point_weights, out):
    """out[c] += weight of the points whose nearest centre is c (-1 takes no part)."""
    for x in range(len(nearest)):
        if nearest[x] >= 0:
            out[nearest[x]] += point_weights[x]


@compiled
def sensitivities(nearest, point_weights, contributions, cost, neighbourhoods, out):
    """sigma_x = w(x) Delta(x, C) / cost(C) + w(x) / w(neighbourhood of x); returns their sum."""
    total = 0.0
    for x in range(len(nearest)):
        sigma = 0.0
        if nearest[x] >= 0:
            sigma = point_weights[x] / neighbourhoods[nearest[x]]
            if cost > 0.0:
                sigma += contributions[x] / cost
        out[x] = sigma
        total += sigma
    return total


@compiled
def draw_sorted(values, total, uniforms, out):
    """Points drawn with probability values / total, for ascending uniforms (-1 if all are 0); one pass."""
    x = -1
    last = -1
    reached = 0.0
    for u in range(len(uniforms)):
        target = uniforms[u] * total
        while x < len(values) - 1 and (last < 0 or reached <= target):
            x += 1
            if values[x] > 0.0:
                reached += values[x]
                last = x
        out[u] = last
