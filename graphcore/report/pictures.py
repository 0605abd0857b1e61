"""The report's pictures as SVG that takes its colours from the page, so that they follow its light or dark colours."""

import io
import re
import warnings
from xml.etree import ElementTree

from markupsafe import Markup

from ..plot import _style, cluster_sizes, dendrogram, graph_drawing
from ..plot.charts import cluster_names
from ..plot.graphs import MOST_DRAWN, draw_quotient

MOST_LEAVES = 40
# page.css gives each variable a colour for light and for dark pages.
_VARIABLES = {
    _style.INK: "--ink",
    _style.MIDDLE: "--middle",
    _style.PAPER: "--paper",
    **{shade: f"--step{i}" for i, shade in enumerate(_style.STEPS)},
}
_INKED = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
_RC = {"svg.fonttype": "path", "font.size": 9, "font.family": "DejaVu Sans", "path.simplify": True}
_REFERENCE = re.compile(r"""(?:href="|url\()#([^")]+)""")
_RC |= dict.fromkeys(_INKED, _style.INK)


def draw_pictures(facts):
    """Draw all pictures that a clustering has: names, by which the template has captions, titles and SVG."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    sums, stability = facts.sums, None if facts.clustering is None else facts.clustering.cluster_stability
    drawings = {"sizes": ("Sizes and conductance", lambda ax: cluster_sizes(sums, stability=stability, ax=ax))}
    if len(facts.filled) > 1:
        title = "Clusters and the links between them"
        drawings["quotient"] = (title, lambda ax: draw_quotient(facts.quotient, sums.size, ax=ax))
    if sums.size.sum() <= MOST_DRAWN:
        drawings["drawing"] = ("The graph", lambda ax: graph_drawing(facts.graph, facts.labels, ax=ax))
    if facts.tree is not None and facts.tree.n_leaves > 2:
        drawings["tree"] = ("Tree of the clusters", lambda ax: _draw_tree(ax, facts))
    pictures = []
    with mpl.rc_context(_RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # of a name: the table has it in full
        for name, (title, draw) in drawings.items():
            # Not pyplot: a report must not touch the user's figures, nor need a screen.
            figure = Figure(figsize=(6.6, 4.2), layout="constrained")
            draw(figure.add_subplot())
            pictures.append((name, title, _svg(figure, name, title)))
    return pictures


def _draw_tree(ax, facts):
    n_leaves = min(len(facts.filled), MOST_LEAVES)
    ax.get_figure().set_size_inches(6.6, 1.0 + 0.19 * n_leaves)
    clusters = facts.filled.tolist()
    names = cluster_names(facts.tree, clusters, [facts.central[c] for c in clusters])
    dendrogram(facts.tree.linkage(), n_leaves, names=names, ax=ax)
    for text in ax.get_yticklabels():
        if (place := names.index(text.get_text())) < len(clusters):  # else it stands for several
            text.set_gid(_style.clusters_gid([clusters[place]]))


def _svg(figure, name, title):
    """Return a figure as a part of the page: its marks linked to their clusters, its colours those of the page."""
    import matplotlib as mpl

    stream = io.StringIO()
    # Equal pictures give equal text: no date, and inner names depend on the picture alone.
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(
            stream, format="svg", transparent=True, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type"))
        )
    text = stream.getvalue()
    # A hundredth of a point cannot be seen; letters have scales of less.
    pattern, text = r"(scale\(.*?\))|\d+\.\d{3,}", text[text.index("<svg") :]
    text = re.sub(pattern, lambda found: found[1] or f"{float(found[0]):.2f}", text)
    referred, tree = {*_REFERENCE.findall(text), "edges"}, ElementTree.fromstring(text)
    for metadata in tree.findall("{*}metadata"):
        tree.remove(metadata)
    for part in list(tree.iter()):
        part.tag, part.tail = part.tag.rpartition("}")[2], None
        if part.text is not None and not part.text.strip():
            part.text = None
        kind, _, clusters = part.attrib.pop("id", "").partition(" ")
        if kind == "each":
            uses = [each for each in part.iter() if each.tag.endswith("use")]
            for mark, cluster in zip(uses, clusters.split(), strict=True):
                mark.set("data-c", cluster)
        elif kind == "clusters":
            part.set("data-c", clusters)
        elif kind in referred:
            part.set("id", f"{name}-{kind}")
        for key, value in list(part.attrib.items()):
            if key.endswith("href"):
                part.set("href", f"#{name}-{part.attrib.pop(key)[1:]}")
            elif "url(#" in value:
                part.set(key, value.replace("url(#", f"url(#{name}-"))
    width, height = (f"{72 * side:g}" for side in figure.get_size_inches())
    tree.attrib = {
        "viewBox": f"0 0 {width} {height}", "role": "img", "aria-label": title, "aria-describedby": f"about-{name}",
    }  # fmt: skip
    out = ElementTree.tostring(tree, encoding="unicode")
    for shade, variable in _VARIABLES.items():
        out = out.replace(shade, f"var({variable})")
    return Markup(out)
