"""Tables, graphs and arrays of other libraries whose names, orders or types say something else than their values."""

import numpy as np
import pytest

from graphcore import CoresetSpectralClustering, Graph, GraphWarning, InputError

X = np.vstack([np.random.default_rng(0).normal(size=(20, 2)) + 9 * c for c in range(2)])


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [([1, "1"], ["1", 2], "1 and '1'"), (["1.0", "2.0"], ["2", "3"], "'2.0' and '2'"), (["a "], ["a"], "'a ' and 'a'")],
)
def test_names_that_differ_in_writing_are_told(source, target, said):
    with pytest.warns(GraphWarning, match=f"{said}; write the names alike"):
        Graph.from_table({"source": np.array(source, dtype=object), "target": np.array(target, dtype=object)})


def test_frames():
    pd = pytest.importorskip("pandas")
    ends = pd.DataFrame({"source": pd.Series([1, 2], dtype=object), "target": pd.Series([2.0, 3.0], dtype=object)})
    assert Graph.from_table(ends).node_names.tolist() == [1, 2, 3]
    index = pd.MultiIndex.from_arrays([["a"], ["b"]], names=["source", "target"])
    for table in (pd.DataFrame({"weight": [2]}, index=index), pd.Series([2], index=index)):
        with pytest.raises(InputError, match=r"reset_index\(\)"):
            Graph.from_table(table)
    with pytest.raises(InputError, match="nodes are named by integers or text"):
        Graph.from_table(pd.DataFrame({"source": [[1, 2], [2]], "target": ["a", "b"]}))
    with pytest.warns(GraphWarning, match="row 'b' of the matrix has no column of its name"):
        Graph.from_scipy(pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["a", "c"]))
    model = CoresetSpectralClustering(2, random_state=0)
    for wrong, said in (
        (pd.DataFrame({"v": X.tolist()}), "holds lists"),
        (pd.DataFrame(X).assign(b=1.0), "by text and by numbers"),
    ):
        with pytest.raises(InputError, match=said):
            model.fit(wrong)
    frame = pd.DataFrame(X, index=[f"n{i}" for i in range(40)])
    with pytest.raises(InputError, match="labels have the index of X in another order"):
        model.fit(frame, labels=pd.Series(0, index=frame.index[::-1]))


def test_values_that_are_ignored_are_told():
    with pytest.warns(GraphWarning, match="y holds None beside text"):
        CoresetSpectralClustering(2, random_state=0).fit(X, np.array(["a", None] * 20, dtype=object))
    distances = np.linalg.norm(X[:, None] - X, axis=2)
    with pytest.warns(GraphWarning, match="precomputed_nearest_neighbors"):
        CoresetSpectralClustering(2, affinity="precomputed", random_state=0).fit(distances)


def test_graphs_of_libraries():
    networkx = pytest.importorskip("networkx")
    with pytest.warns(GraphWarning, match="some edges have no attribute 'Weight'"):
        Graph.from_networkx(networkx.Graph([("a", "b", {"Weight": 2}), ("b", "c", {})]))
    with pytest.warns(GraphWarning, match="as missing values are written"):
        Graph.from_networkx(networkx.Graph([("a", float("nan"))]))
    igraph = pytest.importorskip("igraph")
    graph = igraph.Graph.Full(3)
    graph.es["weight"] = [1, None, 2]
    with pytest.warns(GraphWarning, match="1 of 3 edges have no attribute 'weight'"):
        Graph.from_igraph(graph)
    graph.vs["name"] = ["a", "a", "b"]
    with pytest.warns(GraphWarning, match="several nodes have the same name"):
        Graph.from_igraph(graph, weight=None)
