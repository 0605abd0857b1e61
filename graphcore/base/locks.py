"""Locks of modules, and forks: a child has the thread that forked alone, and waits for ever for what others held."""

import functools
import os
import threading
from contextlib import nullcontext
from typing import TYPE_CHECKING

_locks = []


class ModuleLock:
    """A lock for as long as the process lives, which its thread may take again; in a fork, what others held is free.

    With `forks_wait` nobody holds it in a fork, see :func:`held_in_forks`.
    """

    def __init__(self, forks_wait=False):
        self._lock = threading.RLock()
        if forks_wait:
            held_in_forks(self._lock)
        else:
            _locks.append(self)

    def __enter__(self):
        self._lock.acquire()

    def __exit__(self, *error):
        self._lock.release()


if TYPE_CHECKING:
    from functools import cached_property
else:

    class cached_property(functools.cached_property):
        """functools's, without the lock that Python 3.11 holds for all objects of a class while it computes a value."""

        def __init__(self, function):
            super().__init__(function)
            self.lock = nullcontext()


def after_fork(function):
    """Call a function in every process that is forked off this one, where the system forks."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=function)


def held_in_forks(lock):
    """Have forks wait for a library's lock, whose state would be left half-way: both processes go on without it."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release)


@after_fork
def _renew():
    for lock in _locks:
        if lock._lock.acquire(blocking=False):  # free, or held by this thread, which came along
            lock._lock.release()
        else:
            lock._lock = threading.RLock()
