"""Clusters cut in halves by the merge tree and merged anew: what that mends, and what it leaves."""

import numpy as np
import pytest

from graphcore.metrics import agreement
from graphcore.partition.cluster_sums import cluster_sums
from graphcore.partition.constraints import FREE
from graphcore.partition.local_moving import move_locally
from graphcore.partition.quotient import graph_rows
from graphcore.pipeline.ensemble import has_doubts
from graphcore.pipeline.settings import resolve_settings
from graphcore.pipeline.tree import merged_from_halves

from ..oracles import planted

K, SIZE = 6, 60


@pytest.fixture(scope="module")
def case():
    """A planted graph, its clusters, and twelve groups of each that clusters could have been merged from."""
    graph, truth = planted(K, SIZE, 0.3, 0.05, 0)
    truth = truth.astype(np.int32)
    return graph, truth, truth * 12 + np.random.default_rng(0).integers(0, 12, len(truth)).astype(np.int32)


def value_of(graph, labels):
    return cluster_sums(graph_rows(graph), labels, K).value("information")


def test_two_clusters_in_one_beside_a_leftover_are_mended(case):
    graph, truth, merged = case
    rows, settings = graph_rows(graph), resolve_settings(graph, K)
    wrong = truth.copy()
    wrong[truth == 1] = 0
    wrong[np.isin(merged, (24, 36, 48))] = 1  # one group of each of three others
    move_locally(rows, wrong, K)
    value = value_of(graph, wrong)
    assert agreement(wrong, truth)["ari"] < 0.9  # no move of nodes mends it
    labels, reached = merged_from_halves(rows, merged, wrong.copy(), value, settings, FREE, 1)
    assert agreement(labels, truth)["ari"] > 0.98
    assert reached == pytest.approx(value_of(graph, labels)) and reached > value
    again, _ = merged_from_halves(rows, merged, wrong.copy(), value, settings, FREE, 2)
    np.testing.assert_array_equal(again, labels)


def test_clusters_that_are_right_are_left_as_they_are(case):
    graph, truth, merged = case
    labels = truth.copy()
    move_locally(graph_rows(graph), labels, K)
    value, settings = value_of(graph, labels), resolve_settings(graph, K)
    found, reached = merged_from_halves(graph_rows(graph), merged, labels.copy(), value, settings, FREE, 1)
    assert reached == value
    np.testing.assert_array_equal(found, labels)


def test_it_is_tried_on_large_graphs_whose_coresets_agree_on_most(case, monkeypatch):
    graph = case[0]
    assert not has_doubts(graph, 0.8)
    monkeypatch.setattr("graphcore.pipeline.ensemble._FEW_ENTRIES", 0)
    assert has_doubts(graph, 0.8)
    assert not any(has_doubts(graph, agreement) for agreement in (0.3, 0.96, np.nan))
