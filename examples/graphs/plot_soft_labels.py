"""
Soft labels
===========

``membership_`` has the probability of every cluster for every node. Most memberships are near 1; those of nodes
between two clusters are not.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

import graphcore

points, _ = make_blobs(900, centers=[(-3, 0), (0, 0), (1.5, 2.2)], cluster_std=0.8, random_state=1)
model = graphcore.CoresetSpectralClustering(3, random_state=0).fit(points)
surest = model.membership_.max(axis=1).toarray().ravel()

figure, axes = plt.subplots(1, 2, figsize=(8, 3.4), sharex=True, sharey=True)
axes[0].scatter(*points.T, c=model.labels_, cmap="tab10", vmin=0, vmax=9, s=8)
axes[0].set_title("clusters")
shown = axes[1].scatter(*points.T, c=surest, cmap="Greys_r", vmin=0.3, vmax=1.15, s=8)
axes[1].set_title("probability of the cluster given")
figure.colorbar(shown, ax=axes[1]).ax.set_ylim(0.3, 1)

# %%
# The least certain nodes, with their probabilities. See :doc:`/results`.

print(model.membership_[surest.argsort()[:3]].toarray().round(2))
