"""Pictures of the page on landmark methods."""

import matplotlib.pyplot as plt
import numpy as np

import graphcore
from graphcore.kernel_methods.features.nystrom import nystrom_features
from graphcore.kernel_methods.kmeans.exact import kernel_kmeans, partition_cost
from graphcore.kernels.functions import kernel_function
from graphcore.kernels.vectors import VectorKernel

__all__ = ["nystrom_brackets", "nystrom_schemes"]

LANDMARKS = (10, 20, 43, 86, 170, 340, 680)


def nystrom_brackets():
    """Draw the certified range of the cost of the digits' clusters against the number of landmarks."""
    data = graphcore.datasets.load_digits().data
    K = kernel_function("gaussian", X=data)(data)
    exact = kernel_kmeans(K, 10, n_init=3, random_state=0).cost
    rows = []
    for c in LANDMARKS:
        model = graphcore.NystromKernelKMeans(10, n_landmarks=c, n_components=None, n_init=3, random_state=0).fit(data)
        proof = model.certificate_
        rows.append((proof.cost_lower, partition_cost(K, model.labels_), proof.cost_upper, proof.optimum_lower))
    lower, true, upper, optimum = np.array(rows).T
    figure, ax = plt.subplots(figsize=(6, 3.4), layout="constrained")
    ax.fill_between(LANDMARKS, lower, upper, color="#9ad1b4", alpha=0.5, linewidth=0, label="certificate")
    ax.plot(LANDMARKS, true, "o-", color="#1b4965", label="true cost of the labels")
    ax.plot(LANDMARKS, optimum, "v--", color="#b5547a", label="no clustering costs less")
    ax.axhline(exact, color="#666666", linewidth=1, linestyle=":", label="exact kernel k-means")
    ax.axvline(np.sqrt(len(data)), color="#c9c9c9", linewidth=1)
    ax.annotate(r"$\sqrt{n}$", (np.sqrt(len(data)), 0.01), textcoords="offset points", xytext=(4, 0))
    ax.set(xscale="log", xlabel="landmarks", ylabel="mean cost of a point", ylim=(0, None))
    ax.set_xticks(LANDMARKS, map(str, LANDMARKS))
    ax.minorticks_off()
    ax.legend(frameon=False)
    return figure


def nystrom_schemes():
    """Draw the residual of the points of a rare cluster under three ways to choose landmarks."""
    rng = np.random.default_rng(0)
    data = np.concatenate([rng.normal(0, 0.1, (2940, 5)), rng.normal(8, 2.0, (60, 5))])
    kernel = VectorKernel(data, kernel_function("gaussian", bandwidth=1.5))
    rare = slice(2940, None)
    counts = (20, 40, 80, 160)
    figure, ax = plt.subplots(figsize=(6, 3.2), layout="constrained")
    ways = ("uniform", "#e0a030", "o"), ("recursive-ridge", "#1b4965", "s"), ("rpcholesky", "#b5547a", "v")
    for sampling, shade, shape in ways:
        means = [
            np.mean(
                [
                    nystrom_features(kernel, c, sampling=sampling, ridge=1.0, replace=False, random_state=seed)
                    .residuals[rare]
                    .mean()
                    for seed in range(3)
                ]
            )
            for c in counts
        ]
        ax.plot(counts, means, shape + "-", color=shade, label=f'sampling="{sampling}"')
    ax.set(xscale="log", xlabel="landmarks", ylabel="mean residual in the rare cluster", ylim=(0, 1.02))
    ax.set_xticks(counts, map(str, counts))
    ax.minorticks_off()
    ax.legend(frameon=False)
    return figure
