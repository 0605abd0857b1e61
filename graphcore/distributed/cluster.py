"""Dask's clients, of the process and of a command, and the batches of blocks that their workers get.

Names of Dask without a public counterpart are used here alone, and tests/distributed/test_dask.py fails where one is
gone: the client behind a scheduler, the class of results in a task graph, the type of an array's blocks.
"""

import sys
from contextlib import contextmanager

from ..base.validation import check_integer
from ..exceptions import InputError, ParameterError, missing_package

# Arrays of at most this number of bytes go along with every task; larger ones are sent once to every worker.
INLINE_BYTES = 1 << 14
# Tasks for each thread of a worker, few because a task costs the scheduler some milliseconds.
_TASKS_PER_THREAD = 4
_SECONDS = 30
# Seconds between two looks at what has become of workers.
PATIENCE = 2


def current_client():
    """Return the current `distributed.Client` that can be used, or None; Dask's setting of a scheduler counts, too."""
    if "distributed" not in sys.modules:
        return None
    from dask.base import get_scheduler
    from distributed import Client, default_client

    try:
        client = getattr(get_scheduler(), "__self__", None)  # the scheduler of a client is its method
    except RuntimeError:  # Dask raises it if the client is asynchronous, or there is none where one is set
        try:
            client = default_client()
        except ValueError:
            return None
    if not isinstance(client, Client):
        return None
    if client.asynchronous:
        raise InputError(
            "the current Dask client is asynchronous, and fits wait for what they ask; make a distributed.Client "
            "without asynchronous=True, outside of coroutines"
        )
    _require_running(client)
    return client


def _require_running(client):
    if client.status != "running":
        raise InputError(f"the Dask client is {client.status}; make a new distributed.Client, and what it held, again")


@contextmanager
def told_of_ends(client):
    """Turn errors that come of a closed client (None for none) into an InputError that names this reason."""
    try:
        yield
    except Exception as error:
        if client is not None:
            try:
                _require_running(client)
            except InputError as reason:
                raise reason from error
        raise


def require_reachable(X):
    """Raise an InputError if a dask.array has blocks that lay on the workers of a closed client."""
    if "distributed" in sys.modules:
        from distributed import futures_of

        for client in {future.client for future in futures_of(X)}:
            _require_running(client)


def block_type(X):
    """Return the type of the blocks of a dask.array that Dask assumes."""
    return type(X._meta)


def is_result(node):
    """Return whether a node of a task graph, optimised by Dask, holds a result and no work."""
    from dask._task_spec import DataNode

    return isinstance(node, DataNode)


def require_workers(client):
    """Wait for the first worker of a client; raise an InputError if there is none after a while."""
    try:
        client.wait_for_workers(1, timeout=_SECONDS)
    except TimeoutError as error:
        raise InputError(
            f"the Dask cluster has had no worker for {_SECONDS} seconds; start one (cluster.scale(2), or dask worker "
            "ADDRESS), or close the client to work without it"
        ) from error


def gathered(client, futures, look=None):
    """Return the results of tasks, which would wait forever where all workers have died and none is started again.

    `look`, if given, is called every few seconds and may raise an error, too. No call waits for tasks that are left.
    """
    from distributed import wait

    try:
        while True:
            try:
                wait(futures, timeout=PATIENCE)
            except TimeoutError:
                require_workers(client)
                if look is not None:
                    look()
            else:
                return client.gather(futures)
    except BaseException:
        client.cancel(futures)
        raise


def batches(blocks, n_threads, tasks_per_thread=_TASKS_PER_THREAD):
    """Cut blocks into lists of neighbours, one for each task of `n_threads` threads."""
    n_tasks = min(len(blocks), tasks_per_thread * max(1, n_threads))
    return [blocks[i * len(blocks) // n_tasks : (i + 1) * len(blocks) // n_tasks] for i in range(n_tasks)]


@contextmanager
def client_of(scheduler=None, workers=None):
    """Connect the current client, within a block, to the scheduler at an address or to new processes of this machine.

    Without either, nothing happens. An InputError says that the scheduler does not answer, or `distributed` is missing.
    """
    if scheduler is None and workers is None:
        yield
        return
    if scheduler is not None and workers is not None:
        raise ParameterError("give either --scheduler or --workers, and not both")
    if workers is not None:
        workers = check_integer("workers", workers, low=1)
    try:
        from distributed import Client
    except ImportError:
        raise InputError(missing_package("running on workers", "distributed", "distributed")) from None
    if scheduler is None:
        client = Client(n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs="ERROR")
    else:
        try:
            client = Client(scheduler, timeout=_SECONDS)
        except (OSError, ValueError, TimeoutError) as error:
            raise InputError(f"no Dask scheduler answers at {scheduler}; check the address and that it runs") from error
    with client:
        yield
