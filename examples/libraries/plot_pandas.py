"""
A table of edges, a table of clusters
=====================================

Edges come from a data frame with any node names; results go back into one. (polars and pyarrow work the same way.)
"""

import networkx as nx
import pandas as pd

import graphcore

edges = nx.to_pandas_edgelist(nx.les_miserables_graph())
edges.head(3)

# %%

graph = graphcore.Graph.from_table(edges, source="source", target="target", weight="weight")
model = graphcore.CoresetSpectralClustering(n_clusters=6, random_state=0).fit(graph)
model.to_table("pandas").head(3)

# %%
# One row for each cluster:

summary = model.summary("pandas", n_central=2)
summary.round(2)

# %%
# The usual tools of data frames do the rest:

ends = dict(zip(graph.node_names, model.labels_, strict=True))
crossing = pd.crosstab(edges.source.map(ends), edges.target.map(ends), edges.weight, aggfunc="sum").fillna(0)
crossing.plot.bar(stacked=True, colormap="viridis", xlabel="cluster of the source", ylabel="weight to each cluster")
