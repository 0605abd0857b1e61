"""Rows and columns clustered at once: the bipartite graph, the class, files, the command line."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import graphcore
from graphcore import CoresetSpectralCoclustering, FormatError, Graph, GraphWarning, InputError, ParameterError
from graphcore.cli.app import run
from graphcore.metrics import agreement


@pytest.fixture(scope="module")
def made():
    entries = np.full((4, 4), 60.0) + np.diag([900.0] * 4)
    return graphcore.datasets.planted_blocks([100] * 4, [30, 30, 40, 50], entries, random_state=1)


@pytest.mark.parametrize("dtype", [bool, np.int64, np.float32, np.float64])
def test_the_graph_is_the_matrix_beside_its_transpose(dtype):
    B = (np.random.default_rng(0).random((5, 3)) * 4).astype(int).astype(dtype)
    expected = np.zeros((8, 8))
    expected[:5, 5:], expected[5:, :5] = B, B.T
    for container in (np.asarray, sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix):
        graph = Graph.from_biadjacency(container(B))
        np.testing.assert_array_equal(graph.to_scipy().toarray(), expected)
        assert Graph.from_scipy(graph.to_scipy()).n_edges == np.count_nonzero(B)
        assert graph.is_weighted == (dtype is not bool)


def test_repeats_add_up_zeros_go_and_the_matrix_stays():
    B = sp.csr_array((np.array([1.0, 2, 0, 4]), np.array([1, 1, 0, 0]), np.array([0, 3, 4])), shape=(2, 2))
    graph = Graph.from_biadjacency(B, column_names=["x", "y"])
    np.testing.assert_array_equal(graph.to_scipy().toarray()[:2, 2:], [[0, 3], [4, 0]])
    assert graph.node_names.tolist() == ["r:0", "r:1", "c:x", "c:y"]
    np.testing.assert_array_equal(B.data, [1, 2, 0, 4])


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([[1.0, -1.0]], "not negative; the matrix holds -1.0"),
        ([[np.nan, 1.0]], "finite"),
        (np.zeros((0, 3)), r"shape \(0, 3\)"),
        (sp.csr_array(np.eye(2) * 1j), "real numbers"),
    ],
)
def test_what_is_no_matrix_of_weights(matrix, message):
    with pytest.raises(InputError, match=message):
        Graph.from_biadjacency(matrix)
    with pytest.raises(InputError, match="column_names have shape"):
        Graph.from_biadjacency([[1.0]], column_names=["a", "b"])
    with pytest.raises(InputError, match=r"shape \(2, 3\).*from_biadjacency"):
        Graph.from_scipy(np.ones((2, 3)))


def test_both_sides_are_found_and_are_what_scikit_learn_gives(made):
    model = CoresetSpectralCoclustering(4, random_state=0).fit(made.matrix)
    assert agreement(model.row_labels_, made.row_labels)["ari"] > 0.95
    assert agreement(model.column_labels_, made.column_labels)["ari"] > 0.95
    joint = np.concatenate([model.row_labels_, model.column_labels_])
    assert agreement(joint, np.concatenate([made.row_labels, made.column_labels]))["ari"] > 0.95
    rows, columns = model.biclusters_
    assert rows.shape == (4, 400)
    np.testing.assert_array_equal(rows.argmax(axis=0), model.row_labels_)
    np.testing.assert_array_equal(columns.sum(axis=0), 1)
    for i in range(4):
        np.testing.assert_array_equal(model.get_indices(i)[1], np.flatnonzero(columns[i]))
        assert model.get_submatrix(i, made.matrix).shape == model.get_shape(i) == (rows[i].sum(), columns[i].sum())
    assert model.row_stability_.shape == (400,)
    again = clone(model).set_params(n_jobs=2).fit(made.matrix.toarray())
    np.testing.assert_array_equal(again.column_labels_, model.column_labels_)


def test_rows_and_columns_without_an_entry_are_in_no_cluster(made):
    B = sp.block_array([[made.matrix, sp.csr_array((400, 1))], [sp.csr_array((2, 150)), None]])
    with pytest.warns(GraphWarning, match="3 of 553 nodes are isolated"):
        model = CoresetSpectralCoclustering(4, effort="fast", random_state=0).fit(B)
    assert (model.row_labels_[-2:] == -1).all()
    assert model.column_labels_[-1] == -1
    assert model.row_stability_ is None
    assert model.biclusters_[0].sum() == 400


def test_wrong_use(made):
    with pytest.raises(ParameterError, match="n_clusters=None is for objective='modularity'; give a number"):
        CoresetSpectralCoclustering(None).fit(made.matrix)
    with pytest.raises(ParameterError, match="n_clusters=0"):
        CoresetSpectralCoclustering(0).fit(made.matrix)
    with pytest.raises(ParameterError, match="i=4 must be at most 3"):
        CoresetSpectralCoclustering(4, effort="fast", random_state=0).fit(made.matrix).get_indices(4)
    with pytest.raises(InputError, match="this is a Graph"):
        CoresetSpectralCoclustering(2).fit(Graph.from_edges([0], [1]))
    with pytest.raises(ValueError, match="Negative values"):
        CoresetSpectralCoclustering(2).fit(-made.matrix)


# -- files -------------------------------------------------------------------------------------------------------------


def test_files_of_each_kind_give_the_same_graph(made, tmp_path):
    coo = made.matrix.tocoo()
    lines = [f"{i}\t{j}\t{w:g}\n" for i, j, w in zip(*coo.coords, coo.data, strict=True)]
    (tmp_path / "list.tsv").write_text("".join(lines))
    head = f"%%MatrixMarket matrix coordinate real general\n400 150 {coo.nnz}\n"
    entries = [f"{i + 1} {j + 1} {w}\n" for i, j, w in zip(*coo.coords, coo.data, strict=True)]
    (tmp_path / "m.mtx").write_text(head + "".join(entries))
    sp.save_npz(tmp_path / "m.npz", made.matrix)
    expected = Graph.from_biadjacency(made.matrix, row_names=range(400))
    for name in ("list.tsv", "m.mtx", "m.npz"):
        graph = graphcore.read_graph(tmp_path / name, bipartite=True)
        np.testing.assert_array_equal(graph.to_scipy().toarray(), expected.to_scipy().toarray())
        assert graph.node_names.tolist() == expected.node_names.tolist()
        plain = graphcore.read_graph(tmp_path / name, bipartite=True, weight_column=None)
        assert (plain.n_edges, plain.is_weighted) == (coo.nnz, False)


def test_two_columns_may_have_the_same_names(tmp_path, capsys):
    (tmp_path / "list.csv").write_text("user,item\nann,ann\nann,b\nann,b\ncy,d\n")
    graph = graphcore.read_graph(tmp_path / "list.csv", bipartite=True)
    assert graph.node_names.tolist() == ["r:ann", "r:cy", "c:ann", "c:b", "c:d"]
    assert graph.n_edges == 3
    assert not graph.is_weighted
    assert run(["cluster", str(tmp_path / "list.csv"), "-k", "2", "--bipartite", "-o", "-", "--quiet"]) == 0
    labels = dict(line.split("\t") for line in capsys.readouterr().out.splitlines())
    assert labels["r:ann"] == labels["c:b"] != labels["c:d"]


def test_files_refused(tmp_path, capsys):
    (tmp_path / "m.mtx").write_text("%%MatrixMarket matrix coordinate real general\n2 3 1\n3 1 1\n")
    with pytest.raises(FormatError, match=r"square.*bipartite=True"):
        graphcore.read_graph(tmp_path / "m.mtx")
    with pytest.raises(FormatError, match=r"line 3: \(3, 1\) is no entry of a matrix of shape \(2, 3\)"):
        graphcore.read_graph(tmp_path / "m.mtx", bipartite=True)
    (tmp_path / "g.metis").write_text("2 1\n2\n1\n")
    assert run(["cluster", str(tmp_path / "g.metis"), "-k", "2", "--bipartite"]) == 2
    assert "--bipartite is for edge lists and matrices; this is a metis file" in capsys.readouterr().err
    with pytest.raises(ParameterError, match="bipartite='yes'"):
        graphcore.read_graph(tmp_path / "m.mtx", bipartite="yes")


# -- generator ---------------------------------------------------------------------------------------------------------


def test_planted_blocks_have_the_entries_asked_for():
    entries = np.array([[4000.0, 0], [500, 2000]])
    found = np.zeros((2, 2))
    for seed in range(20):
        made = graphcore.datasets.planted_blocks([10, 30], [20, 5], entries, random_state=seed)
        for i, j in np.ndindex(2, 2):
            found[i, j] += made.matrix[made.row_labels == i][:, made.column_labels == j].sum() / 20
    # 20 draws of a Poisson variable: six deviations of the mean, by chance once in 10^8.
    assert (np.abs(found - entries) <= 6 * np.sqrt(entries / 20)).all()


def test_skew_is_a_power_of_the_rank():
    made = graphcore.datasets.planted_blocks([50], [4], [[200000]], column_skew=1.0, random_state=0)
    shares = np.asarray(made.matrix.sum(axis=0)) / made.matrix.sum()
    np.testing.assert_allclose(shares, (1 / np.arange(1, 5)) / (1 / np.arange(1, 5)).sum(), atol=0.01)
    for wrong in ([[-1]], [[1, 2]], [["a"]]):
        with pytest.raises(ParameterError, match="entries must be"):
            graphcore.datasets.planted_blocks([2], [2], wrong)
    with pytest.raises(ParameterError, match="entries must be"):
        graphcore.datasets.planted_blocks([3], [3], [[np.inf]])


def test_a_networkx_graph_is_refused_with_what_makes_a_matrix_of_it():
    G = nx.davis_southern_women_graph()
    rows = G.graph["top"]
    with pytest.raises(InputError, match=r"a matrix between two kinds.*networkx\.bipartite\.biadjacency_matrix"):
        CoresetSpectralCoclustering(2).fit(G)
    X = nx.bipartite.biadjacency_matrix(G, rows)
    assert CoresetSpectralCoclustering(2, random_state=0).fit(X).row_labels_.shape == (18,)
