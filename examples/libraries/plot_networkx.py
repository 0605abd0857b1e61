"""
Communities of a networkx graph
===============================

``coreset_spectral_communities`` has the signature of networkx's own functions.
"""

import matplotlib.pyplot as plt
import networkx as nx

import graphcore

G = nx.relaxed_caveman_graph(8, 12, 0.12, seed=1)
communities = graphcore.networkx.coreset_spectral_communities(G, 8, seed=0)

places = nx.spring_layout(G, seed=3)
nx.draw_networkx_edges(G, places, edge_color="#dddddd")
for number, (members, shape) in enumerate(zip(communities, "osD^vPX*", strict=True)):
    nx.draw_networkx_nodes(
        G, places, list(members), node_size=40, node_shape=shape, node_color=[number] * len(members), vmin=0, vmax=7
    )
plt.axis("off")

# %%

print("a partition:", nx.community.is_partition(G, communities))
print("modularity:", round(nx.community.modularity(G, communities), 2))
print("and by Louvain:", round(nx.community.modularity(G, nx.community.louvain_communities(G, seed=0)), 2))
