"""Slow dense twins of the compiled stages, small graphs to run them on, and help for statistical tests.

Everything here works on dense numpy arrays and takes no code from graphcore beyond the Graph constructors.
"""

from copy import copy
from functools import cache, lru_cache

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats

from graphcore import Graph

from .depth import examples

# A statistical test below is allowed to fail by chance with this probability, over all seeds it could have used. The
# seeds are fixed, so what passes today passes tomorrow; the number says how much a change of seeds may cost.
FAILURE = 1e-6

quick = examples(40)


# -- graphs ----------------------------------------------------------------------------------------------------------


def random_adjacency(n, density, rng, *, weighted=False, loops=0.0, isolated=0):
    """Dense symmetric matrix; the last `isolated` nodes have no edge."""
    A = (rng.random((n, n)) < density).astype(float)
    if weighted:
        A *= rng.choice([0.1, 0.5, 1.0, 3.0, 20.0], size=(n, n)) * (0.5 + rng.random((n, n)))
    A = np.triu(A, 1)
    A = A + A.T
    on_loops = rng.random(n) < loops
    A[on_loops, on_loops] = 1.0 if not weighted else 0.1 + 3 * rng.random(on_loops.sum())
    if isolated:
        A[-isolated:] = A[:, -isolated:] = 0.0
    return A


@cache
def example_adjacencies():
    """Named dense matrices with all the awkward parts of real graphs."""
    rng = np.random.default_rng(2024)
    barabasi = nx.to_numpy_array(nx.barabasi_albert_graph(60, 3, seed=3))
    blocks = np.zeros((36, 36))
    for start, stop in ((0, 14), (14, 25), (25, 36)):
        blocks[start:stop, start:stop] = random_adjacency(stop - start, 0.5, rng)
    return {
        "barabasi-albert": barabasi,
        "star": nx.to_numpy_array(nx.star_graph(30)),
        "weighted": random_adjacency(40, 0.2, rng, weighted=True),
        "disconnected": blocks,
        "self-loops": random_adjacency(40, 0.2, rng, loops=0.4),
        "weighted self-loops": random_adjacency(40, 0.3, rng, weighted=True, loops=0.4),
        "isolated nodes": random_adjacency(40, 0.2, rng, isolated=6),
        "path": nx.to_numpy_array(nx.path_graph(12)),
        "complete": nx.to_numpy_array(nx.complete_graph(9)),
        "one edge": np.array([[0.0, 1.0], [1.0, 0.0]]),
    }


EXAMPLES = sorted(example_adjacencies())


def example(name):
    """(Graph, dense matrix) of a named example."""
    A = example_adjacencies()[name]
    return Graph.from_scipy(A), A


def cliques(sizes, loops=True):
    """Disjoint cliques."""
    A = np.zeros((sum(sizes),) * 2)
    start = 0
    for size in sizes:
        A[start : start + size, start : start + size] = 1.0
        start += size
    if not loops:
        np.fill_diagonal(A, 0.0)
    return A


@lru_cache(maxsize=4)
def planted(k, size, p, q, seed):
    """(Graph, true labels) of k blocks: edges inside with probability p, between with probability q."""
    rng = np.random.default_rng(seed)
    n = k * size
    pieces = []
    for block in range(k):
        i, j = np.nonzero(np.triu(rng.random((size, size), dtype=np.float32) < p, 1))
        pieces.append(np.stack([i, j]) + block * size)
    labels = np.repeat(np.arange(k), size)
    between = rng.integers(0, n, (2, rng.poisson(q * n * n / 2)))
    pieces.append(between[:, labels[between[0]] != labels[between[1]]])
    sources, targets = np.concatenate(pieces, axis=1)
    low, high = np.minimum(sources, targets), np.maximum(sources, targets)
    A = sp.csr_array((np.ones(len(low)), (low, high)), shape=(n, n))
    A.data[:] = 1.0
    return Graph.from_scipy(A + A.T, warn=False), labels


def with_weights(graph, low=0.0, high=1.0):
    """The Graph with random weights, sums of two between `low` and `high`."""
    A = graph.to_scipy()
    A.data = np.random.default_rng(0).uniform(low, high, len(A.data))
    return Graph.from_scipy(A + A.T)


def dense(graph):
    """The matrix of a Graph."""
    return graph.to_scipy().toarray()


# -- kernel k-means --------------------------------------------------------------------------------------------------


