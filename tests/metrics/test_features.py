"""Distinguishing features of clusters and their central rows, against dense computations."""

import numpy as np
import pytest
import scipy.sparse as sp

from graphcore import CoresetSpectralClustering, InputError
from graphcore.metrics import describe, descriptions, medoids


@pytest.fixture(params=[0, 1, 2])
def case(request, limits):
    """Measurements far from 0, and labels of four clusters, the third empty, some of none; read some rows at a time."""
    limits(descriptions, _PIECE_ENTRIES=50)
    rng = np.random.default_rng(request.param)
    return rng.normal(1e6, 1.0, (61, 5)), rng.choice([-1, 0, 1, 3], 61)


def table(found, shape):
    out = np.zeros(shape)
    out[found["cluster"], found["name"]] = found["score"]
    return out


def test_differences_against_means(case):
    X, labels = case
    want = np.zeros((4, 5))
    for c in (0, 1, 3):
        others = (labels >= 0) & (labels != c)
        want[c] = (X[labels == c].mean(axis=0) - X[others].mean(axis=0)) / X[labels >= 0].std(axis=0)
    np.testing.assert_allclose(table(describe(X, labels, count=9), (4, 5)), want, rtol=1e-6)
    np.testing.assert_allclose(table(describe(sp.csr_array(-X), labels, count=9), (4, 5)), -want, rtol=1e-6)
    first = describe(X, labels, list("abcde"), count=1)
    assert first["name"].tolist() == np.array(list("abcde"))[np.abs(want[[0, 1, 3]]).argmax(axis=1)].tolist()


def test_words_against_the_formula_and_narrow_mapped_features(case, tmp_path):
    labels = case[1]
    X = np.random.default_rng(5).poisson(0.6, (61, 6))
    X[:, 4] = 0  # a word that nobody has
    counts = np.stack([X[labels == c].sum(axis=0) for c in range(4)])
    with np.errstate(divide="ignore", invalid="ignore"):
        want = counts / counts.sum(axis=1)[:, None] * np.log(1 + counts.sum(axis=1).mean() / counts.sum(axis=0))
    found = describe(sp.csr_array(X), labels, count=9)
    np.testing.assert_allclose(table(found, (4, 6)), np.nan_to_num(want, nan=0.0, posinf=0.0))
    assert 4 not in found["name"]
    X = np.random.default_rng(0).integers(0, 200, (61, 5), dtype=np.uint8)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    want, found = describe(X.astype(float), labels), describe(mapped, labels)
    assert all((want[name] == found[name]).all() for name in want)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_medoids_against_all_distances(case, metric, make):
    X, labels = case
    X = X - 1e6
    for c, rows in enumerate(medoids(make(X), labels, count=3, metric=metric)):
        nodes = np.flatnonzero(labels == c)
        own = X[nodes] / (np.linalg.norm(X[nodes], axis=1)[:, None] if metric == "cosine" else 1)
        sums = np.square(own[:, None] - own).sum(axis=(1, 2))
        assert rows.tolist() == nodes[np.argsort(sums)[:3]].tolist()


@pytest.mark.parametrize(
    ("X", "labels", "names", "said"),
    [
        (np.zeros((3, 2)), [0, 1], None, "one label for each of 3 nodes"),
        (np.zeros((3, 2)), [-1, -1, -1], None, "no cluster"),
        (np.zeros((3, 2)), [0, 1, 1], ["a"], "one name for each of 2 columns"),
        (np.zeros(3), [0, 1, 1], None, "rows of real numbers"),
        ([[np.nan], [1.0]], [0, 1], None, "must be finite"),
    ],
)
def test_what_cannot_be_described_is_told(X, labels, names, said):
    with pytest.raises(InputError, match=said):
        describe(X, labels, names)


def test_the_report_says_what_sets_clusters_apart(tmp_path):
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 0.1, (20, 2)), rng.normal([5, 0], 0.1, (20, 2))])
    model = CoresetSpectralClustering(2, random_state=0).fit(X)
    facts = model.report(
        tmp_path / "page.html", described=describe(X, model.labels_, ["<b>tall", "wide"], count=1), pictures=False
    )
    assert sorted(facts.described) == ["<b>tall +2.0", "<b>tall -2.0"]
    page = (tmp_path / "page.html").read_text()
    assert '<th scope="col">distinguished by' in page and "&lt;b&gt;tall +2.0" in page
    model.report(tmp_path / "page.html", pictures=False)
    assert '<th scope="col">distinguished by' not in (tmp_path / "page.html").read_text()
