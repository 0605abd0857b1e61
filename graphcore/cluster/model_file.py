"""Models in files: a NumPy archive of arrays and one JSON text, without pickle; files are read without trust."""

import json
import os
from dataclasses import asdict
from typing import Any, get_type_hints

import numpy as np

from ..exceptions import FormatError, InputError, ParameterError, warn_user
from ..files.atomic import atomic_output
from ..files.edge_list import check_node_count
from ..files.npz import NPZ_MAGIC, open_archive, text_of_names
from ..files.source import open_source
from ..graphs.from_edges import check_name_array
from ..graphs.graph import Graph
from ..graphs.rows import check_compressed, in_range
from ..neighbors.outliers import Outliers
from ..neighbors.search import METRICS
from .coreset import SAMPLING, Coreset
from .fit import Reference
from .n_clusters import KSelection
from .pipeline import SELF_LOOP, Clustering, Trial
from .refine.objectives import OBJECTIVES
from .refine.problem import sums_and_shares
from .settings import DEFAULTS, Settings, check_settings

FORMAT, VERSION = "graphcore model", 3
# Characters of the JSON text: a thousand are usual.
_LONGEST = 1 << 20
# The types of the JSON text's entries, format and version left out.
_FACTS: dict[str, Any] = {
    "params": dict, "settings": dict, "kind": str, "n_neighbors": (int, type(None)), "metric": (str, type(None)),
    "evidence": (int, float), "n_features": int, "n_unreached": int, "n_drafts": int, "sampling": str, "history": list,
    "balances": list, "radius": (float, type(None)), "selection": (dict, type(None)),
}  # fmt: skip
# Those of a choice of the number of clusters, beside the names of its curves.
_SELECTION = {"best": int, "method": str, "clear": bool | None}


def write_model(model, path):
    """See :meth:`CoresetSpectralClustering.save`."""
    graph, reference, result = model._graph, model._reference, model.clustering_
    if graph.attributes:
        warn_user(f"models hold no attributes of nodes: {', '.join(graph.attributes)[:200]} not saved")
    params = model._params_of_fit.copy()  # the model may have others by now, for its next fit
    seed = params["random_state"]
    params["random_state"] = int(seed) if isinstance(seed, (int, np.integer)) else None
    chosen = model.selection_
    facts = {
        "format": FORMAT, "version": VERSION, "params": params, "settings": asdict(result.settings),
        "kind": reference.kind, "n_neighbors": reference.n_neighbors, "metric": reference.metric,
        "evidence": reference.evidence,
        "n_features": model.n_features_in_, "n_unreached": result.n_unreached, "n_drafts": result.n_drafts,
        "sampling": result.coreset.sampling, "history": result.history, "balances": result.balances,
        "radius": reference.radius if np.isfinite(reference.radius) else None,
        "selection": chosen and {name: getattr(chosen, name) for name in _SELECTION} | {"curves": list(chosen.curves)},
    }  # fmt: skip
    arrays = {
        "labels": model.labels_, "node_weights": reference.weights,
        "outlier_scores": getattr(reference.outliers, "scores", None),
        "coreset_indices": result.coreset.indices,
        "coreset_weights": result.coreset.weights, "coreset_labels": result.coreset_labels,
        "stability": model.stability_, "cluster_stability": model.cluster_stability_, "indptr": graph.indptr,
        "indices": graph.indices, "weights": graph.weights, "node_names": graph.node_names,
        "feature_names": getattr(model, "feature_names_in_", None),
        "cells": result.cells, "levels": result.levels, "fixed": result.fixed,
        "candidates": chosen and chosen.candidates,
        "scores": chosen and np.stack([chosen.scores, *chosen.curves.values()]),
    } | _vector_arrays(reference.vectors)  # fmt: skip
    arrays = {name: array for name, array in arrays.items() if array is not None}
    for name, array in arrays.items():
        if array.dtype.hasobject:  # would need pickle
            arrays[name] = text_of_names(array)
    text = json.dumps(facts, default=_plain)
    with atomic_output(path) as stream:
        np.savez(stream, model=np.frombuffer(text.encode(), dtype=np.uint8), **arrays)
        if os.path.isfile(stream.name):  # and no pipe: what could not be loaded again does not take the file's place
            stream.flush()
            read_model(type(model), stream.name)


def _plain(value):
    """Return numbers of numpy as Python's own."""
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    raise InputError(f"a parameter of the model is {value!r}, which no file without pickle can hold")


def _vector_arrays(vectors):
    if not hasattr(vectors, "indptr"):
        return {"vectors": vectors}
    parts = {f"vectors_{part}": getattr(vectors, part) for part in ("data", "indices", "indptr")}
    return parts | {"vectors_shape": np.array(vectors.shape)}


