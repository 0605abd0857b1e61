"""The page itself: one HTML file that needs nothing else, whose template escapes every string from outside."""

import base64
import hashlib
from dataclasses import asdict
from importlib.resources import files

import numpy as np
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from ..metrics.clusters import nearest_clusters
from ..metrics.robustness import DISSOLVED, ROBUST
from ..pipeline.cluster import UNSURE
from ..plot._style import NEEDED
from .nodes import shortened

# Of a normalised cut by chance: below the first there are clear clusters, above the second there are hardly any.
_CLEAR, _VAGUE = 0.5, 0.85
# A stability over seeds from which a cluster is called the same: of twenty nodes, one may be another.
_SAME = 0.95
# In inches, as the heights of pictures are.
_CAPTION_HEIGHT = 1.3
_MOST_CLASSES = 200
_NOTHING = "\u2013"
# What HTML does not allow even when escaped.
_CONTROL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127, *range(0xD800, 0xE000)), "\ufffd")


def render(facts, about, pictures, data, *, has_shares, border_names, beside):
    """Return the page as text.

    `pictures` is None where there should be some and matplotlib is missing; `data` is what the script looks up
    (:func:`graphcore.report.nodes.pack`), with or without shares; `beside` names the file that has all nodes, None if
    the page has.
    """
    environment = Environment(
        autoescape=True, finalize=_shown, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters["count_of"] = count
    environment.globals["Markup"] = Markup
    script, border, found = _asset("page.js"), _border_rows(facts, border_names), facts.comparison
    titles = {
        "quality": "How good, and how sure", "find": "Find a node", "pictures": pictures and "Pictures",
        "clusters": "Clusters", "border": border and "Between two clusters",
        "truth": found is not None and "Beside known classes", "origin": "To repeat it",
    }  # fmt: skip
    return environment.from_string(_asset("page.html")).render(
        about=about, titles={id: title for id, title in titles.items() if title}, style=_asset("page.css"),
        # Nothing is fetched, and no other script runs, whatever a node may be called.
        script=script, script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(), data=data,
        size=_size(facts), verdict=_verdict(facts), cards=_cards(facts), sentences=_sentences(facts),
        nodes=facts.nodes, n_placed=int(facts.sums.size.sum()), beside=beside, has_shares=has_shares,
        columns=pictures and _columns(pictures), pictures_need=NEEDED,
        has_robustness=facts.robustness is not None, is_steady=facts.node_stability is not None,
        clusters=_cluster_rows(facts), border=border, scores=found and found.scores,
        classes=found and _class_rows(facts), classes_shown=found and _classes_shown(len(found.names)),
        origin=_origin(facts, about),
    )  # fmt: skip


def _shown(value):
    """What the template prints of a value, before it is escaped."""
    return value if isinstance(value, Markup) else str(value).translate(_CONTROL)


def _asset(name):
    return Markup(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def count(number, noun):
    """A number of things."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


# -- words -------------------------------------------------------------------------------------------------------------


def _size(facts):
    parts = [
        count(facts.n_nodes, "node"), count(facts.n_edges, "edge"), "weighted" if facts.is_weighted else "unweighted",
        count(facts.n_components, "connected component"),
    ]  # fmt: skip
    if facts.n_isolated:
        parts.append(f"{facts.n_isolated:,} isolated")
    if facts.n_self_loops:
        parts.append(count(facts.n_self_loops, "self-loop"))
    return ", ".join(parts)


def _verdict(facts):
    """What to make of these clusters, in words."""
    filled, run = len(facts.filled), facts.clustering
    unsure = None if run is None else run.n_unsure
    said = count(filled, "cluster")
    if facts.is_sure is not None:
        said += f", {_of_them(facts.is_sure)} sure"
    elif unsure is not None:
        said += f", {_of_them(run.cluster_stability[facts.filled] >= _SAME)} the same for every seed"
    chance = f"{100 * facts.chance_coverage:.0f}" if facts.chance_coverage >= 0.01 else "less than 1"
    said += f"; {100 * facts.coverage:.0f} % of the edge weight lies inside them, {chance} % would by chance. "
    if filled == 1:
        return said + "One cluster is no division."
    relative = facts.normalized_cut / max(facts.chance_cut, 1e-300)
    if relative < _CLEAR:
        said += "Less than half as many edges lead out of the clusters as would by chance"
    elif relative < _VAGUE:
        said += "More edges stay inside the clusters than would by chance, but many lead out of them"
    else:
        said += "Hardly more edges stay inside the clusters than would by chance: the graph may have no such clusters"
    if unsure and 2 * unsure >= filled:
        return f"{said}. Most of them change with the seed: no {filled:,} to be sure of; fewer may be surer."
    if facts.is_sure is not None and 2 * np.count_nonzero(_dissolved(facts)) >= filled:
        return f"{said}. Most of them are others when edges are drawn anew: the data support no {filled:,} clusters."
    return said + "."


def _of_them(which):
    return f"{'all' if which.all() and len(which) > 1 else f'{np.count_nonzero(which):,}'} of them"


def _dissolved(facts):
    return facts.robustness.clusters[facts.filled] <= DISSOLVED


def _cards(facts):
    """(name, figure, note) of the first things to know."""
    filled, sizes = len(facts.filled), facts.sums.size[facts.filled]
    low, middle, high = sizes.min(), np.median(sizes), sizes.max()
    spread = f"of {count(low, 'node')}" if low == high else f"{low:,} to {high:,} nodes, median {middle:,.0f}"
    empty = facts.n_clusters - filled
    out = [(facts.n_isolated, "isolated"), (facts.n_unlabelled, "without a label")]
    out = ", ".join(f"{number:,} {what}" for number, what in out if number)
    cards = [
        ("Clusters", f"{filled:,}", spread + (f"; {empty:,} more are empty" if empty else "")),
        ("Nodes in clusters", f"{int(sizes.sum()):,}", f"left out: {out}" if out else "all of them"),
        ("Normalised cut", f"{facts.normalized_cut:.4f}",
         f"mean conductance, lower is better; {facts.chance_cut:.4f} by chance"),
        ("Edge weight inside", f"{100 * facts.coverage:.1f} %",
         f"of all in clusters; modularity {facts.modularity:.3f}"),
    ]  # fmt: skip
    if facts.stability is not None:
        what = "mean over nodes; drafts from coresets of the same edges"
        cards.append(("Stability over seeds", f"{facts.stability:.2f}", what))
    if facts.robustness is not None:
        ari = facts.robustness.ari
        note = f"adjusted Rand index, {ari.min():.2f} to {ari.max():.2f}, for {len(ari)} times edges drawn anew"
        cards.append(("Robustness", f"{ari.mean():.2f}", note))
    return cards


def _sentences(facts):
    """What the figures mean, in words."""
    conductance = facts.sums.conductance[facts.filled]
    out = [
        f"Of the edge weight at a cluster's nodes, {100 * conductance.mean():.1f} % leads out of it on average "
        f"(median {100 * np.median(conductance):.1f} %, worst {100 * conductance.max():.1f} %). Clusters of the same "
        f"volumes on a graph without structure would lose {100 * facts.chance_cut:.1f} %."
    ]
    run = facts.clustering
    if run is not None and run.node_stability is not None:
        nodes = run.node_stability[run.labels >= 0]
        each = run.cluster_stability[facts.filled]
        unsure = run.n_unsure
        doubt = (
            f"{unsure:,} of {len(each):,} clusters {'has' if unsure == 1 else 'have'} a stability below {UNSURE}: "
            f"another seed would cut {'it' if unsure == 1 else 'them'} differently."
            if unsure
            else f"No cluster has a stability below {UNSURE}."
        )
        out.append(
            "The clustering was drafted from several coresets of the same edges, drawn independently. All drafts agree "
            f"with the labels of {100 * (nodes == 1).mean():.1f} % of the nodes. {doubt} This says what "
            "a seed changes, not what the data support."
        )
    elif run is not None:
        out.append("A single draft was made, so nothing is known about how much the clusters depend on its coreset.")
    else:
        out.append("Only the labels are known, not how they were made: nothing can be said about their stability.")
    if facts.robustness is not None:
        clusters = facts.robustness.clusters[facts.filled]
        out.append(
            f"Edges were drawn anew {len(facts.robustness.ari)} times, with repeats, and clustered again, quickly. "
            f"{np.count_nonzero(clusters >= ROBUST):,} of {len(clusters):,} clusters come again (a mean Jaccard index "
            f"of at least {ROBUST}), {np.count_nonzero(_dissolved(facts)):,} dissolve (at most {DISSOLVED}). Sure are "
            "those that come again and have most of their edge weight inside."
        )
    elif run is not None:
        out.append(
            "What the data support was not measured: model.robustness() and graphcore cluster --robustness draw the "
            "edges anew and cluster again."
        )
    if run is not None and run.n_unreached and not run.settings.refine:
        nodes = count(run.n_unreached, "node")
        out.append(f"{nodes} lie in one cluster for want of evidence: no coreset node reaches them.")
    return out


def _origin(facts, about):
    """Pairs of name and value of what is needed to make the page again."""
    rows = [("graphcore", facts.version), ("written", about.created.strftime("%Y-%m-%d %H:%M %Z").strip())]
    if about.seconds:
        rows.append(("seconds", ", ".join(f"{name} {value:.2f}" for name, value in about.seconds.items())))
    settings = {} if facts.clustering is None else asdict(facts.clustering.settings)
    return rows + [(name.replace("_", " "), "none" if value is None else value) for name, value in settings.items()]


# -- pictures and tables -----------------------------------------------------------------------------------------------


def _columns(pictures):
    """Pictures in two columns of about the same height, the first picture in the first."""
    columns, heights = ([], []), [0.0, 0.0]
    for picture in sorted(pictures, key=lambda picture: -picture.height):
        lower = int(heights[1] < heights[0])
        columns[lower].append(picture)
        heights[lower] += picture.height + _CAPTION_HEIGHT
    columns = [sorted(column, key=pictures.index) for column in columns]
    return columns if pictures[0] in columns[0] else columns[::-1]


def _name(value):
    """The name of a node: cut if it is long, and kept from turning its surroundings around."""
    value = _shown(shortened(value))
    # ASCII has one direction.
    return value if value.isascii() else Markup("<bdi>{}</bdi>").format(value)


def _cluster_rows(facts):
    """A row for every cluster, the largest first."""
    sums, run = facts.sums, facts.clustering
    told = [None if run is None else run.cluster_stability]
    told += [] if facts.robustness is None else [facts.robustness.clusters]
    neighbours = nearest_clusters(facts.quotient)
    whole = max(float(sums.volume.sum()), 1e-300)

    def row(c):
        filled = sums.size[c] > 0
        return (
            c, f"{sums.size[c]:,}", f"{100 * sums.volume[c] / whole:.2f} %",
            f"{sums.conductance[c]:.4f}" if filled else _NOTHING,
            *(f"{each[c]:.2f}" if filled and each is not None else _NOTHING for each in told),
            neighbours[c] if neighbours[c] >= 0 else _NOTHING, Markup(", ").join(map(_name, facts.central[c])),
        )  # fmt: skip

    return map(row, np.argsort(-sums.size, kind="stable"))


def _border_rows(facts, names):
    """A row for every node between two clusters; `names` are those of ``facts.nodes.border``."""
    nodes, stability = facts.nodes, facts.node_stability
    steady = [_NOTHING] * len(names) if stability is None else [f"{stability[x]:.2f}" for x in nodes.border]
    return [
        (_name(called), own, f"{100 * first:.0f} %", other, f"{100 * second:.0f} %", doubtful)
        for called, own, other, (first, second), doubtful in zip(
            names, nodes.border_labels, nodes.second, nodes.border_shares, steady, strict=True
        )
    ]


def _class_rows(facts):
    """A row for every known class, the largest first: where its nodes are."""
    found = facts.comparison
    counts = found.counts

    def row(i):
        places = slice(counts.indptr[i], counts.indptr[i + 1])
        clusters, nodes = counts.indices[places], counts.data[places]
        if len(clusters) == 0:
            return _name(found.names[i]), f"{found.sizes[i]:,}", *[_NOTHING] * 4
        best = np.lexsort((clusters, -nodes))[0]
        most, c = nodes[best], clusters[best]
        return (
            _name(found.names[i]), f"{found.sizes[i]:,}", c, f"{100 * most / found.sizes[i]:.0f} %",
            f"{100 * most / facts.sums.size[c]:.0f} %", f"{len(clusters):,}",
        )  # fmt: skip

    return map(row, np.argsort(-found.sizes, kind="stable")[:_MOST_CLASSES])


def _classes_shown(n_classes):
    return f"The {_MOST_CLASSES} largest of {n_classes:,} classes" if n_classes > _MOST_CLASSES else "All classes"
