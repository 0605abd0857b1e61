"""
Neighbours from another library
===============================

scikit-learn's transformers (and those of other libraries with the same interface) search for the neighbours; graphcore
clusters them, and predicts.
"""

from sklearn.neighbors import KNeighborsTransformer
from sklearn.pipeline import make_pipeline

import graphcore

digits = graphcore.datasets.load_digits()
pipeline = make_pipeline(
    KNeighborsTransformer(n_neighbors=10, mode="distance"),
    graphcore.CoresetSpectralClustering(
        n_clusters=10, n_neighbors=10, affinity="precomputed_nearest_neighbors", random_state=0
    ),
)
pipeline.fit(digits.data[:1500])
labels = pipeline.predict(digits.data[1500:])

# %%
# Agreement with the digits; the table counts how the 297 new images are spread.

import matplotlib.pyplot as plt
from sklearn.metrics import ConfusionMatrixDisplay, confusion_matrix

from graphcore.metrics import agreement

print(agreement(labels, digits.labels[1500:]))
counts = confusion_matrix(digits.labels[1500:], labels)
ConfusionMatrixDisplay(counts[:, counts.argmax(axis=0).argsort()]).plot(cmap="Greys", colorbar=False)
plt.xlabel("cluster")
plt.ylabel("digit")
