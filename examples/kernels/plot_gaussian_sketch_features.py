"""
Gaussian sketches
=================

A random projection in the feature space of a kernel: the quickest look at what a kernel sees.
"""

import matplotlib.pyplot as plt

import graphcore

data = graphcore.datasets.cluster_in_cluster(1000, random_state=0)
figure, axes = plt.subplots(1, 3, figsize=(8, 2.8))
axes[0].scatter(*data.data.T, c=data.labels, cmap="viridis", s=4)
axes[0].set_title("vectors")
for ax, seed in zip(axes[1:], (0, 1), strict=True):
    sketch = graphcore.GaussianSketchFeatures(2, n_subsample=100, random_state=seed).fit_transform(data.data)
    ax.scatter(*sketch.T, c=data.labels, cmap="viridis", s=4)
    ax.set_title(f"sketch, random_state={seed}")
for ax in axes:
    ax.set(xticks=[], yticks=[])
