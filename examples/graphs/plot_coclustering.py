"""
Rows and columns at once
========================

Users and the items that they buy: one cluster holds users and items that belong together.
"""

import matplotlib.pyplot as plt
import numpy as np

import graphcore

sizes = [60, 40, 50]
edges = 1500 * np.eye(3, dtype=int) + 120
made = graphcore.datasets.planted_blocks(sizes, [30, 45, 25], edges.tolist(), random_state=0)
rng = np.random.default_rng(0)
matrix = made.matrix.tocsr()[rng.permutation(150)][:, rng.permutation(100)]

model = graphcore.CoresetSpectralCoclustering(n_clusters=3, random_state=0).fit(matrix)
rows, columns = np.argsort(model.row_labels_), np.argsort(model.column_labels_)
figure, axes = plt.subplots(1, 2, figsize=(7, 4.6))
axes[0].spy(matrix, markersize=1.5, color="black")
axes[1].spy(matrix[rows][:, columns], markersize=1.5, color="black")
for ax, title in zip(axes, ("as given", "sorted by cluster"), strict=True):
    ax.set(xticks=[], yticks=[], title=title)

# %%
# ``get_submatrix`` takes one cluster out. See :doc:`/bipartite`.

print([model.get_submatrix(c, matrix).shape for c in range(3)])
