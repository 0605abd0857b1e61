"""What all pictures share: their shades, which tell things apart in grey too, and axes to draw into."""

from ..exceptions import InputError, missing_package

NEEDED = missing_package("drawing pictures", "matplotlib", "plot")
INK = "#1a1a1a"
MIDDLE = "#7f7f7f"
FAINT = "#c8c8c8"
PAPER = "#fefefe"
# Clusters differ in shade and in shape; the shades stay apart for eyes that lack one of the three kinds of cones.
SHADES = ("#3b5875", "#e6bd45", "#883fd1", "#e67373", "#752323", "#a1a1e6")
SHAPES = "osD^vP"
HATCHES = ("", "//", "--", "\\\\", "||", "++")
# A quantity from low to high, light to dark.
STEPS = ("#f0e6d2", "#d9bf92", "#b08d57", "#76592f", "#3d2c12")
# Where a legend stands.
BESIDE = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0, "frameon": False, "fontsize": 8}
TITLED = BESIDE | {"title_fontsize": 8, "alignment": "left"}


def axes_of(ax, figsize):
    """Return the axes given, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise InputError(NEEDED) from None
    return plt.subplots(figsize=figsize, layout="constrained")[1]


def bare(ax):
    """Take the axes away where only the shape of the picture means something."""
    ax.set(xticks=[], yticks=[])
    ax.spines[:].set_visible(False)


def cluster_style(rank):
    """(shade, shape, hatch) of the cluster of this rank: 36 pairs of shade and shape before one comes again."""
    turn = rank + rank // len(SHADES)
    return SHADES[rank % len(SHADES)], SHAPES[turn % len(SHAPES)], HATCHES[turn % len(HATCHES)]


def clusters_gid(clusters, each=False):
    """What an artist is called in an SVG: the clusters that it shows, or that each of its marks shows, in order."""
    return ("each " if each else "clusters ") + " ".join(str(int(c)) for c in clusters)


def open_frame(ax):
    """Leave only the axes that carry numbers."""
    ax.spines[["top", "right"]].set_visible(False)


def plain_numbers(axis, form, subs=(1, 2, 5)):
    """Ticks of a logarithmic axis as numbers, not as powers, however few decades there are."""
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    axis.set_major_locator(LogLocator(subs=subs, numticks=12))
    axis.set_major_formatter(StrMethodFormatter(form))
    axis.set_minor_locator(NullLocator())


def steps_legend(ax, title, **more):
    """Legend of the five shades of a quantity from 0 to 1."""
    from matplotlib.lines import Line2D

    names = [f"{i / 5:.1f} to {(i + 1) / 5:.1f}" for i in range(5)]
    handles = [
        Line2D([], [], ls="", marker="o", ms=7, mfc=shade, mec=INK, mew=0.6, label=name)
        for shade, name in zip(STEPS, names, strict=True)
    ]
    return ax.legend(handles=handles, title=title, **TITLED | more)


def step_of(values):
    """Which of the five shades each value from 0 to 1 gets."""
    import numpy as np

    return np.clip((np.asarray(values, dtype=float) * 5).astype(int), 0, 4)
