"""The report as one HTML file that needs nothing else: of labels, and of a fitted model."""

import base64
import gzip
import hashlib
import inspect
import json
import os
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from numbers import Integral
from typing import Any

import numpy as np
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from .. import __version__
from ..base.colors import COLORS
from ..base.types import AnyGraph, ArrayLike, PathLike
from ..cluster.n_clusters import how_chosen
from ..cluster.pipeline import UNSURE
from ..exceptions import ParameterError
from ..files.atomic import check_writable, text_output
from ..metrics.descriptions import nearest_clusters
from ..plot._style import NEEDED, shortened
from .facts import MOST_CLASSES, ReportFacts, gather_facts
from .pictures import MOST_LEAVES, draw_pictures

# Endings of other kinds of reports.
_NO_PAGES = (".pdf", ".png", ".svg", ".jpg", ".docx", ".md", ".json", ".ipynb", ".txt", ".csv", ".tsv", ".gz")

# Shares of the normalised cut by chance: below the first it is far from it, above the second near.
_FAR, _NEAR = 0.5, 0.85
# A stability over seeds from which a cluster is called the same: of twenty nodes, one may be another.
_SAME = 0.95
# Smaller shares are left out of the data of the page's script.
_LEAST_SHARE = 0.05
# Characters that HTML does not allow, even escaped.
_CONTROL = dict.fromkeys((*range(9), 11, 12, *range(14, 32), 127, *range(0xD800, 0xE000)), "\ufffd")


@dataclass(frozen=True)
class About:
    """Where a clustering came from.

    Attributes
    ----------
    title : str
    source : str
        Name of the input, in words or as a file name.
    command : str
        The command or program that repeats the run; empty if it is not known.
    note : str
        Remarks about the command.
    warnings : sequence of str
    seconds : dict of str to float
        Duration of each stage.
    created : datetime
    n_features : int or None
        Number of columns of the vectors that were clustered by the graph of their nearest neighbours; None if a graph
        was clustered.
    is_clear : bool or None
        Whether the number of clusters that was chosen stands out; None if it was given.
    """

    title: str
    source: str = ""
    command: str = ""
    note: str = ""
    warnings: tuple = ()
    seconds: dict = field(default_factory=dict)
    created: datetime = field(default_factory=lambda: datetime.now().astimezone())
    n_features: int | None = None
    is_clear: bool | None = None


def check_page(path):
    """Check that a page can be written to `path`, before the work that it is about; its name may not say otherwise."""
    check_writable(path)
    stem, ending = os.path.splitext(os.fspath(path))
    if ending.lower() in _NO_PAGES:
        raise ParameterError(f"{path}: a report is an HTML page; call it {stem}.html")


def write_report(
    path: PathLike, graph: AnyGraph, labels: ArrayLike, *, about: About | None = None, pictures: bool = True,
    n_jobs: int | None = None, **measured: Any,
) -> ReportFacts:  # fmt: skip
    """Write a clustering as one HTML page that needs no other file and no network.

    Parameters
    ----------
    path : str or path-like
        Output file, written whole or not at all; "-" is standard output. Of a graph of more than 100,000 nodes the
        page lists the most central ones.
    graph, labels
        See :func:`gather_facts`.
    about : About, optional
        Title, source, command, warnings and times.
    pictures : bool, default True
        Whether to draw pictures, which needs matplotlib; where that is missing the page says so.
    n_jobs : int, optional
    **measured
        Further arguments of :func:`gather_facts`: `n_clusters`, `clustering`, `membership` and `truth`.

    Returns
    -------
    ReportFacts

    Raises
    ------
    OSError
        If the file cannot be written, before any work.
    InputError
        If the labels do not fit the graph, or no node with an edge has a cluster.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphcore
    >>> from graphcore.report import write_report
    >>> karate = graphcore.datasets.load_karate()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "karate.html")
    ...     facts = write_report(path, karate.graph, karate.labels, pictures=False)
    ...     os.path.getsize(path) > 5000
    True
    >>> round(facts.normalized_cut, 2)
    0.14
    """
    check_page(path)
    facts = gather_facts(graph, labels, n_jobs=n_jobs, **measured)
    drawn = None if pictures else []
    if pictures and find_spec("matplotlib") is not None:
        drawn = draw_pictures(facts)
    text = _render(facts, about or About("Clusters of a graph"), drawn)
    with text_output(path) as stream:
        stream.write(text)
    return facts


# -- the text of the page ----------------------------------------------------------------------------------------------


def _render(facts, about, pictures):
    """Return the page as text; `pictures` is None where there should be some and matplotlib is missing."""
    script = _asset("page.js")
    return _template().render(
        facts=facts, about=about, data=_pack(facts), style=_asset("page.css"),
        # Nothing is fetched, and no other script runs, whatever a node may be called.
        script=script, script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        pictures=pictures, nearest=nearest_clusters(facts.quotient),
        origin=_origin(facts, about),
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
        "Markup": Markup, "median": np.median, "far": _FAR, "near": _NEAR, "same": _SAME, "unsure": UNSURE,
        "colors": COLORS, "most_classes": MOST_CLASSES, "most_leaves": MOST_LEAVES, "nothing": "\u2013",
        "pictures_need": NEEDED,
    }  # fmt: skip
    return environment.from_string(_asset("page.html"))