def read_model(cls, path):
    """Read a fitted model of class `cls`, see :func:`graphcore.load`."""
    with open_source(path) as source:
        if not source.head.startswith(NPZ_MAGIC):
            raise FormatError("this is no model that graphcore saved (an .npz archive); read_graph reads graphs")
        with open_archive(source) as archive:
            if "model" not in archive:
                raise FormatError("this is no model that graphcore saved; read_graph reads graphs")
            facts = _facts(archive["model"])
            settings = _settings(facts)
            return _fitted(_unfitted(cls, facts), facts, settings, archive)


def _require(holds, what):
    if not holds:
        raise FormatError(f"the model's description has no valid {what}")


def _facts(text):
    """Parse the JSON text, and check the type of each entry."""
    if len(text) > _LONGEST:
        raise FormatError(f"the model's description has {len(text):,} characters; that of a model is short")
    try:
        facts = json.loads(text.astype(np.uint8).tobytes())
    except (ValueError, RecursionError):
        raise FormatError("the model's description is no JSON") from None
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise FormatError("this is no model that graphcore saved")
    if facts.get("version") != VERSION:
        raise FormatError(f"the model has version {str(facts.get('version'))[:20]!r}, and this program reads {VERSION}")
    for name, kind in _FACTS.items():
        _require(isinstance(facts.get(name), kind), name)
    _require(0.0 <= facts["evidence"] < float("inf"), "evidence")
    _require(facts["kind"] in ("edges", "vectors", "distances") and facts["sampling"] in SAMPLING, "kind or sampling")
    return facts


def _settings(facts):
    """Return the Settings of the fit, each of its type and in its range."""
    given, kinds = facts["settings"], get_type_hints(Settings)
    _require(set(given) == set(kinds), "settings")
    for name, kind in kinds.items():
        value = given[name]
        fits = isinstance(value, kind) or (type(value) is int and isinstance(0.0, kind))
        fits = fits and (kind is bool or not isinstance(value, bool))
        most = 2**53 if kind is int else np.inf
        _require(fits and (not isinstance(value, (int, float)) or 0 <= value < most), f"{name}, {value!r}")
    _require(given["coreset_size"] >= 1 and given["n_clusters"] >= 1, "coreset_size or n_clusters")
    try:
        OBJECTIVES[given["objective"]].at(given["resolution"], given["entropy_price"])
    except KeyError:
        raise FormatError(f"the model's description has no valid objective: {given['objective']!r}") from None
    return Settings(**given)


def _unfitted(cls, facts):
    """Return the model with its parameters."""
    known = cls._get_param_names()
    params = facts["params"]
    other = next((name for name in params if name not in known), None)
    if other is not None:
        raise FormatError(f"the model has a parameter {other!r}, which this version does not know")
    model = cls(**params)
    try:
        check_settings({name: getattr(model, name) for name in DEFAULTS})
    except (ParameterError, TypeError) as error:
        raise FormatError(f"the model's description has parameters that no fit takes: {error}") from None
    return model


