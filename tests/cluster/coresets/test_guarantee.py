"""Coresets whose error is guaranteed: the bounds behind their size against dense ones, and how often they fail."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from graphcore import Graph, GraphWarning, ParameterError, build_coreset, coreset_spectral_clustering
from graphcore.cluster.coreset import (
    bernstein_eps,
    bernstein_size,
    check_definite,
    d2_seeding,
    importance_probabilities,
    importance_size,
    largest_ratio,
    least_cost,
    sensitivities,
)
from graphcore.datasets import degree_corrected_partition, planted_partition
from graphcore.kernels.graph import GraphKernel

from ...oracles import centre_distances, cost_of_partition, dense, dense_kernel, partitions
from ...strategies import graphs, linked_adjacencies


@given(graphs(), st.sampled_from([0.0, 1.0, 5.0]), st.sampled_from([0.0, 0.5, 0.9, 1.0]))
def test_kernels_that_are_not_refused_are_definite(pair, self_loop, shift):
    graph, A = pair
    assume(A.any())
    kernel = GraphKernel(graph, self_loop, shift)
    try:
        check_definite(kernel, "this")
    except ParameterError as error:
        assert shift < 1.0
        # The remedy is one.
        needed = float(str(error).split("give shift=")[1].split(",")[0])
        check_definite(GraphKernel(graph, self_loop, needed), "this")
    else:
        K, w = dense_kernel(A, self_loop, shift)
        assert np.linalg.eigvalsh(np.sqrt(w)[:, None] * K * np.sqrt(w)).min() >= -1e-9


@pytest.mark.filterwarnings("ignore:D2 seeding stopped")
@given(linked_adjacencies(4, 9), st.integers(1, 4), st.integers(0, 2**32 - 1))
def test_no_node_pays_more_of_a_cost_than_its_bound(drawn, n_seeds, seed):
    A, rng = drawn
    kernel = GraphKernel(Graph.from_scipy(A, warn=False), 1.0, 1.0)
    K, w = dense_kernel(A, 1.0, 1.0)
    on = np.flatnonzero(w > 0)
    seeds = d2_seeding(kernel, n_seeds, random_state=seed)
    for k in (1, 2, 3):
        if len(on) < k:
            continue
        least = least_cost(kernel, k)
        costs = [cost_of_partition(K[np.ix_(on, on)], w[on], labels, k) for labels in partitions(len(on), k)]
        assert least <= min(costs) + 1e-9
        if least <= 1e-9:
            continue
        bounds = sensitivities(kernel.point_weights, seeds, least)
        for scale in (0.0, 0.1, 1.0, 10.0):
            # Any combinations of points: seeds alone, centroids, and far away.
            Z = rng.standard_normal((k, len(A))) * scale
            Z[:, rng.integers(0, len(A))] += 1.0
            Z[0, seeds.indices[0]] += 1.0
            paid = w * centre_distances(K, Z).min(axis=1)
            assert (paid[on] <= bounds[on] * paid.sum() * (1 + 1e-9) + 1e-12).all()


@given(st.floats(1.0, 1e6), st.floats(1e-3, 1.0), st.floats(1e-6, 0.5))
def test_sizes_and_errors_are_inverse(ratio, eps, failure):
    size = bernstein_size(ratio, eps, failure)
    assert bernstein_eps(ratio, size, failure) == pytest.approx(eps, rel=1e-9)
    assert bernstein_eps(ratio, 4 * size, failure) < eps / 1.7


def draw_errors(graph, blocks, n_draws, eps, guarantee, k=2):
    """Relative errors (n_draws, n_sets) of the costs of sets of centres, and the coresets' draws."""
    K, w = dense_kernel(dense(graph), 1.0, 1.0)
    rng = np.random.default_rng(0)
    paid = []
    for share in (0.0, 0.2, 0.5, 1.0):
        labels = np.where(rng.random(len(w)) < share, rng.integers(0, k, len(w)), blocks)
        Z = np.eye(k)[labels].T * w
        paid.append(centre_distances(K, Z / Z.sum(axis=1, keepdims=True)).min(axis=1))
    paid.append(centre_distances(K, np.eye(len(w))[[0, 1]]).min(axis=1))  # two nodes
    D = np.array(paid).T
    true = w @ D
    errors, sizes = [], []
    for seed in range(n_draws):
        made = build_coreset(graph, k, eps=eps, guarantee=guarantee, method="importance", shift=1.0, random_state=seed)
        errors.append(made.weights @ D[made.indices] / true - 1.0)
        sizes.append(made.n_draws)
    return np.array(errors), np.array(sizes)


