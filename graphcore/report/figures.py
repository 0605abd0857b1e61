"""The report's pictures as SVG that takes its colours from the page, so that they follow its light or dark colours."""

import io
import re
from typing import NamedTuple

from ..exceptions import InputError
from ..plot import (
    _style,
    cluster_sizes,
    coreset_coordinates,
    coreset_map,
    dendrogram,
    objective_history,
    quotient_graph,
)

__all__ = ["Picture", "draw_pictures"]

_MAX_LEAVES = 40
# Named by their part in the picture; page.css gives each a colour for light and for dark pages.
_VARIABLES = {
    _style.INK: "--ink",
    _style.MIDDLE: "--middle",
    _style.FAINT: "--faint",
    _style.PAPER: "--paper",
    **{shade: f"--shade{i}" for i, shade in enumerate(_style.SHADES)},
    **{shade: f"--step{i}" for i, shade in enumerate(_style.STEPS)},
}
_INKED = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
_RC = {"svg.fonttype": "path", "font.size": 9, "font.family": "DejaVu Sans", "path.simplify": True}
_RC |= dict.fromkeys(_INKED, _style.INK)


class Picture(NamedTuple):
    """A picture of the page."""

    name: str
    title: str
    caption: str
    svg: str


def draw_pictures(facts, graph=None, *, random_state=0, n_jobs=None):
    """Draw what can be drawn of a clustering (list of Picture); without its graph there is no map of the coreset."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise InputError(_style.NEEDED) from None
    pictures = []
    with mpl.rc_context(_RC):
        for draw in (_sizes, _quotient, _coreset, _tree, _history):
            figure, ax = _figure()
            found = draw(ax, facts, graph, random_state, n_jobs)
            if found is not None:
                name = draw.__name__.strip("_")
                size = figure.get_size_inches()
                pictures.append(Picture(name, *found, _svg(figure, name, found[0], size)))
    return pictures


def _figure():
    # Not pyplot: a report must not touch the user's figures, nor need a screen.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.6, 4.2), layout="constrained")
    return figure, figure.add_subplot()


def _sizes(ax, facts, graph, random_state, n_jobs):
    stability = None if facts.clustering is None else facts.clustering.cluster_stability
    cluster_sizes(facts.sums, stability=stability, ax=ax)
    shade = "" if stability is None else " Its shade is the cluster's stability."
    caption = (
        "One dot for each cluster. Low down are clusters that few edges leave; single dots far up are clusters to "
        f"doubt.{shade} The most conspicuous ones bear their number."
    )
    return "Sizes and conductance", caption


def _quotient(ax, facts, graph, random_state, n_jobs):
    if len(facts.filled) < 2:
        return None
    quotient_graph(facts.quotient, facts.sums.size, ax=ax)
    caption = (
        "A disk for each cluster, its area by the number of nodes (small ones are drawn larger), its shade by the "
        "share of edge weight that leaves it. Lines are the heaviest links of each cluster, as shares of the smaller "
        "cluster's volume; lighter links are not drawn."
    )
    return "Clusters and what runs between them", caption


def _tree(ax, facts, graph, random_state, n_jobs):
    if len(facts.filled) < 3 or len(facts.tree) == 0:
        return None
    n_leaves = min(len(facts.filled), _MAX_LEAVES)
    ax.get_figure().set_size_inches(6.6, 1.0 + 0.19 * n_leaves)
    sizes = facts.sums.size
    names = [f"{c} ({sizes[c]:,})" for c in facts.filled]
    dendrogram(facts.tree, n_leaves, names=names, unit="cluster", ax=ax)
    rest = "" if n_leaves == len(facts.filled) else " The first unions are not drawn."
    caption = (
        "Which clusters would be united first if fewer were asked for: number and, in brackets, nodes of each cluster. "
        f"What is joined far to the right is hardly two clusters.{rest}"
    )
    return "How the clusters hang together", caption


def _coreset(ax, facts, graph, random_state, n_jobs):
    run = facts.clustering
    if run is None or graph is None:
        return None
    coreset = run.coreset
    try:
        chosen, points = coreset_coordinates(
            graph, coreset.indices, run.labels, walk_steps=max(4, run.settings.walk_steps), random_state=random_state,
            n_jobs=n_jobs,
        )  # fmt: skip
    except InputError:
        # Two clusters, or clusters that nothing joins, have no map; nothing is wrong with them.
        return None
    coreset_map(points, coreset.weights[chosen], run.labels[coreset.indices[chosen]], ax=ax)
    which = "all" if len(chosen) == len(coreset) else f"{len(chosen):,} of {len(coreset):,}"
    caption = (
        f"Nodes of the first coreset ({which}), the few that stand for all, sized by their weight. Clusters are placed "
        "by two eigenvectors of the graph between them, and a node between the clusters that a random walk from it "
        "ends in. Two coordinates show the widest gaps only: clusters on each other here may still be far apart."
    )
    return "Map of the coreset", caption


def _history(ax, facts, graph, random_state, n_jobs):
    run = facts.clustering
    if run is None or len(run.history) == 0:
        return None
    ax.get_figure().set_size_inches(6.6, 1.0 + 0.4 * len(run.history))
    objective_history(run.history, ax=ax)
    caption = (
        f"The objective ({run.settings.objective}) after each stage. A last stage that hardly adds to it says that the "
        "search has ended."
    )
    return "Progress of the objective", caption


def _svg(figure, name, title, size):
    import html

    import matplotlib as mpl

    stream = io.StringIO()
    # The same picture makes the same text: no date, and names inside that depend on the picture alone.
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(
            stream, format="svg", transparent=True, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type"))
        )
    text = stream.getvalue()
    inner = text[text.index("<defs") : text.rindex("</svg>")]
    inner = re.sub(r"<metadata>.*?</metadata>", "", inner, flags=re.DOTALL).replace("xlink:href", "href")
    # Names inside one picture must not meet those of another.
    inner = re.sub(r'\b(id="|href="#|url\(#)', rf"\g<1>{name}-", inner)
    for shade, variable in _VARIABLES.items():
        inner = inner.replace(shade, f"var({variable})")
    inner = re.sub(r">\s+<", "><", inner)
    width, height = (f"{72 * side:g}" for side in size)
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{html.escape(title)}">{inner}</svg>'
