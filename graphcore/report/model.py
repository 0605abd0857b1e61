"""The report about a fitted estimator, with the program that repeats its fit."""

import inspect
from numbers import Integral

from ..cluster.n_clusters import how_chosen
from .page import About, check_page, write_report


def report_model(model, path, graph, clustering, *, title=None, pictures="auto", **measured):
    """Write a page about a fitted estimator; see :meth:`graphcore.CoresetSpectralClustering.report`."""
    check_page(path)  # before memberships are computed
    n_features = columns_of(model)
    noun, note = "a graph", "X is the graph that was clustered."
    if n_features is not None:
        noun, note = "vectors", "X holds the vectors that were clustered."
    given = _given(model, clustering)
    if given:
        note += f" The program also needs {', '.join(given)}{' (the names of the rows)' * ('ids' in given)}."
    if not isinstance(model.random_state, Integral):
        note += " random_state was not an integer, so another fit gives other labels; pass one to repeat a result."
    if (chosen := getattr(model, "selection_", None)) is not None:
        note += f" The number of clusters was {how_chosen(chosen.method, chosen.clear)}."
    if n_updates := clustering.n_updates:
        times = "once" if n_updates == 1 else f"{n_updates:,} times"
        note += f" The clusters were updated {times} since: a fit to what is there now need not give the same labels."
    about = About(
        title=title or f"{clustering.settings.n_clusters:,} clusters of {noun}", command=_program(model, given),
        note=note, seconds=clustering.seconds, n_features=n_features, is_clear=chosen and chosen.clear,
    )  # fmt: skip
    return write_report(
        path, graph, clustering.labels, clustering=clustering, membership=getattr(model, "membership_", None),
        about=about, pictures=pictures, n_jobs=model.n_jobs, **measured,
    )  # fmt: skip


def columns_of(model):
    """Return the number of columns of the vectors that a model was fitted to, None for a graph."""
    return model.n_features_in_ if model.affinity_ == "nearest_neighbors" else None


def _given(model, clustering):
    """Return the names of the arguments beside X that the fit was given."""
    ids = None if model.affinity_ == "precomputed" else model.graph_.node_names
    given = {"sample_weight": clustering.known.weights, "labels": clustering.known.fixed, "ids": ids}
    return [name for name, values in given.items() if values is not None]


def _program(model, given):
    """Write Python that makes and fits such a model, without parameters at their defaults; `given` are arguments."""
    defaults = {name: repr(each.default) for name, each in inspect.signature(type(model)).parameters.items()}
    values = {name: repr(getattr(model, name)) for name in defaults}
    changed = ", ".join(f"{name}={value}" for name, value in values.items() if value != defaults[name])
    arguments = ", ".join(["X", *(f"{name}={name}" for name in given)])
    return f"import graphcore\n\nmodel = graphcore.{type(model).__name__}({changed}).fit({arguments})"
