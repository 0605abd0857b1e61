"""
A coreset by itself
===================

A weighted sample of nodes. Sums over the sample estimate sums over all nodes: the simplest is the sum of all degrees.
"""

import matplotlib.pyplot as plt
import networkx as nx

import graphcore

graph = graphcore.Graph.from_networkx(nx.barabasi_albert_graph(3000, 3, seed=0))
figure, axes = plt.subplots(1, 2, figsize=(7, 3.2), sharex=True)
for ax, method in zip(axes, ("degree", "uniform"), strict=True):
    coreset = graphcore.build_coreset(graph, 10, size=300, method=method, random_state=0)
    degrees = graph.degrees[coreset.indices]
    ax.loglog(degrees, coreset.weights, ".", color="black", alpha=0.4)
    ax.set(title=f'method="{method}"', xlabel="degree", ylabel="weight")
    print(f"{method}: sum of weights {coreset.weights.sum():,.0f}; sum of all degrees {graph.degrees.sum():,.0f}")

# %%
# Sampling by degree takes hubs for certain, and then each stands for itself only.
