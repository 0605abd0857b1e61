"""
New nodes of a graph
====================

People join a network after it was clustered. ``predict`` gives them a cluster by whom they know, ``transform`` the
share of their edges to each cluster.
"""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import graphcore

graph, truth = graphcore.datasets.planted_partition(4, 150, 0.15, 0.01, random_state=0)
A = graph.to_scipy()
is_new = np.random.default_rng(0).random(graph.n_nodes) < 0.2
model = graphcore.CoresetSpectralClustering(n_clusters=4, random_state=0).fit(A[~is_new][:, ~is_new])

edges_of_new = sp.csr_array(A[is_new][:, ~is_new])
shares = model.transform(edges_of_new)
plt.hist(shares.max(axis=1), bins=20, color="#444444")
plt.xlabel("largest share of a new node's edges")
plt.ylabel("new nodes")

# %%

print(graphcore.metrics.agreement(model.predict(edges_of_new), truth[is_new]))
