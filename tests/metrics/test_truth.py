"""Agreement with classes, whose scores are scikit-learn's, and probabilities against how often they are right."""

import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import graphcore
from graphcore import Graph, InputError
from graphcore.metrics import agreement, calibration


def test_scores():
    rng = np.random.default_rng(0)
    labels, truth = rng.integers(0, 4, 200), rng.integers(0, 3, 200)
    assert agreement(labels, truth) == {
        "ari": adjusted_rand_score(truth, labels),
        "nmi": normalized_mutual_info_score(truth, labels),
        "n_compared": 200,
    }
    assert agreement(truth[::-1] + 5, truth[::-1])["ari"] == 1.0


def test_unlabelled_nodes_are_left_out_with_a_graph_only_isolated_ones():
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], n_nodes=6)
    labels, truth = np.array([0, 0, 1, -1, -1, 1]), np.array([0, 0, 1, 1, 0, 1])
    result = agreement(labels, truth, graph)
    # Node 3 has an edge: its -1 is a cluster of its own.
    assert result["n_compared"] == 4
    assert result["ari"] == adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, -1]) < 1
    assert agreement(labels, truth) == {"ari": 1.0, "nmi": 1.0, "n_compared": 4}
    assert agreement(labels, truth, graph.to_scipy()) == result
    assert agreement([0, 0, 1, -1, 1], [3, 3, 4, 3, -1]) == {"ari": 1.0, "nmi": 1.0, "n_compared": 3}
    assert agreement([0, 0, 1, -1], ["x", "x", "y", "x"])["n_compared"] == 3


def test_classes_that_are_missing_are_not_known():
    pandas = pytest.importorskip("pandas")
    for missing in (None, np.nan, pandas.NA):
        for truth in (["a", missing, "b", "b"], pandas.Series(["a", missing, "b", "b"], dtype="string")):
            assert agreement([0, 0, 1, 1], truth) == {"ari": 1.0, "nmi": 1.0, "n_compared": 3}
    for truth in ([0, np.nan, 1, 1], np.array([0, -1, 1, 1], dtype=object), pandas.array([0, None, 1, 1])):
        assert agreement([0, 0, 1, 1], truth)["n_compared"] == 3
    assert agreement([0, 0, 1, 1], ["a", "nan", "b", "None"])["n_compared"] == 4


def test_probabilities_against_how_often_they_are_right():
    rng = np.random.default_rng(0)
    p = rng.random(2000)
    found = calibration(p, rng.random(2000) < p)
    assert found.error < 0.05 and found.count.sum() == 2000 and len(found.count) == 10
    np.testing.assert_allclose(found.probability, np.arange(0.05, 1, 0.1), atol=0.02)
    hit, bins = rng.random(2000) < p**2, (10 * p).astype(int)
    expected = sum(abs((p - hit)[bins == i].sum()) for i in range(10)) / 2000
    assert calibration(p, hit).error == pytest.approx(expected, rel=1e-12)
    assert calibration(p, rng.random(2000) < 0.5).error > 0.2
    assert calibration([1.0, 0.0], np.array([True, False]), n_bins=3).error == 0.0


@pytest.mark.parametrize(
    ("measure", "arguments", "message"),
    [
        (agreement, ([0, 1], [0, 1, 1]), r"labels have shape \(2,\) and truth \(3,\)"),
        (agreement, ([0, 1], [[0, 1]]), "truth must be one-dimensional"),
        (agreement, ([0.5, 1], [0, 1]), "labels must be integers"),
        (agreement, (["a", "b"], [0, 1]), r"classes second: agreement\(labels, truth\)"),
        (agreement, ([-1, -1], [0, 1]), "no node is left"),
        (agreement, ([0, 1], [-1, -1]), "no node is left"),
        (agreement, ([], []), "no node is left"),
        (agreement, ([0, 1], [0, 1], nx.path_graph(3)), "the graph has 3 nodes, but there are 2 labels"),
        (agreement, ([0, 1], [{}, {}]), "truth holds a dict; give the classes as names or numbers"),
        (calibration, ([0.5], [1]), "probabilities of shape"),
        (calibration, ([0.5, 1.5], [True, True]), "probabilities lie between"),
        (calibration, ([], []), "probabilities of shape"),
        (calibration, ([[0.5]], [[True]]), "probabilities of shape"),
        (calibration, (["a"], [True]), "probabilities must be numbers"),
        (calibration, ([[0.5], [0.5, 1.0]], [True, True]), "probabilities must be numbers"),
    ],
)
def test_bad_input(measure, arguments, message):
    with pytest.raises(InputError, match=message):
        measure(*arguments)


@pytest.mark.parametrize(
    "labels", [[{0, 1}, {2}], ({0}, {1, 2}), [[0, 1], [2]], {0: 0, 1: 0, 2: 1}, [frozenset([0, 1])]]
)
def test_clusters_as_sets_or_dictionaries_are_named(labels):
    graph = Graph.from_edges([0, 1], [1, 2])
    for refuse in (lambda: agreement(labels, labels), lambda: graphcore.metrics.normalized_cut(graph, labels)):
        with pytest.raises(InputError, match=r"labels are a (list|tuple|dict).*give \[label\[node\] for node in"):
            refuse()
