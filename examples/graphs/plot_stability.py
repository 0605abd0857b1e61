"""
Which labels are stable?
========================

Several drafts are made, each from a coreset of its own, and recombined. Where they disagree, the graph does not
determine the label.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_blobs

import graphcore

points, _ = make_blobs(1500, centers=[(-5, 0), (0, 0), (2.4, 0.8)], random_state=1)
model = graphcore.CoresetSpectralClustering(n_clusters=3, random_state=0).fit(points)

figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), sharex=True, sharey=True)
axes[0].scatter(*points.T, c=model.labels_, cmap="tab10", vmin=0, vmax=9, s=6)
axes[0].set_title("clusters")
shown = axes[1].scatter(*points.T, c=model.stability_, cmap="Greys_r", vmax=1.2, s=6)
axes[1].set_title("stability of each label")
figure.colorbar(shown, ax=axes[1]).ax.set_ylim(0, 1)

# %%
# The cluster on the left is stable. The other two overlap, and the points between them could be in either.

model.summary("pandas")[["cluster", "size", "conductance", "stability"]].round(2)
