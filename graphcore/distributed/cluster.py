"""Clients of Dask for commands, which have no current one."""

from contextlib import contextmanager

from .._validation import check_integer
from ..exceptions import InputError, ParameterError, missing_package

__all__ = ["client_of"]

_SECONDS = 30


@contextmanager
def client_of(scheduler=None, workers=None):
    """Within, the current client is one of the scheduler at an address, or of so many processes of this machine.

    Without either, nothing happens. Raises InputError where the scheduler does not answer, or `distributed` is missing.
    """
    if scheduler is None and workers is None:
        yield
        return
    if scheduler is not None and workers is not None:
        raise ParameterError("give either --scheduler or --workers, and not both")
    if workers is not None:
        workers = check_integer("workers", workers, low=1)
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise InputError(missing_package("running on workers", "distributed", "distributed")) from None
    if scheduler is not None:
        try:
            client = Client(scheduler, timeout=_SECONDS)
        except (OSError, ValueError, TimeoutError) as error:
            raise InputError(f"no Dask scheduler answers at {scheduler}; check the address and that it runs") from error
        with client:
            yield
        return
    with (
        LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=":0", silence_logs="ERROR") as cluster,
        Client(cluster),
    ):
        yield
