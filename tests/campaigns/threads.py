"""Labels must not depend on the number of threads."""

import numpy as np
import scipy.sparse as sp

from graphcore import CoresetSpectralClustering

from .harness import Campaign, Failure


def case(given):
    """A random graph of random clusters, fitted with 1, 2 and 3 threads."""
    rng = given.rng
    n, k = int(rng.integers(20, 400)), int(rng.integers(2, 8))
    truth = rng.integers(0, k, n)
    links = rng.random((n, n)) < np.where(truth[:, None] == truth, rng.uniform(0.1, 0.6), rng.uniform(0, 0.1))
    weights = np.triu(links, 1) * (rng.random((n, n)) if rng.random() < 0.5 else 1.0)
    graph = sp.csr_array(weights + weights.T)
    seed = int(rng.integers(1 << 30))
    labels = [CoresetSpectralClustering(k, random_state=seed, n_jobs=jobs).fit(graph).labels_ for jobs in (1, 2, 3)]
    if not all(np.array_equal(labels[0], other) for other in labels[1:]):
        raise Failure("labels differ")
    return "equal"


CAMPAIGN = Campaign("a random graph, clustered with 1, 2 and 3 threads: the labels are the same", case)
