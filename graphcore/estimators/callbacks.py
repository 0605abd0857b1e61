"""scikit-learn's callbacks, where it has them (from 1.9 on): each stage of a fit is a task that they are called for."""

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

    def called(estimator):
        tasks = _StageTasks(estimator, X, y)
        fit(estimator, X, tasks, **known)
        tasks.finish()
        return estimator

    return with_callbacks(called)(estimator)


class _StageTasks:
    """Listens to the stages of a fit and calls the callbacks when a task begins and ends."""

    def __init__(self, estimator, X, y):
        self._told = {"estimator": estimator, "X": X, "y": y}
        self._task = None
        self._context = estimator._init_callback_context(max_subtasks=None)
        self._context.call_on_fit_task_begin(**self._told)

    def __call__(self, stage):
        """Hear that a stage begins, and so that the one before has ended."""
        self._end_stage()
        self._task = self._context.subcontext(task_name=stage)
        self._task.call_on_fit_task_begin(**self._told)

    def finish(self):
        """Tell that the fit has ended."""
        self._end_stage()
        self._context.call_on_fit_task_end(**self._told, reconstruction_attributes=self._fitted_attributes)

    def _end_stage(self):
        if self._task is not None:
            self._task.call_on_fit_task_end(**self._told)
            self._task = None

    def _fitted_attributes(self):
        estimator = self._told["estimator"]
        hidden = ("_skl_callbacks", "_callback_fit_ctx", "_parent_callback_ctx")
        parameters = estimator.get_params(deep=False)
        fitted = {name: value for name, value in vars(estimator).items() if not name.startswith(hidden)}
        return {name: value for name, value in fitted.items() if name not in parameters}
