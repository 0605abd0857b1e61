"""Kernels over vectors: values, types, blocks, bandwidths, bad parameters."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import pairwise

from graphcore import InputError, ParameterError
from graphcore.kernels.bandwidths import rule_bandwidth
from graphcore.kernels.functions import kernel_function

ORACLES = {
    "gaussian": ({"bandwidth": 0.7}, lambda X, Y: pairwise.rbf_kernel(X, Y, gamma=0.5 / 0.49)),
    "rbf": ({"gamma": 0.3}, lambda X, Y: pairwise.rbf_kernel(X, Y, gamma=0.3)),
    "polynomial": ({"degree": 2, "coef0": 0.5}, lambda X, Y: pairwise.polynomial_kernel(X, Y, degree=2, coef0=0.5)),
    "poly": ({"gamma": 0.3}, lambda X, Y: pairwise.polynomial_kernel(X, Y, degree=3, gamma=0.3, coef0=1)),
    "sigmoid": ({"gamma": 0.2, "coef0": -0.1}, lambda X, Y: pairwise.sigmoid_kernel(X, Y, gamma=0.2, coef0=-0.1)),
    "linear": ({}, pairwise.linear_kernel),
    "callable": ({}, lambda X, Y: (X @ Y.T) ** 2),
}


def make(name):
    parameters, oracle = ORACLES[name]
    return kernel_function(oracle if name == "callable" else name, **parameters), oracle


def data(dtype=np.float64, n=23, d=4):
    return np.random.default_rng(1).standard_normal((n, d)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ORACLES)
def test_values_types_diagonal_and_symmetry(name, dtype):
    kernel, oracle = make(name)
    X, Y = data(dtype), data(dtype)[:5] + dtype(0.25)
    tolerance = {"rtol": 1e-12, "atol": 1e-13} if dtype == np.float64 else {"rtol": 2e-4, "atol": 2e-5}
    block = kernel(X, Y)
    assert block.dtype == dtype
    np.testing.assert_allclose(block, oracle(X.astype(float), Y.astype(float)), **tolerance)
    square = kernel(X)
    np.testing.assert_array_equal(square, square.T)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(square), **tolerance)
    assert kernel.diagonal(X).dtype == dtype


@pytest.mark.parametrize("name", [name for name in ORACLES if name != "callable"])
def test_sparse_vectors_on_either_side(name):
    kernel, oracle = make(name)
    X = data()
    X[np.abs(X) < 0.5] = 0
    Y = X[:6] * 1.5
    expected = oracle(X, Y)
    for left in (X, sp.csr_array(X)):
        for right in (Y, sp.csc_array(Y)):
            np.testing.assert_allclose(kernel(left, right), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(sp.csr_array(X)), kernel.diagonal(X))


def far_blobs(offset, dtype=np.float32):
    """Two blobs of width 0.2 on either side of the origin, and their kernel from differences taken in float64."""
    X = np.random.default_rng(0).normal(0, 0.1, (200, 3))
    X[:100, 0] += offset
    X[100:, 0] -= offset
    X = X.astype(dtype)
    differences = X[:, None].astype(np.float64) - X
    return X, np.exp(-12.5 * np.square(differences).sum(axis=2))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("offset", [1.0, 5.0, 20.0, 1000.0])
def test_float32_keeps_its_digits_for_clusters_that_are_many_bandwidths_apart(make, offset):
    X, expected = far_blobs(offset)
    kernel = kernel_function("gaussian", bandwidth=0.2)
    for found in (kernel(make(X)), kernel(make(X[:50]), make(X))):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected[: len(found)], atol=1e-3)


def test_a_positive_definite_kernel_is_one_and_says_so():
    X = data(n=30)
    for name in ORACLES:
        kernel, _ = make(name)
        assert kernel.is_psd is {"sigmoid": False, "callable": None}.get(name, True)
        if kernel.is_psd:
            eigenvalues = np.linalg.eigvalsh(kernel(X))
            assert eigenvalues[0] > -1e-12 * eigenvalues[-1]
    assert kernel_function("polynomial", coef0=-1.0).is_psd is False
    assert np.linalg.eigvalsh(kernel_function("sigmoid", coef0=-1.0)(X))[0] < -1e-3


# -- bandwidths --------------------------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.2, 1.0, 5.0]), st.sampled_from([0.0, 1e6]))
def test_rms_is_the_root_mean_square_over_all_pairs(seed, beta, offset):
    X = np.random.default_rng(seed).standard_normal((17, 3)) + offset
    D2 = ((X[:, None] - X) ** 2).sum(axis=2)
    assert rule_bandwidth(X, ("rms", beta)) == pytest.approx(beta * np.sqrt(D2.mean()), rel=1e-8)
    if not offset:
        assert rule_bandwidth(sp.csr_array(X), ("rms", beta)) == pytest.approx(beta * np.sqrt(D2.mean()))
        halves = np.repeat(X.ravel() / 2, 2), np.tile(np.repeat(np.arange(3), 2), 17), 6 * np.arange(18)
        assert rule_bandwidth(sp.csr_array(halves), ("rms", beta)) == pytest.approx(beta * np.sqrt(D2.mean()))


@pytest.mark.parametrize("offset", [0.0, 1e8])
def test_the_other_rules_against_all_pairs(offset):
    X = data(n=41) + offset
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    pairs = np.triu_indices(41, 1)
    assert rule_bandwidth(X, ("quantile", 0.25)) == pytest.approx(np.quantile(D[pairs], 0.25))
    radii = np.sort(D, axis=1)[:, 4]
    assert rule_bandwidth(X, ("neighbours", 0.1)) == pytest.approx(np.median(radii))
    kernel = kernel_function("gaussian", bandwidth=("quantile", 0.25), X=X)
    assert kernel.bandwidth == pytest.approx(np.quantile(D[pairs], 0.25))
    assert kernel_function("gaussian", X=X).bandwidth == pytest.approx(np.sqrt((D**2).mean()))


@pytest.mark.parametrize(
    "kernel, parameters, words",
    [
        ("gauss", {}, "choose one of 'gaussian'"),
        ("gaussian", {"bandwidth": 0.0}, "bandwidth=0.0 must be more than 0"),
        ("gaussian", {"bandwidth": 1.0, "gamma": 1.0}, "not both"),
        ("gaussian", {"bandwidth": ("median", 1), "X": np.eye(3)}, "choose one of 'rms'"),
        *(("gaussian", {"bandwidth": rule, "X": np.ones((20, 3))}, r"zero bandwidth.*give a number")
          for rule in ("rms", ("quantile", 0.25), ("neighbours", 0.1))),
        *((lambda X, Y, returned=returned: returned, {}, "callable kernel") for returned in (
            np.ones((2, 2)), np.ones(5), np.full((5, 5), np.nan), np.ones((5, 5), dtype=complex), "words")),
    ],
)  # fmt: skip
def test_bad_parameters_and_callables_that_return_something_else(kernel, parameters, words):
    with pytest.raises((ParameterError, InputError), match=words):
        kernel_function(kernel, **parameters)(data(n=5))
