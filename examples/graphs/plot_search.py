"""
A better partition for more time
================================

``effort`` asks for more drafts than the default. ``clustering_.search`` has their gain, with times.
"""

import matplotlib.pyplot as plt

import graphcore

graph, _ = graphcore.datasets.planted_partition(20, 50, 0.11, 0.011, random_state=0)
model = graphcore.CoresetSpectralClustering(n_clusters=20, effort="high", random_state=0).fit(graph)

search = model.clustering_.search
plt.step(search.seconds, search.values, where="post", color="black")
plt.xlabel("seconds")
plt.ylabel("objective (nats)")

# %%
# ``clustering_.history`` also has the objective after each step of the first draft.

for stage, value in model.clustering_.history:
    print(f"{value:.4f}", stage)
