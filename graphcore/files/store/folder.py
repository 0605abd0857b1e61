"""Graphs on disk as folders: opened without being taken into memory, verified, written whole or not at all."""

import contextlib
import os
from collections.abc import Iterable
from functools import partial

import numpy as np

from ...base.types import PathLike
from ...base.validation import check_path
from ...exceptions import FormatError, InputError, ParameterError
from ...graphs._loops import check_rows, row_sums
from ...graphs.from_edges import check_name_array
from ...graphs.graph import Graph
from ...graphs.rows import check_canonical, describe_defect
from ..atomic import check_apart, check_folder, is_store, put_in_place, sync_folder
from ..source import naming
from .format import (
    META,
    SUFFIX,
    Meta,
    checksum,
    map_arrays,
    names_as_arrays,
    names_from_arrays,
    read_meta,
    write_array,
    write_meta,
)

_PIECE = 1 << 22


def open_graph(path: PathLike, *, trusted: bool = False) -> Graph:
    """Open a graph on disk without taking it into memory: its arrays are read-only memory maps.

    Parameters
    ----------
    path : str or path-like
        A folder that :func:`graphcore.build_store` or :func:`graphcore.write_graph` wrote.
    trusted : bool, default False
        Open it at once, if its files have the right types and sizes. Otherwise all rows are read once: compiled loops
        do not check that columns are those of nodes and in order, and may crash the process where they are not.

    Returns
    -------
    Graph
        Its pages lie in the system's page cache, not in the process's own memory. A pickle holds its path, and opens
        it as trusted.

    Raises
    ------
    FormatError
        If the folder is no graph, or was written by another version, or a file is missing, cut off, of another type or
        damaged. (``graphcore info NAME.store --verify`` compares checksums, too.)
    OSError
        If the folder is missing or may not be read.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphcore
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "path.store")
    ...     graphcore.write_graph(graphcore.Graph.from_edges([0, 1], [1, 2]), path)
    ...     graph = graphcore.open_graph(path)
    >>> graph
    Graph(n_nodes=3, n_edges=2, unweighted)
    >>> graph.indices.flags.writeable
    False
    """
    path = check_path(path)
    graph = _mapped(path)
    if not trusted:
        with naming(path):
            code, row, entry, _ = check_rows(*graph.rows[:3], graph.n_nodes)
            if code:
                raise FormatError(describe_defect(code, row, entry, graph.rows))
            sums = np.diff(graph.indptr).astype(np.float64)
            if graph.weights is not None:
                row_sums(graph.indptr, graph.weights, 0, len(sums), sums)
            if not np.array_equal(sums, graph.degrees):
                raise FormatError("degrees.npy or weights.npy is damaged: degrees are the sums of rows")
            if graph.node_names is not None and graph.node_names.dtype != object:
                check_name_array(graph.node_names)
    return graph


def verify_store(path):
    """Open a graph on disk, and compare checksums of all arrays and both directions of each edge."""
    path = check_path(path)
    graph, meta = open_graph(path), read_meta(path)
    with naming(path):
        for name, array in map_arrays(path, meta).items():
            value, written = 0, meta.checksums[name]
            for start in range(0, len(array), _PIECE):
                value = checksum(array[start : start + _PIECE], value)
            if value != written:
                raise FormatError(f"{name}.npy is damaged: its checksum is {value:#010x}, not {written:#010x}")
        check_canonical(graph.rows[:3])
    return graph


def _mapped(path):
    """Return the graph of a store whose files have the right types and sizes."""
    os.stat(path)  # a missing folder is reported as such
    if not os.path.isdir(path):
        raise InputError(f"{path}: a graph on disk is a folder; graphcore.read_graph (graphcore info) reads files")
    with naming(path):
        meta = read_meta(path)
        arrays = map_arrays(path, meta)
        indptr, names = arrays["indptr"], arrays.get("node_names")
        if indptr[0] != 0 or indptr[-1] != meta.n_entries:
            raise FormatError(f"indptr.npy is damaged: it runs from {indptr[0]} to {indptr[-1]}, not {meta.n_entries}")
        if names is not None:
            names = names_from_arrays(names, arrays.get("node_name_ends"))
    return Graph._mapped(
        indptr, arrays["indices"], arrays.get("weights"), names, arrays["degrees"],
        reopen=(partial(open_graph, trusted=True), (os.path.abspath(path),)),
        known={"n_self_loops": meta.n_self_loops, "n_isolated": meta.n_isolated},
    )  # fmt: skip


# -- writing -----------------------------------------------------------------------------------------------------------


def write_store(graph: Graph, path: PathLike) -> None:
    """Write a graph as a folder ``NAME.store``, atomically; only a store is replaced.

    A graph that is mapped from a store is not written over that store, which its pickles open by the path.
    """
    arrays = {"indptr": graph.indptr, "indices": graph.indices, "weights": graph.weights, "degrees": graph.degrees}
    if graph.node_names is not None:
        arrays |= names_as_arrays(graph.node_names)
    with atomic_folder(path, reads=[] if graph.origin is None else graph.origin[1]) as folder:
        checksums = {name: write_array(folder, name, a.dtype, [a]) for name, a in arrays.items() if a is not None}
        write_meta(folder, Meta(graph.n_nodes, graph.n_entries, graph.n_self_loops, graph.n_isolated, checksums))


def check_replaceable(path: PathLike, reads: Iterable[PathLike] = ()) -> str:
    """Check that a store can be written at `path`, and return the path as a string.

    Only stores are replaced, and none that is, or holds, one of the inputs `reads`.
    """
    path = os.path.normpath(check_path(path))
    if not path.endswith(SUFFIX) or os.path.basename(path) == SUFFIX:
        raise ParameterError(f"the output is {path!r}, but graphs on disk are called NAME{SUFFIX}")
    check_folder(path, written=True)
    if os.path.lexists(path) and not is_store(path):
        raise InputError(f"{path} is there and is no graph on disk, so it is not replaced; choose another name")
    for name in os.listdir(path) if os.path.lexists(path) else []:
        if not (name == META or name.endswith(".npy") or name.startswith(".")):
            raise InputError(f"{path} also holds {name!r}, which is no part of a graph, so it is not replaced")
    check_apart([*((f"the input {each}", each, False) for each in reads), (f"the output {path}", path, True)])
    return path


@contextlib.contextmanager
def atomic_folder(path, reads=()):
    """Yield a new folder that becomes `path` when the block ends without an error, and goes away otherwise."""
    path = check_replaceable(path, reads)
    with put_in_place(os.path.realpath(path), path) as folder:
        os.mkdir(folder)
        yield folder
        sync_folder(folder)
