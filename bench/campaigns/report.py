"""Names and labels that are HTML, script or control characters: the page stays one file of known tags."""

import html.parser
import tempfile
import warnings
from pathlib import Path

import numpy as np

import graphcore
from graphcore.report.page import About

from .harness import Campaign, Failure

_PAYLOADS = [
    "<script>alert(1)</script>", "</title><script>", "\"><img src=x onerror=alert(1)>", "' onload='x", "]]>", "<!--",
    "-->", "</style>", "</svg>", "&lt;b&gt;", "&#60;", "\u202eevil", "\u200f", "\x00", "\x1b[31m", "\r\n", "\x85",
    "\u2028", "javascript:alert(1)", "{{7*7}}", "$x^2$", "\\frac", "%s", "{0}", "\ufeff", "\ud83d\ude00", "x" * 5000,
    "<a href='http://evil'>", "url(http://evil)", "@import 'http://evil'", "", " ", "nan", "=1+1", "\ud800",
]  # fmt: skip
_OUTSIDE = ("http:", "https:", "//", "ftp:", "javascript:", "file:")
_LOADING = {"src", "href", "xlink:href", "action", "srcset", "poster", "data", "formaction", "background"}


class _Page(html.parser.HTMLParser):
    """Tags of a page, its handlers of events, and the files that it would load."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.bad = set(), []

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        for name, value in attributes:
            if name.startswith("on") or (name in _LOADING and (value or "").strip().lower().startswith(_OUTSIDE)):
                self.bad.append(f"{tag} {name}={value!r}"[:200])
            if name == "style" and "url(" in (value or "").replace("url(#", ""):
                self.bad.append(f"{tag} {name}={value!r}"[:200])

    handle_startendtag = handle_starttag


def _tags(path):
    page = _Page()
    page.feed(path.read_text(encoding="utf-8"))
    page.close()
    if page.bad:
        raise Failure("the page loads or runs something", "\n".join(page.bad))
    return page.tags


def _name(rng, i):
    name = str(rng.choice(_PAYLOADS))
    if rng.random() < 0.5:
        name += str(rng.choice(_PAYLOADS))
    return f"{name}{i}"


def _graph(rng):
    """Return a small graph: of a few edges, of stars, of cliques, with loops, with isolated nodes, with weights."""
    n = int(rng.integers(2, 30))
    m = int(rng.integers(1, 3 * n))
    ends = rng.integers(0, n, (m, 2))
    if rng.random() < 0.3:
        ends[:, 0] = 0
    weights = None if rng.random() < 0.5 else 10.0 ** rng.integers(-12, 12, m)
    names = None if rng.random() < 0.2 else [_name(rng, i) for i in range(n)]
    return graphcore.Graph.from_edges(*ends.T, weights, n_nodes=n, node_names=names)


def case(given):
    """Write a page about a small graph with hostile names; now and then with pictures."""
    rng, path = given.rng, given.folder / "page.html"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", graphcore.GraphWarning)
            graph = _graph(rng)
            labels = rng.integers(-1, int(rng.integers(1, 8)), graph.n_nodes)
            about = About(*(_name(rng, i) for i in range(4)), warnings=(_name(rng, 4), _name(rng, 5)))
            pictures = "auto" if rng.random() < 0.02 else False
            truth = None if rng.random() < 0.5 else [_name(rng, i % 3) for i in range(graph.n_nodes)]
            graphcore.report.write_report(path, graph, labels, truth=truth, about=about, pictures=pictures)
    except graphcore.InputError as error:
        if "\n" in str(error):
            raise Failure("a message of several lines", str(error)) from error
        if path.exists():
            raise Failure("a page of what was refused") from error
        return "refused"
    known = given.prepared["pictures" if pictures else "plain"]
    if new := _tags(path) - known:
        raise Failure("new tags", str(sorted(new)))
    if [p.name for p in given.folder.iterdir()] != ["page.html"]:
        raise Failure("more than one file")
    return "written"


def prepare():
    """Prepare the tags of pages about harmless names."""
    karate = graphcore.datasets.load_karate().graph
    tags, about = {}, About("karate", "karate", "a command", warnings=("a warning",))
    with tempfile.TemporaryDirectory() as folder:
        for kind, pictures in (("plain", False), ("pictures", "auto")):
            path = Path(folder) / "page.html"
            labels = np.append(np.arange(karate.n_nodes - 1) % 4, -1)
            graphcore.report.write_report(path, karate, labels, truth=karate.degrees, about=about, pictures=pictures)
            tags[kind] = _tags(path)
    return tags


CAMPAIGN = Campaign(
    "a page about a small graph whose names are HTML, script and control characters", case, prepare, short=40
)
