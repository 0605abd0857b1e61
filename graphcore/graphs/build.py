"""Edges or sparse rows of any shape become canonical symmetric rows."""

from typing import NamedTuple

import numpy as np

from .._validation import check_choice
from ..exceptions import InputError
from . import _loops

__all__ = ["SYMMETRIZE", "Rows", "rows_from_edges", "rows_from_pairs", "symmetrize_rows"]

SYMMETRIZE = ("max", "average", "sum", "min", "error")
_POLICIES = {"max": _loops.MAX, "average": _loops.AVERAGE, "sum": _loops.SUM, "min": _loops.MIN}


class Rows(NamedTuple):
    """Compressed sparse rows; `weights` of length 0 stands for ones."""

    indptr: np.ndarray
    indices: np.ndarray
    weights: np.ndarray


def rows_from_edges(sources, targets, weights, n_nodes):
    """Sort directed edges into rows, repeated edges merged (weights added); columns ascend.

    Two counting transpositions sort the columns, so no comparison sort is needed.
    """
    rows = _bucket(sources, targets, weights, n_nodes)
    rows = transpose_rows(rows)  # one at a time, so that no more than two copies are alive
    rows = transpose_rows(rows)
    return _merge_repeats(rows)


def rows_from_pairs(ends, weights, n_nodes, policy):
    """Symmetric rows of edges between less than 2**31 nodes; returns (rows, pairs in both directions, in one only).

    The same result as :func:`rows_from_edges` and :func:`symmetrize_rows`, in less than half the time and memory:
    every edge becomes one integer, numpy sorts them (with vector instructions where the processor has them), and only
    the merged pairs are scattered. `ends` (n_edges x 2, int32) is overwritten.
    """
    code = _POLICIES[policy]
    keys = ends.view(np.int64).ravel()
    _loops.pack_pairs(ends, keys)
    if len(weights):
        order = np.argsort(keys)
        keys, weights = keys[order], weights[order]
        del order
    else:
        keys.sort()
        if policy in ("average", "sum"):  # edges without weights count once in each direction
            keys = keys[np.diff(keys, prepend=-1) != 0]
        weights = np.ones(len(keys) if policy in ("average", "sum") else 0, dtype=weights.dtype)
    counts = np.zeros(n_nodes + 1, dtype=np.int64)
    n_pairs, both, single = _loops.unique_pairs(keys, weights, code, counts[1:])
    indptr = np.cumsum(counts, out=counts)
    out = Rows(
        indptr,
        np.empty(indptr[-1], dtype=np.int32),
        np.empty(indptr[-1] if len(weights) else 0, dtype=weights.dtype),
    )
    _loops.fill_pairs(keys[:n_pairs], weights[:n_pairs], indptr[:-1].copy(), out.indices, out.weights)
    return out, both, single


def transpose_rows(rows):
    """Transpose; the result's rows are sorted."""
    n = len(rows.indptr) - 1
    counts = np.zeros(n + 1, dtype=np.int64)
    _loops.count_rows(rows.indices, counts[1:])
    indptr = np.cumsum(counts, out=counts)
    out = Rows(indptr, np.empty_like(rows.indices), np.empty_like(rows.weights))
    _loops.transpose(*rows, indptr[:-1].copy(), out.indices, out.weights)
    return out


def symmetrize_rows(rows, policy):
    """Combine the two directions of every pair; returns (rows, pairs in both directions, in one only).

    Parameters
    ----------
    rows : Rows
        Directed, sorted, without repeats.
    policy : {"max", "average", "sum", "min", "error"}
        What a pair's weight becomes, from its weights in the two directions (0 where absent).
        "error" refuses an asymmetric matrix.
    """
    check_choice("symmetrize", policy, SYMMETRIZE)
    code = _POLICIES.get(policy, _loops.MAX)
    n = len(rows.indptr) - 1
    mirror = transpose_rows(rows)
    counts = np.zeros(n + 1, dtype=np.int64)
    both, single = _loops.merge_count(*rows[:2], *mirror[:2], code, counts[1:])
    if policy == "error" and (single or not np.array_equal(rows.weights, mirror.weights)):
        raise InputError(
            f"the graph is not symmetric ({single // 2} pairs in one direction only) and symmetrize='error'; "
            "choose symmetrize='max', 'average', 'sum' or 'min', or give a symmetric matrix"
        )
    indptr = np.cumsum(counts, out=counts)
    unweighted = len(rows.weights) == 0 and policy in ("max", "min", "error")
    weights = np.empty(0 if unweighted else indptr[-1], dtype=rows.weights.dtype)
    indices = np.empty(indptr[-1], dtype=rows.indices.dtype)
    _loops.merge_fill(*rows, *mirror, code, indptr, indices, weights)
    return Rows(indptr, indices, weights), both // 2, single // 2


def _bucket(sources, targets, weights, n_nodes):
    counts = np.zeros(n_nodes + 1, dtype=np.int64)
    _loops.count_rows(sources, counts[1:])
    indptr = np.cumsum(counts, out=counts)
    id_dtype = np.int32 if n_nodes < 2**31 else np.int64
    out = Rows(indptr, np.empty(len(targets), dtype=id_dtype), np.empty_like(weights))
    _loops.scatter_rows(sources, targets, weights, indptr[:-1].copy(), out.indices, out.weights)
    return out


def _merge_repeats(rows):
    indptr = np.zeros_like(rows.indptr)
    length = _loops.compress_rows(*rows, indptr)
    if length == len(rows.indices):
        return rows
    weights = rows.weights if len(rows.weights) == 0 else rows.weights[:length].copy()
    return Rows(indptr, rows.indices[:length].copy(), weights)
