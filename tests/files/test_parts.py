"""Lists of edges in several files, or folders of them, as Spark, Dask and DuckDB write them."""

import warnings
from functools import partial

import numpy as np
import pandas as pd
import pytest

from graphcore import FormatError, Graph, GraphWarning, InputError, ParameterError, build_store, read_graph


def same(graph, expected):
    assert (graph.to_scipy() != expected.to_scipy()).nnz == 0
    assert graph.is_weighted == expected.is_weighted
    np.testing.assert_array_equal(graph.node_names, expected.node_names)


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 40, (300, 2)) * 3
    return pd.DataFrame({"from": ends[:, 0], "to": ends[:, 1], "weight": rng.integers(1, 9, 300) / 2})


def write_table(table, path):
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        table.to_parquet(path, index=False)
    else:
        table.to_csv(path, index=False)


def write_parts(folder, table, ending):
    """Write four parts of a table, one of them in a folder, and what must not be read beside them."""
    (folder / "day=2").mkdir(parents=True)
    paths = [folder / "a", folder / "b", folder / "c", folder / "day=2" / "d"]
    paths = [path.with_suffix(f".{ending}") for path in paths]
    for i, path in enumerate(paths):
        write_table(table[75 * i : 75 * (i + 1)], path)
    for other in ("_SUCCESS", ".a.crc", "_log.json", "e.csv"):
        (folder / other).write_text("" if other in ("_SUCCESS", "e.csv") else "{}")
    return paths


@pytest.mark.parametrize("ending", ["parquet", "csv"])
@pytest.mark.parametrize("named", [True, False])
def test_parts_are_read_as_one_list(tmp_path, table, ending, named):
    if named:
        table = table.astype({"from": str, "to": str})
    paths, whole = write_parts(tmp_path / "parts", table, ending), tmp_path / f"whole.{ending}"
    write_table(table, whole)
    ids = "string" if named else "auto"
    expected = read_graph(whole, symmetrize="sum", ids=ids)
    same(expected, Graph.from_table(table, symmetrize="sum"))
    for given in (paths, tmp_path / "parts", [paths[0], *paths[1:3], tmp_path / "parts" / "day=2"]):
        same(read_graph(given, symmetrize="sum", ids=ids), expected)
    same(build_store(tmp_path / "parts", tmp_path / "g.store", symmetrize="sum", ids=ids), expected)
    options = {"weight_column": None, "count_repeats": True, "ids": ids, "symmetrize": "sum"}
    for counted in (read_graph(paths, **options), build_store(paths, tmp_path / "g.store", **options)):
        same(counted, read_graph(whole, **options))
    nodes = {"id": [str(i) if named else i for i in range(130)]}
    same(read_graph(paths, nodes=nodes, ids=ids), read_graph(whole, nodes=nodes, ids=ids))
    same(read_graph([paths[0]]), read_graph(paths[0]))


@pytest.mark.parametrize("when", [[5, 6, 7], np.array([5, 6, 7], dtype="M8[s]"), [0.5, 1.5, 3.0], ["2020-09-20"] * 3])
def test_ends_of_parquet_are_no_times_and_share_names(tmp_path, when):
    payers, payees = ["a", "b", "c"], ["b", "c", "d"]
    pd.DataFrame({"when": when, "debtor": payers, "creditor": payees}).to_parquet(tmp_path / "a.parquet")
    graph = read_graph(tmp_path / "a.parquet", weight_column=None)
    same(graph, Graph.from_edges(payers, payees))
    if not isinstance(when[0], (int, float)):
        with pytest.raises(FormatError, match=r"column 'when' holds (timestamp|.*string).*; weights must be numbers"):
            read_graph(tmp_path / "a.parquet", weight_column="when")
    table = {"source": payers, "weight": [0.5, 1, 2], "timestamp": [1600000000, 1600000060, 1600000061]}
    pd.DataFrame(table).to_parquet(tmp_path / "a.parquet")
    with pytest.raises(FormatError, match="only column 'source' may hold nodes"):
        read_graph(tmp_path / "a.parquet")
    for weight in ([0.5, 1, 2], ["0.5", "1", "2"]):  # also as text
        pd.DataFrame(table | {"target": payees, "weight": weight}).to_parquet(tmp_path / "a.parquet")
        with warnings.catch_warnings(action="error"):  # of a time beside a weight, as in text
            assert read_graph(tmp_path / "a.parquet").weights.max() == 2


