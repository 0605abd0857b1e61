"""Stages of long work: timed, logged, and announced to whoever listens."""

import logging
import sys
import time
from contextlib import contextmanager
from contextvars import ContextVar

logger = logging.getLogger("graphcore")
_running: ContextVar[tuple["Stages", ...]] = ContextVar("running", default=())


def announce(text):
    """Log what a verbose function has to say; where nobody listens to the log, print it on stderr.

    No handler is installed: logging that is set up later gets the messages alone, and a level above INFO that was set
    on the logger "graphcore" silences them.
    """
    if logger.hasHandlers() and logger.isEnabledFor(logging.INFO):
        logger.info("%s", text)
    elif logger.level <= logging.INFO:
        print(f"graphcore: {text.removeprefix('graphcore: ')}", file=sys.stderr, flush=True)


def note(text):
    """Say how far the running stages are to whoever measures them."""
    for stages in _running.get():
        stages.noted(text)


def in_notebook():
    """Whether this runs in a notebook's kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and "IPKernelApp" in shell.config


class NotebookBar:
    """Stages as a bar, as tqdm draws it in notebooks: how many have ended, the running one, and what it says."""

    def __init__(self):
        from tqdm.auto import tqdm

        self._bar, self._begun = tqdm(bar_format="{desc} {bar} {n_fmt} of {total_fmt} [{elapsed}{postfix}]"), 0

    def expect(self, n_stages):
        """Take so many more stages for the rest."""
        began = self._bar.start_t
        self._bar.reset(self._begun + n_stages)  # the one way to give the widget another total
        self._bar.start_t = began

    def begin(self, stage):
        """Show that a stage begins."""
        if self._begun >= (self._bar.total or 0):
            self.expect(1)
        self._bar.n, self._begun = self._begun, self._begun + 1
        self._bar.set_postfix_str("", refresh=False)
        self._bar.set_description(stage)

    def note(self, text):
        """Show what the running stage says."""
        self._bar.set_postfix_str(text.removeprefix("graphcore: "))

    def close(self):
        """Fill the bar, and leave it there."""
        self._bar.set_postfix_str("", refresh=False)
        self.expect(0)
        self._bar.n = self._begun
        self._bar.set_description("done")
        self._bar.close()


class Stages:
    """Measures named stages: wall-clock `seconds` of every stage ended so far, in order.

    `on_stage(name)` is called when a stage begins, `on_expect(n)` once it is known that n stages are still to come,
    `on_note(text)` when the running one says how far it is. From `verbose` 1 on, every stage is announced when it ends,
    and its notes.
    """

    def __init__(self, on_stage=None, verbose=0, on_expect=None, on_note=None):
        self.seconds = {}
        self._on_stage = on_stage
        self._on_expect = on_expect
        self._on_note = on_note
        self._verbose = verbose

    def expect(self, n_stages):
        """Say how many more stages will begin."""
        if self._on_expect is not None:
            self._on_expect(n_stages)

    def noted(self, text):
        """Pass on how far the running stage is."""
        if self._on_note is not None:
            self._on_note(text)
        if self._verbose:
            announce(text)

    @contextmanager
    def __call__(self, name, total=True):
        """Measure a stage; time adds up if a name comes again. With `total=False` it is only announced."""
        if self._on_stage is not None:
            self._on_stage(name)
        start = time.perf_counter()
        outer = _running.get()
        token = _running.set(outer if self in outer else (*outer, self))
        try:
            yield
        finally:
            _running.reset(token)
            spent = time.perf_counter() - start
            if total:
                self.seconds[name] = self.seconds.get(name, 0.0) + spent
            if self._verbose:
                announce(f"{name}: {spent:.3f} s")
