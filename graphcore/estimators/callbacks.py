"""scikit-learn's callbacks, where it has them (from 1.9 on): each stage of a fit is a task that they are called for."""

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # an older scikit-learn

    class CallbackSupportMixin:
        """Stands for scikit-learn's; there are no callbacks."""

    def with_callbacks(method):
        """Return the method as it is."""
        return method


def call_with_callbacks(method, estimator, *given):
    """Call a method of an estimator; its callbacks are torn down whatever happens."""
    # scikit-learn's wrapper stands between warnings and the caller's line: it is used only where there are callbacks.
    return (with_callbacks(method) if _has_callbacks(estimator) else method)(estimator, *given)


def _has_callbacks(estimator):
    return bool(getattr(estimator, "_skl_callbacks", None))


class StageTasks:
    """Listens to the stages of a fit and calls the callbacks when a task begins and ends."""

    def __init__(self, estimator, X, y):
        self._estimator = estimator
        self._data = {"X": X, "y": y}
        self._context = self._task = None
        # Without callbacks nothing is called, and nothing is kept on the estimator.
        if _has_callbacks(estimator):
            self._context = estimator._init_callback_context(max_subtasks=None)
            self._context.call_on_fit_task_begin(estimator=estimator, **self._data)

    def __call__(self, stage):
        """Hear that a stage begins, and so that the one before has ended."""
        if self._context is None:
            return
        self._end_stage()
        self._task = self._context.subcontext(task_name=stage)
        self._task.call_on_fit_task_begin(estimator=self._estimator, **self._data)

    def finish(self):
        """Tell that the fit has ended."""
        if self._context is None:
            return
        self._end_stage()
        self._context.call_on_fit_task_end(
            estimator=self._estimator, **self._data, reconstruction_attributes=self._fitted_attributes
        )

    def _end_stage(self):
        if self._task is not None:
            self._task.call_on_fit_task_end(estimator=self._estimator, **self._data)
            self._task = None

    def _fitted_attributes(self):
        parameters = self._estimator.get_params(deep=False)
        hidden = ("_skl_callbacks", "_callback_fit_ctx", "_parent_callback_ctx")
        return {
            name: value
            for name, value in vars(self._estimator).items()
            if name not in parameters and not name.startswith(hidden)
        }
