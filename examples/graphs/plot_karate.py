"""
Two sides of a karate club
==========================

In 1977 a karate club of 34 members fell apart. The clusters of the graph of meetings predict the side of 32.
"""

import matplotlib.pyplot as plt
import networkx as nx

import graphcore

karate = graphcore.datasets.load_karate()
model = graphcore.CoresetSpectralClustering(n_clusters=2, random_state=0).fit(karate.graph)

G = nx.karate_club_graph()
places = nx.spring_layout(G, seed=2)
nx.draw_networkx_edges(G, places, edge_color="#cccccc")
for side, shape in enumerate("os"):
    nodes = [node for node in G if karate.labels[node] == side]
    nx.draw_networkx_nodes(
        G, places, nodes, node_shape=shape, node_color=model.labels_[nodes], vmin=0, vmax=9, cmap="tab10"
    )
plt.title("shade: cluster; shape: side taken")
plt.axis("off")

# %%
# Members at the border, with over 30 % of their edges to the other cluster:

table = model.to_table("pandas")
table[table.outside_share > 0.3]
