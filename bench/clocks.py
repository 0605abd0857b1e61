"""Clocks for the parts of methods on both sides, which import only the standard library until they are used."""

import time
from contextlib import contextmanager


class Clock:
    """Seconds between calls of `lap`, by name."""

    def __init__(self):
        self.laps = {}
        self._last = time.perf_counter()

    def lap(self, name):
        now = time.perf_counter()
        self.laps[name], self._last = now - self._last, now

    def leave_out(self, name, seconds):
        """Count seconds just spent under a name of their own, and not in the lap that goes on."""
        self.laps[name] = self.laps.get(name, 0.0) + seconds
        self._last += seconds


@contextmanager
def clocked(clock, owner, name, lap, change=None):
    """Lap calls of the function `owner.name` apart, whoever makes them: the lap that goes on holds the rest.

    `change`, if given, is called with their arguments and returns those to use.
    """
    function = getattr(owner, name)

    def timed(*args, **kwargs):
        if change is not None:
            args, kwargs = change(*args, **kwargs)
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            clock.leave_out(lap, time.perf_counter() - start)

    setattr(owner, name, timed)
    try:
        yield
    finally:
        setattr(owner, name, function)
