"""Ctrl-C at random times, of processes that load or compile loops of types new to them, leaves processes that fit."""

import json
import os
import random
import signal
import subprocess
import sys
import warnings
import zlib

from .harness import Campaign, Failure

_COLD = 10  # of so many cases one compiles in an empty cache
# Python loses the interrupt that comes in the callback of a weak reference: after so many seconds there is another.
_AGAIN = 5.0


def _works():
    """Return fits by names, each with kinds of arrays of its own; they return labels."""
    import numpy as np

    import graphcore

    graph = graphcore.datasets.planted_partition(4, 60, p_in=0.3, p_out=0.02, random_state=0).graph.to_scipy()
    X = np.random.default_rng(0).normal(size=(300, 8)) + 4 * np.eye(8)[np.arange(300) % 4]

    def fit(X, **options):
        return graphcore.CoresetSpectralClustering(random_state=0, **({"n_clusters": 4} | options)).fit(X).labels_

    def weighted(dtype):
        matrix = graph.astype(dtype)
        matrix.data[:] = 2.0
        return matrix

    return {
        "plain": lambda: fit(graph),
        "float32": lambda: fit(weighted(np.float32)),
        "float64": lambda: fit(weighted(np.float64), n_jobs=2),
        "ncut": lambda: fit(graph, objective="ncut"),
        "modularity": lambda: fit(weighted(np.float32), objective="modularity", n_clusters=None),
        "auto": lambda: fit(graph, n_clusters="auto"),
        "levels": lambda: fit(graph, n_clusters=[2, 4]),
        "limits": lambda: fit(graph, max_cluster_size=70),
        "vectors": lambda: fit(X.astype(np.float32)),
        "manhattan": lambda: fit(X, metric="manhattan", n_jobs=2),
        "approximate": lambda: graphcore.knn_graph(X, algorithm="approximate", random_state=0).indices,
        "induced": lambda: (
            graphcore.coreset_spectral_clustering(graph, 4, coreset_graph="induced", random_state=0).labels
        ),
        "kernel": lambda: graphcore.KernelKMeans(4, random_state=0).fit(X).labels_,
    }


def _interrupted(seconds, work):
    """Repeat some work until an interrupt ends it; returns what else ended it, if anything did."""
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
        while True:
            work()
    except KeyboardInterrupt:
        return ""
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def child(seed, n_works, n_interrupts):
    """Print what went wrong, and a number for the labels of each work, as JSON."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # No thread of its own sends it, which would be interrupted where it begins.
    signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    warnings.simplefilter("ignore")
    drawn, works, wrong, found = random.Random(seed), _works(), [], {}
    names = drawn.sample(sorted(works), n_works)
    for name in names:
        for _ in range(n_interrupts):
            if why := _interrupted(drawn.expovariate(5.0), works[name]):
                wrong.append(f"{name}, interrupted: {why}")
    for name in names:
        try:
            found[name] = zlib.crc32(works[name]().tobytes())
        except BaseException as error:
            wrong.append(f"{name}, afterwards: {type(error).__name__}: {error}")
    print(json.dumps([wrong, found]))


def _child(*numbers, **environment):
    command = [sys.executable, "-m", __name__, *map(str, numbers)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=os.environ | environment)
    if done.returncode:
        raise Failure(f"a process ended with {done.returncode}", done.stderr)
    return json.loads(done.stdout.splitlines()[-1])


def prepare():
    """Return the numbers of all works, of a process that nobody interrupts."""
    return _child(0, len(_works()), 0)[1]


def case(given):
    """Interrupt a process some twelve times; one that compiles everything anew three times."""
    is_cold = given.number % _COLD == _COLD - 1
    seed = int(given.rng.integers(1 << 30))
    if is_cold:
        wrong, found = _child(seed, 1, 3, NUMBA_CACHE_DIR=str(given.folder))
    else:
        wrong, found = _child(seed, 4, 3)
    wrong += [f"{name}: other labels" for name, number in found.items() if number != given.prepared[name]]
    if wrong:
        raise Failure("a process does not get over an interrupt", "\n".join(wrong))
    return "cold" if is_cold else "warm"


CAMPAIGN = Campaign(case, prepare, seconds=600.0, megabytes=0, short=2)

if __name__ == "__main__":
    child(*map(int, sys.argv[1:]))
