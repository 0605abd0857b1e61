"""Theorems of the papers on what graphcore computes: bounds that no user can evaluate, and exhibits that they hold.

Everything that bounds is dense and plain; what it bounds is the library's own.
"""

import math
from itertools import product

import numpy as np

from graphcore.cluster.coreset import d2_seeding, importance_probabilities, importance_sample
from graphcore.datasets import degree_corrected_partition, planted_partition
from graphcore.kernel_methods.k_flats import k_flats
from graphcore.kernel_methods.kernel_k_flats import kernel_k_flats
from graphcore.kernel_methods.landmarks import effective_dimension, ridge_leverage_scores
from graphcore.kernel_methods.nystrom import kernel_pca_features, nystrom_features, power_features
from graphcore.kernels.graph import GraphKernel

# -- features: Wang, Gittens, Mahoney (2019); Calandriello, Rosasco (2018) ---------------------------------------------


def partition_cost(K, labels):
    """Return the mean squared distance of points to the means of their parts, from a kernel matrix."""
    inside = sum(K[np.ix_(part, part)].sum() / len(part) for part in parts(labels))
    return (np.trace(K) - inside) / len(K)


def parts(labels):
    """Return the points of every part."""
    return [np.flatnonzero(labels == j) for j in np.unique(labels)]


def indicator(labels):
    """Return the matrix with a column for each part, orthonormal, whose products are means."""
    return np.column_stack([(labels == j) / np.sqrt(np.sum(labels == j)) for j in np.unique(labels)])


def spectral_guarantee(K, B, k):
    """Return ``1 + eps_hat + k / s``, and a bound that no partition into k parts undercuts, of Theorem 2.

    The best partition of the features B (n, s) costs at most the factor times the optimum; eps_hat is by how much
    their trace error exceeds the least of rank s.
    """
    values, alpha, s = np.linalg.eigvalsh(K)[::-1], np.trace(K) - np.square(B).sum(), B.shape[1]
    rounding, least = 1e-10 * np.trace(K), values[s:].sum()
    excess = max(0.0, alpha / least - 1) if least > rounding else 0.0 if alpha <= 10 * rounding else np.inf
    return 1 + excess + k / s, max(0.0, values[k:].sum() / len(K))


def dictionary_quality(K, B, gamma):
    """Return the norm of ``E = K - B B^T`` and the least eps of gamma-preserving landmarks (Definition 2)."""
    norm = max(0.0, np.linalg.eigvalsh(K - B @ B.T)[-1])
    return norm, norm / (norm + gamma)


def _instance(rng, n):
    """Return a positive semi-definite matrix of full or low rank, or of a Gaussian kernel."""
    kind = rng.integers(3)
    if kind == 0:
        return _gaussian(rng.normal(size=(n, 2)), rng.choice([0.3, 1.0]))
    A = rng.normal(size=(n, n if kind == 1 else 3)) * 2.0 ** -np.arange(n if kind == 1 else 3)
    return A @ A.T


def _gaussian(X, beta):
    squares = np.square(X[:, None] - X).sum(axis=2)
    return np.exp(-squares / (2 * beta**2 * squares.mean()))


def _features(K, rng, c, s):
    """Return features of rank s by a random scheme, and what their trace leaves out."""
    seed, scheme = int(rng.integers(10**6)), rng.integers(4)
    if scheme == 0:
        found = power_features(K, s, n_vectors=c, n_steps=int(rng.integers(3)), random_state=seed)
    elif scheme == 1:
        found = kernel_pca_features(K, s)
    else:
        sampling = ("uniform", "leverage")[scheme - 2]
        found = nystrom_features(K, c, s, sampling=sampling, truncation=[None, "half", s][seed % 3], random_state=seed)
    return found.features, np.trace(K) - np.square(found.features).sum()


def all_labellings(n, k):
    """Return all labellings of n points by k labels that all occur."""
    return [np.array(labels) for labels in product(range(k), repeat=n) if len(set(labels)) == k]


