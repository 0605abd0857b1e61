"""
Scores against the number of clusters
=====================================

Any scores of your own for several numbers of clusters, drawn on one axis.
"""

import graphcore
from graphcore import metrics

graph, _ = graphcore.datasets.planted_partition(8, 100, 0.12, 0.006, random_state=0)
ks = [4, 6, 8, 10, 12]
fits = [graphcore.CoresetSpectralClustering(n_clusters=k, random_state=0).fit(graph) for k in ks]
scores = {
    "mean stability": [fit.stability_[fit.labels_ >= 0].mean() for fit in fits],
    "normalised cut": [metrics.normalized_cut(graph, fit.labels_) for fit in fits],
}
graphcore.plot.k_sweep(ks, scores, chosen=8)

# %%
# Up to the eight planted clusters the cut hardly grows; beyond, clusters have to be split.
