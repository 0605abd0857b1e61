"""Sums at a few of many places, for compiled loops that list the places they touch.

A flag marks a listed place, not a nonzero sum: weights may be so small that sums of them are 0.
"""

from numba import njit


@njit(nogil=True, inline="always")
def add(sums, is_listed, touched, n_touched, place, value):
    """Add to the sum at a place; returns how many places are in `touched`, which has room for one more.

    Before, sums are 0 and nothing is listed; whoever reads the list makes it so again.
    """
    # Without a branch, which would be mispredicted half the time.
    touched[n_touched] = place
    n_touched += not is_listed[place]
    is_listed[place] = True
    sums[place] += value
    return n_touched
