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
DONE, ENDS, FULL, WRONG = range(4)


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
            return np.int64(0), np.int64(BEYOND + WRONG)
        return np.int64(_word(words, position + zeros) >> np.uint64(63 - zeros)) - 1, position + 2 * zeros + 1
    return np.int64(word >> np.uint64(63 - 2 * zeros)) - 1, position + 2 * zeros + 1


@compiled
def _delta(words, position):
    length, position = _gamma(words, position)
    if length > 40 or position >= BEYOND:
        return np.int64(0), np.int64(BEYOND + WRONG)
    low = np.int64((_word(words, position) >> np.uint64(1)) >> np.uint64(63 - length))
    return (np.int64(1) << length) + low - 1, position + length


@compiled
def _zeta(words, position, k):
    word = _word(words, position)
    zeros = _zeros(word)
    shift = zeros * k
    count = shift + k - 1
    if shift > 40 or count > 61:
        return np.int64(0), np.int64(BEYOND + WRONG)
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
    if code == ZETA:
        number, position = _zeta(words, position, k)
    elif code == GAMMA:
        number, position = _gamma(words, position)
    elif code == UNARY:
        number, position = _unary(words, position, bits)
    else:
        number, position = _delta(words, position)
    if number > _LARGEST and position <= bits:
        return np.int64(0), np.int64(BEYOND + WRONG)
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
def _merge(lists, spare, begin, middle, end):
    """Merge lists[begin:middle] and lists[middle:end], both in order; return whether no node is in both."""
    n_first = middle - begin
    if n_first == 0 or middle == end:
        return True
    for e in range(n_first):
        spare[e] = lists[begin + e]
    write, read, first = begin, middle, 0
    while first < n_first:
        if read < end and lists[read] <= spare[first]:
            if lists[read] == spare[first]:
                return False
            lists[write] = lists[read]
            read += 1
        else:
            lists[write] = spare[first]
            first += 1
        write += 1
    return True


@compiled
def _read_list(words, position, how, starts, lists, spare, i, node):  # noqa: PLR0911
    """Read the rest of list i, which follows its degree; return the position.

    Ids copied from an earlier list, intervals and residuals are each in order: they are written one after the
    other, and then merged.
    """
    bits, codes, k, n_nodes, window, least = how
    out, end, reference, wrong = starts[i], starts[i + 1], np.int64(0), np.int64(BEYOND + WRONG)
    if window > 0:
        reference, position = _number(words, position, bits, codes[1], k)
        if position > bits:
            return position
        if reference > window or reference > i:
            return wrong
    write = out
    if reference > 0:
        source, stop = starts[i - reference], starts[i - reference + 1]
        n_blocks, position = _number(words, position, bits, codes[2], k)
        if position <= bits and n_blocks > stop - source + 1:
            return wrong
        if position > bits:
            return position
        for b in range(n_blocks + 1):  # every other block is copied
            size = stop - source
            if b < n_blocks:
                size, position = _number(words, position, bits, codes[3], k)
                if b > 0:
                    size += 1
                if position > bits:
                    return position
            if size > stop - source or (b & 1 == 0 and size > end - write):
                return wrong
            if b & 1 == 0:
                for e in range(source, source + size):
                    lists[write] = lists[e]
                    write += 1
            source += size
    copied = write
    if write < end and least > 0:
        n_intervals, position = _number(words, position, bits, codes[4], k)
        if position > bits:
            return position
        left = node
        for j in range(n_intervals):
            gap, position = _number(words, position, bits, codes[4], k)
            if position > bits:
                return position
            size, position = _number(words, position, bits, codes[4], k)
            if position > bits:
                return position
            size += least
            left = node + _signed(gap) if j == 0 else left + 1 + gap
            if left < 0 or left + size > n_nodes or size > end - write:
                return wrong
            for _ in range(size):
                lists[write] = left
                write += 1
                left += 1
    covered, neighbor = write, node
    for e in range(covered, end):
        number, position = _number(words, position, bits, codes[5], k)
        if position > bits:
            return position
        neighbor = neighbor + _signed(number) if e == covered else neighbor + 1 + number
        if neighbor < 0 or neighbor >= n_nodes:
            return wrong
        lists[e] = neighbor
    apart = _merge(lists, spare, out, copied, covered) and _merge(lists, spare, out, covered, end)
    return position if apart else wrong


@compiled
def read_lists(words, position, how, nodes, starts, lists):
    """Read the lists of nodes first + begin to first + stop; return (index of the next list, position, code of end).

    List i is lists[starts[i] : starts[i + 1]]. They follow each other from `position` on, and those before `begin`,
    which may be copied in parts, have been read already.
    """
    (bits, codes, k, n_nodes, _, _), (first, begin, stop) = how, nodes
    spare = np.empty(len(lists), dtype=lists.dtype)
    for i in range(begin, stop):
        start = position
        starts[i + 1] = starts[i]
        degree, position = _number(words, start, bits, codes[0], k)
        if position <= bits and degree > n_nodes:
            position = np.int64(BEYOND + WRONG)
        if position <= bits and degree > 0:
            if degree > len(lists) - starts[i]:
                return i, start, np.int64(FULL)
            starts[i + 1] = starts[i] + degree
            position = _read_list(words, position, how, starts, lists, spare, i, np.int64(first + i))
        if position > bits:
            return i, start, _problem(position)
    return stop, position, np.int64(DONE)


def warm_up():
    """Load or compile the loops, so that the memory of the compiler is known before the rest is divided."""
    words, how = np.full(8, np.iinfo(np.uint64).max), (3, (GAMMA,) * 6, 3, 2, 0, 0)
    read_lists(words, 0, how, (0, 0, 2), np.zeros(3, dtype=np.int64), np.empty(0, dtype=np.int32))
