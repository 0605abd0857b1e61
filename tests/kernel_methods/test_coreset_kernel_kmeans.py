"""Kernel k-means on a coreset: seeds, weights, labels against oracles; the collapse for many clusters."""

import warnings

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import graphcore
from graphcore.kernel_methods.coreset_kernel_kmeans import coreset_kernel_kmeans
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.matrices import DenseKernel, SparseKernel
from graphcore.kernels.vectors import VectorKernel

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
    with warnings.catch_warnings():
        warnings.simplefilter("error", graphcore.GraphWarning)
        assert graphcore.CoresetKernelKMeans(3, coreset_size=60, random_state=0).fit(dense).n_unreached_ <= 60
