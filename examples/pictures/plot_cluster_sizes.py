"""
Sizes and quality of all clusters
=================================

One dot for each cluster: good clusters are low and dark.
"""

import graphcore
from graphcore import plot

digits = graphcore.datasets.load_digits()
graph = graphcore.knn_graph(digits.data, 10, random_state=0)
model = graphcore.CoresetSpectralClustering(n_clusters=30, random_state=0).fit(graph)
plot.cluster_sizes(model)

# %%
# The same figures as a table:

model.summary("pandas").sort_values("conductance").tail(4).round(2)
