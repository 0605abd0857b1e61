"""Files that are damaged, or made to do harm: each gives a graph or one line of error, in little time and memory."""

import gzip
import os
import tempfile
import time
import warnings

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from click.testing import CliRunner

import graphcore
from graphcore import FormatError, Graph, GraphWarning, InputError, read_graph, write_labels
from graphcore.cli.app import app
from graphcore.cli.vectors import read_rows
from graphcore.exceptions import one_line
from graphcore.files import _source, read_labels, read_nodes
from graphcore.files.labels import write_memberships
from tests.conftest import data_folder

from .test_errors import COMPRESSORS

LONGEST = 500


def one_line_or_graph(path):
    """Read what the name says and return it, or the message of the error, which must be one short line."""
    name = os.path.basename(path)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
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


# -- processor time ----------------------------------------------------------------------------------------------------

FOLDER = data_folder() / "bad_inputs"
FILES = sorted(path.name for path in FOLDER.glob("*") if path.is_file()) if FOLDER.is_dir() else []


@pytest.mark.parametrize("name", FILES)
def test_what_crashed_or_hung_a_reader_once_is_read_or_refused_at_once(shared_data, warm, name):
    start = time.process_time()
    one_line_or_graph(FOLDER / name)
    assert time.process_time() - start < 1


def test_files_that_crashed_are_there(shared_data):
    assert len(FILES) > 30


@pytest.mark.parametrize(
    "banner",
    [
        "#" * 5000 + "\n", "#\n" * 20_000, "# " * 20_000 + "\n", "creator " * 8000 + "\n", "creator a\n" * 6000,
        "version comment creator\n" * 2000, "comment #" * 3000 + "\n", "%" * 60_000 + "\n", "% sym " * 9000 + "\n",
        "# graphcore edge list; nodes: " * 2000 + "\n", "\n" * 60_000, "graph" * 10_000 + "\n", " graph\n" * 5000,
    ],
)  # fmt: skip
def test_banners_take_no_time(write, warm, banner):
    path = write(banner + "0 1\n1 2\n", "a")
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)
        try:
            read_graph(path)
        except FormatError:
            assert banner[0] not in "#%\n"
    assert time.process_time() - start < 1


@pytest.mark.parametrize(
    "before", ["", "# c\n", 'Creator "me on Sunday"\nVersion 1\n', 'comment "x"\n\n', "  \n# graph [\n"]
)
@pytest.mark.parametrize("opening", ["graph [", "graph\n[", "graph   ["])
def test_gml_is_seen_behind_comments_and_keys(tmp_path, before, opening):
    path = tmp_path / "a.txt"
    nodes = 'node [ id 0 label "a" ]\nnode [ id 1 label "b" ]'
    path.write_text(f"{before}{opening}\n{nodes}\nedge [ source 0 target 1 ]\n]")
    assert read_graph(path).node_names.tolist() == ["a", "b"]


# -- sizes in headers --------------------------------------------------------------------------------------------------

OWN = "# graphcore edge list; nodes: {}; ids: integer; weights: no\n0\t1\n"
MTX = "%%MatrixMarket matrix coordinate pattern symmetric\n{0} {0} {1}\n2 1\n"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.tsv", OWN.format(2_000_000_000), "2000000000 nodes, but there are only 1 edges"),
        ("a.tsv", OWN.format(10**15), "2\\*\\*31"),
        ("a.mtx", MTX.format(2_000_000_000, 1), "2000000000 nodes, but there are only 1 edges"),
        ("a.mtx", MTX.format(10**12, 1), "2\\*\\*31"),
        ("a.mtx", MTX.format(3, 10**17), "Truncated: the header promises 100000000000000000 entries"),
        ("a.mtx", MTX.format(3, 10**30), "line 2: .* are no numbers"),
        ("a.mtx", "%%MatrixMarket matrix array real general\n100000 100000\n1\n", "Truncated"),
        ("a.graph", "2000000000 1\n2\n1\n", "2000000000 nodes, but the file has only \\d+ bytes"),
        ("a.graph", "2 1 010 2000000000\n2\n1\n", "2000000000 weights of every node"),
        ("a.graph", f"{'9' * 5000} 1\n2\n1\n", "begins with its numbers"),
    ],
)
@pytest.mark.parametrize("compress", [bytes, gzip.compress])
@pytest.mark.filterwarnings("ignore:.*node weights")
def test_sizes_that_the_file_cannot_hold(write, name, text, message, compress):
    path = write(compress(text.encode()), name)
    with pytest.raises(FormatError, match=message):
        read_graph(path)


