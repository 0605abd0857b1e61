"""Dask's workers that are killed at any moment of a fit: the labels of threads, or one clear error."""

import contextlib
import os
import signal
import threading
import time
import warnings
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

import numpy as np

import graphcore
from graphcore.cluster.refine import moves as local_moving
from graphcore.cluster.refine import problem as quotient
from graphcore.datasets import degree_corrected_partition
from graphcore.files.store import build_store, open_graph
from graphcore.graphs import passes

from .harness import Campaign, Failure

_WORKERS = 2


class _Prepared(NamedTuple):
    fits: dict  # name: a function that returns labels
    expected: dict  # name: labels
    seconds: dict  # name: how long a fit takes with all workers


def prepare():
    """Start workers; prepare a graph on disk that is treated as huge, whole and in parts, and vectors in blocks."""
    import dask
    import dask.array as da

    graph, _ = degree_corrected_partition(6, 250, mean_degree=24, mixing=0.2, random_state=0)
    ends = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr)), graph.indices.astype(np.int64)
    once, folder = ends[0] < ends[1], Path(mkdtemp(prefix="workers-"))
    quotient._MANY_ENTRIES, quotient._SAMPLED_ENTRIES = graph.n_entries - 1, graph.n_entries // 2
    passes._ENTRIES_PER_BLOCK, passes._FEW_BLOCKS, local_moving.SWEEP_TURNS = 2000, 6, 4
    fits = {}
    for name, n_parts in (("whole", None), ("in parts", 2)):
        build_store([(ends[0][once], ends[1][once])], folder / f"{name}.store", n_nodes=graph.n_nodes, parts=n_parts)
        fits[name] = lambda path=folder / f"{name}.store": _fitted(open_graph(path))
    X = np.random.default_rng(0).normal(size=(600, 3)) + 6 * np.eye(3)[np.arange(600) % 3]
    chunks = da.from_array(X, chunks=(50, -1))
    model = graphcore.NystromKernelKMeans(3, n_landmarks=50, n_init=2, max_iter=5, random_state=0)
    fits["vectors"] = lambda: _computed(model, chunks)
    with dask.config.set(scheduler="threads"):
        expected = {name: fit() for name, fit in fits.items()}
    seconds = {}
    with _started() as client:
        client.wait_for_workers(_WORKERS, timeout=60)
        for name, fit in fits.items():
            fit()
            begun = time.monotonic()
            fit()
            seconds[name] = time.monotonic() - begun
    return _Prepared(fits, expected, seconds)


@contextlib.contextmanager
def _started():
    """Start new workers: of those that were killed, Dask's nannies do not start every one again."""
    import distributed

    cluster = distributed.LocalCluster(_WORKERS, threads_per_worker=1, dashboard_address=":0", silence_logs=50)
    try:
        with distributed.Client(cluster) as client:
            yield client
    finally:
        with contextlib.suppress(KeyError):  # a closing cluster looks killed workers up
            cluster.close()


def _fitted(graph):
    return graphcore.CoresetSpectralClustering(6, random_state=0, coreset_size=150).fit(graph).labels_


def _computed(model, chunks):
    return model.fit(chunks).labels_.compute()


def case(given):
    """Fit while one or two workers are killed, each at a random moment, and once more with those that are left."""
    with _started() as client, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        client.wait_for_workers(_WORKERS, timeout=60)
        return _disturbed(given.rng, client, *given.prepared)


def _disturbed(rng, client, fits, expected, seconds):
    name = str(rng.choice(list(fits)))
    pids = sorted(client.run(os.getpid).values())
    moments = rng.random(int(rng.integers(1, 3))) * seconds[name]
    timers = [threading.Timer(at, _kill, [pid]) for at, pid in zip(moments, rng.permutation(pids), strict=False)]
    for timer in timers:
        timer.start()
    outcome = f"{name}, the same labels"
    try:
        _compare(f"{name}, after deaths", fits[name](), expected[name])
        for timer in timers:
            timer.join()
        _compare(f"{name}, a second time", fits[name](), expected[name])
    except (graphcore.InputError, MemoryError) as error:
        if "\n" in str(error) or "worker" not in str(error):
            raise
        outcome = f"{name}, a clear error"
    return outcome


def _kill(pid):
    with contextlib.suppress(ProcessLookupError):
        os.kill(int(pid), signal.SIGKILL)


def _compare(what, labels, expected):
    if not np.array_equal(labels, expected):
        raise Failure(f"other labels: {what}")


CAMPAIGN = Campaign(
    "a fit on two of Dask's workers (of a graph on disk, whole and in parts, and of vectors) while one or both are "
    "killed at a random moment, and another fit afterwards: the labels of threads, or one clear error",
    case,
    prepare,
    seconds=120.0,
    megabytes=0,
    short=4,
)
