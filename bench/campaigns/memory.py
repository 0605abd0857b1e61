"""Memory: many fits in one process need no more than a few, and a fit that gets too little ends with a MemoryError."""

import gc
import resource
import warnings

import numpy as np
import scipy.sparse as sp

import graphcore

from .harness import Campaign, Failure

_N = 3000
_GROWTH = 48 << 20  # bytes that the process may gain while it fits again and again; arenas of malloc vary
_WARM = 15


def _pages(which):
    with open("/proc/self/statm") as file:
        return int(file.read().split()[which]) * resource.getpagesize()


def _graph(rng, n):
    ends = rng.integers(0, n, (2, 8 * n))
    ends[1, : 6 * n] = (ends[0, : 6 * n] + rng.integers(1, 30, 6 * n)) % n
    matrix = sp.coo_array((np.ones(8 * n), (ends[0], ends[1])), (n, n)).tocsr()
    return matrix + matrix.T


def _fit(matrix, seed, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return graphcore.CoresetSpectralClustering(6, random_state=seed, **options).fit(matrix).labels_


def prepare():
    """Prepare a graph, its labels, and a process in which everything has been used."""
    matrix = _graph(np.random.default_rng(0), _N)
    expected = _fit(matrix, 0)
    for options in ({"n_jobs": 2}, {"objective": "ncut"}, {"published": True}):
        _fit(matrix, 0, **options)
    return {"matrix": matrix, "expected": expected, "fits": 0, "bytes": None}


def case(given):
    """Run a fit and keep nothing of it; every fifth time with too little address space."""
    state, rng = given.prepared, given.rng
    outcome = "fitted"
    if given.number % 5 == 4:
        outcome = _short_of_memory(state, rng)
        if not np.array_equal(_fit(state["matrix"], 0), state["expected"]):
            raise Failure("other labels after a lack of memory")
    else:
        options = {"n_jobs": int(rng.integers(1, 4))}
        options |= [{}, {"objective": "ncut"}, {"published": True}][rng.integers(3)]
        _fit(state["matrix"], int(rng.integers(1 << 30)), **options)
    state["fits"] += 1
    gc.collect()
    if state["fits"] == _WARM:
        state["bytes"] = _pages(1)
    elif state["fits"] > _WARM and _pages(1) > state["bytes"] + _GROWTH:
        raise Failure("resident memory grows", f"{_pages(1) - state['bytes']} bytes in {state['fits']} fits")
    return outcome


def _short_of_memory(state, rng):
    """Fit a larger graph, or the same, with little more memory than the process has."""
    matrix = _graph(rng, 40_000) if rng.random() < 0.5 else state["matrix"]
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (_pages(0) + int(rng.integers(0, 24 << 20)), before[1]))
    try:
        _fit(matrix, 0, n_jobs=int(rng.integers(1, 3)))
    except MemoryError:
        return "short of memory"
    except RuntimeError as error:
        if "can't start new thread" in str(error):  # Python's own word for a thread without room for its stack
            return "short of memory"
        raise
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    return "fitted with little"


CAMPAIGN = Campaign(
    "a fit among many in one process, whose memory stops growing; every fifth with little address space",
    case,
    prepare,
    seconds=60.0,
    megabytes=0,
    short=25,
)
