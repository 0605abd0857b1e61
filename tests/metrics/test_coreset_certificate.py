"""Certificates of coresets: against dense costs, and how often their statements are false."""

import math

import numpy as np
import pytest

from graphcore import Graph, InputError, ParameterError, build_coreset
from graphcore.cluster.coreset import importance_probabilities
from graphcore.datasets import degree_corrected_partition, planted_partition
from graphcore.metrics import coreset_certificate

from ..oracles import centre_distances, dense, dense_kernel


@pytest.fixture(scope="module")
def case():
    """(graph, K, w, labels): 600 nodes in 2 clusters, of which some have no part in the centroids."""
    graph, blocks = degree_corrected_partition(2, 300, mean_degree=20, random_state=0)
    labels = np.where(np.arange(600) % 3 == 0, -1, blocks)
    return graph, *dense_kernel(dense(graph), 1.0, 1.0), labels


def distances_of(K, w, labels, k=2):
    Z = np.array([(labels == j) * w for j in range(k)])
    return centre_distances(K, Z / Z.sum(axis=1, keepdims=True)).min(axis=1)


def drawn(graph, seed, size=400, **options):
    return build_coreset(graph, 2, size=size, method="importance", shift=1.0, random_state=seed, **options)


def test_the_statements_by_their_formulas(case):
    graph, K, w, labels = case
    D = distances_of(K, w, labels)
    for coreset, cells in (
        (drawn(graph, 1), False),
        (build_coreset(graph, 2, eps=1.0, guarantee=0.5, method="importance", shift=1.0, random_state=1), True),
    ):
        m, seeds = coreset.n_draws, coreset.seeds
        p = importance_probabilities(w, seeds, cells=cells)
        times = np.round(coreset.weights * p[coreset.indices] * m / w[coreset.indices])
        paid = np.repeat((w * D / p)[coreset.indices], times.astype(int))
        assert len(paid) == m
        most = (2 * (seeds.contributions + w * D[seeds.indices][seeds.nearest]) / p).max()
        assert (w * D / p).max() <= most  # the bound of what is not drawn
        log = math.log(4 / (1 - 0.9))
        off = math.sqrt(2 * paid.var(ddof=1) * log / m) + 7 * most * log / (3 * (m - 1))
        found = coreset_certificate(graph, coreset, labels, shift=1.0, confidence=0.9)
        assert found.estimate == pytest.approx(coreset.weights @ D[coreset.indices], rel=1e-9)
        assert found.upper == pytest.approx(found.estimate + off, rel=1e-9)
        least = (w * np.diag(K)).sum() - 2 * 2.0
        assert found.lower == pytest.approx(max(least, found.estimate - off), rel=1e-9)
        assert found.confidence == 0.9
        assert 0 < found.eps < np.inf
        if cells:
            assert coreset_certificate(graph, coreset, labels, shift=1.0, confidence=0.5).eps <= 1.0


@pytest.mark.slow
def test_statements_are_false_less_often_than_they_may_be(case):
    # 300 draws at a confidence of 0.7: more than 120 false ones have a probability of 1e-4 if each is 0.3.
    graph, K, w, labels = case
    true = w @ distances_of(K, w, labels)
    found = [coreset_certificate(graph, drawn(graph, s), labels, shift=1.0, confidence=0.7) for s in range(300)]
    assert sum(not one.lower <= true <= one.upper for one in found) <= 120
    assert sum(abs(one.estimate / true - 1) > one.eps for one in found) <= 120
    assert abs(np.mean([one.estimate for one in found]) / true - 1) < 0.02


def test_bounds_narrow_with_draws_and_do_not_depend_on_the_unit(case):
    graph, _, _, labels = case
    few, many = (coreset_certificate(graph, drawn(graph, 0, size), labels, shift=1.0) for size in (300, 590))
    assert many.upper - many.estimate < few.upper - few.estimate and many.eps < few.eps
    A = graph.to_scipy() * 3e-200
    scaled = Graph.from_scipy(A)
    other = coreset_certificate(scaled, drawn(scaled, 0, 300), labels, shift=1.0)
    np.testing.assert_allclose(other, few, rtol=1e-6)


def test_what_cannot_be_certified_is_refused(case):
    graph, _, _, labels = case
    coreset = drawn(graph, 0)
    other, _ = planted_partition(2, 300, 0.05, 0.01, random_state=1)
    for wrong in (
        drawn(graph, 0, replace=False),
        build_coreset(graph, 2, size=100, random_state=0),
        build_coreset(graph, 2, eps=0.9, method="importance", random_state=0),
        drawn(other, 0),
    ):
        with pytest.raises(InputError, match=r"no independent draws .*by build_coreset\(method='importance'\) with"):
            coreset_certificate(graph, wrong, labels, shift=1.0)
    with pytest.raises(InputError, match="with this self_loop and shift"):
        coreset_certificate(graph, coreset, labels, shift=1.0, self_loop=2.0)
    with pytest.raises(ParameterError, match=r"coreset_certificate needs a positive semi-definite .*give shift="):
        coreset_certificate(graph, coreset, labels)
    with pytest.raises(ParameterError, match=r"confidence=1\.0 must be less than 1"):
        coreset_certificate(graph, coreset, labels, shift=1.0, confidence=1.0)
    with pytest.raises(InputError, match="labels are -1 for all nodes with an edge"):
        coreset_certificate(graph, coreset, np.full(600, -1), shift=1.0)
