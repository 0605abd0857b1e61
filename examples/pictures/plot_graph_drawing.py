"""
A drawing of a small graph
==========================

Every node, with its cluster in colour and shape and a tint behind it; for up to 3,000 nodes.
"""

import networkx as nx

import graphcore

G = nx.planted_partition_graph(6, 60, 0.15, 0.004, seed=0)
labels = graphcore.CoresetSpectralClustering(n_clusters=6, random_state=0).fit_predict(G)
graphcore.plot.graph_drawing(G, labels)

# %%
# Clusters are placed by the links between them, and the nodes of each by the edges inside it.
