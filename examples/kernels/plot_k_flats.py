"""
k-flats
=======

Clusters that are lines: two that cross, which k-means cannot separate.
"""

import matplotlib.pyplot as plt
import numpy as np

import graphcore

points, truth = graphcore.datasets.crossing_lines(300, noise=0.03, random_state=0)
model = graphcore.KFlats(n_clusters=2, n_dims=1, init="random", random_state=0).fit(points)

plt.figure(figsize=(4.5, 4))
plt.scatter(*points.T, c=model.labels_, cmap="tab10", vmin=0, vmax=9, s=6)
for center, direction in zip(model.cluster_centers_, model.components_, strict=True):
    line = center + np.outer([-1.2, 1.2], np.ravel(direction))
    plt.plot(*line.T, color="black", lw=1)
plt.axis("equal")

# %%
# Flats are also a code: the number of a flat, and the coordinates on it.

codes = model.encode(points)
print(codes.labels[:3], codes.coordinates[:3].ravel().round(2))
print("mean squared error of the code:", round(-model.score(points), 4))
