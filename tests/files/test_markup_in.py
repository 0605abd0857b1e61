"""GraphML, GEXF, GML and multi-line adjacency lists as Gephi, igraph, yEd, networkx and people write them."""

import networkx as nx
import numpy as np
import pytest

from graphcore import FormatError, Graph, GraphWarning, InputError, ParameterError, read_graph

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
NODES = '<node id="a"/><node id="b"/><node id="c"/>'
GRAPHML = ' xmlns="http://graphml.graphdrawing.org/xmlns"'
GML = 'graph [ {} node [ id 0 label "a" ] node [ id 1 label "b" ] node [ id 2 label "c" ] {} ]'


def edges(graph):
    """Return the edges of a graph as {(name, name): weight}, each once."""
    names, A = graph.names_of(np.arange(graph.n_nodes)).tolist(), graph.to_scipy().tocoo()
    pairs = zip(A.row.tolist(), A.col.tolist(), A.data.tolist(), strict=True)
    return {tuple(sorted((names[u], names[v]))): float(weight) for u, v, weight in pairs if u <= v}


def gexf(body, keys="", default="undirected", space=' xmlns="http://gexf.net/1.3"'):
    return (
        f'{HEAD}<gexf{space} version="1.3"><graph defaultedgetype="{default}">'
        f'<attributes class="edge">{keys}</attributes><nodes>{NODES}</nodes><edges>{body}</edges></graph></gexf>'
    )


def graphml(body, keys="", default="undirected", space=GRAPHML):
    return f'{HEAD}<graphml{space}>{keys}<graph edgedefault="{default}">{NODES}{body}</graph></graphml>'


def edge(source, target, data="", more=""):
    return f'<edge source="{source}" target="{target}"{more}>{data}</edge>'


# -- what networkx reads -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["graphml", "gexf", "gml"])
@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.filterwarnings("ignore:.*directed")
def test_graphs_are_those_that_networkx_reads(tmp_path, kind, make, weighted):
    rng, path = np.random.default_rng(0), tmp_path / f"g.{kind}"
    G = make()
    G.add_nodes_from(f"n{i}" for i in range(12))
    for u, v in rng.integers(0, 12, (40, 2)).tolist():
        G.add_edge(f"n{u}", f"n{v}", **({"weight": float(rng.integers(1, 9)) / 4} if weighted else {"note": "x"}))
    getattr(nx, f"write_{kind}")(G, path)
    expected = Graph.from_networkx(getattr(nx, f"read_{kind}")(path), weight="weight" if weighted else None)
    assert edges(read_graph(path)) == edges(expected)


# -- GEXF and GraphML --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", ["", *(f' xmlns="http://{where}"' for where in (
    "www.gexf.net/1.3", "gexf.net/1.3", "www.gexf.net/1.1draft", "www.gexf.net/1.2draft", "x.org/9.9"))])  # fmt: skip
def test_gexf_of_any_version(write, space):
    graph = read_graph(write(gexf(edge("a", "b", more=' weight="2"'), space=space), "g.txt"))
    assert (graph.n_nodes, edges(graph)) == (3, {("a", "b"): 2.0})
    prefixed = gexf(edge("a", "b"), space="").replace("<", "<g:").replace("<g:/", "</g:").replace("<g:?xml", "<?xml")
    assert read_graph(write(prefixed.replace("<g:gexf", '<g:gexf xmlns:g="http://gexf.net/1.3"'), "p.txt")).n_edges == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (gexf(edge("a", "b", more=' type="directed"') + edge("b", "c")), {("a", "b"): 1, ("b", "c"): 1}),
        (gexf(edge("a", "b", more=' type="undirected" weight="2"') + edge("c", "b"), default="directed"),
         {("a", "b"): 2, ("b", "c"): 1}),
        (gexf(edge("a", "b", more=' type="mutual" weight="2"')), {("a", "b"): 2}),
        (graphml(edge("a", "b", more=' directed="true"') + edge("b", "b")), {("a", "b"): 1, ("b", "b"): 1}),
        (graphml(edge("a", "b", more=' directed="false"') + edge("b", "c"), default="directed"),
         {("a", "b"): 1, ("b", "c"): 1}),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:.*directed")
