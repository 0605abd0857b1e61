"""Files of labels, and outputs that are whole or not there."""

import gzip
import io
import os
import stat
import sys
import warnings

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graphcore import FormatError, Graph, GraphWarning, InputError, ParameterError, write_graph, write_labels
from graphcore.files import atomic_output, check_writable, read_labels, text
from graphcore.files.tables import read_label_lines
from graphcore.files.text import split_line

PATH = Graph.from_edges([0, 1], [1, 2])


@pytest.fixture
def named():
    return Graph.from_edges([0, 1], [1, 2], node_names=["Anna", "Ben Ali", "Chloé, the first"])


# -- labels ------------------------------------------------------------------------------------------------------------


def test_what_is_written(tmp_path, named, capsys):
    write_labels([1, 0, -1], tmp_path / "l.tsv", named)
    assert (tmp_path / "l.tsv").read_bytes() == "Anna\t1\nBen Ali\t0\nChloé, the first\t-1\n".encode()
    write_labels(np.array([1, 0, -1], dtype=np.int32), tmp_path / "l.csv", named)
    assert (tmp_path / "l.csv").read_bytes() == 'node,cluster\nAnna,1\nBen Ali,0\n"Chloé, the first",-1\n'.encode()
    write_labels([1, 0], tmp_path / "l")
    assert (tmp_path / "l").read_text() == "0\t1\n1\t0\n"
    write_labels([1, 0], tmp_path / "l", np.array([5, 9]), format="csv")
    assert (tmp_path / "l").read_text() == "node,cluster\n5,1\n9,0\n"
    stream = io.StringIO()
    write_labels([1, 0], stream, ["x", "y"])
    assert stream.getvalue() == "x\t1\ny\t0\n"
    write_labels([1, 0, 0], stream := io.StringIO(), ["-9", "@ann", "#1"])
    assert stream.getvalue() == '-9\t1\n@ann\t0\n"#1"\t0\n'  # quoted only where it could be read otherwise
    write_labels([1, 0], "-")
    assert capsys.readouterr().out == "0\t1\n1\t0\n"


@given(
    st.lists(st.lists(st.sampled_from(["1", "-1", "a b", "é", "", " x", "#", "%y", "7 ", "x\u3000", "\x0b",
                              '"q"', '" z "', '""', '"a,b"', '"x""y"', '"', 'q"r']),
                      min_size=1, max_size=3), min_size=1, max_size=4),
    st.sampled_from(["\t", ",", ";", " ", None]), st.sampled_from(["", "\n"]),
)  # fmt: skip
def test_text_that_is_split_at_once_is_split_as_line_by_line(rows, mark, end):
    content = "\n".join((mark or " ").join(row) for row in rows) + end
    found = text.plain_columns(content, mark, ("#", "%"), True)
    if found is not None:
        lines = [line for line in content.split("\n") if line.strip()]
        assert [column.tolist() for column in found] == list(
            map(list, zip(*(split_line(line, mark) for line in lines), strict=True))
        )


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("node,cluster\nx,0\ny,0\nz,1\n", [0, 0, 1]),
        ("cluster,Id\n0,x\n0,y\n1,z\n", [0, 0, 1]),
        (",node,community\n0,x,0\n1,y,0\n2,z,1\n", [0, 0, 1]),
        ("Id,Label,timeset,modularity_class\nx,X,,0\ny,Y,,0\nz,Z,,1\n", [0, 0, 1]),
        ("id;degree;cluster\nx;5;0\ny;5;0\nz;5;1\n", [0, 0, 1]),
        ("who what\nx 0\ny 0\nz 1\n", [0, 0, 1]),
        ("node,cluster\nx,red\ny,red\nz,blue\n", ["red", "red", "blue"]),
        ("class,acct\n0,x\n0,y\n1,z\n", [0, 0, 1]),
        ("who,what\nx,0\ny,\nz,1.0\n", [0, -1, 1]),
        ("x,0.0\ny,\nz,1.0\n", [0, -1, 1]),  # as tables with missing values write integers
        ("z\t5\r\ny\t6\r\nx\t7\r\n", [7, 6, 5]),
        ("# c\ny;6\n\nx;5\n% c\nz;5\n", [5, 6, 5]),
        ("5\n6\n5\n", [5, 6, 5]),
        ("x,red\ny,light blue\nz,red\n", ["red", "light blue", "red"]),
    ],
)
def test_labels_of_others(write, text, labels):
    graph = Graph.from_edges([0, 1], [1, 2], node_names=["x", "y", "z"])
    with warnings.catch_warnings(action="ignore", category=GraphWarning):
        assert read_labels(write(gzip.compress(text.encode()), "labels"), graph).tolist() == labels


