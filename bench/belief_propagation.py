"""Belief propagation with known parameters: the attainable agreement in a sparse graph with planted clusters.

Decelle, Krzakala, Moore, Zdeborova, "Asymptotic analysis of the stochastic block model for modular networks and its
algorithmic applications", Physical Review E 84 (2011), equations 26 to 28, with expected degrees.
"""

import numpy as np
import scipy.sparse as sp
from scipy.special import softmax

_DAMPING = 0.3  # damping of the messages: all are renewed at once, which may oscillate
_NOISE = 1e-4


def marginals(indptr, indices, expected, k, mixing, *, start=None, prior=None, rng=None, n_rounds=200, tolerance=1e-6):
    """Return the probabilities of the clusters of every node, (n, k), and whether the messages came to rest.

    Pairs are joined at a rate proportional to the product of the `expected` degrees (n,), times ``mixing + (1 - mixing)
    k`` inside of one of `k` clusters of one size and times `mixing` between them, as in
    :func:`graphcore.datasets.degree_corrected_partition`. Messages begin next to uniform (`rng`), or at the labels
    `start` (n,), nine tenths of them. `prior` (n, k) are logarithms of prior weights of each node's clusters.
    """
    rng = np.random.default_rng(rng)
    n, n_entries = len(indptr) - 1, len(indices)
    rows = np.repeat(np.arange(n), np.diff(indptr))
    gather = sp.csr_array((np.ones(n_entries), np.arange(n_entries), indptr), shape=(n, n_entries))
    # Entry e of row i and column j is the message from j to i; `back[e]` is the one from i to j.
    back = sp.csr_array((np.arange(n_entries), indices, indptr), shape=(n, n)).T.tocsr()
    back.sort_indices()
    back = back.data
    prior = np.zeros((n, k)) if prior is None else prior
    excess = (1.0 - mixing) * k
    # Little noise: its common part grows faster than the rest, and has time to before any message saturates.
    beliefs = (1.0 + _NOISE * rng.normal(size=(n, k))) / k
    if start is not None:
        beliefs = 0.1 * beliefs + 0.9 * np.eye(k)[start]
    messages = beliefs[indices]
    for _ in range(n_rounds):
        # Pairs that are no edges act together, as a field that keeps the clusters equally large. It is taken from the
        # messages, not from the beliefs, which are of another round: the two would oscillate.
        field = mixing + excess * messages.mean(axis=0)
        arriving = np.log(mixing + excess * messages + 1e-300)
        total = gather @ arriving - expected[:, None] * field + prior
        beliefs = softmax(total, axis=1)
        renewed = np.empty_like(messages)
        renewed[back] = softmax(total[rows] - arriving, axis=1)
        change = np.abs(renewed - messages).mean()
        messages = _DAMPING * messages + (1.0 - _DAMPING) * renewed
        if change < tolerance / k:
            return beliefs, True
    return beliefs, False
