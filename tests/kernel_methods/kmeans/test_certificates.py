"""Certificates: no statement may ever be false, by brute force over all partitions of small sets."""

import numpy as np
import pytest

from graphcore import InputError, NystromKernelKMeans
from graphcore.kernel_methods.features.diagnostics import diagnose
from graphcore.kernel_methods.features.leverage import effective_dimension
from graphcore.kernel_methods.features.nystrom import SAMPLINGS, kernel_pca_features, nystrom_features, power_features
from graphcore.kernel_methods.kmeans.certificates import certify
from graphcore.kernel_methods.kmeans.exact import partition_cost
from graphcore.kernel_methods.kmeans.linear import centers_and_cost, linear_kmeans

from ...nystrom_oracles import coherence, cost, gaussian_matrix, indicator
from ...oracles import partitions

pytestmark = pytest.mark.filterwarnings("ignore::graphcore.GraphWarning")


def instance(rng, n):
    """A positive semi-definite matrix of one of three kinds."""
    kind = rng.integers(3)
    if kind == 0:
        return gaussian_matrix(rng.normal(size=(n, 2)), rng.choice([0.3, 1.0]))
    A = rng.normal(size=(n, n if kind == 1 else 3)) * 2.0 ** -np.arange(n if kind == 1 else 3)
    return A @ A.T


def features(K, rng, c, s):
    """Features by a random scheme, truncated or not."""
    sampling = rng.choice([*SAMPLINGS, "power", "kernel-pca"])
    seed = int(rng.integers(10**6))
    if sampling == "power":
        return power_features(K, s, n_vectors=c, n_steps=int(rng.integers(3)), random_state=seed)
    if sampling == "kernel-pca":
        return kernel_pca_features(K, s)
    truncation = [None, "half", s][rng.integers(3)]  # the last is the old restriction, C (W_s)^+ C^T
    return nystrom_features(K, c, s, sampling=str(sampling), truncation=truncation, random_state=seed)


