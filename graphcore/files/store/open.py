"""Open a graph on disk, and verify the checksums of its arrays and their structure."""

import os
from functools import partial

import numpy as np

from ...base.arrays import read_only
from ...base.progress import Stages
from ...base.types import PathLike
from ...base.validation import check_path
from ...exceptions import FormatError, InputError, warn_user
from ...graphs._row_loops import row_sums
from ...graphs.graph import Graph
from ...graphs.ids import check_name_array
from ...graphs.rows import Rows, check_canonical
from .._source import naming
from .arrays import map_array, names_from_arrays
from .format import CHECKED, PARTED, checksum, files_of, is_noted, note, read_meta, state_of
from .parts import map_parts, may_lack_parts, parts_here

_PIECE = 1 << 22


def open_graph(path: PathLike, *, trusted: bool = False) -> Graph:
    """Open a graph on disk without taking it into memory: its arrays are read-only memory maps.

    A damaged graph is not opened. One of up to 64 MiB is verified, as :func:`graphcore.check_store` does it. A larger
    one is opened at once if graphcore wrote it here, or :func:`graphcore.check_store` has verified it, and its files
    have not been changed, replaced or copied since; otherwise it is refused.

    Parameters
    ----------
    path : str or path-like
        A folder that :func:`graphcore.build_store` or :func:`graphcore.write_graph` wrote.
    trusted : bool, default False
        Open it unverified, if its files have the right types and sizes. Compiled loops over a graph that is damaged in
        another way may crash the process.

    Returns
    -------
    Graph
        Its pages lie in the system's page cache, not in the process's own memory. A pickle holds its path.

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
    path = check_path(path)
    graph, meta = map_graph(path, trusted=trusted)
    # Compiled loops do not check indices, and would read and write beyond arrays with damaged ones.
    with naming(path):
        if not trusted and meta.nbytes <= CHECKED:
            verify(path, graph, meta, Stages())
        elif not trusted and not is_noted(path, files_of(meta)):
            raise InputError(
                f"this graph of {meta.nbytes / 1e9:,.1f} GB was not verified here, or its files have changed; verify "
                f"it once with graphcore.check_store (graphcore check {path}), or pass trusted=True to open_graph"
            )
    return graph


def map_graph(path, *, trusted):
    """Return (graph, Meta) of a store whose files have the right types and sizes; `trusted` is how pickles open it."""
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
        if len(here) < len(meta.parts) and not (trusted and may_lack_parts.get()):
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
        known={"n_self_loops": meta.n_self_loops, "n_isolated": meta.n_isolated, "parts": (meta.parts, here)},
    )  # fmt: skip
    return graph, meta


def check_store(path: PathLike, *, stages: object = None) -> Graph:
    """Verify a graph on disk: checksums of all arrays, sorted rows, symmetry, degrees and counts.

    Parameters
    ----------
    path : str or path-like
        ``NAME.store``.
    stages : Stages, optional
        Object that measures time and shows progress.

    Returns
    -------
    Graph
        The graph, in which nothing is wrong.

    Raises
    ------
    FormatError
        If something is; the message says what, and in which array.
    OSError
        If the folder is missing or may not be read.

    Notes
    -----
    Takes 8 bytes of memory per node. Of a graph that is larger than :func:`graphcore.open_graph` verifies by itself,
    sizes, times of change and inode numbers of the verified files are recorded in the folder.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphcore
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "path.store")
    ...     graphcore.write_graph(graphcore.Graph.from_edges([0, 1], [1, 2]), path)
    ...     graphcore.check_store(path)
    Graph(n_nodes=3, n_edges=2, unweighted)
    """
    stages = stages or Stages()
    path = check_path(path)
    graph, meta = map_graph(path, trusted=False)
    with naming(path):
        before = state_of(path, files_of(meta))
        verify(path, graph, meta, stages)
        try:
            if meta.nbytes > CHECKED:
                note(path, before)
        except OSError as error:
            warn_user(
                f"{path}: the graph is sound, but this cannot be noted in its folder ({error.strerror}); open_graph "
                "takes it with trusted=True only"
            )
            graph = map_graph(path, trusted=True)[0]
    return graph


def verify(path, graph, meta, stages):
    """Read a whole mapped graph; raise a FormatError that describes its first error."""
    with stages("checksums"):
        for name, facts in meta.arrays.items():
            cut = meta.parts and name in PARTED
            array = getattr(graph, name) if cut else map_array(path, name, facts)
            value = 0
            for start in range(0, len(array), _PIECE):
                with stages(f"checksum of {name} {start / len(array):.0%}", total=False):
                    value = checksum(array[start : start + _PIECE], value)
            if value != facts.crc32:
                raise FormatError(f"{name}.npy is damaged: its checksum is {value:#010x}, not {facts.crc32:#010x}")
    with stages("rows"):
        _check_rows(graph, meta)
    if graph.node_names is not None and graph.node_names.dtype != object:
        check_name_array(graph.node_names)


def _check_rows(graph, meta):
    """Raise a FormatError if arrays with the right checksums are no valid graph."""
    try:
        n_self_loops = check_canonical(Rows(*graph.rows[:3]))
    except InputError as error:
        raise FormatError(str(error)) from None
    for first in range(0, graph.n_nodes, _PIECE):
        indptr = graph.indptr[first : first + _PIECE + 1]
        sums = np.diff(indptr).astype(np.float64)
        if graph.weights is not None:
            row_sums(read_only(indptr - indptr[0]), graph.weights[indptr[0] : indptr[-1]], 0, len(sums), sums)
        if not np.array_equal(graph.degrees[first : first + _PIECE], sums):
            raise FormatError("degrees.npy does not hold the row sums")
    counts = {"n_self_loops": n_self_loops, "n_isolated": int(np.count_nonzero(graph.degrees == 0))}
    for name, count in counts.items():
        if getattr(meta, name) != count:
            raise FormatError(f"meta.json says {name} is {getattr(meta, name)}, but it is {count}")
    with np.errstate(over="ignore"):
        if not np.isfinite(graph.degrees.sum()):
            raise InputError("the weights are so large that their sum overflows")