@pytest.mark.slow
def test_parquet_that_counts_more_values_than_it_can_hold(tmp_path):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path, n_rows = tmp_path / "bomb.parquet", 6_000_000
    ends = {"source": np.zeros(n_rows, np.int64), "target": np.ones(n_rows, np.int64)}
    parquet.write_table(arrow.table(ends), path, compression="zstd")
    for read in (read_graph, lambda path: read_rows(str(path))[0], read_nodes):
        with pytest.raises(FormatError, match=r"^\S+: the table has [\d,]+ bytes, .* 12,000,000 values; pass any_size"):
            read(path)
    assert read_graph(path, any_size=True).n_edges == 1


@pytest.mark.parametrize("shape", [(2**24, 2**24), (2**30, 2**30), (2**30, 2)])
@pytest.mark.parametrize("n_entries", [3, 1 << 20])
@pytest.mark.parametrize("kind", ["coo", "bsr"])
def test_shapes_that_only_the_archive_states(tmp_path, shape, n_entries, kind):
    path, none = tmp_path / "a.npz", np.zeros(n_entries, np.int8)
    places = {"row": none, "col": none} if kind == "coo" else {"indptr": [0, 1], "indices": [0]}
    data = none if kind == "coo" else none.reshape(1, -1, 1)
    np.savez_compressed(path, **places, data=data, shape=np.array(shape), format=kind.encode())
    for read in (read_graph, lambda path: read_rows(str(path))[0]):
        with pytest.raises(FormatError, match=r"has shape|nodes, but|do not fill"):
            read(path)


def test_many_isolated_nodes_that_are_meant(tmp_path):
    path, n_nodes = tmp_path / "a.tsv", 1_050_000
    for text in (MTX.format(n_nodes, 1), OWN.format(n_nodes)):
        path.write_text(text)
        with pytest.raises(FormatError, match="any_size=True"):
            read_graph(path)
        assert read_graph(path, any_size=True).n_nodes == n_nodes
    assert "--any-size" in CliRunner().invoke(app, ["info", str(path)]).output
    assert CliRunner().invoke(app, ["info", str(path), "--any-size"]).exit_code == 0
    out = tmp_path / "b.graph"
    with pytest.raises(FormatError, match="any_size=True"):
        graphcore.build_store(path, out)
    assert graphcore.build_store(path, out, any_size=True).n_nodes == n_nodes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n3 3 2\n2 1 1\n", "line 1: .* is no header like"),
        ("coordinate real general\n1² 3 1\n1 2 1\n", "line 2: .* are no numbers"),
        ("coordinate integer general\n3 3 1\n1 1 2\n3 3 2", "promises 1 entries, but there are 2"),
        ("coordinate pattern general\n3 3 2\n1 1\x003\n2 1\n", "byte 0x00"),
        ("coordinate pattern general\n3 3 2\n% c\n2 1\n\n4 1\n", r"line 6: \(4, 1\) is no entry"),
        ("coordinate pattern general\n3 3 2\n2 1\n0 1\n", r"line 4: \(0, 1\) is no entry"),
        ("array real symmetric\n2 2\n0\n1\n0\n1\n1\n", "promises 3 entries, but there are 5"),
        ("array real general\n2 2\n0\n1\n1\n\n", "Truncated"),
        ("array real general\n2 2\n0\n1\n1\nx\n", "could not convert"),
        ("array real general\n2 2\n0\n1\n-1\n0\n", "negative"),
        ("coordinate real skew-symmetric\n2 2 1\n2 1 1\n", "skew-symmetric"),
    ],
)
def test_matrix_market_bodies_that_scipy_dies_of(write, text, message):
    path = write(f"%%MatrixMarket matrix {text}", "a.mtx")
    with pytest.raises(FormatError, match=message):
        read_graph(path, format="matrix-market")


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("field", ["pattern", "integer", "real"])
@pytest.mark.parametrize("dense", [False, True])
def test_matrix_market_as_scipy_reads_it(tmp_path, symmetric, field, dense):
    if dense and field == "pattern":
        pytest.skip("the format has no dense matrices of this kind")
    rng, path = np.random.default_rng(0), tmp_path / "a.mtx"
    A = np.floor(rng.random((9, 9)) * 4) * (1 if field != "real" else 0.3)
    A = A + A.T if symmetric else A
    matrix = A if dense else sp.coo_array(A)
    scipy.io.mmwrite(path, matrix, field=field, symmetry="symmetric" if symmetric else "general", comment="two\nlines")
    theirs = scipy.io.mmread(path)
    theirs = theirs if dense else theirs.astype(bool) if field == "pattern" else theirs.toarray()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GraphWarning)  # general matrices are directed
        ours, expected = read_graph(path, symmetrize="sum"), Graph.from_scipy(theirs, symmetrize="sum")
        unweighted = read_graph(path, weight_column=None)
    np.testing.assert_array_equal(ours.to_scipy().toarray(), expected.to_scipy().toarray())
    assert unweighted.weights is None and (unweighted.to_scipy() != (ours.to_scipy() != 0)).nnz == 0


