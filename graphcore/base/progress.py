"""Progress of long work: stages, a bar of tqdm's, lines of a log; and counts of the work done, as clocks are noisy."""

import logging
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

logger = logging.getLogger("graphcore")
_running: ContextVar[tuple["Stages", ...]] = ContextVar("running", default=())


def announce(text):
    """Log what a verbose function has to say; where nobody listens to the log, print it on stderr."""
    if logger.hasHandlers() and logger.isEnabledFor(logging.INFO):
        logger.info("%s", text)
    else:
        print(f"graphcore: {text.removeprefix('graphcore: ')}", file=sys.stderr, flush=True)


def note(text):
    """Say how far the running stages are to whoever measures them."""
    for stages in _running.get():
        stages.noted(text)


def record(name, value):
    """Have whoever measures the running stages keep the first value under a name, as what was decided about a file."""
    for stages in _running.get():
        stages.facts.setdefault(name, value)


class Bar:
    """Stages as a bar of tqdm's: how many have ended, the running one, and what it says; nothing before the first."""

    def __init__(self):
        self._bar: Any = None
        self._begun, self._total = 0, 0

    def expect(self, n_stages):
        """Take so many more stages for the rest."""
        self._total = self._begun + n_stages

    def begin(self, stage):
        """Show that a stage begins."""
        if self._bar is None:
            from tqdm import tqdm

            form = "{desc} {bar} {n_fmt} of {total_fmt} [{elapsed}{postfix}]"
            self._bar = tqdm(total=1, bar_format=form, leave=False)
            # A terminal that says it is 0 wide, or 0 high, would show nothing.
            self._bar.ncols, self._bar.nrows = self._bar.ncols if (self._bar.ncols or 0) > 0 else 80, 24
        self._bar.n, self._bar.total = self._begun, max(self._total, self._begun + 1)
        self._bar.set_postfix_str("", refresh=False)
        self._bar.set_description(stage)
        self._begun += 1

    def note(self, text):
        """Show what the running stage says."""
        if self._bar is not None:
            self._bar.set_postfix_str(text.removeprefix("graphcore: "))

    def hidden(self):
        """Take the bar away within this context."""
        return nullcontext() if self._bar is None else self._bar.external_write_mode(file=sys.stderr)

    def close(self):
        """Take the bar away."""
        if self._bar is not None:
            self._bar.close()


class Stages:
    """Measures named stages: wall-clock `seconds` of every stage ended so far, in order; keeps `facts`.

    `on_stage(name)` is called when a stage begins, `on_expect(n)` once it is known that n stages are still to come,
    `on_note(text)` when the running one says how far it is. From `verbose` 1 on, every stage is announced when it ends,
    and its notes.
    """

    def __init__(self, on_stage=None, verbose=0, on_expect=None, on_note=None):
        self.seconds: dict[str, float] = {}
        self.facts: dict[str, Any] = {}
        self._on_stage, self._on_expect, self._on_note = on_stage, on_expect, on_note
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
        begun, outer = time.perf_counter(), _running.get()
        for stages in outer:  # they show what they are at
            if stages is not self and stages._on_note is not None:
                stages._on_note(name)
        token = _running.set(outer if self in outer else (*outer, self))
        try:
            yield
        finally:
            _running.reset(token)
            spent = time.perf_counter() - begun
            if total:
                self.seconds[name] = self.seconds.get(name, 0.0) + spent
            if self._verbose:
                announce(f"{name}: {spent:.3f} s")


_listening: list[Counter[str]] = []
_counting = threading.Lock()  # held for an instant, and never while anything else is waited for


def count(name, amount, most=False):
    """Add to what everybody who is listening has counted under a name, or keep the `most` that was ever counted."""
    if _listening:
        with _counting:
            for work in _listening:
                work[name] = max(work[name], int(amount)) if most else work[name] + int(amount)


@contextmanager
def counted():
    """Count the work of all threads inside, in a Counter, by the names of whoever calls :func:`count`."""
    work: Counter[str] = Counter()
    with _counting:
        _listening.append(work)
    try:
        yield work
    finally:
        with _counting:
            # By identity: two that have counted the same are equal.
            _listening[:] = [other for other in _listening if other is not work]
