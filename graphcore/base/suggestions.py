"""Public functions and classes that name the nearest parameter, where one is given that they do not have."""

import sys
from difflib import get_close_matches
from functools import wraps
from inspect import signature
from types import FunctionType

from ..exceptions import ParameterError

# Names of parameters here, and those that other libraries have for them.
_OTHERWISE = {
    "random_state": "seed rng random_seed", "n_clusters": "k n_communities n_components n_parts nclusters",
    "n_neighbors": "k min_samples", "n_jobs": "n_threads num_threads threads n_workers workers",
    "resolution": "gamma resolution_parameter", "coreset_size": "coreset_ratio", "delimiter": "sep",
    "max_cluster_size": "max_comm_size", "initial_labels": "init initial_membership", "symmetrize": "directed",
    "sample_weight": "weights node_weights",
}  # fmt: skip


def suggesting(public, package):
    """Return a function, or a class with its constructor and methods, that refuses keywords which are no parameters.

    Done where names are made public, so that calls inside the library go on as they are. A function is pickled by its
    public name, in `package`.
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
    """Do so for all that a package lists in `__all__`."""
    room = sys.modules[package]
    vars(room).update({name: suggesting(getattr(room, name), package) for name in room.__all__})


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
    near = [each for each in there if name in _OTHERWISE.get(each, "").split()] or get_close_matches(name, there, 1)
    return f"did you mean {near[0]}?" if near else f"it has {', '.join(there)}"
