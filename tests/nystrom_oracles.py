"""Slow and plain twins of the landmark methods: dense matrices, all partitions."""

import math

import numpy as np

from graphcore.kernels.functions import kernel_function


def gaussian_matrix(X, beta=1.0):
    """Dense Gaussian kernel matrix with the bandwidth of the papers, beta times the RMS pairwise distance."""
    squares = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    return np.exp(-squares / (2 * beta**2 * squares.mean()))


def of_spectrum(values, seed=0):
    """A symmetric matrix with these eigenvalues and random eigenvectors."""
    V = np.linalg.qr(np.random.default_rng(seed).normal(size=(len(values), len(values))))[0]
    K = (V * values) @ V.T
    return (K + K.T) / 2


def counting_kernel(function=None):
    """A kernel of vectors, the linear one or that given, and a list of how many values each call has computed."""
    function, evaluated = function or kernel_function("linear"), []

    def counting(A, B):
        evaluated.append(len(A) * len(B))
        return function(A, B)

    counting.diag = function.diagonal
    return counting, evaluated


def blobs(n, k=10, d=16, spread=1.5, seed=0):
    """Gaussian blobs of unit noise with centres of the given spread, and their labels."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, k, n)
    return rng.normal(0, spread, (k, d))[labels] + rng.normal(size=(n, d)), labels


def best_of_rank(M, s):
    """Best approximation of rank s of a symmetric positive semi-definite matrix."""
    values, vectors = np.linalg.eigh((M + M.T) / 2)
    values, vectors = np.maximum(values[::-1][:s], 0), vectors[:, ::-1][:, :s]
    return (vectors * values) @ vectors.T


def dense_nystrom(K, P, s, truncation=None):
    """``(C W^+ C^T)_s`` by dense pseudo-inverses; W is cut to rank `truncation` first."""
    C, W = K @ P, P.T @ K @ P
    if truncation is not None:
        W = best_of_rank(W, truncation)
    return best_of_rank(C @ np.linalg.pinv(W, rcond=1e-13, hermitian=True) @ C.T, s)


def dense_projection(K, P, s, rtol):
    """``(C W^+ C^T)_s`` by Lemma 8, without C or W: project K^1/2 on the range of K^1/2 P, and cut to rank s.

    Singular values of K^1/2 P are the roots of the eigenvalues of W, so the cut-off `rtol` is that of W.
    """
    values, vectors = np.linalg.eigh(K)
    root = (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T
    U, sigma, _ = np.linalg.svd(root @ P, full_matrices=False)
    _, sigma, right = np.linalg.svd(U[:, sigma**2 > rtol * sigma[0] ** 2].T @ root, full_matrices=False)
    return (right[:s].T * sigma[:s] ** 2) @ right[:s]


def selection(n, indices, scale=None):
    """The n x c matrix that picks columns."""
    P = np.zeros((n, len(indices)))
    P[indices, np.arange(len(indices))] = 1.0 if scale is None else scale
    return P


def indicator(labels):
    """The matrix X with ``X^T X = I`` whose products are cluster means."""
    found, labels = np.unique(labels, return_inverse=True)
    X = np.zeros((len(labels), len(found)))
    X[np.arange(len(labels)), labels] = 1
    return X / np.sqrt(X.sum(axis=0))


def coherence(V):
    """Row coherence of a matrix (n, s) with orthonormal columns, from 1 to n / s."""
    return len(V) / V.shape[1] * np.square(V).sum(axis=1).max()


def sketch_size(sampling, s, eps, n, coherence=1.0):
    """Columns for a relative error eps in the trace norm: Table 2 of Wang, Gittens and Mahoney, without constants."""
    log_s = math.log(max(s, 2))
    size = {
        "uniform": coherence * s * (1 / eps + log_s),
        "leverage": s / eps + s * log_s,
        "gaussian": s / eps,
        "srht": (s + math.log(n)) * (1 / eps + log_s),
        "countsketch": s / eps + s * s,
    }[sampling]
    return min(n, math.ceil(size))