def _shown(value):
    """Return the text of a value for the template, before it is escaped."""
    return value if isinstance(value, Markup) else str(value).translate(_CONTROL)


def _asset(name):
    return Markup(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def _origin(facts, about):
    """List the names and values that are needed to repeat the page."""
    rows = [("graphcore", __version__), ("written", about.created.strftime("%Y-%m-%d %H:%M %Z").strip())]
    if about.seconds:
        rows.append(("seconds", ", ".join(f"{name} {value:.2f}" for name, value in about.seconds.items())))
    run = facts.clustering
    if run is not None and run.history:
        rows.append(("objective after", ", ".join(f"{stage} {value:.5g}" for stage, value in run.history)))
    settings = {} if run is None else asdict(run.settings)
    return rows + [(name.replace("_", " "), "none" if value is None else value) for name, value in settings.items()]


def _name(value):
    """Show the name of a node: cut if it is long, and kept from turning its surroundings around."""
    value = _shown(shortened(str(value)))
    # ASCII has one direction.
    return value if value.isascii() else Markup("<bdi>{}</bdi>").format(value)


def _pack(facts):
    """Return data of the page's script: base64 of compressed JSON, text that HTML leaves alone.

    Node names come in alphabetical order, which packs best; without names and with all nodes listed there are none.
    """
    nodes, stability = facts.nodes, facts.node_stability
    names, order = None, np.arange(len(nodes.listed))
    if not nodes.is_whole or facts.graph.node_names is not None:
        names = [shortened(str(name)) for name in facts.graph.names_of(nodes.listed).tolist()]
        order = np.array(sorted(range(len(names)), key=names.__getitem__))
        names = [names[i] for i in order]
    told = (nodes.shares[order] >= _LEAST_SHARE).T
    shares = np.where(told, np.rint(100 * nodes.shares[order].T), 0).astype(int)
    if stability is not None:  # in whole numbers; -1 where nothing is known
        stability = np.rint(100 * np.nan_to_num(stability[nodes.listed[order]], nan=-0.01)).astype(int).tolist()
    found = {
        "names": names, "labels": nodes.labels[order].tolist(), "shares": shares.tolist(), "stability": stability,
        "near": np.where(told, nodes.near[order].T, -1).tolist(),
    }  # fmt: skip
    text = json.dumps(found, separators=(",", ":"))
    return base64.b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii")


# -- fitted models -----------------------------------------------------------------------------------------------------


def report_model(model, path, graph, clustering, *, title=None, **measured):
    """Write a page about a fitted estimator; see :meth:`graphcore.CoresetSpectralClustering.report`."""
    check_page(path)  # before memberships are computed
    n_features = model.n_features_in_ if model.affinity_ == "nearest_neighbors" else None
    noun, note = "a graph", "X is the graph that was clustered."
    if n_features is not None:
        noun, note = "vectors", "X holds the vectors that were clustered."
    ids = None if model.affinity_ == "precomputed" else model.graph_.node_names
    started = True if clustering.cells is None else None  # a draft has cells
    beside = {"sample_weight": clustering.weights, "labels": clustering.fixed, "initial_labels": started, "ids": ids}
    given = [name for name, values in beside.items() if values is not None]
    if given:
        note += f" The program also needs {', '.join(given)}{' (the names of the rows)' * ('ids' in given)}."
    if not isinstance(model.random_state, Integral):
        note += " random_state was not an integer, so another fit gives other labels; pass one to repeat a result."
    if (chosen := getattr(model, "selection_", None)) is not None:
        note += f" The number of clusters was {how_chosen(chosen.method, chosen.clear)}."
    about = About(
        title=title or f"{clustering.settings.n_clusters:,} clusters of {noun}", command=_program(model, given),
        note=note, seconds=clustering.seconds, n_features=n_features, is_clear=chosen and chosen.clear,
    )  # fmt: skip
    return write_report(
        path, graph, clustering.labels, clustering=clustering, membership=getattr(model, "membership_", None),
        about=about, n_jobs=model.n_jobs, **measured,
    )  # fmt: skip


def _program(model, given):
    """Write Python that makes and fits such a model, without parameters at their defaults; `given` are arguments."""
    defaults = {name: repr(each.default) for name, each in inspect.signature(type(model)).parameters.items()}
    values = {name: repr(getattr(model, name)) for name in defaults}
    changed = ", ".join(f"{name}={value}" for name, value in values.items() if value != defaults[name])
    arguments = ", ".join(["X", *(f"{name}={name}" for name in given)])
    return f"import graphcore\n\nmodel = graphcore.{type(model).__name__}({changed}).fit({arguments})"
