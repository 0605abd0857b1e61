"""Unusable input is refused, by name, with a remedy."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from graphcore import Graph, GraphWarning, InputError, KernelKFlats, KFlats, ParameterError
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
    "n_init": (0,),
    "max_iter": (0,),
    "max_restarts": (-1,),
    "on_empty": ("ignore",),
    "on_degenerate": ("long",),
    "sample_weight": (np.ones(19),),
    "random_state": ("x",),
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
@pytest.mark.parametrize("function", [lambda **o: k_flats(X, **o), lambda **o: kernel_k_flats(K, **o)])
def test_options(function, name, value):
    with pytest.raises(InputError, match=name):
        function(**{"n_clusters": 3, name: value})


def over(name, **options):
    return kernel_k_flats(VectorKernel(X, kernel_function(name, **options)), 2, 1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: k_flats(NAN, 2), "X must be finite, and holds NaN"),
        (lambda: k_flats(sp.csr_array(NAN), 2), "X must be finite, and holds NaN"),
        (lambda: k_flats(X[0], 2), r"shape \(3,\)"),
        (lambda: k_flats(X[:0], 2), r"shape \(0, 3\)"),
        (lambda: k_flats(sp.csr_array(X[:0]), 2), r"shape \(0, 3\)"),
        (lambda: k_flats(X * 1e200, 2), "products of float64 need it"),
        (lambda: k_flats(np.ones((9, 2)), 2), "only 1 different points, fewer than n_clusters=2"),
        (lambda: k_flats(X, 3, sample_weight=np.arange(20) < 2), r"at most 2 \(2 of 20 points have weight\)"),
        (lambda: k_flats(X, 3, 1, init="global"), "for n_dims=0 only"),
        (lambda: k_flats(X, 3, 1, init=X), r"init have shape \(20, 3\); \(3, 3\) is needed"),
        (lambda: k_flats(np.ones((5, 2)), 2, 0, init="global"), "only 1 different points"),
        (lambda: FLATS.encode(X[:, :2]), "X has 2 features, but .* of 3"),
        (lambda: (m := KFlats(2).fit(X)).inverse_transform(m.transform(X)), "codes are the pair that encode"),
        (lambda: FLATS.decode([0, 2], [[0.0], [0.0]]), "must be 0 to 1; found 0 to 2"),
        (lambda: FLATS.decode([0, 1], [0.0, 0.0]), r"shape \(2,\); \(2, 1\) is needed"),
        (lambda: kernel_k_flats(INDEFINITE, 2, 1), r"not positive semi-definite: .* go from -.*on_indefinite"),
        (lambda: kernel_k_flats(sp.csr_array(INDEFINITE), 2, 1), r"semi-definite: .* go from -.*on_indefinite"),
        (lambda: kernel_k_flats(K, 2, 1, on_degenerate="pad"), "on_degenerate='pad' is for vectors only"),
        (lambda: kernel_k_flats(VectorKernel(X, kernel_function("linear")), 2, shift=1.0), "shift=1.0 is for graphs"),
        (lambda: kernel_k_flats(K, 2, 1, on_indefinite="clip"), "on_indefinite='clip' is not known"),
        (lambda: kernel_k_flats(PATH, 2, 1, sample_weight=np.ones(5)), "leave sample_weight out"),
        (lambda: over("sigmoid"), "kernel='sigmoid' .*not positive"),
        (lambda: over("polynomial", coef0=-1.0), "kernel='polynomial'"),
        (lambda: KernelKFlats(2, init="spectral").fit(X), "init='spectral' is for graphs"),
        (lambda: KernelKFlats(2, kernel="gaussian").fit(PATH), "kernel='gaussian' takes vectors.* this is a Graph"),
        (lambda: KernelKFlats(2, shift=-1.0).fit(PATH), "shift=-1.0 must be at least 0"),
        (lambda: KernelKFlats(2, shift=1e300).fit(PATH), "with shift=1e[+]300 has values of size 1e[+]300"),
        (lambda: KernelKFlats(2).fit(PATH, sample_weight=np.ones(2)), r"sample_weight.*shape \(2,\)"),
        (lambda: KernelKFlats(2, init="random").fit(Graph.from_edges([], [], n_nodes=3)), "no node has an edge"),
        (lambda: KernelKFlats(2).fit_transform(PATH), "fit_transform takes vectors or a kernel matrix; fit a graph"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_kernel_matrices_that_are_symmetric_but_for_rounding():
    uneven, labels = K * (1 + 1e-12 * np.random.default_rng(0).normal(size=K.shape)), np.arange(20) % 2
    found, exact = (kernel_k_flats(matrix, 2, 1, init=labels).labels for matrix in (uneven, K))
    np.testing.assert_array_equal(found, exact)


def test_single_precision_is_not_taken_for_an_indefinite_kernel():
    vectors = np.random.default_rng(0).normal(size=(100, 5))
    single = (vectors @ vectors.T).astype(np.float32)
    assert np.linalg.eigvalsh(single.astype(np.float64))[0] < -1e-8 * np.linalg.norm(single, 2)
    labels = np.arange(100) % 3
    double = kernel_k_flats(vectors @ vectors.T, 3, 1, init=labels)
    np.testing.assert_array_equal(kernel_k_flats(single, 3, 1, init=labels).labels, double.labels)
    np.testing.assert_array_equal(KernelKFlats(3, kernel="precomputed", init=labels).fit(single).labels_, double.labels)
    with pytest.raises(InputError, match="not positive semi-definite"):
        kernel_k_flats(single.astype(np.float64), 3, 1, init=labels)


def test_a_large_indefinite_kernel_is_found():
    n = 1100
    B = np.random.default_rng(0).normal(size=(n, n))
    labels = np.arange(n) % 3
    with pytest.warns(ConvergenceWarning):  # and nothing but that
        kernel_k_flats(B @ B.T, 3, 1, init=labels, max_iter=1)
    with pytest.raises(InputError, match="its eigenvalues go from -"):
        kernel_k_flats((B + B.T) / 50 + np.eye(n), 3, 1, init=labels)


def test_rows_of_a_kernel():
    model = KernelKFlats(2, 1, kernel="precomputed", random_state=0).fit(K)
    with pytest.raises(ValueError, match="X has 3 features, but KernelKFlats is expecting 20"):
        model.predict(X)
    with pytest.raises(InputError, match="one entry for each of the 20 points of the fit; these have 3"):
        kernel_k_flats(K, 2, 1, init=np.arange(20) % 2).distances_to(X)
    for rows in (K[:7], K[::-1], K + np.diag(np.arange(20.0))):
        with pytest.raises(InputError, match="give diagonal="):
            model.transform(rows)
        # Their mean over the points of the fit stands for them.
        expected = np.average(model._result.nearest(rows)[1]) + np.diagonal(K).mean()
        assert model.score(rows) == pytest.approx(-expected)
    # The matrix of the fit is known.
    np.testing.assert_array_equal(model.transform(K), model.transform(K, np.diagonal(K)))
    assert model.score(K) == pytest.approx(-model.reconstruction_error_)
    with pytest.raises(InputError, match="diagonal must be 20 finite numbers"):
        model.transform(K, np.ones(3))
    with pytest.raises(InputError, match="diagonal must be 20 finite numbers"):
        model.reconstruction_error(K, np.full(20, np.nan))
    np.testing.assert_array_equal(model.predict(K), model.transform(K, np.diagonal(K)).argmin(axis=1))
    with pytest.raises(ParameterError, match="diagonal is for rows of a precomputed kernel"):
        KernelKFlats(2, 1, random_state=0).fit(X).transform(X, np.ones(20))


def test_nodes_without_an_edge_are_warned_about():
    graph = Graph.from_edges([0, 1, 2, 4, 5, 6], [1, 2, 0, 5, 6, 4], n_nodes=8)
    with pytest.warns(GraphWarning, match="2 of 8 nodes are isolated"):
        model = KernelKFlats(2, 0, random_state=0).fit(graph)
    assert model.labels_.tolist() in ([0, 0, 0, -1, 1, 1, 1, -1], [1, 1, 1, -1, 0, 0, 0, -1])
    with pytest.warns(GraphWarning, match="2 nodes without an edge belong to no cluster"):
        again = KernelKFlats(2, 0, init=np.maximum(model.labels_, 0), random_state=0).fit(graph)
    np.testing.assert_array_equal(again.labels_, model.labels_)
