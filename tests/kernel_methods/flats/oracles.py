"""Slow and plain k-flats, written from the definitions, to compare with."""

import numpy as np

from graphcore.kernel_methods.kernel_k_flats import KernelFlats
from graphcore.kernels.graph import as_kernel


def random_problem(seed, n=40, d=5, k=3):
    """Points with unequal spreads, positive weights, and labels that all occur."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.3, 3, d) + rng.normal(size=d)
    labels = np.append(np.arange(k), rng.integers(0, k, n - k)).astype(np.int32)
    return X, rng.uniform(0.2, 3, n), rng.permutation(labels)


def weighted_pca(X, w, m):
    """Mean, the m leading directions as rows, and the squared distances of the rows to that flat."""
    mean = np.average(X, axis=0, weights=w)
    _, s, V = np.linalg.svd(np.sqrt(w)[:, None] * (X - mean))
    V = V[: min(m, int((s > 1e-9 * max(s[0], 1e-300)).sum()))]
    return mean, V


def distance_to_flat(X, mean, V):
    """Squared distances by the projector itself."""
    P = np.eye(len(mean)) - V.T @ V
    return np.square((X - mean) @ P.T).sum(axis=1)


def all_distances(X, w, labels, k, m):
    """Squared distance of every row to the flat of every cluster."""
    flats = [weighted_pca(X[labels == j], w[labels == j], m) for j in range(k)]
    return np.stack([distance_to_flat(X, *flat) for flat in flats], axis=1)


def lloyd(X, w, labels, k, m, passes=100):
    """Algorithm 3 of the report with ties that stay: the sequence of labels and of objectives."""
    sequence, objectives = [labels.copy()], []
    scale = np.square(X - X.mean(axis=0)).sum(axis=1).max()
    for _ in range(passes):
        D = all_distances(X, w, labels, k, m)
        here = D[np.arange(len(X)), labels]
        objectives.append(float(w @ here))
        moved = np.where(D.min(axis=1) < here - 1e-12 * scale, D.argmin(axis=1), labels)
        if np.array_equal(moved, labels):
            break
        labels = moved
        sequence.append(labels.copy())
        if np.bincount(labels, minlength=k).min() == 0:
            break
    return sequence, np.array(objectives)


def embed(K):
    """Vectors whose inner products are the positive semi-definite matrix K."""
    values, vectors = np.linalg.eigh(K)
    return vectors * np.sqrt(np.maximum(values, 0))


def literal_kernel_distance(K, members, q, value, A):
    """Distance of one point to the flat of a cluster as the report has it, centred cross kernel and all."""
    inside = K[np.ix_(members, members)]
    q = q[members]
    g = q - inside.mean(axis=1) - q.mean() + inside.mean()
    return value - 2 * q.mean() + inside.mean() - np.square(A.T @ g).sum()


def problem_of(K, w, m):
    """The problem of a kernel in any form as it is, not centred."""
    return KernelFlats(as_kernel(K), np.asarray(w, dtype=float), m)