def test_other_columns_of_a_table_are_told(write):
    with warnings.catch_warnings(action="error", category=GraphWarning):  # a table of results
        path = write("node,cluster,stability,outside_share\n0,1,1,0\n1,1,1,0\n2,0,1,.5\n", "result.csv")
        assert read_labels(path, PATH).tolist() == [1, 1, 0]
        assert read_label_lines(write("acct,class\na,red\nb,red\n"))[0] == ["a", "b"]
    with pytest.warns(GraphWarning, match="'age' not read"):
        assert read_labels(write("node,age,cluster\n0,30,1\n1,31,1\n2,32,0\n"), PATH).tolist() == [1, 1, 0]
    with pytest.warns(GraphWarning, match="'class' not read"):  # of the input, beside the result
        assert read_labels(write("node,class,cluster\n0,5,1\n1,5,1\n2,6,0\n"), PATH).tolist() == [1, 1, 0]
    for header, named in (("id,account,since\n", "account, since"), ("", "1, 2")):
        with pytest.warns(GraphWarning, match=f"columns {named} are read as levels, coarse to fine, and do not nest"):
            read_labels(write(f"{header}0,7,3\n1,8,3\n2,8,4\n"), PATH)
    own = write("core\t3\n" + "".join(f"n{i}\t0\n" for i in range(12)))  # as they are written
    assert read_label_lines(own)[0][0] == "core"


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_numpy_files_of_labels(tmp_path, named, dtype):
    labels = np.array([1, 0, 7], dtype=dtype)
    write_labels(labels, tmp_path / "l.npy", named)
    assert np.load(tmp_path / "l.npy").dtype == dtype
    write_labels(labels, tmp_path / "same", format="npy")
    (tmp_path / "l.npy.gz").write_bytes(gzip.compress((tmp_path / "same").read_bytes()))
    for name in ("l.npy", "same", "l.npy.gz"):
        for graph in (None, named):
            found = read_labels(tmp_path / name, graph)
            assert found.dtype == np.int64 and found.tolist() == [1, 0, 7]
        nodes, clusters = read_label_lines(tmp_path / name)
        assert nodes is None and clusters.tolist() == [1, 0, 7]
    with pytest.raises(InputError, match="3 clusters without nodes, but the graph has 4 nodes"):
        read_labels(tmp_path / "l.npy", Graph.from_edges([0], [3]))


def test_numpy_files_that_hold_no_labels(tmp_path):
    for array in (np.zeros(3), np.zeros((2, 2, 2), dtype=int), np.array(["a"])):
        np.save(tmp_path / "l.npy", array)
        with pytest.raises(FormatError, match="labels are integers in one dimension"):
            read_labels(tmp_path / "l.npy")
    np.save(tmp_path / "l.npy", np.array([1, None]), allow_pickle=True)
    with pytest.raises(FormatError, match="cannot be read"):
        read_labels(tmp_path / "l.npy")


