"""Coreset spectral clustering: the stages of a run against dense twins, and what the function takes and gives."""

import warnings
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.metrics import adjusted_rand_score

from graphcore import (
    CoresetSpectralClustering,
    Graph,
    GraphWarning,
    InputError,
    ParameterError,
    build_coreset,
    merge_coresets,
)
from graphcore import coreset_spectral_clustering as clustered
from graphcore.base.streams import Streams
from graphcore.cluster import coreset as drawing
from graphcore.cluster import coreset_graph, pipeline, spectral
from graphcore.cluster import coreset_spectral_clustering as function
from graphcore.cluster.coreset import Coreset, d2_seeding, default_size, sample_coreset
from graphcore.cluster.coreset_graph import contract
from graphcore.cluster.refine.problem import apply_labels, matrix_of
from graphcore.datasets import load_karate, planted_partition
from graphcore.kernels.graph import GraphKernel
from graphcore.metrics import normalized_cut

from .. import strategies as own
from ..kernel_methods.oracles import inertia
from ..oracles import contributions, dense, dense_kernel, example, planted, quick
from ..partitions import same_partition
from ..strategies import problem_of
from .test_nearest import check_cells
from .test_power import dense_power

STAGES = [
    (drawing, "fast_seeds"), (drawing, "distinct_sample"), (coreset_graph, "nearest_cells"),
    (coreset_graph, "move_locally"), (spectral, "power_embedding"), (spectral, "_smooth"),
    (pipeline, "power_embedding"), (pipeline, "nearest_centroids"), (function, "nearest_centroids"),
]  # fmt: skip


@pytest.fixture
def stages(limits):
    """For each stage the arguments and the result of its first call, as they were then."""
    calls = {}

    def follow(module, name):
        stage = getattr(module, name)

        def told(*given, **options):
            before = [each.copy() if isinstance(each, np.ndarray) else each for each in given]
            result = stage(*given, **options)
            kept = result.copy() if isinstance(result, np.ndarray) else result
            calls.setdefault(name, (before, options, kept))
            return result

        limits(module, **{name: told})

    for module, name in STAGES:
        follow(module, name)
    return calls


# -- one run, stage by stage -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def sparse():
    """400 nodes in 5 clusters, of mean degree 8, and 3 without an edge."""
    A = planted(5, 80, 0.085, 0.004, 1)[0].to_scipy()
    A.resize(403, 403)
    return Graph.from_scipy(A, warn=False)


