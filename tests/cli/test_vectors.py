"""Files of vectors: what is read of them, and one line that names the file where they hold something else."""

import gzip
from importlib.util import find_spec

import numpy as np
import pytest
import scipy.sparse as sp

from graphcore import GraphWarning, InputError
from graphcore.cli.vectors import in_order_of, read_rows

X = np.arange(12.0).reshape(4, 3)
ROWS = [f"{u + 0.5},{v + 0.5},{w + 0.5}" for u, v, w in X.tolist()]


def put(path, lines, squeezed=False):
    text = ("\n".join(lines) + "\n").encode()
    path.write_bytes(gzip.compress(text) if squeezed else text)
    return str(path)


@pytest.mark.parametrize(
    ("array", "length", "message"),
    [
        (np.zeros((3, 2), dtype="M8[s]"), None, "datetime64"),
        (np.zeros((3, 2), dtype="U3"), None, "<U3"),
        (np.array([[1, None]], dtype=object), None, "cannot be read"),
        (np.zeros((0, 5)), None, r"shape \(0, 5\)"),
        (np.zeros(5), None, r"shape \(5,\)"),
        *((X, length, "") for length in (0, 20, 100, 150)),  # cut off
    ],
)
@pytest.mark.parametrize("ending", ["npy", "npz"])
def test_what_are_no_vectors(tmp_path, array, length, message, ending):
    path = tmp_path / f"x.{ending}"
    (np.save if ending == "npy" else np.savez)(path, array)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(InputError, match=message) as caught:
        read_rows(str(path))
    assert str(caught.value).startswith(f"{path}: ") and "\n" not in str(caught.value)


def test_arrays_and_sparse_matrices(tmp_path, feed):
    matrix = sp.random_array((6, 4), density=0.5, rng=np.random.default_rng(0))
    for kind in ("csr", "csc", "coo"):
        sp.save_npz(tmp_path / "x.npz", matrix.asformat(kind))
        np.testing.assert_array_equal(read_rows(str(tmp_path / "x.npz"))[0].toarray(), matrix.toarray())
    np.savez(tmp_path / "one.npz", X)
    np.save(tmp_path / "x.npy", np.asfortranarray(X))
    for name in ("one.npz", "x.npy"):
        np.testing.assert_array_equal(read_rows(str(tmp_path / name))[0], X)
        feed((tmp_path / name).read_bytes())
        np.testing.assert_array_equal(read_rows("-")[0], X)
    np.savez(tmp_path / "two.npz", a=X, b=X)
    with pytest.raises(InputError, match=r"holds 2 arrays \(a, b\)"):
        read_rows(str(tmp_path / "two.npz"))


@pytest.mark.parametrize("squeezed", [True, False])
@pytest.mark.parametrize(
    "lines",
    [
        ROWS,
        ["a,b,c", *ROWS],
        ["# a comment", *ROWS],
        ["", "# a comment", "a,b,c", *ROWS],
        ["# written by a program", "# a, b, c, d", *ROWS[:2], "# a note, 1.5", *ROWS[2:]],
        ["größe;höhe;c", *(row.replace(",", ";") for row in ROWS)],
        [row.replace(",", " ") for row in ROWS],
        [row.replace(",", "\t") for row in ROWS],
    ],
)
def test_text(tmp_path, lines, squeezed):
    X_read, names, _ = read_rows(put(tmp_path / "x.csv", lines, squeezed))
    np.testing.assert_array_equal(X_read, X + 0.5)
    assert names is None


@pytest.mark.parametrize("text", ["0,1\n1,0\n0,0\n", "0,5\n1,7\n2,6\n", "x,y\n0,5\n1,7\n2,6\n"])
def test_whole_numbers_stay_coordinates(tmp_path, text):
    (tmp_path / "x.csv").write_text(text)
    assert read_rows(str(tmp_path / "x.csv"))[0].shape == (3, 2)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["0,1,2", *ROWS], "the first line counts the columns"),  # pandas' names of columns
        (["0,1,2,id", *(f"{row},d{i}" for i, row in enumerate(ROWS))], "the first line counts the columns"),
        ([",0,1,2", *(f"{i},{row}" for i, row in enumerate(ROWS))], "column 0 is an index"),
        ([",x,y,z", *(f"{7 - i},{row}" for i, row in enumerate(ROWS))], "column 0 is an index"),
        (["Unnamed: 0,x,y,z", *(f"{i},{row}" for i, row in enumerate(ROWS))], "column 'Unnamed: 0' is an index"),
        (["ID,x,y,z", *(f"{70 - 3 * i},{row}" for i, row in enumerate(ROWS))], "column 'ID' is an index"),
        (["key,x,y,z", *(f"{i // 2},{row}" for i, row in enumerate(ROWS))], "'key' is an index, and is not read"),
        ([f"{i},{row}" for i, row in enumerate(ROWS)], "column 0 is an index"),
        (["x,y,z,label", *(f"{row},1" for row in ROWS)], "column 'label' is called as classes are"),
        (["name,x,y,z", *(f'"ann",{row}' for row in ROWS)], "names of rows are not read, as 'ann' stands there more"),
    ],
)
def test_an_index_classes_and_repeated_names_are_no_coordinates(tmp_path, lines, said):
    with pytest.warns(GraphWarning, match=said):
        np.testing.assert_array_equal(read_rows(put(tmp_path / "x.csv", lines))[0], X + 0.5)