@given(
    names=st.lists(
        st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1), min_size=1, unique=True
    ),
    ending=st.sampled_from(["tsv", "csv"]),
    seed=st.integers(0, 99),
)
@example(names=["<"], ending="tsv", seed=0)  # no XML
@example(names=["{", "p"], ending="tsv", seed=0)  # neither JSON nor DIMACS
@example(names=["p", "2"], ending="tsv", seed=0)
@example(names=["<b", "c>"], ending="csv", seed=0)
def test_round_trip(tmp_path_factory, names, ending, seed):
    names = [name for name in names if name[0] not in "#%"] or ["a"]
    graph = Graph.from_edges([0], [0], n_nodes=len(names), node_names=names)
    rng = np.random.default_rng(seed)
    labels = rng.integers(-1, 4, len(names))
    path = tmp_path_factory.mktemp("trip") / f"l.{ending}"
    write_labels(labels, path, graph)
    back = read_labels(path, graph)
    assert back.dtype == np.int64
    np.testing.assert_array_equal(back, labels)
    # Another order of the nodes: labels follow their names.
    order = rng.permutation(len(names))
    other = Graph.from_edges([0], [0], n_nodes=len(names), node_names=[names[i] for i in order])
    np.testing.assert_array_equal(read_labels(path, other), labels[order])


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("", FormatError, "empty"),
        ("# c\n", FormatError, "no nodes"),
        ("0 1\n\n1\n2 0\n", FormatError, "line 3: 1 column"),
        ("0 1 2\n1 2 3 4\n", FormatError, "line 2: 4 columns, where the lines before it have 3"),
        ("0 1\n1 1\n", InputError, "1 nodes? of the graph ha.* no label, the first is '2'"),
        ("0 1\n1 1\n2 1\n1 0\n", InputError, "'1' has two labels"),
        ("0 1\n1 1\n2 1\n7 0\n", InputError, "'7' has a label, but the graph does not have it"),
        ("1\n2\n", InputError, "2 clusters without nodes.* 3 nodes"),
        ("0 1 2\n3 4 5\n", FormatError, "as if each line were a community"),
        ("0 1 2\n", FormatError, "as if each line were a community"),
        ("0 0.5\n1 0.25\n2 0.5\n", FormatError, "fractions, as '0.5'"),
        ("a,b,c,d\ne,f,g,h\n", FormatError, "as if each line were a community"),
        ("a b c d e\nf g h\n", FormatError, "line 2: 3 columns.*one community per line"),
        ('0,"a"\n1,"b\n', FormatError, "line 2: a quote is not closed"),
        ('{"0": 1}', FormatError, "JSON"),
    ],
)
def test_bad_labels(write, text, error, message):
    path = write(text, "labels.txt")
    with pytest.raises(error, match=message) as caught:
        read_labels(path, PATH)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("kind", ["graphml", "gexf", "gml"])
def test_labels_are_attributes_of_nodes(tmp_path, named, kind):
    path = tmp_path / f"a.{kind}"
    write_graph(named, path, attributes={"cluster": [1, 0, -1], "stability": [1.0, 0.5, np.nan]})
    assert read_labels(path, named).tolist() == [1, 0, -1]
    write_graph(named, path)
    with pytest.raises(FormatError, match="have no attribute, such as 'cluster'"):
        read_labels(path)


def test_labels_of_a_part_of_the_nodes_and_of_nodes_by_their_ids(write):
    assert read_labels(write("1 red\n"), PATH, partial=True).tolist() == ["-1", "red", "-1"]
    with pytest.warns(
        GraphWarning, match="1 of 2 lines are of nodes that are not in the graph, the first '7', and are"
    ):
        assert read_labels(write("1 5\n7 6\n"), PATH, partial=True).tolist() == [-1, 5, -1]
    for content, message in (
        ("1 5\n1 6\n", "'1' has two labels"),
        ("7 5\n8 6\n", "the file and the graph have no node in common; their first ones are '7', 0"),
    ):
        with pytest.raises(InputError, match=message):
            read_labels(write(content), PATH, partial=True)
    with pytest.raises(InputError, match="several nodes of the graph have the same name"):
        read_labels(write("a 0\nb 1\n"), Graph.from_edges([0, 1], [1, 2], node_names=["a", "a", "b"]))
    for key in ("id", "user_id"):  # or the first column
        graph = PATH.with_nodes({key: [2, 1, 0], "name": ["x", "1", "z"]})
        assert read_labels(write("0,5\n1,6\n2,7\n", "a.csv"), graph).tolist() == [7, 6, 5]
        assert read_labels(write("1,6\nz,5\nx,7\n", "a.csv"), graph).tolist() == [7, 6, 5]


