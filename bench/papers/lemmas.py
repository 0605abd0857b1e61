"""Lemmas of the papers that are about matrices and points alone: each holds, by plain numpy."""

from itertools import product

import numpy as np

from .theory import all_labellings

SEEDS = range(5)


def _best(A, s):
    """Return the nearest matrix of rank s."""
    U, values, V = np.linalg.svd(A, full_matrices=False)
    return U[:, :s] * values[:s] @ V[:s]


def _orthonormal(rng, n, c):
    return np.linalg.qr(rng.standard_normal((n, c)))[0]


def _decaying(rng, n, power=1.0):
    """Return a positive semi-definite matrix with eigenvalues i^-power."""
    V = _orthonormal(rng, n, n)
    return V * np.arange(1.0, n + 1) ** -power @ V.T


def _best_means(X, k):
    """Return the labels and means of the best partition into k parts, of all."""
    costs = np.array([
        sum(np.square(X[labels == j] - X[labels == j].mean(axis=0)).sum() for j in range(k))
        for labels in all_labellings(len(X), k)
    ])  # fmt: skip
    labels = all_labellings(len(X), k)[np.argmin(costs)]
    return labels, np.array([X[labels == j].mean(axis=0) for j in range(k)])


def flats_propositions_11_and_12_means_differ_and_no_point_lies_between_two():
    for k in (2, 3):
        for seed in range(5):
            # Integers, so that ties could occur.
            X = np.unique(np.random.default_rng(seed).integers(0, 5, (8, 2)), axis=0).astype(float)
            labels, means = _best_means(X, k)
            D = np.square(X[:, None] - means).sum(axis=2)
            assert np.square(means[:, None] - means)[np.triu_indices(k, 1)].sum(axis=1).min() > 0
            assert np.diff(np.sort(D, axis=1)[:, :2], axis=1).min() > 1e-9
            # Corollary 1: the cells are the partition.
            assert np.array_equal(D.argmin(axis=1), labels)


def flats_propositions_16_and_17_ties_have_no_volume_unless_flats_are_equal():
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (20_000, 3))
    for m in (0, 1, 2):
        points = rng.standard_normal((3, 3))
        G = [np.linalg.qr(rng.standard_normal((3, max(m, 1))))[0][:, :m] for _ in range(3)]

        def distances(flats, points=points, G=G):
            away = [X - points[j] for j in flats]
            return np.column_stack(
                [np.linalg.norm(a - a @ G[j] @ G[j].T, axis=1) for a, j in zip(away, flats, strict=True)]
            )

        assert np.diff(np.sort(distances([0, 1, 2]), axis=1)[:, :2], axis=1).min() > 0
        # The proposition leaves out a case: the same flat twice ties everywhere.
        assert not np.diff(distances([0, 0]), axis=1).any()


def flats_proposition_18_the_error_has_two_parts():
    # Sets of means among a few candidates, so that all of them can be enumerated.
    rng = np.random.default_rng(0)
    population, candidates = rng.standard_normal((4000, 2)), rng.standard_normal((12, 2))
    pairs = [candidates[[i, j]] for i in range(12) for j in range(i)]

    def errors(X):
        return np.array([np.square(X[:, None] - pair).sum(axis=2).min(axis=1).mean() for pair in pairs])

    true = errors(population)
    for seed in range(20):
        seen = errors(population[np.random.default_rng(seed).integers(0, 4000, 15)])
        assert true[np.argmin(seen)] <= 2 * np.abs(true - seen).max() + true.min()


def flats_lemma_6_and_proposition_26_the_slope_of_the_distance_to_a_flat():
    for m in (1, 2):
        rng = np.random.default_rng(m)
        G, at = np.linalg.qr(rng.standard_normal((4, m)))[0], rng.standard_normal(4)

        def away(x, G=G, at=at):
            return (x - at) - G @ (G.T @ (x - at))

        for _ in range(50):
            x, y = rng.standard_normal((2, 4))
            slope = away(x) @ (y - G @ (G.T @ y)) / np.linalg.norm(away(x))
            h = 1e-5
            measured = (np.linalg.norm(away(x + h * y)) - np.linalg.norm(away(x - h * y))) / (2 * h)
            assert abs(slope - measured) < 1e-6
            assert abs(slope) <= np.linalg.norm(y)


def rank_restricted_lemma_5_the_best_combination_of_orthonormal_columns():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        A, U, s = rng.standard_normal((9, 7)), _orthonormal(rng, 9, 5), 3
        Z = _best(U.T @ A, s)
        least = np.linalg.norm(A - U @ Z)
        for size in (1e-3, 1e-1, 1.0):
            for _ in range(20):
                other = _best(Z + size * rng.standard_normal(Z.shape), s)
                assert np.linalg.norm(A - U @ other) > least


