"""
Number of flats of the best code
================================

Cross-validation over the number of flats and their dimension, by scikit-learn's ``GridSearchCV``.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import GridSearchCV

import graphcore

rng = np.random.default_rng(0)
t = rng.uniform(0, 2 * np.pi, 300)
w = 2 + np.cos(3 * t)
points = np.column_stack([w * np.cos(2 * t), w * np.sin(2 * t), np.sin(3 * t)]) + 0.03 * rng.normal(size=(300, 3))
counts = [2, 4, 8, 16, 32]
for n_dims, look in ((0, "s--"), (1, "o-")):
    search = GridSearchCV(graphcore.KFlats(n_dims=n_dims, n_init=2, random_state=0), {"n_clusters": counts}, cv=3)
    search.fit(points)
    errors = -search.cv_results_["mean_test_score"]
    plt.loglog(counts, errors, look, color="black", mfc="white", label="points" if n_dims == 0 else "lines")
plt.xticks(counts, counts)
plt.minorticks_off()
plt.xlabel("number of flats")
plt.ylabel("mean squared error on held-out points")
plt.legend()

# %%
# The points lie on a trefoil knot. Lines are the better code until they are so short that they follow the noise.
