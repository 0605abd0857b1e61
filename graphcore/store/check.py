"""Read a graph on disk from end to end, and say what is wrong with it."""

import os

import numpy as np

from .._arrays import read_only
from .._progress import Stages
from ..exceptions import FormatError, InputError
from ..graphs._row_loops import row_sums
from ..graphs.rows import Rows, find_defect
from ..io._source import naming
from .arrays import map_array
from .format import checksum, read_meta
from .open import open_graph

__all__ = ["check_store"]

_PIECE = 1 << 22


def check_store(path, *, stages=None):
    """Verify a graph on disk: checksums of all arrays, sorted rows, symmetry, degrees and counts.

    Parameters
    ----------
    path : str or path-like
        ``NAME.graph``.
    stages : Stages, optional
        Where time is measured and progress shown.

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
    Takes 8 bytes of memory per node.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphcore
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "path.graph")
    ...     graphcore.write_graph(graphcore.Graph.from_edges([0, 1], [1, 2]), path)
    ...     graphcore.check_store(path)
    Graph(n_nodes=3, n_edges=2, unweighted)
    """
    stages = stages or Stages()
    graph, path = open_graph(path), os.path.abspath(path)
    with naming(path):
        meta = read_meta(path)
        with stages("checksums"):
            for name, facts in meta.arrays.items():
                _check_sum(path, name, facts, stages)
        with stages("rows"):
            _check_rows(graph, meta)
    return graph


def _check_sum(path, name, facts, stages):
    array, value = map_array(path, name, facts), 0
    for start in range(0, len(array), _PIECE):
        with stages(f"checksum of {name} {start / len(array):.0%}", total=False):
            value = checksum(array[start : start + _PIECE], value)
    if value != facts.crc32:
        raise FormatError(f"{name}.npy is damaged: its checksum is {value:#010x}, not {facts.crc32:#010x}")


def _check_rows(graph, meta):
    """Raise a FormatError if arrays that are as they were written are no graph all the same."""
    defect, n_self_loops = find_defect(Rows(graph.indptr, graph.indices, graph._weights))
    if defect:
        raise FormatError(defect)
    if not all(_degrees_fit(graph, slice(a, min(a + _PIECE, graph.n_nodes))) for a in range(0, graph.n_nodes, _PIECE)):
        raise FormatError("degrees.npy does not hold the row sums")
    counts = {"n_self_loops": n_self_loops, "n_isolated": int(np.count_nonzero(graph.degrees == 0))}
    for name, count in counts.items():
        if getattr(meta, name) != count:
            raise FormatError(f"meta.json says {name} is {getattr(meta, name)}, but it is {count}")
    if not np.isfinite(graph.degrees.sum()):
        raise InputError("the weights are so large that their sum overflows")


def _degrees_fit(graph, span):
    indptr = graph.indptr[span.start : span.stop + 1]
    if graph.weights is None:
        return np.array_equal(graph.degrees[span], np.diff(indptr))
    sums = np.empty(len(indptr) - 1)
    weights = graph.weights[indptr[0] : indptr[-1]]
    row_sums(read_only(indptr - indptr[0]), weights, 0, len(sums), sums)
    return np.array_equal(graph.degrees[span], sums)
