"""DIMACS, Pajek and LGL, as igraph, Pajek and benchmarks write them; edge lists that look like them are edges."""

import re

import networkx as nx
import numpy as np
import pytest

from graphcore import FormatError, Graph, GraphWarning, InputError, read_graph

from .test_markup_in import edges

GRID = nx.grid_2d_graph(3, 3)
COL = "c my graph\nc\np edge 5 4\ne 1 2\ne 2 3\ne 3 4\ne 4 1\n"
GR = "c 9th DIMACS\np sp 3 4\nc arcs\na 1 2 803\na 2 1 803\na 2 3 158\na 3 2 158\n"
MAX = "c created by igraph\np max 3 2\nn 1 s\nn 3 t\na 1 2 1.5\na 2 3 1\n"


def unweighted(*pairs):
    return dict.fromkeys(pairs, 1.0)


@pytest.mark.parametrize(
    ("text", "n_nodes", "expected"),
    [
        (COL, 5, unweighted((1, 2), (2, 3), (3, 4), (1, 4))),
        (COL.replace("edge 5 4", "col 5 8"), 5, unweighted((1, 2), (2, 3), (3, 4), (1, 4))),
        (COL.replace("\ne 4 1", "\ne 4 1\ne 2 1\ne 3 2\ne 4 3\ne 1 4").replace("5 4", "5 8"), 5,
         unweighted((1, 2), (2, 3), (3, 4), (1, 4))),
        (COL.replace("e 1 2", "n 1 7\nd 2 0.5 1\nv 0.1 0.2\ne 1 2"), 5, unweighted((1, 2), (2, 3), (3, 4), (1, 4))),
        ("p edge 3 2\ne 1 2 5\ne 2 3 0.5\n", 3, {(1, 2): 5, (2, 3): 0.5}),
        (GR, 3, {(1, 2): 803, (2, 3): 158}),
        (MAX, 3, {(1, 2): 1.5, (2, 3): 1}),
        ("p min 3 2\nn 1 4\nn 3 -4\na 1 2 0 4 2\na 2 3 0 2 9\n", 3, {(1, 2): 4, (2, 3): 2}),
        ("p asn 4 2\nn 1\nn 2\na 1 3 7\na 2 4 9\n", 4, {(1, 3): 7, (2, 4): 9}),
        ("c pace\r\np tw 4 2\r\n1 2\r\n2 3\r\n", 4, unweighted((1, 2), (2, 3))),
        ("p edge 3 0\n", 3, {}),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*lengths or costs")
def test_dimacs(write, text, n_nodes, expected):
    graph = read_graph(write(text, "g.txt"))
    assert (graph.n_nodes, edges(graph)) == (n_nodes, expected)
    assert graph.names_of(np.arange(n_nodes)).tolist() == list(range(1, n_nodes + 1))
    assert not read_graph(write(text), weight_column=None).is_weighted


def test_dimacs_tells_of_lengths_directions_and_missing_edges(write):
    with pytest.warns(GraphWarning, match="weights are lengths or costs.*weight_column=None"):
        read_graph(write(GR))
    with pytest.warns(GraphWarning, match="the header says 9 edges, and there are 4"):
        read_graph(write(COL.replace("5 4", "5 9")))
    with pytest.warns(GraphWarning, match="directed"):
        read_graph(write("p max 3 3\na 1 2 1\na 2 1 1\na 2 3 1\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (COL + "e 4 6\n", r"line 8: an edge between 4 and 6, but nodes are 1 to 5"),
        (COL.replace("e 2 3", "e 0 3"), "line 5: an edge between 0 and 3"),
        (COL.replace("e 2 3", "e x 3"), "line 5: .*'x'"),
        (COL.replace("e 2 3", "e 2"), "line 5: "),
        (COL.replace("5 4", "5000000 4"), "any_size=True"),
        ("p edge 0 0\n", "0 nodes"),
        ("p edge 3 2\n", "Truncated"),
        (MAX.replace("1.5", "-1.5"), "negative"),
    ],
)
def test_damaged_dimacs(write, text, message):
    with pytest.raises(FormatError, match=message):
        read_graph(write(text))
    with pytest.raises(FormatError, match="p edge 4 5"):
        read_graph(write("1 2\n"), format="dimacs")


# -- Pajek -------------------------------------------------------------------------------------------------------------

VERTICES = '*Vertices 4\n1 "Ann B" 0.1 0.2 ellipse\n2 "Ben" ic Blue\n3 O\'Hara\n4 "Zoë"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (VERTICES + "*Edges\n1 2 2.5 c Blue\n2 3\n", {("Ann B", "Ben"): 2.5, ("Ben", "O'Hara"): 1}),
        (VERTICES + "*edges\n1 2\n2 1\n\n% x\n2 3\n", unweighted(("Ann B", "Ben"), ("Ben", "O'Hara"))),
        (VERTICES + "*edges\n1 2 2\n2 1 3\n", {("Ann B", "Ben"): 5}),
        (VERTICES + "*Arcs\n1 2 2\n2 1 3\n*Edges\n3 4 5\n", {("Ann B", "Ben"): 3, ("O'Hara", "Zoë"): 5}),
        (VERTICES + '*Arcs :1 "likes"\n1 2 2\n*Arcs :2 "knows"\n1 2 3\n', {("Ann B", "Ben"): 5}),
        (VERTICES + "*Arcslist\n1 2 3\n*Edgeslist\n4 3\n",
         unweighted(("Ann B", "Ben"), ("Ann B", "O'Hara"), ("O'Hara", "Zoë"))),
        (VERTICES + "*Matrix\n0 2 0 0\n2 0 0 0\n0 0 0 1.5\n0 0 1.5 0\n", {("Ann B", "Ben"): 2, ("O'Hara", "Zoë"): 1.5}),
        ("% c\r\n*Network x\r\n*Vertices 3\r\n*Edges\r\n1 3\r\n", unweighted((1, 3))),
        ("*vertices 3 1\n1 a\n3 c\n*arcs\n1 3 -1 x\n", None),
        ("*vertices 3\n1 a\n3 c\n*arcs\n1 3\n1 2\n", unweighted(("a", "c"), ("2", "a"))),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*directed")
def test_pajek(write, text, expected):
    path = write(text.encode(), "g.txt")
    if expected is None:
        with pytest.raises(InputError, match="negative"):
            read_graph(path)
        expected = unweighted(("a", "c"))
    else:
        graph = read_graph(path)
        assert edges(graph) == expected and graph.n_nodes == int(re.search(r"(?i)\*vertices (\d)", text)[1])
    assert edges(read_graph(path, weight_column=None)) == dict.fromkeys(expected, 1.0)


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph, nx.MultiGraph])
@pytest.mark.filterwarnings("ignore:.*directed")
def test_pajek_of_networkx(tmp_path, make):
    G = make()
    G.add_nodes_from(["lonely one"])
    G.add_weighted_edges_from((f"n {u}", f"n{v}", 1 + u[0]) for u, v in [*GRID.edges, *list(GRID.edges)[:3]])
    nx.write_pajek(G, tmp_path / "g.net")
    found, expected = read_graph(tmp_path / "g.net"), Graph.from_networkx(G)
    assert edges(found) == edges(expected) and "lonely one" in found.node_names.tolist()


