"""Compiled loops of searches: distances of pairs of vectors, nearest neighbour descent, walks, and hashes of rows.

Nodes of the descent are rows in the order of the first tree's leaves, so that what is looked at one after the other are
the same few rows: `order[i]` is the row of the vectors that node i stands for. `near` (n, K) lists for each node the
nearest that were found, nearest first, with their distances in `far`; a node that is new to a list stands as -2 - node,
and -1 is none. Euclidean distances are squares.
"""

import numpy as np

from ..base.loops import compiled

EUCLIDEAN, MANHATTAN, JACCARD = 0, 1, 2
CODES = {"manhattan": MANHATTAN, "jaccard": JACCARD}  # all others are Euclidean distances in another unit

_PIECE, _DISTANCES = 128, 32
# Factor of the hash: 2^64 over the golden ratio.
_MIX = np.uint64(0x9E3779B97F4A7C15)

# -- distances ---------------------------------------------------------------------------------------------------------


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
    """Compute 1 - |x and y| / |x or y| of vectors of 0 and 1; 0 between empty ones."""
    both, ones = np.float32(0), np.float32(0)
    for j in range(len(x)):
        both += x[j] * y[j]
        ones += x[j] + y[j]
    return np.float32(1) - both / (ones - both) if ones > 0 else np.float32(0)