def _fitted(model, facts, settings, archive):
    """Return the model with what a fit has left."""
    names = archive.get("node_names")
    if names is not None:
        check_name_array(names)
    indptr, indices = archive["indptr"], archive["indices"]
    check_node_count(indptr.size - 1, indices.size // 2)
    graph = Graph(indptr, indices, archive.get("weights"), node_names=names)
    n, k = graph.n_nodes, settings.n_clusters
    if k > n or facts["n_features"] < 1 or (facts["n_features"] != n and facts["kind"] != "vectors"):
        raise FormatError(f"the model says {k} clusters of {n} nodes and {facts['n_features']} features")
    labels = _numbers(archive, "labels", (n,), np.int32, -1, k)
    indices = _numbers(archive, "coreset_indices", (None,), np.int64, 0, n)
    coreset = Coreset(
        indices, _reals(archive, "coreset_weights", indices.shape), facts["sampling"], len(indices),
        self_loop=SELF_LOOP, shift=0.0,
    )  # fmt: skip
    reference = Reference(
        facts["kind"], _vectors(archive, facts, n), facts["n_neighbors"], facts["metric"],
        evidence=float(facts["evidence"]), weights=_reals(archive, "node_weights", (n,), optional=True),
        outliers=_outliers(facts, archive, n),
    )  # fmt: skip
    sums, outside_shares = sums_and_shares(graph, labels, k, None)
    reference.set_clusters(sums)
    for pair in facts["history"]:
        _require(isinstance(pair, list) and len(pair) == 2 and isinstance(pair[1], (int, float)), "history")
    for row in facts["balances"]:
        is_row = isinstance(row, list) and len(row) == len(Trial._fields)
        _require(is_row and all(isinstance(value, float) for value in row), "balances")
    fixed = _numbers(archive, "fixed", (n,), np.int32, -1, k, optional=True)
    result = Clustering(
        labels=labels, coreset=coreset, n_unreached=facts["n_unreached"], n_drafts=facts["n_drafts"], settings=settings,
        coreset_labels=_numbers(archive, "coreset_labels", indices.shape, np.int32, -1, 2**31 - 1),
        cells=_numbers(archive, "cells", (n,), np.int32, -1, n, optional=True),
        node_stability=_reals(archive, "stability", (n,), np.float32, optional=True),
        cluster_stability=_reals(archive, "cluster_stability", (k,), optional=True),
        history=[(str(name), float(value)) for name, value in facts["history"]],
        balances=tuple(Trial(*row) for row in facts["balances"]), seconds={},
        levels=_numbers(archive, "levels", (None, k), np.int32, 0, k, optional=True),
        fixed=fixed, weights=reference.weights, _rows=in_range(graph).rows,
    )  # fmt: skip
    model._keep(graph, reference, result, outside_shares)
    model.n_features_in_ = facts["n_features"]
    if (columns := archive.get("feature_names")) is not None:
        check_name_array(columns, "feature")
        model.feature_names_in_ = _shaped(archive, "feature_names", (facts["n_features"],), "U").astype(object)
    model._params_of_fit = model.get_params(deep=False)
    model.selection_, model.seconds_ = _selection(facts, archive, n), {}
    return model


def _selection(facts, archive, n):
    """Return how the number of clusters was chosen, None if it was given."""
    chosen = facts["selection"]
    if chosen is None:
        return None
    kinds = _SELECTION | {"curves": list}
    _require(
        set(chosen) == set(kinds) and all(isinstance(chosen[name], kind) for name, kind in kinds.items()), "selection"
    )
    names, known = list(map(str, chosen["curves"])), {name: chosen[name] for name in _SELECTION}
    candidates = _numbers(archive, "candidates", (None,), np.int64, 1, n + 1)
    _require(chosen["best"] in candidates, "selection")
    scores, *curves = _reals(archive, "scores", (1 + len(names), len(candidates)))
    return KSelection(**known, candidates=candidates, scores=scores, curves=dict(zip(names, curves, strict=True)))


def _outliers(facts, archive, n):
    """Return the Outliers of a model of what has distances."""
    scores = _reals(archive, "outlier_scores", (n,), np.float32, optional=True)
    radius = np.inf if facts["radius"] is None else facts["radius"]
    _require(radius >= 0, "radius")
    return None if scores is None else Outliers(scores, radius)


def _vectors(archive, facts, n):
    """Return the vectors behind a graph of neighbours, or None."""
    if facts["kind"] != "vectors":
        return None
    there = facts["n_neighbors"] is not None and 1 <= facts["n_neighbors"] < n
    _require(there and facts["metric"] in METRICS, "n_neighbors and metric")
    shape = n, facts["n_features"]
    if "vectors" in archive:
        return _reals(archive, "vectors", shape, None, kinds="fiub")
    import scipy.sparse as sp

    if _numbers(archive, "vectors_shape", (2,), np.int64, 1, 2**31).tolist() != list(shape):
        raise FormatError(f"the model's description says {shape[1]} features, and its vectors have others")
    indptr, indices = archive["vectors_indptr"], archive["vectors_indices"]
    check_compressed(indptr, indices, *shape)
    data = _reals(archive, "vectors_data", (len(indices),), None)
    # scipy takes neither float16 nor another byte order.
    data = data.astype(np.promote_types(data.dtype, np.float32), copy=False)
    return sp.csr_array((data, indices, indptr), shape=shape)


def _numbers(archive, name, shape, dtype, low, high, optional=False):
    """Integers of an archive from `low` to below `high`; a None in the shape is any length."""
    if optional and name not in archive:
        return None
    array = _shaped(archive, name, shape, "iu")
    if array.size and (array.min() < low or array.max() >= high):
        raise FormatError(f"{name} must be from {low} to {high - 1}, found {array.min()} to {array.max()}")
    return array.astype(dtype, copy=False)


def _reals(archive, name, shape, dtype=np.float64, optional=False, kinds="f"):
    """Return numbers of an archive that are not infinite; shares of nodes and scores may be unknown (NaN)."""
    if optional and name not in archive:
        return None
    array = _shaped(archive, name, shape, kinds)
    may_be_nan = name in ("stability", "cluster_stability", "scores")
    if np.isinf(array).any() or (np.isnan(array).any() and not may_be_nan):
        raise FormatError(f"{name} holds values that are not finite")
    return array if dtype is None else array.astype(dtype, copy=False)


def _shaped(archive, name, shape, kinds):
    array = archive[name]
    fits = len(shape) == array.ndim and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
    if not fits or array.dtype.kind not in kinds:
        raise FormatError(f"{name} is {array.dtype} of shape {str(array.shape)[:60]}, which fits no model of this size")
    return array
