"""Compiled loops that decode the adjacency lists of BVGraph files from the numbers that `_bit_loops.py` reads.

`how` is (bits, codes, k, number of nodes, window, shortest interval or 0 for none), all of them integers; the codes are
those of degrees, references, numbers of blocks, blocks, intervals and residuals.
"""

import numpy as np

from ..base.compiling import compiled
from ._bit_loops import BEYOND, DONE, GAMMA, ZETA, _number, _problem, _signed, _zeta, add_gaps

# Codes of the reason why a loop ended, beside those of _bit_loops.py.
FULL, DEGREE, REFERENCE, BLOCKS, INTERVALS, RANGE, TWICE, BORDER = range(3, 11)


@compiled
def read_degrees(words, borders, how, out):
    """Set out[i] to the degree that stands at borders[i]; return (count of degrees read, code of the end)."""
    bits, codes, k, n_nodes, _, _ = how
    for i in range(len(out)):
        if borders[i + 1] <= borders[i] or borders[i + 1] > bits:
            return i, BORDER
        degree, after = _number(words, borders[i], bits, codes[0], k)
        if after > bits:
            return i, _problem(after)
        if degree > n_nodes:
            return i, DEGREE
        out[i] = degree
    return len(out), DONE


@compiled
def _count_copied(words, position, how, n_blocks, length):
    """Check the copied blocks of a list of some length; return (number of nodes copied, position)."""
    bits, codes, k, _, _, _ = how
    copied, total = np.int64(0), np.int64(0)
    if n_blocks > length + 1:
        return copied, np.int64(BEYOND + BLOCKS)
    for b in range(n_blocks):
        size, position = _number(words, position, bits, codes[3], k)
        if b > 0:
            size += 1
        total += size
        if position <= bits and total > length:
            position = np.int64(BEYOND + BLOCKS)
        if position > bits:
            return copied, position
        if b & 1 == 0:
            copied += size
    if n_blocks & 1 == 0:
        copied += length - total
    return copied, position


@compiled
def _merge_copied(words, position, how, n_blocks, copied, lists, places):
    """Merge the blocks of lists[source:stop] with lists[read:end] from `write` on; return whether none is in both."""
    (bits, codes, k, _, _, _), (source, stop), (write, read, end) = how, copied, places
    for b in range(n_blocks + 1):
        size = stop - source
        if b < n_blocks:
            size, position = _number(words, position, bits, codes[3], k)
            if b > 0:
                size += 1
        if b & 1 == 0:
            for e in range(source, source + size):
                neighbor = lists[e]
                while read < end and lists[read] < neighbor:
                    lists[write] = lists[read]
                    write += 1
                    read += 1
                if read < end and lists[read] == neighbor:
                    return False
                lists[write] = neighbor
                write += 1
        source += size
    return True


@compiled
def _count_covered(words, position, how, n_intervals, most, node):
    """Check the intervals of a list; return (number of nodes that they cover, position)."""
    bits, codes, k, n_nodes, _, least = how
    covered, end = np.int64(0), np.int64(0)
    if n_intervals > most // least:
        return covered, np.int64(BEYOND + INTERVALS)
    for j in range(n_intervals):
        gap, position = _number(words, position, bits, codes[4], k)
        if position > bits:
            return covered, position
        size, position = _number(words, position, bits, codes[4], k)
        if position > bits:
            return covered, position
        left = node + _signed(gap) if j == 0 else end + 1 + gap
        end = left + size + least
        covered += size + least
        if covered > most:
            return covered, np.int64(BEYOND + INTERVALS)
        if left < 0 or end > n_nodes:
            return covered, np.int64(BEYOND + RANGE)
    return covered, position


@compiled
def _merge_intervals(words, position, how, n_intervals, node, lists, places):
    """Merge intervals with lists[read:end] from `write` on; return whether no node is in both."""
    (bits, codes, k, _, _, least), (write, read, end) = how, places
    left = np.int64(0)
    for j in range(n_intervals):
        gap, position = _number(words, position, bits, codes[4], k)
        size, position = _number(words, position, bits, codes[4], k)
        left = node + _signed(gap) if j == 0 else left + 1 + gap
        while read < end and lists[read] < left:
            lists[write] = lists[read]
            write += 1
            read += 1
        for _ in range(size + least):
            lists[write] = left
            write += 1
            left += 1
        if read < end and lists[read] < left:
            return False
    return True


