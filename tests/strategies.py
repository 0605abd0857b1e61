"""Hypothesis strategies: small random symmetric graphs with all the awkward parts, in every container."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.refine.problem import Problem

from .oracles import random_adjacency

CONTAINERS = (
    "csr_array", "csr_array64", "csr_matrix", "csc_array", "csc_matrix", "coo_array", "coo_duplicated", "lil", "dense",
    "unsorted", "explicit_zeros",
)  # fmt: skip


@st.composite
def matrices(draw, max_nodes=12, weighted=None, symmetric=True, isolated=True):
    """Dense adjacency matrix (float64): isolated nodes, self-loops, several components, perhaps weights."""
    n = draw(st.integers(1, max_nodes))
    seed = draw(st.integers(0, 2**32 - 1))
    density = draw(st.sampled_from([0.0, 0.1, 0.3, 0.6, 1.0]))
    loops = draw(st.sampled_from([0.0, 0.3, 1.0]))
    weighted = draw(st.booleans()) if weighted is None else weighted
    rng = np.random.default_rng(seed)
    A = (rng.random((n, n)) < density).astype(float)
    np.fill_diagonal(A, rng.random(n) < loops)
    if draw(st.booleans()):  # two sides without an edge between them
        side = rng.integers(0, 2, n)
        A[side[:, None] != side] = 0
    if isolated:
        alone = rng.random(n) < draw(st.sampled_from([0.0, 0.3]))
        A[alone] = A[:, alone] = 0
    if weighted:
        # Powers of two apart, so that sums differ by order; 1 appears as well.
        A *= rng.choice([1.0, 0.5, 3.0, 1e-3, 1e3, 0.1], size=(n, n)) * np.where(
            rng.random((n, n)) < 0.5, 1, rng.random((n, n)) + 0.1
        )
    if symmetric:
        A = np.triu(A) + np.triu(A, 1).T
    return A


@st.composite
def linked_adjacencies(draw, low, high):
    """(Dense matrix, random generator) of a graph that has an edge, perhaps weights, loops and isolated nodes."""
    rng, n = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), draw(st.integers(low, high))
    options = {
        "weighted": draw(st.booleans()),
        "loops": draw(st.sampled_from([0.0, 0.4])),
        "isolated": draw(st.integers(0, n - 2)),
    }
    A = random_adjacency(n, draw(st.sampled_from([0.1, 0.3, 0.8])), rng, **options)
    A[0, 1] = A[1, 0] = 1.0
    return A, rng


def contain(A, container, rng=None):
    """The dense matrix `A` in one of CONTAINERS."""
    rng = rng or np.random.default_rng(0)
    n = len(A)
    if container == "dense":
        return A.copy()
    if container == "csr_array64":
        M = sp.csr_array(A)
        M.indices, M.indptr = M.indices.astype(np.int64), M.indptr.astype(np.int64)
        return M
    if container == "coo_duplicated":
        row, col = np.nonzero(A)
        value = A[row, col]
        half = np.concatenate([value * 0.25, value * 0.75])
        order = rng.permutation(2 * len(row))
        return sp.coo_array((half[order], (np.tile(row, 2)[order], np.tile(col, 2)[order])), shape=(n, n))
    if container == "unsorted":
        M = sp.csr_array(A)
        for i in range(n):
            span = slice(M.indptr[i], M.indptr[i + 1])
            order = rng.permutation(span.stop - span.start)
            M.indices[span], M.data[span] = M.indices[span][order], M.data[span][order]
        M.has_sorted_indices = False
        return M
    if container == "explicit_zeros":
        M = sp.csr_array(np.where(A == 0, 7.0, A))
        M.data[M.data == 7.0] = 0.0
        return M
    make = {
        "csr_array": sp.csr_array, "csr_matrix": sp.csr_matrix, "csc_array": sp.csc_array, "csc_matrix": sp.csc_matrix,
        "coo_array": sp.coo_array, "lil": sp.lil_array,
    }  # fmt: skip
    return make[container](A)


@st.composite
def graphs(draw, **options):
    """A (Graph, its dense matrix) pair."""
    A = draw(matrices(**options))
    return Graph.from_scipy(A), A


@st.composite
def labellings(draw, n, max_clusters=4, unlabelled=True):
    """Labels of n nodes; clusters may be empty, nodes may have none (-1)."""
    low = draw(st.sampled_from([-1, 0])) if unlabelled else 0
    k = draw(st.integers(1, max_clusters))
    seed = draw(st.integers(0, 2**32 - 1))
    return np.random.default_rng(seed).integers(low, k, n)


objectives = st.sampled_from(tuple(OBJECTIVES.values()))


_PRICED = [each.at(price=price) for each in OBJECTIVES.values() for price in (0.05, 0.3, 0.95)]
# Each, and those that have a price of entropy or a resolution at some.
PRICED_OBJECTIVES = [
    *OBJECTIVES.values(), *(each for each in _PRICED if each.price),
    *(each.at(resolution=2.5) for each in OBJECTIVES.values() if each.resolution is not None),
]  # fmt: skip


def priced_objectives():
    """One of `PRICED_OBJECTIVES`, plain ones first."""
    return st.one_of(objectives, st.sampled_from(PRICED_OBJECTIVES[len(OBJECTIVES) :]))


def problem_of(graph, n_clusters, objective=OBJECTIVES["information"], **limits):
    """The Problem of a Graph, or of its rows."""
    return Problem(graph.rows if isinstance(graph, Graph) else graph, n_clusters, objective, **limits)