def test_directed_and_undirected_edges_beside_each_other(write, text, expected):
    assert edges(read_graph(write(text))) == expected


def test_an_undirected_edge_beside_directed_ones_goes_both_ways(write):
    text = graphml(edge("a", "b") + edge("b", "c", more=' directed="true"'))
    with pytest.warns(GraphWarning, match="is directed"):
        assert edges(read_graph(write(text), symmetrize="average")) == {("a", "b"): 1, ("b", "c"): 0.5}


KEY = '<key id="w" for="edge" attr.name="weight" attr.type="{}">{}</key>'
ATTRIBUTE = '<attribute id="0" title="{}" type="{}">{}</attribute>'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (graphml(edge("a", "b", '<data key="w">2.0</data>'), KEY.format("int", "")), {("a", "b"): 2}),
        (graphml(edge("a", "b", '<data key="w">2.5</data>'), KEY.format("string", "")), {("a", "b"): 2.5}),
        (graphml(edge("a", "b") + edge("b", "c", '<data key="w">3</data>'), KEY.format("int", "<default>2</default>")),
         {("a", "b"): 2, ("b", "c"): 3}),
        (graphml(edge("a", "b", '<data key="weight">2</data>')), {("a", "b"): 2}),
        (graphml(edge("a", "b", '<data key="w">2</data>'), KEY.format("int", "").replace(' for="edge"', "")),
         {("a", "b"): 2}),
        (graphml(edge("a", "b", more=' weight="2"')), {("a", "b"): 2}),
        (gexf(edge("a", "b", '<attvalues><attvalue for="0" value="2.0"/></attvalues>'),
              ATTRIBUTE.format("Weight", "integer", "")), {("a", "b"): 2}),
        (gexf(edge("a", "b", '<attvalues><attvalue for="weight" value="2"/></attvalues>')), {("a", "b"): 2}),
        (gexf(edge("a", "b"), ATTRIBUTE.format("strength", "float", "<default>4</default>")), {("a", "b"): 4}),
        (gexf(edge("a", "b", '<attvalues><attvalue for="0" value="2"/></attvalues><spells><spell start="1"/></spells>',
                   ' id="7" start="2009-01-01" label="3"'), ATTRIBUTE.format("d", "liststring", "")), {("a", "b"): 1}),
    ],
)  # fmt: skip
def test_weights_of_xml(write, text, expected):
    assert edges(read_graph(write(text))) == expected
    assert edges(read_graph(write(text), weight_column=None)) == dict.fromkeys(expected, 1.0)


def test_attributes_that_are_not_read_are_told_with_the_file(write):
    keys = ATTRIBUTE.format("trust", "double", "<default>2</default>") + ATTRIBUTE.format("note", "string", "")
    path = write(gexf(edge("a", "b", more=' id="3"'), keys), "g.gexf")
    with pytest.warns(GraphWarning, match=r"g\.gexf: column trust not read; pass weight_column='trust'") as told:
        assert not read_graph(path).is_weighted
    assert len(told) == 1
    assert edges(read_graph(path, weight_column="trust")) == {("a", "b"): 2}
    for wrong in ("trusst", "weight"):
        with pytest.raises(ParameterError, match=f"weight_column='{wrong}' is an attribute of no edge; .*'trust'"):
            read_graph(path, weight_column=wrong)


@pytest.mark.filterwarnings("ignore:.*directed")
def test_nested_graphs_are_read_whole(write):
    inner = f'<graph edgedefault="directed"><node id="d"/>{edge("c", "d")}{edge("d", "c")}</graph>'
    text = graphml(edge("a", "c") + edge("c", "b")).replace('<node id="c"/>', f'<node id="c">{inner}</node>')
    graph = read_graph(write(text))
    assert sorted(edges(graph)) == [("a", "c"), ("b", "c"), ("c", "d")]
    nested = f'<nodes><node id="d"/></nodes><edges>{edge("c", "d")}</edges>'
    text = gexf(edge("a", "b")).replace('<node id="c"/>', f'<node id="c">{nested}</node>')
    assert sorted(edges(read_graph(write(text)))) == [("a", "b"), ("c", "d")]


