"""A map of the coreset."""

import numpy as np

from .._typing import ArrayLike, Axes, Mapping
from .._validation import check_labels
from ..exceptions import InputError
from ._labels import name_clusters
from ._style import INK, MIDDLE, axes_of, cluster_style, clusters_gid

# A tail of the points may lie so far off that all others would be one spot: that share is drawn at the border.
_TAIL = 0.005


def coreset_map(
    points: ArrayLike, weights: ArrayLike, labels: ArrayLike, *, names: Mapping[int, str] | None = None,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw coreset nodes at two coordinates, sized by their weight.

    Up to six clusters have a shape and a shade each, and a legend; of more, shapes and shades come again, and the
    largest clusters have their number at the median of their nodes.

    Parameters
    ----------
    points : array-like of shape (n_nodes, 2)
        From :func:`coreset_coordinates`, or any others.
    weights : array-like of shape (n_nodes,)
        The area of a mark grows with the weight.
    labels : array-like of shape (n_nodes,), integer
        Clusters; nodes of label -1 are left out.
    names : dict of int to str, optional
        Names of clusters; default their numbers.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If lengths differ or no node has a cluster.

    Examples
    --------
    >>> import graphcore
    >>> ax = graphcore.plot.coreset_map([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 1.0], [0, 0, 1])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['0', '1']
    """
    points, weights = np.asarray(points, dtype=float), np.asarray(weights, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2 or weights.shape != (len(points),):
        raise InputError(f"points of shape {points.shape} and weights of shape {weights.shape} do not fit together")
    labels = check_labels("labels", labels, len(points))
    kept = labels >= 0
    if not kept.any():
        raise InputError("no coreset node has a cluster: there is nothing to draw")
    points, weights, labels = points[kept], weights[kept], labels[kept]
    ax = axes_of(ax, (6.4, 4.2))
    # By weight, not by count: what stands for more comes first.
    mass = np.bincount(labels, weights=weights)
    order = np.argsort(-mass, kind="stable")[: np.count_nonzero(np.bincount(labels))]
    area = _areas(weights)
    tail = _TAIL if len(points) > 200 else 0.0
    low, high = np.quantile(points, [tail, 1 - tail], axis=0)
    air = np.maximum(0.08 * (high - low), 1e-12)
    low, high = low - air, high + air
    shown = np.clip(points, low, high)
    for i, c in enumerate(order):
        shade, shape, _ = cluster_style(i)
        mine = labels == c
        ax.scatter(
            *shown[mine].T, s=area[mine], c=shade, marker=shape, linewidths=0.3, edgecolors=INK, alpha=0.85, zorder=2,
            clip_on=False, gid=clusters_gid([c]),
        )  # fmt: skip
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    ax.set(xlabel="second eigenvector", ylabel="third eigenvector", xticks=[], yticks=[])
    ax.spines[:].set(color=MIDDLE, visible=True)
    name_clusters(ax, order, shown, labels, names)
    return ax


def _areas(weights):
    """Areas in square points, in proportion to the weight; marks are smaller where there are more of them."""
    typical = float(np.clip(9000 / len(weights), 9, 60))
    mean = weights.mean()
    return np.clip(typical * weights / mean, 3, 6 * typical) if mean > 0 else np.full(len(weights), typical)
