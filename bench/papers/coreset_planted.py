"""Figure 4: planted blocks become many, and kernel k-means on the coreset gets stuck."""

from functools import partial

from sklearn.metrics import adjusted_rand_score

import graphcore

from .. import inputs, scoring
from .coreset_methods import AUTHORS, kernel_kmeans, published, runs
from .curves import curves, legend
from .exhibit import TEXT, Exhibit, chosen, mean, timed

SPECTRAL, KMEANS = "coreset spectral clustering", "coreset kernel k-means"
BLOCKS = (10, 25, 50, 100, 150, 200, 250)
# Ten nodes of the coreset in a block.
BLOCK, SHARE, QUICK_BLOCKS, QUICK_BLOCK, QUICK_SHARE = 1000, 0.01, (4, 20), 200, 0.05
METHODS = {
    SPECTRAL: (published, {}),
    f"{SPECTRAL}, by degree": (published, {"sampling": "degree"}),
    KMEANS: (kernel_kmeans, {"n_init": 1}),
    f"{KMEANS}, 10 starts": (kernel_kmeans, {"n_init": 10}),
}


def measure(settings):
    """Measure each method on graphs of more and more blocks."""
    block, share = (QUICK_BLOCK, QUICK_SHARE) if settings.quick else (BLOCK, SHARE)
    for k in QUICK_BLOCKS if settings.quick else BLOCKS:
        indptr, indices, truth = scoring.load(inputs.planted(k, block, 0.5, 0.001 / k))
        graph = graphcore.Graph(indptr, indices)
        for name, (run, params) in METHODS.items():
            run(graph, k, share, 0, settings.threads, **params)  # compiled and loaded before it is timed
            for seed in settings.seeds(20):
                found, seconds = timed(run, graph, k, share, seed, settings.threads, **params)
                yield {"method": name, "k": k, "seconds": seconds, **scores(*found, truth=truth)}
        for found in runs(indptr, indices, k, share, settings, 20, partial(scores, truth=truth)):
            yield found | {"k": k}


def scores(labels, coreset_labels, nodes, truth):
    """Return the agreement of the coreset's nodes and of all nodes."""
    return {
        "coreset_ari": adjusted_rand_score(truth[nodes], coreset_labels),
        "ari": adjusted_rand_score(truth, labels),
    }


def draw(groups, told):
    """Draw seconds and agreement of the coreset's nodes, as in the paper, and agreement of all nodes."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 3, figsize=(10, 3.6))
    for ax, (key, label) in zip(axes, FIGURE_4.values.items(), strict=True):
        curves(ax, groups, told, x="k", y=key, line="method", lines=[*METHODS, AUTHORS])
        ax.set(xlabel="blocks k", ylabel=label)
    legend(figure, axes, 2)
    return figure


def check(groups):
    """Check that with many blocks kernel k-means on the coreset falls far behind."""
    most = max(group["k"] for group in chosen(groups, method=KMEANS))
    spectral, kmeans = (mean(chosen(groups, method=m, k=most)[0], "coreset_ari") for m in (SPECTRAL, KMEANS))
    assert spectral > kmeans + 0.25


FIGURE_4 = Exhibit(
    name="figure-4",
    title="planted blocks of 1,000 nodes, a coreset of 1 %",
    by={"method": "method", "k": "k"},
    values={"seconds": "CPU s", "coreset_ari": "ARI of the coreset", "ari": "ARI of all nodes"},
    measure=measure,
    why="Kernel k-means on the coreset collapses as published, also with ten starts. Coreset spectral clustering is "
    "better here than the published .5 with 250 blocks, and so is the authors' program, which reaches .92: neither "
    "repeats the figure, and the reason is not known.",
    published=(
        {"method": SPECTRAL, "k": 250, "coreset_ari": 0.5, "seconds": "under 3", "source": TEXT},
        {"method": KMEANS, "k": 50, "coreset_ari": "useless beyond", "source": TEXT},
    ),
    draw=draw,
    check=check,
    slow=True,
)
