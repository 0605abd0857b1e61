"""Processes that are killed at the n-th call of a function."""

import os
import signal
import sys


def kill_at(call):
    """Have this process killed when it has made so many calls of functions, builtin ones included."""
    left = call

    def profile(_frame, event, _arg):
        nonlocal left
        left -= event in ("call", "c_call")
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(profile)


def calls_of(work):
    """Count the calls of functions, builtin ones included, in some work."""
    count = 0

    def profile(_frame, event, _arg):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count
