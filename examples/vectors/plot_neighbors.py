"""
Number of neighbours
====================

With few neighbours the graph falls apart, with many it bridges the gaps between clusters.
"""

import matplotlib.pyplot as plt

import graphcore

digits = graphcore.datasets.load_digits()
neighbours = [2, 3, 5, 10, 20, 40]
scores, components = [], []
for n in neighbours:
    model = graphcore.CoresetSpectralClustering(10, n_neighbors=n, random_state=0).fit(digits.data)
    scores.append(graphcore.metrics.agreement(model.labels_, digits.labels)["ari"])
    components.append(model.graph_.n_components)

plt.semilogx(neighbours, scores, "ko-")
for n, score, count in zip(neighbours, scores, components, strict=True):
    plt.annotate(f"{count} component{'s' * (count > 1)}", (n, score), xytext=(4, 6), textcoords="offset points", size=8)
plt.xticks(neighbours, neighbours)
plt.minorticks_off()
plt.xlabel("n_neighbors")
plt.ylabel("agreement with the digits (ARI)")
plt.margins(0.15)