# -- bombs -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", COMPRESSORS)
@pytest.mark.parametrize("content", ["newlines", "comments", "edges"])
def test_decompression_bombs(tmp_path, limits, kind, content):
    limits(_source, _ALWAYS_FINE=1 << 16)
    path = tmp_path / f"a.txt.{kind}"
    piece = {"newlines": b"\n" * 64, "comments": b"# abc\n" * 10, "edges": b"0 1\n" * 16}[content]
    path.write_bytes(COMPRESSORS[kind](piece * (300_000 // len(piece)) + b"0 1\n"))
    with pytest.raises(FormatError, match=r"over 100 times their size; pass any_size=True"):
        read_graph(path)
    with pytest.raises(FormatError, match="any_size=True"):
        read_labels(path)
    assert read_graph(path, any_size=True).n_edges == 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", COMPRESSORS)
def test_regular_files_that_are_small_are_read(tmp_path, write, kind):
    path = write(COMPRESSORS[kind](b"0 1\n" * 500_000), f"a.txt.{kind}")
    assert read_graph(path).n_edges == 1
    graphcore.write_graph(Graph.from_edges([0, 1], [1, 2]), tmp_path / "a.npz")
    write(COMPRESSORS[kind]((tmp_path / "a.npz").read_bytes()), f"b.npz.{kind}")
    assert read_graph(tmp_path / f"b.npz.{kind}").n_edges == 2  # places in it are looked for


# -- texts -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", '"' + "x" * 140_000 + '",b\n'),
        ("a.csv", 'a,b\nb,"' + "x" * 140_000 + "\n"),
        ("a.txt", "0 1\n0 " + "x " * 100_000 + "\n" * 3 + "2\n"),
        ("a.txt", "0 1\n" * 20 + "y" * 200_000 + " 1\n"),
        ("a.txt", "0 1 1\n0 2 " + "9" * 200_000 + "z\n"),
        ("a.txt", "0" * 2_000_000),
        ("a.txt", "\u0085"),
        ("a.txt", "\u2028\u00a0\n"),
        ("a.graph", "2 1\n" + "x" * 200_000 + "\n1\n"),
        ("a.mtx", "%%MatrixMarket " + "x" * 200_000 + "\n"),
        ("a.gml", "graph [ node [ id " + "x" * 200_000 + " ] ]"),
        ("a.gml", "graph [ " + "a [ " * 5000),
        ("a.gml", "graph [ " + "a" * 200_000 + " " + "1" * 200_000 + " " * 200_000 + '"'),
        ("a.txt", "a" + " " * 200_000 + "b\n" + "(" * 200_000),
        ("a.txt", "c\n" * 100_000),
        ("a.txt", "p edge 2 " + "1" * 5000 + "\ne 1 2\n"),
        ("a.txt", "# a\n" * 20_000 + "b 1\n"),
        ("a.net", "*vertices 2\n" + '1 "' * 100_000),
        ("a.txt", "a " + "9" * 5000 + "\nb {" + "[" * 100_000),
        ("a.gml", "graph [ " + "a [ " * 5000 + "] " * 5001),
        ("a.graphml", "<graphml>" * 5000),
        ("lab.tsv", "a\t0\n" + "b\t" * 100_000),
        ("lab.csv", '"' + "x" * 140_000 + '",1\n'),
        ("lab.tsv", "a\t" + "x" * 100_000 + "\n" + "b\t1\n" * 1000),
    ],
)
def test_long_and_strange_texts(write, name, text):
    path = write(text, name)
    one_line_or_graph(path)


def test_damaged_utf8_is_one_line_and_the_layout_is_guessed_from_characters(tmp_path):
    for name, content in {
        "a.txt": b"a b\nb \xff\n", "a.csv": b"a,b\n" * 300 + b"b,\xe9t\xe9\n", "lab.tsv": b"a\t1\n\xff\t2\n",
        "a.gml": b'graph [ node [ id 0 label "\xff" ] ]', "a.graphml": b"<graphml>\xff</graphml>",
    }.items():  # fmt: skip
        (tmp_path / name).write_bytes(content)
        assert isinstance(one_line_or_graph(tmp_path / name), str)
    path = tmp_path / "a.txt"
    path.write_text("voilàx b\nàc d\n", encoding="utf-8")  # the second byte of à is a blank in Latin-1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert read_graph(path).node_names.tolist() == ["voilàx", "b", "àc", "d"]


def test_messages_are_one_short_line():
    assert one_line("a: 'b' (c)") == "a: 'b' (c)"
    assert one_line("a\n  b\x1b[1m\u0085\ud800") == "a   b\\x1b[1m\\x85\\ud800"
    long = one_line("file.txt: line 3: " + "x" * 10**6 + " is no number; pass weight_column=None")
    assert long.startswith("file.txt: line 3: xxx") and long.endswith("is no number; pass weight_column=None")
    for text in ("x" * 10**6, "x " * 10**6, "\0" * 10**6, "x" * 300):
        assert len(one_line(text)) < LONGEST
        assert one_line(one_line(text)) == one_line(text)
    for error in (InputError, FormatError, graphcore.ParameterError):
        assert str(error("a\nb")) == "a b"


# -- names and labels --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "\x01", "a\rb", "a" * 131_073], ids=lambda name: repr(name[:3]))
def test_names_that_no_text_file_holds(tmp_path, name):
    graph = Graph.from_edges([0], [1], node_names=[name, "b"])
    for ending in ("tsv", "csv"):
        with pytest.raises(InputError, match="characters that no text file holds"):
            write_labels([0, 1], tmp_path / f"l.{ending}", graph)
        with pytest.raises(InputError, match="characters that no text file holds"):
            graphcore.write_graph(graph, tmp_path / f"g.{ending}")
    assert list(tmp_path.iterdir()) == []
    write_labels([0, 1], tmp_path / "l.npy", graph)
    assert read_labels(tmp_path / "l.npy", graph).tolist() == [0, 1]


NAMES = ["#a", "%b", "", "a b ", "a\tb", "a,b", "a;b", 'a"b', '"a', "two\nlines", "'=c", "é", "\ufeff#", "None", "1"]


@pytest.mark.parametrize("ending", ["tsv", "csv"])
@pytest.mark.parametrize("first", range(len(NAMES)))
def test_strange_names_come_back_with_labels(tmp_path, ending, first):
    kept = [*NAMES[first:], "last"]
    labels = np.arange(len(kept)) % 4 - 1
    write_labels(labels, tmp_path / f"l.{ending}", kept)
    graph = Graph.from_edges([0], [0], n_nodes=len(kept), node_names=kept)
    np.testing.assert_array_equal(read_labels(tmp_path / f"l.{ending}", graph), labels)


@pytest.mark.parametrize("word", ["BZh9", "PAR1", "SQLite"])
def test_words_that_other_formats_begin_with(tmp_path, write, word):
    path = write(f"{word} b\nb c\n", "a.txt")
    assert read_graph(path).n_edges == 2
    assert graphcore.build_store(path, tmp_path / "a.graph").n_edges == 2
    write_labels([0, 1], path, [word, "b"])
    assert read_labels(path).tolist() == [0, 1]


def test_names_of_many_kinds_come_back(tmp_path):
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3], node_names=[None, 1, 2.5, ("a", "b")])
    write_labels([0, 1, 2, 0], tmp_path / "l.csv", graph)
    assert read_labels(tmp_path / "l.csv", graph).tolist() == [0, 1, 2, 0]
    graphcore.write_graph(graph, tmp_path / "g.tsv")
    assert read_graph(tmp_path / "g.tsv").node_names.tolist() == ["None", "1", "2.5", "('a', 'b')"]
    for names in (["a", "a"], ["0", 0], np.array([3, 3])):
        with pytest.raises(InputError, match="two nodes have the same name"):
            graphcore.write_graph(Graph.from_edges([0], [1], node_names=names), tmp_path / "a.tsv")


