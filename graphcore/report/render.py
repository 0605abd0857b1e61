"""The page itself: one HTML file that needs nothing else, with every string from outside escaped."""

import base64
import hashlib
import re
from dataclasses import asdict
from importlib.resources import files

import numpy as np

from ..metrics.robustness import DISSOLVED, ROBUST
from ..pipeline.cluster import UNSURE
from ..plot._style import NEEDED
from .tables import border_section, clusters_section, comparison_section
from .text import count, text

# Of a normalised cut by chance: below the first there are clear clusters, above the second there are hardly any.
_CLEAR, _VAGUE = 0.5, 0.85
# A stability over seeds from which a cluster is called the same: of twenty nodes, one may be another.
_SAME = 0.95
# In inches, as the heights of pictures are.
_CAPTION_HEIGHT = 1.3
# What is of no use without the page's script.
_SCRIPTED = " hidden data-script"


def render(facts, about, pictures, data, *, has_shares, has_levels, border_names, beside):
    """Return the page as text.

    `pictures` is None where there should be some and matplotlib is missing; `data` is what the script looks up
    (:func:`graphcore.report.data.pack`), with or without shares and levels; `beside` names the file that has all nodes,
    None if the page has.
    """
    style, script = _asset("page.css"), _asset("page.js")
    # Nothing is fetched, and no other script runs, whatever a node may be called.
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'; img-src data:"
    body = [
        *_quality(facts, about), *_finder(facts, has_shares, beside), *_gallery(pictures), *clusters_section(facts),
        *border_section(facts, border_names), *(_levels(facts) if has_levels else []), *comparison_section(facts),
        *_origin(facts, about),
    ]  # fmt: skip
    lines = [
        "<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{text(about.title)}</title>", f"<style>{style}</style>", "</head>",
        "<body>", *_head(facts, about), *_contents(body), "<main>", *body, "</main>",
        f'<script type="text/plain" id="data">{data}</script>', f"<script>{script}</script>", "</body>", "</html>", "",
    ]  # fmt: skip
    return "\n".join(lines)


def _head(facts, about):
    kind = "weighted" if facts.is_weighted else "unweighted"
    components = count(facts.n_components, "connected component")
    parts = [count(facts.n_nodes, "node"), count(facts.n_edges, "edge"), kind, components]
    if facts.n_isolated:
        parts.append(f"{facts.n_isolated:,} isolated")
    if facts.n_self_loops:
        parts.append(count(facts.n_self_loops, "self-loop"))
    source = f"<bdi>{text(about.source)}</bdi>: " if about.source else ""
    return [
        "<header>",
        f"<h1>{text(about.title)}</h1>",
        f'<p class="soft">{source}{", ".join(parts)}</p>',
        f'<p class="verdict">{_spaced(_verdict(facts))}</p>',
        "</header>",
    ]


def _contents(lines):
    """Links to the headings of the page; those that need its script are hidden until it runs."""
    out, hidden = [], ""
    for line in lines:
        if line.startswith("<section"):
            hidden = _SCRIPTED if _SCRIPTED in line else ""
        elif line.startswith("<h2"):
            out.append(re.sub(r'<h2 id="(\w+)">(.*)</h2>', rf'<li{hidden}><a href="#\1">\2</a></li>', line))
    return ['<nav aria-label="Contents"><ul>', *out, "</ul></nav>"]


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


def _spaced(sentence):
    """A sentence as text that does not break before a percent sign."""
    return text(sentence).replace(" %", "&nbsp;%")


