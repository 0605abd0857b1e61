"""k-flats on vectors: its two steps against plain numpy, its exact special cases, what must never rise."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA

from graphcore.kernel_methods import k_flats as module
from graphcore.kernel_methods.k_flats import EuclideanFlats, k_flats

from .oracles import all_distances, lloyd, random_problem

SEEDS = st.integers(0, 2**32 - 1)

# Where passes are limited on purpose.
pytestmark = pytest.mark.filterwarnings("ignore:points still moved")


@given(SEEDS, st.integers(0, 5), st.integers(1, 4), st.sampled_from([3, 5, 9]))
def test_one_step_against_the_projectors(seed, m, k, d):
    X, w, labels = random_problem(seed, n=30, d=d, k=k)
    m = min(m, d)
    flats, own = EuclideanFlats(X, w, m).fit(labels, k)
    D = all_distances(X, w, labels, k, m)
    np.testing.assert_allclose(own, D[np.arange(30), labels], atol=1e-11)
    if all((labels == j).sum() > m for j in range(k)):  # or the flats are not the same for other points
        np.testing.assert_allclose(flats.squared_distances(X), D, atol=1e-11)
        nearest, distances = flats.nearest(X)
        np.testing.assert_allclose(distances, D.min(axis=1), atol=1e-11)
        np.testing.assert_allclose(D[np.arange(30), nearest], D.min(axis=1), atol=1e-11)
    for j, size in enumerate(flats.dims):
        basis = flats.bases[j, :size]
        np.testing.assert_allclose(basis @ basis.T, np.eye(size), atol=1e-12)
        assert not flats.bases[j, size:].any()


@given(SEEDS, st.integers(0, 3))
def test_the_residual_is_the_sum_of_the_trailing_eigenvalues(seed, m):
    X, w, labels = random_problem(seed)
    _, own = EuclideanFlats(X, w, m).fit(labels, 3)
    for j in range(3):
        Y, v = X[labels == j], w[labels == j]
        Y = Y - np.average(Y, axis=0, weights=v)
        values = np.linalg.eigvalsh(Y.T @ (v[:, None] * Y))[::-1]
        assert v @ own[labels == j] == pytest.approx(values[m:].sum(), rel=1e-9, abs=1e-10)
        if m == 0:  # equation 15 of the report: distances between pairs give the same error
            pairs = v @ np.square(Y[:, None] - Y).sum(axis=2) @ v / (2 * v.sum())
            assert v @ own[labels == j] == pytest.approx(pairs, rel=1e-9)


@given(SEEDS, st.integers(0, 2), st.integers(2, 4))
def test_the_whole_run_is_that_of_the_plain_algorithm(seed, m, k):
    X, w, labels = random_problem(seed, n=60, d=3, k=k)
    sequence, objectives = lloyd(X, w, labels, k, m)
    # Where a cluster runs too small for its flat, what happens is a policy.
    assume(min(np.bincount(step, minlength=k).min() for step in sequence) > m)
    result = k_flats(X, k, m, init=labels, sample_weight=w)
    np.testing.assert_array_equal(result.labels, sequence[-1])
    np.testing.assert_allclose(result.history, objectives, rtol=1e-9, atol=1e-10)
    assert result.converged


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_dimension_0_is_k_means(weighted, limits):
    limits(module, _CACHED_NUMBERS=40)  # ten rows
    compared = 0
    for seed in range(10):
        X, w, labels = random_problem(seed, n=80, d=4, k=5)
        w = w if weighted else None
        means = np.stack(
            [np.average(X[labels == j], axis=0, weights=None if w is None else w[labels == j]) for j in range(5)]
        )
        theirs = KMeans(5, init=means, n_init=1, tol=0, max_iter=300).fit(X, sample_weight=w)
        ours = k_flats(X, 5, 0, init=means, sample_weight=w)
        again = k_flats(X, 5, 0, init=labels, sample_weight=w)
        if len(set(theirs.labels_)) == 5 and again.n_iter > 1:
            compared += 1
            np.testing.assert_array_equal(ours.labels, theirs.labels_)
            np.testing.assert_array_equal(again.labels, theirs.labels_)
            np.testing.assert_allclose(ours.flats.means, theirs.cluster_centers_, atol=1e-12)
            assert ours.inertia == pytest.approx(theirs.inertia_, rel=1e-12)
    assert compared == 10


@pytest.mark.parametrize(("n", "d", "m"), [(50, 4, 2), (10, 30, 3), (200, 7, 6), (40, 40, 1)])
def test_one_flat_is_pca(n, d, m):
    X = np.random.default_rng(d).normal(size=(n, d)) * np.linspace(1, 3, d)
    result = k_flats(X, 1, m)
    pca = PCA(m).fit(X)
    np.testing.assert_allclose(result.flats.means[0], X.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(np.abs(pca.components_ @ result.flats.bases[0].T), np.eye(m), atol=1e-8)
    np.testing.assert_allclose(
        result.flats.decode(*result.flats.encode(X)), pca.inverse_transform(pca.transform(X)), atol=1e-9
    )
    values = np.linalg.eigvalsh(np.cov(X.T, bias=True))
    assert result.error == pytest.approx(values[: d - m].sum(), rel=1e-10)


def test_encode_and_decode():
    X, _, _ = random_problem(1, n=100, d=6)
    Z, _, _ = random_problem(2, n=30, d=6)
    for m in (0, 2):
        flats = k_flats(X, 4, m, random_state=0).flats
        labels, coordinates = flats.encode(Z)
        assert coordinates.shape == (30, m)
        back = flats.decode(labels, coordinates)
        nearest, distances = flats.nearest(Z)
        np.testing.assert_array_equal(labels, nearest)
        np.testing.assert_allclose(np.square(Z - back).sum(axis=1), distances, atol=1e-12)
        # A projection stays where it is.
        np.testing.assert_allclose(flats.squared_distances(back)[np.arange(30), labels], 0, atol=1e-12)
        if m == 0:
            np.testing.assert_allclose(back, flats.means[labels], atol=0)


@pytest.mark.slow
def test_global_k_means():
    X = make_blobs(60, centers=8, random_state=0, cluster_std=0.6)[0]
    path = [k_flats(X, k, 0, init="global") for k in range(1, 9)]
    errors = [result.error for result in path]
    assert all(after <= before for before, after in pairwise(errors))
    singles = [[k_flats(X, k, 0, n_init=1, random_state=seed).error for seed in range(4)] for k in range(1, 9)]
    for result, found in zip(path, singles, strict=True):
        assert result.error <= np.mean(found) * (1 + 1e-9)
    # Greedy as it is, it need not be best on the way; the eight blobs it finds.
    assert errors[-1] <= min(singles[-1]) * (1 + 1e-9)
    # By the definition: scikit-learn's k-means from the means before and every point.
    means = np.concatenate([np.broadcast_to(path[2].flats.means, (60, 3, 2)), X[:, None]], axis=1)
    tried = [KMeans(4, init=start, n_init=1, tol=0).fit(X).inertia_ for start in means]
    assert path[3].inertia == pytest.approx(min(tried), rel=1e-9)


# -- weights of 0 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_points_of_weight_0_take_no_part_and_go_to_their_nearest_flat(init):
    X, w, labels = random_problem(0, n=80, d=5, k=3)
    w[::4] = 0
    kept = w > 0
    result = k_flats(X, 3, 1, init=init, sample_weight=w, n_init=2, random_state=0)
    alone = k_flats(X[kept], 3, 1, init=init, sample_weight=w[kept], n_init=2, random_state=0)
    np.testing.assert_array_equal(result.labels[kept], alone.labels)
    np.testing.assert_array_equal(result.flats.means, alone.flats.means)
    assert result.inertia == alone.inertia
    assert result.error == pytest.approx(alone.error, rel=1e-12)
    nearest, distances = alone.flats.nearest(X[~kept])
    np.testing.assert_array_equal(result.labels[~kept], nearest)
    np.testing.assert_allclose(result.squared_distances[~kept], distances, atol=1e-12)
    # Labels given for them say nothing.
    given = k_flats(X, 3, 1, init=np.where(kept, labels, -7), sample_weight=w)
    np.testing.assert_array_equal(given.labels, k_flats(X, 3, 1, init=labels, sample_weight=w).labels)


@given(SEEDS, st.integers(0, 2))
def test_the_distance_to_the_flats_is_1_lipschitz(seed, m):
    X, _, _ = random_problem(seed, n=40, d=3)
    flats = k_flats(X, 3, m, n_init=1, random_state=seed % 1000).flats
    rng = np.random.default_rng(seed)
    a, b = 3 * rng.normal(size=(2, 50, 3))
    gap = np.abs(np.sqrt(flats.nearest(a)[1]) - np.sqrt(flats.nearest(b)[1]))
    assert (gap <= np.linalg.norm(a - b, axis=1) + 1e-9).all()
