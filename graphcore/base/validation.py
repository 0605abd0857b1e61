"""Checks of parameters that say what is wrong, and what would be right."""

import os
import sys
from collections.abc import Iterable, Mapping, Set
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from numbers import Integral, Real
from types import FunctionType

import numpy as np

from ..exceptions import InputError, ParameterError, warn_user


def refused(name, value, why):
    """Return the error that says why a parameter's value cannot be used."""
    return ParameterError(f"{name}={value!r} {why}", name=name, value=value)


def check_integer(name, value, *, low=None, high=None, why_high=""):
    """Return `value` as an int, or raise a ParameterError that names it."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Integral):
        raise refused(name, value, f"must be an integer, got {type(value).__name__}")
    value = int(value)
    if low is not None and value < low:
        raise refused(name, value, f"must be at least {low}")
    if high is not None and value > high:
        raise refused(name, value, f"must be at most {high}{why_high and f' ({why_high})'}")
    return value


def check_real(name, value, *, low=None, high=None, open_low=False):
    """Return `value` as a finite float, or raise a ParameterError that names it."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise refused(name, value, f"must be a number, got {type(value).__name__}")
    try:
        value = float(value)
    except OverflowError:  # an integer beyond the largest float
        value = float("inf")
    if not np.isfinite(value):
        raise refused(name, value, "must be finite")
    if low is not None and (value < low or (open_low and value == low)):
        raise refused(name, value, f"must be {'more than' if open_low else 'at least'} {low}")
    if high is not None and value > high:
        raise refused(name, value, f"must be at most {high}")
    return value


def check_magnitude(what, largest, dtype, limits=({"f": 1e30}, 1e60)):
    """Refuse values whose largest size leads beyond what floating-point numbers of this type can hold.

    `limits`, by default those of values that are multiplied, are for types by their letters and for all others; what is
    below the inverse vanishes.
    """
    dtype = np.dtype(dtype)
    limit = limits[0].get(dtype.char, limits[1])
    if largest > limit or 0 < largest < 1 / limit:
        raise InputError(
            f"{what} has values of size {largest:.3g}; products of {dtype} need it between {1 / limit:.0e} and "
            f"{limit:.0e}: rescale"
        )


def check_size(name, value, total, of_what, *, low=1, words=()):
    """Return a size as a number of points: an integer is that number, a float a share of `total` in (0, 1].

    A share comes to at least `low`; one of `words` is returned as it is; `of_what` tells what `total` counts.
    """
    if isinstance(value, str) and words:
        return check_choice(name, value, words, "or a number, or a share as a decimal number")
    if isinstance(value, Integral) or not isinstance(value, Real):
        return check_integer(name, value, low=low, high=total, why_high=of_what)
    share = check_real(name, value, low=0.0, open_low=low > 0, high=1.0)
    return max(low, round(share * total))


def check_path(path):
    """Return a path as a string, or raise a ParameterError."""
    if not isinstance(path, (str, os.PathLike)):
        raise ParameterError(f"path must be a string or a path, got {type(path).__name__}")
    return os.fspath(path)


def check_choice(name, value, choices, others=""):
    """Return `value` if it is one of `choices`, or raise a ParameterError that lists them, and what else may be."""
    if not isinstance(value, (str, type(None))) or value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise refused(name, value, f"is not known; choose one of {listed}{', ' * bool(others)}{others}")
    return value


def check_flag(name, value):
    """Return `value` as a bool, or raise a ParameterError that names it."""
    if not isinstance(value, (bool, np.bool_)):
        raise ParameterError(f"{name}={value!r} must be True or False")
    return bool(value)


def unmasked(name, values):
    """Return values as an array; masked ones, which are no values, are refused."""
    if isinstance(values, np.ma.MaskedArray) and (n_masked := np.ma.count_masked(values)):
        raise InputError(f"{name} has {n_masked} masked values; fill them in ({name}.filled(...)) or leave them out")
    return np.asarray(values)


def label_array(name, labels):
    """Return labels of nodes as an array; dictionaries and lists of sets, as networkx has them, are refused."""
    is_list = isinstance(labels, (list, tuple))
    if not isinstance(labels, (Mapping, Set)) and not (is_list and any(isinstance(each, Set) for each in labels)):
        try:
            return unmasked(name, labels)
        except InputError:
            raise
        except ValueError:  # lists of different lengths
            is_list = True
    raise InputError(
        f"{name} are a {type(labels).__name__}{' of sets' * is_list}, and an array in order of the nodes is needed; "
        + "with label = {node: c for c, nodes in enumerate(sets) for node in nodes} " * is_list
        + "give [label[node] for node in nodes]"
    )


