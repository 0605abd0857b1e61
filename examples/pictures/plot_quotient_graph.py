"""
The graph between clusters
==========================

Every cluster becomes one node, which shows how clusters lie next to each other.
"""

import networkx as nx

import graphcore

G = nx.connected_watts_strogatz_graph(1200, 10, 0.01, seed=0)
model = graphcore.CoresetSpectralClustering(n_clusters=12, random_state=0).fit(G)
graphcore.plot.quotient_graph(model)

# %%
# The graph is a ring of 1,200 nodes with a few chords; its clusters are arcs of the ring. ``model.quotient_graph_`` is
# that graph as a :class:`graphcore.Graph`, which can be clustered in turn:

regions = graphcore.CoresetSpectralClustering(n_clusters=3, random_state=0).fit_predict(model.quotient_graph_)
print(regions)
