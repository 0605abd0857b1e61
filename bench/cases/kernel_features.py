"""Kernel k-means by Nystrom features, random features and two steps beside the exact one; and spectral clustering.

Means over 20 repetitions on MNIST (60,000) and PenDigits (7,494): NMI, costs where all n^2 kernel values fit, seconds.
``--quick`` takes 3,000 rows of each and three repetitions. Exact kernel k-means on all of MNIST evaluates 3.6 billion
kernel values in the first pass and about as many again after it, so there it starts once in each repetition.
"""

import math

import numpy as np

from .. import harness, vectors
from ..baselines import column_cost, factor_spectral_clustering, random_fourier_features
from ..harness import Method
from ..report import Report, page, table
from ..vectors import CLUSTERS, agreement, over_seeds, spread

SEEDS = 20
SIZES = tuple(CLUSTERS * factor for factor in (3, 9, 27, 81))
BETAS, SPECTRAL_SIZES = (0.2, 1.0, 5.0), (50, 150, 500)
INITIALISATIONS = 3
QUICK_ROWS, QUICK_SEEDS = 3000, 3
# All kernel values are held below this many points, and costs reported.
HELD_POINTS = 10_000
# Medians over 500 repetitions of two-step kernel k-means: Wang, Gittens, Mahoney, JMLR 2019, section 5.
PUBLISHED = {
    "MNIST": {"nmi": (0.072, 0.012, 0.017, 0.032)},
    "PenDigits": {"nmi": (0.399, 0.413, 0.422, 0.421), "g": (210.5, 198.2, 193.5, 193.4)},
}


def run(options):
    """Both comparisons on both data sets."""
    outcomes, sections, missing = [], [], []
    loaders = {"PenDigits": vectors.pendigits, "MNIST": vectors.mnist}
    seeds = min(options.seeds, QUICK_SEEDS) if options.quick else options.seeds
    for name in harness.wanted(loaders, options):
        data = loaders[name](options.data)
        if data is None:
            missing.append(name)
            continue
        X, truth = (part[:QUICK_ROWS] for part in data) if options.quick else data
        found = approximations(name, X, truth, seeds, options)
        compared = spectral(name, X, truth, seeds, options)
        outcomes += found + compared
        sections += [approximation_table(name, found, len(X), seeds), spectral_table(name, compared, len(X), seeds)]
    if missing:
        sections.append(f"Not in the data folder ({options.data}): {', '.join(missing)}.")
    title = "Kernel k-means by approximate features"
    return Report(title, sections, outcomes, ("nmi", "seconds"), page=page(sections))


def approximations(name, X, truth, seeds, options):
    """Nystrom, random features, two steps for every c and s, and exact kernel k-means."""
    from graphcore.features.nystrom import nystrom_features
    from graphcore.kernels.functions import kernel_function
    from graphcore.kernels.vectors import VectorKernel
    from graphcore.kmeans.coreset import coreset_kernel_kmeans
    from graphcore.kmeans.linear import linear_kmeans

    gaussian = kernel_function("gaussian", X=X)
    kernel = VectorKernel(X, gaussian, X.dtype)
    score = scorer(kernel, truth)

    def by_nystrom(seed, c, s):
        rank = None if s == c else s
        found = nystrom_features(kernel, c, rank, truncation="half", random_state=seed, n_jobs=options.threads)
        return linear_kmeans(found.features, CLUSTERS, n_init=INITIALISATIONS, random_state=seed).labels

    def by_random(seed, c, s):
        B = random_fourier_features(
            X, c, bandwidth=gaussian.bandwidth, rank=s, random_state=seed, n_jobs=options.threads
        )
        return linear_kmeans(B, CLUSTERS, n_init=INITIALISATIONS, random_state=seed).labels

    def by_sample(seed, c, _):
        return coreset_kernel_kmeans(
            kernel,
            CLUSTERS,
            size=c,
            sampling="uniform",
            n_init=INITIALISATIONS,
            random_state=seed,
            n_jobs=options.threads,
        ).labels

    jobs = []
    for c in SIZES:
        for s in (CLUSTERS, math.ceil(math.sqrt(c * CLUSTERS)), c):
            jobs += [("Nystrom", by_nystrom, c, s), ("random features", by_random, c, s)]
        jobs.append(("two steps", by_sample, c, c))
    found = []
    for method, function, c, s in jobs:
        title = f"{method}, c = {c}" + (f", s = {s}" if method != "two steps" else "")
        if harness.chosen([Method(title, title)], options):
            found.append(over_seeds(title, name, lambda seed, f=function, c=c, s=s: f(seed, c, s), score, seeds))
    if harness.chosen([Method("exact", "exact")], options):
        found.append(exact(name, X, gaussian, score, seeds, options))
    return found


