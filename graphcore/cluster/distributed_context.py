"""The context in which Dask executes passes over a huge graph."""

from contextlib import nullcontext

from ..distributed.passes import on_workers
from .partition.quotient import goes_to_workers


def distributed_context(graph):
    """Return a context in which the workers of the current Dask client, if any, run passes over a huge graph."""
    return on_workers(graph) if goes_to_workers(graph) else nullcontext()
