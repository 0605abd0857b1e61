"""The report of a fitted estimator."""

import inspect
import re
from numbers import Integral

from ..io.atomic import check_writable
from .page import About, write_report


def report_model(
    model, path, graph, clustering, *, of_vectors, title=None, truth=None, pictures="auto", robustness=None
):
    """Write a page about a fitted estimator; see :meth:`graphcore.CoresetSpectralClustering.report`."""
    check_writable(path)  # before memberships are computed
    if title is None:
        title = f"{clustering.settings.n_clusters:,} clusters of a graph"
    about = About(
        title=title, command=_constructor(model), note=_note(model.random_state), seconds=clustering.seconds,
        of_vectors=of_vectors,
    )  # fmt: skip
    return write_report(
        path, graph, clustering.labels, n_clusters=clustering.settings.n_clusters, clustering=clustering, truth=truth,
        membership=getattr(model, "membership_", None), about=about, pictures=pictures, robustness=robustness,
        n_jobs=model.n_jobs,
    )  # fmt: skip


def _constructor(model):
    """Python that makes and fits such a model; parameters left at their defaults are not shown."""
    defaults = {name: repr(each.default) for name, each in inspect.signature(type(model)).parameters.items()}
    values = {name: re.sub(r"^Published\(", "graphcore.Published(", repr(getattr(model, name))) for name in defaults}
    given = ", ".join(f"{name}={value}" for name, value in values.items() if value != defaults[name])
    return f"import graphcore\n\nmodel = graphcore.{type(model).__name__}({given}).fit(X)"


def _note(random_state):
    what = "X is the graph, or the vectors, that were clustered."
    if isinstance(random_state, Integral):
        return what
    return f"{what} random_state was not a number, so another fit draws other coresets: give one to repeat a result."
