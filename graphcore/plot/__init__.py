"""Plots of a clustering. Each function draws into matplotlib axes and returns them; matplotlib is needed."""

from ..base.validation import suggest_in
from .charts import cluster_sizes, dendrogram
from .graphs import graph_drawing, quotient_graph

__all__ = ["cluster_sizes", "dendrogram", "graph_drawing", "quotient_graph"]

suggest_in(__name__)
