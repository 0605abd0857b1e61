"""Theorem 1, with the coreset's error measured by enumeration.

For a weighted coreset S of the nodes V, eps is the smallest number with ``cost_S(C) in (1 +- eps) cost_V(C)`` for all
sets of centres C that can occur in the proof: the centroids of all partitions of V and of all partitions of S. Then the
partition that is optimal on the coreset graph (``D_H = W_H``, as the theorem needs), carried to all nodes by
``label_all``, costs at most ``(1 + eps)/(1 - eps)`` times the optimum, whenever eps < 1. Costs are the trace form of
the normalised cut, which is the weighted kernel k-means cost. The kernel is positive semi-definite by heavy self-loops.
"""

import networkx as nx
import numpy as np
import pytest

from graphcore import Graph, coreset_spectral_clustering
from graphcore.base.streams import Streams
from graphcore.cluster.coreset import SAMPLING, sample_coreset
from graphcore.cluster.coreset_graph import label_all
from graphcore.kernels.graph import GraphKernel

from ..oracles import dense_kernel, partitions, random_adjacency

GRAPHS = {
    "barabasi-albert": nx.to_numpy_array(nx.barabasi_albert_graph(9, 2, seed=4)),
    "two cliques": nx.to_numpy_array(nx.barbell_graph(4, 0)),
    "weighted": random_adjacency(9, 0.5, np.random.default_rng(6), weighted=True),
    "star": nx.to_numpy_array(nx.star_graph(7)),
}


def centroids(weights, nodes, n, k):
    """Coefficients (P, k, n) of the centroids of all partitions of `nodes` into k parts."""
    Z = np.zeros((len(partitions(len(nodes), k)), k, n))
    Z[:, :, nodes] = (partitions(len(nodes), k)[:, None, :] == np.arange(k)[:, None]) * weights
    return Z / Z.sum(axis=2, keepdims=True)


def distances_to(K, centres):
    """Squared distances (P, k, n) of all nodes to sets of centres (P, k, n)."""
    norms = np.einsum("pjx,xy,pjy->pj", centres, K, centres, optimize=True)
    return np.diag(K) + norms[:, :, None] - 2 * centres @ K


def costs_of_centres(K, weights, centres):
    """Cost of every set of centres for weighted nodes; every node pays for its nearest centre."""
    return distances_to(K, centres).min(axis=1) @ weights


def cut_costs(M, weights, diagonal, labels, k):
    """Trace form of the normalised cut, ``tr(W K) - sum_j within_j / weight_j``, of every row of labels."""
    Z = (np.asarray(labels)[:, :, None] == np.arange(k)).astype(float)
    within = np.einsum("pxj,pxj->pj", Z, np.einsum("xy,pyj->pxj", M, Z))
    masses = weights @ Z
    return weights @ diagonal - np.divide(within, masses, out=np.zeros_like(within), where=masses > 0).sum(axis=1)


def measured(name, k, sampling, seed, size):
    """(eps, cost of the labelling, optimum, optimum on the coreset graph, cost of V's optimum for the coreset)."""
    A = GRAPHS[name]
    n = len(A)
    self_loop = float(A.sum(axis=1).max())
    K, w = dense_kernel(A, self_loop)
    kernel = GraphKernel(Graph.from_scipy(A), self_loop)
    coreset = sample_coreset(kernel, k, size=size, sampling=sampling, random_state=seed)
    if len(coreset) < k:
        return None
    small = np.zeros(n)
    small[coreset.indices] = coreset.weights

    centres = np.concatenate([centroids(w, np.arange(n), n, k), centroids(coreset.weights, coreset.indices, n, k)])
    on_all, on_few = costs_of_centres(K, w, centres), costs_of_centres(K, small, centres)
    eps = float(np.abs(on_few / on_all - 1).max())

    optimum = float(cut_costs(w[:, None] * K * w, w, np.diag(K), partitions(n, k), k).min())
    A_H = kernel.weighted_submatrix(coreset.indices, coreset.weights)
    few = partitions(len(coreset), k)
    on_coreset_graph = cut_costs(A_H.toarray(), coreset.weights, np.diag(K)[coreset.indices], few, k)
    best = few[np.argmin(on_coreset_graph)].astype(np.int32)
    labels = label_all(kernel, coreset.indices, coreset.weights, best, k, coreset_graph=A_H).labels
    cost = float(cut_costs(w[:, None] * K * w, w, np.diag(K), labels[None], k)[0])
    return eps, cost, optimum, float(on_coreset_graph.min())


