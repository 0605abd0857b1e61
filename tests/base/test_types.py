"""Types in help() and in tooltips are names, as a person would write them."""

import inspect

import pytest

import graphcore
from graphcore import datasets, metrics, plot

MODULES = (graphcore, datasets, metrics, plot)
PUBLIC = [
    thing for module in MODULES for name in module.__all__
    if callable(thing := getattr(module, name)) and not (inspect.isclass(thing) and issubclass(thing, Exception))
]  # fmt: skip
OWN = [
    (f"{thing.__name__}.{name}", method) for thing in PUBLIC if inspect.isclass(thing)
    for name, method in inspect.getmembers(thing, inspect.isfunction)
    if not name.startswith("_") and str(getattr(method, "__module__", "")).startswith("graphcore.")
]  # fmt: skip


@pytest.mark.parametrize(("name", "called"), [(thing.__name__, thing) for thing in PUBLIC] + OWN)
def test_types_of_a_signature_are_names(name, called):
    told = str(inspect.signature(called)).replace("typing.Any", "Any")
    assert not any(sign in told for sign in ("Union[", "Optional[", "typing.", "numpy.random", "collections."))


def test_a_signature():
    expected = "(self, X: AnyData, y: object = None, sample_weight: ArrayLike | None = None) -> Self"
    assert str(inspect.signature(graphcore.KernelKMeans.fit)) == expected
