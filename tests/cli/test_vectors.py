"""Files of vectors that hold something else, or are damaged: one line that names the file."""

import gzip
import json
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import graphcore
from graphcore import CoresetSpectralClustering, GraphWarning, InputError, knn_graph, read_graph
from graphcore.cli.app import run
from graphcore.cli.vectors import read_rows, read_vectors


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((3, 2), dtype="M8[s]"), "datetime64"),
        (np.zeros((3, 2), dtype=complex), "complex128"),
        (np.zeros((3, 2), dtype="U3"), "<U3"),
        (np.zeros((3, 2), dtype=[("a", int)]), "neither numbers nor text"),
        (np.array([[1, None]], dtype=object), "Python objects"),
        (np.zeros((0, 5)), r"shape \(0, 5\)"),
        (np.zeros((5, 0)), r"shape \(5, 0\)"),
        (np.zeros(5), r"shape \(5,\)"),
    ],
)
@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_what_are_no_vectors(tmp_path, array, message, ending):
    path = tmp_path / f"x.{ending}"
    (np.save if ending == "npy" else np.savez)(path, array)
    with pytest.raises(InputError, match=message) as caught:
        read_vectors(str(path))
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"(4, 2)", b"(4, 9999999999)"),
        (b"(4, 2)", b"(-4, -2)"),
        (b"(4, 2)", b"((((((" * 9),
        (b"'<f8'", b"'|O'"),
        (b"'descr'", b"7"),
        (b"NUMPY", b"NUMPX"),
        (b"(4, 2)", b"(4, 2L)" + b"_" * 40),
    ],
)
def test_damaged_headers(tmp_path, old, new):
    np.save(tmp_path / "a.npy", np.ones((4, 2)))
    head, data = np.split(np.fromfile(tmp_path / "a.npy", np.uint8), [128])
    changed = head.tobytes().replace(old, new)
    start, _, text = changed[:10], changed[10:10], changed[10:]
    (tmp_path / "a.npy").write_bytes(start + text.rstrip(b" \n")[:117].ljust(117) + b"\n" + data.tobytes())
    with pytest.raises(InputError) as caught:
        read_vectors(str(tmp_path / "a.npy"))
    assert "\n" not in str(caught.value)


def test_vectors_in_both_layouts_of_scipy_and_in_a_type_too_wide(tmp_path):
    X = sp.random_array((6, 4), density=0.5, rng=np.random.default_rng(0))
    for kind in ("csr", "csc", "coo"):
        sp.save_npz(tmp_path / "x.npz", X.asformat(kind))
        np.testing.assert_array_equal(read_vectors(str(tmp_path / "x.npz")).toarray(), X.toarray())
    np.save(tmp_path / "x.npy", np.asfortranarray(X.toarray()))
    np.testing.assert_array_equal(read_vectors(str(tmp_path / "x.npy")), X.toarray())
    X = np.ones((5, 2), dtype=np.longdouble)
    X[2, 1] = np.longdouble("1e4000")
    with pytest.raises(InputError, match=r"rescale|must be finite"):
        knn_graph(X, 2)


# -- text and Parquet --------------------------------------------------------------------------------------------------

X = np.arange(12.0).reshape(4, 3)