@compiled
def _residuals(words, position, how, node, lists, begin, end):
    """Fill lists[begin:end] with residuals, which are coded as gaps; return the position."""
    bits, codes, k, n_nodes, _, _ = how
    neighbor = node
    for e in range(begin, end):
        if codes[5] == ZETA:
            number, position = _zeta(words, position, k)
        else:
            number, position = _number(words, position, bits, codes[5], k)
        neighbor = neighbor + _signed(number) if e == begin else neighbor + 1 + number
        if position <= bits and (neighbor < 0 or neighbor >= n_nodes):
            position = np.int64(BEYOND + RANGE)
        if position > bits:
            return position
        lists[e] = neighbor
    return position


@compiled
def _read_list(words, position, how, known, starts, lists, i, node):
    """Read the rest of list i, which follows its degree; return the position.

    Residuals go to the end of the list, intervals are merged with them, and copied blocks with both; a merge writes
    before the place where it reads. Blocks and intervals are read twice, first for their sizes, then for their nodes.
    """
    bits, codes, k, _, window, least = how
    out, end, reference = starts[i], starts[i + 1], np.int64(0)
    if window > 0:
        reference, position = _number(words, position, bits, codes[1], k)
        if position <= bits and (reference > window or reference > i or not known[i - reference]):
            position = np.int64(BEYOND + REFERENCE)
        if position > bits:
            return position
    source, stop = starts[i - reference], starts[i - reference + 1]
    n_blocks, copied, blocks = np.int64(0), np.int64(0), position
    if reference > 0:
        n_blocks, blocks = _number(words, position, bits, codes[2], k)
        position = blocks
        if position <= bits:
            copied, position = _count_copied(words, position, how, n_blocks, stop - source)
        if position <= bits and copied > end - out:
            position = np.int64(BEYOND + BLOCKS)
        if position > bits:
            return position
    n_intervals, covered, intervals = np.int64(0), np.int64(0), position
    if end - out > copied and least > 0:
        n_intervals, intervals = _number(words, position, bits, codes[4], k)
        position, most = intervals, end - out - copied
        if position <= bits:
            covered, position = _count_covered(words, position, how, n_intervals, most, node)
        if position > bits:
            return position
    extra, residuals = out + copied, out + copied + covered
    position = _residuals(words, position, how, node, lists, residuals, end)
    if position > bits:
        return position
    apart = True
    if n_intervals > 0:
        apart = _merge_intervals(words, intervals, how, n_intervals, node, lists, (extra, residuals, end))
    if apart and copied > 0:
        apart = _merge_copied(words, blocks, how, n_blocks, (source, stop), lists, (out, extra, end))
    return position if apart else np.int64(BEYOND + TWICE)


@compiled
def read_lists(words, position, borders, how, nodes, known, starts, lists):
    """Read the lists of nodes first + begin to first + stop; return (index of the next list, position, end code).

    List i is lists[starts[i] : starts[i + 1]]. `borders`, if there are any, say where each list begins; a list before
    `begin` that refers to one before the first then stays empty and is not `known`. Without borders the lists follow
    each other from `position` on, and those before `begin` have been read already.
    """
    (bits, codes, k, n_nodes, _, _), (first, begin, stop) = how, nodes
    bordered = len(borders) > 0
    for i in range(0 if bordered else begin, stop):
        starts[i + 1] = starts[i]
        start = borders[i] if bordered else position
        degree, position = _number(words, start, bits, codes[0], k)
        if position <= bits and degree > n_nodes:
            position = np.int64(BEYOND + DEGREE)
        if position <= bits and degree > 0:
            if degree > len(lists) - starts[i]:
                return i, start, np.int64(FULL)
            starts[i + 1] = starts[i] + degree
            position = _read_list(words, position, how, known, starts, lists, i, np.int64(first + i))
        if position > bits and i < begin:
            starts[i + 1], known[i] = starts[i], False
            continue
        if position > bits:
            return i, start, _problem(position)
        if bordered and position != borders[i + 1]:
            return i, start, np.int64(BORDER)
    return stop, position, np.int64(DONE)


def warm_up():
    """Load or compile the loops, so that the memory of the compiler is known before the rest is divided."""
    words, borders, how = np.full(8, np.iinfo(np.uint64).max), np.arange(3), (3, (GAMMA,) * 6, 3, 2, 0, 0)
    degrees, starts, known = np.zeros(2, dtype=np.int64), np.zeros(3, dtype=np.int64), np.ones(2, dtype=bool)
    add_gaps(words, 0, 3, GAMMA, 3, 0, degrees)
    read_degrees(words, borders, how, degrees)
    read_lists(words, 0, borders, how, (0, 0, 2), known, starts, np.empty(0, dtype=np.int32))
