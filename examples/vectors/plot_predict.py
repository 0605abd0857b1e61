"""
Predicting new points
=====================

``predict`` joins a new point to its nearest fitted points, and gives it the cluster that gains most.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

import graphcore

points, _ = make_moons(600, noise=0.06, random_state=0)
model = graphcore.CoresetSpectralClustering(n_clusters=2, random_state=0).fit(points)

low, high = points.min(axis=0) - 0.2, points.max(axis=0) + 0.2
x, y = np.meshgrid(np.linspace(low[0], high[0], 80), np.linspace(low[1], high[1], 80))
predicted = model.predict(np.column_stack([x.ravel(), y.ravel()])).reshape(x.shape)
plt.contourf(x, y, predicted, levels=1, cmap="Greys", alpha=0.5)
plt.scatter(*points.T, c=model.labels_, cmap="tab10", vmin=0, vmax=9, s=6)
plt.axis("off")
