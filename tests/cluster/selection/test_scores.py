"""Scores of a sweep: corners of information, description length, eigenvalues; dense references."""

from math import comb, factorial, log

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from graphcore import Graph
from graphcore.cluster.n_clusters import (
    concave_hull,
    description_gain,
    effective_edges,
    information_corners,
    label_price,
    laplacian_eigenvalues,
    partition_length,
    sweep_coresets,
)
from graphcore.cluster.refine.problem import quotient

from ...oracles import quick, random_adjacency

curves = st.lists(st.floats(0, 1), min_size=1, max_size=25).map(lambda gains: np.concatenate([[0.0], np.cumsum(gains)]))


@quick
@given(curves, st.integers(0, 99))
def test_hull_is_the_largest_chord_above_each_point(information, seed):
    y = information + 0.1 * np.random.default_rng(seed).standard_normal(len(information))
    x = np.log(np.arange(1, len(y) + 1))
    kept = concave_hull(x, y)
    hull = np.interp(x, x[kept], y[kept])
    for i in range(len(y)):
        chords = [y[i]] + [
            y[a] + (y[b] - y[a]) * (x[i] - x[a]) / (x[b] - x[a]) for a in range(i) for b in range(i + 1, len(y))
        ]
        assert hull[i] == pytest.approx(max(chords), abs=1e-12)
    assert (np.diff(np.diff(y[kept]) / np.diff(x[kept])) < 1e-9).all()


@quick
@given(curves, st.sampled_from([0.0, 0.1, 0.4]))
def test_a_score_is_the_range_of_prices_at_which_its_k_is_best(gains, price):
    n = len(gains)
    x = np.log(np.arange(1, n + 1))
    # Slopes between 0 and 1, as information has them but for noise.
    information = np.concatenate([[0.0], np.cumsum(np.diff(gains) * np.diff(x))])
    corners = information_corners(information, x, price)
    prices = price + (1 - price) * (np.arange(20_000) + 0.5) / 20_000
    best = np.argmax(information[:, None] - prices * x[:, None], axis=0)
    shares = (1 - price) * np.bincount(best, minlength=n) / 20_000
    if n > 1:
        assert corners.scores[0] == 0
        assert np.isnan(corners.scores[-1])
    np.testing.assert_allclose(corners.scores[1:-1], shares[1:-1], atol=2e-4)


@pytest.mark.parametrize(
    ("turns", "doubt"),
    [
        ({10: 0.4}, None),
        ({10: 0.4, 20: 0.15}, None),
        ({10: 0.4, 20: 0.17}, "of 0.4, is at k = 10, and one of 0.17 at 20"),
        ({4: 0.17, 10: 0.4}, "of 0.4, is at k = 10, and one of 0.17 at 4"),
        ({8: 0.3, 10: 0.4, 12: 0.1}, None),  # within a quarter: the same number, about
        ({10: 0.3, 13: 0.25}, "and one of 0.25 at 13"),
        ({10: 0.02}, None),  # how sharp it is matters in comparison alone
        ({32: 0.4}, None),
        ({33: 0.4}, "is at k = 33, and little is known of larger ones"),
    ],
)
def test_a_corner_stands_out_if_no_other_number_has_one_nearly_as_sharp(turns, doubt):
    ks = np.arange(1, 41)
    slopes = 0.9 - sum(fall * (ks[1:] > k) for k, fall in turns.items())
    information = np.concatenate([[0.0], np.cumsum(slopes * np.diff(np.log(ks)))])
    corners = information_corners(information, np.log(ks), 0.01)
    assert {int(k): pytest.approx(corners.scores[k - 1]) for k in ks[:-1][corners.scores[:-1] > 0]} == turns
    best = int(np.nanargmax(corners.scores)) + 1
    found = corners.doubt(best)
    assert (found is None) if doubt is None else (doubt in found)


def test_slopes_below_the_price_are_no_corners():
    x = np.log(np.arange(1, 31))
    information = np.where(x <= x[4], 0.2 * x, 0.2 * x[4] + 0.1 * (x - x[4]))
    assert np.nanmax(information_corners(information, x, 0.25).scores) == 0
    assert np.nanmax(information_corners(information, x, 0.15).scores) == pytest.approx(0.05)


def test_price_of_labels_is_nodes_over_edges_whatever_the_unit_of_weights():
    G = nx.barabasi_albert_graph(60, 3, seed=0)
    graph = Graph.from_networkx(G)
    A = graph.to_scipy()
    assert label_price(graph) == pytest.approx(60 / G.number_of_edges())
    assert label_price(Graph.from_scipy(2.5 * A)) == pytest.approx(label_price(graph))
    grown = sp.block_diag([A, sp.csr_array((3, 3))], format="csr")
    assert label_price(Graph.from_scipy(grown)) == pytest.approx(label_price(graph))  # isolated nodes have no label


