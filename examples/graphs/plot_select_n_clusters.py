"""
Choice of the number of clusters
================================

``select_n_clusters`` tries all numbers of clusters in one sweep, and reports whether one of them stands out.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import graphcore

graph, _ = graphcore.datasets.planted_partition(12, 100, 0.1, 0.003, random_state=0)
choice = graphcore.select_n_clusters(graph, random_state=0)
print(choice.best, "clusters, clear:", choice.clear)
plt.semilogx(choice.candidates, choice.curves["information (nats)"], color="black")
plt.axvline(choice.best, color="#bbbbbb")
plt.xlabel("clusters")
plt.ylabel("information (nats)")

# %%
# Every graph has a best number in some sense. For points without clusters it is meaningless, and ``clear`` is False.

with warnings.catch_warnings():
    warnings.simplefilter("ignore", graphcore.GraphWarning)
    nothing = graphcore.select_n_clusters(np.random.default_rng(0).random((800, 10)), random_state=0)
print(nothing.best, "clusters, clear:", nothing.clear)

# %%
# ``CoresetSpectralClustering(n_clusters="auto")`` makes the choice before the fit. See :doc:`/choose_k`.
