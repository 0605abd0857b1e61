"""Open a graph on disk."""

import os
from functools import partial

from .._progress import Stages
from .._typing import PathLike
from .._validation import check_path
from ..distributed.worker import reopening
from ..exceptions import FormatError, InputError
from ..graphs.graph import Graph
from ..io._source import naming
from .arrays import map_array
from .format import CHECKED, PARTED, files_of, read_meta
from .names import names_from_arrays
from .parts import map_parts, parts_here
from .record import is_noted
from .verify import verify


def open_graph(path: PathLike, *, trusted: bool = False) -> Graph:
    """Open a graph on disk without taking it into memory: its arrays are read-only memory maps.

    A damaged graph is not opened. One of up to 64 MiB is verified, as :func:`graphcore.check_store` does it, which
    takes less than a second. A larger one is opened at once if graphcore wrote it here, or
    :func:`graphcore.check_store` has verified it, and its files have not been changed, replaced or copied since;
    otherwise it is refused.

    Parameters
    ----------
    path : str or path-like
        A folder that :func:`graphcore.build_store` or :func:`graphcore.write_graph` wrote.
    trusted : bool, default False
        Open it unverified, if its files have the right types and sizes. What compiled loops do with a graph that is
        damaged after all is not known: they may end the process.

    Returns
    -------
    Graph
        Works like any other. What is read of it lies in the system's page cache, not in the process's own memory.
        Pickled, it is its path alone.

    Raises
    ------
    FormatError
        If the folder is no graph, or was written by another version, or a file is missing, cut off, of another type or
        damaged.
    InputError
        If it is large and not known to be sound; the message tells how to verify it.
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
    graph, meta = map_graph(path, trusted=trusted)
    if not trusted:
        path = check_path(path)
        with naming(path):
            _require_sound(path, graph, meta)
    return graph


def map_graph(path, *, trusted):
    """Return (graph, Meta) of a store whose files have the right types and sizes; `trusted` is how pickles open it."""
    path = check_path(path)
    os.stat(path)  # a missing folder is reported as such
    if not os.path.isdir(path):
        raise InputError(f"{path}: a graph on disk is a folder; graphcore.read_graph (graphcore info) reads files")
    with naming(path):
        meta = read_meta(path)
        cut = PARTED & set(meta.arrays) if meta.parts else set()
        arrays = {name: map_array(path, name, facts) for name, facts in meta.arrays.items() if name not in cut}
        indptr = arrays["indptr"]
        if indptr[0] != 0 or indptr[-1] != meta.n_entries:
            raise FormatError(f"indptr.npy is damaged: it runs from {indptr[0]} to {indptr[-1]}, not {meta.n_entries}")
        here = parts_here(path, meta)
        if len(here) < len(meta.parts) and not (trusted and reopening.get()):
            lost = next(p for p in range(len(meta.parts)) if p not in here)
            raise FormatError(
                f"part-{lost} is missing; only a worker can do without, of a graph that was opened with trusted=True"
            )
        arrays |= {name: map_parts(path, name, meta, indptr, here) for name in cut}
        names = arrays.get("node_names")
        if names is not None:
            names = names_from_arrays(names, arrays.get("node_name_ends"))
    graph = Graph._mapped(
        indptr, arrays["indices"], arrays.get("weights"), names, arrays["degrees"],
        reopen=(partial(open_graph, trusted=True) if trusted else open_graph, (os.path.abspath(path),)),
        known={"n_self_loops": meta.n_self_loops, "n_isolated": meta.n_isolated, "_parts": (meta.parts, here)},
    )  # fmt: skip
    return graph, meta


def _require_sound(path, graph, meta):
    """Compiled loops believe a graph's arrays, and would read and write wherever damaged ones point to."""
    if meta.nbytes <= CHECKED:
        verify(path, graph, meta, Stages())
    elif not is_noted(path, files_of(meta)):
        raise InputError(
            f"this graph of {meta.nbytes / 1e9:,.1f} GB was not verified here, or its files have changed since; verify "
            f"it once with graphcore.check_store (graphcore check {path}), or pass trusted=True to open_graph"
        )
