"""Progress of long work: stages, bars, lines; and counts of the work done, because clocks are noisy."""

import logging
import sys
import threading
import time
from collections import Counter
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

from .locks import ModuleLock

logger = logging.getLogger("graphcore")
# What threads count: microseconds in which several of them worked for one call.
ON_THREADS = "microseconds on threads"
_LONG = 2.0  # seconds from which on a stage shows how long it has been running
_running: ContextVar[tuple["Stages", ...]] = ContextVar("running", default=())


def announce(text):
    """Log what a verbose function has to say; where nobody listens to the log, print it on stderr.

    A level above INFO that was set on the logger "graphcore" silences it.
    """
    if logger.hasHandlers() and logger.isEnabledFor(logging.INFO):
        logger.info("%s", text)
    elif logger.level <= logging.INFO:
        print(f"graphcore: {text.removeprefix('graphcore: ')}", file=sys.stderr, flush=True)


def note(text):
    """Say how far the running stages are to whoever measures them."""
    for stages in _running.get():
        stages.noted(text)


def record(name, value):
    """Have whoever measures the running stages keep the first value under a name, as what was decided about a file."""
    for stages in _running.get():
        stages.facts.setdefault(name, value)


def in_notebook():
    """Return whether this runs in a notebook's kernel."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return shell is not None and "IPKernelApp" in shell.config


class Bar:
    """Stages as a bar of tqdm's: how many have ended, the running one, and what it says; nothing before the first.

    From its second second on, the running stage shows its seconds.
    """

    def __init__(self, leave=True):
        self._bar: Any = None
        self._leave, self._begun, self._total, self._note, self._since = leave, 0, 0, "", 0.0
        self._closed = threading.Event()

    def expect(self, n_stages):
        """Take so many more stages for the rest."""
        self._total = self._begun + n_stages

    def begin(self, stage):
        """Show that a stage begins."""
        total = max(self._total, self._begun + 1)
        if self._bar is None:
            if in_notebook():
                from tqdm.auto import tqdm
            else:  # the other one imports asyncio
                from tqdm import tqdm
            form = "{desc} {bar} {n_fmt} of {total_fmt} [{elapsed}{postfix}]"
            self._bar = tqdm(total=total, bar_format=form, leave=self._leave)
            threading.Thread(target=self._tick, daemon=True).start()
        self._show(stage, total)
        self._begun += 1

    def note(self, text):
        """Show what the running stage says."""
        self._note = text.removeprefix("graphcore: ")
        if self._bar is not None:
            self._bar.set_postfix_str(self._note)

    @contextmanager
    def hidden(self):
        """Take the bar away, within this context and until something else is to be shown."""
        if self._bar is None:
            yield
            return
        with self._bar.get_lock():
            self._bar.clear()
            yield

    def close(self):
        """Fill the bar, and leave it there or take it away."""
        self._closed.set()
        if self._bar is not None:
            if self._leave:
                self._show("done", self._begun)
            self._bar.close()

    def _tick(self):
        while not self._closed.wait(1.0):
            spent = time.perf_counter() - self._since
            with self._bar.get_lock():
                if spent >= _LONG and not self._closed.is_set():
                    self._bar.set_postfix_str(", ".join(filter(None, [self._note, f"{spent:.0f} s in this stage"])))

    def _show(self, stage, total):
        self._note, self._since = "", time.perf_counter()
        if total != self._bar.total:
            began = self._bar.start_t
            self._bar.reset(total)  # the one way to give a notebook's widget another total
            self._bar.start_t = began
        self._bar.n = self._begun
        self._bar.set_postfix_str("", refresh=False)
        self._bar.set_description(stage)


class Stages:
    """Measures named stages: wall-clock `seconds` of every stage ended so far, in order; keeps `facts`.

    `on_stage(name)` is called when a stage begins, `on_expect(n)` once it is known that n stages are still to come,
    `on_note(text)` when the running one says how far it is. From `verbose` 1 on, every stage is announced when it ends,
    and its notes.
    """

    def __init__(self, on_stage=None, verbose=0, on_expect=None, on_note=None):
        self.seconds: dict[str, float] = {}
        self.facts: dict[str, Any] = {}
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
        told: Any = counted() if self._verbose else nullcontext()  # nobody else pays for counts
        with told as work:
            try:
                yield
            finally:
                _running.reset(token)
                spent = time.perf_counter() - start
                if total:
                    self.seconds[name] = self.seconds.get(name, 0.0) + spent
                if self._verbose:
                    share = 1e-6 * work[ON_THREADS] / spent
                    announce(f"{name}: {spent:.3f} s" + (f", {share:.0%} of it on threads" if share else ""))


_LOCK = ModuleLock()
_listening: list[Counter[str]] = []


def count(name, amount, most=False):
    """Add to what everybody who is listening has counted under a name, or keep the `most` that was ever counted."""
    if _listening:
        with _LOCK:
            for work in _listening:
                work[name] = max(work[name], int(amount)) if most else work[name] + int(amount)


@contextmanager
def counted():
    """Count the work of all threads inside, in a Counter, by the names of whoever calls :func:`count`."""
    work: Counter[str] = Counter()
    with _LOCK:
        _listening.append(work)
    try:
        yield work
    finally:
        with _LOCK:
            # By identity: two that have counted the same are equal.
            _listening[:] = [other for other in _listening if other is not work]
