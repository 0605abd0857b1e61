"""Compiled loops of compressed sparse rows: made of edges, checked, summed, cut into components.

`weights` of length 0 stands for a graph without weights (every entry counts 1). Outputs are allocated by the caller.
"""

import numpy as np
from numba import njit

from ..base.loops import compiled

MAX, AVERAGE, SUM, MIN = 0, 1, 2, 3
_FNV_START, _FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)
_MIX, _HALF, _LOWER = np.uint64(0x9E3779B97F4A7C15), np.uint64(32), np.uint64(0xFFFFFFFF)


@compiled
def combined(policy, one_way, other_way):
    """Weight of an edge from those of its two directions, 0 for a direction that is missing."""
    if policy == MAX:
        return max(one_way, other_way)
    if policy == AVERAGE:
        return 0.5 * (one_way + other_way)
    if policy == SUM:
        return one_way + other_way
    return min(one_way, other_way)


@compiled
def number_text(data, starts, stops, numbers, done, hashes, slots, names, ends, n_names):
    """Number values of text from `done` on; returns (values done, names known), fewer than all where space ends.

    Name k is ``names[ends[k] : ends[k + 1]]``. Of the slots, a power of two, each holds the upper half of a hash
    (FNV-1a, mixed) and k + 1, or 0. Slots and names of many values are touched before the first is compared, so that
    the memory's delays overlap.
    """
    mask = np.uint64(len(slots) - 1)
    for begin in range(done, len(starts), len(hashes)):
        end = min(begin + len(hashes), len(starts))
        touched = 0
        for i in range(begin, end):
            hashed = _FNV_START
            for at in range(starts[i], stops[i]):
                hashed = (hashed ^ np.uint64(data[at])) * _FNV_PRIME
            hashes[i - begin] = (hashed ^ (hashed >> _HALF)) * _MIX
        for i in range(begin, end):
            numbers[i] = slots[(hashes[i - begin] >> _HALF) & mask] & _LOWER
        for i in range(begin, end):
            touched += names[ends[max(numbers[i] - 1, 0)]]
        numbers[begin] = touched  # or the compiler would leave the loop out
        for i in range(begin, end):
            start, size, hashed = starts[i], stops[i] - starts[i], hashes[i - begin]
            place = (hashed >> _HALF) & mask
            while True:
                slot = slots[place]
                k = np.int64(slot & _LOWER) - 1
                if k < 0:
                    at = ends[n_names]
                    if n_names + 1 == len(ends) or at + size > len(names):
                        return i, n_names
                    for p in range(size):
                        names[at + p] = data[start + p]
                    numbers[i] = n_names
                    n_names += 1
                    ends[n_names] = at + size
                    slots[place] = (hashed & ~_LOWER) | np.uint64(n_names)
                    break
                at = ends[k]
                if (slot ^ hashed) >> _HALF == 0 and ends[k + 1] - at == size:
                    p = 0
                    while p < size and names[at + p] == data[start + p]:
                        p += 1
                    if p == size:
                        numbers[i] = k
                        break
                place = (place + np.uint64(1)) & mask
    return len(starts), n_names


@compiled
def pack_pairs(ends, keys):
    """keys[e] = lower end << 32 | higher end << 1 | whether it runs downwards; may be the memory of `ends`."""
    for e in range(len(ends)):
        i, j = np.int64(ends[e, 0]), np.int64(ends[e, 1])
        keys[e] = (i << 32) | (j << 1) if i <= j else (j << 32) | (i << 1) | 1