GRAPHS = {
    "planted": lambda: planted_partition(2, 750, 0.03, 0.005, random_state=0),
    "skewed degrees": lambda: degree_corrected_partition(2, 750, mean_degree=24, random_state=0),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", GRAPHS)
def test_fewer_of_a_thousand_draws_fail_than_may(name):
    graph, blocks = GRAPHS[name]()
    errors, sizes = draw_errors(graph, blocks, 1000, 0.8, 0.1)
    assert sizes.max() < graph.n_nodes
    assert np.mean(np.abs(errors) > 0.8, axis=0).max() < 0.1
    # Without bias: each mean lies within five of its standard errors, but with probability 6e-7.
    assert (np.abs(errors.mean(axis=0)) <= 5 * errors.std(axis=0) / np.sqrt(1000)).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", GRAPHS)
def test_draws_keep_the_error(name):
    graph, blocks = GRAPHS[name]()
    errors, sizes = draw_errors(graph, blocks, 20, 0.8, True)
    assert sizes.max() < graph.n_nodes and np.abs(errors).max() < 0.8
    _, more = draw_errors(graph, blocks, 1, 0.8, 0.01)
    assert more[0] > 1.5 * sizes.min()


def test_a_guaranteed_coreset_is_one_round_by_the_cells_of_its_seeds():
    graph, _ = GRAPHS["planted"]()
    made = build_coreset(graph, 2, eps=0.8, guarantee=True, method="importance", shift=1.0, random_state=3)
    kernel = GraphKernel(graph, 1.0, 1.0)
    w, p = kernel.point_weights, importance_probabilities(kernel.point_weights, made.seeds, cells=True)
    times = made.weights * p[made.indices] * made.n_draws / w[made.indices]
    np.testing.assert_allclose(times, np.round(times), rtol=1e-9)
    ratio = largest_ratio(sensitivities(w, made.seeds, least_cost(kernel, 2)), p)
    assert made.n_draws == np.ceil(max(bernstein_size(ratio, 0.8, 0.1), importance_size(1500, 2, 0.8)))


def test_where_fewer_do_not_do_it_is_all_nodes():
    graph, _ = GRAPHS["planted"]()
    for options in ({"eps": 0.1}, {"eps": 1.0, "n_seeds": 300}):
        with pytest.warns(GraphWarning, match=r"1500 nodes; the coreset is all of them, without an error: give a larg"):
            made = build_coreset(graph, 2, guarantee=True, method="importance", shift=1.0, random_state=0, **options)
        np.testing.assert_array_equal(made.indices, np.arange(1500))
        np.testing.assert_array_equal(made.weights, GraphKernel(graph, 1.0).point_weights)


def test_the_pipeline_takes_it():
    graph, _ = GRAPHS["planted"]()
    found = coreset_spectral_clustering(
        graph, 2, eps=0.8, guarantee=True, shift=1.0, coreset_graph="induced", random_state=0
    )
    assert 1500 > found.coreset.n_draws > 500 and found.coreset.seeds is not None
    with pytest.raises(ParameterError, match=r"guarantee=True is of a relative error: give eps="):
        coreset_spectral_clustering(graph, 2, guarantee=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"guarantee": True, "size": 50}, "guarantee=True is of a relative error: give eps="),
        ({"guarantee": 1.5, "eps": 0.5}, "guarantee=1.5 must be at most 1"),
        ({"guarantee": 0.0, "eps": 0.5}, "guarantee=0.0 must be more than 0"),
        (
            {"guarantee": True, "eps": 0.5, "shift": 0.0},
            r"positive semi-definite .*give shift=0\.9\d*, or heavier",
        ),
        ({"guarantee": True, "eps": 0.5, "shift": -1}, "shift=-1.0 must be at least 0"),
    ],
)
def test_wrong_values_are_named(options, message):
    graph, _ = GRAPHS["planted"]()
    with pytest.raises(ParameterError, match=message):
        build_coreset(graph, 2, **{"method": "importance", "shift": 1.0, **options})