@pytest.mark.parametrize(
    "lines",
    [
        [f"anné{i},{row}" for i, row in enumerate(ROWS)],
        ["name;x;y;z", *(f'"anné{i}";{row}'.replace(",", ";") for i, row in enumerate(ROWS))],
        ["4 3", *(f"anné{i},{row}".replace(",", " ") for i, row in enumerate(ROWS))],  # word2vec's
        ["x y z", *(f"anné{i},{row}".replace(",", " ") for i, row in enumerate(ROWS))],  # R's
        ["x,y,z,name", *(f"{row},anné{i}" for i, row in enumerate(ROWS))],
        [",".join([*row.split(",")[:1], f"anné{i}", *row.split(",")[1:]]) for i, row in enumerate(ROWS)],
    ],
)
def test_names_of_rows_are_read(tmp_path, lines):
    found, names, _ = read_rows(put(tmp_path / "x.csv", lines))
    np.testing.assert_array_equal(found, X + 0.5)
    assert names == [f"anné{i}" for i in range(len(ROWS))]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x,name,y,z\n1,Anna,2,a\n3,Ben,4,b\n", "line 2: column 'z' holds 'a', and vectors are numbers only; fill"),
        ("x;y\n1,5;2\n3;4\n", "line 2: column 'x' holds '1,5'"),
        ("x,y\n1,2,3\n1,2,a\n", "line 3: column 2 (counted from 0) holds 'a'"),
        ("1,NA,3\n4,5,6\n", "line 1: column 1 (counted from 0) holds 'NA'"),
        ("# how\n\nx,y\n1,2\n\n# why\n3,\n5,6\n", "line 7: column 'y' holds ''"),
        ("name,x,y\nann,1,2\nben,2\n", "line 3: invalid column index 2 with 2 columns"),
        ("", "holds no numbers"),
        ("x,y\n", "holds no numbers"),
        ("[[1, 2], [3, 4]]", "JSON"),
    ],
)
def test_text_that_is_no_table_of_numbers(tmp_path, text, said):
    (tmp_path / "x.csv").write_text(text)
    with pytest.raises(InputError) as caught:
        read_rows(str(tmp_path / "x.csv"))
    assert str(caught.value).startswith(f"{tmp_path / 'x.csv'}: ") and said in str(caught.value)


