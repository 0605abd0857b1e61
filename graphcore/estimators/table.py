"""What a fitted model says of every node, as columns."""

import numpy as np

from ..graphs.from_table import as_library

__all__ = ["node_table"]


def node_table(model, library):
    """Columns node, cluster, stability and distance; see :meth:`CoresetSpectralClustering.to_table`."""
    n = len(model.labels_)
    stability = np.full(n, np.nan, dtype=np.float32) if model.stability_ is None else model.stability_
    names = np.arange(n) if model.node_names_ is None else np.asarray(model.node_names_)
    columns = {"node": names, "cluster": model.labels_, "stability": stability, "outside_share": model.outside_share_}
    return as_library(columns, library)