def exact(name, X, gaussian, score, seeds, options):
    """Exact kernel k-means, with a single initialisation where not all kernel values fit."""
    from graphcore.kernels.dense import DenseKernel
    from graphcore.kernels.vectors import VectorKernel
    from graphcore.kmeans.exact import kernel_kmeans

    fits = len(X) <= HELD_POINTS
    K = DenseKernel(gaussian(X), check=False) if fits else VectorKernel(X, gaussian)
    n_init = INITIALISATIONS if fits else 1

    def run(seed):
        return kernel_kmeans(K, CLUSTERS, n_init=n_init, random_state=seed, n_jobs=options.threads).labels

    return over_seeds("exact" if fits else "exact, one start", name, run, score, seeds)


def scorer(kernel, truth):
    """Agreement, and the kernel k-means cost and the paper's objective g where all kernel values fit."""
    from graphcore.kernels.dense import DenseKernel
    from graphcore.kmeans.exact import partition_cost

    if kernel.n_points > HELD_POINTS:
        return lambda labels: agreement(labels, truth)
    held = DenseKernel(kernel.whole("its costs"), check=False)
    return lambda labels: {
        **agreement(labels, truth),
        "cost": partition_cost(held, labels),
        "g": column_cost(held, labels),
    }


def spectral(name, X, truth, seeds, options):
    """Kernel k-means and spectral clustering on the same Nystrom features, s = k."""
    from graphcore.features.nystrom import nystrom_features
    from graphcore.kernels.functions import kernel_function
    from graphcore.kernels.vectors import VectorKernel
    from graphcore.kmeans.linear import linear_kmeans

    found = []
    for beta in BETAS:
        kernel = VectorKernel(X, kernel_function("gaussian", bandwidth=("rms", beta), X=X), X.dtype)

        def features(seed, c, kernel=kernel):
            return nystrom_features(
                kernel, c, CLUSTERS, truncation="half", random_state=seed, n_jobs=options.threads
            ).features

        def by_kernel(seed, c, features=features):
            return linear_kmeans(features(seed, c), CLUSTERS, n_init=INITIALISATIONS, random_state=seed).labels

        def by_spectrum(seed, c, features=features):
            return factor_spectral_clustering(features(seed, c), CLUSTERS, n_init=INITIALISATIONS, random_state=seed)

        for c in SPECTRAL_SIZES:
            for method, function in (("kernel k-means", by_kernel), ("spectral clustering", by_spectrum)):
                title = f"{method}, beta = {beta:g}, c = {c}"
                if harness.chosen([Method(title, title)], options):
                    found.append(
                        over_seeds(
                            title,
                            name,
                            lambda seed, f=function, c=c: f(seed, c),
                            lambda labels: {"failed": 1.0} if labels is None else agreement(labels, truth),
                            seeds,
                        )
                    )
    return found


def approximation_table(name, found, n, seeds):
    """A row for every method and size, the published medians of two steps beside it."""
    rows = []
    for o in found:
        published = ["-", "-"]
        if o.method.title.startswith("two steps") and name in PUBLISHED:
            at = SIZES.index(int(o.method.title.rsplit(" ", 1)[1]))
            published = [PUBLISHED[name][what][at] if what in PUBLISHED[name] else "-" for what in ("nmi", "g")]
        scores = [spread(o, "nmi"), spread(o, "ari"), spread(o, "cost", 4), spread(o, "g", 1)]
        rows.append([o.method.title, *scores, *published, float(np.mean(o.seconds)), float(np.mean(o.cpu_seconds))])
    header = ["method", "NMI", "ARI", "cost", "g", "NMI, paper", "g, paper", "s", "CPU s"]
    text = (
        f"Means and deviations over {seeds} repetitions, beta = 1, l = c / 2 (raised to s), k-means with "
        f"{INITIALISATIONS} initialisations. s = c is no reduction: the l features of the truncated matrix, for "
        "Nystrom. cost is that of kernel k-means, g the paper's objective on the columns of K; the paper's figures are "
        "medians over 500 repetitions."
    )
    return f"## {name}: {n:,} points, approximations\n\n{text}\n\n" + table(header, rows)


def spectral_table(name, found, n, seeds):
    """Kernel k-means and spectral clustering side by side."""
    by_title = {o.method.title: o for o in found}
    rows = []
    for beta in BETAS:
        for c in SPECTRAL_SIZES:
            kernel, spectrum = (
                by_title.get(f"{method}, beta = {beta:g}, c = {c}")
                for method in ("kernel k-means", "spectral clustering")
            )
            if kernel is None or spectrum is None:
                continue
            failed = sum("failed" in row for row in spectrum.scores)
            seconds = [float(np.mean(o.seconds)) for o in (kernel, spectrum)]
            rows.append(
                [f"{beta:g}", c, spread(kernel, "nmi"), spread(spectrum, "nmi"), f"{failed} of {seeds}", *seconds]
            )
    header = ["beta", "c", "NMI, kernel k-means", "NMI, spectral clustering", "draws discarded", "s", "s, spectral"]
    text = (
        "Both on the same Nystrom features, s = k. Draws with a non-positive degree are discarded, as in the paper, "
        "which reports kernel k-means above spectral clustering at every beta and c (figures without numbers)."
    )
    return f"## {name}: {n:,} points, against Nystrom spectral clustering\n\n{text}\n\n" + table(header, rows)
