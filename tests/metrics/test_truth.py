"""Agreement with classes, whose scores are scikit-learn's, and probabilities against how often they are right."""

import networkx as nx
import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score, completeness_score, normalized_mutual_info_score

import graphcore
from graphcore import Graph, InputError
from graphcore.metrics import agreement

EQUAL = dict.fromkeys(["ari", "nmi", "homogeneity", "completeness"], 1.0)


def test_scores():
    """Without a warning that there are many clusters."""
    rng = np.random.default_rng(0)
    for n, k, classes in ((200, 4, 3), (200, 1, 3), (9, 1, 1), (1, 1, 1), (50, 50, 9)):
        labels, truth = rng.integers(0, k, n), rng.integers(0, classes, n)
        found = agreement(labels, truth)
        assert found["ari"] == adjusted_rand_score(truth, labels) and found["n_compared"] == n
        assert found["nmi"] == pytest.approx(normalized_mutual_info_score(truth, labels), abs=1e-12)
        assert found["homogeneity"] == pytest.approx(completeness_score(labels, truth), abs=1e-12)
        assert found["completeness"] == pytest.approx(completeness_score(truth, labels), abs=1e-12)


def test_unlabelled_nodes_are_left_out_with_a_graph_only_isolated_ones():
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], n_nodes=6)
    labels, truth = np.array([0, 0, 1, -1, -1, 1]), np.array([0, 0, 1, 1, 0, 1])
    result = agreement(labels, truth, graph)
    # Node 3 has an edge: its -1 is a cluster of its own.
    assert result["n_compared"] == 4
    assert result["ari"] == adjusted_rand_score([0, 0, 1, 1], [0, 0, 1, -1]) < 1
    assert agreement(labels, truth) == EQUAL | {"n_compared": 4}
    assert agreement(labels, truth, graph.to_scipy()) == result
    assert agreement([0, 0, 1, -1, 1], [3, 3, 4, 3, -1]) == EQUAL | {"n_compared": 3}
    assert agreement([0, 0, 1, 1], ["x", "x", "y", "-1"])["n_compared"] == 3  # as files of labels write it
    assert agreement(["b", "b", "a", "-1"], [5, 5, 9, 9]) == EQUAL | {"n_compared": 3}
    for given, said in (
        (([0, 1], [0, 1, 1]), r"labels have shape \(2,\) and truth \(3,\)"), (([-1, -1], [0, 1]), "no node is left"),
        (([0, 1], [0, 1], nx.path_graph(3)), "the graph has 3 nodes, but there are 2 labels"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=said):
            agreement(*given)


def test_sets_and_series_in_another_order_are_refused_and_missing_classes_are_not_known():
    """They would be taken in silence: each set for a node, and labels of other nodes."""
    pandas, graph = pytest.importorskip("pandas"), nx.path_graph(["a", "b", "c", "d"])
    for sets in ([{"a", "b"}, {"c", "d"}], [frozenset("ab"), frozenset("cd")]):
        with pytest.raises(InputError, match="labels are a list of sets"):
            agreement(sets, sets[::-1])
    labels = pandas.Series([0, 0, 1, 1], index=list("abcd"))
    assert agreement(labels, labels)["ari"] == agreement(labels, labels, graph)["ari"] == 1.0
    other, graph = labels[::-1], Graph.from_networkx(graph)
    for call in (
        lambda: agreement(labels, other),
        lambda: agreement([0, 0, 1, 1], other, graph),
        lambda: graphcore.metrics.modularity(graph, other),
        lambda: graphcore.write_labels(other, "x.tsv", graph),
        lambda: graphcore.write_graph(graph, "x.gexf", attributes={"cluster": other}),
        lambda: graphcore.write_graph(graph, "x.gexf", attributes=other.to_frame("cluster")),
        lambda: graphcore.report.write_report("x.html", graph, other),
    ):
        with pytest.raises(InputError, match=r"in another order: give (labels|truth|attributes).reindex\(names\)"):
            call()
    for missing in (None, np.nan, pandas.NA):
        for truth in (["a", missing, "b", "b"], pandas.Series(["a", missing, "b", "b"], dtype="string")):
            assert agreement([0, 0, 1, 1], truth) == EQUAL | {"n_compared": 3}
    for truth in ([0, np.nan, 1, 1], np.array([0, -1, 1, 1], dtype=object), pandas.array([0, None, 1, 1])):
        assert agreement([0, 0, 1, 1], truth)["n_compared"] == 3
    assert agreement([0, 0, 1, 1], ["a", "nan", "b", "None"])["n_compared"] == 4