def test_drawings_of_yed_are_no_attributes(write):
    y = GRAPHML + ' xmlns:y="http://www.yworks.com/xml/graphml"'
    keys = '<key for="edge" id="d9" yfiles.type="edgegraphics"/><key for="port" id="d0" yfiles.type="portgraphics"/>'
    body = edge("a", "b", '<data key="d9"><y:PolyLineEdge><y:EdgeLabel>5</y:EdgeLabel></y:PolyLineEdge></data>')
    assert edges(read_graph(write(graphml(body, keys, space=y)))) == {("a", "b"): 1}


def test_labels_and_attributes_of_nodes(write):
    viz = '<v:color xmlns:v="http://gexf.net/1.3/viz" r="1" g="2" b="3"/>'
    body = '<node id="a" label="Anna"><attvalues><attvalue for="0" value="7"/></attvalues></node>'
    text = gexf(edge("a", "b")).replace('<node id="a"/>', body).replace('<node id="b"/>', f'<node id="b">{viz}</node>')
    keys = f'<attributes class="node">{ATTRIBUTE.format("age", "integer", "")}</attributes><nodes>'
    with pytest.warns(GraphWarning, match="attributes of nodes not kept: color"):
        graph = read_graph(write(text.replace("<nodes>", keys)))
    np.testing.assert_array_equal(graph.attributes["age"], [7, np.nan, np.nan])
    assert graph.attributes["label"].tolist() == ["Anna", "", ""]
    drawn = '<node id="a"><data key="d"><S><NodeLabel> Anna </NodeLabel></S></data><data key="n">x</data></node>'
    keys = '<key id="n" for="node" attr.name="note"><default>y</default></key>'
    with pytest.warns(GraphWarning, match="attributes of nodes not kept: S"):
        graph = read_graph(write(graphml(edge("a", "b"), keys).replace('<node id="a"/>', drawn)))
    assert {name: values.tolist() for name, values in graph.attributes.items()} == {
        "label": ["Anna", "", ""], "note": ["x", "y", "y"],
    }  # fmt: skip
    with pytest.warns(GraphWarning, match="attributes of nodes not kept: graphics"):
        graph = read_graph(write(GML.format("", "").replace('label "a"', 'label "a" graphics [ x 1 y 2 ] big 3')))
    np.testing.assert_array_equal(graph.attributes["big"], [3, np.nan, np.nan])


def test_attributes_of_edges_that_are_text_are_told(write):
    path = write(gexf(edge("a", "b"), ATTRIBUTE.format("note", "string", "<default>x</default>")))
    with pytest.warns(GraphWarning, match="attributes of edges not kept: note"):
        read_graph(path)


@pytest.mark.parametrize("ending", ["gexf", "graphml", "gml"])
def test_attributes_beside_a_weight_are_told_whatever_they_hold(tmp_path, ending):
    G = nx.Graph()
    G.add_edge("a", "b", weight=2.0, since=2020, kind="friend", similarity=0.5)
    getattr(nx, f"write_{ending}")(G, path := tmp_path / f"x.{ending}")
    with pytest.warns(GraphWarning, match="attributes of edges not kept: since, kind, similarity$"):
        assert read_graph(path).weights.tolist() == [2.0, 2.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (graphml('<hyperedge><endpoint node="a"/></hyperedge>'), "hyperedges"),
        (graphml('<edge source="a"/>'), r"edge 0 \(counted from 0\) has no target"),
        (graphml("<node/>"), "has no id"),
        (graphml(edge("a", "b", '<data key="weight">2,5</data>')), "'weight' must hold numbers.*2,5"),
        (gexf(edge("a", "b", '<attvalues><attvalue for="weight" value="2"/><attvalue for="weight" value="3"/>'
                             "</attvalues>")), "must hold numbers.*several values"),
        (f"{HEAD}<gexf/>", "without <gexf> and <graph>"),
        (f"{HEAD}<x><graphml/></x>", "without <graphml>"),
    ],
)  # fmt: skip
def test_xml_that_is_no_graph_says_why(write, text, message):
    with pytest.raises(InputError, match=message):
        read_graph(write(text))


