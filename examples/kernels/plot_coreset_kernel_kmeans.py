"""
Kernel k-means on a coreset
===========================

400 draws of weighted points cost 5 % more than all.
"""

import matplotlib.pyplot as plt

import graphcore

digits = graphcore.datasets.load_digits()
bandwidth = ("rms", 0.5)
exact = graphcore.KernelKMeans(10, bandwidth=bandwidth, n_init=1, random_state=0).fit(digits.data)

sizes = [50, 100, 200, 400, 800]
costs = []
for size in sizes:
    model = graphcore.CoresetKernelKMeans(10, coreset_size=size, bandwidth=bandwidth, n_init=1, random_state=0)
    costs.append(-model.fit(digits.data).score(digits.data))

plt.semilogx(sizes, costs, "ko-", label="coreset")
plt.axhline(exact.cost_, color="black", ls=":", label="all 1,797 points")
plt.xticks(sizes, sizes)
plt.minorticks_off()
plt.xlabel("draws of the coreset")
plt.ylabel("cost over all points")
plt.legend()