def _quality(facts, about):
    filled, sizes = len(facts.filled), facts.sums.size[facts.filled]
    empty = facts.n_clusters - filled
    cards = [
        ("Clusters", f"{filled:,}", _range(sizes) + (f"; {empty:,} more are empty" if empty else "")),
        ("Nodes in clusters", f"{int(sizes.sum()):,}", _left_out(facts)),
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
        cards.append(
            (
                "Robustness",
                f"{ari.mean():.2f}",
                f"adjusted Rand index, {ari.min():.2f} to {ari.max():.2f}, for {len(ari)} times edges drawn anew",
            )
        )
    lines = [
        '<section aria-labelledby="quality">',
        '<h2 id="quality">How good, and how sure</h2>',
        '<dl class="cards">',
    ]
    lines += [
        f'<div><dt>{name}</dt><dd><div class="figure">{value}</div><div class="note">{note}</div></dd></div>'
        for name, value, note in cards
    ]
    lines.append("</dl>")
    lines += [f"<p>{_spaced(sentence)}</p>" for sentence in _sentences(facts)]
    if about.warnings:
        lines += ['<ul class="warnings">', *(f"<li>{text(warning)}</li>" for warning in about.warnings), "</ul>"]
    return [*lines, "</section>"]


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


def _finder(facts, has_shares, beside):
    """The place to look up a node; it shows up once the page's script runs."""
    nodes, n_placed = facts.nodes, int(facts.sums.size.sum())
    what = "All nodes are listed here."
    if not nodes.is_whole:
        where = f" <bdi>{text(beside)}</bdi>, beside this page, has the cluster of each." if beside else ""
        what = f"The {len(nodes.listed):,} most central of {n_placed:,} nodes are listed here.{where}"
    share = "memberships" if nodes.is_soft else "shares of a node's edge weight"
    share = f"Percentages are {share}." if has_shares else ""
    return [
        f'<section class="finder" aria-labelledby="find"{_SCRIPTED}>',
        '<h2 id="find">Find a node</h2>',
        '<div class="tools"><label>Node <input type="search" placeholder="name, or the beginning of it"></label></div>',
        '<ul aria-live="polite"></ul>',
        f'<p class="soft">{what} {share}</p>',
        "</section>",
    ]


def _levels(facts):
    """The place to look at other numbers of clusters; it shows up once the page's script runs."""
    run = facts.clustering
    tree = (
        "The merge tree is that of the fit, as <code>labels_at</code> gives it."
        if run is not None
        else "The clusters above are united step by step."
    )
    return [
        f'<section class="levels" aria-labelledby="levels"{_SCRIPTED}>',
        '<h2 id="levels">Other numbers of clusters</h2>',
        f'<p class="soft">{tree} Numbers are not those above: here a cluster keeps its number at every '
        "setting, and where it is split the larger part does. "
        "Central nodes of a union are those of its parts.</p>",
        '<div class="tools"><label>Clusters <input type="range" min="2"></label><output></output></div>',
        '<div class="scroll"><table><caption>Clusters at this number, the largest first</caption><thead><tr>'
        '<th scope="col">cluster</th><th scope="col">nodes</th><th scope="col">volume</th>'
        '<th scope="col">conductance</th><th scope="col">most central nodes</th></tr></thead><tbody></tbody></table>'
        "</div>",
        "</section>",
    ]


def _gallery(pictures):
    if pictures is None:
        return [f'<p class="soft">{text(NEEDED)}</p>']
    if not pictures:
        return []
    columns = [
        f"<div>{''.join(_figure(picture) for picture in column)}</div>" for column in _columns(pictures) if column
    ]
    return [
        '<section aria-labelledby="pictures">',
        '<h2 id="pictures">Pictures</h2>',
        f'<p class="soft"{_SCRIPTED}>Point at a cluster to see it in all pictures; click on it to find it in the '
        "table. With a keyboard, press a cluster's number in the table.</p>",
        '<div class="pictures">',
        *columns,
        "</div>",
        "</section>",
    ]


def _columns(pictures):
    """Pictures in two columns of about the same height, the first picture in the first."""
    columns, heights = ([], []), [0.0, 0.0]
    for picture in sorted(pictures, key=lambda picture: -picture.height):
        lower = int(heights[1] < heights[0])
        columns[lower].append(picture)
        heights[lower] += picture.height + _CAPTION_HEIGHT
    columns = [sorted(column, key=pictures.index) for column in columns]
    return columns if pictures[0] in columns[0] else columns[::-1]


def _figure(picture):
    return (
        f'<figure><h3>{text(picture.title)}</h3><div class="drawing">{picture.svg}</div>'
        f'<figcaption id="about-{picture.name}">{text(picture.caption)}</figcaption></figure>'
    )


def _origin(facts, about):
    lines = ['<section aria-labelledby="origin">', '<h2 id="origin">To repeat it</h2>']
    if about.command:
        lines.append(f"<pre><code>{text(about.command)}</code></pre>")
    if about.note:
        lines.append(f"<p>{text(about.note)}</p>")
    rows = [("graphcore", facts.version), ("written", about.created.strftime("%Y-%m-%d %H:%M %Z").strip())]
    if about.seconds:
        rows.append(("seconds", ", ".join(f"{name} {value:.2f}" for name, value in about.seconds.items())))
    if facts.clustering is not None:
        settings = asdict(facts.clustering.settings)
        rows += [(name, "none" if value is None else str(value)) for name, value in settings.items()]
    lines.append('<table class="facts"><tbody>')
    lines += [
        f"<tr><th scope=row>{text(name.replace('_', ' '))}</th><td>{text(value)}</td></tr>" for name, value in rows
    ]
    return [*lines, "</tbody></table>", "</section>"]


def _left_out(facts):
    parts = []
    if facts.n_isolated:
        parts.append(f"{facts.n_isolated:,} isolated")
    if facts.n_unlabelled:
        parts.append(f"{facts.n_unlabelled:,} without a label")
    return f"left out: {', '.join(parts)}" if parts else "all of them"


def _range(sizes):
    low, middle, high = sizes.min(), np.median(sizes), sizes.max()
    return f"of {count(low, 'node')}" if low == high else f"{low:,} to {high:,} nodes, median {middle:,.0f}"


def _asset(name):
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
