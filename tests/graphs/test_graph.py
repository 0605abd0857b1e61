"""The Graph object: what it holds, what it refuses, and that nothing changes it."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from scipy.sparse.csgraph import connected_components

from graphcore import Graph, InputError, ParameterError
from tests.strategies import graphs

TRIANGLE = (np.array([0, 2, 4, 6]), np.array([1, 2, 0, 2, 0, 1], dtype=np.int32))


@given(graphs(max_nodes=20))
def test_counts_degrees_components_and_the_matrix(pair):
    graph, A = pair
    n = len(A)
    assert graph.n_nodes == n
    assert graph.n_entries == np.count_nonzero(A)
    assert graph.n_self_loops == np.count_nonzero(A.diagonal())
    assert graph.n_edges == np.count_nonzero(np.triu(A))
    assert graph.n_isolated == np.count_nonzero(A.sum(axis=1) == 0)
    np.testing.assert_allclose(graph.degrees, A.sum(axis=1), rtol=1e-14)
    assert graph.volume == pytest.approx(A.sum(), rel=1e-14)
    assert graph.degrees.dtype == np.float64
    assert graph.is_weighted == (not np.isin(A, (0, 1)).all())
    assert (graph.indptr.dtype, graph.indices.dtype) == (np.int64, np.int32)
    matrix = graph.to_scipy()
    np.testing.assert_array_equal(matrix.toarray(), A)
    assert np.shares_memory(matrix.indices, graph.indices) or graph.n_entries == 0
    if graph.is_weighted:
        assert np.shares_memory(matrix.data, graph.weights)
    parts = matrix.data.copy(), matrix.indices.copy(), matrix.indptr.copy()
    assert sp.csr_array(parts, shape=matrix.shape).has_canonical_format  # found out anew, not believed
    count, labels = connected_components(sp.csr_array(A), directed=False)
    assert graph.n_components == count
    found = graph.connected_components()
    assert found.dtype == np.int32
    # scipy too numbers components by their first node.
    np.testing.assert_array_equal(found, labels)


@pytest.mark.parametrize("name", ["indptr", "indices", "weights", "degrees", "node_names", "anything"])
def test_attributes_cannot_be_set_or_deleted(name):
    graph = Graph(*TRIANGLE)
    with pytest.raises(AttributeError, match="immutable"):
        setattr(graph, name, 1)
    with pytest.raises(AttributeError, match="immutable"):
        delattr(graph, name)


def test_arrays_cannot_be_written_and_one_long_name_does_not_pad_the_others():
    graph = Graph(*TRIANGLE, np.full(6, 2.0), node_names=["a", "b", "c"])
    for array in (graph.indptr, graph.indices, graph.weights, graph.degrees, graph.node_names, graph.to_scipy().data):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = array[1]
    with pytest.raises(ValueError, match="read-only"):
        graph.connected_components()[0] = 1
    names = [str(i) for i in range(5000)]
    names[7] = "x" * 100_000
    graph = Graph(np.zeros(5001, dtype=np.int64), [], node_names=names)
    assert graph.node_names.nbytes < 1e6
    assert graph.names_of((9, 1)).tolist() == ["9", "1"] and graph.numbers_of(["9", "1"]).tolist() == [9, 1]
    with pytest.raises(InputError, match="no node 'y'"):
        graph.numbers_of(["9", "y"])
    with pytest.raises(InputError, match=r"no node 'a' among its 2; 'a \[0\]', 'a \[1\]' begin with it"):
        Graph.from_edges([0], [1]).with_nodes({"id": [0, 1], "name": ["a", "a"]}).numbers_of(["a"])
    assert graph.numbers_of(["9", "y"], partial=True).tolist() == [9, -1]
    with pytest.raises(InputError, match="several nodes of the graph have the same name"):
        Graph.from_edges([0], [1], node_names=["x", "x"]).numbers_of(["x"])
    with pytest.raises(InputError, match="numbers_of takes names"):
        graph.names_of(["9"])
    assert graph.node_names.tolist() == names


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], []), "empty"),
        (([0, 1.5, 2], [1, 0]), "indptr must be an array of integers"),
        (([0, 1, 2], [1.0, 0.0]), "indices must be an array of integers"),
        (([0, 1, 2], [[1, 0]]), "indices must be an array of integers of one"),
        (([0, 1, 3], [1, 0]), "indptr ends at 3"),
        (([0, 1, 2], [1, 0], [1.0]), r"weights have shape \(1,\); 2 indices"),
        (([0, 1, 2], [1, 0], [[1.0, 1.0]]), "weights have shape"),
        (([0, 1, 2], [1, 0], ["1", "1"]), "weights must be real"),
        (([0, 1, 2], [1, 0], [1.0, np.nan]), r"edge \(1, 0\) is nan"),
        (([0, 1, 2], [1, 0], [1.0, -1.0]), r"edge \(1, 0\) is -1.0"),
        (([0, 1, 2], [1, 0], [0.0, 0.0]), "stores a zero"),
        (([0, 1, 2], [2, 0]), "column 2"),
        (([0, 2, 1, 2], [1, 0]), "never fall"),
        (([1, 1, 2], [1, 0]), "start at 0"),
        (([0, 2, 2], [1, 1]), "ascending"),
        # A defect that can be repaired never hides one that cannot.
        (([0, 2, 4], [1, 0, 0, 1], [1.0, 0.0, 1.0, np.nan]), "is nan"),
        (([0, 2, 4], [1, 1, 0, 5]), "column 5"),
        (([0, 1, 1], [1]), r"not symmetric: entry \(0, 1\)"),
        (([0, 1, 2], [1, 0], [1.0, 2.0]), "not symmetric"),
        (([0, 1, 2], [1, 0], [1e308, 1e308]), "overflow"),  # each degree is finite, their sum is not
        *(((*TRIANGLE, None, names), message) for names, message in (
            (["a", "b"], "2 names for 3 nodes"), (5, "node_names=5"), (dict.fromkeys("abc", 0), "is a dict"),
            ({"a", "b", "c"}, "is a set"), (np.array("abc"), "one-dimensional"),
            (np.zeros((3, 2)), "one-dimensional"))),
    ],
)  # fmt: skip
def test_bad_arrays_and_names_are_refused(arguments, message):
    names = dict(zip(["node_names"], arguments[3:], strict=False))
    with pytest.raises(ParameterError if names else InputError, match=message):
        Graph(*arguments[:3], **names)


@given(graphs())
def test_pickle_and_copy_keep_everything(pair):
    graph, _ = pair
    named = Graph(graph.indptr, graph.indices, graph.weights, node_names=[f"n{i}" for i in range(graph.n_nodes)])
    for other in (pickle.loads(pickle.dumps(named)), copy.copy(named), copy.deepcopy(named)):
        for name in ("indptr", "indices", "weights", "degrees", "node_names"):
            mine, theirs = getattr(named, name), getattr(other, name)
            if mine is None:
                assert theirs is None
                continue
            np.testing.assert_array_equal(mine, theirs)
            assert mine.dtype == theirs.dtype
            assert not theirs.flags.writeable


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_arrays_are_used_in_place_mapped_ones_too_and_the_callers_flags_kept(tmp_path, dtype):
    arrays = (TRIANGLE[0].astype(np.int64), TRIANGLE[1].copy(), np.array([1.0, 2, 1, 3, 2, 3], dtype=dtype))
    for i, array in enumerate(arrays):
        np.save(tmp_path / f"{i}.npy", array)
    for each in (arrays, [np.load(tmp_path / f"{i}.npy", mmap_mode="r") for i in range(3)]):
        graph = Graph(*each, node_names=["a", "b", "c"])
        for mine, theirs in zip((graph.indptr, graph.indices, graph.weights), each, strict=True):
            assert np.shares_memory(mine, theirs) and mine.dtype == theirs.dtype
            assert theirs.flags.writeable == (each is arrays)
        assert graph.degrees.tolist() == [3, 4, 5]
        assert (graph.n_components, graph.n_self_loops) == (1, 0)
        assert graph.nbytes == 4 * 8 + 6 * 4 + 6 * graph.weights.itemsize + 3 * 8
        assert repr(graph) == f"Graph(n_nodes=3, n_edges=3, weights={np.dtype(dtype)}, named)"


@pytest.mark.parametrize("integer", [np.int8, np.uint16, np.int32, np.int64, np.uint64, ">i8"])
def test_any_integer_width_byte_order_and_strides(integer):
    indices, weights = np.repeat(TRIANGLE[1], 2)[::2].astype(integer), np.full(12, 2.0)[::2].astype(">f8")
    graph = Graph(TRIANGLE[0].astype(integer), indices, weights)
    assert (graph.indptr.dtype, graph.indices.dtype) == (np.int64, np.int32)
    assert (graph.n_edges, graph.degrees.tolist()) == (3, [4.0, 4.0, 4.0])
