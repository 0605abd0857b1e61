"""
Size of a coreset
=================

The error with which a coreset estimates the normalised cut, for coresets of several sizes.
"""

import matplotlib.pyplot as plt

import graphcore
from graphcore import metrics

graph, truth = graphcore.datasets.degree_corrected_partition(10, 200, mean_degree=20, random_state=0)


def error(size, method, n_draws=10):
    """Root of the mean squared error of the cut, over some draws."""
    coresets = [
        graphcore.build_coreset(graph, 10, size=size, method=method, random_state=seed) for seed in range(n_draws)
    ]
    costs = [metrics.coreset_cost(graph, c.indices, c.weights, truth, self_loop=c.self_loop) for c in coresets]
    return (sum(cost.cut_error**2 for cost in costs) / n_draws) ** 0.5


sizes = [100, 200, 400, 800]
figure, ax = plt.subplots(layout="constrained")
for method in ("degree", "uniform"):
    ax.loglog(sizes, [error(size, method) for size in sizes], "o-", label=method)
ax.loglog(sizes, [3 * size**-0.5 for size in sizes], color="lightgrey", label="as 1 / √size")
ax.set(xlabel="nodes in the coreset", ylabel="relative error of the cut")
ax.legend()

# %%
# The pale line falls as one over the root of the size, as it does for independent draws.
