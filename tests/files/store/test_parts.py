"""Stores in parts are the whole stores, cut; frames of Dask become the stores that files do."""

import errno
import json
import os
import shutil

import numpy as np
import pytest

from graphcore import FormatError, InputError, build_store, check_store, open_graph
from graphcore.cli.app import run
from graphcore.files.store import parts as module
from graphcore.files.store.arrays import RowWriter
from tests.files.store.test_store import failing

EDGES = [tuple(np.sort(np.random.default_rng(0).integers(0, 300, (2, 5_000)), axis=0))]


@pytest.fixture(autouse=True)
def small_pages(limits):
    limits(module, _PAGE=4096)
    limits(os, fsync=lambda _: None)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_parts", [1, 3])
def test_parts_hold_the_whole_graph(tmp_path, weighted, n_parts):
    blocks = [(*EDGES[0], np.random.default_rng(1).random(5_000))] if weighted else EDGES
    whole = build_store(blocks, tmp_path / "whole.graph")
    cut = build_store(blocks, tmp_path / "cut.graph", parts=n_parts)
    for one, other in zip(cut.rows, whole.rows, strict=True):
        np.testing.assert_array_equal(one, other)
    assert not cut.indices.flags.writeable
    facts = [json.loads((tmp_path / f"{name}.graph" / "meta.json").read_text()) for name in ("whole", "cut")]
    assert facts[0]["arrays"] == facts[1]["arrays"] and "parts" not in facts[0] and len(facts[1]["parts"]) == n_parts
    folders = [f"part-{p}" for p in range(n_parts)]
    assert sorted(os.listdir(tmp_path / "cut.graph")) == sorted(["degrees.npy", "indptr.npy", "meta.json", *folders])
    assert check_store(tmp_path / "cut.graph").n_edges == whole.n_edges


def test_parts_that_are_lost_or_damaged_are_named(tmp_path):
    path = tmp_path / "g.graph"
    build_store(EDGES, path, parts=2)
    with open(path / "part-1" / "indices.bin", "r+b") as stream:
        stream.write(b"\0" * 4)
    with pytest.raises(FormatError, match=r"indices\.npy is damaged: its checksum"):
        open_graph(path)
    os.truncate(path / "part-1" / "indices.bin", 100)
    with pytest.raises(FormatError, match=r"part-1/indices\.bin has 100 bytes"):
        open_graph(path)
    os.unlink(path / "part-1" / "indices.bin")
    with pytest.raises(FormatError, match="part-1 is missing"):
        open_graph(path, trusted=True)


def test_the_command_cuts_and_more_parts_than_rows_are_refused(tmp_path, capsys):
    (tmp_path / "e.txt").write_text("".join(f"{a} {b}\n" for a, b in zip(*EDGES[0], strict=True)))
    assert run(["build", str(tmp_path / "e.txt"), str(tmp_path / "g.graph"), "--parts", "2"]) == 0
    assert (tmp_path / "g.graph" / "part-1").is_dir()
    assert run(["build", str(tmp_path / "e.txt"), str(tmp_path / "h.graph"), "--parts", "0"]) == 2
    assert "--parts" in capsys.readouterr().err
    with pytest.raises(InputError, match="3 nodes cannot be cut into parts=9"):
        build_store([([0, 1], [1, 2])], tmp_path / "g.graph", parts=9)


@pytest.mark.parametrize("kind", ["weights", "names"])
def test_a_frame_becomes_the_store_of_its_table(tmp_path, monkeypatch, kind):
    pytest.importorskip("pyarrow")
    dask, dd, pd = (pytest.importorskip(name) for name in ("dask", "dask.dataframe", "pandas"))
    table = pd.DataFrame({"from": EDGES[0][0] * 2, "to": EDGES[0][1] * 2})
    if kind == "weights":
        table["weight"] = np.random.default_rng(1).integers(0, 5, len(table)) / 7
    else:
        table = table.astype(str)
    table.to_parquet(tmp_path / "t.parquet")
    build_store(tmp_path / "t.parquet", tmp_path / "a.graph")
    frame = dd.from_pandas(table, npartitions=3, sort=False)
    with dask.config.set({"scheduler": "sync", "dataframe.shuffle.method": "tasks"}):
        build_store(frame, tmp_path / "b.graph")
        table.loc[0, "from"] = None
        with pytest.raises(FormatError, match="column from has missing values"):
            build_store(dd.from_pandas(table, npartitions=2, sort=False), tmp_path / "c.graph")
        monkeypatch.setattr(RowWriter, "append", failing(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))))
        with pytest.raises(OSError, match=r"No space left.*resume=True"):
            build_store(frame, tmp_path / "c.graph")
        monkeypatch.undo()
        build_store(frame, tmp_path / "c.graph", resume=True)
        shutil.rmtree(tmp_path / "c.graph")
    for name in os.listdir(tmp_path / "a.graph"):
        assert (tmp_path / "a.graph" / name).read_bytes() == (tmp_path / "b.graph" / name).read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["a.graph", "b.graph", "t.parquet"]