def rank_restricted_theorem_2_all_partitions_obey_the_bracket_and_the_factor():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        n, k = 7, 3
        K = _instance(rng, n)
        B, alpha = _features(K, rng, 5, 3)
        rounding = 1e-9 * np.trace(K)
        labellings = [*all_labellings(n, k), *all_labellings(n, 2), np.zeros(n, dtype=int)]
        true = np.array([partition_cost(K, labels) for labels in labellings])
        lower = np.array([partition_cost(B @ B.T, labels) for labels in labellings])
        assert (lower - rounding <= true).all() and (true <= lower + alpha / n + rounding).all()
        factor, bound = spectral_guarantee(K, B, k)
        assert bound <= true.min() + rounding
        assert true[lower.argmin()] <= factor * true.min() + rounding


def rank_restricted_lemmas_11_and_19_costs_of_projections_are_kept():
    for seed in range(10):
        rng = np.random.default_rng(seed)
        n, k = 10, 3
        K = _instance(rng, n)
        B, alpha = _features(K, rng, 7, 4)
        values, V = np.linalg.eigh(K)
        root, rounding = V * np.sqrt(np.maximum(values, 0)) @ V.T, 1e-9 * np.trace(K)
        factor, _ = spectral_guarantee(K, B, k)
        for U in (np.linalg.qr(rng.normal(size=(n, k)))[0], indicator(rng.integers(0, k, n))):
            exact = np.linalg.norm(root - U @ (U.T @ root)) ** 2
            estimate = np.linalg.norm(B - U @ (U.T @ B)) ** 2 + alpha
            assert exact - rounding <= estimate <= factor * exact + rounding


def nystrom_lemma_2_additive_bounds_of_the_landmarks():
    for seed in range(10):
        n, m, k, gamma = 9, 3, 2, 1.0
        K = _gaussian(np.random.default_rng(seed).normal(size=(n, 2)), 0.5)
        found = nystrom_features(K, m, random_state=seed)
        E = K - found.features @ found.features.T
        eigenvalues = np.linalg.eigvalsh(E)[::-1]
        norm, eps = dictionary_quality(K, found.features, gamma)
        costs = np.array([partition_cost(K, labels) for labels in all_labellings(n, k)])
        in_span = [partition_cost(K - E, labels) + np.trace(E) / n for labels in all_labellings(n, k)]
        gap = min(in_span) - costs.min()
        S, d = indicator(all_labellings(n, k)[costs.argmin()]), effective_dimension(np.linalg.eigvalsh(K), gamma)
        assert -1e-9 <= gap <= np.trace(S.T @ E @ S) / n + 1e-9
        assert gap <= eigenvalues[:k].sum() / n + 1e-9
        bound = gamma / (1 - eps)
        assert gap <= min(k, d) * bound / n + 1e-9
        # Points, trace and norm of what is left, by the gamma-preserving property.
        assert (np.diag(E) <= bound * ridge_leverage_scores(K, gamma) + 1e-9).all()
        assert np.trace(E) <= bound * d + 1e-9 and norm <= eps * bound + 1e-9


def nystrom_lemma_3_landmarks_by_ridge_leverage_preserve_the_span():
    # 697 points are equal and three are alone: uniform draws of the same size miss some. A draw by leverage may fail
    # with probability 0.1, more than 5 of 10 with 0.0002.
    n, gamma, eps = 700, 0.1, 0.9
    K = np.zeros((n, n))
    K[:-3, :-3] = 1.0
    K[-3:, -3:] = np.eye(3)
    scores = ridge_leverage_scores(K, gamma)
    d = effective_dimension(np.linalg.eigvalsh(K), gamma)
    assert abs(d - (697 / 697.1 + 3 / 1.1)) < 1e-9
    m = math.ceil(12 * d / eps**2 * math.log(n / 0.1))
    assert m < n
    for probabilities, least, most in ((scores / scores.sum(), 0, 5), (np.full(n, 1 / n), 7, 10)):
        failed = 0
        for seed in range(10):
            drawn = np.unique(np.random.default_rng(seed).choice(n, m, p=probabilities))
            failed += dictionary_quality(K, nystrom_features(K, m, sampling=drawn).features, gamma)[1] > eps
        assert least <= failed <= most


# -- flats -------------------------------------------------------------------------------------------------------------


