"""
A graph that changes
====================

``update`` follows new and removed edges; clusters keep their numbers, and only nodes near a change are visited.
"""

import matplotlib.pyplot as plt
import numpy as np

import graphcore

graph, truth = graphcore.datasets.planted_partition(4, 100, 0.15, 0.01, random_state=0)
model = graphcore.CoresetSpectralClustering(4, random_state=0).fit(graph)
before = model.labels_.copy()

# Ten members of one cluster move to another, a few at a time: they lose their edges and get new ones.
movers = np.flatnonzero(before == before[0])[:10]
new_home = np.flatnonzero(before == before[-1])
rng = np.random.default_rng(0)
sizes = [np.bincount(model.labels_)]
for some in np.split(movers, 5):
    A = model.graph_.to_scipy()
    old = [(node, int(other)) for node in some for other in A[[node]].indices if int(other) not in some]
    new = [(node, int(other)) for node in some for other in rng.choice(new_home, 15, replace=False)]
    done = model.update(added=tuple(np.array(new).T), removed=tuple(np.array(old).T))
    sizes.append(np.bincount(model.labels_))

for cluster, look in zip(range(4), ("o-", "s--", "^:", "D-."), strict=True):
    plt.plot([size[cluster] for size in sizes], look, label=f"cluster {cluster}", mfc="white")
plt.xlabel("updates")
plt.ylabel("nodes")
plt.legend()
