"""Compiled loops of nearest neighbour descent over vectors; see `search_approximate`.

Nodes are rows in the order of the first tree's leaves, so that rows that are near each other lie near each other in
memory: `order[i]` is the row of the vectors that node i stands for. `near` (n, K) lists for each node the nearest that
were found, nearest first, with their distances in `far`; a node that is new to a list stands as -2 - node, and -1 is
none. In `far`, Euclidean distances are squares.

Each node reads what was listed before the round and writes to its own list, so that blocks of nodes can be worked on
side by side and give the same lists in any case.
"""

import numpy as np

from ..base.compiling import compiled

EUCLIDEAN, MANHATTAN, JACCARD = 0, 1, 2

_PIECE = 128


@compiled
def _draw(state, n):
    """Next state of a linear congruential generator (Knuth's MMIX) and a number below n."""
    state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return state, np.int64((state >> np.uint64(33)) % np.uint64(n))


@compiled(sums_in_any_order=True)
def _squares(x, y):
    total = np.float32(0)
    for j in range(len(x)):
        difference = x[j] - y[j]
        total += difference * difference
    return total


@compiled(sums_in_any_order=True)
def _moduli(x, y):
    total = np.float32(0)
    for j in range(len(x)):
        total += abs(x[j] - y[j])
    return total


@compiled(sums_in_any_order=True)
def _jaccard(x, y):
    """1 - |x and y| / |x or y| of vectors of 0 and 1; 0 between empty ones."""
    both, ones = np.float32(0), np.float32(0)
    for j in range(len(x)):
        both += x[j] * y[j]
        ones += x[j] + y[j]
    return np.float32(1) - both / (ones - both) if ones > 0 else np.float32(0)


@compiled
def dense_distance(metric, x, y, bound):
    """Distance of two rows; where it is at least `bound`, any number from there on."""
    if metric == JACCARD:
        return _jaccard(x, y)
    total = np.float32(0)
    for start in range(0, len(x), _PIECE):
        piece, other = x[start : start + _PIECE], y[start : start + _PIECE]
        total += _squares(piece, other) if metric == EUCLIDEAN else _moduli(piece, other)
        if total >= bound:
            break
    return total


@compiled
def sparse_distance(metric, spread, own, indices, data):
    """Distance of a row written into the zeros of `spread`, whose share alone is `own`, to a sparse one.

    The own share is |x|^2, |x|_1 or the number of ones. In float64 what cancels leaves float32 all its digits.
    """
    total, ones = own, own
    for entry in range(len(indices)):
        x, y = np.float64(spread[indices[entry]]), np.float64(data[entry])
        if metric == EUCLIDEAN:
            total += y * y - 2 * x * y
        elif metric == MANHATTAN:
            total += abs(y - x) - abs(x)
        else:
            total -= x * y
            ones += y - x * y
    if metric == JACCARD:
        # What is left of `own` is in x alone; with y beside it, `ones` are in either.
        total = (total + ones - own) / ones if ones > 0 else 0.0
    return np.float32(max(total, 0.0))


@compiled
def spread_row(metric, spread, indices, data):
    """Write a sparse row into the zeros of `spread`; returns its own share."""
    own = 0.0
    for entry in range(len(indices)):
        value = np.float64(data[entry])
        spread[indices[entry]] = data[entry]
        own += value * value if metric == EUCLIDEAN else abs(value)
    return own


