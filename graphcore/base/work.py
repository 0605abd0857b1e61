"""Counts of the work done, for tests: clocks are noisy, counts are not."""

from collections import Counter
from contextlib import contextmanager

from .locks import ModuleLock

_LOCK = ModuleLock()
_listening = []


def count(name, amount, most=False):
    """Add to what everybody who is listening has counted under a name, or keep the `most` that was ever counted."""
    if _listening:
        with _LOCK:
            for work in _listening:
                work[name] = max(work[name], int(amount)) if most else work[name] + int(amount)


@contextmanager
def counted():
    """Count the work of all threads inside, in a Counter, by the names of whoever calls :func:`count`."""
    work = Counter()
    with _LOCK:
        _listening.append(work)
    try:
        yield work
    finally:
        with _LOCK:
            # By identity: two that have counted the same are equal.
            _listening[:] = [other for other in _listening if other is not work]
