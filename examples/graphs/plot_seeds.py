"""
Results that change with the seed
=================================

A graph with clusters gives the same ones for every seed. A graph without clusters gives others for every seed, and
``stability_`` shows it after a single run.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np
from sklearn.metrics import adjusted_rand_score

import graphcore

graphs = {
    "with 12 clusters": nx.planted_partition_graph(12, 60, 0.16, 0.01, seed=0),
    "without clusters": nx.barabasi_albert_graph(720, 8, seed=0),
}
figure, axes = plt.subplots(1, 2, figsize=(7, 3.5))
for ax, (name, G) in zip(axes, graphs.items(), strict=True):
    models = [graphcore.CoresetSpectralClustering(12, random_state=seed).fit(G) for seed in range(4)]
    scores = np.array([[adjusted_rand_score(a.labels_, b.labels_) for b in models] for a in models])
    ax.imshow(scores, vmin=0, vmax=1, cmap="Greys")
    stability = models[0].stability_[models[0].labels_ >= 0].mean()
    ax.set(title=f"{name}\nmean stability {stability:.2f}", xlabel="seed", ylabel="seed", yticks=range(4))
    for (i, j), score in np.ndenumerate(scores):
        ax.text(j, i, f"{score:.2f}", ha="center", va="center", color="white" if score > 0.5 else "black")

# %%
# The numbers are adjusted Rand indices of two runs: 1 for equal clusters, 0 for no more agreement than by chance. A
# fixed ``random_state`` repeats a result exactly, but does not make it more certain. :doc:`/how_to` has the
# remedies.