def test_pajek_tells_of_labels_that_repeat_and_of_other_objects(write):
    text = '*Vertices 3\n1 "a"\n2 "a"\n3 "b"\n*Edges\n1 2\n*Partition p\n*Vertices 3\n1\n2\n1\n'
    with pytest.warns(GraphWarning) as told:
        assert read_graph(write(text)).node_names.tolist() == [1, 2, 3]
    assert all(any(part in str(one.message) for one in told) for part in ("share a label", r"*Partition", "line 8"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (VERTICES + "*Edges\n1 5\n", r"line 7: '5' is no node; nodes are 1 to 4"),
        (VERTICES + "*Edges\n1\n", "line 7: an edge has two ends"),
        (VERTICES + "*Edges\nAnn Ben\n", "line 7: 'Ann' is no node"),
        (VERTICES + "*Matrix\n0 x 0 0\n", "line 7: 'x' is no number"),
        (VERTICES + "*Matrix\n0 0 0 0 1\n", "line 7: '5' is no node"),
        (VERTICES, "no network"),
        ("*arcs\n1 2\n", r"'\*Vertices n' must come before"),
        ("*vertices x\n*arcs\n1 2\n", r"'\*vertices x' is no line"),
        ("*vertices 9000000\n*arcs\n1 2\n", "any_size=True"),
    ],
)
def test_damaged_pajek(write, text, message):
    with pytest.raises(FormatError, match=message):
        read_graph(write(text), format="pajek")


# -- LGL ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# ann\nben 2\ncem 1\n# ben\ncem 3\n", {("ann", "ben"): 2, ("ann", "cem"): 1, ("ben", "cem"): 3}),
        ("# 0\n1 1.0\n2 2.5\n# 1\n2 1.0\n# 7\n", {(0, 1): 1, (0, 2): 2.5, (1, 2): 1}),
        ("# 0\r\n1\r\n2\r\n# 1\r\n2\r\n# 7\r\n", unweighted((0, 1), (0, 2), (1, 2))),
    ],
)
def test_lgl(write, text, expected):
    graph = read_graph(write(text))
    assert edges(graph) == expected and graph.n_nodes == 3 + ("7" in text)


def test_lgl_of_igraph(tmp_path):
    igraph = pytest.importorskip("igraph")
    g = igraph.Graph.Famous("Zachary")
    g.vs["name"], g.es["w"] = [f"n{i}" for i in range(34)], [i + 0.5 for i in range(78)]
    for weights in ("w", None):
        g.write_lgl(str(tmp_path / "g.txt"), weights=weights)
        assert edges(read_graph(tmp_path / "g.txt")) == edges(Graph.from_igraph(g, weight=weights))


def test_by_its_ending_a_file_is_lgl_even_if_it_could_be_edges(write):
    text = "# 1\n2 3\n3 1\n# 2\n3 5\n"
    assert edges(read_graph(write(text, "g.txt"), weight_column=None)) == unweighted((2, 3), (1, 3), (3, 5))
    assert edges(read_graph(write(text, "g.lgl"))) == {(1, 2): 3, (1, 3): 1, (2, 3): 5}
    with pytest.raises(FormatError, match="line 2: 'x y z' is neither '# name' nor"):
        read_graph(write("# 1\nx y z\n", "g.lgl"))


@pytest.mark.parametrize(
    "text",
    [
        "# nodes\n# edges\n1 2\n2 3\n",
        "# 1\n2 3\n3 4\n# 2\n2 5\n",
        "# a\na 1\nb 2\n# b\nb 3\n",
        "# part one\nann 1\nben 2\n# ben\ncem 3\n",
        "# first\nann 1\nben 2\n# second\ncem 3\n",
        "# x\n1 2 0.5\n2 3 1\n# 2\n3 1 1\n",
        "# ann\nben cem\ncem dan\n# ben\ncem ann\n",
    ],
)
def test_edge_lists_with_comments_are_edges(write, text):
    assert read_graph(write(text), weight_column=None).n_edges == sum(line[0] != "#" for line in text.splitlines())
