"""Every input is read as the graph it is, or refused with the remedy; none is clustered as something else."""

import warnings
from importlib.util import find_spec
from itertools import product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import kneighbors_graph

import graphcore
from graphcore import CoresetSpectralClustering, Graph, InputError, KernelKMeans
from graphcore.graphs.as_graph import as_graph, is_graph, refuse_as_vectors
from graphcore.graphs.from_table import as_library

# Two triangles, and a node that no array of fewer edges would count.
SOURCES, TARGETS = [0, 1, 2, 3, 4, 5], [1, 2, 0, 4, 5, 3]
GRAPH = Graph.from_edges(SOURCES, TARGETS)
LABELS = [0, 0, 0, 1, 1, 1]


class Annotated:
    """The part of AnnData that is used."""

    def __init__(self, obsp, n_obs=6):
        self.obsp, self.obs, self.n_obs = obsp, {}, n_obs
        self.obs_names = [f"cell {i}" for i in range(n_obs)]


def fitted(X, **parameters):
    return CoresetSpectralClustering(2, random_state=0, **parameters).fit(X)


def same(graph, other=GRAPH):
    return (graph.to_scipy() != other.to_scipy()).nnz == 0


def same_clusters(labels):
    return np.array_equal(labels, LABELS) or np.array_equal(1 - labels, LABELS)


def tables(columns):
    """The columns as a dictionary, and as a table of each library that is there."""
    yield columns
    for library in ("pandas", "polars", "pyarrow"):
        if find_spec(library):
            yield as_library(columns, library)


# -- tables ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ends", [("source", "target"), ("From", "TO"), ("src", "dst"), ("from_id", "to_id")])
def test_a_table_of_edges_is_a_graph_and_no_vectors(ends):
    for table in tables(dict(zip(ends, (SOURCES, TARGETS), strict=True))):
        assert is_graph(table)
        assert same(as_graph(table))
        model = fitted(table)
        assert same(model.graph_)
        assert same_clusters(model.labels_)
        assert same(Graph.from_table(table))


def test_lazy_frames_are_computed_for_their_edges():
    polars = pytest.importorskip("polars")
    frame = polars.LazyFrame({"source": SOURCES, "target": TARGETS, "weight": [1] * 6})
    assert is_graph(frame)
    assert same(fitted(frame).graph_)
    assert same(Graph.from_table(frame.rename({"source": "a"}), source="a"))
    with pytest.raises(InputError, match="'source' is no column of the table; it has 'a', 'b'"):
        Graph.from_table(polars.LazyFrame({"a": [0], "b": [1]}))
    with pytest.raises(InputError, match=r"lazy frame .* X\.collect\(\)"):
        fitted(polars.LazyFrame({"x": [0.5, 1.0, 2.0], "y": [0.1, 0.2, 0.3]}))


# -- arrays ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "edges",
    [
        np.array([SOURCES, TARGETS]),
        np.array([SOURCES, TARGETS], dtype=np.uint8),
        [SOURCES, TARGETS],
        (np.array(SOURCES), np.array(TARGETS)),
        (np.array(SOURCES), np.array(TARGETS), np.ones(6)),
    ],
    ids=["2 x E", "uint8", "lists", "u, v", "u, v, w"],
)
@pytest.mark.filterwarnings("ignore:k = 2, the least of the candidates")
def test_arrays_of_edges_are_a_graph_where_they_cannot_be_vectors(edges):
    assert is_graph(edges)
    assert same(as_graph(edges))
    assert same_clusters(fitted(edges).labels_)
    assert same_clusters(KernelKMeans(2, random_state=0).fit(edges).labels_)
    choices = [graphcore.select_n_clusters(X, [2], random_state=0) for X in (edges, GRAPH)]
    assert choices[0].scores.tolist() == choices[1].scores.tolist()


