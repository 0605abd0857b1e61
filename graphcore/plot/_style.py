"""Style of all pictures: colours and shapes of clusters, axes, and text beside points."""

import numpy as np

from ..base.colors import color_of
from ..exceptions import InputError, missing_package

NEEDED = missing_package("drawing pictures", "matplotlib", "plot")
INK = "#1a1a1a"
MIDDLE = "#7f7f7f"
PAPER = "#fefefe"
# Clusters differ in colour and in shape.
SHAPES = "osD^vP"
# A quantity from low to high, light to dark.
STEPS = ("#f0e6d2", "#d9bf92", "#b08d57", "#76592f", "#3d2c12")
_BESIDE = {
    "loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0, "frameon": False, "fontsize": 8,
    "title_fontsize": 8, "alignment": "left",
}  # fmt: skip
# Where text may stand beside a point.
_PLACES = ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (-1, 1), (1, -1), (-1, -1))
_ALIGNED = {-1: ("right", "top"), 0: ("center", "center"), 1: ("left", "bottom")}


def picture(function):
    """Complete the docstring of a function that draws."""
    about = """ax : matplotlib Axes, optional
        Where to draw; a new figure if not given.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        If what is given does not go together, or there is nothing to draw."""
    function.__doc__ = (function.__doc__ or "").replace("{ax}", about)
    return function


def is_model(given):
    """Return whether this is a fitted CoresetSpectralClustering; any other model is refused."""
    is_fitted = hasattr(given, "clustering_")
    if hasattr(given, "get_params") and not is_fitted:
        raise InputError(f"{given!r} is no fitted CoresetSpectralClustering: fit it, or give a graph and labels")
    return is_fitted


def check_each(name, values, count, what):
    """Raise an InputError unless there is a value for each of what is drawn."""
    if len(values) < count:
        raise InputError(f"{name} has {len(values)} values for {count} {what}; give one for each")


def axes_of(ax, figsize):
    """Return the axes given, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise InputError(NEEDED) from None
    return plt.subplots(figsize=figsize, layout="constrained")[1]


def cluster_style(cluster):
    """Return (colour, shape) of a cluster; 120 clusters differ in one of both."""
    return color_of(cluster), SHAPES[cluster % len(SHAPES)]


def shortened(name, longest=80):
    """Cut a name that is longer than `longest` letters."""
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def clusters_by_size(labels):
    """Return the clusters that hold points, the largest first."""
    found, sizes = np.unique(labels, return_counts=True)
    return found[np.argsort(-sizes, kind="stable")].tolist()


def clusters_gid(clusters, each=False):
    """Return the id of an artist in an SVG: the clusters that the artist shows, or each of its marks, in order."""
    return ("each " if each else "clusters ") + " ".join(str(int(c)) for c in clusters)


def steps_legend(ax, title):
    """Add a legend of the five shades of a quantity from 0 to 1."""
    from matplotlib.lines import Line2D

    names = [f"{i / 5:.1f} to {(i + 1) / 5:.1f}" for i in range(5)]
    handles = [
        Line2D([], [], ls="", marker="o", ms=7, mfc=shade, mec=INK, mew=0.6, label=name)
        for shade, name in zip(STEPS, names, strict=True)
    ]
    ax.legend(handles=handles, title=title, **_BESIDE)


def label_points(ax, points, texts, *, gap=4.0, beside=True):
    """Write texts beside points, the first ones first; a text that finds no free place is left out. Returns the texts.

    The limits of `ax` must be final. `gap` is in points of the page; ``beside=False`` writes over the points.
    """
    figure = ax.get_figure(root=True)
    figure.draw_without_rendering()
    frame = ax.get_window_extent()
    spots = ax.transData.transform(points)
    taken, written = [], []
    for point, spot, text in zip(points, spots, texts, strict=True):
        if not frame.contains(*spot):
            continue
        for x, y in _PLACES if beside else ((0, 0),):
            note = ax.annotate(
                text, point, xytext=(gap * x, gap * y), textcoords="offset points", ha=_ALIGNED[x][0],
                va=_ALIGNED[y][1], fontsize=8, color=INK, zorder=5,
            )  # fmt: skip
            box = note.get_window_extent()
            inside = frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1
            if inside and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                written.append(note)
                break
            note.remove()
    return written


def scatter_clusters(ax, points, labels, area, **look):
    """Draw a mark at each point, in colour and shape of its cluster; the limits of `ax` must be final but for them.

    Up to six clusters are named in a legend, others at the median of their points if there is room.
    """
    clusters = clusters_by_size(labels)
    marks = []
    for c in clusters:
        color, shape = cluster_style(c)
        mine = labels == c
        marks.append(ax.scatter(
            *points[mine].T, s=area, c=color, marker=shape, linewidths=0.3,
            edgecolors=INK, gid=clusters_gid([c]), **look,
        ))  # fmt: skip
    texts = [str(c) for c in clusters]
    if len(clusters) <= len(SHAPES):
        for handle in ax.legend(marks, texts, title="cluster", **_BESIDE).legend_handles:
            handle.set_sizes([36])
        return
    middles = np.array([np.median(points[labels == c], axis=0) for c in clusters])
    for note in label_points(ax, middles, texts, beside=False):
        note.set_bbox({"boxstyle": "round,pad=0.15", "facecolor": PAPER, "alpha": 0.75, "linewidth": 0})
