"""Graphs on disk: written, opened, and refused when they are not whole."""

import os
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphcore import FormatError, Graph, InputError, ParameterError, open_graph, read_graph, write_graph
from tests.strategies import graphs

PATH = Graph.from_edges([0, 1, 1], [1, 2, 1], n_nodes=5)


def assert_same(stored, graph, kinds=True):
    for name in ("indptr", "indices", "weights", "degrees"):
        ours, theirs = getattr(stored, name), getattr(graph, name)
        assert (ours is None) == (theirs is None), name
        if ours is not None:
            assert ours.dtype == theirs.dtype or not kinds
            np.testing.assert_array_equal(ours, theirs)
    assert (stored.node_names is None) == (graph.node_names is None)
    if graph.node_names is not None:
        assert stored.node_names.tolist() == graph.node_names.tolist()
    assert (stored.n_self_loops, stored.n_isolated) == (graph.n_self_loops, graph.n_isolated)


def failing(error):
    """Return a function that raises an error."""

    def fail(*_args, **_options):
        raise error

    return fail


@given(pair=graphs(), names=st.sampled_from([None, "integers", "text", "long", "mixed"]), seed=st.integers(0, 99))
def test_a_written_graph_opens_as_it_was(tmp_path_factory, pair, names, seed):
    graph, n = pair[0], pair[0].n_nodes
    rng = np.random.default_rng(seed)
    made = {
        None: None,
        "integers": np.sort(rng.choice(10**12, n, replace=False)),
        "text": [f"é{i}\U0001f600" for i in rng.permutation(n)],
        "long": ["é" * 1000, *(f"x{i}" for i in range(1, n))],
        "mixed": [(0, 1), *range(1, n)],
    }[names]
    graph = Graph(graph.indptr, graph.indices, graph.weights, node_names=made)
    path = tmp_path_factory.mktemp("store") / "g.store"
    write_graph(graph, path)
    assert os.listdir(path.parent) == ["g.store"]
    stored = open_graph(path)
    if names == "mixed":  # neither numbers nor text: they come back as text
        graph = Graph(graph.indptr, graph.indices, graph.weights, node_names=[str(name) for name in made])
    assert_same(stored, graph)
    for name in ("indptr", "indices", "weights", "degrees"):
        assert getattr(stored, name) is None or not getattr(stored, name).flags.writeable


def test_read_graph_takes_a_store_and_opened_graphs_are_mapped_read_only_and_pickled_by_path(tmp_path):
    graph = Graph.from_edges([0, 1], [1, 2], [2.0, 3.0])
    write_graph(graph, tmp_path / "g.store")
    assert_same(read_graph(tmp_path / "g.store"), graph)
    for name, value in (("weight_column", None), ("symmetrize", "sum"), ("columns", (0, 1))):
        with pytest.raises(ParameterError, match=rf"^{name}=.* does not apply to a graph on disk"):
            read_graph(str(tmp_path / "g.store"), **{name: value})
    with pytest.raises(InputError, match="a folder without files of edges"):
        read_graph(tmp_path)
    (tmp_path / "g.store" / "meta.json").unlink()
    with pytest.raises(FormatError, match=r"folder is no graph: it has no meta\.json"):
        read_graph(tmp_path / "g.store")
    write_graph(PATH, tmp_path / "h.store")
    graph = open_graph(tmp_path / "h.store")
    base = graph.indices
    while isinstance(base, np.ndarray) and not isinstance(base, np.memmap):
        base = base.base
    assert isinstance(base, np.memmap)
    assert type(graph.indices) is np.ndarray
    with pytest.raises(ValueError, match="read-only"):
        graph.indices[0] = 1
    assert_same(pickle.loads(pickle.dumps(graph)), PATH)
    assert len(pickle.dumps(graph)) < 1000
    assert repr(graph) == repr(PATH)


def test_stores_are_replaced_and_nothing_else_is(tmp_path):
    path = tmp_path / "g.store"
    for graph in (PATH, Graph.from_edges([0], [1], [0.5])):
        write_graph(graph, path)
        assert_same(open_graph(path), graph)
    assert os.listdir(tmp_path) == ["g.store"]
    (tmp_path / "file.store").write_text("precious")
    (tmp_path / "folder.store").mkdir()
    (tmp_path / "folder.store" / "file").write_text("precious")
    (tmp_path / "folder.store" / "meta.json").write_text("{}")
    for name in ("file.store", "folder.store"):
        with pytest.raises(InputError, match="is no graph on disk, so it is not replaced"):
            write_graph(PATH, tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["file.store", "folder.store", "g.store"]
    for name, error, message in (
        ("g", ParameterError, r"called NAME\.store"),
        ("g.store.gz", ParameterError, "cannot be compressed"),
        ("missing/g.store", FileNotFoundError, "missing"),
    ):
        with pytest.raises(error, match=message):
            write_graph(PATH, tmp_path / name, format="store")