def index_of(values):
    """Return the index of a Series or data frame as a list, if it is text; otherwise None."""
    index = getattr(values, "index", None)
    names = index.tolist() if isinstance(index, Iterable) and hasattr(index, "tolist") else []
    return names if names and isinstance(names[0], str) else None


def check_order(name, values, names):
    """Refuse a Series or data frame whose index is text, and not the `names` of the nodes in their order."""
    index = index_of(values)
    if index is not None and names is not None and index != list(names):
        raise InputError(
            f"the index of {name} is not that of the nodes, or in another order: give {name}.reindex(names), where "
            "names are those of the rows, or graph.node_names"
        )


def is_missing(value):
    """Return whether an object of a table stands for a missing value, as None, NaN, NA and NaT of libraries do."""
    return value is None or (not isinstance(value, str) and str(value) in ("nan", "NaN", "<NA>", "NaT"))


def are_missing(values):
    """Return a mask of the missing values of an array, those that are masked among them."""
    if isinstance(values, np.ma.MaskedArray):  # is_masked takes an array of pandas for one, which has a mask, too
        return np.ma.getmaskarray(values) | are_missing(values.data)
    if values.dtype.kind == "f":
        return np.isnan(values)
    if values.dtype.kind != "O":
        return np.zeros(values.shape, dtype=bool)
    return np.fromiter(map(is_missing, values.flat), dtype=bool, count=values.size).reshape(values.shape)


def whole_labels(labels):
    """Return an array of whole numbers as integers, -1 where a value is missing; any other array as it is."""
    if labels.dtype.kind not in "fO":
        return labels
    missing = are_missing(labels)
    known = labels[~missing]
    if known.dtype.kind == "O":
        if not all(isinstance(value, Real) and not isinstance(value, bool) for value in known):
            return labels
        known = known.astype(np.float64)
    if not (np.abs(known) < 2.0**53).all() or (known % 1 != 0).any():
        return labels
    whole = np.full(labels.shape, -1, dtype=np.int64)
    whole[~missing] = known
    return whole


def read_only(array, dtype=None):
    """Return a contiguous read-only view, for compiled loops: a copy where it is not contiguous or of another dtype.

    numba compiles a version for each kind of array, to which it belongs whether one is writable and contiguous.
    """
    view = np.ascontiguousarray(array, dtype).view()
    view.flags.writeable = False
    return view


def check_labels(name, labels, n_nodes, *, n_clusters=None):
    """Return labels as a read-only int32 array, -1 for no cluster and what is missing, or raise an InputError."""
    labels = whole_labels(label_array(name, labels))
    if labels.shape != (n_nodes,):
        raise InputError(f"{name} have shape {labels.shape}; one label for each of {n_nodes} nodes is needed")
    if n_nodes and labels.dtype.kind not in "iu":
        remedy = (
            "labels.cat.codes of a categorical, or numpy.unique(labels, return_inverse=True)[1], numbers them (set -1 "
            "where text stands for none)"
        )
        if all(isinstance(label, str) and label.isdecimal() for label in labels.tolist()):
            remedy = "these are numbers as text: give numpy.asarray(labels).astype(int)"
        raise InputError(
            f"{name} must be integers, got {labels.dtype}, and -1, NaN or None where there is none; {remedy}"
        )
    if n_nodes and labels.min() < -1:
        raise InputError(f"{name} must be -1 (no cluster) or more; found {labels.min()}")
    # Sums per cluster take memory for every number up to the largest label.
    limit = min(max(10 * n_nodes, 10**6, n_clusters or 0), 2**31 - 1)
    if n_nodes and labels.max() >= limit:
        raise InputError(
            f"the largest of the {name} is {labels.max()} for {n_nodes} nodes; number the clusters from 0 with "
            "known = labels >= 0; labels[known] = numpy.unique(labels[known], return_inverse=True)[1]"
        )
    return read_only(labels, np.int32)


def check_targets(y):
    """Warn of targets that may be labels known in part; nothing reads them."""
    targets = label_array("y", y)
    if are_missing(targets).any() or np.any(targets == -1):
        warn_user("y is ignored; known labels, one for each node and -1 where there is none, are fit(X, labels=...)")