@pytest.mark.parametrize("name", ["x.csv", "x.csv.gz", "x"])
@pytest.mark.parametrize("squeezed", [True, False])
def test_the_content_says_whether_text_is_compressed(tmp_path, name, squeezed):
    text = b"a,b,c\n" + b"".join(b"%g,%g,%g\n" % tuple(row) for row in X)
    (tmp_path / name).write_bytes(gzip.compress(text) if squeezed else text)
    np.testing.assert_array_equal(read_vectors(str(tmp_path / name)), X)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x,name,y\n1,Anna,2\n3,Ben,4\n", "column 1 of row 0 (both counted from 0) holds 'Anna'"),
        ("name,x,y\n3,1,2\nBen,3,4\n", "column 0 of row 1 (both counted from 0) holds 'Ben'"),
        ("x;y\n1;2\n3;\n", "column 1 of row 1 (both counted from 0) holds ''"),
        ("x;y\n1,5;2\n3;4\n", "holds '1,5'; vectors are numbers only, with decimal points"),
        ('id,v\n1,"[1, 2]"\n2,"[3, 4]"\n', "numpy.stack(frame[name].map(json.loads))"),
        ("1 1:0.5 2:1\n0 1:0.2\n", "sklearn.datasets.load_svmlight_file"),
        ("", "holds no numbers"),
        ("x,y\n", "holds column names and no numbers"),
        ("1,,3\n4,5,6\n", "column 1 of row 0 (both counted from 0) holds ''"),
        ("1,NA,3\n4,5,6\n", "column 1 of row 0 (both counted from 0) holds 'NA'"),
    ],
)
def test_text_that_is_no_table_of_numbers(tmp_path, text, said):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        read_vectors(str(tmp_path / "x.csv"))
    assert str(caught.value).startswith(f"{tmp_path / 'x.csv'}: ") and said in str(caught.value)


ROWS = [f"{u + 0.5},{v + 0.5},{w + 0.5}" for u, v, w in X.tolist()]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["0,1,2", *ROWS], "the first line counts the columns"),  # pandas' names of columns
        ([",0,1,2", *(f"{i},{row}" for i, row in enumerate(ROWS))], "column 0 is an index"),
        ([",x,y,z", *(f"{7 - i},{row}" for i, row in enumerate(ROWS))], "column 0 is an index"),
        (["Unnamed: 0,x,y,z", *(f"{i},{row}" for i, row in enumerate(ROWS))], "column 'Unnamed: 0' is an index"),
        (["id,x,y,z", *(f"{i},{row}" for i, row in enumerate(ROWS, 1))], "column 'id' is an index"),
        (["ID,x,y,z", *(f"{70 - 3 * i},{row}" for i, row in enumerate(ROWS))], "column 'ID' is an index"),
        ([f"{i},{row}" for i, row in enumerate(ROWS)], "column 0 is an index"),
        (["name,x,y,z", *(f'"ann",{row}' for row in ROWS)], "names of rows are not read, as 'ann' stands there more"),
        (
            ["4 3", *(f"ann{row}".replace("ann", "ann ").replace(",", " ") for row in ROWS)],
            "names of rows are not read",
        ),
    ],
)
@pytest.mark.parametrize("squeezed", [True, False])
def test_names_and_an_index_are_no_coordinates(tmp_path, lines, said, squeezed):
    text = ("\n".join(lines) + "\n").encode()
    (tmp_path / "x.csv").write_bytes(gzip.compress(text) if squeezed else text)
    with pytest.warns(GraphWarning, match=said):
        np.testing.assert_array_equal(read_vectors(str(tmp_path / "x.csv")), X + 0.5)


@pytest.mark.parametrize(
    "lines",
    [
        [f"anné{i},{row}" for i, row in enumerate(ROWS)],
        ["name;x;y;z", *(f'"anné{i}";{row}'.replace(",", ";") for i, row in enumerate(ROWS))],
        ["4 3", *(f"anné{i},{row}".replace(",", " ") for i, row in enumerate(ROWS))],
    ],
)
@pytest.mark.parametrize("squeezed", [True, False])
def test_names_of_rows_are_read(tmp_path, lines, squeezed):
    text = ("\n".join(lines) + "\n").encode()
    (tmp_path / "x.csv").write_bytes(gzip.compress(text) if squeezed else text)
    found, names = read_rows(str(tmp_path / "x.csv"))
    np.testing.assert_array_equal(found, X + 0.5)
    assert names == [f"anné{i}" for i in range(len(ROWS))]


