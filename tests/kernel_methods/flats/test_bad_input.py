"""Unusable input is refused, by name, with a remedy."""

import numpy as np
import pytest

from graphcore import Graph, GraphWarning, InputError, KernelKFlats, KFlats
from graphcore.kernel_methods.flats.k_flats import k_flats
from graphcore.kernel_methods.flats.kernel_k_flats import kernel_k_flats
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.vectors import VectorKernel

X = np.random.default_rng(0).normal(size=(20, 3))
K = X @ X.T
FLATS = k_flats(X, 2, 1, random_state=0).flats
NAN = np.where(np.arange(60).reshape(20, 3) == 31, np.nan, X)
INDEFINITE = K + 5 * np.fliplr(np.eye(20))
PATH = Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 4])


BAD = {
    "n_clusters": (0, 2.0, 21),
    "n_dims": (-1, 20),
    "init": ("best", [0, 1], np.zeros(20), np.full(20, 3), np.full(20, -1)),
    "on_empty": ("ignore",),
    "on_degenerate": ("long",),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
@pytest.mark.parametrize("function", [lambda **o: k_flats(X, **o), lambda **o: kernel_k_flats(K, **o)])
def test_options(function, name, value):
    with pytest.raises(InputError, match=name):
        function(**{"n_clusters": 3, name: value})


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: k_flats(NAN, 2), "X must be finite, and holds NaN"),
        (lambda: k_flats(X * 1e200, 2), "products of float64 need it"),
        (lambda: k_flats(np.ones((9, 2)), 2), "only 1 different points, fewer than n_clusters=2"),
        (lambda: k_flats(X, 3, 1, init="global"), "for n_dims=0 only"),
        (lambda: k_flats(X, 3, 1, init=X), r"init have shape \(20, 3\); \(3, 3\) is needed"),
        (lambda: (m := KFlats(2).fit(X)).inverse_transform(m.transform(X)), "codes are the pair that encode"),
        (lambda: FLATS.decode([0, 2], [[0.0], [0.0]]), "must be 0 to 1; found 0 to 2"),
        (lambda: kernel_k_flats(INDEFINITE, 2, 1), r"not positive semi-definite: .* go from -.*on_indefinite"),
        (lambda: kernel_k_flats(K, 2, 1, on_degenerate="pad"), "on_degenerate='pad' is for vectors only"),
        (lambda: kernel_k_flats(VectorKernel(X, kernel_function("linear")), 2, shift=1.0), "shift=1.0 is for graphs"),
        (lambda: KernelKFlats(2, init="spectral").fit(X), "init='spectral' is for graphs"),
        (lambda: KernelKFlats(2, shift=1e300).fit(PATH), "with shift=1e[+]300 has values of size 1e[+]300"),
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


def test_nodes_without_an_edge_are_warned_about():
    graph = Graph.from_edges([0, 1, 2, 4, 5, 6], [1, 2, 0, 5, 6, 4], n_nodes=8)
    with pytest.warns(GraphWarning, match="2 of 8 nodes are isolated"):
        model = KernelKFlats(2, 0, random_state=0).fit(graph)
    assert model.labels_.tolist() in ([0, 0, 0, -1, 1, 1, 1, -1], [1, 1, 1, -1, 0, 0, 0, -1])
    with pytest.warns(GraphWarning, match="2 nodes without an edge belong to no cluster"):
        again = KernelKFlats(2, 0, init=np.maximum(model.labels_, 0), random_state=0).fit(graph)
    np.testing.assert_array_equal(again.labels_, model.labels_)