def check_sample_weight(sample_weight, n_points, name="sample_weight"):
    """Return weights of points as a new float64 array, not negative and not all 0; None is ones, a number all alike."""
    if sample_weight is None:
        return np.ones(n_points)
    weights = unmasked(name, sample_weight)
    if weights.ndim == 0:
        weights = np.full(n_points, weights)
    if weights.shape != (n_points,) or weights.dtype.kind not in "biuf":
        raise InputError(f"{name} has shape {weights.shape} and type {weights.dtype}; {n_points} numbers are needed")
    weights = weights.astype(np.float64)
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        first = int(np.argmax(bad))
        raise InputError(f"{name} must be finite and not negative; number {first} is {weights[first]}")
    if not weights.any():
        raise InputError(f"{name} must be finite, not negative and not all zero")
    return weights


def refuse_negative(estimator, X, what="weights of edges"):
    """Raise an InputError if a matrix, sparse or dense, holds negative values; it begins as scikit-learn's does."""
    least = (X.data if hasattr(X, "indptr") else X).min(initial=0)
    if least < 0:
        remedy = "; of similarities such as correlations give (1 + X) / 2, abs(X) or X * (X > 0)"
        raise InputError(
            f"Negative values in data passed to X in {type(estimator).__name__}: {what} are not negative, the least "
            f"is {least:.3g}{remedy * (what != 'distances')}"
        )


def warn_of_isolated(graph, weights=None):
    """Warn of nodes of `weights` (n_nodes,) 0, and of others without an edge, if a graph has any."""
    n_empty = 0 if weights is None else np.count_nonzero(weights == 0)
    for count, are in ((n_empty, "have sample_weight 0"), (graph.n_isolated - n_empty, "are isolated")):
        if count:
            warn_user(f"{count} of {graph.n_nodes} nodes {are}; they belong to no cluster and get label -1")


def count_linked(graph):
    """Count the nodes that have an edge; raise an InputError if there are none."""
    n_linked = graph.n_nodes - graph.n_isolated
    if n_linked == 0:
        raise InputError(f"all {graph.n_nodes} nodes are isolated: a graph without edges has no clusters")
    return n_linked


# -- keywords that are no parameters -----------------------------------------------------------------------------------

# Names of parameters here, and those that other libraries have for them.
_OTHERWISE = {
    "random_state": "seed rng random_seed", "n_clusters": "k n_communities n_parts nclusters",
    "n_neighbors": "k min_samples", "n_jobs": "n_threads num_threads threads n_workers workers",
    "resolution": "gamma resolution_parameter", "coreset_size": "size coreset_ratio", "delimiter": "sep",
    "size": "coreset_size coreset_ratio", "sampling": "method", "clusterer": "kmeans_alg",
    "n_seeds": "k_over_sampling_factor", "outliers": "contamination noise",
    "max_cluster_size": "max_comm_size", "initial_labels": "init initial_membership", "symmetrize": "directed",
    "sample_weight": "weights node_weights", "columns": "source target usecols",
}  # fmt: skip


def suggesting(public, package):
    """Return a function, or a class with its constructor and methods, that refuses keywords which are no parameters.

    Done where names are made public: the library itself calls functions without the check, and methods with it. A
    function is pickled by its public name, in `package`.
    """
    if isinstance(public, type):
        for name, member in list(vars(public).items()):
            called = public.__name__ if name == "__init__" else f"{public.__name__}.{name}"
            if isinstance(member, classmethod):
                setattr(public, name, classmethod(_refusing(member.__func__, called)))
            elif isinstance(member, FunctionType) and (name == "__init__" or not name.startswith("_")):
                setattr(public, name, _refusing(member, called))
    elif isinstance(public, FunctionType):
        public = _refusing(public, public.__name__)
        public.__module__ = package
    return public


def suggest_in(package):
    """Do so for all that a package lists in `__all__`, and have `dir` list these, without the modules behind them."""
    room = sys.modules[package]
    vars(room).update({name: suggesting(getattr(room, name), package) for name in room.__all__})
    vars(room)["__dir__"] = lambda: room.__all__


def _refusing(function, called):
    parameters = signature(function).parameters
    if any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        return function

    @wraps(function)
    def checked(*args, **given):
        for name in given:
            if name not in parameters:
                raise ParameterError(f"{called}() has no parameter {name!r}; {_hint(name, parameters)}", name=name)
        return function(*args, **given)

    return checked


def _hint(name, parameters):
    """Tell the nearest parameter, or all if none is near."""
    there = [each for each in parameters if each not in ("self", "cls")]
    near = [one for one in there if name in _OTHERWISE.get(one, "").split()] or get_close_matches(name, there, 1, 0.65)
    return f"did you mean {near[0]}?" if near else f"it has {', '.join(there)}"