def test_parts_of_parquet_may_be_empty_and_have_no_text_beside_them(tmp_path, write):
    table = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [0.5, 2.0]})
    (tmp_path / "parts").mkdir()
    for i, rows in enumerate((table[:0], table)):
        rows.to_parquet(tmp_path / "parts" / f"{i}.parquet")
    assert read_graph(tmp_path / "parts").weights.max() == 2
    write("read me\nfirst of all\n", "parts/README.txt")
    with pytest.raises(InputError, match=r"README\.txt are read, files of two kinds"):
        read_graph(tmp_path / "parts", weight_column=None)
    pd.DataFrame({"source": [b"\x80", b"b"], "target": [b"b", b"c"]}).to_parquet(tmp_path / "ids.parquet")
    with pytest.raises(InputError, match=r"ids\.parquet: .*'source' holds bytes that are no UTF-8 text.*bytes\.hex"):
        read_graph(tmp_path / "ids.parquet")


@pytest.mark.parametrize("blank", ["", "  "])
@pytest.mark.parametrize("kind", [str, "category", bytes])
def test_blank_ends_of_parquet_are_refused_as_those_of_text(tmp_path, blank, kind):
    table = pd.DataFrame({"u": ["a", "b", "c"], "v": ["b", blank, blank]})
    table.to_csv(tmp_path / "a.csv", index=False)
    table = table.map(str.encode) if kind is bytes else table.astype(kind)
    table.to_parquet(tmp_path / "a.parquet")
    for name, said in (("a.parquet", r"column 'v' holds '\s*' in row 1"), ("a.csv", "line 3: column 1 .* holds ''")):
        for read in (read_graph, partial(build_store, out=tmp_path / "a.store")):
            with pytest.raises(InputError, match=rf"{name}: .*{said}, where a node is expected"):
                read(tmp_path / name)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("kind", ["named", "integers"])
