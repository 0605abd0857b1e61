"""
Splitting one cluster further
=============================

A cluster is a graph of its own, which can be clustered again.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

import graphcore

points, _ = make_blobs(900, centers=[(0, 0), (3, 0), (10, 0), (13, 0), (11.5, 2.6)], cluster_std=0.6, random_state=0)
model = graphcore.CoresetSpectralClustering(n_clusters=2, random_state=0).fit(points)

largest = model.summary()["size"].argmax()
part = model.subgraph(largest)
inner = graphcore.CoresetSpectralClustering(n_clusters=3, random_state=0).fit_predict(part)

plt.scatter(*points.T, color="#cccccc", s=6)
plt.scatter(*points[part.node_names].T, c=inner, cmap="tab10", vmin=0, vmax=9, s=6)
plt.axis("equal")

# %%
# ``node_names`` of the part are the numbers of its nodes in the whole.
