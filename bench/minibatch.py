"""Mini-batch kernel k-means with truncated centres (Jourdan and Schwartzman, arXiv 2410.05902), in plain numpy.

A centre is a combination of the points that it received last. The points of a batch go to the nearest centres; centre j
moves to ``(1 - a_j) c_j + a_j m_j``, where m_j is the mean of its points and ``a_j = sqrt(b_j / b)``. The centre keeps
the latest of its batches that hold at least `window` points, with weights scaled to sum to 1: otherwise the centre
shrinks with the weights cut off, and the cost rises at the first cut.
"""

import numpy as np


def minibatch_kernel_kmeans(X, k, gamma, rng, *, batch=1024, window=200, max_steps=200, tol=0.0):
    """Return the labels (n,) under the Gaussian kernel ``exp(-gamma |x - y|^2)``, and how many steps were made.

    Steps end when a batch's cost falls by less than `tol` when its centres move.
    """
    first = plus_plus(X, k, gamma, rng)
    # For every cluster the points of its batches, oldest first, and their weights.
    parts = [[(first[j : j + 1], np.ones(1))] for j in range(k)]
    steps = 0
    while steps < max_steps:
        steps += 1
        drawn = rng.integers(len(X), size=batch)
        before, labels = _nearest(X[drawn], X, parts, gamma)
        for j, count in enumerate(np.bincount(labels, minlength=k)):
            if count:
                parts[j] = _moved(parts[j], drawn[labels == j], np.sqrt(count / batch), window)
        if tol and before.mean() - _nearest(X[drawn], X, parts, gamma)[0].mean() < tol:
            break
    labels = [_nearest(X[i : i + 4096], X, parts, gamma)[1] for i in range(0, len(X), 4096)]
    return np.concatenate(labels), steps


def plus_plus(X, k, gamma, rng):
    """Draw points by their squared distance to the nearest of those before."""
    found = [int(rng.integers(len(X)))]
    nearest = np.full(len(X), np.inf)
    for _ in range(k - 1):
        nearest = np.minimum(nearest, 2.0 - 2.0 * gaussian(X, X[found[-1:]], gamma)[:, 0]).clip(0.0)
        found.append(int(rng.choice(len(X), p=nearest / nearest.sum())))
    return np.array(found)


def gaussian(X, Y, gamma):
    """Return the kernel between all rows of X and of Y."""
    squares = np.einsum("ij,ij->i", X, X)[:, None] + np.einsum("ij,ij->i", Y, Y) - 2.0 * (X @ Y.T)
    return np.exp(-gamma * squares.clip(0.0))


def _moved(parts, points, rate, window):
    """Return the batches of a centre after a step: older weights shrink, and batches outside the window are cut."""
    parts = [(old, weights * (1.0 - rate)) for old, weights in parts]
    parts.append((points, np.full(len(points), rate / len(points))))
    while sum(len(old) for old, _ in parts[1:]) >= window:
        del parts[0]
    total = sum(weights.sum() for _, weights in parts)
    return [(old, weights / total) for old, weights in parts]


def _nearest(rows, X, parts, gamma):
    """Return the squared distances of rows to their nearest centres, and these centres."""
    points = [np.concatenate([old for old, _ in each]) for each in parts]
    weights = [np.concatenate([w for _, w in each]).astype(X.dtype) for each in parts]
    starts = np.cumsum([0] + [len(each) for each in points])
    inner = gaussian(rows, X[np.concatenate(points)], gamma)
    distances = np.empty((len(rows), len(parts)), X.dtype)
    for j, w in enumerate(weights):
        own = X[points[j]]
        distances[:, j] = 1.0 - 2.0 * (inner[:, starts[j] : starts[j + 1]] @ w) + w @ gaussian(own, own, gamma) @ w
    labels = distances.argmin(axis=1)
    return distances[np.arange(len(rows)), labels], labels