@pytest.mark.parametrize("kind", [np.array, np.ndarray.tolist])
def test_pairs_of_integers_are_refused_with_both_remedies(kind):
    pairs = np.array([SOURCES, TARGETS]).T
    X = kind(pairs)
    message = r"6 pairs of integers.*from_edges\(\*numpy\.asarray\(X\)\.T\), for points "
    with pytest.raises(InputError, match=message + "affinity='nearest_neighbors', or floats"):
        fitted(X)
    with pytest.raises(InputError, match=message + r"graphcore\.knn_graph\(X\), or floats"):
        graphcore.select_n_clusters(X)
    assert same(Graph.from_edges(*pairs.T))


@pytest.mark.parametrize(
    "vectors",
    [
        np.random.default_rng(0).normal(size=(8, 2)), np.array([SOURCES, TARGETS]).T - 1,
        np.array([SOURCES, TARGETS, SOURCES]).T, np.array([[1, 2, 3], [4, -5, 6]]),
        [[0.5, 1.0, 2.0], [3.0, 4.0, 5.0]], [[1, 2], [3, 4.5]], ([1.0, 2.0], [3.0, 4.0], [0.0, 1.0]),
    ],
    ids=["floats", "below 0", "three columns", "two rows below 0", "two rows of floats", "2 x 2", "tuple of lists"],
)  # fmt: skip
def test_vectors_stay_vectors(vectors):
    assert not is_graph(vectors)
    model = fitted(vectors)
    assert model.affinity_ == "nearest_neighbors"
    assert model.n_features_in_ == np.shape(vectors)[1]


# -- text --------------------------------------------------------------------------------------------------------------


def test_text_and_tables_of_edges_are_no_vectors_whatever_the_ends():
    names = np.array([["Anna", "Ben"], ["Ben", "Chloé"], ["Chloé", "Anna"]])
    for X in (names, names.tolist(), names.astype(object), *list(tables({"a": names[:, 0], "b": names[:, 1]}))[1:]):
        for take in (fitted, graphcore.select_n_clusters):
            with pytest.raises(InputError, match=r"(it|'a') holds text \('Anna'\); .* nodes graphcore\.Graph\.from_"):
                take(X)
    refuse_as_vectors(np.array([[1, 2.5]], dtype=object))
    for table in tables({"source": SOURCES, "target": TARGETS}):
        with pytest.raises(InputError, match=r"X is a table of edges .*for vectors numpy\.asarray\(X\)"):
            refuse_as_vectors(table)
    for table in tables({"source": [0.5, 1.0, 2.0], "target": [1.0, 2.0, 0.0]}):
        with pytest.raises(
            InputError, match=r"'source' must be integers or text, got float64, and 0.5 in row 0 is no whole"
        ):
            fitted(table)


# -- matrices and other libraries --------------------------------------------------------------------------------------


def test_annotated_data_bring_their_neighbour_graph():
    data = Annotated({"connectivities": GRAPH.to_scipy().astype(np.float32)})
    model = fitted(data)
    assert same(model.graph_)
    assert model.graph_.node_names.tolist() == data.obs_names
    data.obs["cluster"] = model.labels_.astype(str)
    with pytest.raises(InputError, match=r"run scanpy\.pp\.neighbors\(adata\) first"):
        fitted(Annotated({}))
    with pytest.raises(InputError, match=r"give one of adata\.obsp, which has 'my_connectivities', or run scanpy"):
        fitted(Annotated({"my_connectivities": data.obsp["connectivities"]}))
    with pytest.raises(InputError, match=r"a matrix is needed, got Annotated; give adata\.obsp\['connectivities'\]"):
        Graph.from_scipy(data)
    with pytest.raises(InputError, match=r"got Annotated; adata\.obsp\['distances'\] are .* adata\.obsm\['X_pca'\]"):
        fitted(data, affinity="nearest_neighbors")


@pytest.mark.parametrize("thing", [None, 3, object(), {"x": [1]}, {1, 2}, np.zeros(3), sp.csr_array((3, 4))])
def test_what_is_no_graph(thing):
    assert not is_graph(thing)
    with pytest.raises(InputError):
        as_graph(thing)


