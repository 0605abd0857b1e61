"""Compiled loops that decode the adjacency lists of BVGraph files: numbers from a stream of bits, and lists of these.

A stream is an array of uint64, the first bit of a file the highest of a word. Positions count bits from the start of
the stream, which has `bits` of them. The array goes on for `SLACK` bits more, so that no loop has to check for its end.
A number that runs on beyond `bits` leaves a position after it that is larger; other errors leave a position of
`BEYOND` plus their code.

`how` is (bits, codes, k, number of nodes, window, shortest interval or 0 for none), all of them integers; the codes are
those of degrees, references, numbers of blocks, blocks, intervals and residuals.
"""

import numpy as np

from ..base.loops import compiled

UNARY, GAMMA, DELTA, ZETA = range(4)
SLACK = 320
BEYOND = 1 << 62
# Every node, degree and difference of two nodes is smaller, and so is the number of bits of a list.
_LARGEST = 1 << 40

# Codes of the reason why a loop ended.
DONE, ENDS, NO_NUMBER, FULL, DEGREE, REFERENCE, BLOCKS, INTERVALS, RANGE, TWICE = range(10)


# -- numbers -----------------------------------------------------------------------------------------------------------


@compiled
def _word(words, position):
    """Return the 64 bits from a position on."""
    at = position >> 6
    shift = np.uint64(position & 63)
    return (words[at] << shift) | ((words[at + 1] >> np.uint64(1)) >> (np.uint64(63) - shift))


@compiled
def _zeros(word):
    """Count the leading zeros of a word by the exponents of its halves, which are exact as floats."""
    high = np.int64(word >> np.uint64(32))
    if high > 0:
        return np.int64(1054) - (np.float64(high).view(np.int64) >> 52)
    low = np.int64(word & np.uint64(0xFFFFFFFF))
    if low > 0:
        return np.int64(1086) - (np.float64(low).view(np.int64) >> 52)
    return np.int64(64)


@compiled
def _unary(words, position, bits):
    zeros = _zeros(_word(words, position))
    count = zeros
    while zeros == 64 and position + count <= bits:
        zeros = _zeros(_word(words, position + count))
        count += zeros
    return count, position + count + 1


@compiled
def _gamma(words, position):
    word = _word(words, position)
    zeros = _zeros(word)
    if zeros > 31:
        if zeros > 40:
            return np.int64(0), np.int64(BEYOND + NO_NUMBER)
        return np.int64(_word(words, position + zeros) >> np.uint64(63 - zeros)) - 1, position + 2 * zeros + 1
    return np.int64(word >> np.uint64(63 - 2 * zeros)) - 1, position + 2 * zeros + 1


@compiled
def _delta(words, position):
    length, position = _gamma(words, position)
    if length > 40 or position >= BEYOND:
        return np.int64(0), np.int64(BEYOND + NO_NUMBER)
    low = np.int64((_word(words, position) >> np.uint64(1)) >> np.uint64(63 - length))
    return (np.int64(1) << length) + low - 1, position + length


@compiled
def _zeta(words, position, k):
    word = _word(words, position)
    zeros = _zeros(word)
    shift = zeros * k
    count = shift + k - 1
    if shift > 40 or count > 61:
        return np.int64(0), np.int64(BEYOND + NO_NUMBER)
    position += zeros + 1
    if zeros + count < 63:
        word <<= np.uint64(zeros + 1)
    else:
        word = _word(words, position)
    left = np.int64(1) << shift
    number = np.int64((word >> np.uint64(1)) >> np.uint64(63 - count))
    if number < left:
        return number + left - 1, position + count
    return np.int64(word >> np.uint64(63 - count)) - 1, position + count + 1


@compiled
def _number(words, position, bits, code, k):
    """Return (the number at a position, the position after it)."""
    if code == GAMMA:
        number, position = _gamma(words, position)
    elif code == UNARY:
        number, position = _unary(words, position, bits)
    elif code == ZETA:
        number, position = _zeta(words, position, k)
    else:
        number, position = _delta(words, position)
    if number > _LARGEST and position <= bits:
        return np.int64(0), np.int64(BEYOND + NO_NUMBER)
    return number, position


@compiled
def _signed(number):
    return number >> 1 if number & 1 == 0 else -((number + 1) >> 1)


@compiled
def _problem(position):
    """Return the error code of a position beyond the bits."""
    return position - BEYOND if position >= BEYOND else np.int64(ENDS)


# -- lists -----------------------------------------------------------------------------------------------------------


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
def _read_list(words, position, how, starts, lists, i, node):
    """Read the rest of list i, which follows its degree; return the position.

    Residuals go to the end of the list, intervals are merged with them, and copied blocks with both; a merge writes
    before the place where it reads. Blocks and intervals are read twice, first for their sizes, then for their nodes.
    """
    bits, codes, k, _, window, least = how
    out, end, reference = starts[i], starts[i + 1], np.int64(0)
    if window > 0:
        reference, position = _number(words, position, bits, codes[1], k)
        if position <= bits and (reference > window or reference > i):
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
def read_lists(words, position, how, nodes, starts, lists):
    """Read the lists of nodes first + begin to first + stop; return (index of the next list, position, code of end).

    List i is lists[starts[i] : starts[i + 1]]. They follow each other from `position` on, and those before `begin`,
    which may be copied in parts, have been read already.
    """
    (bits, codes, k, n_nodes, _, _), (first, begin, stop) = how, nodes
    for i in range(begin, stop):
        start = position
        starts[i + 1] = starts[i]
        degree, position = _number(words, start, bits, codes[0], k)
        if position <= bits and degree > n_nodes:
            position = np.int64(BEYOND + DEGREE)
        if position <= bits and degree > 0:
            if degree > len(lists) - starts[i]:
                return i, start, np.int64(FULL)
            starts[i + 1] = starts[i] + degree
            position = _read_list(words, position, how, starts, lists, i, np.int64(first + i))
        if position > bits:
            return i, start, _problem(position)
    return stop, position, np.int64(DONE)


def warm_up():
    """Load or compile the loops, so that the memory of the compiler is known before the rest is divided."""
    words, how = np.full(8, np.iinfo(np.uint64).max), (3, (GAMMA,) * 6, 3, 2, 0, 0)
    read_lists(words, 0, how, (0, 0, 2), np.zeros(3, dtype=np.int64), np.empty(0, dtype=np.int32))
