"""The page itself: one HTML file that needs nothing else, with every string from outside escaped."""

import base64
import hashlib
import html
import os
from dataclasses import asdict
from importlib.resources import files

import numpy as np

from ..pipeline.cluster import UNSURE
from ..plot._style import NEEDED

__all__ = ["render"]

_LONGEST_NAME = 80
# What HTML does not allow even when escaped.
_CONTROL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127, *range(0xD800, 0xE000)), "\ufffd")
_NOTHING = "\u2013"


def render(facts, about, pictures):
    """Return the page as text; `pictures` is None where there should be some and matplotlib is missing."""
    style, script = _asset("page.css"), _asset("page.js")
    # Nothing is fetched, and no other script runs, whatever a node may be called.
    allowed = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{allowed}'; img-src data:"
    lines = [
        "<!DOCTYPE html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{_text(about.title)}</title>", f"<style>{style}</style>", "</head>",
        "<body>", *_head(facts, about), *_quality(facts, about), *_gallery(pictures), *_clusters(facts),
        *_origin(facts, about), f"<script>{script}</script>", "</body>", "</html>", "",
    ]  # fmt: skip
    return "\n".join(lines)


def _head(facts, about):
    kind = "weighted" if facts.is_weighted else "unweighted"
    components = _count(facts.n_components, "connected component")
    parts = [_count(facts.n_nodes, "node"), _count(facts.n_edges, "edge"), kind, components]
    if facts.n_isolated:
        parts.append(f"{facts.n_isolated:,} isolated")
    if facts.n_self_loops:
        parts.append(_count(facts.n_self_loops, "self-loop"))
    source = f"<bdi>{_text(about.source)}</bdi>: " if about.source else ""
    return [
        "<header>",
        f"<h1>{_text(about.title)}</h1>",
        f'<p class="soft">{source}{", ".join(parts)}</p>',
        "</header>",
    ]


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
    run = facts.clustering
    if facts.stability is not None:
        cards.append(("Stability", f"{facts.stability:.2f}", f"mean over nodes; {run.settings.n_coresets} coresets"))
    lines = ["<section>", "<h2>How good, and how sure</h2>", '<dl class="cards">']
    lines += [
        f'<div><dt>{name}</dt><dd><div class="figure">{value}</div><div class="note">{note}</div></dd></div>'
        for name, value, note in cards
    ]
    lines.append("</dl>")
    lines += [f"<p>{_text(sentence)}</p>".replace(" %", "&nbsp;%") for sentence in _sentences(facts)]
    if about.warnings:
        lines += ['<ul class="warnings">', *(f"<li>{_text(warning)}</li>" for warning in about.warnings), "</ul>"]
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
            f"{unsure:,} of {len(each):,} clusters have a stability below {UNSURE}: another draw would cut them "
            "differently."
            if unsure
            else f"No cluster has a stability below {UNSURE}."
        )
        out.append(
            f"The clustering was repeated from {run.settings.n_coresets} independent coresets. All of them agree with "
            f"the labels of {100 * (nodes == 1).mean():.1f} % of the nodes. {doubt}"
        )
    elif run is not None:
        out.append("A single coreset was drawn, so nothing is known about how much the clusters depend on the draw.")
    else:
        out.append("Only the labels are known, not how they were made: nothing can be said about their stability.")
    if run is not None and run.n_unreached and not run.settings.refine:
        nodes = _count(run.n_unreached, "node")
        out.append(f"{nodes} lie in one cluster for want of evidence: no coreset node reaches them.")
    return out


def _gallery(pictures):
    if pictures is None:
        return [f'<p class="soft">{_text(NEEDED)}</p>']
    if not pictures:
        return []
    figures = (
        f'<figure><h3>{_text(picture.title)}</h3><div class="drawing">{picture.svg}</div>'
        f"<figcaption>{_text(picture.caption)}</figcaption></figure>"
        for picture in pictures
    )
    return ["<section>", "<h2>Pictures</h2>", '<div class="pictures">', *figures, "</div>", "</section>"]


