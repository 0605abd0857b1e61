"""
From a database and back
========================

Edges are read from SQL, clusters are written into a table beside them.
"""

import sqlite3

import matplotlib.pyplot as plt
import networkx as nx
import numpy as np

import graphcore

connection = sqlite3.connect(":memory:")
connection.execute("CREATE TABLE calls (caller TEXT, callee TEXT, minutes REAL)")
people = nx.relabel_nodes(nx.relaxed_caveman_graph(6, 15, 0.1, seed=0), "person {}".format)
rng = np.random.default_rng(0)
connection.executemany(
    "INSERT INTO calls VALUES (?, ?, ?)", [(a, b, float(rng.integers(1, 30))) for a, b in people.edges]
)

# %%
# The columns of the result are the arrays of ends and weights. Sums over repeated edges are made by graphcore, or in
# SQL.

rows = connection.execute("SELECT caller, callee, SUM(minutes) FROM calls GROUP BY 1, 2").fetchall()
callers, callees, minutes = map(np.array, zip(*rows, strict=True))
graph = graphcore.Graph.from_edges(callers, callees, minutes)
model = graphcore.CoresetSpectralClustering(n_clusters=6, random_state=0).fit(graph)

# %%

connection.execute("CREATE TABLE clusters (person TEXT PRIMARY KEY, cluster INTEGER)")
connection.executemany(
    "INSERT INTO clusters VALUES (?, ?)", zip(graph.node_names.tolist(), model.labels_.tolist(), strict=True)
)
query = """
    SELECT a.cluster, SUM(minutes * (a.cluster = b.cluster)), SUM(minutes * (a.cluster <> b.cluster))
    FROM calls JOIN clusters a ON caller = a.person JOIN clusters b ON callee = b.person GROUP BY 1
"""
cluster, inside, outside = zip(*connection.execute(query), strict=True)
plt.bar(cluster, inside, color="#777777", label="inside the cluster")
plt.bar(cluster, outside, bottom=inside, color="#cccccc", label="to other clusters")
plt.xlabel("cluster of the caller")
plt.ylabel("minutes")
plt.legend()
