"""
The merge tree
==============

The order of merges; a wide gap between heights suggests a number of clusters.
"""

import graphcore

digits = graphcore.datasets.load_digits()
model = graphcore.CoresetSpectralClustering(n_clusters=30, random_state=0).fit(digits.data)
graphcore.plot.dendrogram(model, n_clusters=10)

# %%
# ``to_linkage`` gives scipy's form, so that ``scipy.cluster.hierarchy`` can work with it.
