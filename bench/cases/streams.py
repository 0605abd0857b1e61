"""Coresets of parts, merged and reduced, beside one of the same size; streams beside all rows in memory.

Means and deviations over seeds. The cost of a clustering is that of all points with its centroids, for kernel k-means
(three starts) on each coreset of 50 points a cluster; the error is the root mean square, over ten candidate
clusterings, of the relative error of their costs as the coreset estimates them. A part is a run of rows in their
order. Streams are 20 planted clusters in 32 dimensions, in chunks of 50,000 rows; the memory is the highest anonymous
memory of the process, the interpreter included, and agreement is that of 500,000 rows labelled afterwards. ``--rows``
takes fewer rows than ten million, and ``--page docs/tables/streams.md`` writes the table of the docs.
"""

from functools import partial
from itertools import chain

import numpy as np
from threadpoolctl import threadpool_limits

import graphcore
from graphcore.base.streams import Streams
from graphcore.cluster.merge_coresets import CoresetTree
from graphcore.kernel_methods.kmeans.centroids import nearest_centroid
from graphcore.kernel_methods.kmeans.exact import kernel_kmeans
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.vectors import VectorKernel

from .. import vectors
from ..harness import holds
from ..report import Report, page, table
from ..vectors import over_seeds, spread
from .minibatch import planted

SEEDS = 20
ROOMS = ("base", "kernels", "cluster", "kernel_methods")
N_PARTS = (8, 64)
A_CLUSTER, N_STARTS, N_CANDIDATES = 50, 3, 10
STREAMS, ROWS, SHORT, CHUNK, N_CLUSTERS, N_FEATURES, N_JUDGED = (
    "streams", 10_000_000, 1_000_000, 50_000, 20, 32, 500_000
)  # fmt: skip


def run(options):
    """Measure streams, whose memory is that of a process without other data, and merges on every set of vectors."""
    missing, merges = [], []
    with threadpool_limits(options.threads):
        streams = _streams(options) if holds(STREAMS, options.graphs) else []
        for name, X, truth in vectors.loaded(LOADERS, options, missing):
            merges.append(_merges(name, X.astype(np.float64), len(np.unique(truth)), options))
    sections = [_section(found) for found in merges]
    if streams:
        sections.append(f"## Streams of {N_FEATURES} features, {N_CLUSTERS} clusters\n\n" + _table_of_streams(streams))
    return Report(
        "Coresets of parts and of streams", sections + options.absent(missing), [*chain(*merges), *streams],
        ("cost",), page=page(sections),
    )  # fmt: skip


