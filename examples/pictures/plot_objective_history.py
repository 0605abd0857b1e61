"""
Contribution of each stage
==========================

The objective of the first draft, after moves and multilevel refinement, and as more drafts are recombined.
"""

import graphcore

graph, _ = graphcore.datasets.planted_partition(20, 50, 0.11, 0.011, random_state=0)
model = graphcore.CoresetSpectralClustering(n_clusters=20, random_state=0).fit(graph)
graphcore.plot.objective_history(model.clustering_.history)

# %%
# The seconds of each stage:

for stage, seconds in model.seconds_.items():
    print(f"{seconds:.3f}", stage)
