"""The report's pictures as SVG that takes its colours from the page, so that they follow its light or dark colours."""

import io
import re
import warnings
from typing import NamedTuple
from xml.etree import ElementTree

from markupsafe import Markup

from ..exceptions import InputError
from ..plot import _style, cluster_sizes, coreset_map, dendrogram, graph_drawing, quotient_graph
from ..plot.drawing import MOST_DRAWN

_MAX_LEAVES = 40
_MAX_MAPPED = 600
_LEAF_NAMES = 2
# page.css gives each variable a colour for light and for dark pages.
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
_REFERENCE = re.compile(r"""(?:href="|url\()#([^")]+)""")
_RC |= dict.fromkeys(_INKED, _style.INK)


class Picture(NamedTuple):
    """A picture of the page, and facts for its caption."""

    name: str
    title: str
    svg: str
    about: dict


def draw_pictures(facts, random_state, n_jobs):
    """Draw all pictures that a clustering has (list of Picture)."""
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError:
        raise InputError(_style.NEEDED) from None
    drawings = {
        "sizes": ("Sizes and conductance", lambda ax: _sizes(ax, facts)),
        "quotient": ("Clusters and the links between them", lambda ax: _quotient(ax, facts)),
        "drawing": ("The graph", lambda ax: _drawing(ax, facts, random_state)),
        "coreset": ("Map of the coreset", lambda ax: _coreset(ax, facts, random_state, n_jobs)),
        "tree": ("Tree of the clusters", lambda ax: _tree(ax, facts)),
    }
    pictures = []
    with mpl.rc_context(_RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # of a name: the table has it in full
        for name, (title, draw) in drawings.items():
            # Not pyplot: a report must not touch the user's figures, nor need a screen.
            figure = Figure(figsize=(6.6, 4.2), layout="constrained")
            about = draw(figure.add_subplot())
            if about is not None:
                pictures.append(Picture(name, title, _svg(figure, name, title), about))
    return pictures


def _sizes(ax, facts):
    stability = None if facts.clustering is None else facts.clustering.cluster_stability
    cluster_sizes(facts.sums, stability=stability, ax=ax)
    return {"has_stability": stability is not None}


def _quotient(ax, facts):
    if len(facts.filled) < 2:
        return None
    quotient_graph(facts.quotient, facts.sums.size, ax=ax)
    return {}


def _drawing(ax, facts, random_state):
    if facts.sums.size.sum() > MOST_DRAWN:
        return None
    graph_drawing(facts.graph, facts.labels, random_state=random_state, ax=ax)
    return {}


def _tree(ax, facts):
    if facts.tree is None or facts.tree.n_leaves < 3:
        return None
    n_leaves = min(len(facts.filled), _MAX_LEAVES)
    ax.get_figure().set_size_inches(6.6, 1.0 + 0.19 * n_leaves)
    names = {_leaf_name(facts, c): c for c in facts.filled.tolist()}
    dendrogram(facts.tree.linkage(), n_leaves, names=list(names), ax=ax)
    for text in ax.get_yticklabels():
        if text.get_text() in names:  # else it stands for several
            text.set_gid(_style.clusters_gid([names[text.get_text()]]))
    return {"is_whole": n_leaves == len(facts.filled)}


def _leaf_name(facts, c):
    """Name a cluster by its number, its size and its most central nodes."""
    # Letters that cannot be printed cannot be drawn.
    names = ["".join(letter if letter.isprintable() else "\ufffd" for letter in name) for name in facts.central[c]]
    shown = ", ".join(shortened(name, 20) for name in names[:_LEAF_NAMES])
    return f"{c} ({facts.sums.size[c]:,}){': ' * bool(shown)}{shown}"


def _coreset(ax, facts, random_state, n_jobs):
    run = facts.clustering
    if run is None:
        return None
    try:
        coreset_map(
            facts.graph, run.coreset, run.labels, most=_MAX_MAPPED, random_state=random_state, n_jobs=n_jobs, ax=ax
        )
    except InputError:
        # Two clusters, or clusters that nothing joins, have no map; nothing is wrong with them.
        return None
    return {}


def _svg(figure, name, title):
    import matplotlib as mpl

    stream = io.StringIO()
    # Equal pictures give equal text: no date, and inner names depend on the picture alone.
    with mpl.rc_context({"svg.hashsalt": name}):
        figure.savefig(
            stream, format="svg", transparent=True, metadata=dict.fromkeys(("Date", "Creator", "Format", "Type"))
        )
    text = stream.getvalue()
    tree = ElementTree.fromstring(text[text.index("<svg") :])
    for metadata in tree.findall("{*}metadata"):
        tree.remove(metadata)
    # Parts that others refer to get short names of the picture's own.
    short = {each: f"{name}{i}" for i, each in enumerate(dict.fromkeys(_REFERENCE.findall(text)))}
    short["edges"] = f"{name}-edges"
    for part in list(tree.iter()):
        _tidy(part, short)
    width, height = (f"{72 * side:g}" for side in figure.get_size_inches())
    tree.attrib = {
        "viewBox": f"0 0 {width} {height}", "role": "img", "aria-label": title, "aria-describedby": f"about-{name}",
    }  # fmt: skip
    out = ElementTree.tostring(tree, encoding="unicode")
    for shade, variable in _VARIABLES.items():
        out = out.replace(shade, f"var({variable})")
    return Markup(out)


def _tidy(part, short):
    """Make a part of matplotlib's SVG one of the page: linked to its clusters, with short names and numbers."""
    part.tag = part.tag.rpartition("}")[2]
    part.tail = None
    if part.text is not None and not part.text.strip():
        part.text = None
    given, part.attrib = part.attrib, {}
    kind, _, clusters = given.pop("id", "").partition(" ")
    marks = [each for each in part.iter() if each.tag.endswith("use")]
    if kind == "each":
        for mark, cluster in zip(marks, clusters.split(), strict=True):
            mark.set("data-c", cluster)
    elif kind == "clusters":
        part.set("data-c", clusters)
    elif kind in short:
        part.set("id", short[kind])
    # The common style of the marks of a group is written once.
    styles = {each.get("style") for each in part}
    if len(part) > 1 and len(styles) == 1 and len(marks) == len(part) and None not in styles:
        given["style"] = styles.pop()
        for mark in marks:
            del mark.attrib["style"]
    for key, value in given.items():
        if key.endswith("href"):
            part.set("href", f"#{short[value[1:]]}")
        elif key in ("x", "y", "d"):
            # A tenth of a point can hardly be seen, a hundredth cannot.
            form = ".2f" if key == "d" else ".1f"
            words = (
                word if word.isalpha() else f"{float(word):{form}}".rstrip("0").rstrip(".") for word in value.split()
            )
            part.set(key, " ".join(words))
        else:
            before, found, rest = value.partition("url(#")
            part.set(key, f"{before}url(#{short[rest.partition(')')[0]]}){rest.partition(')')[2]}" if found else value)


def shortened(name, longest=80):
    """Cut a name that is longer than `longest` letters."""
    return name if len(name) <= longest else f"{name[: longest - 1]}…"
