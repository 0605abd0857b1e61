"""
Two objectives: information and normalised cut
==============================================

The lowest normalised cut is often a bad clustering: it cuts off a few nodes that have a single edge. The default
objective, information, finds the planted clusters.
"""

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import graphcore

G = nx.planted_partition_graph(3, 40, 0.25, 0.03, seed=1)
for start in (0, 40, 80):  # a thread of six nodes hangs from each of the three blocks
    nx.add_path(G, [start, *range(len(G), len(G) + 6)])

places = nx.kamada_kawai_layout(G)
figure, axes = plt.subplots(1, 2, figsize=(7, 3.4))
for ax, objective in zip(axes, ("ncut", "information"), strict=True):
    labels = graphcore.CoresetSpectralClustering(n_clusters=3, objective=objective, random_state=0).fit_predict(G)
    nx.draw_networkx_edges(G, places, ax=ax, edge_color="#dddddd", width=0.5)
    nx.draw_networkx_nodes(G, places, ax=ax, node_size=16, node_color=labels, cmap="tab10", vmin=0, vmax=9)
    sizes = sorted(np.bincount(labels).tolist(), reverse=True)
    ax.set_title(f"{objective}: sizes {sizes}\nnormalised cut {graphcore.metrics.normalized_cut(G, labels):.2f}")
    ax.axis("off")

# %%
# :doc:`/how_it_works` explains both. Use ``objective="ncut"`` to compare with spectral clustering.