@pytest.mark.slow
def test_attributes_of_single_nodes_make_no_long_columns(write):
    nodes = "".join(f'<node id="n{i}"><data key="k{i}">x</data></node>' for i in range(6000))
    text = f'<graphml><graph>{nodes}<edge source="n0" target="n1"/></graph></graphml>'
    with pytest.raises(
        FormatError, match=r"nodes have 6000 different attributes, but only 6000 values; .*any_size=True"
    ):
        read_graph(write(text))
    assert len(read_graph(write(text.replace('key="k', 'key="k" x="'))).attributes) == 1
    edges = "".join(f'<edge source="a" target="b{i}"><data key="k{i}">x</data></edge>' for i in range(20_000))
    nodes = "".join(f'<node id="b{i}"/>' for i in range(20_000))
    begun = time.process_time()
    assert read_graph(write(f"<graphml><graph>{nodes}{edges}</graph></graphml>")).n_edges == 20_000
    assert time.process_time() - begun < 30  # each name once, and not in all edges: that took minutes


def test_names_that_spreadsheets_take_for_formulas(tmp_path):
    names = ["=1+1", "+cmd", "-cmd", "@a", "-1.5", "+3", "a=1", "é"]
    graph = Graph.from_edges([0], [1], n_nodes=8, node_names=names)
    labels = list(range(8))
    write_labels(labels, tmp_path / "l.csv", graph, spreadsheet=True)
    cells = [line.split(",")[0] for line in (tmp_path / "l.csv").read_text(encoding="utf-8").splitlines()]
    assert cells == ["node", "'=1+1", "'+cmd", "'-cmd", "'@a", "-1.5", "+3", "a=1", "é"]
    assert read_labels(tmp_path / "l.csv", graph).tolist() == labels
    write_labels(labels, tmp_path / "l.csv", graph)
    assert (tmp_path / "l.csv").read_text(encoding="utf-8").startswith("node,cluster\n=1+1,0\n")


