"""Sizes of clusters against their conductance."""

from itertools import chain

import numpy as np

from ..base.types import ArrayLike, Axes
from ..cluster.refine.problem import ClusterSums
from ..exceptions import InputError
from ._style import (
    INK,
    MIDDLE,
    STEPS,
    axes_of,
    clusters_gid,
    label_points,
    open_frame,
    picture,
    plain_numbers,
    step_of,
    steps_legend,
)  # fmt: skip

# Clusters that are named, if there is room: of the highest conductance, the largest, the smallest.
_N_NAMED = 8


@picture
def cluster_sizes(
    sums: ClusterSums, *, stability: ArrayLike | None = None, ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw a dot for each cluster: its size, its conductance, and its stability as the dot's shade.

    Parameters
    ----------
    sums : ClusterSums
        From :func:`graphcore.metrics.cut_and_volume`.
    stability : array-like of shape (n_clusters,), optional
        Shades of the dots, 0 light to 1 dark; such as ``model.cluster_stability_``.
    {ax}

    Examples
    --------
    >>> import graphcore
    >>> graph = graphcore.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> sums = graphcore.metrics.cut_and_volume(graph, [0, 0, 0, 1, 1, 1])
    >>> graphcore.plot.cluster_sizes(sums).get_ylabel()
    'conductance'
    """
    if not hasattr(sums, "conductance"):
        raise InputError(
            "cluster_sizes draws what graphcore.metrics.cut_and_volume(graph, labels) returns, got "
            f"{type(sums).__name__}"
        )
    ax = axes_of(ax, (6.4, 4))
    filled = np.flatnonzero(sums.size)
    if len(filled) == 0:
        raise InputError("no cluster holds a node with an edge: there is nothing to draw")
    sizes, conductance = sums.size[filled], sums.conductance[filled]
    # Dots of many clusters would hide each other.
    area = float(np.clip(4000 / len(filled), 9, 60))
    edges = {"edgecolors": INK, "linewidths": min(0.6, area / 40), "zorder": 3}
    if stability is None:
        ax.scatter(sizes, conductance, s=area, c=MIDDLE, gid=clusters_gid(filled, each=True), **edges)
    else:
        stability = np.asarray(stability, dtype=float)
        if stability.shape != sums.size.shape:
            raise InputError(f"stability has shape {stability.shape}; one number for each of {len(sums.size)} clusters")
        step = step_of(stability[filled])
        for i, shade in enumerate(STEPS):
            if (mine := step == i).any():
                gid = clusters_gid(filled[mine], each=True)
                ax.scatter(sizes[mine], conductance[mine], s=area, c=shade, gid=gid, **edges)
        steps_legend(ax, "stability")
    ax.set_xscale("log")
    low, high = sizes.min(), sizes.max()
    air = (high / low * 4) ** 0.06
    ax.set_xlim(low / air, high * air)
    least, most = float(conductance.min()), float(conductance.max())
    room = max(0.08 * (most - least), 0.01)
    ax.set_ylim(max(-0.02, least - room), min(1.03, most + room))
    plain_numbers(ax.xaxis, "{x:,.0f}", (1, 2, 5) if high / low * air**2 < 300 else (1,))
    empty = len(sums.size) - len(filled)
    ax.set_xlabel("nodes in the cluster" + (f" ({empty:,} empty clusters not shown)" if empty else ""))
    ax.set_ylabel("conductance")
    open_frame(ax)
    orders = [np.argsort(values, kind="stable").tolist() for values in (-conductance, -sizes, sizes)]
    named = list(dict.fromkeys(chain.from_iterable(zip(*orders, strict=True))))[:_N_NAMED]
    points = np.column_stack([sizes, conductance])
    label_points(ax, points[named], [str(filled[i]) for i in named], gap=1.5 + np.sqrt(area) / 2)
    return ax
