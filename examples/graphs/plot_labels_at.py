"""
Other numbers of clusters, without another fit
==============================================

A fit ends with a merge tree. ``tree_.labels_at`` cuts it at any height.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

import graphcore

centers = [(x + dx, y + dy) for x, y in ((0, 0), (9, 0), (4, 8)) for dx, dy in ((-1.5, 0), (1.5, 0), (0, 2.4))]
points, _ = make_blobs(900, centers=centers, cluster_std=0.45, random_state=0)
model = graphcore.CoresetSpectralClustering(n_clusters=9, random_state=0).fit(points)

figure, axes = plt.subplots(1, 3, figsize=(8, 3), sharex=True, sharey=True)
for ax, k in zip(axes, (2, 3, 9), strict=True):
    ax.scatter(*points.T, c=model.tree_.labels_at(k), cmap="tab10", vmin=0, vmax=9, s=5)
    ax.set(title=f"labels_at({k})", xticks=[], yticks=[])

# %%
# The tree is nested: clusters for a smaller k are unions of those for a larger k.