@pytest.mark.parametrize("names", [[" a", "a"], ["a ", "b", " a"], ["", " "], ["a\u00a0", "a"]])
def test_names_that_differ_in_blanks_only_are_not_written_as_text(tmp_path, names):
    graph = Graph.from_edges(range(len(names) - 1), range(1, len(names)), node_names=names)
    members = sp.csr_array(np.ones((len(names), 1)))
    for write in (
        lambda path: write_labels(range(len(names)), path, graph),
        lambda path: write_labels(range(len(names)), path, names),
        lambda path: write_memberships(members, path, graph),
        lambda path: graphcore.write_graph(graph, path),
    ):
        with pytest.raises(InputError, match=r"differ in blanks only, which no reader of text keeps; write \.np[yz]"):
            write(tmp_path / "l.tsv")
    graphcore.CoresetSpectralClustering(1, random_state=0).fit(graph).report(tmp_path / "page.html", pictures=False)
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]  # and no list of nodes beside it
    write_labels([0] * len(names), tmp_path / "l.npy", graph)
    graphcore.write_graph(graph, tmp_path / "g.npz")
    assert graphcore.read_graph(tmp_path / "g.npz").node_names.tolist() == names


def test_the_command_line_quotes_formulas_and_knows_long_numbers(tmp_path):
    path, out, members = tmp_path / "e.csv", tmp_path / "l.tsv", tmp_path / "m.csv"
    path.write_text("=a,b\nb,c\nc,=a\n=a,d\n")
    typed = ["cluster", str(path), "-k", "1", "--spreadsheet", "--membership"]
    result = CliRunner().invoke(app, [*typed, str(members), "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert out.read_text().startswith("'=a\t") and members.read_text().startswith("node,cluster,probability\n'=a,")
    for name, idle in (("m.csv", False), ("m.npz", True)):
        said = CliRunner().invoke(app, [*typed, str(tmp_path / name), "-o", str(tmp_path / "l.npy")]).output
        assert ("--spreadsheet does nothing here" in said) == idle
    for option in ("--columns", "--weight-column"):
        result = CliRunner().invoke(app, ["info", str(path), option, "9" * 5000])
        assert result.exit_code in (1, 2) and not isinstance(result.exception, ValueError)


@pytest.mark.parametrize("encoding", ["UTF-f", "hex", "zlib", "rot13", "utf-16", "base64", "none such", "idna"])
def test_xml_of_any_encoding_is_a_graph_or_one_line(write, encoding):
    for kind in ("graphml", "gexf"):
        head = f'<?xml version="1.0" encoding="{encoding}"?>'
        path = write(f'{head}<{kind}><graph><node id="a"/></graph></{kind}>', f"a.{kind}")
        with pytest.raises(FormatError, match=r"it cannot be read as XML: "):
            read_graph(path)
