"""The unit of the weights and the numbers of the nodes must not matter."""

import warnings

import numpy as np
import scipy.sparse as sp

import graphcore as gc

from .harness import Campaign, Failure


def case(given):
    """Compare a random weighted graph with the same graph in another unit or with other numbers."""
    rng = given.rng
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", gc.GraphWarning)
        warnings.simplefilter("error", RuntimeWarning)
        what = rng.integers(4)
        if what == 0:
            return _powers_of_two(rng)
        if what == 1:
            return _powers_of_ten(rng)
        if what == 2:
            return _new_numbers(rng)
        return _metrics(rng)


def _powers_of_two(rng):
    A, k, _ = _graph(rng, separated=False)
    options = {"n_clusters": "auto" if rng.random() < 0.2 else k, "random_state": int(rng.integers(1000))}
    options["objective"] = str(rng.choice(["information", "ncut"]))
    if rng.random() < 0.3:
        options["effort"] = int(rng.integers(1, 4))
    if rng.random() < 0.2:
        options["effort"], options["sampling"] = "fast", "degree"
    if rng.random() < 0.2:
        options["coreset_size"] = int(rng.integers(k, np.count_nonzero(A.sum(axis=0)) + 1))
    first = gc.CoresetSpectralClustering(**options).fit(A)
    # No weight may become subnormal, and their sum has to be finite.
    exponent = int(rng.integers(-1000, 1000))
    second = gc.CoresetSpectralClustering(**options).fit(_times(A, exponent))
    if not np.array_equal(first.labels_, second.labels_):
        raise Failure("labels differ after a power of two", f"2^{exponent} {options}")
    if [v for _, v in first.clustering_.history] != [v for _, v in second.clustering_.history]:
        raise Failure("objectives differ after a power of two", f"2^{exponent} {options}")
    if not np.array_equal(np.ldexp(first.clustering_.coreset.weights, exponent), second.clustering_.coreset.weights):
        raise Failure("coreset weights have another unit than degrees", f"2^{exponent} {options}")
    return "power of two"


def _powers_of_ten(rng):
    A, k, truth = _graph(rng, separated=True)
    factor = 10.0 ** rng.integers(-300, 295)
    seed = int(rng.integers(1000))
    for options in (*_SETTINGS, {"published": True}):
        models = [gc.CoresetSpectralClustering(k, random_state=seed, **options).fit(B) for B in (A, A * factor)]
        # The published algorithm embeds by so few random vectors that it does not always find them, in any unit.
        expected = models[0].labels_ if "published" in options else truth
        for model in models:
            _same_partition(model.labels_, expected, f"{options} times {factor}")
        if not np.allclose(*([v for _, v in m.clustering_.history] for m in models), rtol=1e-9):
            raise Failure("objectives differ after a power of ten", f"{options} times {factor}")
    # From one start: the local optimum of several random starts may depend on the last digit.
    model = gc.KernelKMeans(k, kernel="normalized_cut", init=truth, shift=1.0)
    costs = [model.fit(B).inertia_ for B in (A, A * factor)]
    if not np.isclose(*costs, rtol=1e-6, atol=1e-9):
        raise Failure("inertia of KernelKMeans differs after a power of ten", f"{costs} times {factor}")
    return "power of ten"


def _new_numbers(rng):
    A, k, truth = _graph(rng, separated=True)
    order = rng.permutation(len(truth))
    seed = int(rng.integers(1000))
    for options in _SETTINGS:
        labels = gc.CoresetSpectralClustering(k, random_state=seed, **options).fit(A[order][:, order]).labels_
        _same_partition(labels, truth[order], f"renumbered {options}")
    return "renumbered"


def _metrics(rng):
    A, k, _ = _graph(rng, separated=False)
    labels = rng.integers(-1, k, A.shape[0])
    labels[0] = 0
    order, factor = rng.permutation(len(labels)), 10.0 ** rng.integers(-290, 290)
    B = (A * factor)[order][:, order]
    for name, options in (
        ("normalized_cut", {}), ("conductance", {}), ("kernel_kmeans_cost", {"self_loop": 1.0}),
        ("kernel_kmeans_cost", {"shift": 1.0}),
    ):  # fmt: skip
        function = getattr(gc.metrics, name)
        values = function(A, labels, **options), function(B, labels[order], **options)
        if not np.allclose(*values, rtol=1e-9, atol=1e-9):
            raise Failure(f"{name} depends on unit or numbers", f"{values} times {factor}")
    shares = gc.metrics.outside_share(A, labels)[order], gc.metrics.outside_share(B, labels[order])
    if not np.allclose(*shares, equal_nan=True):
        raise Failure("outside_share depends on unit or numbers", f"times {factor}")
    return "metrics"


_SETTINGS = ({}, {"objective": "ncut"})


def _graph(rng, *, separated):
    """Return a matrix, the number of its clusters, and the cluster of every node."""
    k, size = int(rng.integers(2, 5)), int(rng.integers(10, 25) if separated else rng.integers(3, 25))
    truth = rng.permutation(np.repeat(np.arange(k), size))
    same = truth[:, None] == truth
    chance = np.where(same, 0.9 if separated else rng.uniform(0.2, 0.9), 0.02 if separated else rng.uniform(0, 0.3))
    links = np.triu(rng.random(same.shape) < chance, 1)
    weights = rng.uniform(0.5, 1.5, same.shape) if rng.random() < 0.7 else np.ones(same.shape)
    if not separated and rng.random() < 0.3:
        weights = 10.0 ** rng.uniform(-4, 4, same.shape)
    A = links * np.where(same, 1.0, 0.1 if separated else 1.0) * weights
    if not A.any():
        A[0, 1] = 1.0
    return sp.csr_array(A + A.T), min(k, np.count_nonzero((A + A.T).any(axis=0))), truth


def _times(A, exponent):
    A = A.copy()
    A.data = np.ldexp(A.data, exponent)
    return A


def _same_partition(labels, truth, how):
    ari = gc.metrics.agreement(labels, truth)["ari"]
    if ari < 1.0:
        raise Failure("well separated clusters are not found", f"ARI {ari} {how}")


CAMPAIGN = Campaign(
    "a graph with weights times a power of two (the same labels, bit for bit) or of ten, or with its nodes renumbered "
    "(the same partition, the same figures)",
    case,
    seconds=20.0,
    short=60,
)
