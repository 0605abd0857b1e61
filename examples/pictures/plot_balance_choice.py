"""
Choice of the balance
=====================

The balance is chosen on the first draft: here for a large cluster and five small ones.
"""

import numpy as np

import graphcore

rng = np.random.default_rng(1)
sizes = [2000, 200, 100, 50, 30, 20]
X = np.concatenate([rng.normal(4 * rng.normal(size=16), 1.0, (size, 16)) for size in sizes])
model = graphcore.CoresetSpectralClustering(6, random_state=0).fit(X)

# %%
# The score, and the share of edge weight that each balance would cut.
graphcore.plot.balance_choice(model.clustering_.balances, chosen=model.balance_)
