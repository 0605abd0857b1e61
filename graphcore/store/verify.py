"""Whether the arrays of a store are those that were written, and are a graph."""

import os

import numpy as np

from .._arrays import read_only
from ..exceptions import FormatError, InputError
from ..graphs._row_loops import row_sums
from ..graphs.ids import check_name_array
from ..graphs.rows import Rows, find_defect
from .arrays import map_array
from .format import PARTED, checksum

_PIECE = 1 << 22


def verify(path, graph, meta, stages):
    """Read a mapped graph from end to end; raises a FormatError that says what is wrong with it."""
    with stages("checksums"):
        for name, facts in meta.arrays.items():
            array = getattr(graph, "_weights" if name == "weights" else name) if meta.parts and name in PARTED else None
            _check_sum(name, map_array(os.path.abspath(path), name, facts) if array is None else array, facts, stages)
    with stages("rows"):
        _check_rows(graph, meta)
    if graph.node_names is not None and graph.node_names.dtype != object:
        check_name_array(graph.node_names)


def _check_sum(name, array, facts, stages):
    value = 0
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
    with np.errstate(over="ignore"):
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
