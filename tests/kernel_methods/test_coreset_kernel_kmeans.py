"""Kernel k-means on a coreset: seeds, weights, labels against oracles; the collapse for many clusters."""

import pickle
import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score

import graphcore
from graphcore import CoresetKernelKMeans, ParameterError
from graphcore.kernel_methods.coreset_kernel_kmeans import coreset_kernel_kmeans
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.matrices import DenseKernel, SparseKernel
from graphcore.kernels.vectors import VectorKernel

from ..nystrom_oracles import blobs
from . import oracles


@pytest.mark.parametrize("form", ["dense", "sparse", "vectors"])
@pytest.mark.parametrize("sampling", ["importance", "uniform"])
@pytest.mark.parametrize("name", ["gaussian", "linear"])
def test_labels_and_costs_against_an_oracle(form, sampling, name):
    rng = np.random.default_rng(0)
    X, weights = rng.standard_normal((40, 2)), rng.random(40) + 0.1
    if name == "linear":  # means at 1, 4 and 40, where the products with the last are the largest for every point
        X = 0.3 * X + np.repeat([1, 4, 40], [14, 13, 13])[:, None]
    function = kernel_function(name, bandwidth=1.0 if name == "gaussian" else None)
    K = function(X)
    kernel = {"dense": DenseKernel, "sparse": lambda K: SparseKernel(sp.csr_array(K))}.get(
        form, lambda K: VectorKernel(X, function, held_bytes=100)
    )(K)
    result = coreset_kernel_kmeans(kernel, 3, size=15, sampling=sampling, weights=weights, random_state=1)
    found, idx, w = result.on_coreset, result.coreset.indices, result.coreset.weights
    within = K[np.ix_(idx, idx)]
    rounding = 1e-10 * max(1.0, K.max())
    assert found.inertia == pytest.approx(oracles.inertia(within, found.labels, w), abs=rounding)
    assert found.cost == pytest.approx(found.inertia / w.sum())
    for x in range(40):
        # One more point, of no weight, in the oracle's matrix.
        at = np.append(idx, x)
        D = oracles.distances(K[np.ix_(at, at)], np.append(found.labels, -1), np.append(w, 0.0), 3)[-1]
        assert D[result.labels[x]] == pytest.approx(D.min(), abs=rounding)


def test_nodes_that_the_coreset_does_not_reach_are_told_of():
    sparse, dense = nx.random_regular_graph(4, 600, seed=0), nx.random_regular_graph(80, 600, seed=0)
    with pytest.warns(graphcore.GraphWarning, match=r"nodes have no edge to the \d+ nodes of the coreset, and labels"):
        model = graphcore.CoresetKernelKMeans(3, coreset_size=30, random_state=0).fit(sparse)
    assert model.n_unreached_ > 60
    with warnings.catch_warnings(action="error", category=graphcore.GraphWarning):
        assert graphcore.CoresetKernelKMeans(3, coreset_size=60, random_state=0).fit(dense).n_unreached_ <= 60


X, TRUTH = blobs(1200, k=4, d=5, spread=8.0, seed=0)
MODEL = CoresetKernelKMeans(4, coreset_size=80, bandwidth=5.0, random_state=0)


def streamed(model, parts, **options):
    for part in parts:
        model.partial_fit(part, **options)
    return model


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["gaussian", "linear"])
@pytest.mark.parametrize("n_parts", [1, 5, 60])
def test_a_stream_finds_the_planted_clusters_as_a_fit_of_all_does(kernel, n_parts):
    model = clone(MODEL).set_params(kernel=kernel, bandwidth=None)
    order = np.random.default_rng(1).permutation(len(X))
    streamed(model, np.array_split(X[order], n_parts))
    assert adjusted_rand_score(TRUTH, model.predict(X)) == 1.0
    assert adjusted_rand_score(TRUTH, clone(model).fit(X).labels_) == 1.0
    assert len(model.coreset_indices_) == 80
    assert abs(model.coreset_weights_.sum() / len(X) - 1) < 0.5
    # Rows are counted over all chunks.
    assert adjusted_rand_score(TRUTH[order][model.coreset_indices_], model.coreset_labels_) == 1.0
    assert model.score(X) > 1.1 * clone(model).fit(X).score(X)


@pytest.mark.slow
def test_memory_is_that_of_a_coreset_for_each_doubling():
    model = streamed(clone(MODEL).set_params(n_init=1), np.array_split(X, 100))
    levels = model._tree.levels
    assert len(levels) == 7 and all(level is None or len(level) <= 80 for level in levels)
    assert len(pickle.dumps(model)) < X.nbytes


def test_a_fit_goes_on_with_a_stream_which_repeats_and_survives_pickle():
    model = clone(MODEL).fit(X[:600]).partial_fit(X[600:])
    assert model.result_.coreset.n_points == 1200 and model.coreset_indices_.max() >= 600
    assert adjusted_rand_score(TRUTH, model.predict(X)) == 1.0
    again = model.fit(X[:100])  # forgets the stream
    assert again.result_.coreset.n_points is None and again.coreset_indices_.max() < 100
    first, second = np.array_split(X, 2)
    model = clone(MODEL).partial_fit(first)
    copy = pickle.loads(pickle.dumps(model))
    for other in (copy, clone(MODEL).partial_fit(first)):
        assert np.array_equal(other.partial_fit(second).labels_, model.partial_fit(second).labels_)
        model = clone(MODEL).partial_fit(first)


@pytest.mark.parametrize(
    ("params", "given", "message"),
    [
        ({"coreset_size": 0.5}, X, "coreset_size=0.5 is a share of the points"),
        ({"coreset_size": 3}, X, "coreset_size=3 is less than n_clusters=4"),
        ({}, sp.csr_array(np.ones((20, 20))), "partial_fit takes vectors, and with kernel='auto'"),
        ({}, X[:3], "n_clusters=4 is above the 3 points that have weight so far"),
    ],
)
def test_refused(params, given, message):
    model = clone(MODEL).set_params(bandwidth=None, **params)
    with pytest.raises(ParameterError, match=message):
        model.partial_fit(given)
    with pytest.raises(NotFittedError):
        model.predict(X)
    assert len(model.set_params(**MODEL.get_params()).partial_fit(X).labels_) == len(X)


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (X[:, :3], {}, "has 3 features"),
        (X, {"sample_weight": -np.ones(len(X))}, "sample_weight must be finite and not negative"),
        (X * 1e300, {}, "X has values of size"),
    ],
)
def test_a_chunk_that_is_refused_changes_nothing(given, options, message):
    model = clone(MODEL).partial_fit(X[:600])
    before = model.predict(X)
    with pytest.raises(ValueError, match=message):
        model.partial_fit(given, **options)
    assert np.array_equal(model.predict(X), before) and model._tree.n_chunks == 1
    assert len(model.partial_fit(X[600:]).labels_) == 600
