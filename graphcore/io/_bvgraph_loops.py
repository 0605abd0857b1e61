"""Compiled loops of BVGraph files: numbers out of a stream of bits, and lists of neighbours out of numbers.

A stream is an array of uint64, the first bit of a file the highest of a word. Positions are bits from its start, those
up to `bits` can be asked for: words go on for `SLACK` bits more, so that no number needs a look at where the array
ends. A number that runs on beyond `bits` is seen by the position after it; what else is wrong makes a position of
`BEYOND` and what it is.
"""

import numpy as np

from .._compile import compiled

UNARY, GAMMA, DELTA, ZETA, NIBBLE = range(5)
SLACK = 320
BEYOND = 1 << 62
# No node, degree or difference of two nodes is larger, and no list has so many bits.
_LARGEST = 1 << 40

# What ends a loop.
DONE, FULL, ENDS, NO_NUMBER, DEGREE, REFERENCE, BLOCKS, INTERVALS, RANGE, TWICE, BORDER = range(11)


@compiled
def _word(words, position):
    """The 64 bits from a position on."""
    at = position >> 6
    shift = np.uint64(position & 63)
    return (words[at] << shift) | ((words[at + 1] >> np.uint64(1)) >> (np.uint64(63) - shift))


@compiled
def _zeros(word):
    """How many zeros a word begins with: half of it is exact as a float, whose exponent tells."""
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
def _nibble(words, position):
    number = np.int64(0)
    for _ in range(14):
        word = _word(words, position)
        number = (number << 3) | np.int64((word >> np.uint64(60)) & np.uint64(7))
        position += 4
        if word >> np.uint64(63) == np.uint64(1):
            return number, position
    return np.int64(0), np.int64(BEYOND + NO_NUMBER)


@compiled
def _number(words, position, bits, code, k):
    """(The number at a position, the position after it)."""
    if code == GAMMA:
        number, position = _gamma(words, position)
    elif code == UNARY:
        number, position = _unary(words, position, bits)
    elif code == ZETA:
        number, position = _zeta(words, position, k)
    elif code == DELTA:
        number, position = _delta(words, position)
    else:
        number, position = _nibble(words, position)
    if number > _LARGEST and position <= bits:
        return np.int64(0), np.int64(BEYOND + NO_NUMBER)
    return number, position


@compiled
def _signed(number):
    return number >> 1 if number & 1 == 0 else -((number + 1) >> 1)


@compiled
def _problem(position):
    """What a position beyond the bits says is wrong."""
    return position - BEYOND if position >= BEYOND else np.int64(ENDS)


@compiled
def add_gaps(words, position, bits, code, k, total, out):
    """out[i] = total + the first i + 1 numbers; returns (how many were read, position, what ended it)."""
    for i in range(len(out)):
        gap, after = _number(words, position, bits, code, k)
        if after > bits:
            return i, position, _problem(after)
        total += gap
        out[i] = total
        position = after
    return len(out), position, DONE


@compiled
def read_degrees(words, bits, borders, n_nodes, codes, k, out):
    """out[i] = the degree that stands at borders[i]; returns (how many were read, what ended it)."""
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
def mark_references(words, bits, borders, lead, window, codes, k, wanted):
    """Mark those of the first `lead` lists that later ones are copied from, and those that these are copied from."""
    for step in range(min(lead + window, len(wanted))):
        i = min(lead + window, len(wanted)) - 1 - step
        if wanted[i]:
            degree, position = _number(words, borders[i], bits, codes[0], k)
            if degree > 0 and position <= bits:
                reference, position = _number(words, position, bits, codes[1], k)
                if reference <= i and position <= bits:
                    wanted[i - reference] = True