@compiled
def grow_tree(sketch, nodes, borders, leaf, least, seed):
    """Sort nodes into the leaves of a random projection tree (Dasgupta and Freund 2008); returns how many leaves.

    A branch of more than `leaf` nodes is cut by the plane half way between two of its nodes, or, where that would
    leave one side fewer than `least` or an eighth, in halves. Leaf l is `nodes[borders[l] : borders[l + 1]]`.
    """
    state, n_leaves = np.uint64(seed), 0
    normal = np.empty(sketch.shape[1], dtype=np.float32)
    stack = [(0, len(nodes))]
    while len(stack) > 0:
        start, stop = stack.pop()
        size = stop - start
        if size <= leaf:
            borders[n_leaves] = start
            n_leaves += 1
            continue
        state, one = _draw(state, size)
        state, other = _draw(state, size)
        one, other = nodes[start + one], nodes[start + other]
        offset = np.float32(0)
        for j in range(len(normal)):
            normal[j] = sketch[one, j] - sketch[other, j]
            offset += normal[j] * (sketch[one, j] + sketch[other, j]) / np.float32(2)
        low, high = start, stop - 1
        while low <= high:
            node = nodes[low]
            if _inner(normal, sketch[node]) < offset:
                low += 1
            else:
                nodes[low], nodes[high] = nodes[high], node
                high -= 1
        if min(low - start, stop - low) < max(least, size // 8):
            low = start + size // 2
        stack.append((low, stop))
        stack.append((start, low))
    borders[n_leaves] = len(nodes)
    return n_leaves


@compiled(sums_in_any_order=True)
def _inner(x, y):
    total = np.float32(0)
    for j in range(len(x)):
        total += x[j] * y[j]
    return total


@compiled
def _insert(near, far, node, distance):
    """Insert a node, nearer than the last, into one list; returns the distance to the last."""
    k = len(far) - 1
    while k > 0 and far[k - 1] > distance:
        far[k], near[k] = far[k - 1], near[k - 1]
        k -= 1
    far[k], near[k] = distance, -2 - node
    return far[-1]


@compiled
def list_leaves(sketch, trees, borders, leaf_of, near, far, start, stop):
    """List for each node of a block the nearest in the sketch among those that share a leaf with it in any tree."""
    seen = np.full(len(sketch), -1, dtype=np.int32)
    for i in range(start, stop):
        seen[i] = i
        mine, mine_near, mine_far = sketch[i], near[i], far[i]
        last = mine_far[-1]
        for tree in range(len(trees)):
            leaf = leaf_of[tree, i]
            for place in range(borders[tree, leaf], borders[tree, leaf + 1]):
                u = trees[tree, place]
                if seen[u] != i:
                    seen[u] = i
                    distance = _squares(mine, sketch[u])
                    if distance < last:
                        last = _insert(mine_near, mine_far, u, distance)


@compiled
def list_reverse(near, reverse, counts, seed):
    """List for each node up to some of those that list it, drawn at random; `counts` starts at 0 and tells of all."""
    room, state = reverse.shape[1], np.uint64(seed)
    for i in range(len(near)):
        for entry in near[i]:
            if entry == -1:
                continue
            u = -2 - entry if entry < 0 else entry
            place = np.int64(counts[u])
            counts[u] += 1
            if place >= room:
                state, place = _draw(state, place + 1)
            if place < room:
                reverse[u, place] = -2 - i if entry < 0 else i


@compiled
def _holds(entries, entry):
    for held in entries:  # noqa: SIM110  numba takes no generators
        if held == entry:
            return True
    return False


@compiled
def gather_around(near, reverse, counts, around, n_new, n_all, start, stop):
    """Write down who lists each node of a block or is listed by it, the new ones first; from then on none is new."""
    for i in range(start, stop):
        mine, theirs = near[i], reverse[i, : min(counts[i], reverse.shape[1])]
        n = 0
        for entry in mine:
            if entry < -1:
                around[i, n] = -2 - entry
                n += 1
        for entry in theirs:
            if entry < -1:
                around[i, n] = -2 - entry
                n += 1
        n_new[i] = n
        for k in range(len(mine)):
            if mine[k] >= 0:
                around[i, n] = mine[k]
                n += 1
            elif mine[k] < -1:
                u = -2 - mine[k]
                if counts[u] <= reverse.shape[1] or _holds(reverse[u], -2 - i):
                    mine[k] = u
        for entry in theirs:
            if entry >= 0:
                around[i, n] = entry
                n += 1
        n_all[i] = n


@compiled
def descend_sketch(sketch, around, n_new, n_all, near, far, start, stop):
    """Look for nearer nodes around a node and around those, by distances in the sketch; returns how many came in.

    Pairs of which both ways are old were looked at in a round before.
    """
    n_found = 0
    seen = np.full(len(sketch), -1, dtype=np.int32)
    for i in range(start, stop):
        mine, mine_near, mine_far = sketch[i], near[i], far[i]
        last = mine_far[-1]
        seen[i] = i
        for entry in mine_near:
            if entry != -1:
                seen[max(entry, -2 - entry)] = i
        for step in range(-1, n_all[i]):
            v = i if step < 0 else around[i, step]
            for place in range(n_all[v] if 0 <= step < n_new[i] else n_new[v]):
                u = around[v, place]
                if seen[u] != i:
                    seen[u] = i
                    distance = _squares(mine, sketch[u])
                    if distance < last:
                        last = _insert(mine_near, mine_far, u, distance)
                        n_found += 1
    return n_found


@compiled
def descend_vectors(
    metric, dense, indptr, indices, data, order, sketch, ratio, around, n_new, n_all, near, far, start, stop
):  # fmt: skip
    """As `descend_sketch`, by the vectors: dense ones, or, where there are none, sparse ones.

    Nodes that are too far by `ratio` times their distance in the sketch are left out.
    """
    n_found = 0
    seen = np.full(len(sketch), -1, dtype=np.int32)
    sparse, spread, own = len(dense) == 0, np.zeros(dense.shape[1], dtype=np.float32), 0.0
    for i in range(start, stop):
        row, mine, mine_near, mine_far = order[i], sketch[i], near[i], far[i]
        last = mine_far[-1]
        if sparse:
            entries = indices[indptr[row] : indptr[row + 1]]
            own = spread_row(metric, spread, entries, data[indptr[row] : indptr[row + 1]])
        seen[i] = i
        for entry in mine_near:
            if entry != -1:
                seen[max(entry, -2 - entry)] = i
        for step in range(-1, n_all[i]):
            v = i if step < 0 else around[i, step]
            for place in range(n_all[v] if 0 <= step < n_new[i] else n_new[v]):
                u = around[v, place]
                if seen[u] == i:
                    continue
                seen[u] = i
                if ratio > 0 and ratio * _squares(mine, sketch[u]) >= last:
                    continue
                other = order[u]
                if sparse:
                    begin, end = indptr[other], indptr[other + 1]
                    distance = sparse_distance(metric, spread, own, indices[begin:end], data[begin:end])
                else:
                    distance = dense_distance(metric, dense[row], dense[other], last)
                if distance < last:
                    last = _insert(mine_near, mine_far, u, distance)
                    n_found += 1
        if sparse:
            for j in entries:
                spread[j] = 0
    return n_found
