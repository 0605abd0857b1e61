"""
Embeddings
==========

Vectors of texts, images or users often lie on curved shapes that k-means cuts through. The graph of nearest neighbours
follows these shapes, and so do its clusters.
"""

# %%
# Our vectors are scikit-learn's 8 x 8 images of digits: 1,500 to fit, and 297 that arrive later.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA

import graphcore
from graphcore.metrics import agreement

digits = graphcore.datasets.load_digits()
known, new = digits.data[:1500], digits.data[1500:]

# %%
# Clustering vectors
# ------------------

model = graphcore.CoresetSpectralClustering(n_clusters=10, n_neighbors=10, random_state=1)
model.fit(known)
means = KMeans(n_clusters=10, n_init=10, random_state=0).fit(known)
print("agreement with the digits, graphcore:", round(agreement(model.labels_, digits.labels[:1500])["ari"], 2))
print("                          and k-means:", round(agreement(means.labels_, digits.labels[:1500])["ari"], 2))
print("mean stability:", round(float(model.stability_[model.labels_ >= 0].mean()), 2))

# %%
# A stability of almost 1 says that other coresets would have given nearly the same clusters. The central vectors of
# each cluster are its typical images:

figure, axes = plt.subplots(3, 10, figsize=(7, 2.4))
central = graphcore.metrics.central_nodes(model.graph_, model.labels_, count=3)
for column, nodes in zip(axes.T, central, strict=True):
    for ax, node in zip(column, nodes, strict=True):
        ax.imshow(known[node].reshape(8, 8), cmap="gray_r")
        ax.set_axis_off()

# %%
# In the graph between clusters each is a disk, with lines where its edges lead:

graphcore.plot.quotient_graph(model)

# %%
# Vectors may be float32 or float64, dense or sparse. Use ``metric="cosine"`` for embeddings whose length carries no
# information. Two parameters matter most:
#
# - ``n_neighbors``: with few neighbours the graph falls into many components (see ``graph_.n_components``); with many
#   it bridges the gaps between clusters. Here 5 give an agreement of 0.90, 10 and 20 one of 0.83.
# - ``n_jobs=-1``: the search for neighbours, and most of what follows, uses all cores.
#
# Reusing the neighbour graph
# ---------------------------
#
# If you fit several models, search for the neighbours once:

graph = graphcore.knn_graph(known, 10, random_state=0)
choice = graphcore.select_n_clusters(graph, random_state=0)
print(choice.best, choice.clear)
plt.semilogx(choice.candidates, choice.curves["information (nats)"], color="black")
plt.axvline(choice.best, color="#bbbbbb")
plt.xlabel("clusters")
plt.ylabel("information (nats)")

# %%
# Twelve is near to ten, and not clear: ones are written in three ways, and 9 clusters have a corner as well. With all
# images the choice is ten, and clear:

choice = graphcore.select_n_clusters(digits.data, random_state=0)
print(choice.best, choice.clear)

# %%
# The graph can be kept for the next time, or for the command line:

again = graphcore.CoresetSpectralClustering(choice.best, random_state=0).fit(graph)
graphcore.write_graph(graph, "digits.npz")

# %%
# Predicting new vectors
# ----------------------
#
# A new vector is joined to its nearest fitted vectors and assigned to the cluster with the largest gain. The model does
# not change.

later = model.predict(new)
print("agreement of new images:", round(agreement(later, digits.labels[1500:])["ari"], 2))

# %%
# ``transform`` gives the share of a vector's neighbours in each cluster, a measure of confidence. The doubtful ones may
# be inspected, or clustered again together with all the others.

shares = model.transform(new)
doubtful = shares.max(axis=1) < 0.6
plane = PCA(2, random_state=0).fit(known).transform(new)
plt.figure(figsize=(6, 4))
plt.scatter(*plane[~doubtful].T, c=later[~doubtful], cmap="tab10", vmin=0, vmax=9, s=12)
plt.scatter(
    *plane[doubtful].T, marker="x", color="black", label=f"doubtful: {np.count_nonzero(doubtful)} of {len(new)}"
)
plt.legend()
plt.axis("off")

# %%
# The same model is a step of a scikit-learn pipeline, see :doc:`/scikit_learn`.
#
# Large data
# ----------
#
# Neighbours are searched for exactly where that is expected to take at most a second on one core, otherwise
# approximately, see :doc:`/neighbors`. The graph is small compared with the vectors: a million of them with 10
# neighbours each make at most 88 MB. On the command line:
#
# .. code-block:: bash
#
#    graphcore convert vectors.npy knn.npz --neighbors 10
#    graphcore cluster knn.npz -k 10 -o labels.tsv --report report.html
