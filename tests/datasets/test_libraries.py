"""What comes through networkx and scikit-learn, and what importing the folder costs."""

from itertools import product

import networkx as nx
import numpy as np
import pytest
from sklearn.datasets import load_digits

from graphcore import Graph, InputError, ParameterError, datasets


def test_lfr():
    graph, labels = datasets.lfr(1000, mixing=0.15, min_community=25, random_state=0)
    Graph(graph.indptr, graph.indices)  # checks order, range and symmetry
    assert (graph.n_nodes, graph.n_self_loops, graph.is_weighted, graph.node_names) == (1000, 0, False, None)
    assert labels.dtype == np.int32
    sizes = np.bincount(labels)
    assert sizes.min() >= 25
    assert sizes.max() <= 100
    np.testing.assert_array_equal(np.unique(labels, return_index=True)[1].argsort(), np.arange(len(sizes)))
    outside = np.mean(np.repeat(labels, np.diff(graph.indptr)) != labels[graph.indices])
    assert outside == pytest.approx(0.15, abs=0.08)
    same, other = (datasets.lfr(1000, mixing=0.15, min_community=25, random_state=seed) for seed in (0, 1))
    np.testing.assert_array_equal(graph.indices, same.graph.indices)
    np.testing.assert_array_equal(labels, same.labels)
    assert not np.array_equal(graph.indices, other.graph.indices)


def test_lfr_tries_again_and_then_says_what_to_do(monkeypatch):
    seeds = []
    build = nx.LFR_benchmark_graph

    def failing(times):
        def run(*arguments, seed, **options):
            seeds.append(seed)
            if len(seeds) <= times:
                raise nx.ExceededMaxIterations("no luck")
            return build(*arguments, seed=seed, **options)

        return run

    monkeypatch.setattr(nx, "LFR_benchmark_graph", failing(3))
    assert datasets.lfr(250, random_state=0).graph.n_nodes == 250
    assert len(set(seeds)) == len(seeds) >= 4
    seeds.clear()
    monkeypatch.setattr(nx, "LFR_benchmark_graph", failing(10**6))
    with pytest.raises(InputError, match=r"10 attempts \(no luck\); raise min_community"):
        datasets.lfr(250, random_state=0)
    with pytest.raises(ParameterError, match="need 54 neighbours outside"):
        datasets.lfr(100, max_degree=60, mixing=0.9)


@pytest.mark.parametrize("n_nodes", [20, 150])
@pytest.mark.parametrize("mixing", [0.0, 0.6, 1.0])
def test_lfr_ends_for_few_nodes(n_nodes, mixing):
    """With networkx's own limits some of these never end."""
    try:
        graph, labels = datasets.lfr(n_nodes, average_degree=5, mixing=mixing, random_state=0)
    except InputError as error:
        assert "no LFR graph was found" in str(error)
    else:
        assert graph.n_nodes == len(labels) == n_nodes
        assert labels.min() == 0


def test_crossing_lines():
    points, labels = datasets.crossing_lines(200, angle=60, noise=0, random_state=0)
    np.testing.assert_allclose(points[labels == 0, 1], 0, atol=0)
    np.testing.assert_allclose(points[labels == 1, 1], np.sqrt(3) * points[labels == 1, 0], atol=1e-12)
    assert np.linalg.norm(points, axis=1).max() <= 1
    noisy, same = datasets.crossing_lines(200, noise=0.1, random_state=0)
    np.testing.assert_array_equal(labels, same)
    assert np.std(noisy - points) == pytest.approx(0.1, rel=0.1)


# Parameters that can be used, and values of each that cannot.
USABLE = {
    "planted_partition": {"n_clusters": 2, "cluster_size": 10, "p_in": 0.5, "p_out": 0.1},
    "degree_corrected_partition": {"n_clusters": 2, "cluster_size": 5},
    "planted_blocks": {"row_sizes": [2, 3], "column_sizes": [4], "entries": [[3], [2]]},
    "lfr": {"n_nodes": 100},
    "crossing_lines": {"n_samples": 5},
}
WRONG = {
    "planted_partition": {
        "n_clusters": [0, 2.0], "cluster_size": [0, 1.5, [3, -1], [3, 4, 5], 2**31], "p_in": [1.5, -0.1],
        "p_out": [np.nan, "0.1"],
    },
    "degree_corrected_partition": {
        "mean_degree": [0], "mixing": [1.1], "exponent": [1], "degree_ratio": [0.5],
        "expected_degrees": [[1.0, 2.0], ["a"] * 10, [-1.0] * 10, [np.inf] * 10],
    },
    "planted_blocks": {"row_sizes": [[0, 3]], "entries": [[3, 2], [[-1], [2]]], "row_skew": [-1]},
    "lfr": {
        "n_nodes": [0], "mixing": [-0.1], "degree_exponent": [1.0], "community_exponent": [0.5],
        "average_degree": [0, 50.5], "max_degree": [2.5], "min_community": [0, 51], "max_community": [101],
    },
    "crossing_lines": {"n_samples": [5.0], "angle": [np.nan], "noise": [-1], "random_state": ["x"]},
}  # fmt: skip


@pytest.mark.parametrize(
    ("function", "name", "value"),
    [
        (function, *each)
        for function in WRONG
        for name in WRONG[function]
        for each in product([name], WRONG[function][name])
    ],
)
def test_wrong_parameters_are_named(function, name, value):
    with pytest.raises(ParameterError, match=rf"\b{name}\b"):
        getattr(datasets, function)(**USABLE[function] | {"random_state": 0, name: value})


def test_karate_and_digits():
    club = nx.karate_club_graph()
    for weight in (None, "weight"):
        graph, labels = datasets.load_karate(weighted=weight is not None)
        np.testing.assert_array_equal(graph.to_scipy().toarray(), nx.to_numpy_array(club, weight=weight))
        assert graph.is_weighted == (weight is not None)
    assert [club.nodes[i]["club"] for i in range(34)] == np.array(["Mr. Hi", "Officer"])[labels].tolist()
    data, labels = datasets.load_digits()
    np.testing.assert_array_equal(data, load_digits().data)
    np.testing.assert_array_equal(labels, load_digits().target)
    assert (data.dtype, labels.dtype) == (np.float32, np.int32)
