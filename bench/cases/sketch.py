"""Gaussian sketches (K-JL): preprocessing time beside kernel PCA and Nystrom, and what the features are worth.

Preprocessing is what comes after the kernel of the subsample and before the points are mapped, as in the paper: ``Z K``
for a sketch, the top eigenvectors for the others. Mapping costs the same for all. ``--quick`` leaves out the large
subsamples, and takes five repetitions.
"""

import time

import numpy as np

from .. import harness, vectors
from ..harness import Method, Outcome
from ..report import Report, page, table
from ..vectors import CLUSTERS, agreement, over_seeds, spread

SEEDS = 30
# (subsample, features): the paper's three and larger ones.
SIZES = ((200, 20), (209, 120), (400, 50), (1000, 50), (2000, 100), (4000, 100))
QUICK_LIMIT, QUICK_SEEDS = 500, 5
# Seconds of preprocessing of (K-JL, Nystrom, kernel PCA): Kpotufe, Sriperumbudur, AISTATS 2020, table 2.
PUBLISHED = {(209, 120): (0.086, 0.112, 0.103), (400, 50): (0.447, 0.537, 0.500), (200, 20): (0.007, 0.020, 0.014)}


def run(options):
    """Seconds of the map for each size; agreement on PenDigits and the 8 x 8 digits."""
    seeds = min(options.seeds, QUICK_SEEDS) if options.quick else options.seeds
    timed = [
        outcome
        for n, d in SIZES
        if not (options.quick and n > QUICK_LIMIT)
        for outcome in preprocessing(n, d, min(seeds, 10 if n <= 1000 else 3), options)
    ]
    sections, outcomes = [preprocessing_table(timed)], list(timed)
    for name, data in (("PenDigits", vectors.pendigits(options.data)), ("8 x 8 digits", digits())):
        if harness.wanted([name], options) and data is not None:
            found = quality(name, *data, seeds, options)
            sections.append(quality_table(name, found, len(data[0]), seeds))
            outcomes += found
        elif data is None:
            sections.append(f"Not in the data folder ({options.data}): {name}.")
    return Report("Gaussian sketches of a kernel", sections, outcomes, page=page(sections))


def digits():
    from sklearn.datasets import load_digits

    return load_digits(return_X_y=True)


def preprocessing(n, d, seeds, options):
    """From the centred (kernel PCA, K-JL) or plain (Nystrom) kernel of n points to a map to d features."""
    from scipy.linalg import eigh

    from graphcore.features.sketch import gaussian_sketch
    from graphcore.kernels.bandwidths import rule_bandwidth
    from graphcore.kernels.functions import kernel_function

    X = np.random.default_rng(0).standard_normal((n, 10))
    K = kernel_function("gaussian", gamma=rule_bandwidth(X, ("quantile", 0.25)) ** -2)(X)

    def sketch(seed):
        return gaussian_sketch(K, d, random_state=seed).projection

    def pca(_):
        centred = K - K.mean(axis=0)
        centred -= centred.mean(axis=1, keepdims=True)
        values, U = eigh(centred, subset_by_index=(n - d, n - 1), overwrite_a=True, check_finite=False)
        return U / np.sqrt(np.maximum(values, 1e-300))

    def nystrom(_):
        values, U = eigh(K, subset_by_index=(n - d, n - 1), check_finite=False)
        return U / np.sqrt(np.maximum(values, 1e-300))

    found = []
    for title, function in (("K-JL", sketch), ("Nystrom", nystrom), ("kernel PCA", pca)):
        if harness.chosen([Method(title, title)], options):
            outcome = Outcome(Method(title, title, "graphcore"), f"n = {n}, d = {d}", CLUSTERS, "ok", n_asked=seeds)
            function(0)
            for seed in range(seeds):
                start, cpu = time.perf_counter(), time.process_time()
                function(seed)
                outcome.seconds.append(time.perf_counter() - start)
                outcome.cpu_seconds.append(time.process_time() - cpu)
            found.append(outcome)
    return found


def preprocessing_table(found):
    """Milliseconds, the ratios, and those of the paper."""
    rows = []
    for size in dict.fromkeys(o.graph for o in found):
        by_title = {o.method.title: o for o in found if o.graph == size}
        ms = [
            by_title[t].median("cpu_seconds") * 1e3 if t in by_title else None
            for t in ("K-JL", "Nystrom", "kernel PCA")
        ]
        ratios = [None if ms[0] is None or other is None else other / ms[0] for other in ms[1:]]
        n, d = (int(part.split()[-1]) for part in size.split(","))
        paper = PUBLISHED.get((n, d))
        published = ["-", "-"] if paper is None else [paper[1] / paper[0], paper[2] / paper[0]]
        rows.append([n, d, *ms, *ratios, *published])
    header = ["n", "d", "K-JL, CPU ms", "Nystrom", "kernel PCA", "Nystrom / K-JL", "PCA / K-JL", "paper", "paper"]
    text = (
        "Medians. The sketch draws Z and checks its kernel for symmetry; the others run LAPACK's solver for the top d "
        "eigenvectors. The paper's seconds (Matlab) contain the mapping of the points, so its ratios are smaller."
    )
    return f"## Preprocessing\n\n{text}\n\n" + table(header, rows)


def quality(name, X, truth, seeds, options):
    """k-means on raw vectors, sketches, sketches that are not centred, and Nystrom features, at the paper's sizes."""
    from graphcore.features.nystrom import nystrom_features
    from graphcore.features.sketched import sketch_kernel, subsample_size
    from graphcore.kernels.bandwidths import rule_bandwidth
    from graphcore.kernels.functions import kernel_function
    from graphcore.kernels.vectors import VectorKernel
    from graphcore.kmeans.linear import linear_kmeans

    function = kernel_function("gaussian", gamma=rule_bandwidth(X, ("quantile", 0.25), random_state=0) ** -2)
    kernel = VectorKernel(X, function, X.dtype)
    n, d = subsample_size("auto", len(X)), 10 * CLUSTERS

    def sketched(seed, center):
        found = sketch_kernel(kernel, d, n_subsample=n, center=center, random_state=seed)
        return found.features(kernel.columns(found.indices), n_jobs=options.threads)[0]

    def clustered(features, seed):
        return linear_kmeans(features, CLUSTERS, n_init=3, random_state=seed).labels

    methods = {
        "k-means": lambda seed: clustered(X, seed),
        "K-JL": lambda seed: clustered(sketched(seed, True), seed),
        "K-JL, not centred": lambda seed: clustered(sketched(seed, False), seed),
        "Nystrom": lambda seed: clustered(
            nystrom_features(kernel, n, d, random_state=seed, n_jobs=options.threads).features, seed
        ),
    }
    return [
        over_seeds(title, name, function, lambda labels: agreement(labels, truth), seeds)
        for title, function in methods.items()
        if harness.chosen([Method(title, title)], options)
    ]


def quality_table(name, found, n, seeds):
    """Agreement with the classes."""
    rows = [
        [o.method.title, *(spread(o, what) for what in ("rand", "ari", "nmi")), float(np.mean(o.cpu_seconds))]
        for o in found
    ]
    text = (
        f"Means and deviations over {seeds} repetitions; subsample max(200, n / 100), d = 10 k, the paper's bandwidth."
    )
    return f"## {name}: {n:,} points\n\n{text}\n\n" + table(["method", "Rand index", "ARI", "NMI", "CPU s"], rows)
