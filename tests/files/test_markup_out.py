"""GraphML, GEXF and GML with attributes, as networkx and igraph read them; tables in Parquet."""

import pickle
import warnings

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest

from graphcore import CoresetSpectralClustering, Graph, GraphWarning, InputError, ParameterError
from graphcore.files import read_graph, write_graph
from graphcore.files.parquet import write_table

NAMES = ["Anna & Ben", 'a "quoted" <name>', "Chloé", "tab\tand\nline", "007"]
WEIGHTED = Graph.from_edges([0, 1, 2, 2], [1, 2, 3, 2], [0.1, 1e-7, 3e25, 2.0], n_nodes=5, node_names=NAMES)
ATTRIBUTES = {
    "node": NAMES, "cluster": np.array([0, 0, 1, 1, -1]),
    "stability": np.array([1, 0.1, 0.25, np.nan, 1e-7], np.float32),
    "outside_share": np.array([0.5, 0.1, np.nan, 1e-9, 1.0]), "known": np.array([True, False, True, True, False]),
    "note": np.array(["x<y", "", "é", "&amp;", "b"]),
}  # fmt: skip
READERS = {"graphml": nx.read_graphml, "gexf": nx.read_gexf, "gml": nx.read_gml}
formats = pytest.mark.parametrize("format", READERS)


@formats
def test_networkx_reads_graph_and_attributes(tmp_path, format):
    path = tmp_path / f"g.{format}"
    write_graph(WEIGHTED, path, attributes=ATTRIBUTES)
    G = READERS[format](path)
    assert set(G) == set(NAMES)
    edges = {frozenset((u, v)): weight for u, v, weight in G.edges(data="weight")}
    assert edges == {frozenset((NAMES[u], NAMES[v])): w
                     for u, v, w in ((0, 1, 0.1), (1, 2, 1e-7), (2, 3, 3e25), (2, 2, 2.0))}  # fmt: skip
    for i, name in enumerate(NAMES):
        data = G.nodes[name]
        assert (data["cluster"], data["note"], bool(data["known"])) == (
            ATTRIBUTES["cluster"][i], ATTRIBUTES["note"][i], ATTRIBUTES["known"][i],
        )  # fmt: skip
        for column in ("stability", "outside_share"):
            value = ATTRIBUTES[column][i]
            assert column not in data if np.isnan(value) else value.dtype.type(data[column]) == value


@formats
def test_what_is_written_is_read_back(tmp_path, format):
    plain = Graph.from_edges([0, 1, 4], [1, 2, 4], n_nodes=6)
    for graph in (WEIGHTED, plain):
        write_graph(graph, tmp_path / f"g.{format}.gz")
        back = read_graph(tmp_path / f"g.{format}.gz")
        assert (back.to_scipy() != graph.to_scipy()).nnz == 0
        assert back.is_weighted == graph.is_weighted
        np.testing.assert_array_equal(back.node_names, graph.node_names)


@formats
@pytest.mark.parametrize("other", READERS)
def test_labels_and_attributes_go_through_every_format_that_has_them(tmp_path, format, other):
    G = nx.Graph()
    for i, name in enumerate(NAMES):
        G.add_node(f"n{i}", **{"title": name, "age": 20 + i, "score": i / 7, "known": i % 2 == 0})
    G.add_edges_from([("n0", "n1"), ("n2", "n3")])
    getattr(nx, f"write_{format}")(G, tmp_path / "given.txt")
    write_graph(read_graph(tmp_path / "given.txt"), tmp_path / f"g.{other}")
    back = read_graph(tmp_path / f"g.{other}")
    found = {name: values.tolist() for name, values in back.attributes.items()}
    assert back.node_names.tolist() == list(G)
    assert found == {
        name: [data[name] for _, data in G.nodes(data=True)] for name in ("title", "age", "score", "known")
    }
    assert pickle.loads(pickle.dumps(back)).attributes.keys() == found.keys()


def test_labels_of_gexf_are_written_as_such_and_what_has_no_place_is_told(tmp_path):
    graph = Graph.from_edges(["a", "b"], ["b", "c"]).with_nodes({"id": ["a", "b", "c"], "age": [1, 2, 3]})
    graph = graph._by_names(graph.node_names, {"label": np.array(["Anna", "", "Chloé"]), "The age": np.arange(3)})
    write_graph(graph, tmp_path / "g.gexf", attributes={"The age": np.zeros(3)})
    back = nx.read_gexf(tmp_path / "g.gexf")
    assert [data for _, data in back.nodes(data=True)] == [
        {"The age": 0.0, "label": label} for label in ("Anna", "b", "Chloé")
    ]
    with pytest.raises(InputError, match=r"attribute .The age.: GML knows only names of letters .* write \.graphml"):
        write_graph(graph, tmp_path / "g.gml")
    for name, said in (("g.npz", "no attributes of nodes: label, The age not"),
                       ("g.csv", "csv files hold no"), ("g.store", "store files hold no")):  # fmt: skip
        with pytest.warns(GraphWarning, match=said):
            write_graph(graph, tmp_path / name)


