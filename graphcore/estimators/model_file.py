"""Models in files: a NumPy archive of arrays and one JSON text, read without trust in either."""

import json
from dataclasses import asdict
from typing import get_type_hints

import numpy as np

from ..coresets.coreset import SAMPLING, Coreset
from ..exceptions import FormatError, InputError, ParameterError
from ..graphs.graph import Graph
from ..graphs.ids import check_name_array
from ..graphs.magnitude import in_range
from ..io._format import check_node_count
from ..io._npy import NPZ_MAGIC, open_archive
from ..io._source import open_source
from ..io.atomic import atomic_output
from ..knn.search import METRICS
from ..metrics.cut import sums_and_shares
from ..partition.quotient import graph_rows
from ..pipeline.balance import Trial
from ..pipeline.cluster import Clustering
from ..pipeline.known import Known
from ..pipeline.parameters import PARAMETERS, STEPS, Published, defaults
from ..pipeline.settings import Settings, check_settings
from ._predicted import Reference

_FORMAT, _VERSION = "graphcore model", 1
# Characters of the JSON text: a thousand are usual.
_LONGEST = 1 << 20
# Twice that of any float.
_EXPONENT = 1 << 12
# What the JSON text holds, beside format and version.
_FACTS = {
    "params": dict, "settings": dict, "kind": str, "n_neighbors": (int, type(None)), "metric": (str, type(None)),
    "exponent": int, "evidence": (int, float), "is_given": bool, "n_features": int, "n_unreached": int, "sampling": str,
    "history": list, "balances": list,
}  # fmt: skip


def write_model(model, path):
    """See :meth:`CoresetSpectralClustering.save`."""
    if not hasattr(model, "_graph"):
        raise InputError("this model was pickled and does not hold its graph, so it cannot be saved; save before that")
    graph, reference, result = model._graph, model._reference, model.clustering_
    params = model.get_params(deep=False)
    seed = params["random_state"]
    start = params.pop("initial_labels")
    params["random_state"] = int(seed) if isinstance(seed, (int, np.integer)) else None
    facts = {
        "format": _FORMAT, "version": _VERSION, "params": params, "settings": asdict(result.settings),
        "kind": reference.kind, "n_neighbors": reference.n_neighbors, "metric": reference.metric,
        "exponent": reference.exponent, "evidence": reference.evidence, "is_given": model._is_given,
        "n_features": model.n_features_in_, "n_unreached": result.n_unreached, "sampling": result.coreset.method,
        "history": result.history, "balances": result.balances,
    }  # fmt: skip
    arrays = {
        "labels": model.labels_, "unrest": model._unrest, "node_weights": reference.weights,
        "coreset_indices": result.coreset.indices,
        "coreset_weights": result.coreset.weights, "coreset_labels": result.coreset_labels,
        "stability": model.stability_, "cluster_stability": model.cluster_stability_, "indptr": graph.indptr,
        "indices": graph.indices, "weights": graph.weights, "node_names": graph.node_names,
        "merged": result.merged, "fixed": result.known.fixed,
        "initial_labels": None if start is None else np.asarray(start),
    } | _vector_arrays(reference.vectors)  # fmt: skip
    arrays = {name: array for name, array in arrays.items() if array is not None}
    for name, array in arrays.items():
        if array.dtype.hasobject:  # would need pickle
            arrays[name] = array.astype(str)
    text = json.dumps(facts, default=_plain)
    with atomic_output(path) as stream:
        np.savez(stream, model=np.frombuffer(text.encode(), dtype=np.uint8), **arrays)


