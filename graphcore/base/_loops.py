"""Compiled helpers that several stages share: selection, and sums at a few of many places."""

from numba import njit

from .compiling import compiled


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
