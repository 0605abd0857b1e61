"""Data of the page's script: nodes, border nodes, known classes, marks in pictures."""

import re

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import graphcore
from graphcore.metrics import outside_share
from graphcore.report import About, gather_facts

from .page import written


@pytest.fixture(scope="module")
def fitted():
    """A planted partition of 6 clusters with names, and its fit."""
    graph, truth = graphcore.datasets.planted_partition(6, 40, 0.3, 0.04, random_state=0)
    names = [f"person {i}" for i in range(graph.n_nodes)]
    graph = graphcore.Graph(graph.indptr, graph.indices, node_names=names)
    return graph, truth, graphcore.CoresetSpectralClustering(6, random_state=0).fit(graph)


@pytest.fixture(scope="module")
def drawn(fitted, tmp_path_factory):
    """The page with everything on it."""
    graph, truth, model = fitted
    path = tmp_path_factory.mktemp("page") / "out.html"
    return written(
        path, graph, model.labels_, clustering=model.clustering_, truth=truth, about=About("t", warnings=("w",)),
        pictures=True,
    )  # fmt: skip


def test_every_node_can_be_looked_up(fitted, tmp_path):
    graph, _, model = fitted
    page = written(tmp_path / "out.html", graph, model.labels_, clustering=model.clustering_)
    found = page.data
    assert sorted(found["names"]) == found["names"]
    assert set(found["names"]) == set(graph.node_names)
    A = graph.to_scipy().toarray()
    for place, name in enumerate(found["names"]):
        i = int(name.split()[1])
        assert found["labels"][place] == model.labels_[i]
        assert found["stability"][place] == round(100 * float(model.stability_[i]))
        shares = np.bincount(model.labels_, A[i], minlength=6) / A[i].sum()
        order = [c for c in np.argsort(-shares, kind="stable")[:3] if shares[c] >= 0.05]
        assert [near[place] for near in found["near"]] == order + [-1] * (3 - len(order))
        told = [each[place] for each in found["shares"]]
        np.testing.assert_allclose(told, [100 * shares[c] for c in order] + [0] * (3 - len(order)), atol=0.51)


def test_memberships_are_told_where_there_are_any(fitted, tmp_path):
    graph, _, model = fitted
    membership = np.full((graph.n_nodes, 6), 0.02)
    membership[:, 2], membership[:, 5] = 0.6, 0.32
    page = written(tmp_path / "out.html", graph, model.labels_, membership=sp.csr_array(membership))
    assert {tuple(near[i] for near in page.data["near"]) for i in range(graph.n_nodes)} == {(2, 5, -1)}
    assert "Percentages are memberships." in page.text


def test_border_nodes_against_a_dense_computation(fitted, tmp_path):
    graph, _, model = fitted
    A, labels = graph.to_scipy().toarray(), model.labels_
    sums = A @ np.eye(6)[labels]
    own = sums[np.arange(240), labels]
    others = sums.copy()
    others[np.arange(240), labels] = -1
    second = others.max(axis=1)
    between = np.flatnonzero((second >= own / 2) & (np.minimum(own, second) > 0))
    for run, keys in ((None, ()), (model.clustering_, (model.stability_[between],))):
        order = np.lexsort((between, -np.minimum(own, second)[between], *keys))
        found = gather_facts(graph, labels, clustering=run).nodes
        assert found.border.tolist() == between[order][:30].tolist()
        assert np.array_equal(found.border_labels, labels[found.border])
        assert np.array_equal(sums[found.border, found.second], second[found.border])
        degrees = A[found.border].sum(axis=1)
        np.testing.assert_allclose(found.border_shares[:, 0] * degrees, own[found.border])
        np.testing.assert_allclose(found.border_shares.sum(axis=1) * degrees, (own + second)[found.border])
    assert len(found.border) > 3
    page = written(tmp_path / "out.html", graph, labels, clustering=model.clustering_)
    assert f"{len(found.border)} nodes between clusters" in page.text
    assert outside_share(graph, labels)[found.border].min() > 0


def test_a_fit_without_border_nodes_has_a_page(tmp_path):
    graph = nx.disjoint_union_all([nx.complete_graph(5)] * 2)
    model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graph)
    assert model.membership_ is not None
    model.report(tmp_path / "out.html", pictures=False)
    assert not len(gather_facts(model.graph_, model.labels_, membership=model.membership_).nodes.border)


@pytest.mark.parametrize("own", range(4))
def test_a_node_with_equal_shares_in_four_clusters_is_at_the_border_of_any(own):
    graph = nx.disjoint_union_all([nx.complete_graph(3)] * 4)
    graph.add_edges_from((12, 3 * c) for c in range(4))
    assert 12 in gather_facts(graphcore.Graph.from_networkx(graph), [*np.arange(12) // 3, own]).nodes.border


def test_known_classes_are_compared(fitted, tmp_path):
    graph, truth, model = fitted
    names = np.array(["red", "green", "blue", "white", "black", "<b>grey"])[truth]
    page = written(tmp_path / "out.html", graph, model.labels_, truth=names)
    scores = graphcore.metrics.agreement(model.labels_, names, graph)
    assert f"Adjusted Rand index {scores['ari']:.4f}" in page.text
    assert f"normalised mutual information {scores['nmi']:.4f}" in page.text
    head = next(row for row in page.rows if row and row[0] == "class")
    rows = {row[0].strip(): [cell.strip() for cell in row[1:]] for row in page.rows if row[0] in names}
    assert head[2] == "main cluster" and set(rows) == set(names)
    for name, (size, cluster, of_class, of_cluster, spread) in rows.items():
        counts = np.bincount(model.labels_[names == name], minlength=6)
        c = int(cluster)
        assert counts[c] == counts.max() and int(size) == counts.sum()
        assert of_class == f"{100 * counts[c] / counts.sum():.0f}\xa0%"
        assert of_cluster == f"{100 * counts[c] / np.count_nonzero(model.labels_ == c):.0f}\xa0%"
        assert int(spread) == np.count_nonzero(counts)


@pytest.mark.slow
def test_marks_in_pictures_say_whose_they_are(drawn):
    drawings = re.findall(r"<svg.*?</svg>", drawn.source, re.DOTALL)
    linked = 0
    for drawing in drawings:
        found = {c for text in re.findall(r'data-c="([\d ]+)"', drawing) for c in text.split()}
        linked += found == set(map(str, range(6)))
    assert linked == len(drawings)
    assert "<!--" not in "".join(drawings)


@pytest.mark.slow
def test_the_page_tells_its_parts_to_a_screen_reader(drawn):
    drawn.assert_alone()
    for tag, attrs in drawn.tags:
        for name in ("aria-labelledby", "aria-describedby"):
            assert attrs.get(name) is None or attrs[name] in drawn.ids, (tag, attrs)
        if tag == "section":
            assert "aria-labelledby" in attrs
        if tag == "th":
            assert attrs.get("scope") in ("row", "col")
        if tag == "svg":
            assert attrs["role"] == "img" and attrs["aria-label"]
    tables = [attrs["class"] for tag, attrs in drawn.tags if tag == "table" and "class" in attrs]
    assert tables == ["balances", "clusters", "border", "truth", "facts"]
    links = [attrs["href"][1:] for tag, attrs in drawn.tags if tag == "a"]
    assert links == [attrs["id"] for tag, attrs in drawn.tags if tag == "h2"]
    assert set(re.findall(r"<label>(\w+) <input", drawn.source)) == {"Node", "Cluster"}