@pytest.mark.parametrize("ending", ["tsv", "csv", "npy"])
def test_levels_are_columns(tmp_path, named, ending):
    levels = np.array([[0, 1, -1], [0, 0, 5], [1, 3, 2]])
    write_labels(levels, tmp_path / f"l.{ending}", named)
    np.testing.assert_array_equal(read_labels(tmp_path / f"l.{ending}", named), levels)
    np.testing.assert_array_equal(read_label_lines(tmp_path / f"l.{ending}")[1], levels)
    table = dict(zip(("cluster", "level_1", "level_2"), levels.T[[2, 0, 1]], strict=True))  # as model.to_table()
    write_graph(named, tmp_path / "l.graphml", attributes=table)
    np.testing.assert_array_equal(read_labels(tmp_path / "l.graphml", named), levels)
    (tmp_path / "l.txt").write_text("2 x 1\n0 light 1\n7 y 3\n")
    found = read_labels(tmp_path / "l.txt", PATH, partial=True)
    assert found.tolist() == [["light", "1"], ["-1", "-1"], ["x", "1"]]


def test_bad_arguments(tmp_path, named):
    for labels, name, names, error, message in [
        ([0, 1], "l", named, InputError, "2 labels for 3 nodes"),
        ([[[0, 1]]], "l", named, InputError, "one dimension, as model.labels_ have, or two"),
        ([0, 1, 2], "l.gexf.gz", named, ParameterError, r"gexf.gz': labels are written as text.*write_graph"),
        ([0, 1, 2], "l", 5, ParameterError, "names must be"),
        (["a", "b", "c"], "l.npy", named, InputError, "labels that are integers"),
    ]:
        with pytest.raises(error, match=message):
            write_labels(labels, tmp_path / name, names)
    with pytest.raises(ParameterError, match="graph"):
        read_labels(tmp_path / "l", np.eye(3))
    with pytest.raises(ParameterError, match="delimiter='ab'"):
        read_labels(tmp_path / "l", delimiter="ab")
    assert list(tmp_path.iterdir()) == []


# -- outputs -----------------------------------------------------------------------------------------------------------


def test_what_cannot_be_written_is_found_out_before(tmp_path):
    (tmp_path / "file").write_text("x")
    for path, error, message in [
        (tmp_path / "missing" / "out.tsv", FileNotFoundError, "missing"),
        (tmp_path / "file" / "out.tsv", NotADirectoryError, "file"),
        (tmp_path, IsADirectoryError, tmp_path.name),
        (None, ParameterError, "path"),
    ]:
        with pytest.raises(error, match=message):
            check_writable(path)
    for path in (tmp_path / "new.tsv", tmp_path / "file", "-", os.devnull):
        check_writable(path)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, OSError, MemoryError])
@pytest.mark.parametrize("before", [None, "old"])
def test_a_failed_run_leaves_everything_as_it_was(tmp_path, stop, before):
    path = tmp_path / "out.tsv"
    if before:
        path.write_text(before)
    with pytest.raises(stop), atomic_output(path, "w") as stream:
        stream.write("half of it")
        stream.flush()
        raise stop
    assert [p.name for p in tmp_path.iterdir()] == (["out.tsv"] if before else [])
    assert not before or path.read_text() == before


@pytest.mark.skipif(sys.platform == "win32", reason="permissions and links of POSIX")
def test_permissions_and_links_stay(tmp_path):
    old = os.umask(0o027)
    try:
        write_labels([0], tmp_path / "new")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640
    (tmp_path / "new").chmod(0o600)
    (tmp_path / "link").symlink_to(tmp_path / "new")
    write_labels([5], tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "new").read_text() == "0\t5\n"
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o600
    write_labels([5], os.devnull)
    assert not os.path.isfile(os.devnull)