@compiled
def unique_pairs(keys, weights, policy, tolerance, counts):
    """Merge equal pairs of sorted keys in place, as lower end << 32 | higher end; counts[i] += pairs at node i.

    Weights, if any, are added in each direction and then combined. Returns (pairs kept, pairs found in both
    directions, in one only, in both with different weights); self-loops count in none of the last three.
    """
    weighted = len(weights) > 0
    length, both, single, different = 0, 0, 0, 0
    e = 0
    while e < len(keys):
        pair = keys[e] >> 1
        i, j = pair >> 31, pair & 0x7FFFFFFF
        first = keys[e] & 1
        upward, downward = 0.0, 0.0
        while e < len(keys) and keys[e] >> 1 == pair:
            if weighted:
                if keys[e] & 1:
                    downward += weights[e]
                else:
                    upward += weights[e]
            e += 1
        # Keys are sorted, so a pair has both directions if its first key runs upwards and its last one downwards.
        two_way = first != keys[e - 1] & 1
        if i != j:
            both += two_way
            single += not two_way
            if policy == MIN and not two_way:
                continue
            different += two_way and abs(upward - downward) > tolerance * max(upward, downward)
            counts[j] += 1
        counts[i] += 1
        keys[length] = (i << 32) | j
        if weighted:
            weights[length] = upward if i == j else combined(policy, upward, downward)
        length += 1
    return length, both, single, different


@compiled
def fill_pairs(keys, weights, cursor, out_indices, out_weights):
    """Write every pair into the rows of both its ends; ascending keys make ascending columns."""
    weighted = len(out_weights) > 0
    for e in range(len(keys)):
        i, j = keys[e] >> 32, keys[e] & 0x7FFFFFFF
        for row, column in ((i, j), (j, i)):
            position = cursor[row]
            cursor[row] = position + 1
            out_indices[position] = column
            if weighted:
                out_weights[position] = weights[e]
            if i == j:
                break


@compiled
def check_rows(indptr, indices, weights, n_columns):
    """First defect of a CSR structure and how many self-loops it has, as (code, row, entry, loops); code 0 is none.

    1 indptr falls or starts wrong, 2 column out of range, 3 columns unsorted or repeated,
    4 weight not finite, 5 weight negative, 6 weight zero.
    """
    weighted = len(weights) > 0
    defect = 0
    row, entry = 0, 0
    loops = 0
    if indptr[0] != 0:
        return 1, 0, 0, loops
    for i in range(len(indptr) - 1):
        if indptr[i + 1] < indptr[i] or indptr[i + 1] > len(indices):
            return 1, i, 0, loops
        for e in range(indptr[i], indptr[i + 1]):
            if indices[e] < 0 or indices[e] >= n_columns:
                return 2, i, e, loops
            if weighted:
                if not abs(weights[e]) < float("inf"):
                    return 4, i, e, loops
                if weights[e] < 0:
                    return 5, i, e, loops
            loops += indices[e] == i
            # These two are repairable, so they are reported only if nothing worse follows.
            if e > indptr[i] and indices[e] <= indices[e - 1] and defect == 0:
                defect, row, entry = 3, i, e
            if weighted and weights[e] == 0 and defect == 0:
                defect, row, entry = 6, i, e
    return defect, row, entry, loops


@compiled
def check_symmetric(indptr, indices, weights, tolerance, cursor):
    """Whether sorted rows are symmetric, in one pass and O(n) memory; returns (row, entry) of a miss or (-1, -1).

    Rows are read in ascending order, so the entries (j, i) of any row j are asked for in ascending i: a
    cursor per row (initially the row's start) always stands on the entry that must match.
    """
    weighted = len(weights) > 0
    for i in range(len(indptr) - 1):
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            mirror = cursor[j]
            if mirror >= indptr[j + 1] or indices[mirror] != i:
                return i, e
            if weighted and abs(weights[e] - weights[mirror]) > tolerance * max(weights[e], weights[mirror]):
                return i, e
            cursor[j] = mirror + 1
    return -1, -1


