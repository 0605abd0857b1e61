"""Labels must not depend on the number of threads, nor on the process and the thread in which a fit runs."""

import multiprocessing
import os
import pickle
import threading
import warnings

import numpy as np
import scipy.sparse as sp

from .harness import Campaign, Failure


def _planted(rng, n):
    k = int(rng.integers(2, 8))
    truth = rng.integers(0, k, n)
    inside, outside = rng.uniform(0.1, 0.6), rng.uniform(0, 0.1)
    return rng.random((n, n)) < np.where(truth[:, None] == truth, inside, outside)


def _cliques(rng, n):
    size = int(rng.integers(2, 9))
    return np.arange(n)[:, None] // size == np.arange(n) // size


def _ring(rng, n):
    reach = int(rng.integers(1, 5))
    return np.minimum((np.arange(n)[:, None] - np.arange(n)) % n, (np.arange(n) - np.arange(n)[:, None]) % n) <= reach


def _stars(rng, n):
    links = np.zeros((n, n), dtype=bool)
    links[rng.integers(0, max(1, n // 20), n), np.arange(n)] = True
    return links


def _sparse_random(rng, n):
    return rng.random((n, n)) < rng.uniform(1, 6) / n


_KINDS = (_planted, _planted, _cliques, _ring, _stars, _sparse_random)


def _graph(rng):
    """Return a symmetric matrix without loops: clusters, cliques (many ties), a ring, stars, or random."""
    n = int(rng.integers(20, 400))
    links = np.triu(_KINDS[rng.integers(len(_KINDS))](rng, n), 1)
    kind = rng.integers(3)
    weights = 1.0 if kind == 0 else rng.random((n, n)) + 0.01 if kind == 1 else rng.integers(1, 4, (n, n))
    links = links * weights
    links[0, 1] = 1.0  # at least one edge
    return sp.csr_array(links + links.T)


def labels_of(task, n_jobs):
    """Return the labels of a task: a name of an estimator, its parameters, a matrix."""
    import graphcore

    name, options, matrix = task
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator = getattr(graphcore, name)(random_state=options["seed"], n_jobs=n_jobs, **options["given"])
        X = matrix if name == "CoresetSpectralClustering" else matrix.toarray()
        return np.asarray(estimator.fit(X).labels_)


def _task(rng):
    matrix = _graph(rng)
    linked = int(np.count_nonzero(matrix.sum(axis=1)))
    k = int(rng.integers(1, min(9, linked)))
    name = "CoresetSpectralClustering"
    given = {"n_clusters": k}
    chosen = rng.integers(8)
    if chosen == 1:
        given["objective"] = "ncut"
    elif chosen == 2:
        given["n_clusters"] = "auto"
    elif chosen == 3:
        name = str(rng.choice(["KernelKMeans", "CoresetKernelKMeans", "NystromKernelKMeans"]))
        given["kernel"] = "rbf"
    return name, {"seed": int(rng.integers(1 << 30)), "given": given}, matrix


def _in_fork(task):
    """Return the labels of a fork, by a pipe; threads of this process stay behind."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with os.fdopen(theirs, "wb") as stream:
                pickle.dump(labels_of(task, 2), stream)
            code = 0
        finally:
            os._exit(code)
    os.close(theirs)
    with os.fdopen(ours, "rb") as stream:
        answer = stream.read()
    if os.waitpid(child, 0)[1]:
        raise Failure("a fork died")
    return pickle.loads(answer)


def _in_threads(task):
    """Run three fits at once; return the labels of one that differs, if one does."""
    found = [None] * 3

    def fit(i):
        found[i] = labels_of(task, 1 + i % 2)

    threads = [threading.Thread(target=fit, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return next((labels for labels in found if labels is None or not np.array_equal(labels, found[0])), found[0])


def prepare():
    """Start processes that are kept: one spawned, one of loky, which joblib uses."""
    from joblib.externals.loky import get_reusable_executor

    spawned = multiprocessing.get_context("spawn").Pool(1)
    return {
        "fork": _in_fork,
        "threads": _in_threads,
        "spawn": lambda task: spawned.apply(labels_of, (task, 2)),
        # It ends by itself when idle, because the end of this process waits for it.
        "loky": lambda task: get_reusable_executor(1, timeout=20).submit(labels_of, task, 2).result(),
    }


def case(given):
    """Compare a random graph's labels for 1, 2 and 3 threads, and in one of the other ways."""
    task = _task(given.rng)
    first = labels_of(task, 1)
    for n_jobs in (2, 3):
        if not np.array_equal(first, labels_of(task, n_jobs)):
            raise Failure("labels differ by the number of threads", repr(task[:2]))
    way = str(given.rng.choice(list(given.prepared)))
    if not np.array_equal(first, given.prepared[way](task)):
        raise Failure(f"labels differ by {way}", repr(task[:2]))
    return way


CAMPAIGN = Campaign(case, prepare, seconds=60.0, megabytes=0, short=5)
