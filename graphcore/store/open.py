"""Open a graph on disk."""

import os

from .._validation import check_path
from ..exceptions import FormatError, InputError
from ..graphs.graph import Graph
from ..io._source import naming
from .arrays import map_array
from .format import read_meta
from .names import names_from_arrays

__all__ = ["open_graph"]


def open_graph(path):
    """Open a graph on disk without reading it: its arrays are read-only memory maps.

    Parameters
    ----------
    path : str or path-like
        A folder that :func:`graphcore.build_store` or :func:`graphcore.write_graph` wrote.

    Returns
    -------
    Graph
        Works like any other. What is read of it lies in the system's page cache, not in the process's own memory.
        Pickled, it is its path alone.

    Raises
    ------
    FormatError
        If the folder is no graph, or was written by another version, or a file is missing, cut off or of another
        type. The content is not read; ``graphcore check`` compares it with its checksums.
    OSError
        If the folder is missing or may not be read.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphcore
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "path.graph")
    ...     graphcore.write_graph(graphcore.Graph.from_edges([0, 1], [1, 2]), path)
    ...     graph = graphcore.open_graph(path)
    >>> graph
    Graph(n_nodes=3, n_edges=2, unweighted)
    >>> graph.indices.flags.writeable
    False
    """
    path = check_path(path)
    os.stat(path)  # a missing folder is reported as such
    if not os.path.isdir(path):
        raise InputError(f"{path}: a graph on disk is a folder; graphcore.read_graph reads files")
    with naming(path):
        meta = read_meta(path)
        arrays = {name: map_array(path, name, facts) for name, facts in meta.arrays.items()}
        indptr = arrays["indptr"]
        if indptr[0] != 0 or indptr[-1] != meta.n_entries:
            raise FormatError(f"indptr.npy is damaged: it runs from {indptr[0]} to {indptr[-1]}, not {meta.n_entries}")
        names = arrays.get("node_names")
        if names is not None:
            names = names_from_arrays(names, arrays.get("node_name_ends"))
    return Graph._mapped(
        indptr, arrays["indices"], arrays.get("weights"), names, arrays["degrees"],
        reopen=(open_graph, (os.path.abspath(path),)),
        known={"n_self_loops": meta.n_self_loops, "n_isolated": meta.n_isolated},
    )  # fmt: skip
