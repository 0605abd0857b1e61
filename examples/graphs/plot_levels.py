"""
Levels: clusters of clusters
============================

Forty groups in four faculties. The tree of one fit, here of 20 clusters, shows both levels.
"""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

import graphcore

rng = np.random.default_rng(0)
group = np.arange(1200) // 30
faculty = group // 10
chance = np.select([group[:, None] == group, faculty[:, None] == faculty], [0.35, 0.025], 0.001)
edges = np.triu(rng.random(chance.shape) < chance, 1)
model = graphcore.CoresetSpectralClustering(20, random_state=0).fit(sp.csr_array(edges | edges.T))

levels = model.tree_.levels("pandas")
levels.round(2)

# %%
# A long step is a level that stands out: over that range of resolutions, no other number of clusters is better.

last = 2 * levels.resolution_from.iloc[-1]
for row in levels.itertuples():
    plt.plot([row.resolution_from, min(row.resolution_to, last)], [row.n_clusters] * 2, color="black", lw=3)
plt.loglog()
plt.xlabel("resolution")
plt.ylabel("best number of clusters")

# %%
# Cut the tree at a number or at a resolution; see :doc:`/levels`.

for k in (4, 40):
    truth = faculty if k == 4 else group
    print(k, graphcore.metrics.agreement(model.tree_.labels_at(k), truth)["ari"])