def check_stages(stages, graph, streams, size, coreset, cells, matrix):
    """Every stage has been called, and gave what dense matrices give."""
    assert set(stages) == {name for _, name in STAGES}
    A = dense(graph)
    linked = A.sum(axis=1) > 0

    # D2 seeds through the sampling tree: each by one uniform number, in proportion to w Delta.
    K, w = dense_kernel(A, 1.0)
    (_, initial, uniforms, *_), _, seeds = stages["fast_seeds"]
    centres = list(initial)
    for number in uniforms:
        mass = np.cumsum(contributions(K, w, centres))
        centres.append(np.searchsorted(mass, number * mass[-1], side="right"))
    np.testing.assert_array_equal(seeds.indices, centres)
    delta = contributions(K, w, centres)
    np.testing.assert_allclose(seeds.contributions, delta, rtol=1e-9, atol=1e-12)

    # Distinct coreset nodes by importance: those of the smallest u / p.
    importance = delta / delta.sum() + w / w[centres].sum()
    keys = streams.generator("coreset").random(linked.sum()) / (importance / importance.sum())[linked]
    drawn = np.sort(np.flatnonzero(linked)[np.argsort(keys)[:size]])
    np.testing.assert_array_equal(coreset.indices, drawn)
    np.testing.assert_array_equal(stages["distinct_sample"][2].indices, drawn)

    # The coreset graph: cells by the largest kernel value, moved over once; Z'AZ between them.
    check_cells(stages["nearest_cells"][2], K, drawn)
    np.testing.assert_array_equal(cells >= 0, linked)
    Z = np.eye(cells.max() + 1)[cells] * linked[:, None]
    np.testing.assert_allclose(matrix.toarray(), Z.T @ A @ Z, rtol=1e-12)

    # The power method: an orthonormal basis of the smoothed vectors, up to sign. QR loses digits.
    (given, X, n_products, _), _, _ = stages["_smooth"]
    np.testing.assert_allclose(given.toarray(), Z.T @ A @ Z, rtol=1e-12)
    M, X = dense_power(given.toarray(), X)
    embedding, expected = stages["power_embedding"][2], np.linalg.qr(np.linalg.matrix_power(M, n_products) @ X)[0]
    np.testing.assert_allclose(embedding.T @ embedding, np.eye(X.shape[1]), atol=1e-12)
    np.testing.assert_allclose(np.abs(np.sum(embedding * expected, axis=0)), 1.0, atol=1e-6)

    # Labels by kernel distances to the centroids of the clusters so far, of the own and those around.
    (_, before, k, *_), _, labels = stages["nearest_centroids"]
    K, w = dense_kernel(A)
    Z = np.eye(k)[before] * linked[:, None]
    volumes = w @ Z
    inner = K @ (w[:, None] * Z) / volumes  # <phi(x), c_j>
    to_centroids = np.einsum("xj,xj->j", w[:, None] * Z, inner) / volumes - 2 * inner
    to_centroids[(inner == 0) & (Z == 0)] = np.inf
    np.testing.assert_array_equal(labels >= 0, linked)
    x = np.flatnonzero(linked)
    np.testing.assert_allclose(to_centroids[x, labels[x]], to_centroids[x].min(axis=1), rtol=1e-9)


@pytest.mark.filterwarnings("ignore:.*isolated:graphcore.GraphWarning")
def test_a_default_fit_is_the_stages_one_after_the_other(sparse, stages):
    model = CoresetSpectralClustering(5, effort="fast", random_state=3).fit(sparse)
    size = model.clustering_.settings.coreset_size
    assert model.balance_ < 1.0 or model.clustering_.balances  # balance="auto"
    cells, matrix = model.clustering_.cells, model.coreset_graph_
    check_stages(stages, sparse, Streams(3).child("draft", 0), size, model.coreset_, cells, matrix)


@pytest.mark.filterwarnings("ignore:.*isolated:graphcore.GraphWarning")
def test_the_function_is_the_stages_one_after_the_other(sparse, stages):
    found = clustered(sparse, 5, coreset_size=120, random_state=4)
    check_stages(stages, sparse, Streams(4), 120, found.coreset, found.cells, found.coreset_graph)
    np.testing.assert_array_equal(found.labels, stages["nearest_centroids"][2])
    assert found.n_unreached == np.count_nonzero((stages["nearest_cells"][2] < 0) & (sparse.degrees > 0))


# -- contraction -------------------------------------------------------------------------------------------------------