@compiled
def _count_copied(words, position, bits, n_blocks, length, codes, k):
    """(How much is copied of a list of some length, position); the blocks are checked."""
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
def _merge_copied(words, position, bits, n_blocks, source, stop, lists, write, read, end, codes, k):
    """Merge the blocks of lists[source:stop] with lists[read:end] from `write` on; whether no node is in both."""
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
def _count_covered(words, position, bits, n_intervals, most, node, n_nodes, least, codes, k):
    """(How many nodes intervals cover, position); they are checked."""
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
def _merge_intervals(words, position, bits, n_intervals, node, least, lists, write, read, end, codes, k):
    """Merge intervals with lists[read:end] from `write` on; whether no node is in both."""
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
def _residuals(words, position, bits, node, n_nodes, lists, begin, end, codes, k):
    """Fill lists[begin:end] with numbers that stand for themselves; returns the position."""
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
def _read_list(words, position, bits, starts, lists, i, node, n_nodes, window, least, codes, k):
    """Read what follows the degree of list i; returns the position.

    Residuals go to the end of the list, intervals are merged with them, and what is copied with both; merges write
    before what they read. Blocks and intervals are read once for how much they are, and again for what.
    """
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
            copied, position = _count_copied(words, position, bits, n_blocks, stop - source, codes, k)
        if position <= bits and copied > end - out:
            position = np.int64(BEYOND + BLOCKS)
        if position > bits:
            return position
    n_intervals, covered, intervals = np.int64(0), np.int64(0), position
    if end - out > copied and least > 0:
        n_intervals, intervals = _number(words, position, bits, codes[4], k)
        position, most = intervals, end - out - copied
        if position <= bits:
            covered, position = _count_covered(words, position, bits, n_intervals, most, node, n_nodes, least, codes, k)
        if position > bits:
            return position
    extra, residuals = out + copied, out + copied + covered
    position = _residuals(words, position, bits, node, n_nodes, lists, residuals, end, codes, k)
    if position > bits:
        return position
    apart = True
    if n_intervals > 0:
        apart = _merge_intervals(
            words, intervals, bits, n_intervals, node, least, lists, extra, residuals, end, codes, k
        )
    if apart and copied > 0:
        apart = _merge_copied(words, blocks, bits, n_blocks, source, stop, lists, out, extra, end, codes, k)
    return position if apart else np.int64(BEYOND + TWICE)


@compiled
def read_lists(
    words, bits, position, borders, wanted, starts, lists, first, begin, stop, n_nodes, window, least, codes, k
):  # fmt: skip
    """Read the lists of nodes first + begin to first + stop; returns (how far it came, position, what ended it).

    List i is lists[starts[i] : starts[i + 1]]; those before `begin` are there already. With `borders`, where each list
    begins is known, and those that are not `wanted` stay empty; without, lists follow each other from `position` on.
    `codes` are those of degrees, references, numbers of blocks, blocks, intervals and residuals; `least` is the
    shortest interval, 0 for none.
    """
    known = len(borders) > 0
    for i in range(begin, stop):
        starts[i + 1] = starts[i]
        if known and not wanted[i]:
            continue
        start = borders[i] if known else position
        degree, position = _number(words, start, bits, codes[0], k)
        if position <= bits and degree > n_nodes:
            position = np.int64(BEYOND + DEGREE)
        if position <= bits and degree > 0:
            if degree > len(lists) - starts[i]:
                return i, start, np.int64(FULL)
            starts[i + 1] = starts[i] + degree
            position = _read_list(
                words, position, bits, starts, lists, i, np.int64(first + i), n_nodes, window, least, codes, k
            )
        if position > bits:
            return i, start, _problem(position)
        if known and position != borders[i + 1]:
            return i, start, np.int64(BORDER)
    return stop, position, np.int64(DONE)


def warm_up():
    """Load or compile the loops, so that the memory that this takes is known before the rest is shared out."""
    words, codes, borders = np.full(8, 2**64 - 1, dtype=np.uint64), np.array([GAMMA] * 6), np.arange(3)
    degrees, starts, wanted = np.zeros(2, dtype=np.int64), np.zeros(3, dtype=np.int64), np.ones(2, dtype=bool)
    add_gaps(words, 0, 3, GAMMA, 3, 0, degrees)
    read_degrees(words, 3, borders, 2, codes, 3, degrees)
    mark_references(words, 3, borders, 0, 0, codes, 3, wanted)
    read_lists(words, 3, 0, borders, wanted, starts, np.empty(0, dtype=np.int32), 0, 0, 2, 2, 0, 0, codes, 3)