def _clusters(facts):
    run = facts.clustering
    stability = None if run is None else run.cluster_stability
    sums, neighbours = facts.sums, _nearest(facts.quotient)
    order = np.argsort(-sums.size, kind="stable")
    whole = max(float(sums.volume.sum()), 1e-300)
    lines = [
        "<section>",
        "<h2>Clusters</h2>",
        '<p class="soft">Volume: share of the edge ends in clusters. Conductance: share of the volume that leaves the '
        "cluster. Stability: agreement of the coresets with the cluster, 1 is perfect. Nearest: the cluster with the "
        "heaviest edges to it. Central nodes have the most edge weight inside their cluster.</p>",
        '<div class="tools" hidden><input type="search" placeholder="cluster or node" aria-label="Search">'
        '<button type="button">back</button><button type="button">on</button><output></output></div>',
        '<table class="clusters"><thead><tr><th>cluster</th><th>nodes</th><th>volume</th><th>conductance</th>'
        "<th>stability</th><th>nearest</th><th>most central nodes</th></tr></thead>",
        "<tbody>",
    ]
    for c in order:
        if sums.size[c] == 0:
            conductance = _NOTHING
        else:
            value = sums.conductance[c]
            conductance = f'{value:.4f}<i style="width:{100 * value:.0f}%"></i>'
        steady = _NOTHING if stability is None or sums.size[c] == 0 else f"{stability[c]:.2f}"
        nearest = _NOTHING if neighbours[c] < 0 else neighbours[c]
        names = ", ".join(f"<bdi>{_text(_shortened(name))}</bdi>" for name in facts.central[c])
        lines.append(
            f"<tr><td>{c}</td><td>{sums.size[c]:,}</td><td>{100 * sums.volume[c] / whole:.2f} %</td>"
            f"<td>{conductance}</td><td>{steady}</td><td>{nearest}</td><td>{names}</td></tr>"
        )
    return [*lines, "</tbody></table>", "</section>"]


def _origin(facts, about):
    lines = ["<section>", "<h2>To repeat it</h2>"]
    if about.command:
        lines.append(f"<pre><code>{_text(about.command)}</code></pre>")
    if about.note:
        lines.append(f"<p>{_text(about.note)}</p>")
    rows = [("graphcore", facts.version), ("written", about.created.strftime("%Y-%m-%d %H:%M %Z").strip())]
    if about.seconds:
        rows.append(("seconds", ", ".join(f"{name} {value:.2f}" for name, value in about.seconds.items())))
    if facts.clustering is not None:
        settings = asdict(facts.clustering.settings)
        rows += [(name, "none" if value is None else str(value)) for name, value in settings.items()]
    lines.append('<table class="facts"><tbody>')
    lines += [f"<tr><th>{_text(name.replace('_', ' '))}</th><td>{_text(value)}</td></tr>" for name, value in rows]
    return [*lines, "</tbody></table>", "</section>"]


def _nearest(quotient):
    """For each cluster the one with the heaviest edges to it; -1 if there is none."""
    out = np.full(quotient.shape[0], -1)
    rows = np.repeat(np.arange(quotient.shape[0]), np.diff(quotient.indptr))
    other = rows != quotient.indices
    rows, columns, values = rows[other], quotient.indices[other], quotient.data[other]
    order = np.lexsort((columns, -values, rows))
    first = np.unique(rows[order], return_index=True)
    out[first[0]] = columns[order][first[1]]
    return out


def _left_out(facts):
    parts = []
    if facts.n_isolated:
        parts.append(f"{facts.n_isolated:,} isolated")
    if facts.n_unlabelled:
        parts.append(f"{facts.n_unlabelled:,} without a label")
    return f"left out: {', '.join(parts)}" if parts else "all of them"


def _range(sizes):
    low, middle, high = sizes.min(), np.median(sizes), sizes.max()
    return f"of {_count(low, 'node')}" if low == high else f"{low:,} to {high:,} nodes, median {middle:,.0f}"


def _count(number, noun):
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _shortened(name):
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _text(value):
    """Any string as text of the page."""
    return html.escape(os.fspath(value).translate(_CONTROL))


def _asset(name):
    return files(__package__).joinpath(name).read_text(encoding="utf-8")
