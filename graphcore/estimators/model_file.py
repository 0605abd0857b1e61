"""Models in files: a NumPy archive of arrays and one JSON text, without pickle."""

import json
import os
from dataclasses import asdict

import numpy as np

from ..exceptions import InputError, warn_user
from ..files._format import text_of_names
from ..files.atomic import atomic_output
from .read_model import FORMAT, SELECTION, VERSION, read_model


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
        "exponent": reference.exponent, "evidence": reference.evidence, "is_given": model._is_given,
        "n_features": model.n_features_in_, "n_unreached": result.n_unreached, "sampling": result.coreset.method,
        "history": result.history, "balances": result.balances, "n_updates": result.n_updates,
        "radius": _finite(reference.radius),
        "median": None if reference.outliers is None else _finite(reference.outliers.median),
        "selection": chosen and {name: getattr(chosen, name) for name in SELECTION} | {"curves": list(chosen.curves)},
    }  # fmt: skip
    arrays = {
        "labels": model.labels_, "unrest": model._volume_changes, "node_weights": reference.weights,
        "outlier_scores": getattr(reference.outliers, "scores", None),
        "coreset_indices": result.coreset.indices,
        "coreset_weights": result.coreset.weights, "coreset_labels": result.coreset_labels,
        "stability": model.stability_, "cluster_stability": model.cluster_stability_, "indptr": graph.indptr,
        "indices": graph.indices, "weights": graph.weights, "node_names": graph.node_names,
        "feature_names": getattr(model, "feature_names_in_", None),
        "cells": result.cells, "levels": result.levels, "fixed": result.known.fixed,
        "kinds": reference.kinds, "candidates": chosen and chosen.candidates,
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
            read_model(type(model), stream.name, any_size=True)


def _finite(number):
    """Return a number, or None for what JSON has no word for."""
    return number if np.isfinite(number) else None


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