@pytest.mark.parametrize("weighted", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_lines_that_are_no_edges_are_left_out_and_counted(tmp_path, table, ending, kind, weighted):
    named, bad = kind == "named", np.zeros(len(table), dtype=bool)
    table = table.astype({"from": str, "to": str} if named else {"from": "Int64"})
    table = table.drop(columns=[] if weighted else "weight")
    expected = Graph.from_table(table[30:].astype({"from": str if named else int}), symmetrize="sum")
    for row, column, value in [
        (3, "from", None), *[(i, "to", blank) for i, blank in enumerate(("", " ", "NULL", "nan"), 5) if named],
        *[(i, "weight", weight) for i, weight in enumerate((np.nan, -1.0, np.inf), 10) if weighted],
    ]:  # fmt: skip
        table.loc[row, column], bad[row] = value, True
    table = pd.concat([table[30:160], table[bad], table[160:]])
    parts = write_parts(tmp_path / "parts", table, ending)
    options = {"symmetrize": "sum", "ids": "string" if named else "auto"}
    for read in (read_graph, partial(build_store, out=tmp_path / "a.store")):
        with pytest.raises(InputError, match=f"{parts[1].name}: .*; on_bad_lines='skip'"):
            read(tmp_path / "parts", **options)
        with pytest.warns(GraphWarning, match=rf"left out \({bad.sum()}\); the first is .*{parts[1].name}"):
            found = read(tmp_path / "parts", on_bad_lines="skip", **options)
        same(found, expected)


@pytest.mark.parametrize(("ending", "said"), [("parquet", "column 'weight' cannot"), ("csv", "thousands=',', or dec")])
def test_weights_that_are_no_numbers_are_named_and_can_be_left_out(tmp_path, ending, said):
    path = tmp_path / f"a.{ending}"
    write_table(pd.DataFrame({"from": range(300), "to": 300, "weight": ["1.5"] * 299 + ["1,200.50"]}), path)
    for read in (read_graph, partial(build_store, out=tmp_path / "a.store")):
        with pytest.raises(FormatError, match=f"{path}: .*{said}.*1,200.50.*on_bad_lines"):
            read(path)
        with pytest.warns(GraphWarning, match=r"left out \(1\)"):
            assert read(path, on_bad_lines="skip").n_edges == 299


@pytest.mark.parametrize("header", ["from,to", "debtor,creditor"])
def test_a_part_with_the_header_alone_is_empty(tmp_path, write, header):
    (tmp_path / "parts").mkdir()
    parts = [write(f"{header}{rows}", f"parts/{i}.csv") for i, rows in enumerate(("\n", "\n1,2\n3,1\n", "\n3,2\n", ""))]
    for given in (tmp_path / "parts", parts):
        same(read_graph(given), Graph.from_table({"source": [1, 3, 3], "target": [2, 1, 2]}))
        assert build_store(given, tmp_path / "a.store").n_edges == 3
    for files in (parts[0], [parts[1], write("from,target\n", "b.csv")]):
        with pytest.raises(
            FormatError, match=r"\d\.csv|b\.csv: there are no edges: only a header line; .*header=False"
        ):
            read_graph(files, header=True)
    same(
        read_graph([write("1,2\n", "a.csv"), write("1,2\n3,2\n", "b.csv")], symmetrize="sum", count_repeats=True),
        Graph.from_table({"source": [1, 1, 3], "target": [2, 2, 2], "weight": [1.0, 1, 1]}),
    )


def test_what_are_no_parts(tmp_path, write):
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty is a folder without files of edges"):
        read_graph(tmp_path / "empty")
    edges = write("1 2\n2 3\n", "a.txt")
    build_store(edges, tmp_path / "e.store")
    for other, error, said in (
        (write("graph [ node [ id 0 ] ]", "b.gml"), FormatError, "b.gml: this is a gml file; several files"),
        (write("x y\ny z\n", "c.txt"), InputError, "a.txt are integers, those of .*c.txt names"),
        (write("1 2 0.5\n2 3 0.1\n", "d.txt"), InputError, "d.txt has weights and .*a.txt has none"),
        (tmp_path / "e.store", InputError, "e.store is a graph on disk.*from all files"),
    ):
        with pytest.raises(error, match=said):
            read_graph([edges, other])
    with pytest.raises(ParameterError, match="for a single file"):
        read_graph([edges, edges], format="edgelist")


def test_parts_whose_columns_are_called_otherwise_are_told(write):
    one, other = write("from,to\n1,2\n3,4\n", "a.csv"), write("to,from\n2,5\n4,6\n", "b.csv")
    assert read_graph([one, other]).n_edges == 4
    with pytest.warns(GraphWarning, match=r"from, to of .*a\.csv and u, v of .*b\.csv are read"):
        same(read_graph([one, write("u,v\n5,2\n6,4\n", "b.csv")]), read_graph([one, other]))
    one = write("t,n,from,to\n5,7,1,2\n6,7,3,4\n", "a.csv")  # the header in the first part alone, as split makes them
    other = write("5,7,5,2\n6,8,6,4\n", "b.csv")
    said = r"from, to of .*a\.csv and (0, 1|5, 2) of .*b\.csv are read; give all parts the same"
    for options in ({}, {"header": True, "columns": (2, 3)}):
        with pytest.raises(InputError, match=said):
            read_graph([one, other], weight_column=None, **options)
    assert read_graph([one, other], columns=(2, 3), weight_column=None).n_edges == 4
    parts = [write(f"n,debtor,creditor\n{i},a,b\n{i + 5},b,c\n", f"{i}.csv") for i in range(2)]
    with pytest.warns(GraphWarning) as said:
        read_graph(parts, weight_column=None)
    (told,) = (str(each.message) for each in said if "ends" in str(each.message))
    assert "1 more: column 'n' holds what no other column holds; the ends are columns ('debtor', 'creditor')" in told
    paths = [write(text.encode("utf-16-le"), name) for text, name in (("a é\n", "a.txt"), ("é b\n", "b.txt"))]
    assert read_graph(paths, encoding="utf-16-le").node_names.tolist() == ["a", "é", "b"]


def test_a_folder_behind_links_is_visited_once(tmp_path, table):
    parts = write_parts(tmp_path / "t", table, "csv")
    expected = read_graph(parts)
    (tmp_path / "other").mkdir()
    parts[-1].rename(tmp_path / "other" / parts[-1].name)
    for link, to in (("a", "."), ("b", "."), ("up", ".."), ("c", "../other"), ("d", "../other")):
        (tmp_path / "t" / link).symlink_to(to, target_is_directory=True)
    same(read_graph(tmp_path / "t"), expected)