def _plain(value):
    """Numbers of numpy as Python's own, and the published algorithm's parameters by their names."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Published):
        return value.get_params()
    raise InputError(f"a parameter of the model is {value!r}, which no file without pickle can hold")


def _vector_arrays(vectors):
    if not hasattr(vectors, "indptr"):
        return {"vectors": vectors}
    parts = {f"vectors_{part}": getattr(vectors, part) for part in ("data", "indices", "indptr")}
    return parts | {"vectors_shape": np.array(vectors.shape)}


def read_model(path, kind, any_size):
    """Load a model; see :func:`graphcore.load`. `kind` is its class."""
    with open_source(path, any_size) as source, source.open() as stream:
        if not source.head.startswith(NPZ_MAGIC):
            raise FormatError("this is no model that graphcore saved (an .npz archive); read_graph reads graphs")
        with open_archive(stream, any_size=any_size) as archive:
            if "model" not in archive:
                raise FormatError("this is no model that graphcore saved; read_graph reads graphs")
            facts = _facts(archive["model"])
            settings = _settings(facts)
            model = _unfitted(facts, archive, kind)
            return _fitted(model, facts, settings, archive, any_size)


def _facts(text):
    """What the JSON text says, each of its kind."""
    if len(text) > _LONGEST:
        raise FormatError(f"the model's description has {len(text):,} characters; that of a model is short")
    try:
        facts = json.loads(text.astype(np.uint8).tobytes())
    except (ValueError, RecursionError):
        raise FormatError("the model's description is no JSON") from None
    if not isinstance(facts, dict) or facts.get("format") != _FORMAT:
        raise FormatError("this is no model that graphcore saved")
    if facts.get("version") != _VERSION:
        raise FormatError(
            f"the model has version {str(facts.get('version'))[:20]!r}, and this program reads {_VERSION}"
        )
    for name, kind in _FACTS.items():
        if not isinstance(facts.get(name), kind):
            raise FormatError(f"the model's description has no valid {name}")
    if not 0.0 <= facts["evidence"] < float("inf") or not -_EXPONENT < facts["exponent"] < _EXPONENT:
        raise FormatError("the model's description has no valid evidence or exponent")
    if facts["kind"] not in ("edges", "vectors", "distances") or facts["sampling"] not in SAMPLING:
        raise FormatError("the model's description has no valid kind or sampling")
    return facts


def _settings(facts):
    """The Settings of the fit, each of its type and in its range."""
    given, kinds = facts["settings"], get_type_hints(Settings)
    if set(given) != set(kinds):
        raise FormatError("the model's description has no valid settings")
    for name, kind in kinds.items():
        value = given[name]
        number = isinstance(value, (int, float))
        fits = isinstance(value, kind) or (type(value) is int and isinstance(0.0, kind))
        if not fits or (isinstance(value, bool) and kind is not bool) or (number and not 0 <= value < 2**53):
            raise FormatError(f"the model's description has no valid {name}, {value!r}")
    # What another setting was resolved from would contradict it.
    steps = {step.name: given[step.name] for step in STEPS} | ({} if given["eps"] is None else {"coreset_size": "auto"})
    values = {p.name: given[p.name] for p in PARAMETERS if p.name in given and p.name != "resolution"}
    _in_range(given["n_clusters"], values | {"published": Published(**steps)})
    return Settings(**given)


def _in_range(n_clusters, given):
    try:
        check_settings(n_clusters, given)
    except ParameterError as error:
        raise FormatError(f"the model's description has parameters that no fit takes: {error}") from None


def _unfitted(facts, archive, kind):
    """The model with its parameters."""
    params, known = facts["params"], kind._get_param_names()
    other = next((name for name in params if name not in known), None)
    if other is not None:
        raise FormatError(f"the model has a parameter {other!r}, which this version does not know")
    if "initial_labels" in archive:
        params["initial_labels"] = _Checked(archive).numbers("initial_labels", (None,), np.int64, -1, 2**31)
    if isinstance(params.get("published"), dict):
        if set(params["published"]) != {step.name for step in STEPS}:
            raise FormatError("the model's description has no valid published")
        params["published"] = Published(**params["published"])
    model = kind(**params)
    _in_range(model.n_clusters, {name: getattr(model, name) for name in defaults()})
    return model


def _fitted(model, facts, settings, archive, any_size):
    """The model with what a fit has left."""
    names = archive.get("node_names")
    if names is not None:
        check_name_array(names)
    indptr, indices = archive["indptr"], archive["indices"]
    check_node_count(indptr.size - 1, indices.size // 2, any_size)
    graph = Graph(indptr, indices, archive.get("weights"), node_names=names)
    n, k = graph.n_nodes, settings.n_clusters
    if k > n or facts["n_features"] < 1 or (facts["n_features"] != n and facts["kind"] != "vectors"):
        raise FormatError(f"the model says {k} clusters of {n} nodes and {facts['n_features']} features")
    check = _Checked(archive)
    labels = check.numbers("labels", (n,), np.int32, -1, k)
    indices = check.numbers("coreset_indices", (None,), np.int64, 0, n)
    coreset = Coreset(indices, check.reals("coreset_weights", indices.shape), facts["sampling"], len(indices))
    coreset_labels = check.numbers("coreset_labels", indices.shape, np.int32, -1, 2**31 - 1)
    stability = check.reals("stability", (n,), np.float32, optional=True)
    cluster_stability = check.reals("cluster_stability", (k,), optional=True)
    history = [(str(name), float(value)) for name, value in _pairs(facts["history"])]
    reference = Reference(
        facts["kind"], _vectors(check, facts, n), facts["n_neighbors"], facts["metric"],
        exponent=facts["exponent"], evidence=float(facts["evidence"]),
        weights=check.reals("node_weights", (n,), optional=True),
    )  # fmt: skip
    fixed = check.numbers("fixed", (None,), np.int32, -1, k) if "fixed" in archive else None
    sums, outside_shares = sums_and_shares(graph, labels, k, None)
    reference.set_clusters(sums)
    if not np.isfinite(reference.evidence):
        raise FormatError("the model's description has no valid evidence")
    result = Clustering(
        labels=labels, coreset=coreset, coreset_labels=coreset_labels, n_unreached=facts["n_unreached"],
        merged=check.numbers("merged", (n,), np.int32, -1, n) if "merged" in archive else None, row_bytes=0,
        node_stability=stability, cluster_stability=cluster_stability, history=history,
        balances=_trials(facts["balances"]), search=None,
        settings=settings, seconds={}, known=Known(fixed, None, reference.weights), _rows=graph_rows(in_range(graph)),
    )  # fmt: skip
    model._keep(graph, reference, result, outside_shares)
    model.n_features_in_, model._is_given = facts["n_features"], facts["is_given"]
    model._unrest = check.reals("unrest", (k,)).copy()
    model.selection_, model.seconds_ = None, {}
    return model


def _trials(rows):
    width = len(Trial._fields)
    if not all(isinstance(row, list) and len(row) == width and all(isinstance(x, float) for x in row) for row in rows):
        raise FormatError("the model's description has no valid balances")
    return tuple(Trial(*row) for row in rows)


def _pairs(history):
    for pair in history:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], (int, float)):
            raise FormatError("the model's description has no valid history")
        yield pair


def _vectors(check, facts, n):
    """The vectors behind a graph of neighbours, or None."""
    if facts["kind"] != "vectors":
        return None
    if facts["n_neighbors"] is None or not 1 <= facts["n_neighbors"] < n or facts["metric"] not in METRICS:
        raise FormatError("the model's description has no valid n_neighbors and metric")
    shape = n, facts["n_features"]
    if "vectors" in check.archive:
        return check.reals("vectors", shape, None)
    import scipy.sparse as sp

    from ..graphs.structure import check_compressed

    indptr, indices = (check.archive[f"vectors_{part}"] for part in ("indptr", "indices"))
    if check.numbers("vectors_shape", (2,), np.int64, 1, 2**31).tolist() != list(shape):
        raise FormatError(f"the model's description says {shape[1]} features, and its vectors have others")
    check_compressed(indptr, indices, *shape)
    data = check.reals("vectors_data", (len(indices),), None)
    return sp.csr_array((data, indices, indptr), shape=shape)


class _Checked:
    """Arrays of an archive, each of the shape and within the range that it must have."""

    def __init__(self, archive):
        self.archive = archive

    def numbers(self, name, shape, dtype, low, high):
        """Integers from `low` to below `high`; a None in the shape is any length."""
        array = self._shaped(name, shape, "iu")
        if array.size and (array.min() < low or array.max() >= high):
            raise FormatError(f"{name} must be from {low} to {high - 1}, found {array.min()} to {array.max()}")
        return array.astype(dtype, copy=False)

    def reals(self, name, shape, dtype=np.float64, optional=False):
        """Floats that are not infinite; shares of nodes and clusters may be unknown (NaN)."""
        if optional and name not in self.archive:
            return None
        array = self._shaped(name, shape, "f")
        may_be_nan = name in ("stability", "cluster_stability")
        if np.isinf(array).any() or (np.isnan(array).any() and not may_be_nan):
            raise FormatError(f"{name} holds values that are not finite")
        return array if dtype is None else array.astype(dtype, copy=False)

    def _shaped(self, name, shape, kinds):
        array = self.archive[name]
        fits = len(shape) == array.ndim and all(n in (None, m) for n, m in zip(shape, array.shape, strict=True))
        if not fits or array.dtype.kind not in kinds:
            raise FormatError(
                f"{name} is {array.dtype} of shape {str(array.shape)[:60]}, which fits no model of this size"
            )
        return array
