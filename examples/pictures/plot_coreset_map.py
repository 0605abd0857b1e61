"""
A map of the coreset
====================

The coreset nodes, placed by the second and third eigenvector of the graph between clusters.
"""

import graphcore
from graphcore import plot

graph, _ = graphcore.datasets.planted_partition(6, 300, 0.03, 0.002, random_state=1)
model = graphcore.CoresetSpectralClustering(n_clusters=6, random_state=0).fit(graph)
chosen, points = plot.coreset_coordinates(graph, model.clustering_.coreset.indices, model.labels_, random_state=0)
nodes = model.clustering_.coreset.indices[chosen]
plot.coreset_map(points, model.clustering_.coreset.weights[chosen], model.labels_[nodes])

# %%
# Sizes are weights: a node of low degree is drawn rarely and stands for many like it.