@pytest.mark.slow
@pytest.mark.parametrize("has_zeros", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_weighted_bracket(seed, has_zeros):
    rng = np.random.default_rng(seed)
    K = instance(rng, 7)
    found = features(K, rng, 5, 2)
    w = rng.choice([0.0 if has_zeros else 0.25, 0.5, 1.0, 3.0], 7)
    w[0] = 1.0
    optimum = min(cost(K, labels, w) for labels in partitions(7, 2))
    for labels in partitions(7, 2):
        proof = certify(found, labels, sample_weight=w)
        true = cost(K, labels, w)
        assert partition_cost(K, labels, weights=w) == pytest.approx(true, abs=1e-9 * np.trace(K))
        assert proof.cost_lower - 1e-9 * np.trace(K) <= true <= proof.cost_upper + 1e-9 * np.trace(K)
        assert proof.optimum_lower <= optimum + 1e-9 * np.trace(K)
        assert (proof.optimum_lower > 0) == (found.singular_values[2:].any() and (w > 0).all())


def test_equal_rows_leave_a_bound_on_the_optimum():
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = NystromKernelKMeans(3, random_state=0).fit(np.concatenate([X, X[:20]]))
    assert 0 < model.certificate_.optimum_lower <= model.cost_
    assert "60 different ones of 80" in str(model.report())


def test_cost_in_the_span_is_the_cost_with_centres_there():
    """Distances in kernel space to centres that are combinations of landmarks, from kernel values alone."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    K = gaussian_matrix(X)
    found = nystrom_features(K, 12, random_state=0)
    B, chosen = found.features, found.landmarks.indices
    result = linear_kmeans(B, 4, random_state=0)
    A = found.feature_map.projection @ result.centers.T  # c_j = sum_l A_lj phi(x_l)
    squares = np.diag(K)[:, None] - 2 * K[:, chosen] @ A + np.einsum("lj,lm,mj->j", A, K[np.ix_(chosen, chosen)], A)
    np.testing.assert_allclose(
        squares, ((B[:, None] - result.centers) ** 2).sum(axis=2) + found.residuals[:, None], atol=1e-9
    )
    np.testing.assert_array_equal(squares.argmin(axis=1), result.labels)
    proof = certify(found, result.labels)
    np.testing.assert_allclose(centers_and_cost(B, result.labels)[0], result.centers, atol=1e-6)
    assert proof.cost_upper == pytest.approx(squares.min(axis=1).mean(), abs=1e-6)
    S, E = indicator(result.labels) @ indicator(result.labels).T, K - B @ B.T
    assert proof.cost_upper - partition_cost(K, result.labels) == pytest.approx(np.trace(S @ E @ S) / 60, abs=1e-12)


def test_no_bounds_for_kernels_that_are_not_positive_semi_definite():
    # Two groups that repel each other, of 20 points each: an eigenvalue of -20 beside one of 22.
    K = np.kron(np.array([[0.05, 1.05], [1.05, 0.05]]), np.ones((20, 20))) + np.eye(40)
    assert np.linalg.eigvalsh(K)[0] < -18
    labels = np.repeat([0, 1], 20)
    found = nystrom_features(K, 10, 2, on_indefinite="clip", random_state=0)
    assert found.indefinite
    proof = certify(found, labels)
    # Only the landmarks show it, and what holds for other kernels would be false.
    lower = centers_and_cost(found.features, labels, None)[1]
    assert not lower <= cost(K, labels) <= lower + found.alpha / 40
    assert (proof.cost_lower, proof.cost_upper, proof.optimum_lower) == (-np.inf, np.inf, -np.inf)
    assert proof.ratio_bound == np.inf
    assert proof.cost == pytest.approx(cost(found.features @ found.features.T, labels) + found.alpha / 40)
    assert "without bounds" in str(proof)
    assert diagnose(found).eps_hat == np.inf


def test_a_kernel_known_to_be_indefinite_has_no_bounds_where_its_landmarks_do_not_show_it():
    model = NystromKernelKMeans(
        3, kernel="sigmoid", gamma=0.5, coef0=0.2, on_indefinite="clip", n_landmarks=4, random_state=0
    ).fit(np.random.default_rng(0).normal(size=(80, 2)))
    assert model.certificate_.cost_lower == -np.inf
    assert np.isfinite(model.cost_)
    assert "without bounds" in model.report()


def test_diagnostics():
    K = gaussian_matrix(np.random.default_rng(0).normal(size=(80, 3)), 0.5)
    found = nystrom_features(K, 25, 10, random_state=0)
    what = diagnose(found)
    U = found.features / found.singular_values[:10]
    assert what.coherence == pytest.approx(coherence(U))
    low, high = what.effective_dimension
    assert low <= effective_dimension(np.linalg.eigvalsh(K), np.sqrt(80)) <= high
    assert what.ridge == pytest.approx(np.sqrt(80))
    assert what.residual == pytest.approx(np.trace(K - found.features @ found.features.T) / 80)
    assert what.n_uncovered == (found.residuals > 0.9).sum() > 0
    assert what.share_kept == pytest.approx(1 - what.residual)
    top, bottom = what.landmark_spectrum
    assert 0 < bottom < top < 80
    assert all(said in str(what) for said in ("landmarks", "coherence", "effective dimension"))
    # All landmarks covered, an eigenvector for every point: the coherence of the identity is 1.
    assert diagnose(kernel_pca_features(np.eye(4), 4)).coherence == pytest.approx(1.0)


def test_certificate_text_and_bad_labels():
    K = gaussian_matrix(np.random.default_rng(0).normal(size=(20, 3)))
    found = nystrom_features(K, 10, 4, random_state=0)
    assert all(said in str(certify(found, np.arange(20) % 3)) for said in ("cost", "times the optimum"))
    with pytest.raises(InputError, match="-1 has no cost"):
        certify(found, np.full(20, -1))
    with pytest.raises(InputError, match="one label for each"):
        certify(found, np.zeros(3, dtype=int))
