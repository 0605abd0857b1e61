"""Every path that ends in labels, looked at by the independent checker: fits, files, and all small graphs."""

import pickle
import warnings
from itertools import islice, product

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from graphcore import CoresetSpectralClustering, Graph, GraphWarning, InputError
from graphcore.cluster import fit as module
from graphcore.cluster.fit import edge_evidence
from graphcore.cluster.membership import cluster_shares, memberships, node_memberships, predict_labels
from graphcore.cluster.pipeline import matched_clusters
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.cluster.refine.problem import cluster_sums
from graphcore.cluster.settings import check_clusters
from graphcore.datasets import degree_corrected_partition, planted_partition
from graphcore.neighbors.neighbors import knn_graph

from ..oracles import example, planted, random_adjacency
from ..partitions import check_labels, check_model
from .refine.test_quotient import indicator


def told(call, *args, **kwargs):
    """Return the result of a call, and the text of its warnings, which are the library's own."""
    with warnings.catch_warnings(record=True, action="always") as caught:
        result = call(*args, **kwargs)
    assert all(issubclass(w.category, GraphWarning) for w in caught), [str(w.message) for w in caught]
    return result, "; ".join(str(w.message) for w in caught)


# -- fits --------------------------------------------------------------------------------------------------------------

Y = np.where(np.arange(120) % 9 == 0, np.arange(120) % 4, -1)
FITS = {
    "default": {},
    "search": {"effort": 6},
    "cut": {"objective": "ncut"},
    "auto": {"n_clusters": "auto"},
    "least": {"min_cluster_size": 25},
    "both": {"max_cluster_size": 35, "min_cluster_size": 0.2},
    "start": {"initial_labels": np.arange(120) % 4},
    "known, most, the cut": {"labels": Y, "max_cluster_size": 0.3, "objective": "ncut"},
    "weights": {"sample_weight": 1.0 + np.arange(120) % 3, "max_cluster_size": 70, "min_cluster_size": 40},
}  # fmt: skip


@pytest.fixture(scope="module")
def graph():
    A = planted(4, 29, 0.25, 0.04, 0)[0].to_scipy()
    A.resize(120, 120)  # four isolated nodes
    return Graph.from_scipy(A)


@pytest.mark.slow
@pytest.mark.parametrize("case", FITS)
def test_every_fit_keeps_to_what_was_asked(graph, case):
    options = {"n_clusters": 4, **FITS[case]}
    known = {name: options.pop(name, None) for name in ("labels", "sample_weight")}
    start = options.pop("initial_labels", None)
    if known["sample_weight"] is not None:
        known["sample_weight"] = np.asarray(known["sample_weight"])
    model, text = told(CoresetSpectralClustering(**options, random_state=0).fit, graph, **known, initial_labels=start)
    check_model(model, warned=text, **known)
    check_model(pickle.loads(pickle.dumps(model)), warned=text, **known)


def test_models_of_vectors_predict_what_is_most_probable():
    X, _ = make_blobs(150, centers=4, cluster_std=1.5, random_state=0)
    for options in ({}, {"objective": "ncut"}):
        model, text = told(CoresetSpectralClustering(4, random_state=0, **options).fit, X[:100])
        check_model(model, warned=text, new=X)


