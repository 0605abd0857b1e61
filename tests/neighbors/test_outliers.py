"""Outliers: scores from distances to neighbours, where they begin, and what a model makes of them."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_moons
from sklearn.metrics import adjusted_rand_score, roc_auc_score

import graphcore
from graphcore import CoresetSpectralClustering, GraphWarning, InputError, ParameterError
from graphcore.neighbors import outliers as module
from graphcore.neighbors.neighbor_lists import Neighbors
from graphcore.neighbors.outliers import last_distances, leave_out, mixing, outlier_scores, valley
from graphcore.neighbors.search import nearest_neighbors


def mixture(seed, n, d, distance, scales=(1.0,) * 5, share=0.0):
    """Five Gaussians, the centres of norm `distance` times sqrt(d) in the mean, in a box of uniform noise (-1)."""
    rng = np.random.default_rng(seed)
    y = rng.integers(5, size=n)
    X = distance * rng.normal(size=(5, d))[y] + np.asarray(scales)[y][:, None] * rng.normal(size=(n, d))
    noise = rng.uniform(X.min(axis=0), X.max(axis=0), (round(share * n), d))
    return np.vstack([X, noise]), np.append(y, np.full(len(noise), -1))


def found(X, n_neighbors=10):
    return nearest_neighbors(np.ascontiguousarray(X, dtype=np.float64), n_neighbors)


def test_scores_and_last_distances_against_loops():
    neighbors = Neighbors(
        np.array([[1, 2], [0, -1], [-1, -1], [0, 1]], dtype=np.int32),
        np.array([[1.0, 4.0], [2.0, np.inf], [np.inf, np.inf], [0.0, 0.0]], dtype=np.float32),
    )
    np.testing.assert_array_equal(last_distances(neighbors), [4.0, 2.0, np.inf, 0.0])
    # The median of 0, 2 and 4 is 2.
    r = last_distances(neighbors)
    np.testing.assert_allclose(outlier_scores(r, 2.0), [4 / 6, 0.5, 1.0, 0.0])
    same = Neighbors(neighbors.indices[[0, 0, 0]], np.zeros((3, 2), dtype=np.float32))
    np.testing.assert_array_equal(outlier_scores(last_distances(same), 0.0), 0.5)
    assert valley(same, np.zeros(3)) == (np.inf, 0.0)


def test_density_against_a_sum_over_all_rows():
    logs = np.random.default_rng(0).normal(size=400)
    at, counts = module._density(logs)
    low, middle = np.quantile(logs, [0.25, 0.5])
    h = 0.7 * min((middle - low) / 0.6745, logs.std()) * 400**-0.2
    # A Gaussian kernel of width h: the rows in a window of 2 sqrt(pi) h.
    want = np.sqrt(2) * np.exp(-0.5 * np.square((at[:, None] - logs) / h)).sum(axis=1)
    inside = (at > middle + h) & (at < logs.max())
    np.testing.assert_allclose(counts[inside], want[inside], atol=0.04 * want.max())


@pytest.mark.parametrize("seed", range(4))
def test_mixing_against_a_dense_matrix(seed):
    rng = np.random.default_rng(seed)
    neighbors = found(rng.normal(size=(200, 2)), 8)
    neighbors.indices[rng.random((200, 8)) < 0.1] = -1
    apart = rng.random(200) < 0.1 * (seed + 1)
    lists = (neighbors.indices[:, :, None] == np.arange(200)).any(axis=1)  # whether row i lists row j
    n_apart, n_others = lists[apart].sum(axis=0), lists[~apart].sum(axis=0)
    taken = (n_apart >= np.maximum(n_others, 1))[~apart & (n_others <= 2)]
    leaving = lists[apart][:, ~apart].sum() / lists[apart].sum()
    assert len(taken)
    np.testing.assert_allclose(mixing(neighbors, apart), max(leaving, np.mean(taken)))
    assert mixing(neighbors, np.zeros(200, dtype=bool)) == 0


@pytest.mark.parametrize("share", [0.01, 0.2, 0.5])
def test_a_share_leaves_out_the_farthest_rows_and_nothing_else(share):
    X, _ = mixture(1, 300, 3, 4.0)
    before, neighbors = found(X), found(X)
    result = leave_out(neighbors, share)
    r = before.distances[:, -1]
    apart = np.zeros(300, dtype=bool)
    apart[np.argsort(r)[300 - round(share * 300) :]] = True
    np.testing.assert_array_equal(r > result.radius, apart)
    want = [[-1 if apart[i] or apart[j] else j for j in row] for i, row in enumerate(before.indices.tolist())]
    assert neighbors.indices.tolist() == want
    assert result.scores[apart].min() >= result.scores[~apart].max()


@pytest.mark.slow
@pytest.mark.parametrize(("d", "distance"), [(3, 6.0), (10, 2.0), (50, 1.0), (256, 0.6)])
def test_noise_is_found_in_few_and_many_dimensions(d, distance):
    X, y = mixture(2, 2000, d, distance, share=0.2)
    with pytest.warns(GraphWarning, match=r"leaves out (1[5-9]|2\d)% of the rows"):
        result = leave_out(found(X), "auto")
    apart = last_distances(found(X)) > result.radius
    assert roc_auc_score(y < 0, result.scores) > 0.95
    assert apart[y < 0].mean() > 0.75
    assert apart[y >= 0].mean() < 0.05


CLEAN = {
    **{
        f"clusters in {d} dimensions": lambda d=d, distance=distance: mixture(100, 2000, d, distance)[0]
        for d, distance in ((2, 8.0), (20, 1.5), (100, 1.0))
    },
    "moons": lambda: make_moons(2000, noise=0.05, random_state=0)[0],
    "uniform": lambda: np.random.default_rng(0).uniform(size=(2000, 2)),
    "Gaussian": lambda: np.random.default_rng(0).normal(size=(2000, 2)),
    "Student": lambda: np.random.default_rng(0).standard_t(3, size=(2000, 5)),
    "densities": lambda: mixture(0, 2000, 10, 4.0, (0.3, 0.6, 1.0, 1.5, 2.2))[0],
    # A share of edges that leave, .1, had a fifth of these left out.
    "densities that touch": lambda: mixture(1, 2000, 50, 1.5, (0.3, 0.6, 1.0, 1.5, 2.2))[0],
    "digits": lambda: load_digits().data,
    "repeated": lambda: np.repeat(np.random.default_rng(0).normal(size=(100, 2)), 20, axis=0),
}


@pytest.mark.filterwarnings("ignore:outliers='auto' leaves out no row")
@pytest.mark.parametrize("name", CLEAN)
def test_sets_without_noise_are_left_whole(name):
    neighbors = found(CLEAN[name]())
    assert np.mean(last_distances(neighbors) > leave_out(neighbors, "auto").radius) <= 0.02


@pytest.fixture(scope="module")
def noisy():
    X, y = mixture(3, 1500, 10, 2.0, share=0.2)
    return X, y, CoresetSpectralClustering(5, outliers="auto", random_state=0).fit(X)


@pytest.mark.slow
def test_labels_are_better_with_noise_as_a_class_and_all_that_is_read_off_a_model_knows_them(noisy, tmp_path):
    X, y, model = noisy
    apart = model.labels_ < 0
    np.testing.assert_array_equal(model.membership_.sum(axis=1) == 0, apart)
    np.testing.assert_array_equal(np.isnan(model.outside_share_), apart)
    assert model.summary()["size"].sum() == np.count_nonzero(~apart)
    predicted = model.predict(X)
    assert (predicted[apart] == -1).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), predicted >= 0)
    assert np.mean(predicted[~apart] == model.labels_[~apart]) > 0.99
    np.testing.assert_allclose(model.transform(X).sum(axis=1), 1.0)  # a nearest cluster for all
    assert np.isfinite(model.score(X))
    facts = model.report(tmp_path / "report.html", pictures=False)
    assert facts.without_edges == f"{np.count_nonzero(apart)} outliers"
    assert f"left out: {facts.without_edges}" in (tmp_path / "report.html").read_text()
    model.save(tmp_path / "model.npz")
    again = graphcore.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.predict(X), predicted)
    np.testing.assert_array_equal(again.outlier_scores_, model.outlier_scores_)
    whole = CoresetSpectralClustering(5, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) > 0.9 > adjusted_rand_score(y, whole.labels_)
    assert (whole.labels_ >= 0).all()
    np.testing.assert_array_equal(whole.outlier_scores_, model.outlier_scores_)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan", "hamming", "jaccard"])
def test_new_rows_are_as_far_out_as_the_same_rows_were_in_the_fit(metric):
    rng = np.random.default_rng(0)
    clusters = rng.integers(0, 2, (4, 40)).repeat(150, axis=0) ^ (rng.random((600, 40)) < 0.08)
    X = np.concatenate([clusters, rng.integers(0, 2, (60, 40))]).astype(float)
    model = CoresetSpectralClustering(4, metric=metric, outliers=0.1, random_state=0).fit(X)
    # A row is a neighbour of itself here, which it was not in the fit, so a few come nearer.
    assert np.mean((model.predict(X) < 0) == (model.labels_ < 0)) > 0.95


def test_what_cannot_be_done_is_said_and_rows_that_lie_apart_and_are_left_in_are_told_of():
    X = np.random.default_rng(0).normal(size=(50, 2))
    for outliers in (0.0, -1, 1.5, "most", True, float("nan")):
        with pytest.raises(ParameterError, match="outliers="):
            CoresetSpectralClustering(2, outliers=outliers).fit(X)
    with pytest.raises(ParameterError, match="leaves 0 of 50 rows"):
        CoresetSpectralClustering(2, outliers=1.0).fit(X)
    with pytest.raises(ParameterError, match="this is a graph; leave it out"):
        CoresetSpectralClustering(2, outliers=0.1).fit(graphcore.datasets.load_karate().graph)
    with pytest.raises(ParameterError, match="metric='cosine' compares vectors, and this is a graph, as square sparse"):
        CoresetSpectralClustering(2, metric="cosine").fit(sp.csr_array(X @ X.T))
    with pytest.raises(InputError, match="no two neighbours"):
        near, distances = np.array([[2], [2], [3], [4], [5], [3]]), np.array([[0.1], [0.1], [5.0], [6.0], [7.0], [8.0]])
        CoresetSpectralClustering(1, outliers=0.6).fit((near, distances))
    with pytest.warns(GraphWarning, match=r"leaves out no row: 41\.1% .* if they are noise, give outliers=0\.411"):
        leave_out(found(CLEAN["densities that touch"]()), "auto")
