"""``graphcore build`` and ``check``, and the other commands on what they made."""

import os
import re

import numpy as np

from graphcore import open_graph, read_graph
from tests.files.store.test_store import failing


def test_build_check_info_cluster_convert(folder, told, facts_of):
    # The limit counts this whole process, which has compiled and measured a lot by the time this test is run.
    printed = told("build graph.txt g.graph --memory 8G").out
    for words in ("6 nodes, 7 edges, unweighted", "in g.graph", "read ", "sort "):
        assert words in printed
    assert re.search("seconds +checksums .*rows", told("check g.graph").out)
    assert facts_of("info g.graph")["edges"] == 7
    told("cluster g.graph -k 2 -o labels.tsv --quiet")
    told("cluster graph.txt -k 2 -o same.tsv --quiet")
    assert (folder / "labels.tsv").read_text() == (folder / "same.tsv").read_text()
    for out in ("back.npz", "copy.store", "copy.store"):
        told(f"convert g.graph {out}")
        np.testing.assert_array_equal(read_graph(out).indices, read_graph("graph.txt").indices)


def test_several_files_and_options(folder, told):
    (folder / "a.csv").write_text("w;from;to\n2;0;1\n3;1;0\n")
    (folder / "b.csv").write_text("w;from;to\n4;1;2\n")
    assert "made undirected" in told("build a.csv b.csv g.graph --columns 1,2 --symmetrize sum").err
    np.testing.assert_array_equal(open_graph("g.graph").weights, [5, 5, 4, 4])


def test_resume(folder, monkeypatch, told):
    from graphcore.files.store import build

    with monkeypatch.context() as patch:
        patch.setattr(build._Build, "_sort", failing(KeyboardInterrupt))
        said = told("build graph.txt g.graph", 130).err
        assert said.endswith(
            "graphcore: interrupted\ngraphcore: what was done so far is kept; --resume goes on with it\n"
        )
    assert not os.path.exists("g.graph")
    assert "7 edges" in told("build graph.txt g.graph --resume").out
    assert sorted(os.listdir()) == ["g.graph", "graph.txt"]
    (folder / "g.graph" / "indices.npy").write_bytes(b"")
    assert "g.graph: indices.npy is damaged" in told("check g.graph", 2).err
