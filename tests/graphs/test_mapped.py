"""Advice on how maps are read: given to mapped arrays, taken back, and nothing else touched."""

import mmap

import numpy as np
import pytest

from graphcore.base import arrays as mapped


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


def test_advice_is_taken_back_after_an_error(tmp_path, advice):
    np.arange(5).tofile(tmp_path / "five")
    array = np.asarray(np.memmap(tmp_path / "five", dtype=np.int64, mode="r"))
    with pytest.raises(RuntimeError), mapped.read_at_random(array):
        raise RuntimeError
    assert advice[-1:] == ([mmap.MADV_NORMAL] if hasattr(mmap, "MADV_RANDOM") else [])
