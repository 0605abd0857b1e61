"""
An igraph graph
===============

igraph graphs are taken as they are, and labels become a ``VertexClustering``.
"""

import igraph
import matplotlib.pyplot as plt

import graphcore

g = igraph.Graph.Famous("Zachary")
model = graphcore.CoresetSpectralClustering(n_clusters=2, random_state=0).fit(g)
clusters = igraph.VertexClustering(g, model.labels_.tolist())
print("modularity", round(clusters.modularity, 2))

# %%

figure, ax = plt.subplots()
places = g.layout_kamada_kawai()
igraph.plot(clusters, target=ax, layout=places, mark_groups=True, vertex_size=18)