@pytest.mark.slow
@pytest.mark.parametrize("sampling", SAMPLING)
@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_theorem_1(name, k, sampling):
    assert np.linalg.eigvalsh(dense_kernel(GRAPHS[name], GRAPHS[name].sum(axis=1).max())[0]).min() > -1e-12
    n = len(GRAPHS[name])
    held, tight = 0, 0
    for seed in range(6):
        for size in (n - 3, n) if sampling == "importance" else (n - 3, n - 1):
            result = measured(name, k, sampling, seed, size)
            if result is None or result[0] >= 1:
                continue
            eps, cost, optimum, on_coreset_graph = result
            slack = 1e-9 * optimum
            assert cost >= optimum - slack
            # The two halves of the proof: Lemma B.3, then Lemma B.2, and both together.
            assert on_coreset_graph <= (1 + eps) * optimum + slack
            assert cost <= on_coreset_graph / (1 - eps) + slack
            assert cost <= (1 + eps) / (1 - eps) * optimum + slack
            held += 1
            tight += eps < 0.5
    assert held >= 4, "the coresets were too poor for the theorem to say anything"
    if sampling != "importance":
        assert tight >= 2


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_all_nodes_as_their_own_coreset_have_no_error(name, k):
    eps, cost, optimum, on_coreset_graph = measured(name, k, "degree", 0, len(GRAPHS[name]))
    assert eps < 1e-12
    assert cost == pytest.approx(optimum, rel=1e-12)
    assert on_coreset_graph == pytest.approx(optimum, rel=1e-12)


def trace_cost(K, weights, labels, k):
    """Weighted kernel k-means cost of a partition of weighted nodes, which is the trace form of its normalised cut."""
    return float(cut_costs(weights[:, None] * K * weights, weights, np.diag(K), np.asarray(labels)[None], k)[0])


@pytest.mark.filterwarnings("ignore:self_loop=:graphcore.GraphWarning")  # heavy loops make the kernel definite
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("linked", [False, True])
def test_theorem_1_on_larger_graphs(linked, seed):
    """With ``D_H = W_H`` the estimator's labels cost at most ``alpha (1 + eps)/(1 - eps)`` times a known partition.

    The proof compares costs for two sets of centres only: the centroids of the coreset's clusters, and those of the
    optimum; eps here is the error for these. Where the blocks are not linked, they are the optimum; elsewhere the
    theorem's chain holds for them as for any partition. alpha is the ratio on the coreset graph.
    """
    k, size = 4, 40
    n = k * size
    rng = np.random.default_rng(seed)
    blocks = np.repeat(np.arange(k), size)
    A = np.triu(rng.random((n, n)) < np.where(blocks[:, None] == blocks, 0.3, 0.02 * linked), 1)
    A = (A | A.T).astype(float)
    self_loop = float(A.sum(axis=1).max())
    K, w = dense_kernel(A, self_loop)
    assert np.linalg.eigvalsh(K).min() > -1e-12
    fit = coreset_spectral_clustering(
        Graph.from_scipy(A), k, coreset_graph="induced", sampling="degree", coreset_size=80, eigen_solver="exact",
        coreset_degrees="weights", self_loop=self_loop, random_state=Streams(seed).child("draft", 0),
    )  # fmt: skip
    nodes, weights = fit.coreset.indices, fit.coreset.weights
    small = np.zeros(n)
    small[nodes] = weights

    def centres_of(labels, masses):
        Z = (np.asarray(labels) == np.arange(k)[:, None]) * masses
        return Z / Z.sum(axis=1, keepdims=True)

    on_coreset = np.full(n, -1)
    on_coreset[nodes] = fit.coreset_labels
    centres = np.stack([centres_of(on_coreset, small), centres_of(blocks, w)])
    on_all, on_few = costs_of_centres(K, w, centres), costs_of_centres(K, small, centres)
    eps = float(np.abs(on_few / on_all - 1).max())
    nearest = distances_to(K, centres[1:])[0, :, nodes].argmin(axis=1)
    K_H = K[np.ix_(nodes, nodes)]
    here, there = (trace_cost(K_H, weights, labels, k) for labels in (fit.coreset_labels, nearest))
    cost, known = trace_cost(K, w, fit.labels, k), trace_cost(K, w, blocks, k)
    alpha = here / there
    assert cost <= here / (1 - eps) * (1 + 1e-9)  # Lemma B.2
    assert there <= (1 + eps) * known * (1 + 1e-9)  # Lemma B.3
    assert cost <= alpha * (1 + eps) / (1 - eps) * known * (1 + 1e-9)
    assert eps < 0.5
    if not linked:  # tr(D^-1 A) - k, the least that there can be
        assert known == pytest.approx(np.diag(K) @ w - k, rel=1e-9)
