"""Files of nodes, as crawls, collections and spreadsheets write them, for every kind of graph file."""

import gzip
import warnings
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import FormatError, GraphWarning, InputError, read_graph
from graphcore.files import read_nodes
from graphcore.files.parquet import write_table
from tests.files.bvgraphs import graph_files, write_files

HAS_ARROW = find_spec("pyarrow") is not None
NO_TABLE = (FormatError, "Parquet table cannot be read") if HAS_ARROW else (InputError, "needs the package")


@pytest.mark.parametrize(
    ("text", "ids", "names", "columns"),
    [
        # Common Crawl's vertices, SNAP's pages and lists, a crawl's .urls, people.
        ("0\tcom.a\n1\tcom.b\n2\torg.c\n", [0, 1, 2], ["com.a", "com.b", "org.c"], {}),
        ("0 Category:Art, 1850\n12 Big  Ben \n", [0, 12], ["Category:Art, 1850", "Big  Ben"], {}),
        ("# Nodes: 3\n# NodeId\n7\n3\n12\n", [7, 3, 12], None, {}),
        ("http://a/?x=1,2;3\nhttp://b\nhttp://c/ d\n", None, ["http://a/?x=1,2;3", "http://b", "http://c/ d"], {}),
        ("id,name,age\n7,Anna,31\n3,Ben,\n", [7, 3], ["Anna", "Ben"], {"age": [31.0, np.nan]}),
        ('\ufeffId;Label;City\r\n7;"A; B";Rome\r\n3;C;"""O"""\r\n', [7, 3], ["A; B", "C"], {"City": ["Rome", '"O"']}),
        ("0 1\n1 1\n2 21\n", [0, 1, 2], None, {"column_1": [1, 1, 21]}),
        ("007,Bond\n008,Bill\n", ["007", "008"], ["Bond", "Bill"], {}),
        ("1 A page\n2 Page\n3 A page\n", [1, 2, 3], ["A page [1]", "Page", "A page [3]"], {}),
        ("only\n", None, ["only"], {}),
        ("name,id,label\na,7,x\nb,3,y\n", [7, 3], ["a", "b"], {"label": ["x", "y"]}),
        ("id,facebook_id,page_name\n7,1,x\n3,2,y\n", [7, 3], ["x", "y"], {"facebook_id": [1, 2]}),
        ("id,city_name\n7,x\n3,x\n2,x\n", [7, 3, 2], None, {"city_name": ["x", "x", "x"]}),
        ("id,first_name,last_name\n7,x,a\n3,y,b\n", [7, 3], None, {"first_name": ["x", "y"], "last_name": ["a", "b"]}),
        ("user_id,age\n7,31\n3,22\n", [7, 3], None, {"age": [31, 22]}),
        (",title\n7,x\n3,y\n", [7, 3], ["x", "y"], {}),
        ("id,tax\n7,9007199254740993\n3,\n", [7, 3], None, {"tax": ["9007199254740993", ""]}),  # no float holds it
    ],
)  # fmt: skip
def test_what_is_read(write, text, ids, names, columns):
    path = write(text, "nodes")
    table = read_nodes(path)
    assert (None if table.names is None else table.names.tolist()) == names
    found = {name: values.tolist() for name, values in table.columns.items() if name not in ("id", "Id", "")}
    np.testing.assert_equal(found, columns)
    assert (None if table.ids is None else table.ids.tolist()) == ids


@pytest.mark.slow
@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1), min_size=2, unique=True),
    st.sampled_from(["csv", "tsv", *(["parquet"] if HAS_ARROW else [])]),
)
def test_round_trip_with_what_is_written(tmp_path_factory, names, ending):
    names = [f"x{name}" for name in names]  # or all might be numbers
    rows = np.arange(len(names))
    columns = {"id": rows + 5, "name": np.array(names, dtype=object), "x": rows / 2}
    path = tmp_path_factory.mktemp("trip") / f"n.{ending}"
    write_table(columns, path)
    table = read_nodes(path)
    assert table.names.tolist() == names
    np.testing.assert_array_equal(table.columns["x"], columns["x"])
    np.testing.assert_array_equal(table.ids, columns["id"])


