"""
What each stage contributes
===========================

The objective of the first draft, after moves and cycles of moves, and as more drafts are recombined.
"""

import graphcore

graph = graphcore.datasets.lfr(1000, mixing=0.4, random_state=0).graph
model = graphcore.CoresetSpectralClustering(n_clusters=20, random_state=0).fit(graph)
graphcore.plot.objective_history(model.clustering_.history)

# %%
# The seconds of each stage:

for stage, seconds in model.seconds_.items():
    print(f"{seconds:.3f}", stage)
