"""
Nyström features
================

Features whose inner products approximate a kernel, for any method that works on vectors.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_circles
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import graphcore

X, ring = make_circles(800, factor=0.4, noise=0.05, random_state=0)
features = graphcore.NystromFeatures(2, n_landmarks=60, bandwidth=0.5, random_state=0)
found = features.fit_transform(X)

figure, axes = plt.subplots(1, 2, figsize=(7, 3.3))
axes[0].scatter(*X.T, c=ring, cmap="tab10", vmin=0, vmax=9, s=5)
axes[0].set_title("two rings")
axes[1].scatter(*found.T, c=ring, cmap="tab10", vmin=0, vmax=9, s=5)
axes[1].set_title("two features")

# %%
# In a pipeline they make a linear classifier a curved one:

linear = LogisticRegression().fit(X[:400], ring[:400])
curved = make_pipeline(features.set_params(n_components=20), LogisticRegression()).fit(X[:400], ring[:400])
print("accuracy on new points, without and with the features:")
print(linear.score(X[400:], ring[400:]), curved.score(X[400:], ring[400:]))
