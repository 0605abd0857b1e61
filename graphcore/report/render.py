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
# What HTML does not allow even when escaped.
_CONTROL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127, *range(0xD800, 0xE000)), "\ufffd")


def render(facts, about, pictures, beside):
    """Return the page as text.

    `pictures` is None where there should be some and matplotlib is missing; `beside` names the file that has all nodes,
    None if the page has.
    """
    data, has_shares = pack(facts)
    script = _asset("page.js")
    return _template().render(
        facts=facts, about=about, beside=beside, data=data, has_shares=has_shares, style=_asset("page.css"),
        # Nothing is fetched, and no other script runs, whatever a node may be called.
        script=script, script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        columns=pictures and _columns(pictures), nearest=nearest_clusters(facts.quotient),
        classes=facts.comparison and _classes(facts.comparison), origin=_origin(facts, about),
    )  # fmt: skip


@cache
def _template():
    environment = Environment(
        autoescape=True, finalize=_shown, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
        keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters |= {
        "by_size": lambda sizes: np.argsort(-sizes, kind="stable"), "named": _name, "thousands": "{:,}".format,
        "count_of": lambda number, noun, many="s": f"{number:,} {noun}{'' if number == 1 else many}",
        "counts": lambda numbers, n: np.bincount(numbers[numbers >= 0], minlength=n),
        "fixed": lambda number, digits: f"{number:.{digits}f}",
        "percent": lambda share, digits=0: f"{100 * share:.{digits}f}\xa0%",  # no break before the sign
        "of_them": lambda which: f"{'all' if which.all() and len(which) > 1 else f'{which.sum():,}'} of them",
    }  # fmt: skip
    environment.globals |= {
        "Markup": Markup, "median": np.median, "clear": _CLEAR, "vague": _VAGUE, "same": _SAME, "unsure": UNSURE,
        "come_again": ROBUST, "dissolved": DISSOLVED, "most_classes": _MOST_CLASSES, "nothing": "\u2013",
        "pictures_need": NEEDED,
    }  # fmt: skip
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
    value = _shown(shortened(str(value)))
    # ASCII has one direction.
    return value if value.isascii() else Markup("<bdi>{}</bdi>").format(value)


def _classes(found):
    """(Name, nodes, cluster with most of them, how many, clusters with any) of known classes, the largest first."""
    counts = found.counts
    for i in np.argsort(-found.sizes, kind="stable")[:_MOST_CLASSES]:
        row = slice(counts.indptr[i], counts.indptr[i + 1])
        clusters, nodes = counts.indices[row], counts.data[row]
        best = np.argmax(nodes) if len(nodes) else slice(0)
        yield found.names[i], found.sizes[i], clusters[best], nodes[best], len(nodes)
