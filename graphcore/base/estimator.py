"""Base class of the estimators: declared parameters, refusals, and progress."""

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from functools import wraps
from typing import TypeVar, dataclass_transform

from .lazy import import_scikit_learn
from .loops import compilation_notices
from .progress import Stages, announce
from .types import RandomState

import_scikit_learn()
from sklearn.base import BaseEstimator  # noqa: E402

Class = TypeVar("Class")
# How names of attributes begin that scikit-learn itself sets.
_SCIKIT_LEARNS = ("_sk", "_metadata", "_parent_callback")
Method = TypeVar("Method", bound=Callable)


@dataclass_transform(eq_default=False)
def parameters(cls: type[Class]) -> type[Class]:
    """Make the constructor of a class from its names with types and defaults, as a dataclass does.

    Parameters of bases that are declared so too follow, by keyword only. The class is no dataclass afterwards: Dask,
    for one, would take fits with equal parameters for one and the same.
    """
    for base in cls.__mro__[1:]:
        if declared := vars(base).get("_declared"):
            cls.__annotations__ = cls.__annotations__ | {"_": KW_ONLY} | declared
    cls = dataclass(eq=False, repr=False, match_args=False)(cls)
    cls._declared = {name: field.type for name, field in cls.__dataclass_fields__.items()}
    del cls.__dataclass_fields__, cls.__dataclass_params__
    return cls


def whole(fit: Method) -> Method:
    """Make a method that fits leave the estimator fitted, or without anything of this fit or one before."""

    @wraps(fit)
    def fit_or_forget(self, *args, **options):
        _forget(self)
        try:
            return fit(self, *args, **options)
        except BaseException:
            _forget(self)
            raise

    return fit_or_forget  # type: ignore[return-value]


def _forget(estimator):
    """Delete all attributes but parameters and those of scikit-learn, such as output formats and callbacks."""
    kept = estimator.get_params(deep=False)
    for name in [name for name in vars(estimator) if name not in kept and not name.startswith(_SCIKIT_LEARNS)]:
        delattr(estimator, name)


@parameters
class Estimator(BaseEstimator):
    """Base of all classes, with the parameters that all have."""

    _: KW_ONLY
    random_state: RandomState = None
    n_jobs: int | None = None
    verbose: int = 0

    # An attribute that only a finished fit sets.
    _mark_of_fit = "n_iter_"

    def __sklearn_is_fitted__(self):
        return hasattr(self, self._mark_of_fit)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def passed_on(estimator, names):
    """Parameters that go to a function as they are; `names` with spaces between."""
    return {name: getattr(estimator, name) for name in names.split()}


@contextmanager
def stages_of(estimator):
    """Stages of a fit, with a line of compiling; if the estimator is verbose, with lines of their seconds."""
    with compilation_notices(announce):
        yield Stages(verbose=estimator.verbose)
