"""Write a graph that is in memory as a store."""

from .._typing import PathLike
from ..graphs.graph import Graph
from .arrays import write_array
from .folder import atomic_folder, check_replaceable
from .format import Meta, write_meta
from .names import names_as_arrays


def write_store(graph: Graph, path: PathLike) -> None:
    """Write a graph as a folder ``NAME.store``, whole or not there; a store there is replaced, anything else is not.

    A graph that is mapped from a store is not written over it: it may hold less, and others find it by its path.
    """
    check_replaceable(path, reads=[] if graph._reopen is None else graph._reopen[1])
    arrays = {"indptr": graph.indptr, "indices": graph.indices, "weights": graph.weights, "degrees": graph.degrees}
    if graph.node_names is not None:
        arrays |= names_as_arrays(graph.node_names)
    with atomic_folder(path) as folder:
        facts = {name: write_array(folder, name, array) for name, array in arrays.items() if array is not None}
        meta = Meta(graph.n_nodes, graph.n_entries, graph.n_self_loops, graph.n_isolated, facts)
        write_meta(folder, meta)
