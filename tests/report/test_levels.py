"""Nested levels on the page: a table for those without scripts, of which the script makes a map."""

import numpy as np
import pytest

import graphcore
from graphcore.exceptions import InputError
from graphcore.metrics import central_nodes, normalized_cut
from graphcore.report import gather_facts

from .page import written


@pytest.fixture(scope="module")
def graph():
    """36 nodes in 9 cliques, three of them close to each other, named, with one node alone."""
    group = np.arange(36) // 4
    near, same = group[:, None] // 3 == group // 3, group[:, None] == group
    rng = np.random.default_rng(0)
    chosen = rng.random((36, 36)) < np.select([same, near], [1.0, 0.3], 0.03)
    sources, targets = np.nonzero(np.triu(chosen, 1))
    return graphcore.Graph.from_edges(sources, targets, n_nodes=37, node_names=[f"n {i}" for i in range(37)])


LEVELS = np.column_stack([np.arange(37) // 12 % 3, np.arange(37) // 4 % 9, np.arange(37) // 2 % 18])


def rows_under(page, *heads):
    """Return the rows of the table with these heads, as text."""
    start = page.rows.index(list(heads))
    rows = [[cell.strip() for cell in row] for row in page.rows[start + 1 :]]
    width = next((i for i, row in enumerate(rows) if len(row) != len(heads) or row[0] == "cluster"), len(rows))
    return rows[:width]


def test_the_page_has_a_row_for_each_level_and_each_cluster(graph, tmp_path):
    page = written(tmp_path / "page.html", graph, LEVELS)
    page.assert_alone()
    assert len(page.clusters) == 18
    for row in page.clusters:
        assert row["inside"] == str(int(row["cluster"]) * 2 // 4)
    heads = ("level", "cluster", "nodes", "volume", "conductance", "inside", "parts", "most central nodes")
    parts = rows_under(page, *heads)
    assert [row[0] for row in parts] == ["1"] * 3 + ["2"] * 9
    central = [central_nodes(graph, np.where(graph.degrees > 0, level, -1), count=5) for level in LEVELS.T]
    for level, cluster, nodes, _, _, inside, n_parts, names in parts:
        c = int(cluster)
        assert (nodes, n_parts) == (("12", "3"), ("4", "2"))[int(level) - 1]
        assert inside == ("\u2013" if level == "1" else str(c // 3))
        assert names == ", ".join(f"n {x}" for x in central[int(level) - 1][c])
    start = next(i for i, row in enumerate(page.rows) if row[:2] == ["level", "clusters"])
    for number, (row, labels) in enumerate(zip(page.rows[start + 1 : start + 4], LEVELS.T, strict=True), 1):
        cells = [cell.strip() for cell in row]
        size = str(36 // (labels.max() + 1))
        assert cells[:5] == [str(number), str(labels.max() + 1), size, size, size]
        assert cells[5] == f"{normalized_cut(graph, labels):.4f}"
    assert next(attrs for _, attrs in page.tags if attrs.get("class") == "map")["aria-label"]
    assert "the rest of this page is about level 3" in page.text.lower()


def test_levels_of_a_run_are_told(graph, tmp_path):
    model = graphcore.CoresetSpectralClustering([3, 9], random_state=0)
    with pytest.warns(graphcore.GraphWarning, match="isolated"):
        model.fit(graph)
    facts = model.report(tmp_path / "page.html", pictures=False)
    np.testing.assert_array_equal(facts.levels[0].labels, model.level_labels_[0])
    np.testing.assert_array_equal(facts.inside[facts.labels[:36]], model.level_labels_[0][:36])
    assert facts.levels[0].normalized_cut == pytest.approx(normalized_cut(graph, model.level_labels_[0]))


def test_columns_that_are_not_nested_are_refused(graph):
    for labels, said in (
        (LEVELS[:, ::-1], "cluster 0 of level 2 has nodes in clusters 0 and 1 of level 1; give nested levels"),
        (LEVELS[:5], "labels"),
        (np.full_like(LEVELS, -1), "no cluster"),
    ):
        with pytest.raises(InputError, match=said):
            gather_facts(graph, labels)
