"""The tables of the page: clusters, border nodes, known classes."""

import numpy as np

from ..metrics.clusters import nearest_clusters
from .text import NOTHING, count, name, text

_MOST_CLASSES = 200


def _table(kind, caption, heads, rows):
    """Lines of a table whose rows begin with a head; headings and cells are HTML.

    HTML closes cells and rows by itself: of thousands of rows the tags would be a tenth of the page.
    """
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    lines = [
        f'<div class="scroll"><table class="{kind}"><caption>{caption}</caption>',
        f"<thead><tr>{head}</tr></thead>",
        "<tbody>",
    ]
    lines += [f"<tr><th scope=row>{first}{''.join(f'<td>{cell}' for cell in cells)}" for first, *cells in rows]
    return [*lines, "</tbody></table></div>"]


def clusters_section(facts):
    """A row for every cluster, the largest first."""
    sums = facts.sums
    run = facts.clustering
    stability = None if run is None else run.cluster_stability
    robustness = [] if facts.robustness is None else [facts.robustness.clusters]
    neighbours = nearest_clusters(facts.quotient)
    whole = max(float(sums.volume.sum()), 1e-300)

    def row(c):
        filled = sums.size[c] > 0
        value = sums.conductance[c]
        return (
            c, f"{sums.size[c]:,}", f"{100 * sums.volume[c] / whole:.2f} %",
            f"{value:.4f}" if filled else NOTHING,
            *(f"{each[c]:.2f}" if filled and each is not None else NOTHING for each in (stability, *robustness)),
            neighbours[c] if neighbours[c] >= 0 else NOTHING, ", ".join(map(name, facts.central[c])),
        )  # fmt: skip

    order = np.argsort(-sums.size, kind="stable")
    seeds, edges = "stability over seeds", ["robustness"] * len(robustness)
    heads = ("cluster", "nodes", "volume", "conductance", seeds, *edges, "nearest", "most central nodes")
    drawn_anew = "Robustness: the same for edges drawn anew, 0.75 and more is much. " if robustness else ""
    return [
        '<section aria-labelledby="clusters">',
        '<h2 id="clusters">Clusters</h2>',
        '<p class="soft">Volume: share of the edge ends in clusters. Conductance: share of the volume that leaves the '
        "cluster. Stability over seeds: agreement of drafts from the same edges with the cluster, 1 is perfect. "
        f"{drawn_anew}Nearest: the cluster with the heaviest edges to it. Central nodes have the most edge weight "
        "inside their cluster.</p>",
        '<div class="tools" hidden data-script><label>Cluster '
        '<input type="search" placeholder="number, or a central node"></label>'
        '<button type="button">previous</button><button type="button">next</button>'
        "<output></output></div>",
        *_table("clusters", "All clusters", heads, map(row, order)),
        "</section>",
    ]


def border_section(facts, names):
    """Nodes between two clusters; `names` are those of ``facts.nodes.border``."""
    nodes = facts.nodes
    if len(nodes.border) == 0:
        return []
    stability = facts.node_stability
    steady = [NOTHING] * len(names) if stability is None else [f"{stability[x]:.2f}" for x in nodes.border]
    what, both = ("membership", "membership times edges") if nodes.is_soft else ("share of edges", "edge weight")
    doubt = "by stability, the lowest first, then " if stability is not None else ""
    rows = (
        (name(called), own, f"{100 * first:.0f} %", other, f"{100 * second:.0f} %", doubtful)
        for called, own, other, (first, second), doubtful in zip(
            names, nodes.border_labels, nodes.second, nodes.border_shares, steady, strict=True
        )
    )
    heads = ("node", "cluster", f"{what} in it", "second cluster", f"{what} in that", "stability over seeds")
    return [
        '<section aria-labelledby="border">',
        '<h2 id="border">Between two clusters</h2>',
        f'<p class="soft">Nodes with at least half as much in a second cluster as in their own, sorted '
        f"{doubt}by {both} in both.</p>",
        *_table("border", f"{count(len(names), 'node')} between clusters", heads, rows),
        "</section>",
    ]


def comparison_section(facts):
    """Known classes beside the clusters."""
    found = facts.comparison
    if found is None:
        return []
    counts, sizes = found.counts, facts.sums.size
    order = np.argsort(-found.sizes, kind="stable")

    def row(i):
        places = slice(counts.indptr[i], counts.indptr[i + 1])
        clusters, nodes = counts.indices[places], counts.data[places]
        if len(clusters) == 0:
            return name(found.names[i]), f"{found.sizes[i]:,}", *[NOTHING] * 4
        best = np.lexsort((clusters, -nodes))[0]
        most, c = nodes[best], clusters[best]
        return (
            name(found.names[i]), f"{found.sizes[i]:,}", c, f"{100 * most / found.sizes[i]:.0f} %",
            f"{100 * most / sizes[c]:.0f} %", f"{len(clusters):,}",
        )  # fmt: skip

    scores = found.scores
    shown = f"The {_MOST_CLASSES} largest of {len(order):,} classes" if len(order) > _MOST_CLASSES else "All classes"
    heads = ("class", "nodes", "main cluster", "of the class in it", "of the cluster from it", "clusters with any")
    return [
        '<section aria-labelledby="truth">',
        '<h2 id="truth">Beside known classes</h2>',
        f"<p>Adjusted Rand index <strong>{scores['ari']:.4f}</strong> (1 for the same division, about 0 for unrelated "
        f"ones), normalised mutual information <strong>{scores['nmi']:.4f}</strong>, over "
        f"{text(count(scores['n_compared'], 'node'))} of known class.</p>",
        *_table("truth", f"{shown}, the largest first", heads, map(row, order[:_MOST_CLASSES])),
        "</section>",
    ]
