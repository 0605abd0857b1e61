"""Communities of networkx graphs."""

import random
import warnings

import networkx as nx
import numpy as np
import pytest

import graphcore
from graphcore.networkx import coreset_spectral_communities

CAVES = nx.relabel_nodes(nx.connected_caveman_graph(4, 7), lambda i: f"cave {i // 7}, man {i % 7}")
TRUTH = {frozenset(node for node in CAVES if node.startswith(f"cave {c}")) for c in range(4)}


@pytest.mark.parametrize("seed", [0, 7, random.Random(3), np.random.RandomState(1), np.random.default_rng(2)])
def test_planted_communities_by_name(seed):
    found = coreset_spectral_communities(CAVES, 4, seed=seed)
    assert isinstance(found, list)
    assert all(isinstance(part, set) for part in found)
    assert {frozenset(part) for part in found} == TRUTH
    assert nx.community.is_partition(CAVES, found)
    again = nx.community.louvain_communities(CAVES, seed=seed, backend="graphcore")
    assert {frozenset(part) for part in again} == TRUTH


@pytest.mark.parametrize(("weight", "step"), [("weight", 1), ("other", 2)])
def test_weights_decide(weight, step):
    """A complete graph whose heavy edges make two halves, one way by one attribute, another way by the other."""
    G = nx.complete_graph(12)
    for u, v in G.edges:
        G[u][v].update(weight=50 if u // 6 == v // 6 else 1, other=50 if u % 2 == v % 2 else 1)
    found = coreset_spectral_communities(G, 2, weight=weight, seed=0)
    halves = (range(6), range(6, 12)) if step == 1 else (range(0, 12, 2), range(1, 12, 2))
    assert set(map(frozenset, found)) == set(map(frozenset, halves))


def test_nodes_without_edges_are_alone_the_largest_comes_first_and_seeds_repeat():
    G = nx.disjoint_union(nx.complete_graph(9), nx.complete_graph(4))
    G.add_nodes_from(["x", "y"])
    with pytest.warns(graphcore.GraphWarning, match="isolated"):
        found = coreset_spectral_communities(G, 2, seed=0)
    assert [len(part) for part in found] == [9, 4, 1, 1]
    assert nx.community.is_partition(G, found)
    G = nx.gnm_random_graph(60, 200, seed=0)
    assert coreset_spectral_communities(G, 4, seed=1) == coreset_spectral_communities(G, 4, random_state=1)


def test_without_k_it_is_chosen_and_options_reach_the_class():
    assert {frozenset(part) for part in coreset_spectral_communities(CAVES, seed=0)} == TRUTH
    with pytest.warns(graphcore.GraphWarning, match="modularity gives 6, and k = 6 is taken"):
        assert len(coreset_spectral_communities(nx.les_miserables_graph(), seed=0)) == 6
    assert {frozenset(p) for p in coreset_spectral_communities(CAVES, None, objective="modularity", seed=0)} == TRUTH
    assert coreset_spectral_communities(CAVES, 4, objective="ncut", seed=0, n_jobs=2)
    with pytest.raises(graphcore.ParameterError, match="effort=-1"):
        coreset_spectral_communities(CAVES, 2, effort=-1)
    with pytest.raises(graphcore.InputError, match="got list"):
        coreset_spectral_communities([1, 2], 2)


# -- by modularity -----------------------------------------------------------------------------------------------------


def modularity_of(G, found, **options):
    assert nx.community.is_partition(G, found)
    for part in found:  # and every community is connected
        assert nx.is_connected(nx.Graph(G).subgraph(part))
    return nx.community.modularity(G, found, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "weight", "resolution"),
    [(nx.Graph, "weight", 1), (nx.MultiGraph, "w", 2), (nx.Graph, "w", 1), (nx.MultiGraph, None, 2)],
)
def test_leiden_finds_a_modularity_that_networkxs_louvain_does_not_exceed(kind, weight, resolution):
    """Self-loops and parallel edges included, by networkx's definition of either."""
    rng = np.random.default_rng(0)
    G = kind(nx.gaussian_random_partition_graph(150, 20, 5, 0.4, 0.05, seed=0))
    G.add_edges_from([(i, i) for i in range(0, 150, 7)] + list(G.edges)[:100])
    for *_, data in G.edges(data=True):
        data["w"] = float(rng.integers(0, 4))
    options = {"weight": weight, "resolution": resolution}
    found = nx.community.leiden_communities(G, **options, seed=1, backend="graphcore")
    theirs = nx.community.louvain_communities(G, **options, seed=1)
    assert modularity_of(G, found, **options) >= nx.community.modularity(G, theirs, **options) - 1e-12


@pytest.mark.filterwarnings("ignore:Note. conversions to backend graphs:UserWarning")
def test_what_has_no_edges_and_what_is_no_level():
    with warnings.catch_warnings(action="error", category=graphcore.GraphWarning):  # one community needs no warning
        assert len(nx.community.leiden_communities(nx.complete_graph(30), seed=0, backend="graphcore")) == 1
    G = nx.empty_graph(3)
    assert nx.community.leiden_communities(G, backend="graphcore") == [{0}, {1}, {2}]
    G.add_edge(0, 1)
    for max_level in (None, 1, 3):
        found = nx.community.leiden_communities(G, max_level=max_level, backend="graphcore")
        assert found == [{0, 1}, {2}]
    G.add_edge(1, 2, weight=-1)
    with pytest.raises(ValueError, match="max_level"):
        nx.community.leiden_communities(G, max_level=0, backend="graphcore")
    with pytest.raises(NotImplementedError) as caught:
        nx.community.leiden_communities(G, backend="graphcore")
    assert "negative" in str(caught.value.__cause__)