def flats_lower_bound(K, w, k, m):
    """Return a bound that the weighted inertia of no k flats of dimension m undercuts.

    Indicators and coordinates span at most ``k (m + 1)`` dimensions, the constant among them, and no such space
    captures more than as many leading eigenvalues of the centred kernel (Ding, He, ICML 2004, for means).
    """
    root = np.sqrt(w)
    u = root / np.linalg.norm(root)
    centred = K * root * root[:, None]
    centred = centred - np.outer(centred @ u, u)
    centred = centred - np.outer(u, u @ centred)
    return max(0.0, np.linalg.eigvalsh(centred)[::-1][k * (m + 1) - 1 :].sum())


def flats_no_labels_beat_the_lower_bound():
    for seed, m, k in product(range(3), range(3), (1, 3)):
        rng = np.random.default_rng(seed)
        X, w = rng.normal(size=(40, 12)), rng.uniform(0.5, 2, 40)
        found = k_flats(X, k, m, sample_weight=w, n_init=1, random_state=0).inertia
        bound = flats_lower_bound(X @ X.T, w, k, m)
        assert bound <= found + 1e-9
        assert k > 1 or abs(bound / found - 1) < 1e-9
        K = _gaussian(X, 1.0)
        assert flats_lower_bound(K, w, k, m) <= kernel_k_flats(K, k, m, sample_weight=w, n_init=1).inertia + 1e-9


# -- coresets: Lemma 4.2, with constants -------------------------------------------------------------------------------


def dense_kernel(graph, shift=1.0):
    """Return ``K = D^-1 (A + I) D^-1 + shift D^-1``, dense, and degrees, of an unweighted graph."""
    A = graph.to_scipy().toarray() + np.diag(graph.degrees > 0)
    d = A.sum(axis=1)
    return A / d / d[:, None] + np.diag(shift / d), d


def sensitivities(w, seeds, least):
    """Bound ``w_x Delta(x, C) / cost(C)`` for every set C of centres, of which none costs less than `least`.

    With b the seed nearest to x and B its cell, ``Delta(x, C) <= 2 Delta(x, b) + 2 Delta(b, C)`` and
    ``w(B) Delta(b, C) <= 2 cost(B, b) + 2 cost(B, C)``: Lemma 2 of Bachem, Lucic, Krause (2017).
    """
    shares = w / np.bincount(seeds.nearest, weights=w)[seeds.nearest]
    costs = np.bincount(seeds.nearest, weights=seeds.contributions)[seeds.nearest]
    return (2 * seeds.contributions + 4 * shares * costs) / least + 4 * shares


def bernstein_size(ratio, eps, failure):
    """Return how many draws keep a relative error, but with the probability `failure`, by Bernstein's inequality.

    A draw of x estimates a cost by ``w_x Delta(x, C) / p_x``, at most `ratio` times the cost.
    """
    return 2 * ratio * (1 + eps / 3) * math.log(2 / failure) / eps**2


def certificate(w, seeds, p, points, D, confidence):
    """Return estimate and error of the cost of centres at distances D (n,), from points drawn with probabilities p.

    The empirical Bernstein inequality of Maurer, Pontil (COLT 2009), Theorem 4. The cost of other points is bounded by
    that of the nearest seed.
    """
    paid, n = (w * D / p)[points], len(points)
    most = (2 * (seeds.contributions + w * D[seeds.indices][seeds.nearest]) / p).max()
    log = math.log(4 / (1 - confidence))
    return paid.mean(), math.sqrt(2 * paid.var(ddof=1) * log / n) + 7 * most * log / (3 * (n - 1))


def _centre_sets(K, w, blocks):
    """Return squared distances of all points to the nearest of some centres, a row for each set of centres."""
    rng, found = np.random.default_rng(0), []
    for share in (0.0, 0.2, 0.5, 1.0):
        labels = np.where(rng.random(len(w)) < share, rng.integers(0, 2, len(w)), blocks)
        found.append(_distances(K, w, labels).min(axis=0))
    return np.array(found)


def _distances(K, w, labels):
    """Return squared distances of all points to the centroids of two parts, a row for each."""
    Z = np.array([(labels == j) * w / w[labels == j].sum() for j in range(2)])
    return np.diag(K) - 2 * Z @ K + np.einsum("ji,ik,jk->j", Z, K, Z)[:, None]


