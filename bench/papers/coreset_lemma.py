"""Lemma 4.2: the error, over many sets of centres, of the coreset that `eps=` returns."""

import warnings

import numpy as np

import graphcore

from .curves import curves, legend
from .exhibit import Exhibit, chosen

NODES, QUICK_NODES = 20_000, 1500
EPS, QUICK_EPS = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0), (0.5, 1.0)
CLUSTERS, QUICK_CLUSTERS = (2, 3, 5), (2, 3)
CENTRE_SETS, QUICK_SETS = 100, 10
GRAPHS = ("planted", "planted, skewed degrees")


def measure(settings):
    """Measure the largest relative error of the cost for centroids of planted to random partitions."""
    n = QUICK_NODES if settings.quick else NODES
    for k in QUICK_CLUSTERS if settings.quick else CLUSTERS:
        for name in GRAPHS:
            graph, blocks = _graph(name, k, n // k)
            partitions = centre_sets(blocks, k, QUICK_SETS if settings.quick else CENTRE_SETS, settings.seed)
            for eps in QUICK_EPS if settings.quick else EPS:
                for seed in settings.seeds(10):
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", graphcore.GraphWarning)  # sizes capped at all nodes
                        coreset = graphcore.build_coreset(graph, k, eps=eps, random_state=seed)
                    how = {"centres": "nearest", "n_jobs": settings.threads}
                    found = [graphcore.metrics.coreset_cost(graph, coreset, labels, **how) for labels in partitions]
                    errors = np.array([cost.cost_error for cost in found])
                    error = float(np.abs(errors).max())
                    yield {
                        "graph": name,
                        "k": k,
                        "eps": eps,
                        "error": error,
                        "within": int(error <= eps),
                        "typical": float(np.sqrt(np.square(errors).mean())),
                        "cut": max(abs(cost.cut_error) for cost in found),
                        "nodes": len(coreset),
                    }


def _graph(name, k, size):
    if name == GRAPHS[0]:
        return graphcore.datasets.planted_partition(k, size, 20 / size, 4 / size, random_state=0)
    return graphcore.datasets.degree_corrected_partition(k, size, mean_degree=24, random_state=0)


def centre_sets(blocks, k, count, seed):
    """Return partitions whose centroids are the centres: the planted one with ever more labels drawn anew."""
    rng = np.random.default_rng(seed)
    found = []
    for share in np.linspace(0, 1, count):
        labels = np.asarray(blocks).copy()
        anew = rng.random(len(labels)) < share
        labels[anew] = rng.choice(k, anew.sum(), p=rng.dirichlet(np.ones(k)))
        found.append(labels)
    return np.array(found)


def draw(groups, published):
    """Draw the largest error against the one asked for, and the size of the coreset."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6))
    clusters = sorted({group["k"] for group in groups})
    named = [group | {"line": f"{group['graph']}, k = {group['k']}"} for group in groups]
    lines = [f"{name}, k = {k}" for name in GRAPHS for k in clusters]
    for ax, name in zip(axes, GRAPHS, strict=False):
        curves(ax, chosen(named, graph=name), (), x="eps", y="error", line="line", lines=lines)
        ends = [min(group["eps"] for group in groups), max(group["eps"] for group in groups)]
        ax.plot(ends, ends, color="black", linewidth=1, label="the error asked for")
        ax.set(title=name, xlabel="eps", ylabel="largest error of the cost", yscale="log")
    curves(axes[2], named, (), x="eps", y="nodes", line="line", lines=lines)
    axes[2].set(title="size", xlabel="eps", ylabel="coreset nodes", yscale="log")
    legend(figure, axes)
    return figure


def check(groups):
    """Check that nearly all runs stay within the error asked for."""
    assert np.mean([within for group in groups for within in group["within"]]) > 0.9


LEMMA = Exhibit(
    name="lemma-4.2",
    title="the error of what eps= returns",
    by={"graph": "graph", "k": "k", "eps": "eps"},
    values={
        "error": "largest error",
        "within": "runs within eps",
        "typical": "root mean square error",
        "cut": "largest error of kNC",
        "nodes": "coreset nodes",
    },
    measure=measure,
    why=(
        "The lemma leaves the constant of the size open. With the constant 1, 356 of 360 runs stay within the error "
        "that was asked for, and far within it for more than two clusters. The other four have two clusters, "
        "skewed degrees, and coresets of 917, 201, 84 and 6 nodes: of any size. The error is that of the cost, over "
        "the centroids of partitions from the planted one to random ones. These coresets estimate the cut badly: kNC "
        "is a small part of the cost, and its relative error is many times larger."
    ),
    draw=draw,
    check=check,
)
