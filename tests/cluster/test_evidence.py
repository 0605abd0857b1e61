"""Evidence of an edge, and the membership probabilities that follow."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from graphcore import CoresetSpectralClustering, Graph
from graphcore.cluster import evidence as module
from graphcore.cluster.evidence import (
    cluster_shares,
    edge_evidence,
    matched_clusters,
    memberships,
    node_memberships,
    predict_labels,
)
from graphcore.cluster.refine.problem import cluster_sums
from graphcore.datasets import degree_corrected_partition, planted_partition
from graphcore.neighbors.neighbors import knn_graph

from ..oracles import example, random_adjacency
from .refine.test_quotient import indicator


@pytest.mark.parametrize("seed", range(20))
def test_memberships_are_the_planted_models_probabilities(seed):
    A = random_adjacency(14, 0.4, np.random.default_rng(seed), weighted=seed % 2 == 0, loops=0.3, isolated=1)
    graph, k, evidence = Graph.from_scipy(A, warn=False), 3, 0.7
    labels = np.where(A.any(axis=1), np.arange(14) % k, -1).astype(np.int32)
    sums = cluster_sums(graph.rows, labels, k)
    found = node_memberships(graph.rows, labels, sums.internal, sums.volume, evidence, "information").toarray()
    total = A.sum()
    links, degrees = A @ indicator(labels, k), A.sum(axis=1)
    apart = 1 - ((sums.volume / total) ** 2).sum()
    cut = 1 - sums.internal.sum() / total
    # Edges between clusters that are more than by chance count for nothing.
    across, log_across = (cut / apart, np.log(cut / apart)) if cut <= apart else (0.0, -1.0)
    for x in range(len(A)):
        if not links[x].any():
            assert not found[x].any()
            continue
        # Weight to a cluster is worth the log of how much denser it is inside than between; all other pairs cost.
        ratio = np.log((sums.internal / total) / (sums.volume / total) ** 2) - log_across
        expected = sums.internal / sums.volume - sums.volume / total * across
        score = np.where(links[x] > 0, evidence * (links[x] * ratio - degrees[x] * expected), -np.inf)
        p = np.exp(score - score.max())
        p /= p.sum()
        np.testing.assert_allclose(found[x], p, atol=k * 1.1e-4)
    rows = cluster_shares(graph.to_scipy(), labels, k)
    largest = memberships(rows, sums.internal, sums.volume, evidence, "information").toarray()
    own = predict_labels(rows, sums.internal, sums.volume, "information")
    on = own >= 0
    np.testing.assert_allclose(largest[on, own[on]], largest[on].max(axis=1), atol=1e-9)


@pytest.mark.parametrize("name", ["barabasi-albert", "weighted", "disconnected", "self-loops", "isolated nodes"])
def test_excess_of_closed_paths_is_that_of_all_paths(name, limits):
    graph, A = example(name)
    rows, n = graph.rows, len(A)
    labels = np.where(A.sum(axis=1) > 0, np.arange(n) % 3, -1).astype(np.int32)
    sums = cluster_sums(rows, labels, 3)
    limits(module, _PATHS=200_000)
    total, edges = A.sum(), np.count_nonzero(A)
    within, volume = sums.internal / sums.volume**2, sums.volume
    across = (total - sums.internal.sum()) / (total**2 - (volume**2).sum())
    found = np.zeros(2)
    n_paths = 0
    for x in range(n):
        around = np.flatnonzero(A[x])
        for y in around:
            for z in around:
                if y != z:
                    rate = within[labels[y]] if labels[y] == labels[z] else across
                    expected = min(1.0, A[y].sum() * A[z].sum() * rate * edges / total)
                    found += (A[y, z] > 0, expected)
                    n_paths += 1
    excess = max(0.0, (found[0] - found[1]) / n_paths)
    degree = edges / np.count_nonzero(A.any(axis=1))
    expected = 0.9 / (1 + 4 * excess * (degree - 1))
    assert edge_evidence(rows, labels, sums) == pytest.approx(expected, rel=0.01)
    assert edge_evidence(rows, labels, sums, 0.5) == pytest.approx(expected / 2, rel=0.01)


def test_edges_of_neighbour_graphs_repeat_each_other():
    graph, truth = planted_partition(5, 100, 0.1, 0.01, random_state=0)
    rows = graph.rows
    assert edge_evidence(rows, truth, cluster_sums(rows, truth, 5)) > 0.8
    X, y = make_blobs(500, 5, centers=5, cluster_std=2.0, random_state=0)
    rows = knn_graph(X, 10).rows
    assert edge_evidence(rows, y, cluster_sums(rows, y, 5)) < 0.3
    empty = rows._replace(indptr=np.zeros(501, dtype=np.int64), indices=rows.indices[:0])
    assert edge_evidence(empty, y, cluster_sums(rows, y, 5)) == 0.9


@pytest.mark.parametrize("kind", ["planted", "degree-corrected"])
def test_of_nodes_with_membership_p_about_p_are_right(kind):
    if kind == "planted":
        graph, truth = planted_partition(6, 300, 7 / 300, 3 / 1500, random_state=5)
    else:
        graph, truth = degree_corrected_partition(6, 300, mean_degree=12, mixing=0.35, random_state=5)[:2]
    model = CoresetSpectralClustering(6, random_state=0).fit(graph)
    linked = model.labels_ >= 0
    p = model.membership_[linked]
    assert sp.issparse(p)
    largest, labels, truth = p.max(axis=1).toarray().ravel(), model.labels_[linked], truth[linked].astype(np.int32)
    assert 0.85 < largest.mean() < 0.995
    names = np.zeros(6, dtype=int)
    names[labels] = matched_clusters(labels, truth, 6)
    right, bins = names[p.argmax(axis=1)] == truth, (10 * largest).astype(int)
    assert sum(abs((largest - right)[bins == i].sum()) for i in range(11)) / len(right) < 0.03


def test_clusters_of_hardly_any_volume():
    # Two triangles side by side, one of them so light that the square of its share vanishes.
    ends = [0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3]
    rows = Graph.from_edges(*ends, weights=[1.0, 1, 1, 1e-170, 1e-170, 1e-170]).rows
    labels = np.repeat(np.arange(2, dtype=np.int32), 3)
    assert 0 < edge_evidence(rows, labels, cluster_sums(rows, labels, 2)) <= 0.9
