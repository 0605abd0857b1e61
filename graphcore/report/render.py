"""The page itself: one HTML file that needs nothing else, whose template escapes every string from outside."""

import base64
import hashlib
from dataclasses import asdict
from functools import cache
from importlib.resources import files

import numpy as np
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from ..cluster.pipeline.cluster import UNSURE
from ..metrics.clusters import nearest_clusters
from ..metrics.robustness import DISSOLVED, ROBUST
from ..plot._style import NEEDED
from .nodes import pack, shortened

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


def render(facts, about, pictures, beside):
    """Return the page as text.

    `pictures` is None where there should be some and matplotlib is missing; `beside` names the file that has all nodes,
    None if the page has.
    """
    data, has_shares = pack(facts)
    script, border, found = _asset("page.js"), _border_rows(facts), facts.comparison
    titles = {
        "quality": "How good, and how sure", "find": "Find a node", "pictures": pictures and "Pictures",
        "levels": facts.levels and "Levels", "clusters": "Clusters", "border": border and "Between two clusters",
        "truth": found is not None and "Beside known classes", "origin": "To repeat it",
    }  # fmt: skip
    filled, run, robust = facts.filled, facts.clustering, facts.robustness
    again = None if robust is None else robust.clusters[filled]
    return _template().render(
        about=about, titles={id: title for id, title in titles.items() if title}, style=_asset("page.css"),
        # Nothing is fetched, and no other script runs, whatever a node may be called.
        script=script, script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(), data=data,
        facts=facts, graph=facts.graph, nodes=facts.nodes, run=run, robust=robust, n_filled=len(filled),
        sizes=facts.sums.size[filled], conductance=facts.sums.conductance[filled], n_placed=int(facts.sums.size.sum()),
        relative_cut=facts.normalized_cut / max(facts.chance_cut, 1e-300), clear=_CLEAR, vague=_VAGUE, unsure=UNSURE,
        is_same=run and run.cluster_stability is not None and run.cluster_stability[filled] >= _SAME,
        n_robust=0 if robust is None else np.count_nonzero(again >= ROBUST), come_again=ROBUST,
        n_dissolved=0 if robust is None else np.count_nonzero(again <= DISSOLVED), dissolved=DISSOLVED,
        beside=beside, has_shares=has_shares, columns=pictures and _columns(pictures), pictures_need=NEEDED,
        is_steady=facts.node_stability is not None, clusters=_cluster_rows(facts), border=border,
        levels=facts.levels and _level_rows(facts), parts=facts.levels and _part_rows(facts),
        scores=found and found.scores, classes=found and _class_rows(facts),
        classes_shown=found and _classes_shown(len(found.names)), origin=_origin(facts, about),
    )  # fmt: skip


@cache
def _template():
    environment = Environment(
        autoescape=True, finalize=_shown, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters |= {
        "count_of": lambda number, noun: f"{number:,} {noun}{'' if number == 1 else 's'}", "thousands": "{:,}".format,
        "fixed": lambda number, digits: f"{number:.{digits}f}",
        "percent": lambda share, digits=0: f"{100 * share:.{digits}f}\xa0%",  # no break before the sign
        "of_them": lambda which: f"{'all' if which.all() and len(which) > 1 else f'{which.sum():,}'} of them",
    }  # fmt: skip
    environment.globals |= {"Markup": Markup, "median": np.median}
    return environment.from_string(_asset("page.html"))


def _shown(value):
    """What the template prints of a value, before it is escaped."""
    return value if isinstance(value, Markup) else str(value).translate(_CONTROL)


def _asset(name):
    return Markup(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _origin(facts, about):
    """Pairs of name and value of what is needed to make the page again."""
    rows = [("graphcore", facts.version), ("written", about.created.strftime("%Y-%m-%d %H:%M %Z").strip())]
    if about.seconds:
        rows.append(("seconds", ", ".join(f"{name} {value:.2f}" for name, value in about.seconds.items())))
    settings = {} if facts.clustering is None else asdict(facts.clustering.settings)
    return rows + [(name.replace("_", " "), "none" if value is None else value) for name, value in settings.items()]


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
            *([] if facts.inside is None else [_or_nothing(facts.inside[c])]), _or_nothing(neighbours[c]),
            *([] if facts.described is None else [Markup("<bdi>{}</bdi>").format(_shown(facts.described[c]))]),
            Markup(", ").join(map(_name, facts.central[c])),
        )  # fmt: skip

    return map(row, np.argsort(-sums.size, kind="stable"))


def _or_nothing(cluster):
    return cluster if cluster >= 0 else _NOTHING


def _level_rows(facts):
    """A row for every level, the coarsest first: how many clusters, how large, how good."""
    for number, level in enumerate([*facts.levels, facts], 1):
        sizes = level.sums.size[level.sums.size > 0]
        counts = len(sizes), sizes.min(), round(np.median(sizes)), sizes.max()
        yield (
            number, *(f"{count:,}" for count in counts), f"{level.normalized_cut:.4f}", f"{level.chance_cut:.4f}",
            f"{100 * level.coverage:.1f} %", f"{level.modularity:.3f}",
        )  # fmt: skip


def _part_rows(facts):
    """A row for every cluster of the coarser levels, the coarsest level and the largest clusters first."""
    below = [*(level.inside for level in facts.levels[1:]), facts.inside]
    for number, (level, inner) in enumerate(zip(facts.levels, below, strict=True), 1):
        sums, n_parts = level.sums, np.bincount(inner[inner >= 0], minlength=len(level.inside))
        whole = max(float(sums.volume.sum()), 1e-300)
        for c in np.argsort(-sums.size, kind="stable")[: np.count_nonzero(sums.size)]:
            yield (
                number, c, f"{sums.size[c]:,}", f"{100 * sums.volume[c] / whole:.2f} %", f"{sums.conductance[c]:.4f}",
                _or_nothing(level.inside[c]), f"{n_parts[c]:,}", Markup(", ").join(map(_name, level.central[c])),
            )  # fmt: skip


def _border_rows(facts):
    """A row for every node between two clusters."""
    nodes, stability = facts.nodes, facts.node_stability
    names = [str(name) for name in facts.graph.names_of(nodes.border).tolist()]
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
