"""The tree of a fit: nested partitions, numbers that stay, levels by resolution, and other programs' formats."""

import re

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.cluster import hierarchy
from sklearn.metrics import adjusted_rand_score

import graphcore
from graphcore import CoresetSpectralClustering, Graph, ParameterError

from ..oracles import planted
from ..partitions import value_of


@pytest.fixture(scope="module")
def model():
    graph, _ = planted(6, 30, 0.3, 0.02, 0)
    names = np.array([f"node {i}'s; name" if i % 7 == 0 else f"n{i}" for i in range(graph.n_nodes + 2)])
    edges = np.array(graph.to_scipy().nonzero())
    graph = Graph.from_edges(*edges, n_nodes=graph.n_nodes + 2, node_names=names)  # two isolated nodes
    with pytest.warns(graphcore.GraphWarning, match="isolated"):
        return CoresetSpectralClustering(4, random_state=0, coreset_size=60).fit(graph)


def clusters_of(labels):
    return {int(c): frozenset(np.flatnonzero(labels == c).tolist()) for c in np.unique(labels[labels >= 0])}


def test_the_table_says_which_clusters_there_are_at_each_cut_and_their_labels_in_the_fit(model):
    tree, linked = model.tree_, model.labels_ >= 0
    table = tree.to_table("pandas")
    labels = table.query("label >= 0").set_index("number").label
    np.testing.assert_array_equal(labels[tree.labels_at(4)[linked]], model.labels_[linked])
    np.testing.assert_array_equal(tree.labels_at(1) >= 0, linked)
    for k in (1, 3, 4, 9, tree.n_leaves):
        there = table[(table.from_k <= k) & (k <= table.to_k)]
        assert dict(zip(there.number, there["size"], strict=True)) == {
            number: len(nodes) for number, nodes in clusters_of(tree.labels_at(k)).items()
        }


def test_a_cluster_has_one_number_in_all_cuts(model):
    """By brute force: the same set of nodes has the same number wherever it is, and a split keeps the larger part's."""
    tree = model.tree_
    numbers = {}
    before = clusters_of(tree.labels_at(1))
    for k in range(2, tree.n_leaves + 1):
        now = clusters_of(tree.labels_at(k))
        assert set(now) == set(range(k))
        for number, nodes in now.items():
            assert numbers.setdefault(nodes, number) == number
        (new,) = set(now) - set(before)
        (split,) = (number for number in before if before[number] != now[number])
        assert before[split] == now[split] | now[new]
        assert len(now[split]) >= len(now[new])
        before = now


def test_levels_are_the_best_partitions_at_every_resolution(model):
    tree = model.tree_
    A = model.graph_.to_scipy().toarray()
    information = np.array([value_of("information", A, tree.labels_at(k), k) for k in range(1, tree.n_leaves + 1)])
    levels = tree.levels("pandas")
    assert levels.resolution_from[0] == 1 and levels.resolution_to.iloc[-1] == np.inf
    assert (levels.resolution_from[1:].to_numpy() == levels.resolution_to[:-1].to_numpy()).all()
    np.testing.assert_allclose(levels.information, information[levels.n_clusters - 1], atol=1e-11)
    counts = tree._curve[0]
    for row in levels.itertuples():
        r = 2 * row.resolution_from if row.resolution_to == np.inf else (row.resolution_from * row.resolution_to) ** 0.5
        assert (
            counts[np.argmax(information[counts - 1] - np.log(counts) / r)] == row.n_clusters == tree.at_resolution(r)
        )
        np.testing.assert_array_equal(tree.labels_at(resolution=r), tree.labels_at(row.n_clusters))
        sizes = np.bincount(tree.labels_at(row.n_clusters)[model.labels_ >= 0])
        assert (sizes.min(), sizes.max()) == (row.smallest, row.largest)


@pytest.mark.parametrize("ending, read", [("csv", pd.read_csv), ("tsv", pd.read_table), ("parquet", pd.read_parquet)])
def test_the_tree_as_a_table_in_a_file(model, tmp_path, ending, read):
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    model.tree_.write(tmp_path / f"tree.{ending}")
    pd.testing.assert_frame_equal(read(tmp_path / f"tree.{ending}"), model.tree_.to_table("pandas"))


def leaves_of(text):
    """Names of the leaves of a tree in Newick, some in quotes, with the sums of the lengths above them."""
    groups, item, is_length = [], {}, False
    for quoted, word, sign in re.findall(r"'((?:[^']|'')*)'|([^\s'(),:;]+)|([(),:;])", text):
        if sign == "(":
            groups.append({})
        elif sign in (",", ")"):
            groups[-1] |= item
            item = groups.pop() if sign == ")" else {}
        elif is_length:  # of a leaf, or of all leaves of a group
            item = {name: length + float(word) for name, length in item.items()}
        elif not (sign or item):
            item = {quoted.replace("''", "'") or word: 0.0}
        is_length = sign == ":"
    return item


