"""Memory bandwidth and latency of this machine, from which lower bounds of stages are computed."""

import time

import numpy as np
from numba import njit

_BYTES = 1 << 28


@njit(cache=True, nogil=True)
def _read(values):
    total = 0
    for i in range(len(values)):
        total += values[i]
    return total


@njit(cache=True, nogil=True)
def _gather(values, order):
    total = 0
    for i in range(len(order)):
        total += values[order[i]]
    return total


def measure(repeats=5):
    """Measure bytes a second read in order, and seconds for one random access to a table, by one thread.

    Returns
    -------
    dict
        "bytes_per_second", and "gather_seconds": for tables of 1, 4, 16, 64 and 256 million bytes (labels of a quarter
        as many nodes), the seconds for one access, of many at a time.
    """
    stream = np.ones(_BYTES // 8, dtype=np.int64)
    order = np.random.default_rng(0).integers(0, 1 << 30, 1 << 23).astype(np.int32)
    gather = {}
    for megabytes in (1, 4, 16, 64, 256):
        table = np.ones(megabytes * 250_000, dtype=np.int32)
        places = order % np.int32(len(table))
        gather[megabytes] = _best(_gather, (table, places), repeats) / len(order)
    return {"bytes_per_second": _BYTES / _best(_read, (stream,), repeats), "gather_seconds": gather}


def _best(function, arguments, repeats):
    function(*arguments)
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        function(*arguments)
        seconds.append(time.perf_counter() - start)
    return min(seconds)
