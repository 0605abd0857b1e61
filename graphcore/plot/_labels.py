"""Text beside points, left out where it would lie on other text."""

import numpy as np

from ._style import INK, PAPER, SHAPES, TITLED

_PLACES = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1))
_ALIGNED = {-1: ("right", "top"), 0: ("center", "center"), 1: ("left", "bottom")}


def label_points(ax, points, texts, *, gap=4.0, size=8, beside=True, dots=()):
    """Write texts beside points, the first ones first; a text that finds no free place is left out. Returns the texts.

    The limits of `ax` must be final. `gap` is in points of the page; ``beside=False`` writes over the points; no text
    covers one of the `dots`.
    """
    figure = ax.get_figure(root=True)
    figure.draw_without_rendering()
    frame = ax.get_window_extent()
    spots = ax.transData.transform(points)
    marks = ax.transData.transform(dots) if len(dots) else ()
    taken, written = [], []
    for point, spot, text in zip(points, spots, texts, strict=True):
        if not frame.contains(*spot):
            continue
        for x, y in _PLACES if beside else ((0, 0),):
            note = ax.annotate(
                text, point, xytext=(gap * x, gap * y), textcoords="offset points", ha=_ALIGNED[x][0],
                va=_ALIGNED[y][1], fontsize=size, color=INK, zorder=5,
            )  # fmt: skip
            box = note.get_window_extent()
            inside = frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1
            apart = box.padded(0.7 * gap * figure.dpi / 72)  # dots have a size, about that of the gap
            covers = any(apart.contains(*mark) for mark in marks) or any(box.overlaps(other) for other in taken)
            if inside and not covers:
                taken.append(box)
                written.append(note)
                break
            note.remove()
    return written


def name_clusters(ax, order, points, labels, names):
    """Name clusters drawn in this order: up to six in a legend, others at the median of their points if there is room.

    `names` has names of clusters, or is None for their numbers.
    """
    texts = [str(c) if names is None else str(names.get(int(c), c)) for c in order]
    if len(order) <= len(SHAPES):
        for handle in ax.legend(ax.collections[-len(order) :], texts, title="cluster", **TITLED).legend_handles:
            handle.set_sizes([36])
        return
    middles = np.array([np.median(points[labels == c], axis=0) for c in order])
    for note in label_points(ax, middles, texts, beside=False):
        note.set_bbox({"boxstyle": "round,pad=0.15", "facecolor": PAPER, "alpha": 0.75, "linewidth": 0})
