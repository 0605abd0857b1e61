"""
Typical and doubtful images
===========================

Each cluster of handwritten digits with its most central image, and with the image that nearly belongs elsewhere.
"""

import matplotlib.pyplot as plt
import numpy as np

import graphcore

digits = graphcore.datasets.load_digits()
model = graphcore.CoresetSpectralClustering(n_clusters=10, random_state=0).fit(digits.data)

figure, axes = plt.subplots(2, 10, figsize=(7, 1.8))
central = graphcore.metrics.central_nodes(model.graph_, model.labels_, count=1)
for cluster, (typical, *_) in enumerate(central):
    members = np.flatnonzero(model.labels_ == cluster)
    doubtful = members[model.outside_share_[members].argmax()]
    for ax, node in zip(axes[:, cluster], (typical, doubtful), strict=True):
        ax.imshow(digits.data[node].reshape(8, 8), cmap="gray_r")
        ax.set(xticks=[], yticks=[])
        ax.set_xlabel(f"a {digits.labels[node]}")
axes[0, 0].set_ylabel("typical")
axes[1, 0].set_ylabel("doubtful")
