"""Compiled loops that read numbers out of a stream of bits: unary, gamma, delta, zeta, nibble and Golomb codes.

A stream is an array of uint64, the first bit of a file the highest of a word. Positions count bits from the start of
the stream, which has `bits` of them. The array goes on for `SLACK` bits more, so that no loop has to check for its end.
A number that runs on beyond `bits` leaves a position after it that is larger; other errors leave a position of
`BEYOND` plus their code.
"""

import numpy as np

from ..base.compiling import compiled

UNARY, GAMMA, DELTA, ZETA, NIBBLE, GOLOMB = range(6)
SLACK = 320
BEYOND = 1 << 62
# Every node, degree and difference of two nodes is smaller, and so is the number of bits of a list.
_LARGEST = 1 << 40

# Codes of the reason why a loop ended; _bvgraph_loops.py has those of lists.
DONE, ENDS, NO_NUMBER = range(3)


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
def _golomb(words, position, bits, modulus):
    """Read a Golomb code: the quotient by the modulus in unary, the remainder in minimal binary."""
    count, position = _unary(words, position, bits)
    if count > _LARGEST // modulus:
        return np.int64(0), np.int64(BEYOND + NO_NUMBER)
    length, word = np.int64(63) - _zeros(np.uint64(modulus)), _word(words, position)
    rest = np.int64((word >> np.uint64(1)) >> np.uint64(63 - length))
    short = (np.int64(2) << length) - modulus
    if rest < short:
        return count * modulus + rest, position + length
    return count * modulus + np.int64(word >> np.uint64(63 - length)) - short, position + length + 1


@compiled
def _number(words, position, bits, code, k):
    """Return (the number at a position, the position after it)."""
    if code == GAMMA:
        number, position = _gamma(words, position)
    elif code == UNARY:
        number, position = _unary(words, position, bits)
    elif code == ZETA:
        number, position = _zeta(words, position, k)
    elif code == DELTA:
        number, position = _delta(words, position)
    elif code == GOLOMB:
        number, position = _golomb(words, position, bits, k)
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
    """Return the error code of a position beyond the bits."""
    return position - BEYOND if position >= BEYOND else np.int64(ENDS)


@compiled
def add_gaps(words, position, bits, code, k, total, out):
    """Set out[i] to total + the first i + 1 numbers; return (count of numbers read, position, code of the end)."""
    for i in range(len(out)):
        gap, after = _number(words, position, bits, code, k)
        if after > bits:
            return i, position, _problem(after)
        total += gap
        out[i] = total
        position = after
    return len(out), position, DONE
