"""Peers of k-flats from the literature on subspaces: every point as a combination of few others, by scikit-learn.

SSC-OMP: You, Robinson, Vidal, "Scalable sparse subspace clustering by orthogonal matching pursuit", 2016. EnSC: You,
Li, Robinson, Vidal, "Oracle based active set algorithm for scalable elastic net subspace clustering", 2016. Both make a
graph of the sizes of the coefficients, which spectral clustering partitions. Rows are taken to have unit length.
"""

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh
from sklearn.cluster import KMeans
from sklearn.linear_model import ElasticNet, orthogonal_mp

# Points that the active set of EnSC begins with, those of the largest products.
FIRST = 100


def omp_affinity(X, n_nonzero=5):
    """Return the affinity of SSC-OMP: coefficients of at most `n_nonzero` other points, chosen greedily."""

    def few(others, x):
        found = orthogonal_mp(others, x, n_nonzero_coefs=n_nonzero)
        # A residual of x that is rounding error ends the pursuit.
        members = np.flatnonzero(np.abs(found) > 1e-8)
        return members, found[members]

    return _affinity(X, few)


def elastic_net_affinity(X, l1_share=0.95, alpha=50.0, tol=1e-4):
    """Return the affinity of EnSC, ``l1_share |c|_1 + (1 - l1_share) / 2 |c|^2 + gamma / 2 |x - X^T c|^2`` minimised.

    ``gamma`` is `alpha` times the least one at which c is not 0. The active set grows until no other point has a
    residual product above `l1_share`, as in the paper.
    """

    def active(others, x):
        products = others.T @ x
        gamma = alpha * l1_share / np.abs(products).max()
        model = ElasticNet(1.0 / (gamma * len(x)), l1_ratio=l1_share, fit_intercept=False, max_iter=5000, tol=tol)
        members = np.argsort(-np.abs(products))[:FIRST]
        while True:
            coefficients = model.fit(others[:, members], x).coef_
            residual = gamma * (x - others[:, members] @ coefficients)
            outside = np.abs(others.T @ residual) > l1_share * 1.01
            outside[members] = False
            kept = coefficients != 0
            if not outside.any():
                return members[kept], coefficients[kept]
            members = np.r_[members[kept], np.flatnonzero(outside)]

    return _affinity(X, active)


def _affinity(X, represent):
    """Return |C| + |C|^T of ``represent(columns, x)``, in whose columns x itself is 0 and so is never taken."""
    columns = np.asfortranarray(X.T, dtype=np.float64)
    rows, indices, values = [], [], []
    for i, x in enumerate(np.array(columns.T)):
        columns[:, i] = 0.0
        found, coefficients = represent(columns, x)
        columns[:, i] = x
        rows.append(np.full(len(found), i))
        indices.append(found)
        values.append(np.abs(coefficients))
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(indices))
    C = sp.csr_array(entries, shape=(len(X), len(X)))
    return sp.csr_matrix(C + C.T)


def spectral(affinity, k, seed):
    """Return the labels by k-means on the rows of eigenvectors of the normalised affinity, scaled to unit length."""
    root = sp.diags_array(1.0 / np.sqrt(np.maximum(np.asarray(affinity.sum(axis=1)).ravel(), 1e-12)))
    start = np.random.default_rng(seed).normal(size=affinity.shape[0])
    vectors = eigsh(root @ affinity @ root, k, which="LA", v0=start)[1]
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    return KMeans(k, n_init=10, random_state=seed).fit_predict(vectors)