@pytest.mark.parametrize("format", ["graphml", "gml"])
def test_igraph_reads_it(tmp_path, format):
    path = str(tmp_path / f"g.{format}")
    write_graph(WEIGHTED, path, attributes=ATTRIBUTES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # igraph leaves letters that GML's ASCII has no place for as they are written
        g = igraph.Graph.Read(path, format=format)
    assert (g.vcount(), g.ecount(), g.is_directed()) == (5, 4, False)
    assert g.vs["cluster"] == [0, 0, 1, 1, -1]
    np.testing.assert_array_equal(np.float32(g.vs["stability"]), ATTRIBUTES["stability"])
    assert g.es["weight"] == [0.1, 1e-7, 2.0, 3e25]


def test_attributes_that_are_called_as_gml_calls_its_own_get_another_name(tmp_path):
    write_graph(WEIGHTED, tmp_path / "g.gml", attributes={"id": np.arange(5), "label": NAMES})
    data = nx.read_gml(tmp_path / "g.gml").nodes["007"]
    assert (data["node_id"], data["node_label"]) == (4, "007")
    assert read_graph(tmp_path / "g.gml").n_nodes == 5


def test_what_no_file_can_hold_is_refused(tmp_path):
    for name, attributes, error, message in [
        ("g.npz", ATTRIBUTES, ParameterError, "npz files have no place"),
        ("g.gexf", {"cluster": [0, 1]}, ParameterError, r"'cluster' has shape \(2,\)"),
        ("g.gexf", {"node": NAMES[::-1]}, ParameterError, "not in the order of .* Graph.with_nodes takes"),
        ("g.gexf", {"a\x0bb": np.zeros(5)}, InputError, r"'a\\x0bb' has characters"),
        *(("g.gml", {column: np.zeros(5)}, InputError, f"'{column}'") for column in ("in share", "2020", "_x")),
    ]:
        with pytest.raises(error, match=message):
            write_graph(WEIGHTED, tmp_path / name, attributes=attributes)
    for names, message in ((["a", "a"], "same name"), (["a\v", "b"], r"'a\\x0b' has characters")):
        with pytest.raises(InputError, match=message):
            write_graph(Graph.from_edges([0], [1], node_names=names), tmp_path / "g.graphml")
    with pytest.raises(ParameterError, match="none of"):
        write_table({}, tmp_path / "g.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_attributes_may_be_a_data_frame(tmp_path):
    frame = pd.DataFrame({name: ATTRIBUTES[name] for name in ("node", "cluster", "note")})
    for attributes in (frame, dict(frame)):
        write_graph(WEIGHTED, tmp_path / "g.gexf", attributes=attributes)
        assert nx.read_gexf(tmp_path / "g.gexf").nodes["007"] == {"cluster": -1, "note": "b", "label": "007"}


def test_parquet_holds_the_table(tmp_path):
    pytest.importorskip("pyarrow")
    columns = {"node": np.array(["a", 1], dtype=object), "cluster": np.array([0, -1], dtype=np.int32)}
    write_table(columns, tmp_path / "t.parquet")
    read = pd.read_parquet(tmp_path / "t.parquet")
    assert read.node.tolist() == ["a", "1"] and read.cluster.tolist() == [0, -1]
    assert read.cluster.dtype == np.int32


def test_igraph_and_networkx_take_the_clusters():
    g = igraph.Graph(7, [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)])
    with pytest.warns(GraphWarning, match="isolated"):
        model = CoresetSpectralClustering(2, random_state=0).fit(Graph.from_igraph(g))
    clusters = {frozenset(cluster) for cluster in model.to_igraph(g)}
    assert clusters == {frozenset({0, 1, 2}), frozenset({3, 4, 5}), frozenset({6})}
    assert model.to_igraph().graph.isomorphic(g)
    with pytest.raises(InputError, match="g has 2 nodes"):
        model.to_igraph(igraph.Graph(2))
    G = nx.Graph([("a", "b"), ("b", "c"), ("d", "e")])
    G.add_node("alone")
    with pytest.warns(GraphWarning, match="isolated"):
        model = CoresetSpectralClustering(2, random_state=0).fit(G)
    nx.set_node_attributes(G, dict(zip(G, model.labels_.tolist(), strict=True)), "cluster")
    assert G.nodes["alone"]["cluster"] == -1
    assert G.nodes["a"]["cluster"] == G.nodes["c"]["cluster"] != G.nodes["d"]["cluster"]
    named = model.to_igraph()
    assert set(named.graph.vs["name"]) == set(G)