def test_of_several_graphs_the_first_is_read_and_the_others_are_told(write):
    text = graphml(edge("a", "b")).replace("</graphml>", '<graph><node id="z"/></graph></graphml>')
    with pytest.warns(GraphWarning, match="the first of 2 graphs is read"):
        assert read_graph(write(text)).n_nodes == 3


# -- GML ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "more", "expected"),
    [
        ("", "edge [ source 0 target 1 weight 2 ]", {("a", "b"): 2}),
        ("directed 0 multigraph 0", "edge [ source 0 target 1 weight 2e-05 ]", {("a", "b"): 2e-5}),
        ("", "edge [ source 0 target 1 weight 2 ] edge [ source 1 target 0 weight 3 ]", {("a", "b"): 5}),
        ("", "edge [ source 0 target 1 ] edge [ source 0 target 1 ]", {("a", "b"): 1}),
        ("", 'edge [ source 0 target 1 similarity 2 note "two\n\nlines 1e5 # x" ]', {("a", "b"): 2}),
        ("", "edge [ source 0 target 1 edge.weight 2 x nan y -Infinity z NaN ]", {("a", "b"): 2}),
        ('# a "comment\n', "edge [ source 0 target 1 value 4 ]\n", {("a", "b"): 4}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("start", ["", "\ufeff", 'Creator "Gephi, é graph [ "\r\nVersion 1\r\n'])
def test_gml_as_programs_write_it(write, start, before, more, expected):
    assert edges(read_graph(write((start + GML.format(before, more)).encode()))) == expected


def test_names_in_gml_are_text_of_any_encoding(write):
    text = GML.format("", "edge [ source 0 target 1 ]").replace('"a"', '"Zoë #1e5 &amp; Çağ"').replace('"b"', '"1e5"')
    assert read_graph(write(text.encode())).node_names.tolist() == ["Zoë #1e5 & Çağ", "1e5", "c"]
    path = write(text.replace("Çağ", "C").encode("latin-1"))
    with pytest.raises(FormatError, match=r"not utf-8.*encoding='latin-1'"):
        read_graph(path)
    assert read_graph(path, encoding="latin-1").node_names[0] == "Zoë #1e5 & C"


# -- networkx's adjacency lists ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [nx.Graph, nx.DiGraph, nx.MultiGraph])
@pytest.mark.parametrize("attribute", ["weight", "similarity", None])
def test_multiline_adjacency_lists(tmp_path, make, attribute):
    G = make()
    G.add_nodes_from(["a", "b", "c", "alone"])
    for u, v, weight in (("a", "b", 2), ("b", "c", 3), ("a", "b", 4), ("c", "c", 1)):
        G.add_edge(u, v, **({} if attribute is None else {attribute: weight}))
    nx.write_multiline_adjlist(G, tmp_path / "g.txt")
    graph = read_graph(tmp_path / "g.txt")
    assert edges(graph) == edges(Graph.from_networkx(G, weight=attribute, warn=False))
    assert "alone" in graph.node_names.tolist()


@pytest.mark.parametrize(
    "text", ["0 1\n1 2\n", "0 1 {}\n1 2 {}\n", "a 1\nb {}\nc d\n", "0 0\n1 0\n", "2 1\n1 3\n{} {}\n"]
)
def test_edges_are_no_multiline_adjacency_list(write, text):
    assert read_graph(write(f"# c\n{text}"), weight_column=None).n_edges == len(text.splitlines())
