"""
Kernel k-means with landmarks
=============================

A few landmarks give features whose k-means is almost kernel k-means, with a certificate for the result.
"""

import matplotlib.pyplot as plt

import graphcore

digits = graphcore.datasets.load_digits()
counts = [20, 40, 80, 160, 320]
fits = [graphcore.NystromKernelKMeans(10, n_landmarks=c, random_state=0).fit(digits.data) for c in counts]

lower = [fit.certificate_.cost_lower for fit in fits]
upper = [fit.certificate_.cost_upper for fit in fits]
plt.fill_between(counts, lower, upper, color="#cccccc", label="certified range of the cost")
plt.semilogx(counts, upper, "ko-", label="cost_")
plt.xticks(counts, counts)
plt.minorticks_off()
plt.xlabel("landmarks")
plt.ylabel("cost")
plt.legend()

# %%

print(fits[-1].report())
