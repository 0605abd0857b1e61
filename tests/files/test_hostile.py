"""Files that are damaged: each gives a graph or one line of error, in little time and memory."""

import os
import tempfile
import time
import warnings

import numpy as np
import pytest

import graphcore
from graphcore import FormatError, Graph, GraphWarning, InputError, read_graph, write_labels
from graphcore.cli.vectors import read_rows
from graphcore.files import read_labels
from tests.conftest import data_folder

LONGEST = 500
FOLDER = data_folder() / "bad_inputs"
FILES = sorted(path.name for path in FOLDER.glob("*") if path.is_file()) if FOLDER.is_dir() else []


def one_line_or_graph(path):
    """Read what the name says and return it, or the message of the error, which must be one short line."""
    name = os.path.basename(path)
    with warnings.catch_warnings(record=True, action="always") as caught:
        warnings.simplefilter("ignore", DeprecationWarning)  # of numpy before 2.3, which users do not see
        try:
            if name.startswith("vec"):
                return graphcore.knn_graph(read_rows(str(path))[0], 3)
            if name.startswith("lab"):
                return read_labels(path)
            if "build" in name:
                with tempfile.TemporaryDirectory() as folder:
                    return graphcore.build_store(path, os.path.join(folder, "g.store"))
            read_graph(path, weight_column=None)
            return read_graph(path)
        except InputError as error:
            found = str(error)
    assert found.isprintable()
    assert len(found) - len(str(path)) < LONGEST
    assert all(issubclass(w.category, GraphWarning) and str(w.message).isprintable() for w in caught)
    return found


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """Import modules and compile loops, which are no part of the measured time."""
    folder, graph = tmp_path_factory.mktemp("warm"), graphcore.knn_graph(np.eye(9), 3)
    for name in ("a.mtx", "a.npz", "a.gml", "a.txt"):
        graphcore.write_graph(graph, folder / name)
        read_graph(folder / name, weight_column=None)
    graphcore.build_store(folder / "a.txt", folder / "a.store")


@pytest.mark.parametrize("name", FILES)
def test_what_crashed_or_hung_a_reader_once_is_read_or_refused_at_once(shared_data, warm, name):
    start = time.process_time()
    one_line_or_graph(FOLDER / name)
    assert time.process_time() - start < 2


@pytest.mark.parametrize("name", ["a.tsv", "a.mtx", "a.graph"])
def test_sizes_that_the_file_cannot_hold(write, name):
    text = {
        "a.tsv": "# graphcore edge list; nodes: 2000000000; ids: integer; weights: no\n0\t1\n",
        "a.mtx": "%%MatrixMarket matrix coordinate pattern symmetric\n2000000000 2000000000 1\n2 1\n",
        "a.graph": "2000000000 1\n2\n1\n",
    }[name]
    with pytest.raises(FormatError, match="2000000000 nodes, but there are only 1 edges"):
        read_graph(write(text, name))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", '"' + "x" * 140_000 + '",b\n'),
        ("a.txt", "0 1\n" * 20 + "y" * 200_000 + " 1\n"),
        ("a.txt", "0" * 2_000_000),
        ("a.txt", "\u2028\u00a0\n"),
        ("a.gml", "graph [ " + "a [ " * 5000),
        ("a.txt", "a" + " " * 200_000 + "b\n" + "(" * 200_000),
        ("a.txt", "# a\n" * 20_000 + "b 1\n"),
        ("a.net", "*vertices 2\n" + '1 "' * 100_000),
        ("a.txt", "a " + "9" * 5000 + "\nb {" + "[" * 100_000),
        ("a.graphml", "<graphml>" * 5000),
        ("lab.tsv", "a\t" + "x" * 100_000 + "\n" + "b\t1\n" * 1000),
    ],
)
def test_long_and_strange_texts(write, name, text):
    one_line_or_graph(write(text, name))


def test_damaged_utf8_is_one_line_and_the_layout_is_guessed_from_characters(tmp_path):
    for name, content in {
        "a.txt": b"a b\nb \xff\n", "a.csv": b"a,b\n" * 300 + b"b,\xe9t\xe9\n", "lab.tsv": b"a\t1\n\xff\t2\n",
        "a.gml": b'graph [ node [ id 0 label "\xff" ] ]', "a.graphml": b"<graphml>\xff</graphml>",
    }.items():  # fmt: skip
        (tmp_path / name).write_bytes(content)
        assert isinstance(one_line_or_graph(tmp_path / name), str)


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "a\nb", "a" * 131_073, "b "], ids=lambda name: repr(name[:3]))
def test_names_that_no_text_file_holds(tmp_path, name):
    graph = Graph.from_edges([0], [1], node_names=[name, "b"])
    for write in (
        lambda path: write_labels([0, 1], path, graph), lambda path: graphcore.write_graph(graph, path),
        lambda path: graphcore.write_graph(graph, path, format="graphml"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=r"node name.*write \.np[yz]"):
            write(tmp_path / "out.csv")
    assert list(tmp_path.iterdir()) == []


NAMES = ["#a", "%b", " ", "c\td", "\ufeff", 'q"r', "'s", "t,u", "=1", "v w", "-9", "<y", "*vertices"]


@pytest.mark.parametrize("ending", ["tsv", "csv"])
@pytest.mark.parametrize("first", range(len(NAMES)))
def test_strange_names_come_back_with_labels(tmp_path, ending, first):
    names = [*NAMES[first:], *NAMES[:first]]
    graph = Graph.from_edges([0], [1], n_nodes=len(names), node_names=names)
    write_labels(range(len(names)), tmp_path / f"l.{ending}", graph)
    assert read_labels(tmp_path / f"l.{ending}", graph).tolist() == list(range(len(names)))