def test_an_index_of_text_in_parquet_names_the_rows(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    names = [f"cell {i}" for i in range(len(X))]
    pandas.DataFrame(X, index=names, columns=list("abc")).to_parquet(tmp_path / "x.parquet")
    found, read = read_rows(str(tmp_path / "x.parquet"))
    np.testing.assert_array_equal(found, X)
    assert read == names


@pytest.mark.slow
def test_names_of_rows_are_in_labels_pages_models_and_updates(folder, capsys):
    from sklearn.datasets import make_blobs

    points, _ = make_blobs(70, centers=[[0, 0], [30, 0], [0, 30]], random_state=0)
    lines = [f"word{i},{x},{y}\n" for i, (x, y) in enumerate(points)]
    (folder / "x.csv").write_text("".join(lines[:60]))
    (folder / "more.csv").write_text("".join(lines[60:]))
    command = "cluster x.csv --vectors -k 3 -o l.tsv --report page.html --model m.npz"
    assert run(command.split()) == 0
    assert (folder / "l.tsv").read_text().startswith("word0\t") and ">word" in (folder / "page.html").read_text()
    assert run(["update", "m.npz", "more.csv", "-o", "after.tsv"]) == 0
    assert [line.split("\t")[0] for line in (folder / "after.tsv").read_text().splitlines()][-1] == "word69"


def test_the_line_by_which_excel_tells_the_delimiter_is_passed_over(tmp_path):
    (tmp_path / "x.csv").write_text("sep=;\nx;y\n1;2\n3;4\n")
    np.testing.assert_array_equal(read_vectors(str(tmp_path / "x.csv")), [[1, 2], [3, 4]])


@pytest.mark.parametrize("text", ["0,1\n1,0\n0,0\n", "0,5\n1,7\n2,6\n", "x,y\n0,5\n1,7\n2,6\n"])
def test_whole_numbers_stay_coordinates(tmp_path, text):
    (tmp_path / "x.csv").write_text(text)
    assert read_vectors(str(tmp_path / "x.csv")).shape == (3, 2)


def test_vectors_in_parquet(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    parquet.write_table(arrow.table({f"c{i}": X[:, i] for i in range(3)}), path)
    np.testing.assert_array_equal(read_vectors(str(path)), X)
    parquet.write_table(arrow.table({"id": list("abcd"), "embedding": X.tolist(), "x": X[:, 0]}), path)
    with pytest.warns(GraphWarning, match="the lists in column 'embedding'"):
        found, names = read_rows(str(path))
    np.testing.assert_array_equal(found, X)
    assert names == list("abcd")
    for columns, said in (
        ({"id": list("abcd"), "y": list("abcd"), "x": X[:, 0]}, "column 'id' holds string, and vectors are numbers"),
        ({"x": [[1.0], [1.0, 2.0]]}, "the lists in column 'x' are not all of one length"),
    ):
        parquet.write_table(arrow.table(columns), path)
        with pytest.raises(InputError, match=said):
            read_vectors(str(path))
    (tmp_path / "x.parquet.gz").write_bytes(gzip.compress(path.read_bytes()))
    with pytest.raises(InputError, match="decompress the file around it"):
        read_vectors(str(tmp_path / "x.parquet.gz"))
    path.write_bytes(b"PAR1\x15\x04broken PAR1")
    with pytest.raises(InputError, match="the Parquet table cannot be read"):
        read_vectors(str(path))


def test_edges_in_parquet_are_those_of_the_text(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path, text = tmp_path / "edges.parquet", tmp_path / "edges.csv"
    for ends in (([5, 7, 5], [7, 9, 9]), (["a", "c", "a"], ["c", "b", "b"])):
        parquet.write_table(arrow.table({"from": ends[0], "to": ends[1], "weight": [2.0, 0.5, 1.0]}), path)
        text.write_text(
            "from,to,weight\n" + "".join(f"{u},{v},{w}\n" for u, v, w in zip(*ends, [2, 0.5, 1], strict=True))
        )
        got, expected = read_graph(path), read_graph(text)
        np.testing.assert_array_equal(got.node_names, expected.node_names)
        np.testing.assert_array_equal(got.to_scipy().toarray(), expected.to_scipy().toarray())
        assert not read_graph(path, weight_column=None).is_weighted
    parquet.write_table(arrow.table({"id": [1, 2], "source": [5, 6], "target": [6, 7]}), path)
    with pytest.warns(GraphWarning, match="column id not read"):
        assert read_graph(path).node_names.tolist() == [5, 6, 7]
    parquet.write_table(arrow.table({f"c{i}": X[:, i] + 0.5 for i in range(3)}), path)
    with pytest.warns(GraphWarning, match="column c0 holds double, which are taken for names"):
        read_graph(path)
    parquet.write_table(arrow.table({"from": arrow.array([], "int64"), "to": arrow.array([], "int64")}), path)
    with pytest.raises(InputError, match="no rows"):
        read_graph(path)


@pytest.fixture
def noisy(here):
    """Three clusters, then thirty vectors far from all others, of whole numbers."""
    rng = np.random.default_rng(0)
    X = np.repeat(40 * np.eye(3, 6), 100, axis=0) + 4 * rng.normal(size=(300, 6))
    return np.concatenate([X, rng.uniform(-200, 200, (30, 6))]).round()


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8", "i2"])
def test_a_model_of_vectors_predicts_and_is_updated_as_that_of_the_class(noisy, dtype, told):
    X = noisy.astype(dtype)
    np.save("x.npy", X)
    np.save("new.npy", X[:7])
    command = "cluster x.npy -k 3 --neighbors 8 --outliers 0.1 -o l.npy --model m.npz --json"
    facts = json.loads(told(command).out)
    model, same = graphcore.load("m.npz"), CoresetSpectralClustering(3, n_neighbors=8, outliers=0.1, random_state=0)
    same.fit(X)
    assert facts["outliers"] == np.count_nonzero(same.labels_ < 0) >= 30
    for name in ("labels_", "outlier_scores_"):
        np.testing.assert_array_equal(getattr(model, name), getattr(same, name))
    np.testing.assert_array_equal(model.predict(X), same.predict(X))
    assert model.get_params() == same.get_params() | {"affinity": "nearest_neighbors", "n_jobs": -1}
    assert model._reference.vectors.dtype == {"i8": "f4"}.get(dtype, dtype)
    assert "7 are new" in told("update m.npz new.npy -o after.npy").out
    same.update(X[:7])
    np.testing.assert_array_equal(np.load("after.npy"), same.labels_)


def test_predict_writes_what_the_model_predicts(noisy, told, facts_of):
    lines = "".join(f"row {i},{','.join(map(str, row))}\n" for i, row in enumerate(noisy.tolist()))
    np.save("x.npy", noisy)
    Path("new.csv").write_text(lines)
    told("cluster x.npy -k 3 --outliers 0.1 -o l.npy --model m.npz")
    expected, before = graphcore.load("m.npz").predict(noisy), Path("m.npz").read_bytes()
    facts = facts_of("predict m.npz new.csv")
    assert (facts["rows"], facts["output"]) == (330, "new.csv.clusters.tsv")
    assert facts["without_label"] == np.count_nonzero(expected < 0) > 0
    assert facts["cluster_sizes"] == np.bincount(expected[expected >= 0]).tolist()
    written = pd.read_csv("new.csv.clusters.tsv", sep="\t", header=None)
    assert written[0].tolist() == [f"row {i}" for i in range(330)] and written[1].tolist() == expected.tolist()
    assert "is there already" in told("predict m.npz new.csv", 2).err
    assert told("predict m.npz x.npy -o - --quiet").out.splitlines()[1] == f"1\t{expected[1]}"
    assert re.search("labels +p.npy", told("predict m.npz x.npy -o p.npy").out)
    np.testing.assert_array_equal(np.load("p.npy"), expected)
    assert Path("m.npz").read_bytes() == before
    pytest.importorskip("pyarrow")
    told("predict m.npz new.csv -o p.parquet")
    assert pd.read_parquet("p.parquet").set_index("node").cluster["row 7"] == expected[7]


def test_columns_of_a_file_are_those_of_a_data_frame_by_their_order(noisy, told):
    model = graphcore.CoresetSpectralClustering(3, random_state=0).fit(pd.DataFrame(noisy, columns=list("abcdef")))
    model.save("m.npz")
    Path("é.csv").write_text(
        "".join(f"é{i},{','.join(map(str, row))}\n" for i, row in enumerate(noisy[:9].tolist())), "latin-1"
    )
    done = told("predict m.npz é.csv --encoding latin-1 -o new.tsv")
    assert "warning" not in done.err.lower()
    written = pd.read_csv("new.tsv", sep="\t", header=None)
    assert (written[0][3], written[1].tolist()) == ("é3", model.labels_[:9].tolist())
    assert "warning" not in told("update m.npz é.csv --encoding latin-1").err.lower()


def test_predict_takes_rows_of_new_nodes_for_a_model_of_a_graph(folder, told, facts_of):
    told("cluster graph.txt -k 2 -o l.tsv --model m.npz")
    labels = graphcore.load("m.npz").labels_.tolist()
    sp.save_npz("rows.npz", sp.csr_array(([1.0, 2.0], ([0, 1], [0, 5])), shape=(3, 6)))
    assert facts_of("predict m.npz rows.npz -o new.tsv")["without_label"] == 1
    assert pd.read_csv("new.tsv", sep="\t", header=None)[1].tolist() == [labels[0], labels[5], -1]


def test_wrong_rows_to_predict(noisy, folder, told):
    np.save("x.npy", noisy)
    np.save("narrow.npy", abs(noisy[:, :2]))
    np.save("nan.npy", np.full((2, 6), np.nan))
    told("cluster x.npy -k 3 -o l.npy --model m.npz")
    told("cluster graph.txt -k 2 -o l.tsv --model g.npz")
    for command, said in (
        ("m.npz narrow.npy -o p.tsv", "narrow.npy: X has 2 features"), ("m.npz nan.npy -o p.tsv", "nan.npy: .*NaN"),
        ("g.npz narrow.npy -o p.tsv", "g.npz is of a graph: a row has a weight for each of its 6 nodes"),
        ("l.tsv x.npy -o p.tsv", "this is no model"), ("m.npz none.npy -o p.tsv", "none.npy: No such file"),
        ("m.npz x.npy -o p.gexf", r"written as text \(.tsv, .csv\), .npy or .parquet"),
        ("m.npz x.npy -o m.npz", "m.npz"),
    ):  # fmt: skip
        assert re.search(said, told(f"predict {command}", 2).err)
    assert not os.path.exists("p.tsv")


@pytest.mark.slow
def test_outliers_are_told(noisy, told):
    np.save("x.npy", noisy)
    said = told("cluster x.npy -k 3 --outliers 0.09 -o l.npy --report r.html")
    assert "outliers   30 with label -1" in said.out
    assert "isolated" not in said.out + said.err
    with open("r.html", encoding="utf-8") as page:
        assert "left out: 30 outliers" in page.read()


def test_wrong_updates_of_a_model_of_vectors(noisy, told):
    np.save("x.npy", noisy)
    np.save("narrow.npy", noisy[:, :2])
    told("cluster x.npy -k 3 -o l.npy --model m.npz")
    for command, said in (
        ("update m.npz x.npy --removed x.npy", "of which none are taken out"),
        ("update m.npz narrow.npy", "2 features"),
        ("update m.npz --removed x.npy", "of which none are taken out"),
    ):
        assert said in told(command, 2).err
    assert len(graphcore.load("m.npz").labels_) == 330
