"""
Segments of a photograph
========================

Pixels are the nodes of a graph; edges between neighbouring pixels weigh more where the colours are alike.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_sample_image
from sklearn.feature_extraction.image import grid_to_graph

import graphcore

photo = load_sample_image("flower.jpg")[::4, ::4] / 255.0
height, width, _ = photo.shape
grid = grid_to_graph(height, width).tocoo()
colours = photo.reshape(-1, 3)
difference = np.linalg.norm(colours[grid.row] - colours[grid.col], axis=1)
once = grid.row < grid.col
weights = np.exp(-difference[once] / difference[once].mean()) + 1e-4
graph = graphcore.Graph.from_edges(grid.row[once], grid.col[once], weights)

labels = graphcore.CoresetSpectralClustering(n_clusters=12, random_state=0).fit_predict(graph).reshape(height, width)
figure, axes = plt.subplots(1, 2, figsize=(7.5, 2.6))
axes[0].imshow(photo)
means = np.array([photo[labels == c].mean(axis=0) for c in range(12)])
axes[1].imshow(means[labels])
for ax in axes:
    ax.axis("off")

# %%

print(f"{graph.n_nodes:,} pixels, {graph.n_edges:,} edges")