def _merges(name, X, k, options):
    function = kernel_function("gaussian", bandwidth=("rms", 1.0), X=X)
    kernel, size = VectorKernel(X, function, held_bytes=0), min(A_CLUSTER * k, len(X) // 3)
    candidates = [_costs(kernel, _sample(kernel, size, seed), k, seed)[1] for seed in range(N_CANDIDATES)]

    def one(seed, replace):
        return graphcore.build_coreset(kernel, k, size=size, replace=replace, random_state=seed)

    def merged(seed, n_parts):
        reduced = partial(graphcore.reduce_coreset, n_clusters=k, size=size)
        tree = CoresetTree(reduced, function, kernel.precision, Streams(seed))
        for part in np.array_split(X, n_parts):
            tree = tree.with_chunks(part)
        return tree.whole()

    def scores(found):
        seed, coreset = found
        errors = [costs[coreset.indices] @ coreset.weights / costs.sum() - 1 for costs in candidates]
        cost = float(_costs(kernel, coreset, k, seed)[1].mean())
        error = float(np.sqrt(np.square(errors).mean()))
        return {"cost": cost, "error": error, "weights": float(coreset.weights.sum() / len(X))}

    ways = {"one, draws": partial(one, replace=True), "one, distinct points": partial(one, replace=False)}
    ways |= {f"of {n_parts} parts": partial(merged, n_parts=n_parts) for n_parts in N_PARTS}
    title = f"{name}: {len(X):,} points, k = {k}, {size:,} in the coreset"
    return [over_seeds(way, title, lambda seed, way=way: (seed, ways[way](seed)), scores, options.seeds)
            for way in ways]  # fmt: skip


def _sample(kernel, size, seed):
    """Return a uniform sample of points, each with the same weight."""
    return graphcore.build_coreset(kernel, 1, size=size, method="uniform", random_state=1000 + seed)


def _costs(kernel, coreset, k, seed):
    """Cluster a coreset; return the clustering, and squared distances of all points to its centroids."""
    among = coreset.kernel.submatrix(np.arange(len(coreset)), coreset.weights)
    found = kernel_kmeans(among, k, n_init=N_STARTS, random_state=seed)
    return found, kernel.diagonal + nearest_centroid(kernel.columns(coreset.indices), found.centroids)[1]


def _section(found):
    first = np.mean([score["cost"] for score in found[0].scores])
    rows = []
    for each in found:
        cost = np.mean([score["cost"] for score in each.scores])
        weights = [score["weights"] for score in each.scores]
        mean, off = np.mean(weights), np.std(weights, ddof=1) / np.sqrt(len(weights)) if len(weights) > 1 else 0.0
        rows.append([each.method.title, spread(each, "cost", 4), f"{cost / first:.3f}", f"{mean:.3f} ± {off:.3f}",
                     spread(each, "error", 4)])  # fmt: skip
    header = ["coreset", "cost of its clustering", "of that of one", "weights / n, ± standard error", "error of costs"]
    return f"## {found[0].graph}\n\n" + table(header, rows)


def _streams(options):
    """Measure streams of two lengths, the long one with one seed, and a fit of as many rows as the short one has."""
    long, seeds = options.rows or ROWS, min(5, options.seeds)
    short = (SHORT, seeds)
    ways = (("a stream", _stream, *short), ("all in memory", _in_memory, *short), ("a stream", _stream, long, 1))
    return [
        over_seeds(f"{title}, {n:,} rows", STREAMS, partial(fit, n, options.threads), _agreement, n_seeds)
        for title, fit, n, n_seeds in ways
    ]


def chunk(number, seed=0):
    """Return rows of the planted clusters, float64, and their clusters; `seed` places the centres."""
    rng = np.random.default_rng([seed, number])
    centers = np.random.default_rng(seed).normal(0, 1.5, (N_CLUSTERS, N_FEATURES))
    truth = rng.integers(0, N_CLUSTERS, CHUNK)
    return centers[truth] + rng.normal(size=(CHUNK, N_FEATURES)), truth


def _stream(n_rows, threads, seed):
    model = graphcore.CoresetKernelKMeans(N_CLUSTERS, random_state=seed, n_jobs=threads)
    with vectors.AnonymousMemory() as memory:
        for number in range(n_rows // CHUNK):
            model.partial_fit(chunk(number)[0])
    return model, memory.peak


def _in_memory(n_rows, threads, seed):
    with vectors.AnonymousMemory() as memory:
        X = np.empty((n_rows // CHUNK * CHUNK, N_FEATURES))
        for number in range(n_rows // CHUNK):
            X[number * CHUNK : (number + 1) * CHUNK] = chunk(number)[0]
        model = graphcore.CoresetKernelKMeans(N_CLUSTERS, random_state=seed, n_jobs=threads).fit(X)
    return model, memory.peak


def _agreement(found):
    model, peak = found
    labels, truth = [], []
    for number in range(N_JUDGED // CHUNK):
        rows, kinds = chunk(number)
        labels.append(model.predict(rows))
        truth.append(kinds)
    found = vectors.agreement(np.concatenate(labels), np.concatenate(truth))
    return {"ari": found["ari"], "cost": -model.score(rows), "megabytes": peak / 1e6}


def _table_of_streams(found):
    rows = [
        [each.method.title, f"{np.mean(each.seconds):.0f}", f"{max(score['megabytes'] for score in each.scores):,.0f}",
         spread(each, "cost", 4), spread(each, "ari")]
        for each in found
    ]  # fmt: skip
    return table(["rows", "s", "MB", "cost", "ARI"], rows)


def _digits(_):
    found = graphcore.datasets.load_digits()
    return found.data, found.labels


LOADERS = {
    "digits": _digits, "pendigits": vectors.pendigits, "letter": vectors.letter,
    "planted": lambda _: planted(50),
}  # fmt: skip