def _cases():
    yield planted_partition(2, 300, 0.08, 0.012, random_state=0)
    yield degree_corrected_partition(2, 300, mean_degree=24, random_state=0)


def coreset_lemma_4_2_no_node_pays_more_of_a_cost_than_its_bound():
    for graph, blocks in _cases():
        K, w = dense_kernel(graph)
        least = (w * np.diag(K)).sum() - 2 * 2.0  # eigenvalues are at most 1 + shift
        seeds = d2_seeding(GraphKernel(graph, 1.0, 1.0), 4, random_state=0)
        paid = w * _centre_sets(K, w, blocks)
        assert (paid.sum(axis=1) >= least).all()
        assert (paid <= sensitivities(w, seeds, least) * paid.sum(axis=1, keepdims=True) * (1 + 1e-9)).all()


def coreset_lemma_4_2_draws_keep_the_error_less_often_than_they_may_fail():
    eps, failure, confidence = 0.8, 0.1, 0.9
    for graph, blocks in _cases():
        K, w = dense_kernel(graph)
        least, D = (w * np.diag(K)).sum() - 2 * 2.0, _centre_sets(K, w, blocks)
        true, errors, false = D @ w, [], 0
        for seed in range(50):
            seeds = d2_seeding(GraphKernel(graph, 1.0, 1.0), 4, random_state=seed)
            p = importance_probabilities(w, seeds, cells=True)
            size = math.ceil(bernstein_size((sensitivities(w, seeds, least) / p).max(), eps, failure))
            draws = importance_sample(w, p, size, seed)
            errors.append(D[:, draws.indices] @ draws.weights / true - 1)
            times = np.round(draws.weights * p[draws.indices] * size / w[draws.indices]).astype(int)
            points = np.repeat(draws.indices, times)
            estimate, off = certificate(w, seeds, p, points, D[1], confidence)
            assert np.isclose(estimate, D[1, draws.indices] @ draws.weights)
            false += abs(estimate - true[1]) > off
        errors = np.array(errors)
        assert np.mean(np.abs(errors) > eps, axis=0).max() < failure and false <= 10
        # Without bias: each mean is within five of its standard errors.
        assert (np.abs(errors.mean(axis=0)) <= 5 * errors.std(axis=0) / np.sqrt(len(errors))).all()


def association(A, degrees, labels):
    """Return ``k - k NC``: what lies inside every part, over its degrees."""
    return sum(A[np.ix_(part, part)].sum() / degrees[part].sum() for part in parts(labels))


def coreset_theorem_1_by_row_sums_with_what_they_differ_by():
    k, labellings = 2, all_labellings(7, 2)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        F = rng.uniform(size=(7, 3)) ** 3
        A = F @ F.T
        sums = A.sum(axis=1)
        w = sums * rng.uniform(0.7, 1.4, 7)
        eta = np.abs(sums / w - 1).max()
        by_weights, by_sums = (
            np.array([(np.diag(A) / degrees).sum() - association(A, degrees, labels) for labels in labellings])
            for degrees in (w, sums)
        )
        alpha = by_sums / by_sums.min()
        assert (by_weights <= alpha * (by_weights.min() + 2 * eta * k) + 1e-12).all()


def coreset_theorem_1_fails_for_row_sums_on_four_nodes():
    F, coreset = np.array([[1, 1], [5, 0], [1, 5], [0, 4.0]]), [0, 1, 3]
    A = F @ F.T
    w, few = A.sum(axis=1), np.zeros(4)
    K, few[coreset] = A / np.outer(w, w), w[coreset]
    centres = [(v, each) for v in (w, few) for each in all_labellings(4, 2) if v[each == 0].sum() > 0 < v @ each]
    D = np.array([_distances(K, v, labels).min(axis=0) for v, labels in centres])
    eps = np.abs(D @ few / (D @ w) - 1).max()

    def cost(labels):
        return (np.diag(A) / w).sum() - association(A, w, labels)

    def carried(degrees):
        best, labels = A[np.ix_(coreset, coreset)], np.full(4, -1)
        labels[coreset] = max(all_labellings(3, 2), key=lambda each: association(best, degrees, each))
        return cost(_distances(K, few, labels).argmin(axis=0))

    optimum = min(cost(labels) for labels in all_labellings(4, 2))
    assert np.isclose(carried(w[coreset]), optimum) and eps < 0.2215
    assert carried(A[np.ix_(coreset, coreset)].sum(axis=1)) > 2.13 * optimum > 1.35 * (1 + eps) / (1 - eps) * optimum


