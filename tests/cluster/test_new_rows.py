"""New vectors and new nodes, tables of results, scikit-learn's pipelines, data frames and neighbour graphs."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits, make_blobs
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import kneighbors_graph
from sklearn.pipeline import make_pipeline

import graphcore
from graphcore import CoresetSpectralClustering, Graph, GraphWarning, InputError, ParameterError
from graphcore.cluster.membership import cluster_shares, predict_labels
from graphcore.cluster.refine._objective_loops import objective_value
from graphcore.cluster.refine.objectives import OBJECTIVES
from graphcore.metrics import outside_share

pytestmark = pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")

CAVEMEN = nx.connected_caveman_graph(5, 8)
NEIGHBOURS = "precomputed_nearest_neighbors"


def model(k, **parameters):
    return CoresetSpectralClustering(k, random_state=0, **parameters)


@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
@given(st.integers(0, 2**32 - 1))
def test_the_rule_is_what_a_little_of_the_node_gains(objective, seed):
    """Oracle: a millionth of the node is added to each cluster in turn, and the objective taken anew."""
    rng = np.random.default_rng(seed)
    k, n = rng.integers(1, 6), 30
    A = rng.random((n, n)) * (rng.random((n, n)) < 0.3)
    A = A + A.T
    labels = rng.integers(0, k, n).astype(np.int32)
    labels[:k] = np.arange(k)
    H = np.eye(k)[labels]
    inner, volumes = np.diag(H.T @ A @ H).copy(), H.T @ A.sum(axis=1)
    rows = rng.random((8, n)) * (rng.random((8, n)) < 0.2)
    sums = rows @ H
    found = predict_labels(cluster_shares(sp.csr_array(rows), labels, H.shape[1]), inner, volumes, objective)
    code, little = objective.code, 1e-6
    for row, cluster in zip(sums, found, strict=True):
        if not row.any():
            assert cluster == -1
            continue
        values = {}
        for c in np.flatnonzero(row):
            unit = np.eye(len(row))[c]
            values[c] = objective_value(
                code, inner + 2 * little * row * unit, volumes + little * (row + row.sum() * unit)
            )
        assert values[cluster] >= max(values.values()) - 1e-10


# -- against fitting again ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_new_nodes_get_the_clusters_of_fitting_again(weighted):
    graph, truth = graphcore.datasets.planted_partition(6, 150, 0.1, 0.005, random_state=1)
    A = graph.to_scipy()
    if weighted:
        A = A * 0.5
    order = np.random.default_rng(2).permutation(900)
    old, new = order[:800], order[800:]
    fitted, again = (model(6).fit(A[nodes][:, nodes]) for nodes in (old, order))
    found = fitted.predict(A[new][:, old])
    assert found.dtype == np.int32
    assert adjusted_rand_score(found, again.labels_[800:]) > 0.95
    assert adjusted_rand_score(found, truth[new]) > 0.95
    np.testing.assert_array_equal(fitted.predict(A[new][:, old].toarray()), found)
    np.testing.assert_array_equal(fitted.predict(sp.csc_matrix(A[new][:, old])), found)


def test_a_graph_stands_for_its_own_rows():
    fitted = model(5).fit(CAVEMEN)
    for X in (CAVEMEN, Graph.from_networkx(CAVEMEN), nx.to_scipy_sparse_array(CAVEMEN)):
        np.testing.assert_array_equal(fitted.predict(X), fitted.labels_)
    alone = CAVEMEN.copy()
    alone.add_node("alone")
    rows = np.zeros((2, 41))
    rows[0, 40] = rows[1, 0] = 1  # a new node that knows only the isolated one, and another
    looser = model(5).fit(alone)
    assert looser.predict(rows).tolist() == [-1, looser.labels_[0]]
    np.testing.assert_array_equal(looser.transform(rows).sum(axis=1), [0, 1])


def test_bad_new_input():
    fitted, vectors = model(5).fit(CAVEMEN), model(3).fit(make_blobs(40, random_state=0)[0])
    for of, X, said in (
        (fitted, np.ones((1, 39)), "39 features, but .* expecting 40 features as input; give .* a row of weights"),
        (fitted, -np.ones((1, 40)), "Negative values"), (fitted, [0, 1, 2], "Reshape your data"),
        (fitted, {"source": [40], "target": [3]}, r"X is a table of edges; give .* a row of weights"),
        (fitted, nx.path_graph(41), "41 nodes, and the one fitted 40; for new nodes give"),
        (fitted, nx.relabel_nodes(CAVEMEN, str), "not those that were fitted"),
        (vectors, CAVEMEN, "fitted to vectors, got Graph; give vectors"),
    ):  # fmt: skip
        with pytest.raises(ValueError if "Reshape" in said else InputError, match=said):
            of.predict(X)
    for X, options, said in (
        (np.random.default_rng(0).random((20, 20)), {"metric": "precomputed"}, "KNeighborsTransformer.*" + NEIGHBOURS),
        (np.ones((5, 5)), {"affinity": NEIGHBOURS}, "diagonal holds others; this may be a kernel"),
        (CAVEMEN, {"affinity": NEIGHBOURS}, "takes vectors or their distances, got Graph; use affinity=.auto."),
    ):
        with pytest.raises(InputError, match=said):
            model(2, **options).fit(X)


# -- scikit-learn ------------------------------------------------------------------------------------------------------


def test_transform_gives_shares_and_data_frames_and_is_a_step_before_a_classifier():
    fitted = model(5).fit(CAVEMEN)
    shares = fitted.transform(CAVEMEN)
    assert shares.shape == (40, 5)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    np.testing.assert_allclose(1 - shares[np.arange(40), fitted.labels_], fitted.outside_share_, atol=1e-6)
    names = [f"coresetspectralclustering{c}" for c in range(5)]
    assert fitted.get_feature_names_out().tolist() == names
    for library in ("pandas", "polars"):
        pytest.importorskip(library)
        frame = model(5).set_output(transform=library).fit(CAVEMEN).transform(CAVEMEN)
        assert type(frame).__module__.split(".")[0] == library
        assert list(frame.columns) == names
    X, y = make_blobs([60, 60, 60], random_state=0, cluster_std=0.5)
    assert make_pipeline(model(3), LogisticRegression()).fit(X[:150], y[:150]).score(X[150:], y[150:]) == 1.0


def test_rows_that_list_no_neighbour_are_isolated_unless_another_lists_them():
    X, y = make_blobs([60, 60], random_state=0, cluster_std=0.5)
    D = kneighbors_graph(X, 5, mode="distance").tolil()
    D[3] = D[:, 3] = D[4] = 0  # as of a subset
    with pytest.warns(GraphWarning, match="more than row 3 lists, which has 0 beside itself: of such rows all"):
        labels = model(2, affinity=NEIGHBOURS, n_neighbors=5).fit_predict(D.tocsr())
    np.testing.assert_array_equal(np.flatnonzero(labels < 0), [3])
    assert adjusted_rand_score(y[labels >= 0], labels[labels >= 0]) == 1.0


@pytest.mark.parametrize("metric", ["hamming", "jaccard"])
def test_new_vectors_of_bits(metric):
    rng = np.random.default_rng(0)
    rates = np.kron(np.eye(3), np.ones(10)) * 0.8 + 0.05
    X = rng.random((150, 30)) < rates[np.arange(150) % 3]
    fitted = model(3, affinity="nearest_neighbors", metric=metric).fit(X[:120])
    assert adjusted_rand_score(np.arange(30) % 3, fitted.predict(X[120:])) > 0.8
    with pytest.raises(InputError, match="X is sparse, and the rows that were fitted are not"):
        fitted.predict(sp.csr_array(X[120:].astype(float)))
    with pytest.raises(InputError, match="vectors of 0 and 1"):
        fitted.predict(np.full((2, 30), 0.5))


# -- tables of results ------------------------------------------------------------------------------------------------


def test_results_as_a_table():
    G = nx.relabel_nodes(CAVEMEN, lambda i: f"man {i}")
    fitted = model(5).fit(G)
    table = fitted.to_table()
    assert {name: len(column) for name, column in table.items()} == dict.fromkeys(
        ["node", "cluster", "stability", "outside_share"], 40
    )
    assert table["node"].tolist() == list(G)
    np.testing.assert_array_equal(table["cluster"], fitted.labels_)
    np.testing.assert_array_equal(table["outside_share"], outside_share(G, fitted.labels_))
    nested = model([2, 5]).fit(G)
    assert list(nested.to_table())[4:] == ["level_1"]
    np.testing.assert_array_equal(nested.to_table()["level_1"], nested.level_labels_[0])
    nx.set_node_attributes(G, 7, "age")
    table = model(5, effort="fast").fit(G).to_table()
    assert np.isnan(table["stability"]).all() and list(table)[4:] == ["age"]
    for library in ("pandas", "polars", "pyarrow"):
        pytest.importorskip(library)
        frame = fitted.to_table(library)
        assert type(frame).__module__.split(".")[0] == library
        assert np.asarray(frame["node"]).tolist() == list(G)
    with pytest.raises(ParameterError, match="library='excel'"):
        fitted.to_table("excel")


def test_the_score_is_minus_the_cost_of_kernel_k_means():
    """Oracle: distances in feature space under D^-1 A D^-1, by the dense formula; on the fit KernelKMeans has it."""
    A = sp.csr_array(nx.to_scipy_sparse_array(CAVEMEN, dtype=float))
    fitted = model(5).fit(A)
    labels = fitted.labels_
    exact = graphcore.KernelKMeans(5, init=labels, max_iter=1).fit(A)
    assert fitted.score(A) == pytest.approx(-exact.cost_) == pytest.approx(exact.score(A))
    cut = graphcore.metrics.normalized_cut(A, labels)
    assert fitted.score(A) == pytest.approx(5 * (1 - cut) / A.sum())
    new = np.zeros((4, 40))
    new[0, :3], new[1, 7:9], new[2, [3, 20, 21]] = 1.0, 2.0, 1.0  # the last row has no edge
    found, degrees = fitted.predict(new), new.sum(axis=1)
    d = np.asarray(A.sum(axis=1)).ravel()
    K, cost = A.toarray() / np.outer(d, d), 0.0
    for x in range(3):
        w = np.where(labels == found[x], d, 0.0) / d[labels == found[x]].sum()
        cost += degrees[x] * (w @ K @ w - 2 * (new[x] / degrees[x] / d) @ w)
    assert fitted.score(new) == pytest.approx(-cost / degrees.sum())
    with pytest.raises(InputError, match="no row has an edge"):
        fitted.score(new[3:])
    assert np.isfinite(cross_val_score(model(2), load_digits().data[:100], cv=3)).all()
