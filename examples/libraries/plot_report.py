"""
A report in one file
====================

``report`` writes a page with all measures and pictures, and returns the figures on it.
"""

import matplotlib.pyplot as plt

import graphcore

digits = graphcore.datasets.load_digits()
model = graphcore.CoresetSpectralClustering(n_clusters=12, random_state=0).fit(digits.data)
facts = model.report("digits.html", title="Handwritten digits")

# %%
# The page needs no network and no other file. Its figures are there for your own pictures, too:

plt.barh(range(12), model.cluster_stability_, color="#777777")
plt.xlabel("stability")
plt.ylabel("cluster")

# %%

print(f"normalised cut {facts.normalized_cut:.3f}")
