"""
Calibration of probabilities
============================

Of nodes with membership p, about the share p should be in the right cluster. A planted graph shows it.
"""

import numpy as np

from sklearn.calibration import CalibrationDisplay

import graphcore

graph, truth = graphcore.datasets.planted_partition(2, 1500, 8 / 1500, 4 / 1500, random_state=0)
model = graphcore.CoresetSpectralClustering(2, random_state=0).fit(graph)
linked = model.labels_ >= 0
membership = model.membership_[linked]
found = membership.argmax(axis=1)
right = found == truth[linked]
right = right if right.mean() > 0.5 else ~right  # which cluster is called 0 is chance

CalibrationDisplay.from_predictions(right, membership.max(axis=1).toarray().ravel(), n_bins=10, name="membership")

# %%
# The share of a node's edges that stay in its cluster is no probability: it is too low. See :doc:`/soft_labels`.

inside = 1 - model.outside_share_[linked]
same = np.where(model.labels_[linked] == found, right, ~right)
CalibrationDisplay.from_predictions(same, inside, n_bins=10, name="share of edges")