def mean_weight(A):
    """Mean of the entries that are not 0; loops are multiples of it."""
    return float(A[A != 0].mean()) if A.any() else 1.0


def dense_kernel(A, self_loop=0.0, shift=0.0):
    """(K, w): the normalised-cut kernel and the weights; rows of isolated nodes are 0."""
    A = np.asarray(A, dtype=float).copy()
    linked = A.sum(axis=1) > 0
    A[linked, linked] += self_loop * mean_weight(A)
    degrees = A.sum(axis=1)
    inverse = np.zeros(len(A))
    inverse[linked] = 1.0 / degrees[linked]
    return A * inverse[:, None] * inverse + shift * np.diag(inverse), degrees


def with_poisoned_rows(kernel, read):
    """A kernel of a graph of which the rows that are not in `read` hold NaN and wrong neighbours."""
    graph, poisoned = kernel.graph, copy(kernel)
    assert poisoned.diagonal.any()  # taken before, because it needs every row's own entry
    other = ~np.isin(np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr)), read)
    assert other.any()
    poisoned.indices = np.where(other, 0, graph.indices).astype(np.int32)
    poisoned.weights = np.where(other, np.nan, graph.weights if graph.is_weighted else 1.0)
    return poisoned


def distances(K):
    """Squared distances between all points; they may be negative if K is indefinite."""
    diagonal = np.diag(K)
    return diagonal[:, None] + diagonal - 2 * K


def contributions(K, w, centres):
    """w(x) Delta(x, C), clipped at 0."""
    nearest = distances(K)[:, list(centres)].min(axis=1)
    # The difference of equal numbers is rounding error.
    nearest[nearest < 1e-12 * np.abs(np.diag(K)).max()] = 0.0
    nearest[list(centres)] = 0.0
    return w * nearest


def memberships(weights, labels, k):
    """(k, n) matrix whose rows are the weighted centroids' coefficients; rows of empty clusters are NaN."""
    M = np.zeros((k, len(labels)))
    M[labels, np.arange(len(labels))] = weights
    with np.errstate(invalid="ignore"):
        return M / M.sum(axis=1, keepdims=True)


def centre_distances(K, centres):
    """(n, k) squared distances to centres given by their coefficients over all points."""
    norms = np.einsum("jx,xy,jy->j", centres, K, centres)
    return np.diag(K)[:, None] + norms - 2 * K @ centres.T


@cache
def partitions(n, k):
    """All partitions of n points into k non-empty parts, as rows of labels, each partition once."""
    rows = [[0]]
    for _ in range(n - 1):
        rows = [[*row, label] for row in rows for label in range(min(max(row) + 2, k))]
    return np.array([row for row in rows if max(row) == k - 1])


# -- statistics ------------------------------------------------------------------------------------------------------


def chi_square_p(counts, probabilities):
    """p-value of observed counts; cells expecting fewer than 5 are put together, and cells of probability 0 stay 0."""
    counts, probabilities = np.asarray(counts, dtype=float), np.asarray(probabilities, dtype=float)
    assert counts[probabilities == 0].sum() == 0, "something of probability 0 was drawn"
    expected = counts.sum() * probabilities / probabilities.sum()
    order = np.argsort(expected)
    counts, expected = counts[order], expected[order]
    small = int(np.searchsorted(np.cumsum(expected), 5.0)) + 1
    counts = np.concatenate([[counts[:small].sum()], counts[small:]])
    expected = np.concatenate([[expected[:small].sum()], expected[small:]])
    if len(counts) == 1:
        return 1.0
    return float(stats.chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1))


def z_score(values, expected):
    """Compute the distance of the mean from its expectation, in standard errors."""
    values = np.asarray(values, dtype=float)
    return float((values.mean() - expected) / (values.std(ddof=1) / np.sqrt(len(values))))


# A mean of many values is further away than this with probability FAILURE.
Z_LIMIT = float(stats.norm.isf(FAILURE / 2))


# -- data ------------------------------------------------------------------------------------------------------------


def shared_graph(folder, name):
    """(csr_array, labels or None) of one of the shared real graphs; skips the test where it is absent."""
    path = folder / "graphs" / f"{name}.npz"
    if not path.is_file():
        pytest.skip(f"no {path}")
    stored = np.load(path)
    n = len(stored["indptr"]) - 1
    A = sp.csr_array((np.ones(len(stored["indices"])), stored["indices"], stored["indptr"]), shape=(n, n))
    return A, stored.get("labels")
