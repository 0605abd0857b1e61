"""
Parts of equal size
===================

A graph is to be stored on several machines: no part may hold more than its share of the nodes, and few edges should run
between parts. Labels that are known stay as they are.
"""

import numpy as np

import graphcore

sizes = [400, 200, 100, 60, 40]
graph, truth = graphcore.datasets.degree_corrected_partition(5, sizes, mean_degree=16, mixing=0.1, random_state=0)[:2]
for limits in ({}, {"max_cluster_size": 200}, {"max_cluster_size": 160}):
    model = graphcore.CoresetSpectralClustering(5, random_state=0, **limits).fit(graph)
    sums = graphcore.metrics.cut_and_volume(graph, model.labels_)
    share = sums.volume.max() / sums.volume.mean()
    print(limits, sums.size, f"largest share {share:.2f}, {sums.cut.sum() / 2:.0f} edges cut")

# %%
# With -1 for unknown, the other labels stay; see :doc:`/constraints`.

y = np.where(np.arange(graph.n_nodes) % 20 == 0, truth, -1)
model = graphcore.CoresetSpectralClustering(5, random_state=0).fit(graph, labels=y)
print((model.labels_ == truth).mean())
