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
