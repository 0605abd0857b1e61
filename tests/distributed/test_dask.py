"""Private interfaces of Dask that graphcore uses, each by itself: a new version that lacks one fails here; one pass."""

import numpy as np
import pytest

from graphcore import open_graph, write_graph
from graphcore.distributed.cluster import block_type, current_client, is_result
from graphcore.metrics import conductance

from ..oracles import planted

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")


def test_results_in_a_graph_are_told_from_work():
    held, made = da.from_array(np.ones((4, 2)), chunks=(2, 2)), da.random.random((4, 2), chunks=(2, 2))
    for X, expected in ((held, True), (made, False)):
        graph = dict(X.__dask_optimize__(X.__dask_graph__(), X.__dask_keys__()))
        assert [is_result(node) for node in graph.values()] == [expected] * len(graph) != []


def test_types_of_blocks():
    sparse = pytest.importorskip("scipy.sparse")
    X = da.ones((4, 2), chunks=(2, 2))
    assert block_type(X) is np.ndarray
    assert block_type(X.map_blocks(sparse.csr_matrix)) is not np.ndarray


def test_the_client_behind_a_scheduler():
    with dask.config.set(scheduler="dask.distributed"):  # as a client leaves it that is closed
        assert current_client() is None
    assert current_client() is None
    with distributed.Client(n_workers=1, processes=False, dashboard_address=None) as client:
        assert current_client() is client
    assert current_client() is None


def test_cuts_of_a_huge_graph_are_the_same_on_a_worker(tmp_path, limits):
    graph, labels = planted(4, 50, 0.3, 0.02, 0)
    write_graph(graph, tmp_path / "planted.store")
    limits("graphcore.cluster.refine.problem", _MANY_ENTRIES=graph.n_entries - 1)
    with distributed.Client(n_workers=1, processes=False, dashboard_address=None):
        found = conductance(open_graph(tmp_path / "planted.store"), labels)
    np.testing.assert_array_equal(found, conductance(graph, labels))
