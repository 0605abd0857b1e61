"""
A map of the coreset
====================

The coreset nodes, placed by the second and third eigenvector of the graph between clusters.
"""

import graphcore

graph, _ = graphcore.datasets.planted_partition(6, 300, 0.03, 0.002, random_state=1)
model = graphcore.CoresetSpectralClustering(n_clusters=6, random_state=0).fit(graph)
graphcore.plot.coreset_map(graph, model.clustering_.coreset, model.labels_)

# %%
# Sizes are weights: a node of low degree is drawn rarely and stands for many like it.
