"""
Clusters as features of a classifier
====================================

With fifty labelled images, a classifier on the clusters of 1,300 images beats one on their pixels.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression

import graphcore

digits = graphcore.datasets.load_digits()
known, new = slice(0, 1300), slice(1300, None)
clusters = graphcore.CoresetSpectralClustering(n_clusters=30, random_state=0).fit(digits.data[known])
features = {"pixels": lambda X: X / 16, "shares of neighbours in each cluster": clusters.transform}

counts = [10, 20, 50, 100, 300]
labelled = np.random.default_rng(0).permutation(1300)
for (name, transform), look in zip(features.items(), ("s--", "o-"), strict=True):
    X, X_new = transform(digits.data[known]), transform(digits.data[new])
    scores = []
    for count in counts:
        chosen = labelled[:count]
        classifier = LogisticRegression(C=100, max_iter=500).fit(X[chosen], digits.labels[known][chosen])
        scores.append(classifier.score(X_new, digits.labels[new]))
    plt.semilogx(counts, scores, look, color="black", mfc="white", label=name)
plt.xticks(counts, counts)
plt.minorticks_off()
plt.xlabel("labelled images")
plt.ylabel("accuracy on new images")
plt.legend()

# %%
# In a pipeline it is one step: ``make_pipeline(CoresetSpectralClustering(30), LogisticRegression())``.
