"""
A better partition for more time
================================

``effort`` or ``time_limit`` ask for more drafts than the default makes. ``search_`` tells what they gained, and when.
"""

import matplotlib.pyplot as plt

import graphcore

graph = graphcore.datasets.lfr(1000, mixing=0.5, random_state=0).graph
model = graphcore.CoresetSpectralClustering(n_clusters=20, effort="high", random_state=0).fit(graph)

plt.step(model.search_.seconds, model.search_.values, where="post", color="black")
plt.xlabel("seconds")
plt.ylabel("objective (nats)")

# %%
# ``history_`` also has the objective after each step of the first draft.

for stage, value in model.history_:
    print(f"{value:.4f}", stage)