@compiled
def mixed(word):
    """A permutation of 64-bit words without visible order (the finalizer of SplitMix64)."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@compiled
def mirror_sum(indptr, indices, bits, key, start, stop):
    """Sum of hashes of the entries above the diagonal, less those of the mirrored entries below, of some rows.

    Over all rows it is 0 if the rows are symmetric, and by a chance of 2**-64 if not: `key` is random. `bits` are the
    weights as unsigned integers, of length 0 for none.
    """
    weighted = len(bits) > 0
    total = np.uint64(0)
    for i in range(start, stop):
        for e in range(indptr[i], indptr[i + 1]):
            j = indices[e]
            low, high = np.uint64(min(i, j)), np.uint64(max(i, j))
            word = mixed(low * np.uint64(0x9E3779B97F4A7C15) + key) + high
            word = mixed(word ^ (np.uint64(bits[e]) * np.uint64(0xD1B54A32D192ED03) if weighted else np.uint64(0)))
            if i < j:
                total += word
            elif j < i:
                total -= word
    return total


@compiled
def row_sums(indptr, weights, start, stop, out):
    """out[i] = sum of row i's weights, for rows start to stop."""
    for i in range(start, stop):
        total = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            total += weights[e]
        out[i] = total


@compiled
def own_entry(indptr, indices, i):
    """Where row i, whose columns ascend, holds its diagonal entry; -1 where it has none."""
    low, high = indptr[i], indptr[i + 1]  # numpy's search takes five times as long to compile
    while low < high:
        middle = (low + high) // 2
        if indices[middle] < i:
            low = middle + 1
        else:
            high = middle
    return low if low < indptr[i + 1] and indices[low] == i else -1


@compiled
def count_self_loops(indptr, indices, start, stop):
    """Count the rows between start and stop that hold their own diagonal entry (rows are sorted)."""
    loops = 0
    for i in range(start, stop):
        loops += own_entry(indptr, indices, i) >= 0
    return loops


@compiled
def union_components(indptr, indices, groups, parent):
    """Union-find with path halving over edges inside groups: parent becomes the component's number, by first nodes.

    Returns how many components there are.
    """
    n = len(indptr) - 1
    for i in range(n):
        parent[i] = i
    for i in range(n):
        for e in range(indptr[i], indptr[i + 1]):
            if indices[e] >= i:
                break
            if groups[indices[e]] != groups[i]:
                continue
            a, b = i, indices[e]
            while parent[a] != a:
                parent[a] = parent[parent[a]]
                a = parent[a]
            while parent[b] != b:
                parent[b] = parent[parent[b]]
                b = parent[b]
            # The smaller root stays, so a root is its component's first node.
            if a < b:
                parent[b] = a
            elif b < a:
                parent[a] = b
    components = 0
    for i in range(n):
        if parent[i] == i:
            parent[i] = -components - 1  # a root, marked by its number
            components += 1
        else:
            # Every root comes before its members, and every parent before its child.
            parent[i] = parent[parent[i]]
    for i in range(n):
        parent[i] = -parent[i] - 1
    return components


@njit(nogil=True, inline="always")
def add(sums, is_listed, touched, n_touched, place, value):
    """Add to the sum at a place; returns how many places are in `touched`, which has room for one more.

    Before, sums are 0 and nothing is listed; the caller restores both after reading the list. A flag marks a listed
    place, not a nonzero sum: weights may be so small that sums of them are 0.
    """
    # Without a branch, which would be mispredicted half the time.
    touched[n_touched] = place
    n_touched += not is_listed[place]
    is_listed[place] = True
    sums[place] += value
    return n_touched


@compiled
def nth_largest(values, length, n):
    """Value of the `n`-th largest of values[:length], n from 1; permutes them (quickselect)."""
    low, high, wanted = 0, length - 1, n - 1
    while low < high:
        pivot = values[(low + high) >> 1]
        i, j = low, high
        while i <= j:
            while values[i] > pivot:
                i += 1
            while values[j] < pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i += 1
                j -= 1
        if wanted <= j:
            high = j
        elif wanted >= i:
            low = i
        else:
            break
    return values[wanted]