def coreset_contraction_loses_what_cells_and_clusters_differ_by():
    k = 2
    for seed in range(5):
        rng = np.random.default_rng(seed)
        F, cells = rng.uniform(size=(8, 3)) ** 3, rng.permutation(np.arange(8) % 4)
        A = F @ F.T
        w, within = A.sum(axis=1), np.eye(4)[cells]
        B, found = within.T @ A @ within, {}
        for labels in all_labellings(4, k):
            found[tuple(labels[cells])] = association(A, w, labels[cells])
            assert np.isclose(found[tuple(labels[cells])], association(B, B.sum(axis=1), labels))
        spread = (np.diag(A) / w).sum() - association(A, w, cells)
        for labels in all_labellings(8, k):
            union = (np.bincount(cells, w * labels) > np.bincount(cells, w) / 2).astype(int)[cells]
            parted = labels == np.arange(k)[:, None]
            moved, volumes = (parted != (union == np.arange(k)[:, None])) @ w, parted @ w
            cuts = volumes - np.array([A[np.ix_(part, part)].sum() for part in parted])
            if (moved < volumes).all():
                assert k - found[tuple(union)] <= ((cuts + moved) / (volumes - moved)).sum() + 1e-12
            cost = (np.diag(A) / w).sum() - association(A, w, labels)
            least = (np.diag(A) / w).sum() - max(found.values())
            assert least <= spread + (np.sqrt(spread) + np.sqrt(max(cost, 0.0))) ** 2 + 1e-12


def coreset_contraction_has_no_bound_where_a_cluster_has_no_coreset_node():
    A = np.kron(np.eye(2), 1.0 - np.eye(3))
    for light in (1e-2, 1e-4):
        A[2, 3] = A[3, 2] = light
        values = {tuple(labels): 2 - association(A, A.sum(axis=1), labels) for labels in all_labellings(6, 2)}
        assert np.isclose(min(values.values()), 2 * light / (6 + light))
        assert min(value for labels, value in values.items() if labels[0] != labels[1]) > 0.5


def rank_restricted_remark_4_landmarks_by_ridge_leverage_keep_all_costs():
    n, k, eps, small = 8, 2, 0.5, 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        K = _gaussian(rng.normal(size=(n, 2)), 1.0)
        rest = np.linalg.eigvalsh(K)[:-k].sum()
        scores = ridge_leverage_scores(K, eps * rest / k)
        drawn = rng.choice(n, 6, replace=False, p=scores / scores.sum())
        B = nystrom_features(K, 6, sampling=drawn).features
        norm, left = dictionary_quality(K, B, 1.0)[0], (np.trace(K) - np.square(B).sum()) / n
        small += k * norm / rest <= eps
        for labels in all_labellings(n, k):
            cost = partition_cost(K, labels)
            assert cost - 1e-12 <= partition_cost(B @ B.T, labels) + left <= (1 + k * norm / rest) * cost + 1e-12
    assert small >= 7


ALL = (
    coreset_theorem_1_by_row_sums_with_what_they_differ_by,
    coreset_theorem_1_fails_for_row_sums_on_four_nodes,
    coreset_contraction_loses_what_cells_and_clusters_differ_by,
    coreset_contraction_has_no_bound_where_a_cluster_has_no_coreset_node,
    rank_restricted_remark_4_landmarks_by_ridge_leverage_keep_all_costs,
    rank_restricted_theorem_2_all_partitions_obey_the_bracket_and_the_factor,
    rank_restricted_lemmas_11_and_19_costs_of_projections_are_kept,
    nystrom_lemma_2_additive_bounds_of_the_landmarks,
    nystrom_lemma_3_landmarks_by_ridge_leverage_preserve_the_span,
    flats_no_labels_beat_the_lower_bound,
    coreset_lemma_4_2_no_node_pays_more_of_a_cost_than_its_bound,
    coreset_lemma_4_2_draws_keep_the_error_less_often_than_they_may_fail,
)
