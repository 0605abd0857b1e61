"""
Gaussian sketches
=================

A random projection in the feature space of a kernel: the quickest view of a kernel.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_circles

import graphcore

X, ring = make_circles(1000, factor=0.2, noise=0.05, random_state=0)
figure, axes = plt.subplots(1, 3, figsize=(8, 2.8))
axes[0].scatter(*X.T, c=ring, cmap="tab10", vmin=0, vmax=9, s=4)
axes[0].set_title("vectors")
for ax, seed in zip(axes[1:], (0, 1), strict=True):
    sketch = graphcore.GaussianSketchFeatures(2, n_subsample=100, random_state=seed).fit_transform(X)
    ax.scatter(*sketch.T, c=ring, cmap="tab10", vmin=0, vmax=9, s=4)
    ax.set_title(f"sketch, random_state={seed}")
for ax in axes:
    ax.set(xticks=[], yticks=[])
