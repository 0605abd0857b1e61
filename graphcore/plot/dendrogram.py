"""The merge tree, drawn from the clusters upwards."""

import numpy as np

from ..base.types import ArrayLike, Axes, Sequence
from ..base.validation import check_integer
from ..exceptions import InputError
from ._style import INK, axes_of, open_frame, picture


@picture
def dendrogram(
    linkage: ArrayLike, n_leaves: int = 30, *, names: Sequence[str] | None = None, n_clusters: int | None = None,
    ax: Axes | None = None,
) -> Axes:  # fmt: skip
    """Draw the top of a merge tree.

    Parameters
    ----------
    linkage : array-like of shape (n_groups - 1, 4)
        In scipy's form, such as ``model.tree_.to_linkage()``.
    n_leaves : int, default 30
        Number of leaves that are drawn; with earlier merges left out, a leaf stands for several groups.
    names : sequence of str, optional
        Names of the groups. A leaf of one group bears its name, another one the number of its groups.
    n_clusters : int, optional
        Number of clusters, whose cut of the tree is marked.
    {ax}

    Examples
    --------
    >>> import graphcore
    >>> karate = graphcore.datasets.load_karate()
    >>> model = graphcore.CoresetSpectralClustering(n_clusters=2, random_state=0).fit(karate.graph)
    >>> ax = graphcore.plot.dendrogram(model.tree_.to_linkage(), 4)
    >>> len(ax.get_yticklabels())
    4
    """
    try:
        linkage = np.asarray(linkage, dtype=float)
    except (TypeError, ValueError):
        raise InputError(
            f"dendrogram draws a merge tree, such as model.tree_.to_linkage(), got {type(linkage).__name__}"
        ) from None
    if linkage.ndim != 2 or linkage.shape[1:] != (4,) or len(linkage) == 0:
        raise InputError(f"linkage must have shape (n_groups - 1, 4) with at least one row, got {linkage.shape}")
    n_groups = len(linkage) + 1
    n_leaves = min(check_integer("n_leaves", n_leaves, low=2), n_groups)
    if names is not None and len(names) != n_groups:
        raise InputError(f"{len(names)} names for the {n_groups} groups of the merge tree")
    ax = axes_of(ax, (6, 0.8 + 0.19 * n_leaves))
    from scipy.cluster.hierarchy import dendrogram as scipy_dendrogram

    texts = [f"group {i}" for i in range(n_groups)] if names is None else list(map(str, names))
    scipy_dendrogram(
        linkage, n_leaves, "lastp", orientation="left", link_color_func=lambda _: INK, ax=ax, leaf_font_size=8,
        leaf_label_func=lambda i: texts[i] if i < n_groups else f"{int(linkage[i - n_groups, 3]):,} groups",
    )  # fmt: skip
    for text in ax.get_yticklabels():
        text.set_parse_math(False)
    highest = linkage[-1, 2]
    ax.set_xlim(highest * 1.03 if highest > 0 else 1.0, 0)
    ax.yaxis.tick_right()
    if n_clusters is not None:
        n_clusters = check_integer(
            "n_clusters", n_clusters, low=1, high=n_groups, why_high="the groups of the merge tree"
        )
        heights = np.concatenate([[0.0], linkage[:, 2], [1.03 * highest]])
        place = heights[n_groups - n_clusters : n_groups - n_clusters + 2].mean()
        ax.axvline(place, color=INK, lw=0.8, ls="--", zorder=1)
        ax.annotate(
            f"{n_clusters} clusters", (place, 1), (0, 2), xycoords=("data", "axes fraction"),
            textcoords="offset points", ha="center", va="bottom", fontsize=8, color=INK,
        )  # fmt: skip
    ax.set_xlabel("what the union costs")
    ax.locator_params(axis="x", nbins=5)
    open_frame(ax)
    ax.spines["left"].set_visible(False)
    return ax