@quick
@given(own.graphs(max_nodes=24), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_unions_of_cells_are_worth_the_same_on_the_coreset_graph(pair, k, seed):
    graph, A = pair
    linked, rng = A.sum(axis=1) > 0, np.random.default_rng(seed)
    assume(linked.any())
    kernel = GraphKernel(graph, 1.0)
    coreset = sample_coreset(kernel, 1, size=int(rng.integers(1, linked.sum() + 1)), replace=False, random_state=seed)
    cells, between, _ = contract(kernel, coreset, problem_of(kernel.graph, 1))
    B, A = matrix_of(between.rows).toarray(), dense(kernel.graph)
    of_cells = rng.integers(0, k, len(B)).astype(np.int32)
    labels = apply_labels(of_cells, cells)

    def sums(A, labels):
        on = labels >= 0
        Z = np.eye(k)[labels] * on[:, None]
        volume, inner = Z.T @ A.sum(axis=1), np.diag(Z.T @ A @ Z)
        filled = volume > 0
        return volume, inner, volume - inner, np.mean(1 - inner[filled] / volume[filled])

    for whole, contracted in zip(sums(A, labels), sums(B, of_cells), strict=True):
        np.testing.assert_allclose(contracted, whole, rtol=1e-12, atol=1e-12 * A.sum())

    def cost(A, labels):
        """Cost of weighted kernel k-means with K = D^-1 A D^-1."""
        K, w = dense_kernel(A)
        return inertia(K, labels, w)

    # That of the cells themselves is in whatever is united of them.
    assert cost(A, labels) == pytest.approx(cost(A, cells) + cost(B, of_cells), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("eigen_solver", ["power", "exact"])
def test_two_clusters_of_karate_are_cut_well(eigen_solver):
    karate = load_karate().graph
    found = [clustered(karate, 2, eigen_solver=eigen_solver, random_state=seed).labels for seed in range(9)]
    assert np.median([normalized_cut(karate, labels) for labels in found]) < 0.15


def test_labels_of_nodes_with_loops_are_the_nearest_centroids():
    A = planted(4, 60, 0.2, 0.05, 0)[0].to_scipy().toarray()
    A[np.arange(0, 240, 2), np.arange(0, 240, 2)] = 3.0
    for seed in range(5):
        found = clustered(A, 4, coreset_size=60, random_state=seed)
        before = apply_labels(found.coreset_graph_labels, found.cells)
        K, w = dense_kernel(A)
        Z = w[:, None] * np.eye(4)[before]
        Z /= Z.sum(axis=0)
        distances = np.einsum("xj,xy,yj->j", Z, K, Z) - 2 * K @ Z
        distances[(A @ np.eye(4)[before] == 0) & (np.eye(4)[before] == 0)] = np.inf
        chosen = distances[np.arange(240), found.labels]
        np.testing.assert_allclose(chosen, distances.min(axis=1), rtol=1e-9, atol=1e-15)


# -- what the function takes and gives ---------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
def test_clear_clusters_are_found_without_moves():
    graph, truth = planted(5, 80, 0.3, 0.005, 0)
    degree = {"sampling": "degree"}
    for options in ({}, {"eigen_solver": "exact"}, degree, degree | {"self_loop": 0.0}, {"sampling": "uniform"}):
        found = [clustered(graph, 5, coreset_size=80, random_state=seed, **options) for seed in range(3)]
        assert np.median([adjusted_rand_score(truth, each.labels) for each in found]) > 0.95


@pytest.mark.filterwarnings("ignore:.*isolated:graphcore.GraphWarning")
@pytest.mark.parametrize(
    "options", [{}, {"eigen_solver": "exact"}, {"coreset_graph": "induced"}, {"coreset_size": 0.2}, {"n_seeds": 3}]
)
def test_stages_do_not_depend_on_the_number_of_threads(sparse, options):
    one, two = (clustered(sparse, 5, **{"coreset_size": 200, **options}, random_state=1, n_jobs=n) for n in (1, 2))
    for name in ("labels", "coreset_labels", "cells"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert abs(one.coreset_graph - two.coreset_graph).max() == 0 and one.n_unreached == two.n_unreached
    other = clustered(sparse, 5, **{"coreset_size": 200, **options}, random_state=2)
    assert not np.array_equal(one.coreset.indices, other.coreset.indices)


@pytest.mark.parametrize("kind", ["contracted", "induced"])
def test_any_algorithm_may_cluster_the_coreset_graph(kind):
    """Labels travel to all nodes from those of a callable, whatever their numbers, as from the power method's."""
    graph, truth = planted(4, 60, 0.5, 0.01, 2)
    seen = []

    def by_eigenvectors(A, k):
        seen.append(A)
        model = SpectralClustering(k, affinity="precomputed", assign_labels="cluster_qr", random_state=0)
        return 7 + 3 * model.fit_predict(A.toarray())

    found = clustered(graph, 4, coreset_graph=kind, coreset_size=100, clusterer=by_eigenvectors, random_state=0)
    (A,) = seen
    assert abs(A - A.T).max() < 1e-12 * A.max()
    np.testing.assert_allclose(A.toarray(), found.coreset_graph.toarray())
    assert found.coreset_graph.sum() == pytest.approx(A.sum()) and found.coreset_graph.max() == pytest.approx(A.max())
    assert adjusted_rand_score(found.labels, truth) == 1.0
    more = clustered(graph, 2, coreset_graph=kind, clusterer=lambda A, k: np.arange(A.shape[0]) % 5, random_state=0)
    assert set(more.labels.tolist()) <= set(range(5))
    with pytest.warns(GraphWarning, match="only 1 of n_clusters=2 clusters hold nodes: clusterer returned 1 labels"):
        clustered(graph, 2, coreset_graph=kind, clusterer=lambda A, k: np.zeros(A.shape[0], int), random_state=0)


@pytest.mark.parametrize("kind", ["contracted", "induced"])
def test_a_coreset_that_is_there_is_clustered_and_kernel_values_are_counted(kind):
    graph, truth = planted_partition(4, 50, 0.3, 0.01, random_state=0)
    drawn = clustered(graph, 4, coreset_size=60, coreset_graph=kind, random_state=0)
    again = clustered(graph, 4, coreset=drawn.coreset, coreset_graph=kind, random_state=0)
    np.testing.assert_array_equal(again.labels, drawn.labels)
    of_rows = sum(graph.indptr[x + 1] - graph.indptr[x] for x in drawn.coreset.indices)
    n_read, n_of_seeds = of_rows if kind == "induced" else graph.n_entries, drawn.coreset.seeds.n_evaluations
    counted = {"seeds": n_of_seeds, "coreset graph": n_read, "labels": n_read}
    assert again.n_evaluations == drawn.n_evaluations == counted
    assert 0 < drawn.n_evaluations["seeds"] < d2_seeding(GraphKernel(graph, 1.0), 8, method="naive").n_evaluations
    parts = [
        build_coreset(graph, 4, size=40, nodes=nodes, random_state=0) for nodes in np.array_split(np.arange(200), 2)
    ]
    merged = clustered(graph, 4, coreset=merge_coresets(*parts), coreset_graph=kind, random_state=0)
    assert adjusted_rand_score(merged.labels, truth) > 0.8 and merged.coreset.sampling == "merged"
    # Draws of one's own, in any order and with repeats, are lists or arrays.
    places = np.random.default_rng(0).permutation(np.repeat(np.arange(len(drawn.coreset)), 2))
    halves = {
        "indices": drawn.coreset.indices[places].tolist(),
        "weights": (drawn.coreset.weights[places] / 2).tolist(),
    }
    own_draws = replace(drawn.coreset, **halves)
    repeated = clustered(graph, 4, coreset=own_draws, coreset_graph=kind, random_state=0)
    assert abs(repeated.coreset_graph - drawn.coreset_graph).max() < 1e-9
    np.testing.assert_array_equal(repeated.coreset.indices, drawn.coreset.indices)
    bare = build_coreset(graph, 4, size=60, sampling="degree", self_loop=0.0, random_state=0)
    found = clustered(graph, 4, coreset=bare, coreset_graph=kind, random_state=0)
    assert found.coreset.self_loop == 0.0 and adjusted_rand_score(found.labels, truth) > 0.8
    for options, said in (
        ({"coreset_size": 9}, "leave coreset_size"), ({"self_loop": 0.0}, "and loops out"),
        ({"coreset": [0, 1]}, r"coreset=\[0, 1\] is no Coreset"), ({"graph": load_karate().graph}, "not one of this"),
        ({"graph": nx.cycle_graph(200)}, "is not one of this graph"),
        ({"coreset": replace(drawn.coreset, weights=-drawn.coreset.weights)}, "weights must be finite and not neg"),
        ({"coreset": Coreset(np.arange(9), np.ones(9), "uniform", 9)}, "it has volume=None, self_loop=None"),
        ({"coreset": parts[0]}, "is of a part of the graph, without 100 nodes that have an edge"),
        ({"coreset": build_coreset(np.eye(200), 2, size=9, kernel="precomputed")}, r"matrix; build_coreset\(graph"),
    ):  # fmt: skip
        with pytest.raises(ParameterError, match=said):
            clustered(**{"graph": graph, "n_clusters": 2, "coreset": drawn.coreset, **options})


@pytest.mark.parametrize("kind", ["contracted", "induced"])
def test_weights_count_and_their_unit_does_not(kind):
    graph, A = example("weighted")
    options = {"coreset_graph": kind, "coreset_size": 30, "random_state": 0}
    found = clustered(A, 3, **options)
    for exponent in (-1000, 3, 1000):
        scaled = clustered(np.ldexp(A, exponent), 3, **options)
        np.testing.assert_array_equal(scaled.labels, found.labels)
        np.testing.assert_array_equal(scaled.coreset.weights, np.ldexp(found.coreset.weights, exponent))
        given = clustered(np.ldexp(A, exponent), 3, coreset=scaled.coreset, coreset_graph=kind, random_state=0)
        np.testing.assert_array_equal(given.labels, found.labels)
    without = clustered(A > 0, 3, **options)
    assert not np.array_equal(without.coreset.indices, found.coreset.indices)
    assert graph.is_weighted


def test_a_graph_too_sparse_for_the_induced_graph_is_warned_of_and_a_shift_that_outweighs_its_edges():
    grid = Graph.from_networkx(nx.grid_2d_graph(60, 60))
    said = (
        r"has \d+ components \(\d+ of them single nodes\) for n_clusters=5, and \d+ nodes have no edge to it.*"
        r"the contracted one \(coreset_graph"
    )
    with pytest.warns(GraphWarning, match=said):
        found = clustered(grid, 5, coreset_graph="induced", coreset_size=300, random_state=0)
    assert found.n_unreached > 1200 and np.bincount(found.labels).max() >= found.n_unreached
    contracted = clustered(grid, 5, coreset_size=300, random_state=0)  # the remedy
    assert np.bincount(contracted.labels).max() < 1200
    graph, _ = planted_partition(5, 200, 0.3, 0.01, random_state=0)
    options = {"coreset_graph": "induced", "coreset_size": 100, "random_state": 0}
    with warnings.catch_warnings(action="error"):
        clustered(graph, 5, **options)
    said = r"loops outweigh the edges of \d+ of \d+ nodes of the induced.*take a smaller shift or self_loop"
    with pytest.warns(GraphWarning, match=said):
        clustered(graph, 5, shift=1.0, **options)


@quick
@given(own.graphs(), st.integers(2, 4), st.sampled_from([0.0, 0.3, 1.0]), st.integers(0, 2**32 - 1))
def test_an_induced_graph_and_its_labels_are_those_of_the_dense_kernel_with_its_shift(pair, k, shift, seed):
    graph, A = pair
    linked = np.flatnonzero(A.sum(axis=1) > 0)
    assume(len(linked) > k)
    with warnings.catch_warnings(action="ignore"):
        found = clustered(graph, k, shift=shift, coreset_graph="induced", coreset_size=0.9, random_state=seed)
    K, w = dense_kernel(A, 1.0, shift)
    points, weights = found.coreset.indices, found.coreset.weights
    # Algorithm 5: seeds by distances of the shifted kernel, draws w / (p N); repeats are a multiple of it.
    seeds = found.coreset.seeds.indices
    assert np.diag(K)[seeds].min() == pytest.approx(np.diag(K)[linked].min())  # x*
    delta = contributions(K, w, seeds)
    p = w / w[seeds].sum() + (delta / delta.sum() if delta.sum() > 0 else 0.0)
    times = weights * (p / p.sum())[points] * found.coreset.n_draws / w[points]
    np.testing.assert_allclose(times, np.round(times), atol=1e-6)
    assert times.sum() == pytest.approx(found.coreset.n_draws)
    dense_graph = weights[:, None] * K[np.ix_(points, points)] * weights
    np.testing.assert_allclose(found.coreset_graph.toarray(), dense_graph, rtol=1e-9)
    names, at = np.unique(found.coreset_labels, return_inverse=True)
    Z = np.zeros((len(A), len(names)))
    Z[points, at] = weights
    Z /= Z.sum(axis=0)
    values = np.einsum("xj,xy,yj->j", Z, K, Z) - 2 * K @ Z
    chosen = values[linked, np.searchsorted(names, found.labels[linked])]
    np.testing.assert_allclose(chosen, values[linked].min(axis=1), rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_algorithm_3_on_an_induced_graph_is_what_dense_numpy_makes_of_it():
    graph, _ = planted(4, 100, 0.3, 0.01, 0)
    K, _ = dense_kernel(dense(graph), 1.0)
    for seed in range(2):
        options = {"coreset_graph": "induced", "coreset_size": 150, "eigen_solver": "exact"}
        found = clustered(graph, 4, random_state=seed, **options)
        points, weights = found.coreset.indices, found.coreset.weights
        # W K W, its embedding by eigenvectors, and k-means on rows of length 1.
        induced = weights[:, None] * K[np.ix_(points, points)] * weights
        root = np.sqrt(induced.sum(axis=1))
        rows = np.linalg.eigh(induced / np.outer(root, root))[1][:, -4:]
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        at = KMeans(4, n_init=10, random_state=0).fit(rows).labels_
        assert same_partition(found.coreset_labels, at)
        # Every node goes to the nearest of the centroids of the weighted coreset nodes.
        Z = np.zeros((len(K), 4))
        Z[points, at] = weights
        Z /= Z.sum(axis=0)
        distances = np.einsum("xj,xy,yj->j", Z, K, Z) - 2 * K @ Z
        assert same_partition(found.labels, distances.argmin(axis=1))


def test_sizes_by_default():
    cases = ((300, 3), (10_000, 3), (10_000, 40), (10**5, 3), (10**7, 3), (10**7, 9999))
    assert [default_size(*case) for case in cases] == [300, 1000, 2000, 3000, 100_000, 499_950]


INDUCED = {"coreset_graph": "induced"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_clusters": 0}, "n_clusters=0 must be at least 1"),
        ({"coreset_size": 2}, "coreset_size=2 is less than n_clusters=3; each cluster needs a node"),
        ({"n_seeds": 0}, "n_seeds=0 must be at least 1"),
        ({"self_loop": -1}, "self_loop=-1.0 must be at least 0"),
        ({"coreset_graph": "quotient"}, "coreset_graph='quotient' is not known; choose one of 'contracted', 'induced'"),
        ({"clusterer": "leiden"}, "clusterer='leiden' is no function of a sparse matrix"),
        ({"clusterer": len, "eigen_solver": "exact"}, "clusterer=.*takes the place of eigen_solver"),
        ({"clusterer": lambda A, k: np.zeros(2, int)}, r"labels of clusterer have shape \(2,\)"),
        ({"coreset_degrees": "weights", **INDUCED}, "coreset_degrees='weights' needs eigen_solver='exact'"),
        ({"coreset_degrees": "weights", "eigen_solver": "exact"}, "'weights' needs .* coreset_graph='induced'"),
        ({"self_loop": 0.0}, r"diagonal is zero.*self_loop=1\.0.*or draw by 'degree'"),
        ({"graph": Graph.from_edges([], [], n_nodes=4), "n_clusters": 2}, "all 4 nodes are isolated"),
    ],
)
def test_wrong_values_are_named_with_a_remedy(options, message):
    given = {"graph": example("barabasi-albert")[0], "n_clusters": 3, "random_state": 0}
    with pytest.raises(InputError, match=message):
        clustered(**{**given, **options})