def test_other_programs_read_the_tree_and_newick_has_all_nodes_and_heights(model, tmp_path):
    tree = model.tree_
    tree.write(tmp_path / "tree.nwk")
    text = (tmp_path / "tree.nwk").read_text()
    assert sorted(map(int, re.findall(r"\)cluster_(\d+)", text))) == list(range(tree.n_clusters))
    found = leaves_of(text)
    assert set(found) == {str(name) for name in model.graph_.node_names[model.labels_ >= 0]}
    np.testing.assert_allclose(list(found.values()), tree.to_table()["height"][-1], rtol=1e-4)
    assert sorted(map(int, leaves_of(tree.to_newick()))) == list(range(tree.n_leaves))
    assert hierarchy.is_valid_linkage(tree.to_linkage())
    cut = hierarchy.fcluster(tree.to_linkage(), 5, "maxclust")[tree.leaf_of[model.labels_ >= 0]]
    assert adjusted_rand_score(cut, tree.labels_at(5)[model.labels_ >= 0]) == 1
    G = tree.to_networkx()
    assert nx.is_arborescence(G) and G.number_of_nodes() == 2 * tree.n_leaves - 1
    assert all(G.nodes[node]["size"] == sum(G.nodes[c]["size"] for c in G[node]) for node in G if len(G[node]))
    tree.write(tmp_path / "tree.npy")
    np.testing.assert_array_equal(np.load(tmp_path / "tree.npy"), tree.to_linkage())


def test_a_tree_of_one_cluster():
    tree = CoresetSpectralClustering(1, random_state=0).fit(Graph.from_edges([0, 1], [1, 2])).tree_
    assert (tree.n_clusters, tree.at_resolution(1)) == (1, 1)
    one = CoresetSpectralClustering(1, coreset_size=1, random_state=0).fit(Graph.from_edges([0, 0], [1, 2])).tree_
    assert one.n_leaves == 1 and one.to_linkage().shape == (0, 4)
    assert one.to_newick() == "0;\n" and one.to_newick(nodes=True) == "(0:0,1:0,2:0)cluster_0;\n"
    assert one.labels_at(1).tolist() == [0, 0, 0]


@pytest.mark.slow
def test_the_fit_takes_a_resolution():
    graph, truth = planted(5, 40, 0.4, 0.01, 0)
    fine = CoresetSpectralClustering(None, resolution=3, random_state=0).fit(graph)
    assert fine.n_clusters_ == fine.selection_.best == 5
    assert adjusted_rand_score(truth, fine.labels_) == 1
    assert fine.selection_.method == "resolution"
    at = fine.selection_.candidates
    information = fine.selection_.curves["information (nats)"]
    assert at[np.argmax(information - np.log(at) / 3)] == 5
    with pytest.warns(graphcore.GraphWarning, match="resolution=1 finds one cluster"):
        assert CoresetSpectralClustering(None, resolution=1, random_state=0).fit(graph).n_clusters_ == 1
    # Beyond the partition of most information there is no finer one.
    assert CoresetSpectralClustering(None, resolution=1e9, random_state=0).fit(graph).n_clusters_ == 5
    path = Graph.from_networkx(nx.path_graph(200))
    with pytest.warns(graphcore.GraphWarning, match="asks for the most clusters that it can choose from, 10"):
        model = CoresetSpectralClustering(None, resolution=9, min_cluster_size=20, random_state=0).fit(path)
    assert model.n_clusters_ == 10


def test_wrong_use_is_refused(model, tmp_path):
    for wrong, said in (
        *((given, "either n_clusters or resolution") for given in ({}, {"n_clusters": 2, "resolution": 2.0})),
        ({"resolution": 0.5}, r"resolution=0\.5 must be at least 1"),
        ({"n_clusters": 1000}, r"n_clusters=1000 must be at most \d+ \(the leaves"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=said):
            model.tree_.labels_at(**wrong)
    with pytest.raises(ParameterError, match=r"'\.xml' .* use \.nwk"):
        model.tree_.write(tmp_path / "tree.xml")
    assert list(tmp_path.iterdir()) == []


def test_layers_are_the_widest_levels_coarse_to_fine():
    group = np.arange(800) // 40
    same, near = group[:, None] == group, group[:, None] // 5 == group // 5
    edges = np.triu(np.random.default_rng(0).random((800, 800)) < np.select([same, near], [0.3, 0.02], 0.001), 1)
    graph = Graph.from_scipy(sp.csr_array(edges | edges.T))
    model = CoresetSpectralClustering(7, random_state=0).fit(graph)
    tree = model.tree_
    assert model.balance_ < 1.0  # which a tree merged at its price would tell no groups for
    layers = tree.layers()
    assert [labels.max() + 1 for labels in layers] == [4, 20]
    assert len(np.unique(np.stack(layers), axis=1).T) == 20  # each is nested in the one before
    levels = tree.levels()
    width = levels["resolution_to"] / levels["resolution_from"]
    widest = [k for k in levels["n_clusters"][np.argsort(-width, kind="stable")] if 1 < k < tree.n_leaves][:1]
    np.testing.assert_array_equal(tree.layers(1), [tree.labels_at(widest[0])])
    with pytest.raises(ParameterError, match="count"):
        tree.layers(0)
