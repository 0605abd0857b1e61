"""Initialisations, ties, clusters that run empty, and what is refused."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from graphcore import InputError, KernelKFlats, KFlats
from graphcore.kernel_methods.alternation import alternate, fill_empty, seed_labels
from graphcore.kernel_methods.k_flats import EuclideanFlats, FlatSet, k_flats
from graphcore.kernel_methods.kernel_k_flats import kernel_k_flats

from .oracles import problem_of


def problem(X, w=None, m=0):
    return EuclideanFlats(np.asarray(X, dtype=float), np.ones(len(X)) if w is None else w, m)


@pytest.mark.parametrize("farthest", [False, True])
def test_seeds_are_different_places_and_clusters_are_nearest_seeds(farthest):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 5, size=(200, 2)) + 1e5  # 25 places, each many times
    seeds, labels = seed_labels(problem(X), 25, rng, farthest=farthest)
    assert len(np.unique(X[seeds], axis=0)) == 25
    np.testing.assert_array_equal(X[seeds][labels], X)
    with pytest.raises(InputError, match="only 25 different points, fewer than n_clusters=26; take n_clusters=25"):
        seed_labels(problem(X), 26, rng, farthest=farthest)
    some, labels = seed_labels(problem(X), 7, rng, farthest=farthest)
    D = np.square(X[:, None] - X[some]).sum(axis=2)
    np.testing.assert_array_equal(labels, D.argmin(axis=1))


def test_farthest_first_takes_the_farthest():
    X = np.random.default_rng(0).normal(size=(60, 3))
    seeds, _ = seed_labels(problem(X), 6, np.random.default_rng(1), farthest=True)
    for j in range(1, 6):
        distances = np.square(X[:, None] - X[seeds[:j]]).sum(axis=2).min(axis=1)
        assert distances[seeds[j]] == distances.max()


@pytest.mark.slow
def test_seeding_is_within_its_bound():
    """E[seeding error] <= 8 (ln k + 2) best; on ten blobs it is a few times the best, where random seeds are not."""
    points = make_blobs(500, 5, centers=10, random_state=0)[0]
    p = problem(points)
    best = min(k_flats(points, 10, 0, n_init=10, random_state=seed).inertia for seed in range(3))

    def errors(draw):
        seeded, settled = np.empty(200), np.empty(200)
        for i in range(200):
            seeds = draw(np.random.default_rng(i))
            means = FlatSet.of_points(p.origin, points[seeds] - p.origin)
            labels = means.moved(p.Y)
            seeded[i] = np.square(points - points[seeds][labels]).sum() / best
            settled[i] = alternate(p, labels, 10).history[-1] / best
        return seeded, settled

    seeded, settled = errors(lambda rng: seed_labels(p, 10, rng)[0])
    assert seeded.mean() + 5 * seeded.std() / np.sqrt(200) < 8 * (np.log(10) + 2)
    assert 1.5 < seeded.mean() < 6
    assert (settled <= seeded).all()
    by_chance, _ = errors(lambda rng: rng.choice(500, 10, replace=False))
    assert by_chance.mean() > 2 * seeded.mean()
    _, farthest = errors(lambda rng: seed_labels(p, 10, rng, farthest=True)[0])
    assert farthest.mean() == pytest.approx(1, abs=0.05)


def test_ties_stay_in_feature_space():
    """Copies of one point: distances to the flats of all clusters differ by rounding only."""
    X = np.tile(np.random.default_rng(0).normal(size=5), (60, 1))
    labels = (np.arange(60) % 4).astype(np.int32)
    p = problem_of(X @ X.T, np.random.default_rng(1).uniform(0.5, 2, 60), 0)
    flats, _ = p.fit(labels, 4)
    assert len(np.unique(flats.mean_norms)) > 1
    np.testing.assert_array_equal(p.reassign(flats, labels), labels)


# From these labels the middle cluster loses its points to both sides.
LINE = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
EMPTIES = np.array([0, 1, 0, 2, 1, 2], dtype=np.int32)


def test_empty_clusters_get_the_farthest_point():
    result = k_flats(LINE, 3, 0, init=EMPTIES)
    assert sorted(np.bincount(result.labels)) == [1, 2, 3]
    assert (np.diff(result.history) <= 0).all()
    labels = fill_empty(np.zeros(4, dtype=np.int32), np.array([1.0, 5.0, 2.0, 4.0]), np.array([4, 0, 0]))
    assert labels.tolist() == [0, 1, 0, 2]
    # A point alone in its cluster stays, however far.
    labels = fill_empty(np.array([0, 0, 1], dtype=np.int32), np.array([1.0, 2.0, 9.0]), np.array([2, 1, 0]))
    assert labels.tolist() == [0, 2, 1]


X = np.random.default_rng(0).normal(size=(20, 3))
K = X @ X.T
NAN = np.where(np.arange(60).reshape(20, 3) == 31, np.nan, X)
INDEFINITE = K + 5 * np.fliplr(np.eye(20))


BAD = {
    "n_clusters": (0, 2.0, 21),
    "n_dims": (-1, 20),
    "init": ("best", [0, 1], np.zeros(20), np.full(20, 3), np.full(20, -1)),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
@pytest.mark.parametrize("function", [lambda **o: k_flats(X, **o), lambda **o: kernel_k_flats(K, **o)])
def test_options(function, name, value):
    with pytest.raises(InputError, match=name):
        function(**{"n_clusters": 3, name: value})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: k_flats(NAN, 2), "X must be finite: row 10, column 1 is NaN"),
        (lambda: k_flats(np.ones((9, 2)), 2), "only 1 different points, fewer than n_clusters=2"),
        (lambda: k_flats(X, 3, 1, init="global"), "for n_dims=0 only"),
        (lambda: (m := KFlats(2).fit(X)).inverse_transform(m.transform(X)), "codes are the pair that encode"),
        (lambda: kernel_k_flats(INDEFINITE, 2, 1), r"not positive semi-definite: .* go from -.*on_indefinite"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_rows_of_a_kernel():
    model = KernelKFlats(2, 1, kernel="precomputed", random_state=0).fit(K)
    with pytest.raises(ValueError, match="X has 3 features, but KernelKFlats is expecting 20"):
        model.predict(X)
    result = kernel_k_flats(K, 2, 1, init=np.arange(20) % 2)
    with pytest.raises(InputError, match="one entry for each of 20 points; these have 3"):
        result.distances_to(X)
    # Without the diagonal all distances of a point lack one number; its mean over the fit stands for it.
    D = model._result.distances_to(K[:7], np.diagonal(K)[:7])
    assert model.score(K[:7]) == pytest.approx(-(D.min(axis=1) - np.diagonal(K)[:7]).mean() - np.diagonal(K).mean())
    np.testing.assert_array_equal(model.predict(K), model._result.distances_to(K, np.diagonal(K)).argmin(axis=1))
    assert model.score(K) == pytest.approx(-model.reconstruction_error_)
