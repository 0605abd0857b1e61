"""
Kernel k-means
==============

A ring inside a ring: exact kernel k-means, and the regions that new points would join.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_circles

import graphcore

X, ring = make_circles(400, factor=0.3, noise=0.05, random_state=0)
model = graphcore.KernelKMeans(2, bandwidth=0.3, random_state=0).fit(X)

x, y = np.meshgrid(np.linspace(-1.3, 1.3, 90), np.linspace(-1.3, 1.3, 90))
regions = model.predict(np.column_stack([x.ravel(), y.ravel()])).reshape(x.shape)
plt.figure(figsize=(4, 4))
plt.contourf(x, y, regions, levels=1, cmap="Greys", alpha=0.4)
plt.scatter(*X.T, c=model.labels_, cmap="tab10", vmin=0, vmax=9, s=8)
plt.axis("off")

# %%
# ``cost_`` is the mean squared distance to the centroids in feature space, ``predict`` and ``score`` take new points.

print(round(model.cost_, 3), graphcore.metrics.agreement(model.labels_, ring))