def rank_restricted_lemma_7_the_power_scheme():
    for t, norm in product((1, 2, 4), (2, "fro")):
        s = 3
        for seed in SEEDS:
            rng = np.random.default_rng(seed)
            A, P = _decaying(rng, 12), rng.standard_normal((12, 5))
            values, V = np.linalg.eigh(A)
            Vs, values = V[:, ::-1][:, :s], values[::-1]
            rest = A - _best(A, s)
            Q = np.linalg.qr(np.linalg.matrix_power(A, t) @ P)[0]
            # Nearest in Frobenius norm (Lemma 5); the minimum in the other norm is no more than the proof's own choice.
            found = A - Q @ _best(Q.T @ A, s)
            if norm == 2:
                chosen = np.linalg.matrix_power(A, t) @ P @ np.linalg.pinv(Vs.T @ P) * values[:s] ** (1.0 - t) @ Vs.T
                found = A - chosen
            bound = (values[s] / values[s - 1]) ** (2 * (t - 1)) * np.linalg.norm(
                rest @ P @ np.linalg.pinv(Vs.T @ P), norm
            ) ** 2
            assert np.linalg.norm(found, norm) ** 2 <= (np.linalg.norm(rest, norm) ** 2 + bound) * (1 + 1e-9)


def rank_restricted_lemma_13_the_kernel_matrix_says_all():
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        Phi, X = rng.standard_normal((8, 20)), _orthonormal(rng, 8, 3)
        values, V = np.linalg.eigh(Phi @ Phi.T)
        few = V * np.sqrt(np.maximum(values, 0))
        assert np.isclose(np.linalg.norm(Phi - X @ X.T @ Phi), np.linalg.norm(few - X @ X.T @ few))


def nystrom_corollary_2_so_many_uniform_draws_keep_the_operator():
    for eps in (0.9, 0.5):
        # A kernel of 1 on the diagonal (kappa 1). 20 draws may fail with probability 0.1 each; none does.
        n, delta = 60, 0.1
        X = np.random.default_rng(0).standard_normal((n, 2))
        K = np.exp(-0.5 * np.square(X[:, None] - X).sum(axis=2))
        values, V = np.linalg.eigh(K)
        Phi = (V * np.sqrt(np.maximum(values, 0))).T  # features in columns
        for gamma in (1.0, 10.0):
            m = int(np.ceil(12 * n / gamma * np.log(n / delta) / eps**2))
            scaled = np.diag((np.maximum(values, 0) + gamma) ** -0.5)
            for seed in range(20):
                drawn = Phi[:, np.random.default_rng(seed).integers(0, n, m)]
                off = scaled @ (Phi @ Phi.T - n / m * drawn @ drawn.T) @ scaled
                assert np.linalg.norm(off, 2) <= eps


def sketch_proposition_1_one_random_operator_keeps_all_products():
    for decay in (0.5, 1.0, 3.0):
        # sup over unit f, g is an operator norm. The constant that is left open: 4, with probability 1 - 1/e^3.
        p, tau, rng = 60, 3.0, np.random.default_rng(0)
        cubes = np.arange(1.0, p + 1) ** (-3 * decay)  # eigenvalues of Sigma^3
        rank = cubes.sum() / cubes.max()
        for d in (16, 64, 256):
            off = []
            for _ in range(100):
                theta = rng.standard_normal((d, p)) * np.sqrt(cubes / d)
                off.append(np.linalg.norm(theta.T @ theta - np.diag(cubes), 2))
            bound = cubes.max() * (np.sqrt(rank) + np.sqrt(tau)) / np.sqrt(d)
            assert d < max(rank, tau) or np.mean(np.array(off) <= 4 * bound) >= 1 - np.exp(-tau)
            assert np.median(off) > bound / 20


def coreset_lemma_5_1_without_the_factor():
    # The printed last term has the number of points as another factor. The space is that of a kernel's features.
    for seed in SEEDS:
        rng = np.random.default_rng(seed)
        Phi, z, weights = rng.standard_normal((7, 7)), rng.dirichlet(np.ones(7)), rng.uniform(0.5, 2, 7)
        c = weights / weights.sum()
        to_own, to_other = (weights @ np.square(Phi - centre @ Phi).sum(axis=1) for centre in (c, z))
        apart = (c - z) @ (Phi @ Phi.T) @ (c - z) * weights.sum()
        assert np.isclose(to_other, to_own + apart, rtol=1e-12)
        assert not np.isclose(to_other, to_own + 7 * apart, rtol=0.01)


PREFIXES = ("coreset_", "flats_", "nystrom_", "rank_restricted_", "sketch_")
ALL = [value for name, value in list(globals().items()) if name.startswith(PREFIXES)]
