"""Base class of the estimators: declared parameters, refusals, progress, and scikit-learn's callbacks."""

from contextlib import closing, contextmanager
from dataclasses import KW_ONLY, dataclass
from typing import TypeVar, dataclass_transform

from sklearn.base import BaseEstimator

from ..base.compiling import compilation_notices
from ..base.progress import Bar, Stages, announce, in_notebook
from ..base.types import RandomState
from ..exceptions import InputError
from ..graphs.as_graph import is_graph_object

Class = TypeVar("Class")


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


def refuse_graph(estimator, X, takes="vectors or a kernel matrix", remedy=""):
    """Say what is for graphs where a class takes none, and how it takes one all the same if there is a `remedy`."""
    if is_graph_object(X):
        raise InputError(
            f"{type(estimator).__name__} takes {takes}, and this is a {type(X).__name__}; "
            f"{remedy}CoresetSpectralClustering and KernelKMeans cluster graphs"
        )


def passed_on(estimator, names):
    """Parameters that go to a function as they are; `names` with spaces between."""
    return {name: getattr(estimator, name) for name in names.split()}


@contextmanager
def stages_of(estimator, on_stage=None):
    """Stages of a fit; if the estimator is verbose, with the notices of compiling as lines, or as a notebook's bar."""
    if not estimator.verbose:
        yield Stages(on_stage=on_stage)
    elif not in_notebook():
        with compilation_notices(announce):
            yield Stages(on_stage=on_stage, verbose=estimator.verbose)
    else:
        bar = Bar()

        def begin(stage):
            bar.begin(stage)
            if on_stage is not None:
                on_stage(stage)

        with closing(bar), compilation_notices(bar.note):
            yield Stages(begin, on_expect=bar.expect, on_note=bar.note)


try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # an older scikit-learn

    class CallbackSupportMixin:
        """Stands for scikit-learn's; there are no callbacks."""


def fit_with_callbacks(fit, estimator, X, y, **known):
    """Call ``fit(estimator, X, on_stage, **known)``; what hears of its stages calls the callbacks, if any."""
    # scikit-learn's wrapper stands between warnings and the caller's line: it is used only where there are callbacks.
    if not getattr(estimator, "_skl_callbacks", None):
        return fit(estimator, X, None, **known)
    told, running = {"estimator": estimator, "X": X, "y": y}, []

    def end_stage():
        if running:
            running.pop().call_on_fit_task_end(**told)

    def called(estimator):
        whole = estimator._init_callback_context(max_subtasks=None)
        whole.call_on_fit_task_begin(**told)

        def begin(stage):
            end_stage()
            running.append(whole.subcontext(task_name=stage))
            running[-1].call_on_fit_task_begin(**told)

        fit(estimator, X, begin, **known)
        end_stage()
        whole.call_on_fit_task_end(**told, reconstruction_attributes=lambda: _fitted_attributes(estimator))
        return estimator

    return with_callbacks(called)(estimator)


def _fitted_attributes(estimator):
    hidden = ("_skl_callbacks", "_callback_fit_ctx", "_parent_callback_ctx")
    parameters = estimator.get_params(deep=False)
    fitted = {name: value for name, value in vars(estimator).items() if not name.startswith(hidden)}
    return {name: value for name, value in fitted.items() if name not in parameters}