def test_a_square_array_that_may_be_a_graph_is_refused_or_warned_about():
    A = GRAPH.to_scipy().toarray()
    message = r"symmetric square array with zeros on the diagonal.*graphcore\.Graph\.from_scipy\(X\), for points "
    for X in (A, A.astype(int), A > 0, A * 0.5, A + 1e-15 * np.triu(A)):
        with pytest.raises(InputError, match=message + "affinity='nearest_neighbors', for their distances affinity='p"):
            fitted(X)
    with pytest.raises(InputError, match=message + r"graphcore\.knn_graph\(X\)$"):
        graphcore.select_n_clusters(A)
    assert same(fitted(A, affinity="precomputed").graph_)
    assert fitted(A, affinity="nearest_neighbors", n_neighbors=2).n_features_in_ == 6
    for X in (A + np.eye(6), np.triu(A), -A, A * 0):  # no adjacency, and no doubt
        fitted(X, n_neighbors=2)


# -- what is whole -----------------------------------------------------------------------------------------------------


def test_lists_of_graphs_and_of_matrices_and_paths_are_no_graph():
    karate, matrix = nx.karate_club_graph(), sp.csr_array(np.eye(4))
    layers = [karate, karate], (karate, karate), [nx.path_graph(6), nx.cycle_graph(6)], [karate] * 3, [karate]
    for X in (*layers, [matrix, matrix], [GRAPH, GRAPH]):
        with pytest.raises(InputError, match=r"one graph or one array of numbers is needed.*from_scipy\(A \+ B\)"):
            fitted(X)
    for path, take in product(("e.txt", Path("e.txt"), b"e.txt"), (fitted, as_graph, graphcore.select_n_clusters)):
        with pytest.raises(InputError, match=r"read it first: graphcore\.read_graph\(b?'e\.txt'\)"):
            take(path)


MASK = np.eye(6, dtype=bool)


@pytest.mark.parametrize(
    "call",
    [
        lambda of: fitted(of(np.random.default_rng(0).random((6, 6)), MASK)),
        lambda of: fitted(np.random.default_rng(0).random((9, 2))).predict(of(np.zeros((2, 2)), MASK[:2, :2])),
        lambda of: KernelKMeans(2).fit(of(np.random.default_rng(0).random((6, 6)), MASK)),
        lambda of: graphcore.knn_graph(of(np.random.default_rng(0).random((6, 6)), MASK), 2),
        lambda of: Graph.from_scipy(of(GRAPH.to_scipy().toarray(), MASK)),
        lambda of: Graph.from_biadjacency(of(np.ones((6, 6)), MASK)),
        lambda of: Graph.from_edges(of([0, 1, 2], [0, 0, 1]), [1, 2, 0]),
        lambda of: Graph.from_edges([0, 1, 2], [1, 2, 0], of([1.0, 2.0, 9.0], [0, 0, 1])),
        lambda of: Graph.from_edges([0, 1], [1, 2], node_names=of([5, 6, 7], [0, 0, 1])),
        lambda of: graphcore.metrics.normalized_cut(GRAPH, of(LABELS, [0, 0, 0, 0, 0, 1])),
        lambda of: CoresetSpectralClustering(2).fit(GRAPH, sample_weight=of(np.ones(6), [1, 0, 0, 0, 0, 0])),
    ],
)
def test_masked_values_are_refused_and_masks_of_nothing_are_none(call):
    with pytest.raises(InputError, match=r"has \d masked values; fill them in"):
        call(np.ma.masked_array)
    call(lambda values, mask: np.ma.masked_array(values))


