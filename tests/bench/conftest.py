"""Options and a graph for quick runs of the bench."""

import numpy as np
import pytest

from bench import harness, runner


@pytest.fixture
def options(tmp_path):
    """Options of a run without peers."""
    return harness.Options(
        data=tmp_path, peers=tmp_path / "none" / "python", seeds=2, threads=1, timeout=300.0, memory_bytes=0
    )


@pytest.fixture
def graph(tmp_path):
    """The file of a graph with three blocks."""
    indptr, indices = runner.small_graph(3, 100)
    np.savez(tmp_path / "g.npz", indptr=indptr, indices=indices, labels=np.repeat(np.arange(3), 100))
    return tmp_path / "g.npz"