@pytest.mark.slow
def test_a_huge_graph_keeps_to_its_limits(graph, limits):
    limits("graphcore.cluster.refine.problem", _MANY_ENTRIES=0, _SAMPLED_ENTRIES=graph.n_entries // 8)
    for options in ({"min_cluster_size": 25}, {"max_cluster_size": 33}):
        model, text = told(CoresetSpectralClustering(4, random_state=0, **options).fit, graph)
        done = model.clustering_
        assert done.settings.max_drafts == 1
        found = cluster_sums(graph.rows, model.labels_, 4).value(done.settings.record)
        assert done.history[-1][1] == pytest.approx(found)  # by all edges, and not by the sample
        check_model(model, warned=text)


# -- what is checked of all labels -------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_check_of_all_labels_finds_what_is_not_kept(graph):
    model = told(CoresetSpectralClustering(4, random_state=0).fit, graph)[0]
    labels, rows, asked = model.labels_, graph.rows, model.clustering_.settings
    check_clusters(labels, rows, asked)
    for wrong in (np.where(labels == 3, 4, labels), np.zeros_like(labels), np.full_like(labels, -1)):
        with pytest.raises(InputError, match="nodes with an edge have a cluster, 0 to 3, and others -1"):
            check_clusters(wrong, rows, asked)
    held = np.where(np.arange(120) == 7, (labels + 1) % 4, -1).astype(np.int32)
    with pytest.raises(InputError, match=f"node 7 was given the label {(labels[7] + 1) % 4}, which stays"):
        check_clusters(labels, rows, asked, fixed=held)
    model = told(CoresetSpectralClustering(4, random_state=0, max_cluster_size=29, min_cluster_size=29).fit, graph)[0]
    moved = model.labels_.copy()
    moved[0] = (moved[0] + 1) % 4
    with pytest.raises(InputError, match="keep to max_cluster_size=29"):
        check_clusters(moved, rows, model.clustering_.settings)
    model = told(CoresetSpectralClustering(4, random_state=0, min_cluster_size=29).fit, graph)[0]
    with pytest.warns(GraphWarning, match="1 of n_clusters=4 clusters are smaller than min_cluster_size=29"):
        check_clusters(moved, rows, model.clustering_.settings)


# -- all small graphs --------------------------------------------------------------------------------------------------

# Every graph of up to 6 nodes with an edge, up to isomorphism, isolated nodes included: 202.
SMALL = [nx.to_numpy_array(g) for g in nx.graph_atlas_g() if g.number_of_nodes() <= 6 and g.number_of_edges()]
EXTREMES = np.array([1.0, 1e-300, 1e300, 1e-30, 1e30, 3.0])


def weighted(A, kind, number):
    """Weights 1; all alike and extreme; or of any of some orders, drawn by the graph's number."""
    if kind == "ones":
        return A
    if kind == "alike":
        return A * EXTREMES[1 + number % 2]
    W = np.random.default_rng(number).choice(EXTREMES, A.shape)
    return A * (np.triu(W) + np.triu(W, 1).T)


def small_cases():
    """(number of the graph, weights, options) of all fits of small graphs."""
    for number, A in enumerate(SMALL):
        every = ({},) if len(A) == 6 else ({}, {"effort": 6})
        for k in range(1, np.count_nonzero(A.any(axis=1)) + 1):
            for objective, options, kind in product(OBJECTIVES, every, ("ones", "alike", "mixed")):
                yield number, kind, {"n_clusters": k, "objective": objective, **options}


@pytest.mark.slow
def test_some_small_graphs():
    n_cases = 0
    for number, kind, options in islice(small_cases(), 0, None, 211):
        A = weighted(SMALL[number], kind, number)
        model = CoresetSpectralClustering(**options, affinity="precomputed", random_state=number % 5)
        _, text = told(model.fit, A)
        if kind == "ones":
            check_model(model, warned=text)
        else:
            check_labels(A, model.labels_, options["n_clusters"], warned=text)
        n_cases += 1
    assert n_cases > 40


# -- evidence ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_memberships_are_the_planted_models_probabilities(seed):
    A = random_adjacency(14, 0.4, np.random.default_rng(seed), weighted=seed % 2 == 0, loops=0.3, isolated=1)
    graph, k, evidence = Graph.from_scipy(A, warn=False), 3, 0.7
    labels = np.where(A.any(axis=1), np.arange(14) % k, -1).astype(np.int32)
    sums = cluster_sums(graph.rows, labels, k)
    found = node_memberships(
        graph.rows, labels, sums.internal, sums.volume, evidence, OBJECTIVES["information"]
    ).toarray()
    total = A.sum()
    ties = A - np.diag(np.diag(A))  # a loop tells nothing of its node's cluster
    links, degrees = ties @ indicator(labels, k), ties.sum(axis=1)
    apart = 1 - ((sums.volume / total) ** 2).sum()
    cut = 1 - sums.internal.sum() / total
    # Rates over those by chance: not below 1 inside, nor above 1 between.
    inside, across = np.maximum(sums.internal * total / sums.volume**2, 1.0), min(cut / apart, 1.0)
    for x in range(len(A)):
        if not links[x].any():
            assert not found[x].any()
            continue
        # Weight to a cluster is worth the log of how much denser it is inside than between; all other pairs cost.
        ratio = np.log(inside) - np.log(across)
        expected = sums.volume / total * (inside - across)
        score = np.where(links[x] > 0, evidence * (links[x] * ratio - degrees[x] * expected), -np.inf)
        p = np.exp(score - score.max())
        p /= p.sum()
        np.testing.assert_allclose(found[x], p, atol=k * 1.1e-4)
    rows = cluster_shares(graph.to_scipy(), labels, k)
    largest = memberships(rows, sums.internal, sums.volume, evidence, OBJECTIVES["information"]).toarray()
    own = predict_labels(rows, sums.internal, sums.volume, OBJECTIVES["information"])
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
    expected = 0.9 / (1 + 17 * excess * (degree - 1) ** 0.5)
    assert edge_evidence(rows, labels, sums) == pytest.approx(expected, rel=0.01)
    assert edge_evidence(rows, labels, sums, 0.5) == pytest.approx(expected / 2, rel=0.01)


def test_edges_of_neighbour_graphs_repeat_each_other():
    graph, truth = planted_partition(5, 100, 0.1, 0.01, random_state=0)
    rows, truth = graph.rows, truth.astype(np.int32)
    assert edge_evidence(rows, truth, cluster_sums(rows, truth, 5)) > 0.8
    X, y = make_blobs(500, 5, centers=5, cluster_std=2.0, random_state=0)
    rows, y = knn_graph(X, 10).rows, y.astype(np.int32)
    assert edge_evidence(rows, y, cluster_sums(rows, y, 5)) < 0.3
    empty = rows._replace(indptr=np.zeros(501, dtype=np.int64), indices=rows.indices[:0])
    assert edge_evidence(empty, y, cluster_sums(rows, y, 5)) == 0.9


@pytest.mark.parametrize("kind", ["planted", "degree-corrected", "near and far"])
def test_of_nodes_with_membership_p_about_p_are_right(kind):
    if kind == "planted":
        graph, truth = planted_partition(6, 300, 7 / 300, 3 / 1500, random_state=5)
    elif kind == "near and far":
        rng = np.random.default_rng(0)
        centers = rng.normal(scale=8, size=(6, 10))
        centers[1::2] = centers[::2] + 1
        graph, truth = np.repeat(centers, 300, axis=0) + rng.normal(size=(1800, 10)), np.repeat(np.arange(6), 300)
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
    assert abs(largest.mean() - right.mean()) < 0.02
    assert sum(abs((largest - right)[bins == i].sum()) for i in range(11)) / len(right) < 0.03
