"""Edges and rows against dense numpy, loop by loop."""

import numpy as np
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore.base.validation import read_only
from graphcore.graphs import _loops
from graphcore.graphs.rows import Rows, first_asymmetry, rows_from_pairs, symmetrize_rows
from tests.strategies import matrices

NONE = np.empty(0, dtype=np.float32)


def is_symmetric(rows, tolerance):
    return first_asymmetry(rows, tolerance)[0] < 0


def rows_of(A, weighted=True):
    """Dense matrix -> Rows."""
    matrix = sp.csr_array(A)
    return Rows(matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), matrix.data if weighted else NONE)


@st.composite
def edge_lists(draw):
    n = draw(st.integers(1, 8))
    m = draw(st.integers(0, 40))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    dtype = draw(st.sampled_from([np.int32, np.int64]))
    weights = rng.integers(1, 9, m) / 4 if draw(st.booleans()) else NONE
    return n, rng.integers(0, n, m).astype(dtype), rng.integers(0, n, m).astype(dtype), weights


@given(edge_lists(), st.sampled_from(["max", "average", "sum", "min"]))
def test_rows_from_pairs_equal_the_general_way(edges, policy):
    n, sources, targets, weights = edges
    A = np.zeros((n, n))
    np.add.at(A, (sources, targets), weights if len(weights) else 1.0)  # quarters: exact in any order
    A = A if len(weights) else (A > 0).astype(float)
    expected, both, single = symmetrize_rows(rows_of(A, len(weights) > 0), policy)
    different = np.count_nonzero(np.triu((A > 0) & (A.T > 0) & (A != A.T)))
    ends = np.column_stack([sources, targets]).astype(np.int32)
    rows, *counts = rows_from_pairs(ends, weights.copy(), n, policy)
    assert counts == [both, single, different]
    for mine, theirs in zip(rows, expected, strict=True):
        np.testing.assert_array_equal(mine, theirs)
        assert mine.dtype == theirs.dtype or len(mine) == 0


def test_pairs_of_the_largest_ids():
    # The packing must hold ids up to 2**31 - 2; the rows themselves would not fit, so the loops are called alone.
    top = 2**31 - 2
    keys = np.empty(3, dtype=np.int64)
    _loops.pack_pairs(np.array([[top, top - 1], [top - 1, top], [0, top]], dtype=np.int32), keys)
    assert (keys >> 32).tolist() == [top - 1, top - 1, 0]
    assert ((keys & 0xFFFFFFFF) >> 1).tolist() == [top] * 3
    assert (keys & 1).tolist() == [1, 0, 0]


@given(matrices(), st.integers(0, 2**32 - 1))
def test_is_symmetric_finds_every_single_difference(A, seed):
    assert is_symmetric(rows_of(A), 0.0)
    rng = np.random.default_rng(seed)
    off = np.flatnonzero(~np.eye(len(A), dtype=bool))
    assume(len(off))
    B = A.copy()
    entry = rng.choice(off)
    B.flat[entry] = 0 if B.flat[entry] and rng.random() < 0.5 else B.flat[entry] + 1
    assert not is_symmetric(rows_of(B), 0.0)
    assert not is_symmetric(rows_of(B), 1e-6)
    assert is_symmetric(rows_of(B, weighted=False), 0.0) == (((B > 0) == (B.T > 0)).all())


def test_is_symmetric_tolerance_is_relative():
    A = np.array([[0, 1e-12], [1e-12 * (1 + 1e-7), 0]])
    assert is_symmetric(rows_of(A), 1e-6)
    assert not is_symmetric(rows_of(A), 1e-8)


@given(matrices())
def test_row_sums_and_self_loops(A):
    rows = Rows(*map(read_only, rows_of(A)))
    out = np.full(len(A), np.nan)
    half = len(A) // 2
    _loops.row_sums(rows.indptr, rows.weights, 0, half, out)
    assert np.isnan(out[half:]).all()
    _loops.row_sums(rows.indptr, rows.weights, half, len(A), out)
    np.testing.assert_allclose(out, A.sum(axis=1), rtol=1e-14)
    found = _loops.count_self_loops(rows.indptr, rows.indices, 0, half)
    assert found == np.count_nonzero(A.diagonal()[:half])
    found += _loops.count_self_loops(rows.indptr, rows.indices, half, len(A))
    assert found == np.count_nonzero(A.diagonal())
    assert _loops.check_rows(*rows, len(A)) == (0, 0, 0, found)