def test_effective_edges_of_weights():
    weights = np.array([1.0, 2.0, 0.5, 4.0])
    graph = Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], weights=weights)
    assert effective_edges(graph) == pytest.approx(weights.sum() ** 2 / (weights**2).sum())
    for scale in (1e-200, 1e200):
        scaled = Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], weights=scale * weights)
        assert effective_edges(scaled) == pytest.approx(effective_edges(graph))
    # Edges of next to no weight count for next to nothing.
    heavy = Graph.from_edges([0, 0, 1, 2], [1, 2, 3, 3], weights=[1.0, 1.0, 1e-9, 1e-9])
    assert effective_edges(heavy) == pytest.approx(2)


def likelihood_gain(A, labels):
    """Log-likelihood of the edges under the fitted planted partition over that under one block, edge by edge.

    Edges between clusters have at most the rate that they have by chance, in one block.
    """
    degrees = A.sum(axis=1)
    total = degrees.sum()
    k = labels.max() + 1
    volumes = np.array([degrees[labels == c].sum() for c in range(k)])
    inner = np.array([A[np.ix_(labels == c, labels == c)].sum() for c in range(k)])
    cut = total - inner.sum()
    inside = inner / volumes**2
    between = min(cut / (total**2 - (volumes**2).sum()), 1 / total) if cut else 0.0
    gain = 0.0
    for i, j in zip(*np.nonzero(np.triu(A)), strict=True):
        rate = inside[labels[i]] if labels[i] == labels[j] else between
        gain += log(rate / (1 / total))
    return gain


@quick
@given(st.integers(4, 20), st.sampled_from([0.2, 0.5]), st.integers(0, 2**32 - 1))
def test_gain_is_likelihood_less_labels_and_rates(n, density, seed):
    A = random_adjacency(n, density, np.random.default_rng(seed))
    for i in range(n):  # a ring, so that no node is isolated
        A[i, (i + 1) % n] = A[(i + 1) % n, i] = 1.0
    graph = Graph.from_scipy(A)
    tree = sweep_coresets(graph, min(4, n), random_state=seed)[0].trees[0]
    lengths = partition_length(tree.tree)
    gains = description_gain(tree, effective_edges(graph))
    n_edges = A.sum() / 2
    assert gains[0] == 0
    for k in range(1, tree.n_micro_clusters + 1):
        labels = tree.labels_at(k)
        ways = factorial(n)
        for size in np.bincount(labels):
            ways //= factorial(int(size))
        length = log(n) + log(comb(n - 1, k - 1)) + log(ways)
        assert lengths[k - 1] == pytest.approx(length, abs=1e-8)
        if k > 1:
            expected = likelihood_gain(A, labels) - (length - log(n)) - 0.5 * k * log(n_edges)
            assert gains[k - 1] == pytest.approx(expected, abs=1e-7)


def laplacian_of(A):
    root = np.sqrt(A.sum(axis=1))
    return np.eye(len(A)) - A / np.outer(root, root)


@quick
@given(st.integers(4, 25), st.integers(2, 8), st.booleans(), st.integers(0, 2**32 - 1))
def test_eigenvalues_between_micro_clusters_are_ritz_values_of_the_graph(n, k, weighted, seed):
    rng = np.random.default_rng(seed)
    A = random_adjacency(n, 0.4, rng, weighted=weighted, loops=0.2)
    A[np.arange(n), (np.arange(n) + 1) % n] += 1.0
    A = np.maximum(A, A.T)
    k = min(k, n)
    labels = rng.permutation(np.concatenate([np.arange(k), rng.integers(0, k, n - k)])).astype(np.int32)
    found = laplacian_eigenvalues(quotient(Graph.from_scipy(A).rows, labels, k), k, random_state=0)
    # Functions that are constant on micro-clusters, in the scalar product of the degrees.
    degrees = A.sum(axis=1)
    basis = np.zeros((n, k))
    basis[np.arange(n), labels] = np.sqrt(degrees)
    basis /= np.linalg.norm(basis, axis=0)
    np.testing.assert_allclose(found, np.linalg.eigvalsh(basis.T @ laplacian_of(A) @ basis), atol=1e-8)
    assert (found >= np.linalg.eigvalsh(laplacian_of(A))[:k] - 1e-8).all()
