"""Compiled selection, used by several stages."""

from .compiling import compiled


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