def test_objects_of_other_libraries_and_what_makes_no_array_are_refused_in_words_of_this_one():
    pd = pytest.importorskip("pandas")
    karate, frame = nx.karate_club_graph(), pd.DataFrame({"source": list("abca"), "target": list("bcab")})
    given = [
        karate.edges(data=True), frame.groupby(["source", "target"]).size(), nx.to_dict_of_lists(karate), {1, 2},
        pd.DataFrame(np.eye(4)).to_records(index=False), list(karate.edges(data="weight")), iter([1, 2]), 5,
    ]  # fmt: skip
    for X in given:
        with pytest.raises(InputError, match=r"from_edges|from_table"):
            fitted(X)
    model = fitted(np.random.default_rng(0).random((9, 2)))
    with pytest.raises(InputError, match=r"X.toarray\(\)"):
        model.predict(sp.csr_array(np.eye(2)))
    times = pd.DataFrame({"a": pd.date_range("2020", periods=3), "b": [1, 2, 3]})
    for X, said in (
        ([[1, 2], [0], [0]], "different lengths"), (times, "column 'a' holds times"), (np.eye(3) + 1j, "Complex data"),
        (np.zeros((2, 3, 4)), "dim 3"), (pd.Series([[1.0, 2.0]] * 3), r"numpy\.stack\(X\.to_list\(\)\)"),
        ([np.zeros((3, 2))] * 2, "as neighbours and their distances are"),
        (pd.DataFrame({"e": [[1, 2], [3, 4]]}), r"'e' holds lists; give numpy\.stack\(X\['e'\]\.to"),
        ([np.ma.masked_array([1.0, 2.0], [0, 1]), [3.0, 4.0]], "MaskedArray"),
    ):  # fmt: skip
        for fit in (fitted, graphcore.KernelKMeans(1).fit):
            with pytest.raises(InputError, match=said):
                fit(X)


@pytest.mark.parametrize("names", [list("abcdef"), ["i", "j", "source", "target", "u", "v"], [5, 3, 1, 0, 2, 4]])
def test_a_square_frame_with_the_same_names_is_an_adjacency_matrix(names):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(GRAPH.to_scipy().toarray(), index=names, columns=names)
    order = [names[i] for i in (3, 0, 4, 1, 5, 2)]
    assert is_graph(frame)
    assert same(as_graph(frame[order])) and same_clusters(fitted(frame[order]).labels_)
    numbered = pd.DataFrame(np.random.default_rng(0).random((6, 6)))
    assert not is_graph(numbered)


@pytest.mark.parametrize("n_neighbors", [5, pytest.param(10, marks=pytest.mark.slow)])
@pytest.mark.parametrize("is_made_symmetric", [False, True])
def test_distances_of_neighbours_given_as_weights_are_told(n_neighbors, is_made_symmetric):
    A = kneighbors_graph(graphcore.datasets.load_digits().data[:200], n_neighbors, mode="distance")
    near = A.copy()
    near.data = np.exp(-near.data / near.data.mean())
    A, near = (X.maximum(X.T) if is_made_symmetric else X for X in (A, near))
    with pytest.warns(graphcore.GraphWarning, match=r"look like distances.*precomputed_nearest_neighbors"):
        Graph.from_scipy(A)
    with pytest.warns(graphcore.GraphWarning, match=r"look like similarities.*affinity='precomputed'"):
        graphcore.neighbor_graph(near.maximum(near.T))
    with warnings.catch_warnings(action="error"):
        warnings.filterwarnings("ignore", ".*stand in both directions")
        Graph.from_scipy(near)
        graphcore.neighbor_graph(A)
        Graph.from_scipy(graphcore.knn_graph(near.toarray()[:, :9], 5).to_scipy())


def test_a_matrix_of_all_distances_given_as_similarities_is_told():
    D = pairwise_distances(graphcore.datasets.load_digits().data[:60])
    with pytest.warns(graphcore.GraphWarning, match=r"look like distances.*precomputed_nearest_neighbors"):
        Graph.from_scipy(D)
    for similar in (np.exp(-D / D.mean()), 1 / (1 + D), np.random.default_rng(0).random((60, 60))):
        with warnings.catch_warnings(action="error"):
            Graph.from_scipy((similar + similar.T) / 2)
