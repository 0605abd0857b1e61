"""Advice on how maps are read: given to mapped arrays, taken back, and nothing else touched."""

import mmap

import numpy as np
import pytest

import graphcore
from graphcore import _arrays as mapped
from graphcore.kernels.walk import WalkKernel


@pytest.fixture
def advice(monkeypatch):
    """What maps are told, in order; the maps themselves cannot be watched."""

    class Watched:
        def __init__(self, base):
            self.base = base

        def madvise(self, what):
            said.append(what)
            self.base.madvise(what)

    said = []
    find = mapped._map_of
    monkeypatch.setattr(mapped, "_map_of", lambda array: None if (found := find(array)) is None else Watched(found))
    return said


@pytest.mark.skipif(not hasattr(mmap, "MADV_RANDOM"), reason="this system takes no advice")
def test_rows_of_walks_are_read_at_random(tmp_path, advice):
    graph = graphcore.Graph.from_edges(np.arange(30), (np.arange(30) + 1) % 30)
    graphcore.write_graph(graph, tmp_path / "ring.store")
    stored = graphcore.open_graph(tmp_path / "ring.store")
    points = np.array([3, 17])
    rows = WalkKernel(stored, 4).half_walk_rows(points)
    random, normal = mmap.MADV_RANDOM, mmap.MADV_NORMAL
    assert advice == [random, random, normal, normal]  # the row borders and the columns
    inner = WalkKernel(graph, 4).half_walk_rows(points)
    assert len(advice) == 4
    np.testing.assert_array_equal(rows.to_scipy().toarray(), inner.to_scipy().toarray())


def test_advice_is_taken_back_after_an_error(tmp_path, advice):
    np.arange(5).tofile(tmp_path / "five")
    array = np.asarray(np.memmap(tmp_path / "five", dtype=np.int64, mode="r"))
    with pytest.raises(RuntimeError), mapped.read_at_random(array):
        raise RuntimeError
    assert advice[-1:] == ([mmap.MADV_NORMAL] if hasattr(mmap, "MADV_RANDOM") else [])