@pytest.mark.parametrize(
    ("content", "error", "said"),
    [
        (b"", FormatError, "the file is empty"),
        (b"# c\n\n", FormatError, "there are no nodes"),
        (b"id,name\n", InputError, "no rows"),
        (b"id,id\n1,2\n", FormatError, "several columns are called 'id'"),
        (b"id,name\n1,a\n2\n", FormatError, "line 3: 1 columns, where the lines before it have 2"),
        (b"http://a\n\nhttp://b\n", FormatError, "line 2 is blank"),
        (b"1\n2\n1\n", InputError, r"node 1 stands in rows 0 and 2"),
        (b"0\ta\x1a\x1b[2J\n" * 1, FormatError, "not text"),
        (b"0\ta\n1\t" + b"x" * 70_000 + b"\n2\tb\x1b\n", FormatError, "control characters"),
        (b"id,name\n1.5,a\n2,b\n", InputError, "1.5 in row 0 is no whole number"),
        (b"PAR1" + b"\0" * 60, *NO_TABLE),
    ],
)
def test_what_is_no_file_of_nodes(write, content, error, said):
    path = write(content, "nodes.tsv")
    with warnings.catch_warnings(action="error"), pytest.raises(error, match=said) as caught:
        read_nodes(path)
    assert str(caught.value).isprintable() and str(path) in str(caught.value)


# -- beside graphs -----------------------------------------------------------------------------------------------------

GRAPHS = {
    "edges": "7 3\n7 12\n3 3\n", "names.csv": "source,target\nx,y\nx,z\ny,y\n",
    "a.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n2 1\n3 1\n2 2\n",
    "a.metis": "3 2\n2 3\n1\n1\n", "a.gml": 'graph [ node [ id 5 label "x" ] node [ id 6 label "y" ] '
    'node [ id 7 label "z" ] edge [ source 5 target 6 ] edge [ source 5 target 7 ] edge [ source 6 target 6 ] ]',
}  # fmt: skip


@pytest.mark.parametrize("name", GRAPHS)
def test_nodes_beside_files_of_graphs(tmp_path, write, name):
    path = write(GRAPHS[name], name)
    ids = {"edges": [12, 7, 3], "names.csv": list("zxy"), "a.gml": list("zxy")}.get(name, [2, 0, 1])
    rows = [f"{id},called {id},{i}" for i, id in enumerate(ids)]
    graph = read_graph(path, nodes=write("\n".join(["id,name,place", *rows]), "n.csv"))
    assert graph.node_names.tolist() == [f"called {id}" for id in ids]
    assert graph.degrees.tolist() == [1.0, 2.0, 1.0 + (name != "a.metis")]
    rows.append(f"{'w' if name.startswith(('n', 'a.gml')) else 99},alone,3")
    write("\n".join(["id,name,place", *rows]), "n.csv")
    if name in ("a.mtx", "a.metis"):  # which have all nodes
        with pytest.raises(InputError, match=r"n.csv: there are 4 nodes, and the graph has nodes 0 to 2"):
            read_graph(path, nodes=tmp_path / "n.csv")
    else:
        graph = read_graph(path, nodes=tmp_path / "n.csv")
        assert (graph.node_names.tolist()[3], graph.n_isolated) == ("alone", 1)
    with pytest.raises(InputError, match=r"n.csv: (node|there are)"):
        read_graph(path, nodes=write("\n".join(["id,name,place", *rows[:2]]), "n.csv"))
    if name == "names.csv":
        with pytest.warns(GraphWarning, match=r"n.csv: only the first line \(town\) has no edge; .*'id'"):
            read_graph(path, nodes=write("person,town\nx,a\ny,b\nz,c\n", "n.csv"))


def test_a_web_graph_and_its_pages(tmp_path, write):
    lists = [[1, 2], [2], [], [0]]
    write_files(tmp_path, graph_files(lists))
    urls = [f"http://a/{i}" for i in range(4)]
    write(gzip.compress("\n".join(urls).encode()), "web.urls.gz")
    graph = read_graph(tmp_path / "web.graph", nodes=tmp_path / "web.urls.gz")
    assert graph.node_names.tolist() == urls
    order = [2, 0, 3, 1]
    vertices = write("".join(f"{i}\t{urls[i]}\n" for i in order), "v.txt")
    assert read_graph(tmp_path / "web.graph", nodes=vertices).node_names.tolist() == [urls[i] for i in order]
    for text in ("".join(f"{url}\n" for url in urls[:3]), "".join(f"{url}\n" for url in [*urls, "http://b"])):
        with pytest.raises(InputError, match=r"u: there are \d nodes, and the graph has nodes 0 to 3"):
            read_graph(tmp_path / "web.graph", nodes=write(text, "u"))