@compiled
def dense_distance(metric, x, y, bound):
    """Compute the distance of two rows; from `bound` on, any number from there on."""
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
    """Compute the distance of a row in `spread`, zeros elsewhere, whose share alone is `own`, to a sparse one.

    The own share is |x|^2, |x|_1 or the number of ones. In float64 sums that cancel leave float32 all its digits.
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
        # The rest of `own` is in x alone; together with those of y, `ones` are in either.
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


@compiled(sums_in_any_order=True)
def _distances_behind(metric, rows, i, n, out):
    """Write distances of row i to the rows behind it, up to row n, which lie close together in memory, to their places.

    By places: a slice of an array costs more here than the distance of two rows of 128 columns, 4 nanoseconds.
    """
    for k in range(i + 1, n):
        total, ones = np.float32(0), np.float32(0)
        if metric == EUCLIDEAN:
            for j in range(rows.shape[1]):
                difference = rows[i, j] - rows[k, j]
                total += difference * difference
        elif metric == MANHATTAN:
            for j in range(rows.shape[1]):
                total += abs(rows[i, j] - rows[k, j])
        else:
            for j in range(rows.shape[1]):
                total += rows[i, j] * rows[k, j]
                ones += rows[i, j] + rows[k, j]
            total = np.float32(1) - total / (ones - total) if ones > 0 else np.float32(0)
        out[k] = total


# -- nearest neighbour descent -----------------------------------------------------------------------------------------


@compiled
def _draw(state, n):
    """Return the next state of a linear congruential generator (Knuth's MMIX) and a number below n."""
    state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
    return state, np.int64((state >> np.uint64(33)) % np.uint64(n))


@compiled
def grow_tree(vectors, rows, borders, leaf, least, seed):
    """Sort rows into the leaves of a random projection tree (Dasgupta and Freund 2008); returns how many leaves.

    A branch of more than `leaf` rows is cut by the plane half way between two of them, or, where that would leave one
    side fewer than `least` or an eighth, in halves. Leaf l is `rows[borders[l] : borders[l + 1]]`.
    """
    state, n_leaves = np.uint64(seed), 0
    normal = np.empty(vectors.shape[1], dtype=np.float32)
    stack = [(0, len(rows))]
    while len(stack) > 0:
        start, stop = stack.pop()
        size = stop - start
        if size <= leaf:
            borders[n_leaves] = start
            n_leaves += 1
            continue
        state, one = _draw(state, size)
        state, other = _draw(state, size)
        one, other = rows[start + one], rows[start + other]
        offset = np.float32(0)
        for j in range(len(normal)):
            normal[j] = vectors[one, j] - vectors[other, j]
            offset += normal[j] * (vectors[one, j] + vectors[other, j]) / np.float32(2)
        low, high = start, stop - 1
        while low <= high:
            row = rows[low]
            if _inner(normal, vectors, row) < offset:
                low += 1
            else:
                rows[low], rows[high] = rows[high], row
                high -= 1
        if min(low - start, stop - low) < max(least, size // 8):
            low = start + size // 2
        stack.append((low, stop))
        stack.append((start, low))
    borders[n_leaves] = len(rows)
    return n_leaves


@compiled(sums_in_any_order=True)
def _inner(x, vectors, row):
    total = np.float32(0)
    for j in range(len(x)):
        total += x[j] * vectors[row, j]
    return total


@compiled
def _insert(near, far, i, entry, distance):
    """Insert an entry, nearer than the last, into the list of node i; returns the distance to the last."""
    last = far.shape[1] - 1
    k = last
    while k > 0 and far[i, k - 1] > distance:
        far[i, k], near[i, k] = far[i, k - 1], near[i, k - 1]
        k -= 1
    far[i, k], near[i, k] = distance, entry
    return far[i, last]


@compiled
def _offer(near, far, i, node, distance):
    """Insert a node, nearer than the last, into the list of node i unless it holds it; returns whether it came in."""
    for k in range(near.shape[1]):
        if near[i, k] == node or near[i, k] == -2 - node:
            return 0
    _insert(near, far, i, -2 - node, distance)
    return 1


@compiled
def _fetch(vectors, order, node, rows, far, lasts, place):
    """Copy a node's vector, and the distance to the last of its list, to a place in arrays that stay in the cache."""
    row = order[node]
    for j in range(vectors.shape[1]):
        rows[place, j] = vectors[row, j]
    lasts[place] = far[node, far.shape[1] - 1]


@compiled
def list_leaves(metric, vectors, order, nodes, borders, near, far, start, stop):
    """Put into the lists of the nodes in each of some leaves of one tree those of the others that are near enough."""
    size, last = 0, far.shape[1] - 1
    for leaf in range(start, stop):
        size = max(size, borders[leaf + 1] - borders[leaf])
    rows = np.empty((size, vectors.shape[1]), dtype=np.float32)
    lasts, distances = np.empty(size, dtype=np.float32), np.empty(size, dtype=np.float32)
    for leaf in range(start, stop):
        first, n = borders[leaf], borders[leaf + 1] - borders[leaf]
        for a in range(n):
            _fetch(vectors, order, nodes[first + a], rows, far, lasts, a)
        for a in range(n):
            one = nodes[first + a]
            _distances_behind(metric, rows, a, n, distances)
            for b in range(a + 1, n):
                other = nodes[first + b]
                if distances[b] < lasts[a]:
                    _offer(near, far, one, other, distances[b])
                    lasts[a] = far[one, last]
                if distances[b] < lasts[b]:
                    _offer(near, far, other, one, distances[b])
                    lasts[b] = far[other, last]


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
def _add(around, i, n, node):
    """Write down a node in place n of those around node i if it is not there yet; returns how many there are."""
    for k in range(n):
        if around[i, k] == node:
            return n
    around[i, n] = node
    return n + 1


@compiled
def gather_around(near, reverse, counts, around, n_new, n_all, start, stop):
    """Write down who lists each node of a block or is listed by it, the new ones first; from then on none is new."""
    for i in range(start, stop):
        n, n_theirs = 0, min(counts[i], reverse.shape[1])
        for k in range(near.shape[1]):
            if near[i, k] < -1:
                n = _add(around, i, n, -2 - near[i, k])
        for k in range(n_theirs):
            if reverse[i, k] < -1:
                n = _add(around, i, n, -2 - reverse[i, k])
        n_new[i] = n
        for k in range(near.shape[1]):
            if near[i, k] < -1:
                near[i, k] = -2 - near[i, k]
            elif near[i, k] >= 0:
                n = _add(around, i, n, near[i, k])
        for k in range(n_theirs):
            if reverse[i, k] >= 0:
                n = _add(around, i, n, reverse[i, k])
        n_all[i] = n


@compiled
def join(metric, vectors, order, around, n_new, n_all, far, pairs, distances, start, stop):
    """Compare those around each node of a block with each other, two old ones left out.

    Writes down the pairs of which one is nearer to the other than the last of its list; returns how many.
    """
    n_pairs, room = 0, around.shape[1]
    rows = np.empty((room, vectors.shape[1]), dtype=np.float32)
    lasts, found = np.empty(room, dtype=np.float32), np.empty(room, dtype=np.float32)
    for i in range(start, stop):
        if n_new[i] == 0:
            continue
        for a in range(n_all[i]):
            _fetch(vectors, order, around[i, a], rows, far, lasts, a)
        for a in range(n_new[i]):
            _distances_behind(metric, rows, a, n_all[i], found)
            for b in range(a + 1, n_all[i]):
                if found[b] < lasts[a] or found[b] < lasts[b]:
                    pairs[n_pairs, 0], pairs[n_pairs, 1], distances[n_pairs] = around[i, a], around[i, b], found[b]
                    n_pairs += 1
    return n_pairs


@compiled
def join_sketched(
    metric, dense, indptr, indices, data, sketch, ratio, order, around, n_new, n_all, far, pairs, distances, start, stop
):  # fmt: skip
    """Compare as `join` does, by vectors of many columns, or, where `dense` has no rows, by sparse ones.

    Pairs that are too far by `ratio` times their distance in the sketch are left out.
    """
    n_pairs, room = 0, around.shape[1]
    rows = np.empty((room, sketch.shape[1]), dtype=np.float32)
    lasts, sketched = np.empty(room, dtype=np.float32), np.empty(room, dtype=np.float32)
    sparse, spread, own = len(dense) == 0, np.zeros(dense.shape[1], dtype=np.float32), 0.0
    for i in range(start, stop):
        if n_new[i] == 0:
            continue
        for a in range(n_all[i]):
            _fetch(sketch, order, around[i, a], rows, far, lasts, a)
        for a in range(n_new[i]):
            one = around[i, a]
            row = order[one]
            if ratio > 0:
                _distances_behind(EUCLIDEAN, rows, a, n_all[i], sketched)
            if sparse:
                entries = indices[indptr[row] : indptr[row + 1]]
                own = spread_row(metric, spread, entries, data[indptr[row] : indptr[row + 1]])
            for b in range(a + 1, n_all[i]):
                node = around[i, b]
                other, bound = order[node], max(lasts[a], lasts[b])
                if ratio > 0 and ratio * sketched[b] >= bound:
                    continue
                if sparse:
                    begin, end = indptr[other], indptr[other + 1]
                    distance = sparse_distance(metric, spread, own, indices[begin:end], data[begin:end])
                else:
                    distance = dense_distance(metric, dense[row], dense[other], bound)
                if distance < bound:
                    pairs[n_pairs, 0], pairs[n_pairs, 1], distances[n_pairs] = one, node, distance
                    n_pairs += 1
            if sparse:
                for j in entries:
                    spread[j] = 0
    return n_pairs


@compiled
def take_pairs(near, far, pairs, distances, n_pairs, part, n_parts):
    """Put the pairs of all blocks into lists, those of one of 2^m parts of the nodes; returns how many came in."""
    n_found, last = 0, far.shape[1] - 1
    for block in range(len(n_pairs)):
        for k in range(n_pairs[block]):
            one, other, distance = pairs[block, k, 0], pairs[block, k, 1], distances[block, k]
            # By 64 nodes, so that threads do not write to the same lines of the cache.
            if (one >> 6) & (n_parts - 1) == part and distance < far[one, last]:
                n_found += _offer(near, far, one, other, distance)
            if (other >> 6) & (n_parts - 1) == part and distance < far[other, last]:
                n_found += _offer(near, far, other, one, distance)
    return n_found


@compiled
def measure_lists(metric, dense, indptr, indices, data, order, near, far, start, stop):
    """Put distances between vectors in place of those in a sketch, in the lists of a block; all listed are new then."""
    sparse, spread, own, none = len(dense) == 0, np.zeros(dense.shape[1], dtype=np.float32), 0.0, np.float32(np.inf)
    listed = np.empty(near.shape[1], dtype=np.int32)
    for i in range(start, stop):
        row = order[i]
        if sparse:
            entries = indices[indptr[row] : indptr[row + 1]]
            own = spread_row(metric, spread, entries, data[indptr[row] : indptr[row + 1]])
        for k in range(len(listed)):
            listed[k] = max(near[i, k], -2 - near[i, k])
            near[i, k], far[i, k] = -1, none
        for node in listed:
            if node >= 0:
                other = order[node]
                if sparse:
                    begin, end = indptr[other], indptr[other + 1]
                    distance = sparse_distance(metric, spread, own, indices[begin:end], data[begin:end])
                else:
                    distance = dense_distance(metric, dense[row], dense[other], none)
                _insert(near, far, i, -2 - node, distance)
        if sparse:
            for j in entries:
                spread[j] = 0


# -- exact search ------------------------------------------------------------------------------------------------------


@compiled
def list_products(products, halves, their_halves, numbers, their_numbers, near, close, their_near, their_close):
    """Take a block of inner products into the lists of its rows, and of its columns, of the nearest.

    Half the squared norms less the products are half the squared distances, by which lists go. Numbers are those of the
    rows and columns, of which equal ones are passed over. A column whose list ends in minus infinity takes none. A
    piece of a row is read again where the loop that counts, which is vectorised, finds a distance that is small enough.
    """
    n, lasts = products.shape[1], their_close[:, -1].copy()
    for i in range(len(products)):
        last, half = close[i, -1], halves[i]
        for start in range(0, n, _DISTANCES):
            stop = min(start + _DISTANCES, n)
            n_near = np.int32(0)
            for j in range(start, stop):
                n_near += np.int32(products[i, j] - their_halves[j] + max(last, lasts[j]) > half)
            if n_near == 0:
                continue
            for j in range(start, stop):
                distance = their_halves[j] - products[i, j] + half
                if numbers[i] == their_numbers[j]:
                    continue
                if distance < last:
                    last = _insert(near, close, i, their_numbers[j], distance)
                if distance < lasts[j]:
                    lasts[j] = _insert(their_near, their_close, j, numbers[i], distance)


# -- walks over a neighbour graph --------------------------------------------------------------------------------------


@compiled
def walk(metric, vectors, indptr, indices, rows, starts, order, near, far, start, stop):
    """List for each row of a block of `order` the nearest vectors that a walk from its starts meets, nearest first.

    The nearest of the list whose neighbours were not looked at yet is next, until there is none. Such a one stands in
    `near` (-1 at first) as -2 - number, as what is new does in nearest neighbour descent; `far` starts infinite.
    """
    seen = np.full(len(vectors), -1, dtype=np.int32)
    for place in range(start, stop):
        i = order[place]
        mine, mine_near = rows[i], near[i]
        last, around = far[i, -1], starts[i]
        while True:
            for u in around:
                if seen[u] != i:
                    seen[u] = i
                    distance = dense_distance(metric, mine, vectors[u], last)
                    if distance < last:
                        last = _insert(near, far, i, -2 - u, distance)
            at = 0
            while at < len(mine_near) and mine_near[at] >= 0:
                at += 1
            if at == len(mine_near) or mine_near[at] == -1:
                break
            v = -2 - mine_near[at]
            mine_near[at] = v
            around = indices[indptr[v] : indptr[v + 1]]


# -- what rows hold, as numbers: float64 seen as uint64 ----------------------------------------------------------------


@compiled
def _mixed(x):
    """Spread bits over the whole word: those of small integers, for one, end in zeros. 0 stays, and so does -0."""
    if x << np.uint64(1) == 0:
        return np.uint64(0)
    x ^= x >> np.uint64(29)
    x *= _MIX
    return x ^ (x >> np.uint64(32))


@compiled
def hash_dense(bits, factors, out):
    for i in range(len(bits)):
        total = np.uint64(0)
        for j in range(bits.shape[1]):
            total += _mixed(bits[i, j]) * factors[j]
        out[i] = total


@compiled
def hash_sparse(indptr, indices, bits, factors, out):
    for i in range(len(out)):
        total = np.uint64(0)
        for e in range(indptr[i], indptr[i + 1]):
            total += _mixed(bits[e]) * factors[indices[e]]
        out[i] = total
