"""Held-out cost of Nystrom kernel k-means on MNIST 60,000 against the number of landmarks m.

All features of m uniform landmarks (no cut to a lower rank), Gaussian kernel, sigma the root mean square distance.
``--rows`` takes fewer training images, ``--quick`` 6,000.
"""

import math
import time

import numpy as np

from .. import vectors
from ..report import Report, table, verdict
from ..vectors import CLUSTERS, agreement, over_seeds, spread

SEEDS = 5
# Landmarks as multiples of the root of n.
FACTORS = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8)
QUICK_ROWS, INITIALISATIONS, LIMIT_SECONDS = 6000, 3, 60.0


def run(options):
    """One row for every m."""
    from graphcore.features.nystrom import nystrom_features
    from graphcore.kernels.dense import DenseKernel
    from graphcore.kernels.functions import kernel_function
    from graphcore.kernels.vectors import VectorKernel
    from graphcore.kmeans.exact import partition_cost
    from graphcore.kmeans.linear import linear_kmeans
    from graphcore.kmeans.nearest import nearest_center

    data = vectors.mnist(options.data)
    if data is None:
        return Report("Held-out cost", [f"Not in the data folder ({options.data}): mnist."], [])
    n = min(options.rows or (QUICK_ROWS if options.quick else 60_000), len(data[0]))
    X, truth = data[0][:n], data[1][:n]
    test, test_truth = vectors.mnist(options.data, "t10k")
    if n < 60_000:
        test, test_truth = test[: n // 6], test_truth[: n // 6]
    function = kernel_function("gaussian", X=X)
    kernel = VectorKernel(X, function, np.dtype(np.float32))
    held = DenseKernel(function(test), check=False)

    def fit(seed, m):
        start = time.perf_counter()
        found = nystrom_features(kernel, m, random_state=seed, n_jobs=options.threads)
        clusters = linear_kmeans(found.features, CLUSTERS, n_init=INITIALISATIONS, random_state=seed)
        return found, clusters, time.perf_counter() - start

    def score(result):
        found, clusters, seconds = result
        B = found.feature_map(test, n_jobs=options.threads).astype(np.float64)
        labels, squares = nearest_center(B, clusters.centers)
        residual = 1.0 - np.einsum("ij,ij->i", B, B)
        return {
            "train": clusters.cost + found.alpha / n,
            "heldout": float((squares + residual).mean()),
            "partition": partition_cost(held, labels),
            "nmi": agreement(labels, test_truth)["nmi"],
            "train_nmi": agreement(clusters.labels, truth)["nmi"],
            "fit": seconds,
        }

    outcomes = []
    for factor in FACTORS:
        m = max(CLUSTERS, math.ceil(factor * math.sqrt(n)))
        if m <= n:
            outcomes.append(over_seeds(f"m = {m}", f"MNIST {n}", lambda seed, m=m: fit(seed, m), score, options.seeds))
    return Report(f"Held-out cost on MNIST, {n:,} images", [described(outcomes, n)], outcomes, ("heldout", "seconds"))


def described(outcomes, n):
    """The table and the three aims."""
    header = ["m", "m / sqrt(n)", "cost, training", "cost, held out", "partition cost, held out", "NMI, held out"]
    header += ["NMI, training", "s", "CPU s"]
    rows = []
    for o in outcomes:
        m = int(o.method.title.split()[-1])
        scores = [spread(o, what, 4) for what in ("train", "heldout", "partition")]
        scores += [spread(o, what) for what in ("nmi", "train_nmi")]
        rows.append([m, f"{m / math.sqrt(n):.3g}", *scores, float(np.mean(o.seconds)), float(np.mean(o.cpu_seconds))])
    mean = {o.method.title: {k: np.mean([r[k] for r in o.scores]) for k in ("heldout", "partition")} for o in outcomes}
    plateau = mean[outcomes[-1].method.title]
    root, twice = (f"m = {math.ceil(f * math.sqrt(n))}" for f in (1, 2))
    partition = mean[root]["partition"] / plateau["partition"] - 1
    subspace = mean[twice]["heldout"] / plateau["heldout"] - 1
    seconds = next(float(np.mean(o.seconds)) for o in outcomes if o.method.title == root)
    text = (
        "Costs are means over points. 'held out' is the distance of new points to the centres in kernel space, what "
        "the features miss included; 'partition cost' lets the new points' clusters have their own exact means. The "
        "last row is the plateau."
    )
    aims = [
        f"- partition cost at m = sqrt(n): {100 * partition:+.2f} % of the plateau's (aim at most +2 %: "
        f"{verdict(bool(partition <= 0.02))})",
        f"- cost in the subspace at m = 2 sqrt(n): {100 * subspace:+.2f} % (aim at most +5 %: "
        f"{verdict(bool(subspace <= 0.05))})",
        f"- fit at m = sqrt(n): {seconds:.1f} s (aim {LIMIT_SECONDS:.0f} s on two cores: "
        f"{verdict(bool(seconds <= LIMIT_SECONDS))})",
    ]
    return f"{text}\n\n" + table(header, rows) + "\n\n" + "\n".join(aims)
