"""Bad files: each is refused with a message that names the file and, where there is one, the line."""

import bz2
import gzip
import io
import lzma
import os
import re

import numpy as np
import pytest
import scipy.sparse as sp

import graphcore
from graphcore import FormatError, InputError, ParameterError, read_graph
from graphcore.cli.vectors import read_rows
from graphcore.files import read_labels, read_nodes


@pytest.fixture
def refuse(write):
    """Write a file, read it, and return the message of the error, which must name the file."""

    def refuse(content, name="bad.txt", error=FormatError, **options):
        path = write(content, name)
        with pytest.raises(error) as caught:
            read_graph(path, **options)
        assert str(path) in str(caught.value)
        assert "\n" not in str(caught.value)
        return str(caught.value)

    return refuse


def test_paths_and_formats_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.txt"):
        read_graph(tmp_path / "nothing.txt")
    for path in (None, 3, [("a", "b")], b"edges.txt"):
        with pytest.raises(ParameterError, match="path"):
            read_graph(path)
    with pytest.raises(ParameterError, match=r"'edgelist'.*'matrix-market'.*'metis'.*'npz'.*'graphml'.*'gml'"):
        read_graph(tmp_path / "x", format="ucinet")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty"),
        (gzip.compress(b"", mtime=0), "empty"),
        ("\n \n\t\n", "no edges"),
        ("# a\n% b\n", "no edges"),
        ("source,target\n", "only a header"),
        ("\ufeff", "no edges"),
        (bytes(range(256)) * 4, "not text"),
        (np.random.default_rng(0).bytes(5000), "not text"),
        (b"\x93NUMPY\x01\x00v\x00", "NumPy array"),
        (b"PAR1....", "Parquet"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 104857\n", "git lfs pull"),
        (b"PK\x03\x04" + bytes(26) + b"[Content_Types].xml", "pandas.read_excel"),
        (b"PK\x03\x04" + bytes(26) + b"edges.csv", "unzip FILE"),
        (bytes(257) + b"ustar", "tar -xf FILE"),
        (b"\x28\xb5\x2f\xfd....", "zstd -d FILE"),
        (b"ARROW1..", "pandas.read_feather"),
        (b"\x89HDF\r\n", "h5py"),
        (b"\x80\x04\x95....", "a pickle"),
        ("# ann\nben 2\ncem 1\n# ben\ncem 3\n", "Read_Lgl"),
        ("one\ntwo\n", "pass delimiter="),
    ],
)
def test_no_graph_in_the_file(refuse, content, message):
    if message == "Parquet":
        pytest.importorskip("pyarrow")
    assert message in refuse(content)


# -- damaged compression -----------------------------------------------------------------------------------------------

TEXT = b"".join(b"%d %d\n" % (i, i * i % 9973) for i in range(30_000))


COMPRESSORS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_truncated_and_damaged_in_the_middle(refuse, kind):
    data = bytearray(COMPRESSORS[kind](TEXT))
    for kept in (0.999, 0.0003):
        assert "truncated" in refuse(bytes(data[: max(7, int(len(data) * kept))]), f"x.{kind}")
    middle = len(data) // 2
    data[middle : middle + 50] = bytes(255 - byte for byte in data[middle : middle + 50])
    refuse(bytes(data), f"x.{kind}")


def npz(save=np.savez, *content, **arrays):
    """Return the bytes of a NumPy archive."""
    stream = io.BytesIO()
    save(stream, *content, **arrays)
    return stream.getvalue()


# -- lines that are no edges -------------------------------------------------------------------------------------------

LONG = "# comment\n\n" + "4 5 1\n" * 300


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("0 1\n# c\n\n1\n2 3\n", 4, "1 column"),
        ("0\t1\n1\t\n", 2, "where a node is expected"),
        ("a,b\nb,\n", 2, "where a node is expected"),
        ("source,target\n0,1\n1\n", 3, "1 column"),
        ('"acct_1","acct_2"\n' * 9 + '"acct_17","acc', 10, "a quote is not closed"),
        ('0,1,5,"x"\n' * 9 + '1,2,5,"x', 10, "a quote is not closed"),
        ("s,t,w,note\n" + "0,1,5,x\n" * 9 + "1,2,5", 11, "3 columns, where the first lines have 4"),
        ("0 1 5 99999999999\n" * 9 + "1 2 5", 10, "3 columns, where the first lines have 4"),
        ("0 1 2\n1 2\n2 3 4\n", 2, "2 columns"),
        ("0 1 2\n1 2 heavy\n2 3 1\n", 2, "'heavy', but weights must be numbers"),
        ("source,target,weight\na,b,1\n\nb,c,-1e-9\n", 4, "negative"),
        ("a,b,1\nb,c,x\nc,d,1\n", 2, "'x', but weights must be numbers"),
        (LONG + "6\n", 303, "1 column"),
        (LONG + "6 7 1_0\n", 303, "numbers"),
        (LONG + "6 7 NaN\n", 303, "finite"),
        (LONG + "6 7.5 1\n", 303, "'7.5', which is no 64-bit integer"),
        (LONG + "99999999999999999999 7 1\n", 303, "64-bit integer"),
    ],
)
def test_the_line_is_named(refuse, text, line, message):
    said = refuse(text)
    assert f"line {line}: " in said
    assert message in said