def test_vectors_in_parquet(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "x.parquet"
    parquet.write_table(arrow.table({f"c{i}": X[:, i] for i in range(3)}), path)
    np.testing.assert_array_equal(read_rows(str(path))[0], X)
    for ids in (list("abcd"), [7, 5, 3, 1]):  # before another column of text
        columns = {"text": list("efgh"), "x": X[:, 0], "id": ids}
        parquet.write_table(arrow.table(columns | {"embedding": X.tolist()}), path)
        with pytest.warns(GraphWarning, match="the lists in column 'embedding'"):
            found, names, _ = read_rows(str(path))
        np.testing.assert_array_equal(found, X)
        parquet.write_table(arrow.table(columns), path)
        with pytest.warns(GraphWarning, match="column 'text' is text, and is not read"):
            assert read_rows(str(path))[1] == names == list(map(str, ids))
    for columns, said in (
        ({"z": list("abcd"), "y": list("abcd"), "x": X[:, 0]}, "column 'z' holds string, and vectors are numbers"),
        ({"x": [[1.0], [1.0, 2.0]]}, "the lists in column 'x' are not all of one length"),
        ({"x": [1.0, None]}, "column 'x' has missing values"),
    ):
        parquet.write_table(arrow.table(columns), path)
        with pytest.raises(InputError, match=said):
            read_rows(str(path))
    parquet.write_table(arrow.table({"x": [1.0]}, metadata={"pandas": "[1]"}), path)
    with pytest.raises(InputError, match="the table's metadata of pandas are damaged"):
        read_rows(str(path))
    path.write_bytes(b"PAR1\x15\x04broken PAR1")
    with pytest.raises(InputError, match="the Parquet table cannot be read"):
        read_rows(str(path))


@pytest.mark.parametrize("place", [0, 3])
@pytest.mark.parametrize("name", ["id", "customer_id", "vertex", "userId", "__index_level_0__"])
def test_a_column_of_ids_is_no_coordinate_in_text_or_parquet(tmp_path, name, place):
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(X + 0.5, columns=list("abc"))
    table.insert(place, name, np.arange(len(X)) + 1000)
    table.to_csv(tmp_path / "x.csv", index=False)
    paths = [tmp_path / "x.csv"]
    if find_spec("pyarrow"):
        table.to_parquet(tmp_path / "x.parquet", index=False)
        paths.append(tmp_path / "x.parquet")
    for path in paths:
        with pytest.warns(GraphWarning, match=f"column '{name}' is an index, and names the rows"):
            found, names, columns = read_rows(str(path))
        np.testing.assert_array_equal(found, X + 0.5)
        assert columns == list("abc") and names == [str(i) for i in range(1000, 1000 + len(X))]
    if len(paths) > 1:
        pd.DataFrame({"vector": (X + 0.5).tolist(), name: table[name]}).to_parquet(tmp_path / "x.parquet", index=False)
        with pytest.warns(GraphWarning, match=f"the lists in column 'vector'; '{name}' names the rows"):
            found, again, _ = read_rows(str(tmp_path / "x.parquet"))
        assert np.array_equal(found, X + 0.5) and again == names


def test_an_index_that_pandas_wrote_to_parquet_is_no_coordinate(tmp_path):
    pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    for index, names in (
        (pd.Index([7, 10, 13, 16], name="user"), ["7", "10", "13", "16"]),
        (pd.date_range("2020", periods=4, name="time"), [f"2020-01-0{day} 00:00:00" for day in range(1, 5)]),
        (pd.Index([1, 1, 2, 3], name="user"), None),
        (pd.MultiIndex.from_product([[0, 1], [0, 1]], names=["doc", "part"]), None),
    ):
        pd.DataFrame(X, index, list("abc")).to_parquet(tmp_path / "x.parquet")
        with pytest.warns(GraphWarning, match=f"is an index, and {'names the rows' if names else 'is not read'}"):
            found, read, columns = read_rows(str(tmp_path / "x.parquet"))
        np.testing.assert_array_equal(found, X)
        assert (read, columns) == (names, list("abc"))


def test_columns_of_new_vectors_are_matched_by_their_names(here, told):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(30, 2)) + np.repeat([[0, 20], [20, 0]], 15, axis=0)
    for name, header, order in (("a", "x,y", [0, 1]), ("b", "y,x", [1, 0]), ("c", "x,z", [0, 1])):
        np.savetxt(f"{name}.csv", rows[:, order], delimiter=",", header=header, comments="")
    told("cluster a.csv --vectors -k 2 -o a.npy --model m.npz --quiet")
    for name in "ab":
        told(f"predict m.npz {name}.csv -o {name}.npy --quiet")
    np.testing.assert_array_equal(np.load("b.npy"), np.load("a.npy"))
    assert "'y' is in one only; give all" in told("predict m.npz c.csv -o c.npy", 2).err
    assert in_order_of(np.array([[9, 1, 2]]), ["y", "x", "x"], ["x", "x", "y"]).tolist() == [[1, 2, 9]]


def test_two_runs_do_not_take_one_name(folder, told, monkeypatch):
    names = []

    def other_run(*_):
        names.append(sorted(path.name for path in folder.iterdir()))
        assert "is there already" in told("cluster graph.txt -k 2", 2).err
        raise InputError("the first run fails")

    with monkeypatch.context() as patch:
        patch.setattr("graphcore.cli.cluster.read_input", other_run)
        told("cluster graph.txt -k 2", 2)
    assert names == [["graph.txt", "graph.txt.clusters.tsv"]]
    assert [path.name for path in folder.iterdir()] == ["graph.txt"]
    told("cluster graph.txt -k 2 --quiet")
    assert len((folder / "graph.txt.clusters.tsv").read_text().split("\n")) == 7
