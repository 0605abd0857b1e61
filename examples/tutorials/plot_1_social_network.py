"""
A social network
================

From a networkx graph to a report: the 77 characters of *Les Misérables*, joined when they appear in the same chapter.
The steps are the same for ten million nodes.
"""

# %%
# The weight of an edge is the number of chapters that two characters share. ``fit`` takes the graph as it is.

import networkx as nx

import graphcore

G = nx.les_miserables_graph()
model = graphcore.CoresetSpectralClustering(n_clusters=6, random_state=0).fit(G)

graphcore.plot.graph_drawing(model)

# %%
# Who is in which cluster?
# ------------------------
#
# The *central* nodes of a cluster have the most edge weight to other members, so they are the ones to name it after.

for nodes in graphcore.metrics.central_nodes(G, model.labels_, count=4):
    print(*model.graph_.names_of(nodes), sep=", ")

# %%
# These are the bishop's household, Fantine and her friends, the court, those around Valjean and Marius, the barricade,
# and Thénardier's gang.
#
# ``to_table`` has a row for every node. ``outside_share`` is the share of a node's edge weight that leaves its cluster.
# It shows nodes between two clusters:

table = model.to_table("pandas")
table.sort_values("outside_share").tail(3)

# %%
# A small share does not make a node important: a character who appears once, with one other member of the cluster, has
# a share of 0. To find the most important members use ``metrics.central_nodes``.
#
# The clusters themselves form a small graph. The area of a disk is the number of members; lines show where the edges
# between clusters run.

central = graphcore.metrics.central_nodes(G, model.labels_, count=1)
names = [model.graph_.names_of(nodes)[0] for nodes in central]
graphcore.plot.quotient_graph(model, names=names)

# %%
# The labels are in the order of the graph's nodes, so they are easily stored in the graph.
# ``coreset_spectral_communities`` returns a list of sets, as networkx's own functions do.

nx.set_node_attributes(G, dict(zip(G, model.labels_.tolist(), strict=True)), "cluster")
communities = graphcore.networkx.coreset_spectral_communities(G, 6, seed=0)
print("modularity", round(nx.community.modularity(G, communities), 2))

# %%
# How good are the clusters?
# --------------------------
#
# The conductance of a cluster is the share of its edge weight that leaves it; the normalised cut is the mean of these.
# Lower is better.

print("normalised cut", round(graphcore.metrics.normalized_cut(G, model.labels_), 2))
print("conductances", graphcore.metrics.conductance(G, model.labels_).round(2))

# %%
# Would another run give the same clusters? ``stability_`` compares the drafts that were made, each from a coreset (a
# sample of the nodes). All drafts agree, and yet one with ``random_state=3`` has other clusters:
# fits of resampled edges are a stricter test, see :doc:`/how_to`.

print("mean stability", model.stability_.mean().round(2))
print("of the clusters", model.cluster_stability_.round(2))

# %%
# How many clusters are there?
# ----------------------------

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", graphcore.GraphWarning)  # the next line prints the choice
    choice = graphcore.select_n_clusters(G, random_state=0)
print(choice.best, choice.clear)

# %%
# One, and not clearly so: no number stands out, because 254 edges are too few to support any division of 77 people.
# Modularity gives six, which ``n_clusters="auto"`` would take here. The merge tree of the fit has the other numbers of
# clusters, without another fit:

graphcore.plot.dendrogram(model.tree_, 20, n_clusters=6)
for k in (3, 4, 5):
    print(k, "clusters: normalised cut", round(graphcore.metrics.normalized_cut(G, model.tree_.labels_at(k)), 2))

# %%
# A report
# --------
#
# One HTML file with all of this, and every cluster with its central characters:

model.report("les_miserables.html", title="Les Misérables")

# %%
# The :doc:`page on reports </report>` shows one. On the command line, for a network in a file, such as the e-mail
# between the 1,005 members of a research institution (SNAP's `email-Eu-core
# <https://snap.stanford.edu/data/email-Eu-core.html>`_):
#
# .. code-block:: bash
#
#    graphcore cluster email-Eu-core.txt.gz -k 42 -o labels.tsv --report report.html
#    graphcore compare labels.tsv email-Eu-core-department-labels.txt.gz
#
# :doc:`/choose_k` has an example in which the number of clusters is clear.