def test_wrong_guess_is_answered_with_the_option(refuse):
    assert "ids='string'" in refuse("1 2\n" * 20 + "x 2\n")
    assert "encoding=" in refuse("a,é\n".encode("latin-1"))
    assert "format='edgelist'" in refuse("a b\nc d\n", "x.graph")
    assert "columns=3" in refuse("0 1\n1 2\n", columns=(0, 3))
    assert "weight_column=5" in refuse("0 1 2\n1 2 3\n", weight_column=5)
    assert "delimiter=" in refuse("0 1\n1 2\n", delimiter=";")
    assert "quote" in refuse('a,"b\nc,d"\n', "a.csv")  # that is not closed
    assert "control characters" in refuse("".join(f"n{i} n{i + 1}\n" for i in range(10_000)) + "a\0b c\n")
    for edge in ("0\t2\n", "0\t-1\n"):
        comment = "# graphcore edge list; nodes: 2; ids: integer; weights: no\n"
        assert "nodes are 0 to 1" in refuse(comment + edge)


# -- the other formats -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("% only a comment\n", "begins with its numbers"),
        ("2 1 7\n2\n1\n", "begins with its numbers.*'2 1 7'"),
        ("0 0\n", "0 nodes"),
        ("3 2\n2\n1 3\n2\n1\n", "3 nodes, but 4 lines"),
        ("5 2\n2\n1 3\n2\n", "5 nodes, but 3 lines"),
        ("3 3\n2\n1 3\n2\n", "3 edges, but the lines hold 2"),
        ("3 2\n2\n3\n2\n", "not symmetric"),
        ("3 2\n2\n1 4\n2\n", "neighbour 4"),
        ("3 2\n2\n1 x\n2\n", "line of node 2 holds '1 x'"),
        ("3 2 1\n2 5\n1 5 3\n2 1\n", "line of node 2 lacks a weight"),
        ("2 1 1\n2 -5\n1 -5\n", "negative"),
    ],
)
def test_inconsistent_metis(refuse, text, message):
    assert re.search(message, refuse(text, "x.graph", InputError))


def test_bad_npz(refuse):
    data = npz(indptr=np.arange(1001), indices=np.arange(1000)[::-1])
    assert "cannot be read" in refuse(data[: len(data) // 2], "x.npz")
    assert re.search("the archive holds a, b;.*--vectors", refuse(npz(a=[1], b=[2]), "x.npz"))
    assert "indptr" in refuse(npz(indices=[0]), "x.npz")
    assert "0 to 1" in refuse(npz(indptr=[0, 1, 2], indices=[1, 7]), "x.npz", InputError)
    assert "cannot be read" in refuse(npz(indptr=[0, 1, 5], indices=[1, 0]), "x.npz", InputError)
    assert "finite" in refuse(npz(indptr=[0, 1, 2], indices=[1, 0], weights=[np.nan, 1]), "x.npz", InputError)
    assert "negative" in refuse(npz(indptr=[0, 1, 2], indices=[1, 0], data=[-1, -1]), "x.npz", InputError)
    refuse(npz(indptr=np.array([0, None], dtype=object), indices=[1]), "x.npz")
    assert "never fall" in refuse(npz(indptr=[0, 2**40, 2, 3], indices=[0, 1, 2]), "x.npz", InputError)
    assert "no .npz" in refuse("0 1\n", "x.npz")
    assert "no .npz" in refuse("0 1\n", "x.txt", format="npz")
    oblong = npz(sp.save_npz, sp.csr_array((2, 3)))
    assert "square; this one has shape (2, 3); if its columns are other nodes give Graph.from_biadjacency" in refuse(
        oblong, "x.npz"
    )


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="only Linux has a file that cannot be read")
@pytest.mark.parametrize(
    "read", [graphcore.read_graph, graphcore.load, lambda path: read_rows(str(path))[0], read_nodes, read_labels]
)
def test_a_file_that_cannot_be_read_is_named(tmp_path, read):
    (tmp_path / "bad.txt").symlink_to("/proc/self/mem")
    with pytest.raises(OSError, match=r"Input/output error.*bad\.txt"):
        read(tmp_path / "bad.txt")
